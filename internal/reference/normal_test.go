package reference_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gram-machine/gram/internal/property"
	"github.com/gram-machine/gram/internal/reference"
	"github.com/gram-machine/gram/rule"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// betaLinear are β, with (12) and (13), and ℓ.
var betaLinear = []rule.Rule{
	rule.Lambda, rule.Pair, rule.Subst, rule.SubstNumeral, rule.GC, rule.Lin, rule.Plus, rule.PlusPair,
	rule.Times, rule.Function, rule.Branch, rule.Factor,
}

// TestPropertyNoLoops is what can be seen of Prop. wn and of strong normalisation: by no
// set X ⊆ βℓ, in no order and under λ too, does a term come back.
func TestPropertyNoLoops(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		r := drawAny(t)
		var x []rule.Rule
		for _, rule := range betaLinear {
			if rapid.IntRange(0, 4).Draw(t, "rule") > 0 {
				x = append(x, rule)
			}
		}
		r.strategy = reference.Within(rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "order"), 0)), x...)
		seen := map[string]bool{r.Term.String(): true}
		r.look(t, func(rule fmt.Stringer, u *reference.Term) {
			text := u.String()
			require.False(t, seen[text], "(%s) comes back to %s", rule, u)
			seen[text] = true
		})
	})
}

// TestPropertyPolynomial is the example of section 6.1: #n (λy.w·y + x) x is (wⁿ + … + w +
// 1)·x, and its gradient by w and x that of the polynomial.
func TestPropertyPolynomial(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 12).Draw(t, "n")
		w, x := float64(rapid.IntRange(-8, 8).Draw(t, "w"))/4, float64(rapid.IntRange(-8, 8).Draw(t, "x"))/4
		sum, slope := 0.0, 0.0
		for i := range n + 1 {
			sum += math.Pow(w, float64(i))
			if i > 0 {
				slope += float64(i) * math.Pow(w, float64(i-1))
			}
		}
		p := load(t, fmt.Sprintf("input w = %v\ninput x = %v\n(#%d) (fun y -> w * y + x) x", w, x, n))
		got, ok := onMachineWithin(t, p, true, 100_000)
		require.True(t, ok)
		for i, want := range []float64{sum * x, slope * x, sum} {
			require.True(t, property.Close(want, append(got.values, got.jacobian...)[i], 1e-12), "%v", got)
		}
	})
}
