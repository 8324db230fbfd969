package eval

import (
	"fmt"
	"math"

	"github.com/gram-machine/gram/kernel"
	"github.com/gram-machine/gram/lang/core"
	"github.com/gram-machine/gram/lang/load"
	"github.com/gram-machine/gram/lang/syntax"
	"github.com/gram-machine/gram/term"
)

// comprehension is vec, sum, list or scan i < size -> body; i stands in slot.
type comprehension struct {
	at   *core.At
	size *code
	slot int
	body *code
}

// bound returns the number of elements.
func (c *comprehension) bound(m *machine, fr []value) int {
	n := c.size.natural(m, fr)
	if n > maxElements {
		fail(c.at, "not a size", fmt.Sprintf("this has %d elements", n))
	}
	return int(n)
}

// code is code of the comprehension with a keyword.
func (c *comprehension) code(keyword syntax.Token) *code {
	if keyword == syntax.SumTok {
		return gives(c.sum)
	}
	list := keyword == syntax.ListTok
	out := does(func(m *machine, fr []value) value {
		n := c.bound(m, fr)
		if n == 0 {
			return value{ref: &array{list: true}}
		}
		fr[c.slot] = number(0)
		m.Step()
		a := m.array(c.at, list, n, c.body.run(m, fr))
		if a.flat != nil {
			c.elements(m, fr, a.flat[a.elem.Width():], 1, a.elem)
			return value{ref: a}
		}
		for i := 1; i < n; i++ {
			m.Step()
			fr[c.slot] = number(float64(i))
			a.elems[i] = c.body.run(m, fr)
		}
		return value{ref: a}
	})
	if list {
		out.list = c
		return out
	}
	out.into = func(m *machine, fr []value, dst []float64, s *load.Shape) {
		if s.Kind != load.Vector || uint64(s.Size) != c.size.natural(m, fr) {
			reported()
		}
		c.elements(m, fr, dst, 0, s.A)
	}
	return out
}

// elements computes elements of shape s in dst, which has those from the number first on.
func (c *comprehension) elements(m *machine, fr []value, dst []float64, first int, s *load.Shape) {
	w := s.Width()
	for i := 0; i < len(dst); i += w {
		m.Step()
		fr[c.slot] = number(float64(first))
		c.body.write(m, fr, dst[i:i+w], s)
		first++
	}
}

// sum adds in the order of [term.Sum].
func (c *comprehension) sum(m *machine, fr []value) float64 {
	n := c.size.natural(m, fr)
	var lanes kernel.Lanes
	var next [8]float64
	for i := uint64(0); i < n; {
		some := next[:min(n-i, uint64(len(next)))]
		for k := range some {
			m.Step()
			fr[c.slot] = number(float64(i))
			some[k] = c.body.real(m, fr)
			i++
		}
		lanes.Add(some)
	}
	return lanes.Sum()
}

// scan is the vector of the states but for the first, start; they stand in a slot of their own.
func (c *comprehension) scan(state int, start *code) *code {
	return does(func(m *machine, fr []value) value {
		n := c.bound(m, fr)
		fr[state] = start.run(m, fr)
		return value{ref: m.build(c.at, false, n, func(i int) value {
			fr[c.slot] = number(float64(i))
			fr[state] = c.body.run(m, fr)
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
	var err error
	n, w := uint64(0), want.A.Width()
	func() {
		defer stop(&err)
		n = c.list.size.natural(m, make([]value, s.slots))
	}()
	if err != nil || n == 0 || n > uint64(maxElements/w) || m.Reserve(16*int64(n)*int64(w)) == nil {
		return load.Value{}, false
	}
	return load.Value{Shape: want, Rows: int(n), Chunk: func(dst []float64, from int, look func() error) (err error) {
		m := &machine{Guard: &syntax.Guard{Check: look}}
		defer syntax.Catch(&err)
		defer stop(&err)
		c.list.elements(m, m.frame(s.slots), dst, from, want.A)
		return nil
	}}, true
}

// literal translates [e; …] or [| e, … |].
func (t *translator) literal(list bool, refs []core.Ref) *code {
	if len(refs) == 0 {
		return constant(value{ref: &array{list: true}})
	}
	if numbers := t.numerals(refs); numbers != nil {
		return constant(value{ref: &array{list: list, n: len(numbers), elem: realShape, flat: numbers}})
	}
	elems := t.codes(refs)
	c := does(func(m *machine, fr []value) value {
		return value{ref: m.build(nil, list, len(elems), func(i int) value { return elems[i].run(m, fr) })}
	})
	if list {
		return c
	}
	c.into = func(m *machine, fr []value, dst []float64, s *load.Shape) {
		if s.Kind != load.Vector || s.Size != len(elems) {
			reported()
		}
		w := s.A.Width()
		for i, e := range elems {
			m.Step()
			e.write(m, fr, dst[i*w:(i+1)*w], s.A)
		}
	}
	return c
}

// numerals returns the numbers that all nodes of a list are, nil if they are not.
func (t *translator) numerals(list []core.Ref) []float64 {
	out := make([]float64, len(list))
	for i, k := range list {
		n := &t.P.Core.Nodes[k]
		if n.Op != core.NumOp {
			return nil
		}
		out[i] = n.Val
	}
	return out
}

// pairOf is (a, b).
func pairOf(a, b *code) *code {
	c := does(func(m *machine, fr []value) value {
		x := a.run(m, fr)
		return value{ref: &pair{x, b.run(m, fr)}}
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

// arithmetic is a op b of natural numbers.
func arithmetic(at *core.At, op term.StaticOp, a, b *code) *code {
	return gives(func(m *machine, fr []value) float64 {
		c, problem := core.Arithmetic(op, a.natural(m, fr), b.natural(m, fr))
		if problem != "" {
			fail(at, "not a natural number", problem)
		}
		return float64(c)
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
		if a := v.array(); a.n == n && !a.list {
			return a.at(i)
		}
		reported()
		return value{}
	}
	return value{ref: m.build(nil, false, n, func(i int) value { return m.elementwise(f, at(x, i), at(y, i)) })}
}

// atOnce is how many numbers are added between two looks at the limits.
const atOnce = 1 << 16

// dot is the sum of the products v_i·w_i, in the order of [term.Sum].
func (m *machine) dot(v, w []float64) float64 {
	if len(v) != len(w) {
		reported()
	}
	var sum kernel.Lanes
	for len(v) > 0 {
		m.Step()
		n := min(len(v), atOnce)
		sum.AddProducts(v[:n], w[:n])
		v, w = v[n:], w[n:]
	}
	return sum.Sum()
}

// products is dot v w, or matvec v w.
func products(p core.Prim, v, w *code) *code {
	if p == core.PrimDot {
		return gives(func(m *machine, fr []value) float64 {
			x := v.numbers(m, fr)
			return m.dot(x, w.numbers(m, fr))
		})
	}
	return does(func(m *machine, fr []value) value {
		rows, vec := v.array(m, fr), w.numbers(m, fr)
		out := &array{n: rows.n, elem: realShape, flat: m.floats(nil, rows.n, 1)}
		for i := range out.flat {
			m.Step()
			row := rows.at(i)
			out.flat[i] = m.dot(row.array().numbers(), vec)
		}
		return value{ref: out}
	})
}

// total is the sum of the components of v, or the largest one, in the order of [term.Sum].
func total(p core.Prim, v *code) *code {
	most := term.Max.Info().Eval2
	return gives(func(m *machine, fr []value) float64 {
		numbers := v.numbers(m, fr)
		if p == core.PrimMaximum {
			return term.Sum(len(numbers), func(i int) float64 { return numbers[i] }, func(x, y float64) float64 {
				m.Step()
				return most(x, y)
			})
		}
		var sum kernel.Lanes
		for ; len(numbers) > 0; numbers = numbers[min(len(numbers), atOnce):] {
			m.Step()
			sum.Add(numbers[:min(len(numbers), atOnce)])
		}
		return sum.Sum()
	})
}

// transpose is a matrix, a vector of its rows, with rows and columns exchanged.
func transpose(matrix *code) *code {
	return does(func(m *machine, fr []value) value {
		rows := matrix.array(m, fr)
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
		return view(load.VectorShape(load.VectorShape(realShape, rows.n), columns), flat)
	})
}

// component returns which of n components the number x selects.
func component(at *core.At, x float64, n int) int {
	if !(x >= 0 && x < float64(n) && x == math.Trunc(x)) {
		fail(at, "index out of range", fmt.Sprintf("the index is %v, and a vector of %d has those below", x, n))
	}
	return int(x)
}

// pick is component x of the vector v.
func pick(at *core.At, v, x *code) *code {
	return does(func(m *machine, fr []value) value {
		a := v.array(m, fr)
		return a.at(component(at, x.real(m, fr), a.n))
	})
}

// oneHot is the vector of n numbers of which number x is 1 and the others are 0.
func oneHot(at *core.At, n int, x *code) *code {
	return does(func(m *machine, fr []value) value {
		a := &array{n: n, elem: realShape, flat: m.floats(at, n, 1)}
		a.flat[component(at, x.real(m, fr), n)] = 1
		return value{ref: a}
	})
}
