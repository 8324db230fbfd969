package term

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// exactExp is e^x to some 350 bits: the series at x/2²⁰, squared twenty times.
func exactExp(x float64) *big.Float {
	number := func(x float64) *big.Float { return new(big.Float).SetPrec(400).SetFloat64(x) }
	t := number(x)
	t.SetMantExp(t, -20)
	sum, summand := number(1), number(1)
	for i := 1.0; i < 60; i++ {
		summand.Quo(summand.Mul(summand, t), number(i))
		sum.Add(sum, summand)
	}
	for range 20 {
		sum.Mul(sum, sum)
	}
	return sum
}

// ulpsFrom is by how many units in its last place y differs from exact.
func ulpsFrom(y float64, exact *big.Float) float64 {
	near, _ := exact.Float64()
	d := new(big.Float).SetPrec(400).SetFloat64(y)
	ulps, _ := d.Quo(d.Sub(d, exact), big.NewFloat(math.Nextafter(near, math.Inf(1))-near)).Float64()
	return math.Abs(ulps)
}

// TestExp: e^x is within 0.51 units in the last place, where the standard library's is
// within 1.6, and what that gives where it overflows, is subnormal or is no number.
func TestExp(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var worst, standard float64
	for range 4000 {
		for _, x := range []float64{rng.Float64()*20 - 10, rng.Float64()*1400 - 700, rng.NormFloat64() * 1e-6} {
			e := exactExp(x)
			worst, standard = max(worst, ulpsFrom(EvalExp(x), e)), max(standard, ulpsFrom(math.Exp(x), e))
		}
	}
	t.Logf("at most %.3f ulp, the standard library's %.3f", worst, standard)
	require.LessOrEqual(t, worst, 0.51)
	for _, x := range []float64{0, math.Copysign(0, -1), 709.7, 710, -708.5, -745, -746, math.Inf(1), math.Inf(-1), 5e-324, 1e-300} {
		require.Equal(t, math.Exp(x), EvalExp(x), x)
	}
	require.True(t, math.IsNaN(EvalExp(math.NaN())))
}

func BenchmarkExp(b *testing.B) {
	for _, f := range []struct {
		name string
		exp  func(float64) float64
	}{{"table", EvalExp}, {"math", math.Exp}} {
		b.Run(f.name, func(b *testing.B) {
			x := 0.3
			for b.Loop() {
				x = f.exp(-x)
			}
		})
	}
}
