package machine

import (
	"github.com/gram-machine/gram/compile"
	"github.com/gram-machine/gram/rule"
)

// deliver puts an operand in its place. If it was the last that its node waited for, the
// node is a redex, or a value that goes on to its own place.
func (m run[M]) deliver(p Place, t Tag, v uint64) redex {
	r := nodeOf(p)
	n := m.at(r)
	if m.measures() {
		m.event.Result = p
	}
	n.Tag[p&1] = t
	*m.arena.Operand(p) = v
	n.Bits--
	if n.Bits&compile.Missing != 0 {
		return 0
	}
	return m.complete(r, n)
}

// complete is called when a node has its operands.
func (m run[M]) complete(r Place, n *node) redex {
	k := n.Kind
	if m.opens() && m.isOperation(n) {
		return moveAt(rule.Wake, r)
	}
	if k == compile.Sub {
		return m.bound(r, n)
	}
	if move := readyMoves[k]; move != 0 {
		return moveAt(move, r)
	}
	return m.ready(r, n)
}

// ready is called when a node has its operands and is neither a substitution nor a redex.
func (m run[M]) ready(r Place, n *node) redex {
	switch k := n.Kind; {
	case k == compile.App || k == compile.If || k == compile.Case:
		if n.Bits&compile.IsDue != 0 {
			return m.readyDue(r, n)
		}
	case k == compile.Con && n.Tag[0] == compile.Late:
		return m.force(r, n)
	case k == compile.Pair || k == compile.Con:
		return m.pairMade(r, n)
	case k == compile.Cell:
		return m.madeDual(r, n)
	case k == compile.Add:
		return m.readyAdd(r, n)
	case k == compile.Job:
		return m.contribute(r, n)
	case k == compile.Summand:
		return m.forward(r, n, 0)
	case k == compile.Seed:
		m.seeds[m.prog.Code[n.Code].N] = r
	case k == compile.Names:
		return ruleAt(rule.EtaPair, r)
	}
	return 0
}

// bound is called when a substitution has its value: its occurrences may become it, by (3), one after the
// other, and where there is none (4) drops it. That of a dual variable by a λ, which comes out of a pair, is a cell.
func (m run[M]) bound(r Place, n *node) redex {
	if m.opens() && m.isUnnamed(n.Tag[0], n.Val[0]) {
		n.Bits |= 1
		return ruleAt(rule.EtaPair, r)
	}
	if n.Bits&compile.IsDual != 0 && n.Tag[0] == compile.Value {
		n.Kind, n.Bits = compile.Cell, 0
		return m.madeDual(r, n)
	}
	if w := hi(n.Val[1]); w != 0 {
		n.Val[1] = uint64(lo(n.Val[1]))
		return m.waiter(w, n.Tag[0])
	}
	if lo(n.Val[1]) == 0 {
		return m.unmentioned(r, n)
	}
	return 0
}

// unmentioned is called when a variable that has its value has no occurrence left.
func (m run[M]) unmentioned(r Place, n *node) redex {
	if m.opens() && n.Tag[0] == compile.Operation {
		m.arena.Release(r, n)
		return 0
	}
	return ruleAt(rule.GC, r)
}

// waiter returns the redex of the first of those that wait for a substitution. It will put the next one on the
// worklist.
func (m run[M]) waiter(w Place, t Tag) redex {
	switch {
	case w&compile.Waits != 0:
		return moveAt(rule.Wake, nodeOf(w))
	case m.opens() && t == compile.Operation:
		return moveAt(rule.Wake, w)
	case t == compile.Number:
		return ruleAt(rule.SubstNumeral, w)
	}
	return ruleAt(rule.Subst, w)
}

// behind is waiter for one that stood behind a λ, which doesn't know the substitution.
func (m run[M]) behind(w Place) redex {
	if w&compile.Waits == 0 {
		if s := m.at(lo(m.at(nodeOf(w)).Val[w&1])); s.Kind == compile.Sub {
			return m.waiter(w, s.Tag[0])
		}
	}
	return wakeAt(w)
}

// wakeAt returns the unit by which what waits at w goes on, or 0 if w is 0.
func wakeAt(w Place) redex {
	if w == 0 {
		return 0
	}
	return moveAt(rule.Wake, w&^compile.Waits)
}

// wake is the unit in which something that waits goes on: an occurrence of a dual variable or of a linear one,
// a λ that waits for what it captures, or a pair that is complete.
func (m run[M]) wake(p Place) redex {
	n := m.at(nodeOf(p))
	switch {
	case n.Kind == compile.Captures || n.Kind == compile.Lam || n.Kind == compile.List:
		if next := n.C; next != 0 {
			n.C = 0
			m.push(m.behind(next))
		}
		return m.await(nodeOf(p), n)
	case n.Tag[p&1] == compile.Variable:
		s, next := lo(n.Val[p&1]), hi(n.Val[p&1])
		sub := m.at(s)
		m.push(wakeAt(next))
		return m.occurs(p, s, sub)
	case m.opens() && m.isOperation(n):
		return m.operate(p, n)
	case n.Kind == compile.Add && n.Tag[0] == compile.Zero:
		return m.forward(nodeOf(p), n, 1)
	case n.Kind == compile.Add && n.Tag[1] == compile.Zero:
		return m.forward(nodeOf(p), n, 0)
	}
	return m.deliverMade(n.Up, nodeOf(p), n) // a pair, or a sum of dual applications
}

// turn is the unit, a wake, of an application or a conditional whose turn has come in the order of evaluation. Copying
// a body puts all of them on the worklist. So duals are made in the order of evaluation. copyNext is the move in which
// the body that a rewrite has left is copied. It is counted as the units that it makes.
const (
	turn = rule.NumMoves + iota
	copyNext
)

// takeTurn makes a node a redex, now or when it has its operands.
func (m run[M]) takeTurn(p Place) redex {
	n := m.at(p)
	n.Bits |= compile.IsDue
	if n.Bits&compile.Missing == 0 {
		return m.readyDue(p, n)
	}
	return 0
}

// occurs gives the place p what an occurrence of the variable of s becomes without a step.
func (m run[M]) occurs(p, s Place, n *node) redex {
	switch n.Kind {
	case compile.Linear:
		t, v := n.Tag[0], n.Val[0]
		switch {
		case !m.opens():
			if n.Val[1]--; lo(n.Val[1]) == 0 {
				m.arena.Release(s, n)
			}
		case t == compile.Operation:
			t, v = compile.Inert, uint64(s)
		default:
			m.copyValue(t, v)
			m.push(m.addUses(s, -1))
		}
		return m.deliver(p, t, v)
	case compile.Sub: // a name of something inert
		v := n.Val[0]
		m.push(m.addUses(s, -1))
		return m.deliver(p, compile.Inert, v)
	case compile.Symbol:
		return m.deliver(p, compile.Inert, uint64(s))
	}
	return m.deliver(p, compile.Name, uint64(s))
}

// readyDue is called when an application or a conditional has its operands and its turn has come.
func (m run[M]) readyDue(r Place, n *node) redex {
	switch n.Kind {
	case compile.If:
		return ruleAt(rule.Branch, r)
	case compile.Case:
		return ruleAt(rule.Case, r)
	}
	return m.readyApp(r, n)
}

// pairMade is called when a pair or a constructor has its operands. In a pair or a constructor it goes on by a unit of
// its own: these nest to any depth.
func (m run[M]) pairMade(r Place, n *node) redex {
	if n.Tag[0] == compile.Late || n.Tag[1] == compile.Late {
		n.Bits |= compile.IsLate
	}
	if m.opens() && n.Kind == compile.Pair && (m.isOpen(n.Tag[0], n.Val[0]) || m.isOpen(n.Tag[1], n.Val[1])) {
		n.Bits |= compile.IsOpen
	}
	switch k := m.at(nodeOf(n.Up)).Kind; {
	case k == compile.Pair || k == compile.Con || k == compile.Add || k == compile.Job, k == compile.App &&
		n.Bits&compile.IsLate != 0:
		return moveAt(rule.Wake, r)
	}
	return m.deliverMade(n.Up, r, n)
}

// deliverMade delivers a node that has become a value, or a sum that no job has run.
func (m run[M]) deliverMade(up Place, r Place, n *node) redex {
	if n.Kind != compile.Con && (n.Kind != compile.Pair || n.Bits&compile.IsLate != 0) {
		return m.deliverLate(up, r)
	}
	n.C, n.Up = 1, 0
	return m.deliver(up, compile.Value, uint64(r))
}

// copyValue takes one more reference to a value, and dropValue gives one back.
func (m run[M]) copyValue(t Tag, v uint64)       { m.refer(t, v, 1) }
func (m run[M]) dropValue(t Tag, v uint64) redex { return m.refer(t, v, -1) }

// refer takes so many more references to a value, or fewer.
func (m run[M]) refer(t Tag, v uint64, k int32) redex {
	switch t {
	case compile.Value:
		n := m.at(lo(v))
		if n.C += uint32(k); n.C == 0 {
			return moveAt(rule.FreeUnit, lo(v))
		}
	case compile.Name:
		return m.addUses(lo(v), k)
	case compile.Inert:
		if m.at(lo(v)).Kind == compile.Linear {
			return m.addUses(lo(v), k)
		}
	}
	return 0
}

// addUses books more occurrences of a variable, or fewer. Where none are left, (4) is next.
func (m run[M]) addUses(s Place, k int32) redex {
	n := m.at(s)
	if n.Kind == compile.FreeDual || n.Kind == compile.Symbol {
		return 0
	}
	uses := lo(n.Val[1]) + uint32(k)
	n.Val[1] = both(uses, hi(n.Val[1]))
	switch {
	case uses != 0:
	case n.Kind != compile.Linear && n.Bits&compile.Missing == 0:
		return m.unmentioned(s, n)
	case n.Kind == compile.Linear && n.Bits&compile.IsFired != 0:
		if n.Tag[0] == compile.Operation {
			return ruleAt(rule.Lin, s) // (5')
		}
		t, v := n.Tag[0], n.Val[0]
		m.arena.Release(s, n)
		return m.dropValue(t, v)
	}
	return 0
}

// freeValue is the unit that frees a value which nothing refers to.
func (m run[M]) freeValue(p Place) redex {
	n := m.at(p)
	switch n.Kind {
	case compile.Fun1, compile.Fun2, compile.Mul, compile.Add:
		m.dropOperands(n)
	case compile.Pair, compile.Con:
		m.push(m.dropValue(n.Tag[0], n.Val[0]))
		m.push(m.dropValue(n.Tag[1], n.Val[1]))
	case compile.Fold:
		m.push(m.dropValue(compile.Value, uint64(lo(n.Val[0]))))
		if f := hi(n.Val[0]); f != 0 {
			m.push(m.addUses(f, -1))
		}
	case compile.Lam, compile.List, compile.Captures:
		captures, k := n.Captures()
		for _, s := range captures[:k] {
			m.push(m.addUses(s, -1))
		}
		if more := n.More(); more != 0 {
			m.push(moveAt(rule.FreeUnit, more))
		}
	}
	m.arena.Release(p, n)
	return 0
}
