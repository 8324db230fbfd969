package elaborate

import (
	"github.com/gram-machine/gram/lang/core"
	"github.com/gram-machine/gram/lang/syntax"
)

// An operation on numbers is also one on vectors, component by component: both operands are of one type, or one of them
// is a number, which then goes with each component. In a program with lin or -o operations are on numbers, and + in lin
// on R^s.

// operation adds the node n of an operation that is called name, on a and, if n.b is not 0, on b.
func (e *Elaborator) operation(n core.Node, name string, a, b val, span syntax.Span) val {
	binary := n.B != 0
	why := reason{kind: takesReason, text: name}
	left := why
	if name == "-" && binary {
		left.negated = b.span
	}
	if e.user.Duals {
		if n.Op == core.AddOp {
			return e.add(n, e.addends("+", a, b), span)
		}
		e.want(a, core.R, left)
		if binary {
			e.want(b, core.R, why)
		}
		return e.add(n, core.R, span)
	}
	if !binary {
		b = val{typ: core.R}
	}
	w := waiting{f: a, u: b, operation: true, why: left, notes: e.chain(4)}
	if e.Types.At(a.typ).Kind == core.Real && e.Types.At(b.typ).Kind == core.Real {
		return e.add(n, core.R, span)
	}
	n.X = 1
	w.result = e.add(n, e.Types.Open(), span)
	if !e.operands(&w, false) {
		e.waiting = append(e.waiting, w)
	}
	return w.result
}

// operands types the operands and the result of an operation as far as they follow from each other, and reports whether
// nothing is left to do. What is still open is a number if last is set.
func (e *Elaborator) operands(w *waiting, last bool) bool {
	why := w.why
	for _, v := range []val{w.f, w.u} {
		if !e.Types.Array(v.typ) {
			e.want(v, core.R, why)
			e.Types.Unify(w.result.typ, core.R)
			return true
		}
		why.negated = syntax.Span{}
	}
	// x is the operand of which more is known: a number rather than a vector, and that rather than what is open.
	x, y := w.f, w.u
	a, b := e.Types.At(x.typ).Kind, e.Types.At(y.typ).Kind
	if a != core.Real && (b == core.Real || a == core.Open) {
		x, y, a, b = y, x, b, a
	}
	open := func(v val) {
		if last {
			e.Types.Unify(v.typ, core.R)
		}
	}
	same := func(v val) {
		if is := e.operated(v.typ); e.Types.Unify(w.result.typ, is) != core.NoClash {
			result := w.result
			result.typ = is
			e.want(result, w.result.typ, reason{kind: annotReason, text: "what is around it takes"})
		}
	}
	switch {
	case e.selects && !last && (a == core.Open || b == core.Open):
		return false // what the operation gives is then of another type than what is open
	case a == core.Real:
		same(y)
		open(y)
	case b == core.Vec:
		e.want(y, x.typ, reason{kind: sameReason, text: "the other operand is"})
		same(x)
	case a == core.Vec:
		same(x)
		open(y)
		return last
	case e.Types.At(w.result.typ).Kind == core.Real:
		e.Types.Unify(w.f.typ, core.R)
		e.Types.Unify(w.u.typ, core.R)
	default:
		if !last {
			return false
		}
		open(w.f)
		return e.operands(w, true)
	}
	// An operand that is still open has to be a number or a vector.
	return last || e.Types.Scalar(w.f.typ) == core.Real && e.Types.Scalar(w.u.typ) == core.Real
}
