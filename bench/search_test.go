package bench_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/gram-machine/gram/compile"
	"github.com/gram-machine/gram/engine"
	"github.com/gram-machine/gram/internal/generate"
	"github.com/gram-machine/gram/internal/property"
	"github.com/gram-machine/gram/limits"
	"github.com/gram-machine/gram/revgrad"
	"github.com/gram-machine/gram/term"
)

// The bound of docs/next-redex.md on the search of one run: so much for each step and for
// each unit of instantiate, and so much in all. Small programs have few duals in a job of
// duals that are written by hand, so that its heap is within it.
const (
	searchBound = 1
	searchInAll = 8
)

// searched is a run of a random program, literally, and what it cost.
type searched struct {
	t     *term.Term
	how   string
	stats engine.Stats
}

// ratio is the search for each unit of work, beyond what is allowed in all.
func (s *searched) ratio() float64 {
	return (float64(s.stats.Search) - searchInAll) / float64(max(1, s.work()))
}

// drawSearch runs a random program at its point: its value, its gradient or Jacobian, or
// the value of one with dual λs of its own, under any schedule.
func drawSearch(t *rapid.T) *searched {
	how := rapid.SampledFrom([]string{"value", "gradient", "Jacobian", "duals"}).Draw(t, "how")
	size := rapid.IntRange(1, generate.MaxSize).Draw(t, "size")
	opt := engine.Options{NoFuse: true, Limits: limits.Bounds{MaxSteps: maxSteps}}
	if rapid.Bool().Draw(t, "any redex") {
		opt.Schedule, opt.Seed = engine.Random, rapid.Uint64().Draw(t, "seed")
	}
	if how == "duals" {
		q := generate.Linear(t, size)
		m, _ := newMachine(t, q, compile.Options{}, opt)
		defer m.Close()
		requireRun(t, m.Value(nil))
		return &searched{q, how, m.Stats()}
	}
	p := generate.Draw(t, generate.Options{Size: size, Vector: how == "Jacobian"})
	q, c := p.Term, compile.Options{Inputs: p.Inputs}
	if how != "value" {
		var err error
		q, err = revgrad.Reverse(p.Term, nil)
		require.NoError(t, err)
		c.Reversed = true
	}
	m, outputs := newMachine(t, q, c, opt)
	defer m.Close()
	var err error
	if how == "value" {
		err = m.Value(p.Point)
	} else {
		err = m.Gradient(p.Point, make([]float64, outputs), make([]float64, outputs*len(p.Point)))
	}
	requireRun(t, err)
	return &searched{p.Term, how, m.Stats()}
}

// maxSteps ends what would take too long: the bound holds at any time.
const maxSteps = 100_000

// requireRun requires a run without error, but that of the limit of steps.
func requireRun(t require.TestingT, err error) {
	var limit *limits.ReachedError
	if !errors.As(err, &limit) {
		require.NoError(t, err)
	}
}

func newMachine(t require.TestingT, q *term.Term, c compile.Options, opt engine.Options) (m *engine.Machine, outputs int) {
	prog, err := compile.Compile(q, c)
	require.NoError(t, err)
	m, err = engine.New(prog, opt)
	require.NoError(t, err)
	return m, prog.Outputs
}

func (s *searched) require(t require.TestingT) {
	require.LessOrEqual(t, s.stats.Search, searchBound*s.work()+searchInAll, "%s", s)
}

// work is what search is charged to.
func (s *searched) work() uint64 { return s.stats.Counts.Total() + s.stats.Instantiate }

// TestPropertySearch: the search for redexes is bounded by the steps.
func TestPropertySearch(t *testing.T) {
	var programs, duals property.Constant
	t.Cleanup(func() {
		programs.Report(t, "search for each step and unit of instantiate", searchBound)
		duals.Report(t, "the same of programs with dual λs of their own", searchBound)
	})
	property.Check(t, func(t *rapid.T) {
		s := drawSearch(t)
		s.require(t)
		c := &programs
		if s.how == "duals" {
			c = &duals
		}
		c.Measure(s.ratio(), s)
	})
}

// FuzzSearch searches for a program whose steps take more search than they may.
func FuzzSearch(f *testing.F) {
	f.Fuzz(rapid.MakeFuzz(func(t *rapid.T) { drawSearch(t).require(t) }))
}

// String is the program, and how it was run.
func (s *searched) String() string { return s.how + " of " + s.t.String() }
