package ir

import "github.com/gram-machine/gram/term"

// Layout is how values lie in registers and in objects. The zero value is not usable: call [NewLayout].
type Layout struct {
	types       *term.Types
	regs, slots map[term.Type]int
}

// NewLayout returns the layout of the types of a universe.
func NewLayout(types *term.Types) *Layout {
	return &Layout{types, map[term.Type]int{}, map[term.Type]int{}}
}

// Registers is how many registers a value of type t takes: a product takes those of its components. It takes as many
// slots in a closure or a constructor.
func (w *Layout) Registers(t term.Type) int {
	if w.types.Kind(t) != term.ProdKind {
		return 1
	}
	n, ok := w.regs[t]
	if !ok {
		n = w.Registers(w.types.Left(t)) + w.Registers(w.types.Right(t))
		w.regs[t] = n
	}
	return n
}

// Slots is how many slots a value of type t takes in a vector: vectors of vectors lie row by row.
func (w *Layout) Slots(t term.Type) int {
	kind := w.types.Kind(t)
	if kind != term.ProdKind && kind != term.VecKind {
		return 1
	}
	n, ok := w.slots[t]
	if !ok {
		if n = w.Slots(w.types.Left(t)); kind == term.VecKind {
			n *= w.types.Len(t)
		} else {
			n += w.Slots(w.types.Right(t))
		}
		w.slots[t] = n
	}
	return n
}

// ListOf returns A and X of the type of lists (A → X → X) → X → X.
func ListOf(tt *term.Types, t term.Type) (elem, x term.Type, ok bool) {
	f, rest := tt.Left(t), tt.Right(t)
	if tt.Kind(f) != term.ArrowKind || tt.Kind(rest) != term.ArrowKind {
		return 0, 0, false
	}
	return tt.Left(f), tt.Left(rest), true
}
