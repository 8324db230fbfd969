package property

import "github.com/gram-machine/gram/term"

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
