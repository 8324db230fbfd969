package lang

import (
	"math"
	"slices"

	"github.com/gram-machine/gram/lang/infer"
	"github.com/gram-machine/gram/lang/syntax"
	"github.com/gram-machine/gram/term"
)

// usePrim elaborates a primitive with n arguments. Missing ones are parameters of a
// λ; an argument under that λ is treated as that of a def would be.
func (e *elaborator) usePrim(p prim, span syntax.Span, n int) val {
	k := p.arity()
	opens := len(e.opens)
	if n < k {
		e.partialPrim(p, span, n)
	}
	var args [3]val
	for i := range k {
		args[i] = e.argVal()
	}
	var v val
	if p == primAlong || p == primGrad {
		v = e.derivative(p, args, span)
	} else {
		v = e.primitive(p, args[0], args[1], span)
	}
	v = e.wrap(v, opens)
	return e.apply(v, n-k)
}

// partialPrim completes the arguments of p by parameters of λs.
func (e *elaborator) partialPrim(p prim, span syntax.Span, given int) {
	open := func(kind openKind, name string, t infer.Type, u node, at syntax.Span) binding {
		x := e.core.newVar(coreVar{name: name, typ: t, pos: posOf(span)})
		e.opens = append(e.opens, opening{kind: kind, x: x, u: u, pos: posOf(span)})
		return binding{kind: varBinding, x: x, span: at}
	}
	var all [3]binding
	for i := range p.arity() {
		if i >= given {
			all[i] = open(openFun, [...]string{"x", "y", "z"}[i], e.tt.Open(), 0, span)
			continue
		}
		b := e.takeArg()
		if b.kind == nodeBinding && !e.core.nodes[b.val.node].value {
			b = open(openLet, "x", b.val.typ, b.val.node, b.span)
		}
		all[i] = b
	}
	e.args = append(e.args, all[:p.arity()]...)
	slices.Reverse(e.args[len(e.args)-p.arity():])
}

// primitive makes the node of a primitive; b is there if it takes two arguments.
func (e *elaborator) primitive(p prim, a, b val, span syntax.Span) val {
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
	case primTotal, primMaximum:
		n.op, n.typ = totalCore, e.tt.Vec(infer.R, e.tt.OpenSize())
		if p == primMaximum {
			n.op = maximumCore
		}
		if e.want(a, n.typ, why) {
			e.needSize(n.typ, span, p)
		}
	case primTranspose:
		r, c := e.tt.OpenSize(), e.tt.OpenSize()
		n.op, n.typ, t = transposeCore, e.tt.Vec(e.tt.Vec(infer.R, c), r), e.tt.Vec(e.tt.Vec(infer.R, r), c)
		if e.want(a, n.typ, why) {
			e.needSize(n.typ, span, p)
		}
	case primPick:
		return e.pick(a, b, span)
	case primOneHot:
		return e.oneHot(a, b, span)
	case primUniform, primNormal:
		e.wantReal(why, a, b)
		n.op, n.val = randomCore, float64(p)
		e.random = e.random || e.values
	case primAdd:
		n.op = addCore
		return e.operation(n, "+", a, b, span)
	default:
		n.op, n.sym = funCore, p.symbol()
		return e.operation(n, p.name(), a, b, span)
	}
	return e.add(n, t, span)
}

// operations makes an operation and those to its left.
func (e *elaborator) operations(x syntax.Expr) val {
	var ops []syntax.Expr // the last one first
	for e.expr(x).Kind == syntax.BinExpr {
		ops = append(ops, x)
		x = e.kids(x)[0]
	}
	a := e.eval(x, 0)
	for _, op := range slices.Backward(ops) {
		a = e.binary(op, a, e.eval(e.kids(op)[1], 0))
	}
	return a
}

// operators has the symbols of the operators but for +.
var operators = map[syntax.Token]term.Symbol{syntax.MinusTok: term.Sub, syntax.StarTok: term.Mul, syntax.SlashTok: term.Div}

// binary makes a + b, a - b, a * b or a / b. Two numerals are folded if the result
// is finite.
func (e *elaborator) binary(x syntax.Expr, a, b val) val {
	n := e.expr(x)
	if na, nb := e.core.nodes[a.node], e.core.nodes[b.node]; na.op == numCore && nb.op == numCore {
		if r := fold(n.Op, na.val, nb.val); !math.IsInf(r, 0) && !math.IsNaN(r) {
			e.core.drop(b.node)
			e.core.drop(a.node)
			return e.number(r, e.span(x))
		}
	}
	if e.fam.inFamily() {
		sa, onA, okA := e.numeral(a.node)
		sb, onB, okB := e.numeral(b.node)
		if okA && okB && (onA || onB) {
			s := e.arithmetic(n.Op, sa, sb, finite)
			e.core.drop(b.node)
			e.core.drop(a.node)
			return e.staticNumber(s, e.span(x))
		}
	}
	c := coreNode{op: funCore, sym: operators[n.Op], pos: e.at(n.OpPos), a: a.node, b: b.node}
	if n.Op == syntax.PlusTok {
		c.op = addCore
	}
	return e.operation(c, n.Op.String(), a, b, e.span(x))
}

// wantReal makes values numbers.
func (e *elaborator) wantReal(why reason, vs ...val) {
	for _, v := range vs {
		e.want(v, infer.R, why)
	}
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
func (e *elaborator) negate(x syntax.Expr, a val) val {
	if n := e.core.nodes[a.node]; n.op == numCore {
		e.core.drop(a.node)
		return e.number(-n.val, e.span(x))
	}
	if s, depends, ok := e.numeral(a.node); ok && depends {
		e.core.drop(a.node)
		return e.staticNumber(e.static.add(term.StaticNode{Op: term.StaticNeg, A: s}), e.span(x))
	}
	return e.operation(coreNode{op: funCore, sym: term.Neg, pos: e.at(e.expr(x).OpPos), a: a.node}, "-", a, val{}, e.span(x))
}

// power makes a^s: 1, or let y = a in y*(y*…).
func (e *elaborator) power(x syntax.Expr, exponent natural, a val) val {
	s := exponent.n
	span := e.span(x)
	if _, depends, _ := e.numeral(a.node); depends || exponent.static != 0 {
		return e.staticPower(a, exponent, span)
	}
	vector := !e.user.Duals && exponent.late == 0 && e.tt.At(a.typ).Kind != infer.Real && e.tt.MaybeNumeric(a.typ)
	if !vector {
		e.wantReal(reason{kind: takesReason, text: "^"}, a)
		a.typ = infer.R
	}
	if e.values && !vector && (exponent.late != 0 || s > 1) {
		return e.finish(x, coreNode{op: powerCore, a: a.node, b: e.natNode(exponent)}, infer.R)
	}
	if n := e.core.nodes[a.node]; n.op == numCore {
		if r := powNat(n.val, s); !math.IsInf(r, 0) {
			e.core.drop(a.node)
			return e.number(r, span)
		}
	}
	if s == 0 {
		return e.number(1, span)
	}
	if s > uint64(e.opt.MaxNodes) {
		e.tooManyNodes()
	}
	pos, at := e.at(e.expr(x).OpPos), posOf(a.span)
	y := e.core.newVar(coreVar{name: "y", typ: a.typ, pos: at})
	p := val{node: e.core.add(coreNode{op: varCore, x: y, pos: at}), typ: a.typ, span: span}
	for range s - 1 {
		l := val{node: e.core.add(coreNode{op: varCore, x: y, pos: at}), typ: a.typ, span: span}
		p = e.operation(coreNode{op: funCore, sym: term.Mul, pos: pos, a: l.node, b: p.node}, "^", l, p, span)
	}
	return e.add(coreNode{op: letCore, x: y, a: p.node, b: a.node, pos: pos}, p.typ, span)
}

// staticPower makes a^s of a numeral that depends on an index: a*(a*…).
func (e *elaborator) staticPower(a val, exponent natural, span syntax.Span) val {
	const most = term.MaxStatic / 2
	if exponent.static != 0 || exponent.n == 0 || exponent.n > most {
		e.giveUp()
	}
	s, _, _ := e.numeral(a.node)
	p := s
	for range exponent.n - 1 {
		p = e.arithmetic(syntax.StarTok, s, p, finite)
	}
	e.core.drop(a.node)
	return e.staticNumber(p, span)
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
