package reference

import (
	"math/rand/v2"
	"slices"

	"github.com/gram-machine/gram/rule"
	"github.com/gram-machine/gram/term"
)

// Machine is the strategy by which the calculus counts: weak, by value, arguments
// before (1) and (5), (3) of a dual variable by a λ last. Of the redexes that this
// leaves it takes the first, or with rng not nil any.
func Machine(rng *rand.Rand) Strategy {
	return func(s *State) *Redex { return s.choose(rng, s.allowed, s.ready) }
}

// choose takes one of the redexes that are allowed: the first, or with rng not nil any. If
// all are (3) of a dual variable by a λ, it takes one of those that last returns.
func (s *State) choose(rng *rand.Rand, allowed func(*Redex) bool, last func([]*Redex) []*Redex) *Redex {
	var now, fires []*Redex
	for i := range s.Redex {
		r := &s.Redex[i]
		switch {
		case !allowed(r):
		case s.fires3(r):
			fires = append(fires, r)
		default:
			now = append(now, r)
		}
	}
	if len(now) == 0 && len(fires) > 0 {
		now = last(fires)
	}
	switch {
	case len(now) == 0:
		return nil
	case rng != nil:
		return now[rng.IntN(len(now))]
	}
	return now[0]
}

// fires3 reports whether r is (3) of a dual variable by a λ.
func (s *State) fires3(r *Redex) bool {
	return r.Rule == rule.Subst && s.isDual(r.X) && r.V.Op == Lambda
}

func (s *State) isDual(x *Var) bool { return s.prog.Typing.tt.Kind(x.Type) == term.DualKind }

// settled reports whether v is a value at a point: variables that are not dual
// variables, free or bound to a λ, wait for their (3).
func (s *State) settled(v *Term) bool {
	switch v.Op {
	case Variable:
		if _, ok := s.binder[v.X]; !ok {
			return true
		}
		u := s.bound(v.X)
		return s.isDual(v.X) && u != nil && u.Op == Lambda
	case MakePair, Construct:
		return !slices.ContainsFunc(v.Kids, func(k *Term) bool { return !s.settled(k) })
	}
	return true
}

// allowed reports whether the strategy lets r fire.
func (s *State) allowed(r *Redex) bool {
	if !r.Weak || r.Garbage || !s.places[r.at].weak {
		return false
	}
	n := s.places[r.at].t
	switch r.Rule {
	case rule.Lambda, rule.Unfold:
		v, _ := answer(n.Kids[1])
		return v != nil && s.settled(v)
	case rule.Subst, rule.SubstNumeral:
		// A name bound to a dual λ stays where it is not applied: there it is a value.
		return s.settled(r.V) && (!s.fires3(r) || s.isHead(r.occ))
	case rule.GC, rule.Lin:
		return s.settled(r.V)
	case rule.Factor:
		// The heads have had their (3) by variables: else one dual has two names.
		return s.settled(variable(r.X))
	case rule.EtaLambda, rule.EtaPair:
		return false
	}
	return true
}
