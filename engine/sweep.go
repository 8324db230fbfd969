package engine

import (
	"github.com/gram-machine/gram/engine/array"
	"github.com/gram-machine/gram/graph"
	"github.com/gram-machine/gram/term"
)

// contributions are what firing the cells of a block comes to.
type contributions struct {
	sums            []float64 // what has arrived at each external dual so far
	any             []bool    // whether something does now
	arrivals, cells uint64    // applications of duals, and cells that fired
	logs            []arrivalLog
}

// arrivalLog is what arrives at external duals in several runs: for each run a number for
// each of the arrivals.
type arrivalLog struct {
	at     []graph.Sum
	values []float64
}

// add adds what was logged to the sums, in order.
func (c *contributions) add(sums []float64) {
	for _, l := range c.logs {
		for values := l.values; len(values) > 0; values = values[len(l.at):] {
			for i, s := range l.at {
				sums[s.Ext] += values[i]
			}
		}
	}
}

// sweep fires the cells of all runs of a block, the last run first. arrived is what has
// come at the duals of its result; nothing in the arena is changed. If logged is set, what
// arrives at the external duals is logged in place of being added to what is there.
func (m *Machine) sweep(base graph.Ref, p *blockParts, arrived []float64, logged bool, out *contributions) error {
	fb := &m.block.firing
	if n := len(arrived); cap(fb.adjoint) < n {
		fb.adjoint = scratch(n)
	}
	*fb = firingBlock{m: m, p: *p, first: uint64(m.words[4*uint64(base)+blockFirst]), run: p.n,
		adjoint: append(fb.adjoint[:0], arrived...), logged: logged, out: out}
	resize(&out.sums, p.b.Exts)
	resize(&out.any, p.b.Exts)
	out.arrivals, out.cells, out.logs = 0, 0, nil
	w := 4 * uint64(base)
	fb.invariant = m.arena.Floats()[p.row : p.row+uint64(p.plan.Fixed)]
	var err error
	if fb.rows, err = m.rowsOf(base, p); err != nil {
		return err
	}
	if p.kind == graph.DataLoop {
		fb.data = &m.prog.Data[m.nodes[m.words[w+blockData]].A]
		if m.words[w+blockKind]&chainBit != 0 {
			fb.up = uint64(fb.data.Rows)
		}
	}
	if p.b.Paths != nil {
		return fb.firePaths()
	}
	for t := m.patterns(p); ; {
		w, times, err := t.next(m, logged)
		if w == nil {
			return err
		}
		out.arrivals += times * w.Arrivals
		out.cells += times * w.Cells
		if err := fb.fire(w, times); err != nil {
			return err
		}
	}
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
	invariant []float64
	rows      []float64
	data      *term.Data
	values    []float64 // of the data, those of the element from first
	from      int
	up        uint64    // of a chain: how many elements there are
	first     uint64    // of the data's elements, those that were left before the first run
	run       uint64    // runs that are left
	adjoint   []float64 // what has arrived at the duals of the run's result
	logged    bool
	kept      int // runs of which operands are kept, see graph.Deferred
	out       *contributions
}

// fire fires the cells of so many runs by the same code.
func (f *firingBlock) fire(w *graph.Backward, times uint64) error {
	m := f.m
	for _, b := range w.Fired {
		m.fired[b.Body] += times * b.Times
		m.block.fired[b.Body] += times * b.Times
	}
	compiled, err := f.backward(w, times)
	if err != nil {
		return err
	}
	if compiled != nil {
		if err := m.registers(w.Regs + uint32(len(f.adjoint))); err != nil {
			return err
		}
	}
	later := w.Deferred
	if times < leastDeferred {
		later = nil
	}
	if later != nil {
		if err := m.registers(later.Regs); err != nil {
			return err
		}
	}
	if err := f.enter(w); err != nil {
		return err
	}
	regs := m.block.regs
	code, out, before, adjoint, logged := w.Code, w.Out, w.Before, f.adjoint, w.Log
	if f.p.kind == graph.OneRun {
		before = nil
	}
	var log []float64
	if len(w.Log) > 0 {
		log = make([]float64, 0, times*uint64(len(w.Log)))
	}
	plan, rows := f.p.plan, f.rows
	columns := uint64(len(plan.Row))
	for times > 0 {
		if m.occurs+m.pops+m.steps >= m.nextLook {
			if err := m.lookFiring(lookEvery(f.p.b)); err != nil {
				return err
			}
		}
		chunk := min(times, (m.nextLook-m.steps-m.pops-m.occurs)/(w.Steps+1)+1)
		times -= chunk
		if plan.Elements {
			if err := f.elements(chunk); err != nil {
				return err
			}
		}
		m.steps += chunk * w.Steps
		for ; w.Arrays != nil && chunk > 0; chunk-- {
			f.run--
			if err := f.runOnArrays(w, later, rows[f.run*columns:]); err != nil {
				return err
			}
		}
		if compiled != nil {
			log = f.fireNative(compiled, w, chunk, log)
			chunk = 0
		}
		for ; chunk > 0; chunk-- {
			f.run--
			row := rows[f.run*columns:]
			for c, reg := range plan.Row {
				regs[reg] = row[c]
			}
			for _, k := range plan.Last {
				regs[k.Reg] = row[columns+uint64(k.Col)]
			}
			if plan.Elements {
				f.loadElement(regs)
			}
			for j, reg := range out {
				regs[reg] = adjoint[j]
			}
			regs[0] = 0 // what arrives where nothing is read
			run(code, regs)
			for j, reg := range before {
				adjoint[j] = regs[reg]
			}
			for _, s := range logged {
				log = append(log, regs[s.Reg])
			}
		}
	}
	if err := f.addDeferred(later); err != nil {
		return err
	}
	if f.logged {
		f.out.logs = append(f.out.logs, arrivalLog{w.Log, log})
		return nil
	}
	for _, s := range w.Sums {
		copy(f.out.sums[s.Ext:s.Ext+s.N], regs[s.Reg:])
	}
	return nil
}

// enter loads what is the same in every run.
func (f *firingBlock) enter(w *graph.Backward) error {
	k := &f.m.block
	if err := f.m.registers(w.Regs); err != nil {
		return err
	}
	for _, c := range f.p.b.Consts {
		k.regs[c.Reg] = c.Val
	}
	for _, c := range w.Consts {
		k.regs[c.Reg] = c.Val
	}
	array.Load(k.regs, f.p.plan.Invariant, f.invariant)
	for _, s := range w.Sums {
		for e := s.Ext; e < s.Ext+s.N; e++ {
			if !f.out.any[e] {
				f.out.any[e] = true
				if !f.logged {
					f.out.sums[e] = f.m.state[f.p.exts[e]].Number()
				}
			}
		}
		copy(k.regs[s.Reg:], f.out.sums[s.Ext:s.Ext+s.N])
	}
	for _, s := range w.Picked {
		clear(k.regs[s.Reg : s.Reg+s.N])
	}
	k.regs[0] = 0
	return nil
}

// element returns the number of the element that a run has read.
func (f *firingBlock) element(run uint64) int {
	if f.up != 0 {
		return int(f.up - f.first + run)
	}
	return int(f.first - 1 - run)
}

// elements finds the elements of the last n runs that are left.
func (f *firingBlock) elements(n uint64) (err error) {
	from, to := f.element(f.run-n), f.element(f.run-1)
	f.values, f.from, err = f.m.elements(f.data, min(from, to), max(from, to)+1)
	return err
}

// loadElement loads the element of data that the run has read.
func (f *firingBlock) loadElement(regs []float64) {
	at := (f.element(f.run) - f.from) * f.data.Width
	for c, reg := range f.p.b.Params[0].Regs {
		regs[reg] = f.values[at+c]
	}
}
