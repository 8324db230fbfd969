package machine

import (
	"github.com/gram-machine/gram/compile/literal"
	"github.com/gram-machine/gram/rule"
)

// fireSubst is (3), of one occurrence: C{x}[x:=vα] → C{v}[x:=v]α. A value is not copied but shared, and the
// last occurrence takes it. Of a dual variable at the head of an application, by the λ that it is bound to:
// the last thing that happens to a cell in a backward phase.
func (m run[M]) fireSubst(p Place) {
	n := m.at(nodeOf(p))
	s, next := lo(n.val[p&1]), hi(n.val[p&1])
	if n.Tag[p&1] == Name {
		m.fireDual(p, n, s)
		return
	}
	x := m.at(s)
	t, v := x.Tag[0], x.val[0]
	x.val[1]--
	last := lo(x.val[1]) == 0
	if last {
		x.Tag[0] = Taken
	} else {
		m.copyValue(t, v)
	}
	if next != 0 {
		m.pushWaiter(next, t)
	}
	m.deliver(p, t, v)
	if last {
		m.pushRule(rule.GC, s)
	}
}

// fireGC is (4): t[x:=vα] → tα, where x has no occurrence left.
func (m run[M]) fireGC(p Place) {
	n := m.at(p)
	switch {
	case n.Kind == literal.Cell:
		m.dropCell(p, n)
		return
	case n.c != 0: // the value of an output is read here
		m.answers[n.c-1] = number(n.val[0])
	default:
		m.dropValue(n.Tag[0], n.val[0])
	}
	m.release(p, n)
}

// fireLin is (5): t[x:=vα] → t{v/x}α. Of the body of a dual it fires before the body is copied; the
// occurrences of any other x receive v one after the other.
func (m run[M]) fireLin(p Place) {
	n := m.at(p)
	n.Bits |= isFired
	if f := n.c; f != 0 { // the application of a dual λ
		l := m.at(f)
		t, up, number, param := m.prog.Code[l.Code].Body, n.up, n.val[0], p
		if t.Direct {
			m.release(p, n)
			param = 0
		}
		m.startCopy(t, f, l, up, param)
		m.copy.number = number
		return
	}
	if w := hi(n.val[1]); w != 0 {
		n.val[1] = uint64(lo(n.val[1]))
		m.pushWake(w)
	} else if lo(n.val[1]) == 0 {
		m.release(p, n)
	}
}
