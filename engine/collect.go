package engine

import (
	"cmp"
	"fmt"
	"math"

	"github.com/gram-machine/gram/engine/collect"
	"github.com/gram-machine/gram/graph"
	"github.com/gram-machine/gram/limits"
)

// A program that is evaluated without a gradient runs in memory proportional to what is live: between two redexes, when the arena has
// grown by as much as was live, objects that nothing refers to go, and the others move down, in their order. A step so costs constant
// time still, amortised.

// collectNodes is how many nodes a collection waits for at least: 16 MiB.
const collectNodes = 1 << 20

// collector is what a machine keeps for its collections.
type collector struct {
	collect.Collector
	at    uint32 // the next collection, when top reaches it
	least uint32 // nodes between two collections, at least
	freed uint64
	peak  uint64
}

// collects reports whether the program's objects can be collected: those of gradients live on for the backward phase, and those of open
// programs are the result.
func (m *Machine) collects() bool {
	return !m.prog.Reversed && !m.prog.Open && !m.prog.Late && m.opt.Hooks == nil
}

// collectFrom begins a run: it sets when the first collection is.
func (m *Machine) collectFrom() {
	c := &m.collect
	c.freed, c.peak, c.at = 0, 0, math.MaxUint32
	if m.collects() {
		c.at = m.nextCollection(false)
	}
}

// nextCollection is when top reaches as much as it is now and once more, or five times more where all is live and that takes a quarter
// of the memory at most; or the limit of nodes, and a sixteenth more, so that collections near it are rare.
func (m *Machine) nextCollection(all bool) uint32 {
	live := uint64(m.top - m.base)
	at := live + max(uint64(m.collect.least), live)
	if most := cmp.Or(m.opt.Limits.MaxMemory, limits.DefaultArena); all && 6*live*graph.NodeBytes <= most/4 {
		at += 4 * live
	}
	if most := m.opt.Limits.MaxNodes; most != 0 {
		at = min(at, most+max(most/16, 64))
	}
	return uint32(min(uint64(m.base)+at, math.MaxUint32))
}

// collectGarbage frees what the run cannot reach any more. The error is a [*limits.ReachedError]: more nodes are live than may be.
func (m *Machine) collectGarbage() error {
	c := &m.collect
	c.peak = max(c.peak, uint64(m.top-m.base))
	pin, err := m.pinned()
	if err != nil {
		return err
	}
	of := collect.Run{Base: m.base, Top: m.top, Pin: pin, Exact: checking || m.opt.Limits.MaxNodes != 0, Roots: m.roots, Look: m.lookInside}
	if m.record != nil {
		of.Moved = m.record.Moved
	}
	total, kept, err := c.Collect(&of)
	if err != nil {
		return err
	}
	top := m.base + total
	all := top == m.top
	c.freed += uint64(m.top - top)
	m.top = top
	if m.record != nil {
		m.record.Collected()
	}
	if checking && kept == 0 {
		m.assertReachable()
	}
	c.at = m.nextCollection(all)
	start := m.arena.Start()
	if uint64(m.arena.Len()-start) > 2*uint64(c.at-start) {
		m.arena.Shrink(c.at)
		m.limit = min(m.limit, m.arena.Len())
	}
	if m.team != nil {
		m.team.lend.pause = kept > max(c.least, total-kept)
	}
	if most := m.opt.Limits.MaxNodes; most != 0 && uint64(total) > most {
		if kept > 0 && m.dismiss() {
			return m.collectGarbage()
		}
		return m.limitError("nodes", most, nil)
	}
	return nil
}

// roots replaces each reference from which objects are reached by what f makes of it: the result, the worklist, and values that workers
// have brought.
func (m *Machine) roots(f func(graph.Ref) graph.Ref) {
	m.root = f(m.root)
	for i, r := range m.work {
		m.work[i] = f(r)
	}
	if m.team == nil {
		return
	}
	for _, e := range m.team.lend.lent {
		if e != nil && e.here {
			e.value = f(e.value)
		}
	}
}

// assertReachable asserts that all nodes that are left are reachable: what was allocated is what was freed and what is reachable.
func (m *Machine) assertReachable() {
	n, err := m.collect.Reachable(&collect.Run{Base: m.base, Top: m.top, Roots: m.roots, Look: m.lookInside})
	if err == nil && n != int(m.top-m.base) {
		panic(fmt.Sprintf("engine: %d nodes are left and %d are reachable", m.top-m.base, n))
	}
}

// References calls f on the words of the object r that refer to others, but for the lists of what waits.
func (m *Machine) References(r graph.Ref, f func(word uint64)) { m.collect.References(r, f) }
