package revgrad_test

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/gram-machine/gram/internal/denote"
	"github.com/gram-machine/gram/internal/property"
	"github.com/gram-machine/gram/revgrad"
	"github.com/gram-machine/gram/term"
)

// values evaluates t, by the denotation.
func values(t *term.Term, inputs []term.Var, point []float64) (out []float64) {
	at := make([]denote.Dual, len(point))
	for i, x := range point {
		at[i].V = x
	}
	for _, d := range denote.Eval(t, inputs, at) {
		out = append(out, d.V)
	}
	return out
}

// TestPropertyTangent: Tangent(t) is the derivative of t along v that dual numbers have, and is well typed. Tangent of that is the
// derivative of the derivative.
func TestPropertyTangent(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		opt := property.Options{Vector: rapid.Bool().Draw(t, "vector"), Size: 300, Recursive: rapid.Bool().Draw(t, "recursive")}
		p := property.Draw(t, opt)
		if rapid.Bool().Draw(t, "families") {
			p = property.Families(t, opt)
		}
		duals := make([]denote.Dual, len(p.Point))
		both := slices.Clone(p.Point)
		for i, x := range p.Point {
			v := rapid.SampledFrom([]float64{-1, 0.5, 2}).Draw(t, "v")
			duals[i] = denote.Dual{V: x, T: v}
			both = append(both, v)
		}
		d, xs, vs, err := revgrad.Tangent(p.Term, p.Inputs, nil)
		if errors.Is(err, revgrad.ErrBounds) {
			p.Term, err = p.Term.Expand(nil, nil)
			require.NoError(t, err)
			d, xs, vs, err = revgrad.Tangent(p.Term, p.Inputs, nil)
		}
		require.NoError(t, err)
		typ, err := p.Term.Check()
		require.NoError(t, err)
		got, err := d.Check()
		require.NoError(t, err, "%s\n%s", p.Term, d)
		require.Equal(t, typ, got)
		e, err := d.Expand(nil, nil)
		require.NoError(t, err)
		inputs := slices.Concat(xs, vs)
		along := values(e, inputs, both)
		for i, want := range denote.Eval(expanded(t, p.Term), p.Inputs, duals) {
			if !math.IsNaN(along[i]) { // a tangent that is 0 when the program runs is multiplied, perhaps with an infinite slope
				require.InDelta(t, want.T, along[i], 1e-9*math.Max(1, math.Abs(want.T)), "%s\n%s", p.Term, e)
			}
		}
	})
}

func expanded(t *rapid.T, q *term.Term) *term.Term {
	e, err := q.Expand(nil, nil)
	require.NoError(t, err)
	return e
}
