package machine

import (
	"github.com/gram-machine/gram/compile/literal"
	"github.com/gram-machine/gram/rule"
)

// readyApp is called when an application has its function and its argument. That of a dual waits in the
// sum in which it stands.
func (m run[M]) readyApp(r Place, n *node) {
	switch {
	case n.Tag[0] == Name:
		switch {
		case n.Bits&isFired != 0: // (11) has added to its argument
		case nodeOf(n.up) == m.job && m.prog.Outputs > 0:
			m.arrive(r, n)
		default:
			m.readyLate(r, n)
		}
	case n.Tag[1] == Late:
		m.force(r|1, n)
	default:
		m.pushRule(rule.Lambda, r)
	}
}

// readyLate is called when a node is a sum that no job has run. In an application or a pair it goes on by a unit of its
// own: applications and pairs may be nested to any depth.
func (m run[M]) readyLate(r Place, n *node) {
	if k := m.at(nodeOf(n.up)).Kind; k == literal.App || k == literal.Pair {
		m.pushUnit(Wake, r)
		return
	}
	m.deliverLate(n.up, r)
}

// madeDual is called when the λ of a cell is a value: the cell is now the newest.
func (m run[M]) madeDual(r Place, n *node) {
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
	m.pushWake(w)
	if lo(n.val[1]) == 0 {
		m.pushRule(rule.GC, r)
	}
}

// dropCell is (4) of a cell.
func (m run[M]) dropCell(r Place, n *node) {
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
	if n.Tag[0] != Taken {
		m.dropValue(Value, uint64(lo(n.val[0])))
	}
	m.release(r, n)
}

// arrive lets the application of a dual arrive at its cell. A second one is a redex of (11).
func (m run[M]) arrive(r Place, n *node) {
	if d := m.at(lo(n.val[0])); d.c == 0 {
		n.Bits |= isFired
		d.c = r
	} else {
		m.pushRule(rule.Factor, r)
	}
}

// fireFactor is (11): (x α t)β + (x α' t')β' → x(t+t')αβα'β'. The application that came second becomes the sum
// t+t', the argument of the first.
func (m run[M]) fireFactor(p Place) {
	n := m.at(p)
	d := m.at(lo(n.val[0]))
	if d.Kind == literal.Cell {
		d.val[1]--
	}
	first := d.c
	f := m.at(first)
	n.Kind, n.Bits, n.up = literal.Add, 0, first|1
	n.Tag[0], n.val[0] = f.Tag[1], f.val[1]
	waits := f.Bits&missing != 0
	f.Tag[1], f.val[1] = Empty, uint64(p)
	if waits { // for a sum that has not fired: it is now a summand
		s := m.at(lo(n.val[0]))
		s.up = p
		n.Bits = 1
		return
	}
	f.Bits++
	m.readyAdd(p, n)
}

// fireDual is (3) of a dual variable by the λ that it is bound to: all that is due at the cell has arrived.
func (m run[M]) fireDual(p Place, n *node, s Place) {
	d := m.at(s)
	if d.Kind == literal.FreeDual {
		return
	}
	lam := lo(d.val[0])
	d.c = 0
	d.val[1]--
	if lo(d.val[1]) == 0 {
		d.Tag[0] = Taken
		m.pushRule(rule.GC, s)
	} else {
		m.at(lam).c++
	}
	n.Bits &^= isFired
	n.Tag[0], n.val[0] = Value, uint64(lam)
	m.pushRule(rule.Lambda, p)
}

// idle is called when the worklist is empty: the job that runs fires its next cell, or ends. It reports whether there
// is more to do.
func (m run[M]) idle() bool {
	switch {
	case m.job == 0:
		return false
	case m.prog.Outputs == 0:
		m.nextOfJob()
		return true
	}
	for m.cursor != 0 {
		r := m.cursor
		m.mark(r)
		d := m.at(r)
		m.cursor = d.up
		app := d.c
		m.unit(Search, r)
		if app != 0 {
			m.pushRule(rule.Subst, app)
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
