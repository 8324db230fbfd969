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

// TestMisuse: what the library can't do is an error that says why, and never a fault. No
// error speaks of the command line or of a package.
func TestMisuse(t *testing.T) {
	ctx := t.Context()
	p := load(t, "input v : R^3 = [| 1, 2, 3 |]\n[| v.(0) * v.(1), v.(2) |]")
	point := p.Point()
	gradient := func(opt gram.EvalOptions, point []float64, values, jacobian int) error {
		e, err := p.NewGradient(ctx, opt)
		if err != nil {
			return err
		}
		defer e.Close()
		return e.Gradient(ctx, point, make([]float64, values), make([]float64, jacobian))
	}
	value := func(opt gram.EvalOptions, point []float64) error {
		e, err := p.NewValue(ctx, opt)
		if err != nil {
			return err
		}
		defer e.Close()
		_, err = e.Value(ctx, point, nil)
		return err
	}
	closed := func(opt gram.EvalOptions) error {
		e, err := p.NewGradient(ctx, opt)
		require.NoError(t, err)
		require.NoError(t, e.Close())
		require.NoError(t, e.Close(), "closing again does nothing")
		e.Cost()
		return e.Gradient(ctx, point, make([]float64, 2), make([]float64, 6))
	}
	set := func(opt gram.Options) error {
		_, err := gram.Load(ctx, "x.gram", []byte("param n = 1\ninput x : R^2 = [| 1, 2 |]\nx.(0)"), opt)
		return err
	}
	type mistake struct {
		err  error
		want string
	}
	mistakes := map[string]mistake{
		"workers":          {gradient(gram.EvalOptions{Schedule: gram.Parallel, Workers: -1}, point, 2, 6), "-1 workers"},
		"workers of value": {value(gram.EvalOptions{Workers: -1}, point), "-1 workers"},
		"schedule":         {value(gram.EvalOptions{Schedule: 9}, point), "no schedule 9"},
		"strategy":         {gradient(gram.EvalOptions{Strategy: 9}, point, 2, 6), "no strategy 9"},
		"mode":             {gradient(gram.EvalOptions{Mode: 9}, point, 2, 6), "no mode 9"},
		"ablation":         {gradient(gram.EvalOptions{Ablation: 9}, point, 2, 6), "no ablation 9"},
		"point of a value": {value(gram.EvalOptions{}, nil), "the point has length 0, and the program has 3 scalar inputs"},
		"param":            {set(gram.Options{Params: []string{"x=1"}}), "x is an input: use set"},
		"set":              {set(gram.Options{Sets: []string{"n=1"}}), "n is a param: use param"},
		"set's shape":      {set(gram.Options{Sets: []string{"x=1"}}), "x is R^2, but x=1 gives R"},
		"values":           {set(gram.Options{Values: map[string][]float64{"x": {1, 2, 3}}}), "x is R^2, but it is given 3 numbers"},
	}
	_, err := p.Repeat(ctx, gram.EvalOptions{}, true, -1)
	mistakes["repeat"] = mistake{err, "-1 times"}
	_, err = p.Bound(ctx, gram.EvalOptions{Workers: -1})
	mistakes["bound"] = mistake{err, "-1 workers"}
	for name, opt := range map[string]gram.EvalOptions{"reverse": {}, "forward": {Mode: gram.Forward}, "tape": {Mode: gram.Tape},
		"unfold": {Strategy: gram.Unfold}, "parallel": {Schedule: gram.Parallel}} {
		for what, m := range map[string]mistake{
			"no buffers":  {gradient(opt, point, 0, 0), "values has length 0 and jacobian 0; they must be 2 and 6"},
			"no jacobian": {gradient(opt, point, 2, 0), "they must be 2 and 6"},
			"short":       {gradient(opt, point, 2, 5), "they must be 2 and 6"},
			"long":        {gradient(opt, point, 2, 7), "they must be 2 and 6"},
			"short value": {gradient(opt, point, 1, 6), "they must be 2 and 6"},
			"point":       {gradient(opt, point[:2], 2, 6), "the point has length 2, and the program has 3 scalar inputs"},
			"closed":      {closed(opt), "the evaluator is closed"},
		} {
			mistakes[name+", "+what] = m
		}
	}
	for name, m := range mistakes {
		require.ErrorContains(t, m.err, m.want, name)
		require.NotRegexp(t, `--|^(machine|engine):`, m.err.Error(), name)
	}
	require.NoError(t, gradient(gram.EvalOptions{}, point, 2, 6))
}
