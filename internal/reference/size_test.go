package reference_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/gram-machine/gram/internal/denote"
	"github.com/gram-machine/gram/internal/property"
	"github.com/gram-machine/gram/internal/reference"
	"github.com/gram-machine/gram/revgrad"
	"github.com/gram-machine/gram/rule"
)

// shrinking are the rules of Lemma size_shrinks, with (12).
var shrinking = []rule.Rule{rule.SubstNumeral, rule.GC, rule.Plus, rule.PlusPair, rule.Times, rule.Function}

// shrinksSteps is the constant of Lemma size_shrinks: a reduction by those rules has
// less than so many steps for each symbol of |t|.
const shrinksSteps = 2

// weigh returns the size of a term with variables and pairs counted twice, and the
// number of its symbols.
func weigh(t *reference.Term) (weight, symbols int) {
	weight, symbols = 1, 1
	if t.Op == reference.Variable || t.Op == reference.MakePair {
		weight = 2
	}
	for _, k := range t.Kids {
		w, n := weigh(k)
		weight, symbols = weight+w, symbols+n
	}
	return weight, symbols
}

// TestPropertySizeShrinks is Lemma size_shrinks: by (3) at numerals, (4), (6), (7), (8) and
// (12) every reduction ends, after less than 2·|t| steps. Each step makes the weight
// smaller.
func TestPropertySizeShrinks(t *testing.T) {
	var constant property.Constant
	t.Cleanup(func() { constant.Report(t, "steps for each symbol of |t|", shrinksSteps) })
	property.Check(t, func(t *rapid.T) {
		r := drawAny(t)
		u := r.Term
		if rapid.Bool().Draw(t, "later") { // after some steps of any kind
			for range rapid.IntRange(1, 30).Draw(t, "steps") {
				s := r.State(u, false)
				redex := r.strategy(s)
				if redex == nil {
					break
				}
				next, err := s.Fire(redex)
				if tooLong(t, err) {
					return
				}
				require.NoError(t, err)
				u = next
			}
		}
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "rng"), 0))
		strategy := reference.Within(rng, shrinking...)
		before, symbols := weigh(u)
		start := u
		steps := 0
		for ; ; steps++ {
			s := r.State(u, false)
			redex := strategy(s)
			if redex == nil {
				break
			}
			next, err := s.Fire(redex)
			if tooLong(t, err) {
				return
			}
			require.NoError(t, err)
			after, _ := weigh(next)
			require.Less(t, after, before, "%s: from %s to %s", redex.Rule, u, next)
			u, before = next, after
		}
		ratio := float64(steps) / float64(symbols)
		require.Less(t, ratio, float64(shrinksSteps))
		constant.Measure(ratio, start)
	})
}

// backpropSteps is the constant of Prop. backprop_sound: bp(G) at a point takes at most
// so many steps for each symbol of |G| + n.
const backpropSteps = 9

// TestPropertyBackpropSound is Prop. backprop_sound: bp(G)[a:=1][x:=r] comes to ⟨⟦G⟧(r),
// ∇G(r)⟩ by (3) at numerals, (4), (6), (8) and (12) alone, in any order, in O(|G|) steps,
// exactly.
func TestPropertyBackpropSound(t *testing.T) {
	var constant property.Constant
	t.Cleanup(func() { constant.Report(t, "steps of bp(G) for each of |G| + n", backpropSteps) })
	property.Check(t, func(t *rapid.T) {
		p := drawScalar(t)
		source := reference.Convert(p.t, denote.Rationals{}).OpenStart(p.inputs, p.point)
		g := limited(t, source, reference.Open(nil), sourceSteps)
		if g == nil {
			return
		}
		q, xs, im := groundImage(source, g.Term, source.Inputs)
		if len(im.Numbers()) > 0 {
			return // a numeral that is no floating-point number
		}
		bp, a, err := revgrad.BP(q, xs, nil)
		require.NoError(t, err)
		point := slices.Clone(p.point)
		start := reference.Convert(bp, denote.Rationals{}).ValueStart(append(slices.Clone(xs), a), append(point, 1))
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		size := float64(q.Size()) + float64(len(xs))
		res := within(t, start, reference.Within(rng, rule.SubstNumeral, rule.GC, rule.Plus, rule.Times, rule.Function), backpropSteps*size, q)
		if res == nil {
			return
		}
		numbers, ok := reference.Numbers(res.Term)
		require.True(t, ok, "%s", res.Term)
		require.Len(t, numbers, 1+len(xs))
		values, gradient := denote.Jacobian(q, xs, p.point)
		for i, want := range append(values, gradient...) {
			got := start.Ground.Float(numbers[i])
			require.True(t, property.Close(want, got, 1e-9), "%v and %v", want, got)
		}
		constant.Measure(float64(res.Counts.Total())/size, q)
	})
}
