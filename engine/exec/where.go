package exec

import (
	"math"

	"github.com/gram-machine/gram/engine/ir"
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
	rank []int32 // the group in each iteration of that loop, −1: there is none
}

// group finds the groups of a loop, and reports whether it, and those in it, have not too many lanes.
func (v *vector) group(s *laneState, l *lane) bool {
	g := &s.groups[l.b]
	taken := s.vals[l.a]
	rank, of, n := sized(&g.rank, len(taken)), sized(&g.of, len(taken)), int32(0)
	for k, x := range taken { // 1 or 0
		of[n] = int32(k)
		bit := int32(math.Float64bits(x) >> 61)
		rank[k] = n&-bit | (bit - 1)
		n += bit
	}
	g.of = of[:n]
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

// ancestor is the lane of an instruction in the loop to, around a group of lanes of the loop from.
func (v *vector) ancestor(s *laneState, from, group, to int) int {
	k := v.parent(s, from, group)
	for from = v.src.Loops[from].Parent; from != to; from = v.src.Loops[from].Parent {
		k = v.parent(s, from, k/v.src.Loops[from].Size)
	}
	return k
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
	size, by := 1, 0
	var of, rank []int32
	if !l.gathers || l.loop != l.b { // the lanes of an iteration of the loop around are side by side
		size, by, of = v.src.Loops[l.loop].Size, l.at.By[l.loop], s.groups[l.loop].of
	}
	if l.of >= 0 {
		rank = s.groups[l.of].rank
	}
	for lane, group, n := 0, 0, v.count(s, l, rows); lane < n; lane, group = lane+size, group+1 {
		at, k, maker := first, uint32(group), uint32(0)
		if of != nil {
			k = uint32(of[k])
		}
		for i := range l.up {
			up := &l.up[i]
			if up.maker {
				maker = k
			}
			q := k / up.size
			at += int(k-q*up.size) * up.by
			if k = q; up.branch >= 0 {
				k = uint32(s.groups[up.branch].of[k])
			}
		}
		if l.gathers {
			if l.b == l.top {
				maker = k
			}
			if rank != nil {
				maker = uint32(rank[maker])
			}
			if int32(maker) < 0 { // the vector is made in a branch that the lane does not take
				continue
			}
			at += int(maker) * l.apart
		}
		f(tile{lane, at, dim{size: 1}, dim{size, by}})
	}
}

// up is the way from a loop to the one around it: its iterations, and how far apart the places of these are.
type up struct {
	size   uint32
	by     int
	branch int  // the loop, if it is in a branch, −1 otherwise
	maker  bool // of a take: it makes what is taken
}

// pack says of an instruction in a loop in a branch, or that takes what such a loop makes, how it finds its lanes: top
// is the loop that is too far out for places to depend on it. Of a take, b is the loop in which the vector is made that
// it is of: apart is how many lanes an iteration of b makes, and of is the loop in b that makes them, if that is in a
// branch, −1 otherwise; at is then from the first of these lanes on, while dims stay those of all lanes.
func (v *vector) pack(l *lane) {
	loops := v.src.Loops
	l.packed, l.top, l.of = v.src.Packed(l.loop), l.loop, -1
	if l.op == ir.LaneTake {
		from := v.lanes[l.a].loop
		l.gathers = l.packed || v.lanes[l.a].packed
		l.top, l.apart = l.b, 1
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
	if !l.packed && !l.gathers || len(l.dims) == 0 {
		return
	}
	l.compact = false
	for k := l.top; k >= 0; k = loops[k].Parent {
		if l.at.By[k] != 0 {
			l.top = loops[k].Parent
		}
	}
	k := l.loop
	if (l.op != ir.LaneTake || k != l.b) && k != l.top {
		k = loops[k].Parent
	}
	for ; k != l.top; k = loops[k].Parent {
		branch := -1
		if loops[k].Where >= 0 {
			branch = k
		}
		l.up = append(l.up, up{uint32(loops[k].Size), l.at.By[k], branch, l.op == ir.LaneTake && k == l.b})
	}
}
