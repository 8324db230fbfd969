package lsp

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram/lang/syntax"
)

// TestScopeOfBroken asks for the names in scope at each place of programs that are being written.
func TestScopeOfBroken(t *testing.T) {
	for _, src := range []string{
		"let in x", "let = 1 in x", "let rec in x", "let rec f = in f", "let rec and g x = 1 in g", "match x with",
		"match x with | -> 1", "match x with | Leaf y -> y | Node (a", "fun -> x", "lin -> a", "vec < 3 -> x",
		"scan i < 3 with = 1 -> x", "scan i < n with (a = 1 -> 2", "def f (x, = x\nf", "if x < then x else",
	} {
		for end := range len(src) + 1 {
			f, _, err := syntax.Parse("t", []byte(src[:end]), syntax.Options{})
			require.NoError(t, err)
			for off := range end + 1 {
				require.NotPanics(t, func() { scope(f, uint32(off)) }, src[:end])
			}
		}
	}
	f, _, _ := syntax.Parse("t", []byte("let f a = a + 1 in match f 2 with | Leaf y -> sum i < 3 -> "), syntax.Options{})
	var names []string
	for _, n := range scope(f, f.Own().End) {
		names = append(names, n.text)
	}
	require.Equal(t, []string{"f", "y", "i"}, names)
}
