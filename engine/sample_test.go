package engine_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/gram-machine/gram/compile"
	"github.com/gram-machine/gram/engine"
	"github.com/gram-machine/gram/engine/profile"
	"github.com/gram-machine/gram/graph"
	"github.com/gram-machine/gram/graph/calls"
	"github.com/gram-machine/gram/internal/generate"
	"github.com/gram-machine/gram/internal/property"
	"github.com/gram-machine/gram/internal/testprogram"
	"github.com/gram-machine/gram/limits"
	"github.com/gram-machine/gram/revgrad"
	"github.com/gram-machine/gram/rule"
	"github.com/gram-machine/gram/term"
)

// steps are the steps of a run by stack, phase and origin, and those of the source's code.
type steps struct {
	by     map[string]rule.Counts
	source uint64
}

// samples returns the steps of the last run by stack, and holds the sums of the samples
// against the run's counts.
func samples(t require.TestingT, m *engine.Machine) steps {
	out := steps{by: map[string]rule.Counts{}}
	var total rule.Counts
	var nodes uint64
	m.Samples(func(s calls.Sample) {
		total.AddTimes(&s.Counts, 1)
		nodes += s.Nodes
		require.Zero(t, s.Time)
		if s.Counts == (rule.Counts{}) {
			return
		}
		for r, n := range s.Counts {
			require.Less(t, n, uint64(1)<<63, "%s at %v: a negative count", rule.Rule(r), s.Stack)
		}
		key := fmt.Sprint(s.Stack, s.Input, s.Phase, s.Origin)
		c := out.by[key]
		c.AddTimes(&s.Counts, 1)
		out.by[key] = c
		if s.Origin == calls.SourceCode {
			out.source += s.Counts.Total()
		}
	})
	stats := m.Stats()
	require.Equal(t, stats.Counts, total)
	require.Equal(t, stats.Nodes, nodes)
	return out
}

// checkSamples runs a program under all schedules, with blocks and without, with rows and without: its steps have
// the same stacks. It returns them, or none if a limit ended a run.
func checkSamples(t require.TestingT, q *term.Term, inputs []term.Var, point []float64, opt compile.Options) steps {
	opt.Inputs, opt.Places = inputs, true
	prog, err := compile.Compile(q, opt)
	require.NoError(t, err)
	var first steps
	for i, mopt := range schedules {
		mopt.Record = profile.New
		mopt.Limits = limits.Bounds{MaxSteps: maxSteps, MaxMemory: 64 << 20, RowsMemory: uint64(i % 2)} // 1: loops keep no rows
		m, err := engine.New(prog, mopt)
		require.NoError(t, err)
		defer m.Close()
		engine.CollectEvery(m, collectEvery[i])
		ended := runOnce(t, m, prog, q, inputs, point)
		got := samples(t, m)
		if ended {
			return steps{}
		}
		if i == 0 {
			first = got
		}
		if !prog.Open { // there (10) is of the code that comes first to a pair
			require.Equal(t, first, got)
		}
	}
	return first
}

// runOnce runs a program, and reports whether a limit ended it.
func runOnce(t require.TestingT, m *engine.Machine, prog *graph.Program, q *term.Term, inputs []term.Var, point []float64) bool {
	var err error
	switch {
	case prog.Open:
		err = m.Reduce(point)
	case prog.Reversed:
		err = m.Gradient(point, make([]float64, prog.Outputs), make([]float64, prog.Outputs*len(inputs)))
	default:
		if err = m.Value(point); err == nil {
			_, _, err = m.Read(nil, nil)
		}
	}
	var limit *limits.ReachedError
	if errors.As(err, &limit) {
		return true
	}
	require.NoError(t, err)
	return false
}

// TestPropertySamples: over all samples of a run, steps by rule and nodes are those of its
// counters, for values, gradients, graphs and normal forms, and programs with dual λs. A
// gradient takes as many steps of the source's code as the value.
func TestPropertySamples(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		p := generate.Draw(t, generate.Options{Vector: rapid.Bool().Draw(t, "vector")})
		if rapid.Bool().Draw(t, "straight") {
			p = straight(t)
		}
		d, err := revgrad.Reverse(p.Term, nil)
		require.NoError(t, err)
		value := checkSamples(t, p.Term, p.Inputs, p.Point, compile.Options{})
		checkSamples(t, p.Term, p.Inputs, p.Point, compile.Options{Open: true})
		gradient := checkSamples(t, d, p.Inputs, p.Point, compile.Options{Reversed: true})
		if value.by != nil && gradient.by != nil {
			require.Equal(t, value.source, gradient.source)
		}
		checkSamples(t, d, p.Inputs, p.Point, compile.Options{Reversed: true, Open: true})
		q := generate.Linear(t, rapid.IntRange(3, 150).Draw(t, "size"))
		checkSamples(t, q, nil, nil, compile.Options{})
	})
}

// TestSamplesOfBlocks: a block has the stacks of the literal form, however the duals of its
// result are reached.
func TestSamplesOfBlocks(t *testing.T) {
	for name, body := range blockPrograms {
		t.Run(name, func(t *testing.T) {
			s := testprogram.FromSource(t, blockInputs+body)
			d, err := revgrad.Reverse(s.Term, nil)
			require.NoError(t, err)
			gradient := checkSamples(t, d, s.Inputs, s.Point, compile.Options{Reversed: true})
			require.Greater(t, len(gradient.by), 5)
			require.Equal(t, checkSamples(t, s.Term, s.Inputs, s.Point, compile.Options{}).source, gradient.source)
		})
	}
}

// TestSamplesOfLongLoops does so for loops of several objects.
func TestSamplesOfLongLoops(t *testing.T) {
	for name, body := range longLoops {
		t.Run(name, func(t *testing.T) {
			s := testprogram.FromSource(t, blockInputs+body)
			d, err := revgrad.Reverse(s.Term, nil)
			require.NoError(t, err)
			prog, err := compile.Compile(d, compile.Options{Inputs: s.Inputs, Reversed: true, Places: true})
			require.NoError(t, err)
			var first steps
			for _, noFuse := range []bool{false, true} {
				m, err := engine.New(prog, engine.Options{Record: profile.New, NoFuse: noFuse})
				require.NoError(t, err)
				require.False(t, runOnce(t, m, prog, d, s.Inputs, s.Point))
				got := samples(t, m)
				if first.by == nil {
					first = got
				}
				require.Equal(t, first, got)
				require.NoError(t, m.Close())
			}
		})
	}
}

// TestSampleStacks: recursion through the functions that a fold builds is folded, and deep
// calls are cut; nothing is lost.
func TestSampleStacks(t *testing.T) {
	for name, body := range map[string]string{
		"foldl": "data ys : List R = list i < 2000 -> i\nfoldl (fun s y -> tanh (y * e + s)) r ys",
		"deep":  deepCalls(300),
	} {
		t.Run(name, func(t *testing.T) {
			s := testprogram.FromSource(t, blockInputs+body)
			prog, err := compile.Compile(s.Term, compile.Options{Inputs: s.Inputs, Places: true})
			require.NoError(t, err)
			m, err := engine.New(prog, engine.Options{Record: profile.Timed, NoFuse: true})
			require.NoError(t, err)
			defer m.Close()
			require.NoError(t, m.Value(s.Point))
			deepest, total := 0, rule.Counts{}
			var time int64
			m.Samples(func(s calls.Sample) {
				deepest = max(deepest, len(s.Stack))
				total.AddTimes(&s.Counts, 1)
				time += int64(s.Time)
			})
			require.Equal(t, m.Stats().Counts, total)
			require.Positive(t, time)
			require.LessOrEqual(t, deepest, 65)
			if name == "foldl" {
				require.Less(t, deepest, 10)
			} else {
				require.Equal(t, 65, deepest)
			}
		})
	}
}

// deepCalls is a chain of so many functions, each of which calls the one before.
func deepCalls(n int) string {
	out := "let f0 = fun x -> sin x in\n"
	for i := range n {
		out += fmt.Sprintf("let f%d = fun x -> f%d (x * e) in\n", i+1, i)
	}
	return out + fmt.Sprintf("f%d r", n)
}

// TestProfileRefuses: a profile is of one goroutine, and of the whole machine.
func TestProfileRefuses(t *testing.T) {
	s := testprogram.FromSource(t, blockInputs+"e * r")
	prog := s.Compiled(t, compile.Options{})
	for _, opt := range []engine.Options{{Schedule: engine.Parallel}, {Hooks: &engine.Hooks{}}} {
		opt.Record = profile.New
		_, err := engine.New(prog, opt)
		require.ErrorContains(t, err, "a profile is of")
	}
}
