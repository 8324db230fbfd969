package engine

import (
	"math/bits"
	"slices"
	"sync"

	"github.com/gram-machine/gram/graph"
)

// keptRows are the rows that the loops of a run keep, and the checkpoints of the loops that keep none. The machines of a
// team share them.
type keptRows struct {
	numbers uint64 // objectNumbers, but in tests
	mu      sync.Mutex
	bytes   uint64
	loops   []*checkpoints
}

// reset forgets the last run.
func (k *keptRows) reset() { k.bytes, k.loops = 0, nil }

// book books bytes of rows or states.
func (k *keptRows) book(bytes uint64) {
	k.mu.Lock()
	k.bytes += bytes
	k.mu.Unlock()
}

// checkpoints are the states that a loop keeps in place of its rows: those before the runs of some of its objects. When the
// cells of an object fire, its rows are computed again from the nearest state before it. Which states are kept, and when, is
// the binomial order of A. Griewank and A. Walther, Algorithm 799: Revolve, ACM TOMS 26 (2000). It keeps all if there is room.
type checkpoints struct {
	loop    loop
	f       graph.Ref // the function
	id      uint32    // 1 + the number in keptRows.loops
	each    uint64    // runs of an object; the last may have fewer
	objects uint64
	first   graph.Ref // the first object; they lie side by side
	units   uint32    // of an object
	most    int       // states

	mu     sync.Mutex
	at     []uint64  // the objects whose states are kept, in order
	states []float64 // theirs, side by side
}

// leastRows is how many bytes the rows of a loop have for which a run without --rows-memory asks whether there is room.
const leastRows = 1 << 20

// roomFor reports whether the loops of the run may keep so many bytes more. Without a bound on rows an eighth of the
// memory stays for all else.
func (m *Machine) roomFor(bytes uint64) bool {
	if most := m.opt.Limits.RowsMemory; most != 0 {
		k := m.block.kept
		k.mu.Lock()
		defer k.mu.Unlock()
		return k.bytes <= most && bytes <= most-k.bytes
	}
	if bytes < leastRows {
		return true
	}
	nodes := uint64(m.top) + bytes/graph.NodeBytes
	if nodes >= uint64(len(m.nodes)) {
		return false
	}
	grow := int64(nodes) - int64(m.arena.Len())
	reserve := m.opt.Limits.Reserve
	return grow <= 0 || reserve == nil || reserve(grow*graph.NodeBytes+int64(m.opt.Limits.MaxMemory/8)) == nil
}

// checkpoints returns the checkpoints of a loop, nil if there is room for its rows.
func (m *Machine) checkpoints(l *loop, plan *graph.Plan, f graph.Ref) (*checkpoints, error) {
	k := m.block.kept
	each := min(l.n, m.maxRuns(plan))
	objects := (l.n-1)/each + 1
	over, rows := bits.Mul64(l.n+objects, 8*uint64(len(plan.Row)))
	if over == 0 && m.roomFor(rows) {
		k.book(rows)
		return nil, nil // without garbage
	}
	c := &checkpoints{loop: *l, f: f, each: each, objects: objects}
	// At most half of the room is for the states of one loop, if one state is not more.
	size := 8 * uint64(len(l.state)+1)
	most := c.objects
	for most > 1 && !m.roomFor(2*most*size) {
		most /= 2
	}
	c.most = int(most)
	k.book(most * size)
	if err := m.reserve(int64(most * size)); err != nil {
		return nil, err
	}
	c.at, c.states = make([]uint64, 0, most), make([]float64, 0, most*uint64(len(l.state)))
	k.mu.Lock()
	defer k.mu.Unlock()
	k.loops = append(k.loops, c)
	c.id = uint32(len(k.loops))
	return c, nil
}

// keep keeps the state in the registers, which is that before the object i, if there is room. States of later objects are
// dropped.
func (c *checkpoints) keep(i uint64, regs []float64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	n, _ := slices.BinarySearch(c.at, i)
	if n == c.most {
		return
	}
	c.at, c.states = append(c.at[:n], i), c.states[:n*len(c.loop.state)]
	for _, reg := range c.loop.state {
		c.states = append(c.states, regs[reg])
	}
}

// nearest puts the last state that is kept before the object i, or an earlier one, into the registers, and returns that object.
func (c *checkpoints) nearest(i uint64, regs []float64) uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	n, ok := slices.BinarySearch(c.at, i)
	if !ok {
		n--
	}
	for j, reg := range c.loop.state {
		regs[reg] = c.states[n*len(c.loop.state)+j]
	}
	return c.at[n]
}

// next returns before which object to keep a state next, of those behind at and up to i, when the cells of i are to fire first and
// then those before it.
func (c *checkpoints) next(at, i uint64) uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	used, ok := slices.BinarySearch(c.at, at)
	if ok {
		used++
	}
	if at >= i || used >= c.most {
		return i
	}
	return at + advance(i-at+1, uint64(c.most-used+1))
}

// advance returns how far to go before the next state is kept, where n ≥ 2 parts are to be reversed and there is room for
// s ≥ 2 states, the first included. With t repetitions at most C(s+t, s) parts can be reversed; for the least t that is
// enough, the number of parts that are run again is the least possible.
func advance(n, s uint64) uint64 {
	s = min(s, n)
	// without and before are C(s+t−1, s−1) and C(s+t, s) of the t before.
	without, before := uint64(1), uint64(1)
	for t := uint64(1); ; t++ {
		all := before + without*(s+t-1)/t // C(s+t, s) = C(s+t−1, s) + C(s+t−1, s−1)
		if all >= n {
			return min(before, n-without)
		}
		without, before = without*(s+t-1)/t, all
	}
}

// rowsOf returns the rows of an object. If it has none, they are computed again.
func (m *Machine) rowsOf(base graph.Ref, p *blockParts) ([]float64, error) {
	k := &m.block
	if m.words[4*uint64(base)+blockLoop] == 0 {
		return m.arena.Floats()[p.row+uint64(p.plan.Fixed):], nil
	}
	k.kept.mu.Lock()
	c := k.kept.loops[m.words[4*uint64(base)+blockLoop]-1]
	k.kept.mu.Unlock()
	l := c.loop
	l.again = true
	m.pos = m.prog.Templates[l.b.Templates[0]].Pos
	if err := m.enterBlock(l.b, c.f); err != nil {
		return nil, err
	}
	m.stateScratch(&l)
	i := uint64(base-c.first) / uint64(c.units)
	at := c.nearest(i, k.regs)
	for at < i {
		to := c.next(at, i)
		if err := m.runAgain(c, &l, at, to, &graph.Plan{}, nil); err != nil {
			return nil, err
		}
		at = to
		c.keep(at, k.regs)
	}
	if n := (c.each + 1) * uint64(len(p.plan.Row)); uint64(len(k.rows)) < n {
		k.rows = nil
		if err := m.reserve(8 * int64(n)); err != nil {
			return nil, err
		}
		k.rows = make([]float64, n)
	}
	if p.b.Paths != nil {
		l.paths.first = m.firstWirings(base, p.plan, p.exts)
	}
	return k.rows, m.runAgain(c, &l, i, i+1, p.plan, k.rows)
}

// runAgain makes the runs of the objects from one up to another again. They count as recomputed, and as nothing else.
func (m *Machine) runAgain(c *checkpoints, l *loop, from, to uint64, plan *graph.Plan, rows []float64) error {
	l.left = c.loop.n - from*c.each
	l.n = min(l.left, (to-from)*c.each)
	var err error
	if l.code, err = m.forward(l, plan); err != nil {
		return err
	}
	for i := uint64(0); i < l.n; {
		if err := m.block.look(); err != nil {
			return err
		}
		end := min(l.n, i+LookEvery/l.perRun+1)
		if err := m.makeRuns(l, plan, rows, i, end); err != nil {
			return err
		}
		m.recomputed += (end - i) * l.perRun
		i = end
	}
	m.keepLast(l, plan, rows)
	return nil
}
