package eval

import (
	"fmt"
	"math"

	"github.com/gram-machine/gram/lang/load"
	"github.com/gram-machine/gram/term"
)

// Elementwise is the function symbol f, or + if it is [term.NoSymbol], on numbers or vectors, component by component. A
// number goes with each component of a vector.
func Elementwise(f term.Symbol, args ...*Code) *Code {
	eval1, eval2 := f.Info().Eval1, f.Info().Eval2
	if f == term.NoSymbol {
		eval2 = func(x, y float64) float64 { return x + y }
	}
	if len(args) == 1 {
		eval2 = func(x, _ float64) float64 { return eval1(x) }
	}
	return general(func(m *Machine, fr []value) value {
		x := args[0].val(m, fr)
		y := number(0)
		if len(args) == 2 {
			y = args[1].val(m, fr)
		}
		return m.elementwise(eval2, x, y)
	})
}

func (m *Machine) elementwise(f func(x, y float64) float64, x, y value) value {
	if x.ref == nil && y.ref == nil {
		return number(f(x.num, y.num))
	}
	whole := x
	if x.ref == nil {
		whole = y
	}
	n := whole.array().n
	at := func(v value, i int) value {
		if v.ref == nil {
			return v
		}
		if v.array().n != n {
			reported()
		}
		return v.array().at(i)
	}
	a := m.array(nil, false, n, m.elementwise(f, at(x, 0), at(y, 0)))
	for i := 1; i < n; i++ {
		m.Step()
		a.set(i, m.elementwise(f, at(x, i), at(y, i)))
	}
	return value{ref: a}
}

// Total is the sum of the components of v, in the order of [term.Sum].
func Total(v *Code) *Code {
	return numeric(func(m *Machine, fr []value) float64 {
		x := v.val(m, fr)
		numbers := x.array().numbers()
		ones := m.floats(nil, len(numbers), 1)
		for i := range ones {
			ones[i] = 1
		}
		return m.dot(numbers, ones)
	})
}

// Maximum is the largest component of v.
func Maximum(v *Code) *Code {
	return numeric(func(m *Machine, fr []value) float64 {
		x := v.val(m, fr)
		numbers, most := x.array().numbers(), term.Max.Info().Eval2
		return term.Sum(len(numbers), func(i int) float64 { return numbers[i] }, func(x, y float64) float64 {
			m.Step()
			return most(x, y)
		})
	})
}

// Transpose is the matrix a, a vector of its rows, with rows and columns exchanged.
func Transpose(a *Code) *Code {
	return general(func(m *Machine, fr []value) value {
		x := a.val(m, fr)
		rows := x.array()
		first := rows.at(0)
		columns := first.array().n
		flat := m.floats(nil, rows.n, columns)
		for i := range rows.n {
			m.Step()
			row := rows.at(i)
			for j, r := range row.array().numbers() {
				flat[j*rows.n+i] = r
			}
		}
		return view(load.VectorShape(load.VectorShape(load.RealShape(), rows.n), columns), flat)
	})
}

// component returns which of n components the number x selects.
func component(at *At, x float64, n int) int {
	if !(x >= 0 && x < float64(n) && x == math.Trunc(x)) {
		fail(at, "index out of range", fmt.Sprintf("the index is %v, and a vector of %d has those below", x, n))
	}
	return int(x)
}

// Pick is component x of the vector v.
func Pick(at *At, v, x *Code) *Code {
	return general(func(m *Machine, fr []value) value {
		u := v.val(m, fr)
		a := u.array()
		return a.at(component(at, x.num(m, fr), a.n))
	})
}

// OneHot is the vector of n numbers of which number x is 1 and the others are 0.
func OneHot(at *At, n int, x *Code) *Code {
	return general(func(m *Machine, fr []value) value {
		a := &array{n: n, elem: realShape, flat: m.floats(at, n, 1)}
		a.flat[component(at, x.num(m, fr), n)] = 1
		return value{ref: a}
	})
}
