package graph

import "slices"

// masked are the cells of a block with conditionals.
type masked struct {
	masks []Mask
	cells []ArrayCell
	runs  []Run
	// made has, of each family, those that are made before it.
	made []cellSet
}

// cellSet is a set of families of cells.
type cellSet []uint64

func (s cellSet) has(q int) bool { return s[q/64]&(1<<(q%64)) != 0 }

func (s cellSet) add(q int) { s[q/64] |= 1 << (q % 64) }

// newMasked returns nil for a block without conditionals and folds.
func newMasked(a *Arrays) *masked {
	if !slices.ContainsFunc(a.Cells, func(c ArrayCell) bool { return c.Late != 0 }) {
		return nil
	}
	m := &masked{masks: a.Masks, cells: a.Cells, runs: a.Runs, made: make([]cellSet, len(a.Cells))}
	for q := range a.Cells {
		c := &a.Cells[q]
		set := make(cellSet, (len(a.Cells)+63)/64)
		for k := range c.Heads {
			head := make(cellSet, len(set))
			if h := &c.Heads[k]; !h.External {
				of := a.FamilyOf(h.At.Base)
				copy(head, m.made[of])
				head.add(of)
			}
			for i := range set {
				if c.Either && k > 0 {
					set[i] &= head[i]
				} else {
					set[i] |= head[i]
				}
			}
		}
		m.made[q] = set
	}
	return m
}

// order returns the families in the order in which they fire.
func (m *masked) order(n int) (order []int) {
	var early []int
	for q := n - 1; q >= 0; q-- {
		if m != nil && m.cells[q].Late != 0 {
			order = append(order, q)
		} else {
			early = append(early, q)
		}
	}
	return append(order, early...)
}

// apart reports whether no instance has both masks.
func (m *masked) apart(a, b int) bool {
	for x := a; x != 0; x = m.masks[x-1].Parent {
		for y := b; y != 0; y = m.masks[y-1].Parent {
			if m.masks[x-1].Other == y {
				return true
			}
		}
	}
	return false
}

// late reports whether the cells of a family are made behind conditionals; q is 1 + its number, 0 if there is none.
func (m *masked) late(q int32) bool { return m != nil && q != 0 && m.cells[q-1].Late != 0 }

// follows reports whether the arrivals of the family t are known to be before those of next, where one of both is late.
func (m *masked) follows(t, next int32) bool {
	if !m.late(next) {
		return true
	}
	return t == next || !m.cells[next-1].Either && m.made[t-1].has(int(next-1)) || m.before(next, t)
}

// ordered reports whether the order is known in which the instances of a head of a late family arrive at a dual. What is one of two duals
// gives on what arrives there as one number: once says that only one arrives.
func (m *masked) ordered(q int32, dims []Dim, at Address, once bool) bool {
	if !m.late(q) {
		return true
	}
	alike := m.cells[q-1].Either && !once
	late := m.cells[q-1].Late
	several := 0
	for k, d := range dims {
		if at.Stride[k] != 0 || d.Size < 2 || late > 0 && k < late-1 && !alike {
			continue
		}
		if several++; d.Sum || late < 0 || several > 1 || alike {
			return false
		}
	}
	return at.injective(dims)
}

// reversed returns the dimensions of a family as its cells are made.
func (m *masked) reversed(q int, dims []Dim) []Dim {
	if m == nil || m.cells[q].Late < 2 {
		return dims
	}
	dims = slices.Clone(dims)
	for k := range min(m.cells[q].Late-1, len(dims)) {
		dims[k].Reversed = true
	}
	return dims
}

// halfCovered are arrivals where a branch is taken.
type halfCovered struct {
	dims []Dim
	at   Address
	mask int
}

// covers returns the mask of what has arrived, when something does under a mask at the duals of these instances: that around it, where
// the same has arrived under the other one. It notes what arrives.
func (m *masked) covers(half *[]halfCovered, dims []Dim, at Address, mask, until int) int {
	for mask != until && mask != 0 {
		of := &m.masks[mask-1]
		i := slices.IndexFunc(*half, func(h halfCovered) bool {
			return h.mask == of.Other && h.at.Base == at.Base && slices.Equal(h.at.Stride, at.Stride) && sameSizes(h.dims, dims)
		})
		if i < 0 {
			*half = append(*half, halfCovered{dims, at, mask})
			return mask
		}
		mask = of.Parent
	}
	return mask
}

// MaskedCells are counts of a backward code for each instance whose number at At is not 0.
type MaskedCells struct {
	At              Address
	Dims            []Dim
	Body            uint32
	Cells, Arrivals uint64
}

// Taken returns how many instances a mask has.
func Taken(at Address, dims []Dim, regs []float64) (n uint64) {
	moving, a := at.moving(dims)
	a.Each(moving, func(_, r int) {
		if regs[r] != 0 {
			n++
		}
	})
	return n * uint64(Instances(dims)/max(1, Instances(moving)))
}
