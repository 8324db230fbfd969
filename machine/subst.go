package machine

import (
	"github.com/gram-machine/gram/compile"
	"github.com/gram-machine/gram/rule"
)

// fireSubst is (3), of one occurrence: C{x}[x:=vα] → C{v}[x:=v]α. A value is not copied but shared, and the last
// occurrence takes it, so that (4) is next. Of a dual variable at the head of an application, by the λ that it is
// bound to: the last thing that happens to a cell in a backward phase.
func (m run[M]) fireSubst(p Place) redex {
	n := m.at(nodeOf(p))
	s, next := lo(n.Val[p&1]), hi(n.Val[p&1])
	if n.Tag[p&1] == compile.Name {
		return m.fireDual(p, n, s)
	}
	x := m.at(s)
	t, v := x.Tag[0], x.Val[0]
	x.Val[1]--
	last := lo(x.Val[1]) == 0
	if last {
		x.Tag[0], x.Tag[1] = compile.Taken, t
	} else {
		m.copyValue(t, v)
	}
	if next != 0 {
		m.push(m.waiter(next, t))
	}
	y := m.deliver(p, t, v)
	if !last {
		return y
	}
	m.push(y)
	return ruleAt(rule.GC, s)
}

// fireGC is (4): t[x:=vα] → tα, where x has no occurrence left.
func (m run[M]) fireGC(p Place) redex {
	n := m.at(p)
	if n.Kind == compile.Cell {
		return m.dropCell(p, n)
	}
	if n.C != 0 { // the value of an output is read here
		m.answers[n.C-1] = number(n.Val[0])
	}
	t, v := n.Tag[0], n.Val[0]
	m.arena.Release(p, n)
	return m.dropValue(t, v)
}

// fireLin is (5): t[x:=vα] → t{v/x}α. Of the body of a dual it fires before the body is copied; the
// occurrences of any other x receive v one after the other.
func (m run[M]) fireLin(p Place) redex {
	n := m.at(p)
	if n.Bits&compile.IsFired != 0 { // (5') of an operation that has lost its last occurrence
		t, v := n.Tag[0], n.Val[0]
		m.arena.Release(p, n)
		return m.dropArgument(t, v)
	}
	n.Bits |= compile.IsFired
	if f := n.C; f != 0 { // the application of a dual λ
		l := m.at(f)
		t, up, number, param := m.prog.Code[l.Code].Body, n.Up, n.Val[0], p
		if t.Direct {
			if m.opens() {
				m.push(m.dropArgument(n.Tag[0], n.Val[0]))
			}
			m.arena.Release(p, n)
			param = 0
		}
		next := m.startCopy(t, f, l, up, param)
		m.copy.number = number
		return next
	}
	if w := hi(n.Val[1]); w != 0 {
		n.Val[1] = uint64(lo(n.Val[1]))
		return wakeAt(w)
	}
	if lo(n.Val[1]) == 0 {
		m.arena.Release(p, n)
	}
	return 0
}
