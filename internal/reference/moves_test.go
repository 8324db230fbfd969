package reference

import "slices"

// Moves returns the terms that are one step of ≡ away from the state's:
//
//	comm   t[p:=u][q:=w]  ≡  t[q:=w][p:=u]    if q ∉ fv(u)
//	esub   t[p:=u][q:=w]  ≡  t[p:=u[q:=w]]    if q ∉ fv(t)
//	app1   (s □ t)[p:=u]  ≡  s[p:=u] □ t      if p ∉ fv(t)
//	app2   (s □ t)[p:=u]  ≡  s □ t[p:=u]      if p ∉ fv(s)
//
// where □ is an application, a sum, a product or a pair. From left to right esub,
// app1 and app2 push a linear substitution only into a subterm that mentions its
// variable (note A2). There is no dup. The rules need none of this: they match
// through stacks of substitutions, which is all that reductions use of ≡.
func (s *State) Moves() []Move { return s.moves(false) }

// moves are [State.Moves], or those of the paper's table without dup, which push a linear
// substitution into any subterm.
func (s *State) moves(printed bool) []Move {
	m := &mover{s: s, printed: printed}
	for i := range s.places {
		m.push(i)
		m.pull(i)
	}
	return m.out
}

type mover struct {
	s       *State
	printed bool
	out     []Move
}

func (m *mover) emit(name string, i int, make func() *Term) {
	m.out = append(m.out, Move{name, m.s, i, make})
}

// mentions reports whether a variable of p is in fv(t).
func mentions(p *Pattern, t *Term) bool {
	found := false
	p.Vars(func(x *Var) { found = found || occurs(x, t) })
	return found
}

// mayEnter reports whether a substitution of p may be pushed into t.
func (m *mover) mayEnter(p *Pattern, t *Term) bool {
	return m.printed || p.X == nil || !p.X.Linear || occurs(p.X, t)
}

// isBinary reports whether t is s □ t.
func isBinary(t *Term) bool {
	switch t.Op {
	case Apply, Plus, MakePair:
		return true
	case Function:
		return len(t.Kids) == 2 && t.level() == levelProduct
	}
	return false
}

// push are the equations at place i from left to right.
func (m *mover) push(i int) {
	n := m.s.places[i].t
	if n.Op != Let {
		return
	}
	t, q, w := n.Kids[0], n.P, n.Kids[1]
	switch {
	case t.Op == Let:
		body, p, u := t.Kids[0], t.P, t.Kids[1]
		if !mentions(q, u) {
			m.emit("comm", i, func() *Term { return let(let(body, q, w), p, u) })
		}
		if !mentions(q, body) && m.mayEnter(q, u) {
			m.emit("esub", i, func() *Term { return let(body, p, let(u, q, w)) })
		}
	case isBinary(t):
		a, b := t.Kids[0], t.Kids[1]
		if !mentions(q, b) && m.mayEnter(q, a) {
			m.emit("app1", i, func() *Term { return t.with([]*Term{let(a, q, w), b}) })
		}
		if !mentions(q, a) && m.mayEnter(q, b) {
			m.emit("app2", i, func() *Term { return t.with([]*Term{a, let(b, q, w)}) })
		}
	}
}

// pull are those from right to left: no variable is bound twice, so nothing is
// captured.
func (m *mover) pull(i int) {
	n := m.s.places[i].t
	if n.Op == Let && n.Kids[1].Op == Let {
		u := n.Kids[1]
		m.emit("esub'", i, func() *Term { return let(let(n.Kids[0], n.P, u.Kids[0]), u.P, u.Kids[1]) })
	}
	if !isBinary(n) {
		return
	}
	for k, name := range []string{"app1'", "app2'"} {
		if u := n.Kids[k]; u.Op == Let {
			m.emit(name, i, func() *Term { return let(n.withKid(k, u.Kids[0]), u.P, u.Kids[1]) })
		}
	}
}

// occurs reports whether x ∈ fv(t).
func occurs(x *Var, t *Term) bool {
	if t.Op == Variable {
		return t.X == x
	}
	return slices.ContainsFunc(t.Kids, func(k *Term) bool { return occurs(x, k) })
}
