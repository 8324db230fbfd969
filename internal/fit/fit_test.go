package fit_test

import (
	"encoding/json"
	"errors"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram/internal/fit"
)

// rosenbrock has its minimum, 0, at (1, 1).
func rosenbrock(x []float64) (float64, []float64, error) {
	a, b := 1-x[0], x[1]-x[0]*x[0]
	return a*a + 100*b*b, []float64{-2*a - 400*b*x[0], 200 * b}, nil
}

// product is that of its Hessian with v.
func product(x, v []float64) ([]float64, error) {
	a, b := 2+1200*x[0]*x[0]-400*x[1], -400*x[0]
	return []float64{a*v[0] + b*v[1], b*v[0] + 200*v[1]}, nil
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
	return &fit.Problem{Point: []float64{-1.2, 1}, Loss: rosenbrock, Product: product, Report: func(*fit.State) error { return nil }}
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
			n := 0
			p.Loss = func(x []float64) (float64, []float64, error) {
				loss, gradient, _ := rosenbrock(x)
				if n++; n > 5 && want == failed {
					return 0, nil, failed
				}
				return loss, gradient, nil
			}
			if want == fit.ErrNotFinite {
				p.HeldOut = func([]float64) (float64, error) {
					if n > 5 {
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
