package eval

import (
	"github.com/gram-machine/gram/lang/load"
	"github.com/gram-machine/gram/term"
)

// Code is a translated expression. It can be run for its number, for its value, or
// to write its numbers to dst, where a value of the plain shape s is expected.
type Code struct {
	num  func(m *Machine, fr []value) float64
	val  func(m *Machine, fr []value) value
	into func(m *Machine, fr []value, dst []float64, s *load.Shape)
	list *comprehension // of a list
}

var realShape = load.RealShape()

// numeric makes code of a function that gives a number.
func numeric(num func(m *Machine, fr []value) float64) *Code {
	return &Code{
		num: num,
		val: func(m *Machine, fr []value) value { return value{num: num(m, fr)} },
		into: func(m *Machine, fr []value, dst []float64, s *load.Shape) {
			if s.Kind != load.Real {
				reported()
			}
			dst[0] = num(m, fr)
		},
	}
}

// general makes code of a function that gives any value.
func general(val func(m *Machine, fr []value) value) *Code {
	return &Code{
		num: func(m *Machine, fr []value) float64 {
			v := val(m, fr)
			return v.real()
		},
		val: val,
		into: func(m *Machine, fr []value, dst []float64, s *load.Shape) {
			store(val(m, fr), dst, s)
		},
	}
}

// constant makes code of a value.
func constant(v value) *Code {
	if v.ref == nil {
		return numeric(func(*Machine, []value) float64 { return v.num })
	}
	return general(func(*Machine, []value) value { return v })
}

// Number is the number x.
func Number(x float64) *Code { return constant(number(x)) }

// Numeral is #n.
func Numeral(n uint64) *Code { return constant(value{ref: church(n)}) }

// Constant is a value that is there already.
func Constant(v load.Value) *Code {
	if v.Shape.Tagged() {
		x, _, _ := taggedView(v.Shape, v.Data, v.Tags)
		return constant(x)
	}
	if v.Shape.Kind == load.List && v.Rows == 0 {
		return constant(value{ref: &array{list: true}})
	}
	return constant(view(v.Shape, v.Data))
}

// Numbers is a list or a vector of one number or more.
func Numbers(list bool, numbers []float64) *Code {
	return constant(value{ref: &array{list: list, n: len(numbers), elem: realShape, flat: numbers}})
}

// Bad is what an error has been reported of.
func Bad() *Code {
	return general(func(*Machine, []value) value { reported(); return value{} })
}

// Variable is an occurrence of the variable in a slot.
func Variable(slot int) *Code {
	c := general(func(_ *Machine, fr []value) value { return fr[slot] })
	c.num = func(_ *Machine, fr []value) float64 { return fr[slot].real() }
	return c
}

// Apply is the function symbol f of args.
func Apply(f term.Symbol, args ...*Code) *Code {
	info, left := f.Info(), args[0].num
	if len(args) == 1 {
		eval := info.Eval1
		return numeric(func(m *Machine, fr []value) float64 { return eval(left(m, fr)) })
	}
	if len(args) > 2 {
		return numeric(func(m *Machine, fr []value) float64 {
			x := make([]float64, len(args))
			for i, a := range args {
				x[i] = a.num(m, fr)
			}
			return f.Eval(x...)
		})
	}
	right := args[1].num
	switch f {
	case term.Sub:
		return numeric(func(m *Machine, fr []value) float64 { x := left(m, fr); return x - right(m, fr) })
	case term.Mul:
		return numeric(func(m *Machine, fr []value) float64 { x := left(m, fr); return x * right(m, fr) })
	case term.Div:
		return numeric(func(m *Machine, fr []value) float64 { x := left(m, fr); return x / right(m, fr) })
	}
	eval := info.Eval2
	return numeric(func(m *Machine, fr []value) float64 { x := left(m, fr); return eval(x, right(m, fr)) })
}

// Add is a + b, of numbers.
func Add(a, b *Code) *Code {
	left, right := a.num, b.num
	return numeric(func(m *Machine, fr []value) float64 { x := left(m, fr); return x + right(m, fr) })
}

// Power is x^s: 1 for s = 0, and otherwise x*(x*…) with s factors.
func Power(base *Code, s Nat) *Code {
	arg := base.num
	return numeric(func(m *Machine, fr []value) float64 {
		n, x := s.at(fr), arg(m, fr)
		if n == 0 {
			return 1
		}
		r := x
		for ; n > 1; n-- {
			m.Step()
			r = x * r
		}
		return r
	})
}

// one is the code that choose returns.
func one(choose func(m *Machine, fr []value) *Code) *Code {
	return &Code{
		num: func(m *Machine, fr []value) float64 { return choose(m, fr).num(m, fr) },
		val: func(m *Machine, fr []value) value { return choose(m, fr).val(m, fr) },
		into: func(m *Machine, fr []value, dst []float64, s *load.Shape) {
			choose(m, fr).into(m, fr, dst, s)
		},
	}
}

// If is if a c b then yes else no.
func If(c term.Compare, a, b, yes, no *Code) *Code {
	return one(func(m *Machine, fr []value) *Code {
		x := a.num(m, fr)
		if c.Holds(x, b.num(m, fr)) {
			return yes
		}
		return no
	})
}

// Let is body with u in a slot.
func Let(slot int, u, body *Code) *Code {
	return one(func(m *Machine, fr []value) *Code {
		fr[slot] = u.val(m, fr)
		return body
	})
}

// Untuple is body with the n parts of the tuple u in consecutive slots.
func Untuple(slot, n int, u, body *Code) *Code {
	return one(func(m *Machine, fr []value) *Code {
		rest := u.val(m, fr)
		for i := range n - 1 {
			o, ok := rest.ref.(*pair)
			if !ok {
				reported()
			}
			fr[slot+i], rest = o.a, o.b
		}
		fr[slot+n-1] = rest
		return body
	})
}

// Unvec is body with the n components of the vector u in consecutive slots.
func Unvec(slot, n int, u, body *Code) *Code {
	return one(func(m *Machine, fr []value) *Code {
		v := u.val(m, fr)
		a := v.array()
		if a.n != n {
			reported()
		}
		for i := range n {
			fr[slot+i] = a.at(i)
		}
		return body
	})
}

// Project is e.(s), where e is of the type that of shows.
func Project(at *At, of string, e *Code, s Nat) *Code {
	find := func(m *Machine, fr []value) (*array, int) {
		v := e.val(m, fr)
		a := v.array()
		i := s.at(fr)
		if i >= uint64(a.n) {
			fail(at, "index out of range", RangeLabel(i, uint64(a.n), of))
		}
		return a, int(i)
	}
	c := general(func(m *Machine, fr []value) value {
		a, i := find(m, fr)
		return a.at(i)
	})
	c.num = func(m *Machine, fr []value) float64 {
		a, i := find(m, fr)
		if a.flat != nil && a.elem.Kind == load.Real {
			return a.flat[i]
		}
		v := a.at(i)
		return v.real()
	}
	return c
}

// Pair is (a, b).
func Pair(a, b *Code) *Code {
	c := general(func(m *Machine, fr []value) value {
		x := a.val(m, fr)
		return value{ref: &pair{x, b.val(m, fr)}}
	})
	c.into = func(m *Machine, fr []value, dst []float64, s *load.Shape) {
		if s.Kind != load.Product {
			reported()
		}
		w := s.A.Width()
		a.into(m, fr, dst[:w], s.A)
		b.into(m, fr, dst[w:], s.B)
	}
	return c
}

// Church is the numeral #s.
func Church(s Nat) *Code {
	return general(func(_ *Machine, fr []value) value { return value{ref: church(s.at(fr))} })
}

// Shared is the code c of a scope of its own, which is run once.
func Shared(s *Scope, c *Code) *Code {
	var known *value
	return general(func(m *Machine, _ []value) value {
		if known == nil {
			m.deeper(nil, s.most)
			fr := m.frame(s.slots)
			v := c.val(m, fr)
			known = &v
			m.release(s.slots)
			m.depth -= s.most
		}
		return *known
	})
}
