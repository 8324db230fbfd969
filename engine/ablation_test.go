package engine_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/gram-machine/gram/compile"
	"github.com/gram-machine/gram/engine"
	"github.com/gram-machine/gram/graph"
	"github.com/gram-machine/gram/internal/generate"
	"github.com/gram-machine/gram/internal/property"
	"github.com/gram-machine/gram/limits"
	"github.com/gram-machine/gram/revgrad"
	"github.com/gram-machine/gram/rule"
)

// ablated runs the gradient of a program, or its value, without a piece of the machine.
func ablated(t *testing.T, text string, reversed bool, a engine.Ablation) (outcome, engine.Stats) {
	t.Helper()
	s := fromSource(t, text)
	m, err := engine.New(s.compiled(t, compile.Options{Reversed: reversed}), engine.Options{NoFuse: true, Ablation: a})
	require.NoError(t, err)
	defer m.Close()
	var out outcome
	if reversed {
		out.values, out.jacobian = make([]float64, 1), make([]float64, len(s.point))
		require.NoError(t, m.Gradient(s.point, out.values, out.jacobian))
	} else {
		require.NoError(t, m.Value(s.point))
		out.values, _, err = m.Read(nil, nil)
		require.NoError(t, err)
	}
	st := m.Stats()
	out.counts, out.nodes = st.Counts, st.Nodes
	return out, st
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
	for _, a := range []engine.Ablation{engine.Whole, engine.NoFactoring, engine.SubstituteFirst} {
		t.Run(a.String(), func(t *testing.T) {
			var total []uint64
			for n := range 9 {
				want, _ := ablated(t, squares(n), true, engine.Whole)
				got, _ := ablated(t, squares(n), true, a)
				require.Equal(t, want.values, got.values)
				require.InEpsilon(t, want.jacobian[0], got.jacobian[0], 1e-13)
				total = append(total, got.counts.Total())
				if a == engine.NoFactoring {
					require.Zero(t, got.counts[rule.Factor])
				}
				if a == engine.SubstituteFirst {
					dual := uint64(graph.Units(graph.DualWords, 3)) // two heads and a number
					require.Equal(t, dual*(uint64(1)<<n-1), got.nodes-want.nodes, "a copy for each path")
				}
			}
			for n := range 6 {
				first, second := total[n+2]-2*total[n+1]+total[n], total[n+3]-2*total[n+2]+total[n+1]
				require.Equal(t, 2*first, second, "n = %d", n)
				require.Equal(t, a == engine.Whole, first == 0)
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
			want, whole := ablated(t, callsOf(n, 1), reversed, engine.Whole)
			got, st := ablated(t, callsOf(n, 1), reversed, engine.Rescan)
			sameBits(t, want, got)
			search = append(search, int64(st.Search)-int64(whole.Search))
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
		want, whole := ablated(t, callsOf(n, branch), true, engine.Whole)
		got, st := ablated(t, callsOf(n, branch), true, engine.CopyBodies)
		require.Equal(t, want.values, got.values)
		require.Equal(t, want.jacobian, got.jacobian)
		require.Equal(t, want.counts, got.counts)
		require.Equal(t, st.Instantiate-whole.Instantiate, got.nodes-want.nodes)
		return st.Instantiate - whole.Instantiate
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
		q, reversed := p.Term, rapid.Bool().Draw(t, "gradient")
		if reversed {
			d, err := revgrad.Reverse(p.Term, nil)
			require.NoError(t, err)
			q = d
		}
		prog, err := compile.Compile(q, compile.Options{Inputs: p.Inputs, Reversed: reversed})
		require.NoError(t, err)
		opt := engine.Options{NoFuse: true, Limits: limits.Bounds{MaxSteps: maxSteps, MaxMemory: 64 << 20}}
		want, m := runAs(t, prog, p.Point, opt, func(*engine.Machine) {})
		require.NoError(t, m.Close())
		opt.Ablation = rapid.SampledFrom(engine.Ablations).Draw(t, "ablation")
		got, m := runAs(t, prog, p.Point, opt, func(*engine.Machine) {})
		require.NoError(t, m.Close())
		if want.limit != "" || got.limit != "" {
			return // without a piece it may take more steps
		}
		requireSame(t, want.values, got.values)
		for i, g := range want.jacobian {
			if scale := math.Abs(g); !math.IsNaN(g) && !math.IsInf(g, 0) && scale < 1e6 {
				require.InDelta(t, g, got.jacobian[i], 1e-8*max(1, scale), "%s", p.Term)
			}
		}
		if opt.Ablation == engine.Rescan || opt.Ablation == engine.CopyBodies {
			require.Equal(t, want.counts, got.counts)
		}
	})
}

// TestAblationsRefuse: schedules and programs that they can't be of.
func TestAblationsRefuse(t *testing.T) {
	s := fromSource(t, "input x = 0.5\nx * x")
	prog := s.compiled(t, compile.Options{})
	_, err := engine.New(prog, engine.Options{Schedule: engine.Random, Ablation: engine.Rescan})
	require.ErrorContains(t, err, "schedule LIFO")
	s = fromSource(t, "input x = 0.5\n(lin a -> 2 * a) x")
	_, err = engine.New(s.compiled(t, compile.Options{}), engine.Options{Ablation: engine.NoFactoring})
	require.ErrorContains(t, err, "hand-written duals")
}

// TestAblationLimits: what would take forever stops at the limits.
func TestAblationLimits(t *testing.T) {
	prog := fromSource(t, squares(60)).compiled(t, compile.Options{Reversed: true})
	for _, a := range []engine.Ablation{engine.NoFactoring, engine.SubstituteFirst} {
		for _, bounds := range []limits.Bounds{{MaxSteps: 100_000}, {MaxNodes: 100_000}, {MaxMemory: 64 << 20, MaxSteps: 1e8}} {
			if a == engine.NoFactoring && bounds.MaxNodes != 0 {
				continue // it makes none
			}
			if bounds.MaxMemory == 0 {
				bounds.MaxMemory = 1 << 30
			}
			m, err := engine.New(prog, engine.Options{Ablation: a, Limits: bounds})
			require.NoError(t, err)
			err = m.Gradient([]float64{1}, make([]float64, 1), make([]float64, 1))
			var limit *limits.ReachedError
			require.ErrorAs(t, err, &limit, a.String())
			require.NoError(t, m.Close())
		}
	}
}
