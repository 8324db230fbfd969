package graph

import "slices"

// Where a branch of a conditional reaches nothing, as the 0 of a relu, or only some components are, the cells that fire depend on the run.
// The backward code then has a number for each cell of a family, which is not 0 where something has arrived. What arrives from
// there arrives where that is so.

// where returns the numbers of a mask, nil if there is none.
func (w *arrayBackward) where(mask int, dims []Dim) *Address {
	if mask == 0 {
		return nil
	}
	at := w.masked.masks[mask-1].Address(dims)
	return &at
}

// countWhere counts what depends on the run.
func (w *arrayBackward) countWhere(c MaskedCells) {
	w.out.Masked = append(w.out.Masked, c)
	w.read = append(w.read, c.At.Base)
}

// reach returns the numbers that say where something has arrived at the cells of a family, nil if it has at all that there are.
func (w *arrayBackward) reach(a *familyAdjoint, c *ArrayCell) *Address {
	if a.touched.all() && a.touched.covered() {
		return nil
	}
	if len(a.touched.log) == 1 {
		p := &a.touched.log[0]
		if at := w.numbers(p); at != nil && sameSizes(p.dims, c.Dims) && p.at.Base == 0 && slices.Equal(p.at.Stride, Dense(0, c.Dims).Stride) {
			w.out.Decided = true
			return at
		}
	}
	at := Dense(w.anyOf(&a.touched, 0, c.size()), c.Dims)
	return &at
}

// numbers are where something arrives of all instances, nil if all do.
func (w *arrayBackward) numbers(p *partArrivals) *Address {
	if p.where == nil {
		return w.where(p.mask, p.dims)
	}
	return p.where
}

// anyOf returns the first of n registers: the number of what has arrived at each dual, of n from first on, that has arrivals.
func (w *arrayBackward) anyOf(o *arrivals, first, n int) int {
	w.out.Decided = true
	to := w.registers(n)
	w.fill(to, n, int(w.constant(0)))
	for i := range o.log {
		p := &o.log[i]
		dims, where := w.gathered(p)
		w.emit(Array{Kind: ArrayAdd, Dims: dims, D: over(p, Address{to + p.at.Base - first, p.at.Stride}, dims), A: where, B: where})
	}
	return to
}

// over is an address over some of the dimensions of arrivals.
func over(p *partArrivals, a Address, dims []Dim) Address {
	out := Address{Base: a.Base}
	for _, d := range dims {
		out.Stride = append(out.Stride, a.Stride[slices.IndexFunc(p.dims, func(x Dim) bool { return x.Loop == d.Loop })])
	}
	return out
}

// gathered returns the dimensions in which arrivals are at different duals, and the number of what arrives at each of these.
func (w *arrayBackward) gathered(p *partArrivals) (dims []Dim, where Address) {
	dims, _ = p.at.moving(p.dims)
	at := w.numbers(p)
	if at == nil {
		return dims, fixed(int(w.constant(1)), dims)
	}
	var both, all []Dim
	for k, d := range p.dims {
		if at.Stride[k] == 0 || d.Size < 2 {
			continue
		}
		all = append(all, d)
		if p.at.Stride[k] != 0 {
			both = append(both, d)
		}
	}
	if len(all) == len(both) {
		return dims, over(p, *at, dims)
	}
	to := Dense(w.registers(Instances(both)), both)
	w.fill(to.Base, Instances(both), int(w.constant(0)))
	from := over(p, *at, all)
	w.emit(Array{Kind: ArrayAdd, Dims: all, D: to.in(both, all), A: from, B: from})
	return dims, to.in(both, dims)
}

// in is an address over dimensions as one over others.
func (a Address) in(dims, others []Dim) Address {
	out := Address{Base: a.Base, Stride: make([]int, len(others))}
	for k, d := range others {
		if i := slices.IndexFunc(dims, func(x Dim) bool { return x.Loop == d.Loop }); i >= 0 {
			out.Stride[k] = a.Stride[i]
		}
	}
	return out
}

// partialExts notes the external duals of the first run at which something arrives in some runs only.
func (w *arrayBackward) partialExts() {
	if w.exts.covered() {
		return
	}
	w.out.Decided = true
	w.exts.full.each(func(first, n int) { w.out.Certain = append(w.out.Certain, Sum{Ext: first, N: n}) })
	for i := range w.exts.log {
		p := &w.exts.log[i]
		if w.numbers(p) == nil {
			continue
		}
		dims, where := w.gathered(p)
		moving, from := where.moving(dims)
		n := Instances(moving)
		to := Dense(w.registers(n), moving)
		w.emit(Array{Kind: ArrayAdd, Dims: moving, D: to, A: from, B: from})
		w.out.Zeroed = append(w.out.Zeroed, Span{Reg: uint32(to.Base), N: uint32(n)})
		w.read = append(w.read, to.Base)
		w.out.Partial = append(w.out.Partial, PartialExts{Dims: dims, At: over(p, p.at, dims), Reach: to.in(moving, dims)})
	}
}
