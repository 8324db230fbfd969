package revgrad

import (
	"fmt"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram/term"
)

// tree is a balanced tree of binary symbols.
func tree(q *term.Term, depth int, leaf func() term.Ref) term.Ref {
	if depth == 0 {
		return leaf()
	}
	return q.Fun(0, term.Div, tree(q, depth-1, leaf), tree(q, depth-1, leaf))
}

// TestConstantsAreReached: the constants of the lemmas on sizes are the least whole ones:
// trees of binary symbols come close to those of |D(t)| and |Fwd(G)|, with numerals and with
// variables for leaves, nests of unary symbols to that of |bp(G)|.
func TestConstantsAreReached(t *testing.T) {
	q := term.New(term.NewTypes())
	q.Root = tree(q, 9, func() term.Ref { return q.Num(0, 2) })
	d, err := Reverse(q, nil)
	require.NoError(t, err)
	require.Greater(t, d.Size(), (reverseConstant-1)*q.Size())
	q = term.New(term.NewTypes())
	x := q.NewVar(term.VarInfo{Name: "x", Type: term.R})
	q.Root = tree(q, 9, func() term.Ref { return q.Variable(0, x) })
	fwd, err := Forward(q, []term.Var{x}, nil)
	require.NoError(t, err)
	require.Greater(t, fwd.Size(), (forwardConstant-1)*q.Size())

	q = term.New(term.NewTypes())
	x = q.NewVar(term.VarInfo{Name: "x", Type: term.R})
	q.Root = q.Variable(0, x)
	for range 500 {
		q.Root = q.Fun(0, term.Sin, q.Root)
	}
	bp, _, err := BP(q, []term.Var{x}, nil)
	require.NoError(t, err)
	require.Greater(t, bp.Size(), (bpConstant-1)*q.Size())
	notes, err := os.ReadFile("../docs/paper-notes.md")
	require.NoError(t, err)
	require.Contains(t, string(notes), fmt.Sprintf("comes to %.2f for D, %.2f for Fwd and %.2f for **bp**",
		float64(d.Size())/1023, float64(fwd.Size())/1023, float64(bp.Size())/501))
}
