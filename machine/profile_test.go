package machine_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/gram-machine/gram/compile"
	"github.com/gram-machine/gram/engine/exec"
	"github.com/gram-machine/gram/engine/lower"
	"github.com/gram-machine/gram/graph/calls"
	"github.com/gram-machine/gram/internal/property"
	"github.com/gram-machine/gram/limits"
	"github.com/gram-machine/gram/machine"
	"github.com/gram-machine/gram/revgrad"
	"github.com/gram-machine/gram/rule"
	"github.com/gram-machine/gram/term"
)

// bySample sums samples by stack, phase and origin.
type bySample map[string]rule.Counts

// sums are those of samples.
type sums struct {
	by           bySample
	total        rule.Counts
	nodes, words uint64
}

func sumOf(samples func(f func(calls.Sample))) sums {
	out := sums{by: bySample{}}
	samples(func(s calls.Sample) {
		out.total.AddTimes(&s.Counts, 1)
		out.nodes += s.Nodes
		out.words += s.Words
		if s.Counts == (rule.Counts{}) {
			return
		}
		key := fmt.Sprint(s.Stack, s.Input, s.Phase, s.Origin)
		c := out.by[key]
		c.AddTimes(&s.Counts, 1)
		out.by[key] = c
	})
	return out
}

// literally returns the samples of a run of the literal machine, and holds their sums against its counters.
func literally(t require.TestingT, p *compile.Program, random bool, point []float64) bySample {
	f := machine.NewProfile(p)
	m, err := machine.New(p, machine.Options{Random: random, Events: f.Events})
	require.NoError(t, err)
	defer m.Close()
	if k := p.Outputs; k > 0 {
		require.NoError(t, m.Gradient(point, make([]float64, k), make([]float64, k*len(point))))
	} else {
		require.NoError(t, m.Value(point))
	}
	stats := m.Stats()
	got := sumOf(func(g func(calls.Sample)) { f.Samples(stats.Nodes, g) })
	require.Equal(t, stats.Counts, got.total)
	require.Equal(t, stats.Nodes, got.nodes)
	for _, w := range stats.Work {
		got.words -= w.Words
	}
	require.Zero(t, got.words)
	return got.by
}

// compiled returns the samples of code of the compiler, and holds their sums against its counters.
func compiled(t require.TestingT, p *property.Program, outputs int, plain bool) bySample {
	code, err := lower.Program(p.Term, lower.Options{Inputs: p.Inputs, Gradient: outputs > 0, Placed: true, Plain: plain})
	require.NoError(t, err)
	require.NoError(t, code.Verify())
	m := exec.New(code).NewMachine(limits.Bounds{})
	var last bySample
	for range 2 {
		if outputs > 0 {
			require.NoError(t, m.Gradient(p.Point, make([]float64, outputs), make([]float64, outputs*len(p.Point))))
		} else {
			require.NoError(t, m.Value(p.Point))
		}
		got, stats := sumOf(m.Samples), m.Stats()
		require.Equal(t, stats.Counts, got.total)
		require.Equal(t, stats.Nodes, got.nodes)
		if last != nil {
			require.Equal(t, last, got.by)
		}
		last = got.by
	}
	return last
}

// TestPropertyProfile: the profile of a run of the literal machine does not depend on the schedule, and code of the compiler has the
// same.
func TestPropertyProfile(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		opt := property.Options{Recursive: rapid.Bool().Draw(t, "recursive"), Vector: rapid.Bool().Draw(t, "vector")}
		draw := property.Draw
		if rapid.Bool().Draw(t, "families") {
			draw = property.Families
		}
		p := draw(t, opt)
		for i := range p.Term.Nodes {
			p.Term.Nodes[i].Pos = term.Pos(i)
		}
		q, err := p.Term.Expand(nil, nil)
		require.NoError(t, err)
		value, err := compile.NewValue(q, p.Inputs, nil)
		require.NoError(t, err)
		k := vectorLen(t, q)
		d, err := revgrad.Reverse(q, nil)
		require.NoError(t, err)
		gradient, err := compile.NewGradient(d, p.Inputs, k, nil)
		require.NoError(t, err)
		for i, l := range []*compile.Program{value, gradient} {
			want := literally(t, l, false, p.Point)
			require.Equal(t, want, literally(t, l, true, p.Point))
			require.Equal(t, want, compiled(t, p, i*max(1, k), rapid.Bool().Draw(t, "plain")))
		}
		linear, err := compile.NewValue(property.Linear(t, rapid.IntRange(3, 150).Draw(t, "size")), nil, nil)
		require.NoError(t, err)
		literally(t, linear, false, nil) // sums with its duals stand where the schedule makes them
		literally(t, linear, true, nil)
	})
}

// vectorLen returns k for a program of type R^k, and 0 for any other.
func vectorLen(t require.TestingT, q *term.Term) int {
	typ, err := q.Check()
	require.NoError(t, err)
	if q.Types.Kind(typ) != term.VecKind {
		return 0
	}
	return q.Types.Len(typ)
}
