package eval

// capture is a variable of the enclosing function that a function uses: when
// the closure is made it is taken from one slot, at a call it is put in another.
type capture struct{ from, to int }

// function is a λ with one parameter or more.
type function struct {
	at     *At
	params []int // their slots
	body   *Code
	slots  int // the length of a frame
	nest   int // how deep evaluation of the body goes without calls
	caps   []capture
}

// Scope is a function under translation, or the outermost expression.
type Scope struct {
	outer *Scope
	slots int
	vars  map[uint32]int // the slots of variables, those that are captured too
	caps  []capture
	nest  int // of the expression that is being translated, in its function
	most  int // the largest nest
}

// NewScope returns the scope of a function inside of outer, or the outermost one if that is nil.
func NewScope(outer *Scope) *Scope { return &Scope{outer: outer, vars: map[uint32]int{}} }

// Enter notes that the parts of an expression are translated, up to Leave.
func (s *Scope) Enter() {
	s.nest++
	s.most = max(s.most, s.nest)
}

// Leave is the end of an expression.
func (s *Scope) Leave() { s.nest-- }

// Bind gives a variable a slot: the one after the last.
func (s *Scope) Bind(x uint32) int {
	slot := s.slots
	s.slots++
	s.vars[x] = slot
	return slot
}

// Slot returns the slot of a variable. One of an enclosing function is captured.
func (s *Scope) Slot(x uint32) (slot int, ok bool) {
	if s == nil {
		return 0, false
	}
	if slot, ok := s.vars[x]; ok {
		return slot, true
	}
	from, ok := s.outer.Slot(x)
	if !ok {
		return 0, false
	}
	slot = s.Bind(x)
	s.caps = append(s.caps, capture{from, slot})
	return slot, true
}

// Function is a λ whose parameters have the given slots of its scope s.
func Function(at *At, s *Scope, params []int, body *Code) *Code {
	fn := &function{at: at, params: params, body: body, slots: s.slots, nest: s.most, caps: s.caps}
	if len(fn.caps) == 0 {
		return constant(value{ref: &closure{fn: fn}})
	}
	return general(func(_ *Machine, fr []value) value {
		caps := make([]value, len(fn.caps))
		for i, c := range fn.caps {
			caps[i] = fr[c.from]
		}
		return value{ref: &closure{fn, caps}}
	})
}

// call calls f with as many arguments as it has parameters.
func (m *Machine) call(f *closure, args []value) value {
	m.enter(f.fn)
	fr := m.frame(f.fn.slots)
	for i, c := range f.fn.caps {
		fr[c.to] = f.caps[i]
	}
	for i, slot := range f.fn.params {
		fr[slot] = args[i]
	}
	v := f.fn.body.val(m, fr)
	m.release(f.fn.slots)
	m.leave(f.fn)
	return v
}

// Call is an application of f to one argument or more.
func Call(f *Code, args []*Code) *Code {
	k := len(args)
	return general(func(m *Machine, fr []value) value {
		fv := f.val(m, fr)
		buf := m.frame(k)
		for i, a := range args {
			buf[i] = a.val(m, fr)
		}
		v := m.apply(fv, buf)
		m.release(k)
		return v
	})
}

// apply applies f to one or more arguments. It does not keep args.
func (m *Machine) apply(f value, args []value) value {
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
	reported()
	return 0
}

// resume gives a partial application its last arguments.
func (m *Machine) resume(p *partial, args []value) value {
	n := len(p.args) + len(args)
	buf := m.frame(n)
	copy(buf, p.args)
	copy(buf[len(p.args):], args)
	v := m.apply(p.fn, buf)
	m.release(n)
	return v
}

// fold is f a0 (f a1 (… x)): the last element comes first.
func (m *Machine) fold(f, x value, l *array) value {
	buf := m.frame(2)
	for i := l.n - 1; i >= 0; i-- {
		buf[0], buf[1] = l.at(i), x
		x = m.apply(f, buf)
	}
	m.release(2)
	return x
}

// iterate is f (f (… x)), n times.
func (m *Machine) iterate(n uint64, f, x value) value {
	buf := m.frame(1)
	for ; n > 0; n-- {
		buf[0] = x
		x = m.apply(f, buf)
	}
	m.release(1)
	return x
}
