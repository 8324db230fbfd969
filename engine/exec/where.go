package exec

import (
	"math"

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
// steps which they stand for. Such a loop, and those in it, are packed: their lanes are those of these iterations, one
// group behind the other. How many there are is known in a strip when its test has run. So the place of a lane is found
// from its group: which iteration of the loop around it that is, and so on outwards.

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
	for _, i := range v.loads {
		if l := &v.lanes[i]; s.mixed[i] && !v.src.Lanes[i].Held {
			copyPlaces(v, s, l, sized(&s.alive[i], v.count(s, l, rows)), s.in[i].live, rows, s.in[i].first+row*l.dims[0].by)
		}
	}
	for _, i := range v.flow {
		if !s.mixed[i] || v.src.Lanes[i].Held {
			continue
		}
		l := &v.lanes[i]
		n := v.count(s, l, rows)
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
			expand(v, s, l, rows, sized(&s.alive[i], n), s.alive[l.a])
		case ir.LaneTake:
			copyPlaces(v, s, l, sized(&s.alive[i], n), s.alive[l.a], rows, v.taking(l, row))
		case ir.LaneSum: // of one number
			alive := sized(&s.alive[i], n)
			for g, x := range s.alive[l.a] {
				alive[v.parent(s, v.lanes[l.a].loop, g)] = x
			}
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
		v.each(s, l, rows, l.at.N-v.results[l.arg].out+row*l.dims[0].by, func(lane, at, size, by int) {
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
			if !s.isReached(i, v.parent(s, v.lanes[l.a].loop, g)) {
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

// mostPacked is how many lanes a loop in a branch, and those in it, have at most in a strip. If there are more, strips
// get fewer rows, so that there are an eighth of these: they are in the cache. If one row has more, the loops behind
// the statement run.
const mostPacked = 1 << 14

// groups are those of a loop in a branch, in a strip.
type groups struct {
	of   []int32 // the iteration of the loop around it that each is in
	rank []int32 // the group in each iteration of that loop, −1: there is none; of loops that are ranked
}

// group finds the groups of a loop, and reports whether it, and those in it, have not too many lanes.
func (v *vector) group(s *laneState, l *lane) bool {
	g := &s.groups[l.b]
	taken := s.vals[l.a]
	of, n := sized(&g.of, len(taken)), 0
	for k, x := range taken { // 1 or 0
		of[n] = int32(k)
		n += int(math.Float64bits(x) >> 61)
	}
	g.of = of[:n]
	if v.ranked[l.b] {
		rank := sized(&g.rank, len(taken))
		kernel.Fill(rank, -1)
		for n, k := range g.of {
			rank[k] = int32(n)
		}
	}
	s.lanes = v.iterations(s, l.b, 0) * l.ratio
	return s.lanes <= s.most
}

// within is how many lanes the largest loop in a loop in a branch has for each of its own, without those in branches.
func (v *vector) within(loop int) int {
	most := 1
	for k, l := range v.src.Loops {
		n := l.Size
		for l.Where < 0 && l.Parent >= 0 && l.Parent != loop {
			l = v.src.Loops[l.Parent]
			n *= l.Size
		}
		if k != loop && l.Where < 0 && l.Parent == loop {
			most = max(most, n)
		}
	}
	return most
}

// count is how many lanes an instruction has in a strip.
func (v *vector) count(s *laneState, l *lane, rows int) int {
	if !l.packed {
		return l.inner * rows
	}
	return v.iterations(s, l.loop, rows)
}

// iterations is how many a loop has in a strip.
func (v *vector) iterations(s *laneState, loop, rows int) int {
	switch l := v.src.Loops[loop]; {
	case l.Where >= 0:
		return len(s.groups[loop].of) * l.Size
	case v.src.Packed(loop):
		return v.iterations(s, l.Parent, rows) * l.Size
	}
	return v.src.Count(loop) / v.size * rows
}

// parent is the iteration of the loop around a loop in which a group of that is.
func (v *vector) parent(s *laneState, loop, group int) int {
	if v.src.Loops[loop].Where >= 0 {
		return int(s.groups[loop].of[group])
	}
	return group
}

// each calls f for lanes that follow each other of a load, a store, an index or a take: the first lane, its place, how
// many they are and how far apart their places are. The place of the first lane of a strip is first.
func (v *vector) each(s *laneState, l *lane, rows, first int, f func(lane, at, size, by int)) {
	v.eachTile(s, l, rows, first, func(t tile) {
		for ; t.outer.size > 0; t.next() {
			f(t.lane, t.at, t.inner.size, t.inner.by)
		}
	})
}

// eachTile is each, with two loops at a time.
func (v *vector) eachTile(s *laneState, l *lane, rows, first int, f func(tile)) {
	if !l.packed && !l.gathers {
		tiles(l.dims, rows, first, f)
		return
	}
	size, by := v.run(l)
	for g, at := range v.places(s, l, rows, first) {
		if at != nowhere {
			f(tile{g * size, at, dim{size: 1}, dim{size, by}})
		}
	}
}

// run is how many lanes of an instruction that is packed, or gathers, stand side by side, and how far apart their
// places are.
func (v *vector) run(l *lane) (size, by int) {
	if l.alone {
		return 1, 1
	}
	return v.src.Loops[l.loop].Size, l.at.By[l.loop]
}

// nowhere is the place of lanes of a take that are of no vector: it is made in a branch that they do not take.
const nowhere = math.MinInt

// places are those of the runs of lanes of an instruction that is packed, or gathers: of the first lane of each. first
// is that of the first lane of a strip. They hold until the next call.
func (v *vector) places(s *laneState, l *lane, rows, first int) []int {
	size, _ := v.run(l)
	n := v.count(s, l, rows) / size
	at, around := sized(&s.places, n), sized(&s.around, n)
	kernel.Fill(at, first)
	if of := s.groups[l.loop].of; !l.alone && v.src.Loops[l.loop].Where >= 0 {
		copy(around, of)
	} else {
		for g := range around {
			around[g] = int32(g)
		}
	}
	maker := around
	for i := range l.up {
		up := &l.up[i]
		if up.maker {
			maker = append(s.maker[:0], around...)
			s.maker = maker
		}
		for g, k := range around {
			around[g] = int32(uint64(uint32(k)) * up.inverse >> inverseBits)
			if up.by != 0 {
				at[g] += int(k-around[g]*up.size) * up.by
			}
		}
		if up.branch >= 0 {
			of := s.groups[up.branch].of
			for g, k := range around {
				around[g] = of[k]
			}
		}
	}
	if l.apart == 0 {
		return at
	}
	var rank []int32
	if l.of >= 0 {
		rank = s.groups[l.of].rank
	}
	for g, k := range maker {
		if rank != nil {
			k = rank[k]
		}
		if k < 0 {
			at[g] = nowhere
		} else {
			at[g] += int(k) * l.apart
		}
	}
	return at
}

// inverseBits is such that quotients are exact: a lane, of which a strip has at most mostRanked, times a size is less
// than 2 to that.
const inverseBits = 44

// up is the way from a loop to the one around it: its iterations, 2 to the inverseBits divided by these, rounded up,
// and how far apart their places are.
type up struct {
	size    int32
	inverse uint64
	by      int
	branch  int  // the loop, if it is in a branch, −1 otherwise
	maker   bool // of a take: its iteration makes what is taken
}

// pack says of an instruction in a loop in a branch, or that takes what such a loop makes, how it finds its lanes: top
// is the loop that is too far out for places to depend on it. Of a take, b is the loop in which the vector is made that
// it is of: apart is how many lanes an iteration of b makes, and of is the loop in b that makes them, if that is in a
// branch; at is then from the first of these lanes on, while dims stay those of all lanes. A take in the loop of has
// the group of that. An expansion has the places of the lanes that it repeats.
func (v *vector) pack(l *lane) {
	loops := v.src.Loops
	l.packed, l.of = v.src.Packed(l.loop), -1
	top := l.loop
	switch l.op {
	case ir.LaneExpand:
		top, l.apart = v.lanes[l.a].loop, 1
	case ir.LaneTake:
		from := v.lanes[l.a].loop
		l.gathers = l.packed || v.lanes[l.a].packed
		l.alone = l.gathers && l.loop == l.b
		top, l.apart = l.b, 1
		for ; from != l.b; from = loops[from].Parent {
			l.apart *= loops[from].Size
			if l.of = -1; loops[from].Where >= 0 {
				l.of = from
			}
		}
		if !l.gathers {
			return
		}
		apart := l.apart
		for k := l.b; k >= 0; k = loops[k].Parent {
			l.at.By[k] -= apart
			apart *= loops[k].Size
		}
	}
	if !l.packed && !l.gathers || len(l.dims) == 0 && l.op != ir.LaneExpand {
		return
	}
	l.compact = false
	for k := top; k >= 0; k = loops[k].Parent {
		if l.at.By[k] != 0 {
			top = loops[k].Parent
		}
	}
	k := l.loop
	if !l.alone && k != top {
		k = loops[k].Parent
	}
	for ; k != top; k = loops[k].Parent {
		size := uint64(loops[k].Size)
		up := up{int32(size), (1<<inverseBits + size - 1) / size, l.at.By[k], -1, l.op == ir.LaneTake && k == l.b}
		inside := k == l.of && top == l.b
		if inside {
			l.of = -1
		} else if loops[k].Where >= 0 {
			up.branch = k
		}
		if l.up = append(l.up, up); inside {
			break
		}
	}
	if l.of >= 0 {
		v.ranked[l.of] = true
	}
}
