package eval

import (
	"slices"

	"github.com/gram-machine/gram/lang/core"
	"github.com/gram-machine/gram/lang/syntax"
)

// function is a λ with one parameter or more.
type function struct {
	at     *core.At
	params int // they have the first slots
	body   *code
	slots  int // the length of a frame
	nest   int // how deep evaluation of the body goes without calls
	caps   []capture
}

// capture is a variable of the enclosing function that a function uses: when
// the closure is made it is taken from one slot, at a call it is put in another.
type capture struct{ from, to int }

// closure is a function with the values of the variables that it captured.
type closure struct {
	*function
	captured []value
}

func (c *closure) arity() int { return c.params }

func (c *closure) call(m *machine, args []value) value {
	m.Step()
	m.deeper(c.at, c.nest+callNest)
	fr := m.frame(c.slots)
	for i, v := range c.caps {
		fr[v.to] = c.captured[i]
	}
	copy(fr, args)
	v := c.body.run(m, fr)
	m.release(c.slots)
	m.depth -= c.nest + callNest
	return v
}

// native is a function in Go. It does not keep its arguments.
type native struct {
	params int
	apply  func(m *machine, args []value) value
}

func (f *native) arity() int                          { return f.params }
func (f *native) call(m *machine, args []value) value { return f.apply(m, args) }

// partial is a function that has got some of its arguments.
type partial struct {
	function object
	given    []value
}

func (p *partial) arity() int { return p.function.arity() - len(p.given) }

func (p *partial) call(m *machine, args []value) value {
	all := m.frame(len(p.given) + len(args))
	copy(all[copy(all, p.given):], args)
	v := p.function.call(m, all)
	m.release(len(all))
	return v
}

// apply applies f to one or more arguments. It does not keep args.
func (m *machine) apply(f value, args []value) value {
	for len(args) > 0 {
		m.Step()
		if f.ref == nil {
			reported()
		}
		n := f.ref.arity()
		if len(args) < n {
			return value{ref: &partial{f.ref, slices.Clone(args)}}
		}
		f, args = f.ref.call(m, args[:n]), args[n:]
	}
	return f
}

// arity is that of a list, which is a function of f and x.
func (a *array) arity() int {
	if !a.list {
		reported()
	}
	return 2
}

// call is f a0 (f a1 (… x)): the last element comes first.
func (a *array) call(m *machine, args []value) value {
	f, x := args[0], args[1]
	buf := m.frame(2)
	for i := a.n - 1; i >= 0; i-- {
		buf[0], buf[1] = a.at(i), x
		x = m.apply(f, buf)
	}
	m.release(2)
	return x
}

// church is the numeral #n: f (f (… x)), n times.
func church(n uint64) value {
	return value{ref: &native{2, func(m *machine, args []value) value {
		f, x := args[0], args[1]
		buf := m.frame(1)
		for i := n; i > 0; i-- {
			buf[0] = x
			x = m.apply(f, buf)
		}
		m.release(1)
		return x
	}}}
}

// definition is a definition of the prelude in Go.
type definition struct {
	name string
	native
}

// natives are the definitions of the prelude that are run here, because their own text would go as deep as the list is
// long.
var natives = []definition{
	{"foldl", native{3, foldl}},
	{"rev", native{1, reverse}},
	{"length", native{1, length}},
	{"map", native{2, mapList}},
	{"filter", native{2, filterList}},
}

// Native returns the number that a definition of the prelude has in a [core.NativeOp], -1 if it is none that is run
// here.
func Native(name string) int {
	return slices.IndexFunc(natives, func(d definition) bool { return d.name == name })
}

// listOf returns the list v. A function that stands for a list is asked for its elements.
func (m *machine) listOf(v value) *array {
	if a, ok := v.ref.(*array); ok && a.list {
		return a
	}
	return m.elements(v)
}

// cons is a list under construction, while a function that stands for a list is asked for its elements.
type cons struct {
	data
	head, tail value
}

var makeCons = &native{2, func(_ *machine, args []value) value {
	return value{ref: &cons{head: args[0], tail: args[1]}}
}}

// elements returns the list that the function v stands for: v cons [].
func (m *machine) elements(v value) *array {
	buf := m.frame(2)
	buf[0], buf[1] = value{ref: makeCons}, value{ref: &array{list: true}}
	chain := m.apply(v, buf)
	m.release(2)
	n, end := 0, chain
	for {
		c, ok := end.ref.(*cons)
		if !ok {
			break
		}
		m.Step()
		n, end = n+1, c.tail
	}
	if end, ok := end.ref.(*array); !ok || end.n != 0 || !end.list {
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
	for i := range l.n {
		buf[0], buf[1] = s, l.at(i)
		s = m.apply(f, buf)
	}
	m.release(2)
	return s
}

func length(m *machine, args []value) value { return number(float64(m.listOf(args[0]).n)) }

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
		if m.apply(p, buf).real() > 0 {
			kept = append(syntax.Room(m.Guard, kept, 1), i)
		}
	}
	return value{ref: m.build(nil, true, len(kept), func(i int) value { return l.at(kept[i]) })}
}
