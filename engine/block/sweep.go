package block

import (
	"math"
	"math/bits"
	"slices"
	"sync"

	"github.com/gram-machine/gram/engine/array"
	"github.com/gram-machine/gram/graph"
	"github.com/gram-machine/gram/term"
)

// Contributions are what firing the cells of a block comes to.
type Contributions struct {
	Sums            []float64 // what has arrived at each external dual so far
	Any             []bool    // whether something does now
	Arrivals, Cells uint64    // applications of duals, and cells that fired
	reached         []bool    // of a block with arrays: those of Any at which something does, which the runs decide
	logs            []arrivalLog
}

// arrivalLog is what arrives at external duals in several runs: for each run a number for
// each of the arrivals.
type arrivalLog struct {
	at     []graph.Sum
	values []float64
	live   int // the values from here on are zeros, where a derivative has vanished
}

// logs are the values of logs that have been added, to be used again.
var logs sync.Pool

// pooledLog is how many values a log has at least that is used again.
const pooledLog = 1 << 10

// newLog returns a log of no values, with room for n.
func newLog(n int) []float64 {
	if n < pooledLog {
		return make([]float64, 0, n)
	}
	if l, _ := logs.Get().(*[]float64); l != nil && cap(*l) >= n {
		return (*l)[:0]
	}
	return make([]float64, 0, 1<<bits.Len(uint(n-1)))
}

// Add adds what was logged to the sums, in order, and forgets it.
func (c *Contributions) Add(sums []float64) {
	for _, l := range c.logs {
		l.add(sums)
		if cap(l.values) >= pooledLog {
			logs.Put(&l.values)
		}
	}
	c.logs = nil
}

// Logged returns what was logged for each of the external duals, nil if nothing arrives at one. For [Nowhere] it is 0.
func (c *Contributions) Logged(of []int) []float64 {
	sums := make([]float64, len(of))
	for j, k := range of {
		switch {
		case k == Nowhere:
		case !c.Any[k]:
			return nil
		default:
			sums[j] = c.sum(k)
		}
	}
	return sums
}

// sum returns what was logged for the external dual k.
func (c *Contributions) sum(k int) float64 {
	sum := negativeZero
	for _, l := range c.logs {
		if !slices.ContainsFunc(l.at, func(s graph.Sum) bool { return s.Ext == k }) {
			continue
		}
		for values := l.values; len(values) > 0 && (sum == 0 || len(l.values)-len(values) < l.live); values = values[len(l.at):] {
			for i, s := range l.at {
				if s.Ext == k {
					sum += values[i]
				}
			}
		}
	}
	return sum
}

// negativeZero is the unit of addition. Adding zeros changes no other sum.
var negativeZero = math.Copysign(0, -1)

// add adds the values to the sums. Sums of different duals don't depend on each other: two are made at once.
func (l *arrivalLog) add(sums []float64) {
	each := len(l.at)
	for i, s := range l.at {
		for _, other := range l.at[:i] {
			if s.Ext == other.Ext {
				l.addInTurn(sums)
				return
			}
		}
	}
	for i := 0; i < each; i += 2 {
		j := min(i+1, each-1)
		a, b := sums[l.at[i].Ext], sums[l.at[j].Ext]
		for run := l.values[:l.live]; len(run) > 0; run = run[each:] {
			a += run[i]
			b += run[j]
		}
		if a == 0 || b == 0 {
			for run := l.values[l.live:]; len(run) > 0; run = run[each:] {
				a += run[i]
				b += run[j]
			}
		}
		sums[l.at[i].Ext], sums[l.at[j].Ext] = a, b
	}
}

// addInTurn is add where several of the arrivals of a run are at one dual.
func (l *arrivalLog) addInTurn(sums []float64) {
	for values := l.values; len(values) > 0; values = values[len(l.at):] {
		for i, s := range l.at {
			sums[s.Ext] += values[i]
		}
	}
}

// firing says which cells fire: those of all runs of the object.
type firing struct {
	Object
	invariant []float64    // what all runs share
	rows      []float64    // of the runs
	reached   []bool       // the duals of the result that the job has reached
	data      *term.Data   // that the runs read
	first     uint64       // of the data's elements, those that were left before the first run
	up        uint64       // of a chain: how many elements there are
	state     []graph.Node // where what has arrived at the external duals so far stands
	// Logged says that what arrives at the external duals is logged in place of being added to what is there.
	logged bool
	live   int // the values of the log from here on are zeros
	// nonzero are numbers, one for each dual of the run's result, that are not 0 where something has arrived, if the runs decide that.
	nonzero []float64

	r       *Runner
	values  []float64 // of the data, those of the element from first
	from    int
	run     uint64    // runs that are left
	adjoint []float64 // what has arrived at the duals of the run's result
	kept    int       // runs of which operands are kept, see graph.Deferred
	out     *Contributions
}

// Sweep fires the cells of all runs of an object, the last run first. reached are the duals of its result that the job has reached,
// arrived is what has come at them, and state has the nodes where what has arrived at the external duals stands; nothing but the registers
// and out is changed. If logged is set, what arrives at the external duals is logged in place of being added to what is there. The error is
// that of the host, or of the data.
func (r *Runner) Sweep(p *Object, reached []bool, state []graph.Node, arrived []float64, logged bool, out *Contributions) error {
	if n := len(arrived); cap(r.adjoint) < n {
		r.adjoint = Scratch(n)
	}
	r.adjoint = append(r.adjoint[:0], arrived...)
	w := 4 * uint64(p.Base)
	f := &r.firing
	*f = firing{Object: *p, r: r, invariant: r.floats[p.row : p.row+uint64(p.Plan.Fixed)], reached: reached, first: uint64(r.words[w+blockFirst]), state: state, logged: logged,
		run: p.N, adjoint: r.adjoint, out: out}
	var err error
	if f.rows, err = r.rowsOf(p); err != nil {
		return err
	}
	switch source := r.words[w+blockData]; p.Kind {
	case graph.ListLoop:
		list := r.Object(source)
		f.data = r.table(&list)
	case graph.DataLoop:
		f.data = &r.prog.Data[r.nodes[source].A]
		if r.words[w+blockKind]&chainBit != 0 {
			f.up = uint64(f.data.Rows)
		}
	}
	Resize(&out.Sums, f.Block.Exts)
	Resize(&out.Any, f.Block.Exts)
	out.Arrivals, out.Cells, out.logs, out.reached = 0, 0, nil, out.reached[:0]
	if p.Kind == graph.ElementRuns {
		return f.fireElements()
	}
	if f.Block.Paths != nil {
		return f.firePaths()
	}
	if f.Block.Arrays != nil {
		Resize(&out.reached, f.Block.Exts)
		f.nonzero = make([]float64, len(arrived))
	}
	for t := r.Patterns(&f.Object, f.reached); ; {
		w, times, err := t.Next(f.logged)
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
func (f *firing) fire(w *graph.Backward, times uint64) error {
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
		log, f.live = newLog(int(times)*len(w.Log)), 0
	}
	plan, rows := f.Plan, f.rows
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
		if f.readsElements() {
			if err := f.elements(chunk); err != nil {
				return err
			}
		}
		r.host.Count(chunk * w.Steps)
		for ; f.Block.Arrays != nil && chunk > 0; chunk-- {
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
			f.keepElement(w, regs)
			for j, reg := range before {
				adjoint[j] = regs[reg]
			}
			for _, s := range logged {
				log = append(log, regs[s.Reg])
			}
			f.live = len(log)
		}
	}
	if err := f.addDeferred(later); err != nil {
		return err
	}
	if f.logged {
		f.out.logs = append(f.out.logs, arrivalLog{w.Log, log, f.live})
		return nil
	}
	for _, s := range w.Sums {
		copy(f.out.Sums[s.Ext:s.Ext+s.N], regs[s.Reg:])
	}
	f.noteReached(w)
	return nil
}

// enter loads what is the same in every run.
func (f *firing) enter(w *graph.Backward) error {
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
	array.Load(r.Regs, f.Plan.Invariant, f.invariant)
	for _, s := range w.Sums {
		for e := s.Ext; e < s.Ext+s.N; e++ {
			if e%LookEvery == LookEvery-1 {
				if err := r.host.Look(); err != nil {
					return err
				}
			}
			if !f.out.Any[e] {
				f.out.Any[e] = true
				if !f.logged {
					f.out.Sums[e] = f.state[f.Exts[e]].Number()
				}
			}
		}
		copy(r.Regs[s.Reg:], f.out.Sums[s.Ext:s.Ext+s.N])
	}
	for j, reg := range w.Elements {
		if reg != 0 {
			f.out.Any[f.Block.ParamExt(0)+j] = true
		}
	}
	for _, s := range w.Zeroed {
		clear(r.Regs[s.Reg : s.Reg+s.N])
	}
	r.Regs[0] = 0
	return nil
}

// element returns the number of the element that a run has read.
func (f *firing) element(run uint64) int {
	if f.up != 0 {
		return int(f.up - f.first + run)
	}
	return int(f.first - 1 - run)
}

// elements finds the elements of the last n runs that are left.
func (f *firing) elements(n uint64) (err error) {
	from, to := f.element(f.run-n), f.element(f.run-1)
	f.values, f.from, err = f.r.Elements(f.data, min(from, to), max(from, to)+1)
	return err
}

// loadElement loads the element of data that the run has read.
func (f *firing) loadElement(regs []float64) {
	at := (f.element(f.run) - f.from) * f.data.Width
	for c, reg := range f.Block.Params[0].Regs {
		regs[reg] = f.values[at+c]
	}
}
