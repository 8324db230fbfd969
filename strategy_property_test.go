package gram

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/gram-machine/gram/internal/bridge"
	"github.com/gram-machine/gram/internal/denote"
	"github.com/gram-machine/gram/internal/generate"
	"github.com/gram-machine/gram/internal/property"
	"github.com/gram-machine/gram/rule"
)

// TestPropertyStrategies: every strategy, with passes, without or literally, gives a random
// program's value and gradient; passes don't change the steps.
func TestPropertyStrategies(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		q := generate.Draw(t, generate.Options{Vector: rapid.Bool().Draw(t, "vector")})
		p := randomProgram(t, q)
		values, jacobian := denote.Jacobian(bridge.Of(p).Term(), bridge.Of(p).ScalarInputs(), p.Point())
		for _, s := range []Strategy{Direct, Unfold, Modular} {
			var steps rule.Counts
			for i, noFuse := range []bool{true, false} {
				res, err := p.Gradient(context.Background(), EvalOptions{Strategy: s, NoFuse: noFuse, MaxSteps: 200_000})
				var limit *LimitError
				if errors.As(err, &limit) {
					return // iterating functions on functions explodes
				}
				require.NoError(t, err, s)
				requireAgree(t, values, res.Values, 0)
				requireAgree(t, jacobian, res.Jacobian, 1e-9)
				if i == 1 {
					require.Equal(t, steps, res.Cost.Steps, s)
				}
				steps = res.Cost.Steps
			}
		}
	})
}

// requireAgree compares numbers but those that are too large to keep their digits.
func requireAgree(t require.TestingT, want, got []float64, tolerance float64) {
	require.Len(t, got, len(want))
	for i, w := range want {
		if math.Abs(w) < 1e9 {
			require.True(t, generate.Close(w, got[i], tolerance), "%v instead of %v", got, want)
		}
	}
}
