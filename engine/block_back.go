package engine

import (
	"fmt"
	"math"

	"github.com/gram-machine/gram/engine/block"
	"github.com/gram-machine/gram/graph"
)

// reachDual books that the job has reached the dual d of a block's result, for the
// first time, and the block on the heap if it is the first of its duals.
func (m *Machine) reachDual(d graph.Ref) {
	base := m.block.Of(d)
	m.state[d].Head |= block.ReachedBit
	n := &m.state[base].A
	if *n++; *n == 1 {
		m.block.heap.Push(m.order.Key(base))
	}
}

// discoverBlock books an arrival at each external dual that the block's cells reach.
func (m *Machine) discoverBlock(base graph.Ref, stack []graph.Ref) ([]graph.Ref, error) {
	m.reached(base)
	p := m.block.Object(base)
	used := block.Resize(&m.block.used, p.Block.Exts)
	if p.Kind == graph.ElementRuns {
		if err := m.block.DiscoverElements(&p, used); err != nil {
			return nil, err
		}
		return m.dueAt(&p, used, stack), nil
	}
	if p.Block.Paths != nil {
		m.atAgain(&p)
		runs, err := m.block.DiscoverPaths(&p, m.block.ReachedOf(&p, m.state), used)
		if err == nil {
			err = m.occur(runs)
		}
		if err != nil {
			return nil, err
		}
		return m.dueAt(&p, used, stack), nil
	}
	for t := m.block.Patterns(&p, m.block.ReachedOf(&p, m.state)); ; {
		w, _, err := t.Next(false)
		if err != nil {
			return nil, err
		}
		if w == nil {
			break
		}
		if err := m.occur(1); err != nil {
			return nil, err
		}
		m.block.ReachElements(&p, w, used)
		if w.Decided && m.team != nil {
			return nil, graph.ErrFamilies
		}
		m.block.Doubt(&p, w)
		for _, s := range w.Sums {
			for e := range s.N {
				used[s.Ext+e] = true
			}
		}
	}
	return m.dueAt(&p, used, stack), nil
}

// occur counts occurrences, and looks at the limits if it is time.
func (m *Machine) occur(n uint64) error {
	m.occurs += n
	if m.occurs+m.pops+m.steps >= m.nextLook {
		return m.lookBackward()
	}
	return nil
}

// dueAt books an arrival at each of the block's external duals that are used. The dual of an input reaches nothing.
func (m *Machine) dueAt(p *block.Object, used []bool, stack []graph.Ref) []graph.Ref {
	for k, ok := range used {
		if ok && p.Exts[k] != graph.NullDual {
			m.occurs++
			if h := p.Exts[k]; m.due(h) && m.nodes[h].Kind() != graph.Input {
				stack = append(stack, h)
			}
		}
	}
	return stack
}

// arrived books that the last arrival has come at h, and pushes h, or its block with
// the last of its duals, on the stack or on the heap of the cells far below its top.
func (m *Machine) arrived(stack []graph.Ref, h graph.Ref) []graph.Ref {
	if m.nodes[h].Kind() == graph.BlockDual {
		h = m.block.Of(h)
		n := &m.state[h].A
		if *n--; *n > 0 {
			return stack
		}
	}
	near := true
	if m.order == nil {
		stack, near = graph.PushCell(stack, h)
	} else {
		stack, near = m.order.PushCell(stack, h)
	}
	if !near {
		m.far.Push(m.order.Key(h))
	}
	return stack
}

// fireBlock fires the cells of all runs of a block, and lets what comes of it arrive at
// the external duals. It returns how many applications of duals there were, and how
// many cells.
func (m *Machine) fireBlock(base graph.Ref, stack []graph.Ref) (_ []graph.Ref, arrivals, cells uint64, err error) {
	m.reached(base)
	p := m.block.Object(base)
	c := &m.block.contributions
	if err := m.sweepOrFetch(&p, stack, c); err != nil {
		return nil, 0, 0, err
	}
	if m.record != nil {
		m.record.FireBlock(block.Firing{Object: p, Runner: &m.block.Runner, State: m.state})
	}
	for j := range p.Block.OutDuals {
		m.state[p.Outs+graph.Ref(j)].Head &^= block.ReachedBit
	}
	stack, err = m.arriveOutside(&p, c, stack)
	return stack, c.Arrivals, c.Cells, err
}

// arriveOutside sets what has arrived at the block's external duals. Those of inputs fire at once where nobody sees the order: they come
// last in it.
func (m *Machine) arriveOutside(p *block.Object, c *block.Contributions, stack []graph.Ref) ([]graph.Ref, error) {
	atOnce := m.record == nil && m.opt.Schedule != Random
	complete := func(h graph.Ref) error {
		if !atOnce || m.nodes[h].Kind() != graph.Input {
			stack = m.arrived(stack, h)
			return nil
		}
		m.fireInput(h)
		c.Cells++
		if m.pops++; m.occurs+m.pops+m.steps >= m.nextLook {
			return m.lookBackward()
		}
		return nil
	}
	for k, h := range p.Exts {
		if !c.Any[k] || h == graph.NullDual {
			continue
		}
		if c.Missed(k) {
			if err := m.block.Miss(h, m.state, complete); err != nil {
				return nil, err
			}
			continue
		}
		n := &m.state[h]
		if checking && n.A == 0 {
			panic(fmt.Sprintf("engine: an arrival at cell %d after it has fired", h))
		}
		n.V = math.Float64bits(c.Sums[k])
		if n.A--; n.A > 0 {
			continue
		}
		if err := complete(h); err != nil {
			return nil, err
		}
	}
	return stack, nil
}

// sweep fires the cells of all runs of a block, the last run first. arrived is what has
// come at the duals of its result; nothing in the arena is changed. If logged is set, what
// arrives at the external duals is logged in place of being added to what is there.
func (m *Machine) sweep(p *block.Object, arrived []float64, logged bool, out *block.Contributions) error {
	m.atAgain(p)
	return m.block.Sweep(p, m.block.ReachedOf(p, m.state), m.state, arrived, logged, out)
}

// atAgain says where errors are if the rows of an object are computed again.
func (m *Machine) atAgain(p *block.Object) {
	if !p.HasRows() {
		m.pos = m.prog.Templates[p.Block.Templates[0]].Pos
	}
}
