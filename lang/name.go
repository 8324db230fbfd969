package lang

import (
	"strconv"

	"github.com/gram-machine/gram/lang/load"
	"github.com/gram-machine/gram/term"
)

// nameScalars gives the variables of t that stand for scalars their names.
func (p *Program) nameScalars(t *term.Term) {
	for i := range p.Inputs {
		if in := &p.Inputs[i]; len(in.Vars) > 0 {
			t.NameVars(in.Vars[0], len(in.Vars), in.scalarName)
		}
	}
}

// ScalarNames returns the names of the program's scalar inputs.
func (p *Program) ScalarNames() []string {
	var names []string
	for i := range p.Inputs {
		in := &p.Inputs[i]
		for k := range in.Shape.Width() {
			names = append(names, in.scalarName(k))
		}
	}
	return names
}

// scalarName returns the name of number k of the scalars of an input, as the program would write it: E.(0).(1); the
// components of a pair by their number after a colon: p:0, p:1. The components of what has a long name have that name.
func (in *Input) scalarName(k int) string {
	name := []byte(in.Name)
	for s := in.Shape; len(name) <= MaxName; {
		switch s.Kind {
		case load.Product:
			if first := s.A.Width(); k < first {
				name, s = append(name, ":0"...), s.A
			} else {
				name, s, k = append(name, ":1"...), s.B, k-first
			}
		case load.Vector:
			each := s.A.Width()
			name = append(strconv.AppendInt(append(name, ".("...), int64(k/each), 10), ')')
			s, k = s.A, k%each
		default:
			return string(name)
		}
	}
	return string(name)
}
