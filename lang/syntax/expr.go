package syntax

// The precedences of open operators, loosest first.
const (
	precPrefix uint8 = iota + 1 // fun lin let if vec sum list
	precAdd
	precMul
	precNeg
	precPow
	precApp
)

// frameKind is what a frame of the expression stack waits for.
type frameKind uint8

// The frames up to compFrame close by themselves at whatever ends an expression;
// the others wait for a token of their own.
const (
	binFrame   frameKind = iota // a op ·
	negFrame                    // - ·
	appFrame                    // f ·
	funFrame                    // fun p … -> ·
	linFrame                    // lin a -> ·
	bodyFrame                   // let p … = e in ·
	elseFrame                   // if a c b then e else ·
	compFrame                   // vec i < s -> ·
	parenFrame                  // ( · , · : )
	listFrame                   // [ · ; · ]
	vecFrame                    // [| · , · |]
	letFrame                    // let p … = · in
	ifFrame                     // if · c
	condFrame                   // if a c · then
	thenFrame                   // if a c b then · else
)

// frame is an open expression. Its operands so far are vals[base:].
type frame struct {
	kind     frameKind
	op       Token  // the operator, the comparison, or the keyword
	told     bool   // a wrong separator has been reported
	start    uint32 // where the form starts, without a left operand
	opPos    uint32
	base     uint32
	poff, pn uint32   // patterns; of a compFrame, poff is its index in parser.heads
	typ      TypeExpr // of the result: let f x : T
}

// compHead is the index of vec, sum or list.
type compHead struct {
	text string
	span Span
}

// prec is the precedence with which an open frame holds the operand after it.
func (fr *frame) prec() uint8 {
	switch fr.kind {
	case binFrame:
		return binPrec(fr.op)
	case negFrame:
		return precNeg
	case appFrame:
		return precApp
	}
	return precPrefix
}

// binPrec is the precedence of a binary operator, 0 for other tokens.
func binPrec(t Token) uint8 {
	switch t {
	case PlusTok, MinusTok:
		return precAdd
	case StarTok, SlashTok:
		return precMul
	}
	return 0
}

// expr parses an expression up to the end of the declaration or of the body.
// Operands and operators alternate: an operand is a leaf or opens a frame, and an
// operator first closes the frames that bind more tightly.
func (p *parser) expr() operand {
	p.open = 0
	want := true
	for {
		if want {
			want = p.operand()
			continue
		}
		var done bool
		if want, done = p.operator(); done {
			break
		}
	}
	result := p.vals[0]
	p.vals, p.frames, p.heads = p.vals[:0], p.frames[:0], p.heads[:0]
	return result
}

// push makes o the operand that the next operator applies to.
func (p *parser) push(o operand) { p.vals = append(room(&p.opt, p.vals), o) }

// top is the operand that the next operator applies to.
func (p *parser) top() *operand { return &p.vals[len(p.vals)-1] }

// openFrame pushes a frame; operands of it that are there already are counted by have.
func (p *parser) openFrame(fr frame, have int) {
	fr.base = uint32(len(p.vals) - have)
	p.frames = append(room(&p.opt, p.frames), fr)
}

// operand parses a leaf or opens a frame; it reports whether an operand is still wanted.
func (p *parser) operand() (want bool) {
	start := p.tok.start
	switch k := p.tok.kind; k {
	case IdentTok, NumberTok:
		p.push(p.leaf())
	case HashTok:
		p.church()
	case MinusTok:
		p.openFrame(frame{kind: negFrame, start: start, opPos: start}, 0)
		p.next()
		return true
	case LParenTok:
		p.next()
		if p.opSymbol(start) {
			return false
		}
		p.openFrame(frame{kind: parenFrame, op: k, start: start}, 0)
		return true
	case LBrackTok:
		p.next()
		if p.at(RBrackTok) {
			span := Span{start, p.tok.end}
			p.next()
			p.push(operand{e: p.add(ExprNode{Kind: ListExpr, Span: span}), span: span})
			return false
		}
		p.openFrame(frame{kind: listFrame, op: k, start: start}, 0)
		return true
	case LVecTok:
		p.next()
		p.openFrame(frame{kind: vecFrame, op: k, start: start}, 0)
		return true
	case SizeTok:
		p.push(p.sizeOf())
	case backslashTok:
		p.expected("an expression", "a function is written `fun x -> …`")
		return p.prefix(FunTok)
	default:
		if k.startsPrefix() {
			return p.prefix(k)
		}
		p.noOperand()
	}
	return false
}

// opSymbol parses the rest of (+), (-), ( * ) or (/), after the parenthesis.
func (p *parser) opSymbol(start uint32) bool {
	if binPrec(p.tok.kind) == 0 {
		return false
	}
	ahead := p.s
	ahead.mute = true
	close := ahead.scan()
	if close.kind != RParenTok || p.inDecl && close.col1 {
		return false
	}
	n := ExprNode{Kind: OpExpr, Op: p.tok.kind, OpPos: p.tok.start, Span: Span{start, close.end}}
	p.next()
	p.next()
	p.push(operand{e: p.add(n), span: n.Span})
	return true
}

// church parses #s.
func (p *parser) church() {
	start := p.tok.start
	p.next()
	s := p.size(true)
	p.closeOpen()
	n := ExprNode{Kind: ChurchExpr, Span: Span{start, s.span.End}}
	p.push(operand{e: p.add(n, s.e), span: n.Span})
}

// operator handles the token after an operand: it reports whether an operand is
// wanted next, or whether the expression is done.
func (p *parser) operator() (want, done bool) {
	switch k := p.tok.kind; {
	case binPrec(k) > 0:
		p.reduce(binPrec(k))
		at := p.tok.start
		p.openFrame(frame{kind: binFrame, op: k, opPos: at, start: p.top().span.Start}, 1)
		p.next()
		if k == StarTok && p.at(StarTok) && p.tok.start == at+1 {
			p.expected("an expression", "a power is written x^2")
			return p.recover(), false
		}
		if k == SlashTok && p.at(SlashTok) && p.tok.start == at+1 {
			p.expected("an expression", "a comment starts with `-- `")
			return p.recover(), false
		}
		return true, false
	case k == CaretTok:
		return p.power(), false
	case k == DotParenTok || k == dotBrackTok:
		p.projection()
		return false, false
	case k.startsAtom() || k == SizeTok || k.startsPrefix() || k == UnderTok || k == StringTok || k == backslashTok:
		return p.application(), false
	}
	return p.closer()
}

// application opens f · before an argument.
func (p *parser) application() (want bool) {
	k := p.tok.kind
	if !k.startsAtom() || p.top().form != plainForm {
		if !p.notArgument() {
			return p.recover()
		}
		if k.startsPrefix() && p.closesLet() {
			return true
		}
	}
	p.reduce(precApp)
	p.openFrame(frame{kind: appFrame, opPos: p.tok.start, start: p.top().span.Start}, 1)
	return true
}

// power parses ^s after an operand.
func (p *parser) power() (want bool) {
	if p.top().form == powForm {
		p.expected("an operator other than `^`", "powers do not chain; write (x^2)^3 or x^6")
		return p.recover()
	}
	at := p.tok.start
	p.reduce(precApp)
	base := *p.top()
	p.next()
	s := p.size(true)
	p.closeOpen()
	n := ExprNode{Kind: PowExpr, Op: CaretTok, OpPos: at, Span: Span{base.span.Start, s.span.End}}
	*p.top() = operand{e: p.add(n, base.e, s.e), span: n.Span, form: powForm}
	return false
}

// projection parses .(s) after an operand.
func (p *parser) projection() {
	at, k := p.tok.start, p.tok.kind
	v := *p.top()
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
	s := p.size(false)
	if !p.at(closing) {
		p.expected("`"+closing.String()+"`", "an index is "+sizeHelp, p.opener(k, at))
		if !p.skipTo(closing) {
			s = p.bad(s.span)
		}
	}
	n := ExprNode{Kind: ProjExpr, OpPos: at, Span: Span{v.span.Start, max(p.prevEnd, s.span.End)}}
	if p.at(closing) {
		n.Span.End = p.tok.end
		p.next()
	}
	p.open = 0
	*p.top() = operand{e: p.add(n, v.e, s.e), span: n.Span}
}

// reduce closes the open frames that bind at least as tightly as prec. With
// precPrefix those are all up to a frame that waits for a token of its own.
func (p *parser) reduce(prec uint8) {
	for len(p.frames) > 0 {
		fr := &p.frames[len(p.frames)-1]
		if fr.kind >= parenFrame || fr.prec() < prec {
			return
		}
		p.closeFrame(fr)
		p.frames = p.frames[:len(p.frames)-1]
	}
}

// closeFrame turns the operands of a frame into its expression.
func (p *parser) closeFrame(fr *frame) {
	args := p.vals[fr.base:]
	n := ExprNode{Op: fr.op, OpPos: fr.opPos, Span: Span{fr.start, args[len(args)-1].span.End}}
	switch fr.kind {
	case binFrame:
		n.Kind = BinExpr
	case negFrame:
		n.Kind = NegExpr
	case appFrame:
		n.Kind, n.OpPos = AppExpr, 0
	case funFrame:
		n.Kind, n.Op = FunExpr, 0
	case linFrame:
		n.Kind, n.Op = LinExpr, 0
	case bodyFrame:
		n.Kind, n.Op = LetExpr, 0
	case elseFrame:
		n.Kind = IfExpr
	case compFrame:
		head := p.heads[fr.poff]
		p.heads = p.heads[:fr.poff]
		n.Kind, n.Text, n.TextSpan = CompExpr, head.text, head.span
	}
	if fr.kind != compFrame {
		n.poff, n.pn = fr.poff, fr.pn
	}
	e := p.addMany(n, args)
	p.vals = append(p.vals[:fr.base], operand{e: e, span: n.Span})
}
