package load

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/gram-machine/gram/lang/syntax"
)

// value is what an expression of a default value means: a number if ref is nil,
// and otherwise one of the objects below. Values are not modified once built.
type value struct {
	num float64
	ref object
}

// object is *pair, *array, *cons, *closure, *partial, *native or church.
type object interface{ isObject() }

type pair struct{ a, b value }

// array is a vector or a list of n elements. If they are plain data, all of the
// shape elem, they stand in flat; otherwise in elems. An empty
// list has neither, and elem only where it is known.
type array struct {
	list  bool
	n     int
	elem  *Shape
	flat  []float64
	elems []value
}

// cons is a list under construction, while a function that stands for a list is
// asked for its elements.
type cons struct{ head, tail value }

// closure is a function with the values of the variables that it captured.
type closure struct {
	fn   *function
	caps []value
}

// partial is a function that waits for more arguments.
type partial struct {
	fn   value
	args []value
}

// native is a function of the evaluator itself: a function symbol, or a
// definition of the prelude that it knows how to run fast.
type native struct {
	name  string
	arity int
	call  func(m *machine, at place, args []value) value
	eval1 func(x float64) float64    // of a function symbol with one argument
	eval2 func(x, y float64) float64 // of a function symbol with two
}

// church is the numeral #n.
type church uint64

func (*pair) isObject()    {}
func (*array) isObject()   {}
func (*cons) isObject()    {}
func (*closure) isObject() {}
func (*partial) isObject() {}
func (*native) isObject()  {}
func (church) isObject()   {}

func number(x float64) value { return value{num: x} }

// view returns the value of shape s whose numbers are data.
func view(s *Shape, data []float64) value {
	switch s.Kind {
	case Real:
		return value{num: data[0]}
	case Product:
		w := s.A.width
		return value{ref: &pair{view(s.A, data[:w]), view(s.B, data[w:])}}
	case Vector:
		return value{ref: &array{n: s.Size, elem: s.A, flat: data}}
	}
	return value{ref: &array{list: true, n: len(data) / s.A.width, elem: s.A, flat: data}}
}

// at returns element i.
func (a *array) at(i int) value {
	if a.flat == nil {
		return a.elems[i]
	}
	if a.elem.Kind == Real {
		return value{num: a.flat[i]}
	}
	w := a.elem.width
	return view(a.elem, a.flat[i*w:(i+1)*w:(i+1)*w])
}

// plain returns the shape of v if it is numbers, products and vectors, and
// otherwise nil. What is nested too deep is not plain.
func plain(v value) *Shape { return plainWithin(v, maxNest) }

func plainWithin(v value, depth int) *Shape {
	switch o := v.ref.(type) {
	case nil:
		return realShape
	case *pair:
		if depth == 0 {
			return nil
		}
		a := plainWithin(o.a, depth-1)
		if a == nil {
			return nil
		}
		if b := plainWithin(o.b, depth-1); b != nil && a.width+b.width <= maxWidth {
			return ProductShape(a, b)
		}
	case *array:
		if !o.list && o.flat != nil && o.elem.width <= maxWidth/o.n && o.elem.depth < depth {
			return VectorShape(o.elem, o.n)
		}
	}
	return nil
}

// store writes v, which must have the plain shape s, to dst.
func store(at place, v value, dst []float64, s *Shape) {
	if !put(v, dst, s) {
		mismatch(at, v, s.String())
	}
}

func put(v value, dst []float64, s *Shape) bool {
	switch o := v.ref.(type) {
	case nil:
		if s.Kind == Real {
			dst[0] = v.num
			return true
		}
	case *pair:
		if s.Kind == Product {
			w := s.A.width
			return put(o.a, dst[:w], s.A) && put(o.b, dst[w:], s.B)
		}
	case *array:
		if s.Kind == Vector && !o.list && o.n == s.Size && o.flat != nil && o.elem.Equal(s.A) {
			copy(dst, o.flat)
			return true
		}
	}
	return false
}

// mismatch reports that v stands where a value of type want should.
func mismatch(at place, v value, want string) {
	var notes []syntax.Note
	if callable(v) && subtracted(at) {
		notes = []syntax.Note{{Text: "f -1 is f minus 1; to apply f to a negative number, write f (-1)"}}
	}
	fail(at, "type mismatch", fmt.Sprintf("this is %s, but %s is expected", describe(v), want), notes...)
}

// subtracted reports whether a minus comes next in the source.
func subtracted(at place) bool {
	rest := strings.TrimLeft(string(at.file.Src[at.span.End:min(len(at.file.Src), int(at.span.End)+16)]), " \t\r\n")
	return strings.HasPrefix(rest, "-")
}

// describe prints the type of v as far as it can be seen.
func describe(v value) string {
	switch o := v.ref.(type) {
	case church:
		return "Nat"
	case *closure, *partial, *native:
		return "a function"
	case *array:
		if o.n == 0 {
			return "an empty list"
		}
	}
	var b strings.Builder
	typeOf(&b, v, 0, 0)
	return short(b.String())
}

// typeOf writes the type of v where an operand of that level stands, as
// [Shape.String] does; what it cannot see is "_".
func typeOf(b *strings.Builder, v value, level, nest int) {
	if nest > 20 {
		b.WriteByte('_')
		return
	}
	open := func(yes bool) func() {
		if !yes {
			return func() {}
		}
		b.WriteByte('(')
		return func() { b.WriteByte(')') }
	}
	switch o := v.ref.(type) {
	case nil:
		b.WriteByte('R')
	case church:
		b.WriteString("Nat")
	case *pair:
		done := open(level > 0)
		typeOf(b, o.a, 1, nest+1)
		b.WriteString(" * ")
		right := 1
		if _, ok := o.b.ref.(*pair); ok {
			right = 0
		}
		typeOf(b, o.b, right, nest+1)
		done()
	case *array:
		element := func() {
			switch {
			case o.n == 0:
				b.WriteByte('_')
			case o.flat != nil:
				o.elem.print(b, 2)
			default:
				typeOf(b, o.elems[0], 2, nest+1)
			}
		}
		if o.list {
			done := open(level > 1)
			b.WriteString("List ")
			element()
			done()
			return
		}
		element()
		b.WriteByte('^')
		b.WriteString(strconv.Itoa(o.n))
	case *cons:
		done := open(level > 1)
		b.WriteString("List ")
		typeOf(b, o.head, 2, nest+1)
		done()
	default:
		done := open(level > 0)
		b.WriteString("_ -> _")
		done()
	}
}
