package order

import (
	"cmp"
	"slices"

	"github.com/gram-machine/gram/graph"
)

// Front looks ahead of a backward phase: it finds the duals of blocks at which all has arrived as soon as cells fire that have everything
// that is due. Where a sum is taken apart, so all of its summands are found before the first of them fires. It changes no cell.
type Front struct {
	Prog  *graph.Program
	Nodes []graph.Node
	Words []uint32     // the same memory
	State []graph.Node // where the arrivals stand
	Order *Order

	cells []frontCell // not looked at yet, the next one last
	seen  map[graph.Ref]bool
	sums  map[graph.Ref]float64 // what is going to have arrived at the duals of blocks that were found
	regs  []float64
	left  int // how many cells are looked at, at most
}

// frontCell is a cell, and what is going to have arrived at it.
type frontCell struct {
	dual graph.Ref
	sum  float64
}

// frontCells is how many cells are looked at before the first dual of a block is found, and from each to the next.
const frontCells = 1 << 12

// Reset begins a backward phase.
func (f *Front) Reset() {
	f.cells, f.left = f.cells[:0], frontCells
	if f.seen == nil {
		f.seen, f.sums, f.regs = map[graph.Ref]bool{}, map[graph.Ref]float64{}, make([]float64, max(1, f.Prog.LinRegs))
	}
	clear(f.seen)
	clear(f.sums)
}

// Add adds a cell at which all has arrived, and which has not fired.
func (f *Front) Add(d graph.Ref) {
	if f.left > 0 && f.Nodes[d].Kind() == graph.DualCell && !f.seen[d] {
		f.expand(frontCell{d, f.State[d].Number()})
	}
}

// Next returns a dual of a block at which nothing is due but one arrival, which is known. An older one comes first.
func (f *Front) Next() (dual graph.Ref, ok bool) {
	for len(f.cells) > 0 && f.left > 0 {
		c := f.cells[len(f.cells)-1]
		f.cells = f.cells[:len(f.cells)-1]
		switch {
		case f.State[c.dual].A != 1: // it has arrived
		case f.Nodes[c.dual].Kind() == graph.BlockDual:
			f.left = frontCells
			f.sums[c.dual] = c.sum
			return c.dual, true
		case !f.seen[c.dual]:
			f.expand(c)
		}
	}
	return 0, false
}

// Arrived returns what is going to have arrived at n duals of a block, from the first on. It reports whether that is known.
func (f *Front) Arrived(first graph.Ref, n int) (sums []float64, ok bool) {
	for d := first; d < first+graph.Ref(n); d++ {
		sum := f.State[d].Number()
		if due := f.State[d].A; due > 0 {
			if sum, ok = f.sums[d]; !ok || due > 1 {
				return nil, false
			}
		}
		sums = append(sums, sum)
	}
	return sums, true
}

// expand finds what is to arrive at the heads of a cell.
func (f *Front) expand(c frontCell) {
	f.left--
	f.seen[c.dual] = true
	body := &f.Prog.Bodies[f.Prog.Duals[f.Nodes[c.dual].Head>>graph.KindShift].Body]
	from := len(f.cells)
	body.Fire(f.Words[4*uint64(c.dual)+graph.DualWords:], f.Nodes, f.regs, c.sum, func(h graph.Ref, v float64) {
		if kind := f.Nodes[h].Kind(); f.State[h].A == 1 && (kind == graph.DualCell || kind == graph.BlockDual) {
			f.cells = append(f.cells, frontCell{h, f.State[h].Number() + v})
		}
	})
	slices.SortFunc(f.cells[from:], func(a, b frontCell) int { return cmp.Compare(f.Order.Key(b.dual), f.Order.Key(a.dual)) })
}
