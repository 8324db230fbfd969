package reference_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/gram-machine/gram/internal/denote"
	"github.com/gram-machine/gram/internal/property"
	"github.com/gram-machine/gram/internal/reference"
	"github.com/gram-machine/gram/term"
)

// drawLinear draws a closed program of type R or R^d with dual λs of its own, and a
// strategy.
func drawLinear(t *rapid.T) run {
	q := property.Linear(t, rapid.IntRange(3, 40).Draw(t, "size"))
	r := run{subject: subject{t: q}, name: rapid.SampledFrom(strategyNames).Draw(t, "strategy")}
	r.strategy = strategies(rapid.Uint64().Draw(t, "seed"))[r.name]
	r.Start = reference.Convert(q, denote.Rationals{}).ValueStart(nil, nil).Named()
	return r
}

// drawAny draws a program with linear variables of its own, or the start term of a
// random program or its gradient.
func drawAny(t *rapid.T) run {
	if rapid.Bool().Draw(t, "linear") {
		return drawLinear(t)
	}
	return drawRun(t)
}

// TestPropertyLinearTerms: programs with dual λs of their own keep type and denotation by
// every strategy, and end in their value.
func TestPropertyLinearTerms(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
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
	ty, err := r.Check(r.Term)
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
	got, err := r.Check(u)
	require.NoError(t, err, "%s: from %s", what, before)
	require.Equal(t, ty, got, "%s: from %s to %s", what, before, u)
	v := r.denotation(t, u)
	require.True(t, v == nil || m.Same(value, v), "%s: from %s to %s: %v instead of %v", what, before, u, v, value)
}

// TestPropertyEquivalence: steps of ≡ and of (9) and (10), between steps of the other rules,
// keep type and denotation.
func TestPropertyEquivalence(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		r := drawAny(t)
		m, _ := r.model()
		value := r.denotation(t, r.Term)
		if value == nil {
			return
		}
		ty, err := r.Check(r.Term)
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
	if tooLong(t, err) {
		return nil, ""
	}
	require.NoError(t, err)
	return next, redex.Rule.String()
}

// TestPropertyChecker: programs, and their images, have the type of what Convert makes of them.
func TestPropertyChecker(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		p := draw(t)
		for _, q := range []*term.Term{p.t, p.reversed(t)} {
			conv := reference.Convert(q, denote.Floats{})
			for _, x := range p.inputs {
				if v := conv.Var(x); v != nil {
					conv.Free(v)
				}
			}
			got, err := conv.Check(conv.Term)
			require.NoError(t, err)
			require.Equal(t, conv.Of(conv.Term), got)
		}
	})
}

// TestPropertyJudgements: term.Check accepts the terms that have a judgement: those made by the judgements, and those
// with a few changes anywhere.
func TestPropertyJudgements(t *testing.T) {
	accepted, rejected := 0, 0
	property.Check(t, func(t *rapid.T) {
		q := property.Linear(t, rapid.IntRange(3, 40).Draw(t, "size"))
		require.True(t, requireSameJudgement(t, q))
		for range 20 {
			p := *q
			p.Nodes = slices.Clone(q.Nodes)
			p.CopyVars(q, 0)
			for range rapid.IntRange(1, 3).Draw(t, "changes") {
				change(t, &p)
			}
			if requireSameJudgement(t, &p) {
				accepted++
			} else {
				rejected++
			}
		}
	})
	require.NotZero(t, accepted)
	require.NotZero(t, rejected)
}

// requireSameJudgement reports whether q has a judgement, and requires term.Check to say the same of it, and of what
// Convert makes of it, with the same type.
func requireSameJudgement(t require.TestingT, q *term.Term) bool {
	ty, err := q.Check()
	p := reference.Convert(q, denote.Floats{})
	var free []*reference.Var
	for _, x := range q.FreeVars() {
		p.Free(p.Var(x))
		free = append(free, p.Var(x))
	}
	want := newJudgements(p, free...).has(p.Term, nil)
	got, err2 := p.Check(p.Term)
	require.Equal(t, want, err == nil, "%s: %v", q, err)
	require.Equal(t, want, err2 == nil, "%s: %v", p.Term, err2)
	if err == nil {
		require.Equal(t, p.Of(p.Term), got, "%s", q)
		require.Equal(t, width(q.Types, ty), width(q.Types, got), "%s", q)
	}
	return err == nil
}

// width is d of R^d, as a vector or as a tuple.
func width(tt *term.Types, ty term.Type) int {
	d := 1
	for ; tt.Kind(ty) == term.ProdKind; d++ {
		ty = tt.Right(ty)
	}
	if tt.Kind(ty) == term.VecKind {
		d = tt.Len(ty)
	}
	return d
}

// change makes one change to a term that keeps the types of its nodes.
func change(t *rapid.T, q *term.Term) {
	r := rapid.IntRange(1, len(q.Nodes)-1).Draw(t, "node")
	n := &q.Nodes[r]
	switch n.Op {
	case term.NumOp:
		n.Val = float64(rapid.IntRange(0, 1).Draw(t, "numeral"))
	case term.VarOp:
		var same []term.Var
		for x := 1; x < q.NumVars(); x++ {
			if q.TypeOf(term.Var(x)) == q.TypeOf(n.X) {
				same = append(same, term.Var(x))
			}
		}
		n.X = rapid.SampledFrom(same).Draw(t, "variable")
	case term.LetOp: // not of type R¹, which is R here
		if q.TypeOf(n.X) == term.R {
			q.ToChange(n.X).Linear = !q.Info(n.X).Linear
		}
	case term.AddOp:
		n.A, n.B = n.B, n.A
	case term.FunOp:
		n.Sym = rapid.SampledFrom([]term.Symbol{term.Mul, term.Sub}).Draw(t, "symbol")
	}
}
