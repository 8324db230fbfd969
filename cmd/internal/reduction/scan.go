package reduction

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/gram-machine/gram/lang/core"
	"github.com/gram-machine/gram/lang/syntax"
)

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
	_, symbol := symbols[p.tok.text]
	own := symbol || slices.Contains([]string{"if", "then", "else", "zero"}, p.tok.text) // of the notation
	if p.tok.kind != nameToken || own {
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

// next reads the next token.
func (p *parser) next() {
	p.end = p.tok.end
	p.scan()
	if p.left--; p.left < 0 {
		p.fail("the term is too large", "--max-size raises the bound")
	}
}

var (
	blank = regexp.MustCompile(`^(?:[\s\v\x{85}\p{Z}\x{FEFF}]|--[^\n]*)*`) // white space and comments

	// tokens has two groups: a name with its stars, such as x'*, ∂1 sin, and a number.
	tokens = regexp.MustCompile(`^(?:0⃗` +
		`|((?:∂[0-9]* *|[^\P{L}λ]|_)(?:[^\P{L}λ]|[_\p{Nd}'′])*\**)` +
		`|([0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)` +
		`|:=|->|-o|\|-|<=|>=|(?s:.))`)
)

// scan reads the next token.
func (p *parser) scan() {
	start := p.tok.end + len(blank.FindString(p.src[p.tok.end:]))
	p.tok = token{start: start, end: start}
	found := tokens.FindStringSubmatch(p.src[start:])
	if found == nil {
		return // the end
	}
	switch {
	case found[1] != "":
		p.tok.kind = nameToken
	case found[2] != "":
		p.tok.kind = numberToken
	default:
		p.tok.kind = otherToken
	}
	p.tok.text = found[0]
	p.tok.end += len(found[0])
}

// arrow reads A → A, to the right.
func (p *parser) arrow() core.Type {
	if p.depth++; p.depth > deepest {
		p.fail("the type is nested too deeply", "")
	}
	defer func() { p.depth-- }()
	start := p.span()
	t := p.times()
	switch {
	case p.accept("→", "->"):
		return p.types.Arrow(t, p.arrow())
	case p.accept("⊸", "-o"):
		const dual = "a dual has the type R -o R^d"
		if t != core.R {
			fail(start, "no such type", dual)
		}
		u := p.power()
		last := u
		for n := p.types.At(last); n.Kind == core.Prod && n.A == core.R; n = p.types.At(last) {
			last = n.B
		}
		if last != core.R {
			p.fail("no such type", dual)
		}
		return p.types.Dual(u)
	}
	return t
}

// times reads A × A, to the right.
func (p *parser) times() core.Type {
	t := p.power()
	if p.accept("×", "*") {
		return p.types.Prod(t, p.times())
	}
	return t
}

// power reads R, R^d, R⊥, R⊥d and (A).
func (p *parser) power() core.Type {
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
	exponent := func() core.Type {
		d := 0
		if _, err := fmt.Sscan(p.tok.text, &d); err != nil || p.tok.kind != numberToken || d < 1 || d > 1000 {
			p.fail("no such type", "a dimension from 1 to 1000 is expected here")
		}
		p.next()
		t := core.R
		for ; d > 1; d-- {
			t = p.types.Prod(core.R, t)
		}
		return t
	}
	switch {
	case p.accept("⊥"):
		if p.tok.kind == numberToken {
			return p.types.Dual(exponent())
		}
		return p.types.Dual(p.types.power())
	case p.accept("^"):
		return exponent()
	}
	return core.R
}
