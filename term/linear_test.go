package term_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram/term"
)

// linearTerm builds terms over x*, y* : R⊥1, c : R and linear variables a and b.
type linearTerm struct {
	*term.Term
	x, y, c, a, b term.Var
}

func newLinearTerm() *linearTerm {
	q := &linearTerm{Term: term.New(term.NewTypes())}
	dual := q.Types.Dual(1)
	q.x = q.NewVar(term.VarInfo{Name: "x*", Type: dual})
	q.y = q.NewVar(term.VarInfo{Name: "y*", Type: dual})
	q.c = q.NewVar(term.VarInfo{Name: "c", Type: term.R})
	q.a = q.NewVar(term.VarInfo{Name: "a", Type: term.R, Linear: true})
	q.b = q.NewVar(term.VarInfo{Name: "b", Type: term.R, Linear: true})
	return q
}

func (q *linearTerm) at(x term.Var) term.Ref               { return q.Variable(1, x) }
func (q *linearTerm) num(r float64) term.Ref               { return q.Num(1, r) }
func (q *linearTerm) call(f term.Var, u term.Ref) term.Ref { return q.App(1, q.at(f), u) }
func (q *linearTerm) times(t, u term.Ref) term.Ref         { return q.Fun(1, term.Mul, t, u) }
func (q *linearTerm) sum(t, u term.Ref) term.Ref           { return q.Add(1, t, u) }
func (q *linearTerm) let(x term.Var, u, t term.Ref) term.Ref {
	return q.Let(1, x, u, t)
}

// TestCheckJudgements: the terms that need two judgements, and variables bound to zeros.
func TestCheckJudgements(t *testing.T) {
	for want, build := range map[string]func(q *linearTerm) term.Ref{
		"λa.y* a + (y* b)[b:=c·a]": func(q *linearTerm) term.Ref {
			right := q.let(q.b, q.times(q.at(q.c), q.at(q.a)), q.call(q.y, q.at(q.b)))
			return q.Lam(1, q.a, q.sum(q.call(q.y, q.at(q.a)), right))
		},
		"λa.(y* (a + b))[b:=c·a]": func(q *linearTerm) term.Ref {
			call := q.call(q.y, q.sum(q.at(q.a), q.at(q.b)))
			return q.Lam(1, q.a, q.let(q.b, q.times(q.at(q.c), q.at(q.a)), call))
		},
		"(x* a)[a:=2·3] + (x* b)[b:=7·1]": func(q *linearTerm) term.Ref {
			left := q.let(q.a, q.times(q.num(2), q.num(3)), q.call(q.x, q.at(q.a)))
			return q.sum(left, q.let(q.b, q.times(q.num(7), q.num(1)), q.call(q.x, q.at(q.b))))
		},
		"(x* (a + b))[a:=2·3][b:=7·1]": func(q *linearTerm) term.Ref {
			call := q.call(q.x, q.sum(q.at(q.a), q.at(q.b)))
			return q.let(q.b, q.times(q.num(7), q.num(1)), q.let(q.a, q.times(q.num(2), q.num(3)), call))
		},
		"λa.b[b:=2]·a": func(q *linearTerm) term.Ref {
			return q.Lam(1, q.a, q.times(q.let(q.b, q.num(2), q.at(q.b)), q.at(q.a)))
		},
		"λa.(b·a)[b:=2]": func(q *linearTerm) term.Ref {
			return q.Lam(1, q.a, q.let(q.b, q.num(2), q.times(q.at(q.b), q.at(q.a))))
		},
		"λa.(y* a)[b:=a]": func(q *linearTerm) term.Ref {
			return q.Lam(1, q.a, q.let(q.b, q.at(q.a), q.call(q.y, q.at(q.a))))
		},
		"λa.b[b:=0]": func(q *linearTerm) term.Ref {
			return q.Lam(1, q.a, q.let(q.b, q.num(0), q.at(q.b)))
		},
		"λa.(b·a)[b:=y* 0]": func(q *linearTerm) term.Ref {
			return q.Lam(1, q.a, q.let(q.b, q.call(q.y, q.num(0)), q.times(q.at(q.b), q.at(q.a))))
		},
		"λa.a + 0·c": func(q *linearTerm) term.Ref {
			return q.Lam(1, q.a, q.sum(q.at(q.a), q.times(q.num(0), q.at(q.c))))
		},
		"λa.a + y* 0": func(q *linearTerm) term.Ref {
			return q.Lam(1, q.a, q.sum(q.at(q.a), q.call(q.y, q.num(0))))
		},
	} {
		q := newLinearTerm()
		q.Root = build(q)
		_, err := q.Check()
		require.NoError(t, err, want)
		require.Equal(t, want, q.String())
	}
}

// TestCheckJudgementsReject: one change to such terms, and they have no type.
func TestCheckJudgementsReject(t *testing.T) {
	for want, build := range map[string]func(q *linearTerm) term.Ref{
		"the linear variable b is used in both factors of a product": func(q *linearTerm) term.Ref {
			return q.Lam(1, q.a, q.let(q.b, q.at(q.a), q.times(q.at(q.a), q.at(q.b))))
		},
		"the body is not linear in a": func(q *linearTerm) term.Ref {
			return q.Lam(1, q.a, q.let(q.b, q.num(2), q.at(q.b)))
		},
		"the linear variable a is used in a function": func(q *linearTerm) term.Ref {
			return q.Lam(1, q.a, q.call(q.y, q.App(1, q.Lam(1, q.b, q.at(q.a)), q.at(q.a))))
		},
		"the linear variable a is dropped": func(q *linearTerm) term.Ref {
			return q.Lam(1, q.a, q.let(q.b, q.at(q.a), q.num(1)))
		},
		"b is out of scope": func(q *linearTerm) term.Ref {
			return q.Lam(1, q.a, q.sum(q.at(q.b), q.let(q.b, q.at(q.a), q.at(q.b))))
		},
		"a node has two parents": func(q *linearTerm) term.Ref {
			a := q.at(q.a)
			return q.Lam(1, q.a, q.sum(a, a))
		},
		"a is bound twice": func(q *linearTerm) term.Ref {
			return q.Lam(1, q.a, q.let(q.a, q.at(q.a), q.at(q.a)))
		},
		"the linear variable b has type R^1, not R": func(q *linearTerm) term.Ref {
			q.ToChange(q.b).Type = q.Types.Vec(1, term.R)
			return q.Lam(1, q.a, q.let(q.b, q.Vec(1, []term.Ref{q.at(q.a)}), q.at(q.b)))
		},
	} {
		q := newLinearTerm()
		q.Root = build(q)
		_, err := q.Check()
		require.EqualError(t, err, want, "%s", q)
	}
}

// TestCheckManyLinear: 10⁵ nested linear lets, all of whose variables meet in one sum.
func TestCheckManyLinear(t *testing.T) {
	const n = 100_000
	q := newLinearTerm()
	bs, last := make([]term.Var, n), q.a
	us := make([]term.Ref, n)
	for i := range bs {
		bs[i] = q.NewVar(term.VarInfo{Name: "b", Type: term.R, Linear: true})
		us[i], last = q.at(last), bs[i]
	}
	sum := q.at(q.a)
	for _, b := range bs {
		sum = q.sum(sum, q.at(b))
	}
	for i := n - 1; i >= 0; i-- {
		sum = q.let(bs[i], us[i], sum)
	}
	q.Root = q.Lam(1, q.a, sum)
	typ, err := q.Check()
	require.NoError(t, err)
	require.Equal(t, q.Types.Dual(1), typ)
}

// TestDualTypes: R ⊸ R and R ⊸ R¹ are two types.
func TestDualTypes(t *testing.T) {
	tt := term.NewTypes()
	one, ok := tt.DualTo(tt.Vec(1, term.R))
	require.True(t, ok)
	require.NotEqual(t, tt.Dual(1), one)
	require.Equal(t, "R -o R^1", tt.String(one))
	require.Equal(t, 1, tt.Len(one))
	require.Equal(t, tt.Vec(1, term.R), tt.Right(one))
	require.Equal(t, tt.Dual(1), mustDual(t, tt, term.R))
	require.Equal(t, tt.Dual(3), mustDual(t, tt, tt.Vec(3, term.R)))
	require.Equal(t, term.AbstractDual, mustDual(t, tt, term.AbstractEuclid))
	three := mustDual(t, tt, tt.Prod(term.R, tt.Prod(term.R, term.R)))
	require.NotEqual(t, tt.Dual(3), three)
	require.Equal(t, 3, tt.Len(three))
	require.Equal(t, three, tt.Paired(tt.Dual(3)))
	for _, e := range []term.Type{tt.Prod(tt.Vec(2, term.R), term.R), tt.Vec(2, tt.Vec(2, term.R)), tt.Dual(2)} {
		_, ok := tt.DualTo(e)
		require.False(t, ok)
	}
	require.Panics(t, func() { tt.Reverse(tt.Prod(term.R, tt.Dual(2))) })
}

func mustDual(t *testing.T, tt *term.Types, e term.Type) term.Type {
	dual, ok := tt.DualTo(e)
	require.True(t, ok)
	return dual
}
