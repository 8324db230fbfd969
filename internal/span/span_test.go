package span_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/gram-machine/gram/compile"
	"github.com/gram-machine/gram/internal/generate"
	"github.com/gram-machine/gram/internal/property"
	"github.com/gram-machine/gram/internal/span"
	"github.com/gram-machine/gram/machine"
	"github.com/gram-machine/gram/revgrad"
	"github.com/gram-machine/gram/term"
)

// TestPropertyCounts: the evaluator makes the steps of the literal machine, by each rule, and computes its numbers: of
// random programs and their gradients, and of terms with dual λs of their own.
func TestPropertyCounts(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		opt := span.Options{Tree: rapid.Bool().Draw(t, "tree")}
		p := generate.Draw(t, generate.Options{Vector: rapid.Bool().Draw(t, "vector"), Size: rapid.IntRange(5, 100).Draw(t, "size"), Recursive: rapid.Bool().Draw(t, "recursive")})
		got, err := span.Value(p.Term, p.Inputs, p.Point, opt)
		require.NoError(t, err)
		prog, err := compile.NewValue(p.Term, p.Inputs, nil)
		require.NoError(t, err)
		requireValue(t, prog, p.Point, got)

		d, err := revgrad.Reverse(p.Term, nil)
		require.NoError(t, err)
		ty, err := p.Term.Check()
		require.NoError(t, err)
		outputs := 0
		if p.Term.Types.Kind(ty) == term.VecKind {
			outputs = p.Term.Types.Len(ty)
		}
		got, err = span.Gradient(d, p.Inputs, outputs, p.Point, opt)
		require.NoError(t, err)
		prog, err = compile.NewGradient(d, p.Inputs, outputs, nil)
		require.NoError(t, err)
		m, err := machine.New(prog, machine.Options{})
		require.NoError(t, err)
		defer m.Close()
		values := make([]float64, max(1, outputs))
		jacobian := make([]float64, len(values)*len(p.Point))
		require.NoError(t, m.Gradient(p.Point, values, jacobian))
		require.Equal(t, m.Stats().Counts, got.Counts)
		requireClose(t, values, got.Values)
		requireClose(t, jacobian, got.Jacobian)

		linear := generate.Linear(t, rapid.IntRange(3, 150).Draw(t, "size of lin"))
		got, err = span.Value(linear, nil, nil, opt)
		require.NoError(t, err)
		prog, err = compile.NewValue(linear, nil, nil)
		require.NoError(t, err)
		requireValue(t, prog, nil, got)
	})
}

func requireValue(t *rapid.T, prog *compile.Program, point []float64, got *span.Result) {
	m, err := machine.New(prog, machine.Options{})
	require.NoError(t, err)
	defer m.Close()
	require.NoError(t, m.Value(point))
	values, _, err := m.Read(nil, nil)
	require.NoError(t, err)
	require.Equal(t, m.Stats().Counts, got.Counts)
	requireClose(t, values, got.Values)
}

func requireClose(t *rapid.T, want, got []float64) {
	require.Len(t, got, len(want))
	for i := range want {
		require.True(t, generate.Close(want[i], got[i], 1e-9) || math.Abs(want[i]) > 1e9, "%v and %v", want, got)
	}
}
