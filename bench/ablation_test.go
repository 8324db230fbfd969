package bench_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram"
	"github.com/gram-machine/gram/bench"
	"github.com/gram-machine/gram/rule"
)

func load(t *testing.T, text string) *gram.Program {
	t.Helper()
	p, err := gram.Load(t.Context(), "test", []byte(text), gram.Options{})
	require.NoError(t, err)
	return p
}

// TestByName: programs with sharing expanded, and networks by name, have the values of those that they are of, to the
// last bit. A layer that uses its state once runs n times, and one that uses it twice 2ⁿ − 1 times.
func TestByName(t *testing.T) {
	value := func(f bench.Family, n int) *gram.Result {
		res, err := load(t, f.Source(n)).Value(t.Context(), gram.EvalOptions{})
		require.NoError(t, err)
		return res
	}
	for _, f := range []struct {
		of, unshared bench.Family
		runs         func(n int) int // of the layer; nil of programs without one
	}{
		{bench.Squares, bench.Named("squares, sharing expanded")[0], nil},
		{bench.Fibonacci, bench.Named("fibonacci, sharing expanded")[0], nil},
		{bench.Network, bench.Named("recurrent network, by name")[0], func(n int) int { return n }},
		{bench.StateTwice, bench.Named("recurrent network, the state twice, by name")[0], func(n int) int { return 1<<n - 1 }},
	} {
		for n := 1; n <= 8; n++ {
			got := value(f.unshared, n)
			require.Equal(t, value(f.of, n).Values, got.Values, "%s, n = %d", f.unshared.Name, n)
			if f.runs != nil {
				require.EqualValues(t, f.runs(n), got.Cost.Steps[rule.Function], "%s, n = %d", f.unshared.Name, n)
			}
		}
	}
}
