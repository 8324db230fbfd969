package elementary

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestSinNearZeros: sin and cos are as accurate next to their zeros, where x less the
// multiple of π/2 loses up to 60 bits. The standard library's are off by thousands.
func TestSinNearZeros(t *testing.T) {
	var worst float64
	for k := 1; float64(k+1)*math.Pi/2 < maxAngle; k++ {
		x, _ := exactly(0).Mul(exactPi, exactly(float64(k)/2)).Float64()
		f, quarters := Sin, 0
		if k%2 == 1 {
			f, quarters = Cos, 1
		}
		worst = max(worst, ulpsFrom(f(x), exactSin(x, quarters)))
	}
	t.Logf("at most %.3f ulp", worst)
	require.LessOrEqual(t, worst, 0.56)
}

// same says that two numbers have the same bits, or are none.
func same(t *testing.T, want, got float64, x float64) {
	t.Helper()
	if math.IsNaN(want) {
		require.True(t, math.IsNaN(got), x)
		return
	}
	require.Equal(t, math.Float64bits(want), math.Float64bits(got), x)
}

// TestSinSpecial: zeros keep their sign, small numbers are their sines, and numbers that
// are not reduced here have the standard library's.
func TestSinSpecial(t *testing.T) {
	for _, x := range []float64{0, 5e-324, 1e-300, 1e-9, minAngle / 2, maxAngle, 1e6, 1e22, math.MaxFloat64, math.Inf(1), math.NaN()} {
		for _, x := range []float64{x, -x} {
			s, c := math.Sincos(x)
			same(t, s, Sin(x), x)
			same(t, c, Cos(x), x)
		}
	}
}

// TestSmallAngles: sin and cos of a small angle have the bits that the sums of its reduction have.
func TestSmallAngles(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 100_000 {
		x := smallAngle * (1 - math.Ldexp(rng.Float64(), -rng.IntN(2)))
		x = math.Copysign(math.Ldexp(x, -rng.IntN(22)), rng.Float64()-0.5)
		n, r, rest := reduceAngle(x)
		s, c := sinCosSeries(r)
		sin, cos := &sineTable[n%sineSteps], &sineTable[(n+sineSteps/4)%sineSteps]
		same(t, addSines(sin, cos, r, rest, s, c), Sin(x), x)
		same(t, addCosines(sin, cos, r, rest, s, c), Cos(x), x)
	}
}

// FuzzSinCos: both at once are the same numbers as each, sin is odd and cos even, and
// they agree with the standard library's to what that is accurate to.
func FuzzSinCos(f *testing.F) {
	for _, x := range []float64{0, 1, math.Pi, -math.Pi / 128, minAngle, maxAngle, 1e300, math.Inf(1)} {
		f.Add(x)
	}
	f.Fuzz(func(t *testing.T, x float64) {
		s, c := SinCos(x)
		same(t, s, Sin(x), x)
		same(t, c, Cos(x), x)
		same(t, -s, Sin(-x), x)
		same(t, c, Cos(-x), x)
		if math.Abs(x) < maxAngle {
			require.InDelta(t, math.Sin(x), s, 0x1p-52)
			require.InDelta(t, math.Cos(x), c, 0x1p-52)
		}
	})
}
