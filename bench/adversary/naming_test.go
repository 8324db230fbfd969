package adversary

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram/internal/property"
	"github.com/gram-machine/gram/term"
)

// nameDuals names each dual λ of D(t), those of numerals too: d[d:=λa.u] for λa.u. It is how the duals of numerals were once read.
func nameDuals(d *term.Term) *term.Term {
	for i := range d.Nodes {
		if n := d.Nodes[i]; n.Op == term.LamOp && d.Info(n.X).Linear {
			name := d.NewVar(term.VarInfo{Name: "d", Type: term.AbstractDual})
			lam := d.Lam(n.Pos, n.X, n.A)
			d.Nodes[i] = d.Nodes[d.Let(n.Pos, name, lam, d.Variable(n.Pos, name))]
		}
	}
	return d
}

// withoutAliases substitutes the variables that are bound to a variable: so m does not count their (3) and (4).
func withoutAliases(of *term.Term) *term.Term {
	u := *of
	u.Nodes = slices.Clone(of.Nodes)
	t := &u
	alias := map[term.Var]term.Var{}
	for _, n := range t.Nodes {
		if n.Op == term.LetOp && t.Nodes[n.B].Op == term.VarOp {
			alias[n.X] = t.Nodes[n.B].X
		}
	}
	for i := range t.Nodes {
		for n := &t.Nodes[i]; n.Op == term.LetOp && alias[n.X] != 0; {
			*n = t.Nodes[n.A]
		}
		for n := &t.Nodes[i]; n.Op == term.VarOp && alias[n.X] != 0; {
			n.X = alias[n.X]
		}
	}
	return t
}

// TestFindsNaming: with the duals of numerals named, the search finds by itself that dropping a tuple of them is not O(1); and with an m
// that does not count aliases of inputs, that a chain of them is not. With neither, it finds nothing that grows.
func TestFindsNaming(t *testing.T) {
	searches, programs := map[uint64]hooks{0: {source: withoutAliases}}, 40 // which finds the chain, in a second
	if property.Full() {
		searches, programs = map[uint64]hooks{0: {source: withoutAliases}, 1: {}, 2: {reversed: nameDuals}}, 400
	}
	for seed, h := range searches {
		r, err := Search(t.Context(), Options{Seed: seed, Programs: programs, objectives: Objectives[1:2], hooks: h})
		require.NoError(t, err)
		require.Len(t, r.Findings, 1)
		f := r.Findings[0]
		require.Equal(t, seed != 1, f.Grows, "%s\n%s", f.Text, f.table())
		require.LessOrEqual(t, strings.Count(f.Text, "\n"), 32, "it is reduced: %s", f.Text)
	}
}
