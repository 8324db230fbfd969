package exec_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/gram-machine/gram/compile"
	"github.com/gram-machine/gram/engine/exec"
	"github.com/gram-machine/gram/engine/lower"
	"github.com/gram-machine/gram/internal/property"
	"github.com/gram-machine/gram/limits"
	"github.com/gram-machine/gram/machine"
	"github.com/gram-machine/gram/revgrad"
	"github.com/gram-machine/gram/term"
)

// TestPropertyValue: the value and the steps of a random program are those of the literal machine.
func TestPropertyValue(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		p := draw(t)
		expanded, err := p.Term.Expand(nil, nil)
		require.NoError(t, err)
		code, err := compile.NewValue(expanded, p.Inputs, nil)
		require.NoError(t, err)
		want, err := machine.New(code, machine.Options{})
		require.NoError(t, err)
		defer want.Close()
		require.NoError(t, want.Value(p.Point))
		values, lengths, err := want.Read(nil, nil)
		require.NoError(t, err)

		got := run(t, p, false)
		require.NoError(t, got.Value(p.Point))
		same(t, values, read(t, got, lengths), 0)
		require.Equal(t, want.Stats().Counts, got.Stats().Counts)
	})
}

// TestPropertyGradient: the gradient of a random program is that of the literal machine to rounding, and its steps
// are the same.
func TestPropertyGradient(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		p := draw(t)
		expanded, err := p.Term.Expand(nil, nil)
		require.NoError(t, err)
		outputs, err := expanded.Check()
		require.NoError(t, err)
		k := 0
		if expanded.Types.Kind(outputs) == term.VecKind {
			k = expanded.Types.Len(outputs)
		}
		d, err := revgrad.Reverse(expanded, nil)
		require.NoError(t, err)
		code, err := compile.NewGradient(d, p.Inputs, k, nil)
		require.NoError(t, err)
		want, err := machine.New(code, machine.Options{})
		require.NoError(t, err)
		defer want.Close()
		k = max(1, k)
		values, jacobian := make([]float64, k), make([]float64, k*len(p.Point))
		require.NoError(t, want.Gradient(p.Point, values, jacobian))

		got := run(t, p, true)
		v, j := make([]float64, k), make([]float64, len(jacobian))
		require.NoError(t, got.Gradient(p.Point, v, j))
		same(t, values, v, 0)
		same(t, jacobian, j, 1e-9)
		require.Equal(t, want.Stats().Counts, got.Stats().Counts)
	})
}

func draw(t *rapid.T) *property.Program {
	size := rapid.IntRange(3, 40).Draw(t, "size")
	opt := property.Options{Recursive: rapid.Bool().Draw(t, "recursive"), Vector: rapid.Bool().Draw(t, "vector"), Size: size}
	if rapid.Bool().Draw(t, "families") {
		return property.Families(t, opt)
	}
	return property.Draw(t, opt)
}

func run(t *rapid.T, p *property.Program, gradient bool) *exec.Machine {
	code, err := lower.Program(p.Term, lower.Options{Inputs: p.Inputs, Gradient: gradient, After: verified})
	require.NoError(t, err)
	m := exec.New(code).NewMachine(limits.Bounds{})
	m.NoNative, m.NativeWork = rapid.Bool().Draw(t, "interpreted"), 1
	return m
}

func read(t *rapid.T, m *exec.Machine, want []int) []float64 {
	values, lengths, err := m.Read(nil, nil)
	require.NoError(t, err)
	require.Equal(t, want, lengths)
	return values
}

// same compares numbers to a relative rounding.
func same(t *rapid.T, want, got []float64, rounding float64) {
	require.Len(t, got, len(want))
	scale := 1.0
	for _, x := range want {
		if !math.IsNaN(x) && !math.IsInf(x, 0) {
			scale = math.Max(scale, math.Abs(x))
		}
	}
	for i, x := range want {
		y := got[i]
		if x != y && !(math.IsNaN(x) || math.IsInf(x, 0)) && !(math.Abs(x-y) <= rounding*scale) {
			t.Fatalf("number %d: %v instead of %v", i, y, x)
		}
	}
}
