package syntax

// sizeHelp says what a static expression is.
const sizeHelp = "made of literals, params, indices, size x, + - * and parentheses"

// size parses a static expression. If atom is set, that is a literal, a name or a
// parenthesis. After an error the result is bad and the current token is where it was found.
func (p *parser) size(atom bool) operand {
	var o operand
	var ok bool
	if atom {
		o, ok = p.sizeOperand(true)
	} else {
		o, ok = p.sizeOperators(PrecAdd)
	}
	if !ok {
		return p.bad(p.span())
	}
	return o
}

// sizeOperators parses operators that bind at least as tightly as prec.
func (p *parser) sizeOperators(prec uint8) (operand, bool) {
	left, ok := p.sizeOperand(false)
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
func (p *parser) sizeOperand(atom bool) (operand, bool) {
	switch p.tok.kind {
	case LParenTok:
		return p.sizeParen()
	case NumberTok, IdentTok:
		return p.leaf(), true
	case SizeTok:
		if !atom {
			return p.sizeOf(), true
		}
		p.expected("a literal, a name or `(`", "put parentheses around `size x` here")
		return operand{}, false
	}
	what := "a size"
	if atom {
		what = "a literal, a name or `(`"
	}
	hint := "a size is " + sizeHelp
	if p.at(MinusTok) {
		hint = "a size is a natural number, never negative"
	}
	p.expected(what, hint)
	return operand{}, false
}

// sizeParen parses a parenthesis. One that fails is left open.
func (p *parser) sizeParen() (operand, bool) {
	list, span, ok := p.sizeList(1)
	if !ok {
		return operand{}, false
	}
	return operand{e: list[0].e, span: span}, true
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
	return operand{e: p.add(n), span: n.Span}
}

// sizePrec is the precedence of an operator in a static expression, 0 for others.
func sizePrec(t Token) uint8 {
	if t == SlashTok {
		return 0
	}
	return t.Precedence()
}
