package exec

import (
	"math"

	"github.com/gram-machine/gram/engine/ir"
	"github.com/gram-machine/gram/kernel"
)

// This file has the loops in branches. They run in the iterations of the loop around them that take the branch, so
// their work grows with the steps which they stand for. Such a loop, and those in it, are packed: their lanes are those
// of these iterations, one group behind the other. How many there are is known in a strip when its test has run. So the
// place of a lane is found from its group: which iteration of the loop around it that is, and so on outwards.

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

// inverseBits is such that quotients are exact: a lane, of which a strip has at most mostSingle, times a size is less
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
