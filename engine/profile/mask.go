package profile

import (
	"slices"

	"github.com/gram-machine/gram/graph"
)

// In a block with conditionals the run decides which cells fire: those at which something arrives.

// liveFamily is a family of cells at which something may arrive.
type liveFamily struct {
	number int
	heads  []liveHead // nil: not known yet
}

// liveHead are the duals at which the operands of a family arrive, and the registers that are not 0 where they do; nil if all do.
type liveHead struct {
	external bool
	duals    []int32
	masks    []int32
}

// headsOf finds the duals at which a family arrives.
func (l *liveFamily) headsOf(a *graph.Arrays) {
	c := &a.Cells[l.number]
	dims := c.Operands()
	places := func(at graph.Address) []int32 {
		out := make([]int32, 0, graph.Instances(dims))
		at.Each(dims, func(_, place int) { out = append(out, int32(place)) })
		return out
	}
	l.heads = make([]liveHead, len(c.Heads))
	for k, h := range c.Heads {
		l.heads[k] = liveHead{external: h.External, duals: places(h.At)}
		if h.Mask != 0 {
			l.heads[k].masks = places(a.Masks[h.Mask-1].Address(dims))
		}
	}
}

// inRun returns what firing the cells comes to in the run with the registers, where so much has arrived at the duals of the result.
func (f *firedCells) inRun(b *graph.Block, regs []float64, in []uint64) *firedCells {
	run := &firedCells{b: f.b, wiring: f.wiring, either: f.either, cells: slices.Clone(f.cells), of: f.of, exts: make([]uint64, len(f.exts)), exact: true}
	last := &b.Arrays.Cells[len(b.Arrays.Cells)-1]
	arrived := make([]uint64, last.First+graph.Instances(last.Dims))
	for j, d := range b.OutDuals {
		if d >= 0 {
			arrived[d] += in[j]
		}
	}
	for i := range f.families {
		l := &f.families[i]
		if l.heads == nil {
			l.headsOf(b.Arrays)
		}
		c := &b.Arrays.Cells[l.number]
		cells, due, nulls := uint64(0), uint64(0), uint64(0)
		for instance, n := range arrived[c.First:][:graph.Instances(c.Dims)] {
			if n == 0 {
				continue
			}
			cells, due = cells+1, due+n
			operands := 1
			if c.Inner.Size > 0 { // all cells of a sum but the first get an arrival from another one
				operands = c.Inner.Size
				cells, due = cells+uint64(operands-2), due+uint64(operands-2)
			}
			if !c.Either {
				n = 1
			}
			for k := range l.heads {
				nulls += run.arriveAll(&l.heads[k], instance*operands, operands, n, regs, arrived)
			}
		}
		is := &run.cells[l.number]
		is.cells, is.due, is.nulls = cells, due, nulls
	}
	return run
}

// arriveAll books what n operands from first on give to cells and to external duals, each so many arrivals. It returns how many are given to
// λa.0⃗.
func (f *firedCells) arriveAll(h *liveHead, first, n int, each uint64, regs []float64, cells []uint64) (nulls uint64) {
	to := cells
	if h.external {
		to = f.exts
	}
	for i := first; i < first+n; i++ {
		switch {
		case !h.has(i, regs):
		case f.endsInNull(!h.external, int(h.duals[i]), regs):
			nulls += each
		default:
			to[h.duals[i]] += each
		}
	}
	return nulls
}

// has reports whether an instance has the head.
func (h *liveHead) has(instance int, regs []float64) bool {
	return h.masks == nil || regs[h.masks[instance]] != 0
}

// endsInNull reports whether a cell, or an external dual, is λa.0⃗, or the one of two duals that is.
func (f *firedCells) endsInNull(inside bool, dual int, regs []float64) bool {
	if f.isNull(inside, dual) {
		return true
	}
	if !inside || !f.b.Arrays.Cells[f.of(dual)].Either {
		return false
	}
	q := f.of(dual)
	l := f.either[q]
	if l == nil {
		l = &liveFamily{number: q}
		l.headsOf(f.b.Arrays)
		f.either[q] = l
	}
	instance := dual - f.b.Arrays.Cells[q].First
	for k := range l.heads {
		if h := &l.heads[k]; h.has(instance, regs) {
			return f.endsInNull(!h.external, int(h.duals[instance]), regs)
		}
	}
	return false
}
