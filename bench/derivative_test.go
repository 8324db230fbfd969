package bench_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram"
	"github.com/gram-machine/gram/bench"
)

// TestDerivative: the programs by Ehrhard's D have the derivatives of those that they are of, which gradients have too.
func TestDerivative(t *testing.T) {
	for _, f := range []struct{ of, derivative bench.Family }{
		{bench.Composed, bench.Named("derivative of composed functions")[0]},
		{bench.ComposedSquares, bench.Named("derivative of composed squares")[0]},
	} {
		for n := range 8 {
			want, err := load(t, f.of.Source(n)).Gradient(t.Context(), gram.EvalOptions{})
			require.NoError(t, err)
			got, err := load(t, f.derivative.Source(n)).Value(t.Context(), gram.EvalOptions{})
			require.NoError(t, err)
			require.InDeltaSlice(t, want.Jacobian, got.Values, 1e-12, "%s, n = %d", f.of.Name, n)
		}
	}
}
