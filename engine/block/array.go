package block

import (
	"github.com/gram-machine/gram/engine/array"
	"github.com/gram-machine/gram/graph"
)

// runOnArrays is a run of an iteration whose function has arrays, on the first element of the data. It keeps the row.
func (r *Runner) runOnArrays(l *Loop, plan *graph.Plan, element, row []float64) error {
	regs, a := r.Regs, l.Block.Arrays
	if l.Data != nil {
		array.Load(regs, a.Element, element)
	}
	if err := array.Run(a.Code, regs, r.look); err != nil {
		return err
	}
	r.take(a)
	array.Store(row, regs, plan.Spans)
	array.Store(r.tmp, regs, a.Out)
	array.Load(regs, a.State, r.tmp)
	return nil
}

// Take sets Taken for a block that has run.
func (r *Runner) Take(a *graph.Arrays) {
	Resize(&r.Taken, len(a.Masks))
	r.take(a)
}

// take counts the instances of the branches that a run has taken.
func (r *Runner) take(a *graph.Arrays) {
	for i := range a.Masks {
		r.Taken[i] += graph.Taken(a.Masks[i].At, a.Masks[i].Dims, r.Regs)
	}
}

// SweptRow loads the row of a run of the object that was swept last into registers.
func (r *Runner) SweptRow(run uint64) []float64 {
	f := &r.firing
	array.Load(r.Regs, f.Plan.Spans, f.rows[run*uint64(len(f.Plan.Row)):])
	return r.Regs
}

// fireMasked counts the cells that depend on the run.
func (f *firing) fireMasked(w *graph.Backward) {
	for i := range w.Masked {
		m := &w.Masked[i]
		n := graph.Taken(m.At, m.Dims, f.r.Regs)
		f.out.Arrivals += n * m.Arrivals
		f.out.Cells += n * m.Cells
		f.r.host.FiredBody(m.Body, n*m.Cells)
		f.r.host.Count(n * m.Cells * f.r.prog.Bodies[m.Body].Steps)
	}
}

// runOnArrays fires the cells of a run of a block with arrays, which has the row.
func (f *firing) runOnArrays(w *graph.Backward, later *graph.Deferred, row []float64) error {
	regs, plan := f.r.Regs, f.Plan
	array.Load(regs, plan.Spans, row)
	for _, k := range plan.Last {
		regs[k.Reg] = row[len(plan.Row)+k.Col]
	}
	if plan.Elements {
		array.Load(regs, f.Block.Arrays.Element, f.values[(f.element(f.run)-f.from)*f.data.Width:])
	}
	array.Load(regs, w.OutSpans, f.adjoint)
	if w.OutReach != 0 {
		copy(regs[w.OutReach:], f.nonzero)
	}
	regs[0] = 0 // what arrives where nothing is read
	code := w.Arrays
	if later != nil {
		code = later.Each
	}
	if err := array.Run(code, regs, f.r.look); err != nil {
		return err
	}
	f.fireMasked(w)
	f.keepElement(w, regs)
	if f.Kind != graph.OneRun {
		array.Store(f.adjoint, regs, w.BeforeSpans)
		f.keepReached(w)
	}
	if later == nil {
		return nil
	}
	f.kept++
	for _, k := range later.Kept {
		copy(regs[k.To+k.N*(later.Runs-f.kept):], regs[k.From:k.From+k.N])
	}
	if f.kept < later.Runs {
		return nil
	}
	return f.addDeferred(later)
}

// leastDeferred is how many runs have what arrives added at once.
const leastDeferred = 4

// addDeferred adds what arrives in the runs whose operands are kept.
func (f *firing) addDeferred(later *graph.Deferred) error {
	if f.kept == 0 {
		return nil
	}
	n := f.kept
	f.kept = 0
	for i := range later.Products {
		in := later.Products[i].Of(n)
		if err := array.RunOne(&in, f.r.Regs, f.r.look); err != nil {
			return err
		}
	}
	return nil
}
