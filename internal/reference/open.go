package reference

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/gram-machine/gram/internal/denote"
	"github.com/gram-machine/gram/rule"
	"github.com/gram-machine/gram/term"
)

// OpenStart is the program with its inputs left symbolic: they stay free. What its
// conditions compare is decided at the point.
func (p *Program) OpenStart(inputs []term.Var, point []float64) *Start {
	q := *p
	q.Term = p.nameArguments(p.Term)
	q.open = map[*Var]denote.Number{}
	s := &Start{Program: &q}
	for i, x := range inputs {
		v := p.input(x, term.R)
		q.open[v] = p.Ground.Of(point[i])
		p.Free(v)
		s.Inputs = append(s.Inputs, v)
	}
	return s
}

// OpenGradientStart is the term of Theorem 1 with the λ of its second component opened:
//
//	⟨z, z* a⟩[⟨z,z*⟩:=D(t)] with [x:=⟨x0,d⟩][d:=λb.x* b] for each input
//
// for a program D(t) of type D(R), with a, the x0 and the x* free. The duals of the inputs are the Duals of the
// start, and its Seed is a. A branch is decided at the point.
func (p *Program) OpenGradientStart(inputs []term.Var, point []float64) *Start {
	q := *p
	q.open = map[*Var]denote.Number{}
	a := &Var{Name: "a", Type: term.R, Linear: true}
	z, star := &Var{Name: "z", Type: term.R}, &Var{Name: "z*", Type: term.AbstractDual}
	s := &Start{Program: &q, Seed: a}
	q.Term = let(pair(variable(z), apply(variable(star), variable(a))), tuplePattern(z, star), p.nameArguments(q.Term))
	q.open[a] = p.Ground.Of(1)
	for i, x := range inputs {
		x0 := &Var{Name: fmt.Sprintf("x%d", i+1), Type: term.R}
		s.dual(i, p.input(x, p.tt.Reverse(term.R)), x0)
		s.Inputs = append(s.Inputs, x0)
		q.open[x0] = p.Ground.Of(point[i])
		p.Free(x0)
	}
	return s
}

// nameArguments writes C t as (C y)[y:=t]. This is no step: so a constructor that is copied shares its argument.
func (p *Program) nameArguments(t *Term) *Term {
	kids := each(t.Kids, p.nameArguments)
	u := t.with(kids)
	if t.Op != Construct || len(kids) == 0 {
		return u
	}
	y, name, _ := p.newName(t.Kids[0])
	u.Kids = []*Term{name}
	return let(u, y, kids[0]).at(t.Pos)
}

// A standing says what a term has come to. At a point, where no input is symbolic, it is settled or waits.
type standing uint8

const (
	waiting standing = iota // it has steps to make
	settled                 // a value
	named                   // a pair with an inert part whose components (10) has named: a value
	inert                   // an input, an operation on something inert, or a variable bound to such an operation
	unnamed                 // a pair with an inert part that (10) has not seen
)

// standings computes what the terms of a state have come to.
type standings struct {
	s    *State
	memo map[*Term]standing
}

func (s *State) standings() *standings { return &standings{s, map[*Term]standing{}} }

func (st *standings) of(t *Term) standing {
	t, _ = split(t)
	k, ok := st.memo[t]
	if !ok {
		k = st.find(t)
		st.memo[t] = k
	}
	return k
}

func (st *standings) find(t *Term) standing {
	switch t.Op {
	case Numeral, Lambda, Fix, Zero:
		return settled
	case Construct:
		if st.waits(t.Kids) || slices.ContainsFunc(t.Kids, func(u *Term) bool { return st.of(u) == unnamed }) {
			return waiting
		}
		return settled
	case Variable:
		return st.variable(t.X)
	case MakePair:
		switch {
		case st.waits(t.Kids):
			return waiting
		case max(st.of(t.Kids[0]), st.of(t.Kids[1])) == settled:
			return settled
		case t.Named:
			return named
		}
		return unnamed
	case Plus, Function:
		if !st.waits(t.Kids) && slices.ContainsFunc(t.Kids, func(u *Term) bool { return st.of(u) == inert }) {
			return inert
		}
	}
	return waiting // for a step of its own
}

func (st *standings) waits(ts []*Term) bool {
	return slices.ContainsFunc(ts, func(t *Term) bool { return st.of(t) == waiting })
}

// variable: an input is inert, and so is a variable bound to an operation that is. A dual variable that is free or
// bound to a λ is a value, and at a point so is any that is free. Any other waits for its (3), or for its binder.
func (st *standings) variable(x *Var) standing {
	if st.s.isDual(x) {
		if st.s.hasHead(x) {
			return settled
		}
		return waiting
	}
	i, ok := st.s.binder[x]
	switch {
	case !ok && st.s.prog.open == nil:
		return settled
	case !ok:
		return inert
	}
	if n := st.s.places[i].t; n.P.X == x && st.of(n.Kids[1]) == inert {
		if u, _ := split(n.Kids[1]); u.Op != Variable {
			return inert
		}
	}
	return waiting
}

// Open is the machine's strategy where inputs are symbolic: weak, by value, (3) and (4) for values only, (6), (8) and
// (12) for numerals only. What is inert stays: it is G. (1) takes what has no more steps to make, (13) is decided at
// the point, and (10) names the components of a pair that is bound to a variable and has an inert part, once: the
// pair of names is a value. Duals are as in [Machine]; the argument of one that has fired stays, if it is inert, in a
// substitution. Of the redexes that this leaves it takes the first, or with rng not nil any.
func Open(rng *rand.Rand) Strategy { return byStanding(rng, (*standings).innermost) }

// innermost returns the redex that stands deepest: reverse topological order, for a dual's
// body mentions only what is bound further out.
func (st *standings) innermost(fires []*Redex) []*Redex {
	depth := func(a, b *Redex) int { return cmp.Compare(st.s.places[a.at].depth, st.s.places[b.at].depth) }
	return []*Redex{slices.MaxFunc(fires, depth)}
}

func (st *standings) allows(r *Redex) bool {
	n := st.s.places[r.at].t
	switch r.Rule {
	case rule.Lambda, rule.Unfold:
		return st.of(n.Kids[1]) != waiting
	case rule.Case:
		return st.s.prog.open == nil || st.of(n.Kids[0]) != waiting
	case rule.Subst, rule.SubstNumeral, rule.GC:
		// A name bound to a dual λ stays where it is not applied: there it is a value.
		k := st.of(r.V)
		return (k == settled || k == named || k == inert && r.V.Op == Variable) && (!st.s.fires3(r) || st.s.isHead(r.occ))
	case rule.Lin:
		if r.Garbage {
			return st.of(n.Kids[1]) == inert
		}
		return st.s.prog.open != nil || st.of(r.V) == settled
	case rule.Factor:
		// The heads have had their (3) by variables: else one dual has two names.
		return st.s.hasHead(r.X)
	case rule.EtaLambda:
		return false
	case rule.EtaPair:
		return st.of(n.Kids[1]) == unnamed
	case rule.Branch:
		return !st.waits(n.Kids[:2])
	}
	return true
}

// nameComponents is (10) for tuples, whose tails have no names:
//
//	t[x:=⟨u,u'⟩α] → t[x:=⟨y,y'⟩][⟨y,y'⟩:=⟨u,u'⟩]α
func (s *State) nameComponents(i int, n *Term) {
	if s.prog.open == nil || n.P.X == nil || n.P.X.Linear {
		return
	}
	u, a := split(n.Kids[1])
	if u.Op != MakePair {
		return
	}
	p, w, names := s.prog.names(u)
	s.emit(Redex{Rule: rule.EtaPair, X: n.P.X, Times: names - 1}, i, func() *Term {
		return a.plug(let(let(n.Kids[0], n.P, w), p, u))
	})
}

// names makes the pattern ⟨y1,…,yk⟩ for a tuple, and the tuple of its variables.
func (p *Program) names(u *Term) (names *Pattern, w *Term, k int) {
	if u.Op != MakePair {
		return p.newName(u)
	}
	left, y, _ := p.newName(u.Kids[0])
	right, z, k := p.newName(u.Kids[1])
	if u.Kids[1].Tail {
		right, z, k = p.names(u.Kids[1])
	}
	w = pair(y, z)
	w.Tail, w.Named = u.Tail, true
	return &Pattern{Left: left, Right: right}, w, k + 1
}

func (p *Program) newName(u *Term) (*Pattern, *Term, int) {
	y := &Var{Name: "y", Type: p.of(u)}
	return single(y), variable(y), 1
}

// decide is (13) where a side is inert: decided at the point. What it compares stays in G, though nothing reads it.
func (s *State) decide(i int, n *Term) {
	st := s.standings()
	if s.prog.open == nil || st.waits(n.Kids[:2]) || st.of(n.Kids[0]) != inert && st.of(n.Kids[1]) != inert {
		return
	}
	s.emit(Redex{Rule: rule.Branch}, i, func() *Term {
		t := n.Kids[3]
		if s.prog.Ground.Holds(n.Cmp, s.at(n.Kids[0]), s.at(n.Kids[1])) {
			t = n.Kids[2]
		}
		for _, side := range n.Kids[:2] {
			if u, a := split(side); u.Op != Variable && st.of(u) == inert {
				t = let(t, single(&Var{Name: "_", Type: term.R}), side)
			} else {
				t = a.plug(t)
			}
		}
		return t
	})
}

// at is the value at the point of a number that is inert, or a numeral.
func (s *State) at(t *Term) denote.Number {
	t, _ = split(t)
	switch t.Op {
	case Numeral:
		return t.Num
	case Variable:
		if r, ok := s.prog.open[t.X]; ok {
			return r
		}
		return s.at(s.places[s.binder[t.X]].t.Kids[1])
	case Plus:
		return s.prog.Ground.Add(s.at(t.Kids[0]), s.at(t.Kids[1]))
	}
	r, err := s.prog.Ground.Apply(t.Sym, each(t.Kids, s.at)...)
	if err != nil {
		s.err = err
		return s.prog.Ground.Of(math.NaN())
	}
	return r
}
