package machine

import (
	"github.com/gram-machine/gram/compile/literal"
	"github.com/gram-machine/gram/rule"
)

// deliver puts an operand in its place. If it was the last that its node waited for, the
// node is a redex, or a value that goes on to its own place.
func (m run[M]) deliver(p Place, t Tag, v uint64) {
	r := nodeOf(p)
	n := m.at(r)
	if m.measures() {
		m.to = p
	}
	n.Tag[p&1] = t
	*m.value(p) = v
	bits := n.Bits - 1
	n.Bits = bits
	if bits&missing != 0 {
		return
	}
	switch k := n.Kind; {
	case k == literal.Sub:
		m.bound(r, n)
	case readyMoves[k] != 0:
		m.push(readyMoves[k], r)
	default:
		m.ready(r, n)
	}
}

// ready is called when a node has its operands and is neither a substitution nor a redex.
func (m run[M]) ready(r Place, n *node) {
	switch k := n.Kind; {
	case k == literal.App || k == literal.If:
		if n.Bits&isDue != 0 {
			m.readyDue(r, n)
		}
	case k == literal.Pair:
		m.pairMade(r, n)
	case k == literal.Cell:
		m.madeDual(r, n)
	case k == literal.Add:
		m.readyAdd(r, n)
	case k == literal.Job:
		m.contribute(r, n)
	case k == literal.Summand:
		m.forward(r, n, 0)
	}
}

// bound is called when a substitution has its value: its occurrences may become it, by (3), one after the
// other, and where there is none (4) drops it.
func (m run[M]) bound(r Place, n *node) {
	if w := hi(n.val[1]); w != 0 {
		n.val[1] = uint64(lo(n.val[1]))
		m.pushWaiter(w, n.Tag[0])
	} else if lo(n.val[1]) == 0 {
		m.pushRule(rule.GC, r)
	}
}

// pushWaiter puts the first of those that wait for a substitution on the worklist. It will put the next one there.
func (m run[M]) pushWaiter(w Place, t Tag) {
	switch {
	case w&literal.Waits != 0:
		m.pushUnit(Wake, nodeOf(w))
	case t == Number:
		m.pushRule(rule.SubstNumeral, w)
	default:
		m.pushRule(rule.Subst, w)
	}
}

// pushNext is pushWaiter for one that stood behind a λ, which doesn't know the substitution.
func (m run[M]) pushNext(w Place) {
	if w&literal.Waits == 0 {
		if s := m.at(lo(m.at(nodeOf(w)).val[w&1])); s.Kind == literal.Sub {
			m.pushWaiter(w, s.Tag[0])
			return
		}
	}
	m.pushWake(w)
}

// pushWake lets what waits at w go on by a unit, if w is not 0.
func (m run[M]) pushWake(w Place) {
	if w != 0 {
		m.pushUnit(Wake, w&^literal.Waits)
	}
}

// wake is the unit in which something that waits goes on: an occurrence of a dual variable or of a linear one,
// a λ that waits for what it captures, or a pair that is complete.
func (m run[M]) wake(p Place) {
	n := m.at(nodeOf(p))
	switch {
	case n.Kind == literal.Captures || n.Kind == literal.Lam || n.Kind == literal.List:
		if next := n.c; next != 0 {
			n.c = 0
			m.pushNext(next)
		}
		m.await(nodeOf(p), n)
	case n.Tag[p&1] == Variable:
		s, next := lo(n.val[p&1]), hi(n.val[p&1])
		sub := m.at(s)
		m.pushWake(next)
		if sub.Kind == literal.Linear {
			v := sub.val[0]
			m.dropLinear(s, sub)
			m.deliver(p, Number, v)
			return
		}
		m.deliver(p, Name, uint64(s))
	case n.Kind == literal.Add && n.Tag[0] == Zero:
		m.forward(nodeOf(p), n, 1)
	case n.Kind == literal.Add && n.Tag[1] == Zero:
		m.forward(nodeOf(p), n, 0)
	default: // a pair, or a sum of dual applications
		m.deliverMade(n.up, nodeOf(p), n)
	}
}

// turn is the move of an application or a conditional whose turn has come in the order of evaluation. Copying a body
// puts all of them on the worklist. So duals are made in the order of evaluation.
const turn = NumMoves

// takeTurn takes a turn off the worklist. A node that is a redex goes back as one, on top. Any other goes on by a unit, now or
// when it has its operands.
func (m run[M]) takeTurn(p Place) {
	n := m.node(p)
	if n.Bits&missing == 0 && (n.Kind == literal.If || n.Tag[0] == Value && n.Tag[1] != Late) {
		m.readyDue(p, n)
		return
	}
	m.mark(p)
	n = m.at(p)
	n.Bits |= isDue
	if n.Bits&missing == 0 {
		m.readyDue(p, n)
	}
	m.unit(Wake, p)
}

// readyDue is called when an application or a conditional has its operands and its turn has come.
func (m run[M]) readyDue(r Place, n *node) {
	if n.Kind == literal.If {
		m.pushRule(rule.Branch, r)
		return
	}
	m.readyApp(r, n)
}

// pairMade is called when a pair has its components. A pair in a pair goes on by a unit of its own: a tuple may
// have any number of components.
func (m run[M]) pairMade(r Place, n *node) {
	if n.Tag[0] == Late || n.Tag[1] == Late {
		n.Bits |= isLate
	}
	switch k := m.at(nodeOf(n.up)).Kind; {
	case k == literal.Pair || k == literal.Add || k == literal.Job, k == literal.App && n.Bits&isLate != 0:
		m.pushUnit(Wake, r)
		return
	}
	m.deliverMade(n.up, r, n)
}

// deliverMade delivers a node that has become a value, or a sum that no job has run.
func (m run[M]) deliverMade(up Place, r Place, n *node) {
	if n.Kind != literal.Pair || n.Bits&isLate != 0 {
		m.deliverLate(up, r)
		return
	}
	n.c = 1
	m.deliver(up, Value, uint64(r))
}

// dropValue gives one reference to a value back.
func (m run[M]) dropValue(t Tag, v uint64) {
	switch t {
	case Value:
		n := m.at(lo(v))
		if n.c--; n.c == 0 {
			m.pushUnit(FreeUnit, lo(v))
		}
	case Name:
		m.addUses(lo(v), -1)
	}
}

// copyValue takes one more reference to a value.
func (m run[M]) copyValue(t Tag, v uint64) {
	switch t {
	case Value:
		m.at(lo(v)).c++
	case Name:
		m.addUses(lo(v), 1)
	}
}

// addUses books more occurrences of a variable, or fewer. Where none are left, (4) is next.
func (m run[M]) addUses(s Place, k int32) {
	n := m.at(s)
	switch n.Kind {
	case literal.FreeDual:
		return
	case literal.Linear:
		n.val[1] = both(lo(n.val[1])+uint32(k), hi(n.val[1]))
		if lo(n.val[1]) == 0 && n.Bits&isFired != 0 {
			m.release(s, n)
		}
		return
	}
	n.val[1] = both(lo(n.val[1])+uint32(k), hi(n.val[1]))
	if lo(n.val[1]) == 0 && n.Bits&missing == 0 {
		m.pushRule(rule.GC, s)
	}
}

// dropLinear takes an occurrence of a linear variable that has fired away.
func (m run[M]) dropLinear(s Place, n *node) {
	n.val[1]--
	if lo(n.val[1]) == 0 {
		m.release(s, n)
	}
}

// freeValue is the unit that frees a value which nothing refers to.
func (m run[M]) freeValue(p Place) {
	n := m.at(p)
	switch n.Kind {
	case literal.Pair:
		m.dropValue(n.Tag[0], n.val[0])
		m.dropValue(n.Tag[1], n.val[1])
	case literal.Fold:
		m.dropValue(Value, uint64(lo(n.val[0])))
		if f := hi(n.val[0]); f != 0 {
			m.addUses(f, -1)
		}
	case literal.Lam, literal.List, literal.Captures:
		captures, k := n.captures()
		for _, s := range captures[:k] {
			m.addUses(s, -1)
		}
		if more := n.more(); more != 0 {
			m.pushUnit(FreeUnit, more)
		}
	}
	m.release(p, n)
}
