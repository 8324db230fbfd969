package machine

import (
	"math/bits"

	"github.com/gram-machine/gram/compile"
	"github.com/gram-machine/gram/rule"
)

// readyApp is called when an application has its function and its argument. That of a dual waits in the
// sum in which it stands.
func (m run[M]) readyApp(r Place, n *node) redex {
	switch {
	case n.Tag[0] == compile.Name:
		switch {
		case n.Bits&compile.IsFired != 0: // (11) has added to its argument
			return 0
		case nodeOf(n.Up) == m.job && m.prog.Outputs > 0:
			return m.arrive(r, n)
		}
		return m.readyLate(r, n)
	case n.Tag[1] == compile.Late:
		return m.force(r|1, n)
	case m.prog.Recursive && m.isFix(n):
		return ruleAt(rule.Unfold, r)
	}
	return ruleAt(rule.Lambda, r)
}

// readyLate is called when a node is a sum that no job has run. In an application or a pair it goes on by a unit of its
// own: applications and pairs may be nested to any depth.
func (m run[M]) readyLate(r Place, n *node) redex {
	if k := m.at(nodeOf(n.Up)).Kind; k == compile.App || k == compile.Pair {
		return moveAt(rule.Wake, r)
	}
	return m.deliverLate(n.Up, r)
}

// madeDual is called when the λ of a cell is a value: the cell is now the newest.
func (m run[M]) madeDual(r Place, n *node) redex {
	w := hi(n.Val[1])
	n.Val[1] = both(lo(n.Val[1]), m.ranks)
	if m.prog.Outputs > 0 {
		m.reached.make(r)
	}
	if m.ranks++; m.ranks == 0 {
		m.fail(m.limitError("duals", 1<<32-1, nil))
	}
	if lo(n.Val[1]) != 0 {
		return wakeAt(w)
	}
	m.push(wakeAt(w))
	return ruleAt(rule.GC, r)
}

// dropCell is (4) of a cell.
func (m run[M]) dropCell(r Place, n *node) redex {
	t, lam := n.Tag[0], lo(n.Val[0])
	m.arena.Release(r, n)
	if t == compile.Taken {
		return 0
	}
	return m.dropValue(compile.Value, uint64(lam))
}

// arrive lets the application of a dual arrive at its cell. A second one is a redex of (11).
func (m run[M]) arrive(r Place, n *node) redex {
	d := m.at(lo(n.Val[0]))
	if d.C != 0 {
		return ruleAt(rule.Factor, r)
	}
	n.Bits |= compile.IsFired
	d.C = r
	if d.Kind == compile.Cell {
		m.reached.add(hi(d.Val[1]))
	}
	return 0
}

// fireFactor is (11): (x α t)β + (x α' t')β' → x(t+t')αβα'β'. The application that came second becomes the sum
// t+t', the argument of the first.
func (m run[M]) fireFactor(p Place) redex {
	n := m.at(p)
	d := m.at(lo(n.Val[0]))
	if d.Kind == compile.Cell {
		d.Val[1]--
	}
	first := d.C
	f := m.at(first)
	n.Kind, n.Bits, n.Up = compile.Add, 0, first|1
	n.Tag[0], n.Val[0] = f.Tag[1], f.Val[1]
	waits := f.Bits&compile.Missing != 0
	f.Tag[1], f.Val[1] = compile.Empty, uint64(p)
	if waits { // for a sum that has not fired: it is now a summand
		s := m.at(lo(n.Val[0]))
		s.Up = p
		n.Bits = 1
		return 0
	}
	f.Bits++
	return m.readyAdd(p, n)
}

// fireDual is (3) of a dual variable by the λ that it is bound to: all that is due at the cell has arrived.
func (m run[M]) fireDual(p Place, n *node, s Place) redex {
	d := m.at(s)
	if d.Kind == compile.FreeDual {
		return 0
	}
	lam := lo(d.Val[0])
	d.C = 0
	d.Val[1]--
	n.Bits &^= compile.IsFired
	n.Tag[0], n.Val[0] = compile.Value, uint64(lam)
	if lo(d.Val[1]) != 0 {
		m.at(lam).C++
		return ruleAt(rule.Lambda, p)
	}
	d.Tag[0], d.Tag[1] = compile.Taken, compile.Value
	m.push(ruleAt(rule.Lambda, p))
	return ruleAt(rule.GC, s)
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
	r := m.reached.takeNewest()
	if r == 0 {
		return false
	}
	m.mark(r)
	app := m.at(r).C
	m.unit(rule.Search, r)
	m.push(ruleAt(rule.Subst, app))
	return true
}

// reached is the set of the duals at which something has arrived in a backward phase. Bit i of level 0 is that of the
// dual with rank i, and bit i of a further level says that word i of the level below is not 0. A rank has 32 bits, so
// there are six levels: adding a dual, and taking the newest one away, reads and writes at most two words of each.
type reached struct {
	cells  []Place // by rank
	levels [6][]uint64
}

// wordBits is how many bits of a rank say where in a word it stands.
const wordBits = 6

// reset makes the set empty, of no duals.
func (s *reached) reset() {
	s.cells = s.cells[:0]
	for k := range s.levels {
		s.levels[k] = s.levels[k][:0]
	}
}

// make gives the dual that has been made the next rank.
func (s *reached) make(cell Place) {
	i := len(s.cells)
	s.cells = append(s.cells, cell)
	for k := range s.levels {
		if i >>= wordBits; i < len(s.levels[k]) {
			return
		}
		s.levels[k] = append(s.levels[k], 0)
	}
}

// add adds the dual with the rank.
func (s *reached) add(rank uint32) {
	for k := range s.levels {
		w := &s.levels[k][rank>>wordBits]
		empty := *w == 0
		*w |= 1 << (rank % 64)
		if !empty {
			return
		}
		rank >>= wordBits
	}
}

// takeNewest takes the dual that was made last out of the set. It returns 0 if there is none.
func (s *reached) takeNewest() Place {
	top := len(s.levels) - 1
	if len(s.cells) == 0 || s.levels[top][0] == 0 {
		return 0
	}
	rank := 0
	for k := top; k >= 0; k-- {
		rank = rank<<wordBits + bits.Len64(s.levels[k][rank]) - 1
	}
	cell := s.cells[rank]
	for k := range s.levels {
		w := &s.levels[k][rank>>wordBits]
		*w &^= 1 << (rank % 64)
		if *w != 0 {
			break
		}
		rank >>= wordBits
	}
	return cell
}
