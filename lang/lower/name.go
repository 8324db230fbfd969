package lower

import (
	"slices"
	"strconv"

	"github.com/gram-machine/gram/lang/load"
	"github.com/gram-machine/gram/term"
)

// nameBytes is about what the name of a scalar takes.
const nameBytes = 16

// scalarNames calls f with the names of the scalars of an input, as the program would write
// them: E.(0).(1); the components of a pair by their number after a colon: p:0, p:1. Many names share a string.
func scalarNames(name string, s *load.Shape, f func(name string)) {
	var text []byte
	var ends []int
	flush := func() {
		all, from := string(text), 0
		for _, end := range ends {
			f(all[from:end])
			from = end
		}
		text, ends = text[:0], ends[:0]
	}
	var add func(prefix []byte, s *load.Shape)
	add = func(prefix []byte, s *load.Shape) {
		long := len(prefix) > maxName
		switch s.Kind {
		case load.Product:
			for i, part := range []*load.Shape{s.A, s.B} {
				next := prefix
				if !long {
					next = append(append(prefix[:len(prefix):len(prefix)], ':'), byte('0'+i))
				}
				add(next, part)
			}
		case load.Vector:
			next := slices.Clone(prefix)
			for i := range s.Size {
				if !long {
					next = append(strconv.AppendInt(append(next[:len(prefix)], ".("...), int64(i), 10), ')')
				}
				add(next, s.A)
			}
		default:
			text = append(text, prefix...)
			if ends = append(ends, len(text)); len(text) >= 1<<16 {
				flush()
			}
		}
	}
	add([]byte(name), s)
	flush()
}

// dataTerm returns data as the term holds it.
func dataTerm(x *load.Variable) term.Data {
	s := x.Shape
	d := term.Data{Name: x.Name, List: s.Kind == load.List && !s.Tagged(), Rows: x.Value.Rows, Width: s.Width(), Values: x.Value.Data, Chunk: x.Value.Chunk}
	if !d.List {
		d.Rows = 1
	}
	return d
}
