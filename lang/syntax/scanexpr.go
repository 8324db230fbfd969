package syntax

// The word scan starts a form only where i < s with p = follows. Elsewhere it is a name like others.

// ahead returns a function that scans the tokens behind the current one, up to the end of the declaration or of the
// body.
func (p *parser) ahead() func() lexeme {
	s := p.s
	s.mute = true
	return func() lexeme {
		t := s.scan()
		if t.col1 && (p.inDecl || t.kind.startsDecl()) {
			t.kind = EOF
		}
		return t
	}
}

// word reports whether t is the word w, which is not reserved.
func (p *parser) word(t lexeme, w string) bool {
	return (t.kind == IdentTok || t.kind.IsContextual()) && string(p.s.src[t.start:t.end]) == w
}

// startsScan reports whether scan i < s with p = starts here.
func (p *parser) startsScan() bool {
	if !p.word(p.tok, "scan") {
		return false
	}
	next := p.ahead()
	if k := next().kind; k != IdentTok && k != UnderTok {
		return false
	}
	if next().kind != LessTok {
		return false
	}
	with := false
	for {
		switch t := next(); t.kind {
		case IdentTok, WithTok:
			with = with || p.word(t, "with")
		case NumberTok, PlusTok, MinusTok, StarTok, LParenTok, RParenTok, SizeTok:
		case UnderTok, LVecTok, RVecTok, CommaTok, ColonTok, CaretTok:
			if !with {
				return false
			}
		default:
			return with && t.kind == EqTok
		}
	}
}

// scan parses scan i < s with p = e -> e.
func (p *parser) scan() operand {
	n := ExprNode{Kind: ScanExpr, Span: Span{Start: p.tok.start}}
	p.next()
	n.Text, n.TextSpan = p.text(), p.span()
	p.next()
	p.next()
	s := p.size(false)
	if !p.word(p.tok, "with") {
		p.expected("`with`", "a bound is "+sizeHelp)
		return p.recover()
	}
	p.next()
	pats, ok := p.patterns("`=`", EqTok)
	if !ok {
		return p.recover()
	}
	if len(pats) > 1 {
		p.report(Diagnostic{Span: p.f.pats[pats[1]].Span, Headline: "expected `=`, found a second pattern",
			Label: "the state has one pattern; that of a pair is (x, y)"})
	}
	n.poff, n.pn = p.addPats(pats[:1])
	p.next()
	start := p.expr(nil)
	if p.unwinding {
		return start
	}
	if !p.arrow("`->`", "as in `scan i < 3 with x = 1 -> 2 * x`") {
		return p.recover()
	}
	n.OpPos = p.prevEnd
	return p.tail(n, s.e, start.e)
}
