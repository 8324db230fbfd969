package reference

import (
	"cmp"
	"math/rand/v2"
	"slices"

	"github.com/gram-machine/gram/rule"
)

// Leftmost takes the first redex of the printed term, under λ too.
func Leftmost(s *State) *Redex { return pick(nil, s.those(func(*Redex) bool { return true })) }

// Random takes any redex, under λ too.
func Random(rng *rand.Rand) Strategy {
	return func(s *State) *Redex { return pick(rng, s.those(func(*Redex) bool { return true })) }
}

// those are the redexes that are wanted.
func (s *State) those(wanted func(*Redex) bool) (out []*Redex) {
	for i := range s.Redex {
		if r := &s.Redex[i]; wanted(r) {
			out = append(out, r)
		}
	}
	return out
}

// pick takes the first of some redexes, or with rng not nil any; nil if there are none.
func pick(rng *rand.Rand, rs []*Redex) *Redex {
	switch {
	case len(rs) == 0:
		return nil
	case rng != nil:
		return rs[rng.IntN(len(rs))]
	}
	return rs[0]
}

// Within takes any redex of the given rules, under λ too: →_X. (5') counts as (5), and
// (3) at a numeral is [rule.SubstNumeral].
func Within(rng *rand.Rand, rules ...rule.Rule) Strategy {
	return func(s *State) *Redex {
		return pick(rng, s.those(func(r *Redex) bool { return slices.Contains(rules, r.Rule) }))
	}
}

// Without is a strategy without the redexes that are left out.
func Without(next Strategy, out func(*Redex) bool) Strategy {
	return func(s *State) *Redex {
		rest := *s
		rest.Redex = slices.DeleteFunc(slices.Clone(s.Redex), func(r Redex) bool { return out(&r) })
		return next(&rest)
	}
}

// WithoutLinGC is a strategy without rule (5'), t[x:=u] → t for a linear x ∉ fv(t) and any u: the calculus as
// it is printed. It is an ablation, to be measured. Under λ the substitutions [b:=q·a] that numerals leave
// in a dual are then stuck, for q·a is no value, and D(t) does not come to D(t') but to that and garbage,
// which the constants make and (3) copies (note B4; Lemma Commutation and Theorem 1).
func WithoutLinGC(next Strategy) Strategy {
	return Without(next, func(r *Redex) bool { return r.Garbage })
}

// ByValue is weak: it takes the first redex that is not under a λ, but (1) only where the argument is a value.
func ByValue(s *State) *Redex {
	return pick(nil, s.those(func(r *Redex) bool {
		if r.Rule == rule.Lambda || r.Rule == rule.Unfold {
			if v, _ := answer(s.places[r.at].t.Kids[1]); v == nil {
				return false
			}
		}
		return s.weak(r)
	}))
}

// ByName is weak: it takes the first redex that stands in the fewest arguments and
// substitutions, so that those are passed on as they are.
func ByName(s *State) *Redex {
	weak := s.those(s.weak)
	if len(weak) == 0 {
		return nil
	}
	return slices.MinFunc(weak, func(a, b *Redex) int { return cmp.Compare(s.arguments(a.at), s.arguments(b.at)) })
}

// ByNeed is weak: what is substituted is reduced when the body waits for it, and
// copied only to the occurrence that waits.
func ByNeed(s *State) *Redex {
	if r, _ := s.demand(0); r != nil {
		return r
	}
	// What nobody waits for is reduced last: (4) collects values alone.
	return ByValue(s)
}

// weak reports whether r is under no λ and in no branch.
func (s *State) weak(r *Redex) bool { return r.Weak && s.places[r.at].weak }

// arguments counts the arguments and substitutions in which the place stands.
func (s *State) arguments(i int) int {
	n := 0
	for s.places[i].parent >= 0 {
		p := s.places[i]
		if op := s.places[p.parent].t.Op; p.kid == 1 && (op == Apply || op == Let) {
			n++
		}
		i = p.parent
	}
	return n
}

// find returns the redex of the rule at the place; for (3) that of the occurrence.
func (s *State) find(i int, occ int, rules ...rule.Rule) *Redex {
	return pick(nil, s.those(func(r *Redex) bool { return r.at == i && r.occ == occ && slices.Contains(rules, r.Rule) }))
}

// child is the place of child k of a place: the k-th place below it that has it as parent.
func (s *State) child(i, k int) int {
	for j := i + 1; j < len(s.places); j++ {
		if s.places[j].parent == i && s.places[j].kid == k {
			return j
		}
	}
	return -1
}

// demand returns the redex that the term at the place waits for first; or the variable's occurrence, or neither if it
// is a value, waits for a free variable, or has nothing left but garbage.
func (s *State) demand(i int) (r *Redex, occ int) {
	t := s.places[i].t
	switch t.Op {
	case Variable:
		return nil, i
	case Numeral, Zero, Lambda, Fix:
		return nil, 0
	case Let:
		return s.demandLet(i, t)
	}
	kids := len(t.Kids)
	switch t.Op {
	case If:
		kids = 2
	case Match:
		kids = 1
	}
	if t.Op == Apply {
		if r := s.find(i, 0, rule.Lambda, rule.Unfold); r != nil {
			return r, 0
		}
	}
	waits := 0
	for k := range kids {
		r, occ := s.demand(s.child(i, k))
		if r != nil {
			return r, 0
		}
		if occ != 0 && waits == 0 && s.substitutes(s.places[occ].t.X) {
			waits = occ
		}
	}
	if waits != 0 {
		return nil, waits
	}
	return s.find(i, 0, rule.Plus, rule.PlusPair, rule.Times, rule.Function, rule.Factor, rule.Branch, rule.Case), 0
}

// substitutes reports whether a substitution binds x.
func (s *State) substitutes(x *Var) bool {
	_, ok := s.binder[x]
	return ok
}

// demandLet is demand at t[p:=u]: first what the body waits for; if that is a
// variable of p, then (2), (3) or (5) once u is ready for it.
func (s *State) demandLet(i int, t *Term) (r *Redex, occ int) {
	if r, occ = s.demand(s.child(i, 0)); r != nil {
		return r, 0
	}
	mine := false
	if occ != 0 {
		t.P.Vars(func(x *Var) { mine = mine || x == s.places[occ].t.X })
	}
	if !mine {
		return nil, occ
	}
	if r := s.find(i, occ, rule.Subst, rule.SubstNumeral); r != nil {
		return r, 0
	}
	if r := s.find(i, 0, rule.Pair, rule.Lin); r != nil {
		return r, 0
	}
	return s.demand(s.child(i, 1))
}
