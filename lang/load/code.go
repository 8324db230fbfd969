package load

import (
	"fmt"

	"github.com/gram-machine/gram/lang/syntax"
	"github.com/gram-machine/gram/term"
)

// code is a compiled expression. It can be run for its number, for its value, or
// to write its numbers to dst, where a value of the plain shape s is expected;
// each of them fails if the expression's value is of another kind.
type code struct {
	at    place
	num   func(m *machine, fr []value) float64
	val   func(m *machine, fr []value) value
	into  func(m *machine, fr []value, dst []float64, s *Shape)
	known *value // the value, if it is known when the code is compiled
}

// numeric makes code of a function that gives a number.
func numeric(at place, num func(m *machine, fr []value) float64) *code {
	return &code{
		at:  at,
		num: num,
		val: func(m *machine, fr []value) value { return value{num: num(m, fr)} },
		into: func(m *machine, fr []value, dst []float64, s *Shape) {
			if s.Kind != Real {
				mismatch(at, number(0), s.String())
			}
			dst[0] = num(m, fr)
		},
	}
}

// general makes code of a function that gives any value.
func general(at place, val func(m *machine, fr []value) value) *code {
	return &code{
		at: at,
		num: func(m *machine, fr []value) float64 {
			v := val(m, fr)
			if v.ref != nil {
				mismatch(at, v, "R")
			}
			return v.num
		},
		val: val,
		into: func(m *machine, fr []value, dst []float64, s *Shape) {
			store(at, val(m, fr), dst, s)
		},
	}
}

// constant makes code of a value.
func constant(at place, v value) *code {
	var c *code
	if x := v.num; v.ref == nil {
		c = numeric(at, func(*machine, []value) float64 { return x })
	} else {
		c = general(at, func(*machine, []value) value { return v })
	}
	c.known = &v
	return c
}

// knownNumber returns the number of c if it is a constant.
func (c *code) knownNumber() (float64, bool) {
	if c.known != nil && c.known.ref == nil {
		return c.known.num, true
	}
	return 0, false
}

// variable is an occurrence of the variable in a slot.
func variable(at place, slot int) *code {
	return general(at, func(_ *machine, fr []value) value { return fr[slot] }).withNum(
		func(_ *machine, fr []value) float64 {
			v := &fr[slot]
			if v.ref != nil {
				mismatch(at, *v, "R")
			}
			return v.num
		})
}

func (c *code) withNum(num func(m *machine, fr []value) float64) *code {
	c.num = num
	return c
}

// apply1 is the function symbol f of one argument.
func apply1(at place, f func(x float64) float64, a *code) *code {
	if x, ok := a.knownNumber(); ok {
		return constant(at, number(f(x)))
	}
	arg := a.num
	return numeric(at, func(m *machine, fr []value) float64 { return f(arg(m, fr)) })
}

// apply2 is the function symbol f of two arguments.
func apply2(at place, f func(x, y float64) float64, a, b *code) *code {
	x, okx := a.knownNumber()
	y, oky := b.knownNumber()
	if okx && oky {
		return constant(at, number(f(x, y)))
	}
	left, right := a.num, b.num
	return numeric(at, func(m *machine, fr []value) float64 {
		x := left(m, fr)
		return f(x, right(m, fr))
	})
}

func add(x, y float64) float64 { return x + y }

// arithmetic gives the four operators.
func arithmetic(at place, op syntax.Token, a, b *code) *code {
	_, okx := a.knownNumber()
	_, oky := b.knownNumber()
	if okx && oky {
		return apply2(at, operator(op), a, b)
	}
	left, right := a.num, b.num
	switch op {
	case syntax.PlusTok:
		return numeric(at, func(m *machine, fr []value) float64 { x := left(m, fr); return x + right(m, fr) })
	case syntax.MinusTok:
		return numeric(at, func(m *machine, fr []value) float64 { x := left(m, fr); return x - right(m, fr) })
	case syntax.StarTok:
		return numeric(at, func(m *machine, fr []value) float64 { x := left(m, fr); return x * right(m, fr) })
	}
	return numeric(at, func(m *machine, fr []value) float64 { x := left(m, fr); return x / right(m, fr) })
}

func operator(op syntax.Token) func(x, y float64) float64 {
	switch op {
	case syntax.PlusTok:
		return add
	case syntax.MinusTok:
		return term.Sub.Info().Eval2
	case syntax.StarTok:
		return term.Mul.Info().Eval2
	}
	return term.Div.Info().Eval2
}

func comparison(op syntax.Token) term.Compare {
	switch op {
	case syntax.LessTok:
		return term.Less
	case syntax.LessEqTok:
		return term.LessEqual
	case syntax.GreaterTok:
		return term.Greater
	}
	return term.GreaterEqual
}

// power is x^s: 1 for s = 0, and otherwise y*(y*…) with s factors.
func power(at place, base *code, s nat) *code {
	arg := base.num
	return numeric(at, func(m *machine, fr []value) float64 {
		n := s.at(fr)
		y := arg(m, fr)
		if n == 0 {
			return 1
		}
		r := y
		for ; n > 1; n-- {
			m.tick()
			r = y * r
		}
		return r
	})
}

// conditional is if a c b then yes else no.
func conditional(at place, c term.Compare, a, b, yes, no *code) *code {
	test := func(m *machine, fr []value) *code {
		x := a.num(m, fr)
		if c.Holds(x, b.num(m, fr)) {
			return yes
		}
		return no
	}
	return &code{
		at:  at,
		num: func(m *machine, fr []value) float64 { return test(m, fr).num(m, fr) },
		val: func(m *machine, fr []value) value { return test(m, fr).val(m, fr) },
		into: func(m *machine, fr []value, dst []float64, s *Shape) {
			test(m, fr).into(m, fr, dst, s)
		},
	}
}

// after is code that first does something: a let.
func after(at place, first func(m *machine, fr []value), body *code) *code {
	return &code{
		at: at,
		num: func(m *machine, fr []value) float64 {
			first(m, fr)
			return body.num(m, fr)
		},
		val: func(m *machine, fr []value) value {
			first(m, fr)
			return body.val(m, fr)
		},
		into: func(m *machine, fr []value, dst []float64, s *Shape) {
			first(m, fr)
			body.into(m, fr, dst, s)
		},
	}
}

// project is e.(s).
func project(at place, e *code, s nat) *code {
	find := func(m *machine, fr []value) (*array, int) {
		v := e.val(m, fr)
		a, ok := v.ref.(*array)
		if !ok || a.list {
			fail(e.at, "type mismatch", "this is "+describe(v)+", but .(…) takes a vector")
		}
		i := s.at(fr)
		if i >= uint64(a.n) {
			fail(at, "index out of range", fmt.Sprintf("the index is %d, but %s has the components 0 to %d",
				i, describe(v), a.n-1))
		}
		return a, int(i)
	}
	return general(at, func(m *machine, fr []value) value {
		a, i := find(m, fr)
		return a.at(i)
	}).withNum(func(m *machine, fr []value) float64 {
		a, i := find(m, fr)
		if a.flat != nil && a.elem.Kind == Real {
			return a.flat[i]
		}
		v := a.at(i)
		if v.ref != nil {
			mismatch(at, v, "R")
		}
		return v.num
	})
}
