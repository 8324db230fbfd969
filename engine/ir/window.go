package ir

import (
	"fmt"

	"github.com/gram-machine/gram/term"
)

// Window is what is there of data that is not stored: the rows about that which a loop over the data has read last,
// those before, which it reads again if it goes back and forth, and one that a reference was followed to.
type Window struct {
	Data              *term.Data // nil: it is stored
	Index             int        // of Term.Data
	rows, before, one Part
}

// Part is numbers of data, from the number First on.
type Part struct {
	First  uint64
	Values []float64
}

func (p *Part) has(n uint64) bool { return n-p.First < uint64(len(p.Values)) }

// Bytes is how much memory the window takes.
func (w *Window) Bytes() uint64 {
	return 8 * uint64(cap(w.rows.Values)+cap(w.before.Values)+cap(w.one.Values))
}

// Part returns a part with the number n of the data. ahead says that a loop goes through the data, and will read what
// is near: then about so many numbers are computed; else only the row is, if it is not there. The error is one of
// reserve, or of the data, which may be one of look.
func (w *Window) Part(n uint64, ahead bool, numbers int, reserve func(bytes int) error, look func() error) (*Part,
	error) {
	row := int(n / uint64(w.Data.Width))
	switch {
	case w.rows.has(n):
		return &w.rows, nil
	case ahead: // windows lie where the way back finds the same ones
		w.rows, w.before = w.before, w.rows
		if w.rows.has(n) {
			return &w.rows, nil
		}
		length := max(1, numbers/w.Data.Width)
		first := row / length * length
		return &w.rows, w.fill(&w.rows, first, min(length, w.Data.Rows-first), reserve, look)
	case w.one.has(n):
		return &w.one, nil
	}
	return &w.one, w.fill(&w.one, row, 1, reserve, look)
}

// fill computes count rows from one on.
func (w *Window) fill(p *Part, row, count int, reserve func(bytes int) error, look func() error) error {
	n := count * w.Data.Width
	p.Values = p.Values[:0]
	if cap(p.Values) < n {
		if err := reserve(8 * n); err != nil {
			return err
		}
		p.Values = make([]float64, 0, n)
	}
	if err := w.Data.Chunk(p.Values[:n], row, look); err != nil {
		return &DataError{w.Index, w.Data.Name, err}
	}
	p.First, p.Values = uint64(row)*uint64(w.Data.Width), p.Values[:n]
	return nil
}

// DataError is an error of data that is not stored, of which a run needed numbers.
type DataError struct {
	Index int // of the term's data
	Name  string
	Err   error
}

func (e *DataError) Error() string { return fmt.Sprintf("data %s: %v", e.Name, e.Err) }

func (e *DataError) Unwrap() error { return e.Err }
