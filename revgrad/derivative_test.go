package revgrad_test

import (
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

// TestPropertyAlong: the derivative of a function at a point along v is the one that dual numbers have, where it also mentions
// other inputs. Its derivative along w is the derivative along w of the derivative along v. The gradient has the derivatives along
// unit vectors.
func TestPropertyAlong(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		opt := property.Options{Vector: rapid.Bool().Draw(t, "vector"), Size: 200, Recursive: rapid.Bool().Draw(t, "recursive")}
		families := rapid.Bool().Draw(t, "families")
		p := property.Draw(t, opt)
		if families {
			p = property.Families(t, opt)
		}
		n := len(p.Inputs) // of f; the other inputs are constants
		if n == 0 {
			t.Skip()
		}
		if !families { // their components stand side by side
			n = rapid.IntRange(1, n).Draw(t, "inputs")
		}
		u := p.Term
		d := revgrad.Derivatives{Term: u}
		a := u.Types.Vec(n, term.R)
		vector := func(component func(i int) term.Ref) term.Ref {
			var kids []term.Ref
			for i := range n {
				kids = append(kids, component(i))
			}
			return u.Vec(0, kids)
		}
		direction := func(name string) (v []float64) {
			for range n {
				v = append(v, rapid.SampledFrom([]float64{-1, 0.5, 2}).Draw(t, name))
			}
			return v
		}
		constants := func(v []float64) term.Ref { return vector(func(i int) term.Ref { return u.Num(0, v[i]) }) }
		duals := func(v []float64) []denote.Dual {
			at := make([]denote.Dual, len(p.Point))
			for i, x := range p.Point {
				at[i].V = x
				if i < n {
					at[i].T = v[i]
				}
			}
			return at
		}
		eval := func(root term.Ref, inputs []term.Var, at []denote.Dual) []denote.Dual {
			w, vars := u.Extract(root, inputs...)
			_, err := w.Check()
			require.NoError(t, err)
			own := make([]term.Var, len(inputs))
			for i, x := range inputs {
				place, _ := slices.BinarySearch(vars, x)
				own[i] = term.Var(place)
			}
			return denote.Eval(expanded(t, w), own, at)
		}
		compare := func(want, got float64) {
			if !math.IsNaN(got) && !math.IsInf(got, 0) { // a tangent that is 0 when the program runs is multiplied, perhaps with an infinite slope
				require.InDelta(t, want, got, 1e-6*math.Max(1, math.Abs(want)), "%s", u)
			}
		}

		v, w := direction("v"), direction("w")
		_, jacobian := denote.Jacobian(expanded(t, u), p.Inputs, p.Point)
		want := eval(u.Root, p.Inputs, duals(v))
		x := u.NewVar(term.VarInfo{Name: "x", Type: a})
		f := u.Lam(0, x, u.Unvec(0, p.Inputs[:n], u.Variable(0, x), u.Root))
		inputs := slices.Clone(p.Inputs)
		for i := range n {
			inputs[i] = u.NewVar(term.VarInfo{Name: "p", Type: term.R})
		}
		point := func() term.Ref { return vector(func(i int) term.Ref { return u.Variable(0, inputs[i]) }) }
		along, err := d.Along(0, a, f, point(), constants(v))
		require.NoError(t, err)
		again := eval(along, inputs, duals(w))
		for i := range want {
			compare(want[i].T, again[i].V)
		}

		y := u.NewVar(term.VarInfo{Name: "y", Type: a})
		inner, err := d.Along(0, a, f, u.Variable(0, y), constants(v))
		require.NoError(t, err)
		outer, err := d.Along(0, a, u.Lam(0, y, inner), point(), constants(w))
		require.NoError(t, err)
		for i, got := range eval(outer, inputs, duals(w)) {
			compare(again[i].T, got.V)
		}

		if !opt.Vector {
			gradient, err := d.Gradient(0, a, f, point())
			require.NoError(t, err)
			for i, got := range eval(gradient, inputs, duals(w)) {
				compare(jacobian[i], got.V)
			}
		}
	})
}
