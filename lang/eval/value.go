package eval

import "github.com/gram-machine/gram/lang/load"

// value is a number if ref is nil, and otherwise an object. Values are not modified once built.
type value struct {
	num float64
	ref object
}

// object is a *pair, an *array, a *cons, or a function: a *closure, *native or *partial. A list is a function, too.
type object interface {
	arity() int // how many arguments it takes
	call(m *machine, args []value) value
}

// data is an object that is no function.
type data struct{}

func (data) arity() int                   { reported(); return 0 }
func (data) call(*machine, []value) value { reported(); return value{} }

type pair struct {
	data
	a, b value
}

// array is a vector or a list of n elements. If they are plain data, all of the
// shape elem, they stand in flat; otherwise in elems. An empty list has neither.
type array struct {
	list  bool
	n     int
	elem  *load.Shape
	flat  []float64
	elems []value
}

var realShape = load.RealShape()

func number(x float64) value { return value{num: x} }

// view returns the value of shape s whose numbers are data.
func view(s *load.Shape, data []float64) value {
	switch s.Kind {
	case load.Real:
		return value{num: data[0]}
	case load.Product:
		w := s.A.Width()
		return value{ref: &pair{a: view(s.A, data[:w]), b: view(s.B, data[w:])}}
	case load.Vector:
		return value{ref: &array{n: s.Size, elem: s.A, flat: data}}
	}
	return value{ref: &array{list: true, n: len(data) / s.A.Width(), elem: s.A, flat: data}}
}

// taggedView returns the value of a shape with lists in it that starts data and tags, and what follows it in both.
func taggedView(s *load.Shape, data []float64, tags []int) (value, []float64, []int) {
	if !s.Tagged() && s.Kind != load.List {
		w := s.Width()
		return view(s, data[:w]), data[w:], tags
	}
	if s.Kind == load.Product {
		a, data, tags := taggedView(s.A, data, tags)
		b, data, tags := taggedView(s.B, data, tags)
		return value{ref: &pair{a: a, b: b}}, data, tags
	}
	n := s.Size
	if s.Kind == load.List {
		n, tags = tags[0], tags[1:]
	}
	a := &array{list: s.Kind == load.List, n: n}
	for range n {
		var x value
		x, data, tags = taggedView(s.A, data, tags)
		a.elems = append(a.elems, x)
	}
	return value{ref: a}, data, tags
}

// tagged appends the numbers of v, which has the shape s with lists in it, and its tags.
func (m *machine) tagged(v value, s *load.Shape, data []float64, tags []int) ([]float64, []int) {
	m.Step()
	switch {
	case s.Kind == load.Product:
		o := v.pair()
		data, tags = m.tagged(o.a, s.A, data, tags)
		return m.tagged(o.b, s.B, data, tags)
	case s.Kind == load.Real:
		return append(data, v.real()), tags
	}
	var a *array
	if s.Kind == load.List {
		a = m.listOf(v)
		tags = append(tags, a.n)
	} else if a = v.array(); a.list || a.n != s.Size {
		reported()
	}
	for i := range a.n {
		data, tags = m.tagged(a.at(i), s.A, data, tags)
	}
	return data, tags
}

// at returns element i.
func (a *array) at(i int) value {
	if a.flat == nil {
		return a.elems[i]
	}
	if a.elem.Kind == load.Real {
		return value{num: a.flat[i]}
	}
	w := a.elem.Width()
	return view(a.elem, a.flat[i*w:(i+1)*w:(i+1)*w])
}

// maxPlain bounds the nesting of plain data.
const maxPlain = 10_000

// plain returns the shape of v if it is numbers, products and vectors, and otherwise nil. What nests deeper than depth
// is not plain.
func plain(v value, depth int) *load.Shape {
	switch o := v.ref.(type) {
	case nil:
		return realShape
	case *pair:
		if depth == 0 {
			return nil
		}
		a := plain(o.a, depth-1)
		if a == nil {
			return nil
		}
		if b := plain(o.b, depth-1); b != nil && a.Width()+b.Width() <= load.MaxWidth {
			return load.ProductShape(a, b)
		}
	case *array:
		if !o.list && o.flat != nil && o.elem.Width() <= load.MaxWidth/o.n && o.elem.Depth() < depth {
			return load.VectorShape(o.elem, o.n)
		}
	}
	return nil
}

// store writes v, which has the plain shape s, to dst.
func store(v value, dst []float64, s *load.Shape) {
	switch s.Kind {
	case load.Real:
		dst[0] = v.real()
	case load.Product:
		o := v.pair()
		w := s.A.Width()
		store(o.a, dst[:w], s.A)
		store(o.b, dst[w:], s.B)
	case load.Vector:
		a := v.array()
		if a.list || a.n != s.Size {
			reported()
		}
		if a.flat != nil && a.elem.Equal(s.A) {
			copy(dst, a.flat)
			return
		}
		a.store(dst, s.A)
	default:
		reported()
	}
}

// store writes the elements, of the plain shape s, to dst.
func (a *array) store(dst []float64, s *load.Shape) {
	w := s.Width()
	for i := range a.n {
		store(a.at(i), dst[i*w:(i+1)*w], s)
	}
}

// pair returns the pair v.
func (v *value) pair() *pair {
	p, ok := v.ref.(*pair)
	if !ok {
		reported()
	}
	return p
}

// real returns the number v.
func (v *value) real() float64 {
	if v.ref != nil {
		reported()
	}
	return v.num
}

// array returns the vector or list v.
func (v *value) array() *array {
	a, ok := v.ref.(*array)
	if !ok {
		reported()
	}
	return a
}

// numbers are the elements of a vector of numbers.
func (a *array) numbers() []float64 {
	if a.flat == nil {
		reported()
	}
	return a.flat
}
