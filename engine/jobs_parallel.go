package engine

import (
	"sync"
	"sync/atomic"
)

// jobsOf runs the jobs of all outputs. Independent jobs run on several workers, each in
// LIFO order, on cells of its own; what each adds up does not depend on the others.
func (m *Machine) jobsOf(values, jacobian []float64) error {
	if m.team != nil && !m.team.alone && len(values) > 1 {
		if ok, err := m.jobsAtOnce(values, jacobian); ok || err != nil {
			return err
		}
		clear(jacobian)
	}
	for i := range values {
		if err := m.seed(i, values, jacobian); err != nil {
			return err
		}
	}
	return nil
}

// jobsAtOnce runs the jobs on all workers. It reports false if the machine is to run them
// in turn: there is no memory for cells of each worker's own, or an error or a limit has
// ended one, which must be the one that LIFO comes to first.
func (m *Machine) jobsAtOnce(values, jacobian []float64) (ok bool, err error) {
	t := m.team
	end := m.top
	for _, w := range t.Workers {
		end = max(end, w.m.top)
	}
	// The machine's own part is run by one more worker, so that its counters can be dropped.
	opt := m.opt
	opt.Phase, opt.Share = nil, nil
	own := &worker{m: newMachine(m.prog, opt, m.arena)}
	own.m.top, own.m.block.Kept = end, m.block.Kept
	copy(own.m.slots, m.slots)
	all := append([]*worker{own}, t.Workers...)
	if most := m.opt.Limits.MaxMemory; most != 0 && m.arena.Bytes()*uint64(1+len(all)) > most {
		return false, nil
	}
	var next, failed atomic.Int64
	run := func(w *worker) {
		for !t.Stop.Load() {
			i := int(next.Add(1)) - 1
			if i >= len(values) {
				return
			}
			if err := w.m.seed(i, values, jacobian); err != nil {
				failed.Add(1)
				t.Stop.Store(true)
			}
		}
	}
	for _, w := range all {
		cells, err := m.arena.Beside(end)
		if err != nil {
			return false, nil
		}
		defer cells.Close()
		w.m.opt.Limits.MaxSteps = 0
		w.begin()
		w.m.root, w.m.order, w.m.state = m.root, m.order, cells.Nodes()
	}
	if look := m.opt.Limits.Look; look != nil && look() != nil {
		return false, nil
	}
	var group sync.WaitGroup
	for _, w := range t.Workers {
		group.Go(func() { run(w) })
	}
	run(own)
	group.Wait()
	t.Stop.Store(false)
	steps := m.steps
	for _, w := range all {
		steps += w.m.steps
	}
	if most := m.opt.Limits.MaxSteps; failed.Load() > 0 || most != 0 && steps >= most {
		return false, nil
	}
	for _, w := range all {
		c := w.m.cost()
		m.add(&c)
	}
	return true, nil
}
