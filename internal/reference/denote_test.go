package reference_test

import (
	"math"
	"math/big"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/gram-machine/gram/internal/denote"
	"github.com/gram-machine/gram/internal/property"
	"github.com/gram-machine/gram/revgrad"
	"github.com/gram-machine/gram/term"
)

func drawSmall(t *rapid.T, smooth bool) *property.Program {
	return property.Draw(t, property.Options{
		Vector: rapid.Bool().Draw(t, "vector"), Size: rapid.IntRange(3, 30).Draw(t, "size"), Smooth: smooth,
	})
}

func at(m denote.Model, p *property.Program) *denote.Env {
	var g *denote.Env
	for i, x := range p.Inputs {
		g = g.With(x, m.Ground.Of(p.Point[i]))
	}
	return g
}

// TestPropertyValue holds the denotation of a program against forward mode's value, bit by
// bit, and finds it in the set of its type.
func TestPropertyValue(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		p := drawSmall(t, false)
		m := denote.Model{Ground: denote.Floats{}}
		v, err := m.Denote(p.Term).At(at(m, p))
		require.NoError(t, err)
		ty, err := p.Term.Check()
		require.NoError(t, err)
		require.True(t, m.Member(p.Term.Types, ty, v))
		want, _ := denote.Jacobian(p.Term, p.Inputs, p.Point)
		got := denote.Flatten(v)
		require.Len(t, got, len(want))
		for i, r := range got {
			require.True(t, property.Close(want[i], r.(float64), 0), "%v instead of %v", got, want)
		}
	})
}

// pairs are the components of ⟦R×R⊥⟧^k.
func pairs(v denote.Value, k int) []denote.Pair {
	var out []denote.Pair
	for ; k > 1; k-- {
		p := v.(denote.Pair)
		out, v = append(out, p.Left.(denote.Pair)), p.Right
	}
	return append(out, v.(denote.Pair))
}

// reversed is ⟦D(t)⟧ at ⟨r, x*⟩ for each input, x* its injection: a pair for each
// output.
func reversed(t *rapid.T, m denote.Model, p *property.Program) []denote.Pair {
	d, err := revgrad.Reverse(p.Term, nil)
	require.NoError(t, err)
	ty, err := d.Check()
	require.NoError(t, err)
	k := 1
	if d.Types.Kind(ty) == term.VecKind {
		k = d.Types.Len(ty)
	}
	var g *denote.Env
	for i, x := range p.Inputs {
		g = g.With(x, denote.Pair{Left: m.Ground.Of(p.Point[i]), Right: m.Injection(i)})
	}
	v, err := m.Denote(d).At(g)
	if err != nil {
		return nil // a number is too long
	}
	require.True(t, m.Member(d.Types, ty, v))
	return pairs(v, k)
}

// TestPropertyGradient: ⟦D(t)⟧ is the value and the gradient (Cor. gradient, read in the
// model).
func TestPropertyGradient(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		p := drawSmall(t, false)
		m := denote.Model{Ground: denote.Floats{}, Dim: len(p.Inputs)}
		values, jacobian := denote.Jacobian(p.Term, p.Inputs, p.Point)
		for i, q := range reversed(t, m, p) {
			require.True(t, property.Close(values[i], q.Left.(float64), 0))
			row := denote.Flatten(q.Right.(denote.Linear)(1.0))
			for j := range p.Inputs {
				want, got := jacobian[i*len(p.Inputs)+j], row[j].(float64)
				require.True(t, property.Close(want, got, 1e-9) || want > 1e9 || want < -1e9, "%v instead of %v", got, want)
			}
		}
	})
}

// TestPropertyLinearity: the second component of ⟦D(t)⟧ commutes with sums and products by a
// number, exactly.
func TestPropertyLinearity(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		p := drawSmall(t, false)
		rational(p.Term)
		m := denote.Model{Ground: denote.Rationals{}, Dim: len(p.Inputs)}
		number := func() *big.Rat {
			return big.NewRat(int64(rapid.IntRange(-9, 9).Draw(t, "numerator")), int64(rapid.IntRange(1, 9).Draw(t, "denominator")))
		}
		a, b := number(), number()
		for _, q := range reversed(t, m, p) {
			f := q.Right.(denote.Linear)
			require.True(t, m.Same(f(m.Ground.Add(a, b)), m.Sum(f(a), f(b))))
			scaled := denote.Linear(func(c denote.Number) denote.Value {
				ac, err := m.Ground.Apply(term.Mul, a, c)
				require.NoError(t, err)
				return f(ac)
			})
			require.True(t, m.Same(scaled(b), f(new(big.Rat).Mul(a, b))))
		}
	})
}

// TestRationals holds the exact symbols against those of the table.
func TestRationals(t *testing.T) {
	exact, floating := denote.Rationals{}, denote.Floats{}
	for f := term.Mul; f <= term.DMax2; f++ {
		if !denote.Rational(f) {
			_, err := exact.Apply(f, exact.Of(1), exact.Of(1))
			require.ErrorContains(t, err, "rationals to rationals")
			continue
		}
		for a := -4.0; a <= 4; a++ {
			for b := -4.0; b <= 4; b++ {
				args := []float64{a / 4, b / 4}[:f.Info().Arity]
				var r, q []denote.Number
				for _, x := range args {
					r, q = append(r, exact.Of(x)), append(q, floating.Of(x))
				}
				want, err := floating.Apply(f, q...)
				require.NoError(t, err)
				got, err := exact.Apply(f, r...)
				if err != nil {
					require.ErrorContains(t, err, "divides by zero")
					require.Zero(t, b)
					continue
				}
				require.InDelta(t, want, exact.Float(got), 1e-12, "%s%v", f, args)
			}
		}
	}
}

// TestRationalsOverflow: squaring again and again ends in an error.
func TestRationalsOverflow(t *testing.T) {
	g := denote.Rationals{}
	var err error
	r := g.Of(1.5)
	for i := 0; err == nil && i < 20; i++ {
		r, err = g.Apply(term.Mul, r, r)
	}
	require.ErrorContains(t, err, "too long")
	require.Panics(t, func() { g.Of(math.Inf(1)) })
}

// linearTerm is x*(c·z) + (y*b)[b:=z], with x* and y* the injections of R².
func linearTerm() (t *term.Term, z term.Var, stars [2]term.Var) {
	t = term.New(term.NewTypes())
	z = t.NewVar(term.VarInfo{Name: "z", Type: term.R, Linear: true})
	b := t.NewVar(term.VarInfo{Name: "b", Type: term.R, Linear: true})
	for i := range stars {
		stars[i] = t.NewVar(term.VarInfo{Name: "x*", Type: term.AbstractDual})
	}
	left := t.App(0, t.Variable(0, stars[0]), t.Fun(0, term.Mul, t.Num(0, 3), t.Variable(0, z)))
	right := t.Let(0, b, t.Variable(0, z), t.App(0, t.Variable(0, stars[1]), t.Variable(0, b)))
	t.Root = t.Add(0, left, right)
	return t, z, stars
}

// TestLinearJudgement: ⊢_z denotes a linear map, and λz the same.
func TestLinearJudgement(t *testing.T) {
	m := denote.Model{Ground: denote.Floats{}, Dim: 2}
	q, z, stars := linearTerm()
	var g *denote.Env
	for i, x := range stars {
		g = g.With(x, m.Injection(i))
	}
	f := m.Denote(q).LinearIn(z, g)
	require.Equal(t, denote.Pair{Left: 6.0, Right: 2.0}, f(2.0))
	q.Root = q.Lam(0, z, q.Root)
	v, err := m.Denote(q).At(g)
	require.NoError(t, err)
	require.True(t, m.Same(f, v))
	require.True(t, m.Member(q.Types, term.AbstractDual, v))
	require.False(t, m.Same(v, 1.0))
	require.False(t, m.Same(v, m.Injection(0)))
}

// TestSets: values of one kind are in no set of another.
func TestSets(t *testing.T) {
	m := denote.Model{Ground: denote.Floats{}, Dim: 2}
	tt := term.NewTypes()
	values := map[term.Type]denote.Value{
		term.R:                  1.0,
		tt.Prod(term.R, term.R): denote.Tuple(1.0, 2.0),
		tt.Vec(3, term.R):       denote.Tuple(1.0, 2.0, 3.0),
		tt.Nat(term.R):          denote.Func(func(v denote.Value) denote.Value { return v }),
		term.AbstractDual:       m.Injection(0),
		tt.Dual(1):              denote.Linear(func(a denote.Number) denote.Value { return a }),
	}
	for a, v := range values {
		for b, w := range values {
			require.Equal(t, a == b, m.Member(tt, b, v), "%s in %s", tt.String(a), tt.String(b))
			require.Equal(t, a == b, m.Same(v, w), "%s and %s", tt.String(a), tt.String(b))
		}
	}
	require.True(t, m.Member(tt, term.AbstractEuclid, m.Zero()))
}

// TestPropertyTangentTwice: D of the tangent of Fwd(t) is the tangent of the tangent, exactly over the rationals, and symmetric: the
// derivative along v of that along u is the derivative along u of that along v.
func TestPropertyTangentTwice(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		p := property.Draw(t, property.Options{Size: rapid.IntRange(3, 30).Draw(t, "size"), Smooth: true})
		rational(p.Term)
		n := len(p.Inputs)
		u, v := make([]float64, n), make([]float64, n)
		for i := range n {
			u[i], v[i] = float64(rapid.IntRange(-3, 3).Draw(t, "u")), float64(rapid.IntRange(-3, 3).Draw(t, "v"))
		}
		d, xs, vs, err := revgrad.Tangent(p.Term, p.Inputs, nil)
		require.NoError(t, err)
		twice, xs2, vs2, err := revgrad.Tangent(d, slices.Concat(xs, vs), nil)
		require.NoError(t, err)
		m := denote.Model{Ground: denote.Rationals{}, Dim: 2 * n}
		along := func(v, u []float64) denote.Number { // of the derivative along v, along u
			q := property.Program{Term: twice, Inputs: slices.Concat(xs2, vs2), Point: slices.Concat(p.Point, v, u, make([]float64, n))}
			r, err := m.Denote(q.Term).At(at(m, &q))
			if err != nil {
				t.Skip("a number is too long")
			}
			return denote.Flatten(r)[0]
		}
		want := along(v, u)
		require.True(t, m.Same(want, along(u, v)))
		q := property.Program{Term: d, Inputs: slices.Concat(xs, vs), Point: slices.Concat(p.Point, v)}
		var product denote.Number = m.Ground.Of(0)
		for _, pair := range reversed(t, m, &q) {
			row := denote.Flatten(pair.Right.(denote.Linear)(m.Ground.Of(1)))
			for i := range n {
				term, err := m.Ground.Apply(term.Mul, m.Ground.Of(u[i]), row[i])
				require.NoError(t, err)
				product = m.Ground.Add(product, term)
			}
			require.True(t, m.Same(want, product), "%v instead of %v", product, want)
		}
	})
}
