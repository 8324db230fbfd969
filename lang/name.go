package lang

import (
	"slices"
	"strconv"

	"github.com/gram-machine/gram/lang/load"
	"github.com/gram-machine/gram/lang/lower"
	"github.com/gram-machine/gram/term"
)

// nameBytes is about what the names of the scalars take.
func (p *Program) nameBytes() int64 {
	const each = 16
	n := 0
	for i := range p.Inputs {
		n += len(p.Inputs[i].Vars)
	}
	return each * int64(n)
}

// nameScalars gives the variables of t that stand for scalars their names.
func (p *Program) nameScalars(t *term.Term) {
	for i := range p.Inputs {
		in := &p.Inputs[i]
		xs := in.Vars
		scalarNames(in.Name, in.Shape, func(name string) {
			t.ToChange(xs[0]).Name = name
			xs = xs[1:]
		})
	}
}

// ScalarNames returns the names of the program's scalar inputs.
func (p *Program) ScalarNames() []string {
	var names []string
	for i := range p.Inputs {
		scalarNames(p.Inputs[i].Name, p.Inputs[i].Shape, func(name string) { names = append(names, name) })
	}
	return names
}

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
		long := len(prefix) > lower.MaxName
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
