package main

import (
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram/internal/fit"
)

// rosenbrock has its minimum, 0, at (1, 1).
func rosenbrock(x []float64) (float64, []float64, error) {
	a, b := 1-x[0], x[1]-x[0]*x[0]
	return a*a + 100*b*b, []float64{-2*a - 400*b*x[0], 200 * b}, nil
}

// products are those of its Hessian with vectors.
func products(x, vectors []float64) ([]float64, error) {
	a, b := 2+1200*x[0]*x[0]-400*x[1], -400*x[0]
	var out []float64
	for v := range slices.Chunk(vectors, 2) {
		out = append(out, a*v[0]+b*v[1], b*v[0]+200*v[1])
	}
	return out, nil
}

// TestNewtonCG: newton-cg takes few steps, and one if the loss is quadratic.
func TestNewtonCG(t *testing.T) {
	s := &fit.State{}
	_, err := fit.Minimise(problem(), fit.Options{Method: "newton-cg", Iterations: 100}, s)
	require.NoError(t, err)
	require.Less(t, s.Iteration, 30)
	require.InDeltaSlice(t, []float64{1, 1}, s.BestPoint, 1e-7)
	_, err = fit.Minimise(problem(), fit.Options{Method: "newton-cg", Iterations: 0}, &fit.State{})
	require.NoError(t, err)
}

func problem() *fit.Problem {
	return &fit.Problem{Point: []float64{-1.2, 1}, Loss: rosenbrock, Products: products, Report: func(*fit.State) error { return nil }}
}

func TestMinimise(t *testing.T) {
	for method, loss := range map[string]float64{"lbfgs": 1e-12, "newton-cg": 1e-15, "gd": 1e-3, "adam": 1e-3} {
		s := &fit.State{}
		why, err := fit.Minimise(problem(), fit.Options{Method: method, Iterations: 5000, Rate: 0.02}, s)
		require.NoError(t, err, method)
		require.NotEmpty(t, why)
		best := s.Curve[s.Best]
		require.Less(t, best.Loss, loss, method)
		at, _, _ := rosenbrock(s.BestPoint)
		require.Equal(t, best.Loss, at, "the best point is that of the best loss")
		require.Equal(t, fit.Sample{Iteration: 0, Loss: 24.199999999999996}, s.Curve[0])
		require.Equal(t, []float64{-1.2, 1}, problem().Point)
	}
}

// TestStateIsJSON: adam goes on from the JSON of a state to the bit.
func TestStateIsJSON(t *testing.T) {
	want, got := &fit.State{}, &fit.State{}
	opt := fit.Options{Method: "adam", Iterations: 100, Rate: 0.1}
	_, err := fit.Minimise(problem(), opt, want)
	require.NoError(t, err)
	for _, opt.Iterations = range []int{13, 57, 100} {
		_, err := fit.Minimise(problem(), opt, got)
		require.NoError(t, err)
		text, err := json.Marshal(got)
		require.NoError(t, err)
		got = &fit.State{}
		require.NoError(t, json.Unmarshal(text, got))
	}
	require.Equal(t, want, got)
}

// TestErrors: after an error, the state has the best point so far.
func TestErrors(t *testing.T) {
	failed := errors.New("failed")
	for _, method := range []string{"lbfgs", "gd", "newton-cg", "adam"} {
		for _, want := range []error{failed, fit.ErrNotFinite} {
			p := problem()
			n, allowed := 0, 45 // evaluations
			if method == "newton-cg" || method == "adam" {
				allowed = 5
			}
			p.Loss = func(x []float64) (float64, []float64, error) {
				loss, gradient, _ := rosenbrock(x)
				if n++; n > allowed && want == failed {
					return 0, nil, failed
				}
				return loss, gradient, nil
			}
			if want == fit.ErrNotFinite {
				p.HeldOut = func([]float64) (float64, error) {
					if n > allowed {
						return math.NaN(), nil
					}
					return float64(-n), nil
				}
			}
			s := &fit.State{}
			_, err := fit.Minimise(p, fit.Options{Method: method, Iterations: 100, Rate: 0.01}, s)
			require.ErrorIs(t, err, want, method)
			at, _, _ := rosenbrock(s.BestPoint)
			require.Equal(t, s.Curve[s.Best].Loss, at)
			require.NotZero(t, s.Best)
		}
	}
}

// TestWithin: the problem within ranges has the derivatives of differences, its points are those of the first problem, in the ranges, and
// each method comes to the least loss there: at the ends, or inside.
func TestWithin(t *testing.T) {
	inf := math.Inf(1)
	ranges := []fit.Range{{Low: -2, High: 0.5}, {Low: -inf, High: 3}}
	for _, ranges := range [][]fit.Range{ranges, {{Low: -1.5, High: inf}, {Low: 0, High: 2}}, {fit.Everywhere, {Low: -inf, High: 1.5}}} {
		q, point := problem().Within(ranges)
		require.InDeltaSlice(t, problem().Point, point(q.Point), 1e-15)
		for _, u := range [][]float64{q.Point, {0.3, -0.8}, {-2, 1.1}} {
			_, gradient, err := q.Loss(u)
			require.NoError(t, err)
			g := slices.Clone(gradient)
			for i := range u {
				const h = 1e-5
				shifted := func(by float64) (float64, []float64) {
					v := slices.Clone(u)
					v[i] += by
					loss, gradient, err := q.Loss(v)
					require.NoError(t, err)
					return loss, slices.Clone(gradient)
				}
				above, gradientAbove := shifted(h)
				below, gradientBelow := shifted(-h)
				require.InEpsilon(t, (above-below)/(2*h), g[i], 1e-6)
				e := make([]float64, len(u))
				e[i] = 1
				row, err := q.Products(u, e)
				require.NoError(t, err)
				for j := range row {
					require.InEpsilon(t, (gradientAbove[j]-gradientBelow[j])/(2*h), row[j], 1e-6)
				}
			}
		}
	}
	for _, method := range strings.Fields(fit.Methods) {
		q, point := problem().Within(ranges)
		s := &fit.State{}
		_, err := fit.Minimise(q, fit.Options{Method: method, Iterations: 5000, Rate: 0.02}, s)
		require.NoError(t, err)
		require.InDeltaSlice(t, []float64{0.5, 0.25}, point(s.BestPoint), 1e-3, method) // (1 − x)² + 100(y − x²)² for x ≤ 0.5
	}
}
