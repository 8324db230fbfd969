package exec

import (
	"errors"
	"fmt"

	"github.com/gram-machine/gram/limits"
	"github.com/gram-machine/gram/term"
)

// window is what is there of data that is not stored: the rows about that which a loop over the data has read last, and
// one that a reference was followed to.
type window struct {
	data      *term.Data // nil: it is stored
	index     int        // of Term.Data
	rows, one part
}

// part is numbers of data, from the number first on.
type part struct {
	first  uint64
	values []float64
}

// windowNumbers is how many numbers the rows of a window have, about: [Machine.window].
const windowNumbers = 1 << 16

func (p *part) has(n uint64) bool { return n-p.first < uint64(len(p.values)) }

// startWindows gives data that is not stored, and has no numbers in place of its own, its windows.
func (m *Machine) startWindows() {
	src := m.p.src
	for i, d := range src.Data {
		data := &src.Term.Data[d.Index]
		if _, replaced := m.Data[d.Index]; data.Chunk == nil || replaced {
			continue
		}
		if m.windows == nil {
			m.windows = make([]window, 1+len(src.Data))
		}
		m.windows[1+i].data, m.windows[1+i].index = data, d.Index
	}
}

// windowOf is the window of dense vector k, nil if its numbers are stored.
func (m *Machine) windowOf(k uint64) *window {
	if k < uint64(len(m.windows)) && m.windows[k].data != nil {
		return &m.windows[k]
	}
	return nil
}

// fill computes count rows from one on. The error is a [*limits.ReachedError] or a [*DataError].
func (m *Machine) fill(w *window, p *part, row, count int, pc int32) error {
	n := count * w.data.Width
	p.values = p.values[:0]
	if cap(p.values) < n {
		if err := m.reserve(8*n, pc); err != nil {
			return err
		}
		p.values = make([]float64, 0, n)
	}
	values := p.values[:n]
	if err := w.data.Chunk(values, row, func() error { return m.look(pc) }); err != nil {
		var reached *limits.ReachedError
		if errors.As(err, &reached) {
			return err
		}
		return &DataError{w.index, w.data.Name, err}
	}
	p.first, p.values = uint64(row)*uint64(w.data.Width), values
	return nil
}

// part is one with the number n of the data. ahead says that a loop goes through the data, and will read what is near;
// else only the row is computed, if it is not there.
func (m *Machine) part(w *window, n uint64, ahead bool, pc int32) (*part, error) {
	row := int(n / uint64(w.data.Width))
	switch {
	case w.rows.has(n):
		return &w.rows, nil
	case ahead: // windows lie where the way back finds the same ones
		length := max(1, m.window/w.data.Width)
		first := row / length * length
		return &w.rows, m.fill(w, &w.rows, first, min(length, w.data.Rows-first), pc)
	case w.one.has(n):
		return &w.one, nil
	}
	return &w.one, m.fill(w, &w.one, row, 1, pc)
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
		some := copy(to, p.values[n-p.first:])
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
	return Slot{V: p.values[n-p.first]}, nil
}

// farNumber is the number of a dense vector from which on it has no references, [Machine.far]: rows that begin there are copied.
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

// DataError is an error of data that is not stored, of which a run needed numbers.
type DataError struct {
	Index int // of the term's data
	Name  string
	Err   error
}

func (e *DataError) Error() string { return fmt.Sprintf("data %s: %v", e.Name, e.Err) }

func (e *DataError) Unwrap() error { return e.Err }
