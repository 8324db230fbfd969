package syntax

import (
	"cmp"
	"slices"
)

// formKind is a form that waits for a token of its own.
type formKind uint8

const (
	parenForm  formKind = iota + 1 // ( · , · : )
	listForm                       // [ · ; · ]
	vecForm                        // [| · , · |]
	letForm                        // let p … = · in
	matchForm                      // match · with
	ifForm                         // if · c
	condForm                       // if a c · then
	thenForm                       // if a c b then · else
	symbolForm                     // symbol f x = · with
)

// form is an open form. The forms that stand in one another are linked.
type form struct {
	kind  formKind
	op    Token // the bracket or keyword
	wrong bool  // a wrong separator has been reported
	start uint32
	parts []Expr // of a bracket, those that are complete
	rec   bool   // let rec: and continues it
	outer *form
}

// awaited has the token that closes or continues each form, what errors call it, and the keyword behind which recovery
// passes over one such token. A bracket also has its separator, the hint for a wrong one, and what it makes.
var awaited = [symbolForm + 1]struct {
	token Token
	name  string
	opens Token
	sep   Token
	hint  string
	kind  ExprKind
}{
	parenForm: {RParenTok, "`)`", EOF, CommaTok, "the parts of a tuple are separated by commas", TupleExpr},
	listForm: {RBrackTok, "`]`", EOF, SemiTok,
		"the elements of a list are separated by semicolons; a vector is written [| e, e |]", ListExpr},
	vecForm:    {RVecTok, "`|]`", EOF, CommaTok, "the elements of a vector are separated by commas", VectorExpr},
	letForm:    {token: InTok, name: "`in`", opens: LetTok},
	matchForm:  {token: WithTok, name: "`with`", opens: MatchTok},
	ifForm:     {token: ThenTok, name: "a comparison"},
	condForm:   {token: ThenTok, name: "`then`", opens: IfTok},
	thenForm:   {token: ElseTok, name: "`else`", opens: IfTok},
	symbolForm: {token: WithTok, name: "`with`"},
}

// waitsFor reports whether the token closes or continues the form.
func (fr *form) waitsFor(k Token) bool { return k != EOF && awaited[fr.kind].token == k }

// waiting reports whether an open form waits for the token k.
func (p *parser) waiting(k Token) bool {
	for fr := p.inner; fr != nil; fr = fr.outer {
		if fr.waitsFor(k) {
			return true
		}
	}
	return false
}

func (p *parser) begin(fr *form) { fr.outer, p.inner = p.inner, fr }

func (p *parser) end() { p.inner = p.inner.outer }

// caught reports whether the recovery from an error ends in the form: at a token that it waits for.
func (p *parser) caught(fr *form) bool {
	if !fr.waitsFor(p.tok.kind) {
		return false
	}
	p.unwinding = false
	return true
}

// endHere reports a declaration's keyword inside an expression and ends the declaration, or the body, before it.
func (p *parser) endHere() {
	p.misplacedDecl()
	p.tok.kind, p.ended = EOF, true
}

// strays handles tokens after the part o of a form that can't belong to it: a
// declaration's keyword, and what closes nothing.
func (p *parser) strays(fr *form, o operand) operand {
	for !p.unwinding && !p.letEnds {
		if p.startsDecl() && !p.at(EOF) {
			p.endHere()
			return p.recover()
		}
		k := p.tok.kind
		if fr.kind <= vecForm || fr.op == LParenTok || k != RParenTok && k != RBrackTok && k != RVecTok || p.waiting(k) {
			break
		}
		p.expected(awaited[fr.kind].name, "this closes nothing", p.opener(fr.op, fr.start))
		p.next()
		o = p.operators(o, PrecAdd)
	}
	return o
}

// bracket parses a tuple, a list, a vector or an expression in parentheses, after the bracket.
func (p *parser) bracket(fr *form) operand {
	p.begin(fr)
	defer p.end()
	sep := awaited[fr.kind].sep
	o := p.expr(fr)
	for {
		o = p.strays(fr, o)
		if p.unwinding {
			if !p.caught(fr) {
				return o
			}
			o = p.bad(p.span())
		}
		switch k := p.tok.kind; {
		case fr.waitsFor(k):
			end := p.tok.end
			p.next()
			return p.build(fr, o, end)
		case k == CommaTok || k == SemiTok:
			if k != sep && !fr.wrong {
				p.expected("`"+sep.String()+"`", awaited[fr.kind].hint)
				fr.wrong = true
			}
			p.next()
			fr.parts = append(Room(p.guard, fr.parts, 1), o.e)
			o = p.expr(fr)
		case k == ColonTok && fr.kind == parenForm && fr.parts == nil:
			var done bool
			if o, done = p.annotation(fr, o); done {
				return o
			}
		default:
			p.expected("`"+sep.String()+"` or "+awaited[fr.kind].name, p.strayHint(), p.opener(fr.op, fr.start))
			if (k == RParenTok || k == RBrackTok || k == RVecTok) && !p.waiting(k) {
				// It is taken for the right one, unless the next separator shows that it is too much.
				end := p.tok.end
				p.next()
				if !p.at(sep) {
					return p.build(fr, o, end)
				}
				continue
			}
			o = p.recover()
		}
	}
}

// build makes the expression of a bracket whose last part is o.
func (p *parser) build(fr *form, o operand, end uint32) operand {
	span := Span{fr.start, end}
	if fr.kind == parenForm && fr.parts == nil {
		return operand{e: o.e, span: span}
	}
	return p.made(ExprNode{Kind: awaited[fr.kind].kind, Span: span}, append(Room(p.guard, fr.parts, 1), o.e)...)
}

// annotation parses : T ) after an expression. If it fails, the parenthesis stays open.
func (p *parser) annotation(fr *form, o operand) (_ operand, done bool) {
	p.next()
	t := p.typ()
	if !p.at(RParenTok) {
		p.expected("`)`", typeHints[p.tok.kind], p.opener(LParenTok, fr.start))
		if !p.skipTo(RParenTok) {
			p.open = 0
			return o, false
		}
	}
	n := ExprNode{Kind: AnnotExpr, Span: Span{fr.start, p.tok.end}, Type: t.t}
	p.next()
	return p.made(n, o.e), true
}

// prefix parses fun, lin, let, if, match, vec, sum or list.
func (p *parser) prefix(k Token) operand {
	start := p.tok.start
	if k == LetTok {
		return p.lets()
	}
	p.next()
	switch k {
	case FunTok:
		return p.fun(start)
	case LinTok:
		return p.lin(start)
	case IfTok:
		return p.conditional(start)
	case MatchTok:
		return p.match(start)
	}
	return p.comprehension(k, start)
}

// tail parses the body of a form that reaches as far right as it can.
func (p *parser) tail(n ExprNode, kids ...Expr) operand {
	body := p.expr(nil)
	n.Span.End = body.span.End
	return p.made(n, append(kids, body.e)...)
}

// fun parses p … -> e after fun.
func (p *parser) fun(start uint32) operand {
	pats, ok := p.patterns(ArrowTok)
	if !ok {
		return p.recover()
	}
	n := ExprNode{Kind: FunExpr, Span: Span{Start: start}, OpPos: p.tok.end}
	n.poff, n.pn = p.addPats(pats)
	p.next()
	return p.tail(n)
}

// lin parses a -> e after lin.
func (p *parser) lin(start uint32) operand {
	if !p.at(IdentTok) {
		p.expected("a name after `lin`", p.reservedHint())
		if !p.skipTo(ArrowTok) {
			return p.recover()
		}
	}
	name := PatNode{Kind: BadPat, Span: p.span()}
	if p.at(IdentTok) {
		name.Kind, name.Text = NamePat, p.text()
		p.next()
	}
	n := ExprNode{Kind: LinExpr, Span: Span{Start: start}}
	n.poff, n.pn = p.addPats([]Pat{p.addPat(name, nil)})
	if !p.arrow("`lin` takes one name and no type") {
		return p.recover()
	}
	n.OpPos = p.prevEnd
	return p.tail(n)
}

// lets parses a let, and those that stand in its body.
func (p *parser) lets() operand {
	var heads []ExprNode
	var kids []Expr // of all heads, without the bodies
	for p.at(LetTok) {
		fr := &form{kind: letForm, op: LetTok, start: p.tok.start}
		p.next()
		fr.rec = p.accept(RecTok)
		n, first := ExprNode{Kind: LetExpr}, len(kids)
		for more := true; more; {
			n.Span.Start = p.tok.start
			var value operand
			var ok bool
			if value, more, ok = p.let(fr, &n); !ok {
				return value
			}
			if fr.rec {
				n.Kind, n.Span.End = BindExpr, value.span.End
				value.e = p.add(n, value.e)
			}
			kids = append(Room(p.guard, kids, 1), value.e)
		}
		if fr.rec {
			n = ExprNode{Kind: RecExpr}
		}
		n.Span.Start, n.n = fr.start, uint32(len(kids)-first)
		heads = append(Room(p.guard, heads, 1), n)
	}
	o := p.expr(nil)
	for i := len(heads) - 1; i >= 0; i-- {
		n := heads[i]
		n.Span.End = o.span.End
		first := len(kids) - int(n.n)
		o = p.made(n, append(kids[first:], o.e)...)
		kids = kids[:first]
	}
	return o
}

// let parses p … [: T] = e in after let, or up to an and after let rec; then there is more. It fails if an error leads
// out of it.
func (p *parser) let(fr *form, n *ExprNode) (value operand, more, ok bool) {
	p.begin(fr)
	defer p.end()
	typ, ok := p.letHead(n, fr.rec)
	if ok {
		value = p.expr(fr)
	} else {
		value = p.recover()
	}
	if value, ok = p.await(fr, value, p.inNote(fr.start)); !ok {
		return value, false, false
	}
	more = fr.rec && p.at(AndTok)
	if more || p.at(InTok) {
		p.next()
	}
	if typ != 0 {
		value.e = p.add(ExprNode{Kind: AnnotExpr, Span: value.span, Type: typ}, value.e)
	}
	return value, more, true
}

// letHead parses p … [: T] = after let, or after let rec. The type is that of a function's result.
func (p *parser) letHead(n *ExprNode, rec bool) (typ TypeExpr, ok bool) {
	var pats []Pat
	if !rec && p.atConstructor() {
		var pat Pat
		pat, ok = p.patApplication()
		pats = []Pat{pat}
		if ok && !p.at(EqTok) && !p.at(ColonTok) {
			p.expected("`=`", "")
			ok = p.skipTo(EqTok, ColonTok)
		}
	} else {
		pats, ok = p.patterns(EqTok, ColonTok)
	}
	if !ok {
		return 0, false
	}
	if head := p.f.pats[pats[0]]; (len(pats) > 1 || rec) && head.Kind != NamePat && head.Kind != BadPat {
		label := "several patterns define a function, and the first must be its name"
		if rec {
			label = "`let rec` defines functions"
		}
		p.report(Diagnostic{Span: head.Span, Headline: "expected a function's name after `let`, found a pattern",
			Label: label})
	}
	if p.accept(ColonTok) {
		t := p.typ()
		if len(pats) > 1 || rec {
			typ = t.t
		} else {
			annot := PatNode{Kind: AnnotPat, Span: Span{p.f.pats[pats[0]].Span.Start, t.span.End}, Type: t.t}
			pats[0] = p.addPat(annot, pats)
		}
	}
	if !p.expectEq("`=` and a value") {
		if !p.skipTo(EqTok) {
			return 0, false
		}
		p.next()
	}
	n.OpPos = p.prevEnd - 1
	n.poff, n.pn = p.addPats(pats)
	return typ, true
}

// upTo parses an expression up to the token that the form waits for, and reports whether it stands there.
func (p *parser) upTo(fr *form, follows string) (o operand, ok bool) {
	p.begin(fr)
	defer p.end()
	return p.await(fr, p.expr(fr), Note{Text: follows})
}

// await continues behind the part o of a form, up to the token that the form waits for. It fails if an error leads out
// of the form.
func (p *parser) await(fr *form, o operand, notes ...Note) (_ operand, ok bool) {
	for {
		o = p.strays(fr, o)
		switch {
		case p.unwinding && !p.caught(fr):
			return o, false
		case p.letEnds, fr.waitsFor(p.tok.kind), fr.rec && p.at(AndTok):
			p.letEnds = false
			return o, true
		}
		p.expected(awaited[fr.kind].name, p.strayHint(), append([]Note{p.opener(fr.op, fr.start)}, notes...)...)
		o = p.recover()
	}
}

// match parses e with | p -> e … after match.
func (p *parser) match(start uint32) operand {
	o, ok := p.upTo(&form{kind: matchForm, op: MatchTok, start: start}, "cases follow: `match e with | p -> e`")
	if !ok {
		return o
	}
	n := ExprNode{Kind: MatchExpr, OpPos: p.tok.end}
	p.next()
	p.accept(BarTok)
	kids := []Expr{o.e}
	var pats []Pat
	for more := true; more; more = !p.unwinding && p.accept(BarTok) {
		p.matching = true
		pat, ok := p.patApplication()
		p.matching = false
		if ok && p.at(BarTok) {
			p.expected("`->`", "each case has an expression of its own")
			return p.recover()
		}
		if !p.arrow(p.reservedHint()) {
			return p.recover()
		}
		o = p.expr(nil)
		kids, pats = append(kids, o.e), append(pats, pat)
	}
	n.Span = Span{start, o.span.End}
	n.poff, n.pn = p.addPats(pats)
	return p.made(n, kids...)
}

// comprehension parses i < s -> e after vec, sum or list.
func (p *parser) comprehension(k Token, start uint32) operand {
	n := ExprNode{Kind: CompExpr, Op: k, Span: Span{Start: start}, Text: "_", TextSpan: p.span()}
	like := "as in `" + k.String() + " i < 3 -> …`"
	var s operand
	if p.at(IdentTok) || p.at(UnderTok) {
		n.Text = p.text()
		p.next()
		if p.accept(LessTok) {
			s = p.size(PrecAdd)
		} else {
			p.expected("`<` and a bound", like)
		}
	} else {
		p.expected("an index after `"+k.String()+"`", cmp.Or(p.reservedHint(), like))
	}
	if s.e == 0 {
		s = p.bad(p.span())
	}
	hint := "a bound is " + sizeHelp
	if p.at(CommaTok) {
		hint = "one index each: vec i < n -> vec j < m -> …"
	}
	if !p.arrow(hint) {
		return p.recover()
	}
	n.OpPos = p.prevEnd
	return p.tail(n, s.e)
}

// arrow moves past ->, skipping to it after an error. It fails if there is none.
func (p *parser) arrow(hint string) bool {
	found := p.at(ArrowTok)
	switch {
	case found:
	case slices.Contains(misspelt[ArrowTok], p.tok.kind):
		p.expected("`->`", "")
		found = true
	default:
		p.expected("`->`", hint)
		found = p.skipTo(ArrowTok)
	}
	if found {
		p.next()
	}
	return found
}

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
	s := p.size(PrecAdd)
	if !p.word(p.tok, "with") {
		p.expected("`with`", "a bound is "+sizeHelp)
		return p.recover()
	}
	p.next()
	pats, ok := p.patterns(EqTok)
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
	if !p.arrow("as in `scan i < 3 with x = 1 -> 2 * x`") {
		return p.recover()
	}
	n.OpPos = p.prevEnd
	return p.tail(n, s.e, start.e)
}
