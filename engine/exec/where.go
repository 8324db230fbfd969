package exec

import (
	"github.com/gram-machine/gram/engine/ir"
	"github.com/gram-machine/gram/kernel"
	"github.com/gram-machine/gram/term"
)

// This file has the branches of vectors. An if in a loop is a test, which has a 1 in each lane that takes the first
// branch, and a 0 in the others. Both branches run for all lanes, but for the loops in them, and a select takes from
// each lane the number of its branch. So the steps of a branch are those of its blocks times the sum of its test, and
// in the backward phase what arrives at a select goes on to the operand that the lane has taken: the cells of the other
// branch are not reached.
//
// If one operand of a select has adjoints and the other is a numeral, as in if x > 0 then x else 0, some lanes have
// an adjoint: such an instruction is mixed. Its lanes have flags, alive, from which operations count their cells by
// kinds. A vector that it is stored in has an address for each element; what arrives at that of a numeral is dropped
// by the select.
//
// Loops in branches run in the iterations of the loop around them that take the branch, so their work grows with the
// steps which they stand for. A statement with such loops runs as machine code (nest.go). Where there is none, the
// loops behind the statement run.

// test sets dst to 1 where the comparison holds, and to 0 elsewhere. Of a or b there may be one number for all lanes.
func (l *lane) test(dst, a, b []float64) {
	if l.cmp == term.Greater || l.cmp == term.GreaterEqual {
		a, b = b, a
	}
	compare := kernel.Less
	if l.cmp == term.LessEqual || l.cmp == term.GreaterEqual {
		compare = kernel.LessEqual
	}
	compare(dst, wide(a, dst), wide(b, dst))
}

// wide is x with a number for each of dst: it is dst, filled, if x is one number.
func wide(x, dst []float64) []float64 {
	if len(x) < len(dst) {
		kernel.Fill(dst, x[0])
		return dst
	}
	return x[:len(dst)]
}

// mask is what is known of the values of a test before a program runs: 1 less these, the flags of where they are 0 and
// of where they are 1, and which lanes these are if they are few, as at the sides of a grid.
type mask struct {
	not   []float64
	flags [2][]bool
	few   [2][]int
}

// partOfFew is the part of the lanes that few are at most.
const partOfFew = 8

func maskOf(x []float64) mask {
	m := mask{not: make([]float64, len(x)), flags: [2][]bool{make([]bool, len(x)), make([]bool, len(x))}}
	kernel.ScalarSub(m.not, 1, x)
	kernel.Flags(m.flags[0], x, true)
	kernel.Flags(m.flags[1], x, false)
	for k, flags := range m.flags {
		if n := kernel.CountTrue(flags); n > 0 && partOfFew*n <= uint64(len(x)) {
			for at, is := range flags {
				if is {
					m.few[k] = append(m.few[k], at)
				}
			}
		}
	}
	return m
}

// part is that of n lanes.
func (m *mask) part(at, n int) mask {
	if m.not == nil || n == len(m.not) {
		return *m
	}
	return mask{not: m.not[at:][:n], flags: [2][]bool{m.flags[0][at:][:n], m.flags[1][at:][:n]}}
}

// setFlags sets the flags of the lanes in which test c is 1, or with zero 0.
func (s *laneState) setFlags(flags []bool, c int, zero bool) {
	k := 1
	if zero {
		k = 0
	}
	if known := s.masks[c].flags[k]; known != nil {
		copy(flags, known)
	} else {
		kernel.Flags(flags, s.vals[c], zero)
	}
}

// choose sets dst to a where c is 1, and to b where it is 0. Of a or b there may be one number for all lanes. m is what
// is known of c.
func choose(dst, a, b, c []float64, m *mask) {
	switch {
	case m.few[0] != nil:
		copy(dst, wide(a, dst))
		for _, k := range m.few[0] {
			dst[k] = b[k*apart(b)]
		}
		return
	case m.few[1] != nil:
		copy(dst, wide(b, dst))
		for _, k := range m.few[1] {
			dst[k] = a[k*apart(a)]
		}
		return
	case m.not != nil && len(a) < len(dst) && len(b) == len(dst):
		kernel.Blend(wide(a, dst), b, m.not)
		return
	}
	copy(dst, wide(b, dst))
	if len(a) == len(dst) {
		kernel.Blend(dst, a, c)
		return
	}
	for k, x := range c[:len(dst)] {
		if x != 0 {
			dst[k] = a[0]
		}
	}
}

// living finds which lanes of a strip have adjoints, of the mixed instructions.
func (v *vector) living(s *laneState, row, rows int) {
	lanes := func(l *lane) (n, of int) { // how many lanes and rows it has here: one of each outside of the loops
		if l.loop < 0 {
			return 1, 1
		}
		return l.inner * rows, rows
	}
	for _, i := range v.loads {
		if l := &v.lanes[i]; s.mixed[i] && !v.src.Lanes[i].Held {
			n, rows := lanes(l)
			copyPlaces(l, sized(&s.alive[i], n), s.in[i].live, rows, s.in[i].first+row*l.dims[0].by)
		}
	}
	for _, i := range v.flow {
		if !s.mixed[i] || v.src.Lanes[i].Held {
			continue
		}
		l := &v.lanes[i]
		n, rows := lanes(l)
		switch l.op {
		case ir.LaneSelect:
			alive := sized(&s.alive[i], n)
			if !s.mixed[l.a] && !s.mixed[l.b] { // one of them has adjoints
				s.setFlags(alive, l.c, s.live[l.b])
				continue
			}
			for k, c := range s.vals[l.c] {
				if c != 0 {
					alive[k] = s.has(l.a, k)
				} else {
					alive[k] = s.has(l.b, k)
				}
			}
		case ir.LaneExpand:
			expand(l, sized(&s.alive[i], n), s.alive[l.a])
		case ir.LaneTake:
			copyPlaces(l, sized(&s.alive[i], n), s.alive[l.a], rows, v.taking(l, row))
		case ir.LaneSum: // of one number
			copy(sized(&s.alive[i], n), s.alive[l.a])
		}
	}
}

// has reports whether a lane of an instruction has an adjoint.
func (s *laneState) has(i, k int) bool {
	if !s.mixed[i] {
		return s.live[i]
	}
	return s.alive[i][k%len(s.alive[i])]
}

// storeLive notes which elements of the results have adjoints.
func (v *vector) storeLive(s *laneState, row, rows int) {
	for _, i := range v.settled {
		l := &v.lanes[i]
		out := s.outLive[l.arg]
		if out == nil {
			continue
		}
		l.each(rows, l.at.N-v.results[l.arg].out+row*l.dims[0].by, func(lane, at, size, by int) {
			if by == 1 && s.mixed[l.a] && len(s.alive[l.a]) >= lane+size {
				copy(out[at:at+size], s.alive[l.a][lane:])
				return
			}
			for k := range size {
				out[at] = s.has(l.a, lane+k)
				at += by
			}
		})
	}
}

// chooseBack adds the deltas of a select to those of the operands that the lanes have taken.
func (s *laneState) chooseBack(i int, l *lane) {
	d, taken := s.deltas[i], s.vals[l.c]
	for k, which := range [2]int{l.a, l.b} {
		if !s.live[which] {
			continue
		}
		if k == 1 {
			if taken = s.masks[l.c].not; taken == nil {
				taken = sized(&s.tmp, len(d))
				kernel.ScalarSub(taken, 1, s.vals[l.c])
			}
		}
		if l.operands[k] {
			sum, reached := 0.0, false
			for j, x := range d {
				if taken[j] != 0 && s.isReached(i, j) {
					sum, reached = sum+x, true
				}
			}
			if reached {
				s.number(which, sum)
			}
			continue
		}
		m := &s.masks[l.c]
		if others := m.few[k]; others != nil && s.reach[which] == none && s.reach[i] == all {
			delta, _ := s.arrive(which, len(d))
			copy(delta, d)
			for _, j := range others {
				delta[j] = 0
			}
			copy(s.some(which, len(d)), m.flags[1-k])
			continue
		}
		delta, flags := s.open(which, len(d))
		if few := m.few[1-k]; few != nil {
			for _, j := range few {
				delta[j] += d[j]
				flags[j] = flags[j] || s.isReached(i, j)
			}
			s.close(which)
			continue
		}
		kernel.AddWhere(delta, d, taken) // the deltas of what is not reached are 0
		arrived := s.alive[i]            // the lanes that have taken the one operand with adjoints
		if !s.mixed[i] || s.mixed[l.a] || s.mixed[l.b] || s.reach[i] != all {
			arrived = sized(&s.arrived, len(d))
			s.setFlags(arrived, l.c, k == 1)
		}
		if s.reach[i] != all {
			kernel.And(arrived, s.flags[i])
		}
		kernel.Or(flags, arrived)
		s.close(which)
	}
}

// countMixed counts the cells of an operation of n lanes whose operands are mixed.
func (s *laneState) countMixed(m *Machine, i int, l *lane, n int) {
	set := sized(&s.arrived, n)             // of lanes that are reached
	count := func(operands ...int) uint64 { // those in which these have an adjoint
		if s.reach[i] == all {
			kernel.SetTrue(set)
		} else {
			copy(set, s.flags[i])
		}
		for _, k := range operands {
			if alive := s.alive[k]; s.mixed[k] && len(alive) == n {
				kernel.And(set, alive)
			} else if !s.has(k, 0) {
				return 0
			}
		}
		return kernel.CountTrue(set)
	}
	of, a, b, ab := count(), count(l.a), uint64(0), uint64(0)
	if l.op != ir.LaneFun1 {
		b, ab = count(l.b), count(l.a, l.b)
	}
	var kinds [4]uint64
	kinds[ir.KindOf(false, false)], kinds[ir.KindOf(true, false)] = of-a-b+ab, a-ab
	kinds[ir.KindOf(false, true)], kinds[ir.KindOf(true, true)] = b-ab, ab
	s.countKinds(m, l.kind, &kinds)
}

// countKinds counts cells of an operation by the operands that have adjoints.
func (s *laneState) countKinds(m *Machine, kind uint32, kinds *[4]uint64) {
	for k, n := range kinds {
		if n > 0 { // a symbol of one argument has two kinds
			s.count(m, kind, k, n)
		}
	}
}

// countSums counts the additions of mixed sums, those of a strip if it is the sum of the outermost loop.
func (v *vector) countSums(m *Machine, s *laneState, i int, l *lane, row int) {
	alive := s.alive[l.a]
	var kinds [4]uint64
	add := func(more [4]uint64) {
		for k, n := range more {
			kinds[k] += n
		}
	}
	rest := func(alive []bool) {
		n := kernel.CountTrue(alive)
		kinds[ir.KindOf(true, true)] += n
		kinds[ir.KindOf(true, false)] += uint64(len(alive)) - n
	}
	most := min(l.ratio, len(s.head))
	if l.total {
		if row < most {
			copy(s.head[row:most], alive)
		}
		rest(alive[min(len(alive), max(0, most-row)):])
		if row == 0 {
			add(ir.SumKinds(s.head[:most], l.ratio))
		}
	} else {
		for g := range len(alive) / l.ratio {
			if !s.isReached(i, g) {
				continue
			}
			of := alive[g*l.ratio:][:l.ratio]
			if kernel.CountTrue(of) == uint64(l.ratio) {
				kinds[ir.KindOf(true, true)] += uint64(l.ratio - 1)
				continue
			}
			add(ir.SumKinds(of[:most], l.ratio))
			rest(of[most:])
		}
	}
	s.countKinds(m, l.kind, &kinds)
}

// countProducts counts the products of a strip where elements of operands are numerals.
func (v *vector) countProducts(m *Machine, s *laneState, i int, l *lane, row, rows int) {
	p, x, y := l.product, &s.in[l.a], &s.in[l.b]
	live := [2]bool{s.live[l.a], s.live[l.b]}
	size := p.summands(rows)
	var kinds [4]uint64
	p.each(row, rows, func(a, b, c, nu, nv int) {
		a, b = a+x.first, b+y.first
		for u := range nu {
			for w := range nv {
				if !s.isReached(i, c+u*p.u.c+w*p.v.c) {
					continue
				}
				from, with := a+u*p.u.a, b+w*p.v.b
				switch {
				case y.live == nil:
					n := countEvery(x.live[from:], size, p.aj)
					kinds[ir.KindOf(true, live[1])] += n
					kinds[ir.KindOf(false, live[1])] += uint64(size) - n
				case x.live == nil:
					n := countEvery(y.live[with:], size, p.bj)
					kinds[ir.KindOf(live[0], true)] += n
					kinds[ir.KindOf(live[0], false)] += uint64(size) - n
				default:
					for range size {
						kinds[ir.KindOf(x.live[from], y.live[with])]++
						from, with = from+p.aj, with+p.bj
					}
				}
			}
		}
	})
	s.countKinds(m, l.kind, &kinds)
}

// setApart sets n flags, of which the first is flag number first, that are so far apart.
func setApart(flags []bool, first, n, apart int) {
	if apart == 1 {
		kernel.SetTrue(flags[first:][:n])
		return
	}
	for i := range n {
		flags[first+i*apart] = true
	}
}

// countEvery is how many of n flags that are so far apart are set.
func countEvery(flags []bool, n, apart int) (set uint64) {
	if apart == 1 {
		return kernel.CountTrue(flags[:n])
	}
	for i := range n {
		if flags[i*apart] {
			set++
		}
	}
	return set
}
