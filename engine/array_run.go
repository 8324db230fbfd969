package engine

import (
	"github.com/gram-machine/gram/engine/array"
	"github.com/gram-machine/gram/graph"
)

// runOnArrays is a run of an iteration whose function has arrays, on the first element of the data. It keeps the row.
func (m *Machine) runOnArrays(l *loop, plan *graph.Plan, element, row []float64) error {
	regs, a := m.block.regs, l.b.Arrays
	if l.kind == graph.DataLoop {
		array.Load(regs, a.Element, element)
	}
	if err := array.Run(a.Code, regs, m.block.look); err != nil {
		return err
	}
	array.Store(row, regs, plan.Spans)
	array.Store(m.block.tmp, regs, a.Out)
	array.Load(regs, a.State, m.block.tmp)
	return nil
}

// runOnArrays fires the cells of a run of a block with arrays, which has the row.
func (f *firingBlock) runOnArrays(w *graph.Backward, later *graph.Deferred, row []float64) error {
	regs, plan := f.m.block.regs, f.p.plan
	array.Load(regs, plan.Spans, row)
	for _, k := range plan.Last {
		regs[k.Reg] = row[len(plan.Row)+k.Col]
	}
	if plan.Elements {
		array.Load(regs, f.p.b.Arrays.Element, f.values[(f.element(f.run)-f.from)*f.data.Width:])
	}
	array.Load(regs, w.OutSpans, f.adjoint)
	regs[0] = 0 // what arrives where nothing is read
	code := w.Arrays
	if later != nil {
		code = later.Each
	}
	if err := array.Run(code, regs, f.m.block.look); err != nil {
		return err
	}
	if f.p.kind != graph.OneRun {
		array.Store(f.adjoint, regs, w.BeforeSpans)
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
func (f *firingBlock) addDeferred(later *graph.Deferred) error {
	if f.kept == 0 {
		return nil
	}
	n := f.kept
	f.kept = 0
	for i := range later.Products {
		in := later.Products[i].Of(n)
		if err := array.RunOne(&in, f.m.block.regs, f.m.block.look); err != nil {
			return err
		}
	}
	return nil
}
