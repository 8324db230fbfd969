package reference_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram/internal/denote"
	"github.com/gram-machine/gram/internal/reference"
	"github.com/gram-machine/gram/rule"
	"github.com/gram-machine/gram/term"
)

// small is a term with free dual variables x*, y* and free numbers, in one arena.
type small struct {
	*term.Term
	x, y, c term.Var // x*, y* : R⊥1, c : R
}

func newSmall() *small {
	s := &small{Term: term.New(term.NewTypes())}
	dual := s.Types.Dual(1)
	s.x = s.NewVar(term.VarInfo{Name: "x*", Type: dual})
	s.y = s.NewVar(term.VarInfo{Name: "y*", Type: dual})
	s.c = s.NewVar(term.VarInfo{Name: "c", Type: term.R})
	return s
}

// convert is the program with x*, y* and c free.
func (s *small) convert() *reference.Program {
	p := reference.Convert(s.Term, denote.Rationals{})
	for _, x := range []term.Var{s.x, s.y, s.c} {
		if v := p.Var(x); v != nil {
			p.Free(v)
		}
	}
	return p
}

func (s *small) linear(name string) term.Var {
	return s.NewVar(term.VarInfo{Name: name, Type: term.R, Linear: true})
}

func (s *small) at(x term.Var) term.Ref { return s.Variable(0, x) }

func (s *small) times(a, b term.Ref) term.Ref { return s.Fun(0, term.Mul, a, b) }

func (s *small) call(f term.Var, a term.Ref) term.Ref { return s.App(0, s.at(f), a) }

// smallest are the terms that make the two judgements, and the restriction of ≡,
// necessary (notes A1 and A2).
var smallest = map[string]func(s *small) term.Ref{
	// λa.(y* a + (y* b)[b:=c·a]): (11) makes it mention two linear variables.
	"two linear variables": func(s *small) term.Ref {
		a, b := s.linear("a"), s.linear("b")
		right := s.Let(0, b, s.times(s.at(s.c), s.at(a)), s.call(s.y, s.at(b)))
		return s.Lam(0, a, s.Add(0, s.call(s.y, s.at(a)), right))
	},
	// (x* b)[b:=2·3] + (x* c)[c:=7·1]: after (11) the linear variables are ordinary.
	"ordinary linear variables": func(s *small) term.Ref {
		b, c := s.linear("b"), s.linear("c")
		left := s.Let(0, b, s.times(s.Num(0, 2), s.Num(0, 3)), s.call(s.x, s.at(b)))
		return s.Add(0, left, s.Let(0, c, s.times(s.Num(0, 7), s.Num(0, 1)), s.call(s.x, s.at(c))))
	},
	// λa.(b[b:=2])·a, and by app1' λa.(b·a)[b:=2].
	"an ordinary factor": func(s *small) term.Ref {
		a, b := s.linear("a"), s.linear("b")
		return s.Lam(0, a, s.times(s.Let(0, b, s.Num(0, 2), s.at(b)), s.at(a)))
	},
	// λa.(y* a)[b:=a]: app1 must not push [b:=a] into y*, which has to be ⊢.
	"a substitution that nobody mentions": func(s *small) term.Ref {
		a, b := s.linear("a"), s.linear("b")
		return s.Lam(0, a, s.Let(0, b, s.at(a), s.call(s.y, s.times(s.at(s.c), s.at(a)))))
	},
}

// TestSmallest types all terms that these reach by rules and ≡.
func TestSmallest(t *testing.T) {
	for name, build := range smallest {
		t.Run(name, func(t *testing.T) {
			s := newSmall()
			s.Root = build(s)
			p := s.convert()
			seen := map[string]bool{}
			for queue := []*reference.Term{p.Term}; len(queue) > 0 && len(seen) < 2000; queue = queue[1:] {
				u := queue[0]
				if seen[u.String()] {
					continue
				}
				seen[u.String()] = true
				got, err := p.Check(u)
				require.NoError(t, err)
				require.Equal(t, p.Of(p.Term), got, "%s", u)
				st := p.State(u, false)
				for _, m := range st.Moves() {
					queue = append(queue, m.Fire())
				}
				for i := range st.Redex {
					next, err := st.Fire(&st.Redex[i])
					require.NoError(t, err)
					queue = append(queue, next)
				}
			}
			require.Greater(t, len(seen), 1)
		})
	}
}

// TestIllTyped: terms that are not linear have no type.
func TestIllTyped(t *testing.T) {
	for name, build := range map[string]func(s *small, a term.Var) term.Ref{
		"a·a":   func(s *small, a term.Var) term.Ref { return s.times(s.at(a), s.at(a)) },
		"1":     func(s *small, _ term.Var) term.Ref { return s.Num(0, 1) },
		"a + 1": func(s *small, a term.Var) term.Ref { return s.Add(0, s.at(a), s.Num(0, 1)) },
		"neg a": func(s *small, a term.Var) term.Ref { return s.Fun(0, term.Neg, s.at(a)) },
		"y*[b:=a] a": func(s *small, a term.Var) term.Ref {
			return s.App(0, s.Let(0, s.linear("b"), s.at(a), s.at(s.y)), s.at(a))
		},
		"c":            func(s *small, _ term.Var) term.Ref { return s.at(s.c) },
		"⟨a, 1⟩":       func(s *small, a term.Var) term.Ref { return s.Pair(0, s.at(a), s.Num(0, 1)) },
		"x[x:=a]":      func(s *small, a term.Var) term.Ref { return s.Let(0, s.c, s.at(a), s.at(s.c)) },
		"if a < 0 …":   func(s *small, a term.Var) term.Ref { return s.If(0, term.Less, s.at(a), s.Num(0, 0), s.at(a), s.at(a)) },
		"λb.b":         func(s *small, _ term.Var) term.Ref { b := s.linear("b"); return s.Lam(0, b, s.at(b)) },
		"out of scope": func(s *small, a term.Var) term.Ref { return s.times(s.at(s.NewVar(s.Info(s.c))), s.at(a)) },
	} {
		s := newSmall()
		a := s.linear("a")
		s.Root = s.Lam(0, a, build(s, a))
		p := s.convert()
		_, err := p.Check(p.Term)
		require.Error(t, err, name)
	}
}

// TestLinearCounts: the machine's strategy on duals that are no images of D, with
// counts worked out by hand.
func TestLinearCounts(t *testing.T) {
	// (y* 2 + y* 5)[y*:=λa.a·3]: the heads meet, (11) and (6), before y* fires once: (3),
	// (1), (5), (8); (4) of y*.
	s := newSmall()
	a := s.linear("a")
	sum := s.Add(0, s.call(s.y, s.Num(0, 2)), s.call(s.y, s.Num(0, 5)))
	s.Root = s.Let(0, s.y, s.Lam(0, a, s.times(s.at(a), s.Num(0, 3))), sum)
	requireRun(t, s.Term, by(1, 0, 1, 0, 1, 1, 1, 1, 1), 21)

	// The same with y* bound to x*: its two (3) come before (11), and its (4).
	s = newSmall()
	a = s.linear("a")
	sum = s.Add(0, s.call(s.y, s.Num(0, 2)), s.call(s.y, s.Num(0, 5)))
	sum = s.Let(0, s.y, s.at(s.x), sum)
	s.Root = s.Let(0, s.x, s.Lam(0, a, s.times(s.at(a), s.Num(0, 3))), sum)
	requireRun(t, s.Term, by(1, 0, 3, 0, 2, 1, 1, 1, 1), 21)

	// (x* 2 + y* 5)[x*:=λa.⟨a,a⟩][y*:=λb.⟨b,0⟩]: two duals fire; (7), and its two (6).
	s = newSmall()
	a, b := s.linear("a"), s.linear("b")
	s.ToChange(s.x).Type, s.ToChange(s.y).Type = s.Types.Dual(2), s.Types.Dual(2)
	sum = s.Add(0, s.call(s.x, s.Num(0, 2)), s.call(s.y, s.Num(0, 5)))
	s.Root = s.Let(0, s.x, s.Lam(0, a, s.Pair(0, s.at(a), s.at(a))), sum)
	s.Root = s.Let(0, s.y, s.Lam(0, b, s.Pair(0, s.at(b), s.Num(0, 0))), s.Root)
	want := by(2, 0, 2, 0, 2, 2, 2)
	want[rule.PlusPair] = 1
	requireRun(t, s.Term, want, 7, 2)

	// (x·1)[x:=(λa.a·4) 3]: a dual without a name gets one, and a nested seed is a job
	// of its own: (3), (1), (5), (8), (4) of its name; then (3n), (4) of x.
	s = newSmall()
	a = s.linear("a")
	u := s.App(0, s.Lam(0, a, s.times(s.at(a), s.Num(0, 4))), s.Num(0, 3))
	s.Root = s.Let(0, s.c, u, s.times(s.at(s.c), s.Num(0, 1)))
	requireRun(t, s.Term, by(1, 0, 1, 1, 2, 1, 0, 2), 12)
}

// requireRun reduces by the machine's strategy, under several schedules.
func requireRun(t *testing.T, q *term.Term, counts rule.Counts, numbers ...float64) {
	t.Helper()
	s := reference.Convert(q, denote.Floats{}).ValueStart(nil, nil).Named()
	for seed := range uint64(10) {
		res, err := s.Run(reference.Machine(rand.New(rand.NewPCG(seed, 0))), maxSteps, nil)
		require.NoError(t, err)
		got, ok := reference.Numbers(res.Term)
		require.True(t, ok, "%s", res.Term)
		require.Equal(t, numbers, floats(got))
		require.Equal(t, counts, res.Counts)
	}
}

// TestFactorIsTyped: (11) is for dual variables, not for functions: f 1 + f 2 is not
// f (1+2).
func TestFactorIsTyped(t *testing.T) {
	s := newSmall()
	x := s.NewVar(term.VarInfo{Name: "x", Type: term.R})
	f := s.NewVar(term.VarInfo{Name: "f", Type: s.Types.Arrow(term.R, term.R)})
	sum := s.Add(0, s.call(f, s.Num(0, 1)), s.call(f, s.Num(0, 2)))
	s.Root = s.Let(0, f, s.Lam(0, x, s.times(s.at(x), s.at(x))), sum)
	p := reference.Convert(s.Term, denote.Floats{})
	for _, r := range p.State(p.Term, true).Redex {
		require.NotEqual(t, rule.Factor, r.Rule)
	}
}
