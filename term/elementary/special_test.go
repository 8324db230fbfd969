package elementary

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestSinhCosh measures the errors against e^x to hundreds of bits.
func TestSinhCosh(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	half := func(x float64, sign int) *big.Float {
		e := exactExp(x)
		inverse := exactly(0).Quo(exactly(float64(sign)), e)
		return e.Quo(e.Add(e, inverse), exactly(2))
	}
	for range 2000 {
		for _, scale := range []float64{1e-5, 0.5, 1, 3, 30, 709} {
			x := (2*rng.Float64() - 1) * scale
			require.LessOrEqual(t, ulpsFrom(Sinh(x), half(x, -1)), 3.0, "sinh %v", x)
			require.LessOrEqual(t, ulpsFrom(Cosh(x), half(x, 1)), 3.0, "cosh %v", x)
		}
	}
}

// TestSpecial holds functions against the standard library, within so many units in the last place.
func TestSpecial(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	softplus := func(x float64) float64 { return math.Max(x, 0) + math.Log1p(math.Exp(-math.Abs(x))) }
	for _, c := range []struct {
		name        string
		f, standard func(x float64) float64
		scales      []float64
		bound       float64
	}{
		{"erf", Erf, math.Erf, []float64{1e-10, 0.1, 1, 1.5, 3, 7}, 2},
		{"softplus", Softplus, softplus, []float64{1e-10, 1, 10, 100, 800}, 4},
		{"erf'", ErfSlope, func(x float64) float64 { return 2 / math.SqrtPi * math.Exp(-x*x) }, []float64{1e-10, 0.5, 1}, 6},
	} {
		for range 3000 {
			for _, scale := range c.scales {
				x := (2*rng.Float64() - 1) * scale
				want := c.standard(x)
				require.InDelta(t, want, c.f(x), c.bound*(math.Nextafter(math.Abs(want), math.Inf(1))-math.Abs(want)), "%s %v", c.name, x)
			}
		}
	}
	for range 3000 {
		for _, scale := range []float64{1e-10, 0.1, 0.6, 1} {
			x := (2*rng.Float64() - 1) * scale
			y := Asin(x)
			off, _ := exactly(0).Sub(exactSin(y, 0), exactly(x)).Float64()
			ulp := math.Nextafter(math.Abs(y), math.Inf(1)) - math.Abs(y)
			require.LessOrEqual(t, math.Abs(off)/math.Sqrt((1-x)*(1+x))/ulp, 2.0, "asin %v", x)
		}
	}
	for _, x := range []float64{0, math.Copysign(0, -1), 1, -1, math.Inf(1), math.Inf(-1), math.NaN(), 2, 5e-324, 710, -710, 1000, -1000} {
		same(t, math.Erf(x), Erf(x), x)
		same(t, math.Asin(x), Asin(x), x)
		if math.Abs(x) != 710 && math.Abs(x) != 1 && x != 2 {
			same(t, math.Sinh(x), Sinh(x), x)
			same(t, math.Cosh(x), Cosh(x), x)
		}
	}
}

// TestGamma holds Lgamma against the standard library, and Digamma against its recurrence, its reflection and the
// slope of Lgamma.
func TestGamma(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 3000 {
		for _, scale := range []float64{1e-5, 0.5, 1, 3, 10, 100, 1e6, 1e300} {
			x := rng.Float64() * scale
			want, _ := math.Lgamma(x)
			require.InDelta(t, want, Lgamma(x), 1e-14*math.Max(1, math.Abs(want)), "lgamma %v", x)
			if scale > 10 {
				continue
			}
			require.InDelta(t, Digamma(x)+1/x, Digamma(x+1), 2e-14*math.Max(1, 1/x), "digamma %v", x)
			if scale >= 1 && x > 0.1 {
				const h = 1e-5
				require.InDelta(t, (Lgamma(x+h)-Lgamma(x-h))/(2*h), Digamma(x), 1e-6, "digamma %v", x)
			}
			if x = -x; x != math.Floor(x) {
				want, _ := math.Lgamma(x)
				require.InDelta(t, want, Lgamma(x), 1e-13*math.Max(1, math.Abs(want)), "lgamma %v", x)
				require.InEpsilon(t, Digamma(1-x)-Digamma(x), math.Pi/math.Tan(math.Pi*x), 1e-6, "digamma %v", x)
			}
		}
	}
	const euler = 0.57721566490153286
	require.InDelta(t, -euler, Digamma(1), 4e-15)
	require.InDelta(t, -euler-2*math.Ln2, Digamma(0.5), 4e-15)
	for _, x := range []float64{0, -1, -5, math.Inf(1)} {
		require.Equal(t, math.Inf(1), Lgamma(x), x)
	}
	require.InDelta(t, -0.083358152521947429, Lgamma(1.1931291769897356), 1e-16) // the standard library's is off by 4e-15
	require.Zero(t, Lgamma(1))
	require.Zero(t, Lgamma(2))
	require.True(t, math.IsNaN(Lgamma(math.NaN())) && math.IsNaN(Digamma(-3)) && math.IsNaN(Digamma(0)))
}

// TestPolygamma holds Polygamma against known values, its recurrence and the slope of the order below.
func TestPolygamma(t *testing.T) {
	const zeta3, zeta6 = 1.2020569031595942, 1.0173430619844492
	require.InEpsilon(t, math.Pi*math.Pi/6, Polygamma(1, 1), 1e-15)
	require.InEpsilon(t, -2*zeta3, Polygamma(2, 1), 1e-15)
	require.InEpsilon(t, 63*120*zeta6, Polygamma(5, 0.5), 1e-14)
	require.InEpsilon(t, math.Pi*math.Pi/2+4, Polygamma(1, -0.5), 1e-14)
	require.Equal(t, Digamma(2.5), Polygamma(0, 2.5))
	for _, x := range []float64{-2.3, -0.4, 0.3, 5, 1e3} {
		for n, factorial := 1.0, -1.0; n <= 10; n++ {
			factorial *= -n // (−1)ⁿ⁻¹·n!
			require.InEpsilon(t, Polygamma(n, x), Polygamma(n, x+1)+factorial/math.Pow(x, n+1), 1e-12, "%v %v", n, x)
			const h = 1e-5
			require.InEpsilon(t, (Polygamma(n-1, x+h)-Polygamma(n-1, x-h))/(2*h), Polygamma(n, x), 1e-5, "%v %v", n, x)
		}
	}
	for _, at := range [][2]float64{{1, 0}, {1, -3}, {0.5, 1}, {-1, 1}, {101, 1}, {math.NaN(), 1}, {1, math.NaN()}} {
		require.True(t, math.IsNaN(Polygamma(at[0], at[1])), at)
	}
}
