package gram_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram"
	"github.com/gram-machine/gram/examples"
)

// lookedAt is a context that counts how often it is looked at, and ends with the error at the look behind the last one.
type lookedAt struct {
	context.Context
	looks, last int
	err         error
}

func (c *lookedAt) Err() error {
	if c.looks++; c.looks > c.last {
		return c.err
	}
	return nil
}

// TestLimitsInKernels: runs on arrays of 512 × 512 numbers look at the limits at least once in a time step forward and once back.
// They end at any look, and the evaluator can be used again. A limit of steps holds to within a time step.
func TestLimitsInKernels(t *testing.T) {
	const few, many = 2, 6
	for _, name := range []string{"w2.gram", "w5.gram"} {
		var looks [2]int
		for i, n := range []string{"n=2", "n=6"} {
			src, err := examples.Files.ReadFile(name)
			require.NoError(t, err)
			p, err := gram.Load(t.Context(), name, src, gram.Options{Params: []string{"k=512", n}})
			require.NoError(t, err)
			e, err := p.NewGradient(t.Context(), gram.EvalOptions{})
			require.NoError(t, err)
			point := p.Point()
			res, err := e.Gradient(t.Context(), point)
			require.NoError(t, err)
			sum := checksum(res)
			whole := &lookedAt{Context: t.Context(), last: 1 << 30}
			_, err = e.Gradient(whole, point)
			require.NoError(t, err)
			looks[i] = whole.looks
			if i == 0 {
				require.NoError(t, e.Close())
				continue
			}
			var limit *gram.LimitError
			for at := range 4 {
				end := &lookedAt{Context: t.Context(), last: at * whole.looks / 4, err: context.Canceled}
				want := "interrupt"
				if at%2 == 1 {
					end.err, want = context.DeadlineExceeded, "time"
				}
				_, err = e.Gradient(end, point)
				require.ErrorAs(t, err, &limit)
				require.EqualValues(t, want, limit.Limit)
				// What makes the error asks the context up to three times more.
				require.LessOrEqual(t, end.looks, end.last+4, "nothing goes on behind the end")
			}
			res, err = e.Gradient(t.Context(), point)
			require.NoError(t, err)
			require.Equal(t, sum, checksum(res))
			steps := e.Cost().Steps.Total()
			require.NoError(t, e.Close())
			_, err = p.Gradient(t.Context(), gram.EvalOptions{MaxSteps: steps / 2})
			require.ErrorAs(t, err, &limit)
			require.EqualValues(t, "steps", limit.Limit)
			require.LessOrEqual(t, limit.Steps, steps/2+steps/many)
		}
		require.GreaterOrEqual(t, looks[1]-looks[0], 2*(many-few), name)
		t.Log(name, looks)
	}
}

// checksum adds the bits of a gradient, each with its place.
func checksum(res *gram.Result) (sum uint64) {
	for i, b := range bitsOf(res.Jacobian) {
		sum += b * uint64(2*i+1)
	}
	return sum
}
