package machine

import (
	"github.com/gram-machine/gram/compile/literal"
	"github.com/gram-machine/gram/rule"
)

// deliver puts an operand in its place. If it was the last that its node waited for, the
// node is a redex, or a value that goes on to its own place.
func (m *core[M]) deliver(p Place, t Tag, v uint64) {
	n := m.at(p >> 1)
	if m.measuring() {
		m.to = p
	}
	n.tag[p&1], n.val[p&1] = t, v
	n.bits--
	if n.bits&missing == 0 {
		m.ready(p>>1, n)
	}
}

// ready is called when a node has its operands.
func (m *core[M]) ready(r Ref, n *node) {
	switch n.kind {
	case literal.Fun1, literal.Fun2:
		m.pushRule(rule.Function, r<<1)
	case literal.Mul:
		m.pushRule(rule.Times, r<<1)
	case literal.Add:
		m.readyAdd(r, n)
	case literal.App:
		m.readyApp(r, n)
	case literal.If:
		m.pushRule(rule.Branch, r<<1)
	case literal.Open:
		m.pushRule(rule.Pair, r<<1)
	case literal.Sub:
		m.bound(r, n)
	case literal.Linear:
		m.pushRule(rule.Lin, r<<1)
	case literal.Cell:
		m.madeDual(r, n)
	case literal.Iter:
		m.pushUnit(Instantiate, r<<1)
	case literal.Pair:
		m.pairMade(r, n)
	case literal.Job:
		m.contribute(r, n)
	case literal.Summand:
		m.forward(r, n, 0)
	}
}

// bound is called when a substitution has its value: its occurrences may become it, by (3), one after the
// other, and where there is none (4) drops it.
func (m *core[M]) bound(r Ref, n *node) {
	if w := hi(n.val[1]); w != 0 {
		n.val[1] = uint64(lo(n.val[1]))
		m.pushWaiter(w, n.tag[0])
	} else if lo(n.val[1]) == 0 {
		m.pushRule(rule.GC, r<<1)
	}
}

// pushWaiter puts the first of those that wait for a substitution on the worklist. It will put the next one there.
func (m *core[M]) pushWaiter(w uint32, t Tag) {
	switch {
	case w&isWaiter != 0:
		m.pushUnit(Wake, w>>1)
	case t == Number:
		m.pushRule(rule.SubstNumeral, w>>1)
	default:
		m.pushRule(rule.Subst, w>>1)
	}
}

// pushNext is pushWaiter for one that stood behind a λ, which doesn't know the substitution.
func (m *core[M]) pushNext(w uint32) {
	if w&isWaiter != 0 {
		m.pushUnit(Wake, w>>1)
		return
	}
	p := w >> 1
	switch s := m.at(lo(m.at(p >> 1).val[p&1])); s.kind {
	case literal.Sub:
		m.pushWaiter(w, s.tag[0])
	default:
		m.pushUnit(Wake, p)
	}
}

// wake is the unit in which something that waits goes on: an occurrence of a dual variable or of a linear one,
// a λ that waits for what it captures, or a pair that is complete.
func (m *core[M]) wake(p Place) {
	n := m.at(p >> 1)
	switch {
	case n.kind == literal.Captures || n.kind == literal.Lam || n.kind == literal.List:
		if next := n.c; next != 0 {
			n.c = 0
			m.pushNext(next)
		}
		m.await(p>>1, n)
	case n.tag[p&1] == Variable:
		s, next := lo(n.val[p&1]), hi(n.val[p&1])
		sub := m.at(s)
		if sub.kind == literal.Linear {
			v := sub.val[0]
			if next != 0 {
				m.pushUnit(Wake, next>>1)
			}
			m.dropLinear(s, sub)
			m.deliver(p, Number, v)
			return
		}
		if next != 0 {
			m.pushUnit(Wake, next>>1)
		}
		m.deliver(p, Name, uint64(s))
	default: // a pair, or a sum of dual applications
		m.deliverMade(n.up, p>>1, n)
	}
}

// pairMade is called when a pair has its components. A pair in a pair goes on by a unit of its own: a tuple may
// have any number of components.
func (m *core[M]) pairMade(r Ref, n *node) {
	if n.tag[0] == Late || n.tag[1] == Late {
		n.bits |= isLate
	}
	if k := m.at(n.up >> 1).kind; k == literal.Pair || k == literal.Add || k == literal.Job {
		m.pushUnit(Wake, r<<1)
		return
	}
	m.deliverMade(n.up, r, n)
}

// deliverMade delivers a node that has become a value, or a sum that no job has run.
func (m *core[M]) deliverMade(up Place, r Ref, n *node) {
	if n.kind != literal.Pair || n.bits&isLate != 0 {
		m.deliverLate(up, r)
		return
	}
	n.c = 1
	m.deliver(up, Value, uint64(r))
}

// dropRef gives one reference to a value back.
func (m *core[M]) dropValue(t Tag, v uint64) {
	switch t {
	case Value:
		n := m.at(lo(v))
		if n.c--; n.c == 0 {
			m.pushUnit(FreeUnit, lo(v)<<1)
		}
	case Name:
		m.addUses(lo(v), -1)
	}
}

// copyValue takes one more reference to a value.
func (m *core[M]) copyValue(t Tag, v uint64) {
	switch t {
	case Value:
		m.at(lo(v)).c++
	case Name:
		m.addUses(lo(v), 1)
	}
}

// addUses books more occurrences of a variable, or fewer. Where none are left, (4) is next.
func (m *core[M]) addUses(s Ref, k int32) {
	n := m.at(s)
	switch n.kind {
	case literal.FreeDual:
		return
	case literal.Linear:
		n.val[1] = both(lo(n.val[1])+uint32(k), hi(n.val[1]))
		if lo(n.val[1]) == 0 && n.bits&isFired != 0 {
			m.release(s, n)
		}
		return
	}
	n.val[1] = both(lo(n.val[1])+uint32(k), hi(n.val[1]))
	if lo(n.val[1]) == 0 && n.bits&missing == 0 {
		m.pushRule(rule.GC, s<<1)
	}
}

// dropLinear takes an occurrence of a linear variable that has fired away.
func (m *core[M]) dropLinear(s Ref, n *node) {
	n.val[1]--
	if lo(n.val[1]) == 0 {
		m.release(s, n)
	}
}

// freeValue is the unit that frees a value which nothing refers to.
func (m *core[M]) freeValue(p Place) {
	r := p >> 1
	n := m.at(r)
	switch n.kind {
	case literal.Pair:
		m.dropValue(n.tag[0], n.val[0])
		m.dropValue(n.tag[1], n.val[1])
	case literal.Fold:
		m.dropValue(Value, uint64(lo(n.val[0])))
		if f := hi(n.val[0]); f != 0 {
			m.addUses(f, -1)
		}
	case literal.Lam, literal.List, literal.Captures:
		for i := range n.captures() {
			m.addUses(*n.capture(i), -1)
		}
		if n.bits&hasMore != 0 {
			m.pushUnit(FreeUnit, *n.capture(3)<<1)
		}
	}
	m.release(r, n)
}
