package elaborate

import (
	"github.com/gram-machine/gram/lang/core"
	"github.com/gram-machine/gram/lang/syntax"
	"github.com/gram-machine/gram/term"
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
		if n.Sym == term.NoSymbol {
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
			e.want(result, w.result.typ, reason{text: "what is around it takes"})
		}
	}
	switch {
	case e.selects && !last && (a == core.Open || b == core.Open):
		return false // what the operation gives is then of another type than what is open
	case a == core.Real:
		same(y)
		open(y)
	case b == core.Vec:
		e.want(y, x.typ, reason{text: "the other operand is"})
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

// lin opens lin a -> body, and returns the body: its value is a number or a vector of numbers.
func (e *Elaborator) lin(x syntax.Expr) syntax.Expr {
	u := e.act.unit
	p := u.File.Pats(x)[0]
	a := e.Core.NewVar(core.VarInfo{Name: u.File.Pat(p).Text, Type: core.R, Pos: e.at(u.File.Pat(p).Span.Start),
		Linear: true})
	e.slots[e.act.base+int(u.Slots[p])] = e.bound(a)
	e.spanned(e.span(x))
	e.wrapped()
	e.opens = append(e.opens, core.Opening{Node: core.Node{Op: core.LamOp, X: a, Pos: e.at(e.expr(x).Span.Start)}})
	e.finally(func(v val) val {
		e.inLin--
		if !e.euclidean(v, "the body of lin") {
			v.typ = e.Types.Open()
		}
		return v
	})
	e.inLin++
	e.lins++
	return e.kids(x)[0]
}

// euclidean checks that v, which is what says, has type R or R^s; if the type is open, that is left for the end.
func (e *Elaborator) euclidean(v val, what string) bool {
	n, hint := e.Types.At(v.typ), ""
	switch n.Kind {
	case core.Real:
		return true
	case core.Open:
		notes := e.chain(4)
		e.pending = append(e.pending, func(bool) {
			if e.Types.At(v.typ).Kind == core.Open {
				e.Types.Unify(v.typ, core.R)
				return
			}
			e.chained = notes
			e.euclidean(v, what)
			e.chained = nil
		})
		return true
	case core.Vec:
		if e.Types.Unify(n.A, core.R) == core.NoClash {
			return true
		}
	case core.Prod:
		hint = "a tuple is not a vector: write [| e, e |]"
	}
	e.reportHere(v.span, "type mismatch", "this is "+e.Types.Text().Of(v.typ)+", but "+what+" is R or R^s", note(hint)...)
	return false
}

// addends types summands: outside of lin they are numbers, inside numbers or vectors of
// numbers, all of one type. It returns the type of the sum.
func (e *Elaborator) addends(what string, parts ...val) core.Type {
	t := core.R
	if e.inLin > 0 {
		t = e.addendType(parts)
	}
	for _, p := range parts {
		e.Tick()
		if e.Types.At(t).Kind == core.Real {
			e.want(p, core.R, reason{kind: takesReason, text: what})
		} else {
			e.want(p, t, reason{text: "the other summand is"})
		}
	}
	return t
}

// addendType is the type that the first of the parts has whose type is known, R if that is none that + takes.
func (e *Elaborator) addendType(parts []val) core.Type {
	for _, p := range parts {
		switch e.Types.At(p.typ).Kind {
		case core.Open:
			continue
		case core.Vec:
			return p.typ
		}
		return core.R
	}
	e.euclidean(parts[0], "a summand")
	return parts[0].typ
}

// mark notes where v stands. The first place of a node counts.
func (e *Elaborator) mark(v val) {
	if e.inLin == 0 || v.node == 0 {
		return
	}
	if n := len(e.marks); n > 0 && e.marks[n-1].Node >= v.node {
		if e.marks[n-1].Node == v.node {
			e.marks[n-1].Span = v.span
		}
		return
	}
	a := e.act
	e.marks = append(e.marks, core.Mark{Node: v.node, Span: v.span,
		Notes: func() []syntax.Note { return e.chainOf(a, 4) }})
}
