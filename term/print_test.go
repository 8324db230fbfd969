package term_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram/term"
)

// TestPrint prints each constructor, and the parentheses that it needs.
func TestPrint(t *testing.T) {
	q := term.New(term.NewTypes())
	v := func(name string) term.Var { return q.NewVar(term.VarInfo{Name: name, Type: term.R}) }
	x, y, z, f := v("x"), v("y"), v("z"), v("f")
	at := func(x term.Var) term.Ref { return q.Variable(0, x) }
	lambda := q.Lam(0, x, at(x))
	sum := q.Add(0, at(x), at(y))
	product := q.Fun(0, term.Mul, at(x), at(y))
	call := q.App(0, at(f), at(x))
	q.Data = []term.Data{{Name: "xs", List: true, Rows: 2, Width: 1, Values: []float64{1, 2}}}
	condition := q.If(0, term.GreaterEqual, sum, q.Num(0, -1), at(x), lambda)
	for want, r := range map[string]term.Ref{
		"0⃗":                                  q.Zero(0),
		"(λx.x) (f x)":                        q.App(0, lambda, call),
		"f x y":                               q.App(0, call, at(y)),
		"(x + y)·f x":                         q.Fun(0, term.Mul, sum, q.App(0, at(f), at(x))),
		"x·y·(-2)":                            q.Fun(0, term.Mul, product, q.Num(0, -2)),
		"x + (x + y)":                         q.Add(0, at(x), sum),
		"f (-0.5)":                            q.App(0, at(f), q.Num(0, -0.5)),
		"⟨x + y, λx.x⟩":                       q.Pair(0, sum, lambda),
		"(x + y)[x:=x·y]":                     q.Let(0, x, product, sum),
		"x[⟨x, y⟩:=z]":                        q.Unpair(0, x, y, at(z), at(x)),
		"x[⟨x, y, z⟩:=f]":                     q.Untuple(0, []term.Var{x, y, z}, at(f), at(x)),
		"x[⟦x, y⟧:=z]":                        q.Unvec(0, []term.Var{x, y}, at(z), at(x)),
		"max(x + y, 1)":                       q.Fun(0, term.Max, sum, q.Num(0, 1)),
		"⟦x, x + y⟧":                          q.Vec(0, []term.Ref{at(x), sum}),
		"[x; f x]":                            q.List(0, term.R, term.R, []term.Ref{at(x), call}),
		"if x + y >= -1 then x else λx.x":     condition,
		"(if x + y >= -1 then x else λx.x) x": q.App(0, condition, at(x)),
		"#7":                                  q.Nat(0, 7, term.R),
		"xs x":                                q.App(0, q.DataRef(0, 0, term.R, term.R), at(x)),
	} {
		q.Root = r
		require.Equal(t, want, q.String())
	}
}

// TestSizes: |t| of the nodes that stand for terms of the calculus, section 4.
func TestSizes(t *testing.T) {
	q := term.New(term.NewTypes())
	q.Data = []term.Data{{List: true, Rows: 2, Width: 3}, {Rows: 1, Width: 3}}
	x := q.NewVar(term.VarInfo{Name: "x", Type: term.R})
	y := q.NewVar(term.VarInfo{Name: "y", Type: term.R})
	num := func() term.Ref { return q.Num(0, 1) }
	for want, r := range map[int64]term.Ref{
		2 + 3:           q.Vec(0, []term.Ref{num(), num(), num()}),
		3 + 2*(3+1):     q.List(0, term.R, term.R, []term.Ref{num(), num()}),
		3 + 2*6:         q.Nat(0, 6, term.R),
		3 + 2*(3+2*3-1): q.DataRef(0, 0, term.R, term.R), // λf.λx.f ⟨r,r,r⟩ (f ⟨r,r,r⟩ x)
	} {
		q.Root = r
		require.Equal(t, want, q.Size(), "%s", q)
	}
	q.Root = q.DataRef(0, 1, term.R, 0)
	require.EqualValues(t, 2*3-1, q.Size())
	q.Root = q.Unvec(0, []term.Var{x, y}, q.Vec(0, []term.Ref{q.Num(0, 1), q.Num(0, 2)}), q.Variable(0, x))
	require.EqualValues(t, 1+3+1, q.Size())
	q.Root = q.Nat(0, 1<<63, term.R)
	require.EqualValues(t, int64(1<<63-1), q.Size())
}
