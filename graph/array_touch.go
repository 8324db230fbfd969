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
}

// within says that a head's arrivals are noted for each value of an index by itself: at is 1 + the value, 0 where that is not so. If
// outermost is set it is the index of the outermost loop, and next is [loopBetween] of the loops in it.
type within struct {
	at, next  int32
	outermost bool
}

// touches are the last arrivals at duals: in regions, at each dual of which they are alike, or by dual.
type touches struct {
	size    int
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
	if ok && o.duals == nil {
		i, found := slices.BinarySearchFunc(o.regions, r.first, func(x touchedRegion, n int) int { return cmp.Compare(x.first, n) })
		switch {
		case found && o.regions[i].n == r.n:
			is, ok := o.regions[i].then(r)
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
			good = good && !is.others
			return
		}
		t.instance = int32(instance)
		good = good && is.precedes(t, is.instance == t.instance)
		t.others = is.inLoopOf(t)
		*is = t
	})
	return good
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
func (r touchedRegion) then(next touchedRegion) (touchedRegion, bool) {
	same := slices.Equal(r.at.Stride, next.at.Stride) && slices.EqualFunc(r.dims, next.dims, func(x, y Dim) bool { return x.Size == y.Size })
	next.last.others = r.last.inLoopOf(next.last)
	return next, r.last.precedes(next.last, same) && !(next.last.others && next.last.several)
}

// inLoopOf reports whether t is in the outermost loop of the next arrival.
func (t touch) inLoopOf(next touch) bool {
	if t.source == 0 || next.loop < 0 || t.loop != next.loop {
		return false
	}
	sameIteration := t.outermost && next.outermost && t.at == next.at
	return !sameIteration || next.next >= 0 && t.next == next.next
}

// precedes reports whether t comes before the next arrival in the order in which cells fire; same says that they are of the same
// instance.
func (t touch) precedes(next touch, same bool) bool {
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
func (o *touches) all() bool {
	n := 0
	o.each(func(_, more int) { n += more })
	return n == o.size
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
