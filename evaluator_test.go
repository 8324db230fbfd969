package gram_test

import (
	"context"
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

// TestCancelledReadBack: a value whose reading was cancelled leaves the evaluator as it
// was: the next one runs by blocks again, and costs the same.
func TestCancelledReadBack(t *testing.T) {
	var cancel func()
	p, err := gram.Load(t.Context(), "x.gram", []byte(`param n = 200000
input x = 0.5
data ys : List R = list i < n -> i
(iter #200000 (fun y -> sin (x * y)) x, ys)
`), gram.Options{Phase: func(phase string) {
		if phase == "read-back" && cancel != nil {
			cancel()
		}
	}})
	require.NoError(t, err)
	e, err := p.NewValue(t.Context(), gram.EvalOptions{})
	require.NoError(t, err)
	defer e.Close()
	want, err := e.Value(t.Context(), p.Point(), nil)
	require.NoError(t, err)
	before := e.Cost()

	var ctx context.Context
	ctx, cancel = context.WithCancel(t.Context())
	_, err = e.Value(ctx, p.Point(), nil)
	require.ErrorIs(t, err, context.Canceled)
	cancel = nil
	got, err := e.Value(t.Context(), p.Point(), nil)
	require.NoError(t, err)
	require.Equal(t, want, got)
	after := e.Cost()
	require.Equal(t, before.Overhead, after.Overhead)
	require.Equal(t, before.Steps, after.Steps)
}
