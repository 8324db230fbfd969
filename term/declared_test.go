package term_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/gram-machine/gram/term"
)

// expression draws an expression of two variables that is smooth everywhere.
func expression(t *rapid.T, depth int) term.Partial {
	fun := func(f term.Symbol, k int) term.Partial {
		p := term.Partial{Kind: term.PartialFun, Fun: f}
		for range k {
			p.Args = append(p.Args, expression(t, depth-1))
		}
		return p
	}
	form := rapid.IntRange(0, 6).Draw(t, "form")
	if depth == 0 {
		form %= 2
	}
	switch form {
	case 0:
		return term.Partial{Kind: term.PartialVar, Var: rapid.IntRange(0, 1).Draw(t, "variable")}
	case 1:
		return term.Partial{Kind: term.PartialConst, Const: float64(rapid.IntRange(-2, 2).Draw(t, "numeral"))}
	case 2:
		return fun(term.NoSymbol, 2)
	case 3:
		return fun(rapid.SampledFrom([]term.Symbol{term.Mul, term.Sub}).Draw(t, "symbol"), 2)
	}
	return fun(rapid.SampledFrom([]term.Symbol{term.Sin, term.DSin, term.Tanh, term.Neg, term.Atan, term.DTanh}).Draw(t, "symbol"), 1)
}

// TestPropertyDeclared: a declared symbol computes its expression, to the bit, its partial derivatives are the declared ones, and the
// derivatives of these are those of differences.
func TestPropertyDeclared(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		value, p, q := expression(t, 3), expression(t, 3), expression(t, 3)
		f, err := term.Declare("f", value, []term.Partial{p, q})
		require.NoError(t, err)
		x := []float64{rapid.Float64Range(-2, 2).Draw(t, "x"), rapid.Float64Range(-2, 2).Draw(t, "y")}
		require.Equal(t, math.Float64bits(value.At(x...)), math.Float64bits(f.Eval(x...)))
		for i, partial := range []term.Partial{p, q} {
			require.Equal(t, math.Float64bits(partial.At(x...)), math.Float64bits(f.Info().Partials[i].At(x...)))
			slope := f.Slope(i)
			for j, second := range slope.Info().Partials {
				const h = 1e-5
				up, down := append([]float64(nil), x...), append([]float64(nil), x...)
				up[j] += h
				down[j] -= h
				want := (slope.Eval(up...) - slope.Eval(down...)) / (up[j] - down[j])
				require.InDelta(t, want, second.At(x...), 1e-5*max(1, math.Abs(want)))
			}
		}
	})
}

// TestDeclare: equal declarations are one symbol, and others are others.
func TestDeclare(t *testing.T) {
	x, one := term.Partial{Kind: term.PartialVar}, term.Partial{Kind: term.PartialConst, Const: 1}
	f, err := term.Declare("f", x, []term.Partial{one})
	require.NoError(t, err)
	again, err := term.Declare("f", x, []term.Partial{one})
	require.NoError(t, err)
	require.Equal(t, f, again)
	for _, other := range []struct {
		name           string
		value, partial term.Partial
	}{{"g", x, one}, {"f", one, one}, {"f", x, x}} {
		g, err := term.Declare(other.name, other.value, []term.Partial{other.partial})
		require.NoError(t, err)
		require.NotEqual(t, f, g)
	}
	require.True(t, f.Declared() && f.Slope(0).Declared() && !term.Sin.Declared())
	require.Equal(t, "f'", f.Slope(0).SourceName())
	require.Equal(t, f, f.Slope(0).Info().Base)
}
