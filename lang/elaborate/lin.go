package elaborate

import (
	"github.com/gram-machine/gram/lang/core"
	"github.com/gram-machine/gram/lang/syntax"
)

// lin opens lin a -> body, and returns the body: its value is a number or a vector of numbers.
func (e *Elaborator) lin(x syntax.Expr) syntax.Expr {
	u := e.act().unit
	p := u.File.Pats(x)[0]
	a := e.Core.NewVar(core.VarInfo{Name: u.File.Pat(p).Text, Type: core.R, Pos: e.at(u.File.Pat(p).Span.Start),
		Linear: true})
	e.slots[e.act().base+int(u.Slots[p])] = e.bound(a)
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
			e.want(p, t, reason{kind: sameReason, text: "the other summand is"})
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
	a := e.act()
	e.marks = append(e.marks, core.Mark{Node: v.node, Span: v.span,
		Notes: func() []syntax.Note { return e.chainOf(a, 4) }})
}
