package eval

import (
	"fmt"

	"github.com/gram-machine/gram/kernel"
	"github.com/gram-machine/gram/lang/load"
)

// Comprehension is vec i < s -> e, or list i < s -> e; i stands in slot.
func Comprehension(at *At, list bool, s Nat, slot int, body *Code) *Code {
	val := func(m *Machine, fr []value) value {
		n := s.at(fr)
		if n == 0 {
			return value{ref: &array{list: true}}
		}
		if n > maxElements {
			fail(at, "not a size", fmt.Sprintf("this has %d elements", n))
		}
		fr[slot] = value{}
		m.Step()
		a := m.array(at, list, int(n), body.val(m, fr))
		fill(m, fr, a, slot, body)
		return value{ref: a}
	}
	c := general(val)
	if list {
		return c
	}
	c.into = func(m *Machine, fr []value, dst []float64, shape *load.Shape) {
		n := s.at(fr)
		if shape.Kind != load.Vector || uint64(shape.Size) != n {
			reported()
		}
		fr[slot] = value{}
		if shape.A.Kind == load.Real {
			numbers(m, fr, dst, 0, slot, body)
			return
		}
		rows(m, fr, dst, 0, int(n), shape.A, slot, body)
	}
	return c
}

// fill computes the elements of a from the second on.
func fill(m *Machine, fr []value, a *array, slot int, body *Code) {
	switch {
	case a.flat == nil:
		for i := 1; i < a.n; i++ {
			m.Step()
			fr[slot].num = float64(i)
			a.elems[i] = body.val(m, fr)
		}
	case a.elem.Kind == load.Real:
		numbers(m, fr, a.flat, 1, slot, body)
	default:
		rows(m, fr, a.flat, 1, a.n, a.elem, slot, body)
	}
}

// numbers computes dst[from:].
func numbers(m *Machine, fr []value, dst []float64, from, slot int, body *Code) {
	num := body.num
	for i := from; i < len(dst); i++ {
		m.Step()
		fr[slot].num = float64(i)
		dst[i] = num(m, fr)
	}
}

// rows computes the elements [from, n), of shape s, in dst.
func rows(m *Machine, fr []value, dst []float64, from, n int, s *load.Shape, slot int, body *Code) {
	w := s.Width()
	for i := from; i < n; i++ {
		m.Step()
		fr[slot].num = float64(i)
		body.into(m, fr, dst[i*w:(i+1)*w], s)
	}
}

// Sum is sum i < s -> e, in the order of [term.Sum], and 0 for s = 0.
func Sum(s Nat, slot int, body *Code) *Code {
	return numeric(func(m *Machine, fr []value) float64 {
		n := s.at(fr)
		var lanes kernel.Lanes
		var next [8]float64
		fr[slot] = value{}
		for i := uint64(0); i < n; {
			some := next[:min(n-i, uint64(len(next)))]
			for k := range some {
				m.Step()
				fr[slot].num = float64(i)
				some[k] = body.num(m, fr)
				i++
			}
			lanes.Add(some)
		}
		return lanes.Sum()
	})
}

// Literal is [e; …] or [| e, … |].
func Literal(list bool, elems []*Code) *Code {
	val := func(m *Machine, fr []value) value {
		if len(elems) == 0 {
			return value{ref: &array{list: true}}
		}
		a := m.array(nil, list, len(elems), elems[0].val(m, fr))
		for i, e := range elems[1:] {
			m.Step()
			if a.flat == nil {
				a.elems[i+1] = e.val(m, fr)
				continue
			}
			w := a.elem.Width()
			e.into(m, fr, a.flat[(i+1)*w:(i+2)*w], a.elem)
		}
		return value{ref: a}
	}
	c := general(val)
	if list {
		return c
	}
	c.into = func(m *Machine, fr []value, dst []float64, s *load.Shape) {
		if s.Kind != load.Vector || s.Size != len(elems) {
			reported()
		}
		w := s.A.Width()
		for i, e := range elems {
			m.Step()
			e.into(m, fr, dst[i*w:(i+1)*w], s.A)
		}
	}
	return c
}
