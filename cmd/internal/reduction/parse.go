package reduction

import (
	"errors"
	"fmt"
	"math/big"
	"slices"
	"unicode/utf8"

	"github.com/gram-machine/gram/internal/denote"
	"github.com/gram-machine/gram/internal/reference"
	"github.com/gram-machine/gram/lang"
	"github.com/gram-machine/gram/lang/core"
	"github.com/gram-machine/gram/lang/syntax"
	"github.com/gram-machine/gram/term"
)

// deepest bounds the nesting of a term.
const deepest = 5000

// declaration is a free variable of the context, with its type.
type declaration struct {
	name string
	typ  core.Type
	span syntax.Span
}

// syntaxError ends the parser and the inference of types.
type syntaxError struct{ syntax.Diagnostic }

// fail ends the parser or the inference.
func fail(span syntax.Span, headline, label string) {
	panic(&syntaxError{syntax.Diagnostic{Span: span, Headline: headline, Label: label}})
}

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
	types  types
	vars   map[*reference.Var]core.Type // of bound variables, as far as they are written
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
	turnstile := func() bool { return p.tok.text == "⊢" || p.tok.text == "|-" }
	second := *p
	if second.scan(); turnstile() || second.tok.text == ":" { // no term has a colon
		for !turnstile() {
			d := declaration{name: p.tok.text, span: p.span()}
			p.expectName("a free variable")
			p.expect(":")
			d.typ = p.arrow()
			free = append(free, d)
			if !turnstile() {
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

// made is a term whose text begins at start and has just been read.
func (p *parser) made(start uint32, t reference.Term) *reference.Term {
	t.Pos = term.Pos(start + 1)
	p.spans[&t] = p.from(start)
	return &t
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
	return p.sum()
}

var comparisons = map[string]term.Compare{"<": term.Less, "<=": term.LessEqual, "≤": term.LessEqual, ">": term.Greater,
	">=": term.GreaterEqual, "≥": term.GreaterEqual}

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
	products = map[string]reference.Term{"·": {Op: reference.Function, Sym: term.Mul},
		"*": {Op: reference.Function, Sym: term.Mul}, "/": {Op: reference.Function, Sym: term.Div}}
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
		return p.numeral(start, "-"+p.tok.text)
	case p.tok.kind == numberToken:
		return p.numeral(start, text)
	}
	p.expectName("a term")
	return p.made(start, reference.Term{Op: reference.Variable, X: &reference.Var{Name: text}})
}

// numeral reads a number; over the rationals exactly.
func (p *parser) numeral(start uint32, text string) *reference.Term {
	p.next()
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
	p.vars[x] = p.types.unwritten(x.Name)
	if p.accept("^") {
		if p.accept("!") {
			p.vars[x] = p.power()
		} else {
			p.expect("R")
			x.Linear, p.vars[x] = true, core.R
		}
	}
	return x
}

// tokensOf bounds the tokens of one symbol of a term, with what the declaration of a free variable has.
const tokensOf = 20

// Parse reads a term in the notation of the paper. The error is a [*syntax.Errors], also for a term of far more than
// maxSize symbols.
func Parse(name string, src []byte, ground denote.Ground, maxSize int) (s *Source, err error) {
	s = &Source{lang: &lang.Program{File: syntax.NewFile(name, src)}, term: true}
	defer func() {
		switch fault := recover().(type) {
		case nil:
		case *syntaxError:
			s, err = nil, syntax.NewErrors(s.lang.File, []syntax.Diagnostic{fault.Diagnostic})
		default:
			panic(fault)
		}
	}()
	for i, r := range string(src) {
		if _, n := utf8.DecodeRune(src[i:]); r == utf8.RuneError && n == 1 {
			fail(syntax.Span{Start: uint32(i), End: uint32(i + 1)}, "the source is not UTF-8", "")
		}
	}
	p := &parser{src: string(src), ground: ground, left: tokensOf * maxSize, spans: map[*reference.Term]syntax.Span{},
		types: types{core.NewTypes()}, vars: map[*reference.Var]core.Type{}}
	p.types.Watched = map[core.Type][]int{}
	free, t := p.program()
	in := &inference{types: p.types, final: term.NewTypes(), spans: p.spans, vars: p.vars,
		scope: map[string][]*reference.Var{}, zeros: map[*reference.Term]core.Type{}, done: map[core.Type]term.Type{}}
	for _, d := range free {
		if len(in.scope[d.name]) > 0 {
			fail(d.span, "a free variable is declared twice", d.name)
		}
		in.declare(&reference.Var{Name: d.name}, d.typ)
	}
	in.term(t)
	in.settle(ground)
	s.free = in.free
	s.program = reference.NewProgram(t, in.final, ground, s.free...)
	var wrong *term.TypeError
	if _, err := s.program.Check(t); errors.As(err, &wrong) {
		return nil, s.errorAt(spanOf(wrong.Pos), "this term has no type", wrong.Msg)
	}
	return s, nil
}
