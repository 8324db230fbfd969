package fit_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram/bench/fit"
)

// samples of 3·m + 7·g + 11, over five decades, times a factor for each.
func plane(n int, factor func() float64) []fit.Sample {
	rng := rand.New(rand.NewPCG(1, 2))
	var out []fit.Sample
	for range n {
		m, g := float64(int(10*pow10(rng.Float64()*5))), float64(int(10*pow10(rng.Float64()*5)))
		out = append(out, fit.Sample{X: []float64{m, g, 1}, Y: factor() * (3*m + 7*g + 11)})
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
	c, residual, err := fit.LeastSquares(plane(200, func() float64 { return 1 }))
	require.NoError(t, err)
	require.InDeltaSlice(t, []float64{3, 7, 11}, c, 1e-6)
	require.Less(t, residual, 1e-10)
}

// TestLeastSquaresNotNegative: y = 2·m − 1 wants a negative constant, and gets none.
func TestLeastSquaresNotNegative(t *testing.T) {
	var samples []fit.Sample
	for m := 16.0; m < 1e4; m *= 2 {
		samples = append(samples, fit.Sample{X: []float64{m, m, 1}, Y: 2*m - 1}) // two columns the same
	}
	c, residual, err := fit.LeastSquares(samples)
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
		c, err := fit.Bound(samples)
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
	_, err := fit.Bound(nil)
	require.Error(t, err)
	_, _, err = fit.LeastSquares(nil)
	require.Error(t, err)
}
