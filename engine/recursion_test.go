package engine_test

import (
	"errors"
	"fmt"
	"math"
	"runtime/debug"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/gram-machine/gram/compile"
	"github.com/gram-machine/gram/compile/literal"
	"github.com/gram-machine/gram/engine"
	"github.com/gram-machine/gram/graph/calls"
	"github.com/gram-machine/gram/internal/generate"
	"github.com/gram-machine/gram/internal/property"
	"github.com/gram-machine/gram/internal/testprogram"
	"github.com/gram-machine/gram/limits"
	"github.com/gram-machine/gram/machine"
	"github.com/gram-machine/gram/revgrad"
)

// Programs with recursion, for n calls.
const (
	sumOfStream = `type stream = Nil | Cons of R * stream
input x = 0.5
let rec make (k : R) : stream = if k < 1 then Nil else Cons (x, make (k - 1)) in
let rec total (s : stream) : R = match s with Nil -> 0 | Cons (y, r) -> y + total r in
total (make %d)`
	tailCalls = `input x = 0.5
let rec loop (k : R) (a : R) (b : R) (c : R) : R = if k < 1 then a + b + c + x else loop (k - 1) (a + x) b c in
loop %d 0 0 0`
	sumOfTree = `type tree = Leaf of R | Node of tree * tree
input x = 0.5
let rec make (k : R) : tree = if k < 1 then Leaf (x * x) else Node (make (k - 1), make (k - 1)) in
let rec total (t : tree) : R = match t with Leaf y -> y | Node (l, r) -> total l + total r in
total (make %d)`
	endless = `input x = 0.5
let rec loop (k : R) : R = loop (k + x) in loop %d`
)

// howDeep is how deep recursions go.
func howDeep() int { return property.Size(1_000_000) }

// TestRecursionDepth: neither machine needs the stack of Go for recursion, of a value or a gradient.
func TestRecursionDepth(t *testing.T) { recursionDepth(t, howDeep()) }

// BenchmarkRecursionDepth is TestRecursionDepth at depth 10⁷. It takes minutes.
func BenchmarkRecursionDepth(b *testing.B) {
	for b.Loop() {
		recursionDepth(b, 10_000_000)
	}
}

// recursionDepth sums a stream of n numbers on both machines.
func recursionDepth(t testing.TB, n int) {
	defer debug.SetMaxStack(debug.SetMaxStack(1 << 20))
	p := testprogram.FromSource(t, fmt.Sprintf(sumOfStream, n))
	m, err := engine.New(p.Compiled(t, compile.Options{Reversed: true}), engine.Options{})
	require.NoError(t, err)
	defer m.Close()
	value, gradient := make([]float64, 1), make([]float64, 1)
	require.NoError(t, m.Gradient(p.Point, value, gradient))
	require.Equal(t, []float64{float64(n) / 2, float64(n)}, append(value, gradient...))

	image, err := revgrad.Reverse(p.Term, nil)
	require.NoError(t, err)
	l, err := literal.NewGradient(image, p.Inputs, 0, nil)
	require.NoError(t, err)
	k, err := machine.New(l, machine.Options{})
	require.NoError(t, err)
	defer k.Close()
	require.NoError(t, k.Gradient(p.Point, value, gradient))
	require.Equal(t, []float64{float64(n) / 2, float64(n)}, append(value, gradient...))
	require.Equal(t, m.Stats().Counts, k.Stats().Counts)
}

// TestTailCalls: an evaluated tail call takes no memory, in either machine.
func TestTailCalls(t *testing.T) {
	n := howDeep()
	p := testprogram.FromSource(t, fmt.Sprintf(tailCalls, n))
	m, err := engine.New(p.Compiled(t, compile.Options{}), engine.Options{})
	require.NoError(t, err)
	defer m.Close()
	engine.CollectEvery(m, 1000)
	require.NoError(t, m.Value(p.Point))
	require.Less(t, m.Stats().PeakNodes, uint64(2000))

	l, err := literal.NewValue(p.Term, p.Inputs, nil)
	require.NoError(t, err)
	k, err := machine.New(l, machine.Options{})
	require.NoError(t, err)
	defer k.Close()
	require.NoError(t, k.Value(p.Point))
	require.Less(t, k.Stats().PeakNodes, uint64(100))
	require.Equal(t, m.Stats().Counts, k.Stats().Counts)
}

// TestEndlessRecursion: a recursion that does not end meets a limit, whose error names the function.
func TestEndlessRecursion(t *testing.T) {
	p := testprogram.FromSource(t, fmt.Sprintf(endless, 0))
	bounds := limits.Bounds{MaxSteps: 100_000}
	m, err := engine.New(p.Compiled(t, compile.Options{}), engine.Options{Limits: bounds})
	require.NoError(t, err)
	defer m.Close()
	l, err := literal.NewValue(p.Term, p.Inputs, nil)
	require.NoError(t, err)
	k, err := machine.New(l, machine.Options{Limits: bounds})
	require.NoError(t, err)
	defer k.Close()
	for _, err := range []error{m.Value(p.Point), k.Value(p.Point)} {
		var reached *limits.ReachedError
		require.True(t, errors.As(err, &reached), "%v", err)
		require.Equal(t, "loop", reached.Function)
		require.ErrorContains(t, err, "in the recursive function loop")
	}
}

// TestRecursionParallel: workers change neither the numbers nor the counts of a recursion over a tree.
func TestRecursionParallel(t *testing.T) {
	p := testprogram.FromSource(t, fmt.Sprintf(sumOfTree, 12))
	prog := p.Compiled(t, compile.Options{Reversed: true})
	var first engine.Stats
	var numbers []float64
	for i, opt := range []engine.Options{{}, {Schedule: engine.Parallel, Workers: 3}} {
		m, err := engine.New(prog, opt)
		require.NoError(t, err)
		defer m.Close()
		if i > 0 {
			engine.LendEvery(m, 100, true)
		}
		value, gradient := make([]float64, 1), make([]float64, 1)
		require.NoError(t, m.Gradient(p.Point, value, gradient))
		got := append(value, gradient...)
		if i == 0 {
			first, numbers = m.Stats(), got
			require.Equal(t, []float64{1024, 4096}, numbers)
			continue
		}
		require.Positive(t, engine.Accepted(m))
		require.Equal(t, numbers, got)
		require.Equal(t, first.Counts, m.Stats().Counts)
	}
}

// TestPropertyRecursion: programs with recursion have the same values, gradients and counts under all schedules, with collections
// after each redex, too.
func TestPropertyRecursion(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		p := generate.Draw(t, generate.Options{Vector: rapid.Bool().Draw(t, "vector"), Recursive: true})
		checkValue(t, p)
		d, err := revgrad.Reverse(p.Term, nil)
		require.NoError(t, err)
		values, jacobian := oracleValue(p)
		checkGradient(t, d, p, values, jacobian)
	})
}

// TestBackwardStopped: a run whose backward phase has been stopped leaves nothing to the next.
func TestBackwardStopped(t *testing.T) {
	p := testprogram.FromSource(t, fmt.Sprintf(sumOfTree, 14))
	looks, last := 0, math.MaxInt
	var phase calls.Phase
	opt := engine.Options{Phase: func(p calls.Phase) { phase = p }}
	opt.Limits.Look = func() error {
		if looks++; looks == last {
			return errors.New("stop")
		}
		return nil
	}
	m, err := engine.New(p.Compiled(t, compile.Options{Reversed: true}), opt)
	require.NoError(t, err)
	defer m.Close()
	value, gradient := make([]float64, 1), make([]float64, 1)
	require.NoError(t, m.Gradient(p.Point, value, gradient))
	first := m.Stats()
	for range 3 {
		looks, last = 0, math.MaxInt
		require.NoError(t, m.Gradient(p.Point, value, gradient))
		looks, last = 0, looks-1
		require.ErrorContains(t, m.Gradient(p.Point, value, gradient), "stop")
		require.Equal(t, calls.Backward, phase)
		looks, last = 0, math.MaxInt
		require.NoError(t, m.Gradient(p.Point, value, gradient))
		require.Equal(t, []float64{4096, 16384}, append(value, gradient...))
		require.Equal(t, first.Counts, m.Stats().Counts)
		require.Equal(t, first.Search, m.Stats().Search)
	}
}

// BenchmarkTree compares the sum of the leaves of a tree with that of a list of as many numbers: value and gradient.
func BenchmarkTree(b *testing.B) {
	tree := testprogram.FromSource(b, fmt.Sprintf(sumOfTree, 16))
	list := testprogram.FromSource(b, fmt.Sprintf("input x = 0.5\ndata a : List R = list i < %d -> i\nfold (fun y s -> y * x + s) 0 a", 1<<16))
	for _, fuse := range []bool{true, false} {
		for name, p := range map[string]testprogram.Source{"tree": tree, "fold": list} {
			for _, reversed := range []bool{false, true} {
				b.Run(fmt.Sprintf("%s/gradient=%v/fuse=%v", name, reversed, fuse), func(b *testing.B) {
					m, err := engine.New(p.Compiled(b, compile.Options{Reversed: reversed}), engine.Options{NoFuse: !fuse})
					require.NoError(b, err)
					defer m.Close()
					value, gradient := make([]float64, 1), make([]float64, 1)
					for b.Loop() {
						if reversed {
							err = m.Gradient(p.Point, value, gradient)
						} else {
							err = m.Value(p.Point)
						}
						require.NoError(b, err)
					}
				})
			}
		}
	}
}
