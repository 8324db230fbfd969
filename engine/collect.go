package engine

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/gram-machine/gram/engine/block"
	"github.com/gram-machine/gram/graph"
	"github.com/gram-machine/gram/term"
)

// A program that is evaluated without a gradient runs in memory proportional to what is
// live: between two redexes, when the arena has grown by as much as was live, objects
// that nothing refers to go, and the others move down, in their order. A step so costs
// constant time still, amortised.
//
// The live objects are those that the worklist and the result reach, by operands and by the
// lists of waiters. The frame is dead between two redexes, for instantiating never nests.

// collectNodes is how many nodes a collection waits for at least: 16 MiB.
const collectNodes = 1 << 20

// collector is what a machine keeps for its collections.
type collector struct {
	at     uint32 // the next collection, when top reaches it
	least  uint32 // nodes between two collections, at least
	freed  uint64
	peak   uint64
	live   []uint64 // a bit for each node of a live object
	starts []uint64 // a bit for the first of them
	below  []uint32 // live nodes below each word of live
	stack  []graph.Ref
}

// collects reports whether the program's objects can be collected: those of gradients
// live on for the backward phase, and those of open programs are the result.
func (m *Machine) collects() bool {
	return !m.prog.Reversed && !m.prog.Open && !m.prog.Late && m.opt.Hooks == nil
}

// collectFrom begins a run: it sets when the first collection is.
func (m *Machine) collectFrom() {
	c := &m.collect
	c.freed, c.peak, c.at = 0, 0, math.MaxUint32
	if m.collects() {
		c.at = m.nextCollection()
	}
}

// nextCollection is when top reaches as much as it is now and once more; or the limit of
// nodes, and a sixteenth more, so that collections near it are rare.
func (m *Machine) nextCollection() uint32 {
	live := uint64(m.top - m.base)
	at := live + max(uint64(m.collect.least), live)
	if most := m.opt.Limits.MaxNodes; most != 0 {
		at = min(at, most+max(most/16, 64))
	}
	return uint32(min(uint64(m.base)+at, math.MaxUint32))
}

// collectGarbage frees what the run cannot reach any more. The error is a [*limits.ReachedError]:
// more nodes are live than may be.
func (m *Machine) collectGarbage() error {
	c := &m.collect
	c.peak = max(c.peak, uint64(m.top-m.base))
	pin, err := m.pinned()
	if err != nil {
		return err
	}
	n := int(m.top-m.base)/64 + 1
	block.Resize(&c.live, n)
	block.Resize(&c.starts, n)
	block.Resize(&c.below, n)
	if err := m.markAll(); err != nil {
		return err
	}
	kept := c.keep(pin, m.base)
	total := uint32(0)
	for i, word := range c.live {
		c.below[i] = total
		total += uint32(bits.OnesCount64(word))
	}
	if err := m.slide(); err != nil {
		return err
	}
	m.roots(m.moved)
	top := m.base + total
	c.freed += uint64(m.top - top)
	m.top = top
	if m.record != nil {
		m.record.Collected()
	}
	if checking && kept == 0 {
		m.assertReachable()
	}
	c.at = m.nextCollection()
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

// keep marks all nodes below pin as live, objects or not, and returns how many were not.
func (c *collector) keep(pin, base graph.Ref) (kept uint32) {
	for i := graph.Ref(0); base+i < pin; i += 64 {
		all := ^uint64(0)
		if left := pin - base - i; left < 64 {
			all = 1<<left - 1
		}
		kept += uint32(bits.OnesCount64(all &^ c.live[i/64]))
		c.live[i/64] |= all
	}
	return kept
}

// roots replaces each reference from which objects are reached by what f makes of it: the
// result, the worklist, and values that workers have brought.
func (m *Machine) roots(f func(graph.Ref) graph.Ref) {
	m.root = f(m.root)
	m.call.into = f(m.call.into)
	m.call.stack.Roots(f)
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

// assertReachable asserts that all nodes that are left are reachable: what was allocated
// is what was freed and what is reachable.
func (m *Machine) assertReachable() {
	c := &m.collect
	clear(c.live)
	clear(c.starts)
	if err := m.markAll(); err != nil {
		return
	}
	n := 0
	for _, word := range c.live {
		n += bits.OnesCount64(word)
	}
	if n != int(m.top-m.base) {
		panic(fmt.Sprintf("engine: %d nodes are left and %d are reachable", m.top-m.base, n))
	}
}

// markAll marks what the worklist and the result reach. The error is a [*limits.ReachedError]; the marks are not to be
// used after it.
func (m *Machine) markAll() error {
	c := &m.collect
	c.stack = c.stack[:0]
	m.roots(m.mark)
	for n := 1; len(c.stack) > 0; n++ {
		if err := m.lookInside(n); err != nil {
			return err
		}
		r := c.stack[len(c.stack)-1]
		c.stack = c.stack[:len(c.stack)-1]
		m.references(r, func(w uint64) { m.set(w, m.mark(m.words[w])) })
	}
	return nil
}

// made reports whether the run has made r: it is no global, and not of another arena.
func (m *Machine) made(r graph.Ref) bool { return r-m.base < m.top-m.base }

// mark marks the object at r, and returns it: what it forwards to, if it does.
func (m *Machine) mark(r graph.Ref) graph.Ref {
	if !m.made(r) {
		return r
	}
	r = m.Resolve(r)
	if !m.made(r) {
		return r
	}
	c := &m.collect
	i := r - m.base
	if c.starts[i/64]&(1<<(i%64)) != 0 {
		return r
	}
	c.starts[i/64] |= 1 << (i % 64)
	for end := i + m.extent(r); i < end; i++ {
		c.live[i/64] |= 1 << (i % 64)
	}
	c.stack = append(c.stack, r)
	return r
}

// moved returns where the live node r goes.
func (m *Machine) moved(r graph.Ref) graph.Ref {
	if !m.made(r) {
		return r
	}
	c := &m.collect
	i := r - m.base
	return m.base + c.below[i/64] + uint32(bits.OnesCount64(c.live[i/64]&(1<<(i%64)-1)))
}

// slide moves the live objects down, and what they refer to. The error is a [*limits.ReachedError]: it ends the run,
// whose objects are not to be used any more.
func (m *Machine) slide() error {
	c := &m.collect
	n := 0
	for i, word := range c.starts {
		for word != 0 {
			r := m.base + uint32(i*64+bits.TrailingZeros64(word))
			word &= word - 1
			if n++; n%LookEvery == 0 {
				if err := m.lookInside(n); err != nil {
					return err
				}
			}
			size := m.extent(r)
			m.references(r, func(w uint64) { m.set(w, m.moved(m.words[w])) })
			to := m.moved(r)
			if to != r {
				copy(m.nodes[to:to+size], m.nodes[r:r+size])
			}
			if m.record != nil {
				m.record.Moved(to, r, size)
			}
		}
	}
	return nil
}

// set sets a word to a reference. What a worker may be reading does not change, and is not
// written.
func (m *Machine) set(w uint64, r graph.Ref) {
	if m.words[w] != r {
		m.words[w] = r
	}
}

// extent returns how many nodes the object at r takes.
func (m *Machine) extent(r graph.Ref) uint32 {
	n := &m.nodes[r]
	index := n.Head >> graph.KindShift
	switch n.Kind() {
	case graph.Vec, graph.Partial:
		return graph.Units(graph.ValueWords, int(index))
	case graph.Closure, graph.List:
		return graph.Units(graph.ValueWords, int(m.prog.Templates[index].Caps))
	case graph.Suspended:
		return max(2, graph.Units(graph.WaitWords, int(m.instruction(r).NumOperands())))
	case graph.Apply, graph.Project, graph.Copy, graph.IterNat, graph.IterData, graph.IterList, graph.Frames:
		return 2
	}
	return 1
}

// instruction returns the instruction of a waiting node.
func (m *Machine) instruction(r graph.Ref) *graph.Instr {
	return &m.prog.Code[m.words[4*uint64(r)+3]]
}

// references calls f on each word of the object at r that refers to another.
func (m *Machine) references(r graph.Ref, f func(word uint64)) {
	if m.nodes[r].Kind() >= graph.Wait {
		w := 4 * uint64(r)
		f(w + 1) // the nodes that wait for it
		f(w + 2) // the next that waits for the same
	}
	m.References(r, f)
}

// References calls f on the words of the object r that refer to others, but for the lists of
// what waits.
func (m *Machine) References(r graph.Ref, f func(word uint64)) {
	n := &m.nodes[r]
	w := 4 * uint64(r)
	from, count := w+graph.ValueWords, uint32(0)
	index := n.Head >> graph.KindShift
	switch n.Kind() {
	case graph.Forward, graph.Con:
		count = 1
	case graph.Pair, graph.Arrival, graph.Bag:
		count = 2
	case graph.Vec:
		count = index
	case graph.Closure, graph.List, graph.LinDual:
		count = m.prog.Templates[index].Caps
	case graph.Partial:
		f(w + 1)
		count = index
	case graph.Chain:
		f(w + 1)
		count = 2
	case graph.DualCell:
		body := &m.prog.Bodies[m.prog.Duals[index].Body]
		from, count = w+graph.DualWords, body.Heads+body.Nums
	case graph.Inert:
		from, count = w+graph.WaitWords, 2
		if sym := term.Symbol(index); sym != term.NoSymbol && sym.Info().Arity == 1 {
			count = 1
		}
	case graph.Neutral:
		from, count = w+graph.WaitWords, m.words[w+graph.NeutralOperands]
	case graph.Suspended:
		from, count = w+graph.WaitWords, m.instruction(r).NumOperands()
	case graph.Apply:
		from, count = w+graph.WaitWords, index&0xff+1
	case graph.Project, graph.Copy:
		from, count = w+graph.WaitWords, 1
	case graph.IterNat, graph.Frames:
		from, count = w+graph.WaitWords, 2
	case graph.IterData, graph.IterList:
		from, count = w+graph.WaitWords, 3
	case graph.Job:
		from, count = w+graph.JobOperand, 3
	}
	for i := range uint64(count) {
		f(from + i)
	}
}
