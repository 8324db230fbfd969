package gram

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram/examples"
	"github.com/gram-machine/gram/internal/property"
)

const endless = "input x = 0.5\niter #1000000000 (fun y -> sin (y * x)) x"

// ways are the ways to compute a gradient.
var ways = map[string]EvalOptions{"default": {}, "literal": {Literal: true}, "forward": {Mode: Forward},
	"tape": {Mode: Tape}}

// TestCancel: a cancelled run returns soon, with an error that says so, and the evaluator can be used again.
func TestCancel(t *testing.T) {
	long := mustLoad(t, endless)
	short := mustLoad(t, "input v : R^100 = vec i < 100 -> i\niter #1000 (fun s -> sin (s + v.(3))) (dot v v)")
	for way, opt := range ways {
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(20*time.Millisecond, cancel)
		_, err := long.Gradient(ctx, opt)
		var limit *LimitError
		require.ErrorAs(t, err, &limit, way)
		require.Equal(t, Interrupt, limit.Limit)
		require.ErrorIs(t, err, context.Canceled)
		require.Positive(t, limit.Steps)
		require.Contains(t, err.Error(), "test.gram:2:")

		e, err := short.NewGradient(t.Context(), opt)
		require.NoError(t, err)
		_, err = e.Gradient(ctx, short.Point())
		if opt.Mode != Tape { // its one pass is too short for a look
			require.ErrorIs(t, err, context.Canceled, way)
		}
		_, err = e.Gradient(t.Context(), short.Point())
		require.NoError(t, err)
		require.NoError(t, e.Close())

		timeout, stop := context.WithTimeout(t.Context(), 20*time.Millisecond)
		_, err = long.Gradient(timeout, opt)
		stop()
		require.ErrorAs(t, err, &limit, way)
		require.Equal(t, TimeLimit, limit.Limit)

		opt.MaxSteps = 1000
		_, err = long.Gradient(t.Context(), opt)
		require.ErrorAs(t, err, &limit, way)
		require.Equal(t, StepsLimit, limit.Limit)
	}
	// One evaluator, whose run is cancelled.
	e, err := long.NewGradient(t.Context(), EvalOptions{})
	require.NoError(t, err)
	defer e.Close()
	for range 2 {
		timeout, stop := context.WithTimeout(t.Context(), 20*time.Millisecond)
		_, err = e.Gradient(timeout, long.Point())
		stop()
		require.ErrorIs(t, err, context.DeadlineExceeded)
	}
}

// TestCancelledInside: a run that is cancelled while it reduces, or reads back, leaves the evaluator as it was: the
// next one gives the same, and costs the same.
func TestCancelledInside(t *testing.T) {
	for phase, opt := range map[string]EvalOptions{"read-back": {}, "reduce": {Literal: true}} {
		looks := 0
		var cancel func()
		look := func(at string) {
			if at == phase && cancel != nil {
				if looks++; at == "read-back" || looks == 3 {
					cancel()
				}
			}
		}
		p, err := Load(t.Context(), "x.gram", []byte(`param n = 200000
input x = 0.5
data ys : List R = list i < n -> i
(iter #200000 (fun y -> sin (x * y)) x, ys)
`), Options{Phase: look, Progress: look})
		require.NoError(t, err)
		e, err := p.NewValue(t.Context(), opt)
		require.NoError(t, err)
		defer e.Close()
		res, err := e.Value(t.Context(), p.Point())
		require.NoError(t, err)
		want, before := slices.Clone(res.Values), exact(e.Cost())

		var ctx context.Context
		ctx, cancel = context.WithCancel(t.Context())
		_, err = e.Value(ctx, p.Point())
		require.ErrorIs(t, err, context.Canceled)
		var limit *LimitError
		require.ErrorAs(t, err, &limit)
		require.Equal(t, Interrupt, limit.Limit)
		require.NotZero(t, limit.Steps)
		cancel = nil
		got, err := e.Value(t.Context(), p.Point())
		require.NoError(t, err)
		require.Equal(t, want, got.Values)
		require.Equal(t, before.Overhead, e.Cost().Overhead)
		require.Equal(t, before.Steps, e.Cost().Steps)
	}
}

// TestCancelCause: the end of a context with a cause is an interrupt, and wraps the cause.
func TestCancelCause(t *testing.T) {
	cause := errors.New("the client went away")
	ctx, cancel := context.WithCancelCause(t.Context())
	p, err := Load(ctx, "p", []byte("input x = 1\nx"), Options{})
	require.NoError(t, err)
	cancel(cause)
	_, err = p.Gradient(ctx, EvalOptions{})
	var limit *LimitError
	require.ErrorAs(t, err, &limit)
	require.Equal(t, Interrupt, limit.Limit)
	require.ErrorIs(t, err, cause)
	require.ErrorIs(t, err, context.Canceled)
	for name, run := range map[string]func() error{
		"load":    func() error { _, err := Load(ctx, "p", []byte("input x = 1\nx"), Options{}); return err },
		"value":   func() error { _, err := p.Value(ctx, EvalOptions{}); return err },
		"literal": func() error { _, err := p.Gradient(ctx, EvalOptions{Literal: true}); return err },
		"tape":    func() error { _, err := p.Gradient(ctx, EvalOptions{Mode: Tape}); return err },
		"bound":   func() error { _, err := p.Bound(ctx, EvalOptions{}); return err },
		"span":    func() error { _, err := p.Span(ctx, true, false); return err },
		"kinks":   func() error { _, err := p.Kinks(ctx, EvalOptions{}); return err },
	} {
		err := run()
		require.ErrorIs(t, err, cause, name)
		require.ErrorAs(t, err, &limit, name)
		require.Equal(t, Interrupt, limit.Limit, name)
	}
	late, stop := context.WithTimeoutCause(t.Context(), 0, cause)
	defer stop()
	_, err = p.Gradient(late, EvalOptions{})
	require.ErrorIs(t, err, cause)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.ErrorAs(t, err, &limit)
	require.Equal(t, TimeLimit, limit.Limit)
}

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

// TestLimitsInKernels: runs on arrays of 512 × 512 numbers look at the limits at least once in a time step forward and
// once back. They end at any look, and the evaluator can be used again. A limit of steps holds to within a time step.
func TestLimitsInKernels(t *testing.T) {
	const few, many = 2, 6
	for _, name := range []string{"w2.gram", "w5.gram"} {
		var looks [2]int
		for i, n := range []string{"n=2", "n=6"} {
			src, err := examples.Files.ReadFile(name)
			require.NoError(t, err)
			p, err := Load(t.Context(), name, src, Options{Params: []string{"k=512", n}})
			require.NoError(t, err)
			e, err := p.NewGradient(t.Context(), EvalOptions{})
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
			var limit *LimitError
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
			_, err = p.Gradient(t.Context(), EvalOptions{MaxSteps: steps / 2})
			require.ErrorAs(t, err, &limit)
			require.EqualValues(t, "steps", limit.Limit)
			require.LessOrEqual(t, limit.Steps, steps/2+steps/many)
		}
		require.GreaterOrEqual(t, looks[1]-looks[0], 2*(many-few), name)
		t.Log(name, looks)
	}
}

// checksum adds the bits of a gradient, each with its place.
func checksum(res *Result) (sum uint64) {
	for i, b := range bits(res.Jacobian) {
		sum += b * uint64(2*i+1)
	}
	return sum
}

// TestLimits: steps and nodes stop where they are set, to within one body, and the
// error says which limit, how far the run got, and where.
func TestLimits(t *testing.T) {
	ctx := context.Background()
	p := mustLoad(t, endless)
	for _, n := range []uint64{1, 10, 1000, 123_457} {
		_, err := p.Gradient(ctx, EvalOptions{MaxSteps: n})
		var limit *LimitError
		require.ErrorAs(t, err, &limit)
		require.EqualValues(t, "steps", limit.Limit)
		require.Equal(t, n, limit.Max)
		require.GreaterOrEqual(t, limit.Steps, n)
		require.LessOrEqual(t, limit.Steps, n+100)

		_, err = p.Gradient(ctx, EvalOptions{MaxNodes: n})
		require.ErrorAs(t, err, &limit)
		require.EqualValues(t, "nodes", limit.Limit)
		require.Greater(t, limit.Nodes, n)
		require.LessOrEqual(t, limit.Nodes, n+100)
		require.Contains(t, err.Error(), "test.gram:2:")
	}
	// A run that fits exactly is not stopped.
	f := mustLoad(t, "input x = 3\nx * x")
	res, err := f.Gradient(ctx, EvalOptions{MaxSteps: 34})
	require.NoError(t, err)
	require.EqualValues(t, 34, res.Cost.Steps.Total())
	for _, p := range []*Program{f, loadExample(t, "figure1"), loadExample(t, "phylogeny"), loadExample(t, "w2")} {
		for _, run := range []func(context.Context, EvalOptions) (*Result, error){p.Value, p.Gradient} {
			want, err := run(ctx, EvalOptions{})
			require.NoError(t, err)
			steps := want.Cost.Steps
			got, err := run(ctx, EvalOptions{MaxSteps: steps.Total()})
			require.NoError(t, err)
			require.Equal(t, steps, got.Cost.Steps)
		}
	}
	_, err = f.Gradient(ctx, EvalOptions{MaxSteps: 33})
	var limit *LimitError
	require.ErrorAs(t, err, &limit)
}

// TestLiteralLimits: a limit of steps stops the literal machine after exactly so many, and
// the evaluator can be used again.
func TestLiteralLimits(t *testing.T) {
	p := mustLoad(t, "input x1 = 5\ninput x2 = 2\nlet z1 = x1 - x2 in let z2 = z1 * z1 in sin z2")
	for steps := uint64(1); steps <= 77; steps++ {
		res, err := p.Gradient(t.Context(), EvalOptions{Literal: true, MaxSteps: steps})
		if steps >= 76 {
			require.NoError(t, err)
			require.EqualValues(t, 76, res.Cost.Steps.Total())
			continue
		}
		var limit *LimitError
		require.ErrorAs(t, err, &limit)
		require.EqualValues(t, "steps", limit.Limit)
		require.Equal(t, steps, limit.Steps)
	}
	_, err := p.Gradient(t.Context(), EvalOptions{Literal: true, MaxNodes: 10})
	var limit *LimitError
	require.ErrorAs(t, err, &limit)
	require.EqualValues(t, "nodes", limit.Limit)
}

// TestLimitNamesFunction: a limit that ends an endless function names it, in the value and in the gradient, on both
// machines.
func TestLimitNamesFunction(t *testing.T) {
	p, err := Load(t.Context(), "p", []byte("input x = 1\ndef rec f y = f (y + x)\nf 0"), Options{})
	require.NoError(t, err)
	for _, opt := range []EvalOptions{{}, {NoFuse: true}, {NoNative: true}, {Literal: true}, {Schedule: Random}} {
		opt.MaxSteps = 20000
		for _, run := range []func(context.Context, EvalOptions) (*Result, error){p.Value, p.Gradient} {
			_, err := run(t.Context(), opt)
			var limit *LimitError
			require.ErrorAs(t, err, &limit)
			require.Equal(t, "f", limit.Function, "%+v", opt)
		}
	}
}

func TestMemoryLimit(t *testing.T) {
	const long = "input x = 0.5\ntype nums = Nil | Cons of R * nums\n" +
		"match iter #1000000000 (fun (l : nums) -> Cons (x * x, l)) Nil with Nil -> 0 | Cons (y, l) -> y"
	p, err := Load(context.Background(), "test.gram", []byte(long), Options{MaxMemory: 96 << 20})
	require.NoError(t, err)
	_, err = p.Gradient(context.Background(), EvalOptions{NoFuse: true})
	var limit *LimitError
	require.ErrorAs(t, err, &limit)
	require.EqualValues(t, "memory", limit.Limit)

	// Reading data is bounded too.
	_, err = Load(context.Background(), "test.gram", []byte("data xs : List R = list i < 1000000000 -> i\n0"),
		Options{MaxMemory: 96 << 20})
	require.ErrorAs(t, err, &limit)
	require.EqualValues(t, "memory", limit.Limit)
	require.Equal(t, "loading", limit.Phase)
}

// TestEvaluatorsShareALimit: a limit of memory is one of the process. Evaluators that run
// one after the other and keep their arenas do not pass it together.
func TestEvaluatorsShareALimit(t *testing.T) {
	const most, evaluators = 224 << 20, 6
	const src = "input x = 0.3\ntype nums = Nil | Cons of R * nums\n" +
		"match iter #400000 (fun (l : nums) -> Cons (x * x, l)) Nil with Nil -> 0 | Cons (y, l) -> y"
	p, err := Load(t.Context(), "x.gram", []byte(src), Options{MaxMemory: most})
	require.NoError(t, err)
	held, failed := uint64(0), 0
	for range evaluators {
		e, err := p.NewGradient(t.Context(), EvalOptions{NoFuse: true}) // of a list
		if err == nil {
			defer e.Close()
			_, err = e.Gradient(t.Context(), p.Point())
			held += e.Cost().ArenaBytes
		}
		if err != nil {
			var limit *LimitError
			require.ErrorAs(t, err, &limit)
			require.EqualValues(t, "memory", limit.Limit)
			failed++
		}
	}
	require.LessOrEqual(t, held, uint64(most))
	require.NotZero(t, failed)
	require.Less(t, failed, evaluators)
}

// TestEvaluationFrees: a program that is evaluated keeps what is live, not what it has made.
func TestEvaluationFrees(t *testing.T) {
	ctx := context.Background()
	const closures = "input x = 0.5\n(iter #800000 (fun (f : R -> R) -> if f 0 < 1 then (fun y -> f 0 + x + y) else " +
		"(fun y -> y)) (fun y -> x)) 0"
	for name, src := range map[string]string{
		"a loop that branches": "input x = 0.5\niter #800000 (fun y -> if y < 1 then y + x else y - 1) x",
		"functions":            "input x = 0.5\niter #800000 (fun y -> (fun f -> f (f y)) (fun z -> sin z * x)) x",
		"closures":             closures,
		"pairs": "input x = 0.5\nfst (iter #800000 (fun (p : R * R) -> let (a, b) = p in if a < 2 then (a + " +
			"x, b * x) else (b, a - 2)) (x, 1))",
		"a list": "input x = 0.5\ndata l : List R = list i < 800000 -> i\nfold (fun a s -> if a < s then s * " +
			"x else a) 0 l",
	} {
		p := mustLoad(t, src)
		res, err := p.Value(ctx, EvalOptions{NoFuse: true})
		require.NoError(t, err, name)
		n := res.Cost.Nodes
		require.LessOrEqual(t, n.Peak, uint64(10_000), name)
		require.LessOrEqual(t, n.Allocated-n.Freed, n.Peak, name)
		require.Less(t, res.Cost.ArenaBytes, uint64(1<<18), name)
		gradient, err := p.Gradient(ctx, EvalOptions{})
		require.NoError(t, err, name)
		require.Equal(t, res.Values, gradient.Values, name)
		// A limit is one of what is live.
		_, err = p.Value(ctx, EvalOptions{NoFuse: true, MaxNodes: 10_000})
		require.NoError(t, err, name)
	}
	made, err := mustLoad(t, closures).Value(ctx, EvalOptions{})
	require.NoError(t, err)
	require.Greater(t, made.Cost.Nodes.Allocated, uint64(1_000_000))
	var limit *LimitError
	_, err = mustLoad(t, "input x = 1\nlet l = iter #100000 (fun (s : R -> R) -> fun (y : R) -> s (y + x)) (fun (y : R) "+
		"-> y) in l 0").
		Value(ctx, EvalOptions{NoFuse: true, MaxNodes: 10_000})
	require.ErrorAs(t, err, &limit)
	require.Greater(t, limit.Nodes, uint64(10_000))
}

// TestManyInputs: inputs and numerals that take more than one slab of the arena.
func TestManyInputs(t *testing.T) {
	n := property.Size(140_000)
	src := fmt.Sprintf("param n = %d\ninput v : R^n = vec i < n -> i\nsum i < n -> (i + 0.5) * v.(i)\n", n)
	p, err := Load(t.Context(), "x.gram", []byte(src), Options{})
	require.NoError(t, err)
	for _, schedule := range []Schedule{LIFO, Parallel} {
		res, err := p.Gradient(t.Context(), EvalOptions{Schedule: schedule})
		require.NoError(t, err)
		require.Len(t, res.Jacobian, n)
		require.Equal(t, float64(n)-0.5, res.Jacobian[n-1])
	}
	_, err = p.Bound(t.Context(), EvalOptions{})
	require.NoError(t, err)
	_, err = p.Gradient(t.Context(), EvalOptions{MaxNodes: 10_000, NoFuse: true})
	var limit *LimitError
	require.ErrorAs(t, err, &limit)
	require.Equal(t, uint64(10_000), limit.Max)
}

// TestLooks counts the looks: reading, compiling and reducing look at their limits
// at least every 2¹⁶ tokens, elements, nodes or steps.
func TestLooks(t *testing.T) {
	looks := map[string]uint64{}
	count := Options{Progress: func(phase string) { looks[phase]++ }}
	ctx := context.Background()

	p, err := Load(ctx, "test.gram", []byte("data xs : List R = list i < 131072 -> sin i\nfold (fun x y -> x + y) 0 xs"),
		count)
	require.NoError(t, err)
	require.GreaterOrEqual(t, looks["load"], uint64(1<<17>>16))
	res, err := p.Gradient(ctx, EvalOptions{})
	require.NoError(t, err)
	require.GreaterOrEqual(t, looks["reduce"], res.Cost.Steps.Total()>>16)

	clear(looks)
	src := "input x = 1\nx" + strings.Repeat(" + x", 1<<16)
	p, err = Load(ctx, "test.gram", []byte(src), count)
	require.NoError(t, err)
	require.GreaterOrEqual(t, looks["load"], uint64(1<<17>>16))
	res, err = p.Gradient(ctx, EvalOptions{})
	require.NoError(t, err)
	require.GreaterOrEqual(t, looks["compile"], uint64(res.Cost.Size.Reverse>>16))
	require.GreaterOrEqual(t, looks["reduce"], res.Cost.Nodes.Allocated>>16)
}

// TestLoadIsCancelled: reading and expanding stop too.
func TestLoadIsCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, src := range []string{
		"data xs : List R = list i < 100000000 -> sin i\n0",
		"input x = 1\nsum i < 10000000 -> x * i",
	} {
		_, err := Load(ctx, "test.gram", []byte(src), Options{})
		require.ErrorIs(t, err, context.Canceled)
		var limit *LimitError
		require.True(t, errors.As(err, &limit))
	}
}

// TestFinite: a number that is NaN or infinite is an error with its place, if asked for, in each way.
func TestFinite(t *testing.T) {
	for way, opt := range ways {
		for src, place := range map[string]string{"log x": "2:1", "log 0 * x": "2:1", "sqrt x": "2:1", "let y = x + 1 " +
			"in\ny * log x": "3:5", "log x + 1 / x": "2:1"} {
			p := mustLoad(t, "input x = 0\n"+src)
			_, err := p.Gradient(t.Context(), opt)
			require.NoError(t, err)
			opt.Finite = true
			_, err = p.Gradient(t.Context(), opt)
			require.ErrorContains(t, err, "test.gram:"+place+": not finite", "%s: %s", way, src)
			opt.Finite = false
			if opt.Mode != Reverse || src == "sqrt x" {
				continue
			}
			opt.Finite = true
			_, err = p.Value(t.Context(), opt)
			require.ErrorContains(t, err, "test.gram:"+place+": not finite", "%s: %s", way, src)
			opt.Finite = false
		}
	}
	_, err := mustLoad(t, "input x = 0\nlet y = x + 1 in\ny * log x").Value(t.Context(), EvalOptions{Literal: true,
		Finite: true})
	var e *Error
	require.ErrorAs(t, err, &e)
	require.Equal(t, []Diagnostic{{Line: 3, Column: 5, Width: 3, Headline: "not finite", Label: "log gives -Inf",
		File: "test.gram", FileLine: 3, FileColumn: 5}}, e.Diagnostics)
}
