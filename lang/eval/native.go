package eval

import (
	"slices"

	"github.com/gram-machine/gram/kernel"
)

// natives are the definitions of the prelude that are run here, because their own
// text would go as deep as the list is long.
var natives = map[string]*native{
	"foldl":  {arity: 3, call: foldl},
	"rev":    {arity: 1, call: reverse},
	"length": {arity: 1, call: length},
	"map":    {arity: 2, call: mapList},
	"filter": {arity: 2, call: filterList},
}

// HasNative reports whether a definition of the prelude is run by [Native].
func HasNative(name string) bool { return natives[name] != nil }

// Native is a definition of the prelude.
func Native(name string) *Code { return constant(value{ref: natives[name]}) }

// listOf returns the list v. A function that stands for a list is asked for its
// elements.
func (m *Machine) listOf(v value) *array {
	switch o := v.ref.(type) {
	case *array:
		if o.list {
			return o
		}
	case *closure, *partial, *native:
		return m.elements(v)
	}
	reported()
	return nil
}

var makeCons = &native{arity: 2, call: func(_ *Machine, args []value) value {
	return value{ref: &cons{args[0], args[1]}}
}}

// elements returns the list that the function v stands for: v cons [].
func (m *Machine) elements(v value) *array {
	buf := m.frame(2)
	buf[0], buf[1] = value{ref: makeCons}, value{ref: &array{list: true}}
	chain := m.apply(v, buf)
	m.release(2)
	n := 0
	cell := chain
	for {
		c, ok := cell.ref.(*cons)
		if !ok {
			break
		}
		m.Step()
		n++
		cell = c.tail
	}
	if end, ok := cell.ref.(*array); !ok || end.n != 0 || !end.list {
		reported()
	}
	if n == 0 {
		return &array{list: true}
	}
	c := chain.ref.(*cons)
	a := m.array(nil, true, n, c.head)
	for i := 1; i < n; i++ {
		m.Step()
		c = c.tail.ref.(*cons)
		a.set(i, c.head)
	}
	return a
}

// foldl f s l is f (f (f s a) b) c: in list order.
func foldl(m *Machine, args []value) value {
	f, s, l := args[0], args[1], m.listOf(args[2])
	buf := m.frame(2)
	for i := 0; i < l.n; i++ {
		buf[0], buf[1] = s, l.at(i)
		s = m.apply(f, buf)
	}
	m.release(2)
	return s
}

func length(m *Machine, args []value) value {
	return number(float64(m.listOf(args[0]).n))
}

func reverse(m *Machine, args []value) value {
	l := m.listOf(args[0])
	if l.n == 0 {
		return args[0]
	}
	if l.flat == nil {
		m.Announce(24 * int64(l.n))
		r := &array{list: true, n: l.n, elems: slices.Clone(l.elems)}
		slices.Reverse(r.elems)
		return value{ref: r}
	}
	w := l.elem.Width()
	r := &array{list: true, n: l.n, elem: l.elem, flat: m.floats(nil, l.n, w)}
	for i := 0; i < l.n; i++ {
		m.Step()
		copy(r.flat[i*w:(i+1)*w], l.flat[(l.n-1-i)*w:])
	}
	return value{ref: r}
}

func mapList(m *Machine, args []value) value {
	f, l := args[0], m.listOf(args[1])
	if l.n == 0 {
		return value{ref: &array{list: true}}
	}
	buf := m.frame(1)
	buf[0] = l.at(0)
	a := m.array(nil, true, l.n, m.apply(f, buf))
	for i := 1; i < l.n; i++ {
		buf[0] = l.at(i)
		a.set(i, m.apply(f, buf))
	}
	m.release(1)
	return value{ref: a}
}

func filterList(m *Machine, args []value) value {
	p, l := args[0], m.listOf(args[1])
	buf := m.frame(1)
	defer m.release(1)
	kept := []value{}
	for i := range l.n {
		buf[0] = l.at(i)
		v := m.apply(p, buf)
		if v.real() > 0 {
			if len(kept) == cap(kept) {
				m.Announce(24 * 2 * int64(len(kept)))
			}
			kept = append(kept, l.at(i))
		}
	}
	if len(kept) == 0 {
		return value{ref: &array{list: true}}
	}
	a := m.array(nil, true, len(kept), kept[0])
	for i, v := range kept[1:] {
		a.set(i+1, v)
	}
	return value{ref: a}
}

// Dot is the sum of the products v_i·w_i, in the order of [term.Sum].
func Dot(v, w *Code) *Code {
	return numeric(func(m *Machine, fr []value) float64 {
		x := v.val(m, fr)
		a := x.array()
		y := w.val(m, fr)
		return m.dot(a.numbers(), y.array().numbers())
	})
}

// numbers are the elements of a vector of numbers.
func (a *array) numbers() []float64 {
	if a.flat == nil {
		reported()
	}
	return a.flat
}

// dotAtOnce is how many products are added between two looks at the limits.
const dotAtOnce = 1 << 16

func (m *Machine) dot(v, w []float64) float64 {
	if len(v) != len(w) {
		reported()
	}
	var sum kernel.Lanes
	for len(v) > 0 {
		m.Step()
		n := min(len(v), dotAtOnce)
		sum.AddProducts(v[:n], w[:n])
		v, w = v[n:], w[n:]
	}
	return sum.Sum()
}

// Matvec is the product of a matrix, a vector of its rows, and a vector.
func Matvec(a, v *Code) *Code {
	return general(func(m *Machine, fr []value) value {
		x := a.val(m, fr)
		rows, y := x.array(), v.val(m, fr)
		vec := y.array().numbers()
		out := &array{n: rows.n, elem: realShape, flat: m.floats(nil, rows.n, 1)}
		for i := range out.flat {
			m.Step()
			row := rows.at(i)
			out.flat[i] = m.dot(row.array().numbers(), vec)
		}
		return value{ref: out}
	})
}
