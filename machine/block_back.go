package machine

import (
	"fmt"
	"math"
	"slices"

	"github.com/gram-machine/gram/graph"
)

// blockOf returns the BlockRun that the BlockDual d belongs to.
func (m *Machine) blockOf(d graph.Ref) graph.Ref {
	return d - blockUnits - m.nodes[d].Head&^reachedBit>>graph.KindShift
}

// reachDual books that the job has reached the dual d of a block's result, for the
// first time, and the block on the heap if it is the first of its duals.
func (m *Machine) reachDual(d graph.Ref) {
	base := m.blockOf(d)
	m.nodes[d].Head |= reachedBit
	n := &m.words[4*uint64(base)+blockPending]
	if *n++; *n == 1 {
		m.block.heap = append(m.block.heap, base)
		up(m.block.heap)
	}
}

// takeBlock takes the block that was made last. What refers to it was made later, so
// all duals of its result that the job reaches are known.
func (m *Machine) takeBlock() graph.Ref {
	h := m.block.heap
	top, last := h[0], len(h)-1
	h[0] = h[last]
	m.block.heap = h[:last]
	down(m.block.heap)
	return top
}

func up(h []graph.Ref) {
	for i := len(h) - 1; i > 0 && h[(i-1)/2] < h[i]; i = (i - 1) / 2 {
		h[i], h[(i-1)/2] = h[(i-1)/2], h[i]
	}
}

func down(h []graph.Ref) {
	for i := 0; ; {
		c := 2*i + 1
		if c >= len(h) {
			return
		}
		if c+1 < len(h) && h[c+1] > h[c] {
			c++
		}
		if h[i] >= h[c] {
			return
		}
		h[i], h[c] = h[c], h[i]
		i = c
	}
}

// blockParts are the parts of a BlockRun.
type blockParts struct {
	b    *graph.Block
	kind graph.LoopKind
	n    uint64
	outs graph.Ref
	exts []graph.Ref
	row  uint64 // where the invariant numbers and the rows begin, in numbers
}

func (m *Machine) blockParts(base graph.Ref) blockParts {
	w := 4 * uint64(base)
	b := m.prog.Blocks[m.words[w]>>graph.KindShift]
	outs := uint64(len(b.OutDuals))
	at := w + graph.BlockWords + 4*outs
	return blockParts{b: b, kind: graph.LoopKind(m.words[w+blockKind]), n: uint64(m.words[w+blockRuns]), outs: base + blockUnits,
		exts: m.words[at : at+uint64(b.Exts)], row: 2 * (uint64(base) + blockUnits + outs + uint64(graph.Units(0, b.Exts)))}
}

// patterns goes through the runs of a block from the last to the first, by the sets of
// duals of their results that the job reaches.
type patterns struct {
	reached []bool
	left    uint64
}

// patterns begins with what the job has reached of the block's result.
func (m *Machine) patterns(p *blockParts) patterns {
	k := &m.block
	k.reached = k.reached[:0]
	for j := range p.b.OutDuals {
		k.reached = append(k.reached, m.nodes[p.outs+graph.Ref(j)].Head&reachedBit != 0)
	}
	return patterns{k.reached, p.n}
}

// next returns the backward code of the next runs, and how many they are; nil behind
// the last.
func (t *patterns) next(m *Machine, p *blockParts) (w *graph.Backward, times uint64) {
	if t.left == 0 {
		return nil, 0
	}
	w = p.b.Backward(m.prog, t.reached, p.kind == graph.DataLoop)
	times = 1
	if p.kind != graph.OneRun && slices.Equal(w.Next, t.reached) {
		times = t.left
	}
	t.left -= times
	t.reached = w.Next
	return w, times
}

// discoverBlock books an arrival at each external dual that the block's cells reach.
func (m *Machine) discoverBlock(base graph.Ref, stack []graph.Ref) ([]graph.Ref, error) {
	p := m.blockParts(base)
	used := resize(&m.block.used, p.b.Exts)
	var last *graph.Backward
	for t := m.patterns(&p); ; {
		w, _ := t.next(m, &p)
		if w == nil {
			break
		}
		m.occurs++
		if m.occurs+m.pops+m.steps >= m.nextLook {
			if err := m.lookBackward(); err != nil {
				return nil, err
			}
		}
		for _, k := range w.Sums {
			used[k] = true
		}
		last = w
	}
	for k := p.b.ParamExt(0); k < p.b.Exts; k++ {
		used[k] = last.Ext[k] != 0
	}
	for k, ok := range used {
		if ok {
			m.occurs++
			if m.due(p.exts[k]) {
				stack = graph.PushCell(stack, p.exts[k])
			}
		}
	}
	return stack, nil
}

// resize makes s a slice of n zeros, in the memory that it has if that is enough.
func resize[T any](s *[]T, n int) []T {
	if cap(*s) < n {
		*s = make([]T, n)
	}
	*s = (*s)[:n]
	clear(*s)
	return *s
}

// arrived books that the last arrival has come at h, and pushes h, or its block with
// the last of its duals.
func (m *Machine) arrived(stack []graph.Ref, h graph.Ref) []graph.Ref {
	if m.nodes[h].Kind() == graph.BlockDual {
		h = m.blockOf(h)
		n := &m.words[4*uint64(h)+blockPending]
		if *n--; *n > 0 {
			return stack
		}
	}
	return graph.PushCell(stack, h)
}

// fireBlock fires the cells of all runs of a block, the last run first, and lets what
// comes of it arrive at the external duals. It returns how many applications of duals
// there were, and how many cells.
func (m *Machine) fireBlock(base graph.Ref, stack []graph.Ref) (_ []graph.Ref, arrivals, cells uint64, err error) {
	p := m.blockParts(base)
	plan := p.b.Plan(m.prog, p.kind)
	fb := &m.block.firing
	*fb = firingBlock{m: m, p: p, plan: plan, first: uint64(m.words[4*uint64(base)+blockFirst]), run: p.n,
		adjoint: fb.adjoint[:0], sums: resize(&fb.sums, p.b.Exts), summed: resize(&fb.summed, p.b.Exts)}
	floats := m.arena.Floats()
	fb.invariant = floats[p.row : p.row+uint64(len(plan.Invariant))]
	fb.rows = floats[p.row+uint64(len(plan.Invariant)):]
	if p.kind == graph.DataLoop {
		d := &m.prog.Data[m.nodes[m.words[4*uint64(base)+blockData]].A]
		fb.values, fb.width = d.Values, d.Width
	}
	for j := range p.b.OutDuals {
		fb.adjoint = append(fb.adjoint, m.nodes[p.outs+graph.Ref(j)].Number())
	}
	var last *graph.Backward
	for t := m.patterns(&p); ; {
		w, times := t.next(m, &p)
		if w == nil {
			break
		}
		arrivals += times * w.Arrivals
		cells += times * w.Cells
		if err := fb.fire(w, times); err != nil {
			return nil, 0, 0, err
		}
		last = w
	}
	for j := range p.b.OutDuals {
		m.nodes[p.outs+graph.Ref(j)].Head &^= reachedBit
	}
	for k := range p.b.Exts {
		v, ok := fb.sums[k], fb.summed[k]
		if k >= p.b.ParamExt(0) {
			v, ok = m.block.regs[last.Ext[k]], last.Ext[k] != 0
		}
		if !ok {
			continue
		}
		h := p.exts[k]
		c := &m.nodes[h]
		if checking && c.A == 0 {
			panic(fmt.Sprintf("machine: an arrival at cell %d after it has fired", h))
		}
		c.V = math.Float64bits(c.Number() + v)
		if c.A--; c.A == 0 {
			stack = m.arrived(stack, h)
		}
	}
	return stack, arrivals, cells, nil
}

// firingBlock is a block whose cells fire.
type firingBlock struct {
	m         *Machine
	p         blockParts
	plan      *graph.Plan
	invariant []float64
	rows      []float64
	values    []float64
	width     int
	first     uint64    // of the data's elements, those that were left before the first run
	run       uint64    // runs that are left
	adjoint   []float64 // what has arrived at the duals of the run's result
	sums      []float64 // what has arrived at external duals, over the runs
	summed    []bool
}

// fire fires the cells of so many runs by the same code.
func (f *firingBlock) fire(w *graph.Backward, times uint64) error {
	m := f.m
	for _, b := range w.Fired {
		m.fired[b.Body] += times * b.Times
		m.block.fired[b.Body] += times * b.Times
	}
	f.enter(w)
	regs := m.block.regs
	columns := uint64(len(f.plan.Row))
	state := f.p.b.ParamExt(len(f.p.b.Params) - 1)
	for times > 0 {
		if m.occurs+m.pops+m.steps >= m.nextLook {
			if err := m.lookBackward(); err != nil {
				return err
			}
		}
		chunk := min(times, (m.nextLook-m.steps-m.pops-m.occurs)/(w.Steps+1)+1)
		times -= chunk
		m.steps += chunk * w.Steps
		for ; chunk > 0; chunk-- {
			f.run--
			f.load(regs, columns)
			for j, reg := range w.Out {
				regs[reg] = f.adjoint[j]
			}
			regs[0] = 0 // what arrives where nothing is read
			run(w.Code, regs)
			if f.p.kind != graph.OneRun {
				for j := range f.adjoint {
					f.adjoint[j] = regs[w.Ext[state+j]]
				}
			}
		}
	}
	for _, k := range w.Sums {
		f.sums[k] = regs[w.Ext[k]]
	}
	return nil
}

// enter loads what is the same in every run.
func (f *firingBlock) enter(w *graph.Backward) {
	k := &f.m.block
	if len(k.regs) < int(w.Regs) {
		k.regs = make([]float64, w.Regs)
	}
	for _, c := range f.p.b.Consts {
		k.regs[c.Reg] = c.Val
	}
	for _, c := range w.Consts {
		k.regs[c.Reg] = c.Val
	}
	for i, reg := range f.plan.Invariant {
		k.regs[reg] = f.invariant[i]
	}
	for _, s := range w.Sums {
		if !f.summed[s] {
			f.summed[s], f.sums[s] = true, math.Copysign(0, -1)
		}
		k.regs[w.Ext[s]] = f.sums[s]
	}
	k.regs[0] = 0
}

// load loads what the run has kept.
func (f *firingBlock) load(regs []float64, columns uint64) {
	row := f.rows[f.run*columns:]
	for c, reg := range f.plan.Row {
		regs[reg] = row[c]
	}
	for _, k := range f.plan.Last {
		regs[k.Reg] = row[columns+uint64(k.Col)]
	}
	if f.plan.Elements {
		at := int(f.first-1-f.run) * f.width
		for c, reg := range f.p.b.Params[0].Regs {
			regs[reg] = f.values[at+c]
		}
	}
}
