package eval

import (
	"slices"

	"github.com/gram-machine/gram/lang/core"
)

// capture is a variable of the enclosing function that a function uses: when
// the closure is made it is taken from one slot, at a call it is put in another.
type capture struct{ from, to int }

// function is a λ with one parameter or more.
type function struct {
	at     *core.At
	params int // they have the first slots
	body   *code
	slots  int // the length of a frame
	nest   int // how deep evaluation of the body goes without calls
	caps   []capture
}

// callable is what can be applied: it waits for as many arguments as its arity, less those that it has been given.
type callable struct {
	arity int
	call  func(m *machine, args []value) value
	given []value
}

func (*callable) isObject() {}

// closure is a function with the values of the variables that it captured.
func closure(f *function, caps []value) value {
	return value{ref: &callable{arity: f.params, call: func(m *machine, args []value) value {
		m.enter(f)
		fr := m.frame(f.slots)
		for i, c := range f.caps {
			fr[c.to] = caps[i]
		}
		copy(fr, args)
		v := f.body.run(m, fr)
		m.release(f.slots)
		m.leave(f)
		return v
	}}}
}

// apply applies f to one or more arguments. It does not keep args.
func (m *machine) apply(f value, args []value) value {
	for {
		m.Step()
		switch o := f.ref.(type) {
		case *callable:
			k := o.arity - len(o.given)
			if len(args) < k {
				return value{ref: &callable{o.arity, o.call, slices.Concat(o.given, args)}}
			}
			f, args = m.call(o, args[:k]), args[k:]
		case *array:
			if !o.list {
				reported()
			}
			if len(args) < 2 {
				return value{ref: &callable{2, o.fold, slices.Clone(args)}}
			}
			f, args = o.fold(m, args), args[2:]
		default:
			reported()
		}
		if len(args) == 0 {
			return f
		}
	}
}

// call gives a function its last arguments.
func (m *machine) call(o *callable, args []value) value {
	if len(o.given) == 0 {
		return o.call(m, args)
	}
	buf := m.frame(o.arity)
	copy(buf, o.given)
	copy(buf[len(o.given):], args)
	v := o.call(m, buf)
	m.release(o.arity)
	return v
}

// fold is f a0 (f a1 (… x)): the last element comes first.
func (a *array) fold(m *machine, args []value) value {
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
	return value{ref: &callable{arity: 2, call: func(m *machine, args []value) value {
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

// shared is the code c of a scope of its own, which is run once.
func shared(s *scope, c *code) *code {
	var known *value
	return does(func(m *machine, _ []value) value {
		if known == nil {
			m.deeper(nil, s.most)
			v := c.run(m, m.frame(s.slots))
			known = &v
			m.release(s.slots)
			m.depth -= s.most
		}
		return *known
	})
}
