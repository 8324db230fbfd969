package reference_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/gram-machine/gram/engine/exec"
	"github.com/gram-machine/gram/engine/lower"
	"github.com/gram-machine/gram/internal/denote"
	"github.com/gram-machine/gram/internal/property"
	"github.com/gram-machine/gram/internal/reference"
	"github.com/gram-machine/gram/limits"
	"github.com/gram-machine/gram/machine"
	"github.com/gram-machine/gram/revgrad"
	"github.com/gram-machine/gram/rule"
	"github.com/gram-machine/gram/term"
)

// maxSteps bounds the runs that are compared: a step of the reference takes time
// linear in the term.
const maxSteps = 1500

// subject is a term with its inputs at a point.
type subject struct {
	t      *term.Term
	inputs []term.Var
	point  []float64
	image  *term.Term // D(t) or its normal form; nil stands for D(t)
}

// outputs is k of a body of type R^k, 0 of one of type R.
func (p subject) outputs(t require.TestingT) int {
	ty, err := p.t.Check()
	require.NoError(t, err)
	if p.t.Types.Kind(ty) == term.VecKind {
		return p.t.Types.Len(ty)
	}
	return 0
}

func (p subject) reversed(t require.TestingT) *term.Term {
	if p.image != nil {
		return p.image
	}
	d, err := revgrad.Reverse(p.t, nil)
	require.NoError(t, err)
	return d
}

func draw(t *rapid.T) subject {
	p := property.Draw(t, property.Options{Vector: rapid.Bool().Draw(t, "vector"), Size: rapid.IntRange(5, 60).Draw(t, "size")})
	return subject{t: p.Term, inputs: p.Inputs, point: p.Point}
}

// outcome is what a run of the machine or of the reference comes to.
type outcome struct {
	values   []float64
	jacobian []float64
	counts   rule.Counts
}

// onMachine runs code of the compiler, or the literal machine where there is none; ok is false if the run is too long to be compared.
func onMachine(t require.TestingT, p subject, gradient bool) (out outcome, ok bool) {
	return onMachineWithin(t, p, gradient, maxSteps)
}

// onMachineWithin is onMachine; ok is false if the run takes more steps.
func onMachineWithin(t require.TestingT, p subject, gradient bool, steps uint64) (out outcome, ok bool) {
	var none *lower.UnsupportedError
	code, err := lower.Program(p.t, lower.Options{Inputs: p.inputs, Gradient: gradient})
	if p.image != nil || errors.As(err, &none) {
		out, _, ok = onLiteral(t, p, gradient, machine.Options{Limits: limits.Bounds{MaxSteps: steps}})
		return out, ok
	}
	require.NoError(t, err)
	m := exec.New(code).NewMachine(limits.Bounds{MaxSteps: steps, MaxMemory: 64 << 20})
	defer m.Close()
	err = out.evaluate(t, m, p, gradient)
	if tooLong(t, err) {
		return out, false
	}
	require.NoError(t, err)
	out.counts = m.Stats().Counts
	return out, true
}

// evaluator is either machine.
type evaluator interface {
	Value(point []float64) error
	Gradient(point, values, jacobian []float64) error
	Read(out []float64, lengths []int) ([]float64, []int, error)
}

// evaluate runs a machine at the point.
func (out *outcome) evaluate(t require.TestingT, m evaluator, p subject, gradient bool) (err error) {
	if gradient {
		k := max(1, p.outputs(t))
		out.values, out.jacobian = make([]float64, k), make([]float64, k*len(p.point))
		return m.Gradient(p.point, out.values, out.jacobian)
	}
	ty, err := p.t.Check()
	require.NoError(t, err)
	if err = m.Value(p.point); err == nil && p.t.Types.Euclidean(ty) && p.t.Types.Kind(ty) != term.EuclidKind {
		out.values, _, err = m.Read(nil, nil)
	}
	return err
}

// onReference runs the reference by the machine's strategy.
func onReference(t require.TestingT, p subject, gradient bool, rng *rand.Rand) (out outcome) {
	strategy := reference.Machine(rng)
	if !gradient {
		s := reference.Convert(p.t, denote.Floats{}).ValueStart(p.inputs, p.point).Named()
		res, err := s.Run(strategy, maxSteps, nil)
		require.NoError(t, err)
		numbers, ok := reference.Numbers(res.Term)
		require.True(t, ok, "%s is no value", res.Term)
		return outcome{values: floats(numbers), counts: res.Counts}
	}
	s := reference.Convert(p.reversed(t), denote.Floats{}).GradientStart(p.inputs, p.point, p.outputs(t)).Named()
	res, err := s.Run(strategy, maxSteps, nil)
	require.NoError(t, err)
	rows, ok := s.Jacobian(res.Term)
	require.True(t, ok, "%s is no tagged sum", res.Term)
	out = outcome{values: floats(res.Values), counts: res.Counts, jacobian: []float64{}}
	for _, row := range rows {
		out.jacobian = append(out.jacobian, row...)
	}
	return out
}

func floats(numbers []denote.Number) []float64 {
	out := make([]float64, len(numbers))
	for i, r := range numbers {
		out[i] = r.(float64)
	}
	return out
}

// requireAgreement holds the reference, under several schedules, against the machine:
// counts and values exactly, derivatives to rounding, since the order in which a bag
// is summed is free.
func requireAgreement(t require.TestingT, p subject, gradient bool) {
	requireAgreementOf(t, p, gradient, func(want, got []float64) {
		require.Len(t, got, len(want))
		for i, v := range want {
			require.True(t, v == got[i] || math.IsNaN(v) && math.IsNaN(got[i]), "%v instead of %v", got, want)
		}
	})
}

// requireAgreementOf compares the values by same.
func requireAgreementOf(t require.TestingT, p subject, gradient bool, same func(want, got []float64)) {
	want, ok := onMachine(t, p, gradient)
	if !ok {
		return
	}
	for _, rng := range []*rand.Rand{nil, rand.New(rand.NewPCG(1, 0))} {
		got := onReference(t, p, gradient, rng)
		require.Equal(t, want.counts, got.counts, "counts of %s", p.t)
		same(want.values, got.values)
		requireClose(t, want.jacobian, got.jacobian)
	}
}

// requireClose requires the same numbers to rounding. Those that lose their digits to
// cancellation, or have none, are not compared.
func requireClose(t require.TestingT, want, got []float64) {
	require.Len(t, got, len(want))
	for i, v := range want {
		if !property.Close(v, got[i], 1e-9) && !(math.Abs(v) > 1e9) && !math.IsNaN(v) {
			require.Equal(t, want, got)
		}
	}
}

// TestPropertyMachineValue holds values and their counts against the machine.
func TestPropertyMachineValue(t *testing.T) {
	property.Check(t, func(t *rapid.T) { requireAgreement(t, draw(t), false) })
}

// TestPropertyMachineGradient does so for gradients and Jacobians.
func TestPropertyMachineGradient(t *testing.T) {
	property.Check(t, func(t *rapid.T) { requireAgreement(t, draw(t), true) })
}
