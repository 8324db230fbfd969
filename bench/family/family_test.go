package family_test

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram"
	"github.com/gram-machine/gram/bench/family"
	"github.com/gram-machine/gram/internal/bridge"
	"github.com/gram-machine/gram/internal/denote"
	"github.com/gram-machine/gram/internal/hypergraph"
	"github.com/gram-machine/gram/internal/stage"
	"github.com/gram-machine/gram/revgrad"
)

// all are the families with a gradient.
func all() []family.Family {
	return slices.Concat(family.Ground(), family.HigherOrder(), family.Adversarial(), family.Constructors(),
		[]family.Family{family.Church, family.Captures, family.Untaken, family.ClosedLambdas, family.DroppedNumerals, family.DroppedInputs, family.DroppedValues, family.Aliases, family.AliasesInLoop, family.Powers, family.PowersInLoop, family.Declared, family.NestedDeclared, family.EveryRule, family.WideSum, family.Heads, family.Batch, family.BalancedLogSumExp,
			family.Constants, family.ConstantSquares, family.Edited, family.StateTwice, family.Calls, family.Unused, family.WaitingCalls, family.LargeBodies, family.Composed, family.ComposedSquares, family.Sequences})
}

func load(t *testing.T, text string) *gram.Program {
	t.Helper()
	p, err := gram.Load(t.Context(), "test", []byte(text), gram.Options{})
	require.NoError(t, err, text)
	return p
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
		if f.Name == family.WideSum.Name || f.Name == family.RandomProgram.Name || f.Name == family.LargeBodies.Name {
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
		chain, err := load(t, family.Chain.Source(n)).Gradient(t.Context(), gram.EvalOptions{})
		require.NoError(t, err)
		require.InDeltaSlice(t, append(chain.Values, chain.Jacobian...), value(family.DualChain.Source(n)), 1e-12)
		// Each of n duals times 0.5, and one.
		require.Equal(t, []float64{0.5*float64(n) + 1}, value(family.DualSum.Source(n)))

		sum := load(t, family.LogSumExp.Source(n))
		var reverse strings.Builder
		d, err := revgrad.Reverse(bridge.Of(sum).Term(), nil)
		require.NoError(t, err)
		st := stage.Stage{Kind: stage.Reverse, Source: bridge.Of(sum).Source(), Term: d, Inputs: bridge.Of(sum).ScalarInputs()}
		require.NoError(t, st.Write(&reverse, nil, nil))
		want, err := sum.Gradient(t.Context(), gram.EvalOptions{})
		require.NoError(t, err)
		require.InDeltaSlice(t, append(want.Values, want.Jacobian...), value(family.Injected(reverse.String())), 1e-12)
	}
}

// TestRandom: random programs are well typed and finite, and those on rationals have no
// other symbols.
func TestRandom(t *testing.T) {
	for seed := range uint64(200) {
		res, err := load(t, family.Random(8, seed)).Value(t.Context(), gram.EvalOptions{})
		require.NoError(t, err)
		require.False(t, math.IsNaN(res.Values[0]), family.Random(8, seed))
		text := family.Rational(8, seed)
		load(t, text)
		for _, name := range []string{"sin", "tanh", "max"} {
			require.NotContains(t, text, name)
		}
	}
	require.NotEqual(t, family.Random(8, 1), family.Random(8, 2))
}

func TestSizes(t *testing.T) {
	require.Equal(t, []int{10, 20, 50, 100, 200}, family.Sizes(10, 200))
	require.Equal(t, []int{1}, family.Sizes(1, 1))
	require.Empty(t, family.Sizes(3, 4))
}
