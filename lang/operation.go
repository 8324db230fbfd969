package lang

import (
	"github.com/gram-machine/gram/lang/infer"
	"github.com/gram-machine/gram/lang/syntax"
	"github.com/gram-machine/gram/term"
)

// An operation on numbers is also one on vectors, component by component: both operands are of one type, or one of them
// is a number, which then goes with each component. In a program with lin or -o operations are on numbers, and + in lin on
// R^s.

// operation adds the node n of an operation that is called name, on a and, if n.b is not 0, on b.
func (e *elaborator) operation(n coreNode, name string, a, b val, span syntax.Span) val {
	binary := n.b != 0
	why := reason{kind: takesReason, text: name}
	left := why
	if name == "-" && binary {
		left.negated = b.span
	}
	if e.user.Duals {
		if n.op == addCore {
			return e.add(n, e.addends("+", a, b), span)
		}
		e.want(a, infer.R, left)
		if binary {
			e.want(b, infer.R, why)
		}
		return e.add(n, infer.R, span)
	}
	if !binary {
		b = val{typ: infer.R}
	}
	w := waiting{f: a, u: b, operation: true, why: left, notes: e.chain(4)}
	if e.tt.At(a.typ).Kind == infer.Real && e.tt.At(b.typ).Kind == infer.Real {
		return e.add(n, infer.R, span)
	}
	e.core.wide = append(e.core.wide, wide{a: a.typ, b: b.typ})
	n.x = variable(len(e.core.wide) - 1)
	n.typ = e.tt.Open()
	w.result = e.add(n, n.typ, span)
	if !e.operands(&w, false) {
		e.waiting = append(e.waiting, w)
	}
	return w.result
}

// operands types the operands and the result of an operation as far as they follow from each other, and reports whether
// nothing is left to do. What is still open is a number if last is set.
func (e *elaborator) operands(w *waiting, last bool) bool {
	why := w.why
	for _, v := range []val{w.f, w.u} {
		if !e.numeric(v.typ) {
			e.want(v, infer.R, why)
			e.tt.Unify(w.result.typ, infer.R)
			return true
		}
		why.negated = syntax.Span{}
	}
	a, b := e.tt.At(w.f.typ).Kind, e.tt.At(w.u.typ).Kind
	open := func(v val) {
		if last {
			e.tt.Unify(v.typ, infer.R)
		}
	}
	same := func(v val) {
		if is := e.operated(v.typ); e.tt.Unify(w.result.typ, is) != infer.NoClash {
			result := w.result
			result.typ = is
			e.want(result, w.result.typ, reason{kind: annotReason, text: "what is around it takes"})
		}
	}
	switch {
	case e.selects && !last && (a == infer.Open || b == infer.Open):
		return false // what the operation gives is then of another type than what is open
	case a == infer.Real:
		same(w.u)
		open(w.u)
	case b == infer.Real:
		same(w.f)
		open(w.f)
	case a == infer.Vec && b == infer.Vec:
		e.want(w.u, w.f.typ, reason{kind: sameReason, text: "the other operand is"})
		same(w.f)
	case a == infer.Vec:
		same(w.f)
		open(w.u)
		return last
	case b == infer.Vec:
		same(w.u)
		open(w.f)
		return last
	case e.tt.At(w.result.typ).Kind == infer.Real:
		e.tt.Unify(w.f.typ, infer.R)
		e.tt.Unify(w.u.typ, infer.R)
	default:
		if !last {
			return false
		}
		open(w.f)
		return e.operands(w, true)
	}
	// An operand that is still open has to be a number or a vector.
	return last || e.tt.At(w.f.typ).Kind != infer.Open && e.tt.At(w.u.typ).Kind != infer.Open && e.closed(w.f.typ) && e.closed(w.u.typ)
}

// numeric reports whether t is R, a vector of such, or still open.
func (e *elaborator) numeric(t infer.Type) bool {
	n := e.tt.At(t)
	for n.Kind == infer.Vec {
		n = e.tt.At(n.A)
	}
	return n.Kind == infer.Real || n.Kind == infer.Open
}

// closed reports whether t is R or a vector of such.
func (e *elaborator) closed(t infer.Type) bool {
	n := e.tt.At(t)
	for n.Kind == infer.Vec {
		n = e.tt.At(n.A)
	}
	return n.Kind == infer.Real
}

// wide has the types of the operands of an operation that may be on vectors. Once all is typed, vecA and vecB tell which of
// them are vectors.
type wide struct {
	a, b       infer.Type
	vecA, vecB bool
}

// settleWide finds out which operations are on vectors.
func (e *elaborator) settleWide() {
	for i := range e.core.wide {
		w := &e.core.wide[i]
		w.vecA = w.a != 0 && e.tt.At(w.a).Kind == infer.Vec
		w.vecB = w.b != 0 && e.tt.At(w.b).Kind == infer.Vec
	}
}

// levels is how many vectors stand in one another in t.
func (e *elaborator) levels(t infer.Type) int {
	k := 0
	for n := e.tt.At(t); n.Kind == infer.Vec; n = e.tt.At(n.A) {
		k++
	}
	return k
}

// elementwise makes vec i < s -> … of an operation on vectors.
func (l *lowering) elementwise(n *coreNode) term.Ref {
	w := l.c.wide[n.x]
	ty := l.typ(n.typ)
	var parts []*operand
	part := func(r node, vector bool) func(at []term.Static) term.Ref {
		switch {
		case r == 0:
			return nil
		case vector:
			o := l.operand(r, ty)
			parts = append(parts, &o)
			return func(at []term.Static) term.Ref { return l.operandAt(&o, n.pos, at...) }
		}
		number, o := l.number(r, n.pos)
		parts = append(parts, o)
		return func([]term.Static) term.Ref { return number() }
	}
	a, b := part(n.a, w.vecA), part(n.b, w.vecB)
	var loop func(ty term.Type, at []term.Static) term.Ref
	loop = func(ty term.Type, at []term.Static) term.Ref {
		if l.t.Types.Kind(ty) == term.VecKind {
			s := l.e.fam.number(float64(l.t.Types.Len(ty)))
			i, is := l.e.fam.newIndex("i", n.pos, s)
			return l.t.Family(n.pos, i, s, loop(l.t.Types.Left(ty), append(at, is)))
		}
		switch {
		case n.op == addCore:
			x := a(at)
			return l.t.Add(n.pos, x, b(at))
		case b == nil:
			return l.t.Fun(n.pos, n.sym, a(at))
		}
		x := a(at)
		return l.t.Fun(n.pos, n.sym, x, b(at))
	}
	return l.around(n.pos, loop(ty, nil), parts...)
}

// number returns what makes occurrences of the number that node r is, and the let that binds it if it is no atom.
func (l *lowering) number(r node, pos term.Pos) (occurrence func() term.Ref, bound *operand) {
	switch l.c.nodes[r].op {
	case varCore, pathCore, numCore, staticCore, componentCore:
		return func() term.Ref { return l.refs[r] }, &operand{}
	}
	x := l.t.NewVar(term.VarInfo{Name: "c", Type: term.R, Pos: pos})
	return func() term.Ref { return l.t.Variable(pos, x) }, &operand{bound: x, u: l.refs[r]}
}

// total makes the sum of the components of a vector, or the largest one. They are compared in the order in which a sum adds.
func (l *lowering) total(n *coreNode, of func(p term.Pos, i term.Index, s term.Static, body term.Ref) term.Ref) term.Ref {
	ty := l.typ(n.typ)
	v := l.operand(n.a, ty)
	s := l.e.fam.number(float64(l.t.Types.Len(ty)))
	i, is := l.e.fam.newIndex("i", n.pos, s)
	return l.around(n.pos, of(n.pos, i, s, l.operandAt(&v, n.pos, is)), &v)
}

// transpose makes vec i < m -> vec j < n -> M.(j).(i).
func (l *lowering) transpose(n *coreNode) term.Ref {
	ty := l.typ(n.typ)
	u := l.operand(n.a, ty)
	rows, columns := l.t.Types.Len(ty), l.t.Types.Len(l.t.Types.Left(ty))
	s, r := l.e.fam.number(float64(columns)), l.e.fam.number(float64(rows))
	i, is := l.e.fam.newIndex("i", n.pos, s)
	j, js := l.e.fam.newIndex("j", n.pos, r)
	return l.around(n.pos, l.t.Family(n.pos, i, s, l.t.Family(n.pos, j, r, l.operandAt(&u, n.pos, js, is))), &u)
}
