package gram_test

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"runtime"
	"slices"
	"testing"
	"time"
	"weak"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram"
	"github.com/gram-machine/gram/graph/calls"
	"github.com/gram-machine/gram/internal/bridge"
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
// was: the next one costs the same.
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
	res, err := e.Value(t.Context(), p.Point())
	require.NoError(t, err)
	want := slices.Clone(res.Values)
	before := e.Cost()

	var ctx context.Context
	ctx, cancel = context.WithCancel(t.Context())
	_, err = e.Value(ctx, p.Point())
	require.ErrorIs(t, err, context.Canceled)
	cancel = nil
	got, err := e.Value(t.Context(), p.Point())
	require.NoError(t, err)
	require.Equal(t, want, got.Values)
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
	var call *gram.MisuseError
	var option *gram.UsageError
	var program *gram.Error
	require.True(t, errors.As(m.err, &call) || errors.As(m.err, &option) || errors.As(m.err, &program), name)
}

// misused is a program with three inputs and two outputs.
func misused(t *testing.T) *gram.Program {
	return load(t, "input v : R^3 = [| 1, 2, 3 |]\n[| v.(0) * v.(1), v.(2) |]")
}

// gradientAt computes a gradient.
func gradientAt(t *testing.T, p *gram.Program, opt gram.EvalOptions, point []float64) error {
	e, err := p.NewGradient(t.Context(), opt)
	if err != nil {
		return err
	}
	defer e.Close()
	res, err := e.Gradient(t.Context(), point)
	if err == nil {
		require.Len(t, res.Values, 2)
		require.Len(t, res.Jacobian, 6)
	}
	return err
}

// TestMisusedOptions: options that nothing has are errors.
func TestMisusedOptions(t *testing.T) {
	p := misused(t)
	point := p.Point()
	gradient := func(opt gram.EvalOptions) error { return gradientAt(t, p, opt, point) }
	value := func(opt gram.EvalOptions, point []float64) error {
		e, err := p.NewValue(t.Context(), opt)
		if err != nil {
			return err
		}
		defer e.Close()
		_, err = e.Value(t.Context(), point)
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
		"literal form":     {value(gram.EvalOptions{Literal: true, NoFuse: true}, point), "no passes that NoFuse could leave out"},
		"events":           {value(bridge.Watch(gram.EvalOptions{}, bridge.Hooks{Events: func(*machine.Fired) error { return nil }}), point), "only the literal machine has events"},
		"profile":          {value(bridge.Watch(gram.EvalOptions{Schedule: gram.Parallel}, bridge.Hooks{Samples: func(calls.Sample) {}}), point), "a profile is of the schedules LIFO and Random"},
		"profile of tape":  {gradient(bridge.Watch(gram.EvalOptions{Mode: gram.Tape}, bridge.Hooks{Samples: func(calls.Sample) {}})), "a profile is of the mode Reverse"},
		"time":             {value(bridge.Watch(gram.EvalOptions{Literal: true}, bridge.Hooks{Samples: func(calls.Sample) {}, Timed: true}), point), "a profile of the literal machine has no time"},
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

// TestMisusedEvaluator: points of other lengths are errors for every way to compute a gradient, and so is whatever is done
// after Close.
func TestMisusedEvaluator(t *testing.T) {
	p := misused(t)
	point := p.Point()
	for name, opt := range map[string]gram.EvalOptions{"reverse": {}, "forward": {Mode: gram.Forward}, "tape": {Mode: gram.Tape},
		"unfold": {Strategy: gram.Unfold}, "parallel": {Schedule: gram.Parallel}, "literal": {Literal: true}} {
		e, err := p.NewGradient(t.Context(), opt)
		require.NoError(t, err)
		require.NoError(t, e.Close())
		require.NoError(t, e.Close(), "closing again does nothing")
		e.Cost()
		require.Nil(t, bridge.Heap(e))
		_, closed := e.Gradient(t.Context(), point)
		require.ErrorIs(t, closed, gram.ErrClosed)
		require.ErrorIs(t, e.SetData("xs", nil), gram.ErrClosed)
		for what, m := range map[string]mistake{
			"point":  {gradientAt(t, p, opt, point[:2]), "the point has length 2, and the program has 3 scalar inputs"},
			"closed": {closed, "the evaluator is closed"},
		} {
			m.check(t, name+", "+what)
		}
		require.NoError(t, gradientAt(t, p, opt, point), name)
	}
	for _, opt := range []gram.EvalOptions{{}, {Literal: true}} {
		v, err := p.NewValue(t.Context(), opt)
		require.NoError(t, err)
		_, early := v.Read()
		mistake{early, "no value to read"}.check(t, "read")
		require.NoError(t, v.Reduce(t.Context(), point))
		require.NoError(t, v.Close())
		_, err = v.Read()
		require.ErrorIs(t, err, gram.ErrClosed)
		require.ErrorIs(t, v.Reduce(t.Context(), point), gram.ErrClosed)
	}
}

// TestEvaluatorsReuseTheirMemory: a gradient of a small program makes no garbage.
func TestEvaluatorsReuseTheirMemory(t *testing.T) {
	p := load(t, "input w : R^2 = [| 1, 2 |]\ndata xs : List R = [1; 2; 3]\nfold (fun x s -> s + sin (w.(0) * x) * w.(1)) 0 xs")
	point := p.Point()
	e, err := p.NewGradient(t.Context(), gram.EvalOptions{})
	require.NoError(t, err)
	defer e.Close()
	require.Zero(t, objectsMade(1000, func() {
		_, err := e.Gradient(t.Context(), point)
		require.NoError(t, err)
	}))
	v, err := p.NewValue(t.Context(), gram.EvalOptions{})
	require.NoError(t, err)
	defer v.Close()
	require.Zero(t, objectsMade(1000, func() {
		_, err := v.Value(t.Context(), point)
		require.NoError(t, err)
	}))
}

// TestSetData: an evaluator with replaced data computes what a program that is loaded with them computes.
func TestSetData(t *testing.T) {
	src := `input a = 0.5
data xs : List R^2 = [ [| 1, 2 |]; [| 3, 4 |] ]
data ys : List R = [7; 8]
data zs : List R = map (fun y -> y + 1) ys
data v : R^2 = [| 1, 2 |]
fold (fun [| x, y |] s -> s + sin (a * x) * y) 0 xs / size xs + a * fold (fun y s -> s + y) 0 zs * v.(1)`
	p := load(t, src)
	batch := []float64{5, 6, 7, 8}
	q, err := gram.Load(t.Context(), "test.gram", []byte(src), gram.Options{Values: map[string][]float64{"xs": batch}})
	require.NoError(t, err)
	for name, opt := range map[string]gram.EvalOptions{"blocks": {}, "nodes": {NoFuse: true}, "parallel": {Schedule: gram.Parallel, Workers: 2}} {
		first, err := p.Gradient(t.Context(), opt)
		require.NoError(t, err)
		want, err := q.Gradient(t.Context(), opt)
		require.NoError(t, err)
		e, err := p.NewGradient(t.Context(), opt)
		require.NoError(t, err)
		for range 2 {
			for values, want := range map[*[]float64]*gram.Result{{1, 2, 3, 4}: first, &batch: want} {
				require.NoError(t, e.SetData("xs", *values))
				res, err := e.Gradient(t.Context(), p.Point())
				require.NoError(t, err)
				require.Equal(t, want.Values, res.Values, name)
				require.Equal(t, want.Jacobian, res.Jacobian, name)
			}
		}
		for want, err := range map[string]error{
			"no data us":                   e.SetData("us", batch),
			"4 numbers, and 3 are given":   e.SetData("xs", batch[:3]),
			"another value of the program": e.SetData("ys", []float64{1, 2}),
			"only lists":                   e.SetData("v", []float64{1, 2}),
		} {
			mistake{err, want}.check(t, name)
		}
		require.NoError(t, e.Close())
	}
	for _, opt := range []gram.EvalOptions{{Literal: true}, {Mode: gram.Tape}, {Strategy: gram.Modular}} {
		e, err := p.NewGradient(t.Context(), opt)
		require.NoError(t, err)
		mistake{e.SetData("xs", batch), "in code of the compiler"}.check(t, "options")
		require.NoError(t, e.Close())
	}
	again, err := p.Gradient(t.Context(), gram.EvalOptions{})
	require.NoError(t, err)
	require.NotEqual(t, again.Values, []float64{0})
	o, err := p.NewObjective(t.Context(), gram.EvalOptions{})
	require.NoError(t, err)
	defer o.Close()
	require.Equal(t, again.Values[0], o.Func(p.Point()))
	require.NoError(t, o.SetData("xs", batch))
	want, err := q.Gradient(t.Context(), gram.EvalOptions{})
	require.NoError(t, err)
	require.Equal(t, want.Values[0], o.Func(p.Point()), "an objective forgets what it had computed")
}

// TestPoint: a point has names, and is written and read as JSON to the bit.
func TestPoint(t *testing.T) {
	p := load(t, "input w : R^3^2 = vec i < 2 -> vec j < 3 -> 1 / (i + j + 1)\ninput c : R * R = (0.1, -0)\ninput b = 1e-300\nb")
	x := p.NewPoint()
	require.Equal(t, p.Point(), x.Values)
	require.NoError(t, x.Set("b", math.Pi))
	require.Equal(t, []float64{math.Pi}, x.Map()["b"])
	mistake{x.Set("b", 1, 2), "b is R, but it is given 2 numbers"}.check(t, "set")
	mistake{x.Set("q", 1), "no input q"}.check(t, "set")
	text, err := json.Marshal(x)
	require.NoError(t, err)
	require.Equal(t, `{"w":[[1,0.5,0.3333333333333333],[0.5,0.3333333333333333,0.25]],"c":[0.1,-0],"b":3.141592653589793}`, string(text))
	y := p.NewPoint()
	require.NoError(t, json.Unmarshal(text, y))
	require.Equal(t, bitsOf(x.Values), bitsOf(y.Values))
	require.NoError(t, json.Unmarshal([]byte(`{"b": 5}`), y))
	require.Equal(t, append(x.Values[:8:8], 5), y.Values)
	for text, want := range map[string]string{`{"b": 6, "w": [1, 2]}`: "but w=[1, 2] gives R^2", `{"b": 6, "q": 1}`: "no input q", `{"b": "NaN"}`: "NaN"} {
		mistake{y.UnmarshalJSON([]byte(text)), want}.check(t, text)
	}
	require.Error(t, json.Unmarshal([]byte(`[]`), y))
	require.Equal(t, append(x.Values[:8:8], 5), y.Values)
	q, err := gram.Load(t.Context(), "test.gram", []byte("input w : R^3^2 = vec i < 2 -> vec j < 3 -> 0\ninput c : R * R = (0, 0)\ninput b = 0\nb"), gram.Options{Values: y.Map()})
	require.NoError(t, err)
	require.Equal(t, bitsOf(y.Values), bitsOf(q.Point()))
}

func bitsOf(xs []float64) []uint64 {
	out := make([]uint64, len(xs))
	for i, x := range xs {
		out[i] = math.Float64bits(x)
	}
	return out
}

// TestObjectiveFails: after an error an objective is NaN, and tells the error.
func TestObjectiveFails(t *testing.T) {
	_, err := misused(t).NewObjective(t.Context(), gram.EvalOptions{})
	mistake{err, "an objective has type R"}.check(t, "type")
	o, err := load(t, "input x = 0\nlog x").NewObjective(t.Context(), gram.EvalOptions{Finite: true})
	require.NoError(t, err)
	defer o.Close()
	grad := []float64{0}
	require.Equal(t, 0.0, o.Func([]float64{1}))
	o.Grad(grad, []float64{2})
	require.Equal(t, 0.5, grad[0])
	require.NoError(t, o.Err())
	require.True(t, math.IsNaN(o.Func([]float64{0})))
	o.Grad(grad, []float64{1})
	require.True(t, math.IsNaN(grad[0]))
	require.ErrorContains(t, o.Err(), "not finite")
}
