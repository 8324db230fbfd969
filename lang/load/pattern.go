package load

import (
	"fmt"

	"github.com/gram-machine/gram/lang/syntax"
)

// binder puts the parts of a value in the slots of a pattern's variables.
type binder struct {
	slot int // of a pattern that is a name; otherwise -1
	take func(m *machine, fr []value, at place, v value)
}

// bind matches v, which the expression at gave.
func (b *binder) bind(m *machine, fr []value, at place, v value) {
	if b.slot >= 0 {
		fr[b.slot] = v
		return
	}
	b.take(m, fr, at, v)
}

// pattern compiles p and binds its names.
func (c *compiler) pattern(p syntax.Pat, nest int) binder {
	n := c.file.Pat(p)
	if nest > maxNest {
		fail(place{c.file, n.Span}, "too deep", fmt.Sprintf("more than %d patterns in one another", maxNest))
	}
	switch n.Kind {
	case syntax.NamePat:
		return binder{slot: c.fn.bind(n.Text, false)}
	case syntax.WildPat:
		return binder{slot: -1, take: func(*machine, []value, place, value) {}}
	case syntax.AnnotPat:
		inner := c.pattern(c.file.PatKids(p)[0], nest+1)
		check := c.annotation(n.Type)
		return binder{slot: -1, take: func(m *machine, fr []value, at place, v value) {
			check.require(fr, at, v)
			inner.bind(m, fr, at, v)
		}}
	}
	kids := c.file.PatKids(p)
	parts := make([]binder, len(kids))
	for i, k := range kids {
		parts[i] = c.pattern(k, nest+1)
	}
	here := place{c.file, n.Span}
	switch n.Kind {
	case syntax.TuplePat:
		return binder{slot: -1, take: func(m *machine, fr []value, at place, v value) {
			takeTuple(m, fr, at, v, parts, here)
		}}
	case syntax.VecPat:
		return binder{slot: -1, take: func(m *machine, fr []value, at place, v value) {
			a, ok := v.ref.(*array)
			if !ok || a.list || a.n != len(parts) {
				noMatch(at, v, "a vector", len(parts), here)
			}
			for i := range parts {
				parts[i].bind(m, fr, at, a.at(i))
			}
		}}
	}
	panic(&failure{}) // a syntax error
}

func takeTuple(m *machine, fr []value, at place, v value, parts []binder, pattern place) {
	rest := v
	for i := range parts[:len(parts)-1] {
		o, ok := rest.ref.(*pair)
		if !ok {
			noMatch(at, v, "a tuple", len(parts), pattern)
		}
		parts[i].bind(m, fr, at, o.a)
		rest = o.b
	}
	parts[len(parts)-1].bind(m, fr, at, rest)
}

func noMatch(at place, v value, what string, n int, pattern place) {
	var notes []syntax.Note
	if pattern.file == at.file { // a note's place is in the file of its error
		notes = []syntax.Note{{Span: pattern.span, Text: "the pattern is here"}}
	}
	fail(at, "type mismatch", fmt.Sprintf("this is %s, but the pattern takes %s of %d", describe(v), what, n), notes...)
}
