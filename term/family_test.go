package term_test

import (
	"testing"

	"github.com/gram-machine/gram/internal/property"
	"github.com/gram-machine/gram/term"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// TestPropertyExpand: the type, the size and the free variables of a term with families are those of its expansion.
func TestPropertyExpand(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		p := property.Families(t, property.Options{Vector: rapid.Bool().Draw(t, "vector")})
		want, err := p.Term.Check()
		require.NoError(t, err, "%s", p.Term)
		e, err := p.Term.Expand(nil, nil)
		require.NoError(t, err)
		if e != p.Term {
			require.LessOrEqual(t, float64(len(e.Nodes)-1+e.NumVars()), p.Term.ExpandedSize())
		}
		require.False(t, e.Families())
		got, err := e.Check()
		require.NoError(t, err, "%s\n%s", p.Term, e)
		require.Equal(t, want, got)
		require.Equal(t, e.Size(), p.Term.Size(), "%s\n%s", p.Term, e)
		require.Equal(t, e.FreeVars(), p.Term.FreeVars(), "%s\n%s", p.Term, e)
	})
}

// TestExpand prints the expansion of each kind of comprehension.
func TestExpand(t *testing.T) {
	q := term.New(term.NewTypes())
	x := q.NewVar(term.VarInfo{Name: "x0", Type: term.R})
	q.NewVar(term.VarInfo{Name: "x1", Type: term.R})
	num := func(n float64) term.Static { return q.Static(term.StaticNode{Op: term.StaticNum, Val: n}) }
	i := q.NewIndex(term.IndexInfo{Name: "i"})
	j := q.NewIndex(term.IndexInfo{Name: "j"})
	ei := q.Static(term.StaticNode{Op: term.StaticIndex, Index: i})
	ej := q.Static(term.StaticNode{Op: term.StaticIndex, Index: j})
	two := num(2)
	minus := q.Static(term.StaticNode{Op: term.StaticSub, A: num(1), B: ei})
	half := q.Static(term.StaticNode{Op: term.StaticDiv, A: ej, B: two})
	sum := q.Sum(1, j, q.Static(term.StaticNode{Op: term.StaticMul, A: ei, B: two}),
		q.Fun(1, term.Mul, q.Component(1, x, 2, minus), q.IndexNum(1, half)))
	q.Root = q.Family(1, i, two, sum)
	require.Equal(t, "⟦Σ(j < (i * 2)) x0[(1 - i)]·(j / 2) | i < 2⟧", q.String())
	e, err := q.Expand(nil, nil)
	require.NoError(t, err)
	require.Equal(t, "⟦0, x0·0 + x0·0.5⟧", e.String())
	same, err := e.Expand(nil, nil)
	require.NoError(t, err)
	require.Same(t, e, same)
}

// TestFamilyErrors holds what the checker says of wrong families.
func TestFamilyErrors(t *testing.T) {
	for want, build := range map[string]func(q *term.Term, x term.Var, i term.Index, n func(float64) term.Static) term.Ref{
		"there is no component 2 of 2": func(q *term.Term, x term.Var, i term.Index, n func(float64) term.Static) term.Ref {
			e := q.Static(term.StaticNode{Op: term.StaticIndex, Index: i})
			return q.Family(1, i, n(3), q.Component(1, x, 2, e))
		},
		"the bound of an index is 0": func(q *term.Term, x term.Var, i term.Index, n func(float64) term.Static) term.Ref {
			return q.Family(1, i, n(0), q.Num(1, 1))
		},
		"the bound of an index is 0.5": func(q *term.Term, x term.Var, i term.Index, n func(float64) term.Static) term.Ref {
			return q.Sum(1, i, n(0.5), q.Num(1, 1))
		},
		"f is not a component beside x": func(q *term.Term, x term.Var, i term.Index, n func(float64) term.Static) term.Ref {
			return q.Component(1, x, 3, n(0))
		},
		"Σ takes numbers, not R -> R": func(q *term.Term, x term.Var, i term.Index, n func(float64) term.Static) term.Ref {
			return q.Sum(1, i, n(2), q.Variable(1, x+2))
		},
		"an element of the list has type R, not R * R": func(q *term.Term, x term.Var, i term.Index, n func(float64) term.Static) term.Ref {
			return q.ListFamily(1, i, n(2), q.Types.Prod(term.R, term.R), term.R, q.Num(1, 1))
		},
	} {
		q := term.New(term.NewTypes())
		x := q.NewVar(term.VarInfo{Name: "x", Type: term.R})
		q.NewVar(term.VarInfo{Name: "y", Type: term.R})
		q.NewVar(term.VarInfo{Name: "f", Type: q.Types.Arrow(term.R, term.R)})
		i := q.NewIndex(term.IndexInfo{Name: "i"})
		q.Root = build(q, x, i, func(n float64) term.Static { return q.Static(term.StaticNode{Op: term.StaticNum, Val: n}) })
		_, err := q.Check()
		require.EqualError(t, err, want, want)
	}
}
