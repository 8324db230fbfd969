package exec

import "github.com/gram-machine/gram/engine/ir"

// DataError is that of package ir.
type DataError = ir.DataError

// windowNumbers is how many numbers the rows of a window have, about: [Machine.window].
const windowNumbers = 1 << 16

// startWindows gives data that is not stored, and has no numbers in place of its own, its windows.
func (m *Machine) startWindows() {
	src := m.p.src
	for i, d := range src.Data {
		data := &src.Term.Data[d.Index]
		if _, replaced := m.Data[d.Index]; data.Chunk == nil || replaced {
			continue
		}
		if m.windows == nil {
			m.windows = make([]ir.Window, 1+len(src.Data))
		}
		m.windows[1+i].Data, m.windows[1+i].Index = data, d.Index
	}
}

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

// farNumber is the number of a dense vector from which on it has no references, [Machine.far]: rows that begin there
// are copied.
const farNumber = 1 << 29

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
