package elaborate

import (
	"slices"

	"github.com/gram-machine/gram/lang/syntax"
	"github.com/gram-machine/gram/term"
)

// A fact is known of the static numbers where a branch of a conditional is taken, or the right side of and or or is
// looked at: one of these comparisons is as it says. An index out of range is an error only where all facts hold.
type fact []comparison

// comparison says that a op b, or where is is false, that this is not so.
type comparison struct {
	op   syntax.Token
	a, b term.Static
	is   bool
}

// either are the facts that hold where all of p or all of q do.
func either(p, q []fact) (out []fact) {
	for _, f := range p {
		for _, g := range q {
			out = append(out, slices.Concat(f, g))
		}
	}
	return out
}

// all reports whether all facts hold where the two sides of each comparison have these values, one behind the other.
func all(facts []fact, values []float64) bool {
	for _, f := range facts {
		one := false
		for _, c := range f {
			one = one || holds(c.op, values[0], values[1]) == c.is
			values = values[2:]
		}
		if !one {
			return false
		}
	}
	return true
}

func holds(op syntax.Token, a, b float64) bool {
	switch op {
	case syntax.LessTok:
		return a < b
	case syntax.LessEqTok:
		return a <= b
	case syntax.GreaterTok:
		return a > b
	case syntax.EqTok:
		return a == b
	}
	return a >= b
}

// knowing calls f, which elaborates what is reached only where the facts hold.
func (e *Elaborator) knowing(facts []fact, f func()) {
	n := len(e.facts)
	e.facts = append(e.facts[:n:n], facts...)
	f()
	e.facts = e.facts[:n]
}

// factsOf are the facts of numbers, and of the indices on which s depends, directly or by other facts.
func (e *Elaborator) factsOf(s term.Static) (out []fact) {
	on := map[term.Index]bool{}
	e.Static.Mentions(s, func(i term.Index) { on[i] = true })
	each := func(f fact, do func(i term.Index)) {
		for _, c := range f {
			e.Static.Mentions(c.a, do)
			e.Static.Mentions(c.b, do)
		}
	}
	left := slices.Clone(e.facts)
	for n := -1; n != len(left); {
		n = len(left)
		left = slices.DeleteFunc(left, func(f fact) bool {
			of := true // numbers, or something related
			each(f, func(i term.Index) { of = false })
			each(f, func(i term.Index) { of = of || on[i] })
			if of {
				each(f, func(i term.Index) { on[i] = true })
				out = append(out, f)
			}
			return of
		})
	}
	return out
}

// unreachable reports whether what is being elaborated is not reached, by facts of numbers.
func (e *Elaborator) unreachable() bool {
	_, _, reached := e.outside(e.Static.Number(-1), 0)
	return !reached
}
