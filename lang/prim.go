package lang

import (
	"math"

	"github.com/gram-machine/gram/lang/infer"
	"github.com/gram-machine/gram/lang/syntax"
	"github.com/gram-machine/gram/term"
)

// prim is what is built in: the function symbols, +, dot and matvec.
type prim uint8

const (
	primAdd prim = iota
	primDot
	primMatvec
	primSymbol // and after it the symbols, by number
)

func (p prim) symbol() term.Symbol { return term.Symbol(p - primSymbol) }

func (p prim) arity() int {
	if p < primSymbol {
		return 2
	}
	return p.symbol().Info().Arity
}

func (p prim) name() string {
	switch p {
	case primAdd:
		return "+"
	case primDot:
		return "dot"
	case primMatvec:
		return "matvec"
	}
	if info := p.symbol().Info(); info.Infix != "" {
		return info.Infix
	}
	return p.symbol().SourceName()
}

// primitives returns all that is built in. Operators are listed by their sign.
func primitives() []prim {
	all := []prim{primAdd, primDot, primMatvec}
	for _, s := range append(term.Symbols(), term.Derivatives()...) {
		all = append(all, primSymbol+prim(s))
	}
	return all
}

// usePrim elaborates a primitive with n arguments. Missing ones are parameters of a
// λ; an argument under that λ is treated as that of a def would be.
func (e *elaborator) usePrim(p prim, span syntax.Span, n int) {
	k := p.arity()
	if n > k {
		e.push(frame{op: applyFrame, n: n - k})
	}
	given := min(n, k)
	if given < k {
		e.partialPrim(p, span, given)
		given = k
	}
	e.push(frame{op: primFrame, prim: p, span: span})
	for range given {
		e.push(frame{op: popArgFrame})
	}
}

// partialPrim completes the arguments of p by parameters of λs.
func (e *elaborator) partialPrim(p prim, span syntax.Span, given int) {
	e.push(frame{op: wrapFrame, n: len(e.opens)})
	all := make([]binding, 0, 2)
	for range given {
		b := e.takeArg()
		if b.kind == nodeBinding && !e.core.nodes[b.val.node].value {
			x := e.core.newVar(coreVar{name: "x", typ: b.val.typ, pos: posOf(span)})
			e.opens = append(e.opens, opening{kind: openLet, x: x, u: b.val.node, pos: posOf(span)})
			b = binding{kind: varBinding, x: x, span: b.span}
		}
		all = append(all, b)
	}
	for i := given; i < p.arity(); i++ {
		x := e.core.newVar(coreVar{name: [...]string{"x", "y"}[i], typ: e.tt.Open(), pos: posOf(span)})
		e.opens = append(e.opens, opening{kind: openFun, x: x, pos: posOf(span)})
		all = append(all, binding{kind: varBinding, x: x, span: span})
	}
	for i := len(all) - 1; i >= 0; i-- {
		e.args = append(e.args, all[i])
	}
}

// primitive makes the node of a primitive whose arguments are the last results.
func (e *elaborator) primitive(p prim, span syntax.Span) {
	var b val
	if p.arity() == 2 {
		b = e.pop()
	}
	a := e.pop()
	why := reason{kind: takesReason, text: p.name()}
	n := coreNode{pos: posOf(span), a: a.node, b: b.node}
	t := infer.R
	switch p {
	case primDot:
		n.op, n.typ = dotCore, e.tt.Vec(infer.R, e.tt.OpenSize())
		if e.want(a, n.typ, why) && e.want(b, n.typ, why) {
			e.needSize(n.typ, span, p)
		}
	case primMatvec:
		row := e.tt.Vec(infer.R, e.tt.OpenSize())
		m := e.tt.OpenSize()
		n.op, n.typ, t = matvecCore, e.tt.Vec(row, m), e.tt.Vec(infer.R, m)
		if e.want(a, n.typ, why) && e.want(b, row, why) {
			e.needSize(n.typ, span, p)
		}
	case primAdd:
		n.op, t = addCore, e.addends("+", a, b)
	default:
		n.op, n.sym = funCore, p.symbol()
		e.want(a, infer.R, why)
		if p.arity() == 2 {
			e.want(b, infer.R, why)
		}
	}
	e.result(val{e.core.add(n), t, span, span})
}

// binary makes a + b, a - b, a * b or a / b. Two numerals are folded if the result
// is finite.
func (e *elaborator) binary(x syntax.Expr) {
	n := e.expr(x)
	b := e.pop()
	a := e.pop()
	na, nb := e.core.nodes[a.node], e.core.nodes[b.node]
	if na.op == numCore && nb.op == numCore {
		if r := fold(n.Op, na.val, nb.val); !math.IsInf(r, 0) && !math.IsNaN(r) {
			e.core.drop(b.node)
			e.core.drop(a.node)
			e.number(r, e.span(x))
			return
		}
	}
	c := coreNode{op: funCore, pos: e.at(n.OpPos), a: a.node, b: b.node}
	switch n.Op {
	case syntax.PlusTok:
		c.op = addCore
	case syntax.MinusTok:
		c.sym = term.Sub
	case syntax.StarTok:
		c.sym = term.Mul
	case syntax.SlashTok:
		c.sym = term.Div
	}
	why := reason{kind: takesReason, text: n.Op.String()}
	t := infer.R
	switch n.Op {
	case syntax.PlusTok:
		t = e.addends("+", a, b)
	case syntax.MinusTok:
		e.want(a, infer.R, reason{kind: takesReason, text: "-", negated: b.span})
		e.want(b, infer.R, why)
	default:
		e.want(a, infer.R, why)
		e.want(b, infer.R, why)
	}
	e.result(val{e.core.add(c), t, e.span(x), e.span(x)})
}

func fold(op syntax.Token, a, b float64) float64 {
	switch op {
	case syntax.PlusTok:
		return a + b
	case syntax.MinusTok:
		return a - b
	case syntax.StarTok:
		return a * b
	default:
		return a / b
	}
}

// negate makes -a; -1 is a numeral.
func (e *elaborator) negate(x syntax.Expr) {
	a := e.pop()
	if n := e.core.nodes[a.node]; n.op == numCore {
		e.core.drop(a.node)
		e.number(-n.val, e.span(x))
		return
	}
	e.want(a, infer.R, reason{kind: takesReason, text: "-"})
	c := coreNode{op: funCore, sym: term.Neg, pos: e.at(e.expr(x).OpPos), a: a.node}
	e.result(val{e.core.add(c), infer.R, e.span(x), e.span(x)})
}

// power makes x^s: 1, or let y = x in y*(y*…).
func (e *elaborator) power(x syntax.Expr, exponent natural) {
	s := exponent.n
	a := e.pop()
	span := e.span(x)
	e.want(a, infer.R, reason{kind: takesReason, text: "^"})
	if e.values && (exponent.late != 0 || s > 1) {
		e.finish(x, coreNode{op: powerCore, a: a.node, b: e.natNode(exponent)}, infer.R)
		return
	}
	if n := e.core.nodes[a.node]; n.op == numCore {
		if r := powNat(n.val, s); !math.IsInf(r, 0) {
			e.core.drop(a.node)
			e.number(r, span)
			return
		}
	}
	if s == 0 {
		e.number(1, span)
		return
	}
	if s > uint64(e.opt.MaxNodes) {
		e.failed = e.tooLarge()
		e.result(a)
		return
	}
	pos := e.at(e.expr(x).OpPos)
	y := e.core.newVar(coreVar{name: "y", typ: infer.R, pos: posOf(a.span)})
	p := e.core.add(coreNode{op: varCore, x: y, pos: posOf(a.span)})
	for range s - 1 {
		l := e.core.add(coreNode{op: varCore, x: y, pos: posOf(a.span)})
		p = e.core.add(coreNode{op: funCore, sym: term.Mul, pos: pos, a: l, b: p})
	}
	e.result(val{e.core.add(coreNode{op: letCore, x: y, a: p, b: a.node, pos: pos}), infer.R, span, span})
}

// powNat is x*(x*…), s times.
func powNat(x float64, s uint64) float64 {
	p := 1.0
	for i := uint64(0); i < s; i++ {
		q := x * p
		if q == p && i > 0 {
			return q
		}
		if i > 1<<20 {
			return math.Pow(x, float64(s))
		}
		p = q
	}
	return p
}
