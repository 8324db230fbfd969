package load

// closureOf is code that makes a closure of fn.
func closureOf(at place, fn *function) *code {
	if len(fn.caps) == 0 {
		return constant(at, value{ref: &closure{fn: fn}})
	}
	return general(at, func(_ *machine, fr []value) value {
		caps := make([]value, len(fn.caps))
		for i, c := range fn.caps {
			caps[i] = fr[c.from]
		}
		return value{ref: &closure{fn, caps}}
	})
}

// open fills a new frame for a call of f; args are as many as the parameters.
func (m *machine) open(at place, f *closure, args []value) []value {
	fr := m.frame(f.fn.slots)
	for i, c := range f.fn.caps {
		fr[c.to] = f.caps[i]
	}
	for i, p := range f.fn.params {
		p.bind(m, fr, at, args[i])
	}
	return fr
}

// call calls f with as many arguments as it has parameters.
func (m *machine) call(at place, f *closure, args []value) value {
	m.enter(f.fn)
	fr := m.open(at, f, args)
	v := f.fn.body.val(m, fr)
	m.release(f.fn.slots)
	m.leave(f.fn)
	return v
}

// direct is a call of a function that is known when the code is compiled, with
// as many arguments as it has parameters.
func direct(at place, f *closure, args []*code) *code {
	fn := f.fn
	k := len(args)
	begin := func(m *machine, fr []value) []value {
		buf := m.frame(k)
		for i, a := range args {
			buf[i] = a.val(m, fr)
		}
		m.sites = append(m.sites, at)
		m.enter(fn)
		inner := m.frame(fn.slots)
		for i, p := range fn.params {
			p.bind(m, inner, args[i].at, buf[i])
		}
		return inner
	}
	end := func(m *machine) {
		m.release(fn.slots + k)
		m.leave(fn)
		m.sites = m.sites[:len(m.sites)-1]
	}
	return &code{
		at: at,
		num: func(m *machine, fr []value) float64 {
			x := fn.body.num(m, begin(m, fr))
			end(m)
			return x
		},
		val: func(m *machine, fr []value) value {
			v := fn.body.val(m, begin(m, fr))
			end(m)
			return v
		},
		into: func(m *machine, fr []value, dst []float64, s *Shape) {
			fn.body.into(m, begin(m, fr), dst, s)
			end(m)
		},
	}
}

// apply is an application of a function that is known when it is run.
func apply(at place, f *code, args []*code) *code {
	k := len(args)
	return general(at, func(m *machine, fr []value) value {
		fv := f.val(m, fr)
		if fv.ref == nil {
			fail(f.at, "type mismatch", "this is R, but it is applied to an argument")
		}
		buf := m.frame(k)
		for i, a := range args {
			buf[i] = a.val(m, fr)
		}
		m.sites = append(m.sites, at)
		v := m.apply(at, fv, buf)
		m.sites = m.sites[:len(m.sites)-1]
		m.release(k)
		return v
	})
}

func notFunction(at place, v value) {
	fail(at, "type mismatch", describe(v)+" is applied to an argument, but is no function")
}

// apply applies f to one or more arguments. It does not keep args.
func (m *machine) apply(at place, f value, args []value) value {
	for {
		m.tick()
		k := arity(at, f)
		if len(args) < k {
			return value{ref: &partial{f, append([]value(nil), args...)}}
		}
		switch o := f.ref.(type) {
		case *partial:
			f = m.resume(at, o, args[:k])
		case *closure:
			f = m.call(at, o, args[:k])
		case *native:
			f = o.call(m, at, args[:k])
		case *array:
			f = m.fold(at, args[0], args[1], o)
		case church:
			f = m.iterate(at, uint64(o), args[0], args[1])
		}
		args = args[k:]
		if len(args) == 0 {
			return f
		}
	}
}

// arity is the number of arguments that f waits for.
func arity(at place, f value) int {
	switch o := f.ref.(type) {
	case *partial:
		return arity(at, o.fn) - len(o.args)
	case *closure:
		return len(o.fn.params)
	case *native:
		return o.arity
	case church:
		return 2
	case *array:
		if o.list {
			return 2
		}
	}
	notFunction(at, f)
	return 0
}

// resume gives a partial application its last arguments.
func (m *machine) resume(at place, p *partial, args []value) value {
	n := len(p.args) + len(args)
	buf := m.frame(n)
	copy(buf, p.args)
	copy(buf[len(p.args):], args)
	v := m.apply(at, p.fn, buf)
	m.release(n)
	return v
}

// fold is f a0 (f a1 (… x)): the last element comes first.
func (m *machine) fold(at place, f, x value, l *array) value {
	buf := m.frame(2)
	for i := l.n - 1; i >= 0; i-- {
		buf[0], buf[1] = l.at(i), x
		x = m.apply(at, f, buf)
	}
	m.release(2)
	return x
}

// iterate is f (f (… x)), n times.
func (m *machine) iterate(at place, n uint64, f, x value) value {
	buf := m.frame(1)
	for ; n > 0; n-- {
		buf[0] = x
		x = m.apply(at, f, buf)
	}
	m.release(1)
	return x
}
