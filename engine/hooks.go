package engine

import (
	"errors"

	"github.com/gram-machine/gram/graph"
)

// Hooks replace parts of a run, to measure what they are for. Results stay the same, but for
// the order of sums. A run with hooks is LIFO without blocks, and frees nothing.
type Hooks struct {
	// Pick returns the place on the worklist of the redex that fires next. If it is nil, the
	// last one fires.
	Pick func(m *Machine, work []graph.Ref) (int, error)
	// Backward runs the job of the seed d 1, see [Machine.Backward], which it may call. It
	// adds to grad what arrives at each input.
	Backward func(m *Machine, d graph.Ref, grad []float64) error
}

// checkHooks reports programs and schedules that hooks can't be of.
func checkHooks(p *graph.Program, opt Options) error {
	switch {
	case opt.Hooks == nil:
		return nil
	case opt.Schedule != LIFO:
		return errors.New("engine: hooks are of the schedule LIFO")
	case p.Open || p.Late:
		return errors.New("engine: hooks are of programs without symbolic inputs or hand-written duals")
	}
	return nil
}

// View is what a machine works on. Its slices stay where they are while the arena grows.
type View struct {
	Program *graph.Program
	Nodes   []graph.Node
	Words   []uint32  // the same memory: node r is words 4r … 4r+3
	Base    graph.Ref // nodes below are the program's globals
	Top     graph.Ref // the first node that is free
	Root    graph.Ref // of the result
}

// View returns what the machine works on at present.
func (m *Machine) View() View {
	return View{Program: m.prog, Nodes: m.nodes, Words: m.words, Base: m.base, Top: m.top, Root: m.root}
}

// Alloc makes n nodes, which the caller fills, and returns the first. The error is a
// [*limits.ReachedError].
func (m *Machine) Alloc(n uint32) (graph.Ref, error) {
	if err := m.ensure(n); err != nil {
		return 0, err
	}
	r := m.top
	m.top += n
	return r, nil
}

// Charge adds to the overhead: instructions copied, and nodes searched. The error is a
// [*limits.ReachedError].
func (m *Machine) Charge(instantiate, search uint64) error {
	m.copied += instantiate
	m.occurs += search
	if m.occurs+m.pops+m.steps < m.nextLook && m.top <= m.nodeTop {
		return nil
	}
	return m.lookBackward()
}

// Fire applies the dual d to a: (3), (1), (5) and what its body does. It calls arrive on each
// application in the body; input is the number of an input, or -1.
func (m *Machine) Fire(d graph.Ref, a float64, arrive func(dual graph.Ref, a float64)) (input int, err error) {
	if err := m.Charge(0, 1); err != nil {
		return 0, err
	}
	n := &m.nodes[d]
	index := n.Head >> graph.KindShift
	if n.Kind() == graph.Input {
		m.firedIn++
		m.steps += 3
		return int(index), nil
	}
	id := m.prog.Duals[index].Body
	body := &m.prog.Bodies[id]
	m.fired[id]++
	m.steps += body.Steps
	body.Fire(m.words[4*uint64(d)+graph.DualWords:], m.nodes, m.regs, a, arrive)
	return -1, nil
}
