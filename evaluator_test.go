package gram_test

import (
	"runtime"
	"testing"
	"time"
	"weak"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram"
)

// TestEvaluatorDropped: an evaluator that is dropped without Close is collected.
func TestEvaluatorDropped(t *testing.T) {
	p := load(t, "input x = 3\nx * x")
	makers := []func() (*gram.Evaluator, error){
		func() (*gram.Evaluator, error) { return p.NewValue(t.Context(), gram.EvalOptions{}) },
		func() (*gram.Evaluator, error) { return p.NewGradient(t.Context(), gram.EvalOptions{}) },
		func() (*gram.Evaluator, error) {
			return p.NewGradient(t.Context(), gram.EvalOptions{Schedule: gram.Parallel, Workers: 2})
		},
	}
	for i, make := range makers {
		e, err := make()
		require.NoError(t, err)
		dropped := weak.Make(e)
		e = nil
		require.Eventually(t, func() bool { runtime.GC(); return dropped.Value() == nil }, 10*time.Second, time.Millisecond, "evaluator %d", i)
	}
}
