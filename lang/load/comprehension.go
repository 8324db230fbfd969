package load

import (
	"fmt"
)

// comprehend is vec i < s -> e or list i < s -> e; i stands in slot.
func comprehend(at place, list bool, s nat, slot int, body *code) *code {
	val := func(m *machine, fr []value) value {
		n := s.at(fr)
		if n == 0 && list {
			return value{ref: &array{list: true}}
		}
		checkSize(at, list, n)
		fr[slot] = value{}
		m.tick()
		a := m.array(at, list, int(n), body.val(m, fr))
		fill(m, fr, a, slot, body)
		return value{ref: a}
	}
	c := general(at, val)
	if list {
		return c
	}
	c.into = func(m *machine, fr []value, dst []float64, shape *Shape) {
		n := s.at(fr)
		if shape.Kind != Vector || uint64(shape.Size) != n {
			mismatch(at, val(m, fr), shape.String())
		}
		fr[slot] = value{}
		w, elem := shape.A.width, shape.A
		if elem.Kind == Real {
			numbers(m, fr, dst, 0, slot, body)
			return
		}
		for i := 0; i < int(n); i++ {
			m.tick()
			fr[slot].num = float64(i)
			body.into(m, fr, dst[i*w:(i+1)*w], elem)
		}
	}
	return c
}

func checkSize(at place, list bool, n uint64) {
	label := ""
	switch {
	case n > maxElements:
		label = fmt.Sprintf("this has %d elements", n)
	case !list:
		label = badSize(n)
	}
	if label != "" {
		fail(at, "not a size", label)
	}
}

// fill computes the elements of a from the second on.
func fill(m *machine, fr []value, a *array, slot int, body *code) {
	switch {
	case a.flat == nil:
		for i := 1; i < a.n; i++ {
			m.tick()
			fr[slot].num = float64(i)
			a.elems[i] = body.val(m, fr)
		}
	case a.elem.Kind == Real:
		numbers(m, fr, a.flat, 1, slot, body)
	default:
		w := a.elem.width
		for i := 1; i < a.n; i++ {
			m.tick()
			fr[slot].num = float64(i)
			body.into(m, fr, a.flat[i*w:(i+1)*w], a.elem)
		}
	}
}

// numbers computes dst[from:].
func numbers(m *machine, fr []value, dst []float64, from, slot int, body *code) {
	num := body.num
	for i := from; i < len(dst); i++ {
		m.tick()
		fr[slot].num = float64(i)
		dst[i] = num(m, fr)
	}
}

// summation is sum i < s -> e: e0 + (e1 + …), and 0 for s = 0.
func summation(at place, s nat, slot int, body *code) *code {
	return numeric(at, func(m *machine, fr []value) float64 {
		n := s.at(fr)
		if n == 0 {
			return 0
		}
		fr[slot] = number(float64(n - 1))
		total := body.num(m, fr)
		for i := n - 1; i > 0; i-- {
			m.tick()
			fr[slot].num = float64(i - 1)
			total = body.num(m, fr) + total
		}
		return total
	})
}

// literal is [e; …] or [| e, … |].
func literal(at place, list bool, elems []*code) *code {
	val := func(m *machine, fr []value) value {
		if len(elems) == 0 {
			return value{ref: &array{list: true}}
		}
		a := m.array(at, list, len(elems), elems[0].val(m, fr))
		for i, e := range elems[1:] {
			m.tick()
			if a.flat == nil {
				a.elems[i+1] = e.val(m, fr)
				continue
			}
			w := a.elem.width
			e.into(m, fr, a.flat[(i+1)*w:(i+2)*w], a.elem)
		}
		return value{ref: a}
	}
	c := general(at, val)
	if list {
		return c
	}
	c.into = func(m *machine, fr []value, dst []float64, s *Shape) {
		if s.Kind != Vector || s.Size != len(elems) {
			mismatch(at, val(m, fr), s.String())
		}
		w := s.A.width
		for i, e := range elems {
			m.tick()
			e.into(m, fr, dst[i*w:(i+1)*w], s.A)
		}
	}
	return c
}

// tuple is (e1, e2, …), pairs to the right.
func tuple(at place, elems []*code) *code {
	val := func(m *machine, fr []value) value {
		vals := make([]value, len(elems))
		for i, e := range elems {
			vals[i] = e.val(m, fr)
		}
		v := vals[len(vals)-1]
		for i := len(vals) - 2; i >= 0; i-- {
			v = value{ref: &pair{vals[i], v}}
		}
		return v
	}
	c := general(at, val)
	c.into = func(m *machine, fr []value, dst []float64, s *Shape) {
		for rest, i := s, 0; i < len(elems)-1; i++ {
			if rest.Kind != Product {
				mismatch(at, val(m, fr), s.String())
			}
			rest = rest.B
		}
		for _, e := range elems[:len(elems)-1] {
			w := s.A.width
			e.into(m, fr, dst[:w], s.A)
			dst, s = dst[w:], s.B
		}
		elems[len(elems)-1].into(m, fr, dst, s)
	}
	return c
}

// numeral is #s.
func numeral(at place, s nat) *code {
	if s.f == nil {
		return constant(at, value{ref: church(s.c)})
	}
	return general(at, func(_ *machine, fr []value) value { return value{ref: church(s.at(fr))} })
}
