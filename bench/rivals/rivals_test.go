package rivals_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/gram-machine/gram"
	"github.com/gram-machine/gram/bench/family"
	"github.com/gram-machine/gram/bench/rivals"
	"github.com/gram-machine/gram/internal/generate"
	"github.com/gram-machine/gram/internal/oracle"
	"github.com/gram-machine/gram/internal/property"
)

func load(t *testing.T, text string) *gram.Program {
	t.Helper()
	p, err := gram.Load(t.Context(), "test", []byte(text), gram.Options{})
	require.NoError(t, err, text)
	return p
}

// families are those that are measured, and others with a gradient.
func families() []family.Family {
	var out []family.Family
	for _, fs := range [][]family.Family{family.Ground(), family.HigherOrder(), family.Adversarial(), family.Constructors(),
		{family.Church, family.Captures, family.Untaken, family.EveryRule, family.Batch, family.Calls, family.Composed, family.ComposedSquares, family.Redexes}} {
		out = append(out, fs...)
	}
	return out
}

// TestFamilies: each rival's gradient of each family is that of forward mode, of central differences, and the machine's.
func TestFamilies(t *testing.T) {
	for _, f := range families() {
		for _, n := range []int{1, 2, 3, 6} {
			p := load(t, f.Source(n))
			values, jacobian := oracle.Jacobian(p.Term(), p.ScalarInputs(), p.Point())
			differences := oracle.Differences(p.Term(), p.ScalarInputs(), p.Point())
			res, err := p.Gradient(t.Context(), gram.EvalOptions{})
			require.NoError(t, err)
			for _, r := range rivals.All() {
				got, err := r.Gradient(t.Context(), p.Term(), p.ScalarInputs(), p.Point(), rivals.Options{MaxSteps: 1e7})
				require.NoError(t, err, "%s, n = %d, %s", f.Name, n, r.Name)
				require.InDeltaSlice(t, values, got.Values, 1e-9, "%s, n = %d, %s", f.Name, n, r.Name)
				require.InDeltaSlice(t, jacobian, got.Jacobian, 1e-6, "%s, n = %d, %s", f.Name, n, r.Name)
				require.InDeltaSlice(t, differences, got.Jacobian, 1e-3, "%s, n = %d, %s", f.Name, n, r.Name)
				require.InDeltaSlice(t, res.Jacobian, got.Jacobian, 1e-6, "%s, n = %d, %s", f.Name, n, r.Name)
			}
		}
	}
}

// TestPropertyGradient: each rival's gradient of a random program is that of forward mode.
func TestPropertyGradient(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		p := generate.Draw(t, generate.Options{Vector: rapid.Bool().Draw(t, "vector"), Size: rapid.IntRange(3, 40).Draw(t, "size")})
		values, jacobian := oracle.Jacobian(p.Term, p.Inputs, p.Point)
		for _, r := range rivals.All() {
			got, err := r.Gradient(t.Context(), p.Term, p.Inputs, p.Point, rivals.Options{MaxSteps: 1e6})
			require.NoError(t, err, r.Name)
			for i, v := range values {
				require.True(t, generate.Close(v, got.Values[i], 0), "%s: %v instead of %v", r.Name, got.Values, values)
			}
			require.Len(t, got.Jacobian, len(jacobian))
			for i, want := range jacobian {
				if math.Abs(want) < 1e9 {
					require.True(t, generate.Close(want, got.Jacobian[i], 1e-9), "%s: %v instead of %v", r.Name, got.Jacobian, jacobian)
				}
			}
		}
	})
}
