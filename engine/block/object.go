package block

import (
	"github.com/gram-machine/gram/engine/array"
	"github.com/gram-machine/gram/graph"
)

// The words of a BlockRun, behind its head. In the second, a job counts the duals of its
// result that are reached and wait for arrivals.
const (
	blockRuns  = 2
	blockKind  = 3 // graph.LoopKind
	blockData  = 4 // the data list
	blockFirst = 5 // of its elements, how many are left before the first run
	// blockShared is 1 if two of the external duals are one, or one is λa.0⃗, but for those of elements of data.
	blockShared = 6
	blockLoop   = 7 // 1 + the number of the checkpoints that the object has in place of rows; 0: it has rows
)

// chainBit marks the kind of the runs of a chain, which read the first element first.
const chainBit = 1 << 8

// DualsAt is where the duals of the result begin in an object, in nodes.
const DualsAt = graph.BlockWords / 4

// Object is an object of the arena, the runs of a block: how many there are, the duals of the result, the external duals, and numbers:
// what all runs share, and then a row for each run.
type Object struct {
	Base   graph.Ref
	Block  *graph.Block
	Plan   *graph.Plan
	Wiring *graph.Wiring // of the first run; nil of a block with paths
	Kind   graph.LoopKind
	N      uint64      // runs
	Outs   graph.Ref   // the first dual of the result
	Exts   []graph.Ref // the external duals
	loop   uint32      // 1 + the number of the checkpoints; 0: it has rows
	row    uint64      // where the numbers begin, in numbers
}

// HasRows reports whether the object has rows. If not, they are computed again.
func (p *Object) HasRows() bool { return p.loop == 0 }

// ObjectUnits returns how many nodes the object of n runs of a block takes whose external duals are loaded, and how many more it would take
// without the checkpoints.
func (r *Runner) ObjectUnits(b *graph.Block, plan *graph.Plan, n uint64, c *Checkpoints) (units, dropped uint64) {
	if len(plan.Last) > 0 {
		n++
	}
	shared := uint64(plan.Fixed)
	numbers := shared + n*uint64(len(plan.Row))
	if c != nil {
		dropped = (numbers+1)/2 - (shared+1)/2
		numbers = shared
	}
	return DualsAt + uint64(len(b.OutDuals)) + uint64(graph.Units(0, len(r.Exts))) + (numbers+1)/2, dropped
}

// NewObject makes the object of n runs of a block at base, where [Runner.ObjectUnits] nodes are free.
func (r *Runner) NewObject(base graph.Ref, b *graph.Block, plan *graph.Plan, kind graph.LoopKind, n uint64, c *Checkpoints) Object {
	w := 4 * uint64(base)
	clear(r.words[w : w+graph.BlockWords])
	r.words[w] = uint32(graph.BlockRun) | b.ID<<graph.KindShift
	r.words[w+blockRuns], r.words[w+blockKind] = uint32(n), uint32(kind)
	if !r.distinct.All(r.Exts) || b.HasNull(kind, r.Exts) {
		r.words[w+blockShared] = 1
	}
	outs := uint64(len(b.OutDuals))
	for j := range uint32(outs) {
		r.nodes[base+DualsAt+j] = graph.Node{Head: uint32(graph.BlockDual) | j<<graph.KindShift}
	}
	copy(r.words[w+graph.BlockWords+4*outs:], r.Exts)
	if c != nil {
		if c.first == 0 {
			units, _ := r.ObjectUnits(b, plan, n, c)
			c.first, c.units = base, uint32(units)
		}
		r.words[w+blockLoop] = c.id
	}
	p := r.object(base, b, plan, kind)
	array.Store(r.floats[p.row:], r.Regs, plan.Invariant)
	return p
}

// Object returns the object at base.
func (r *Runner) Object(base graph.Ref) Object {
	w := 4 * uint64(base)
	b, kind := r.prog.Block(r.words[w]>>graph.KindShift), graph.LoopKind(r.words[w+blockKind])
	plan, _ := b.Plan(r.prog, kind, nil) // it was made with the block's first object
	return r.object(base, b, plan, kind)
}

func (r *Runner) object(base graph.Ref, b *graph.Block, plan *graph.Plan, kind graph.LoopKind) Object {
	w := 4 * uint64(base)
	outs := uint64(len(b.OutDuals))
	at := w + graph.BlockWords + 4*outs
	p := Object{Base: base, Block: b, Plan: plan, Kind: kind, N: uint64(r.words[w+blockRuns]), loop: r.words[w+blockLoop],
		Outs: base + DualsAt, Exts: r.words[at : at+uint64(b.Exts)], row: 2 * (uint64(base) + DualsAt + outs + uint64(graph.Units(0, b.Exts)))}
	switch {
	case b.Paths != nil:
	case r.words[w+blockShared] == 0:
		p.Wiring = plan.Wirings[0]
	default:
		p.Wiring = b.Wiring(kind, p.Exts)
	}
	return p
}

// Place makes the object one of the loop, which begins with the data list or numeral source.
func (r *Runner) Place(l *Loop, p *Object, source graph.Ref) {
	w := 4 * uint64(p.Base)
	r.words[w+blockData], r.words[w+blockFirst] = source, uint32(l.Left)
	if l.Chain {
		r.words[w+blockKind] |= chainBit
	}
	if l.Block.Paths != nil {
		l.First, l.Last = r.firstWirings(p), nil
	}
}

// firstWirings returns the wirings of a first run, by its path.
func (r *Runner) firstWirings(p *Object) []*graph.Wiring {
	if r.words[4*uint64(p.Base)+blockShared] == 0 {
		return p.Plan.Wirings
	}
	var first []*graph.Wiring
	for _, path := range p.Block.Paths {
		first = append(first, path.Wiring(p.Kind, p.Exts))
	}
	return first
}

// Floats returns the object's rows, and what is behind them.
func (r *Runner) Floats(p *Object) []float64 { return r.floats[p.row+uint64(p.Plan.Fixed):] }

// KeepRow puts the row of a block that has run once into its object.
func (r *Runner) KeepRow(p *Object) {
	row := r.Floats(p)
	if p.Block.Arrays != nil {
		array.Store(row, r.Regs, p.Plan.Spans)
		return
	}
	for c, reg := range p.Plan.Row {
		row[c] = r.Regs[reg]
	}
}

// SetOuts finds the duals of the result of an object, whose last run has the wiring.
func (r *Runner) SetOuts(p *Object, w *graph.Wiring) {
	r.Outs = r.Outs[:0]
	for _, d := range w.Outs {
		switch {
		case d == graph.Ignored:
			r.Outs = append(r.Outs, graph.NullDual)
		case d < 0:
			r.Outs = append(r.Outs, p.Outs+graph.Ref(^d))
		default:
			r.Outs = append(r.Outs, r.Exts[d])
		}
	}
}

// rowsOf returns the rows of an object. If it has none, they are computed again.
func (r *Runner) rowsOf(p *Object) ([]float64, error) {
	if p.HasRows() {
		return r.Floats(p), nil
	}
	c := r.Kept.loop(p.loop)
	if err := r.Enter(p.Block, c.f); err != nil {
		return nil, err
	}
	var first []*graph.Wiring
	if p.Block.Paths != nil {
		first = r.firstWirings(p)
	}
	return r.again(c, uint64(p.Base-c.first)/uint64(c.units), p.Plan, first)
}

// ReachedOf returns which duals of the block's result the job has reached.
func (r *Runner) ReachedOf(p *Object, state []graph.Node) []bool {
	r.reached = r.reached[:0]
	for j := range p.Block.OutDuals {
		r.reached = append(r.reached, state[p.Outs+graph.Ref(j)].Head&ReachedBit != 0)
	}
	return r.reached
}

// ArrivedAt returns what has arrived at the duals of a block's result.
func (r *Runner) ArrivedAt(p *Object, state []graph.Node) []float64 {
	r.arrived = r.arrived[:0]
	for j := range p.Block.OutDuals {
		r.arrived = append(r.arrived, state[p.Outs+graph.Ref(j)].Number())
	}
	return r.arrived
}
