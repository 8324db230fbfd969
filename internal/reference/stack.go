package reference

import (
	"slices"

	"github.com/gram-machine/gram/term"
)

// sub is one explicit substitution [p:=u].
type sub struct {
	p   *Pattern
	u   *Term
	pos term.Pos
}

// stack is a substitution context {·}[p1:=u1]…[pn:=un], written α and β in the rules.
type stack []sub

// plug is tα.
func (a stack) plug(t *Term) *Term {
	for _, s := range a {
		t = let(t, s.p, s.u).at(s.pos)
	}
	return t
}

// split is the t and α, as long as can be, of which the term is tα.
func split(t *Term) (*Term, stack) {
	var a stack
	for t.Op == Let {
		a = append(a, sub{t.P, t.Kids[1], t.Pos})
		t = t.Kids[0]
	}
	slices.Reverse(a) // the innermost substitution comes first
	return t, a
}

// isValue reports whether t is v: a variable, a numeral, a λ, a recursive function, a pair of values, a constructor
// with a value.
func isValue(t *Term) bool {
	switch t.Op {
	case Variable, Numeral, Lambda, Zero, Fix:
		return true
	case MakePair, Construct:
		return !slices.ContainsFunc(t.Kids, func(k *Term) bool { return !isValue(k) })
	}
	return false
}

// answer is the v and α with t ≡ vα; v is nil if there are none. Substitutions come
// out of a pair by app1 and app2: ⟨v1α1,v2α2⟩ ≡ ⟨v1,v2⟩α1α2, and out of a constructor: C vα ≡ (C v)α.
func answer(t *Term) (v *Term, a stack) {
	t, a = split(t)
	if t.Op != MakePair && t.Op != Construct {
		if !isValue(t) {
			return nil, nil
		}
		return t, a
	}
	vs := make([]*Term, len(t.Kids))
	var inner stack
	for i, k := range t.Kids {
		v, b := answer(k)
		if v == nil {
			return nil, nil
		}
		vs[i], inner = v, append(inner, b...)
	}
	return t.with(vs), append(inner, a...)
}

// summands are the t1, …, tn and α with t ≡ (t1 + … + tn)α: a sum is a bag, and
// substitutions come out of it by app1 and app2.
func summands(t *Term) (ts []*Term, a stack) {
	t, a = split(t)
	if t.Op != Plus {
		return []*Term{t}, a
	}
	t1, a1 := summands(t.Kids[0])
	t2, a2 := summands(t.Kids[1])
	return append(t1, t2...), slices.Concat(a1, a2, a)
}

// bag is the sum of the terms, by ⊕.
func bag(ts []*Term) *Term {
	t := ts[0]
	for _, u := range ts[1:] {
		t = plus(t, u)
	}
	return t
}
