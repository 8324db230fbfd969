package term_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram/term"
)

// TestCheckRejectsTypes: each constructor with a part of another type, and the place of
// the constructor in the error.
func TestCheckRejectsTypes(t *testing.T) {
	type build func(q *term.Term, x term.Var) term.Ref
	num := func(q *term.Term) term.Ref { return q.Num(2, 1) }
	two := func(q *term.Term) term.Ref { return q.Pair(2, num(q), num(q)) }
	fresh := func(q *term.Term) term.Var { return q.NewVar(term.VarInfo{Name: "y", Type: term.R}) }
	identity := func(q *term.Term) term.Ref {
		y := fresh(q)
		return q.Lam(2, y, q.Variable(2, y))
	}
	for want, part := range map[string]build{
		"the argument has type R * R, not R":       func(q *term.Term, _ term.Var) term.Ref { return q.App(1, identity(q), two(q)) },
		"the right side of + has type R * R":       func(q *term.Term, _ term.Var) term.Ref { return q.Add(1, num(q), two(q)) },
		"an argument of sin has type R * R, not R": func(q *term.Term, _ term.Var) term.Ref { return q.Fun(1, term.Sin, two(q)) },
		"mul takes 2 arguments, not 1":             func(q *term.Term, _ term.Var) term.Ref { return q.Fun(1, term.Mul, num(q)) },
		"a vector has at least one component":      func(q *term.Term, _ term.Var) term.Ref { return q.Vec(1, nil) },
		"an element of the list has type R * R": func(q *term.Term, _ term.Var) term.Ref {
			return q.List(1, term.R, term.R, []term.Ref{num(q), two(q)})
		},
		"a side of the comparison has type R * R": func(q *term.Term, _ term.Var) term.Ref {
			return q.If(1, term.Less, num(q), two(q), num(q), num(q))
		},
		"the else branch has type R * R": func(q *term.Term, _ term.Var) term.Ref {
			return q.If(1, term.Less, num(q), num(q), num(q), two(q))
		},
		"R is not a pair": func(q *term.Term, _ term.Var) term.Ref {
			return q.Untuple(1, []term.Var{fresh(q), fresh(q), fresh(q)}, two(q), num(q))
		},
		"y has type R, not R * R": func(q *term.Term, _ term.Var) term.Ref {
			return q.Untuple(1, []term.Var{fresh(q), fresh(q)}, q.Pair(2, num(q), two(q)), num(q))
		},
		"R is not a vector of 2": func(q *term.Term, x term.Var) term.Ref {
			return q.Unvec(1, []term.Var{fresh(q), fresh(q)}, q.Variable(2, x), num(q))
		},
		"R^3 is not a vector of 2": func(q *term.Term, _ term.Var) term.Ref {
			return q.Unvec(1, []term.Var{fresh(q), fresh(q)}, q.Vec(2, []term.Ref{num(q), num(q), num(q)}), num(q))
		},
		"y has type R, not R * R (of a vector)": func(q *term.Term, _ term.Var) term.Ref {
			return q.Unvec(1, []term.Var{fresh(q)}, q.Vec(2, []term.Ref{two(q)}), num(q))
		},
		"no such constructor": func(q *term.Term, _ term.Var) term.Ref {
			r := q.Num(1, 0)
			q.Nodes[r].Op = term.IndexNumOp + 1
			return r
		},
	} {
		q := term.New(term.NewTypes())
		q.Root = part(q, q.NewVar(term.VarInfo{Name: "x", Type: term.R}))
		_, err := q.Check()
		var typeError *term.TypeError
		require.ErrorAs(t, err, &typeError, want)
		require.Equal(t, term.Pos(1), typeError.Pos, want)
		message, _, _ := strings.Cut(want, " (")
		require.ErrorContains(t, err, message)
	}
}

// TestAlphaEqualTells: two terms that differ in one place only are not equal.
func TestAlphaEqualTells(t *testing.T) {
	type build func(q *term.Term) term.Ref
	variable := func(name string, linear bool) func(q *term.Term) term.Var {
		return func(q *term.Term) term.Var {
			return q.NewVar(term.VarInfo{Name: name, Type: term.R, Linear: linear})
		}
	}
	x, y, a := variable("x", false), variable("y", false), variable("a", true)
	num := func(q *term.Term) term.Ref { return q.Num(0, 1) }
	bind2 := func(q *term.Term, first func(*term.Term) term.Var, of func(x, y term.Var) term.Ref) term.Ref {
		u, v := first(q), y(q)
		return q.Unpair(0, u, v, q.Pair(0, num(q), num(q)), of(u, v))
	}
	for name, pair := range map[string][2]build{
		"a free variable": {func(q *term.Term) term.Ref { return q.Variable(0, x(q)) }, func(q *term.Term) term.Ref { return q.Variable(0, y(q)) }},
		"a numeral":       {func(q *term.Term) term.Ref { return q.Num(0, 0) }, func(q *term.Term) term.Ref { return q.Num(0, -1) }},
		"a constructor":   {num, func(q *term.Term) term.Ref { return q.Zero(0) }},
		"a count":         {func(q *term.Term) term.Ref { return q.Nat(0, 1, term.R) }, func(q *term.Term) term.Ref { return q.Nat(0, 2, term.R) }},
		"data":            {func(q *term.Term) term.Ref { return q.DataRef(0, 0, term.R, 0) }, func(q *term.Term) term.Ref { return q.DataRef(0, 1, term.R, 0) }},
		"a symbol":        {func(q *term.Term) term.Ref { return q.Fun(0, term.Sin, num(q)) }, func(q *term.Term) term.Ref { return q.Fun(0, term.Cos, num(q)) }},
		"an arity":        {func(q *term.Term) term.Ref { return q.Vec(0, []term.Ref{num(q)}) }, func(q *term.Term) term.Ref { return q.Vec(0, []term.Ref{num(q), num(q)}) }},
		"a linear binder": {func(q *term.Term) term.Ref { return q.Lam(0, a(q), num(q)) }, func(q *term.Term) term.Ref { return q.Lam(0, x(q), num(q)) }},
		"a relation":      {func(q *term.Term) term.Ref { return q.If(0, term.Less, num(q), num(q), num(q), num(q)) }, func(q *term.Term) term.Ref { return q.If(0, term.Greater, num(q), num(q), num(q), num(q)) }},
		"a part":          {func(q *term.Term) term.Ref { return q.Add(0, num(q), num(q)) }, func(q *term.Term) term.Ref { return q.Add(0, num(q), q.Num(0, 2)) }},
		"bound and free":  {func(q *term.Term) term.Ref { v := x(q); return q.Lam(0, v, q.Variable(0, v)) }, func(q *term.Term) term.Ref { return q.Lam(0, x(q), q.Variable(0, x(q))) }},
		"a pair's binder": {func(q *term.Term) term.Ref { return bind2(q, x, func(term.Var, term.Var) term.Ref { return num(q) }) }, func(q *term.Term) term.Ref { return bind2(q, a, func(term.Var, term.Var) term.Ref { return num(q) }) }},
		"which of a pair": {func(q *term.Term) term.Ref {
			return bind2(q, x, func(u, _ term.Var) term.Ref { return q.Variable(0, u) })
		}, func(q *term.Term) term.Ref {
			return bind2(q, x, func(_, v term.Var) term.Ref { return q.Variable(0, v) })
		}},
		"a tuple's binder": {func(q *term.Term) term.Ref { return q.Untuple(0, []term.Var{x(q), y(q)}, num(q), num(q)) }, func(q *term.Term) term.Ref { return q.Untuple(0, []term.Var{x(q), a(q)}, num(q), num(q)) }},
	} {
		tt := term.NewTypes()
		q, r := term.New(tt), term.New(tt)
		q.Data, r.Data = make([]term.Data, 2), make([]term.Data, 2)
		q.Root, r.Root = pair[0](q), pair[1](r)
		require.False(t, term.AlphaEqual(q, r), name)
		require.False(t, term.AlphaEqual(r, q), name)
		require.True(t, term.AlphaEqual(q, q), name)
		again := term.New(tt)
		again.Data = q.Data
		again.Root = pair[0](again)
		require.True(t, term.AlphaEqual(q, again), name)
	}
}
