package profile

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram/lang/syntax"
	"github.com/gram-machine/gram/term"
)

// TestFunctionNames: each place marked by ‹name› in the source stands in the function of that
// name.
func TestFunctionNames(t *testing.T) {
	const marked = `def ‹cell›cell x h =
  let ‹gate›gate = fun y -> sin ‹gate›y in
  let ‹pair›pair (a, b) = ‹pair›a + b in
  ‹cell›gate (pair (x, ‹fun at 4:18›fun z -> ‹fun at 4:18›z)) + ‹cell›h
def ‹id›id = fun x -> ‹id›x
‹foldl›foldl (fun ‹fun at 6:8›s y -> ‹fun at 6:8›s) 0 (‹map›map id [1]) + (‹lin at 6:40›lin a -> ‹lin at 6:40›a) ‹program›1
`
	var source strings.Builder
	type mark struct {
		at   int
		name string
	}
	var marks []mark
	for i, part := range strings.Split(marked, "‹") {
		if name, text, ok := strings.Cut(part, "›"); ok && i > 0 {
			marks = append(marks, mark{source.Len(), name})
			part = text
		}
		source.WriteString(part)
	}
	f, diagnostics, err := syntax.Parse("names.gram", []byte(source.String()), syntax.Options{})
	require.NoError(t, err)
	require.Empty(t, diagnostics)
	names := newFunctionNames(f)
	for _, m := range marks {
		require.Equal(t, m.name, names.at(term.Pos(m.at)+1).name, "at %q", source.String()[m.at:])
	}
	require.Equal(t, programFunction, names.at(0))
}

// TestLetNames: what lets bind to other values than functions has the names of both.
func TestLetNames(t *testing.T) {
	const source = "def f x =\n  let (a, _) = (x, fun y -> y) in\n  let b = let c = a + 1 in sin c in\n  b\nlet d = f 2 in d"
	file, _, err := syntax.Parse("names.gram", []byte(source), syntax.Options{})
	require.NoError(t, err)
	names := newFunctionNames(file)
	for text, want := range map[string]string{"(x, fun": "f.(a, _)", "a + 1": "f.c", "sin c": "f.b", "f 2": "program.d", "y) in": "", "b\nlet": "", "x =": ""} {
		let, ok := names.letAt(term.Pos(strings.Index(source, text)) + 1)
		require.Equal(t, want != "", ok, text)
		if ok {
			require.Equal(t, want, let.name)
		}
	}
	_, ok := names.letAt(0)
	require.False(t, ok)
}

// TestFunctionNamesOfOwn: a name of the prelude that the program binds is no function of the
// prelude's.
func TestFunctionNamesOfOwn(t *testing.T) {
	const source = "def fold x = x\nlet map = fun (rev, y) -> rev in fold (map (1, 2))"
	f, _, err := syntax.Parse("names.gram", []byte(source), syntax.Options{})
	require.NoError(t, err)
	require.Empty(t, newFunctionNames(f).library)
}
