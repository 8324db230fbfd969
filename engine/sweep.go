package engine

import (
	"math"

	"github.com/gram-machine/gram/graph"
)

// contributions are what firing the cells of a block comes to.
type contributions struct {
	sums            []float64 // what arrives at each external dual
	any             []bool    // whether anything does
	arrivals, cells uint64    // applications of duals, and cells that fired
}

// sweep fires the cells of all runs of a block, the last run first. arrived is what has
// come at the duals of its result; nothing in the arena is changed.
func (m *Machine) sweep(base graph.Ref, p *blockParts, arrived []float64, out *contributions) error {
	plan := p.b.Plan(m.prog, p.kind)
	fb := &m.block.firing
	if n := len(arrived); cap(fb.adjoint) < n {
		fb.adjoint = scratch(n)
	}
	*fb = firingBlock{m: m, p: *p, plan: plan, first: uint64(m.words[4*uint64(base)+blockFirst]), run: p.n,
		adjoint: append(fb.adjoint[:0], arrived...), sums: resize(&out.sums, p.b.Exts), summed: resize(&out.any, p.b.Exts)}
	out.arrivals, out.cells = 0, 0
	floats := m.arena.Floats()
	fb.invariant = floats[p.row : p.row+uint64(len(plan.Invariant))]
	fb.rows = floats[p.row+uint64(len(plan.Invariant)):]
	if p.kind == graph.DataLoop {
		d := &m.prog.Data[m.nodes[m.words[4*uint64(base)+blockData]].A]
		fb.values, fb.width = d.Values, d.Width
	}
	var last *graph.Backward
	for t := m.patterns(p); ; {
		w, times := t.next(m, p)
		if w == nil {
			break
		}
		out.arrivals += times * w.Arrivals
		out.cells += times * w.Cells
		if err := fb.fire(w, times); err != nil {
			return err
		}
		last = w
	}
	for k := p.b.ParamExt(0); k < p.b.Exts; k++ {
		out.sums[k], out.any[k] = m.block.regs[last.Ext[k]], last.Ext[k] != 0
	}
	return nil
}

// arrivedAt returns what has arrived at the duals of a block's result.
func (m *Machine) arrivedAt(p *blockParts) []float64 {
	k := &m.block
	k.arrived = k.arrived[:0]
	for j := range p.b.OutDuals {
		k.arrived = append(k.arrived, m.state[p.outs+graph.Ref(j)].Number())
	}
	return k.arrived
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
		k.regs = scratch(int(w.Regs))
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
