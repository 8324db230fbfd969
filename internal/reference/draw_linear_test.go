package reference_test

import (
	"slices"

	"pgregory.net/rapid"

	"github.com/gram-machine/gram/internal/denote"
	"github.com/gram-machine/gram/internal/reference"
	"github.com/gram-machine/gram/term"
)

// linearDrawer makes random terms with linear variables, by the two judgements: plain
// for ⊢ and linear for ⊢_Z. Types are R, R², R⊥1, R⊥2 and R→R.
type linearDrawer struct {
	t      *rapid.T
	q      *term.Term
	tt     *term.Types
	env    []term.Var // exponential variables, and linear ones that are ordinary
	budget int
}

// drawLinear makes a closed program of type R or R².
func drawLinear(t *rapid.T) run {
	tt := term.NewTypes()
	g := &linearDrawer{t: t, q: term.New(tt), tt: tt, budget: rapid.IntRange(3, 40).Draw(t, "size")}
	g.q.Root = g.plain(g.power(1+g.choose(2)), 6)
	r := run{subject: subject{t: g.q}, name: rapid.SampledFrom(strategyNames).Draw(t, "strategy")}
	r.strategy = strategies(rapid.Uint64().Draw(t, "seed"))[r.name]
	r.Start = reference.Convert(g.q, denote.Rationals{}).ValueStart(nil, nil).Named()
	return r
}

func (g *linearDrawer) choose(n int) int { return rapid.IntRange(0, n-1).Draw(g.t, "choice") }

// power is R^d, for d of 1 or 2.
func (g *linearDrawer) power(d int) term.Type {
	if d == 1 {
		return term.R
	}
	return g.tt.Prod(term.R, term.R)
}

func (g *linearDrawer) typ() term.Type {
	return []term.Type{term.R, g.power(2), g.tt.Dual(1), g.tt.Dual(2), g.tt.Arrow(term.R, term.R)}[g.choose(5)]
}

func (g *linearDrawer) fresh(name string, ty term.Type, linear bool) term.Var {
	return g.q.NewVar(term.VarInfo{Name: name, Type: ty, Linear: linear})
}

func (g *linearDrawer) number() term.Ref {
	return g.q.Num(0, float64(rapid.IntRange(-4, 4).Draw(g.t, "number"))/2)
}

// with makes a term with xs in the environment.
func (g *linearDrawer) with(xs []term.Var, f func() term.Ref) term.Ref {
	n := len(g.env)
	g.env = append(g.env, xs...)
	r := f()
	g.env = g.env[:n]
	return r
}

// plain makes a term of ⊢ t : A.
func (g *linearDrawer) plain(ty term.Type, depth int) term.Ref {
	q, d := g.q, depth-1
	if g.budget--; g.budget <= 0 || depth <= 0 {
		return g.leaf(ty)
	}
	switch g.choose(8) {
	case 0:
		a := g.typ()
		u, x := g.plain(a, d), g.fresh("x", a, false)
		return q.Let(0, x, u, g.with([]term.Var{x}, func() term.Ref { return g.plain(ty, d) }))
	case 1: // t[b:=u] with ⊢ u
		u, b := g.plain(term.R, d), g.fresh("b", term.R, true)
		return q.Let(0, b, u, g.with([]term.Var{b}, func() term.Ref { return g.plain(ty, d) }))
	case 2:
		u := g.plain(g.power(2), d)
		xs := []term.Var{g.fresh("x", term.R, false), g.fresh("y", term.R, false)}
		return q.Unpair(0, xs[0], xs[1], u, g.with(xs, func() term.Ref { return g.plain(ty, d) }))
	case 3:
		return q.If(0, term.Less, g.plain(term.R, d), g.plain(term.R, d), g.plain(ty, d), g.plain(ty, d))
	case 4:
		return g.leaf(ty)
	}
	switch g.tt.Kind(ty) {
	case term.DualKind:
		a := g.fresh("a", term.R, true)
		return q.Lam(0, a, g.linear([]term.Var{a}, g.tt.Len(ty), d))
	case term.ArrowKind:
		x := g.fresh("x", term.R, false)
		return q.Lam(0, x, g.with([]term.Var{x}, func() term.Ref { return g.plain(term.R, d) }))
	}
	return g.number1(ty, d)
}

// number1 makes a term of type R or R² by an operation.
func (g *linearDrawer) number1(ty term.Type, d int) term.Ref {
	q, dim := g.q, 1
	if ty != term.R {
		dim = 2
	}
	switch g.choose(4) {
	case 0:
		return q.Add(0, g.plain(ty, d), g.plain(ty, d))
	case 1:
		return q.App(0, g.plain(g.tt.Dual(dim), d), g.plain(term.R, d))
	case 2:
		if dim == 1 {
			return q.App(0, g.plain(g.tt.Arrow(term.R, term.R), d), g.plain(term.R, d))
		}
	}
	if dim == 2 {
		return q.Pair(0, g.plain(term.R, d), g.plain(term.R, d))
	}
	return q.Fun(0, term.Mul, g.plain(term.R, d), g.plain(term.R, d))
}

func (g *linearDrawer) leaf(ty term.Type) term.Ref {
	fits := slices.DeleteFunc(slices.Clone(g.env), func(x term.Var) bool { return g.q.Vars[x].Type != ty })
	if len(fits) > 0 && g.choose(4) > 0 {
		return g.q.Variable(0, fits[g.choose(len(fits))])
	}
	switch g.tt.Kind(ty) {
	case term.DualKind:
		a := g.fresh("a", term.R, true)
		return g.q.Lam(0, a, g.linear([]term.Var{a}, g.tt.Len(ty), 0))
	case term.ArrowKind:
		x := g.fresh("x", term.R, false)
		return g.q.Lam(0, x, g.with([]term.Var{x}, func() term.Ref { return g.leaf(term.R) }))
	case term.ProdKind:
		return g.q.Pair(0, g.leaf(term.R), g.leaf(term.R))
	}
	return g.number()
}

// linear makes a term of ⊢_Z t : R^d.
func (g *linearDrawer) linear(z []term.Var, dim, depth int) term.Ref {
	q, d := g.q, depth-1
	if g.budget--; g.budget <= 0 || depth <= 0 {
		return g.linearLeaf(z, dim)
	}
	switch g.choose(9) {
	case 0:
		return g.linearLeaf(z, dim)
	case 1:
		a := g.typ()
		u, x := g.plain(a, d), g.fresh("x", a, false)
		return q.Let(0, x, u, g.with([]term.Var{x}, func() term.Ref { return g.linear(z, dim, d) }))
	case 2: // ⊢_Z u and ⊢_{Z∪b} t
		u, b := g.linear(z, 1, d), g.fresh("b", term.R, true)
		return q.Let(0, b, u, g.linear(append(z[:len(z):len(z)], b), dim, d))
	case 3: // ⊢ u, and b is an ordinary variable of ⊢_Z t
		u, b := g.plain(term.R, d), g.fresh("b", term.R, true)
		return q.Let(0, b, u, g.with([]term.Var{b}, func() term.Ref { return g.linear(z, dim, d) }))
	case 4:
		return q.If(0, term.Less, g.plain(term.R, d), g.plain(term.R, d), g.linear(z, dim, d), g.linear(z, dim, d))
	case 5, 6:
		return q.Add(0, g.linear(z, dim, d), g.linear(z, dim, d))
	case 7:
		return q.App(0, g.plain(g.tt.Dual(dim), d), g.linear(z, 1, d))
	}
	if dim == 2 {
		return q.Pair(0, g.linear(z, 1, d), g.linear(z, 1, d))
	}
	a, b := g.plain(term.R, d), g.linear(z, 1, d)
	if g.choose(2) == 0 {
		a, b = b, a
	}
	return q.Fun(0, term.Mul, a, b)
}

func (g *linearDrawer) linearLeaf(z []term.Var, dim int) term.Ref {
	if dim == 2 {
		return g.q.Pair(0, g.linearLeaf(z, 1), g.linearLeaf(z, 1))
	}
	if i := g.choose(len(z) + 1); i < len(z) {
		return g.q.Variable(0, z[i])
	}
	return g.q.Num(0, 0)
}
