package lang

import (
	"math"

	"github.com/gram-machine/gram/lang/infer"
	"github.com/gram-machine/gram/term"
)

// node makes the term of a node whose children have been made.
func (l *lowering) node(n *coreNode) term.Ref {
	t := l.t
	switch n.op {
	case varCore:
		return t.Variable(n.pos, l.bind(n.x))
	case pathCore:
		return l.path(n.pos, n.x, l.c.args[n.a:n.b])
	case componentCore:
		return t.Component(n.pos, l.bind(n.x), int(n.b), term.Static(n.a))
	case staticCore:
		return t.IndexNum(n.pos, term.Static(n.x))
	case familyCore:
		return l.family(n)
	case inputCore:
		if n.a != 0 {
			return l.scalars(n.pos, l.bind(n.x), int(n.b), n.typ, term.Static(n.a))
		}
		x := n.x
		return l.scalarsOf(n.pos, n.typ, &x) // an input that is used whole
	case numCore:
		return t.Num(n.pos, n.val)
	case lamCore:
		x := l.bind(n.x)
		return t.Lam(n.pos, x, l.open(x, n.pos, l.refs[n.a]))
	case appCore:
		if list := &l.c.nodes[n.a]; l.regrouped(list) {
			return l.applied(list, l.refs[n.b])
		}
		return t.App(n.pos, l.refs[n.a], l.refs[n.b])
	case pairCore:
		return t.Pair(n.pos, l.refs[n.a], l.refs[n.b])
	case letCore:
		x := l.bind(n.x)
		return t.Let(n.pos, x, l.refs[n.b], l.open(x, n.pos, l.refs[n.a]))
	case tupleCore, unvecCore:
		return l.unpack(n)
	case addCore, funCore:
		if w := l.c.wide[n.x]; w.vecA || w.vecB {
			return l.elementwise(n)
		}
		if n.op == addCore {
			return t.Add(n.pos, l.refs[n.a], l.refs[n.b])
		}
		if n.b == 0 {
			return t.Fun(n.pos, n.sym, l.refs[n.a])
		}
		return t.Fun(n.pos, n.sym, l.refs[n.a], l.refs[n.b])
	case linearCore:
		return l.linear(n)
	case vecCore:
		return t.Vec(n.pos, l.list(n))
	case ifCore:
		k := l.c.args[n.a : n.a+4]
		return t.If(n.pos, term.Compare(n.val), l.refs[k[0]], l.refs[k[1]], l.refs[k[2]], l.refs[k[3]])
	case listCore:
		elem, res := l.results(n)
		return t.List(n.pos, elem, res, l.list(n))
	case natCore:
		_, res := l.results(n)
		return t.Nat(n.pos, uint64(n.val), res)
	case dataCore:
		return l.dataRef(n)
	case projCore:
		ty := l.typ(n.typ)
		first := l.components(ty, n.pos)
		xs := consecutive(first, t.Types.Len(ty))
		if n.x != 0 {
			return t.Unvec(n.pos, xs, l.refs[n.a], t.Component(n.pos, first, len(xs), term.Static(n.x)))
		}
		return t.Unvec(n.pos, xs, l.refs[n.a], t.Variable(n.pos, xs[int(n.val)]))
	case dotCore:
		return l.dot(n)
	case matvecCore:
		return l.matvec(n)
	case totalCore:
		return l.total(n, t.Sum)
	case maximumCore:
		return l.total(n, t.Most)
	case transposeCore:
		return l.transpose(n)
	case conCore:
		return t.Con(n.pos, l.typ(n.typ), int(n.val), l.refs[n.a])
	case caseCore:
		return l.match(n)
	case fixCore:
		return l.fix(n)
	case pickCore:
		return l.pick(n)
	case oneHotCore:
		return l.oneHot(n)
	case alongCore, gradCore:
		return l.derivative(n)
	}
	return t.Num(n.pos, 0)
}

func (l *lowering) list(n *coreNode) []term.Ref {
	l.kids = l.kids[:0]
	for _, k := range l.c.args[n.a:n.b] {
		l.kids = append(l.kids, l.refs[k])
	}
	return l.kids
}

// linear writes out an operation with a linear operand: t + −1·u for t − u, −1·t for −t,
// (1/u)·t for t / u.
func (l *lowering) linear(n *coreNode) term.Ref {
	a, b := l.refs[n.a], l.refs[n.b]
	minus := func(u term.Ref) term.Ref { return l.t.Fun(n.pos, term.Mul, l.t.Num(n.pos, -1), u) }
	switch n.sym {
	case term.Sub:
		return l.t.Add(n.pos, a, minus(b))
	case term.Neg:
		return minus(a)
	}
	if u := &l.t.Nodes[b]; u.Op == term.NumOp && !math.IsInf(1/u.Val, 0) {
		u.Val = 1 / u.Val
	} else {
		b = l.t.Fun(n.pos, term.Div, l.t.Num(n.pos, 1), b)
	}
	return l.t.Fun(n.pos, term.Mul, b, a)
}

// results returns A and X of List(A, X), X of a numeral, or the type of other data.
func (l *lowering) results(n *coreNode) (elem, res term.Type) {
	switch ty := l.p.tt.At(n.typ); ty.Kind {
	case infer.List:
		return l.typ(ty.A), l.typ(ty.B)
	case infer.Nat:
		return 0, l.typ(ty.B)
	}
	return l.typ(n.typ), 0
}

// unpack makes the opening of a tuple or vector by a pattern.
func (l *lowering) unpack(n *coreNode) term.Ref {
	l.xs = l.xs[:0]
	for i := range int(n.val) {
		l.xs = append(l.xs, l.bind(n.x+variable(i)))
	}
	body := l.refs[n.a]
	for i := len(l.xs) - 1; i >= 0; i-- {
		body = l.open(l.xs[i], n.pos, body)
	}
	if n.op == unvecCore {
		return l.t.Unvec(n.pos, l.xs, l.refs[n.b], body)
	}
	return l.t.Untuple(n.pos, l.xs, l.refs[n.b], body)
}

// scalarsOf makes a value of type t of the scalars from x on.
func (l *lowering) scalarsOf(pos term.Pos, t infer.Type, x *variable) term.Ref {
	switch n := l.p.tt.At(t); n.Kind {
	case infer.Prod:
		a := l.scalarsOf(pos, n.A, x)
		return l.t.Pair(pos, a, l.scalarsOf(pos, n.B, x))
	case infer.Vec:
		kids := make([]term.Ref, l.p.tt.SizeAt(infer.Size(n.N)).N)
		for i := range kids {
			kids[i] = l.scalarsOf(pos, n.A, x)
		}
		return l.t.Vec(pos, kids)
	}
	*x++
	return l.t.Variable(pos, l.bind(*x-1))
}
