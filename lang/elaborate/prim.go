package elaborate

import (
	"math"
	"slices"

	"github.com/gram-machine/gram/lang/core"
	"github.com/gram-machine/gram/lang/syntax"
	"github.com/gram-machine/gram/term"
)

// usePrim elaborates a primitive with n arguments. Missing ones are parameters of a
// λ; an argument under that λ is treated as that of a def would be.
func (e *Elaborator) usePrim(p core.Prim, span syntax.Span, n int) val {
	k := p.Arity()
	opens := len(e.opens)
	if n < k {
		e.partialPrim(p, span, n)
	}
	args := syntax.Each(k, func(int) val { return e.argVal() })
	v := e.wrap(e.primitive(p, args, span), opens)
	return e.apply(v, n-k)
}

// partialPrim completes the arguments of p by parameters of λs.
func (e *Elaborator) partialPrim(p core.Prim, span syntax.Span, given int) {
	open := func(op core.Op, name string, t core.Type, u core.Ref, at syntax.Span) binding {
		x := e.Core.NewVar(core.VarInfo{Name: name, Type: t, Pos: core.PosOf(span)})
		e.opens = append(e.opens, core.Opening{Node: core.Node{Op: op, X: x, B: u, Pos: core.PosOf(span)}})
		b := e.bound(x)
		b.span = at
		return b
	}
	all := make([]binding, p.Arity())
	for i := range all {
		if i >= given {
			all[i] = open(core.LamOp, [...]string{"x", "y", "z"}[min(i, 2)], e.Types.Open(), 0, span)
			continue
		}
		b := syntax.Pop(&e.args)
		if b.kind == nodeBinding && !e.Core.Nodes[b.val.node].Value {
			b = open(core.LetOp, "x", b.val.typ, b.val.node, b.span)
		}
		all[i] = b
	}
	slices.Reverse(all)
	e.args = append(e.args, all...)
}

func (e *Elaborator) primitive(p core.Prim, args []val, span syntax.Span) val {
	why := reason{kind: takesReason, text: p.Name()}
	switch {
	case p == core.PrimAlong || p == core.PrimGrad:
		return e.derivative(p, args, span)
	case len(args) > 2: // a declared symbol of numbers
		e.wantReal(why, args...)
		from, to, _ := e.store(args)
		return e.add(core.Node{Op: core.SymbolOp, Sym: p.Symbol(), Pos: core.PosOf(span), A: from, B: to}, core.R, span)
	}
	a, b := args[0], val{}
	if len(args) == 2 {
		b = args[1]
	}
	n := core.Node{Op: core.PrimOp, Val: float64(p), Pos: core.PosOf(span), A: a.node, B: b.node}
	size := e.Types.OpenSize()
	row := e.Types.Vec(core.R, e.Types.OpenSize())
	takes, gives := row, core.R
	switch p {
	case core.PrimDot, core.PrimTotal, core.PrimMaximum:
	case core.PrimMatvec:
		takes, gives = e.Types.Vec(row, size), e.Types.Vec(core.R, size)
	case core.PrimTranspose:
		columns := core.Size(e.Types.At(row).N)
		takes, gives = e.Types.Vec(row, size), e.Types.Vec(e.Types.Vec(core.R, size), columns)
	case core.PrimPick:
		return e.pick(n, a, b, span)
	case core.PrimOneHot:
		return e.oneHot(n, a, b, span)
	case core.PrimUniform, core.PrimNormal:
		e.wantReal(why, a, b)
		e.random = e.random || e.values
		return e.add(n, core.R, span)
	case core.PrimAdd:
		n.Op = core.FunOp
		return e.operation(n, "+", a, b, span)
	default:
		n.Op, n.Sym = core.FunOp, p.Symbol()
		return e.operation(n, p.Name(), a, b, span)
	}
	if e.want(a, takes, why) && (n.B == 0 || e.want(b, row, why)) {
		e.needSize(takes, span, p)
	}
	return e.add(n, gives, span)
}

// operations makes an operation and those to its left.
func (e *Elaborator) operations(x syntax.Expr) val {
	ops, x := e.act.unit.File.Spine(x, syntax.BinExpr)
	a := e.eval(x, 0)
	for _, op := range slices.Backward(ops) {
		a = e.binary(op, a, e.eval(e.kids(op)[1], 0))
	}
	return a
}

// operators has the symbols of the operators.
var operators = map[syntax.Token]term.Symbol{syntax.PlusTok: term.NoSymbol, syntax.MinusTok: term.Sub,
	syntax.StarTok: term.Mul, syntax.SlashTok: term.Div}

// binary makes a + b, a - b, a * b or a / b. Two numerals are folded if the result is finite.
func (e *Elaborator) binary(x syntax.Expr, a, b val) val {
	n := e.expr(x)
	if na, nb := e.Core.Nodes[a.node], e.Core.Nodes[b.node]; na.Op == core.NumOp && nb.Op == core.NumOp {
		if r := operators[n.Op].Eval(na.Val, nb.Val); !math.IsInf(r, 0) && !math.IsNaN(r) {
			e.Core.Drop(b.node)
			e.Core.Drop(a.node)
			return e.number(r, e.span(x))
		}
	}
	if e.fam.depth > 0 {
		sa, onA, okA := e.numeral(a.node)
		sb, onB, okB := e.numeral(b.node)
		if okA && okB && (onA || onB) {
			s := e.finite(e.arithmetic(n.Op, sa, sb))
			e.Core.Drop(b.node)
			e.Core.Drop(a.node)
			return e.staticNumber(s, e.span(x))
		}
	}
	c := core.Node{Op: core.FunOp, Sym: operators[n.Op], Pos: e.at(n.OpPos), A: a.node, B: b.node}
	return e.operation(c, n.Op.String(), a, b, e.span(x))
}

func (e *Elaborator) wantReal(why reason, vs ...val) {
	for _, v := range vs {
		e.want(v, core.R, why)
	}
}

// negate makes -a; -1 is a numeral.
func (e *Elaborator) negate(x syntax.Expr, a val) val {
	if n := e.Core.Nodes[a.node]; n.Op == core.NumOp {
		e.Core.Drop(a.node)
		return e.number(-n.Val, e.span(x))
	}
	if s, depends, ok := e.numeral(a.node); ok && depends {
		e.Core.Drop(a.node)
		return e.staticNumber(e.Static.Add(term.StaticNode{Op: term.StaticNeg, A: s}), e.span(x))
	}
	return e.operation(core.Node{Op: core.FunOp, Sym: term.Neg, Pos: e.at(e.expr(x).OpPos), A: a.node}, "-", a, val{},
		e.span(x))
}

// power makes a^s: 1, or let y = a in y*(y*…).
func (e *Elaborator) power(x syntax.Expr, exponent natural, a val) val {
	s := exponent.n
	span := e.span(x)
	if _, depends, ok := e.numeral(a.node); !e.values && (ok && depends || exponent.static != 0) {
		return e.staticPower(a, exponent, span)
	}
	vector := !e.user.Duals && exponent.static == 0 && e.Types.At(a.typ).Kind != core.Real && e.Types.Array(a.typ)
	if !vector {
		e.wantReal(reason{kind: takesReason, text: "^"}, a)
		a.typ = core.R
	}
	if e.values && !vector && (exponent.static != 0 || s > 1) {
		return e.finish(x, core.Node{Op: core.PowerOp, A: a.node, X: core.Var(e.staticOf(exponent))}, core.R)
	}
	if n := e.Core.Nodes[a.node]; n.Op == core.NumOp {
		if r := powNat(n.Val, s); !math.IsInf(r, 0) {
			e.Core.Drop(a.node)
			return e.number(r, span)
		}
	}
	if s == 0 {
		return e.number(1, span)
	}
	if s > uint64(e.opt.MaxNodes) {
		e.TooManyNodes()
		return e.bad(span)
	}
	pos, at := e.at(e.expr(x).OpPos), core.PosOf(a.span)
	y := e.Core.NewVar(core.VarInfo{Name: "y", Type: a.typ, Pos: at})
	p := val{node: e.Core.Add(core.Node{Op: core.VarOp, X: y, Pos: at, Type: a.typ}), typ: a.typ, span: span}
	for range s - 1 {
		l := val{node: e.Core.Add(core.Node{Op: core.VarOp, X: y, Pos: at, Type: a.typ}), typ: a.typ, span: span}
		p = e.operation(core.Node{Op: core.FunOp, Sym: term.Mul, Pos: pos, A: l.node, B: p.node}, "^", l, p, span)
	}
	return e.add(core.Node{Op: core.LetOp, X: y, A: p.node, B: a.node, Pos: pos}, p.typ, span)
}

// staticPower makes a^s of a numeral that depends on an index: a*(a*…).
func (e *Elaborator) staticPower(a val, exponent natural, span syntax.Span) val {
	const most = term.MaxStatic / 2
	if exponent.static != 0 || exponent.n == 0 || exponent.n > most {
		e.giveUp()
		return e.bad(span)
	}
	s, _, _ := e.numeral(a.node)
	p := s
	for range exponent.n - 1 {
		p = e.finite(e.arithmetic(syntax.StarTok, s, p))
	}
	e.Core.Drop(a.node)
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

// numberType is the type of an occurrence of a numeral.
func (e *Elaborator) numberType(x float64) core.Type {
	if !e.selects || e.values {
		return core.R
	}
	return e.numbers.Numeral(x)
}

// operated is the type of what an operation gives whose operand is a number or a vector of type t: its numbers are none
// of data.
func (e *Elaborator) operated(t core.Type) core.Type {
	if !e.selects {
		return t
	}
	switch n := e.Types.At(t); n.Kind {
	case core.Vec:
		return e.Types.Vec(e.operated(n.A), core.Size(n.N))
	case core.Open:
		e.later = append(e.later, t)
		return t
	}
	return core.R
}

// oneHot makes the vector of n numbers of which number x is 1 and the others are 0.
func (e *Elaborator) oneHot(n core.Node, a, b val, span syntax.Span) val {
	size := e.Core.Nodes[a.node]
	if size.Op != core.NumOp || size.Val != math.Trunc(size.Val) || size.Val < 1 || size.Val > math.MaxInt32 {
		e.reportHere(a.span, notStatic, "onehot takes the size of the vector, a static number, and an index")
		return e.bad(span)
	}
	n.A, n.B = b.node, 0
	t := e.Types.Vec(core.R, e.Types.KnownSize(int(size.Val)))
	e.chosen(b, t, "onehot", span)
	return e.placed(e.add(n, t, span))
}

// pick makes component x of the vector v.
func (e *Elaborator) pick(n core.Node, v, x val, span syntax.Span) val {
	elem, _, ok := e.components(v)
	if !ok {
		return e.bad(span)
	}
	e.chosen(x, v.typ, "pick", span)
	return e.placed(e.add(n, elem, span))
}

// chosen notes that x selects one of the components of a vector of type t.
func (e *Elaborator) chosen(x val, t core.Type, name string, span syntax.Span) {
	if e.Types.At(x.typ).Kind == core.Open {
		e.Types.Unify(x.typ, e.Types.Real())
	}
	if e.Types.At(x.typ).Kind != core.Real {
		e.want(x, core.R, reason{kind: takesReason, text: name})
		return
	}
	if !e.values {
		e.indices = append(e.indices, core.Selection{T: x.typ, Of: t, Span: x.span, At: span, Name: name, Notes: e.chain(4)})
	}
}

// derivative makes jvp f x v, the derivative of f at x along v, or grad f x. The lowering differentiates the term of f.
func (e *Elaborator) derivative(p core.Prim, args []val, span syntax.Span) val {
	f, x := args[0], args[1]
	if e.values {
		e.reportHere(span, "derivative in a default value", "default values are computed without derivatives")
		return e.bad(span)
	}
	why := reason{kind: takesReason, text: p.Name()}
	a, b := e.Types.Open(), core.R
	gives := a
	if p == core.PrimAlong {
		b = e.Types.Open()
		gives = b
	}
	ok := e.want(f, e.Types.Arrow(a, b), why)
	for _, u := range args[1:] {
		ok = e.want(u, a, why) && ok
	}
	if ok {
		e.differentiable(a, x.span, p.Name()+" differentiates by")
		e.differentiable(b, f.span, p.Name()+" takes a function that gives")
	}
	from, to, _ := e.store(args)
	n := core.Node{Op: core.DerivativeOp, Val: float64(p), Pos: core.PosOf(span), A: from, B: to}
	return e.add(n, gives, span)
}

// differentiable leaves for the end the check that a type is built of R, products and vectors.
func (e *Elaborator) differentiable(t core.Type, span syntax.Span, what string) {
	sized := true
	var good func(t core.Type) bool
	good = func(t core.Type) bool {
		switch n := e.Types.At(t); n.Kind {
		case core.Prod:
			return good(n.A) && good(n.B)
		case core.Vec:
			sized = sized && e.Types.SizeAt(core.Size(n.N)).Known
			return good(n.A)
		case core.Real, core.Open:
			return true
		}
		return false
	}
	e.atEnd(span, func(open bool) (headline, label string) {
		switch {
		case len(e.diags) > 0: // a type may be wrong because of an error
		case !good(t):
			return "no derivative", what + " numbers, products and vectors of numbers, not " + e.Types.Text().Of(t)
		case !sized && !open:
			return sizeNotKnown, "the size of this vector is not known: annotate it, as in (v : R^3)"
		}
		return "", ""
	})
}
