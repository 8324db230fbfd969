package syntax

// The precedences of expressions, loosest first.
const (
	PrecPrefix = iota // fun lin let if vec sum list
	PrecAdd           // + -
	PrecMul           // * /
	PrecNeg           // -a
	PrecPow           // a ^ s
	PrecApp           // f a
	PrecAtom
)

// Precedence returns the precedence of a binary operator, 0 for other tokens.
func (t Token) Precedence() uint8 {
	switch t {
	case PlusTok, MinusTok:
		return PrecAdd
	case StarTok, SlashTok:
		return PrecMul
	}
	return 0
}

// MaxNest bounds how deep expressions, patterns and types stand in one another.
// Operators, arguments, elements and a let in the body of a let don't count.
const MaxNest = 10_000

// TooDeep is the headline of the error for deeper nesting.
const TooDeep = "nested too deep"

// enter counts a level of nesting, leave ends it. Nesting that is too deep is reported, and nothing after it is read.
func (p *parser) enter() bool {
	p.nest++
	if p.nest > MaxNest && !p.tooDeep {
		p.reportHere(TooDeep, "more than 10000 levels of parentheses and other forms in one another")
		p.tooDeep = true
		p.next()
	}
	return !p.tooDeep
}

func (p *parser) leave() { p.nest-- }

// expr parses an expression up to a token that can't be a part of it. It is a part of the form fr, or 0 if fr is nil.
func (p *parser) expr(fr *form) operand {
	defer p.leave()
	if !p.enter() {
		return p.bad(p.span())
	}
	return p.operators(p.operand(fr), PrecAdd)
}

// operand parses an operand: what operators and arguments stand between.
func (p *parser) operand(fr *form) operand {
	start := p.tok.start
	if p.sumIsName() {
		return p.leaf()
	}
	if p.startsScan() {
		return p.scan()
	}
	switch k := p.tok.kind; k {
	case IdentTok, NumberTok:
		return p.leaf()
	case HashTok: // #s
		p.next()
		s := p.size(PrecAtom)
		return p.made(ExprNode{Kind: ChurchExpr, Span: Span{start, s.span.End}}, s.e)
	case MinusTok:
		return p.negation()
	case LParenTok:
		p.next()
		if o, ok := p.opSymbol(start); ok {
			return o
		}
		return p.bracket(&form{kind: parenForm, op: k, start: start})
	case LBrackTok:
		p.next()
		if p.at(RBrackTok) {
			span := Span{start, p.tok.end}
			p.next()
			return p.made(ExprNode{Kind: ListExpr, Span: span})
		}
		return p.bracket(&form{kind: listForm, op: k, start: start})
	case LVecTok:
		p.next()
		return p.bracket(&form{kind: vecForm, op: k, start: start})
	case SizeTok:
		return p.sizeOf()
	case backslashTok:
		p.expected("an expression", "a function is written `fun x -> …`")
		return p.prefix(FunTok)
	default:
		if k.startsPrefix() {
			return p.prefix(k)
		}
		return p.noOperand(fr)
	}
}

// sumIsName reports whether the current token is the function sum, and not the start of sum i < s -> e.
func (p *parser) sumIsName() bool {
	if !p.at(SumTok) {
		return false
	}
	next := p.ahead()
	scan := func() Token { return next().kind }
	switch k := scan(); k {
	case IdentTok, UnderTok:
	case LessTok, LessEqTok, ArrowTok, fatArrowTok, EqTok, NumberTok:
		return false
	default:
		return !k.IsKeyword() || k == InTok || k == ThenTok || k == ElseTok
	}
	switch scan() {
	case LessTok:
	case InTok:
		return p.waiting(InTok)
	case LessEqTok, ArrowTok, fatArrowTok, EqTok, ColonTok:
		return false
	default:
		return true
	}
	for {
		switch scan() {
		case IdentTok, NumberTok, PlusTok, MinusTok, StarTok, LParenTok, RParenTok, SizeTok:
		case ThenTok:
			return true // if sum v < 3 then
		default:
			return false
		}
	}
}

func (p *parser) negation() operand {
	defer p.leave()
	start := p.tok.start
	p.next()
	if !p.enter() {
		return p.bad(p.span())
	}
	a := p.operators(p.operand(nil), PrecNeg)
	return p.made(ExprNode{Kind: NegExpr, Op: MinusTok, OpPos: start, Span: Span{start, a.span.End}}, a.e)
}

// opSymbol parses the rest of (+), (-), ( * ) or (/), after the parenthesis.
func (p *parser) opSymbol(start uint32) (operand, bool) {
	if p.tok.kind.Precedence() == 0 {
		return operand{}, false
	}
	close := p.ahead()()
	if close.kind != RParenTok {
		return operand{}, false
	}
	n := ExprNode{Kind: OpExpr, Op: p.tok.kind, OpPos: p.tok.start, Span: Span{start, close.end}}
	p.next()
	p.next()
	return p.made(n), true
}

// operators parses what follows the operand left, as far as it binds at least as tightly as prec.
func (p *parser) operators(left operand, prec uint8) operand {
	for !p.unwinding && !p.letEnds {
		p.last = left.e
		switch k := p.tok.kind; {
		case k.Precedence() > 0:
			if k.Precedence() < prec {
				return left
			}
			left = p.binary(left)
		case k == CaretTok:
			left = p.power(left)
		case k == DotParenTok || k == dotBrackTok:
			left = p.projection(left)
		case p.joins():
			return left
		case k.startsAtom() || k == SizeTok || k.startsPrefix() || k == UnderTok || k == StringTok || k == backslashTok:
			left = p.application(left)
		default:
			return left
		}
	}
	return left
}

// binary parses an operator and its right side.
func (p *parser) binary(left operand) operand {
	op, at := p.tok.kind, p.tok.start
	p.next()
	if op == StarTok && p.at(StarTok) && p.tok.start == at+1 {
		p.expected("an expression", "a power is written x^2")
		return p.recover()
	}
	right := p.operators(p.operand(nil), op.Precedence()+1)
	return p.join(op, at, left, right)
}

// application parses an argument of f.
func (p *parser) application(f operand) operand {
	k := p.tok.kind
	if !k.startsAtom() && !p.sumIsName() || f.form != plainForm || p.startsScan() {
		if !p.notArgument(f) {
			return p.recover()
		}
		if k == LetTok && p.inner != nil && p.inner.kind == letForm {
			p.letEnds = true
			return f
		}
	}
	a := p.operand(nil)
	for p.at(DotParenTok) || p.at(dotBrackTok) {
		a = p.projection(a)
	}
	return p.made(ExprNode{Kind: AppExpr, Span: Span{f.span.Start, a.span.End}}, f.e, a.e)
}

// power parses ^s after an operand.
func (p *parser) power(base operand) operand {
	if base.form == powForm {
		p.expected("an operator other than `^`", "powers do not chain; write (x^2)^3 or x^6")
		return p.recover()
	}
	at := p.tok.start
	p.next()
	s := p.size(PrecAtom)
	n := ExprNode{Kind: PowExpr, Op: CaretTok, OpPos: at, Span: Span{base.span.Start, s.span.End}}
	return operand{e: p.add(n, base.e, s.e), span: n.Span, form: powForm}
}

// projection parses .(s) after an operand.
func (p *parser) projection(v operand) operand {
	at, k := p.tok.start, p.tok.kind
	closing := RParenTok
	if k == dotBrackTok {
		closing = RBrackTok
		p.expected("`.(`", "a projection is written v.(0)")
	} else if v.form == powForm {
		p.expected("an operator", "put parentheses around the power: (x^n).(0)")
	} else if v.form == sizeForm {
		p.expected("an operator", "`size` takes the name of a data list alone")
	}
	p.next()
	s := p.size(PrecAdd)
	if p.at(dotTok) {
		return p.slice(v, s, at)
	}
	n := ExprNode{Kind: ProjExpr, OpPos: at}
	for p.at(CommaTok) {
		n.Span = Span{v.span.Start, s.span.End}
		v.e = p.add(n, v.e, s.e)
		n.Op, n.OpPos = CommaTok, p.tok.start
		p.next()
		s = p.size(PrecAdd)
	}
	if !p.at(closing) {
		p.expected("`"+closing.String()+"`", "an index is "+sizeHelp, p.opener(k, at))
		if !p.skipTo(closing) {
			s = p.bad(s.span)
		}
	}
	n.Span = Span{v.span.Start, max(p.prevEnd, s.span.End)}
	if p.at(closing) {
		n.Span.End = p.tok.end
		p.next()
	}
	p.open = 0
	return p.made(n, v.e, s.e)
}

// slice parses v.(a..b) behind a: it stands for slice v a b.
func (p *parser) slice(v, from operand, at uint32) operand {
	dot := p.tok.end
	if p.next(); !p.at(dotTok) || p.tok.start != dot {
		p.expected("`)`", "a slice is written v.(a..b)")
		return p.bad(from.span)
	}
	p.next()
	to := p.size(PrecAdd)
	n := ExprNode{Kind: AppExpr, OpPos: at, Span: Span{v.span.Start, to.span.End}}
	f := p.add(ExprNode{Kind: NameExpr, Text: "slice", Span: Span{at, at + 1}})
	f = p.add(n, p.add(n, f, v.e), from.e)
	if p.at(RParenTok) {
		n.Span.End = p.tok.end
		p.next()
	} else {
		p.expected("`)`", "a slice is written v.(a..b)", p.opener(DotParenTok, at))
	}
	n.Op = DotParenTok
	p.open = 0
	return p.made(n, f, to.e)
}

// whole parses an expression up to the end of the declaration or of the body.
func (p *parser) whole() operand {
	p.open = 0
	o := p.expr(nil)
	for !p.unwinding && !p.at(EOF) && !p.joined() {
		if p.startsDecl() {
			p.endHere()
			break
		}
		o = p.leftOver(o)
	}
	p.unwinding = false
	return o
}

// leftOver reports a token after a complete expression, and continues after it.
func (p *parser) leftOver(o operand) operand {
	what := "the end of the declaration"
	if p.inBody {
		what = "the end of the program"
	}
	switch p.tok.kind {
	case RParenTok, RBrackTok, RVecTok:
		p.expected(what, "this closes nothing")
		p.next()
	case ColonTok:
		p.expected(what, "an annotation stands in parentheses: (e : T)")
		p.next()
		p.typ()
	default:
		p.expected(what, p.strayHint())
		return p.recover()
	}
	return p.operators(o, PrecAdd)
}

// sizeHelp says what a static expression is.
const sizeHelp = "made of literals, params, indices, size x, + - * and parentheses"

// size parses a static expression whose operators bind at least as tightly as prec: with PrecAtom, a literal, a name or
// a parenthesis. After an error the result is bad and the current token is where it was found, or, for an atom, behind
// the parentheses that are open.
func (p *parser) size(prec uint8) operand {
	o, ok := p.sizeOperators(prec)
	if !ok {
		o = p.bad(p.span())
	}
	if prec == PrecAtom {
		p.closeOpen()
	}
	return o
}

// sizeOperators parses operators that bind at least as tightly as prec.
func (p *parser) sizeOperators(prec uint8) (operand, bool) {
	left, ok := p.sizeOperand(prec == PrecAtom)
	for ok && sizePrec(p.tok.kind) >= prec {
		op, at := p.tok.kind, p.tok.start
		p.next()
		var right operand
		if right, ok = p.sizeOperators(sizePrec(op) + 1); ok {
			left = p.join(op, at, left, right)
		}
	}
	return left, ok
}

// sizeOperand parses a literal, a name, size x or a parenthesis.
func (p *parser) sizeOperand(atom bool) (o operand, ok bool) {
	what, hint := "a size", "a size is "+sizeHelp
	if atom {
		what = "a literal, a name or `(`"
	}
	switch k := p.tok.kind; {
	case k == LParenTok:
		list, span, ok := p.sizeList(1)
		if ok {
			o = operand{e: list[0].e, span: span}
		}
		return o, ok
	case k == NumberTok || k == IdentTok:
		return p.leaf(), true
	case k == SizeTok && !atom:
		return p.sizeOf(), true
	case k == SizeTok:
		hint = "put parentheses around `size x` here"
	case k == MinusTok:
		hint = "a size is a natural number, never negative"
	}
	p.expected(what, hint)
	return o, false
}

// sizeList parses a parenthesis with up to most sizes, separated by commas. One that fails is left open.
func (p *parser) sizeList(most int) (list []operand, span Span, ok bool) {
	defer p.leave()
	if !p.enter() {
		return nil, span, false
	}
	start := p.tok.start
	p.next()
	for ok = true; ok && (len(list) == 0 || len(list) < most && p.accept(CommaTok)); {
		var o operand
		o, ok = p.sizeOperators(PrecAdd)
		list = append(list, o)
	}
	if ok && !p.at(RParenTok) {
		p.expected("`)`", "a size is "+sizeHelp, p.opener(LParenTok, start))
		ok = false
	}
	if !ok {
		p.open++
		return nil, span, false
	}
	span = Span{start, p.tok.end}
	p.next()
	return list, span, true
}

// sizeOf parses size x.
func (p *parser) sizeOf() operand {
	start := p.span()
	p.next()
	if !p.at(IdentTok) {
		p.expected("the name of a data list after `size`", p.reservedHint())
		return p.bad(start)
	}
	n := ExprNode{Kind: SizeExpr, Span: Span{start.Start, p.tok.end}, Text: p.text(), TextSpan: p.span()}
	p.next()
	return operand{e: p.add(n), span: n.Span, form: sizeForm}
}

// leaf parses a name or a number.
func (p *parser) leaf() operand {
	n := ExprNode{Kind: NameExpr, Span: p.span(), Text: p.text()}
	if p.at(NumberTok) {
		n.Kind, n.Num = NumExpr, p.tok.num
	}
	p.next()
	return p.made(n)
}

// sizePrec is the precedence of an operator in a static expression, 0 for others.
func sizePrec(t Token) uint8 {
	if t == SlashTok {
		return 0
	}
	return t.Precedence()
}
