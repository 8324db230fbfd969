package reduce

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/gram-machine/gram/lang/syntax"
	"github.com/gram-machine/gram/term"
)

// deepest bounds the nesting of a term.
const deepest = 5000

// A node of the syntax tree: an operator of [reference.Term] or a name, with its place.
type node struct {
	kind   kind
	name   string // of a name
	text   string // of a numeral
	sym    term.Symbol
	cmp    term.Compare
	binder *binder
	kids   []*node
	span   syntax.Span
}

type kind uint8

const (
	nameNode kind = iota
	numberNode
	lambdaNode
	applyNode
	pairNode
	letNode
	plusNode
	functionNode
	zeroNode
	ifNode
)

// binder is a variable that is bound, or a pair of binders.
type binder struct {
	name        string
	linear      bool      // x^R
	typ         *typeNode // of x^!A, or nil
	left, right *binder
	span        syntax.Span
}

// typeNode is a type as it is written.
type typeNode struct {
	kind     typeKind
	left     *typeNode
	right    *typeNode
	exponent int // of R^d, and of the dual R⊥d; 0 for an abstract d
}

type typeKind uint8

const (
	realType typeKind = iota
	prodType
	arrowType
	dualType
)

// declaration is a free variable of the context, with its type.
type declaration struct {
	name string
	typ  *typeNode
	span syntax.Span
}

// syntaxError ends the parser.
type syntaxError struct{ syntax.Diagnostic }

// token is a part of the text: a name, a number, or what it reads.
type token struct {
	kind  tokenKind
	text  string
	start int
	end   int
}

type tokenKind uint8

const (
	endToken tokenKind = iota
	nameToken
	numberToken
	otherToken
)

// parser reads terms by recursive descent, one token ahead.
type parser struct {
	src   string
	tok   token
	end   int // of the token before
	depth int
	left  int // tokens that may come yet
}

// symbols are the function symbols by the names that they have in terms and in programs.
var symbols = func() map[string]term.Symbol {
	out := map[string]term.Symbol{}
	for _, f := range slices.Concat(term.Symbols(), term.Derivatives()) {
		if f != term.Mul && f != term.Sub && f != term.Div {
			out[f.String()], out[f.SourceName()] = f, f
		}
	}
	return out
}()

// parse reads a text: a context, if there is one, and a term. It has so many tokens at most.
func parse(src string, tokens int) (free []declaration, t *node, err *syntaxError) {
	defer func() {
		if fault := recover(); fault != nil {
			e, ok := fault.(*syntaxError)
			if !ok {
				panic(fault)
			}
			err = e
		}
	}()
	p := &parser{src: src, left: tokens}
	p.next()
	if hasContext(src) {
		for p.tok.text != "⊢" && p.tok.text != "|-" {
			d := declaration{name: p.tok.text, span: p.span()}
			p.expectName("a free variable")
			p.expect(":")
			d.typ = p.arrow()
			free = append(free, d)
			if p.tok.text != "⊢" && p.tok.text != "|-" {
				p.expect(",")
			}
		}
		p.next()
	}
	t = p.term()
	if p.tok.kind != endToken {
		p.fail("syntax error", "this does not belong to the term")
	}
	return free, t, nil
}

// hasContext reports whether the text has a ⊢, outside of comments.
func hasContext(src string) bool {
	q := &parser{src: src}
	for q.scan(); q.tok.kind != endToken; q.scan() {
		if q.tok.text == "⊢" || q.tok.text == "|-" {
			return true
		}
	}
	return false
}

// span is that of the next token; at the end of the text, what comes after the last one.
func (p *parser) span() syntax.Span {
	if p.tok.kind == endToken {
		return syntax.Span{Start: uint32(p.end), End: uint32(p.end) + 1}
	}
	return syntax.Span{Start: uint32(p.tok.start), End: uint32(max(p.tok.end, p.tok.start+1))}
}

// from is the span from a place to the end of the token before.
func (p *parser) from(start uint32) syntax.Span {
	return syntax.Span{Start: start, End: uint32(p.end)}
}

func (p *parser) fail(headline, label string) {
	panic(&syntaxError{syntax.Diagnostic{Span: p.span(), Headline: headline, Label: label}})
}

func (p *parser) found() string {
	if p.tok.kind == endToken {
		return "the end"
	}
	return p.tok.text
}

func (p *parser) expect(text string) {
	if p.tok.text != text {
		p.fail("syntax error", fmt.Sprintf("%s is expected here, not %s", text, p.found()))
	}
	p.next()
}

func (p *parser) expectName(what string) {
	if p.tok.kind != nameToken || isWord(p.tok.text) {
		p.fail("syntax error", fmt.Sprintf("%s is expected here, not %s", what, p.found()))
	}
	p.next()
}

// accept passes over one of the texts.
func (p *parser) accept(texts ...string) bool {
	if p.tok.kind != endToken && slices.Contains(texts, p.tok.text) {
		p.next()
		return true
	}
	return false
}

// isWord reports whether a name is one of the notation's own.
func isWord(name string) bool {
	_, ok := symbols[name]
	return ok || name == "if" || name == "then" || name == "else" || name == "zero"
}

// next reads the next token.
func (p *parser) next() {
	p.end = p.tok.end
	p.scan()
	if p.left--; p.left < 0 {
		p.fail("the term is too large", "--max-size raises the bound")
	}
}

func isLetter(r rune) bool { return unicode.IsLetter(r) && r != 'λ' || r == '_' }

// longer are the tokens of more than one rune that are no names or numbers.
var longer = []string{":=", "->", "-o", "|-", "<=", ">=", "0⃗", "∂"}

func (p *parser) scan() {
	i := p.tok.end
	for i < len(p.src) {
		if strings.HasPrefix(p.src[i:], "--") {
			if n := strings.IndexByte(p.src[i:], '\n'); n >= 0 {
				i += n
				continue
			}
			i = len(p.src)
			break
		}
		r, n := utf8.DecodeRuneInString(p.src[i:])
		if !unicode.IsSpace(r) && r != '\uFEFF' {
			break
		}
		i += n
	}
	rest := p.src[i:]
	take := func(kind tokenKind, n int) { p.tok = token{kind, rest[:n], i, i + n} }
	if rest == "" {
		p.tok = token{endToken, "", i, i}
		return
	}
	for _, text := range longer {
		if strings.HasPrefix(rest, text) {
			if text == "∂" {
				take(nameToken, derivativeName(rest))
			} else {
				take(otherToken, len(text))
			}
			return
		}
	}
	r, n := utf8.DecodeRuneInString(rest)
	switch {
	case isLetter(r):
		take(nameToken, nameLength(rest))
	case '0' <= r && r <= '9':
		take(numberToken, numberLength(rest))
	default:
		take(otherToken, n)
	}
}

// nameLength is that of a name at the start of a text, with its stars.
func nameLength(text string) int {
	n := strings.IndexFunc(text, func(r rune) bool { return !isLetter(r) && !unicode.IsDigit(r) && r != '\'' && r != '′' })
	if n < 0 {
		return len(text)
	}
	for n < len(text) && text[n] == '*' {
		n++
	}
	return n
}

// derivativeName is the length of ∂1 sin.
func derivativeName(text string) int {
	n := len("∂")
	for n < len(text) && '0' <= text[n] && text[n] <= '9' {
		n++
	}
	for n < len(text) && text[n] == ' ' {
		n++
	}
	return n + nameLength(text[n:])
}

func numberLength(text string) int {
	n := 0
	digits := func() {
		for n < len(text) && '0' <= text[n] && text[n] <= '9' {
			n++
		}
	}
	digits()
	if n+1 < len(text) && text[n] == '.' && '0' <= text[n+1] && text[n+1] <= '9' {
		n++
		digits()
	}
	if n < len(text) && (text[n] == 'e' || text[n] == 'E') {
		mark := n
		n++
		if n < len(text) && (text[n] == '+' || text[n] == '-') {
			n++
		}
		if n == len(text) || text[n] < '0' || text[n] > '9' {
			n = mark
		}
		digits()
	}
	return n
}

// term reads a term: λs and conditionals reach as far right as they can.
func (p *parser) term() *node {
	if p.depth++; p.depth > deepest {
		p.fail("the term is nested too deeply", fmt.Sprintf("more than %d levels", deepest))
	}
	defer func() { p.depth-- }()
	start := uint32(p.tok.start)
	switch {
	case p.accept("λ", "\\"):
		b := p.binder(false)
		p.expect(".")
		body := p.term()
		return &node{kind: lambdaNode, binder: b, kids: []*node{body}, span: p.from(start)}
	case p.accept("if"):
		return p.conditional(start)
	}
	return p.sum()
}

func (p *parser) conditional(start uint32) *node {
	left := p.sum()
	cmps := map[string]term.Compare{"<": term.Less, "<=": term.LessEqual, "≤": term.LessEqual, ">": term.Greater, ">=": term.GreaterEqual,
		"≥": term.GreaterEqual}
	cmp, ok := cmps[p.tok.text]
	if !ok {
		p.fail("syntax error", "a comparison is expected here: <, <=, > or >=")
	}
	p.next()
	right := p.sum()
	p.expect("then")
	yes := p.term()
	p.expect("else")
	return &node{kind: ifNode, cmp: cmp, kids: []*node{left, right, yes, p.term()}, span: p.from(start)}
}

// sum reads t + t and t - t, to the left.
func (p *parser) sum() *node {
	start := uint32(p.tok.start)
	t := p.product()
	for {
		switch {
		case p.accept("+"):
			u := p.operand(p.product)
			t = &node{kind: plusNode, kids: []*node{t, u}, span: p.from(start)}
		case p.accept("-"):
			u := p.operand(p.product)
			t = &node{kind: functionNode, sym: term.Sub, kids: []*node{t, u}, span: p.from(start)}
		default:
			return t
		}
	}
}

// operand reads the right side of an operator, which may be a λ.
func (p *parser) operand(read func() *node) *node {
	if p.tok.text == "λ" || p.tok.text == "\\" || p.tok.text == "if" {
		return p.term()
	}
	return read()
}

// product reads t·t and t / t, to the left.
func (p *parser) product() *node {
	start := uint32(p.tok.start)
	t := p.application()
	for {
		sym := term.Mul
		switch {
		case p.accept("·", "*"):
		case p.accept("/"):
			sym = term.Div
		default:
			return t
		}
		u := p.operand(p.application)
		t = &node{kind: functionNode, sym: sym, kids: []*node{t, u}, span: p.from(start)}
	}
}

// application reads t u, to the left.
func (p *parser) application() *node {
	start := uint32(p.tok.start)
	t := p.atom()
	for p.startsAtom() {
		u := p.atom()
		t = &node{kind: applyNode, kids: []*node{t, u}, span: p.from(start)}
	}
	return t
}

func (p *parser) startsAtom() bool {
	switch p.tok.kind {
	case nameToken:
		return p.tok.text != "then" && p.tok.text != "else" && p.tok.text != "if"
	case numberToken:
		return true
	}
	return slices.Contains([]string{"(", "⟨", "0⃗"}, p.tok.text)
}

// atom reads what needs no parentheses, with the substitutions behind it.
func (p *parser) atom() *node {
	start := uint32(p.tok.start)
	t := p.simple()
	for p.accept("[") {
		b := p.binder(true)
		p.expect(":=")
		u := p.term()
		p.expect("]")
		t = &node{kind: letNode, binder: b, kids: []*node{t, u}, span: p.from(start)}
	}
	return t
}

func (p *parser) simple() *node {
	start, text := uint32(p.tok.start), p.tok.text
	if f, ok := symbols[text]; ok && p.tok.kind == nameToken {
		return p.function(f)
	}
	switch {
	case p.accept("0⃗", "zero"):
		return &node{kind: zeroNode, span: p.from(start)}
	case p.accept("("):
		return p.tuple(start, ")")
	case p.accept("⟨"):
		return p.tuple(start, "⟩")
	case p.accept("-"):
		if p.tok.kind != numberToken {
			p.fail("syntax error", "a number is expected behind a sign; of a term take neg(…)")
		}
		text = "-" + p.tok.text
		p.next()
		return &node{kind: numberNode, text: text, span: p.from(start)}
	case p.tok.kind == numberToken:
		p.next()
		return &node{kind: numberNode, text: text, span: p.from(start)}
	}
	p.expectName("a term")
	return &node{kind: nameNode, name: text, span: p.from(start)}
}

// tuple reads what stands between brackets: a term, or several, which are pairs nested to the right.
func (p *parser) tuple(start uint32, end string) *node {
	ts := []*node{p.term()}
	for p.accept(",") {
		ts = append(ts, p.term())
	}
	p.expect(end)
	if len(ts) == 1 && end != ")" {
		p.fail("syntax error", "a tuple has two components or more")
	}
	t := ts[len(ts)-1]
	for i := len(ts) - 2; i >= 0; i-- {
		t = &node{kind: pairNode, kids: []*node{ts[i], t}, span: p.from(start)}
	}
	return t
}

// function reads f(t1,…,tk).
func (p *parser) function(f term.Symbol) *node {
	start := uint32(p.tok.start)
	p.next()
	p.expect("(")
	args := []*node{p.term()}
	for p.accept(",") {
		args = append(args, p.term())
	}
	if k := f.Info().Arity; len(args) != k {
		p.fail("syntax error", fmt.Sprintf("%s takes %d arguments, and has %d", f, k, len(args)))
	}
	p.expect(")")
	return &node{kind: functionNode, sym: f, kids: args, span: p.from(start)}
}

// binder reads x, x^R, x^!A or, where it may, a tuple of binders.
func (p *parser) binder(pairs bool) *binder {
	start := uint32(p.tok.start)
	if end := map[string]string{"(": ")", "⟨": "⟩"}[p.tok.text]; pairs && end != "" {
		p.next()
		bs := []*binder{p.binder(true)}
		for p.accept(",") {
			bs = append(bs, p.binder(true))
		}
		p.expect(end)
		b := bs[len(bs)-1]
		for i := len(bs) - 2; i >= 0; i-- {
			b = &binder{left: bs[i], right: b, span: p.from(start)}
		}
		return b
	}
	b := &binder{name: p.tok.text}
	p.expectName("a variable")
	if p.accept("^") {
		if p.accept("!") {
			b.typ = p.power()
		} else {
			p.expect("R")
			b.linear = true
		}
	}
	b.span = p.from(start)
	return b
}

// arrow reads A → A, to the right.
func (p *parser) arrow() *typeNode {
	if p.depth++; p.depth > deepest {
		p.fail("the type is nested too deeply", "")
	}
	defer func() { p.depth-- }()
	start := p.span()
	t := p.times()
	switch {
	case p.accept("→", "->"):
		return &typeNode{kind: arrowType, left: t, right: p.arrow()}
	case p.accept("⊸", "-o"):
		if t.kind != realType {
			panic(&syntaxError{syntax.Diagnostic{Span: start, Headline: "no such type", Label: "a dual has the type R -o R^d"}})
		}
		u := p.power()
		if d := u.dimension(); d > 0 {
			return &typeNode{kind: dualType, exponent: d}
		}
		p.fail("no such type", "a dual has the type R -o R^d")
	}
	return t
}

// times reads A × A, to the right.
func (p *parser) times() *typeNode {
	t := p.power()
	if p.accept("×", "*") {
		return &typeNode{kind: prodType, left: t, right: p.times()}
	}
	return t
}

// power reads R, R^d, R⊥, R⊥d and (A).
func (p *parser) power() *typeNode {
	if p.accept("(") {
		t := p.arrow()
		p.expect(")")
		return t
	}
	if strings.TrimRight(p.tok.text, "*") == "R" { // in R*R the star is not of the name
		p.tok.text, p.tok.end = "R", p.tok.start+1
	}
	p.expect("R")
	natural := func() int {
		n := 0
		if _, err := fmt.Sscan(p.tok.text, &n); err != nil || p.tok.kind != numberToken || n < 1 || n > 1000 {
			p.fail("no such type", "a dimension from 1 to 1000 is expected here")
		}
		p.next()
		return n
	}
	switch {
	case p.accept("⊥"):
		if p.tok.kind == numberToken {
			return &typeNode{kind: dualType, exponent: natural()}
		}
		return &typeNode{kind: dualType}
	case p.accept("^"):
		t := &typeNode{}
		for range natural() - 1 {
			t = &typeNode{kind: prodType, left: &typeNode{}, right: t}
		}
		return t
	}
	return &typeNode{}
}

// dimension is the d of R^d, 0 for another type.
func (t *typeNode) dimension() int {
	for d := 1; ; d++ {
		switch {
		case t.kind == realType:
			return d
		case t.kind != prodType || t.left.kind != realType:
			return 0
		}
		t = t.right
	}
}
