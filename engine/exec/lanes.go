package exec

import (
	"math"
	"math/bits"
	"slices"

	"github.com/gram-machine/gram/engine/ir"
	"github.com/gram-machine/gram/kernel"
	"github.com/gram-machine/gram/term"
)

// This file is the backward phase of vectors. It goes through the strips from the last to the first, in each through
// the instructions from the last to the first, once the values of the strip have been made again. What has arrived at
// the lanes of an instruction is its delta, a number for each lane. From it, and from the partial derivatives, come
// the deltas of its operands: that of an expansion is summed over the lanes that are copies, that of a sum is
// repeated for its summands, that of a load is added to the adjoints of what it reads.
//
// An instruction counts a cell for each lane that is reached. Most often all lanes are, or none, and then no lane
// needs a flag: reach. Where some are, flags say which, and the deltas of the others are 0. Which operands have
// adjoints is known for whole instructions, too; where an if makes it differ, see where.go.

// reach says which lanes of an instruction are reached.
type reach uint8

const (
	none reach = iota
	some       // those with a flag; the others have a delta of 0
	all
)

// adjoints are those of an operand: that of the first lane's element is adj[zero].
type adjoints struct {
	adj     []float64
	reached []bool
	zero    int
}

// of makes these the adjoints of an operand.
func (x *adjoints) of(m *Machine, o *operand) {
	if x.zero = int(o.from.base) + o.first; len(x.adj) != len(m.adjoint) || &x.adj[0] != &m.adjoint[0] {
		x.adj, x.reached = m.adjoint, m.reached
	}
}

// backward is the backward phase of a vector.
func (v *vector) backward(m *Machine, r *record) (arrivals, cells uint64, err error) {
	reached := m.reached[r.base : r.base+r.n]
	n := kernel.CountTrue(reached)
	if n == 0 {
		return 0, 0, nil
	}
	s := m.state(v)
	s.arrivals, s.cells = 0, 0
	words := m.tape.words[r.words:]
	for k := range v.results {
		if v.results[k].lane < 0 {
			s.outs[k] = m.dense[words[k]].data
		}
	}
	for _, i := range v.inputs {
		switch l := &v.lanes[i]; l.op {
		case ir.LaneScalar:
			s.scalar(i, Slot{math.Float64frombits(words[l.word]), words[l.word+1]})
			s.adj[i].zero = int(words[l.word+1])
		case ir.LaneIndex:
			s.in[i].first = int(words[l.word])
		case ir.LaneLoad:
			if !l.static || s.run != m.runs {
				if _, err := s.find(m, i, words[l.word], l, m.pc); err != nil {
					return 0, 0, err
				}
			}
			s.adj[i].of(m, &s.in[i])
			if s.in[i].apart {
				k := l.hi - l.lo + 1
				o := &s.in[i]
				s.adj[i] = adjoints{sized(&o.collected, k), sized(&o.reached, k), -l.lo}
				clear(o.collected)
				clear(o.reached)
			}
		}
	}
	native := v.results[0].lane >= 0 && words[0] != 0
	if v.keep > 0 && !native {
		v.saved(s, m.dense[words[v.keepWord]].data)
	}
	if !s.settled {
		v.adjoints(s)
	}
	if native {
		err = m.nestBack(v, s, r)
	} else {
		err = v.stripsBack(m, s, r, reached, n)
	}
	if err != nil {
		return 0, 0, err
	}
	clear(reached)
	clear(m.adjoint[r.base : r.base+r.n])
	for _, i := range v.loads {
		o, x := &s.in[i], &s.adj[i]
		if !o.apart || o.from.base == 0 { // nothing arrives at data
			continue
		}
		if !o.from.listed {
			// The adjoints of what is not reached are 0.
			if from, end := inside(o.begin, len(x.adj), len(o.from.data)); from < end {
				to := int(o.from.base) + o.begin
				adjoint := m.adjoint[to+from : to+end]
				kernel.Add(adjoint, adjoint, x.adj[from:])
				kernel.Or(m.reached[to+from:to+end], x.reached[from:end])
			}
			continue
		}
		adr := m.tape.words[o.from.base:][:len(x.adj)]
		for k, a := range adr {
			if x.reached[k] && a != 0 {
				m.arrive(a, x.adj[k])
			}
		}
	}
	return s.arrivals, s.cells, nil
}

// stripsBack is the backward phase of the strips. Of the results, n are reached.
func (v *vector) stripsBack(m *Machine, s *laneState, r *record, reached []bool, n uint64) error {
	from, to := 0, v.size
	whole := n == uint64(len(reached))
	if !whole {
		from, to, whole = v.reachedRows(reached, n)
	}
	_, err := v.strips(s, m.pc, r.words, from, to, true, true, func(row, rows int) {
		if s.anyMixed {
			v.living(s, row, rows)
		}
		v.stripBack(m, s, r, row, rows, whole)
	})
	return err
}

// reachedRows are the rows with slots of results that are reached, if that is known; n are. whole reports whether all
// slots of these rows are reached.
func (v *vector) reachedRows(reached []bool, n uint64) (from, to int, whole bool) {
	from = v.size
	slots := 0
	for k := range v.results {
		o := &v.results[k]
		switch of := reached[o.first:][:max(1, o.slots)]; {
		case kernel.CountTrue(of) == 0:
		case v.single || o.row == 0:
			return 0, v.size, false
		default:
			from = min(from, slices.Index(of, true)/o.row)
			to = max(to, kernel.LastTrue(of)/o.row+1)
		}
		slots += o.row
	}
	return from, to, n == uint64(slots*(to-from))
}

// stripBack is the backward phase of a strip, whose values have been made again.
func (v *vector) stripBack(m *Machine, s *laneState, r *record, row, rows int, whole bool) {
	clear(s.reach)
	for k := range v.results {
		if o := &v.results[k]; o.lane >= 0 && m.reached[r.base+o.first] {
			s.number(o.lane, m.adjoint[r.base+o.first])
		}
	}
	for _, i := range v.back {
		l := &v.lanes[i]
		if l.op != ir.LaneStore {
			if s.reach[i] == some {
				s.close(i) // two branches may have reached all
			}
			if s.reach[i] == none {
				continue
			}
		}
		switch l.op {
		case ir.LaneStore:
			if s.live[l.a] {
				v.storeBack(m, s, r, i, l, row, rows, whole)
			}
		case ir.LaneScalar:
			m.arrive(uint64(s.adj[i].zero), s.deltas[i][0])
		case ir.LaneLoad:
			v.loadBack(s, i, l, row, rows)
		case ir.LaneExpand:
			s.expandBack(v, i, l, rows)
		case ir.LaneSelect:
			s.chooseBack(i, l)
		case ir.LaneTake:
			v.takeBack(s, i, l, row, rows)
		case ir.LaneSum:
			v.sumBack(m, s, i, l, row, rows)
		case ir.LaneProduct:
			v.productBack(m, s, i, l, row, rows)
		case ir.LaneOneHot:
			s.count(m, l.kind, 0, s.reached(i)*uint64(l.ratio))
		case ir.LanePick:
			v.pickBack(m, s, i, l, row, rows)
		default:
			s.operationBack(m, i, l)
		}
	}
}

// operationBack is the backward phase of an operation.
func (s *laneState) operationBack(m *Machine, i int, l *lane) {
	if s.mixed[l.a] || l.op != ir.LaneFun1 && s.mixed[l.b] {
		s.countMixed(m, i, l, len(s.deltas[i]))
	} else {
		s.count(m, l.kind, ir.KindOf(s.live[l.a], l.op != ir.LaneFun1 && s.live[l.b]), s.reached(i))
	}
	switch {
	case l.op == ir.LaneAdd:
		s.pass(i, l.a, l.operands[0])
		s.pass(i, l.b, l.operands[1])
	case l.op == ir.LaneMul:
		s.times(i, l.a, s.vals[l.b], l.operands[0])
		s.times(i, l.b, s.vals[l.a], l.operands[1])
	case l.op == ir.LaneFun1:
		if s.live[l.a] {
			s.times(i, l.a, l.slope(s, i), false)
		}
	case l.sym == term.Sub:
		s.pass(i, l.a, l.operands[0])
		s.times(i, l.b, minus, l.operands[1])
	default:
		for k, which := range [2]int{l.a, l.b} {
			if s.live[which] {
				p := &l.sym.Info().Slopes[k]
				s.times(i, which, s.partial(p, s.vals[l.a], s.vals[l.b], s.vals[i]), l.operands[k])
			}
		}
	}
}

var minus, unit = []float64{-1}, []float64{1}

// count counts cells of an operation, of the kind k of its operands, and what arrives from them.
func (s *laneState) count(m *Machine, first uint32, k int, n uint64) {
	s.cells += n
	s.arrivals += n * uint64(bits.OnesCount(uint(k)))
	m.fired[first+uint32(k)] += n
}

// slope is the derivative of a symbol in each lane.
func (l *lane) slope(s *laneState, i int) []float64 {
	dst := sized(&s.slope, len(s.deltas[i]))
	switch {
	case l.pair >= 0 && l.sym == term.Sin:
		return s.vals[l.pair]
	case l.pair >= 0:
		kernel.MulScalar(dst, s.vals[l.pair], -1)
		return dst
	case l.sym == term.Sigmoid:
		kernel.SlopeOfSigmoid(dst, s.vals[i])
		return dst
	}
	return s.partial(&l.sym.Info().Slopes[0], s.vals[l.a], s.vals[i])
}

// apart is how far apart the numbers of an operand are for lanes that follow each other: 0 if there is one for all.
func apart(x []float64) int { return min(1, len(x)-1) }

// arrive makes the delta of an instruction one that may be changed. fresh says that nothing has arrived before.
func (s *laneState) arrive(i, n int) (delta []float64, fresh bool) {
	if s.reach[i] != none && s.owned[i] {
		return s.deltas[i], false
	}
	own := sized(&s.ownD[i], n)
	if fresh = s.reach[i] == none; !fresh {
		copy(own, s.deltas[i])
	}
	s.deltas[i], s.owned[i] = own, true
	return own, fresh
}

// mark marks lanes of an instruction as reached: those of instruction by.
func (s *laneState) mark(i, by int) {
	switch {
	case s.reach[by] == all || s.reach[i] == all:
		s.reach[i] = all
	default:
		kernel.Or(s.some(i, len(s.flags[by])), s.flags[by])
	}
}

// some makes an instruction of n lanes one of which some are reached, and returns their flags.
func (s *laneState) some(i, n int) []bool {
	if s.reach[i] != some {
		s.flags[i] = sized(&s.ownFlags[i], n)
		if clear(s.flags[i]); s.reach[i] == all {
			kernel.SetTrue(s.flags[i])
		}
		s.reach[i] = some
	}
	return s.flags[i]
}

// isReached reports whether a lane of an instruction is reached, of which some are or all.
func (s *laneState) isReached(i, k int) bool { return s.reach[i] == all || s.flags[i][k] }

// reached is how many lanes of an instruction are reached, of which some are or all.
func (s *laneState) reached(i int) uint64 {
	if s.reach[i] == all {
		return uint64(len(s.deltas[i]))
	}
	return kernel.CountTrue(s.flags[i])
}

// pass adds the delta of instruction i to that of its operand a. number says that a is one number for all lanes.
func (s *laneState) pass(i, a int, number bool) {
	d := s.deltas[i]
	switch {
	case !s.live[a]:
		return
	case number:
		s.number(a, kernel.Sum(d))
		return
	case s.reach[a] == none:
		s.deltas[a], s.owned[a] = d, false
	default:
		delta, _ := s.arrive(a, len(d))
		kernel.Add(delta, delta, d)
	}
	s.mark(a, i)
}

// number adds to the delta of an operand that is one number.
func (s *laneState) number(a int, x float64) {
	delta, fresh := s.arrive(a, 1)
	if fresh {
		delta[0] = 0
	}
	delta[0] += x
	s.reach[a] = all
}

// times adds the delta of instruction i times x, of which there may be one for all lanes, to that of its operand a.
func (s *laneState) times(i, a int, x []float64, number bool) {
	if !s.live[a] {
		return
	}
	d := s.deltas[i]
	zero := s.reach[i] == some && !kernel.Finite(x, 1, 0, len(x), 1) // 0 times an infinite slope
	if number || zero {
		t := sized(&s.tmp, len(d))
		if len(x) == 1 {
			kernel.MulScalar(t, d, x[0])
		} else {
			kernel.Mul(t, d, x)
		}
		if zero {
			for k, f := range s.flags[i] {
				if !f {
					t[k] = 0
				}
			}
		}
		if number {
			s.number(a, kernel.Sum(t))
			return
		}
		d, x = t, unit
	}
	delta, fresh := s.arrive(a, len(d))
	switch {
	case len(x) == 1 && fresh:
		kernel.MulScalar(delta, d, x[0])
	case len(x) == 1:
		kernel.AddMulScalar(delta, d, x[0])
	case fresh:
		kernel.Mul(delta, d, x)
	default:
		kernel.AddMul(delta, d, x)
	}
	s.mark(a, i)
}

// storeBack takes what has arrived at the slots that a store sets.
func (v *vector) storeBack(m *Machine, s *laneState, r *record, i int, l *lane, row, rows int, whole bool) {
	n := l.inner * rows
	o := &v.results[l.arg]
	first := r.base + o.first + l.at.N - o.out + row*l.dims[0].by
	var d []float64
	var flags []bool
	if l.compact {
		d, flags = m.adjoint[first:first+n], m.reached[first:first+n]
	} else {
		d, flags = sized(&s.ownD[i], n), sized(&s.ownFlags[i], n)
		copyPlaces(l, d, m.adjoint, rows, first)
		copyPlaces(l, flags, m.reached, rows, first)
	}
	s.deltas[i], s.flags[i], s.reach[i] = d, flags, all
	if !whole {
		switch kernel.CountTrue(flags) {
		case 0:
			s.reach[i] = none
			return
		case uint64(n):
		default:
			s.reach[i] = some
		}
	}
	s.pass(i, l.a, false)
}

// loadBack adds to the adjoints of what a load reads.
func (v *vector) loadBack(s *laneState, i int, l *lane, row, rows int) {
	d, x := s.deltas[i], &s.adj[i]
	first := x.zero + row*l.dims[0].by
	if l.compact && s.reach[i] == all {
		to := x.adj[first : first+len(d)]
		kernel.Add(to, to, d)
		kernel.SetTrue(x.reached[first : first+len(d)])
		return
	}
	v.scatter(s, i, l, rows, first, x.adj, x.reached)
}

// scatter adds the deltas of the lanes that are reached to adjoints, the first to that at the place first.
func (v *vector) scatter(s *laneState, i int, l *lane, rows, first int, adj []float64, reached []bool) {
	d := s.deltas[i]
	if n := l.period(len(d), rows); n > 0 && s.reach[i] == all {
		sum := append(s.tmp[:0], d[:n]...)
		for k := n; k < len(d); k += n {
			kernel.Add(sum, sum, d[k:k+n])
		}
		d, rows, s.tmp = sum, 1, sum
	}
	l.each(rows, first, func(lane, at, size, by int) {
		if by == 1 && size > 8 { // the deltas of other lanes are 0
			to := adj[at : at+size]
			kernel.Add(to, to, d[lane:lane+size])
			if s.reach[i] == all {
				kernel.SetTrue(reached[at : at+size])
			} else {
				kernel.Or(reached[at:at+size], s.flags[i][lane:lane+size])
			}
			return
		}
		whole := s.reach[i] == all
		for k := lane; k < lane+size; k++ {
			if whole || s.flags[i][k] {
				adj[at] += d[k]
				reached[at] = true
			}
			at += by
		}
	})
}

// expandBack adds the deltas of an expansion to that of its operand.
func (s *laneState) expandBack(v *vector, i int, l *lane, rows int) {
	if !s.live[l.a] {
		return
	}
	d := s.deltas[i]
	if v.lanes[l.a].one {
		s.number(l.a, kernel.Sum(d))
		return
	}
	delta, flags := s.open(l.a, v.lanes[l.a].inner*rows)
	for k := range len(d) / l.ratio {
		delta[k] += total(d[k*l.ratio:][:l.ratio])
		flags[k] = flags[k] || s.reach[i] == all || kernel.CountTrue(s.flags[i][k*l.ratio:][:l.ratio]) > 0
	}
	s.close(l.a)
}

// total is the sum of deltas: of few without the lanes of [kernel.Sum].
func total(d []float64) (sum float64) {
	if len(d) > 2*8 {
		return kernel.Sum(d)
	}
	for _, x := range d {
		sum += x
	}
	return sum
}

// takeBack adds the deltas of elements to that of the values that they are of.
func (v *vector) takeBack(s *laneState, i int, l *lane, row, rows int) {
	if !s.live[l.a] {
		return
	}
	delta, flags := s.open(l.a, v.lanes[l.a].inner*rows)
	v.scatter(s, i, l, rows, v.taking(l, row), delta, flags)
	s.close(l.a)
}

// open makes the delta of an instruction one that may be added to at some lanes, which get flags.
func (s *laneState) open(i, n int) (delta []float64, flags []bool) {
	delta, fresh := s.arrive(i, n)
	if fresh {
		clear(delta)
	}
	return delta, s.some(i, n)
}

// close ends what open began.
func (s *laneState) close(i int) {
	switch kernel.CountTrue(s.flags[i]) {
	case 0:
		s.reach[i] = none
	case uint64(len(s.flags[i])):
		s.reach[i] = all
	}
}

// sumBack adds the delta of a sum to those of its summands.
func (v *vector) sumBack(m *Machine, s *laneState, i int, l *lane, row, rows int) {
	d := s.deltas[i]
	n := s.reached(i)
	switch {
	case s.mixed[l.a] && l.ratio > 1:
		v.countSums(m, s, i, l, row)
	case l.total && row > 0:
	case s.live[l.a]:
		s.count(m, l.kind, 3, n*uint64(l.ratio-1))
	default:
		for k, times := range l.dead {
			s.count(m, l.kind, k, n*times)
		}
	}
	if !s.live[l.a] {
		return
	}
	ratio, groups := l.ratio, len(d)
	if l.total {
		ratio = rows * v.lanes[l.a].inner
	}
	delta, fresh := s.arrive(l.a, groups*ratio)
	side := fresh && l.two == nil && !l.total // one group for each lane
	if side {
		kernel.Repeat(delta, d, ratio)
		groups = 0
	}
	for g := range groups {
		to := delta[g*ratio:][:ratio]
		if l.two != nil && s.isReached(i, g) {
			l.reduceBack(to, s.vals[l.a][g*ratio:][:ratio], d[g], sized(&s.slope, 2*ratio), fresh)
		} else if fresh {
			kernel.Fill(to, d[g]) // 0 if the sum is not reached
		} else {
			kernel.AddScalar(to, to, d[g])
		}
	}
	if s.reach[i] == all || s.reach[l.a] == all {
		s.reach[l.a] = all
		return
	}
	flags := s.some(l.a, len(delta))
	if side {
		kernel.Repeat(flags, s.flags[i], ratio)
	}
	for g := range groups {
		if s.flags[i][g] {
			kernel.SetTrue(flags[g*ratio:][:ratio])
		}
	}
}
