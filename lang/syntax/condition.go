package syntax

// A condition is one comparison, or several with and, or and not, which are words only there, and only where the file
// binds no such name.

// binds reports whether the file binds the name anywhere.
func (p *parser) binds(name string) bool {
	if p.bound == nil {
		p.bound = map[string]bool{}
		s := newScanner(p.s.src, p.s.from)
		s.mute = true
		pattern, index := false, false // of names, or of the index of a comprehension
		for t := s.scan(); t.kind != EOF; t = s.scan() {
			switch k := t.kind; {
			case k.startsDecl() || k == FunTok || k == LinTok || k == LetTok || k == WithTok || k == BarTok:
				pattern = true
			case k == EqTok || k == ArrowTok || k == LessTok:
				pattern = false
			case k == IdentTok && (pattern || index):
				p.bound[string(s.src[t.start:t.end])] = true
			}
			index = t.kind == VecTok || t.kind == SumTok || t.kind == ListTok || p.word(t, "scan")
		}
	}
	return p.bound[name]
}

// logic reports whether the current token is the word and, or or not.
func (p *parser) logic(word string) bool { return p.word(p.tok, word) && !p.binds(word) }

// joins reports whether and or or stands here, behind an operand of a condition.
func (p *parser) joins() bool {
	return p.inner != nil && (p.inner.kind == ifForm || p.inner.kind == condForm) && (p.logic("and") || p.logic("or"))
}

// startsCondition reports whether not starts here, or a parenthesis with a condition in it.
func (p *parser) startsCondition() bool {
	if !p.at(LParenTok) {
		return p.logic("not")
	}
	next, depth, ifs := p.ahead(), 1, 0
	before := [2]lexeme{p.tok, p.tok}
	for {
		t := next()
		switch k := t.kind; {
		case k == EOF:
			return false
		case k == LParenTok || k == LBrackTok || k == LVecTok || k == DotParenTok:
			depth++
		case k == RParenTok || k == RBrackTok || k == RVecTok:
			if depth--; depth == 0 {
				return false
			}
		case k == IfTok:
			ifs++
		case k == ThenTok:
			ifs--
		case depth > 1 || ifs > 0:
		case k == LessTok && (before[0].kind.startsPrefix() || p.word(before[0], "scan")):
			return false // the bound of an index
		case k.isCompare() || k == EqTok || p.word(t, "not") && !p.binds("not") && before[1].kind == LParenTok:
			return true
		case k == LetTok || k == FunTok || k == ArrowTok || k == CommaTok:
			return false
		}
		before[0], before[1] = before[1], t
	}
}

// junction parses what follows the condition left with and, and with or if that is set, which binds looser.
func (p *parser) junction(left operand, or bool) operand {
	for !p.unwinding {
		n := ExprNode{Kind: LogicExpr, Text: p.text(), TextSpan: p.span()}
		switch {
		case p.logic("and"):
			p.next()
			left = p.logical(n, left, p.literal())
		case or && p.logic("or"):
			p.next()
			left = p.logical(n, left, p.junction(p.literal(), false))
		default:
			return left
		}
	}
	return left
}

func (p *parser) logical(n ExprNode, left, right operand) operand {
	n.Span = Span{left.span.Start, right.span.End}
	return operand{e: p.add(n, left.e, right.e), span: n.Span}
}

// literal parses a comparison, not c or (c).
func (p *parser) literal() operand {
	defer p.leave()
	start := p.tok.start
	if !p.enter() {
		return p.bad(p.span())
	}
	switch {
	case p.logic("not"):
		n := ExprNode{Kind: LogicExpr, Text: p.text(), TextSpan: p.span()}
		p.next()
		c := p.literal()
		n.Span = Span{start, c.span.End}
		return operand{e: p.add(n, c.e), span: n.Span}
	case p.startsCondition():
		p.next()
		p.begin(&form{kind: condForm, op: LParenTok, start: start})
		defer p.end()
		c := p.junction(p.literal(), true)
		if p.unwinding {
			return c
		}
		if !p.at(RParenTok) {
			p.expected("`)`", "", p.opener(LParenTok, start))
			return p.recover()
		}
		c.span = Span{start, p.tok.end}
		p.next()
		return c
	}
	a := p.expr(nil)
	if p.unwinding {
		return a
	}
	n := ExprNode{OpPos: p.tok.start}
	if n.Op = p.comparison(); n.Op == EOF {
		p.expected("a comparison", "a condition compares numbers, with <, <=, >, >= or =")
		return p.recover()
	}
	p.next()
	return p.compared(n, a, p.expr(nil))
}

// compared makes the comparison of two operands.
func (p *parser) compared(n ExprNode, a, b operand) operand {
	n.Kind, n.Span = CompareExpr, Span{a.span.Start, b.span.End}
	return operand{e: p.add(n, a.e, b.e), span: n.Span}
}

// comparison returns the sign of the comparison that stands here, EOF if there is none. It reports one that is spelt as
// in other languages.
func (p *parser) comparison() Token {
	switch k := p.tok.kind; {
	case k.isCompare() || k == EqTok:
		return k
	case k == fatArrowTok:
		p.expected("a comparison", "greater or equal is `>=`")
		return GreaterEqTok
	case k == eqEqTok:
		p.expected("a comparison", "equality is written a = b")
		return EqTok
	case k == notEqTok:
		p.expected("a comparison", "that two numbers differ is written not a = b")
		return EqTok
	}
	return EOF
}
