package engine

import (
	"slices"

	"github.com/gram-machine/gram/engine/block"
	"github.com/gram-machine/gram/graph"
)

// sweepLeast is how many instructions the runs of a block have whose backward phase is
// worth a worker's time.
const sweepLeast = 1 << 14

// sweepOrFetch is sweep, which a worker may have done already. The machine fires blocks
// in their order still; what is lent is to go through a block's runs, which depends on
// nothing but what has arrived at its duals.
func (m *Machine) sweepOrFetch(p *block.Object, stack []graph.Ref, out *block.Contributions) error {
	if m.team == nil {
		return m.sweep(p, m.block.ArrivedAt(p, m.state), false, out)
	}
	m.lendSweeps(stack)
	if e := m.team.sweeps[p.Base]; e != nil {
		delete(m.team.sweeps, p.Base)
		ok, err := m.fetch(e)
		if err != nil {
			return err
		}
		if ok {
			m.add(&e.cost)
			for k, any := range e.contributions.Any {
				if any {
					e.contributions.Sums[k] = m.state[p.Exts[k]].Number()
				}
			}
			*out = e.contributions
			out.Add(out.Sums)
			return nil
		}
	}
	return m.sweep(p, m.block.ArrivedAt(p, m.state), false, out)
}

// lendSweeps lends blocks that have many runs, and at which all has arrived, from the bottom of the stack, where those
// are that LIFO comes to last: so the machine and its workers meet but once. Of a cell on the stack it lends the blocks at which
// nothing arrives but what comes of it. What is pushed below what has been looked at is not lent.
func (m *Machine) lendSweeps(stack []graph.Ref) {
	t := m.team
	if t.alone {
		return
	}
	t.swept = min(t.swept, len(stack))
	waiting := t.Waiting()
	if waiting == 0 && len(t.sweeps) > 0 {
		t.lend.depth = min(2*t.lend.depth, maxDepth)
	}
	t.front.Order = m.order
	for scan := 0; waiting < t.lend.depth && scan < lendScan; scan++ {
		if dual, ok := t.front.Next(); ok {
			p := m.block.Object(m.block.Of(dual))
			if arrived, ok := t.front.Arrived(p.Outs, len(p.Block.OutDuals)); ok {
				waiting += m.lendChain(p, arrived)
			}
			continue
		}
		if t.swept == len(stack) {
			return
		}
		r := stack[t.swept]
		t.swept++
		if m.nodes[r].Kind() == graph.BlockRun {
			p := m.block.Object(r)
			waiting += m.lendChain(p, slices.Clone(m.block.ArrivedAt(&p, m.state)))
		} else {
			t.front.Add(r)
		}
	}
}

// lendChain lends a block at which all arrives that is given, the block that waits for nothing but
// it, and so on: the objects of a long loop are such a chain. It returns how many it has lent. A block with paths has no log, and is not lent.
func (m *Machine) lendChain(p block.Object, arrived []float64) (lent int) {
	t := m.team
	arrivals := func() ([]float64, error) { return arrived, nil }
	for ok := t.lendable(&p); ok; lent++ {
		next, from, follows := m.block.Follower(&p, m.state)
		follows = follows && t.lendable(&next)
		if t.small(&p) && (!follows || t.small(&next)) { // the first object of a loop may have but a few runs
			break
		}
		e := sweepTask(p, arrivals, from)
		t.sweeps[p.Base] = e
		t.Give(&e.Task)
		p, ok = next, follows
		arrivals = func() ([]float64, error) { return t.arrivals(e) }
	}
	return lent
}

// lendable reports whether a block may be lent.
func (t *team) lendable(p *block.Object) bool { return p.Block.Paths == nil && t.sweeps[p.Base] == nil }

// small reports whether the backward phase of a block is not worth a worker's time.
func (t *team) small(p *block.Object) bool { return p.N*uint64(len(p.Block.Code)) < t.least }

// sweepTask fires the cells of all runs of a block. from says at which of the block's external duals what arrives at each dual of its
// follower arrives.
func sweepTask(p block.Object, arrivals func() ([]float64, error), from []int) *task {
	return taskOf(func(w *worker, e *task) error {
		w.m.opt.Limits.MaxSteps = 0
		w.begin()
		arrived, err := arrivals()
		if err == nil {
			err = w.m.sweep(&p, arrived, true, &e.contributions)
		}
		if err == nil {
			e.next = e.contributions.Logged(from)
		}
		return err
	})
}

// arrivals waits for a task, and returns what arrives at the duals of its follower. It
// is an error if the machine has taken it back.
func (t *team) arrivals(e *task) ([]float64, error) {
	if !t.Begun(&e.Task) {
		return nil, errStopped
	}
	<-e.Done
	if e.Err == nil && e.next == nil {
		return nil, errStopped
	}
	return e.next, e.Err
}
