package graph

import (
	"cmp"
	"slices"
)

// touch is the last arrival at a dual: the head that it came from, 0 if there is none, with the outermost and the
// innermost loop around it and the number of the instance.
type touch struct {
	source, loop, inner, instance int32
	several                       bool // from several instances
	others                        bool // from other heads in the outermost loop, too
	within
	// Of a block with conditionals: 1 + the number of the family that it came from, 1 + that of the mask of the instances, and earlier
	// arrivals at the same dual of which no instance is one of this.
	from, mask int32
	also       *touch
	// together says that several arrivals are added up before, so that they are the first.
	together bool
	// unordered says that neither the order of this arrival nor that of later ones matters.
	unordered bool
}

// within says that a head's arrivals are noted for each value of an index by itself: at is 1 + the value, 0 where that is not so. If
// outermost is set it is the index of the outermost loop, and next is [loopBetween] of the loops in it.
type within struct {
	at, next  int32
	outermost bool
}

// arrivals are what has arrived at duals that have a mask, and where it is known to have.
type arrivals struct {
	touches
	mask int
	full touches // where something has arrived in all runs
	half []halfCovered
	log  []partArrivals
}

// partArrivals are those of a head: of all instances, or where these numbers are not 0.
type partArrivals struct {
	dims  []Dim
	at    Address
	mask  int
	where *Address
}

func (w *arrayBackward) arrivals(size int) arrivals {
	return arrivals{touches: touches{size: size, masked: w.masked}, full: touches{size: size}}
}

// note is [touches.add] of what arrives under a mask, and where these numbers are not 0, if where is not nil.
func (o *arrivals) note(dims []Dim, at Address, t touch, mask int, where *Address) bool {
	if !o.add(dims, at, t) {
		return false
	}
	o.log = append(o.log, partArrivals{dims, at, mask, where})
	if where == nil && (mask == o.mask || o.masked.covers(&o.half, dims, at, mask, o.mask) == o.mask) {
		return o.full.add(dims, at, touch{source: 1, loop: -1, unordered: true})
	}
	return true
}

// covered reports whether each dual that has arrivals has them in all runs.
func (o *arrivals) covered() bool { return o.full.count() == o.count() }

// touches are the last arrivals at duals: in regions, at each dual of which they are alike, or by dual.
type touches struct {
	size    int
	masked  *masked         // nil of a block without conditionals
	regions []touchedRegion // disjoint, by their first duals
	duals   []touch
}

// touchedRegion are arrivals at the n duals from first on. The dimensions and the address say which instance arrives at which
// dual; last.several says that several do at each.
type touchedRegion struct {
	first, n int
	last     touch
	dims     []Dim
	at       Address
}

// maxTouches bounds the duals that are looked at one by one.
const maxTouches = 1 << 24

// add notes the arrivals of a head. It reports false if they may be in another order than that in which the cells fire
// one by one.
func (o *touches) add(dims []Dim, at Address, t touch) bool {
	if len(dims) > 0 && Instances(dims) == 0 {
		return true
	}
	if first, last := at.Range(dims); first < 0 || last >= o.size {
		return false
	}
	r, ok := newRegion(dims, at, t)
	if ok && o.duals == nil && t.unordered {
		o.cover(r)
		return true
	}
	if ok && o.duals == nil {
		i, found := slices.BinarySearchFunc(o.regions, r.first, func(x touchedRegion, n int) int { return cmp.Compare(x.first, n) })
		switch {
		case found && o.regions[i].n == r.n:
			is, ok := o.regions[i].then(r, o.masked)
			o.regions[i] = is
			return ok
		case (i == 0 || o.regions[i-1].first+o.regions[i-1].n <= r.first) && (i == len(o.regions) || r.first+r.n <= o.regions[i].first):
			o.regions = slices.Insert(o.regions, i, r)
			return true
		}
	}
	if o.duals == nil && !o.split() {
		return false
	}
	good := true
	at.Each(dims, func(instance, k int) {
		is := &o.duals[k]
		if is.source == t.source {
			is.several = true
			good = good && !is.others && is.also == nil
			return
		}
		next := t
		next.instance = int32(instance)
		good = good && is.precedes(&next, is.instance == next.instance, o.masked)
		*is = next
	})
	return good
}

// cover notes arrivals whose order does not matter, in one region with those that it meets.
func (o *touches) cover(r touchedRegion) {
	end := r.first + r.n
	from, _ := slices.BinarySearchFunc(o.regions, r.first, func(x touchedRegion, n int) int { return cmp.Compare(x.first+x.n, n) })
	to := from
	for ; to < len(o.regions) && o.regions[to].first <= end; to++ {
		r.first, end = min(r.first, o.regions[to].first), max(end, o.regions[to].first+o.regions[to].n)
	}
	r.n = end - r.first
	r.dims, r.at = []Dim{{Size: r.n}}, Address{r.first, []int{1}}
	o.regions = slices.Replace(o.regions, from, to, r)
}

// newRegion makes the region of the arrivals of a head, if they are one.
func newRegion(dims []Dim, at Address, t touch) (r touchedRegion, ok bool) {
	r = touchedRegion{last: t}
	r.dims, r.at = at.moving(dims)
	r.n = Instances(r.dims)
	r.last.several = r.n < Instances(dims)
	first, last := at.Range(dims)
	r.first = first
	return r, last-first+1 == r.n && r.at.injective(r.dims)
}

// then returns the region after the arrivals of another head at the same duals, and whether the order of both is that in which
// the cells fire.
func (r touchedRegion) then(next touchedRegion, m *masked) (touchedRegion, bool) {
	same := slices.Equal(r.at.Stride, next.at.Stride) && slices.EqualFunc(r.dims, next.dims, func(x, y Dim) bool { return x.Size == y.Size })
	ok := r.last.precedes(&next.last, same, m)
	return next, ok && !(next.last.others && next.last.several)
}

// precedes reports whether t, and what arrived before, comes before the next arrival in the order in which cells fire; same says that they
// are of the same instance. It notes what next is.
func (t touch) precedes(next *touch, same bool, m *masked) bool {
	next.others = false
	for is := &t; is != nil; is = is.also {
		if m != nil && same && !is.several && !next.several && m.apart(int(is.mask), int(next.mask)) {
			one := *is
			one.also = next.also
			next.also = &one
			continue
		}
		if next.together && is.source != 0 {
			return false
		}
		if m != nil && is.source > 0 && (m.late(is.from) || m.late(next.from)) {
			if !m.follows(is.from, next.from) {
				return false
			}
			if m.late(is.from) != m.late(next.from) {
				continue
			}
		}
		next.others = next.others || is.inLoopOf(*next)
		if !is.before(*next, same) {
			return false
		}
	}
	return true
}

// inLoopOf reports whether t is in the outermost loop of the next arrival.
func (t touch) inLoopOf(next touch) bool {
	if t.source == 0 || next.loop < 0 || t.loop != next.loop {
		return false
	}
	sameIteration := t.outermost && next.outermost && t.at == next.at
	return !sameIteration || next.next >= 0 && t.next == next.next
}

// before is precedes for straight-line code.
func (t touch) before(next touch, same bool) bool {
	return !t.inLoopOf(next) || !t.several && t.inner == next.inner && t.at == next.at && same
}

// split notes the arrivals dual by dual, if there are not too many.
func (o *touches) split() bool {
	if o.size > maxTouches {
		return false
	}
	o.duals = make([]touch, o.size)
	for _, r := range o.regions {
		r.at.Each(r.dims, func(instance, k int) {
			o.duals[k] = r.last
			o.duals[k].instance = int32(instance)
		})
	}
	o.regions = nil
	return true
}

// each calls f with the duals that have arrivals: n from first on.
func (o *touches) each(f func(first, n int)) {
	for _, r := range o.regions {
		f(r.first, r.n)
	}
	for k := 0; k < len(o.duals); k++ {
		first := k
		for k < len(o.duals) && o.duals[k].source != 0 {
			k++
		}
		if k > first {
			f(first, k-first)
		}
	}
}

// all reports whether each dual has arrivals.
func (o *touches) all() bool { return o.count() == o.size }

// count is how many duals have arrivals.
func (o *touches) count() (n int) {
	o.each(func(_, more int) { n += more })
	return n
}

// by reports whether the last arrival at each dual is that of one instance of the head.
func (o *touches) by(source int32) bool {
	of := func(t touch) bool { return t.source == source && !t.several }
	for _, r := range o.regions {
		if !of(r.last) {
			return false
		}
	}
	return !slices.ContainsFunc(o.duals, func(t touch) bool { return !of(t) }) && o.all()
}
