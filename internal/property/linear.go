package property

import (
	"slices"

	"pgregory.net/rapid"

	"github.com/gram-machine/gram/term"
)

// Linear makes a closed term of type R or R^d, d up to 3, with about size symbols and never more than MaxSize, with
// dual λs of its own: any term, or a sum in the scope of a few that are named and apply those before them, so that
// one is reached on several ways. Its operations map rationals to rationals.
func Linear(t *rapid.T, size int) *term.Term {
	for {
		if q := linear(drawn{t}, size, 4, Options{duals: true}); q.Size() <= MaxSize {
			return q
		}
		size = size * 2 / 3
	}
}

// LinearOf is [Linear] of type R by the choices of a source. Its size is not bounded exactly. It can be written in the
// language, where t[b:=u] binds a linear variable only if u has one.
func LinearOf(t Source, size int) *term.Term {
	return linear(t, size, 1, Options{duals: true, written: true})
}

// linear makes a term of about size symbols, of one of so many types: R, R¹, R² and so on. It is made by the two
// judgements: [generator.term] for ⊢ and [generator.linear] for ⊢_Z.
func linear(t Source, size, types int, opt Options) *term.Term {
	tt := term.NewTypes()
	g := &generator{t: t, q: term.New(tt), tt: tt, opt: opt, budget: size}
	g.declare()
	ty := g.power(g.choose(types, "type"))
	if g.choose(3, "any term") == 0 {
		g.q.Root = g.term(ty, 6)
		return g.q
	}
	var duals []term.Ref
	for range 1 + g.choose(4, "duals") {
		e := ty
		if g.choose(2, "to a number") == 0 {
			e = term.R
		}
		g.budget = size / 5
		duals = append(duals, g.dualLam(g.dual(e), 4))
		g.env = append(g.env, g.fresh(g.dual(e)))
	}
	for range 1 + g.choose(4, "summands") {
		g.budget = size / 5
		summand := g.summand(ty)
		g.q.Root = g.q.Plus(g.pos(), g.q.Root, summand)
	}
	for i, u := range slices.Backward(duals) {
		g.q.Root = g.q.Let(g.pos(), g.env[i], u, g.q.Root)
	}
	return g.q
}

// power is the vector R^d, for d = 0 the number R.
func (g *generator) power(d int) term.Type {
	if d == 0 {
		return term.R
	}
	return g.tt.Vec(d, term.R)
}

// dual is R ⊸ e.
func (g *generator) dual(e term.Type) term.Type {
	d, _ := g.tt.DualTo(e)
	return d
}

// numberOrDual draws R, a vector of numbers, or a dual to one of these.
func (g *generator) numberOrDual() term.Type {
	e := g.power(g.choose(4, "dimension"))
	if g.choose(5, "dual") < 3 {
		return g.dual(e)
	}
	return e
}

func (g *generator) linearVar() term.Var {
	return g.q.NewVar(term.VarInfo{Name: "a", Type: term.R, Linear: true, Pos: g.pos()})
}

// dualLam makes a dual λ of the type.
func (g *generator) dualLam(ty term.Type, depth int) term.Ref {
	a := g.linearVar()
	return g.q.Lam(g.pos(), a, g.linear([]term.Var{a}, g.tt.Right(ty), depth))
}

// dualTerm makes a dual λ, the application of a dual or a sum, if the type is that of one; otherwise or now and then it
// returns 0.
func (g *generator) dualTerm(ty term.Type, depth int) term.Ref {
	switch kind := g.tt.Kind(ty); {
	case kind == term.DualKind:
		return g.dualLam(ty, depth-1)
	case ty != term.R && (kind != term.VecKind || g.tt.Left(ty) != term.R):
		return 0
	}
	switch g.choose(6, "of duals") {
	case 0:
		return g.q.Add(g.pos(), g.term(ty, depth-1), g.term(ty, depth-1))
	case 1, 2, 3:
		return g.q.App(g.pos(), g.head(ty, depth-1), g.term(term.R, depth-1))
	}
	return 0
}

// head makes a dual to e to be applied, a variable if there is one, more often than not.
func (g *generator) head(e term.Type, depth int) term.Ref {
	ty := g.dual(e)
	if xs := g.variables(ty); len(xs) > 0 && g.choose(4, "a variable") > 0 {
		return g.q.Variable(g.pos(), xs[g.choose(len(xs), "variable")])
	}
	return g.term(ty, depth)
}

// summand makes a term of R^d, mostly an application of a dual.
func (g *generator) summand(ty term.Type) term.Ref {
	if g.choose(3, "summand") == 0 {
		return g.term(ty, 4)
	}
	return g.q.App(g.pos(), g.head(ty, 3), g.term(term.R, 3))
}

// components makes a vector of the type.
func (g *generator) components(ty term.Type, number func() term.Ref) term.Ref {
	comps := make([]term.Ref, g.tt.Len(ty))
	for i := range comps {
		comps[i] = number()
	}
	return g.q.Vec(g.pos(), comps)
}

// linear makes a term of ⊢_Z t : R^d.
func (g *generator) linear(z []term.Var, ty term.Type, depth int) term.Ref {
	q, d := g.q, depth-1
	if g.budget--; g.budget <= 0 || depth <= 0 {
		return g.linearLeaf(z, ty)
	}
	below := func() term.Ref { return g.linear(z, ty, d) }
	switch g.choose(11, "linear form") {
	case 0:
		return g.linearLeaf(z, ty)
	case 1:
		a := g.typ(2)
		u, x := g.term(a, d), g.fresh(a)
		return q.Let(g.pos(), x, u, g.with([]term.Var{x}, below))
	case 2: // ⊢_Z u and ⊢_{Z∪b} t
		start := len(q.Nodes)
		u, b := g.linear(z, term.R, d), g.linearVar()
		if g.opt.written && !slices.ContainsFunc(q.Nodes[start:], func(n term.Node) bool { return slices.Contains(z, n.X) }) {
			return below()
		}
		return q.Let(g.pos(), b, u, g.linear(append(z[:len(z):len(z)], b), ty, d))
	case 3: // ⊢ u, and b is an ordinary variable of ⊢_Z t
		if g.opt.written {
			return below()
		}
		u, b := g.term(term.R, d), g.linearVar()
		return q.Let(g.pos(), b, u, g.with([]term.Var{b}, below))
	case 4:
		if g.choose(2, "match") == 0 {
			option := g.tt.Instance(g.option, term.R)
			return g.match(g.construct(option, d), option, ty, d, func(int, []term.Var) term.Ref { return below() })
		}
		return q.If(g.pos(), term.Less, g.term(term.R, d), g.term(term.R, d), below(), below())
	case 5, 6:
		return q.Add(g.pos(), below(), below())
	case 7, 8, 9:
		return q.App(g.pos(), g.head(ty, d), g.linear(z, term.R, d))
	}
	if ty != term.R {
		return g.components(ty, func() term.Ref { return g.linear(z, term.R, d) })
	}
	a, b := g.term(term.R, d), g.linear(z, term.R, d)
	if g.choose(2, "on the right") == 0 {
		a, b = b, a
	}
	return q.Fun(g.pos(), term.Mul, a, b)
}

func (g *generator) linearLeaf(z []term.Var, ty term.Type) term.Ref {
	if ty != term.R {
		return g.components(ty, func() term.Ref { return g.linearLeaf(z, term.R) })
	}
	if i := g.choose(len(z)+1, "linear leaf"); i < len(z) {
		return g.q.Variable(g.pos(), z[i])
	}
	return g.q.Num(g.pos(), 0)
}

// declare declares the inductive types of random programs.
func (g *generator) declare() {
	tt := g.tt
	define := func(d term.Inductive, cons ...term.Constructor) {
		if err := tt.Define(d, cons); err != nil {
			panic(err)
		}
	}
	tree, _ := tt.Declare("tree", 0)
	g.tree = tt.Instance(tree)
	g.stream, _ = tt.Declare("stream", 1)
	g.option, _ = tt.Declare("option", 1)
	a := tt.Param(0)
	define(tree, term.Constructor{Name: "Leaf", Arg: term.R}, term.Constructor{Name: "Node", Arg: tt.Prod(g.tree, g.tree)})
	define(g.stream, term.Constructor{Name: "Nil"}, term.Constructor{Name: "Cons",
		Arg: tt.Prod(a, tt.Instance(g.stream, a))})
	define(g.option, term.Constructor{Name: "None"}, term.Constructor{Name: "Some", Arg: a})
}

// inductive draws an inductive type.
func (g *generator) inductive(depth int) term.Type {
	switch g.choose(3, "inductive") {
	case 0:
		return g.tree
	case 1:
		return g.tt.Instance(g.stream, g.typ(depth))
	}
	return g.tt.Instance(g.option, g.typ(depth))
}

// construct makes a value of an inductive type: with little depth by its first constructor, which is not recursive.
func (g *generator) construct(ty term.Type, depth int) term.Ref {
	i := 0
	if depth > 0 && g.budget > 0 {
		i = g.choose(2, "constructor")
	}
	arg := g.tt.Constructors(ty)[i].Arg
	if arg == 0 {
		return g.q.Con(g.pos(), ty, i, 0)
	}
	return g.q.Con(g.pos(), ty, i, g.term(arg, depth-1))
}

// match makes match u with …, of the type ty. body makes the body of each branch, whose variables are in scope; nil:
// any.
func (g *generator) match(u term.Ref, of, ty term.Type, depth int,
	body func(con int, xs []term.Var) term.Ref) term.Ref {
	var branches []term.Branch
	for i, con := range g.tt.Constructors(of) {
		b := term.Branch{Pos: g.pos()}
		switch {
		case con.Arg == 0:
		case g.tt.Kind(con.Arg) == term.ProdKind && (body != nil || g.choose(2, "opened") == 0):
			b.Vars = []term.Var{g.fresh(g.tt.Left(con.Arg)), g.fresh(g.tt.Right(con.Arg))}
		default:
			b.Vars = []term.Var{g.fresh(con.Arg)}
		}
		b.Body = g.with(b.Vars, func() term.Ref {
			if body != nil {
				return body(i, b.Vars)
			}
			return g.term(ty, depth-1)
		})
		branches = append(branches, b)
	}
	return g.q.Case(g.pos(), of, u, branches)
}

// recursion applies a function that is recursive in a tree or a stream, and so ends: it calls itself, or another that
// is defined with it, on the parts of its argument alone. Some have a second argument, which calls in the tail
// change.
func (g *generator) recursion(ty term.Type, depth int) term.Ref {
	of := g.tree
	if g.choose(2, "over a stream") == 0 {
		of = g.tt.Instance(g.stream, g.typ(1))
	}
	fs := make([]term.Var, 1+g.choose(4, "together")/3)
	accumulates := g.choose(3, "accumulates") == 0
	result := ty
	if accumulates {
		result = g.tt.Arrow(ty, ty)
	}
	for i := range fs {
		fs[i] = g.fresh(g.tt.Arrow(of, result))
	}
	lams := make([]term.Ref, len(fs))
	for i := range lams {
		lams[i] = g.recursive(fs, of, ty, accumulates, depth)
	}
	f := g.q.Fix(g.pos(), fs, lams, g.choose(len(fs), "member"))
	if g.choose(3, "named") == 0 { // used twice, where it accumulates partially applied
		x := g.fresh(g.q.TypeOf(fs[0]))
		call := func() term.Ref {
			r := g.q.App(g.pos(), g.q.Variable(g.pos(), x), g.term(of, depth-1))
			if accumulates {
				r = g.q.App(g.pos(), r, g.term(ty, depth-2))
			}
			return r
		}
		first := g.fresh(ty)
		u := call()
		body := g.with([]term.Var{first}, func() term.Ref { return g.q.Let(g.pos(), first, u, call()) })
		return g.q.Let(g.pos(), x, f, body)
	}
	r := g.q.App(g.pos(), f, g.term(of, depth-1))
	switch {
	case !accumulates:
		return r
	case g.choose(2, "partially") == 0:
		h := g.fresh(result)
		return g.q.Let(g.pos(), h, r, g.q.App(g.pos(), g.q.Variable(g.pos(), h), g.term(ty, depth-2)))
	}
	return g.q.App(g.pos(), r, g.term(ty, depth-2))
}

// recursive makes one of the functions fs.
func (g *generator) recursive(fs []term.Var, of, ty term.Type, accumulates bool, depth int) term.Ref {
	t := g.fresh(of)
	params := []term.Var{t}
	if accumulates {
		params = append(params, g.fresh(ty))
	}
	call := func(x term.Var) term.Ref {
		f := fs[g.choose(len(fs), "function")]
		r := g.q.App(g.pos(), g.q.Variable(g.pos(), f), g.q.Variable(g.pos(), x))
		if accumulates {
			r = g.q.App(g.pos(), r, g.term(ty, depth-2))
		}
		return r
	}
	branch := func(con int, xs []term.Var) term.Ref {
		if con == 0 {
			return g.term(ty, depth-2)
		}
		last := len(xs) - 1
		if accumulates || g.choose(4, "tail call") == 0 {
			return call(xs[last])
		}
		var lets []term.Var
		var calls []term.Ref
		for _, x := range xs {
			if g.q.TypeOf(x) == of {
				calls = append(calls, call(x))
				lets = append(lets, g.fresh(ty))
			}
		}
		r := g.scoped(lets, ty, depth-2)
		for i, x := range lets {
			r = g.q.Let(g.pos(), x, calls[i], r)
		}
		return r
	}
	body := g.with(params[1:], func() term.Ref {
		return g.match(g.q.Variable(g.pos(), t), of, ty, depth, branch)
	})
	for i := len(params) - 1; i >= 0; i-- {
		body = g.q.Lam(g.pos(), params[i], body)
	}
	return body
}
