package explore

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// folder makes a folder p with CSV files in it and beside it, and returns it.
func folder(t *testing.T) string {
	dir := t.TempDir()
	for _, name := range []string{"outside.csv", "given.csv", "p/inside.csv", "p/below/deep.csv"} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte("a\n1\n2\n"), 0o644))
	}
	return filepath.Join(dir, "p")
}

func reading(path string) string {
	return "data xs = csv \"" + filepath.ToSlash(path) + "\" \"a\"\nfold (fun x h -> x + h) 0 xs"
}

// TestFiles: a program that the page sends reads what lies in the folder, and what the
// command line has named.
func TestFiles(t *testing.T) {
	dir := folder(t)
	outside := filepath.Join(filepath.Dir(dir), "outside.csv")
	given := filepath.Join(filepath.Dir(dir), "given.csv")
	cfg := testConfig(figure1)
	cfg.Dir, cfg.Path = dir, filepath.Join(dir, "test.gram")
	s := serve(t, cfg, nil)
	refused := []string{"../outside.csv", "below/../../outside.csv", outside, "..", "/etc/hostname"}
	if os.Symlink(outside, filepath.Join(dir, "link.csv")) == nil {
		refused = append(refused, "link.csv")
	}
	for _, path := range refused {
		status, a := s.run(reading(path), OfValue)
		require.Equal(t, 422, status, path)
		require.Len(t, a.Diagnostics, 1, path)
		d := a.Diagnostics[0]
		require.Equal(t, "CSV file cannot be read", d.Headline)
		require.Contains(t, d.Label, errOutside.Error(), path)
		require.Equal(t, []int{1, 15, len([]rune(path)) + 2}, []int{d.Line, d.Column, d.Width}, path)
		require.Contains(t, a.Text, "test.gram:1:15: CSV file cannot be read")
	}
	for _, path := range []string{"inside.csv", "below/deep.csv", "below/../inside.csv", filepath.Join(dir, "inside.csv")} {
		status, a := s.run(reading(path), OfValue)
		require.Equal(t, 200, status, "%s: %s", path, a.Text)
		require.Equal(t, "3", a.Value)
	}
	for path, text := range map[string]string{"none.csv": "no such file", "below": "directory"} {
		status, a := s.run(reading(path), OfValue)
		require.Equal(t, 422, status, path)
		require.Contains(t, a.Text, text, path)
	}

	// What the program of the command line names.
	cfg.Source = []byte(reading("../outside.csv"))
	s = serve(t, cfg, nil)
	status, a := s.run(reading(outside), OfValue)
	require.Equal(t, 200, status, a.Text)
	status, _ = s.run(reading(given), OfValue)
	require.Equal(t, 422, status)

	// What the command line names, also where the program is wrong.
	cfg.Source, cfg.Sets = []byte("data xs = [1]\n)"), []string{"xs=@" + given + ":a"}
	s = serve(t, cfg, nil)
	require.Error(t, s.Problem())
	status, a = s.run("data xs = [1]\nfold (fun x h -> x + h) 0 xs", OfValue)
	require.Equal(t, 200, status, a.Text)
	require.Equal(t, "3", a.Value)
}

// TestNamedByAnotherWay: that a file has been named opens no other one.
func TestNamedByAnotherWay(t *testing.T) {
	dir := folder(t)
	inside := filepath.Join(dir, "inside.csv")
	if err := os.Symlink(filepath.Join(dir, "below"), filepath.Join(filepath.Dir(dir), "link")); err != nil {
		t.Skip(err)
	}
	given := filepath.Join(filepath.Dir(dir), "given.csv")
	var opened []string
	f, err := newFiles(dir, []string{"xs=@" + given}, "", func(_ context.Context, path string) (fs.File, error) {
		opened = append(opened, path)
		return os.Open(inside)
	})
	require.NoError(t, err)
	defer f.close()
	file, err := f.later(t.Context())(filepath.Dir(dir) + "/link/../given.csv") // p/given.csv
	require.NoError(t, err)
	require.NoError(t, file.Close())
	require.Equal(t, []string{given}, opened)
}

// piped is an open that gives the text of a pipe to who comes first.
func piped(text string) func(context.Context, string) (fs.File, error) {
	return func(context.Context, string) (fs.File, error) {
		r, w, err := os.Pipe()
		if err == nil {
			_, err = w.WriteString(text)
			w.Close()
		}
		text = ""
		return r, err
	}
}

// TestReadOnce: a pipe that the command line names is read once, and is there for what the
// page sends, in either order.
func TestReadOnce(t *testing.T) {
	for _, source := range []string{"data xs = [1]\nfold (fun x h -> x + h) 0 xs", ")"} {
		cfg := testConfig(source)
		cfg.Sets, cfg.Open = []string{"xs=@given:a"}, piped("a\n1\n2\n")
		s := serve(t, cfg, nil)
		for i := range 3 {
			status, a := s.run(strings.Repeat("\n", i)+"data xs = [1]\nfold (fun x h -> x + h) 0 xs", OfValue)
			require.Equal(t, 200, status, a.Text)
			require.Equal(t, "3", a.Value)
		}
	}
}

// TestReadInPart: what was not read to its end is not kept.
func TestReadInPart(t *testing.T) {
	var once onceFiles
	open := piped("abc")
	for _, want := range []string{"ab", ""} {
		f, err := once.open(t.Context(), "x", open)
		require.NoError(t, err)
		b := make([]byte, 2)
		n, _ := f.Read(b)
		require.Equal(t, want, string(b[:n]))
		require.NoError(t, f.Close())
	}
}

// TestPipe: a pipe would keep the server waiting.
func TestPipe(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("needs a file that is neither regular nor a folder")
	}
	f, err := newFiles("/dev", nil, "", func(context.Context, string) (fs.File, error) { panic("opened") })
	require.NoError(t, err)
	defer f.close()
	_, err = f.later(t.Context())("/dev/null")
	require.ErrorIs(t, err, errNoFile)
}

// TestNoFolder: without its folder a program reads nothing.
func TestNoFolder(t *testing.T) {
	f, err := newFiles(filepath.Join(t.TempDir(), "none"), nil, "", nil)
	require.NoError(t, err)
	defer f.close()
	_, err = f.later(t.Context())(filepath.Join(f.dir, "x.csv"))
	require.ErrorIs(t, err, errOutside)
	require.False(t, strings.Contains(err.Error(), "\n"))
}
