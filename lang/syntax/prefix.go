package syntax

// prefix parses the head of fun, lin, let, if, vec, sum or list, and opens its frame.
func (p *parser) prefix(k Token) (want bool) {
	start := p.tok.start
	p.next()
	switch k {
	case FunTok:
		return p.fun(start)
	case LinTok:
		return p.lin(start)
	case LetTok:
		return p.let(start)
	case IfTok:
		p.openFrame(frame{kind: ifFrame, op: IfTok, start: start}, 0)
		return true
	}
	return p.comprehension(k, start)
}

// fun parses p … -> after fun.
func (p *parser) fun(start uint32) (want bool) {
	pats, ok := p.patterns("`->`", ArrowTok)
	if !ok {
		return p.recover()
	}
	fr := frame{kind: funFrame, op: FunTok, start: start, opPos: p.tok.end}
	fr.poff, fr.pn = p.addPats(pats)
	p.openFrame(fr, 0)
	p.next()
	return true
}

// lin parses a -> after lin.
func (p *parser) lin(start uint32) (want bool) {
	if !p.at(IdentTok) {
		p.expected("a name after `lin`", p.reservedHint())
		if !p.skipTo(ArrowTok) {
			return p.recover()
		}
	}
	n := PatNode{Kind: BadPat, Span: p.span()}
	if p.at(IdentTok) {
		n.Kind, n.Text = NamePat, p.text()
		p.next()
	}
	fr := frame{kind: linFrame, op: LinTok, start: start}
	fr.poff, fr.pn = p.addPats([]Pat{p.addPat(n, nil)})
	if !p.arrow("`->`", "`lin` takes one name and no type") {
		return p.recover()
	}
	fr.opPos = p.prevEnd
	p.openFrame(fr, 0)
	return true
}

// let parses p … [: T] = after let.
func (p *parser) let(start uint32) (want bool) {
	fr := frame{kind: letFrame, op: LetTok, start: start}
	pats, ok := p.patterns("`=`", EqTok, ColonTok)
	if !ok {
		return p.letFail(fr, pats)
	}
	if head := p.f.pats[pats[0]]; len(pats) > 1 && head.Kind != NamePat && head.Kind != BadPat {
		p.report(Diagnostic{Span: head.Span, Headline: "expected a function's name after `let`, found a pattern",
			Label: "several patterns define a function, and the first must be its name"})
	}
	if p.accept(ColonTok) {
		t := p.typ()
		if len(pats) > 1 {
			fr.typ = t.t
		} else {
			n := PatNode{Kind: AnnotPat, Span: Span{p.f.pats[pats[0]].Span.Start, t.span.End}, Type: t.t}
			pats[0] = p.addPat(n, pats)
		}
	}
	if !p.expectEq("`=` and a value") {
		if !p.skipTo(EqTok) {
			return p.letFail(fr, pats)
		}
		p.next()
	}
	fr.opPos = p.prevEnd - 1
	fr.poff, fr.pn = p.addPats(pats)
	p.openFrame(fr, 0)
	return true
}

// letFail opens a let whose head is wrong, so that its "in" is not a stray one.
func (p *parser) letFail(fr frame, pats []Pat) (want bool) {
	fr.poff, fr.pn = p.addPats(pats)
	p.openFrame(fr, 0)
	return p.recover()
}

// comprehension parses i < s -> after vec, sum or list.
func (p *parser) comprehension(k Token, start uint32) (want bool) {
	head := compHead{"_", p.span()}
	like := "as in `" + k.String() + " i < 3 -> …`"
	ok := p.at(IdentTok) || p.at(UnderTok)
	if ok {
		head.text = p.text()
		p.next()
		if ok = p.at(LessTok); !ok {
			p.expected("`<` and a bound", like)
		}
	} else {
		hint := p.reservedHint()
		if hint == "" {
			hint = like
		}
		p.expected("an index after `"+k.String()+"`", hint)
	}
	s := operand{}
	if ok {
		p.next()
		s = p.size(false)
	} else {
		s = p.bad(p.span())
	}
	hint := "a bound is " + sizeHelp
	if p.at(CommaTok) {
		hint = "one index each: vec i < n -> vec j < m -> …"
	}
	if !p.arrow("`->`", hint) {
		return p.recover()
	}
	p.push(s)
	p.openFrame(frame{kind: compFrame, op: k, start: start, opPos: p.prevEnd, poff: uint32(len(p.heads))}, 1)
	p.heads = append(p.heads, head)
	return true
}

// arrow moves past ->, skipping to it after an error. It fails if there is none.
func (p *parser) arrow(what, hint string) bool {
	if p.at(fatArrowTok) || p.at(EqTok) || p.at(dotTok) {
		p.expected(what, "")
		p.next()
		return true
	}
	if !p.at(ArrowTok) {
		p.expected(what, hint)
		if !p.skipTo(ArrowTok) {
			return false
		}
	}
	p.next()
	return true
}
