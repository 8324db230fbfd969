package reference

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/gram-machine/gram/internal/denote"
	"github.com/gram-machine/gram/internal/property"
	"github.com/gram-machine/gram/revgrad"
	"github.com/gram-machine/gram/rule"
	"github.com/gram-machine/gram/term"
)

// drawRational draws a program over the rationals, with its inputs free.
func drawRational(t *rapid.T) (*Program, *property.Program) {
	p := property.Draw(t, property.Options{Vector: rapid.Bool().Draw(t, "vector"), Size: rapid.IntRange(3, property.MaxSize).Draw(t, "size"),
		Recursive: rapid.IntRange(0, 2).Draw(t, "recursive") == 0})
	for i := range p.Term.Nodes {
		if n := &p.Term.Nodes[i]; n.Op == term.FunOp && !denote.Rational(n.Sym) {
			n.Sym = term.Neg
		}
	}
	return Convert(p.Term, denote.Rationals{}), p
}

// TestPropertyReverseTwice: D of this package and D of package revgrad are one.
func TestPropertyReverseTwice(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		p, src := drawRational(t)
		image, err := revgrad.Reverse(src.Term, nil)
		require.NoError(t, err)
		q := Convert(image, p.Ground)
		d := p.Reverser()
		for _, x := range src.Inputs { // the inputs are free in both
			if v := p.Var(x); v != nil && q.Var(x) != nil {
				d.vars[v] = q.Var(x)
			}
		}
		require.True(t, Equal(q.Term, d.Term(p.Term)), "%s", src.Term)
	})
}

// equivalenceMoves is how many moves of ≡ it takes at most from D(t) to D(t') for one
// from t to t': a substitution of a sum or a product passes the openings that D makes.
const equivalenceMoves = 2

// TestPropertyCommutationEquivalence is Lemma Commutation, item 1: where t ≡ t', D(t) ≡
// D(t').
func TestPropertyCommutationEquivalence(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		p, _ := drawRational(t)
		d := p.Reverser()
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "walk"), 0))
		for u, steps := p.Term, 0; steps < 10; steps++ {
			s := p.State(u, false)
			if moves := s.Moves(); len(moves) > 0 {
				m := moves[rng.IntN(len(moves))]
				from, to := s.places[m.at].t, m.local()
				require.True(t, p.equivalent(d.Term(from), d.Term(to), equivalenceMoves), "%s: %s and %s", m.Name, from, to)
				u = m.Fire()
				continue
			}
			r := Random(rng)(s)
			if r == nil {
				return
			}
			next, err := s.Fire(r)
			if err != nil {
				return
			}
			u = next
		}
	})
}

// equivalent reports whether k moves of ≡ lead from t to u.
func (p *Program) equivalent(t, u *Term, k int) bool {
	if Equal(t, u) {
		return true
	}
	if k == 0 {
		return false
	}
	for _, m := range p.State(t, false).Moves() {
		if p.equivalent(m.Fire(), u, k-1) {
			return true
		}
	}
	return false
}

// The constants of Lemma Commutation. That of (12) is 19 for symbols of two parameters, and larger for those of three.
const (
	commutesPlus     = 15
	commutesTimes    = 17
	commutesFunction = 31
	commutesBranch   = 9
)

// commutations are the constants by rule: how many steps of X it takes at most from D(t)
// to D(t').
var commutations = map[rule.Rule]float64{
	rule.Lambda: 1, rule.Pair: 1, rule.Subst: 1, rule.SubstNumeral: 1, rule.GC: 1, rule.EtaLambda: 1, rule.EtaPair: 1,
	rule.Plus: commutesPlus, rule.Times: commutesTimes, rule.Function: commutesFunction, rule.Branch: commutesBranch, rule.Case: 1, rule.Unfold: 1,
}

// TestPropertyCommutation is Lemma Commutation, item 2: where t → t' by a rule ι at any
// place, D(t) →* D(t') by at most a constant number of steps of X.
func TestPropertyCommutation(t *testing.T) {
	constants := map[rule.Rule]*property.Constant{}
	for by := range commutations {
		constants[by] = &property.Constant{}
	}
	t.Cleanup(func() {
		for by := range rule.Count {
			if c := constants[by]; c != nil {
				c.Report(t, fmt.Sprintf("steps of X for (%s)", rule.Table[by].Number), commutations[by])
			}
		}
	})
	property.Check(t, func(t *rapid.T) {
		p, src := drawRational(t)
		if rapid.Bool().Draw(t, "at a point") {
			p = p.ValueStart(src.Inputs, src.Point).Program
		}
		d := p.Reverser()
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "walk"), 0))
		for u, steps := p.Term, 0; steps < 40; steps++ {
			s := p.State(u, rng.IntN(8) == 0)
			r := Random(rng)(s)
			if r == nil {
				return
			}
			next, err := s.Fire(r)
			var undefined *denote.UndefinedError
			if errors.As(err, &undefined) {
				return
			}
			require.NoError(t, err)
			k, err := d.Commute(s, r, next)
			require.NoError(t, err)
			require.LessOrEqual(t, float64(k), commutations[r.Rule], "%s of %s", r.Rule, u)
			constants[r.Rule].Measure(float64(k), r.Rule)
			u = next
		}
	})
}
