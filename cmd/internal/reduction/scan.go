package reduction

import (
	"fmt"
	"regexp"
	"slices"

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
