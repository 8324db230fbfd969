package arch_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// lines are what the go command prints at the root of the module.
func lines(t *testing.T, args ...string) []string {
	t.Helper()
	cmd := exec.Command("go", args...)
	cmd.Dir = "../.."
	out, err := cmd.Output()
	require.NoError(t, err)
	return strings.Split(strings.TrimSpace(string(out)), "\n")
}

// TestLibraryIsSmall: the library is documented on a few pages, and links few modules.
func TestLibraryIsSmall(t *testing.T) {
	require.LessOrEqual(t, len(lines(t, "doc", ".")), 60)
	require.LessOrEqual(t, len(lines(t, "doc", "-all", ".")), 388)
	modules := lines(t, "list", "-deps", "-f", "{{with .Module}}{{.Path}}{{end}}", ".")
	slices.Sort(modules)
	require.Equal(t, []string{"github.com/gram-machine/gram", "github.com/tetratelabs/wazero", "golang.org/x/sys"},
		slices.DeleteFunc(slices.Compact(modules), func(m string) bool { return m == "" }))
}

// TestCommandIsSmall: the first command that somebody runs compiles what gram links.
func TestCommandIsSmall(t *testing.T) {
	packages := lines(t, "list", "-deps", "./cmd/gram")
	require.LessOrEqual(t, len(packages), 260)
	for _, p := range []string{"net/http", "crypto/tls", "github.com/gram-machine/gram/bench"} {
		require.NotContains(t, packages, p)
	}
	require.NotContains(t, strings.Join(packages, "\n"), "gonum.org/") // it is for gram-fit
}

// TestBinaryIsSmall: gram has at most 25 MB, as go build -trimpath makes it: else the size depends on the path of the
// clone. slices.SortFunc adds some 10 kB for each type that it sorts, so gram calls sort.Slice.
func TestBinaryIsSmall(t *testing.T) {
	if testing.Short() || runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		t.Skip("it links gram, for linux/amd64")
	}
	file := filepath.Join(t.TempDir(), "gram")
	lines(t, "build", "-trimpath", "-o", file, "./cmd/gram")
	info, err := os.Stat(file)
	require.NoError(t, err)
	t.Logf("%.2f MB", float64(info.Size())/1e6)
	require.LessOrEqual(t, info.Size(), int64(25e6))
}

// TestBinaries: few packages have tests, for each is a binary that is linked; and few files of the root are tests.
func TestBinaries(t *testing.T) {
	tested := lines(t, "list", "-f", "{{if or .TestGoFiles .XTestGoFiles}}{{.ImportPath}}{{end}}", "./...")
	require.LessOrEqual(t, len(tested), 36)
	root := lines(t, "list", "-f", `{{range .TestGoFiles}}{{.}}{{"\n"}}{{end}}{{range .XTestGoFiles}}{{.}}{{"\n"}}{{end}}`, ".")
	require.LessOrEqual(t, len(root), 15)
	require.Contains(t, root, "example_test.go")
}
