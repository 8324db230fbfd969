package profile

import (
	"slices"

	"github.com/gram-machine/gram/graph"
)

// maskedCells are a family of cells of a block with conditionals: which of them fire, or which of two duals they are, depends on the run.
type maskedCells struct {
	family int
	n      int   // operands
	inner  int   // summands of each instance of sums, 0 of other families
	masks  []int // of each operand: the register that is not 0 where the cell is there; nil if all are
	heads  []maskedHead
}

// maskedHead are the duals at which the operands arrive, and the registers that are not 0 where they do; nil if all do.
type maskedHead struct {
	external bool
	duals    []int
	masks    []int
}

// addMasked adds a family that is live, and says which duals it may reach.
func (f *firedCells) addMasked(a *graph.Arrays, family int) {
	c := &a.Cells[family]
	dims := c.Operands()
	places := func(at graph.Address) (out []int) {
		at.Each(dims, func(_, place int) { out = append(out, place) })
		return out
	}
	masks := func(mask int) []int {
		if mask == 0 {
			return nil
		}
		return places(a.Masks[mask-1].Address(dims))
	}
	m := maskedCells{family: family, n: graph.Instances(dims), inner: c.Inner.Size, masks: masks(c.Mask)}
	for _, h := range c.Heads {
		m.heads = append(m.heads, maskedHead{h.External, places(h.At), masks(h.Mask)})
	}
	f.masked = append(f.masked, m)
	c.EachHead(func(h *graph.ArrayHead, dual int) { f.arrive(!h.External, dual, 0) })
}

// inRun returns what firing the cells comes to in the run with the registers, where so much has arrived at the duals of the result.
func (f *firedCells) inRun(regs []float64, outs []int32, in []uint64) *firedCells {
	run := *f
	run.cells, run.exts = slices.Clone(f.cells), slices.Clone(f.exts)
	for i := range run.cells {
		run.cells[i].passes = slices.Clone(run.cells[i].passes)
	}
	for j, d := range outs {
		if d < 0 {
			continue
		}
		if c := &run.cells[f.of(int(d))]; c.passes != nil {
			c.passes[int(d)-c.first] += in[j]
		}
	}
	for i := range f.masked {
		run.fireMasked(&f.masked[i], regs)
	}
	return &run
}

// fireMasked books the firing of a family, and its arrivals.
func (f *firedCells) fireMasked(m *maskedCells, regs []float64) {
	there := func(masks []int, i int) bool { return masks == nil || regs[masks[i]] != 0 }
	c := &f.cells[m.family]
	fired := uint64(0)
	for i := range m.n {
		if !there(m.masks, i) {
			continue
		}
		fired++
		n := uint64(1)
		if c.passes != nil {
			n = c.passes[i]
		}
		for k := range m.heads {
			if h := &m.heads[k]; there(h.masks, i) {
				f.arrive(!h.external, h.duals[i], n)
			}
		}
	}
	c.cells = fired
	if m.inner > 0 { // all cells of a sum but the first get an arrival from another one
		sums := fired / uint64(m.inner)
		c.cells = sums * uint64(m.inner-1)
		c.due += c.cells - sums
	}
}
