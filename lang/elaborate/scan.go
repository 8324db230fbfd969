package elaborate

import (
	"github.com/gram-machine/gram/lang/core"
	"github.com/gram-machine/gram/lang/syntax"
)

// scan makes scan i < s with p = a -> e, which stands for let p = a in let p = e{0/i} in … let p = e{s−1/i} in the
// vector of the states but for the first.
func (e *Elaborator) scan(x syntax.Expr) val {
	kids, a, p := e.kids(x), e.act(), e.act().unit.File.Pats(x)[0]
	index := a.unit.Refs[x].N
	s, ok := e.natural(kids[0])
	if s.static != 0 {
		e.giveUp()
		return e.bad(e.span(x))
	}
	if !ok || !e.isSize(s.n, e.span(kids[0])) {
		return e.bad(e.span(x))
	}
	start := e.eval(kids[1], 0)
	slot := a.base + int(index)
	if e.values && !a.scope.Sized[index] {
		return e.scanOnce(x, slot, s, start)
	}
	if s.n > uint64(e.opt.MaxNodes) {
		e.TooManyNodes()
		return e.bad(e.span(x))
	}
	opens := len(e.opens)
	e.openLet(p, start)
	states := each(int(s.n), func(i int) val {
		e.setIndex(slot, i)
		e.work++
		v := e.nextState(x, start)
		state := e.patternVar(p, v.typ)
		e.opens = append(e.opens, core.Opening{
			Node: core.Node{Op: core.LetOp, X: state, B: v.node, Pos: e.at(e.expr(x).Span.Start)}})
		if i < int(s.n)-1 {
			e.bindPattern(patternItem{p: p, t: v.typ, x: state, span: v.span})
		}
		return e.occurrence(e.bound(state), v.span)
	})
	v := e.wrap(e.vector(x, states), opens)
	v.span = e.span(x)
	return e.result(v)
}

// nextState elaborates the next state of a scan that starts with start.
func (e *Elaborator) nextState(x syntax.Expr, start val) val {
	v := e.eval(e.kids(x)[2], 0)
	e.want(v, start.typ, reason{kind: sameReason, text: "the state before it is"})
	return v
}

// scanOnce makes a scan of a default value: its body is elaborated once.
func (e *Elaborator) scanOnce(x syntax.Expr, slot int, s natural, start val) val {
	p := e.act().unit.File.Pats(x)[0]
	i, bound := e.index(x, slot, s)
	state := e.patternVar(p, start.typ)
	opens := len(e.opens)
	e.bindPattern(patternItem{p: p, t: start.typ, x: state, span: start.span})
	next := e.wrap(e.nextState(x, start), opens)
	at := core.Ref(len(e.Core.Args))
	e.Core.Args = append(e.Core.Args, core.Ref(i), core.Ref(bound), start.node, next.node)
	return e.placed(x, core.Node{Op: core.ScanOp, X: state, A: at},
		e.Types.Vec(start.typ, e.Types.KnownSize(int(s.n))))
}
