package bench_test

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram"
	"github.com/gram-machine/gram/bench"
	"github.com/gram-machine/gram/internal/bridge"
	"github.com/gram-machine/gram/internal/denote"
	"github.com/gram-machine/gram/internal/hypergraph"
	"github.com/gram-machine/gram/internal/stage"
	"github.com/gram-machine/gram/revgrad"
)

// all are the families with a gradient.
func all() []bench.Family {
	return slices.Concat(bench.Ground(), bench.HigherOrder(), bench.Adversarial(), bench.Constructors(),
		bench.Named("closed λs", "numerals that are dropped", "inputs that are dropped", "values that are dropped", "aliases",
			"aliases in a loop", "powers", "powers in a loop", "a declared symbol", "a declared symbol of numerals"),
		[]bench.Family{bench.Church, bench.Captures, bench.Untaken, bench.EveryRule, bench.WideSum, bench.Heads, bench.Batch,
			bench.BalancedLogSumExp, bench.Constants, bench.ConstantSquares, bench.Edited, bench.StateTwice, bench.Calls,
			bench.Unused, bench.WaitingCalls, bench.LargeBodies, bench.Composed, bench.ComposedSquares, bench.Sequences})
}

// TestFamilies: each family has a program of each size, always the same one, whose gradient
// is that of forward mode; and those that are said to be computational graphs are.
func TestFamilies(t *testing.T) {
	names := map[string]bool{}
	for _, f := range all() {
		require.False(t, names[f.Name], f.Name)
		names[f.Name] = true
		require.Subset(t, f.Full, f.Quick, f.Name)
		for _, n := range []int{1, 2, 3, 7} {
			text := f.Source(n)
			require.Equal(t, text, f.Source(n), f.Name)
			p := load(t, text)
			res, err := p.Gradient(t.Context(), gram.EvalOptions{})
			require.NoError(t, err, f.Name)
			values, jacobian := denote.Jacobian(bridge.Of(p).Term(), bridge.Of(p).ScalarInputs(), p.Point())
			require.InDeltaSlice(t, values, res.Values, 1e-9, "%s, n = %d", f.Name, n)
			require.InDeltaSlice(t, jacobian, res.Jacobian, 1e-6, "%s, n = %d", f.Name, n)
			_, err = hypergraph.FromTerm(bridge.Of(p).Term(), bridge.Of(p).ScalarInputs(), nil)
			if f.Ground {
				require.NoError(t, err, f.Name)
			}
		}
	}
}

// TestSizesGrow: the programs of a family cost more the larger they are.
func TestSizesGrow(t *testing.T) {
	for _, f := range all() {
		if f.Name == bench.WideSum.Name || f.Name == bench.RandomProgram.Name || f.Name == bench.LargeBodies.Name {
			continue // one size of graph for all n, a random one, and code that isn't run
		}
		var steps []uint64
		for _, n := range []int{2, 4, 8} {
			res, err := load(t, f.Source(n)).Gradient(context.Background(), gram.EvalOptions{})
			require.NoError(t, err, f.Name)
			steps = append(steps, res.Cost.Steps.Total())
		}
		require.IsIncreasing(t, steps, f.Name)
	}
}

// TestHandwritten: the duals that are written by hand give the gradients of what they
// stand for.
func TestHandwritten(t *testing.T) {
	value := func(text string) []float64 {
		res, err := load(t, text).Value(t.Context(), gram.EvalOptions{})
		require.NoError(t, err)
		return res.Values
	}
	for _, n := range []int{1, 2, 5, 10} {
		chain, err := load(t, bench.Chain.Source(n)).Gradient(t.Context(), gram.EvalOptions{})
		require.NoError(t, err)
		require.InDeltaSlice(t, append(chain.Values, chain.Jacobian...), value(bench.DualChain.Source(n)), 1e-12)
		// Each of n duals times 0.5, and one.
		require.Equal(t, []float64{0.5*float64(n) + 1}, value(bench.DualSum.Source(n)))

		sum := load(t, bench.LogSumExp.Source(n))
		var reverse strings.Builder
		d, err := revgrad.Reverse(bridge.Of(sum).Term(), nil)
		require.NoError(t, err)
		st := stage.Stage{Kind: stage.Reverse, Source: bridge.Of(sum).Source(), Term: d, Inputs: bridge.Of(sum).ScalarInputs()}
		require.NoError(t, st.Write(&reverse, nil, nil))
		want, err := sum.Gradient(t.Context(), gram.EvalOptions{})
		require.NoError(t, err)
		require.InDeltaSlice(t, append(want.Values, want.Jacobian...), value(bench.Injected(reverse.String())), 1e-12)
	}
}

// TestRandom: random programs are well typed and finite, and those on rationals have no
// other symbols.
func TestRandom(t *testing.T) {
	for seed := range uint64(200) {
		res, err := load(t, bench.Random(8, seed)).Value(t.Context(), gram.EvalOptions{})
		require.NoError(t, err)
		require.False(t, math.IsNaN(res.Values[0]), bench.Random(8, seed))
		text := bench.Rational(8, seed)
		load(t, text)
		for _, name := range []string{"sin", "tanh", "max"} {
			require.NotContains(t, text, name)
		}
	}
	require.NotEqual(t, bench.Random(8, 1), bench.Random(8, 2))
}

func TestSizes(t *testing.T) {
	require.Equal(t, []int{10, 20, 50, 100, 200}, bench.Sizes(10, 200))
	require.Equal(t, []int{1}, bench.Sizes(1, 1))
	require.Empty(t, bench.Sizes(3, 4))
}
