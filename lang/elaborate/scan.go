package elaborate

import (
	"github.com/gram-machine/gram/lang/core"
	"github.com/gram-machine/gram/lang/syntax"
	"github.com/gram-machine/gram/term"
)

// scan makes scan i < s with p = a -> e, which stands for let p = a in let p = e{0/i} in … let p = e{s−1/i} in the
// vector of the states but for the first.
func (e *Elaborator) scan(x syntax.Expr) val {
	kids, a, p := e.kids(x), e.act(), e.act().unit.File.Pats(x)[0]
	s, ok := e.natural(kids[0])
	if s.static != 0 {
		e.giveUp()
		return e.bad(e.span(x))
	}
	if !ok || !e.isSize(s.n, e.span(kids[0])) {
		return e.bad(e.span(x))
	}
	slot := a.base + int(a.unit.Refs[x].N)
	opens, start := len(e.opens), e.eval(kids[1], 0)
	if !e.takesApart(p) { // its name stands for a variable, which may occur more than once
		start = e.openState(x, p, start)
	}
	v, ok := e.overIndex(x, slot, s, func(i term.Index, bound term.Static) (core.Node, core.Type) {
		state, opens := e.patternVar(p, start.typ), len(e.opens)
		e.bindPattern(patternItem{p: p, t: start.typ, x: state, span: start.span})
		next := e.wrap(e.nextState(x, start), opens)
		at := core.Ref(len(e.Core.Args))
		e.Core.Args = append(e.Core.Args, core.Ref(i), core.Ref(bound), start.node, next.node)
		return core.Node{Op: core.ScanOp, X: state, A: at}, e.Types.Vec(start.typ, e.Types.KnownSize(int(s.n)))
	})
	if ok {
		return e.wrap(v, opens)
	}
	states := each(int(s.n), func(i int) val {
		e.setIndex(slot, i)
		e.work++
		it := patternItem{p: p, t: start.typ, span: start.span}
		if i == 0 && e.takesApart(p) {
			it.u = start.node
		} else {
			it.x = e.Core.Nodes[start.node].X
		}
		e.bindPattern(it)
		start = e.openState(x, p, e.nextState(x, start))
		return start
	})
	v = e.wrap(e.vector(x, states), opens)
	v.span = e.span(x)
	return e.result(v)
}

// openState binds a variable for pattern p of scan x to a state around what follows, and returns an occurrence.
func (e *Elaborator) openState(x syntax.Expr, p syntax.Pat, v val) val {
	state := e.patternVar(p, v.typ)
	e.opens = append(e.opens, core.Opening{
		Node: core.Node{Op: core.LetOp, X: state, B: v.node, Pos: e.at(e.expr(x).Span.Start)}})
	return e.occurrence(e.bound(state), v.span)
}

// nextState elaborates the next state of a scan that starts with start.
func (e *Elaborator) nextState(x syntax.Expr, start val) val {
	v := e.eval(e.kids(x)[2], 0)
	e.want(v, start.typ, reason{kind: sameReason, text: "the state before it is"})
	return v
}
