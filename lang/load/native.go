package load

import (
	"fmt"
	"slices"

	"github.com/gram-machine/gram/lang/syntax"
	"github.com/gram-machine/gram/term"
)

// natives are the function symbols and those definitions of the prelude that
// are run here, because the program's own text for them would go as deep as the
// list is long, or cannot be written at all sizes.
var natives = makeNatives()

// operators are (+) (-) ( * ) (/).
var operators = map[syntax.Token]*native{
	syntax.PlusTok:  binary("(+)", operator(syntax.PlusTok)),
	syntax.MinusTok: binary("(-)", operator(syntax.MinusTok)),
	syntax.StarTok:  binary("( * )", operator(syntax.StarTok)),
	syntax.SlashTok: binary("(/)", operator(syntax.SlashTok)),
}

func makeNatives() map[string]*builtin {
	all := map[string]*builtin{}
	for _, s := range append(term.Symbols(), term.Derivatives()...) {
		info, name := s.Info(), s.SourceName()
		switch {
		case info.Infix != "":
		case info.Arity == 1:
			all[name] = &builtin{unary(name, info.Eval1), true, s}
		default:
			all[name] = &builtin{binary(name, info.Eval2), true, s}
		}
	}
	for _, f := range []*native{
		{name: "foldl", arity: 3, call: foldl},
		{name: "rev", arity: 1, call: reverse},
		{name: "length", arity: 1, call: length},
		{name: "map", arity: 2, call: mapList},
		{name: "dot", arity: 2, call: dot},
		{name: "matvec", arity: 2, call: matvec},
	} {
		all[f.name] = &builtin{native: f}
	}
	return all
}

func unary(name string, f func(x float64) float64) *native {
	return &native{name: name, arity: 1, eval1: f, call: func(_ *machine, at place, args []value) value {
		return number(f(real1(at, name, args[0])))
	}}
}

func binary(name string, f func(x, y float64) float64) *native {
	return &native{name: name, arity: 2, eval2: f, call: func(_ *machine, at place, args []value) value {
		x := real1(at, name, args[0])
		return number(f(x, real1(at, name, args[1])))
	}}
}

func real1(at place, name string, v value) float64 {
	if v.ref != nil {
		wrongArgument(at, name, v, "R")
	}
	return v.num
}

func wrongArgument(at place, name string, v value, want string) {
	fail(at, "type mismatch", fmt.Sprintf("this gives %s %s, but %s takes %s", name, describe(v), name, want))
}

// listOf returns the list v. A function that stands for a list is asked for its
// elements.
func (m *machine) listOf(at place, name string, v value) *array {
	if a, ok := v.ref.(*array); ok && a.list {
		return a
	}
	if !callable(v) {
		wrongArgument(at, name, v, "a list")
	}
	return m.elements(at, v)
}

// callable reports whether v is a function, but no list and no numeral.
func callable(v value) bool {
	switch v.ref.(type) {
	case *closure, *partial, *native:
		return true
	}
	return false
}

var makeCons = &native{name: "cons", arity: 2, call: func(_ *machine, _ place, args []value) value {
	return value{ref: &cons{args[0], args[1]}}
}}

// elements returns the list that the function v stands for: v cons [].
func (m *machine) elements(at place, v value) *array {
	buf := m.frame(2)
	buf[0], buf[1] = value{ref: makeCons}, value{ref: &array{list: true}}
	chain := m.apply(at, v, buf)
	m.release(2)
	n := 0
	cell := chain
	for {
		c, ok := cell.ref.(*cons)
		if !ok {
			break
		}
		m.tick()
		n++
		cell = c.tail
	}
	if end, ok := cell.ref.(*array); !ok || end.n != 0 || !end.list {
		mismatch(at, v, "a list")
	}
	if n == 0 {
		return &array{list: true}
	}
	c := chain.ref.(*cons)
	a := m.array(at, true, n, c.head)
	for i := 1; i < n; i++ {
		m.tick()
		c = c.tail.ref.(*cons)
		a.set(at, i, c.head)
	}
	return a
}

func foldl(m *machine, at place, args []value) value {
	f, x, l := args[0], args[1], m.listOf(at, "foldl", args[2])
	buf := m.frame(2)
	for i := 0; i < l.n; i++ {
		buf[0], buf[1] = x, l.at(i)
		x = m.apply(at, f, buf)
	}
	m.release(2)
	return x
}

func length(m *machine, at place, args []value) value {
	return number(float64(m.listOf(at, "length", args[0]).n))
}

func reverse(m *machine, at place, args []value) value {
	l := m.listOf(at, "rev", args[0])
	if l.n == 0 {
		return args[0]
	}
	if l.flat == nil {
		m.announce(24 * int64(l.n))
		r := &array{list: true, n: l.n, elems: slices.Clone(l.elems)}
		slices.Reverse(r.elems)
		return value{ref: r}
	}
	w := l.elem.width
	r := &array{list: true, n: l.n, elem: l.elem, flat: m.floats(at, l.n, w)}
	for i := 0; i < l.n; i++ {
		m.tick()
		copy(r.flat[i*w:(i+1)*w], l.flat[(l.n-1-i)*w:])
	}
	return value{ref: r}
}

func mapList(m *machine, at place, args []value) value {
	f, l := args[0], m.listOf(at, "map", args[1])
	if l.n == 0 {
		return value{ref: &array{list: true}}
	}
	buf := m.frame(1)
	buf[0] = l.at(0)
	a := m.array(at, true, l.n, m.apply(at, f, buf))
	for i := 1; i < l.n; i++ {
		buf[0] = l.at(i)
		a.set(at, i, m.apply(at, f, buf))
	}
	m.release(1)
	return value{ref: a}
}

// dot is the sum v0*w0 + (v1*w1 + …).
func dot(m *machine, at place, args []value) value {
	v := vectorOf(at, "dot", args[0], "R^d")
	w := vectorOf(at, "dot", args[1], "R^d")
	if v.n != w.n {
		wrongArgument(at, "dot", args[1], "vectors of one size; the first is "+describe(args[0]))
	}
	return number(m.dot(v.flat, w.flat))
}

func (m *machine) dot(v, w []float64) float64 {
	total := v[len(v)-1] * w[len(v)-1]
	for i := len(v) - 2; i >= 0; i-- {
		m.tick()
		total = v[i]*w[i] + total
	}
	return total
}

func vectorOf(at place, name string, v value, want string) *array {
	a, ok := v.ref.(*array)
	if !ok || a.list || a.flat == nil || a.elem.Kind != Real {
		wrongArgument(at, name, v, want)
	}
	return a
}

func matvec(m *machine, at place, args []value) value {
	a, ok := args[0].ref.(*array)
	if !ok || a.list || a.flat == nil || a.elem.Kind != Vector || a.elem.A.Kind != Real {
		wrongArgument(at, "matvec", args[0], "R^d^m")
	}
	v := vectorOf(at, "matvec", args[1], "R^d")
	d := a.elem.Size
	if v.n != d {
		wrongArgument(at, "matvec", args[1], fmt.Sprintf("R^%d after %s", d, describe(args[0])))
	}
	out := &array{n: a.n, elem: realShape, flat: m.floats(at, a.n, 1)}
	for i := range out.flat {
		m.tick()
		out.flat[i] = m.dot(a.flat[i*d:(i+1)*d], v.flat)
	}
	return value{ref: out}
}
