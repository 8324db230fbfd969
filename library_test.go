package gram_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/gram-machine/gram"
	"github.com/gram-machine/gram/internal/bridge"
	"github.com/gram-machine/gram/internal/property"
	"github.com/gram-machine/gram/revgrad"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// TestEvaluationsAllocateLittle: after the first, an evaluation makes at most ten
// Go objects.
func TestEvaluationsAllocateLittle(t *testing.T) {
	ctx := context.Background()
	for _, name := range []string{"weather", "w1", "w2", "jacobian"} {
		p := loadExample(t, name)
		e, err := p.NewGradient(ctx, gram.EvalOptions{})
		require.NoError(t, err)
		point := p.Point()
		n := objectsMade(5, func() {
			_, err := e.Gradient(ctx, point)
			require.NoError(t, err)
		})
		require.LessOrEqual(t, n, 10.0, name)
		require.NoError(t, e.Close())

		v, err := p.NewValue(ctx, gram.EvalOptions{})
		require.NoError(t, err)
		n = objectsMade(5, func() {
			_, err := v.Value(ctx, point)
			require.NoError(t, err)
		})
		require.LessOrEqual(t, n, 10.0, name)
		require.NoError(t, v.Close())
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

// TestOneProgramManyGoroutines runs one program from several goroutines at a time:
// same results, same counts, whatever GOMAXPROCS is.
func TestOneProgramManyGoroutines(t *testing.T) {
	ctx := context.Background()
	for _, procs := range []int{1, 2, 4} {
		old := runtime.GOMAXPROCS(procs)
		p := loadExample(t, "weather")
		results := make([]*gram.Result, 6)
		var wait sync.WaitGroup
		for i := range results {
			wait.Go(func() {
				res, err := p.Gradient(ctx, gram.EvalOptions{})
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

const endless = "input x = 0.5\niter #1000000000 (fun y -> sin (y * x)) x"

// TestOneProgramManyGoroutineUses uses one program in all ways at a time: under the race
// detector, what they make of its terms does not clash.
func TestOneProgramManyGoroutineUses(t *testing.T) {
	ctx := context.Background()
	p := loadExample(t, "rnn")
	var wait sync.WaitGroup
	errs := make(chan error, 100)
	use := func(f func() error) { wait.Go(func() { errs <- f() }) }
	for range 3 {
		for _, s := range []gram.Strategy{gram.Direct, gram.Unfold, gram.Modular} {
			use(func() error { _, err := p.Gradient(ctx, gram.EvalOptions{Strategy: s}); return err })
		}
		for _, m := range []gram.Mode{gram.Forward, gram.Tape} {
			use(func() error { _, err := p.Gradient(ctx, gram.EvalOptions{Mode: m}); return err })
		}
		use(func() error {
			t, _ := bridge.Of(p).Copy()
			_, err := revgrad.Reverse(t, nil)
			return err
		})
		use(func() error { _, err := p.Gradient(ctx, gram.EvalOptions{Literal: true}); return err })
		use(func() error { _, err := p.Value(ctx, gram.EvalOptions{}); return err })
		use(func() error { _, err := p.Bound(ctx, gram.EvalOptions{}); return err })
		use(func() error { _, err := bridge.Of(p).Normal(ctx, gram.EvalOptions{}); return err })
	}
	wait.Wait()
	close(errs)
	for err := range errs {
		require.NoError(t, err)
	}
}

// TestManyInputs: inputs and numerals that take more than one slab of the arena.
func TestManyInputs(t *testing.T) {
	n := property.Size(140_000)
	src := fmt.Sprintf("param n = %d\ninput v : R^n = vec i < n -> i\nsum i < n -> (i + 0.5) * v.(i)\n", n)
	p, err := gram.Load(t.Context(), "x.gram", []byte(src), gram.Options{})
	require.NoError(t, err)
	for _, schedule := range []gram.Schedule{gram.LIFO, gram.Parallel} {
		res, err := p.Gradient(t.Context(), gram.EvalOptions{Schedule: schedule})
		require.NoError(t, err)
		require.Len(t, res.Jacobian, n)
		require.Equal(t, float64(n)-0.5, res.Jacobian[n-1])
	}
	_, err = p.Bound(t.Context(), gram.EvalOptions{})
	require.NoError(t, err)
	_, err = p.Gradient(t.Context(), gram.EvalOptions{MaxNodes: 10_000, NoFuse: true})
	var limit *gram.LimitError
	require.ErrorAs(t, err, &limit)
	require.Equal(t, uint64(10_000), limit.Max)
}

// TestCancel: a cancelled run returns soon, with an error that says so, and the
// evaluator can be used again.
func TestCancel(t *testing.T) {
	p := load(t, endless)
	e, err := p.NewGradient(context.Background(), gram.EvalOptions{})
	require.NoError(t, err)
	defer e.Close()
	ctx, cancel := context.WithCancel(context.Background())
	time.AfterFunc(20*time.Millisecond, cancel)
	_, err = e.Gradient(ctx, p.Point())
	var limit *gram.LimitError
	require.ErrorAs(t, err, &limit)
	require.EqualValues(t, "interrupt", limit.Limit)
	require.ErrorIs(t, err, context.Canceled)
	require.Positive(t, limit.Steps)
	require.Contains(t, err.Error(), "test.gram:2:")

	timeout, stop := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer stop()
	_, err = e.Gradient(timeout, p.Point())
	require.ErrorAs(t, err, &limit)
	require.EqualValues(t, "time", limit.Limit)
}

// TestLimits: steps and nodes stop where they are set, to within one body, and the
// error says which limit, how far the run got, and where.
func TestLimits(t *testing.T) {
	ctx := context.Background()
	p := load(t, endless)
	for _, n := range []uint64{1, 10, 1000, 123_457} {
		_, err := p.Gradient(ctx, gram.EvalOptions{MaxSteps: n})
		var limit *gram.LimitError
		require.ErrorAs(t, err, &limit)
		require.EqualValues(t, "steps", limit.Limit)
		require.Equal(t, n, limit.Max)
		require.GreaterOrEqual(t, limit.Steps, n)
		require.LessOrEqual(t, limit.Steps, n+100)

		_, err = p.Gradient(ctx, gram.EvalOptions{MaxNodes: n})
		require.ErrorAs(t, err, &limit)
		require.EqualValues(t, "nodes", limit.Limit)
		require.Greater(t, limit.Nodes, n)
		require.LessOrEqual(t, limit.Nodes, n+100)
		require.Contains(t, err.Error(), "test.gram:2:")
	}
	// A run that fits exactly is not stopped.
	f := load(t, "input x = 3\nx * x")
	res, err := f.Gradient(ctx, gram.EvalOptions{MaxSteps: 34})
	require.NoError(t, err)
	require.EqualValues(t, 34, res.Cost.Steps.Total())
	for _, p := range []*gram.Program{f, loadExample(t, "figure1"), loadExample(t, "phylogeny"), loadExample(t, "w2")} {
		for _, run := range []func(context.Context, gram.EvalOptions) (*gram.Result, error){p.Value, p.Gradient} {
			want, err := run(ctx, gram.EvalOptions{})
			require.NoError(t, err)
			steps := want.Cost.Steps
			got, err := run(ctx, gram.EvalOptions{MaxSteps: steps.Total()})
			require.NoError(t, err)
			require.Equal(t, steps, got.Cost.Steps)
		}
	}
	_, err = f.Gradient(ctx, gram.EvalOptions{MaxSteps: 33})
	var limit *gram.LimitError
	require.ErrorAs(t, err, &limit)
}

func TestMemoryLimit(t *testing.T) {
	const long = "input x = 0.5\ntype nums = Nil | Cons of R * nums\n" +
		"match iter #1000000000 (fun (l : nums) -> Cons (x * x, l)) Nil with Nil -> 0 | Cons (y, l) -> y"
	p, err := gram.Load(context.Background(), "test.gram", []byte(long), gram.Options{MaxMemory: 96 << 20})
	require.NoError(t, err)
	_, err = p.Gradient(context.Background(), gram.EvalOptions{NoFuse: true})
	var limit *gram.LimitError
	require.ErrorAs(t, err, &limit)
	require.EqualValues(t, "memory", limit.Limit)

	// Reading data is bounded too.
	_, err = gram.Load(context.Background(), "test.gram", []byte("data xs : List R = list i < 1000000000 -> i\n0"), gram.Options{MaxMemory: 96 << 20})
	require.ErrorAs(t, err, &limit)
	require.EqualValues(t, "memory", limit.Limit)
	require.Equal(t, "loading", limit.Phase)
}

// TestLooks counts the looks: reading, compiling and reducing look at their limits
// at least every 2¹⁶ tokens, elements, nodes or steps.
func TestLooks(t *testing.T) {
	looks := map[string]uint64{}
	count := gram.Options{Progress: func(phase string) { looks[phase]++ }}
	ctx := context.Background()

	p, err := gram.Load(ctx, "test.gram", []byte("data xs : List R = list i < 262144 -> sin i\nfold (fun x y -> x + y) 0 xs"), count)
	require.NoError(t, err)
	require.GreaterOrEqual(t, looks["load"], uint64(1<<18>>16))
	res, err := p.Gradient(ctx, gram.EvalOptions{})
	require.NoError(t, err)
	require.GreaterOrEqual(t, looks["reduce"], res.Cost.Steps.Total()>>16)

	clear(looks)
	src := "input x = 1\nx" + strings.Repeat(" + x", 1<<17)
	p, err = gram.Load(ctx, "test.gram", []byte(src), count)
	require.NoError(t, err)
	require.GreaterOrEqual(t, looks["load"], uint64(1<<18>>16))
	res, err = p.Gradient(ctx, gram.EvalOptions{})
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
		_, err := gram.Load(ctx, "test.gram", []byte(src), gram.Options{})
		require.ErrorIs(t, err, context.Canceled)
		var limit *gram.LimitError
		require.True(t, errors.As(err, &limit))
	}
}

// TestFinite: NaN and infinite results are errors with their place if asked for.
func TestFinite(t *testing.T) {
	p := load(t, "input x = 0\nlog x + 1 / x")
	_, err := p.Value(context.Background(), gram.EvalOptions{Finite: true})
	require.ErrorContains(t, err, "test.gram:2:1: not finite")
	res, err := p.Value(context.Background(), gram.EvalOptions{})
	require.NoError(t, err)
	require.Len(t, res.Values, 1)
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
		res, err := load(t, src).Value(context.Background(), gram.EvalOptions{})
		require.NoError(t, err, src)
		require.Equal(t, want, res.Values, src)
	}
}
