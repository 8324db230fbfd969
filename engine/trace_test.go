package engine_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/gram-machine/gram/compile"
	"github.com/gram-machine/gram/engine"
	"github.com/gram-machine/gram/graph"
	"github.com/gram-machine/gram/internal/generate"
	"github.com/gram-machine/gram/internal/limits"
	"github.com/gram-machine/gram/internal/property"
	"github.com/gram-machine/gram/revgrad"
	"github.com/gram-machine/gram/term"
)

// tracing counts the rewrites of a trace, and checks that each goes on where the last
// one was.
type tracing struct {
	t      require.TestingT
	counts graph.Counts
	phases [engine.NumPhases]graph.Counts
	last   engine.Rewrite
}

func (tr *tracing) rewrite(r *engine.Rewrite) error {
	require.Equal(tr.t, tr.last.Number+1, r.Number)
	require.LessOrEqual(tr.t, r.Event, r.Number)
	require.GreaterOrEqual(tr.t, r.Event, tr.last.Event)
	require.Equal(tr.t, tr.last.After, r.Before)
	tr.counts[r.Rule]++
	tr.phases[r.Phase][r.Rule]++
	tr.last = *r
	return nil
}

// tracedOptions are runs that are traced.
var tracedOptions = []engine.Options{{}, {NoFuse: true}, {Schedule: engine.Random, Seed: 1}}

// checkTrace traces a gradient, and compares numbers and counts with those of a run.
func checkTrace(t require.TestingT, q *term.Term, p *generate.Program, outputs int) {
	for i, opt := range tracedOptions {
		opt.Limits.MaxSteps = maxSteps
		m, done := newMachine(t, q, p.Inputs, true, opt)
		defer done()
		values, jacobian := make([]float64, outputs), make([]float64, outputs*len(p.Point))
		err := m.Gradient(p.Point, values, jacobian)
		var limit *limits.ReachedError
		if errors.As(err, &limit) {
			return
		}
		require.NoError(t, err)
		want := m.Stats().Counts
		tr := &tracing{t: t}
		v, j := make([]float64, outputs), make([]float64, len(jacobian))
		require.NoError(t, m.TraceGradient(p.Point, v, j, tr.rewrite))
		require.Equal(t, want, tr.counts)
		require.Equal(t, want, m.Stats().Counts)
		requireSame(t, values, v)
		if i == 1 { // the same order of sums
			requireSame(t, jacobian, j)
		}
		require.Zero(t, tr.phases[engine.Primal][graph.Factor])
	}
}

// TestPropertyTrace: a trace has as many rewrites of each rule as the run counts, and the
// run the same result as without.
func TestPropertyTrace(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		p := generate.Draw(t, generate.Options{Vector: rapid.Bool().Draw(t, "vector")})
		values, _ := oracleValue(p)
		for i, opt := range tracedOptions {
			opt.Limits.MaxSteps = maxSteps
			m, done := newMachine(t, p.Term, p.Inputs, false, opt)
			defer done()
			engine.CollectEvery(m, collectEvery[i])
			tr := &tracing{t: t}
			err := m.TraceValue(p.Point, tr.rewrite)
			var limit *limits.ReachedError
			if errors.As(err, &limit) {
				return
			}
			require.NoError(t, err)
			require.Equal(t, m.Stats().Counts, tr.counts)
			got, _, err := m.Read(nil, nil)
			require.NoError(t, err)
			requireSame(t, values, got)
			require.Zero(t, tr.phases[engine.Backward])
		}
		d, err := revgrad.Reverse(p.Term, nil)
		require.NoError(t, err)
		checkTrace(t, d, p, len(values))
	})
}

// TestPropertyTraceLinear is the same for programs with dual λs of their own.
func TestPropertyTraceLinear(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		q := generate.Linear(t, rapid.IntRange(3, 150).Draw(t, "size"))
		m, done := newMachine(t, q, nil, false, engine.Options{Limits: limits.Bounds{MaxSteps: maxSteps}})
		defer done()
		tr := &tracing{t: t}
		err := m.TraceValue(nil, tr.rewrite)
		var limit *limits.ReachedError
		if errors.As(err, &limit) {
			return
		}
		require.NoError(t, err)
		require.Equal(t, m.Stats().Counts, tr.counts)
	})
}

// TestTraceStops: an error of the callback ends the run, in either phase; the next run is
// as if nothing had been.
func TestTraceStops(t *testing.T) {
	s := fromSource(t, "input x = 0.5\niter #4 (fun y -> sin (x * y)) x")
	m, err := engine.New(s.compiled(t, compile.Options{Reversed: true}), engine.Options{})
	require.NoError(t, err)
	defer m.Close()
	var want, got [2]float64
	require.NoError(t, m.Gradient(s.point, want[:1], want[1:]))
	stats := m.Stats()
	steps := stats.Counts.Total()
	stop := errors.New("stop")
	for at := uint64(1); at <= steps; at++ {
		calls := uint64(0)
		err := m.TraceGradient(s.point, got[:1], got[1:], func(r *engine.Rewrite) error {
			if calls++; calls == at {
				objects, _, err := m.Objects(0)
				require.NoError(t, err)
				require.NotEmpty(t, objects)
				return stop
			}
			return nil
		})
		require.ErrorIs(t, err, stop)
		require.Equal(t, at, calls)
	}
	require.NoError(t, m.Gradient(s.point, got[:1], got[1:]))
	require.Equal(t, want, got)
}

// TestTraceOf: what has no trace says so.
func TestTraceOf(t *testing.T) {
	s := fromSource(t, "input x = 2\nx * x")
	for _, c := range []struct {
		compile compile.Options
		machine engine.Options
	}{
		{compile.Options{Open: true}, engine.Options{}},
		{compile.Options{}, engine.Options{Schedule: engine.Parallel, Workers: 2}},
		{compile.Options{}, engine.Options{Ablation: engine.Rescan}},
	} {
		m, err := engine.New(s.compiled(t, c.compile), c.machine)
		require.NoError(t, err)
		require.ErrorContains(t, m.TraceValue(s.point, nil), "traced")
		require.NoError(t, m.Close())
	}
}

// TestTraceFinite: a derivative that is not finite is an error with its place.
func TestTraceFinite(t *testing.T) {
	s := fromSource(t, "input x = 0\nsqrt x")
	m, err := engine.New(s.compiled(t, compile.Options{Reversed: true}), engine.Options{Finite: true})
	require.NoError(t, err)
	defer m.Close()
	var out [2]float64
	want := m.Gradient(s.point, out[:1], out[1:])
	var notFinite *limits.NotFiniteError
	require.ErrorAs(t, want, &notFinite)
	require.Equal(t, want, m.TraceGradient(s.point, out[:1], out[1:], func(*engine.Rewrite) error { return nil }))
}
