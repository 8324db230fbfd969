package engine_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/gram-machine/gram/compile"
	"github.com/gram-machine/gram/engine"
	"github.com/gram-machine/gram/graph/calls"
	"github.com/gram-machine/gram/internal/property"
	"github.com/gram-machine/gram/internal/testprogram"
	"github.com/gram-machine/gram/limits"
)

// loopExpression draws an expression of numbers.
func loopExpression(t *rapid.T, of []string, depth int) string {
	if depth == 0 || rapid.IntRange(0, 3).Draw(t, "leaf") == 0 {
		return rapid.SampledFrom(of).Draw(t, "leaf of")
	}
	a := loopExpression(t, of, depth-1)
	switch op := rapid.SampledFrom([]string{"sin", "tanh", "sigmoid", "+", "*", "-"}).Draw(t, "operation"); op {
	case "+", "*", "-":
		return fmt.Sprintf("(%s %s %s)", a, op, loopExpression(t, of, depth-1))
	default:
		return fmt.Sprintf("%s (%s)", op, a)
	}
}

// loopProgram draws a program of one or two loops whose states are pairs of numbers.
func drawLoops(t *rapid.T) string {
	var b strings.Builder
	b.WriteString("input e = 0.75\ninput r = -0.5\n")
	n := rapid.IntRange(1, 80).Draw(t, "elements")
	fmt.Fprintf(&b, "data xs : List R = list i < %d -> sin i\ndata ps : List R^2 = list i < %d -> [| cos i, 1 / (i + 1) |]\n", n, n)
	b.WriteString("let h = 1 in let k = e in\n")
	for range rapid.IntRange(1, 2).Draw(t, "loops") {
		of := []string{"e", "r", "h", "k", "0.5"}
		step := func(of ...string) string {
			return fmt.Sprintf("(%s, %s)", loopExpression(t, of, 3), loopExpression(t, of, 3))
		}
		switch rapid.IntRange(0, 2).Draw(t, "kind") {
		case 0:
			fmt.Fprintf(&b, "let (h, k) = #%d (fun (h, k) -> %s) (h, r) in\n", n, step(of...))
		case 1:
			fmt.Fprintf(&b, "let (h, k) = fold (fun x (h, k) -> %s) (k, h) xs in\n", step(append(of, "x")...))
		default:
			fmt.Fprintf(&b, "let (h, k) = fold (fun p (h, k) -> %s) (k, h) ps in\n", step(append(of, "p.(0)", "p.(1)")...))
		}
	}
	return b.String() + rapid.SampledFrom([]string{"h", "h * k", "[| h, k, h + r |]"}).Draw(t, "result")
}

// checkpointProperty: a gradient whose loops compute their rows again, and their data when they read it, has the values, derivatives and counts of one whose loops
// keep them.
func checkpointProperty(t *rapid.T) {
	src := drawLoops(t)
	if rapid.Bool().Draw(t, "paths") {
		g := &pathBody{rng: rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))}
		src = pathInputs + g.program()
	}
	s := testprogram.FromSource(t, src)
	prog := s.Compiled(t, compile.Options{Reversed: true})
	numbers := rapid.Uint64Range(1, 20).Draw(t, "numbers")
	computed := s.Compiled(t, compile.Options{Reversed: true})
	if rapid.Bool().Draw(t, "computed") {
		computed.Data = slices.Clone(computed.Data)
		for i := range computed.Data {
			d := &computed.Data[i]
			values, width := d.Values, d.Width
			d.Values, d.Chunk = nil, func(dst []float64, from int, _ func() error) error {
				copy(dst, values[from*width:])
				return nil
			}
		}
	}
	opt := engine.Options{Limits: limits.Bounds{MaxMemory: 64 << 20}}
	opt.Schedule = rapid.SampledFrom([]engine.Schedule{engine.LIFO, engine.LIFO, engine.Random}).Draw(t, "schedule")
	parallel := opt.Schedule == engine.LIFO && rapid.Bool().Draw(t, "parallel")
	prepare := func(m *engine.Machine) {
		engine.ObjectNumbers(m, numbers)
		if opt.Schedule == engine.Parallel {
			engine.LendEvery(m, 5, true)
		}
	}
	want, with := runAs(t, prog, s.Point, opt, prepare)
	defer with.Close()
	opt.Limits.RowsMemory = rapid.Uint64Range(1, 1000).Draw(t, "rows memory")
	if parallel {
		opt.Schedule, opt.Workers = engine.Parallel, 3
	}
	got, without := runAs(t, computed, s.Point, opt, prepare)
	defer without.Close()
	sameBits(t, want, got)
	kept, again := with.Stats(), without.Stats()
	require.Zero(t, kept.Recompute)
	if !parallel {
		require.Equal(t, kept.Search, again.Search)
		require.Equal(t, kept.Instantiate, again.Instantiate)
	}
	twice, err := runAgain(without, s.Point, computed)
	require.NoError(t, err)
	sameBits(t, want, twice)
}

func TestPropertyCheckpoints(t *testing.T) {
	defer engine.RunsPerPath(1)()
	property.Check(t, checkpointProperty)
}

// noBlocks are the programs of pathPrograms whose loops are no blocks, or have no rows.
var noBlocks = []string{
	"a constant branch",     // the last run's result is a numeral: nothing reaches the loop
	"a Jacobian", "vectors", // p.(0) is a family, and a block with families has one path
	"a function that is applied twice", "a left fold of a mapped list", "one that calls twice", "one that compares what it gets",
	"one that goes on after the call", "one that is a number now and then", "one that opens what it gets",
	"partial and further application", // its result is that of the last run
}

// TestCheckpointPaths: all other loops with branches, mapped lists and chains keep states in place of rows, and that changes nothing.
func TestCheckpointPaths(t *testing.T) {
	defer engine.RunsPerPath(1)()
	var kept []string
	for name, body := range pathPrograms {
		s := testprogram.FromSource(t, pathInputs+body)
		prog := s.Compiled(t, compile.Options{Reversed: true})
		for _, work := range []uint64{0, 1 << 40} {
			reset := engine.NativeWork(work)
			few := func(m *engine.Machine) { engine.ObjectNumbers(m, 12) }
			want, with := runAs(t, prog, s.Point, engine.Options{}, few)
			for _, memory := range []uint64{1, 300} {
				got, without := runAs(t, prog, s.Point, engine.Options{Limits: limits.Bounds{RowsMemory: memory}}, few)
				sameBits(t, want, got)
				require.Equal(t, with.Stats().Search, without.Stats().Search)
				if without.Stats().Recompute == 0 && memory == 1 && work == 0 {
					kept = append(kept, name)
				}
				require.NoError(t, without.Close())
			}
			require.NoError(t, with.Close())
			reset()
		}
	}
	require.ElementsMatch(t, noBlocks, kept)
}

// TestCheckpoints: with room for the states of all objects a loop is run once more; with less, the least number of times.
func TestCheckpoints(t *testing.T) {
	s := testprogram.FromSource(t, "input e = 0.75\ninput r = -0.5\n#1000 (fun h -> sin (h * e) + 1) r")
	prog := s.Compiled(t, compile.Options{Reversed: true})
	run := func(numbers, memory uint64) (outcome, engine.Stats) {
		got, m := runAs(t, prog, s.Point, engine.Options{Limits: limits.Bounds{RowsMemory: memory}}, func(m *engine.Machine) { engine.ObjectNumbers(m, numbers) })
		defer m.Close()
		return got, m.Stats()
	}
	want, kept := run(20, 1<<20)
	require.Zero(t, kept.Recompute)
	require.Zero(t, kept.Freed)
	for _, test := range []struct{ memory, again uint64 }{{2 * 2 * 8 * 100, 1000}, {2 * 2 * 8 * 12, 2 * 1000}, {1, 50 * 1000}} {
		got, stats := run(20, test.memory)
		sameBits(t, want, got)
		require.LessOrEqual(t, stats.Recompute, test.again*kept.Counts.Total()/1000)
		require.NotZero(t, stats.Recompute)
		require.Less(t, stats.PeakNodes, kept.PeakNodes)
	}
}

// TestShare: the shares of the primal and the backward phase grow from 0 to 1, with rows and without; where there is no long
// loop, that of the primal phase is not known.
func TestShare(t *testing.T) {
	const straight, branches = "sin (h * e) + 1", "if h < 1.5 then sin (h * e) + 1 else h * e"
	shares := func(body string, n int, bounds limits.Bounds) map[calls.Phase][]float64 {
		s := testprogram.FromSource(t, fmt.Sprintf("input e = 0.75\n#%d (fun h -> %s) e", n, body))
		of := map[calls.Phase][]float64{}
		runGradient(t, s, s.Compiled(t, compile.Options{Reversed: true}), engine.Options{Limits: bounds, Share: func(phase calls.Phase, share float64) {
			if share >= 0 {
				of[phase] = append(of[phase], share)
			}
		}})
		return of
	}
	for _, run := range []struct {
		body   string
		rows   uint64
		phases []calls.Phase
	}{
		{straight, 0, []calls.Phase{calls.Primal, calls.Backward}},
		{straight, 1 << 10, []calls.Phase{calls.Primal, calls.Backward}},
		{branches, 1 << 14, []calls.Phase{calls.Primal, calls.Discovery, calls.Backward}},
	} {
		got := shares(run.body, 4_000_000, limits.Bounds{RowsMemory: run.rows})
		for _, phase := range run.phases {
			require.True(t, slices.IsSorted(got[phase]))
			require.Less(t, got[phase][0], 0.1)
			require.Greater(t, got[phase][len(got[phase])-1], 0.9)
			require.LessOrEqual(t, got[phase][len(got[phase])-1], 1.0)
		}
	}
	require.Empty(t, shares(straight, 100_000, limits.Bounds{})[calls.Primal])
}

// TestShareParallel: where workers have made nodes, the share of the backward phase grows, too.
func TestShareParallel(t *testing.T) {
	s := testprogram.FromSource(t, "input e = 0.75\nsum i < 16 -> #100000 (fun h -> sin (h * e) + i) e")
	prog := s.Compiled(t, compile.Options{Reversed: true})
	var shares []float64
	opt := engine.Options{Schedule: engine.Parallel, Workers: 2, Share: func(phase calls.Phase, share float64) {
		if phase == calls.Backward && share >= 0 {
			shares = append(shares, share)
		}
	}}
	_, m := runAs(t, prog, s.Point, opt, func(m *engine.Machine) { engine.LendEvery(m, engine.LookEvery, true) })
	require.NotZero(t, engine.Accepted(m))
	require.True(t, slices.IsSorted(shares))
	require.GreaterOrEqual(t, shares[0], 0.0)
	require.Greater(t, shares[len(shares)-1], 0.7)
	require.LessOrEqual(t, shares[len(shares)-1], 1.0)
	require.NoError(t, m.Close())
}

// TestCheckpointLooks: an error of Look ends a run wherever it comes, while rows are computed again, too.
func TestCheckpointLooks(t *testing.T) {
	s := testprogram.FromSource(t, loopProgram)
	prog := s.Compiled(t, compile.Options{Reversed: true})
	full := runGradient(t, s, prog, engine.Options{})
	stop, left := errors.New("stop"), uint64(1<<40)
	m, err := engine.New(prog, engine.Options{Limits: limits.Bounds{RowsMemory: 1, Look: func() error {
		if left--; left == 0 {
			return stop
		}
		return nil
	}}})
	require.NoError(t, err)
	defer func() { require.NoError(t, m.Close()) }()
	v, j := make([]float64, 1), make([]float64, len(s.Point))
	require.NoError(t, m.Gradient(s.Point, v, j))
	looks := m.Stats().Looks
	require.Greater(t, looks, full.stats.Looks+10)
	for at := uint64(2); at < looks; at += 3 {
		left = at
		require.ErrorIs(t, m.Gradient(s.Point, v, j), stop, "look %d", at)
		left = 1 << 40
		require.NoError(t, m.Gradient(s.Point, v, j))
		require.Equal(t, full.values, v)
		require.Equal(t, full.jacobian, j)
	}
}
