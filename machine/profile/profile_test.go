package profile_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/gram-machine/gram/compile"
	"github.com/gram-machine/gram/compile/literal"
	"github.com/gram-machine/gram/engine"
	engineprofile "github.com/gram-machine/gram/engine/profile"
	"github.com/gram-machine/gram/graph/calls"
	"github.com/gram-machine/gram/internal/generate"
	"github.com/gram-machine/gram/internal/property"
	"github.com/gram-machine/gram/limits"
	"github.com/gram-machine/gram/machine"
	"github.com/gram-machine/gram/machine/profile"
	"github.com/gram-machine/gram/revgrad"
	"github.com/gram-machine/gram/rule"
	"github.com/gram-machine/gram/term"
)

// bySample sums samples by stack, phase and origin.
type bySample map[string]rule.Counts

func (b bySample) add(s calls.Sample) {
	if s.Counts == (rule.Counts{}) {
		return
	}
	key := fmt.Sprint(s.Stack, s.Input, s.Phase, s.Origin)
	c := b[key]
	c.AddTimes(&s.Counts, 1)
	b[key] = c
}

const maxSteps = 20000

// engineSamples returns the samples of a run of the engine, or nil if a limit ended it. Of a program
// that has duals of its own, or sums of vectors, it returns the counters, under "late": the two
// machines book the firings of such duals, and sums with them, to different places.
func engineSamples(t require.TestingT, q *term.Term, inputs []term.Var, point []float64, gradient bool) (bySample, int) {
	prog, err := compile.Compile(q, compile.Options{Inputs: inputs, Reversed: gradient, Places: true})
	var unsupported *compile.UnsupportedError
	if errors.As(err, &unsupported) {
		return nil, 0
	}
	require.NoError(t, err)
	m, err := engine.New(prog, engine.Options{Record: engineprofile.New, NoFuse: true, Limits: limits.Bounds{MaxSteps: maxSteps}})
	require.NoError(t, err)
	defer m.Close()
	if gradient {
		err = m.Gradient(point, make([]float64, prog.Outputs), make([]float64, prog.Outputs*len(inputs)))
	} else {
		err = m.Value(point)
	}
	if err != nil {
		return nil, 0
	}
	out := bySample{}
	m.Samples(out.add)
	if prog.Late {
		return bySample{"late": m.Stats().Counts}, 0
	}
	return out, prog.Outputs
}

// checkProfile holds the profile of a run against the engine's, and its sums against the counters.
func checkProfile(t require.TestingT, q *term.Term, inputs []term.Var, point []float64, gradient bool) {
	for i := range q.Nodes {
		q.Nodes[i].Pos = term.Pos(i)
	}
	want, k := engineSamples(t, q, inputs, point, gradient)
	if want == nil {
		return
	}
	var p *literal.Program
	var err error
	if gradient {
		p, err = literal.NewGradient(q, inputs, vectorLen(q), nil)
	} else {
		p, err = literal.NewValue(q, inputs, nil)
	}
	require.NoError(t, err)
	for _, random := range []bool{false, true} {
		f := profile.New(p)
		m, err := machine.New(p, machine.Options{Random: random, Events: f.Events})
		require.NoError(t, err)
		if gradient {
			require.NoError(t, m.Gradient(point, make([]float64, k), make([]float64, k*len(inputs))))
		} else {
			require.NoError(t, m.Value(point))
		}
		stats := m.Stats()
		require.NoError(t, m.Close())
		got := bySample{}
		var total rule.Counts
		var nodes, words uint64
		f.Samples(stats.Nodes, func(s calls.Sample) {
			got.add(s)
			total.AddTimes(&s.Counts, 1)
			nodes += s.Nodes
			words += s.Words
		})
		for _, w := range stats.Work {
			words -= w.Words
		}
		require.Equal(t, stats.Counts, total)
		require.Equal(t, stats.Nodes, nodes)
		require.Zero(t, words)
		if late, ok := want["late"]; ok {
			require.Equal(t, late, total)
			continue
		}
		require.Equal(t, want, got)
	}
}

// vectorLen returns k for a program of type R^k, reversed or not, and 0 for any other.
func vectorLen(q *term.Term) int {
	types, err := q.Typing(nil)
	if err != nil || q.Types.Kind(types[q.Root]) != term.VecKind {
		return 0
	}
	return q.Types.Len(types[q.Root])
}

// TestPropertyProfile: the profile of a run has the engine's samples of rewrites.
func TestPropertyProfile(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		p := generate.Draw(t, generate.Options{Vector: rapid.Bool().Draw(t, "vector")})
		checkProfile(t, p.Term, p.Inputs, p.Point, false)
		d, err := revgrad.Reverse(p.Term, nil)
		require.NoError(t, err)
		checkProfile(t, d, p.Inputs, p.Point, true)
		checkProfile(t, generate.Linear(t, rapid.IntRange(3, 150).Draw(t, "size")), nil, nil, false)
	})
}
