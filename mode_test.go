package gram_test

import (
	"context"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram"
	"github.com/gram-machine/gram/cost"
)

// TestModesAgree: the three modes find the same values and derivatives, for every
// example and workload; the graph is that of Bound.
func TestModesAgree(t *testing.T) {
	ctx := context.Background()
	for _, name := range differentiable(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := loadExample(t, name)
			want, err := p.Gradient(ctx, gram.EvalOptions{})
			require.NoError(t, err)
			bound, err := p.Bound(ctx, gram.EvalOptions{})
			require.NoError(t, err)
			for _, mode := range []gram.Mode{gram.Forward, gram.Tape} {
				res, err := p.Gradient(ctx, gram.EvalOptions{Mode: mode})
				require.NoError(t, err)
				requireClose(t, want.Values, res.Values, 1e-12)
				requireClose(t, want.Jacobian, res.Jacobian, 1e-9)
				require.Equal(t, want.Cost.Inputs, res.Cost.Inputs)
				require.Zero(t, res.Cost.Steps)
				require.Zero(t, res.Cost.Overhead)
				require.GreaterOrEqual(t, res.Cost.Nodes.Allocated, bound.Operations)
				require.Positive(t, res.Cost.Operations)
				random, err := p.Gradient(ctx, gram.EvalOptions{Mode: mode, Schedule: gram.Random, Seed: 3})
				require.NoError(t, err)
				require.Equal(t, res.Cost.Operations, random.Cost.Operations)
				require.Equal(t, res.Cost.Nodes, random.Cost.Nodes)
				requireClose(t, res.Jacobian, random.Jacobian, 1e-9)
			}
		})
	}
}

// TestModeCosts: Figure 1 has 2 inputs and 3 operations. Forward mode: sub costs 4
// (value, two products, a sum), mul 4, sin 3 (value, slope, product), for each input.
// The tape: 3 values; back, sub and mul cost 4 each, sin 3.
func TestModeCosts(t *testing.T) {
	ctx := context.Background()
	p := loadExample(t, "figure1")
	for mode, operations := range map[gram.Mode]uint64{gram.Forward: 22, gram.Tape: 14} {
		res, err := p.Gradient(ctx, gram.EvalOptions{Mode: mode})
		require.NoError(t, err)
		got := res.Cost
		got.Seconds = cost.Seconds{}
		require.Equal(t, gram.Cost{Inputs: 2, Operations: operations, Nodes: cost.Nodes{Allocated: 5, Peak: 5}}, got)
	}
}

// TestModesAtInfiniteSlopes: the derivative by x is finite where the slope by what doesn't
// depend on x is infinite or NaN.
func TestModesAtInfiniteSlopes(t *testing.T) {
	ctx := context.Background()
	for text, want := range map[string][]float64{
		"input x = -1\npow x 2":                  {-2},
		"input x = 1\ninput y = 0\nx + sqrt y":   {1, math.Inf(1)},
		"input x = -1\ninput y = 2\npow x y * x": {3, math.NaN()},
	} {
		for _, mode := range []gram.Mode{gram.Reverse, gram.Forward, gram.Tape} {
			res, err := load(t, text).Gradient(ctx, gram.EvalOptions{Mode: mode})
			require.NoError(t, err)
			require.InDeltaSlice(t, want, res.Jacobian, 0, "%s, mode %d", text, mode)
		}
	}
}

// TestModesAtManyPoints: an evaluator makes the graph anew where the point takes
// other branches.
func TestModesAtManyPoints(t *testing.T) {
	ctx := context.Background()
	p := load(t, "input x = 2\ninput y = 3\nif x < y then x * y else sin x")
	for _, mode := range []gram.Mode{gram.Reverse, gram.Forward, gram.Tape} {
		e, err := p.NewGradient(ctx, gram.EvalOptions{Mode: mode})
		require.NoError(t, err)
		_, err = e.Value(ctx, p.Point())
		require.Error(t, err)
		for _, c := range []struct{ point, want []float64 }{
			{[]float64{2, 3}, []float64{6, 3, 2}}, {[]float64{0, -1}, []float64{0, 1, 0}}, {[]float64{5, 7}, []float64{35, 7, 5}},
		} {
			res, err := e.Gradient(ctx, c.point)
			require.NoError(t, err)
			require.Equal(t, c.want[:1], res.Values)
			require.Equal(t, c.want[1:], res.Jacobian)
		}
		require.NoError(t, e.Close())
	}
}

// TestModesEnd: limits, cancellation and numbers that are not finite end a run, with
// errors that say where.
func TestModesEnd(t *testing.T) {
	ctx := context.Background()
	for _, mode := range []gram.Mode{gram.Forward, gram.Tape} {
		p := load(t, endless)
		var limit *gram.LimitError
		_, err := p.Gradient(ctx, gram.EvalOptions{Mode: mode, MaxSteps: 1000})
		require.ErrorAs(t, err, &limit)
		require.EqualValues(t, "steps", limit.Limit)
		short, cancel := context.WithTimeout(ctx, 20*time.Millisecond)
		defer cancel()
		_, err = p.Gradient(short, gram.EvalOptions{Mode: mode})
		require.ErrorAs(t, err, &limit)
		require.EqualValues(t, "time", limit.Limit)

		for _, body := range []string{"log x", "sqrt x", "log 0 * x"} {
			_, err = load(t, "input x = 0\n"+body).Gradient(ctx, gram.EvalOptions{Mode: mode, Finite: true})
			require.ErrorContains(t, err, "test.gram:2:1: not finite", body)
		}
		_, err = load(t, "input x = 0\n(x, x)").Gradient(ctx, gram.EvalOptions{Mode: mode})
		require.ErrorContains(t, err, "test.gram:2:1: no gradient")
	}
}

// TestModeCancelledPasses: cancelling ends the passes too, and the evaluator can be
// used again.
func TestModeCancelledPasses(t *testing.T) {
	ctx := context.Background()
	p := load(t, "input v : R^100 = vec i < 100 -> i\niter #1000 (fun s -> sin (s + v.(3))) (dot v v)")
	e, err := p.NewGradient(ctx, gram.EvalOptions{Mode: gram.Forward})
	require.NoError(t, err)
	defer e.Close()
	stopped, cancel := context.WithCancel(ctx)
	cancel()
	_, err = e.Gradient(stopped, p.Point())
	require.ErrorIs(t, err, context.Canceled)
	_, err = e.Gradient(ctx, p.Point())
	require.NoError(t, err)
}
