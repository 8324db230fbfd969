package bench_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram/bench"
)

// spaced are n sizes from a to b, at equal ratios, rounded.
func series(xs []float64, f func(x float64) float64) bench.Data {
	var points []bench.Point
	for _, x := range xs {
		points = append(points, bench.Point{X: x, Y: f(x)})
	}
	return bench.NewData(points)
}

// TestLine holds slope, interval and band against a regression computed by hand:
// u = 1, 2, 3, 4, 5, v = 2, 4, 5, 4, 5 has slope 0.6, intercept 2.2, σ² = 2.4/3.
func TestLine(t *testing.T) {
	l := bench.NewLine([]float64{1, 2, 3, 4, 5}, []float64{2, 4, 5, 4, 5})
	require.InDelta(t, 0.6, l.Slope, 1e-12)
	require.InDelta(t, 2.2, l.Intercept, 1e-12)
	require.InDelta(t, math.Sqrt(2.4/5), l.Residual, 1e-12)
	const student = 3.182446305 // 97.5 % at 3 degrees of freedom
	require.InDelta(t, student*math.Sqrt(0.8/10), l.Half, 1e-8)
	require.True(t, math.IsInf(bench.NewLine([]float64{1, 2}, []float64{1, 2}).Half, 1), "two points have no interval")
}

// TestLineCovers: the interval holds the true slope in 95 of 100 draws.
func TestLineCovers(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	covered := 0
	for range 2000 {
		u, v := make([]float64, 8), make([]float64, 8)
		for i := range u {
			u[i] = float64(i)
			v[i] = 2*u[i] + rng.NormFloat64()
		}
		if l := bench.NewLine(u, v); math.Abs(l.Slope-2) <= l.Half {
			covered++
		}
	}
	require.InDelta(t, 0.95, float64(covered)/2000, 0.02)
}

func TestExponent(t *testing.T) {
	xs := spaced(1e3, 1e6, 10)
	for _, c := range []struct {
		name   string
		model  bench.Law
		f      func(x float64) float64
		want   float64
		within float64
		lower  int // terms taken off
	}{
		{"linear", bench.LinearGrowth, func(x float64) float64 { return 83 * x }, 1, 1e-9, 1},
		{"affine, a large constant", bench.LinearGrowth, func(x float64) float64 { return 83*x + 50000 }, 1, 1e-9, 1},
		{"affine, a negative constant", bench.LinearGrowth, func(x float64) float64 { return 83*x - 60000 }, 1, 1e-9, 1},
		{"quadratic", bench.QuadraticGrowth, func(x float64) float64 { return 3*x*x + 900*x + 7 }, 2, 1e-9, 2},
		{"n log n", bench.NLogN, func(x float64) float64 { return x*math.Log2(x) + 5*x }, 1, 1e-9, 2},
		{"n log n as linear", bench.LinearGrowth, func(x float64) float64 { return math.Round(x * math.Log2(x)) }, 1.085, 0.02, 0},
		{"quadratic as linear", bench.LinearGrowth, func(x float64) float64 { return x*x + x }, 2, 1e-3, 0},
		{"linear as quadratic", bench.QuadraticGrowth, func(x float64) float64 { return 5*x + 1 }, 1, 1e-3, 0},
		{"a root", bench.Law{Kind: bench.Power, Power: 0.5}, math.Sqrt, 0.5, 1e-9, 0},
		{"constant", bench.ConstantGrowth, func(float64) float64 { return 12 }, 0, 1e-12, 1},
		{"to a constant", bench.ConstantGrowth, func(x float64) float64 { return 12 - 5000/x }, 0, 1e-12, 1},
		{"linear in the square of a size", bench.LinearGrowth, func(x float64) float64 { return 3*x - 10*math.Sqrt(x) }, 1, 1e-9, 2},
		{"n log n as constant", bench.ConstantGrowth, func(x float64) float64 { return math.Log(x) }, 0.09, 0.02, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := c.model.Correct(series(xs, c.f).Upper())
			require.Len(t, d.Lower, c.lower)
			line := c.model.Exponent(d.Data)
			require.InDelta(t, c.want, line.Slope, c.within)
		})
	}
}

// TestCompare: of each form, the form itself leaves the least residuals.
func TestCompare(t *testing.T) {
	all := []bench.Law{bench.ConstantGrowth, bench.LinearGrowth, bench.NLogN, bench.QuadraticGrowth, bench.CubicGrowth, bench.ExponentialGrowth}
	rng := rand.New(rand.NewPCG(7, 8))
	for _, c := range []struct {
		want bench.Law
		xs   []float64
		f    func(x float64) float64
	}{
		{bench.ConstantGrowth, spaced(1e3, 1e6, 12), func(float64) float64 { return 4 }},
		{bench.LinearGrowth, spaced(1e3, 1e6, 12), func(x float64) float64 { return 4 * x }},
		{bench.NLogN, spaced(1e3, 1e6, 12), func(x float64) float64 { return x * math.Log(x) }},
		{bench.QuadraticGrowth, spaced(10, 1e3, 12), func(x float64) float64 { return x * x / 2 }},
		{bench.CubicGrowth, spaced(10, 1e3, 12), func(x float64) float64 { return x * x * x }},
		{bench.ExponentialGrowth, spaced(2, 20, 12), func(x float64) float64 { return 5 * math.Exp2(x) }},
	} {
		for _, noise := range []float64{0, 0.05} {
			d := series(c.xs, func(x float64) float64 { return c.f(x) * math.Exp(noise*rng.NormFloat64()) })
			ranked := bench.Rank(d, all...)
			require.Equal(t, c.want, ranked[0].Law, "noise %v", noise)
			require.InDelta(t, noise, ranked[0].Residual, noise/2+1e-9)
		}
	}
	require.InDelta(t, 1, bench.Rate(series(spaced(2, 20, 12), func(x float64) float64 { return 5 * math.Exp2(x) })).Slope, 1e-9)
}

func xs(d bench.Data) (out []float64) {
	for _, p := range d {
		out = append(out, p.X)
	}
	return out
}

func TestWindows(t *testing.T) {
	one := func(float64) float64 { return 1 }
	d := series([]float64{1, 10, 100, 1000, 2000, 5000, 1e4, 2e4, 5e4}, one)
	require.Equal(t, []float64{1000, 2000, 5000, 1e4, 2e4, 5e4}, xs(d.Upper()), "from 10³")
	require.Equal(t, []float64{5, 10, 20, 50, 500}, xs(series([]float64{1, 2, 5, 10, 20, 50, 500}, one).Upper()), "two decades")
	require.Equal(t, []float64{100, 1e3, 1e4, 1e5, 1e6}, xs(series([]float64{1, 10, 100, 1e3, 1e4, 1e5, 1e6}, one).Upper()), "at least five points")
	require.Equal(t, []float64{6, 7, 8, 9, 10}, xs(series([]float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, one).UpperHalf()))
	require.Empty(t, bench.Data{}.Upper())
}

func TestNewDataDropsWhatHasNoLogarithm(t *testing.T) {
	d := bench.NewData([]bench.Point{{X: 3, Y: 1}, {Y: 1}, {X: 2}, {X: -1, Y: 1}, {X: math.NaN(), Y: 1}, {X: 5, Y: math.Inf(1)}})
	require.Equal(t, bench.Data{{X: 2}, {X: 3, Y: 1}}, d)
	require.Equal(t, bench.Data{{X: 3, Y: 1}}, d.Positive())
	require.Equal(t, 1.5, d.Span())
	require.Equal(t, 2, d.Distinct())
}

// samples of 3·m + 7·g + 11, over five decades, times a factor for each.
func plane(n int, factor func() float64) []bench.Sample {
	rng := rand.New(rand.NewPCG(1, 2))
	var out []bench.Sample
	for range n {
		m, g := float64(int(10*pow10(rng.Float64()*5))), float64(int(10*pow10(rng.Float64()*5)))
		out = append(out, bench.Sample{X: []float64{m, g, 1}, Y: factor() * (3*m + 7*g + 11)})
	}
	return out
}

func pow10(x float64) float64 {
	y := 1.0
	for ; x >= 1; x-- {
		y *= 10
	}
	return y * (1 + 9*x)
}

func TestLeastSquares(t *testing.T) {
	c, residual, err := bench.LeastSquaresFit(plane(200, func() float64 { return 1 }))
	require.NoError(t, err)
	require.InDeltaSlice(t, []float64{3, 7, 11}, c, 1e-6)
	require.Less(t, residual, 1e-10)
}

// TestLeastSquaresNotNegative: y = 2·m − 1 wants a negative constant, and gets none.
func TestLeastSquaresNotNegative(t *testing.T) {
	var samples []bench.Sample
	for m := 16.0; m < 1e4; m *= 2 {
		samples = append(samples, bench.Sample{X: []float64{m, m, 1}, Y: 2*m - 1}) // two columns the same
	}
	c, residual, err := bench.LeastSquaresFit(samples)
	require.NoError(t, err)
	for _, x := range c {
		require.GreaterOrEqual(t, x, 0.0)
	}
	require.Zero(t, c[2])
	require.InDelta(t, 2, c[0]+c[1], 0.3)
	require.Greater(t, residual, 0.001)
}

func TestBound(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, n := range []int{1, 2, 3, 10, 500} {
		samples := plane(n, func() float64 { return 0.5 + rng.Float64()/2 })
		c, err := bench.LeastBound(samples)
		require.NoError(t, err)
		tight := 0
		for _, s := range samples {
			at := c[0]*s.X[0] + c[1]*s.X[1] + c[2]*s.X[2]
			require.GreaterOrEqual(t, at, s.Y*(1-1e-8))
			if at < s.Y*(1+1e-8) {
				tight++
			}
		}
		require.Positive(t, tight, "the bound could be less")
		if n == 500 {
			require.LessOrEqual(t, c[0], 3.01)
			require.LessOrEqual(t, c[1], 7.01)
			require.InDelta(t, 3, c[0], 0.3)
			require.InDelta(t, 7, c[1], 0.7)
		}
	}
}

func TestBoundNeedsSamples(t *testing.T) {
	_, err := bench.LeastBound(nil)
	require.Error(t, err)
	_, _, err = bench.LeastSquaresFit(nil)
	require.Error(t, err)
}
