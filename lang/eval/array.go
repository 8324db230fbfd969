package eval

import (
	"fmt"
	"math"

	"github.com/gram-machine/gram/kernel"
	"github.com/gram-machine/gram/lang/core"
	"github.com/gram-machine/gram/lang/load"
	"github.com/gram-machine/gram/lang/syntax"
	"github.com/gram-machine/gram/term"
	"github.com/gram-machine/gram/term/elementary"
)

// sequence is a list or a vector: a literal, or a comprehension vec, sum, list or scan i < size -> body.
type sequence struct {
	at   *core.At
	list bool
	// Of a literal: its elements.
	parts []*code
	// Of a comprehension, whose index stands in slot.
	size, body *code
	slot       int
}

// element returns the code of element i, for which it puts the index in its slot.
func (q *sequence) element(fr []value, i int) *code {
	if q.body == nil {
		return q.parts[i]
	}
	fr[q.slot] = number(float64(i))
	return q.body
}

// bound returns the number of elements.
func (q *sequence) bound(m *machine, fr []value) int {
	if q.body == nil {
		return len(q.parts)
	}
	n := q.size.natural(m, fr)
	if n > maxElements {
		fail(q.at, "not a size", fmt.Sprintf("this has %d elements", n))
	}
	return int(n)
}

// code is code of a list or vector.
func (q *sequence) code() *code {
	c := does(func(m *machine, fr []value) value {
		n := q.bound(m, fr)
		if n == 0 {
			return value{ref: &array{list: true}}
		}
		a := m.array(q.at, q.list, n, q.element(fr, 0).run(m, fr))
		if a.flat != nil {
			q.write(m, fr, a.flat[a.elem.Width():], 1, a.elem)
		}
		for i := 1; i < len(a.elems); i++ {
			m.Step()
			a.elems[i] = q.element(fr, i).run(m, fr)
		}
		return value{ref: a}
	})
	if q.list {
		if q.body != nil {
			c.list = q
		}
		return c
	}
	c.into = func(m *machine, fr []value, dst []float64, s *load.Shape) {
		if s.Kind != load.Vector || s.Size != q.bound(m, fr) {
			reported()
		}
		q.write(m, fr, dst, 0, s.A)
	}
	return c
}

// write computes elements of shape s in dst, which has those from the number first on.
func (q *sequence) write(m *machine, fr []value, dst []float64, first int, s *load.Shape) {
	w := s.Width()
	for i := 0; i < len(dst); i += w {
		m.Step()
		q.element(fr, first).write(m, fr, dst[i:i+w], s)
		first++
	}
}

// sum adds in the order of [term.Sum].
func (q *sequence) sum(m *machine, fr []value) float64 {
	n := q.size.natural(m, fr)
	var lanes kernel.Lanes
	var next [8]float64
	for i := uint64(0); i < n; {
		some := next[:min(n-i, uint64(len(next)))]
		for k := range some {
			m.Step()
			fr[q.slot] = number(float64(i))
			some[k] = q.body.real(m, fr)
			i++
		}
		lanes.Add(some)
	}
	return lanes.Sum()
}

// scan is the vector of the states but for the first, start; they stand in a slot of their own.
func (q *sequence) scan(state int, start *code) *code {
	return does(func(m *machine, fr []value) value {
		n := q.bound(m, fr)
		fr[state] = start.run(m, fr)
		return value{ref: m.build(q.at, false, n, func(i int) value {
			fr[state] = q.element(fr, i).run(m, fr)
			return fr[state]
		})}
	})
}

// stream returns the value of the outermost code c of a scope, of shape want, if it is a comprehension of a list that
// would take more than half of the memory that is left. Its numbers are computed by Chunk.
func (m *machine) stream(s *scope, c *code, want *load.Shape) (load.Value, bool) {
	if want.Kind != load.List || c.list == nil || m.Reserve == nil {
		return load.Value{}, false
	}
	n, w := c.list.size.natural(m, nil), want.A.Width() // the size depends on no index
	if n == 0 || n > uint64(maxElements/w) || m.Reserve(16*int64(n)*int64(w)) == nil {
		return load.Value{}, false
	}
	return load.Value{Shape: want, Rows: int(n), Chunk: func(dst []float64, from int, look func() error) (err error) {
		m := &machine{Guard: &syntax.Guard{Check: look}}
		defer syntax.Catch(&err)
		c.list.write(m, m.frame(s.slots), dst, from, want.A)
		return nil
	}}, true
}

// literal translates [e; …] or [| e, … |].
func (t *translator) literal(list bool, refs []core.Ref) *code {
	var numbers []float64
	for _, r := range refs {
		if n := &t.P.Core.Nodes[r]; n.Op == core.NumOp {
			numbers = append(numbers, n.Val)
		}
	}
	if numbers != nil && len(numbers) == len(refs) {
		return constant(value{ref: &array{list: list, n: len(numbers), elem: realShape, flat: numbers}})
	}
	return (&sequence{list: list, parts: t.codes(refs)}).code()
}

// pairOf is (a, b).
func pairOf(a, b *code) *code {
	c := does(func(m *machine, fr []value) value {
		x := a.run(m, fr)
		return value{ref: &pair{a: x, b: b.run(m, fr)}}
	})
	c.into = func(m *machine, fr []value, dst []float64, s *load.Shape) {
		if s.Kind != load.Product {
			reported()
		}
		w := s.A.Width()
		a.write(m, fr, dst[:w], s.A)
		b.write(m, fr, dst[w:], s.B)
	}
	return c
}

// project is e.(s), where e is of the type that of shows.
func project(at *core.At, of string, e, s *code) *code {
	return does(func(m *machine, fr []value) value {
		a, i := e.array(m, fr), s.natural(m, fr)
		if i >= uint64(a.n) {
			fail(at, "index out of range", core.RangeLabel(i, uint64(a.n), of))
		}
		return a.at(int(i))
	})
}

// power is x^s: 1 for s = 0, and otherwise x*(x*…) with s factors.
func power(base, s *code) *code {
	return gives(func(m *machine, fr []value) float64 {
		n, x := s.natural(m, fr), base.real(m, fr)
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

// elementwise is f on numbers or vectors, component by component. A number goes with each component of a vector.
func (m *machine) elementwise(f func(x, y float64) float64, x, y value) value {
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
		a := v.array()
		if a.n != n || a.list {
			reported()
		}
		return a.at(i)
	}
	return value{ref: m.build(nil, false, n, func(i int) value { return m.elementwise(f, at(x, i), at(y, i)) })}
}

// dot is the sum of the products v_i·w_i, in the order of [term.Sum].
func (m *machine) dot(v, w []float64) float64 {
	if len(v) != len(w) {
		reported()
	}
	m.Step()
	var sum kernel.Lanes
	sum.AddProducts(v, w)
	return sum.Sum()
}

// primitive is a function on vectors, or one that draws a random number. Of one argument y is 0.
type primitive func(m *machine, at *core.At, x, y value) value

var primitives = map[core.Prim]primitive{
	core.PrimDot: func(m *machine, _ *core.At, v, w value) value {
		return number(m.dot(v.array().numbers(), w.array().numbers()))
	},
	core.PrimMatvec: func(m *machine, _ *core.At, v, w value) value {
		rows, vec := v.array(), w.array().numbers()
		return value{ref: m.build(nil, false, rows.n, func(i int) value {
			return number(m.dot(rows.at(i).array().numbers(), vec))
		})}
	},
	core.PrimTotal: func(m *machine, _ *core.At, v, _ value) value {
		m.Step()
		return number(kernel.Sum(v.array().numbers()))
	},
	// Components are compared in the order of term.Sum.
	core.PrimMaximum: func(m *machine, _ *core.At, v, _ value) value {
		numbers, most := v.array().numbers(), term.Max.Info().Eval2
		return number(term.Sum(len(numbers), func(i int) float64 { return numbers[i] }, func(x, y float64) float64 {
			m.Step()
			return most(x, y)
		}))
	},
	core.PrimTranspose: func(m *machine, _ *core.At, matrix, _ value) value {
		rows := matrix.array()
		columns := rows.at(0).array().n
		flat := m.floats(nil, rows.n, columns)
		for i := range rows.n {
			m.Step()
			for j, r := range rows.at(i).array().numbers() {
				flat[j*rows.n+i] = r
			}
		}
		return value{ref: &array{n: columns, elem: load.VectorShape(realShape, rows.n), flat: flat}}
	},
	core.PrimPick: func(_ *machine, at *core.At, v, x value) value {
		a := v.array()
		return a.at(component(at, x.real(), a.n))
	},
	core.PrimOneHot: func(m *machine, at *core.At, x, size value) value {
		n := int(size.num)
		a := &array{n: n, elem: realShape, flat: m.floats(at, n, 1)}
		a.flat[component(at, x.real(), n)] = 1
		return value{ref: a}
	},
	core.PrimUniform: func(m *machine, _ *core.At, x, y value) value {
		u, _ := m.random.next()
		return number(x.real() + float64((y.real()-x.real())*u))
	},
	// The method is that of Box and Muller.
	core.PrimNormal: func(m *machine, _ *core.At, mean, deviation value) value {
		u, v := m.random.next()
		r := float64(math.Sqrt(-2*elementary.Log(u)) * elementary.Cos(2*math.Pi*v))
		return number(mean.real() + float64(deviation.real()*r))
	},
}

// component returns which of n components the number x selects.
func component(at *core.At, x float64, n int) int {
	if !(x >= 0 && x < float64(n) && x == math.Trunc(x)) {
		fail(at, "index out of range", fmt.Sprintf("the index is %v, and a vector of %d has those below", x, n))
	}
	return int(x)
}
