package reference

import (
	"slices"

	"github.com/gram-machine/gram/internal/denote"
	"github.com/gram-machine/gram/rule"
	"github.com/gram-machine/gram/term"
)

// schema finds the instances of a rule at the places of its constructor.
type schema struct {
	op   Op // anyOp: at every place
	find func(s *State, i int, n *Term)
}

const anyOp Op = 1<<8 - 1

// rules is the table, in the order of the calculus. α, β are stacks of explicit substitutions, v is a value.
var rules = []schema{
	// (1)   (λx.t)α u              →  t[x:=u]α
	{Apply, (*State).lambda},
	// (2)   s[⟨p,q⟩:=⟨t,u⟩α]       →  s[p:=t][q:=u]α
	{Let, (*State).pair},
	// (3)   C{x}[x:=vα]            →  C{v}[x:=v]α            x exponential
	{Let, (*State).subst},
	// (4)   t[x:=vα]               →  tα                     x exponential, x ∉ fv(t)
	{Let, (*State).gc},
	// (5)   t[x:=vα]               →  t{v/x}α                x linear
	// (5')  t[x:=u]                →  t                      x linear, x ∉ fv(t)
	{Let, (*State).lin},
	// (6)   rα + qβ                →  (r+q)αβ
	{Plus, (*State).plus},
	// (7)   ⟨t1,t2⟩α + ⟨u1,u2⟩β    →  ⟨t1+u1,t2+u2⟩αβ
	{Plus, (*State).plusPair},
	// (8)   rα · qβ                →  (rq)αβ (12)  f(r1α1,…,rkαk)         →  ⟦f⟧(r1,…,rk)α1…αk
	{Function, (*State).function},
	// (9)   t                      →  λy.t y
	{anyOp, (*State).etaLambda},
	// (10)  t[x:=⟨u,u'⟩]           →  t[x:=⟨y,y'⟩][⟨y,y'⟩:=⟨u,u'⟩]
	{Let, (*State).etaPair},
	{Let, (*State).nameComponents},
	// (11)  (x α t)β + (x α' t')β' →  x(t+t')αβα'β'          x a dual variable
	{Plus, (*State).factor},
	// (13)  if rα c qβ then t else u → tαβ or uαβ
	{If, (*State).branch},
	{If, (*State).decide},
	// (14)  match (C v)α with … C p → u …  →  u[p:=v]α
	{Match, (*State).match},
	// (15)  (fix f.v)α u           →  (v[f:=fix f.v] u)α     not under a λ
	{Apply, (*State).unfold},
}

// lambda is (1): (λx.t)α u → t[x:=u]α.
func (s *State) lambda(i int, n *Term) {
	f, a := split(n.Kids[0])
	if f.Op != Lambda {
		return
	}
	s.emit(Redex{Rule: rule.Lambda}, i, func() *Term {
		return a.plug(let(f.Kids[0], single(f.X), n.Kids[1]).at(n.Pos))
	})
}

// pair is (2): s[⟨p,q⟩:=⟨t,u⟩α] → s[p:=t][q:=u]α.
func (s *State) pair(i int, n *Term) {
	w, a := split(n.Kids[1])
	if n.P.X != nil || w.Op != MakePair {
		return
	}
	s.emit(Redex{Rule: rule.Pair}, i, func() *Term {
		return a.plug(let(let(n.Kids[0], n.P.Left, w.Kids[0]).at(n.Pos), n.P.Right, w.Kids[1]).at(n.Pos))
	})
}

// subst is (3): C{x}[x:=vα] → C{v}[x:=v]α, for each occurrence of x.
func (s *State) subst(i int, n *Term) {
	if n.P.X == nil || n.P.X.Linear || len(s.occurs[n.P.X]) == 0 {
		return
	}
	v, a := answer(n.Kids[1])
	if v == nil {
		return
	}
	r := Redex{Rule: rule.Subst, X: n.P.X, V: v}
	if v.Op == Numeral {
		r.Rule = rule.SubstNumeral
	}
	for _, o := range s.occurs[n.P.X] {
		r.occ, r.Weak = o, s.places[o].weak
		s.emit(r, i, func() *Term {
			body := s.replace(o, fresh(v), i)
			return a.plug(let(body.Kids[0], n.P, v).at(n.Pos))
		})
	}
}

// gc is (4): t[x:=vα] → tα.
func (s *State) gc(i int, n *Term) {
	if n.P.X == nil || n.P.X.Linear || len(s.occurs[n.P.X]) > 0 {
		return
	}
	if v, a := answer(n.Kids[1]); v != nil {
		s.emit(Redex{Rule: rule.GC, X: n.P.X, V: v}, i, func() *Term { return a.plug(n.Kids[0]) })
	}
}

// lin is (5): t[x:=vα] → t{v/x}α, and (5'): t[x:=u] → t.
func (s *State) lin(i int, n *Term) {
	if n.P.X == nil || !n.P.X.Linear {
		return
	}
	x := n.P.X
	if v, a := answer(n.Kids[1]); v != nil {
		s.emit(Redex{Rule: rule.Lin, X: x, V: v}, i, func() *Term { return a.plug(substitute(n.Kids[0], x, v)) })
	}
	if len(s.occurs[x]) == 0 {
		s.emit(Redex{Rule: rule.Lin, Garbage: true, X: x}, i, func() *Term { return n.Kids[0] })
	}
}

// numbers returns r1, …, rk and α1…αk for terms r1α1, …, rkαk; nil if those are others.
func numbers(ts []*Term) (rs []denote.Number, a stack) {
	for _, t := range ts {
		r, b := split(t)
		if r.Op != Numeral {
			return nil, nil
		}
		rs, a = append(rs, r.Num), slices.Concat(a, b)
	}
	return rs, a
}

// plus is (6): rα + qβ → (r+q)αβ.
func (s *State) plus(i int, n *Term) {
	if r, a := numbers(n.Kids); r != nil {
		s.emit(Redex{Rule: rule.Plus}, i, func() *Term {
			return a.plug(numeral(s.prog.Ground.Add(r[0], r[1])).at(n.Pos))
		})
	}
}

// plusPair is (7): ⟨t1,t2⟩α + ⟨u1,u2⟩β → ⟨t1+u1,t2+u2⟩αβ.
func (s *State) plusPair(i int, n *Term) {
	t, a := split(n.Kids[0])
	u, b := split(n.Kids[1])
	if t.Op == MakePair && u.Op == MakePair {
		s.emit(Redex{Rule: rule.PlusPair}, i, func() *Term {
			return slices.Concat(a, b).plug(pair(plusAt(n.Pos, t.Kids[0], u.Kids[0]),
				plusAt(n.Pos, t.Kids[1], u.Kids[1])).at(n.Pos))
		})
	}
}

// function is (8): rα · qβ → (rq)αβ, and (12): f(r1α1,…,rkαk) → ⟦f⟧(r1,…,rk)α1…αk.
func (s *State) function(i int, n *Term) {
	args, a := numbers(n.Kids)
	if args == nil {
		return
	}
	r := Redex{Rule: rule.Function}
	if n.Sym == term.Mul {
		r.Rule = rule.Times
	}
	s.emit(r, i, func() *Term {
		v, err := s.prog.Ground.Apply(n.Sym, args...)
		if err != nil {
			s.err = err
			return n
		}
		return a.plug(numeral(v).at(n.Pos))
	})
}

// branch is (13): if rα c qβ then t else u → tαβ or uαβ.
func (s *State) branch(i int, n *Term) {
	r, a := numbers(n.Kids[:2])
	if r == nil {
		return
	}
	s.emit(Redex{Rule: rule.Branch}, i, func() *Term {
		if s.prog.Ground.Holds(n.Cmp, r[0], r[1]) {
			return a.plug(n.Kids[2])
		}
		return a.plug(n.Kids[3])
	})
}

// match is (14): match (C v)α with … C p → u … → u[p:=v]α.
func (s *State) match(i int, n *Term) {
	v, a := answer(n.Kids[0])
	if v == nil || v.Op != Construct {
		return
	}
	s.emit(Redex{Rule: rule.Case}, i, func() *Term {
		branch := n.Kids[v.At+1]
		if branch.P == nil {
			return a.plug(branch.Kids[0])
		}
		return a.plug(let(branch.Kids[0], branch.P, v.Kids[0]).at(n.Pos))
	})
}

// unfold is (15): (fix f.v)α u → (v[f:=fix f.v] u)α. Of functions that are defined together each is bound.
func (s *State) unfold(i int, n *Term) {
	f, a := split(n.Kids[0])
	if f.Op != Fix || !s.places[i].weak {
		return
	}
	s.emit(Redex{Rule: rule.Unfold}, i, func() *Term {
		body := fresh(f)
		t := body.Kids[f.At]
		for k, x := range body.Xs {
			member := fresh(f)
			member.At = k
			t = let(t, single(x), member).at(n.Pos)
		}
		return apply(a.plug(t), n.Kids[1]).at(n.Pos)
	})
}

// factor is (11): (x α t)β + (x α' t')β' → x(t+t')αβα'β', for each two summands of the bag that a maximal sum is.
func (s *State) factor(i int, n *Term) {
	if t, _ := s.around(i); t != nil && t.Op == Plus { // part of a larger sum
		return
	}
	ts, a := summands(n)
	for j := range ts {
		x, aj := head(ts[j])
		if x == nil || !s.isDual(x) {
			continue
		}
		for k := j + 1; k < len(ts); k++ {
			y, ak := head(ts[k])
			if x != y {
				continue
			}
			s.emit(Redex{Rule: rule.Factor, X: x}, i, func() *Term {
				rest := slices.Delete(slices.Clone(ts), k, k+1)
				rest[j] = apply(variable(x), plusAt(n.Pos, ts[j].Kids[1], ts[k].Kids[1])).at(ts[j].Pos)
				sum := Node(Zero)
				for _, t := range rest {
					sum = Sum(sum, t)
				}
				return slices.Concat(aj, ak, a).plug(sum)
			})
		}
	}
}

// head returns the x and α of x α t.
func head(t *Term) (*Var, stack) {
	if t.Op != Apply {
		return nil, nil
	}
	f, a := split(t.Kids[0])
	if f.Op != Variable {
		return nil, nil
	}
	return f.X, a
}

// etaLambda is (9): t → λy.t y, where t has the type of a function.
func (s *State) etaLambda(i int, n *Term) {
	if !s.eta || n.Op == Branch { // a case is no term
		return
	}
	y, ok := s.prog.argument(n)
	if !ok {
		return
	}
	s.emit(Redex{Rule: rule.EtaLambda}, i, func() *Term {
		x := y
		return lambda(&x, apply(n, variable(&x)))
	})
}

// etaPair is (10): t[x:=⟨u,u'⟩] → t[x:=⟨y,y'⟩][⟨y,y'⟩:=⟨u,u'⟩].
func (s *State) etaPair(i int, n *Term) {
	if !s.eta || n.P.X == nil || n.P.X.Linear || n.Kids[1].Op != MakePair {
		return
	}
	s.emit(Redex{Rule: rule.EtaPair, X: n.P.X}, i, func() *Term {
		u := n.Kids[1]
		y := &Var{Name: "y", Type: s.prog.tt.Left(n.P.X.Type)}
		z := &Var{Name: "y'", Type: s.prog.tt.Right(n.P.X.Type)}
		return let(let(n.Kids[0], n.P, pair(variable(y), variable(z))), tuplePattern(y, z), u)
	})
}
