package gram

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestBatch: many points have the values and derivatives that each has by itself, and as many steps together.
func TestBatch(t *testing.T) {
	for name, src := range map[string]string{
		"numbers":       "input x : R^3 = vec i < 3 -> i\ninput y = 2\nx.(0) * exp y + sin x.(2)",
		"a vector":      "input x : R^3 = vec i < 3 -> i\ninput y = 2\n[| x.(0) * y, x.(1), 3, y |]",
		"a conditional": "input x : R^3 = vec i < 3 -> i\nlet a = dot x x in if a > 4 then a * x.(0) else x.(1) / (2 + a)",
		"data":          "input x : R^3 = vec i < 3 -> i\ndata l : List R^3 = list i < 9 -> vec j < 3 -> i - j\nfold (fun r s -> s + tanh (dot r x)) x.(0) l",
		"an index":      "input x : R^12 = vec i < 12 -> i\nvec j < 12 -> x.(11 - j) * sum i < j + 1 -> x.(i)",
		"a function":    "input x : R^3 = vec i < 3 -> i\nlet rec f u = if u < 0.5 then 1 else x.(0) * f (u - 1) in f 3",
	} {
		t.Run(name, func(t *testing.T) {
			p, err := Load(t.Context(), "t.gram", []byte(src), Options{})
			require.NoError(t, err)
			e, err := p.NewGradient(t.Context(), EvalOptions{})
			require.NoError(t, err)
			const count = 2*batchPoints + 3
			n, k := len(p.Point()), e.outputs
			points := make([]float64, count*n)
			for i := range points {
				points[i] = math.Sin(float64(i)) * float64(1+i%5)
			}
			values, jacobians := make([]float64, count*k), make([]float64, count*k*n)
			require.NoError(t, e.Gradients(t.Context(), points, values, jacobians))
			require.Equal(t, name != "a function", e.batch != nil)
			one, err := p.NewGradient(t.Context(), EvalOptions{})
			require.NoError(t, err)
			var steps uint64
			for i := range count {
				res, err := one.Gradient(t.Context(), points[i*n:(i+1)*n])
				require.NoError(t, err)
				require.InDeltaSlice(t, res.Values, values[i*k:(i+1)*k], 1e-12)
				require.InDeltaSlice(t, res.Jacobian, jacobians[i*k*n:(i+1)*k*n], 1e-10)
				if i >= batchPoints && i < 2*batchPoints {
					s := one.code.Stats()
					steps += s.Counts.Total()
				}
			}
			if e.batch != nil {
				s := e.batch.Stats()
				require.Equal(t, steps, s.Counts.Total())
			}
		})
	}
}
