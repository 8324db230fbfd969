package machine

import "github.com/gram-machine/gram/graph"

// sweepLeast is how many instructions the runs of a block have whose backward phase is
// worth a worker's time.
const sweepLeast = 1 << 14

// sweepOrFetch is sweep, which a worker may have done already. The machine fires blocks
// in their order still; what is lent is to go through a block's runs, which depends on
// nothing but what has arrived at its duals, and those on the stack have all of it.
func (m *Machine) sweepOrFetch(base graph.Ref, p *blockParts, stack []graph.Ref, out *contributions) error {
	if m.team == nil {
		return m.sweep(base, p, out)
	}
	m.lendSweeps(stack)
	e := m.team.sweeps[base]
	if e == nil {
		return m.sweep(base, p, out)
	}
	delete(m.team.sweeps, base)
	ok, err := m.fetch(e)
	if err != nil {
		return err
	}
	if !ok {
		return m.sweep(base, p, out)
	}
	m.add(&e.cost)
	*out = e.comes
	return nil
}

// lendSweeps lends the blocks next on the stack that have many runs.
func (m *Machine) lendSweeps(stack []graph.Ref) {
	t := m.team
	for i := len(stack) - 1; i >= 0 && i >= len(stack)-2*len(t.workers); i-- {
		base := stack[i]
		if m.nodes[base].Kind() != graph.BlockRun || t.sweeps[base] != nil {
			continue
		}
		p := m.blockParts(base)
		if p.n*uint64(len(p.b.Code)) < t.least {
			continue
		}
		e := &errand{}
		e.do = func(w *worker) error {
			w.m.opt.Limits.MaxSteps = 0
			w.begin()
			return w.m.sweep(base, &p, &e.comes)
		}
		t.sweeps[base] = e
		t.give(e)
	}
}
