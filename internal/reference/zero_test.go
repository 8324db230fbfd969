package reference_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram/term"
)

// clauses is an instance of positive 1-in-3 SAT: each clause has three of n variables, of
// which exactly one is to be chosen.
type clauses struct {
	n int
	c [][3]int
}

// satisfied reports whether the bits of chosen are a solution.
func (s clauses) satisfied(chosen int) bool {
	for _, c := range s.c {
		if chosen>>c[0]&1+chosen>>c[1]&1+chosen>>c[2]&1 != 1 {
			return false
		}
	}
	return true
}

// term is λa.(Σ b·b'·b”)[b1:=u1]…[bn:=un], a summand for each clause; of returns bi and ui.
func (s clauses) term(of func(q *term.Term, a term.Var, i int) (term.Var, term.Ref)) *term.Term {
	q := term.New(term.NewTypes())
	a := q.NewVar(term.VarInfo{Name: "a", Type: term.R, Linear: true})
	bs, us := make([]term.Var, s.n), make([]term.Ref, s.n)
	for i := range bs {
		bs[i], us[i] = of(q, a, i)
	}
	for i, c := range s.c {
		at := func(k int) term.Ref { return q.Variable(0, bs[c[k]]) }
		product := q.Fun(0, term.Mul, at(0), q.Fun(0, term.Mul, at(1), at(2)))
		if i > 0 {
			product = q.Add(0, q.Root, product)
		}
		q.Root = product
	}
	for i, b := range bs {
		q.Root = q.Let(0, b, us[i], q.Root)
	}
	q.Root = q.Lam(0, a, q.Root)
	return q
}

// zeros binds each b to 0 as a linear variable.
func zeros(q *term.Term, _ term.Var, _ int) (term.Var, term.Ref) {
	return q.NewVar(term.VarInfo{Name: "b", Type: term.R, Linear: true}), q.Num(0, 0)
}

// TestZeroHasBothJudgements: of (Σ b·b'·b”)[b:=0]… both checkers need not choose for each
// b whether it is linear, as b[b:=0·a] is, or ordinary. With the one choice or the other
// the term is typed just by the solutions of the clauses, so choosing solves positive
// 1-in-3 SAT. With both judgements no choice is made: 10⁵ lets are typed, and those
// of clauses without a solution, and their value is 0 as it should be.
func TestZeroHasBothJudgements(t *testing.T) {
	some := clauses{4, [][3]int{{0, 1, 2}, {1, 2, 3}, {0, 1, 3}}}
	solutions := 0
	for chosen := range 1 << some.n {
		q := some.term(func(q *term.Term, a term.Var, i int) (term.Var, term.Ref) {
			if chosen>>i&1 == 0 {
				return q.NewVar(term.VarInfo{Name: "b", Type: term.R}), q.Num(0, 0)
			}
			return q.NewVar(term.VarInfo{Name: "b", Type: term.R, Linear: true}), q.Fun(0, term.Mul, q.Num(0, 0), q.Variable(0, a))
		})
		require.Equal(t, some.satisfied(chosen), requireSameJudgement(t, q), "%s", q)
		if some.satisfied(chosen) {
			solutions++
		}
	}
	require.Equal(t, 1, solutions) // the second variable alone

	none := clauses{4, [][3]int{{0, 1, 2}, {0, 1, 3}, {0, 2, 3}, {1, 2, 3}}}
	for chosen := range 1 << none.n {
		require.False(t, none.satisfied(chosen))
	}
	many := clauses{60, nil}
	for i := range 58 {
		many.c = append(many.c, [3]int{i, i + 1, i + 2})
	}
	for _, s := range []clauses{some, none, many} {
		q := s.term(zeros)
		require.True(t, requireSameJudgement(t, q), "%s", q)
		q.Root = q.App(0, q.Root, q.Num(0, 1))
		got, ok := onMachine(t, subject{t: q}, false)
		require.True(t, ok)
		require.Equal(t, []float64{0}, got.values)
		requireAgreement(t, subject{t: q}, false)
	}

	long := clauses{n: 100_000}
	for i := range long.n - 2 {
		long.c = append(long.c, [3]int{i, i + 1, i + 2})
	}
	q := long.term(zeros)
	ty, err := q.Check()
	require.NoError(t, err)
	require.Equal(t, q.Types.Dual(1), ty)
}
