package machine

import (
	"github.com/gram-machine/gram/compile/literal"
	"github.com/gram-machine/gram/rule"
)

// fireSubst is (3), of one occurrence: C{x}[x:=vα] → C{v}[x:=v]α. A value is not copied but shared, and the
// last occurrence takes it. Of a dual variable at the head of an application, by the λ that it is bound to:
// the last thing that happens to a cell in a backward phase.
func (m *core[M]) fireSubst(p Place) {
	n := m.at(p >> 1)
	s, next := lo(n.val[p&1]), hi(n.val[p&1])
	if n.tag[p&1] == Name {
		m.fireDual(p, n, s)
		return
	}
	x := m.at(s)
	t, v := x.tag[0], x.val[0]
	x.val[1]--
	last := lo(x.val[1]) == 0
	if last {
		x.tag[0] = Taken
	} else {
		m.copyValue(t, v)
	}
	if next != 0 {
		m.pushWaiter(next, t)
	}
	m.deliver(p, t, v)
	if last {
		m.pushRule(rule.GC, s<<1)
	}
}

// fireGC is (4): t[x:=vα] → tα, where x has no occurrence left.
func (m *core[M]) fireGC(p Place) {
	r := p >> 1
	n := m.at(r)
	switch {
	case n.kind == literal.Cell:
		m.dropCell(r, n)
		return
	case n.c != 0: // the value of an output is read here
		m.answers[n.c-1] = number(n.val[0])
	default:
		m.dropValue(n.tag[0], n.val[0])
	}
	m.release(r, n)
}

// fireLin is (5): t[x:=vα] → t{v/x}α. Of the body of a dual it fires before the body is copied; the
// occurrences of any other x receive v one after the other.
func (m *core[M]) fireLin(p Place) {
	r := p >> 1
	n := m.at(r)
	n.bits |= isFired
	if n.c != 0 { // the application of a dual λ
		m.startCopy(n.c, n.up, r)
		return
	}
	if w := hi(n.val[1]); w != 0 {
		n.val[1] = uint64(lo(n.val[1]))
		m.pushUnit(Wake, w>>1)
	} else if lo(n.val[1]) == 0 {
		m.release(r, n)
	}
}
