package eval

import "github.com/gram-machine/gram/lang/core"

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

// call calls f with as many arguments as it has parameters.
func (m *machine) call(f *closure, args []value) value {
	m.enter(f.fn)
	fr := m.frame(f.fn.slots)
	for i, c := range f.fn.caps {
		fr[c.to] = f.caps[i]
	}
	copy(fr, args)
	v := f.fn.body.run(m, fr)
	m.release(f.fn.slots)
	m.leave(f.fn)
	return v
}

// apply applies f to one or more arguments. It does not keep args.
func (m *machine) apply(f value, args []value) value {
	for {
		m.Step()
		k := arity(f)
		if len(args) < k {
			return value{ref: &partial{f, append([]value(nil), args...)}}
		}
		switch o := f.ref.(type) {
		case *partial:
			f = m.resume(o, args[:k])
		case *closure:
			f = m.call(o, args[:k])
		case *native:
			f = o.call(m, args[:k])
		case *array:
			f = m.fold(args[0], args[1], o)
		case church:
			f = m.iterate(uint64(o), args[0], args[1])
		}
		args = args[k:]
		if len(args) == 0 {
			return f
		}
	}
}

// arity is the number of arguments that f waits for.
func arity(f value) int {
	switch o := f.ref.(type) {
	case *partial:
		return arity(o.fn) - len(o.args)
	case *closure:
		return o.fn.params
	case *native:
		return o.arity
	case church:
		return 2
	case *array:
		if o.list {
			return 2
		}
	}
	reported()
	return 0
}

// resume gives a partial application its last arguments.
func (m *machine) resume(p *partial, args []value) value {
	n := len(p.args) + len(args)
	buf := m.frame(n)
	copy(buf, p.args)
	copy(buf[len(p.args):], args)
	v := m.apply(p.fn, buf)
	m.release(n)
	return v
}

// fold is f a0 (f a1 (… x)): the last element comes first.
func (m *machine) fold(f, x value, l *array) value {
	buf := m.frame(2)
	for i := l.n - 1; i >= 0; i-- {
		buf[0], buf[1] = l.at(i), x
		x = m.apply(f, buf)
	}
	m.release(2)
	return x
}

// iterate is f (f (… x)), n times.
func (m *machine) iterate(n uint64, f, x value) value {
	buf := m.frame(1)
	for ; n > 0; n-- {
		buf[0] = x
		x = m.apply(f, buf)
	}
	m.release(1)
	return x
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
