package engine

import (
	"fmt"
	"math"
	"slices"

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
		m.block.heap.Push(m.order.key(base))
	}
}

// blockParts are the parts of a BlockRun.
type blockParts struct {
	b      *graph.Block
	plan   *graph.Plan
	wiring *graph.Wiring // of the first run
	kind   graph.LoopKind
	n      uint64
	outs   graph.Ref
	exts   []graph.Ref
	row    uint64 // where the invariant numbers and the rows begin, in numbers
}

func (m *Machine) blockParts(base graph.Ref) blockParts {
	w := 4 * uint64(base)
	b := m.prog.Block(m.words[w] >> graph.KindShift)
	outs := uint64(len(b.OutDuals))
	at := w + graph.BlockWords + 4*outs
	p := blockParts{b: b, kind: graph.LoopKind(m.words[w+blockKind]), n: uint64(m.words[w+blockRuns]), outs: base + blockUnits,
		exts: m.words[at : at+uint64(b.Exts)], row: 2 * (uint64(base) + blockUnits + outs + uint64(graph.Units(0, b.Exts)))}
	p.plan, _ = b.Plan(m.prog, p.kind, nil) // it was made with the block's first object
	if b.Paths == nil {
		p.wiring = m.wiringOf(base, p.plan, p.exts)
	}
	return p
}

// wiringOf returns the wiring of the first run of the BlockRun base.
func (m *Machine) wiringOf(base graph.Ref, plan *graph.Plan, exts []graph.Ref) *graph.Wiring {
	w := 4 * uint64(base)
	if m.words[w+blockShared] == 0 {
		return plan.Wirings[0]
	}
	return m.prog.Block(m.words[w]>>graph.KindShift).Wiring(graph.LoopKind(m.words[w+blockKind]), exts)
}

// wirings returns the wirings of n runs of a block, the first of which has the wiring w.
// All further runs have the last that is returned.
func (m *Machine) wirings(b *graph.Block, w *graph.Wiring, kind graph.LoopKind, n uint64) []*graph.Wiring {
	all := append(m.block.wirings[:0], w)
	for uint64(len(all)) < n {
		next := b.After(w, kind)
		if next == w {
			break
		}
		w = next
		all = append(all, w)
	}
	m.block.wirings = all
	return all
}

// patterns goes through the runs of a block from the last to the first, by their wirings
// and by the sets of duals of their results that the job reaches.
type patterns struct {
	p       *blockParts
	wirings []*graph.Wiring
	reached []bool
	left    uint64
}

// reachedOf returns which duals of the block's result the job has reached.
func (m *Machine) reachedOf(p *blockParts) []bool {
	k := &m.block
	k.reached = k.reached[:0]
	for j := range p.b.OutDuals {
		k.reached = append(k.reached, m.state[p.outs+graph.Ref(j)].Head&reachedBit != 0)
	}
	return k.reached
}

// patterns begins with what the job has reached of the block's result.
func (m *Machine) patterns(p *blockParts) patterns {
	return patterns{p, m.wirings(p.b, p.wiring, p.kind, p.n), m.reachedOf(p), p.n}
}

// wiring returns the wiring of the next runs.
func (t *patterns) wiring() *graph.Wiring { return t.wirings[min(t.left, uint64(len(t.wirings)))-1] }

// next returns the backward code of the next runs, and how many they are; nil if the job
// reaches no more. The error is that of a look.
func (t *patterns) next(m *Machine, logged bool) (w *graph.Backward, times uint64, err error) {
	if t.left == 0 || !slices.Contains(t.reached, true) {
		return nil, 0, nil
	}
	if w, err = t.wiring().Backward(m.prog, t.reached, logged, m.block.look); err != nil {
		return nil, 0, err
	}
	times = 1
	if last := uint64(len(t.wirings)); t.left >= last && t.p.kind != graph.OneRun && slices.Equal(w.Next, t.reached) {
		times += t.left - last
	}
	t.left -= times
	t.reached = w.Next
	return w, times, nil
}

// discoverBlock books an arrival at each external dual that the block's cells reach.
func (m *Machine) discoverBlock(base graph.Ref, stack []graph.Ref) ([]graph.Ref, error) {
	p := m.blockParts(base)
	used := resize(&m.block.used, p.b.Exts)
	if p.b.Paths != nil {
		if err := m.discoverPaths(base, &p, used); err != nil {
			return nil, err
		}
		return m.dueAt(&p, used, stack), nil
	}
	for t := m.patterns(&p); ; {
		w, _, err := t.next(m, false)
		if err != nil {
			return nil, err
		}
		if w == nil {
			break
		}
		m.occurs++
		if m.occurs+m.pops+m.steps >= m.nextLook {
			if err := m.lookBackward(); err != nil {
				return nil, err
			}
		}
		for _, s := range w.Sums {
			for e := range s.N {
				used[s.Ext+e] = true
			}
		}
	}
	return m.dueAt(&p, used, stack), nil
}

// dueAt books an arrival at each of the block's external duals that are used. The dual of an input reaches nothing.
func (m *Machine) dueAt(p *blockParts, used []bool, stack []graph.Ref) []graph.Ref {
	for k, ok := range used {
		if ok {
			m.occurs++
			if h := p.exts[k]; m.due(h) && m.nodes[h].Kind() != graph.Input {
				stack = append(stack, h)
			}
		}
	}
	return stack
}

// resize makes s a slice of n zeros, in the memory that it has if that is enough.
func resize[T any](s *[]T, n int) []T {
	if cap(*s) < n {
		*s = make([]T, n, n+n/2)
	}
	*s = (*s)[:n]
	clear(*s)
	return *s
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
		stack, near = m.order.pushCell(stack, h)
	}
	if !near {
		m.far.Push(m.order.key(h))
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
		m.record.FireBlock(BlockFiring{Block: p.b, Kind: p.kind, N: p.n, Base: base, Outs: p.outs, Exts: p.exts, m: m, parts: &parts})
	}
	for j := range p.b.OutDuals {
		m.state[p.outs+graph.Ref(j)].Head &^= reachedBit
	}
	stack, err = m.arriveOutside(&p, c, stack)
	return stack, c.arrivals, c.cells, err
}

// arriveOutside sets what has arrived at the block's external duals. Those of inputs fire at once where nobody sees the order: they come
// last in it.
func (m *Machine) arriveOutside(p *blockParts, c *contributions, stack []graph.Ref) ([]graph.Ref, error) {
	atOnce := m.record == nil && m.opt.Schedule != Random
	for k, h := range p.exts {
		if !c.any[k] {
			continue
		}
		n := &m.state[h]
		if checking && n.A == 0 {
			panic(fmt.Sprintf("engine: an arrival at cell %d after it has fired", h))
		}
		n.V = math.Float64bits(c.sums[k])
		if n.A--; n.A > 0 {
			continue
		}
		if !atOnce || m.nodes[h].Kind() != graph.Input {
			stack = m.arrived(stack, h)
			continue
		}
		m.fireInput(h)
		c.cells++
		if m.pops++; m.occurs+m.pops+m.steps >= m.nextLook {
			if err := m.lookBackward(); err != nil {
				return nil, err
			}
		}
	}
	return stack, nil
}
