package term_test

import (
	"math"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/gram-machine/gram/internal/property"
	"github.com/gram-machine/gram/term"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// dualTerm is λa.(y* a + (y* b)[b:=c·a]), the term of the calculus notes that one
// linear variable types and two judgements keep.
func dualTerm() *term.Term {
	q := term.New(term.NewTypes())
	y := q.NewVar(term.VarInfo{Name: "y*", Type: term.AbstractDual})
	c := q.NewVar(term.VarInfo{Name: "c", Type: term.R})
	a := q.NewVar(term.VarInfo{Name: "a", Type: term.R, Linear: true})
	b := q.NewVar(term.VarInfo{Name: "b", Type: term.R, Linear: true})
	left := q.App(1, q.Variable(1, y), q.Variable(1, a))
	right := q.Let(1, b, q.Fun(1, term.Mul, q.Variable(1, c), q.Variable(1, a)), q.App(1, q.Variable(1, y), q.Variable(1, b)))
	q.Root = q.Lam(1, a, q.Add(1, left, right))
	return q
}

func TestCheckLinear(t *testing.T) {
	q := dualTerm()
	typ, err := q.Check()
	require.NoError(t, err)
	require.Equal(t, term.AbstractDual, typ)
	require.Equal(t, "λa.y* a + (y* b)[b:=c·a]", q.String())
	require.EqualValues(t, 12, q.Size())
	require.Len(t, q.FreeVars(), 2)
}

// TestCheckRejects: each term is wrong in one way.
func TestCheckRejects(t *testing.T) {
	for name, build := range map[string]func(q *term.Term, a, x term.Var) term.Ref{
		"used under sin": func(q *term.Term, a, _ term.Var) term.Ref {
			return q.Lam(1, a, q.Fun(1, term.Sin, q.Variable(1, a)))
		},
		"used in both factors": func(q *term.Term, a, _ term.Var) term.Ref {
			return q.Lam(1, a, q.Fun(1, term.Mul, q.Variable(1, a), q.Variable(1, a)))
		},
		"dropped in a summand": func(q *term.Term, a, x term.Var) term.Ref {
			return q.Lam(1, a, q.Add(1, q.Variable(1, a), q.Variable(1, x)))
		},
		"dropped altogether": func(q *term.Term, a, x term.Var) term.Ref { return q.Lam(1, a, q.Variable(1, x)) },
		"free":               func(q *term.Term, a, _ term.Var) term.Ref { return q.Variable(1, a) },
		"in a condition": func(q *term.Term, a, x term.Var) term.Ref {
			return q.Lam(1, a, q.If(1, term.Less, q.Variable(1, a), q.Num(1, 0), q.Variable(1, a), q.Variable(1, a)))
		},
		"application of a number": func(q *term.Term, _, x term.Var) term.Ref {
			return q.App(1, q.Variable(1, x), q.Num(1, 1))
		},
		"sum of functions": func(q *term.Term, _, x term.Var) term.Ref {
			f := q.Lam(1, q.NewVar(term.VarInfo{Name: "y", Type: term.R}), q.Num(1, 1))
			return q.Add(1, f, q.Variable(1, x))
		},
		"pair opened that is none": func(q *term.Term, _, x term.Var) term.Ref {
			return q.Unpair(1, q.NewVar(term.VarInfo{Name: "u", Type: term.R}), q.NewVar(term.VarInfo{Name: "v", Type: term.R}), q.Variable(1, x), q.Num(1, 0))
		},
		"vector of two types": func(q *term.Term, _, x term.Var) term.Ref {
			return q.Vec(1, []term.Ref{q.Variable(1, x), q.Pair(1, q.Num(1, 1), q.Num(1, 2))})
		},
		"variable of another type": func(q *term.Term, _, x term.Var) term.Ref {
			return q.Let(1, x, q.Pair(1, q.Num(1, 1), q.Num(1, 2)), q.Num(1, 0))
		},
	} {
		q := term.New(term.NewTypes())
		a := q.NewVar(term.VarInfo{Name: "a", Type: term.R, Linear: true})
		x := q.NewVar(term.VarInfo{Name: "x", Type: term.R})
		q.Root = build(q, a, x)
		_, err := q.Check()
		var typeError *term.TypeError
		require.ErrorAs(t, err, &typeError, name)
		require.Equal(t, term.Pos(1), typeError.Pos, name)
	}
}

// TestPropertyAlphaEqual: a copy with other names of bound variables is equal, a change
// anywhere is not.
func TestPropertyAlphaEqual(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		q := property.Draw(t, property.Options{}).Term
		c := *q
		c.CopyVars(q, 0)
		free := map[term.Var]bool{}
		for _, x := range q.FreeVars() {
			free[x] = true
		}
		for x := term.Var(1); int(x) < c.NumVars(); x++ {
			if !free[x] {
				c.ToChange(x).Name += "'"
			}
		}
		require.True(t, term.AlphaEqual(q, &c))
		changed := *q
		changed.Nodes = append([]term.Node(nil), q.Nodes...)
		n := &changed.Nodes[q.Root]
		switch n.Op {
		case term.NumOp:
			n.Val++
		case term.FunOp:
			n.Sym = map[bool]term.Symbol{true: term.Sub, false: term.Mul}[n.Sym == term.Mul]
		default:
			return
		}
		require.False(t, term.AlphaEqual(q, &changed))
	})
}

func TestTypesPrint(t *testing.T) {
	tt := term.NewTypes()
	r := term.R
	for want, typ := range map[string]term.Type{
		"R":                         r,
		"R * R * R":                 tt.Prod(r, tt.Prod(r, r)),
		"(R * R) * R":               tt.Prod(tt.Prod(r, r), r),
		"R -> R -> R":               tt.Arrow(r, tt.Arrow(r, r)),
		"(R -> R) -> R -> R":        tt.Nat(r),
		"(R^2 -> R -> R) -> R -> R": tt.List(tt.Vec(2, r), r),
		"R^2^3":                     tt.Vec(3, tt.Vec(2, r)),
		"(R * R)^2":                 tt.Vec(2, tt.Prod(r, r)),
		"(R -o R^3) * (R -o R)":     tt.Prod(tt.Dual(3), tt.Dual(1)),
		"(R * (R -o R^d))^2 -> R^d": tt.Arrow(tt.Reverse(tt.Vec(2, r)), term.AbstractEuclid),
	} {
		require.Equal(t, want, tt.String(typ))
	}
	require.Equal(t, tt.Vec(2, r), tt.Vec(2, r))
}

// TestPartials holds the derivatives of all symbols, and of these derivatives, against central differences, away
// from kinks.
func TestPartials(t *testing.T) {
	points := [][]float64{{0.3, 0.7}, {1.5, 2.5}, {2.25, -1.75}, {0.9, 0.1}}
	h := math.Cbrt(0x1p-52)
	for _, f := range slices.Concat(term.Symbols(), term.Derivatives()) {
		info := f.Info()
		require.Len(t, info.Partials, info.Arity, info.Name)
		for n, x := range points {
			x := slices.Clone(x[:info.Arity])
			for i, p := range info.Partials {
				if f == term.Polygamma {
					if x[0] = float64(n); i == 0 {
						continue // its first argument is a natural number
					}
				}
				up, down := slices.Clone(x), slices.Clone(x)
				up[i] += h
				down[i] -= h
				want := (f.Eval(up...) - f.Eval(down...)) / (up[i] - down[i])
				require.InDelta(t, want, p.At(x...), 1e-6*max(1, math.Abs(want)), "∂%d %s at %v", i+1, info.Name, x)
			}
		}
	}
}

// TestSlopes holds the partial derivatives that are computed with the value against those without.
func TestSlopes(t *testing.T) {
	for _, f := range term.Symbols() {
		info, points := f.Info(), []float64{-2, -1, -0.3, 0, 0.3, 1, 2, 3.5}
		if f == term.Pow {
			points = append(points, math.Copysign(0, -1), 5e-324, 1e-200, 1e200, 900, -900, math.Inf(1), math.Inf(-1), math.NaN())
		}
		for _, x := range points {
			for _, y := range points[:1+(len(points)-1)*(info.Arity-1)] {
				at := []float64{x, y}[:info.Arity]
				if x < 0 && math.Abs(y) > 1<<53 {
					continue // y − 1 is y, and even
				}
				at = append(at, f.Eval(at...))
				for i := range info.Slopes {
					want := info.Partials[i].At(at[:info.Arity]...)
					got := term.Interpret(&info.Slopes[i], info.Arity, func(r float64) float64 { return r },
						func(i int) float64 { return at[i] }, term.Symbol.Eval)
					if math.IsNaN(want) || math.IsInf(want, 0) || want == 0 {
						require.True(t, got == want || got != got && want != want, "∂%d %s(%v) is %v, not %v", i+1, info.Name, at, got, want)
						continue
					}
					require.InEpsilon(t, want, got, 1e-12, "∂%d %s(%v)", i+1, info.Name, at)
				}
			}
		}
	}
}

// TestKinks: the derivatives that the language fixes where there is none.
func TestKinks(t *testing.T) {
	partial := func(f term.Symbol, i int, x ...float64) float64 { return f.Info().Partials[i].At(x...) }
	for _, f := range []term.Symbol{term.Relu, term.Abs, term.Step, term.Sign} {
		require.Zero(t, partial(f, 0, 0), f)
	}
	for _, f := range []term.Symbol{term.Min, term.Max} {
		require.Equal(t, 1.0, partial(f, 0, 2, 2))
		require.Zero(t, partial(f, 1, 2, 2))
	}
	require.Zero(t, term.Step.Info().Eval1(0))
	require.Zero(t, term.Sign.Info().Eval1(0))
	require.True(t, math.IsNaN(term.Relu.Info().Eval1(math.NaN())))
	require.True(t, math.IsNaN(term.Step.Info().Eval1(math.NaN())))
	require.True(t, math.IsNaN(term.Sign.Info().Eval1(math.NaN())))
	require.False(t, term.Less.Holds(math.NaN(), 1) || term.GreaterEqual.Holds(math.NaN(), 1))
}

// TestDeepTerms: typing, printing, size and equality of a term 10⁶ deep use no stack.
func TestDeepTerms(t *testing.T) {
	old := debug.SetMaxStack(1 << 20)
	defer debug.SetMaxStack(old)
	q := term.New(term.NewTypes())
	x := q.NewVar(term.VarInfo{Name: "x", Type: term.R})
	r := q.Variable(1, x)
	n := property.Size(1_000_000)
	for range n {
		r = q.Add(1, q.Variable(1, x), r)
	}
	q.Root = r
	typ, err := q.Check()
	require.NoError(t, err)
	require.Equal(t, term.R, typ)
	require.EqualValues(t, 2*n+1, q.Size())
	require.True(t, term.AlphaEqual(q, q))
	require.Equal(t, n, strings.Count(q.String(), "+"))
}
