package bench_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/gram-machine/gram/compile"
	"github.com/gram-machine/gram/internal/property"
	"github.com/gram-machine/gram/limits"
	"github.com/gram-machine/gram/machine"
	"github.com/gram-machine/gram/revgrad"
	"github.com/gram-machine/gram/rule"
	"github.com/gram-machine/gram/term"
)

// The bound of docs/next-redex.md on the units of search and wake of one run: so many for each step and each unit of
// instantiate, and so many in all. Small programs have few duals in a job of duals that are written by hand, so that
// its heap is within it.
const (
	searchBound = 4
	searchInAll = 8
)

// maxSteps ends what would take too long: the bound holds at any time.
const maxSteps = 100_000

// searched is a run of a random program, and what it cost.
type searched struct {
	t            *term.Term
	how          string
	search, work uint64
}

// ratio is the search for each unit of work, beyond what is allowed in all.
func (s *searched) ratio() float64 {
	return (float64(s.search) - searchInAll) / float64(max(1, s.work))
}

// drawSearch runs a random program at its point: its value, its gradient or Jacobian, or the value of one with dual λs
// of its own, under any schedule.
func drawSearch(t *rapid.T) *searched {
	how := rapid.SampledFrom([]string{"value", "gradient", "Jacobian", "duals"}).Draw(t, "how")
	size := rapid.IntRange(1, property.MaxSize).Draw(t, "size")
	opt := machine.Options{Limits: limits.Bounds{MaxSteps: maxSteps}}
	if opt.Random = rapid.Bool().Draw(t, "any redex"); opt.Random {
		opt.Seed = rapid.Uint64().Draw(t, "seed")
	}
	p := property.Program{}
	if how == "duals" {
		p.Term = property.Linear(t, size)
	} else {
		p = *property.Draw(t, property.Options{Size: size, Vector: how == "Jacobian"})
	}
	gradient := how == "gradient" || how == "Jacobian"
	prog, err := compile.NewValue(p.Term, p.Inputs, nil)
	outputs := 0
	if gradient {
		var d *term.Term
		d, err = revgrad.Reverse(p.Term, nil)
		require.NoError(t, err)
		ty, err := p.Term.Check()
		require.NoError(t, err)
		if p.Term.Types.Kind(ty) == term.VecKind {
			outputs = p.Term.Types.Len(ty)
		}
		prog, err = compile.NewGradient(d, p.Inputs, outputs, nil)
		require.NoError(t, err)
	}
	require.NoError(t, err)
	m, err := machine.New(prog, opt)
	require.NoError(t, err)
	defer m.Close()
	if k := max(1, outputs); gradient {
		err = m.Gradient(p.Point, make([]float64, k), make([]float64, k*len(p.Point)))
	} else {
		err = m.Value(p.Point)
	}
	var limit *limits.ReachedError
	if !errors.As(err, &limit) {
		require.NoError(t, err)
	}
	st := m.Stats()
	units := func(u rule.Move) uint64 { return st.Work[u].Fired }
	return &searched{p.Term, how, units(rule.Search) + units(rule.Wake), st.Counts.Total() + units(rule.Instantiate)}
}

func (s *searched) require(t require.TestingT) {
	require.LessOrEqual(t, s.search, searchBound*s.work+searchInAll, "%s", s)
}

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
