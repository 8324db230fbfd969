package command

import (
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
)

// entriesOf returns the names in a folder.
func entriesOf(t *testing.T, dir string) []string {
	t.Helper()
	files, err := os.ReadDir(dir)
	require.NoError(t, err)
	var names []string
	for _, f := range files {
		names = append(names, f.Name())
	}
	return names
}

func requireText(t *testing.T, path, want string) {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, want, string(text))
}

// TestOutputFile: nothing is left beside a file, whether it is kept or not.
func TestOutputFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "out")
	for i, keep := range []bool{false, true, false} {
		f, err := CreateFile(path)
		require.NoError(t, err)
		_, err = f.WriteString([]string{"one", "two", "three"}[i])
		require.NoError(t, err)
		if keep {
			require.NoError(t, f.Keep())
		}
		f.Discard()
	}
	require.Equal(t, []string{"out"}, entriesOf(t, dir))
	requireText(t, path, "two")
	require.Empty(t, pending.names)
}

// TestOutputFileMode: a new file has the mode of any other new file, and one that is replaced
// keeps its own.
func TestOutputFileMode(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("has no such modes")
	}
	dir := t.TempDir()
	modeOf := func(path string) fs.FileMode {
		info, err := os.Stat(path)
		require.NoError(t, err)
		return info.Mode()
	}
	usual := filepath.Join(dir, "usual")
	require.NoError(t, os.WriteFile(usual, nil, 0o666))
	path := filepath.Join(dir, "out")
	require.NoError(t, WriteFile(path, nil))
	require.Equal(t, modeOf(usual), modeOf(path))
	for _, mode := range []fs.FileMode{0o600, 0o777} {
		require.NoError(t, os.Chmod(path, mode))
		require.NoError(t, WriteFile(path, nil))
		require.Equal(t, mode, modeOf(path))
	}
	if os.Getuid() != 0 { // who may write everything
		require.NoError(t, os.Chmod(path, 0o444))
		require.ErrorIs(t, WriteFile(path, []byte("text")), fs.ErrPermission)
		requireText(t, path, "")
	}
}

// TestOutputFileLink: what a link leads to is written, also if it isn't there yet, and through
// a link to a folder.
func TestOutputFileLink(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs a privilege for links")
	}
	dir := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "a/b"), 0o777))
	require.NoError(t, os.Symlink("a/b", filepath.Join(dir, "folder")))
	require.NoError(t, os.Symlink("../out", filepath.Join(dir, "a/b/link")))
	for _, text := range []string{"one", "two"} {
		require.NoError(t, WriteFile(filepath.Join(dir, "folder/link"), []byte(text)))
		requireText(t, filepath.Join(dir, "a/out"), text)
	}
	require.Equal(t, []string{"a", "folder"}, entriesOf(t, dir))
	require.Equal(t, []string{"b", "out"}, entriesOf(t, filepath.Join(dir, "a")))
	require.Equal(t, []string{"link"}, entriesOf(t, filepath.Join(dir, "a/b")))

	require.NoError(t, os.Symlink("loop", filepath.Join(dir, "loop")))
	require.Error(t, WriteFile(filepath.Join(dir, "loop"), nil))
}
