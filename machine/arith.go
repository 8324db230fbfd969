package machine

import (
	"math"

	"github.com/gram-machine/gram/compile"
	"github.com/gram-machine/gram/limits"
)

// become puts the number x in the place of a node whose operands it was made of.
func (m run[M]) become(r Place, n *node, x float64, what string) redex {
	m.check(n, x, what)
	up := n.Up
	m.arena.Release(r, n)
	return m.deliver(up, compile.Number, numeral(x))
}

// check ends the run if the number is not finite and has to be.
func (m *Machine) check(n *node, x float64, what string) {
	if m.opt.Finite && (math.IsNaN(x) || math.IsInf(x, 0)) {
		m.fail(&limits.NotFiniteError{Value: x, What: what, Pos: m.posOf(n.Code)})
	}
}

// firePlus is (6): r α + q β → (r+q)αβ.
func (m run[M]) firePlus(p Place) redex {
	n := m.at(p)
	return m.become(p, n, number(n.Val[0])+number(n.Val[1]), "+")
}

// fireTimes is (8): r α · q β → (rq)αβ.
func (m run[M]) fireTimes(p Place) redex {
	n := m.at(p)
	return m.become(p, n, number(n.Val[0])*number(n.Val[1]), "*")
}

// fireFunction is (12): f(r1 α1, …, rk αk) → ⟦f⟧(r1,…,rk) α1…αk.
func (m run[M]) fireFunction(p Place) redex {
	n := m.at(p)
	x, t, v := append(make([]float64, 0, 4), number(n.Val[0])), n.Tag[1], n.Val[1]
	for t == compile.Value { // a pair, which nothing else refers to
		w, u := lo(v), m.at(lo(v))
		x, t, v = append(x, number(u.Val[0])), u.Tag[1], u.Val[1]
		m.arena.Release(w, u)
	}
	if t == compile.Number {
		x = append(x, number(v))
	}
	sym := m.prog.Code[n.Code].Sym
	return m.become(p, n, sym.Eval(x...), sym.String())
}

// fireBranch is (13): if r < q then t else u → t or u.
func (m run[M]) fireBranch(p Place) redex {
	n := m.at(p)
	in := &m.prog.Code[n.Code]
	body := in.Closure.Bodies[1]
	a, b := m.pointValue(n, 0), m.pointValue(n, 1)
	if in.Cmp.Holds(a, b) {
		body = in.Closure.Bodies[0]
	}
	if m.opens() && a == b && (isInert(n.Tag[0]) || isInert(n.Tag[1])) {
		m.ties = append(m.ties, in.Pos)
	}
	m.copy = copying{body: &m.prog.Templates[body], up: n.Up, holder: n.C, owned: true}
	m.arena.Release(p, n)
	return moveAt(copyNext, 0)
}

// fireCase is (14): match C v with … C p → u … → u[p:=v].
func (m run[M]) fireCase(p Place) redex {
	n := m.at(p)
	w := lo(n.Val[0])
	v := m.at(w)
	t, u := v.Tag[0], v.Val[0]
	body := m.prog.Code[n.Code].Closure.Bodies[v.Val[1]]
	m.copy = copying{body: &m.prog.Templates[body], up: n.Up, holder: n.C, owned: true, tag: t, number: u}
	m.arena.Release(p, n)
	if v.C--; v.C == 0 {
		m.arena.Release(w, v)
	} else {
		m.copyValue(t, u)
	}
	return moveAt(copyNext, 0)
}
