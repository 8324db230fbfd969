package gram_test

import (
	"context"
	"runtime"
	"testing"
	"time"
	"weak"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram"
	"github.com/gram-machine/gram/graph/calls"
	"github.com/gram-machine/gram/machine"
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
		func() (*gram.Evaluator, error) { return p.NewGradient(t.Context(), gram.EvalOptions{Literal: true}) },
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

// mistake is a misuse of the library, and what its error says.
type mistake struct {
	err  error
	want string
}

// check asserts that an error says what is wrong, and speaks neither of the command line
// nor of a package.
func (m mistake) check(t *testing.T, name string) {
	require.ErrorContains(t, m.err, m.want, name)
	require.NotRegexp(t, `--|^(machine|engine):`, m.err.Error(), name)
}

// misused is a program with three inputs and two outputs.
func misused(t *testing.T) *gram.Program {
	return load(t, "input v : R^3 = [| 1, 2, 3 |]\n[| v.(0) * v.(1), v.(2) |]")
}

// gradientInto computes a gradient into buffers of some lengths.
func gradientInto(t *testing.T, p *gram.Program, opt gram.EvalOptions, point []float64, values, jacobian int) error {
	e, err := p.NewGradient(t.Context(), opt)
	if err != nil {
		return err
	}
	defer e.Close()
	return e.Gradient(t.Context(), point, make([]float64, values), make([]float64, jacobian))
}

// TestMisusedOptions: options that nothing has are errors.
func TestMisusedOptions(t *testing.T) {
	p := misused(t)
	point := p.Point()
	gradient := func(opt gram.EvalOptions) error { return gradientInto(t, p, opt, point, 2, 6) }
	value := func(opt gram.EvalOptions, point []float64) error {
		e, err := p.NewValue(t.Context(), opt)
		if err != nil {
			return err
		}
		defer e.Close()
		_, err = e.Value(t.Context(), point, nil)
		return err
	}
	set := func(opt gram.Options) error {
		_, err := gram.Load(t.Context(), "x.gram", []byte("param n = 1\ninput x : R^2 = [| 1, 2 |]\nx.(0)"), opt)
		return err
	}
	_, repeat := p.Repeat(t.Context(), gram.EvalOptions{}, true, -1)
	_, bound := p.Bound(t.Context(), gram.EvalOptions{Workers: -1})
	for name, m := range map[string]mistake{
		"workers":          {gradient(gram.EvalOptions{Schedule: gram.Parallel, Workers: -1}), "-1 workers"},
		"workers of value": {value(gram.EvalOptions{Workers: -1}, point), "-1 workers"},
		"workers of bound": {bound, "-1 workers"},
		"schedule":         {value(gram.EvalOptions{Schedule: 9}, point), "no schedule 9"},
		"strategy":         {gradient(gram.EvalOptions{Strategy: 9}), "no strategy 9"},
		"mode":             {gradient(gram.EvalOptions{Mode: 9}), "no mode 9"},
		"work":             {value(gram.EvalOptions{Work: true}, point), "only the literal machine measures"},
		"literal mode":     {gradient(gram.EvalOptions{Literal: true, Mode: gram.Tape}), "the mode Reverse only"},
		"literal strategy": {gradient(gram.EvalOptions{Literal: true, Strategy: gram.Unfold}), "the strategy Direct only"},
		"literal schedule": {value(gram.EvalOptions{Literal: true, Schedule: gram.Parallel}, point), "the schedules LIFO and Random"},
		"literal form":     {value(gram.EvalOptions{Literal: true, NoFuse: true}, point), "no blocks that NoFuse could leave out"},
		"events":           {value(gram.EvalOptions{Events: func(*machine.Fired) error { return nil }}, point), "only the literal machine has events"},
		"profile":          {value(gram.EvalOptions{Samples: func(calls.Sample) {}, Schedule: gram.Parallel}, point), "a profile is of the schedules LIFO and Random"},
		"profile of tape":  {gradient(gram.EvalOptions{Samples: func(calls.Sample) {}, Mode: gram.Tape}), "a profile is of the mode Reverse"},
		"time":             {value(gram.EvalOptions{Samples: func(calls.Sample) {}, Timed: true, Literal: true}, point), "a profile of the literal machine has no time"},
		"repeat":           {repeat, "-1 times"},
		"point of a value": {value(gram.EvalOptions{}, nil), "the point has length 0, and the program has 3 scalar inputs"},
		"param":            {set(gram.Options{Params: []string{"x=1"}}), "x is an input: use set"},
		"set":              {set(gram.Options{Sets: []string{"n=1"}}), "n is a param: use param"},
		"set's shape":      {set(gram.Options{Sets: []string{"x=1"}}), "x is R^2, but x=1 gives R"},
		"values":           {set(gram.Options{Values: map[string][]float64{"x": {1, 2, 3}}}), "x is R^2, but it is given 3 numbers"},
	} {
		m.check(t, name)
	}
}

// TestMisusedEvaluator: buffers and points of other lengths are errors for every way to
// compute a gradient, and so is a run after Close.
func TestMisusedEvaluator(t *testing.T) {
	p := misused(t)
	point := p.Point()
	for name, opt := range map[string]gram.EvalOptions{"reverse": {}, "forward": {Mode: gram.Forward}, "tape": {Mode: gram.Tape},
		"unfold": {Strategy: gram.Unfold}, "parallel": {Schedule: gram.Parallel}, "literal": {Literal: true}} {
		gradient := func(point []float64, values, jacobian int) error {
			return gradientInto(t, p, opt, point, values, jacobian)
		}
		e, err := p.NewGradient(t.Context(), opt)
		require.NoError(t, err)
		require.NoError(t, e.Close())
		require.NoError(t, e.Close(), "closing again does nothing")
		e.Cost()
		closed := e.Gradient(t.Context(), point, make([]float64, 2), make([]float64, 6))
		for what, m := range map[string]mistake{
			"no buffers":  {gradient(point, 0, 0), "values has length 0 and jacobian 0; they must be 2 and 6"},
			"no jacobian": {gradient(point, 2, 0), "they must be 2 and 6"},
			"short":       {gradient(point, 2, 5), "they must be 2 and 6"},
			"long":        {gradient(point, 2, 7), "they must be 2 and 6"},
			"short value": {gradient(point, 1, 6), "they must be 2 and 6"},
			"point":       {gradient(point[:2], 2, 6), "the point has length 2, and the program has 3 scalar inputs"},
			"closed":      {closed, "the evaluator is closed"},
		} {
			m.check(t, name+", "+what)
		}
		require.NoError(t, gradient(point, 2, 6), name)
	}
}
