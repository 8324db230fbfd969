package exec

import (
	"unsafe"

	"github.com/gram-machine/gram/engine/ir"
)

// dense is a vector of numbers whose addresses follow each other, from base on, or which are numerals. Where an if
// has made it, some of its elements may be numerals: nothing that arrives at their addresses is passed on. Inputs and
// data are dense, and so are vectors that a statement over all their elements makes. Other vectors have a [Slot] for
// each element.
type dense struct {
	data   []float64
	base   uint32 // 0: numerals
	live   []bool // which elements have an address, the others are numerals; nil: all, or none
	listed bool   // a copy: the addresses are words of the tape, from base on
	owned  bool   // it may change
	marked bool   // by a collection
	free   bool
}

const denseSize = uint64(unsafe.Sizeof(dense{}))

// element is an element as a slot.
func (v *dense) element(i uint64) Slot {
	s := Slot{V: v.data[i]}
	if v.base != 0 && (v.live == nil || v.live[i]) {
		s.A = uint64(v.base) + i
	}
	return s
}

// store is the memory of the dense vectors that are made in a run. Those of a taped program last until the next run;
// others are collected.
type store struct {
	chunks [][]float64
	chunk  int // that is in use
	used   int // of it
	slots  uint64
	limit  uint64            // slots until the next collection
	free   map[int]*[]uint32 // the vectors of each size that are not in use
	last   *[]uint32         // those of lastOf numbers
	lastOf int
	bytes  uint64
}

const (
	firstChunk    = 1 << 10 // numbers
	mostChunk     = 1 << 20
	windowNumbers = 1 << 16 // of the rows of a window, about: [Machine.window]
	farNumber     = 1 << 29 // [Machine.far]: rows that begin there are copied
)

// startDense gives inputs and data their vectors, and frees the others. Data that is not stored, and has no numbers in
// place of its own, gets its windows.
func (m *Machine) startDense(point []float64) {
	src := m.p.src
	if m.dense == nil {
		m.dense = make([]dense, 1, 1+len(src.Data))
	}
	m.dense[0].data = append(m.dense[0].data[:0], point...)
	if src.Taped {
		m.dense[0].base = 1
	}
	clear(m.dense[1:])
	m.dense = m.dense[:1]
	for i, d := range src.Data {
		data := d.Data
		values, replaced := m.Data[d.Index]
		if !replaced {
			values = data.Values
		}
		m.dense = append(m.dense, dense{data: values})
		if data.Chunk == nil || replaced {
			continue
		}
		if m.windows == nil {
			m.windows = make([]ir.Window, 1+len(src.Data))
		}
		m.windows[1+i].Data, m.windows[1+i].Index = data, d.Index
	}
	s := &m.denser
	s.chunk, s.used, s.slots, s.limit = 0, 0, 0, firstHeap
	clear(s.free)
	s.last, s.lastOf = nil, 0
}

// newDense makes a vector of n numbers, and returns its number. It may move all objects of the heap.
func (m *Machine) newDense(n int, pc int32) (uint32, error) {
	s := &m.denser
	slots := uint64(n/2 + 2)
	if s.slots+slots > s.limit {
		if err := m.collect(pc); err != nil {
			return 0, err
		}
		s.limit = max(2*(s.slots+slots), firstHeap)
		if most := m.bounds.MaxNodes; most != 0 && m.live()+slots > most {
			return 0, m.limit("nodes", most, pc, nil)
		}
	}
	s.slots += slots
	m.nodes += slots
	if free := s.freed(n); free != nil && len(*free) > 0 {
		id := (*free)[len(*free)-1]
		*free = (*free)[:len(*free)-1]
		m.dense[id].free = false
		return id, nil
	}
	if len(m.dense) == cap(m.dense) {
		if err := m.reserve(int(2*denseSize)*len(m.dense), pc); err != nil {
			return 0, err
		}
	}
	for s.chunk < len(s.chunks) && s.used+n > len(s.chunks[s.chunk]) {
		s.chunk, s.used = s.chunk+1, 0
	}
	if s.chunk == len(s.chunks) {
		size := max(n, min(max(firstChunk, int(s.bytes/16)), mostChunk))
		if err := m.reserve(8*size, pc); err != nil {
			return 0, err
		}
		s.chunks, s.bytes = append(s.chunks, make([]float64, size)), s.bytes+8*uint64(size)
	}
	m.dense = append(m.dense, dense{data: s.chunks[s.chunk][s.used : s.used+n : s.used+n]})
	s.used += n
	return uint32(len(m.dense) - 1), nil
}

// freed are the vectors of n numbers that are not in use, nil if there have been none.
func (s *store) freed(n int) *[]uint32 {
	if n != s.lastOf {
		s.last, s.lastOf = s.free[n], n
	}
	return s.last
}

// sweep frees the vectors that a collection has not marked, and returns how many slots these are.
func (m *Machine) sweep() (slots uint64) {
	made := m.dense[1+len(m.p.src.Data):]
	s := &m.denser
	for i := range made {
		v := &made[i]
		if v.marked || v.free || m.p.src.Taped {
			v.marked = false
			continue
		}
		v.free = true
		n := len(v.data)
		if s.free == nil {
			s.free = map[int]*[]uint32{}
		}
		if s.free[n] == nil {
			s.free[n], s.lastOf = &[]uint32{}, 0
		}
		*s.free[n] = append(*s.free[n], uint32(1+len(m.p.src.Data)+i))
		slots += uint64(n/2 + 2)
	}
	s.slots -= slots
	return slots
}

// load is the slot n behind what r refers to.
func (m *Machine) load(r, n uint64, pc int32) (Slot, error) {
	if r&isDense != 0 {
		return m.element(object(r), off(r)+n, false, pc)
	}
	return m.heap[slotOf(r, n)], nil
}

// slots sets to to the slots from what r refers to on.
func (m *Machine) slots(to []Slot, r uint64, pc int32) (err error) {
	if r&isDense == 0 {
		from := slotOf(r, 0)
		copy(to, m.heap[from:from+uint64(len(to))])
		return nil
	}
	for i := range to {
		if to[i], err = m.element(object(r), off(r)+uint64(i), false, pc); err != nil {
			return err
		}
	}
	return nil
}

// DataError is that of package ir.
type DataError = ir.DataError

// windowOf is the window of dense vector k, nil if its numbers are stored.
func (m *Machine) windowOf(k uint64) *ir.Window {
	if k < uint64(len(m.windows)) && m.windows[k].Data != nil {
		return &m.windows[k]
	}
	return nil
}

// part is [ir.Window.Part].
func (m *Machine) part(w *ir.Window, n uint64, ahead bool, pc int32) (*ir.Part, error) {
	return w.Part(n, ahead, m.window, func(bytes int) error { return m.reserve(bytes, pc) },
		func() error { return m.look(pc) })
}

// read sets to to numbers of dense vector k, from n on. ahead is that of [Machine.part].
func (m *Machine) read(to []float64, k, n uint64, ahead bool, pc int32) error {
	w := m.windowOf(k)
	if w == nil {
		copy(to, m.dense[k].data[n:n+uint64(len(to))])
		return nil
	}
	for len(to) > 0 {
		p, err := m.part(w, n, ahead, pc)
		if err != nil {
			return err
		}
		some := copy(to, p.Values[n-p.First:])
		to, n = to[some:], n+uint64(some)
	}
	return nil
}

// element is the number n of dense vector k. ahead is that of [Machine.part].
func (m *Machine) element(k, n uint64, ahead bool, pc int32) (Slot, error) {
	w := m.windowOf(k)
	if w == nil {
		return m.dense[k].element(n), nil
	}
	p, err := m.part(w, n, ahead, pc)
	if err != nil {
		return Slot{}, err
	}
	return Slot{V: p.Values[n-p.First]}, nil
}

// object is a reference to the row of data, in dense vector k, of width numbers from n on.
func (m *Machine) object(k, n uint64, width int, pc int32) (Slot, error) {
	if w := m.windowOf(k); w != nil {
		if _, err := m.part(w, n, true, pc); err != nil {
			return Slot{}, err
		}
	}
	if n < m.far {
		return Slot{A: isDense | ref(k, n)}, nil
	}
	o, err := m.alloc(width, 0, pc)
	if err != nil {
		return Slot{}, err
	}
	for i := range m.heap[o+1:] {
		if m.heap[o+1+uint64(i)], err = m.element(k, n+uint64(i), true, pc); err != nil {
			return Slot{}, err
		}
	}
	return Slot{A: ref(o, 0)}, nil
}
