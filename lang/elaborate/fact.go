package elaborate

import (
	"slices"

	"github.com/gram-machine/gram/lang/core"
	"github.com/gram-machine/gram/lang/syntax"
	"github.com/gram-machine/gram/term"
)

// A fact is what a condition tells of static numbers: at least one of these comparisons holds. Facts are known in a
// branch of a conditional, and in the right side of "and" and "or". An index out of range is an error only where all
// facts hold.
type fact []comparison

// comparison says that a op b is true, or, if is is not set, that it is false.
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
	if op == syntax.EqTok {
		return a == b
	}
	return comparisons[op].Holds(a, b)
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

// linear is c + Σ by[i] · the index i.
type linear struct {
	c  float64
	by map[term.Index]float64
}

// add adds s times k, and reports whether that is linear.
func (l *linear) add(e *core.Statics, s term.Static, k float64) bool {
	switch n := &e.Nodes[s]; n.Op {
	case term.StaticNum:
		l.c += k * n.Val
	case term.StaticIndex:
		l.by[n.Index] += k
	case term.StaticAdd:
		return l.add(e, n.A, k) && l.add(e, n.B, k)
	case term.StaticSub:
		return l.add(e, n.A, k) && l.add(e, n.B, -k)
	case term.StaticBelow: // it is A where it is reached
		return l.add(e, n.A, k)
	case term.StaticMul:
		if a := &e.Nodes[n.A]; a.Op == term.StaticNum {
			return l.add(e, n.B, k*a.Val)
		}
		b := &e.Nodes[n.B]
		return b.Op == term.StaticNum && l.add(e, n.A, k*b.Val)
	default:
		return false
	}
	return true
}

// natural reports whether l is at least 0, whatever the indices are.
func (l *linear) natural(e *core.Statics) bool {
	least := l.c
	for i, k := range l.by {
		if _, most, _ := e.Interval(e.Bounds[i]); k < 0 {
			least += k * max(0, most-1)
		}
	}
	return least >= 0
}

// follows reports whether it follows from one of the facts, each a comparison, that c + k · s is at least 0.
func (e *Elaborator) follows(facts []fact, c, k float64, s term.Static) bool {
	form := func() (*linear, bool) {
		l := &linear{c, map[term.Index]float64{}}
		return l, l.add(&e.Static, s, k)
	}
	l, ok := form()
	if !ok || l.natural(&e.Static) {
		return ok
	}
	return slices.ContainsFunc(facts, func(f fact) bool {
		x := f[0]
		larger, smaller, apart := x.a, x.b, 0.0 // smaller + apart ≤ larger
		switch strict := x.op == syntax.LessTok || x.op == syntax.GreaterTok; {
		case x.op == syntax.EqTok && !x.is || len(f) > 1:
			return false
		case x.op != syntax.EqTok && strict == x.is:
			apart = 1
		}
		if less := x.op == syntax.LessTok || x.op == syntax.LessEqTok; less == x.is {
			larger, smaller = smaller, larger
		}
		_, _, a := e.Static.Interval(x.a)
		if _, _, b := e.Static.Interval(x.b); !a || !b {
			apart = 0
		}
		is := func(larger, smaller term.Static) bool {
			l, _ := form()
			l.c += apart
			return l.add(&e.Static, larger, -1) && l.add(&e.Static, smaller, 1) && l.natural(&e.Static)
		}
		return is(larger, smaller) || x.op == syntax.EqTok && is(smaller, larger)
	})
}
