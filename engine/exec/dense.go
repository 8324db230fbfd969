package exec

import (
	"unsafe"
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
	firstChunk = 1 << 10 // numbers
	mostChunk  = 1 << 20
)

// startDense gives inputs and data their vectors, and frees the others.
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
	for _, d := range src.Data {
		values, ok := m.Data[d.Index]
		if !ok {
			values = src.Term.Data[d.Index].Values
		}
		m.dense = append(m.dense, dense{data: values})
	}
	m.startWindows()
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
