package property

import (
	"slices"

	"pgregory.net/rapid"

	"github.com/gram-machine/gram/term"
)

// linearDrawer makes random terms with linear variables, by the two judgements: plain
// for ⊢ and linear for ⊢_Z. Types are R, R¹, R², R³, the R⊥d to them, and pairs and
// functions of those.
type linearDrawer struct {
	t      Source
	q      *term.Term
	tt     *term.Types
	env    []term.Var // exponential variables, and linear ones that are ordinary
	budget int
}

// Linear makes a closed term of type R or R^d, d up to 3, with about size symbols and
// never more than MaxSize, with dual λs of its own: any term, or a sum in the scope of
// a few that are named and apply those before them, so that one is reached on several
// ways.
func Linear(t *rapid.T, size int) *term.Term {
	for {
		if q := linear(drawn{t}, size, 4); q.Size() <= MaxSize {
			return q
		}
		size = size * 2 / 3
	}
}

// LinearOf is [Linear] of type R by the choices of a source. Its size is not bounded exactly.
func LinearOf(t Source, size int) *term.Term { return linear(t, size, 1) }

// linear makes a term of about size symbols, of one of so many types: R, R¹, R² and so on.
func linear(t Source, size, types int) *term.Term {
	tt := term.NewTypes()
	g := &linearDrawer{t: t, q: term.New(tt), tt: tt, budget: size}
	ty := g.power(g.choose(types))
	if g.choose(3) == 0 {
		g.q.Root = g.plain(ty, 6)
		return g.q
	}
	var duals []term.Ref
	for range 1 + g.choose(4) {
		e := ty
		if g.choose(2) == 0 {
			e = term.R
		}
		a := g.fresh("a", term.R, true)
		g.budget = size / 5
		duals = append(duals, g.q.Lam(0, a, g.linear([]term.Var{a}, e, 4)))
		g.env = append(g.env, g.fresh("y", g.dual(e), false))
	}
	for i := range 1 + g.choose(4) {
		g.budget = size / 5
		summand := g.summand(ty)
		if i == 0 {
			g.q.Root = summand
		} else {
			g.q.Root = g.q.Add(0, g.q.Root, summand)
		}
	}
	for i := len(duals) - 1; i >= 0; i-- {
		g.q.Root = g.q.Let(0, g.env[i], duals[i], g.q.Root)
	}
	return g.q
}

// choose is a number below n. A draw of rapid prefers small numbers, which would be the
// same few forms: a factor spreads it.
func (g *linearDrawer) choose(n int) int {
	return g.t.Int(0, 1<<12-1, "choice") * 1571 % n
}

// power is the vector R^d, for d = 0 the number R.
func (g *linearDrawer) power(d int) term.Type {
	if d == 0 {
		return term.R
	}
	return g.tt.Vec(d, term.R)
}

// dual is R ⊸ e.
func (g *linearDrawer) dual(e term.Type) term.Type {
	d, _ := g.tt.DualTo(e)
	return d
}

func (g *linearDrawer) typ() term.Type {
	switch e := g.power(g.choose(4)); g.choose(7) {
	case 0, 1:
		return e
	case 2, 3, 4:
		return g.dual(e)
	case 5:
		return g.tt.Prod(g.typ(), g.typ())
	}
	return g.tt.Arrow(g.typ(), g.typ())
}

// head makes a dual to e to be applied, a variable if there is one, more often than not.
func (g *linearDrawer) head(e term.Type, depth int) term.Ref {
	ty := g.dual(e)
	if xs := g.variables(ty); len(xs) > 0 && g.choose(4) > 0 {
		return g.q.Variable(0, xs[g.choose(len(xs))])
	}
	return g.plain(ty, depth)
}

func (g *linearDrawer) variables(ty term.Type) []term.Var {
	return slices.DeleteFunc(slices.Clone(g.env), func(x term.Var) bool { return g.q.TypeOf(x) != ty })
}

// summand makes a term of R^d, mostly an application of a dual.
func (g *linearDrawer) summand(ty term.Type) term.Ref {
	if g.choose(3) == 0 {
		return g.plain(ty, 4)
	}
	return g.q.App(0, g.head(ty, 3), g.plain(term.R, 3))
}

// components makes a vector of the type.
func (g *linearDrawer) components(ty term.Type, number func() term.Ref) term.Ref {
	comps := make([]term.Ref, g.tt.Len(ty))
	for i := range comps {
		comps[i] = number()
	}
	return g.q.Vec(0, comps)
}

func (g *linearDrawer) fresh(name string, ty term.Type, linear bool) term.Var {
	return g.q.NewVar(term.VarInfo{Name: name, Type: ty, Linear: linear})
}

func (g *linearDrawer) number() term.Ref {
	return g.q.Num(0, float64(g.t.Int(-4, 4, "number"))/2)
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
	switch g.choose(11) {
	case 0:
		a := g.typ()
		u, x := g.plain(a, d), g.fresh("x", a, false)
		return q.Let(0, x, u, g.with([]term.Var{x}, func() term.Ref { return g.plain(ty, d) }))
	case 8:
		a := g.typ()
		return q.App(0, g.plain(g.tt.Arrow(a, ty), d), g.plain(a, d))
	case 9:
		a, b := g.typ(), g.typ()
		u, xs := g.plain(g.tt.Prod(a, b), d), []term.Var{g.fresh("x", a, false), g.fresh("y", b, false)}
		return q.Unpair(0, xs[0], xs[1], u, g.with(xs, func() term.Ref { return g.plain(ty, d) }))
	case 10:
		return g.fold(ty, d)
	case 1: // t[b:=u] with ⊢ u
		u, b := g.plain(term.R, d), g.fresh("b", term.R, true)
		return q.Let(0, b, u, g.with([]term.Var{b}, func() term.Ref { return g.plain(ty, d) }))
	case 2:
		v := g.power(1 + g.choose(3))
		u := g.plain(v, d)
		var xs []term.Var
		for range g.tt.Len(v) {
			xs = append(xs, g.fresh("x", term.R, false))
		}
		return q.Unvec(0, xs, u, g.with(xs, func() term.Ref { return g.plain(ty, d) }))
	case 3:
		return q.If(0, term.Less, g.plain(term.R, d), g.plain(term.R, d), g.plain(ty, d), g.plain(ty, d))
	case 4:
		return g.leaf(ty)
	}
	switch g.tt.Kind(ty) {
	case term.DualKind:
		a := g.fresh("a", term.R, true)
		return q.Lam(0, a, g.linear([]term.Var{a}, g.tt.Right(ty), d))
	case term.ArrowKind:
		x := g.fresh("x", g.tt.Left(ty), false)
		return q.Lam(0, x, g.with([]term.Var{x}, func() term.Ref { return g.plain(g.tt.Right(ty), d) }))
	case term.ProdKind:
		return q.Pair(0, g.plain(g.tt.Left(ty), d), g.plain(g.tt.Right(ty), d))
	}
	return g.number1(ty, d)
}

// fold iterates on the type, over a numeral or a list.
func (g *linearDrawer) fold(ty term.Type, d int) term.Ref {
	step := g.tt.Arrow(ty, ty)
	var l term.Ref
	if g.choose(2) == 0 {
		l = g.q.Nat(0, uint64(g.choose(4)), ty)
	} else {
		e := g.typ()
		step = g.tt.Arrow(e, step)
		elems := make([]term.Ref, g.choose(4))
		for i := range elems {
			elems[i] = g.plain(e, d-1)
		}
		l = g.q.List(0, e, ty, elems)
	}
	return g.q.App(0, g.q.App(0, l, g.plain(step, d)), g.plain(ty, d))
}

// number1 makes a number or a vector by an operation.
func (g *linearDrawer) number1(ty term.Type, d int) term.Ref {
	q := g.q
	switch g.choose(6) {
	case 0:
		return q.Add(0, g.plain(ty, d), g.plain(ty, d))
	case 1, 4, 5:
		return q.App(0, g.head(ty, d), g.plain(term.R, d))
	case 2:
		if ty == term.R {
			return q.App(0, g.plain(g.tt.Arrow(term.R, term.R), d), g.plain(term.R, d))
		}
	}
	if ty != term.R {
		return g.components(ty, func() term.Ref { return g.plain(term.R, d) })
	}
	return q.Fun(0, term.Mul, g.plain(term.R, d), g.plain(term.R, d))
}

func (g *linearDrawer) leaf(ty term.Type) term.Ref {
	fits := g.variables(ty)
	if len(fits) > 0 && g.choose(4) > 0 {
		return g.q.Variable(0, fits[g.choose(len(fits))])
	}
	switch g.tt.Kind(ty) {
	case term.DualKind:
		a := g.fresh("a", term.R, true)
		return g.q.Lam(0, a, g.linear([]term.Var{a}, g.tt.Right(ty), 0))
	case term.ArrowKind:
		x := g.fresh("x", g.tt.Left(ty), false)
		return g.q.Lam(0, x, g.with([]term.Var{x}, func() term.Ref { return g.leaf(g.tt.Right(ty)) }))
	case term.ProdKind:
		return g.q.Pair(0, g.leaf(g.tt.Left(ty)), g.leaf(g.tt.Right(ty)))
	case term.VecKind:
		return g.components(ty, func() term.Ref { return g.leaf(term.R) })
	}
	return g.number()
}

// linear makes a term of ⊢_Z t : R^d.
func (g *linearDrawer) linear(z []term.Var, ty term.Type, depth int) term.Ref {
	q, d := g.q, depth-1
	if g.budget--; g.budget <= 0 || depth <= 0 {
		return g.linearLeaf(z, ty)
	}
	switch g.choose(11) {
	case 0:
		return g.linearLeaf(z, ty)
	case 1:
		a := g.typ()
		u, x := g.plain(a, d), g.fresh("x", a, false)
		return q.Let(0, x, u, g.with([]term.Var{x}, func() term.Ref { return g.linear(z, ty, d) }))
	case 2: // ⊢_Z u and ⊢_{Z∪b} t
		u, b := g.linear(z, term.R, d), g.fresh("b", term.R, true)
		return q.Let(0, b, u, g.linear(append(z[:len(z):len(z)], b), ty, d))
	case 3: // ⊢ u, and b is an ordinary variable of ⊢_Z t
		u, b := g.plain(term.R, d), g.fresh("b", term.R, true)
		return q.Let(0, b, u, g.with([]term.Var{b}, func() term.Ref { return g.linear(z, ty, d) }))
	case 4:
		if g.choose(2) == 0 {
			return g.match(func() term.Ref { return g.linear(z, ty, d) }, d)
		}
		return q.If(0, term.Less, g.plain(term.R, d), g.plain(term.R, d), g.linear(z, ty, d), g.linear(z, ty, d))
	case 5, 6:
		return q.Add(0, g.linear(z, ty, d), g.linear(z, ty, d))
	case 7, 8, 9:
		return q.App(0, g.head(ty, d), g.linear(z, term.R, d))
	}
	if ty != term.R {
		return g.components(ty, func() term.Ref { return g.linear(z, term.R, d) })
	}
	a, b := g.plain(term.R, d), g.linear(z, term.R, d)
	if g.choose(2) == 0 {
		a, b = b, a
	}
	return q.Fun(0, term.Mul, a, b)
}

// match makes match u with None → … | Some x → … with cases that body makes.
func (g *linearDrawer) match(body func() term.Ref, depth int) term.Ref {
	d, isNew := g.tt.Declare("option", 0)
	if isNew {
		if err := g.tt.Define(d, []term.Constructor{{Name: "None"}, {Name: "Some", Arg: term.R}}); err != nil {
			panic(err) // it is well-formed
		}
	}
	option := g.tt.Instance(d)
	u := g.q.Con(0, option, 0, 0)
	if g.choose(3) > 0 {
		u = g.q.Con(0, option, 1, g.plain(term.R, depth))
	}
	x := g.fresh("x", term.R, false)
	none := term.Branch{Body: body()}
	return g.q.Case(0, option, u, []term.Branch{none, {Vars: []term.Var{x}, Body: g.with([]term.Var{x}, body)}})
}

func (g *linearDrawer) linearLeaf(z []term.Var, ty term.Type) term.Ref {
	if ty != term.R {
		return g.components(ty, func() term.Ref { return g.linearLeaf(z, term.R) })
	}
	if i := g.choose(len(z) + 1); i < len(z) {
		return g.q.Variable(0, z[i])
	}
	return g.q.Num(0, 0)
}
