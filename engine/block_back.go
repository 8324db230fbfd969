package engine

import (
	"fmt"
	"math"

	"github.com/gram-machine/gram/engine/block"
	"github.com/gram-machine/gram/graph"
)

// blockOf returns the BlockRun that the BlockDual d belongs to.
func (m *Machine) blockOf(d graph.Ref) graph.Ref {
	return d - blockUnits - m.nodes[d].Head&^reachedBit>>graph.KindShift
}

// reachDual books that the job has reached the dual d of a block's result, for the
// first time, and the block on the heap if it is the first of its duals.
func (m *Machine) reachDual(d graph.Ref) {
	base := m.blockOf(d)
	m.state[d].Head |= reachedBit
	n := &m.state[base].A
	if *n++; *n == 1 {
		m.block.heap.Push(m.order.Key(base))
	}
}

// blockParts are the parts of a BlockRun.
type blockParts struct {
	block.Object
	outs graph.Ref
	row  uint64 // where the invariant numbers and the rows begin, in numbers
}

func (m *Machine) blockParts(base graph.Ref) blockParts {
	w := 4 * uint64(base)
	b := m.prog.Block(m.words[w] >> graph.KindShift)
	outs := uint64(len(b.OutDuals))
	at := w + graph.BlockWords + 4*outs
	p := blockParts{outs: base + blockUnits, row: 2 * (uint64(base) + blockUnits + outs + uint64(graph.Units(0, b.Exts)))}
	p.Block, p.Kind, p.N, p.Exts = b, graph.LoopKind(m.words[w+blockKind]), uint64(m.words[w+blockRuns]), m.words[at:at+uint64(b.Exts)]
	p.Plan, _ = b.Plan(m.prog, p.Kind, nil) // it was made with the block's first object
	if b.Paths == nil {
		p.Wiring = m.wiringOf(base, p.Plan, p.Exts)
	}
	return p
}

// rowsOf returns the rows of an object. If it has none, they are computed again.
func (m *Machine) rowsOf(base graph.Ref, p *blockParts) ([]float64, error) {
	id := m.words[4*uint64(base)+blockLoop]
	if id == 0 {
		return m.arena.Floats()[p.row+uint64(p.Plan.Fixed):], nil
	}
	c := m.block.Kept.Loop(id)
	m.pos = m.prog.Templates[p.Block.Templates[0]].Pos
	if err := m.enterBlock(p.Block, c.F); err != nil {
		return nil, err
	}
	var first []*graph.Wiring
	if p.Block.Paths != nil {
		first = m.firstWirings(base, p.Plan, p.Exts)
	}
	return m.block.Again(c, uint64(base-c.First)/uint64(c.Units), p.Plan, first)
}

// wiringOf returns the wiring of the first run of the BlockRun base.
func (m *Machine) wiringOf(base graph.Ref, plan *graph.Plan, exts []graph.Ref) *graph.Wiring {
	w := 4 * uint64(base)
	if m.words[w+blockShared] == 0 {
		return plan.Wirings[0]
	}
	return m.prog.Block(m.words[w]>>graph.KindShift).Wiring(graph.LoopKind(m.words[w+blockKind]), exts)
}

// reachedOf returns which duals of the block's result the job has reached.
func (m *Machine) reachedOf(p *blockParts) []bool {
	k := &m.block
	k.reached = k.reached[:0]
	for j := range p.Block.OutDuals {
		k.reached = append(k.reached, m.state[p.outs+graph.Ref(j)].Head&reachedBit != 0)
	}
	return k.reached
}

// discoverBlock books an arrival at each external dual that the block's cells reach.
func (m *Machine) discoverBlock(base graph.Ref, stack []graph.Ref) ([]graph.Ref, error) {
	p := m.blockParts(base)
	used := block.Resize(&m.block.used, p.Block.Exts)
	if p.Block.Paths != nil {
		rows, err := m.rowsOf(base, &p)
		if err != nil {
			return nil, err
		}
		runs, err := m.block.DiscoverPaths(&p.Object, rows, m.reachedOf(&p), used)
		if err == nil {
			err = m.occur(runs)
		}
		if err != nil {
			return nil, err
		}
		return m.dueAt(&p, used, stack), nil
	}
	for t := m.block.Patterns(&p.Object, m.reachedOf(&p)); ; {
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
func (m *Machine) dueAt(p *blockParts, used []bool, stack []graph.Ref) []graph.Ref {
	for k, ok := range used {
		if ok {
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
		h = m.blockOf(h)
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
	p := m.blockParts(base)
	c := &m.block.contributions
	if err := m.sweepOrFetch(base, &p, stack, c); err != nil {
		return nil, 0, 0, err
	}
	if m.record != nil {
		parts := p
		m.record.FireBlock(BlockFiring{Block: p.Block, Kind: p.Kind, N: p.N, Base: base, Outs: p.outs, Exts: p.Exts, m: m, parts: &parts})
	}
	for j := range p.Block.OutDuals {
		m.state[p.outs+graph.Ref(j)].Head &^= reachedBit
	}
	stack, err = m.arriveOutside(&p, c, stack)
	return stack, c.Arrivals, c.Cells, err
}

// arriveOutside sets what has arrived at the block's external duals. Those of inputs fire at once where nobody sees the order: they come
// last in it.
func (m *Machine) arriveOutside(p *blockParts, c *block.Contributions, stack []graph.Ref) ([]graph.Ref, error) {
	atOnce := m.record == nil && m.opt.Schedule != Random
	for k, h := range p.Exts {
		if !c.Any[k] {
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
		if !atOnce || m.nodes[h].Kind() != graph.Input {
			stack = m.arrived(stack, h)
			continue
		}
		m.fireInput(h)
		c.Cells++
		if m.pops++; m.occurs+m.pops+m.steps >= m.nextLook {
			if err := m.lookBackward(); err != nil {
				return nil, err
			}
		}
	}
	return stack, nil
}

// sweep fires the cells of all runs of a block, the last run first. arrived is what has
// come at the duals of its result; nothing in the arena is changed. If logged is set, what
// arrives at the external duals is logged in place of being added to what is there.
func (m *Machine) sweep(base graph.Ref, p *blockParts, arrived []float64, logged bool, out *block.Contributions) error {
	f, w := &m.block.firing, 4*uint64(base)
	*f = block.Firing{Object: p.Object, First: uint64(m.words[w+blockFirst]), Reached: m.reachedOf(p), State: m.state, Logged: logged}
	f.Invariant = m.arena.Floats()[p.row : p.row+uint64(p.Plan.Fixed)]
	var err error
	if f.Rows, err = m.rowsOf(base, p); err != nil {
		return err
	}
	if p.Kind == graph.DataLoop {
		f.Data = &m.prog.Data[m.nodes[m.words[w+blockData]].A]
		if m.words[w+blockKind]&chainBit != 0 {
			f.Up = uint64(f.Data.Rows)
		}
	}
	return m.block.Sweep(f, arrived, out)
}

// arrivedAt returns what has arrived at the duals of a block's result.
func (m *Machine) arrivedAt(p *blockParts) []float64 {
	k := &m.block
	k.arrived = k.arrived[:0]
	for j := range p.Block.OutDuals {
		k.arrived = append(k.arrived, m.state[p.outs+graph.Ref(j)].Number())
	}
	return k.arrived
}
