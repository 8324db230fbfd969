package reference_test

import (
	"cmp"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/gram-machine/gram/compile"
	"github.com/gram-machine/gram/internal/modular"
	"github.com/gram-machine/gram/internal/property"
	"github.com/gram-machine/gram/limits"
	"github.com/gram-machine/gram/machine"
	"github.com/gram-machine/gram/rule"
	"github.com/gram-machine/gram/term"
)

// onLiteral runs the literal machine; ok is false if the run is too long to be compared.
func onLiteral(t require.TestingT, p subject, gradient bool, opt machine.Options) (out outcome, work [rule.NumMoves]rule.Work, ok bool) {
	var prog *compile.Program
	var err error
	if gradient {
		prog, err = compile.NewGradient(p.reversed(t), p.inputs, p.outputs(t), nil)
	} else {
		prog, err = compile.NewValue(p.t, p.inputs, nil)
	}
	require.NoError(t, err)
	looks := 0
	look := func() error {
		if looks++; looks > 100 {
			return errors.New("the run doesn't end")
		}
		return nil
	}
	opt.Limits = limits.Bounds{MaxSteps: cmp.Or(opt.Limits.MaxSteps, maxSteps), MaxMemory: 64 << 20, Look: look}
	m, err := machine.New(prog, opt)
	require.NoError(t, err)
	defer m.Close()
	err = out.evaluate(t, m, p, gradient)
	if tooLong(t, err) {
		return out, work, false
	}
	require.NoError(t, err)
	s := m.Stats()
	out.counts = s.Counts
	return out, s.Work, true
}

// requireLiteral requires of the literal machine the counts and numbers of the reference rewriter, by any
// schedule.
func requireLiteral(t require.TestingT, p subject, gradient bool, seed uint64) {
	got, _, ok := onLiteral(t, p, gradient, machine.Options{Measure: seed%2 == 0})
	again, _, ok2 := onLiteral(t, p, gradient, machine.Options{Random: true, Seed: seed})
	require.Equal(t, ok, ok2, "%s", p.t)
	if !ok {
		return
	}
	require.Equal(t, got.counts, again.counts, "random schedule: %s", p.t)
	requireClose(t, got.values, again.values)
	requireClose(t, got.jacobian, again.jacobian)
	want := onReference(t, p, gradient, nil)
	require.Equal(t, named(want.counts), named(got.counts), "%s", p.t)
	requireClose(t, want.values, got.values)
	requireClose(t, want.jacobian, got.jacobian)
}

// named is a count of steps by the names of the rules.
func named(c rule.Counts) map[string]uint64 {
	out := map[string]uint64{}
	for r, n := range c {
		if n > 0 {
			out[rule.Rule(r).String()] = n
		}
	}
	return out
}

// TestPropertyLiteral holds the literal machine against the reference rewriter, rule by rule.
func TestPropertyLiteral(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		p := draw(t)
		seed := rapid.Uint64().Draw(t, "schedule")
		requireLiteral(t, p, false, seed)
		requireLiteral(t, p, true, seed)
	})
}

// TestPropertyLiteralLinear does the same for programs with dual λs of their own.
func TestPropertyLiteralLinear(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		p := subject{t: property.Linear(t, rapid.IntRange(3, 100).Draw(t, "size"))}
		requireLiteral(t, p, false, rapid.Uint64().Draw(t, "schedule"))
	})
}

// TestPropertyLiteralNormal does so for the normal form of D(t), whose dual λs have lets and sums of numbers: this is
// how the strategy modular runs.
func TestPropertyLiteralNormal(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		p := draw(t)
		if p.image = normalForm(t, p); p.image != nil {
			requireLiteral(t, p, true, rapid.Uint64().Draw(t, "seed"))
		}
	})
}

// normalForm returns the normal form of D(t), nil if it takes too many steps.
func normalForm(t require.TestingT, p subject) *term.Term {
	n, _, err := modular.Normal(p.reversed(t), p.inputs, p.point,
		modular.Options{Unfold: true, Limits: limits.Bounds{MaxSteps: maxSteps}})
	if tooLong(t, err) {
		return nil
	}
	require.NoError(t, err)
	return n
}
