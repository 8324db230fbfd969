package syntax

// patFrame is an open tuple or vector pattern.
type patFrame struct {
	open Token // LParenTok or LVecTok
	at   uint32
	base int // its parts so far are patAcc[base:]
}

// patterns parses one pattern or more, up to one of the stop tokens. On an error
// it moves on to a stop token, and fails if there is none.
func (p *parser) patterns(what string, stop ...Token) ([]Pat, bool) {
	var list []Pat
	for p.tok.kind.startsPat() || len(list) == 0 {
		pat, ok := p.pattern()
		list = append(list, pat)
		if !ok {
			return list, p.skipTo(stop...)
		}
	}
	for _, k := range stop {
		if p.at(k) {
			return list, true
		}
	}
	hint := p.reservedHint()
	switch p.tok.kind {
	case CommaTok:
		hint = "parameters are separated by spaces; a pair is (x, y)"
	case ColonTok:
		hint = "put parentheses around a parameter with a type: (x : T)"
	}
	switch {
	case what == "`->`" && (p.at(fatArrowTok) || p.at(EqTok) || p.at(dotTok)),
		what == "`=`" && (p.at(eqEqTok) || p.at(colonEqTok)):
		p.expected(what, "") // another spelling; taken for the right one
		p.tok.kind = stop[0]
		return list, true
	}
	p.expected(what, hint)
	return list, p.skipTo(stop...)
}

// pattern parses a pattern.
func (p *parser) pattern() (Pat, bool) {
	for {
		cur, ok := p.patOperand()
		if !ok {
			return p.patFail()
		}
		for cur != 0 {
			if len(p.patOpen) == 0 {
				return cur, true
			}
			if cur, ok = p.patOperator(cur); !ok {
				return p.patFail()
			}
		}
	}
}

// patOperand parses a name or a wildcard, or opens a bracket and returns 0.
func (p *parser) patOperand() (Pat, bool) {
	n := PatNode{Kind: NamePat, Span: p.span()}
	switch p.tok.kind {
	case IdentTok:
		n.Text = p.text()
	case UnderTok:
		n.Kind = WildPat
	case LParenTok, LVecTok:
		p.patOpen = append(p.patOpen, patFrame{p.tok.kind, p.tok.start, len(p.patAcc)})
		p.next()
		return 0, true
	default:
		hint := p.reservedHint()
		switch p.tok.kind {
		case RParenTok:
			hint = "there is no empty tuple; a parameter that is not used is _"
		case RVecTok:
			hint = "a vector has at least one element"
		case LBrackTok:
			hint = "a list cannot be taken apart by a pattern; a vector is [| x, y |]"
		}
		p.expected("a pattern", hint)
		return 0, false
	}
	p.next()
	return p.addPat(n, nil), true
}

// patOperator handles what follows a pattern inside a bracket: it returns the
// pattern of a bracket that closes, and 0 if another part comes.
func (p *parser) patOperator(cur Pat) (Pat, bool) {
	fr := &p.patOpen[len(p.patOpen)-1]
	closer := RParenTok
	if fr.open == LVecTok {
		closer = RVecTok
	}
	switch p.tok.kind {
	case SemiTok:
		p.expected("`,`", "the parts of a pattern are separated by commas")
		fallthrough
	case CommaTok:
		p.patAcc = append(p.patAcc, cur)
		p.next()
		return 0, true
	case ColonTok:
		if fr.open != LParenTok || fr.base < len(p.patAcc) {
			break
		}
		p.next()
		at, typ := fr.at, p.typ()
		if !p.at(RParenTok) {
			p.expected("`)`", p.typeHint(), p.opener(LParenTok, at))
			return 0, false
		}
		n := PatNode{Kind: AnnotPat, Span: Span{at, p.tok.end}, Type: typ.t}
		p.patOpen = p.patOpen[:len(p.patOpen)-1]
		p.next()
		return p.addPat(n, []Pat{cur}), true
	case closer:
		n := PatNode{Kind: TuplePat, Span: Span{fr.at, p.tok.end}}
		if fr.open == LVecTok {
			n.Kind = VecPat
		}
		base := fr.base
		p.patOpen = p.patOpen[:len(p.patOpen)-1]
		p.next()
		if base == len(p.patAcc) && n.Kind == TuplePat {
			return cur, true
		}
		p.patAcc = append(p.patAcc, cur)
		cur = p.addPat(n, p.patAcc[base:])
		p.patAcc = p.patAcc[:base]
		return cur, true
	}
	hint := p.reservedHint()
	if p.at(ColonTok) {
		hint = "put parentheses around each part with its type: ((x : T), y)"
	}
	p.expected("`,` or `"+closer.String()+"`", hint, p.opener(fr.open, fr.at))
	return 0, false
}

// patFail gives up on a pattern.
func (p *parser) patFail() (Pat, bool) {
	p.open += len(p.patOpen)
	p.patOpen, p.patAcc = p.patOpen[:0], p.patAcc[:0]
	return p.addPat(PatNode{Kind: BadPat, Span: p.span()}, nil), false
}
