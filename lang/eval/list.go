package eval

import "github.com/gram-machine/gram/lang/syntax"

// natives are the definitions of the prelude that are run here, because their own text would go as deep as the list is
// long.
var natives = []struct {
	name string
	callable
}{
	{"foldl", callable{arity: 3, call: foldl}},
	{"rev", callable{arity: 1, call: reverse}},
	{"length", callable{arity: 1, call: length}},
	{"map", callable{arity: 2, call: mapList}},
	{"filter", callable{arity: 2, call: filterList}},
}

// Native returns the number that a definition of the prelude has in a [core.NativeOp], -1 if it is none that is run
// here.
func Native(name string) int {
	for i := range natives {
		if natives[i].name == name {
			return i
		}
	}
	return -1
}

// listOf returns the list v. A function that stands for a list is asked for its
// elements.
func (m *machine) listOf(v value) *array {
	switch o := v.ref.(type) {
	case *array:
		if o.list {
			return o
		}
	case *callable:
		return m.elements(v)
	}
	reported()
	return nil
}

var makeCons = &callable{arity: 2, call: func(_ *machine, args []value) value {
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
	return m.build(nil, true, n, func(int) value {
		c := chain.ref.(*cons)
		chain = c.tail
		return c.head
	})
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
	return value{ref: m.build(nil, true, l.n, func(i int) value { return l.at(l.n - 1 - i) })}
}

func mapList(m *machine, args []value) value {
	f, l := args[0], m.listOf(args[1])
	buf := m.frame(1)
	defer m.release(1)
	return value{ref: m.build(nil, true, l.n, func(i int) value {
		buf[0] = l.at(i)
		return m.apply(f, buf)
	})}
}

func filterList(m *machine, args []value) value {
	p, l := args[0], m.listOf(args[1])
	buf := m.frame(1)
	defer m.release(1)
	var kept []int
	for i := range l.n {
		buf[0] = l.at(i)
		if v := m.apply(p, buf); v.real() > 0 {
			kept = append(syntax.Room(m.Guard, kept, 1), i)
		}
	}
	return value{ref: m.build(nil, true, len(kept), func(i int) value { return l.at(kept[i]) })}
}
