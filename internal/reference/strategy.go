package reference

import (
	"cmp"
	"math/rand/v2"
	"slices"

	"github.com/gram-machine/gram/rule"
	"github.com/gram-machine/gram/term"
)

// Leftmost takes the first redex of the printed term, under λ too.
func Leftmost(s *State) *Redex { return pick(nil, s.those(func(*Redex) bool { return true })) }

// Random takes any redex, under λ too.
func Random(rng *rand.Rand) Strategy {
	return func(s *State) *Redex { return pick(rng, s.those(func(*Redex) bool { return true })) }
}

// those are the redexes that are wanted.
//
//go:noinline
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
	for t, kid := range s.above(i) {
		if kid == 1 && (t.Op == Apply || t.Op == Let) {
			n++
		}
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
		if _, bound := s.binder[s.places[occ].t.X]; bound && occ != 0 && waits == 0 {
			waits = occ
		}
	}
	if waits != 0 {
		return nil, waits
	}
	return s.find(i, 0, rule.Plus, rule.PlusPair, rule.Times, rule.Function, rule.Factor, rule.Branch, rule.Case), 0
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

// Machine is the strategy by which the calculus counts: weak, by value, arguments before (1) and (5), (3) of a dual
// variable by a λ last. Of the redexes that this leaves it takes the first, or with rng not nil any.
func Machine(rng *rand.Rand) Strategy { return byStanding(rng, (*standings).ready) }

// byStanding is the strategy that takes the redexes that the standings of their terms allow.
func byStanding(rng *rand.Rand, last func(*standings, []*Redex) []*Redex) Strategy {
	return func(s *State) *Redex {
		st := s.standings()
		return s.choose(rng, func(r *Redex) bool { return s.weak(r) && st.allows(r) },
			func(fires []*Redex) []*Redex { return last(st, fires) })
	}
}

// choose takes one of the redexes that are allowed: the first, or with rng not nil any. If
// all are (3) of a dual variable by a λ, it takes one of those that last returns.
func (s *State) choose(rng *rand.Rand, allowed func(*Redex) bool, last func([]*Redex) []*Redex) *Redex {
	var now, fires []*Redex
	for _, r := range s.those(allowed) {
		if s.fires3(r) {
			fires = append(fires, r)
		} else {
			now = append(now, r)
		}
	}
	if len(now) == 0 && len(fires) > 0 {
		now = last(fires)
	}
	return pick(rng, now)
}

// fires3 reports whether r is (3) of a dual variable by a λ.
func (s *State) fires3(r *Redex) bool {
	return r.Rule == rule.Subst && s.isDual(r.X) && r.V.Op == Lambda
}

func (s *State) isDual(x *Var) bool { return s.prog.tt.Kind(x.Type) == term.DualKind }

// hasHead reports whether a dual variable is free, or bound to a λ: then it is a value.
func (s *State) hasHead(x *Var) bool {
	u := s.bound(x)
	_, bound := s.binder[x]
	return !bound || u != nil && u.Op == Lambda
}

// firings finds the (3) of dual variables by λs that may fire when nothing else is left, so that each dual fires once
// for a maximal sum: the sum is complete, all its summands are values or applications of settled dual variables; of
// those the one that is bound innermost comes first, since a dual's body mentions only what is bound further out; and
// its argument, a sum of its own, comes to a value before it. The argument of another application and a component of
// a pair that is a summand beside others wait: (11) and (7) may add to them.
type firings struct {
	*State
	*standings
	redex map[int]*Redex // by occurrence
	next  []*Redex
}

// ready returns those of the (3) that may fire now.
func (st *standings) ready(fires []*Redex) []*Redex {
	f := firings{State: st.s, standings: st, redex: map[int]*Redex{}}
	for _, r := range fires {
		f.redex[r.occ] = r
	}
	f.sum(0, true)
	return f.next
}

// sum looks at the maximal sum at place i, and at the sums in it. free says that it waits for no other.
func (f *firings) sum(i int, free bool) {
	summands := f.summandsAt(i)
	complete, last := true, -1
	for _, j := range summands {
		head := f.headAt(j)
		switch {
		case head >= 0 && f.redex[head] != nil:
			if last < 0 || f.boundAt(head) > f.boundAt(f.headAt(last)) {
				last = j
			}
		case head < 0 && !isValue(f.places[j].t) && f.places[j].t.Op != MakePair:
			complete = false
		}
	}
	for _, j := range summands {
		ready := free && complete && (j == last || last < 0)
		f.summand(j, ready, len(summands) == 1)
	}
}

// summand looks at a summand: ready says that it is the next to fire, or a value.
func (f *firings) summand(i int, ready, alone bool) {
	t := f.places[i].t
	switch {
	case f.headAt(i) >= 0:
		f.application(i, ready)
	case t.Op == Apply && f.dualAt(i):
		f.sum(f.child(i, 0), true)
		f.sum(f.child(i, 1), false)
	case t.Op == MakePair:
		f.sum(f.child(i, 0), ready && alone)
		f.sum(f.child(i, 1), ready && alone)
	case t.Op == If:
		f.sum(f.child(i, 0), true)
		f.sum(f.child(i, 1), true)
	case t.Op != Lambda:
		for k := range t.Kids {
			f.sum(f.child(i, k), true)
		}
	}
}

// application looks at x α t with x settled: t comes to a value, and then (3) fires.
func (f *firings) application(i int, ready bool) {
	for h := f.child(i, 0); f.places[h].t.Op == Let; h = f.child(h, 0) {
		f.sum(f.child(h, 1), true)
	}
	arg := f.child(i, 1)
	r := f.redex[f.headAt(i)]
	if ready && r != nil && f.of(f.places[arg].t) == settled {
		f.next = append(f.next, r)
		return
	}
	f.sum(arg, ready)
}

// summandsAt are the places of the summands of the sum at place i. It looks at the sums that are substituted in it.
func (f *firings) summandsAt(i int) []int {
	switch f.places[i].t.Op {
	case Let:
		f.sum(f.child(i, 1), true)
		return f.summandsAt(f.child(i, 0))
	case Plus:
		return append(f.summandsAt(f.child(i, 0)), f.summandsAt(f.child(i, 1))...)
	}
	return []int{i}
}

// headAt is the place of the occurrence of the settled dual variable x in x α t, the
// term at place i; -1 if it is none.
func (f *firings) headAt(i int) int {
	if f.places[i].t.Op != Apply || !f.dualAt(i) {
		return -1
	}
	h := f.child(i, 0)
	for f.places[h].t.Op == Let {
		h = f.child(h, 0)
	}
	if t := f.places[h].t; t.Op != Variable || !f.hasHead(t.X) {
		return -1
	}
	return h
}

// dualAt reports whether the application at place i is one of a dual.
func (f *firings) dualAt(i int) bool {
	return f.prog.tt.Kind(f.prog.of(f.places[i].t.Kids[0])) == term.DualKind
}

// boundAt is the depth at which the variable of the occurrence is bound.
func (f *firings) boundAt(occ int) int { return f.places[f.binder[f.places[occ].t.X]].depth }
