package reduction

import (
	"fmt"
	"strings"
)

// ty is a type under inference: a node of a union-find. Types share their parts, so that one may be exponentially
// larger than its nodes are many; no work is done twice for a node.
type ty struct {
	link *ty // what it has been found to be
	kind tyKind
	a, b *ty // of a product or an arrow; a is the R^d of R⊥d
	// euclid says of an unknown type that it is R^d; what stays so is that with an abstract d.
	euclid bool
}

type tyKind uint8

const (
	unknownTy tyKind = iota
	realTy
	prodTy
	arrowTy
	dualTy
)

func (t *ty) find() *ty {
	for t.link != nil {
		t = t.link
	}
	return t
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
