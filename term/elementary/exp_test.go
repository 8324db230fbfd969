package elementary

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestExp: e^x is within 0.51 units in the last place, where the standard library's is
// within 1.6, and what that gives where it overflows, is subnormal or is no number.
func TestExp(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var worst, standard float64
	for range 4000 {
		for _, x := range []float64{rng.Float64()*20 - 10, rng.Float64()*1400 - 700, rng.NormFloat64() * 1e-6} {
			e := exactExp(x)
			worst, standard = max(worst, ulpsFrom(Exp(x), e)), max(standard, ulpsFrom(math.Exp(x), e))
		}
	}
	t.Logf("at most %.3f ulp, the standard library's %.3f", worst, standard)
	require.LessOrEqual(t, worst, 0.51)
	for _, x := range []float64{0, math.Copysign(0, -1), 709.7, 710, -708.5, -745, -746, math.Inf(1), math.Inf(-1), 5e-324, 1e-300} {
		require.Equal(t, math.Exp(x), Exp(x), x)
	}
	require.True(t, math.IsNaN(Exp(math.NaN())))
}
