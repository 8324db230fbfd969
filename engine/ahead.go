package engine

import (
	"math"
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
		return m.sweep(p, m.arrivedAt(p), false, out)
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
	return m.sweep(p, m.arrivedAt(p), false, out)
}

// lendSweeps lends blocks that have many runs, from the bottom of the stack, where those
// are that LIFO comes to last: so the machine and its workers meet but once. All has
// arrived at a block on the stack. A block that is pushed below what has been looked at is not lent.
func (m *Machine) lendSweeps(stack []graph.Ref) {
	t := m.team
	if t.alone {
		return
	}
	t.swept = min(t.swept, len(stack))
	if t.swept == len(stack) {
		return
	}
	waiting := t.Waiting()
	if waiting == 0 && len(t.sweeps) > 0 {
		t.lend.depth = min(2*t.lend.depth, maxDepth)
	}
	for scan := 0; waiting < t.lend.depth && t.swept < len(stack) && scan < lendScan; scan++ {
		base := stack[t.swept]
		t.swept++
		if m.nodes[base].Kind() == graph.BlockRun {
			waiting += m.lendChain(base)
		}
	}
}

// lendChain lends a block at which all has arrived, the block that waits for nothing but
// it, and so on: the objects of a long loop are such a chain. It returns how many it has lent. A block with paths has no log, and is not lent.
func (m *Machine) lendChain(base graph.Ref) (lent int) {
	t := m.team
	p := m.block.Object(base)
	arrived := slices.Clone(m.arrivedAt(&p))
	arrivals := func() ([]float64, error) { return arrived, nil }
	for ok := true; ok && t.sweeps[base] == nil && p.Block.Paths == nil && p.N*uint64(len(p.Block.Code)) >= t.least; lent++ {
		e := sweepTask(p, arrivals)
		t.sweeps[base] = e
		t.Give(&e.Task)
		var from []int
		if base, from, ok = m.follower(&p); ok {
			p = m.block.Object(base)
			arrivals = func() ([]float64, error) { return t.arrivals(e, from) }
		}
	}
	return lent
}

// sweepTask fires the cells of all runs of a block.
func sweepTask(p block.Object, arrivals func() ([]float64, error)) *task {
	return taskOf(func(w *worker, e *task) error {
		w.m.opt.Limits.MaxSteps = 0
		w.begin()
		arrived, err := arrivals()
		if err != nil {
			return err
		}
		return w.m.sweep(&p, arrived, true, &e.contributions)
	})
}

// nowhere stands for a dual at which nothing arrives.
const nowhere = -1

// follower returns a block at whose duals nothing is to arrive but what comes of the
// block p, and for each of those duals, at which of p's external duals that is.
func (m *Machine) follower(p *block.Object) (base graph.Ref, from []int, ok bool) {
	number := make(map[graph.Ref]int, len(p.Exts))
	for k, h := range slices.Backward(p.Exts) { // the first of those that are one
		number[h] = k
	}
	for _, h := range p.Exts {
		if m.nodes[h].Kind() != graph.BlockDual || m.blockOf(h) == base {
			continue
		}
		base = m.blockOf(h)
		if from, ok = m.waitsFor(base, number); ok {
			return base, from, true
		}
	}
	return 0, nil, false
}

// waitsFor reports whether a block with a dual at which another arrives waits for nothing else,
// and at which of the other's external duals each of its duals is; number has the numbers of those.
func (m *Machine) waitsFor(base graph.Ref, number map[graph.Ref]int) (from []int, ok bool) {
	next := m.block.Object(base)
	for j := range next.Block.OutDuals {
		dual := next.Outs + graph.Ref(j)
		k, arrives := number[dual]
		switch m.state[dual].A {
		case 0:
			k = nowhere
		case 1:
			if !arrives {
				return nil, false
			}
		default:
			return nil, false
		}
		from = append(from, k)
	}
	return from, true
}

// arrivals waits for a task, and returns what arrives at the duals of its follower. It
// is an error if the machine has taken it back.
func (t *team) arrivals(e *task, from []int) ([]float64, error) {
	if !t.Begun(&e.Task) {
		return nil, errStopped
	}
	<-e.Done
	if e.Err != nil {
		return nil, e.Err
	}
	sums := make([]float64, len(e.contributions.Any))
	for k := range sums {
		sums[k] = math.Copysign(0, -1)
	}
	e.contributions.Add(sums)
	arrived := make([]float64, len(from))
	for j, k := range from {
		switch {
		case k == nowhere:
		case !e.contributions.Any[k]:
			return nil, errStopped
		default:
			arrived[j] = sums[k]
		}
	}
	return arrived, nil
}
