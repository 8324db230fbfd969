package block

import (
	"github.com/gram-machine/gram/engine/array"
	"github.com/gram-machine/gram/graph"
	"github.com/gram-machine/gram/term"
)

// Contributions are what firing the cells of a block comes to.
type Contributions struct {
	Sums            []float64 // what has arrived at each external dual so far
	Any             []bool    // whether something does now
	Arrivals, Cells uint64    // applications of duals, and cells that fired
	logs            []arrivalLog
}

// arrivalLog is what arrives at external duals in several runs: for each run a number for
// each of the arrivals.
type arrivalLog struct {
	at     []graph.Sum
	values []float64
}

// Add adds what was logged to the sums, in order.
func (c *Contributions) Add(sums []float64) {
	for _, l := range c.logs {
		for values := l.values; len(values) > 0; values = values[len(l.at):] {
			for i, s := range l.at {
				sums[s.Ext] += values[i]
			}
		}
	}
}

// Firing says which cells fire: those of all runs of the object.
type Firing struct {
	Object
	Invariant []float64    // what all runs share
	Rows      []float64    // of the runs
	Reached   []bool       // the duals of the result that the job has reached
	Data      *term.Data   // that the runs read
	First     uint64       // of the data's elements, those that were left before the first run
	Up        uint64       // of a chain: how many elements there are
	State     []graph.Node // where what has arrived at the external duals so far stands
	// Logged says that what arrives at the external duals is logged in place of being added to what is there.
	Logged bool

	r       *Runner
	values  []float64 // of the data, those of the element from first
	from    int
	run     uint64    // runs that are left
	adjoint []float64 // what has arrived at the duals of the run's result
	kept    int       // runs of which operands are kept, see graph.Deferred
	out     *Contributions
}

// Sweep fires the cells of all runs of an object, the last run first. arrived is what has come at the duals of its result; nothing
// but the registers and out is changed. The error is that of the host, or of the data.
func (r *Runner) Sweep(f *Firing, arrived []float64, out *Contributions) error {
	if n := len(arrived); cap(r.adjoint) < n {
		r.adjoint = Scratch(n)
	}
	r.adjoint = append(r.adjoint[:0], arrived...)
	f.r, f.run, f.adjoint, f.out = r, f.N, r.adjoint, out
	Resize(&out.Sums, f.Block.Exts)
	Resize(&out.Any, f.Block.Exts)
	out.Arrivals, out.Cells, out.logs = 0, 0, nil
	if f.Block.Paths != nil {
		return f.firePaths()
	}
	for t := r.Patterns(&f.Object, f.Reached); ; {
		w, times, err := t.Next(f.Logged)
		if w == nil {
			return err
		}
		out.Arrivals += times * w.Arrivals
		out.Cells += times * w.Cells
		if err := f.fire(w, times); err != nil {
			return err
		}
	}
}

// fire fires the cells of so many runs by the same code.
func (f *Firing) fire(w *graph.Backward, times uint64) error {
	r := f.r
	r.host.Fired(w, times)
	compiled, err := f.backward(w, times)
	if err != nil {
		return err
	}
	if compiled != nil {
		if err := r.Registers(w.Regs + uint32(len(f.adjoint))); err != nil {
			return err
		}
	}
	later := w.Deferred
	if times < leastDeferred {
		later = nil
	}
	if later != nil {
		if err := r.Registers(later.Regs); err != nil {
			return err
		}
	}
	if err := f.enter(w); err != nil {
		return err
	}
	regs := r.Regs
	code, out, before, adjoint, logged := w.Code, w.Out, w.Before, f.adjoint, w.Log
	if f.Kind == graph.OneRun {
		before = nil
	}
	var log []float64
	if len(w.Log) > 0 {
		log = make([]float64, 0, times*uint64(len(w.Log)))
	}
	plan, rows := f.Plan, f.Rows
	columns := uint64(len(plan.Row))
	for times > 0 {
		left := r.host.Left()
		if left == 0 {
			if err := r.host.LookBackward(StepsPerLook(f.Block)); err != nil {
				return err
			}
			left = r.host.Left()
		}
		chunk := min(times, left/(w.Steps+1)+1)
		times -= chunk
		if plan.Elements {
			if err := f.elements(chunk); err != nil {
				return err
			}
		}
		r.host.Count(chunk * w.Steps)
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
	if f.Logged {
		f.out.logs = append(f.out.logs, arrivalLog{w.Log, log})
		return nil
	}
	for _, s := range w.Sums {
		copy(f.out.Sums[s.Ext:s.Ext+s.N], regs[s.Reg:])
	}
	return nil
}

// enter loads what is the same in every run.
func (f *Firing) enter(w *graph.Backward) error {
	r := f.r
	if err := f.r.Registers(w.Regs); err != nil {
		return err
	}
	for _, c := range f.Block.Consts {
		r.Regs[c.Reg] = c.Val
	}
	for _, c := range w.Consts {
		r.Regs[c.Reg] = c.Val
	}
	array.Load(r.Regs, f.Plan.Invariant, f.Invariant)
	for _, s := range w.Sums {
		for e := s.Ext; e < s.Ext+s.N; e++ {
			if e%LookEvery == LookEvery-1 {
				if err := r.host.Look(); err != nil {
					return err
				}
			}
			if !f.out.Any[e] {
				f.out.Any[e] = true
				if !f.Logged {
					f.out.Sums[e] = f.State[f.Exts[e]].Number()
				}
			}
		}
		copy(r.Regs[s.Reg:], f.out.Sums[s.Ext:s.Ext+s.N])
	}
	for _, s := range w.Picked {
		clear(r.Regs[s.Reg : s.Reg+s.N])
	}
	r.Regs[0] = 0
	return nil
}

// element returns the number of the element that a run has read.
func (f *Firing) element(run uint64) int {
	if f.Up != 0 {
		return int(f.Up - f.First + run)
	}
	return int(f.First - 1 - run)
}

// elements finds the elements of the last n runs that are left.
func (f *Firing) elements(n uint64) (err error) {
	from, to := f.element(f.run-n), f.element(f.run-1)
	f.values, f.from, err = f.r.Elements(f.Data, min(from, to), max(from, to)+1)
	return err
}

// loadElement loads the element of data that the run has read.
func (f *Firing) loadElement(regs []float64) {
	at := (f.element(f.run) - f.from) * f.Data.Width
	for c, reg := range f.Block.Params[0].Regs {
		regs[reg] = f.values[at+c]
	}
}
