package gram

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
	"weak"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/gram-machine/gram/cost"
	"github.com/gram-machine/gram/graph/calls"
	"github.com/gram-machine/gram/internal/bridge"
	"github.com/gram-machine/gram/machine"
	"github.com/gram-machine/gram/revgrad"
	"github.com/gram-machine/gram/term"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// TestEvaluatorDropped: an evaluator that is dropped without Close is collected.
func TestEvaluatorDropped(t *testing.T) {
	p := mustLoad(t, "input x = 3\nx * x")
	makers := []func() (*Evaluator, error){
		func() (*Evaluator, error) { return p.NewValue(t.Context(), EvalOptions{}) },
		func() (*Evaluator, error) { return p.NewGradient(t.Context(), EvalOptions{}) },
		func() (*Evaluator, error) {
			return p.NewGradient(t.Context(), EvalOptions{Schedule: Parallel, Workers: 2})
		},
		func() (*Evaluator, error) { return p.NewGradient(t.Context(), EvalOptions{Literal: true}) },
	}
	for i, make := range makers {
		e, err := make()
		require.NoError(t, err)
		dropped := weak.Make(e)
		e = nil
		require.Eventually(t, func() bool { runtime.GC(); return dropped.Value() == nil }, 10*time.Second, time.Millisecond,
			"evaluator %d", i)
	}
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
	var call *MisuseError
	var option *UsageError
	var program *Error
	require.True(t, errors.As(m.err, &call) || errors.As(m.err, &option) || errors.As(m.err, &program), name)
}

// misused is a program with three inputs and two outputs.
func misused(t *testing.T) *Program {
	return mustLoad(t, "input v : R^3 = [| 1, 2, 3 |]\n[| v.(0) * v.(1), v.(2) |]")
}

// gradientAt computes a gradient.
func gradientAt(t *testing.T, p *Program, opt EvalOptions, point []float64) error {
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
	gradient := func(opt EvalOptions) error { return gradientAt(t, p, opt, point) }
	value := func(opt EvalOptions, point []float64) error {
		e, err := p.NewValue(t.Context(), opt)
		if err != nil {
			return err
		}
		defer e.Close()
		_, err = e.Value(t.Context(), point)
		return err
	}
	set := func(opt Options) error {
		_, err := Load(t.Context(), "x.gram", []byte("param n = 1\ninput x : R^2 = [| 1, 2 |]\nx.(0)"), opt)
		return err
	}
	_, repeat := p.Repeat(t.Context(), EvalOptions{}, true, -1)
	_, bound := p.Bound(t.Context(), EvalOptions{Workers: -1})
	for name, m := range map[string]mistake{
		"workers":          {gradient(EvalOptions{Schedule: Parallel, Workers: -1}), "-1 workers"},
		"workers of value": {value(EvalOptions{Workers: -1}, point), "-1 workers"},
		"workers of bound": {bound, "-1 workers"},
		"schedule":         {value(EvalOptions{Schedule: 9}, point), "no schedule 9"},
		"strategy":         {gradient(EvalOptions{Strategy: 9}), "no strategy 9"},
		"mode":             {gradient(EvalOptions{Mode: 9}), "no mode 9"},
		"work":             {value(EvalOptions{Work: true}, point), "only the literal machine measures"},
		"literal mode":     {gradient(EvalOptions{Literal: true, Mode: Tape}), "the mode Reverse only"},
		"literal strategy": {gradient(EvalOptions{Literal: true, Strategy: Unfold}), "the strategy Direct only"},
		"literal schedule": {value(EvalOptions{Literal: true, Schedule: Parallel}, point), "the schedules LIFO and Random"},
		"literal form":     {value(EvalOptions{Literal: true, NoFuse: true}, point), "no passes that NoFuse could leave out"},
		"events": {value(bridge.Watch(EvalOptions{},
			bridge.Hooks{Events: func(*machine.Fired) error { return nil }}), point), "only the literal machine has events"},
		"profile": {value(bridge.Watch(EvalOptions{Schedule: Parallel},
			bridge.Hooks{Samples: func(calls.Sample) {}}), point), "a profile is of the schedules LIFO and Random"},
		"profile of tape": {gradient(bridge.Watch(EvalOptions{Mode: Tape}, bridge.Hooks{Samples: func(calls.Sample) {}})),
			"a profile is of the mode Reverse"},
		"time": {value(bridge.Watch(EvalOptions{Literal: true}, bridge.Hooks{Samples: func(calls.Sample) {},
			Timed: true}), point), "a profile of the literal machine has no time"},
		"repeat":           {repeat, "-1 times"},
		"point of a value": {value(EvalOptions{}, nil), "the point has length 0, and the program has 3 scalar inputs"},
		"param":            {set(Options{Params: []string{"x=1"}}), "x is an input: use set"},
		"set":              {set(Options{Sets: []string{"n=1"}}), "n is a param: use param"},
		"set's shape":      {set(Options{Sets: []string{"x=1"}}), "x is R^2, but x=1 gives R"},
		"values": {set(Options{Values: map[string][]float64{"x": {1, 2, 3}}}),
			"x is R^2, but it is given 3 numbers"},
	} {
		m.check(t, name)
	}
}

// TestMisusedEvaluator: points of other lengths are errors for every way to compute a gradient, and so is whatever is
// done after Close.
func TestMisusedEvaluator(t *testing.T) {
	p := misused(t)
	point := p.Point()
	for name, opt := range map[string]EvalOptions{"reverse": {}, "forward": {Mode: Forward}, "tape": {Mode: Tape},
		"unfold": {Strategy: Unfold}, "parallel": {Schedule: Parallel}, "literal": {Literal: true}} {
		e, err := p.NewGradient(t.Context(), opt)
		require.NoError(t, err)
		require.NoError(t, e.Close())
		require.NoError(t, e.Close(), "closing again does nothing")
		e.Cost()
		require.Nil(t, bridge.Heap(e))
		_, closed := e.Gradient(t.Context(), point)
		require.ErrorIs(t, closed, ErrClosed)
		require.ErrorIs(t, e.SetData("xs", nil), ErrClosed)
		for what, m := range map[string]mistake{
			"point":  {gradientAt(t, p, opt, point[:2]), "the point has length 2, and the program has 3 scalar inputs"},
			"closed": {closed, "the evaluator is closed"},
		} {
			m.check(t, name+", "+what)
		}
		require.NoError(t, gradientAt(t, p, opt, point), name)
	}
	for _, opt := range []EvalOptions{{}, {Literal: true}} {
		v, err := p.NewValue(t.Context(), opt)
		require.NoError(t, err)
		_, early := v.Read()
		mistake{early, "no value to read"}.check(t, "read")
		require.NoError(t, v.Reduce(t.Context(), point))
		require.NoError(t, v.Close())
		_, err = v.Read()
		require.ErrorIs(t, err, ErrClosed)
		require.ErrorIs(t, v.Reduce(t.Context(), point), ErrClosed)
	}
}

// TestEvaluationsAllocateLittle: after the first, an evaluation makes at most ten Go objects, and one of a small
// program none.
func TestEvaluationsAllocateLittle(t *testing.T) {
	const small = "input w : R^2 = [| 1, 2 |]\ndata xs : List R = [1; 2; 3]\nfold (fun x s -> s + sin (w.(0) * x) * " +
		"w.(1)) 0 xs"
	for name, p := range map[string]*Program{"small": mustLoad(t, small), "weather": loadExample(t, "weather"),
		"w1": loadExample(t, "w1"), "w2": loadExample(t, "w2"), "jacobian": loadExample(t, "jacobian")} {
		most, times := 10.0, 5
		if name == "small" {
			most, times = 0, 1000
		}
		e, err := p.NewGradient(t.Context(), EvalOptions{})
		require.NoError(t, err)
		defer e.Close()
		v, err := p.NewValue(t.Context(), EvalOptions{})
		require.NoError(t, err)
		defer v.Close()
		point := p.Point()
		for _, run := range []func(context.Context, []float64) (*Result, error){e.Gradient, v.Value} {
			require.LessOrEqual(t, objectsMade(times, func() {
				_, err := run(t.Context(), point)
				require.NoError(t, err)
			}), most, name)
		}
	}
}

// objectsMade returns how many Go objects a call of f makes, after the first: the least
// of several averages over some runs, to which the runtime can only add. It makes some objects once for
// a process, the table of metrics that a meter reads among them, and some in goroutines
// of its own.
func objectsMade(runs int, f func()) float64 {
	least := math.Inf(1)
	for range 5 {
		least = min(least, testing.AllocsPerRun(runs, f))
	}
	return least
}

// TestSetData: an evaluator with replaced data computes what a program that is loaded with them computes.
func TestSetData(t *testing.T) {
	src := `input a = 0.5
data xs : List R^2 = [ [| 1, 2 |]; [| 3, 4 |] ]
data ys : List R = [7; 8]
data zs : List R = map (fun y -> y + 1) ys
data v : R^2 = [| 1, 2 |]
fold (fun [| x, y |] s -> s + sin (a * x) * y) 0 xs / size xs + a * fold (fun y s -> s + y) 0 zs * v.(1)`
	p := mustLoad(t, src)
	batch := []float64{5, 6, 7, 8}
	q, err := Load(t.Context(), "test.gram", []byte(src), Options{Values: map[string][]float64{"xs": batch}})
	require.NoError(t, err)
	for name, opt := range map[string]EvalOptions{"blocks": {}, "nodes": {NoFuse: true}, "parallel": {Schedule: Parallel,
		Workers: 2}} {
		first, err := p.Gradient(t.Context(), opt)
		require.NoError(t, err)
		want, err := q.Gradient(t.Context(), opt)
		require.NoError(t, err)
		e, err := p.NewGradient(t.Context(), opt)
		require.NoError(t, err)
		for range 2 {
			for values, want := range map[*[]float64]*Result{{1, 2, 3, 4}: first, &batch: want} {
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
	for _, opt := range []EvalOptions{{Literal: true}, {Mode: Tape}, {Strategy: Modular}} {
		e, err := p.NewGradient(t.Context(), opt)
		require.NoError(t, err)
		mistake{e.SetData("xs", batch), "in code of the compiler"}.check(t, "options")
		require.NoError(t, e.Close())
	}
	again, err := p.Gradient(t.Context(), EvalOptions{})
	require.NoError(t, err)
	require.NotEqual(t, again.Values, []float64{0})
	o, err := p.NewObjective(t.Context(), EvalOptions{})
	require.NoError(t, err)
	defer o.Close()
	require.Equal(t, again.Values[0], o.Func(p.Point()))
	require.NoError(t, o.SetData("xs", batch))
	want, err := q.Gradient(t.Context(), EvalOptions{})
	require.NoError(t, err)
	require.Equal(t, want.Values[0], o.Func(p.Point()), "an objective forgets what it had computed")
}

// TestPoint: a point has names, and is written and read as JSON to the bit.
func TestPoint(t *testing.T) {
	p := mustLoad(t, "input w : R^3^2 = vec i < 2 -> vec j < 3 -> 1 / (i + j + 1)\ninput c : R * R = (0.1, -0)\ninput b "+
		"= 1e-300\nb")
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
	require.Equal(t, bits(x.Values), bits(y.Values))
	require.NoError(t, json.Unmarshal([]byte(`{"b": 5}`), y))
	require.Equal(t, append(x.Values[:8:8], 5), y.Values)
	for text, want := range map[string]string{`{"b": 6, "w": [1, 2]}`: "but w=[1, 2] gives R^2", `{"b": 6, "q": 1}`: "no input q", `{"b": "NaN"}`: "NaN"} {
		mistake{y.UnmarshalJSON([]byte(text)), want}.check(t, text)
	}
	require.Error(t, json.Unmarshal([]byte(`[]`), y))
	require.Equal(t, append(x.Values[:8:8], 5), y.Values)
	q, err := Load(t.Context(), "test.gram",
		[]byte("input w : R^3^2 = vec i < 2 -> vec j < 3 -> 0\ninput c : R * R = (0, 0)\ninput b = "+
			"0\nb"), Options{Values: y.Map()})
	require.NoError(t, err)
	require.Equal(t, bits(y.Values), bits(q.Point()))
}

// TestObjectiveFails: after an error an objective is NaN, and tells the error.
func TestObjectiveFails(t *testing.T) {
	_, err := misused(t).NewObjective(t.Context(), EvalOptions{})
	mistake{err, "an objective has type R"}.check(t, "type")
	o, err := mustLoad(t, "input x = 0\nlog x").NewObjective(t.Context(), EvalOptions{Finite: true})
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

// TestOneProgramManyGoroutines runs one program from several goroutines at a time:
// same results, same counts, whatever GOMAXPROCS is.
func TestOneProgramManyGoroutines(t *testing.T) {
	ctx := context.Background()
	for _, procs := range []int{1, 2, 4} {
		old := runtime.GOMAXPROCS(procs)
		p := loadExample(t, "weather")
		results := make([]*Result, 6)
		var wait sync.WaitGroup
		for i := range results {
			wait.Go(func() {
				res, err := p.Gradient(ctx, EvalOptions{})
				if err == nil {
					results[i] = res
				}
			})
		}
		wait.Wait()
		runtime.GOMAXPROCS(old)
		for _, r := range results {
			require.NotNil(t, r)
			require.Equal(t, results[0].Values, r.Values)
			require.Equal(t, results[0].Jacobian, r.Jacobian)
			require.Equal(t, results[0].Cost.Steps, r.Cost.Steps)
			require.Equal(t, results[0].Cost.Overhead, r.Cost.Overhead)
		}
	}
}

// TestOneProgramManyGoroutineUses uses one program in all ways at a time: under the race
// detector, what they make of its terms does not clash.
func TestOneProgramManyGoroutineUses(t *testing.T) {
	ctx := context.Background()
	p := loadExample(t, "rnn")
	var wait sync.WaitGroup
	errs := make(chan error, 100)
	use := func(f func() error) { wait.Go(func() { errs <- f() }) }
	for range 3 {
		for _, s := range []Strategy{Direct, Unfold, Modular} {
			use(func() error { _, err := p.Gradient(ctx, EvalOptions{Strategy: s}); return err })
		}
		for _, m := range []Mode{Forward, Tape} {
			use(func() error { _, err := p.Gradient(ctx, EvalOptions{Mode: m}); return err })
		}
		use(func() error {
			t, _ := bridge.Of(p).Copy()
			_, err := revgrad.Reverse(t, nil)
			return err
		})
		use(func() error { _, err := p.Gradient(ctx, EvalOptions{Literal: true}); return err })
		use(func() error { _, err := p.Value(ctx, EvalOptions{}); return err })
		use(func() error { _, err := p.Bound(ctx, EvalOptions{}); return err })
		use(func() error { _, err := bridge.Of(p).Normal(ctx, EvalOptions{}); return err })
	}
	wait.Wait()
	close(errs)
	for err := range errs {
		require.NoError(t, err)
	}
}

// TestListsAreReadBack: lists are values that can be printed, however they were made.
func TestListsAreReadBack(t *testing.T) {
	for src, want := range map[string][]float64{
		"[1; 2; 3]":                               {1, 2, 3},
		"map (fun x -> 2 * x) [1; 2; 3]":          {2, 4, 6},
		"rev [1; 2; 3]":                           {3, 2, 1},
		"data xs : List R = [5; 6]\nxs":           {5, 6},
		"let xs = [4; 5] in (1, map sqrt [9; 4])": {1, 3, 2},
		"[[1; 2]; [3]]":                           {1, 2, 3},
		"let e = [] in map sin e":                 nil,
	} {
		res, err := mustLoad(t, src).Value(context.Background(), EvalOptions{})
		require.NoError(t, err, src)
		require.Equal(t, want, res.Values, src)
	}
}

// TestListsOfNumbers: what is computed while a list is read counts nothing, in any form.
func TestListsOfNumbers(t *testing.T) {
	const start = "input x : R^7 = vec i < 7 -> sin i\ndata d : List R^2 = list i < 9 -> [| i, cos i |]\n"
	for _, src := range []string{
		"map (fun v -> x.(0) * v.(0) + v.(1)) d",
		"let a = sin x.(1) in map (fun (p, q) -> (p * a, vec i < 3 -> q * i + a)) (map (fun v -> (v.(0), x.(2) * v.(1))) d)",
		"list i < 7 -> (x.(3) * x.(i), vec j < 2 -> x.(6 - i) + j)",
		"map (fun v -> sum i < 7 -> if v.(1) > x.(i) then v.(0) else x.(i) * x.(i)) d",
		"map (fun v -> let s = scan i < 12 with p = v.(0) -> sin (p + x.(3)) in s.(11)) d",
		"map (fun v -> foldl (+) 0 [v.(0); x.(1); v.(1)]) d",
		// Functions that what is counted calls, too.
		"def rec power k = if k < 1 then 1 else x.(1) * power (k - 1)\nlet a = power 5 in map (fun v -> a * v.(1) + power v.(0)) d",
		"let f = fun y -> sin (y * x.(0)) + cos (y + x.(1)) * exp (0 - y * y) + tanh (y * 3 + x.(2)) / (1 + y * y) + sqrt (1 + y * y) + log (2 + y * y) * sin y in\n" +
			"let a = f 1 + f 2 in map (fun v -> f v.(0) * a + f v.(1)) d",
	} {
		p := mustLoad(t, start+src)
		want, err := p.Value(t.Context(), EvalOptions{Literal: true})
		require.NoError(t, err, src)
		for _, opt := range []EvalOptions{{}, {NoNative: true}, {NoFuse: true}, {Finite: true}} {
			got, err := p.Value(t.Context(), opt)
			require.NoError(t, err, src)
			require.Equal(t, want.Lengths, got.Lengths, src)
			requireClose(t, want.Values, got.Values, 1e-13)
			require.Equal(t, want.Cost.Steps, got.Cost.Steps, src)
			require.Equal(t, want.Cost.Overhead.Readback, got.Cost.Overhead.Readback, src)
		}
	}
}

// TestLiteralPhases: a run of the literal machine is one phase.
func TestLiteralPhases(t *testing.T) {
	var phases []string
	p, err := Load(t.Context(), "x.gram", []byte("input x = 2\nx * x"),
		Options{Phase: func(name string) { phases = append(phases, name) }})
	require.NoError(t, err)
	_, err = p.Gradient(t.Context(), EvalOptions{Literal: true})
	require.NoError(t, err)
	require.Equal(t, "load compile reduce", strings.Join(phases, " "))
}

// TestModeCosts: Figure 1 has 2 inputs and 3 operations. Forward mode: sub costs 4
// (value, two products, a sum), mul 4, sin 3 (value, slope, product), for each input.
// The tape: 3 values; back, sub and mul cost 4 each, sin 3.
func TestModeCosts(t *testing.T) {
	ctx := context.Background()
	p := loadExample(t, "figure1")
	for mode, operations := range map[Mode]uint64{Forward: 22, Tape: 14} {
		res, err := p.Gradient(ctx, EvalOptions{Mode: mode})
		require.NoError(t, err)
		got := res.Cost
		got.Seconds = cost.Seconds{}
		require.Equal(t, Cost{Inputs: 2, Operations: operations, Nodes: cost.Nodes{Allocated: 5, Peak: 5}}, got)
	}
}

// TestStream: what needs the numbers of data that is not stored is an error.
func TestStream(t *testing.T) {
	const src = "param n = 20000000\ninput e = 0.75\ndata a : List R = list i < n -> sin i\nfold (fun x h -> sin (e * x " +
		"+ h)) 0 a"
	opt := Options{MaxMemory: 300 << 20} // the data takes 160 MB
	opt.Stream = true
	p, err := Load(t.Context(), "x.gram", []byte(src), opt)
	require.NoError(t, err)
	var misuse *MisuseError
	for _, opt := range []EvalOptions{{Literal: true}, {Mode: Tape}, {Strategy: Unfold}, {Strategy: Modular}} {
		_, err := p.Gradient(t.Context(), opt)
		require.ErrorAs(t, err, &misuse)
	}
	_, err = p.Bound(t.Context(), EvalOptions{})
	require.ErrorAs(t, err, &misuse)
	_, err = p.Span(t.Context(), true, false)
	require.ErrorAs(t, err, &misuse)
	_, err = bridge.Of(p).Normal(t.Context(), EvalOptions{})
	require.ErrorAs(t, err, &misuse)
	_, err = p.Gradient(t.Context(), EvalOptions{MaxSteps: 1_000_000})
	var limit *LimitError
	require.ErrorAs(t, err, &limit)
	require.EqualValues(t, "steps", limit.Limit)
}

// streamed is a program whose data lists are not stored.
func streamed(t *testing.T, src string, chunk func(values []float64, d *term.Data) func([]float64, int,
	func() error) error) *Program {
	t.Helper()
	p, err := Load(t.Context(), "t.gram", []byte(src), Options{})
	require.NoError(t, err)
	data := p.src.Written().Data
	for i := range data {
		d, v := &data[i], &p.src.Data[i].Value
		d.Chunk = chunk(d.Values, d)
		v.Chunk = d.Chunk
		d.Values, v.Data = nil, nil
	}
	return p
}

// stored gives the numbers of data that has been stored.
func stored(values []float64, d *term.Data) func([]float64, int, func() error) error {
	return func(dst []float64, from int, look func() error) error {
		copy(dst, values[from*d.Width:])
		return look()
	}
}

const pairsOfNumbers = "input e = 0.7\ndata a : List (R * R) = list i < 1000 -> (sin i, cos i)\n" +
	"fold (fun p h -> let (x, y) = p in sin (e * x + y * h)) 0 a"

// TestStreamed: with data that is not stored, the options change what they change with stored data, and numbers may
// take its place.
func TestStreamed(t *testing.T) {
	whole, err := Load(t.Context(), "t.gram", []byte(pairsOfNumbers), Options{})
	require.NoError(t, err)
	p := streamed(t, pairsOfNumbers, stored)
	for _, opt := range []EvalOptions{{}, {NoNative: true}, {NoFuse: true}, {RowsMemory: 1}, {Finite: true},
		{Schedule: Parallel, Workers: 2}} {
		want, err := whole.Gradient(t.Context(), opt)
		require.NoError(t, err)
		got, err := p.Gradient(t.Context(), opt)
		require.NoError(t, err)
		require.Equal(t, want.Values, got.Values)
		require.InEpsilonSlice(t, want.Jacobian, got.Jacobian, 1e-13)
		require.Equal(t, want.Cost.Steps, got.Cost.Steps)
		value, err := p.Value(t.Context(), opt)
		require.NoError(t, err)
		require.Equal(t, want.Values, value.Values)
	}
	e, err := p.NewGradient(t.Context(), EvalOptions{})
	require.NoError(t, err)
	defer e.Close()
	other, err := whole.NewGradient(t.Context(), EvalOptions{})
	require.NoError(t, err)
	defer other.Close()
	numbers := make([]float64, 2000)
	for i := range numbers {
		numbers[i] = float64(i%7) / 7
	}
	require.ErrorContains(t, e.SetData("a", numbers[1:]), "a has 2000 numbers, and 1999 are given")
	require.NoError(t, e.SetData("a", numbers))
	require.NoError(t, other.SetData("a", numbers))
	got, err := e.Gradient(t.Context(), []float64{0.3})
	require.NoError(t, err)
	want, err := other.Gradient(t.Context(), []float64{0.3})
	require.NoError(t, err)
	require.Equal(t, want.Values, got.Values)
	require.InEpsilonSlice(t, want.Jacobian, got.Jacobian, 1e-13)
}

// TestStreamedFails: an error of data that is not stored shows the place where that is declared.
func TestStreamedFails(t *testing.T) {
	wrong := errors.New("the file has changed")
	p := streamed(t, pairsOfNumbers, func([]float64, *term.Data) func([]float64, int, func() error) error {
		return func([]float64, int, func() error) error { return wrong }
	})
	_, err := p.Gradient(t.Context(), EvalOptions{})
	require.ErrorIs(t, err, wrong)
	var shown *Error
	require.ErrorAs(t, err, &shown)
	require.Equal(t, []Diagnostic{{Line: 2, Column: 6, Width: 1, Headline: "no data",
		Label: "data a: the file has changed",
		File:  "t.gram", FileLine: 2, FileColumn: 6}},
		shown.Diagnostics)
}

// TestManyPoints: an evaluator gives at each point, also where other branches are taken, what one computes by hand; one
// run leaves nothing to the next.
func TestManyPoints(t *testing.T) {
	p := mustLoad(t, "input x = 2\ninput y = 3\nlet f = fun z -> if x < y then z * y else sin z in f x")
	cached := p.with(newCache(t, 0))
	for _, c := range []struct {
		p   *Program
		opt EvalOptions
	}{{p, EvalOptions{}}, {p, EvalOptions{NoFuse: true}}, {p, EvalOptions{Literal: true, Work: true}}, {p,
		EvalOptions{Mode: Forward}},
		{p, EvalOptions{Mode: Tape}}, {p, EvalOptions{Strategy: Unfold}}, {p, EvalOptions{Strategy: Modular}}, {cached,
			EvalOptions{Strategy: Modular}}} {
		e, err := c.p.NewGradient(t.Context(), c.opt)
		require.NoError(t, err)
		_, err = e.Value(t.Context(), p.Point())
		require.Error(t, err)
		var costs []Cost
		for _, at := range []struct{ point, want []float64 }{
			{[]float64{2, 3}, []float64{6, 3, 2}}, {[]float64{0, -1}, []float64{0, 1, 0}},
			{[]float64{5, 7}, []float64{35, 7, 5}}, {[]float64{2, 3}, []float64{6, 3, 2}},
		} {
			res, err := e.Gradient(t.Context(), at.point)
			require.NoError(t, err)
			require.Equal(t, at.want[:1], res.Values, "%+v", c.opt)
			require.Equal(t, at.want[1:], res.Jacobian, "%+v", c.opt)
			costs = append(costs, exact(e.Cost()))
		}
		require.Equal(t, costs[0].Steps, costs[3].Steps)
		require.Equal(t, costs[0].Work, costs[3].Work)
		if c.opt.Mode == Reverse {
			require.NotEqual(t, costs[0].Steps, costs[1].Steps)
		}
		require.NoError(t, e.Close())
	}
}

// TestBatch: many points have the values and derivatives that each has by itself, and as many steps together.
func TestBatch(t *testing.T) {
	for name, src := range map[string]string{
		"numbers":       "input x : R^3 = vec i < 3 -> i\ninput y = 2\nx.(0) * exp y + sin x.(2)",
		"a vector":      "input x : R^3 = vec i < 3 -> i\ninput y = 2\n[| x.(0) * y, x.(1), 3, y |]",
		"a conditional": "input x : R^3 = vec i < 3 -> i\nlet a = dot x x in if a > 4 then a * x.(0) else x.(1) / (2 + a)",
		"data":          "input x : R^3 = vec i < 3 -> i\ndata l : List R^3 = list i < 9 -> vec j < 3 -> i - j\nfold (fun r s -> s + tanh (dot r x)) x.(0) l",
		"an index":      "input x : R^12 = vec i < 12 -> i\nvec j < 12 -> x.(11 - j) * sum i < j + 1 -> x.(i)",
		"whole inputs":  "input x : R^12 = vec i < 12 -> i\nlet v = vec k < 5 -> x in sum k < 5 -> sum i < 12 -> v.(k).(11 - i) * x.(i) * k",
		"branches": "input x : R^12 = vec i < 12 -> i\nsum h < 12 -> if x.(h) > 0 then (sum i < 12 -> if x.(i) > 0 then " +
			"(sum j < 12 -> if x.(j) > 1 then x.(j) * sum k < 12 -> max (x.(k) * x.(i)) x.(11 - k) else 0) else 0) * x.(h) else 0",
		"a function": "input x : R^3 = vec i < 3 -> i\nlet rec f u = if u < 0.5 then 1 else x.(0) * f (u - 1) in f 3",
	} {
		t.Run(name, func(t *testing.T) {
			p, err := Load(t.Context(), "t.gram", []byte(src), Options{})
			require.NoError(t, err)
			e, err := p.NewGradient(t.Context(), EvalOptions{})
			require.NoError(t, err)
			const count = 2*batchPoints + leastBatch + 3
			n, k := len(p.Point()), e.outputs
			points := make([]float64, count*n)
			for i := range points {
				points[i] = math.Sin(float64(i)) * float64(1+i%5)
			}
			values, jacobians := make([]float64, count*k), make([]float64, count*k*n)
			require.NoError(t, e.Gradients(t.Context(), points, values, jacobians))
			batched := name != "a function" && name != "branches" // loops in branches have machine code
			require.Equal(t, batched, e.batches[batchPoints] != nil)
			require.Equal(t, batched, e.batches[leastBatch] != nil)
			one, err := p.NewGradient(t.Context(), EvalOptions{})
			require.NoError(t, err)
			var steps uint64
			for i := range count {
				res, err := one.Gradient(t.Context(), points[i*n:(i+1)*n])
				require.NoError(t, err)
				require.InDeltaSlice(t, res.Values, values[i*k:(i+1)*k], 1e-12)
				require.InDeltaSlice(t, res.Jacobian, jacobians[i*k*n:(i+1)*k*n], 1e-10)
				if i >= batchPoints && i < 2*batchPoints {
					s := one.code.Stats()
					steps += s.Counts.Total()
				}
			}
			if m := e.batches[batchPoints]; m != nil {
				s := m.Stats()
				require.Equal(t, steps, s.Counts.Total())
			}
			plain, err := p.NewValue(t.Context(), EvalOptions{})
			require.NoError(t, err)
			alone := make([]float64, count*k)
			require.NoError(t, plain.Values(t.Context(), points, alone))
			require.Equal(t, batched, plain.batches[batchPoints] != nil)
			require.InDeltaSlice(t, values, alone, 1e-10)
		})
	}
}
