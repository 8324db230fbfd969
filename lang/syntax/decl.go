package syntax

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"unicode"
	"unicode/utf8"
)

// String returns the declaration's keyword.
func (k DeclKind) String() string { return declWords[k].String() }

var declWords = [...]Token{ParamDecl: ParamTok, InputDecl: InputTok, DataDecl: DataTok, DefDecl: DefTok,
	TypeDecl: TypeTok, SymbolDecl: SymbolTok}

// decl parses a declaration. The current token is its keyword.
func (p *parser) decl() {
	d := Decl{Span: p.span()}
	keyword := p.tok.kind
	if keyword == AndTok {
		before := &p.f.Decls[len(p.f.Decls)-1]
		d.Kind, d.Rec, d.And = before.Kind, before.Rec, true
	} else {
		d.Kind = DeclKind(max(0, slices.Index(declWords[:], keyword))) // an import has none
	}
	if !p.tok.col1 && !d.And {
		p.misplacedDecl()
	}
	errs := len(p.s.diags)
	p.inDecl = true
	p.next()
	if d.Kind == DefDecl && p.at(RecTok) {
		d.Rec = true
		p.next()
	}
	p.groups = d.Rec || d.Kind == TypeDecl
	switch {
	case keyword == ImportTok && !p.at(StringTok):
		p.expected("a file name in quotes", "an import is `import \"file.gram\"`")
	case keyword == ImportTok:
		d.Name, d.NameSpan = p.text(), p.span()
		p.next()
		p.expectEnd("an import is `import` and a file name in quotes")
	case d.Kind == TypeDecl:
		p.typeDecl(&d)
	case p.declHead(&d):
		p.declValue(&d)
	}
	if d.Value == 0 && d.Kind != TypeDecl && keyword != ImportTok {
		d.Value = p.bad(p.span()).e
	}
	p.skipRest()
	d.Span.End = p.prevEnd
	switch {
	case keyword == ImportTok && d.Name != "":
		p.importFile(d)
	case d.Name != "":
		p.f.Decls = append(p.f.Decls, d)
	}
	broken := len(p.s.diags) > errs
	p.layoutEnds()
	if broken && !p.tok.kind.startsDecl() && !p.stopped() {
		p.skipOrphan()
	}
}

// misplacedDecl reports a declaration's keyword that is not at column 1.
func (p *parser) misplacedDecl() {
	p.reportHere(fmt.Sprintf("the declaration `%s` must start at column 1", p.real), "remove the space before this")
}

// skipRest moves to the end of the declaration, silently: an error has been reported.
func (p *parser) skipRest() {
	defer p.silently()()
	for !p.at(EOF) && !p.joined() {
		if p.startsDecl() {
			p.tok.kind = EOF
			break
		}
		p.next()
	}
}

// joined reports whether an and that joins a declaration to the present one stands here.
func (p *parser) joined() bool { return p.groups && p.at(AndTok) }

// typeDecl parses t 'a … = C of T | … after type.
func (p *parser) typeDecl(d *Decl) {
	if !p.at(IdentTok) {
		p.expected("a name after `type`", p.reservedHint())
		return
	}
	d.Name, d.NameSpan = p.text(), p.span()
	p.next()
	for ; p.at(TypeVarTok); p.next() {
		d.Vars = append(d.Vars, Word{TypeVarTok, p.text(), p.span()})
	}
	if !p.at(EqTok) && !p.at(eqEqTok) && !p.at(colonEqTok) {
		hint := ""
		if p.at(IdentTok) {
			hint = "the parameters of a type start with ', as in type option 'a = None | Some of 'a"
		}
		p.expected("`=` and the constructors of `"+clip(d.Name)+"`", hint)
		return
	}
	p.expectEq("`=`")
	p.accept(BarTok)
	for more := true; more; more = p.accept(BarTok) {
		if !p.at(IdentTok) {
			p.expected("a constructor", p.reservedHint())
			return
		}
		c := Constructor{Name: p.text(), Span: p.span()}
		if !isConstructor(c.Name) {
			p.expected("a constructor", "the name of a constructor starts with a capital letter")
			return
		}
		p.next()
		if p.at(IdentTok) && p.text() == "of" {
			p.next()
			c.Type = p.typ().t
		}
		d.Cons = append(d.Cons, c)
		p.cons[c.Name] = true
	}
	if !p.joined() {
		p.expectEnd("a constructor is written C or C of T, and | stands between two")
	}
}

// isConstructor reports whether a name can be one of a constructor: it starts with a capital letter.
func isConstructor(name string) bool {
	r, _ := utf8.DecodeRuneInString(name)
	return unicode.IsUpper(r)
}

// skipOrphan passes over tokens at column 1 that a broken declaration left behind,
// up to the next declaration. If there is none they may be the body, and stay.
func (p *parser) skipOrphan() {
	save := *p
	bodyLike := p.tok.kind.startsAtom() || p.tok.kind.startsPrefix() || p.at(MinusTok) || p.at(SizeTok)
	p.skipToDecl()
	if p.real == EOF && bodyLike {
		*p = save
	}
}

// declHead parses a declaration up to and including its "=".
func (p *parser) declHead(d *Decl) bool {
	if !p.at(IdentTok) && !(p.at(SumTok) && d.Kind == DefDecl) { // the function sum may be declared anew
		p.expected(fmt.Sprintf("a name after `%s`", d.Kind), p.reservedHint())
		return false
	}
	d.Name, d.NameSpan = p.text(), p.span()
	p.next()
	if !p.declNames(d) {
		return false
	}
	if p.tok.kind.startsPat() {
		if d.Kind != DefDecl && d.Kind != SymbolDecl {
			p.expected("`=`", fmt.Sprintf("only `def` takes parameters, not `%s`", d.Kind))
			return false
		}
		pats, ok := p.patterns(EqTok, ColonTok)
		if !ok {
			return false
		}
		d.Params = pats
	}
	if p.at(ColonTok) {
		switch d.Kind {
		case ParamDecl:
			p.expected("`=`", "a `param` is a natural number and has no type")
			return false
		case SymbolDecl:
			p.expected("`=`", "a `symbol` is a function of numbers, and its value is a number")
			return false
		}
		p.next()
		if d.Type = p.typ().t; len(d.Named) == 0 && !p.declNames(d) { // it may stand behind the type, too
			return false
		}
	}
	return p.expectEq(fmt.Sprintf("`=` and the value of `%s`", clip(d.Name)))
}

// declNames parses the names of the components of an input, if they follow: in quotes, or levels xs "column".
func (p *parser) declNames(d *Decl) bool {
	if d.Kind == InputDecl && p.at(IdentTok) && p.text() == "named" {
		for p.next(); p.at(StringTok) || p.at(IdentTok); p.next() {
			d.Named = append(d.Named, p.fileWord())
		}
		if len(d.Named) == 0 {
			p.expected("a name in quotes", `as in input w named "age" "income" = 0`)
			return false
		}
	}
	return true
}

// fileWord returns the current token as a word: a string without its quotes.
func (p *parser) fileWord() Word {
	w := Word{p.tok.kind, p.text(), p.span()}
	if w.Kind == StringTok {
		w.Text, _ = strconv.Unquote(w.Text) // a wrong one has been reported
	}
	return w
}

// expectEq moves past "=", or what other languages write for it.
func (p *parser) expectEq(what string) bool {
	if slices.Contains(misspelt[EqTok], p.tok.kind) {
		p.expected("`=`", "")
		p.tok.kind = EqTok
	}
	if p.accept(EqTok) {
		return true
	}
	hint := ""
	if p.tok.kind.startsAtom() || p.at(UnderTok) {
		hint = "a name is followed by parameters, a type after `:`, or `=`"
	}
	if p.tok.kind.IsKeyword() {
		hint = p.reservedHint()
	}
	p.expected(what, hint)
	return false
}

// declValue parses what stands after "=".
func (p *parser) declValue(d *Decl) {
	switch {
	case d.Kind == ParamDecl:
		d.Value = p.size(PrecAdd).e
		p.expectEnd("a param is " + sizeHelp)
	case d.Kind == SymbolDecl:
		d.Value = p.symbolValue(d.Span.Start)
	case d.Kind != DefDecl && p.startsFile():
		d.Value = p.file()
		p.expectEnd("behind the file name stand names in quotes and numbers, and `skip`, `fill 0` or `separator \";\"`")
	default:
		d.Value = p.whole().e
	}
}

// symbolValue parses e with p, … of a declaration that starts at start.
func (p *parser) symbolValue(start uint32) Expr {
	p.open = 0
	o, ok := p.upTo(&form{kind: symbolForm, op: SymbolTok, start: start},
		"the partial derivatives follow: `symbol f x = e with p`")
	if !ok {
		p.unwinding = false
		return o.e
	}
	n := ExprNode{Kind: TupleExpr, Span: Span{Start: o.span.Start}}
	parts := []Expr{o.e}
	for more := true; more; more = !p.unwinding && p.at(CommaTok) {
		p.next() // with, or a comma
		o = p.expr(nil)
		parts, n.Span.End = append(parts, o.e), o.span.End
	}
	p.unwinding = false
	p.expectEnd("between two partial derivatives stands a comma")
	return p.add(n, parts...)
}

// expectEnd reports what follows a complete declaration.
func (p *parser) expectEnd(hint string) {
	if p.at(EOF) {
		return
	}
	if p.startsDecl() {
		p.misplacedDecl()
		return
	}
	p.expected("the end of the declaration", hint)
}

// fileFormats are the words that read a file with a [FileExpr]. But for csv they are names where no string follows.
var fileFormats = []string{"csv", "npy", "npz", "json", "parquet", "text"}

// startsFile reports whether a FileExpr starts here.
func (p *parser) startsFile() bool {
	if !p.at(IdentTok) || !slices.Contains(fileFormats, p.text()) {
		return p.at(CsvTok)
	}
	return bytes.HasPrefix(bytes.TrimLeft(p.s.src[p.tok.end:], " \t\r\n"), []byte{'"'})
}

// file parses csv "file" "column" … and the like. What the words mean is not looked at.
func (p *parser) file() Expr {
	n := ExprNode{Kind: FileExpr, Span: p.span(), Text: p.text()}
	p.next()
	for len(n.Words) == 0 && p.at(StringTok) || len(n.Words) > 0 &&
		(p.at(StringTok) || p.at(NumberTok) || p.at(MinusTok) || p.at(IdentTok)) {
		w := p.fileWord()
		if w.Kind == MinusTok {
			if p.next(); !p.at(NumberTok) {
				p.expected("a number", "")
				return p.bad(n.Span).e
			}
			w = Word{NumberTok, "-" + p.text(), Span{w.Span.Start, p.tok.end}}
		}
		n.Words = append(n.Words, w)
		p.next()
	}
	n.Span.End = p.prevEnd
	switch {
	case len(n.Words) == 0:
		p.expected("a file name in quotes", `as in csv "weather.csv" "temp_max"`)
	case n.Text == "csv" && len(n.Words) == 1:
		p.expected("the name of a column in quotes", `as in csv "weather.csv" "temp_max"`)
	default:
		return p.add(n)
	}
	return p.bad(n.Span).e
}
