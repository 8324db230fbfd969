package reference_test

import (
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/gram-machine/gram/internal/denote"
	"github.com/gram-machine/gram/internal/property"
	"github.com/gram-machine/gram/internal/reference"
	"github.com/gram-machine/gram/revgrad"
	"github.com/gram-machine/gram/term"
)

// polynomial has the coefficients of a polynomial in three variables, by their exponents.
type polynomial map[[3]int]*big.Rat

func (p polynomial) add(q polynomial, by int64) polynomial {
	out := polynomial{}
	for _, part := range []struct {
		of polynomial
		by *big.Rat
	}{{p, big.NewRat(1, 1)}, {q, big.NewRat(by, 1)}} {
		for m, c := range part.of {
			if out[m] == nil {
				out[m] = new(big.Rat)
			}
			out[m].Add(out[m], new(big.Rat).Mul(c, part.by))
		}
	}
	return out
}

func (p polynomial) times(q polynomial) polynomial {
	out := polynomial{}
	for m, c := range p {
		for n, d := range q {
			sum := [3]int{m[0] + n[0], m[1] + n[1], m[2] + n[2]}
			out = out.add(polynomial{sum: new(big.Rat).Mul(c, d)}, 1)
		}
	}
	return out
}

func (p polynomial) partial(i int) polynomial {
	out := polynomial{}
	for m, c := range p {
		if k := m[i]; k > 0 {
			m[i]--
			out[m] = new(big.Rat).Mul(c, big.NewRat(int64(k), 1))
		}
	}
	return out
}

func (p polynomial) at(x []float64) *big.Rat {
	sum := new(big.Rat)
	for m, c := range p {
		product := new(big.Rat).Set(c)
		for i, k := range m {
			for range k {
				product.Mul(product, new(big.Rat).SetFloat64(x[i]))
			}
		}
		sum.Add(sum, product)
	}
	return sum
}

// drawPolynomial draws a term over the variables xs, which are polynomials, and the polynomial that it is.
func drawPolynomial(t *rapid.T, q *term.Term, xs []term.Var, of []polynomial, depth int) (term.Ref, polynomial) {
	form := rapid.IntRange(0, 6).Draw(t, "form")
	if depth == 0 {
		form %= 2
	}
	switch form {
	case 0:
		i := rapid.IntRange(0, len(xs)-1).Draw(t, "variable")
		return q.Variable(0, xs[i]), of[i]
	case 1:
		r := float64(rapid.IntRange(-4, 4).Draw(t, "numeral")) / 4
		return q.Num(0, r), polynomial{{}: new(big.Rat).SetFloat64(r)}
	case 2: // let
		u, p := drawPolynomial(t, q, xs, of, depth-1)
		x := q.NewVar(term.VarInfo{Name: "y", Type: term.R})
		body, r := drawPolynomial(t, q, append(xs[:len(xs):len(xs)], x), append(of[:len(of):len(of)], p), depth-1)
		return q.Let(0, x, u, body), r
	}
	a, p := drawPolynomial(t, q, xs, of, depth-1)
	b, r := drawPolynomial(t, q, xs, of, depth-1)
	switch form {
	case 3:
		return q.Add(0, a, b), p.add(r, 1)
	case 4:
		return q.Fun(0, term.Sub, a, b), p.add(r, -1)
	}
	return q.Fun(0, term.Mul, a, b), p.times(r)
}

// TestPropertyHessianExact: with rationals, the Hessian-vector product of a polynomial is exact.
func TestPropertyHessianExact(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		q := term.New(term.NewTypes())
		var xs []term.Var
		var of []polynomial
		point := make([]float64, 6) // x, and the vector
		for i := range 3 {
			xs = append(xs, q.NewVar(term.VarInfo{Name: "x", Type: term.R}))
			m := [3]int{}
			m[i] = 1
			of = append(of, polynomial{m: big.NewRat(1, 1)})
			point[i] = float64(rapid.IntRange(-9, 9).Draw(t, "x")) / 8
			point[3+i] = float64(rapid.IntRange(-9, 9).Draw(t, "v")) / 8
		}
		var p polynomial
		q.Root, p = drawPolynomial(t, q, xs, of, 4)
		along, inputs, vector, err := revgrad.Tangent(q, xs, nil)
		require.NoError(t, err)
		d, err := revgrad.Reverse(along, nil)
		require.NoError(t, err)
		s := reference.Convert(d, denote.Rationals{}).GradientStart(append(inputs, vector...), point, 0)
		res := limited(t, s.Named(), reference.Machine(nil), maxSteps)
		if res == nil {
			return
		}
		got, ok := s.Gradient(res.Term)
		require.True(t, ok, "%s", res.Term)
		for i := range xs {
			want := new(big.Rat)
			for j := range xs {
				want.Add(want, new(big.Rat).Mul(p.partial(i).partial(j).at(point), new(big.Rat).SetFloat64(point[3+j])))
			}
			have := new(big.Rat)
			if r, ok := got[s.Duals[i]]; ok {
				have = r.(*big.Rat)
			}
			require.Zero(t, want.Cmp(have), "%v instead of %v: %s", have, want, q)
		}
	})
}
