package eval

import "slices"

// natives are the definitions of the prelude that are run here, because their own text would go as deep as the list is
// long.
var natives = []*native{
	{"foldl", 3, foldl},
	{"rev", 1, reverse},
	{"length", 1, length},
	{"map", 2, mapList},
	{"filter", 2, filterList},
}

// Native returns the number that a definition of the prelude has in a [core.NativeOp], -1 if it is none that is run
// here.
func Native(name string) int {
	return slices.IndexFunc(natives, func(n *native) bool { return n.name == name })
}

// listOf returns the list v. A function that stands for a list is asked for its
// elements.
func (m *machine) listOf(v value) *array {
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

var makeCons = &native{"cons", 2, func(_ *machine, args []value) value {
	return value{ref: &cons{args[0], args[1]}}
}}

// elements returns the list that the function v stands for: v cons [].
func (m *machine) elements(v value) *array {
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
func foldl(m *machine, args []value) value {
	f, s, l := args[0], args[1], m.listOf(args[2])
	buf := m.frame(2)
	for i := 0; i < l.n; i++ {
		buf[0], buf[1] = s, l.at(i)
		s = m.apply(f, buf)
	}
	m.release(2)
	return s
}

func length(m *machine, args []value) value {
	return number(float64(m.listOf(args[0]).n))
}

func reverse(m *machine, args []value) value {
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

func mapList(m *machine, args []value) value {
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

func filterList(m *machine, args []value) value {
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
