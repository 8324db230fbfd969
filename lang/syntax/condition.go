package syntax

// A condition is one comparison, or several with and, or and not, which are words only there, and only where the file
// binds no such name.

// conditional parses c then e else e after if.
func (p *parser) conditional(start uint32) operand {
	c, ok := p.condition(&form{kind: ifForm, op: IfTok, start: start})
	if !ok {
		return c
	}
	p.next()
	then, ok := p.upTo(&form{kind: thenForm, op: IfTok, start: start}, "every `if` has an `else`")
	if !ok {
		return then
	}
	p.next()
	return p.tail(ExprNode{Kind: IfExpr, Span: Span{Start: start}}, c.e, then.e)
}

// condition parses the condition of an if, up to its then.
func (p *parser) condition(fr *form) (c operand, ok bool) {
	p.begin(fr)
	defer p.end()
	c = p.literal(fr)
	fr.kind = condForm
	return p.await(fr, p.junction(c, true))
}

// logic reports whether the current token is the word and, or or not.
func (p *parser) logic(word string) bool { return p.word(p.tok, word) && !p.s.words.binds(&p.s, word) }

// joins reports whether and or or stands here, behind an operand of a condition.
func (p *parser) joins() bool {
	return p.inner != nil && (p.inner.kind == ifForm || p.inner.kind == condForm) && (p.logic("and") || p.logic("or"))
}

// startsCondition reports whether not starts here, or a parenthesis with a condition in it.
func (p *parser) startsCondition() bool {
	if !p.at(LParenTok) {
		return p.logic("not")
	}
	// A comparison is looked for in lead of the parentheses that stand here, the innermost that may have a condition.
	next, depth, lead, ifs := p.ahead(), 1, 1, 0
	before := [2]lexeme{p.tok, p.tok}
	for leading := true; ; {
		t := next()
		k := t.kind
		switch leading = leading && k == LParenTok; {
		case k == LParenTok || k == LBrackTok || k == LVecTok || k == DotParenTok:
			if depth++; leading {
				lead = depth
			}
		case k == RParenTok || k == RBrackTok || k == RVecTok || k == EOF:
			if depth--; depth == 0 || k == EOF {
				return false
			}
			lead = min(lead, depth)
		case k == IfTok:
			ifs++
		case k == ThenTok:
			ifs--
		case depth > lead || ifs > 0:
		case k == LessTok && (before[0].kind.startsPrefix() || p.word(before[0], "scan")), // the bound of an index
			k == LetTok || k == FunTok || k == ArrowTok || k == CommaTok:
			if lead--; lead == 0 {
				return false
			}
		case k.isCompare() || k == EqTok || p.word(t, "not") && !p.s.words.binds(&p.s, "not") && before[1].kind == LParenTok:
			return true
		}
		before[0], before[1] = before[1], t
	}
}

// junction parses what follows the condition left with and, and with or if that is set, which binds looser.
func (p *parser) junction(left operand, or bool) operand {
	for !p.unwinding && (p.logic("and") || or && p.logic("or")) {
		n := ExprNode{Kind: LogicExpr, Text: p.text(), TextSpan: p.span()}
		p.next()
		right := p.literal(nil)
		if n.Text == "or" {
			right = p.junction(right, false)
		}
		n.Span = Span{left.span.Start, right.span.End}
		left = p.made(n, left.e, right.e)
	}
	return left
}

// literal parses a comparison, not c or (c). The first one of an if is a part of the form fr, which is nil for others.
func (p *parser) literal(fr *form) operand {
	if !p.logic("not") && !p.startsCondition() {
		return p.compared(fr)
	}
	defer p.leave()
	start := p.tok.start
	if !p.enter() {
		return p.bad(p.span())
	}
	if !p.at(LParenTok) {
		n := ExprNode{Kind: LogicExpr, Text: p.text(), TextSpan: p.span()}
		p.next()
		c := p.literal(nil)
		n.Span = Span{start, c.span.End}
		return p.made(n, c.e)
	}
	p.next()
	p.begin(&form{kind: condForm, op: LParenTok, start: start})
	defer p.end()
	c := p.junction(p.literal(nil), true)
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

func (p *parser) compared(fr *form) operand {
	a := p.expr(fr)
	var notes []Note
	if fr != nil {
		a, notes = p.strays(fr, a), []Note{p.opener(fr.op, fr.start)}
	}
	if p.unwinding {
		return a
	}
	n := ExprNode{Kind: CompareExpr, OpPos: p.tok.start}
	if n.Op = p.comparison(); n.Op == EOF {
		if p.f.exprs[a.e].Kind != BadExpr || !p.at(ThenTok) {
			p.expected("a comparison", "a condition compares numbers, with <, <=, >, >= or =", notes...)
		}
		return p.recover()
	}
	p.next()
	b := p.expr(fr)
	n.Span = Span{a.span.Start, b.span.End}
	return p.made(n, a.e, b.e)
}

// comparison returns the sign of the comparison that stands here, EOF if there is none. It reports one that is spelt as
// in other languages.
func (p *parser) comparison() Token {
	k, hint := p.tok.kind, ""
	switch {
	case k.isCompare() || k == EqTok:
		return k
	case k == fatArrowTok:
		k, hint = GreaterEqTok, "greater or equal is `>=`"
	case k == eqEqTok:
		k, hint = EqTok, "equality is written a = b"
	case k == notEqTok:
		k, hint = EqTok, "that two numbers differ is written not a = b"
	default:
		return EOF
	}
	p.expected("a comparison", hint)
	return k
}
