package exec

import (
	"errors"
	"math"
	"slices"
	"sync"

	"github.com/gram-machine/gram/engine/ir"
	"github.com/gram-machine/gram/engine/native"
	"github.com/gram-machine/gram/kernel"
)

// This file bounds the tape of loops without machine code. When a run has left much of it, what some iterations of a
// loop leave is dropped: a checkpoint stands for it, which keeps the registers that were there before, and has an
// address for each number that the iterations have changed. The backward phase makes the iterations again.

// back is the end of a loop, from which a run goes back to its head.
type back struct {
	f         *ir.Func
	label     uint32
	head, end int32

	once sync.Once
	native.Head
}

// position says how far the tape has come, with what belongs to it.
type position struct {
	n, args, slopes, records, words int
	dense, chunk, used              int
	slots, rows, made               uint64
}

func (m *Machine) position() position {
	t, s := &m.tape, &m.denser
	return position{t.n, t.args, t.slopes, len(t.records), len(t.words), len(m.dense), s.chunk, s.used, s.slots,
		m.native.Used, m.native.made}
}

// rewind drops what the tape has got since then.
func (m *Machine) rewind(p position) {
	t, s := &m.tape, &m.denser
	t.n, t.args, t.slopes, t.records, t.words = p.n, p.args, p.slopes, t.records[:p.records], t.words[:p.words]
	clear(m.dense[p.dense:])
	m.dense, s.chunk, s.used, s.slots = m.dense[:p.dense], p.chunk, p.used, p.slots
	m.native.Forget(p.rows)
	m.native.made = p.made
}

// tapeBytes is how much memory the tape and the adjoints take, about.
func (m *Machine) tapeBytes() uint64 {
	t := &m.tape
	return 11*uint64(t.n) + 12*uint64(t.args) + recordSize*uint64(len(t.records)) + 8*uint64(len(t.words)) +
		denseSize*uint64(len(m.dense)) + 16*m.denser.slots + m.native.Used
}

// The tape is long if it takes a part of the memory, or mostTape bytes. A checkpoint stands for leastAgain bytes of it
// or more.
const (
	partOfMemory = 8
	mostTape     = 1 << 28
	leastAgain   = 1 << 16
	partOfTape   = 32
	mostState    = 1 << 16 // slots
	bytesOfState = 64      // of the tape for each slot: to find the state takes less time than the iterations
)

// mark is the head of a loop, from which on iterations have been run.
type mark struct {
	*back
	at     position
	bytes  uint64
	least  uint64 // bytes of the tape that a checkpoint stands for
	frames int
	count  uint64 // of iterations
	kept   int    // the place of the registers in Machine.kept
}

// again is what Machine.run does in the backward phase: so many iterations of a loop.
type again struct {
	*back
	left uint64
}

var errAgain = errors.New("exec: the iterations have been made again")

// shorten begins to make checkpoints, if the tape is long.
func (m *Machine) shorten() {
	if m.p.src.Taped && m.profile == nil && m.isLong(m.tapeBytes()) {
		m.short, m.least = true, max(m.least, m.mostTape()/partOfTape)
	}
}

// mostTape is how many bytes a tape has that is not long, 0: any number.
func (m *Machine) mostTape() uint64 {
	if most := m.bounds.RowsMemory; most != 0 {
		return most
	}
	return min(m.bounds.MaxMemory/partOfMemory, mostTape)
}

func (m *Machine) isLong(bytes uint64) bool {
	most := m.mostTape()
	return most != 0 && bytes > most
}

// unmark forgets the marks of the frame that runs.
func (m *Machine) unmark() {
	for len(m.marks) > 0 && m.marks[len(m.marks)-1].frames >= len(m.frames) {
		m.unmarkLast()
	}
}

func (m *Machine) unmarkLast() {
	k := &m.marks[len(m.marks)-1]
	if end := k.kept + len(k.Live) + 1; end == len(m.kept) {
		m.kept = m.kept[:k.kept]
	}
	m.marks = m.marks[:len(m.marks)-1]
}

// mark notes that a loop is at its head. least is that of the mark.
func (m *Machine) mark(b *back, least uint64) {
	m.marks = append(m.marks,
		mark{back: b, at: m.position(), bytes: m.tapeBytes(), least: least, frames: len(m.frames), kept: len(m.kept)})
	fp := m.frame()
	for _, r := range b.Live {
		m.kept = append(m.kept, *at(fp, slotSize*uint32(r)))
	}
	m.kept = append(m.kept, Slot{A: m.self})
}

// goBack is called where a loop goes back to its head, if the tape is to be short. The error is errAgain where the
// iterations that are made again end.
func (m *Machine) goBack(b *back, pc int32) error {
	if m.again.back == b && len(m.frames) == 1 {
		m.marks = m.marks[:1]
		if m.again.left--; m.again.left == 0 {
			return errAgain
		}
		return nil
	}
	for len(m.marks) > 0 {
		k := &m.marks[len(m.marks)-1]
		if k.back == b && k.frames == len(m.frames) {
			k.count++
			if m.tapeBytes()-k.bytes < k.least {
				return nil
			}
			n, err := m.checkpoint(k, pc)
			m.marks = m.marks[:len(m.marks)-1]
			if err == nil && !m.barred[b] {
				m.mark(b, max(m.least, bytesOfState*uint64(n)))
			}
			return err
		}
		if k.frames < len(m.frames) || k.head <= b.head && b.head < k.end { // a loop around this one
			if m.tapeBytes()-k.bytes < m.least {
				return nil
			}
			break
		}
		m.unmarkLast()
	}
	b.once.Do(func() { b.Head = native.HeadOf(m.p.src, b.f, b.label) })
	if b.Again && !m.barred[b] {
		m.mark(b, m.least)
	}
	return nil
}

// numbers are a number in a slot, or all of a dense vector.
type numbers struct {
	slot *Slot
	id   uint64
	n    int
}

// stateOf finds the numbers that a loop has in the registers which it sets, and in the objects that these refer to,
// with the references to dense vectors from the number dense on. The order is that of the values, however they are
// stored.
func (m *Machine) stateOf(b *back, dense int) (all []numbers, refs []*Slot, n int, ok bool) {
	seen := map[uint64]bool{}
	var todo []uint64
	see := func(s *Slot) {
		switch r := s.A; {
		case r&isRef == 0:
			all = append(all, numbers{slot: s, n: 1})
			n++
		case r&isDense != 0 && object(r) < uint64(dense):
		default:
			if r&isDense != 0 {
				refs = append(refs, s)
			}
			if key := r&isDense | object(r); !seen[key] {
				seen[key] = true
				todo = append(todo, key)
			}
		}
	}
	fp := m.frame()
	for i, r := range b.Live {
		if b.Set[i] {
			see(at(fp, slotSize*uint32(r)))
		}
	}
	for i := 0; i < len(todo) && n <= mostState && len(todo) <= mostState; i++ {
		o := object(todo[i])
		if todo[i]&isDense != 0 {
			k := len(m.dense[o].data)
			all, n = append(all, numbers{id: o, n: k}), n+k
			continue
		}
		slots := m.heap[o+1:][:math.Float64bits(m.heap[o].V)]
		for k := range slots {
			see(&slots[k])
		}
	}
	return all, refs, n, n <= mostState && len(todo) <= mostState
}

// checkpoint stands on the tape for iterations of a loop: its record has an address for each number of their state.
type checkpoint struct {
	*back
	count, statements uint64
	kept, size        int // the registers before the first iteration, in Machine.kept, and of the frame
}

// checkpoint drops what iterations have left on the tape since a mark. It returns how many numbers their state has.
func (m *Machine) checkpoint(k *mark, pc int32) (n int, err error) {
	all, refs, n, ok := m.stateOf(k.back, k.at.dense)
	if !ok {
		if m.barred == nil {
			m.barred = map[*back]bool{}
		}
		m.barred[k.back] = true
		return 0, nil
	}
	c := &checkpoint{k.back, k.count, uint64(m.tape.n - k.at.n), k.kept, m.size}
	var kept []dense
	ids := map[uint64]uint64{}
	a := uint64(k.at.n)
	for _, x := range all {
		switch {
		case x.slot == nil:
			v := m.dense[x.id]
			v.data, v.live = slices.Clone(v.data), slices.Clone(v.live)
			if v.base != 0 {
				v.base = uint32(a)
			}
			ids[x.id] = uint64(k.at.dense + len(kept))
			kept = append(kept, v)
		case x.slot.A >= uint64(k.at.n):
			x.slot.A = a
		}
		a += uint64(x.n)
	}
	for _, s := range refs {
		s.A = s.A&^math.MaxUint32 | ids[object(s.A)]
	}
	// Other registers, which nothing reads, may refer to what is dropped.
	for r := range m.size {
		if _, live := slices.BinarySearch(k.Live, ir.Reg(r)); !live {
			m.stack[m.base+r] = Slot{}
		}
	}
	m.native.again += m.native.made - k.at.made
	m.rewind(k.at)
	for _, v := range kept {
		m.denser.slots += uint64(len(v.data)/2 + 2)
		m.dense = append(m.dense, v)
	}
	m.kept = m.kept[:k.kept+len(k.Live)+1]
	m.dropped += c.statements
	_, err = m.pushRecord(c, n, pc)
	return n, err
}

// backward makes the iterations again, and goes back through what they leave on the tape.
func (c *checkpoint) backward(m *Machine, r *record) (arrivals, cells uint64, err error) {
	m.searched += c.statements - uint64(r.n)
	base, n := r.base, r.n
	if kernel.CountTrue(m.reached[base:base+n]) == 0 {
		return 0, 0, nil
	}
	before, kept := m.position(), len(m.kept)
	if err := m.runAgain(c); err != nil {
		return 0, 0, err
	}
	t := &m.tape
	if t.n > cap(m.adjoint) {
		if err := m.reserve(18*t.n, m.pc); err != nil {
			return 0, 0, err
		}
		m.adjoint = append(make([]float64, 0, 2*t.n), m.adjoint...)
		m.reached = append(make([]bool, 0, 2*t.n), m.reached...)
	}
	m.adjoint, m.reached = m.adjoint[:t.n], m.reached[:t.n]
	all, _, same, _ := m.stateOf(c.back, before.dense)
	if max(1, same) != n {
		panic("exec: iterations that are made again leave another state")
	}
	i := base
	for _, x := range all {
		if x.slot != nil {
			m.handOn(i, x.slot.A)
		}
		for k := range x.n {
			if x.slot == nil {
				m.handOn(i+k, m.dense[x.id].element(uint64(k)).A)
			}
		}
		i += x.n
	}
	arrivals, cells, err = m.backThrough(before.n)
	if err == nil {
		m.adjoint, m.reached = m.adjoint[:before.n], m.reached[:before.n]
		m.rewind(before)
		m.kept = m.kept[:kept]
	}
	return arrivals, cells, err
}

// runAgain makes iterations again. Their steps are counted apart.
func (m *Machine) runAgain(c *checkpoint) error {
	counted, nodes, freed := slices.Clone(m.counters), m.nodes, m.freed
	outer := m.counted
	if outer == nil {
		m.counted = counted
	}
	m.frames = append(m.frames[:0], frame{pc: -1})
	m.base, m.size = 0, c.size
	m.ensure(m.size)
	clear(m.stack[:m.size])
	fp, kept := m.frame(), m.kept[c.kept:]
	for i, r := range c.Live {
		*at(fp, slotSize*uint32(r)) = kept[i]
	}
	m.self = kept[len(c.Live)].A
	m.again = again{c.back, c.count}
	m.marks = append(m.marks[:0], mark{back: c.back, bytes: m.tapeBytes(), frames: 1, kept: len(m.kept)})
	_, err := m.run(c.head)
	m.again, m.marks = again{}, m.marks[:0]
	if err != errAgain {
		return err
	}
	for i, n := range counted {
		m.recomputed += (m.counters[i] - n) * m.p.src.Blocks[i].Total
	}
	copy(m.counters, counted)
	m.nodes, m.freed, m.counted = nodes, freed, outer
	return nil
}
