package eval

import (
	"fmt"

	"github.com/gram-machine/gram/kernel"
	"github.com/gram-machine/gram/lang/load"
	"github.com/gram-machine/gram/lang/syntax"
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
		c.list = &comprehension{s, slot, body}
		return c
	}
	c.into = func(m *Machine, fr []value, dst []float64, shape *load.Shape) {
		n := s.at(fr)
		if shape.Kind != load.Vector || uint64(shape.Size) != n {
			reported()
		}
		fr[slot] = value{}
		elements(m, fr, dst, 0, shape.A, slot, body)
	}
	return c
}

// Scan is the vector of the states of scan i < s with y = start -> next but for the first; i and y stand in slots.
func Scan(at *At, s Nat, slot, state int, start, next *Code) *Code {
	return general(func(m *Machine, fr []value) value {
		n := s.at(fr)
		if n > maxElements {
			fail(at, "not a size", fmt.Sprintf("this has %d elements", n))
		}
		fr[state] = start.val(m, fr)
		var a *array
		for i := range int(n) {
			m.Step()
			fr[slot] = number(float64(i))
			v := next.val(m, fr)
			if fr[state] = v; i == 0 {
				a = m.array(at, false, int(n), v)
			} else {
				a.set(i, v)
			}
		}
		return value{ref: a}
	})
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
	default:
		elements(m, fr, a.flat[a.elem.Width():], 1, a.elem, slot, body)
	}
}

// elements computes elements of shape s in dst, which has those from the number first on.
func elements(m *Machine, fr []value, dst []float64, first int, s *load.Shape, slot int, body *Code) {
	if s.Kind == load.Real {
		num := body.num
		for i := range dst {
			m.Step()
			fr[slot].num = float64(first + i)
			dst[i] = num(m, fr)
		}
		return
	}
	w := s.Width()
	for i := 0; i < len(dst); i += w {
		m.Step()
		fr[slot].num = float64(first)
		body.into(m, fr, dst[i:i+w], s)
		first++
	}
}

// comprehension is list i < size -> body; i stands in slot.
type comprehension struct {
	size Nat
	slot int
	body *Code
}

// Stream returns the value of the outermost code c of a scope, of shape want, if it is a comprehension of a list that
// would take more than half of the memory that is left. Its numbers are computed by Chunk.
func (m *Machine) Stream(s *Scope, c *Code, want *load.Shape) (load.Value, bool) {
	if want.Kind != load.List || c.list == nil || m.Reserve == nil {
		return load.Value{}, false
	}
	var err error
	n, w := uint64(0), want.A.Width()
	func() {
		defer stop(&err)
		n = c.list.size.at(make([]value, s.slots))
	}()
	if err != nil || n == 0 || n > uint64(maxElements/w) || m.Reserve(16*int64(n)*int64(w)) == nil {
		return load.Value{}, false
	}
	return load.Value{Shape: want, Rows: int(n), Chunk: func(dst []float64, from int, look func() error) (err error) {
		m := &Machine{Guard: &syntax.Guard{Check: look}}
		defer syntax.Catch(&err)
		defer stop(&err)
		elements(m, m.frame(s.slots), dst, from, want.A, c.list.slot, c.list.body)
		return nil
	}}, true
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
