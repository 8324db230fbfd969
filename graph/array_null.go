package graph

import "github.com/gram-machine/gram/term"

// arriveNull counts arrivals at λa.0⃗, one for each instance, under a mask and where these numbers are not 0, if where is not nil.
func (w *arrayBackward) arriveNull(dims []Dim, mask int, where *Address) {
	if where == nil {
		where = w.where(mask, dims)
	}
	if where == nil {
		w.nulls += uint64(Instances(dims))
		return
	}
	w.out.Decided = true
	w.countWhere(MaskedCells{At: *where, Dims: dims, Body: w.p.NullBody(), Cells: 1})
}

// isNull reports whether all instances of a head are λa.0⃗.
func (w *arrayBackward) isNull(h *ArrayHead, dims []Dim) bool {
	if !h.External {
		c := &w.b.Arrays.Cells[w.b.Arrays.FamilyOf(h.At.Base)]
		least, most := h.At.Range(dims)
		return c.Null && least >= c.First && most < c.First+c.size()
	}
	return w.w.Exts[h.At.Base] == Ignored && !w.mixed(h.At, dims)
}

// mixed reports whether some of the external duals are λa.0⃗, and some are not.
func (w *arrayBackward) mixed(at Address, dims []Dim) bool {
	null := w.w.Exts[at.Base] == Ignored
	is := false
	at.Distinct(dims, func(k int) { is = is || w.w.Exts[k] == Ignored != null })
	return is
}

// arriveBehind counts the arrivals at λa.0⃗ that come of arrivals at cells which are one of two duals: what arrives there is given on as one
// number, and each of the arrivals fires. It fails where it can't tell how many these are.
func (w *arrayBackward) arriveBehind(c *ArrayCell, dims []Dim, at Address, mask int, where *Address) {
	for k := range c.Heads {
		h := &c.Heads[k]
		null := w.isNull(h, c.Dims)
		if !null && !w.mayBeNull(h, c.Dims) {
			continue
		}
		taken, ok := at.through(w.masked.masks[h.Mask-1].Address(c.Dims), dims, c.Dims)
		both := &taken
		if outer := w.numbers(&partArrivals{dims: dims, mask: mask, where: where}); outer != nil && ok {
			product := w.each(BlockMul, term.Mul, dims, *outer, taken)
			both = &product
		}
		switch {
		case !ok:
			w.failed = true
		case null:
			w.arriveNull(dims, 0, both)
		default:
			to := &w.b.Arrays.Cells[w.b.Arrays.FamilyOf(h.At.Base)]
			next, ok := at.through(Address{h.At.Base - to.First, h.At.Stride}, dims, c.Dims)
			least, most := next.Range(dims)
			if w.failed = w.failed || !ok || h.External || !to.Either || least < 0 || most >= to.size(); !w.failed {
				w.arriveBehind(to, dims, next, 0, both)
			}
		}
	}
}

// mayBeNull reports whether an instance of a head is λa.0⃗, or a cell that is one of two duals of which one may be that.
func (w *arrayBackward) mayBeNull(h *ArrayHead, dims []Dim) bool {
	if h.External {
		return w.w.Exts[h.At.Base] == Ignored || w.mixed(h.At, dims)
	}
	is := false
	least, most := h.At.Range(dims)
	for q := w.b.Arrays.FamilyOf(least); q <= w.b.Arrays.FamilyOf(most); q++ {
		is = is || w.nullBehind(q)
	}
	return is
}

// nullBehind reports whether a cell of a family may be λa.0⃗.
func (w *arrayBackward) nullBehind(q int) bool {
	c := &w.b.Arrays.Cells[q]
	if !c.Either {
		return c.Null
	}
	return w.mayBeNull(&c.Heads[0], c.Dims) || w.mayBeNull(&c.Heads[1], c.Dims)
}

// through returns the address, over dims, of what stands at to for the cell at a: to is over the dimensions of the family of cells, and a is the
// number of the cell in it. ok is false where the indices of the cell are not seen in its number.
func (a Address) through(to Address, dims, family []Dim) (out Address, ok bool) {
	dense := Dense(0, family).Stride
	out = Address{Base: to.Base, Stride: make([]int, len(dims))}
	most := make([]int, len(family)) // of each index of the cell
	rest := a.Base
	for k := range family {
		most[k] = rest / dense[k]
		rest %= dense[k]
		out.Base += most[k] * to.Stride[k]
	}
	for j, d := range dims {
		step := a.Stride[j]
		if step < 0 {
			return out, false
		}
		for k := range family {
			n := step / dense[k]
			step %= dense[k]
			most[k] += n * (d.Size - 1)
			out.Stride[j] += n * to.Stride[k]
		}
	}
	for k, d := range family {
		if most[k] >= d.Size {
			return out, false
		}
	}
	return out, true
}
