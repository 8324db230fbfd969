package elaborate

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestNoRecover: no attempt of the elaborator is undone by a panic, since nothing in the package recovers from one.
func TestNoRecover(t *testing.T) {
	files, err := fs.Glob(os.DirFS("."), "*.go")
	require.NoError(t, err)
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		require.NoError(t, err)
		ast.Inspect(f, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if ok {
				called, _ := call.Fun.(*ast.Ident)
				require.False(t, called != nil && called.Name == "recover", name)
			}
			return true
		})
	}
}
