package reference_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/gram-machine/gram/internal/denote"
	"github.com/gram-machine/gram/internal/reference"
	"github.com/gram-machine/gram/term"
)

// drawAny draws a program with linear variables of its own, or the start term of a
// random program or its gradient.
func drawAny(t *rapid.T) run {
	if rapid.Bool().Draw(t, "linear") {
		return drawLinear(t)
	}
	return drawRun(t)
}

// TestLinearTerms: programs with dual λs of their own keep type and denotation by
// every strategy, and end in their value.
func TestLinearTerms(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := drawLinear(t)
		requireSound(t, r, r.strategy)
		res := r.look(t, func(fmt.Stringer, *reference.Term) {})
		if res == nil {
			return
		}
		_, ok := reference.Numbers(res.Term)
		require.True(t, ok, "%s stops at %s", r.name, res.Term)
	})
}

// requireSound reduces by the strategy and requires of each term the type and the
// denotation of the first.
func requireSound(t *rapid.T, r run, strategy reference.Strategy) {
	m, _ := r.model()
	value := r.denotation(t, r.Term)
	ty, err := r.Typing.Check(r.Term, r.Ground)
	require.NoError(t, err)
	if value == nil {
		return
	}
	before := r.Term
	r.strategy = strategy
	r.look(t, func(rule fmt.Stringer, u *reference.Term) {
		requireSame(t, r, m, ty, value, before, rule.String(), u)
		before = u
	})
}

func requireSame(t require.TestingT, r run, m denote.Model, ty term.Type, value denote.Value, before *reference.Term, what string, u *reference.Term) {
	got, err := r.Typing.Check(u, r.Ground)
	require.NoError(t, err, "%s: from %s", what, before)
	require.Equal(t, ty, got, "%s: from %s to %s", what, before, u)
	v := r.denotation(t, u)
	require.True(t, v == nil || m.Same(value, v), "%s: from %s to %s: %v instead of %v", what, before, u, v, value)
}

// TestEquivalence: steps of ≡ and of (9) and (10), between steps of the other rules,
// keep type and denotation.
func TestEquivalence(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := drawAny(t)
		m, _ := r.model()
		value := r.denotation(t, r.Term)
		if value == nil {
			return
		}
		ty, err := r.Typing.Check(r.Term, r.Ground)
		require.NoError(t, err)
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "walk"), 0))
		for u, steps := r.Term, 0; steps < 80; steps++ {
			next, what := walk(t, r, u, rng)
			if next == nil {
				return
			}
			requireSame(t, r, m, ty, value, u, what, next)
			u = next
		}
	})
}

// walk makes a step of ≡, now and then one of any rule at all, and else one of β or ℓ.
func walk(t *rapid.T, r run, u *reference.Term, rng *rand.Rand) (next *reference.Term, what string) {
	s := r.State(u, rng.IntN(8) == 0)
	if moves := s.Moves(); rng.IntN(2) == 0 && len(moves) > 0 {
		m := moves[rng.IntN(len(moves))]
		return m.Fire(), m.Name
	}
	redex := reference.Random(rng)(s)
	if redex == nil {
		return nil, ""
	}
	next, err := s.Fire(redex)
	if tooLong(err) {
		return nil, ""
	}
	require.NoError(t, err)
	return next, redex.Rule.String()
}

// TestChecker: the checker agrees with term.Check on programs and their images.
func TestChecker(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := draw(t)
		for _, q := range []*term.Term{p.t, p.reversed(t)} {
			conv := reference.Convert(q, denote.Floats{})
			for _, x := range p.inputs {
				if v := conv.Var(x); v != nil {
					conv.Typing.Free(v)
				}
			}
			got, err := conv.Typing.Check(conv.Term, conv.Ground)
			require.NoError(t, err)
			require.Equal(t, conv.Type, got)
			back, err := conv.Back(conv.Term).Term.Check()
			require.NoError(t, err)
			require.Equal(t, got, back)
		}
	})
}
