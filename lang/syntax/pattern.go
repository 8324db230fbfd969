package syntax

import (
	"cmp"
	"slices"
)

// misspelt are the signs of other languages for -> and =.
var misspelt = map[Token][]Token{ArrowTok: {fatArrowTok, EqTok, dotTok}, EqTok: {eqEqTok, colonEqTok}}

// patterns parses one pattern or more, up to one of the stop tokens, of which the first is -> or =. On an error
// it moves on to a stop token, and fails if there is none.
func (p *parser) patterns(stop ...Token) ([]Pat, bool) {
	var list []Pat
	for p.tok.kind.startsPat() || len(list) == 0 {
		pat, ok := p.pattern()
		list = append(list, pat)
		if !ok {
			return list, p.skipTo(stop...)
		}
	}
	if slices.Contains(stop, p.tok.kind) {
		return list, true
	}
	what := "`" + stop[0].String() + "`"
	if slices.Contains(misspelt[stop[0]], p.tok.kind) {
		p.expected(what, "")
		p.tok.kind = stop[0]
		return list, true
	}
	hint := p.reservedHint()
	switch p.tok.kind {
	case CommaTok:
		hint = "parameters are separated by spaces; a pair is (x, y)"
	case ColonTok:
		hint = "put parentheses around a parameter with a type: (x : T)"
	}

	p.expected(what, hint)
	return list, p.skipTo(stop...)
}

// patternHints explain tokens that start no pattern.
var patternHints = map[Token]string{
	RParenTok: "there is no empty tuple; a parameter that is not used is _",
	RVecTok:   "a vector has at least one element",
	LBrackTok: "a list cannot be taken apart by a pattern; a vector is [| x, y |]",
}

// pattern parses a pattern. It fails where none starts, and leaves the brackets around that place open.
func (p *parser) pattern() (Pat, bool) {
	if k := p.tok.kind; k == LParenTok || k == LVecTok {
		defer p.leave()
		if !p.enter() {
			return p.badPat()
		}
		return p.patBracket()
	}
	n := PatNode{Kind: NamePat, Span: p.span()}
	switch p.tok.kind {
	case IdentTok:
		n.Text = p.text()
		if p.atConstructor() {
			n.Kind = ConPat
		}
	case UnderTok:
		n.Kind = WildPat
	default:
		p.expected("a pattern", cmp.Or(patternHints[p.tok.kind], p.reservedHint()))
		return p.badPat()
	}
	p.next()
	return p.addPat(n, nil), true
}

// atConstructor reports whether the current token is the constructor of a pattern: in match any capitalised name,
// elsewhere one that has been declared.
func (p *parser) atConstructor() bool {
	return p.at(IdentTok) && (p.cons[p.text()] || p.matching && isConstructor(p.text()))
}

// patApplication parses a pattern, or C p without parentheses around it.
func (p *parser) patApplication() (Pat, bool) {
	if !p.atConstructor() {
		return p.pattern()
	}
	n := PatNode{Kind: ConPat, Span: p.span(), Text: p.text()}
	p.next()
	if !p.tok.kind.startsPat() {
		return p.addPat(n, nil), true
	}
	arg, ok := p.pattern()
	n.Span.End = p.prevEnd
	return p.addPat(n, []Pat{arg}), ok
}

func (p *parser) badPat() (Pat, bool) {
	return p.addPat(PatNode{Kind: BadPat, Span: p.span()}, nil), false
}

// patBracket parses a tuple, a vector, a pattern with a type or one in parentheses.
func (p *parser) patBracket() (Pat, bool) {
	open, at, closer := p.tok.kind, p.tok.start, RParenTok
	n := PatNode{Kind: TuplePat}
	if open == LVecTok {
		closer, n.Kind = RVecTok, VecPat
	}
	var parts []Pat
	for {
		p.next()
		part, ok := p.patApplication()
		if !ok {
			p.open++
			return part, false
		}
		parts = append(parts, part)
		if p.at(SemiTok) {
			p.expected("`,`", "the parts of a pattern are separated by commas")
			continue
		}
		if !p.at(CommaTok) {
			break
		}
	}
	if p.at(ColonTok) && open == LParenTok && len(parts) == 1 {
		p.next()
		n.Kind, n.Type = AnnotPat, p.typ().t
		if !p.at(RParenTok) {
			p.expected("`)`", typeHints[p.tok.kind], p.opener(LParenTok, at))
			p.open++
			return p.badPat()
		}
	}
	if !p.at(closer) {
		hint := p.reservedHint()
		if p.at(ColonTok) {
			hint = "put parentheses around each part with its type: ((x : T), y)"
		}
		p.expected("`,` or `"+closer.String()+"`", hint, p.opener(open, at))
		p.open++
		return p.badPat()
	}
	n.Span = Span{at, p.tok.end}
	p.next()
	if n.Kind == TuplePat && len(parts) == 1 {
		return parts[0], true
	}
	return p.addPat(n, parts), true
}
