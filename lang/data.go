package lang

import (
	"cmp"
	"slices"

	"github.com/gram-machine/gram/lang/core"
	"github.com/gram-machine/gram/lang/load"
	"github.com/gram-machine/gram/lang/syntax"
	"github.com/gram-machine/gram/term"
)

// dataRef makes an occurrence of data. A list whose elements are not numbers or vectors of numbers is λf.xs (λv.f e),
// where xs is the list of the elements' numbers, and e the element with those of v.
func (l *lowering) dataRef(n *core.Node) term.Ref {
	elem, res := l.results(n)
	if !l.regrouped(n) {
		return l.t.DataRef(n.Pos, int(n.X), elem, res)
	}
	t, tt := l.t, l.t.Types
	f := t.NewVar(term.VarInfo{Name: "f", Type: tt.Arrow(elem, tt.Arrow(res, res)), Pos: n.Pos})
	return t.Lam(n.Pos, f, l.applied(n, t.Variable(n.Pos, f)))
}

// regrouped reports whether a node is data with elements that are not numbers or vectors of numbers.
func (l *lowering) regrouped(n *core.Node) bool {
	if n.Op != core.DataOp {
		return false
	}
	s := l.p.Data[n.X].Shape
	return s.Kind == load.List && !s.Equal(s.Flat())
}

// applied is xs (λv.f e), as in [lowering.dataRef]. For f = λx.λy…t it is xs (λv.λy…t[x:=e]), which can run as a loop.
func (l *lowering) applied(n *core.Node, f term.Ref) term.Ref {
	t, s := l.t, l.p.Data[n.X].Shape.A
	_, res := l.results(n)
	v := t.NewVar(term.VarInfo{Name: "v", Type: l.row(s), Pos: n.Pos})
	e := l.grouped(n.Pos, l.p.Types.At(n.Type).A, s, t.Variable(n.Pos, v))
	var lams []term.Node
	body := f
	for ; t.Nodes[body].Op == term.LamOp; body = t.Nodes[body].A {
		lams = append(lams, t.Nodes[body])
	}
	if len(lams) == 0 {
		body = t.App(n.Pos, f, e)
	} else {
		body = t.Let(lams[0].Pos, lams[0].X, e, body)
		for _, lam := range slices.Backward(lams[1:]) {
			body = t.Lam(lam.Pos, lam.X, body)
		}
	}
	return t.App(n.Pos, t.DataRef(n.Pos, int(n.X), l.row(s), res), t.Lam(n.Pos, v, body))
}

// row returns the type of the numbers of a shape, R^k.
func (l *lowering) row(s *load.Shape) term.Type { return l.t.Types.Vec(s.Width(), term.R) }

// grouped makes a value of shape s and type t of a vector of its numbers.
func (l *lowering) grouped(pos term.Pos, t core.Type, s *load.Shape, numbers term.Ref) term.Ref {
	l.room(s.Width())
	first := l.t.NewVars(s.Width(), term.VarInfo{Type: term.R, Pos: pos})
	value := l.scalars(pos, first, s.Width(), t, l.p.Static.Number(0))
	return l.t.UnvecFrom(pos, first, s.Width(), numbers, value)
}

// literal makes the term of data of a tagged shape, of type t. It nests as deep as the data.
func (l *lowering) literal(x *load.Variable, t core.Type, pos term.Pos) term.Ref {
	// A part is what is still to be made of a shape; if it has been begun, its values are there already. tag is the
	// constructor or the length of a list.
	type part struct {
		s     *load.Shape
		t     core.Type
		tag   int
		begun bool
	}
	stack := []part{{s: x.Shape, t: t}}
	var out []term.Ref
	tags, numbers := x.Value.Tags, x.Value.Data
	for len(stack) > 0 {
		l.p.Tick()
		p := &stack[len(stack)-1]
		s, k, n := p.s, len(out), l.p.Types.At(p.t)
		if p.begun || s.Kind == load.Real {
			stack = stack[:len(stack)-1]
		}
		switch {
		case s.Kind == load.Real:
			out = append(out, l.t.Num(pos, numbers[0]))
			numbers = numbers[1:]
		case s.Kind == load.Inductive && !p.begun:
			p.tag, p.begun, tags = tags[0], true, tags[1:]
			if arg := s.Cons[p.tag].Arg; arg != nil {
				stack = append(stack, part{s: arg, t: l.p.Types.ShapeType(arg)})
			} else {
				out = append(out, 0)
			}
		case s.Kind == load.Inductive:
			out[k-1] = l.t.Con(pos, l.typ(p.t), p.tag, out[k-1])
		case s.Kind == load.Product && !p.begun:
			p.begun = true
			stack = append(stack, part{s: s.B, t: n.B}, part{s: s.A, t: n.A})
		case s.Kind == load.Product:
			out = append(out[:k-2], l.t.Pair(pos, out[k-2], out[k-1]))
		case !p.begun:
			p.begun, p.tag = true, s.Size
			elem := n.A
			if s.Kind == load.List {
				elem, _ = l.p.Types.ListOf(p.t)
				p.tag, tags = tags[0], tags[1:]
			}
			for range p.tag {
				stack = append(stack, part{s: s.A, t: elem})
			}
		case s.Kind == load.List:
			elem, x := l.p.Types.ListOf(p.t)
			out = append(out[:k-p.tag], l.t.List(pos, l.typ(elem), l.typ(x), out[k-p.tag:]))
		default:
			out = append(out[:k-s.Size], l.t.Vec(pos, out[k-s.Size:]))
		}
	}
	return out[0]
}

// dataTerm returns data as the term holds it.
func dataTerm(x *load.Variable) term.Data {
	s := x.Shape
	d := term.Data{Name: x.Name, List: s.Kind == load.List && !s.Tagged(), Rows: x.Value.Rows, Width: s.Width(),
		Values: x.Value.Data, Chunk: x.Value.Chunk}
	if !d.List {
		d.Rows = 1
	}
	return d
}

func (l *lowering) match(n *core.Node) term.Ref {
	branches := make([]term.Branch, int(n.Val))
	for i := range branches {
		b := l.c.Branch(n, i)
		body, pos := l.refs[b.Body], n.Pos
		xs := make([]term.Var, b.N)
		for k := b.N - 1; k >= 0; k-- {
			xs[k], pos = l.bind(b.X+core.Var(k)), l.c.Vars[b.X+core.Var(k)].Pos
			body = l.open(xs[k], pos, body)
		}
		branches[i] = term.Branch{Pos: pos, Vars: xs, Body: body}
	}
	return l.t.Case(n.Pos, l.typ(l.c.Nodes[n.A].Type), l.refs[n.A], branches)
}

func (l *lowering) fix(n *core.Node) term.Ref {
	lams := l.list(n)
	fs := syntax.Each(len(lams), func(i int) term.Var { return l.bind(n.X + core.Var(i)) })
	return l.t.Fix(n.Pos, fs, lams, int(n.Val))
}

// instance returns the type in the term's universe with declaration d and the product args of arguments, or 0.
func (l *lowering) instance(d int, args term.Type) term.Type {
	for len(l.declared) <= d { // so the universe has them in the order of the source
		l.declare(len(l.declared))
	}
	if err := l.declared[d]; err != nil && l.wrong == nil {
		l.wrong = err
	}
	tt, n := l.t.Types, &l.p.Types.Inductives[d]
	i, _ := tt.Declare(n.Name, len(n.Params))
	var list []term.Type
	for k := len(n.Params); k > 1; k-- {
		list, args = append(list, tt.Left(args)), tt.Right(args)
	}
	if len(n.Params) > 0 {
		list = append(list, args)
	}
	return tt.Instance(i, list...)
}

// declare puts declaration d into the term's universe.
func (l *lowering) declare(d int) {
	l.declared = append(l.declared, nil)
	tt, n := l.t.Types, &l.p.Types.Inductives[d]
	i, isNew := tt.Declare(n.Name, len(n.Params))
	if !isNew {
		return
	}
	if l.p.Types.HoldsDuals(d) {
		tt.HoldDuals(i)
	}
	stack, wrong := l.stack, l.wrong // typ is at work
	l.stack, l.wrong = nil, nil
	cons := make([]term.Constructor, len(n.Cons))
	for k, c := range n.Cons {
		if cons[k].Name = c.Name; c.Arg != 0 {
			cons[k].Arg = l.typ(c.Arg)
		}
	}
	l.declared[d] = cmp.Or(tt.Define(i, cons), l.wrong)
	l.stack, l.wrong = stack, wrong
}
