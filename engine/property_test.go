package engine_test

import (
	"errors"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/gram-machine/gram/compile"
	"github.com/gram-machine/gram/engine"
	"github.com/gram-machine/gram/internal/denote"
	"github.com/gram-machine/gram/internal/generate"
	"github.com/gram-machine/gram/internal/normalise"
	"github.com/gram-machine/gram/internal/property"
	"github.com/gram-machine/gram/limits"
	"github.com/gram-machine/gram/revgrad"
	"github.com/gram-machine/gram/rule"
	"github.com/gram-machine/gram/term"
)

// maxSteps bounds a random program: iterating functions on functions explodes.
const maxSteps = 200_000

// newMachine compiles and makes a machine that the test closes.
func newMachine(t require.TestingT, q *term.Term, inputs []term.Var, reversed bool, opt engine.Options) (*engine.Machine, func()) {
	prog, err := compile.Compile(q, compile.Options{Inputs: inputs, Reversed: reversed})
	require.NoError(t, err)
	opt.Limits.MaxMemory = 64 << 20
	m, err := engine.New(prog, opt)
	require.NoError(t, err)
	return m, func() { require.NoError(t, m.Close()) }
}

// collectEvery makes collections frequent, for each of the schedules.
var collectEvery = []uint32{1, 1 << 20, 40, 1, 7}

var schedules = []engine.Options{{NoFuse: true}, {}, {Schedule: engine.Random, Seed: 1}, {Schedule: engine.Random, Seed: 2},
	{Schedule: engine.Random, Seed: 3, NoFuse: true}}

// never are the rules that do not fire at a point in programs without lin.
func assertNever(t require.TestingT, c rule.Counts) {
	require.Zero(t, c[rule.PlusPair], "(7)")
	require.Zero(t, c[rule.EtaLambda], "(9)")
	require.Zero(t, c[rule.EtaPair], "(10)")
}

func valueProperty(t *rapid.T) {
	checkValue(t, generate.Draw(t, generate.Options{Vector: rapid.Bool().Draw(t, "vector")}))
}

// checkValue runs a program under all schedules.
func checkValue(t *rapid.T, p *generate.Program) {
	_, err := p.Term.Check()
	require.NoError(t, err)
	var want []float64
	var first engine.Stats
	for i, opt := range schedules {
		opt.Limits.MaxSteps = maxSteps
		m, done := newMachine(t, p.Term, p.Inputs, false, opt)
		defer done()
		engine.CollectEvery(m, collectEvery[i])
		err := m.Value(p.Point)
		var limit *limits.ReachedError
		if errors.As(err, &limit) {
			property.Leave(t, "limit of "+limit.Limit)
			return
		}
		require.NoError(t, err)
		got, _, err := m.Read(nil, nil)
		require.NoError(t, err)
		s := m.Stats()
		if i == 0 {
			first = s
			want, _ = oracleValue(p)
		}
		requireSame(t, want, got)
		require.Equal(t, first.Counts, s.Counts)
		assertNever(t, s.Counts)
		require.LessOrEqual(t, s.Instantiate, 4*s.Counts.Total()+100)
	}
}

func oracleValue(p *generate.Program) ([]float64, []float64) {
	return denote.Jacobian(p.Term, p.Inputs, p.Point)
}

func requireSame(t require.TestingT, want, got []float64) {
	require.Len(t, got, len(want))
	for i := range want {
		if !(want[i] == got[i] || math.IsNaN(want[i]) && math.IsNaN(got[i])) {
			require.Equal(t, want, got)
		}
	}
}

func gradientProperty(t *rapid.T) {
	p := generate.Draw(t, generate.Options{Vector: rapid.Bool().Draw(t, "vector")})
	d, err := revgrad.Reverse(p.Term, nil)
	require.NoError(t, err)
	_, err = d.Check()
	require.NoError(t, err)
	values, jacobian := oracleValue(p)
	checkGradient(t, d, p, values, jacobian)
}

// checkGradient runs d, D(t) or its normal form, under all schedules.
func checkGradient(t *rapid.T, d *term.Term, p *generate.Program, values, jacobian []float64) {
	var first engine.Stats
	var lifo []float64
	for i, opt := range schedules {
		opt.Limits.MaxSteps = maxSteps
		m, done := newMachine(t, d, p.Inputs, true, opt)
		defer done()
		v, j := make([]float64, len(values)), make([]float64, len(jacobian))
		err := m.Gradient(p.Point, v, j)
		var limit *limits.ReachedError
		if errors.As(err, &limit) {
			property.Leave(t, "limit of "+limit.Limit)
			return
		}
		require.NoError(t, err)
		s := m.Stats()
		if i == 0 {
			first, lifo = s, j
		}
		requireSame(t, values, v)
		if opt.Schedule == engine.LIFO {
			requireSame(t, lifo, j) // with blocks and without, sums are added in one order
		}
		for i := range j {
			if !generate.Close(jacobian[i], j[i], 1e-9) && !huge(jacobian[i]) {
				require.Equal(t, jacobian, j)
			}
		}
		require.Equal(t, first.Counts, s.Counts)
		assertNever(t, s.Counts)
	}
}

// huge results lose digits to cancellation, or are infinite or no number.
func huge(x float64) bool { return math.IsNaN(x) || math.Abs(x) > 1e9 }

// TestPropertyValueAgreesWithOracle holds the machine's values, bit by bit, and its counts
// under several schedules against each other and against the oracle.
func TestPropertyValueAgreesWithOracle(t *testing.T) { property.Check(t, valueProperty) }

// TestPropertyGradientAgreesWithOracle does so for gradients and Jacobians.
func TestPropertyGradientAgreesWithOracle(t *testing.T) { property.Check(t, gradientProperty) }

// FuzzValue and FuzzGradient search for programs that break the properties.
func FuzzValue(f *testing.F) { f.Fuzz(rapid.MakeFuzz(valueProperty)) }

func FuzzGradient(f *testing.F) { f.Fuzz(rapid.MakeFuzz(gradientProperty)) }

// openProperty: with symbolic inputs the machine computes the same values at the
// point, m and |G| do not depend on the schedule, and without inputs m is the count
// of the value.
func openProperty(t *rapid.T) {
	p := generate.Draw(t, generate.Options{Vector: rapid.Bool().Draw(t, "vector")})
	opt := engine.Options{Limits: limits.Bounds{MaxSteps: maxSteps}}
	m, done := newMachine(t, p.Term, p.Inputs, false, opt)
	defer done()
	var limit *limits.ReachedError
	if err := m.Value(p.Point); errors.As(err, &limit) {
		property.Leave(t, "limit of "+limit.Limit)
		return
	}
	want, _, err := m.Read(nil, nil)
	require.NoError(t, err)
	var first engine.Stats
	for i, opt := range schedules {
		prog, err := compile.Compile(p.Term, compile.Options{Inputs: p.Inputs, Open: true})
		require.NoError(t, err)
		o, err := engine.New(prog, opt)
		require.NoError(t, err)
		defer o.Close()
		require.NoError(t, o.Reduce(p.Point))
		got, _, err := o.Read(nil, nil)
		require.NoError(t, err)
		requireSame(t, want, got)
		s := o.Stats()
		if i == 0 {
			first = s
		}
		require.Equal(t, first.Counts, s.Counts)
		require.Zero(t, s.Counts[rule.EtaLambda])
		if len(p.Inputs) == 0 {
			require.Equal(t, m.Stats().Counts, s.Counts)
			require.Empty(t, o.Made())
		}
	}
}

// TestPropertyOpenTerms holds the reduction with symbolic inputs against that at a point.
func TestPropertyOpenTerms(t *testing.T) { property.Check(t, openProperty) }

// TestPropertyNormalFormRuns: the machine runs the normal form of D(t), under every schedule
// and as blocks or not, to t's value and gradient.
func TestPropertyNormalFormRuns(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		p := generate.Draw(t, generate.Options{Vector: rapid.Bool().Draw(t, "vector")})
		d, err := revgrad.Reverse(p.Term, nil)
		require.NoError(t, err)
		n, _, err := normalise.Normal(d, p.Inputs, p.Point, normalise.Options{Unfold: true, Limits: limits.Bounds{MaxSteps: maxSteps}})
		var limit *limits.ReachedError
		if errors.As(err, &limit) {
			property.Leave(t, "limit of "+limit.Limit)
			return
		}
		require.NoError(t, err)
		values, jacobian := oracleValue(p)
		checkGradient(t, n, p, values, jacobian)
	})
}
