package compile_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram/compile"
	"github.com/gram-machine/gram/term"
)

// TestUnknownDuals: of a reversed program the duals are those that D and its normal forms
// have. Any other has no code, and the error tells where it stands.
func TestUnknownDuals(t *testing.T) {
	const there = term.Pos(7)
	for name, build := range map[string]func(q *term.Term, star, a term.Var) term.Ref{
		"a head that is no variable": func(q *term.Term, star, a term.Var) term.Ref {
			b := q.NewVar(term.VarInfo{Name: "b", Type: term.R, Linear: true})
			return q.App(0, q.Lam(there, b, q.App(0, q.Variable(0, star), q.Variable(0, b))), q.Variable(0, a))
		},
		"a conditional": func(q *term.Term, star, a term.Var) term.Ref {
			return q.If(there, term.Less, q.Num(0, 1), q.Num(0, 2), q.App(0, q.Variable(0, star), q.Variable(0, a)), q.Zero(0))
		},
		"a conditional in an argument": func(q *term.Term, star, a term.Var) term.Ref {
			return q.App(0, q.Variable(0, star), q.If(there, term.Less, q.Num(0, 1), q.Num(0, 2), q.Variable(0, a), q.Num(0, 0)))
		},
	} {
		q := term.New(term.NewTypes())
		x := q.NewVar(term.VarInfo{Name: "x", Type: q.Types.Reverse(term.R)})
		y := q.NewVar(term.VarInfo{Name: "y", Type: term.R})
		star := q.NewVar(term.VarInfo{Name: "y*", Type: term.AbstractDual})
		a := q.NewVar(term.VarInfo{Name: "a", Type: term.R, Linear: true})
		dual := q.Lam(0, a, build(q, star, a))
		q.Root = q.Unpair(0, y, star, q.Variable(0, x), q.Pair(0, q.Variable(0, y), dual))
		_, err := compile.Compile(q, compile.Options{Inputs: []term.Var{x}, Reversed: true})
		var limit *compile.LimitError
		require.ErrorAs(t, err, &limit, name)
		require.Equal(t, there, limit.Pos, name)
		require.EqualError(t, err, "this linear function cannot be compiled")
	}
}

// TestIllTyped: a term without a type is not compiled.
func TestIllTyped(t *testing.T) {
	q := term.New(term.NewTypes())
	q.Root = q.App(0, q.Num(0, 1), q.Num(0, 2))
	_, err := compile.Compile(q, compile.Options{})
	require.EqualError(t, err, "R is not a function")
}

// TestCheckEnds: an error of Check ends the compilation, at every call.
func TestCheckEnds(t *testing.T) {
	q := term.New(term.NewTypes())
	q.Root = q.Num(0, 1)
	for range 20_000 {
		q.Root = q.Add(0, q.Root, q.Num(0, 1))
	}
	calls := 0
	_, err := compile.Compile(q, compile.Options{Check: func() error { calls++; return nil }})
	require.NoError(t, err)
	require.Greater(t, calls, 5)
	stop := errors.New("stop")
	for at := 1; at <= calls; at++ {
		left := at
		_, err := compile.Compile(q, compile.Options{Check: func() error {
			if left--; left == 0 {
				return stop
			}
			return nil
		}})
		require.ErrorIs(t, err, stop)
	}
}
