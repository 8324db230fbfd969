package syntax

// closer handles a token that ends an expression: what is open and complete closes,
// and the token goes to the frame that waits for one.
func (p *parser) closer() (want, done bool) {
	p.reduce(precPrefix)
	if len(p.frames) == 0 {
		return p.outermost()
	}
	fr := &p.frames[len(p.frames)-1]
	if p.tok.first && p.real.startsDecl() && !p.at(EOF) {
		p.endHere()
		return p.recover(), false
	}
	switch fr.kind {
	case parenFrame, listFrame, vecFrame:
		return p.bracket(fr), false
	}
	if k := p.tok.kind; (k == RParenTok || k == RBrackTok || k == RVecTok) && !p.waiting(k) {
		p.expected(awaited(fr.kind), "this closes nothing", p.opener(fr.op, fr.start))
		p.next()
		return false, false
	}
	return p.keyword(fr), false
}

// awaited names the token that a frame of let or if waits for.
func awaited(k frameKind) string {
	switch k {
	case ifFrame:
		return "a comparison"
	case condFrame:
		return "`then`"
	case thenFrame:
		return "`else`"
	}
	return "`in`"
}

// endHere reports a declaration's keyword inside an expression and ends the
// declaration, or the body, before it.
func (p *parser) endHere() {
	p.misplacedDecl()
	p.tok.kind, p.ended = EOF, true
}

// keyword handles the token after an operand of let or if.
func (p *parser) keyword(fr *frame) (want bool) {
	k := p.tok.kind
	switch fr.kind {
	case letFrame:
		if k == InTok {
			p.letBody(fr)
			p.next()
			return true
		}
		p.expected("`in`", p.strayHint(), p.opener(LetTok, fr.start), Note{Text: "`let x = e in b` needs its `in`"})
	case ifFrame:
		if k == fatArrowTok {
			p.expected("a comparison", "greater or equal is `>=`")
			k = GreaterEqTok
		}
		if k.isCompare() {
			fr.kind, fr.op, fr.opPos = condFrame, k, p.tok.start
			p.next()
			return true
		}
		if p.isBad(*p.top()) && k == ThenTok {
			return p.patchCondition(fr)
		}
		hint := "a condition is one comparison, with <, <=, > or >="
		if k == EqTok || k == eqEqTok || k == notEqTok {
			hint = "there is no test for equality; compare with <, <=, > or >="
		}
		p.expected("a comparison", hint, p.opener(IfTok, fr.start))
		if k == ThenTok {
			return p.patchCondition(fr)
		}
	case condFrame:
		if k == ThenTok {
			fr.kind = thenFrame
			p.next()
			return true
		}
		hint := p.strayHint()
		if k.isCompare() {
			hint = "a condition is a single comparison"
		}
		p.expected("`then`", hint, p.opener(IfTok, fr.start))
	case thenFrame:
		if k == ElseTok {
			fr.kind = elseFrame
			p.next()
			return true
		}
		p.expected("`else`", p.strayHint(), p.opener(IfTok, fr.start), Note{Text: "every `if` has an `else`"})
	}
	return p.recover()
}

// letBody moves a let from its value to its body.
func (p *parser) letBody(fr *frame) {
	if fr.typ != 0 {
		v := p.top()
		n := ExprNode{Kind: AnnotExpr, Span: v.span, Type: fr.typ}
		v.e = p.add(n, v.e)
	}
	fr.kind = bodyFrame
}

// patchCondition goes on at "then" after a condition that is no comparison.
func (p *parser) patchCondition(fr *frame) (want bool) {
	fr.kind, fr.op = thenFrame, LessTok
	p.push(p.bad(p.span()))
	p.next()
	return true
}

// separators and closers of brackets
var brackets = map[frameKind]struct{ sep, close Token }{
	parenFrame: {CommaTok, RParenTok},
	listFrame:  {SemiTok, RBrackTok},
	vecFrame:   {CommaTok, RVecTok},
}

// bracket handles the token after an element of a bracket.
func (p *parser) bracket(fr *frame) (want bool) {
	b := brackets[fr.kind]
	switch k := p.tok.kind; {
	case k == b.close:
		p.closeBracket(fr)
		return false
	case k == b.sep:
		p.next()
		return true
	case k == CommaTok || k == SemiTok:
		if !fr.told {
			hint := map[frameKind]string{
				parenFrame: "the parts of a tuple are separated by commas",
				listFrame:  "the elements of a list are separated by semicolons",
				vecFrame:   "the elements of a vector are separated by commas",
			}[fr.kind]
			p.expected("`"+b.sep.String()+"`", hint)
			fr.told = true
		}
		p.next()
		return true
	case k == ColonTok && fr.kind == parenFrame && int(fr.base) == len(p.vals)-1:
		p.annotation(fr)
		return false
	}
	p.expected("`"+b.sep.String()+"` or `"+b.close.String()+"`", p.strayHint(), p.opener(fr.op, fr.start))
	switch p.tok.kind {
	case RParenTok, RBrackTok, RVecTok: // taken for the right one, unless it closes something further out
		if !p.waiting(p.tok.kind) {
			p.wrongClose(fr, b.sep)
			return false
		}
	}
	return p.recover()
}

// wrongClose ends a bracket at another's closing token, unless the next separator
// shows that this one is too much.
func (p *parser) wrongClose(fr *frame, sep Token) {
	end := p.tok.end
	p.next()
	if !p.at(sep) {
		p.build(fr, end)
	}
}

// closeBracket ends a bracket at the current token.
func (p *parser) closeBracket(fr *frame) {
	end := p.tok.end
	p.next()
	p.build(fr, end)
}

// build makes a tuple, a list, a vector or the operand in parentheses.
func (p *parser) build(fr *frame, end uint32) {
	n := ExprNode{Span: Span{fr.start, end}}
	args := p.vals[fr.base:]
	p.frames = p.frames[:len(p.frames)-1]
	switch fr.kind {
	case listFrame:
		n.Kind = ListExpr
	case vecFrame:
		n.Kind = VectorExpr
	default:
		n.Kind = TupleExpr
		if len(args) == 1 { // parentheses
			p.vals = append(p.vals[:fr.base], operand{e: args[0].e, span: n.Span})
			return
		}
	}
	e := p.addMany(n, args)
	p.vals = append(p.vals[:fr.base], operand{e: e, span: n.Span})
}

// annotation parses : T ) after an expression.
func (p *parser) annotation(fr *frame) {
	p.next()
	t := p.typ()
	if !p.at(RParenTok) {
		p.expected("`)`", p.typeHint(), p.opener(LParenTok, fr.start))
		if !p.skipTo(RParenTok) {
			p.open = 0
			return // the parenthesis stays open, and what follows goes to it
		}
	}
	n := ExprNode{Kind: AnnotExpr, Span: Span{fr.start, p.tok.end}, Type: t.t}
	p.next()
	p.frames = p.frames[:len(p.frames)-1]
	*p.top() = operand{e: p.add(n, p.top().e), span: n.Span}
}

// outermost handles the token after a complete expression.
func (p *parser) outermost() (want, done bool) {
	if p.at(EOF) {
		return false, true
	}
	if p.tok.first && p.real.startsDecl() {
		p.endHere()
		return false, true
	}
	what := "the end of the declaration"
	if p.inBody {
		what = "the end of the program"
	}
	switch p.tok.kind {
	case RParenTok, RBrackTok, RVecTok:
		p.expected(what, "this closes nothing")
		p.next()
		return false, false
	case ColonTok:
		p.expected(what, "an annotation stands in parentheses: (e : T)")
		p.next()
		p.typ()
		return false, false
	}
	p.expected(what, p.strayHint())
	return p.recover(), false
}
