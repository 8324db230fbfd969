package reference_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/gram-machine/gram/compile"
	"github.com/gram-machine/gram/internal/denote"
	"github.com/gram-machine/gram/internal/property"
	"github.com/gram-machine/gram/internal/reference"
	"github.com/gram-machine/gram/limits"
	"github.com/gram-machine/gram/machine"
)

// openLiteral is m and |G| by the literal machine; ok is false if the run is too long.
func openLiteral(t require.TestingT, p subject, prog *compile.Program, opt machine.Options) (out opened, ok bool) {
	opt.Limits = limits.Bounds{MaxSteps: maxSteps, MaxMemory: 64 << 20}
	m, err := machine.New(prog, opt)
	require.NoError(t, err)
	defer m.Close()
	err = m.Graph(p.point)
	if tooLong(t, err) {
		return out, false
	}
	require.NoError(t, err)
	out.m = m.Stats().Counts
	if prog.Outputs == 0 {
		out.size = reference.GraphSize(m.GraphSize())
	}
	return out, true
}

// requireOpenLiteral holds m and |G| of the literal machine against the reference's, by any schedule.
func requireOpenLiteral(t require.TestingT, p subject, seed uint64) {
	prog, err := compile.NewOpen(p.t, p.inputs, nil)
	require.NoError(t, err)
	got, ok := openLiteral(t, p, prog, machine.Options{})
	if !ok {
		return
	}
	again, _ := openLiteral(t, p, prog, machine.Options{Random: true, Seed: seed})
	require.Equal(t, got, again, "random schedule: %s", p.t)
	want := openReference(t, p, nil)
	require.Equal(t, named(want.m), named(got.m), "%s", p.t)
	require.Equal(t, want.size, got.size, "%s", p.t)
}

// TestPropertyLiteralOpen holds m, rule by rule with (10), and |G| of the literal machine against the reference's.
func TestPropertyLiteralOpen(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		p := property.Draw(t, property.Options{Vector: rapid.Bool().Draw(t, "vector"), Size: rapid.IntRange(5, 60).Draw(t, "size"), Recursive: rapid.Bool().Draw(t, "recursive")})
		requireOpenLiteral(t, subject{t: p.Term, inputs: p.Inputs, point: p.Point}, rapid.Uint64().Draw(t, "seed"))
	})
}

// TestPropertyLiteralTheorem1 holds the steps of D(t), with symbolic inputs and the λ of its second component opened, against the
// reference's: Theorem 1.
func TestPropertyLiteralTheorem1(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		p := drawScalarOf(t, rapid.Bool().Draw(t, "recursive"))
		prog, err := compile.NewOpenGradient(p.reversed(t), p.inputs, nil)
		require.NoError(t, err)
		got, ok := openLiteral(t, p, prog, machine.Options{})
		if !ok {
			return
		}
		seed := rapid.Uint64().Draw(t, "seed")
		again, _ := openLiteral(t, p, prog, machine.Options{Random: true, Seed: seed})
		require.Equal(t, got, again, "random schedule: %s", p.t)
		s := reference.Convert(p.reversed(t), denote.Floats{}).OpenGradientStart(p.inputs, p.point).Named()
		want := limited(t, s, reference.Open(rand.New(rand.NewPCG(seed, 0))), 2000)
		if want == nil {
			return
		}
		require.Equal(t, named(want.Counts), named(got.m), "%s", p.t)
	})
}
