package exec

import (
	"math"

	"github.com/gram-machine/gram/engine/ir"
	"github.com/gram-machine/gram/kernel"
	"github.com/gram-machine/gram/term"
)

// A pick is a sum of products with a row of numbers, of which one is 1 and the others are 0: it is the element there,
// if the others are finite. The cells of the row and of the products are counted, but the numbers of the row are not
// made: their derivatives are 0, and nothing arrives before them.

// newPick finds where the elements are that a pick is of, those with the number 0.
func (v *vector) newPick(l *lane, s *ir.Lane) {
	elements := &v.src.Lanes[s.B]
	at := *s
	at.At = elements.At
	l.apart, at.At.By[elements.Loop] = at.At.By[elements.Loop], 0
	l.place(v.src, &at)
	all := &v.lanes[s.B]
	next := 1 // how far apart the iterations are of the loop that takes up where others end
	for range all.dims {
		for _, d := range all.dims {
			if d.by == next && d.size > 1 {
				next *= d.size
			}
		}
	}
	l.compact, l.whole = false, next == all.hi-all.lo+1
	l.kind = v.p.kindsOf(term.Mul)
}

// canPick reports whether each number by which a pick selects is that of an element, and all elements are finite: then
// the pick is equal to the sum.
func (v *vector) canPick(m *Machine, s *laneState, l *lane) bool {
	row, elements, o := &v.lanes[l.a], &v.lanes[l.b], &s.in[l.b]
	x := &v.lanes[row.a]
	first, last := o.first+elements.lo, o.first+elements.hi+1
	known := elements.static && s.run == m.runs
	if s.live[row.a] || o.live != nil || !known && !kernel.Finite(o.data[first:last], 1, 0, last-first, 1) {
		return false
	}
	if known && x.static {
		return true
	}
	numbers := s.vals[row.a]
	if x.op == ir.LaneLoad {
		numbers = sized(&s.tmp, x.n)
		copyPlaces(x, numbers, s.in[row.a].data, min(x.n, v.size), s.in[row.a].first)
	}
	for _, x := range numbers {
		if k := x - float64(row.at.N); !(k >= 0 && k < float64(row.ratio) && k == math.Trunc(k)) {
			return false
		}
	}
	return true
}

// picked calls f for the lanes of a pick that have one number: their elements number 0, and how far behind them those
// are that are selected.
func (v *vector) picked(s *laneState, l *lane, row, rows, first int, f func(t tile, behind int)) {
	numbers, least := s.vals[v.lanes[l.a].a], v.lanes[l.a].at.N
	each := l.inner * rows / len(numbers)
	tiles(l.dims, rows, first+row*l.dims[0].by, func(t tile) {
		behind := func(lane int) int { return (int(numbers[lane/each]) - least) * l.apart }
		last := t.lane + t.outer.size*t.inner.size - 1
		if t.lane/each == last/each {
			f(t, behind(t.lane))
			return
		}
		for ; t.outer.size > 0; t.next() {
			for lane, at, end := t.lane, t.at, t.lane+t.inner.size; lane < end; {
				n := min(end, (lane/each+1)*each) - lane
				f(tile{lane, at, dim{size: 1}, dim{n, t.inner.by}}, behind(lane))
				lane, at = lane+n, at+n*t.inner.by
			}
		}
	})
}

// pick selects the elements of a strip. If all rows select from the same elements, and each selects once, there is a
// table of what they may select, a row for each number.
func (v *vector) pick(s *laneState, l *lane, dst []float64, row, rows int) {
	first, size := s.in[l.b].first, v.lanes[l.a].ratio
	if !v.tabulated(s, l, rows) {
		v.picked(s, l, row, rows, first, func(t tile, behind int) { v.selected(s, l, dst, t, behind) })
		return
	}
	table := s.tables[l.b]
	if len(table) == 0 {
		table = sized(&s.tables[l.b], size*l.inner)
		line := dst[:l.inner]
		for k := range size {
			to := table[k*l.inner:][:l.inner]
			if l.parts == 0 {
				line = to
			}
			tiles(l.dims, 1, first, func(t tile) { v.selected(s, l, line, t, k*l.apart) })
			for p := range l.parts { // one behind the other
				kernel.CopyApart(to[p*l.inner/l.parts:][:l.inner/l.parts], line, p, l.parts)
			}
		}
	}
	if l.parts > 0 {
		return
	}
	v.fromTable(s, l, l, dst, 0)
}

// fromTable sets the lanes of an instruction to what stands in the rows of the table of pick p, from a place on.
func (v *vector) fromTable(s *laneState, p, l *lane, dst []float64, from int) {
	row := &v.lanes[p.a]
	table := s.tables[p.b][from:]
	for k, x := range s.vals[row.a] {
		if at := (int(x) - row.at.N) * p.inner; l.inner == 1 {
			dst[k] = table[at]
		} else {
			copy(dst[k*l.inner:][:l.inner], table[at:])
		}
	}
}

// tabulated reports whether there is a table of what a pick selects.
func (v *vector) tabulated(s *laneState, l *lane, rows int) bool {
	numbers, size := s.vals[v.lanes[l.a].a], v.lanes[l.a].ratio
	return len(numbers) == rows && v.lanes[l.b].dims[0].by == 0 && v.size >= size && size*l.inner <= mostTabulated
}

// takePart sets dst to a part of what a pick selects, from its table, and reports whether there is one.
func (v *vector) takePart(s *laneState, l *lane, dst []float64, rows int) bool {
	p := &v.lanes[l.a]
	if !v.tabulated(s, p, rows) {
		return false
	}
	v.fromTable(s, p, l, dst, l.part*l.inner)
	return true
}

// pickParts finds the picks of which all that reads them takes one part: the components with one number of all vectors
// that it selects.
func (v *vector) pickParts() {
	others := make([]bool, len(v.lanes)) // read by something else
	for i := range v.lanes {
		l := &v.lanes[i]
		if v.takesPart(l) {
			l.parts, l.part = 1, l.at.N
			continue
		}
		v.src.Lanes[i].Operands(func(k int) { others[k] = true })
	}
	parts := map[int]int{} // of the elements of picks, which share tables
	for _, i := range v.picks {
		if l := &v.lanes[i]; others[i] || l.one {
			parts[l.b] = -1
		} else if n := v.src.Loops[l.loop].Size; parts[l.b] == 0 || parts[l.b] == n {
			parts[l.b] = n
		} else {
			parts[l.b] = -1
		}
	}
	for i := range v.lanes {
		switch l := &v.lanes[i]; {
		case l.op == ir.LanePick:
			l.parts = max(0, parts[l.b])
		case l.parts > 0 && parts[v.lanes[l.a].b] < 0:
			l.parts = 0
		}
	}
}

// takesPart reports whether an instruction takes a part of a pick.
func (v *vector) takesPart(l *lane) bool {
	if l.op != ir.LaneTake || v.lanes[l.a].op != ir.LanePick || v.src.Loops[v.lanes[l.a].loop].Parent != l.loop {
		return false
	}
	var by [len(ir.Affine{}.By)]int
	apart := v.src.Loops[v.lanes[l.a].loop].Size
	part := l.at.N >= 0 && l.at.N < apart && len(l.at.Outer) == 0
	for k := l.loop; k >= 0; k = v.src.Loops[k].Parent {
		by[k] = apart
		apart *= v.src.Loops[k].Size
	}
	return part && l.at.By == by
}

// mostTabulated is how many numbers a table of a pick has at most.
const mostTabulated = 1 << 18

// selected sets the lanes of a tile to what they select: elements that stand so far behind their first ones.
func (v *vector) selected(s *laneState, l *lane, dst []float64, t tile, behind int) {
	data, size := s.in[l.b].data, v.lanes[l.a].ratio
	for ; t.outer.size > 0; t.next() {
		to, at := dst[t.lane:t.lane+t.inner.size], t.at
		for k := range to {
			x := data[at+behind]
			for i := 0; x == 0 && math.Signbit(x) && i < size; i++ { // the sum is 0 unless all are −0
				x += 0 * data[at+i*l.apart]
			}
			to[k] = x
			at += t.inner.by
		}
	}
}

// pickBack adds to the adjoints of the elements of a pick. Something arrives at all of them: 0 times what arrives at
// the pick, except at the one that is selected.
func (v *vector) pickBack(m *Machine, s *laneState, i int, l *lane, row, rows int) {
	elements, size := &v.lanes[l.b], v.lanes[l.a].ratio
	n, live := s.reached(i), s.live[l.b]
	s.count(m, l.kind, ir.KindOf(true, live), n*uint64(size))
	s.count(m, v.plus, 3, n*uint64(size-1))
	_, flags := s.open(l.a, v.lanes[l.a].inner*rows)
	x, d := &s.adj[l.b], s.deltas[i]
	whole := s.reach[i] == all
	if whole {
		kernel.SetTrue(flags)
	}
	numbers := s.vals[v.lanes[l.a].a]
	if live && l.dims[0].by == 0 && len(numbers) == rows && kernel.Finite(d, 1, 0, len(d), 1) {
		places := sized(&s.places, l.inner)
		tiles(l.dims, 1, x.zero, func(t tile) {
			for ; t.outer.size > 0; t.next() {
				for k := range t.inner.size {
					places[t.lane+k] = t.at + k*t.inner.by
				}
			}
		})
		for k, n := range numbers { // the deltas of lanes that are not reached are 0
			behind := (int(n) - v.lanes[l.a].at.N) * l.apart
			for j, y := range d[k*l.inner:][:l.inner] {
				x.adj[places[j]+behind] += y
			}
		}
		if !whole {
			each := len(d) / len(flags)
			for k, is := range s.flags[i] {
				flags[k/each] = flags[k/each] || is
			}
		}
		for j := 0; !whole && j < l.inner; j++ {
			if kernel.AnyTrue(s.flags[i][j:], rows, l.inner) {
				setApart(x.reached, places[j], size, l.apart)
			}
		}
	} else {
		v.pickLanes(s, i, l, row, rows, flags)
	}
	if s.close(l.a); !live || s.reach[i] == some {
		return
	}
	if elements.dims[0].by == 0 { // those of each row are the same
		rows = 1
		if l.whole {
			kernel.SetTrue(x.reached[x.zero+elements.lo : x.zero+elements.hi+1])
			return
		}
	}
	tiles(elements.dims, rows, x.zero+row*elements.dims[0].by, func(t tile) {
		for ; t.outer.size > 0; t.next() {
			setApart(x.reached, t.at, t.inner.size, t.inner.by)
		}
	})
}

// pickLanes is the part of pickBack that goes through the lanes one by one. It sets the flags of their rows.
func (v *vector) pickLanes(s *laneState, i int, l *lane, row, rows int, flags []bool) {
	elements, size := &v.lanes[l.b], v.lanes[l.a].ratio
	x, d, whole := &s.adj[l.b], s.deltas[i], s.reach[i] == all
	each := len(d) / len(flags)
	var marked []bool // the first elements, of those that are reached, if each row has the same
	if elements.dims[0].by == 0 && !whole {
		marked = sized(&s.arrived, elements.hi-elements.lo+1)
		clear(marked)
	}
	v.picked(s, l, row, rows, x.zero, func(t tile, behind int) {
		for ; t.outer.size > 0; t.next() {
			for k, at := t.lane, t.at; k < t.lane+t.inner.size; k, at = k+1, at+t.inner.by {
				if !whole {
					if !s.flags[i][k] {
						continue
					}
					flags[k/each] = true
				}
				if !s.live[l.b] {
					continue
				}
				x.adj[at+behind] += d[k]
				mark, finite := !whole, d[k]-d[k] == 0
				if marked != nil {
					first := &marked[at-x.zero-elements.lo]
					mark, *first = !*first, true
				}
				for j := 0; (mark || !finite) && j < size; j++ {
					if x.reached[at+j*l.apart] = true; !finite && j*l.apart != behind {
						x.adj[at+j*l.apart] += 0 * d[k]
					}
				}
			}
		}
	})
}
