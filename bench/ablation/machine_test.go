package ablation_test

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/gram-machine/gram/bench/ablation"
	"github.com/gram-machine/gram/compile"
	"github.com/gram-machine/gram/engine"
	"github.com/gram-machine/gram/graph"
	"github.com/gram-machine/gram/internal/bridge"
	"github.com/gram-machine/gram/internal/generate"
	"github.com/gram-machine/gram/internal/property"
	"github.com/gram-machine/gram/limits"
	"github.com/gram-machine/gram/revgrad"
	"github.com/gram-machine/gram/rule"
	"github.com/gram-machine/gram/term"
)

// outcome is what a run of the engine comes to.
type outcome struct {
	values, jacobian []float64
	stats            engine.Stats
}

// maxSteps bounds a random program.
const maxSteps = 200_000

// hooks are the ablations of the engine, by name.
var hooks = map[string]func() *engine.Hooks{"none": func() *engine.Hooks { return nil }, "no factoring": ablation.NoFactoring,
	"substitute first": ablation.SubstituteFirst, "rescan": ablation.Rescan, "copy bodies": ablation.CopyBodies}

// compiled compiles a term, or D of it.
func compiled(t require.TestingT, q *term.Term, inputs []term.Var, reversed bool) *graph.Program {
	if reversed {
		d, err := revgrad.Reverse(q, nil)
		require.NoError(t, err)
		q = d
	}
	prog, err := compile.Compile(q, compile.Options{Inputs: inputs, Reversed: reversed})
	require.NoError(t, err)
	return prog
}

// run runs a program with hooks.
func run(t require.TestingT, prog *graph.Program, point []float64, h *engine.Hooks, bounds limits.Bounds) (out outcome, err error) {
	m, err := engine.New(prog, engine.Options{NoFuse: true, Hooks: h, Limits: bounds})
	require.NoError(t, err)
	defer func() { require.NoError(t, m.Close()) }()
	if prog.Reversed {
		out.values, out.jacobian = make([]float64, prog.Outputs), make([]float64, prog.Outputs*len(point))
		err = m.Gradient(point, out.values, out.jacobian)
	} else if err = m.Value(point); err == nil {
		out.values, _, err = m.Read(nil, nil)
	}
	out.stats = m.Stats()
	return out, err
}

// ablated runs the gradient of a program, or its value, with hooks.
func ablated(t *testing.T, text string, reversed bool, h *engine.Hooks) outcome {
	t.Helper()
	p := load(t, text)
	out, err := run(t, compiled(t, bridge.Of(p).Term(), bridge.Of(p).ScalarInputs(), reversed), p.Point(), h, limits.Bounds{})
	require.NoError(t, err)
	return out
}

// squares is z' = z·z, n times.
func squares(n int) string {
	var b strings.Builder
	b.WriteString("input x = 1.0625\nlet z0 = x in\n")
	for i := range n {
		fmt.Fprintf(&b, "let z%d = z%d * z%d in\n", i+1, i, i)
	}
	fmt.Fprintf(&b, "z%d\n", n)
	return b.String()
}

// TestAblationsOfFactoring: without rule (11), or with (3) on duals before it, the dual of
// z' = z·z fires once for each path to it: the steps that n more squares take double
// with n. With it they are the same for each.
func TestAblationsOfFactoring(t *testing.T) {
	for _, name := range []string{"none", "no factoring", "substitute first"} {
		t.Run(name, func(t *testing.T) {
			var total []uint64
			for n := range 9 {
				want := ablated(t, squares(n), true, nil)
				got := ablated(t, squares(n), true, hooks[name]())
				require.Equal(t, want.values, got.values)
				require.InEpsilon(t, want.jacobian[0], got.jacobian[0], 1e-13)
				total = append(total, got.stats.Counts.Total())
				if name == "no factoring" {
					require.Zero(t, got.stats.Counts[rule.Factor])
				}
				if name == "substitute first" {
					dual := uint64(graph.Units(graph.DualWords, 3)) // two heads and a number
					require.Equal(t, dual*(uint64(1)<<n-1), got.stats.Nodes-want.stats.Nodes, "a copy for each path")
				}
			}
			for n := range 6 {
				first, second := total[n+2]-2*total[n+1]+total[n], total[n+3]-2*total[n+2]+total[n+1]
				require.Equal(t, 2*first, second, "n = %d", n)
				require.Equal(t, name == "none", first == 0)
			}
		})
	}
}

// callsOf is n calls, each of which waits for the one before, of a function with a branch
// of so many operations that is never taken.
func callsOf(n, branch int) string {
	var b strings.Builder
	b.WriteString("input x = 0.5\nlet f = fun z -> if z < -2 then z")
	b.WriteString(strings.Repeat(" + sin z", branch))
	b.WriteString(" else sin z in\nlet z0 = x in\n")
	for i := range n {
		fmt.Fprintf(&b, "let z%d = f z%d in\n", i+1, i)
	}
	fmt.Fprintf(&b, "z%d\n", n)
	return b.String()
}

// TestAblationRescan: a search that begins at the result goes through all calls that
// wait, so that it takes Θ(n²) in all; steps, values and nodes stay what they are.
func TestAblationRescan(t *testing.T) {
	for _, reversed := range []bool{false, true} {
		var search []int64
		for n := 10; n < 15; n++ {
			want := ablated(t, callsOf(n, 1), reversed, nil)
			got := ablated(t, callsOf(n, 1), reversed, ablation.Rescan())
			require.Equal(t, want.values, got.values)
			require.Equal(t, want.jacobian, got.jacobian)
			require.Equal(t, want.stats.Counts, got.stats.Counts)
			require.Equal(t, want.stats.Nodes, got.stats.Nodes)
			search = append(search, int64(got.stats.Search)-int64(want.stats.Search))
		}
		for i := range 2 {
			require.Equal(t, search[i+2]-2*search[i+1]+search[i], search[i+3]-2*search[i+2]+search[i+1])
			require.Positive(t, search[i+2]-2*search[i+1]+search[i])
		}
	}
}

// TestAblationCopyBodies: each call copies all of the body, what it doesn't run too.
func TestAblationCopyBodies(t *testing.T) {
	const n = 10
	copied := func(branch int) uint64 {
		want := ablated(t, callsOf(n, branch), true, nil)
		got := ablated(t, callsOf(n, branch), true, ablation.CopyBodies())
		require.Equal(t, want.values, got.values)
		require.Equal(t, want.jacobian, got.jacobian)
		require.Equal(t, want.stats.Counts, got.stats.Counts)
		require.Equal(t, got.stats.Instantiate-want.stats.Instantiate, got.stats.Nodes-want.stats.Nodes)
		return got.stats.Instantiate - want.stats.Instantiate
	}
	one, two, three := copied(1), copied(2), copied(3)
	require.Equal(t, two-one, three-two)
	require.Zero(t, (two-one)%n)
	require.Positive(t, two-one)
}

// TestPropertyAblations: whatever piece is missing, values are the same, and derivatives up
// to the order of sums.
func TestPropertyAblations(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		p := generate.Draw(t, generate.Options{Vector: rapid.Bool().Draw(t, "vector")})
		prog := compiled(t, p.Term, p.Inputs, rapid.Bool().Draw(t, "gradient"))
		bounds := limits.Bounds{MaxSteps: maxSteps, MaxMemory: 64 << 20}
		name := rapid.SampledFrom(slices.Sorted(maps.Keys(hooks))).Draw(t, "ablation")
		want, err := run(t, prog, p.Point, nil, bounds)
		got, err2 := run(t, prog, p.Point, hooks[name](), bounds)
		if err != nil || err2 != nil {
			var limit *limits.ReachedError
			require.ErrorAs(t, cmp.Or(err, err2), &limit)
			return // without a piece it may take more steps
		}
		for i := range want.values {
			require.Equal(t, math.Float64bits(want.values[i]), math.Float64bits(got.values[i]))
		}
		for i, g := range want.jacobian {
			if scale := math.Abs(g); !math.IsNaN(g) && !math.IsInf(g, 0) && scale < 1e6 {
				require.InDelta(t, g, got.jacobian[i], 1e-8*max(1, scale), "%s", p.Term)
			}
		}
		if name == "rescan" || name == "copy bodies" {
			require.Equal(t, want.stats.Counts, got.stats.Counts)
		}
	})
}

// TestAblationsRefuse: schedules and programs that they can't be of.
func TestAblationsRefuse(t *testing.T) {
	p := load(t, "input x = 0.5\nx * x")
	_, err := engine.New(compiled(t, bridge.Of(p).Term(), bridge.Of(p).ScalarInputs(), false), engine.Options{Schedule: engine.Random, Hooks: ablation.Rescan()})
	require.ErrorContains(t, err, "schedule LIFO")
	p = load(t, "input x = 0.5\n(lin a -> 2 * a) x")
	_, err = engine.New(compiled(t, bridge.Of(p).Term(), bridge.Of(p).ScalarInputs(), false), engine.Options{Hooks: ablation.NoFactoring()})
	require.ErrorContains(t, err, "hand-written duals")
}

// TestAblationLimits: what would take forever stops at the limits.
func TestAblationLimits(t *testing.T) {
	p := load(t, squares(60))
	prog := compiled(t, bridge.Of(p).Term(), bridge.Of(p).ScalarInputs(), true)
	for _, name := range []string{"no factoring", "substitute first"} {
		for _, bounds := range []limits.Bounds{{MaxSteps: 100_000}, {MaxNodes: 100_000}, {MaxMemory: 64 << 20, MaxSteps: 1e7}} {
			if name == "no factoring" && bounds.MaxNodes != 0 {
				continue // it makes none
			}
			if bounds.MaxMemory == 0 {
				bounds.MaxMemory = 1 << 30
			}
			_, err := run(t, prog, []float64{1}, hooks[name](), bounds)
			var limit *limits.ReachedError
			require.ErrorAs(t, err, &limit, name)
		}
	}
}
