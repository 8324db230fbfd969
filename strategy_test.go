package gram_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram"
)

// TestStrategiesAgree: every strategy, fused or not, gives every example's value and
// gradient, and steps that don't depend on passes.
func TestStrategiesAgree(t *testing.T) {
	ctx := context.Background()
	for _, name := range differentiable(t) {
		p := loadExample(t, name)
		want, err := p.Gradient(ctx, gram.EvalOptions{NoFuse: true})
		require.NoError(t, err)
		for _, s := range []gram.Strategy{gram.Direct, gram.Unfold, gram.Modular} {
			fused, err := p.Gradient(ctx, gram.EvalOptions{Strategy: s})
			require.NoError(t, err, "%s %s", name, s)
			literal, err := p.Gradient(ctx, gram.EvalOptions{Strategy: s, NoFuse: true})
			require.NoError(t, err)
			require.Equal(t, literal.Cost.Steps, fused.Cost.Steps, "%s %s", name, s)
			for _, res := range []*gram.Result{fused, literal} {
				requireClose(t, want.Values, res.Values, 1e-12)
				requireClose(t, want.Jacobian, res.Jacobian, 1e-10)
			}
			t.Logf("%-12s %-8s %9d steps", name, s, fused.Cost.Steps.Total())
		}
	}
}
