package compile_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram/compile"
	"github.com/gram-machine/gram/term"
)

// listing compiles a term without inputs and prints its code.
func listing(t *testing.T, q *term.Term) string {
	t.Helper()
	p, err := compile.Compile(q, compile.Options{})
	require.NoError(t, err)
	var out strings.Builder
	require.NoError(t, p.WriteCode(&out, func(p term.Pos) string { return fmt.Sprint(p) }))
	return out.String()
}

// TestListing: the listing of (y 2 + y 5)[y:=λa.⟦y' a, 3·a⟧][y':=λb.b], opened: the dual's
// body is a template with the counts of a firing, a sum is put off up to its opening.
func TestListing(t *testing.T) {
	q := term.New(term.NewTypes())
	linear := func(name string) term.Var { return q.NewVar(term.VarInfo{Name: name, Type: term.R, Linear: true}) }
	number := func(name string) term.Var { return q.NewVar(term.VarInfo{Name: name, Type: term.R}) }
	inner := q.NewVar(term.VarInfo{Name: "y'", Type: q.Types.Dual(1)})
	y := q.NewVar(term.VarInfo{Name: "y", Type: q.Types.Dual(2)})
	a, b, v, w := linear("a"), linear("b"), number("v"), number("w")
	at := func(x term.Var) term.Ref { return q.Variable(0, x) }
	body := q.Vec(0, []term.Ref{q.App(0, at(inner), at(a)), q.Fun(0, term.Mul, q.Num(0, 3), at(a))})
	lam := q.Lam(0, a, body)
	sum := q.Add(0, q.App(0, at(y), q.Num(0, 2)), q.App(0, at(y), q.Num(0, 5)))
	r := q.Let(0, y, lam, q.Unvec(0, []term.Var{v, w}, sum, at(v)))
	q.Root = q.Let(0, inner, q.Lam(0, b, at(b)), r)
	require.Equal(t, `g1 = closure 0
g2 = #0
g3 = 3
g4 = 2
g5 = 5

template 0 cons (0): 2 parameters, 0 captured, 0 steps a run
  %0 = ⟨p0, p1⟩
  result %0

template 1 b (0): 1 parameters, 0 captured, 3 steps a run
  block: 0 instructions
  (1) lambda: 1
  (3) subst: 1
  (5) lin: 1
  result p0

template 2 a (0): 1 parameters, 1 captured, 4 steps a run
  (1) lambda: 1
  (3) subst: 1
  (5) lin: 1
  (8) times: 1
  %0 = p0 arrives at c0
  %1 = g3 · p0
  %2 = ⟦%0 %1⟧
  result %2

template 3 program (0): 0 parameters, 0 captured, 6 steps a run, the program
  (2) pair: 1
  (3n) substNumeral: 1
  (4) gc: 4
  %0 = lin 1 []
  %1 = lin 2 [%0]
  %2 = g4 arrives at %1
  %3 = g5 arrives at %1
  %4 = sum %2 %3
  %5 = job %4
  %6 … %7 = open %5?
  result %6
`, listing(t, q))
}

// TestSumOfPairs: there is no code for a sum of pairs.
func TestSumOfPairs(t *testing.T) {
	q := term.New(term.NewTypes())
	pair := func() term.Ref { return q.Pair(0, q.Num(0, 1), q.Num(0, 2)) }
	q.Root = q.Add(7, pair(), pair())
	_, err := compile.Compile(q, compile.Options{})
	var unsupported *compile.UnsupportedError
	require.ErrorAs(t, err, &unsupported)
	require.Equal(t, "a sum of type R * R has no code", unsupported.What)
	require.Equal(t, term.Pos(7), unsupported.Pos)
}

// TestOpenLinear: a program with linear variables of its own, or a sum of vectors, has no
// computational graph.
func TestOpenLinear(t *testing.T) {
	for want, build := range map[string]func(q *term.Term) term.Ref{
		"a program with linear variables of its own has no computational graph": func(q *term.Term) term.Ref {
			a := q.NewVar(term.VarInfo{Name: "a", Type: term.R, Linear: true})
			return q.App(0, q.Lam(0, a, q.Variable(0, a)), q.Num(0, 1))
		},
		"a program with a sum of vectors has no computational graph": func(q *term.Term) term.Ref {
			return q.Add(0, q.Vec(0, []term.Ref{q.Num(0, 1)}), q.Vec(0, []term.Ref{q.Num(0, 2)}))
		},
	} {
		q := term.New(term.NewTypes())
		q.Root = build(q)
		_, err := compile.Compile(q, compile.Options{Open: true})
		var unsupported *compile.UnsupportedError
		require.ErrorAs(t, err, &unsupported)
		require.Equal(t, want, unsupported.What)
	}
}

// TestLooks: what is one task of the compiler looks at the limits while it goes on: data of many numbers, the body of
// a large dual λ.
func TestLooks(t *testing.T) {
	const n = 1 << 15
	tt := term.NewTypes()
	values := make([]float64, n)
	for i := range values {
		values[i] = float64(i)
	}
	vector := term.New(tt)
	vector.Data = []term.Data{{Name: "v", Rows: 1, Width: n, Values: values}}
	vector.Root = vector.DataRef(0, 0, tt.Vec(n, term.R), 0)
	dual := term.New(tt)
	x := dual.NewVar(term.VarInfo{Name: "x", Type: tt.Reverse(term.R)})
	number := dual.NewVar(term.VarInfo{Name: "x0", Type: term.R})
	star := dual.NewVar(term.VarInfo{Name: "x*", Type: term.AbstractDual})
	a := dual.NewVar(term.VarInfo{Name: "a", Type: term.R, Linear: true})
	occurrence := func() term.Ref { return dual.App(0, dual.Variable(0, star), dual.Variable(0, a)) }
	sum := occurrence()
	for range n {
		sum = dual.Add(0, sum, occurrence())
	}
	dual.Root = dual.Pair(0, dual.Variable(0, number), dual.Lam(0, a, sum))
	dual.Root = dual.Unpair(0, number, star, dual.Variable(0, x), dual.Root)
	for _, c := range []struct {
		q     *term.Term
		opt   compile.Options
		units int
	}{{vector, compile.Options{}, n}, {dual, compile.Options{Reversed: true, Inputs: []term.Var{x}}, 4 * n}} {
		looks := 0
		look := func() error { looks++; return nil }
		_, err := c.q.Typing(look)
		require.NoError(t, err)
		typing := looks
		c.opt.Check = look
		_, err = compile.Compile(c.q, c.opt)
		require.NoError(t, err)
		require.GreaterOrEqual(t, looks-2*typing, c.units>>12)
	}
}
