package machine

import (
	"github.com/gram-machine/gram/compile/literal"
	"github.com/gram-machine/gram/rule"
)

// readyApp is called when an application has its function and its argument. That of a dual waits in the
// sum in which it stands.
func (m *core[M]) readyApp(r Ref, n *node) {
	switch {
	case n.tag[0] == Name:
		switch {
		case n.bits&isFired != 0: // (11) has added to its argument
		case n.up>>1 == m.job && m.prog.Outputs > 0:
			m.arrive(r, n)
		default:
			m.deliverLate(n.up, r)
		}
	case n.tag[1] == Late:
		m.force(r<<1|1, n)
	default:
		m.pushRule(rule.Lambda, r<<1)
	}
}

// madeDual is called when the λ of a cell is a value: the cell is now the newest.
func (m *core[M]) madeDual(r Ref, n *node) {
	w := hi(n.val[1])
	n.up = m.newest
	if m.newest != 0 {
		older := m.at(m.newest)
		older.val[0] = both(lo(older.val[0]), r)
	}
	m.newest = r
	m.ranks++
	n.val[1] = both(lo(n.val[1]), m.ranks)
	if m.ranks == 0 {
		m.fail(m.limitError("duals", 1<<32-1, nil))
	}
	if w != 0 {
		m.pushUnit(Wake, w>>1)
	} else if lo(n.val[1]) == 0 {
		m.pushRule(rule.GC, r<<1)
	}
}

// dropCell is (4) of a cell.
func (m *core[M]) dropCell(r Ref, n *node) {
	older, newer := n.up, hi(n.val[0])
	if newer != 0 {
		m.at(newer).up = older
	} else {
		m.newest = older
	}
	if older != 0 {
		x := m.at(older)
		x.val[0] = both(lo(x.val[0]), newer)
	}
	if m.cursor == r {
		m.cursor = older
	}
	if n.tag[0] != Taken {
		m.dropValue(Value, uint64(lo(n.val[0])))
	}
	m.release(r, n)
}

// arrive lets the application of a dual arrive at its cell. A second one is a redex of (11).
func (m *core[M]) arrive(r Ref, n *node) {
	if d := m.at(lo(n.val[0])); d.c == 0 {
		n.bits |= isFired
		d.c = r
	} else {
		m.pushRule(rule.Factor, r<<1)
	}
}

// fireFactor is (11): (x α t)β + (x α' t')β' → x(t+t')αβα'β'. The application that came second becomes the sum
// t+t', the argument of the first.
func (m *core[M]) fireFactor(p Place) {
	r := p >> 1
	n := m.at(r)
	d := m.at(lo(n.val[0]))
	if d.kind == literal.Cell {
		d.val[1]--
	}
	first := d.c
	f := m.at(first)
	n.kind, n.bits, n.up = literal.Add, 0, first<<1|1
	n.tag[0], n.val[0] = f.tag[1], f.val[1]
	waits := f.bits&missing != 0
	f.tag[1], f.val[1] = Empty, uint64(r)
	if waits { // for a sum that has not fired: it is now a summand
		s := m.at(lo(n.val[0]))
		s.up = r << 1
		n.bits = 1
		return
	}
	f.bits++
	m.readyAdd(r, n)
}

// fireDual is (3) of a dual variable by the λ that it is bound to: all that is due at the cell has arrived.
func (m *core[M]) fireDual(p Place, n *node, s Ref) {
	d := m.at(s)
	if d.kind == literal.FreeDual {
		return
	}
	lam := lo(d.val[0])
	d.c = 0
	d.val[1]--
	if lo(d.val[1]) == 0 {
		d.tag[0] = Taken
		m.pushRule(rule.GC, s<<1)
	} else {
		m.at(lam).c++
	}
	n.bits &^= isFired
	n.tag[0], n.val[0] = Value, uint64(lam)
	m.pushRule(rule.Lambda, p)
}

// idle is called when the worklist is empty: the job that runs fires its next cell, or ends. It reports whether there
// is more to do.
func (m *core[M]) idle() bool {
	switch {
	case m.job == 0:
		return false
	case m.prog.Outputs == 0:
		m.nextOfJob()
		return true
	}
	for m.cursor != 0 {
		r := m.cursor
		m.mark(r << 1)
		d := m.at(r)
		m.cursor = d.up
		app := d.c
		m.unit(Search, r<<1)
		m.units(Search, 1)
		if app != 0 {
			m.pushRule(rule.Subst, app<<1)
			return true
		}
		if m.fuel < 0 {
			if err := m.lookOutside(); err != nil {
				m.fail(err)
				return false
			}
		}
	}
	return false
}
