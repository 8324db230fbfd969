package lang

import (
	"math"
	"slices"

	"github.com/gram-machine/gram/lang/core"
	"github.com/gram-machine/gram/term"
)

// node makes the term of a node whose children have been made.
func (l *lowering) node(n *core.Node) term.Ref {
	t := l.t
	switch n.Op {
	case core.VarOp:
		return t.Variable(n.Pos, l.bind(n.X))
	case core.PathOp:
		return l.path(n.Pos, n.X, l.c.Args[n.A:n.B])
	case core.ComponentOp:
		return t.Component(n.Pos, l.bind(n.X), int(n.B), term.Static(n.A))
	case core.StaticOp:
		return t.IndexNum(n.Pos, term.Static(n.X))
	case core.FamilyOp:
		return l.family(n)
	case core.ScanOp:
		k, x := l.c.Args[n.A:n.A+4], l.bind(n.X)
		return t.Scan(n.Pos, term.Index(k[0]), term.Static(k[1]), x, l.refs[k[2]], l.open(x, n.Pos, l.refs[k[3]]))
	case core.InputOp:
		if n.A != 0 {
			return l.scalars(n.Pos, l.bind(n.X), int(n.B), n.Type, term.Static(n.A))
		}
		x, width := n.X, l.p.Types.Width(n.Type)
		l.room(width)
		core.Announce(l.p, width, l.t.Nodes)
		l.t.Nodes = slices.Grow(l.t.Nodes, width)
		return l.scalarsOf(n.Pos, n.Type, &x) // an input that is used whole
	case core.NumOp:
		return t.Num(n.Pos, n.Val)
	case core.LamOp:
		x := l.bind(n.X)
		return t.Lam(n.Pos, x, l.open(x, n.Pos, l.refs[n.A]))
	case core.AppOp:
		if list := &l.c.Nodes[n.A]; l.regrouped(list) {
			return l.applied(list, l.refs[n.B])
		}
		return t.App(n.Pos, l.refs[n.A], l.refs[n.B])
	case core.PairOp:
		return t.Pair(n.Pos, l.refs[n.A], l.refs[n.B])
	case core.LetOp:
		x := l.bind(n.X)
		return t.Let(n.Pos, x, l.refs[n.B], l.open(x, n.Pos, l.refs[n.A]))
	case core.TupleOp, core.UnvecOp:
		return l.unpack(n)
	case core.AddOp, core.FunOp:
		if l.c.Wide(n, n.A) || l.c.Wide(n, n.B) {
			return l.elementwise(n)
		}
		if n.Op == core.AddOp {
			return t.Add(n.Pos, l.refs[n.A], l.refs[n.B])
		}
		if n.B == 0 {
			return t.Fun(n.Pos, n.Sym, l.refs[n.A])
		}
		return t.Fun(n.Pos, n.Sym, l.refs[n.A], l.refs[n.B])
	case core.SymbolOp:
		return t.Fun(n.Pos, n.Sym, l.list(n)...)
	case core.LinearOp:
		return l.linear(n)
	case core.VecOp:
		return t.Vec(n.Pos, l.list(n))
	case core.IfOp:
		k := l.c.Args[n.A : n.A+4]
		return t.If(n.Pos, term.Compare(n.Val), l.refs[k[0]], l.refs[k[1]], l.refs[k[2]], l.refs[k[3]])
	case core.ListOp:
		elem, res := l.results(n)
		return t.List(n.Pos, elem, res, l.list(n))
	case core.NatOp:
		_, res := l.results(n)
		return t.Nat(n.Pos, uint64(n.Val), res)
	case core.DataOp:
		return l.dataRef(n)
	case core.ProjOp:
		ty := l.typ(l.c.Nodes[n.A].Type)
		size := t.Types.Len(ty)
		l.room(size)
		first := t.NewVars(size, term.VarInfo{Type: t.Types.Left(ty), Pos: n.Pos})
		if n.X != 0 {
			return t.UnvecFrom(n.Pos, first, size, l.refs[n.A], t.Component(n.Pos, first, size, term.Static(n.X)))
		}
		return t.UnvecFrom(n.Pos, first, size, l.refs[n.A], t.Variable(n.Pos, first+term.Var(n.Val)))
	case core.PrimOp:
		return l.primitive(n)
	case core.ConOp:
		return t.Con(n.Pos, l.typ(n.Type), int(n.Val), l.refs[n.A])
	case core.CaseOp:
		return l.match(n)
	case core.FixOp:
		return l.fix(n)
	case core.DerivativeOp:
		return l.derivative(n)
	}
	return t.Num(n.Pos, 0)
}

func (l *lowering) list(n *core.Node) []term.Ref {
	l.kids = l.kids[:0]
	for _, k := range l.c.Args[n.A:n.B] {
		l.kids = append(l.kids, l.refs[k])
	}
	return l.kids
}

// linear writes out an operation with a linear operand: t + −1·u for t − u, −1·t for −t, (1/u)·t for t / u.
func (l *lowering) linear(n *core.Node) term.Ref {
	a, b := l.refs[n.A], l.refs[n.B]
	minus := func(u term.Ref) term.Ref { return l.t.Fun(n.Pos, term.Mul, l.t.Num(n.Pos, -1), u) }
	switch n.Sym {
	case term.Sub:
		return l.t.Add(n.Pos, a, minus(b))
	case term.Neg:
		return minus(a)
	}
	if u := &l.t.Nodes[b]; u.Op == term.NumOp && !math.IsInf(1/u.Val, 0) {
		u.Val = 1 / u.Val
	} else {
		b = l.t.Fun(n.Pos, term.Div, l.t.Num(n.Pos, 1), b)
	}
	return l.t.Fun(n.Pos, term.Mul, b, a)
}

// results returns A and X of List(A, X), X of a numeral, or the type of other data.
func (l *lowering) results(n *core.Node) (elem, res term.Type) {
	switch ty := l.p.Types.At(n.Type); ty.Kind {
	case core.List:
		return l.typ(ty.A), l.typ(ty.B)
	case core.Nat:
		return 0, l.typ(ty.B)
	}
	return l.typ(n.Type), 0
}

// unpack makes the opening of a tuple or vector by a pattern.
func (l *lowering) unpack(n *core.Node) term.Ref {
	l.xs = l.xs[:0]
	for i := range int(n.Val) {
		l.xs = append(l.xs, l.bind(n.X+core.Var(i)))
	}
	body := l.refs[n.A]
	for i := len(l.xs) - 1; i >= 0; i-- {
		body = l.open(l.xs[i], n.Pos, body)
	}
	if n.Op == core.UnvecOp {
		return l.t.Unvec(n.Pos, l.xs, l.refs[n.B], body)
	}
	return l.t.Untuple(n.Pos, l.xs, l.refs[n.B], body)
}

// scalarsOf makes a value of type t of the scalars from x on.
func (l *lowering) scalarsOf(pos term.Pos, t core.Type, x *core.Var) term.Ref {
	switch n := l.p.Types.At(t); n.Kind {
	case core.Prod:
		a := l.scalarsOf(pos, n.A, x)
		return l.t.Pair(pos, a, l.scalarsOf(pos, n.B, x))
	case core.Vec:
		kids := make([]term.Ref, l.p.Types.SizeAt(core.Size(n.N)).N)
		for i := range kids {
			kids[i] = l.scalarsOf(pos, n.A, x)
		}
		return l.t.Vec(pos, kids)
	}
	*x++
	return l.t.Variable(pos, l.bind(*x-1))
}
