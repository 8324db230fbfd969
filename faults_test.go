package gram_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram"
	"github.com/gram-machine/gram/rule"
)

// allForms are the ways to run a gradient. Steps by rule are equal in all, and numbers to rounding.
var allForms = map[string]gram.EvalOptions{
	"default":     {},
	"no blocks":   {NoFuse: true},
	"interpreted": {NoNative: true},
	"parallel":    {Schedule: gram.Parallel, Workers: 3},
	"literal":     {Literal: true},
}

// TestFaults: programs that gave a wrong result, or ended in a crash, have the right one in all forms.
func TestFaults(t *testing.T) {
	const vector = "input x : R^2 = [| 1, 2 |]\n"
	for _, tt := range []struct {
		src             string
		value, gradient []float64
	}{
		{vector + "fold (fun (a, b) s -> s + a * b) 0 (list i < 2 -> (x.(i) * x.(i), sum z < 2 -> x.(1 - z) * (1 + z))) + " +
			"0 * (sum i < 5000 -> sin (x.(0) * i))", []float64{20}, []float64{18, 21}},
		{vector + "input y = 1\nfold (fun (a, v) s -> s + a * v.(0)) 0 (list i < 2 -> (x.(i), vec z < 2 -> y))", []float64{3}, []float64{1, 1, 3}},
		{"param n = 300\ninput x = 0.5\niter #n (fun y -> (fun p -> y) (vec i < n -> i + 1)) x", []float64{0.5}, []float64{1}},
	} {
		p := load(t, tt.src)
		var steps rule.Counts
		for name, opt := range allForms {
			res, err := p.Gradient(t.Context(), opt)
			require.NoError(t, err, "%s: %s", name, tt.src)
			require.InDeltaSlice(t, tt.value, res.Values, 1e-12, "%s: %s", name, tt.src)
			require.InDeltaSlice(t, tt.gradient, res.Jacobian, 1e-12, "%s: %s", name, tt.src)
			if steps == (rule.Counts{}) {
				steps = res.Cost.Steps
			}
			require.Equal(t, steps, res.Cost.Steps, "%s: %s", name, tt.src)
		}
	}
}
