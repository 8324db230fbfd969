package reduce

import (
	"fmt"
	"math/big"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/gram-machine/gram/internal/denote"
	"github.com/gram-machine/gram/internal/reference"
	"github.com/gram-machine/gram/lang/syntax"
	"github.com/gram-machine/gram/term"
)

// deepest bounds the nesting of a term.
const deepest = 5000

// declaration is a free variable of the context, with its type.
type declaration struct {
	name string
	typ  *ty
	span syntax.Span
}

// syntaxError ends the parser and the inference of types.
type syntaxError struct{ syntax.Diagnostic }

// fail ends the parser or the inference.
func fail(span syntax.Span, headline, label string) {
	panic(&syntaxError{syntax.Diagnostic{Span: span, Headline: headline, Label: label}})
}

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

// parser reads terms by recursive descent, one token ahead. An occurrence of a variable has a [reference.Var] with
// its name; inference puts the one that is bound in its place.
type parser struct {
	src    string
	ground denote.Ground
	tok    token
	end    int // of the token before
	depth  int
	left   int // tokens that may come yet
	spans  map[*reference.Term]syntax.Span
	vars   map[*reference.Var]*ty // the types of bound variables, as far as they are written
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

// program reads a context, if there is one, and a term.
func (p *parser) program() (free []declaration, t *reference.Term) {
	p.next()
	if hasContext(p.src) {
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
	return free, t
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

// made is a term whose text begins at start and has just been read.
func (p *parser) made(start uint32, t reference.Term) *reference.Term {
	t.Pos = term.Pos(start + 1)
	p.spans[&t] = p.from(start)
	return &t
}

// fail ends the parser at the next token.
func (p *parser) fail(headline, label string) { fail(p.span(), headline, label) }

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
func (p *parser) term() *reference.Term {
	if p.depth++; p.depth > deepest {
		p.fail("the term is nested too deeply", fmt.Sprintf("more than %d levels", deepest))
	}
	defer func() { p.depth-- }()
	start := uint32(p.tok.start)
	switch {
	case p.accept("λ", "\\"):
		x := p.variable()
		p.expect(".")
		body := p.term()
		return p.made(start, reference.Term{Op: reference.Lambda, X: x, Kids: []*reference.Term{body}})
	case p.accept("if"):
		return p.conditional(start)
	}
	return p.sum()
}

var comparisons = map[string]term.Compare{"<": term.Less, "<=": term.LessEqual, "≤": term.LessEqual, ">": term.Greater,
	">=": term.GreaterEqual, "≥": term.GreaterEqual}

func (p *parser) conditional(start uint32) *reference.Term {
	left := p.sum()
	cmp, ok := comparisons[p.tok.text]
	if !ok {
		p.fail("syntax error", "a comparison is expected here: <, <=, > or >=")
	}
	p.next()
	right := p.sum()
	p.expect("then")
	yes := p.term()
	p.expect("else")
	no := p.term()
	return p.made(start, reference.Term{Op: reference.If, Cmp: cmp, Kids: []*reference.Term{left, right, yes, no}})
}

// infix reads operands of read with operators between them, to the left. The right side of an operator may be a λ.
func (p *parser) infix(read func() *reference.Term, operators map[string]reference.Term) *reference.Term {
	start := uint32(p.tok.start)
	t := read()
	for {
		node, ok := operators[p.tok.text]
		if !ok {
			return t
		}
		p.next()
		right := read
		if p.tok.text == "λ" || p.tok.text == "\\" || p.tok.text == "if" {
			right = p.term
		}
		node.Kids = []*reference.Term{t, right()}
		t = p.made(start, node)
	}
}

var (
	sums     = map[string]reference.Term{"+": {Op: reference.Plus}, "-": {Op: reference.Function, Sym: term.Sub}}
	products = map[string]reference.Term{"·": {Op: reference.Function, Sym: term.Mul}, "*": {Op: reference.Function, Sym: term.Mul},
		"/": {Op: reference.Function, Sym: term.Div}}
)

// sum reads t + t and t - t.
func (p *parser) sum() *reference.Term { return p.infix(p.product, sums) }

// product reads t·t and t / t.
func (p *parser) product() *reference.Term { return p.infix(p.application, products) }

// application reads t u, to the left.
func (p *parser) application() *reference.Term {
	start := uint32(p.tok.start)
	t := p.atom()
	for p.startsAtom() {
		u := p.atom()
		t = p.made(start, reference.Term{Op: reference.Apply, Kids: []*reference.Term{t, u}})
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
func (p *parser) atom() *reference.Term {
	start := uint32(p.tok.start)
	t := p.simple()
	for p.accept("[") {
		pattern := p.pattern(map[string]bool{})
		p.expect(":=")
		u := p.term()
		p.expect("]")
		t = p.made(start, reference.Term{Op: reference.Let, P: pattern, Kids: []*reference.Term{t, u}})
	}
	return t
}

func (p *parser) simple() *reference.Term {
	start, text := uint32(p.tok.start), p.tok.text
	if f, ok := symbols[text]; ok && p.tok.kind == nameToken {
		return p.function(f)
	}
	switch {
	case p.accept("0⃗", "zero"):
		return p.made(start, reference.Term{Op: reference.Zero})
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
		return p.numeral(start, text)
	case p.tok.kind == numberToken:
		p.next()
		return p.numeral(start, text)
	}
	p.expectName("a term")
	return p.made(start, reference.Term{Op: reference.Variable, X: &reference.Var{Name: text}})
}

// numeral reads a number; over the rationals exactly.
func (p *parser) numeral(start uint32, text string) *reference.Term {
	if _, exact := p.ground.(denote.Rationals); exact {
		q, ok := new(big.Rat).SetString(text)
		if !ok || len(text) >= 100 || q.Num().BitLen()+q.Denom().BitLen() >= 1e5 {
			fail(p.from(start), "no such number", "this is too long")
		}
		return p.made(start, reference.Term{Op: reference.Numeral, Num: q})
	}
	r, err := syntax.ParseNumber(text)
	if err != nil {
		fail(p.from(start), "no such number", err.Error())
	}
	return p.made(start, reference.Term{Op: reference.Numeral, Num: p.ground.Of(r)})
}

// terms reads terms with commas between them.
func (p *parser) terms() []*reference.Term {
	ts := []*reference.Term{p.term()}
	for p.accept(",") {
		ts = append(ts, p.term())
	}
	return ts
}

// tuple reads what stands between brackets: a term, or several, which are pairs nested to the right.
func (p *parser) tuple(start uint32, end string) *reference.Term {
	ts := p.terms()
	p.expect(end)
	if len(ts) == 1 && end != ")" {
		p.fail("syntax error", "a tuple has two components or more")
	}
	t := ts[len(ts)-1]
	for _, u := range slices.Backward(ts[:len(ts)-1]) {
		t = p.made(start, reference.Term{Op: reference.MakePair, Kids: []*reference.Term{u, t}})
	}
	return t
}

// function reads f(t1,…,tk).
func (p *parser) function(f term.Symbol) *reference.Term {
	start := uint32(p.tok.start)
	p.next()
	p.expect("(")
	args := p.terms()
	if k := f.Info().Arity; len(args) != k {
		p.fail("syntax error", fmt.Sprintf("%s takes %d arguments, and has %d", f, k, len(args)))
	}
	p.expect(")")
	return p.made(start, reference.Term{Op: reference.Function, Sym: f, Kids: args})
}

// pattern reads a variable, or a tuple of patterns. known are the names of the variables before it.
func (p *parser) pattern(known map[string]bool) *reference.Pattern {
	end := map[string]string{"(": ")", "⟨": "⟩"}[p.tok.text]
	if end == "" {
		start := uint32(p.tok.start)
		x := p.variable()
		if known[x.Name] {
			fail(p.from(start), "a variable is bound twice in one pattern", x.Name)
		}
		known[x.Name] = true
		return &reference.Pattern{X: x}
	}
	p.next()
	ps := []*reference.Pattern{p.pattern(known)}
	for p.accept(",") {
		ps = append(ps, p.pattern(known))
	}
	p.expect(end)
	out := ps[len(ps)-1]
	for _, left := range slices.Backward(ps[:len(ps)-1]) {
		out = &reference.Pattern{Left: left, Right: out}
	}
	return out
}

// variable reads a variable that is bound: x, x^R or x^!A.
func (p *parser) variable() *reference.Var {
	x := &reference.Var{Name: p.tok.text}
	p.expectName("a variable")
	p.vars[x] = unwritten(x.Name)
	if p.accept("^") {
		if p.accept("!") {
			p.vars[x] = p.power()
		} else {
			p.expect("R")
			x.Linear, p.vars[x] = true, real
		}
	}
	return x
}

// unwritten is the type of a variable about which nothing is said. A name with a star is that of a dual variable.
func unwritten(name string) *ty {
	if strings.HasSuffix(name, "*") {
		return &ty{kind: dualTy, a: &ty{euclid: true}}
	}
	return &ty{}
}

// arrow reads A → A, to the right.
func (p *parser) arrow() *ty {
	if p.depth++; p.depth > deepest {
		p.fail("the type is nested too deeply", "")
	}
	defer func() { p.depth-- }()
	start := p.span()
	t := p.times()
	switch {
	case p.accept("→", "->"):
		return &ty{kind: arrowTy, a: t, b: p.arrow()}
	case p.accept("⊸", "-o"):
		const dual = "a dual has the type R -o R^d"
		if t.kind != realTy {
			fail(start, "no such type", dual)
		}
		u := p.power()
		if !u.isPower() {
			p.fail("no such type", dual)
		}
		return &ty{kind: dualTy, a: u}
	}
	return t
}

// times reads A × A, to the right.
func (p *parser) times() *ty {
	t := p.power()
	if p.accept("×", "*") {
		return &ty{kind: prodTy, a: t, b: p.times()}
	}
	return t
}

// power reads R, R^d, R⊥, R⊥d and (A).
func (p *parser) power() *ty {
	if p.accept("(") {
		t := p.arrow()
		p.expect(")")
		return t
	}
	if strings.TrimRight(p.tok.text, "*") == "R" { // in R*R the star is not of the name
		p.tok.text, p.tok.end = "R", p.tok.start+1
	}
	p.expect("R")
	// exponent reads R^d.
	exponent := func() *ty {
		d := 0
		if _, err := fmt.Sscan(p.tok.text, &d); err != nil || p.tok.kind != numberToken || d < 1 || d > 1000 {
			p.fail("no such type", "a dimension from 1 to 1000 is expected here")
		}
		p.next()
		t := real
		for ; d > 1; d-- {
			t = &ty{kind: prodTy, a: real, b: t}
		}
		return t
	}
	switch {
	case p.accept("⊥"):
		if p.tok.kind == numberToken {
			return &ty{kind: dualTy, a: exponent()}
		}
		return &ty{kind: dualTy, a: &ty{euclid: true}}
	case p.accept("^"):
		return exponent()
	}
	return real
}

// isPower reports whether a type that is written is R^d.
func (t *ty) isPower() bool {
	for t.kind == prodTy && t.a.kind == realTy {
		t = t.b
	}
	return t.kind == realTy
}
