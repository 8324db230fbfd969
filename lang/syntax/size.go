package syntax

// sizeHelp says what a static expression is.
const sizeHelp = "made of literals, params, indices, size x, + - * and parentheses"

// sizeFrame is an open part of a static expression: a parenthesis, or an
// operator that waits for its right operand.
type sizeFrame struct {
	op   Token // LParenTok or the operator
	at   uint32
	left operand
}

// size parses a static expression; atom asks for a literal, a name or parentheses
// alone. After an error the result is bad and the current token is where it was found.
func (p *parser) size(atom bool) operand {
	depth := 0
	for {
		cur, opened := p.sizeOperand(atom, depth)
		if opened {
			depth++
			continue
		}
		if cur.e == 0 {
			return p.sizeFail(depth)
		}
		for cur.e != 0 && p.at(RParenTok) && depth > 0 {
			cur = p.reduceSize(cur, 0)
			open := p.sizes[len(p.sizes)-1]
			p.sizes = p.sizes[:len(p.sizes)-1]
			cur.span = Span{open.at, p.tok.end}
			depth--
			p.next()
		}
		if atom && depth == 0 {
			return cur
		}
		prec := sizePrec(p.tok.kind)
		if prec == 0 {
			if depth > 0 {
				p.expected("`)`", "a size is "+sizeHelp, p.opener(LParenTok, p.lastSizeParen()))
				return p.sizeFail(depth)
			}
			return p.reduceSize(cur, 0)
		}
		cur = p.reduceSize(cur, prec)
		p.sizes = append(p.sizes, sizeFrame{op: p.tok.kind, at: p.tok.start, left: cur})
		p.next()
	}
}

// sizeOperand parses a literal, a name or size x, or opens a parenthesis.
func (p *parser) sizeOperand(atom bool, depth int) (cur operand, opened bool) {
	switch p.tok.kind {
	case LParenTok:
		p.sizes = append(p.sizes, sizeFrame{op: LParenTok, at: p.tok.start})
		p.next()
		return operand{}, true
	case NumberTok, IdentTok:
		return p.leaf(), false
	case SizeTok:
		if atom && depth == 0 {
			p.expected("a literal, a name or `(`", "put parentheses around `size x` here")
			return operand{}, false
		}
		return p.sizeOf(), false
	}
	what := "a size"
	if atom && depth == 0 {
		what = "a literal, a name or `(`"
	}
	hint := "a size is " + sizeHelp
	if p.at(MinusTok) {
		hint = "a size is a natural number, never negative"
	}
	p.expected(what, hint)
	return operand{}, false
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
	switch t {
	case PlusTok, MinusTok:
		return precAdd
	case StarTok:
		return precMul
	}
	return 0
}

// reduceSize joins cur with the operators before it that bind at least as tightly as prec.
func (p *parser) reduceSize(cur operand, prec uint8) operand {
	for len(p.sizes) > 0 {
		fr := p.sizes[len(p.sizes)-1]
		if fr.op == LParenTok || sizePrec(fr.op) < prec {
			break
		}
		p.sizes = p.sizes[:len(p.sizes)-1]
		cur = p.binary(fr.op, fr.at, fr.left, cur)
	}
	return cur
}

// sizeFail gives up on a static expression with depth open parentheses.
func (p *parser) sizeFail(depth int) operand {
	p.open += depth
	p.sizes = p.sizes[:0]
	return p.bad(p.span())
}

// lastSizeParen returns where the innermost open parenthesis stands.
func (p *parser) lastSizeParen() uint32 {
	i := len(p.sizes) - 1
	for p.sizes[i].op != LParenTok {
		i--
	}
	return p.sizes[i].at
}
