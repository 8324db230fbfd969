package eval

import (
	"fmt"
	"hash/fnv"

	"github.com/gram-machine/gram/lang/core"
	"github.com/gram-machine/gram/lang/load"
	"github.com/gram-machine/gram/lang/syntax"
)

const (
	// maxDepth bounds the expressions that are being evaluated at a time, over all calls.
	maxDepth = 1 << 17
	// callNest is what a call adds to the depth by itself.
	callNest = 4
	// maxElements bounds the elements of a list or vector.
	maxElements = load.MaxWidth
)

// failure is the error of a run: a value that does not exist. Without a headline an error has been reported before.
type failure struct {
	core.At
	headline, label string
}

func (f *failure) Error() string { return f.headline + ": " + f.label }

// fail ends the run. Without a place the error stands at the whole expression.
func fail(at *core.At, headline, label string) {
	f := &failure{headline: headline, label: label}
	if at != nil {
		f.At = *at
	}
	syntax.Abort(f)
}

// reported ends the run where a value has not the type of its expression: an error about that has been reported.
func reported() { fail(nil, "", "") }

// machine runs code. Frames are pieces of one stack; when that is too short a
// longer one takes its place, and the frames in use keep the old one.
type machine struct {
	*syntax.Guard
	random *random // of uniform and normal

	stack []value
	top   int
	depth int
}

// value runs the outermost code c of a scope, whose value has the shape want. The error is a [*failure], or one of the
// guard.
func (m *machine) value(s *scope, c *code, want *load.Shape) (v load.Value, err error) {
	defer syntax.Catch(&err)
	m.Look()
	fr := m.frame(s.slots)
	switch {
	case want.Tagged():
		out := writer{m: m}
		out.value(c.run(m, fr), want)
		return load.TaggedValue(want, out.data, out.tags), nil
	case want.Kind != load.List:
		data := m.floats(nil, 1, want.Width())
		c.write(m, fr, data, want)
		return load.Value{Shape: want, Rows: 1, Data: data}, nil
	}
	a := m.listOf(c.run(m, fr))
	data := a.flat
	if data == nil && a.n > 0 {
		data = m.floats(nil, a.n, want.A.Width())
		m.store(value{ref: a}, data, want)
	}
	return load.Value{Shape: want, Rows: a.n, Data: data}, nil
}

// frame returns n slots, to be given back with release(n).
func (m *machine) frame(n int) []value {
	if m.top+n > len(m.stack) {
		m.grow(n)
	}
	fr := m.stack[m.top : m.top+n : m.top+n]
	m.top += n
	return fr
}

func (m *machine) grow(n int) {
	size := 2*(m.top+n) + 256
	m.Announce(int64(size) * 24)
	m.stack = make([]value, size)
}

func (m *machine) release(n int) { m.top -= n }

// deeper counts the depth of what is evaluated next.
func (m *machine) deeper(at *core.At, n int) {
	m.depth += n
	if m.depth > maxDepth {
		fail(at, "calls too deep", "too many calls in one another have led to this function")
	}
}

// floats returns a slice of n × width numbers.
func (m *machine) floats(at *core.At, n, width int) []float64 {
	if n > maxElements/width {
		fail(at, "too large", fmt.Sprintf("this has %d × %d numbers", n, width))
	}
	m.Announce(8 * int64(n) * int64(width))
	return make([]float64, n*width)
}

// array returns a list or vector of n ≥ 1 elements, whose first element is first. The others are to be filled in by the
// caller: in flat, if first is plain data, otherwise in elems.
func (m *machine) array(at *core.At, list bool, n int, first value) *array {
	a := &array{list: list, n: n}
	if a.elem = plain(first, maxPlain); a.elem != nil {
		a.flat = m.floats(at, n, a.elem.Width())
		m.store(first, a.flat[:a.elem.Width()], a.elem)
		return a
	}
	if n > maxElements/24 {
		fail(at, "too large", fmt.Sprintf("this has %d elements", n))
	}
	m.Announce(24 * int64(n))
	a.elems = make([]value, n)
	a.elems[0] = first
	return a
}

// build returns a list or vector of n elements, an empty list for n = 0.
func (m *machine) build(at *core.At, list bool, n int, elem func(i int) value) *array {
	if n == 0 {
		return &array{list: true}
	}
	a := m.array(at, list, n, elem(0))
	for i := 1; i < n; i++ {
		m.Step()
		if x := elem(i); a.flat == nil {
			a.elems[i] = x
		} else {
			w := a.elem.Width()
			m.store(x, a.flat[i*w:(i+1)*w], a.elem)
		}
	}
	return a
}

// random numbers are functions of a seed, a name and the number of the draw, so a value is the same everywhere.
type random struct {
	start uint64
	draws uint64
}

// newRandom returns the random numbers of a declaration.
func newRandom(seed uint64, name string) *random {
	h := fnv.New64a()
	h.Write([]byte(name))
	return &random{start: mix(seed ^ mix(h.Sum64()))}
}

// mix is the output function of SplitMix64 (Steele, Lea and Flood, 2014).
func mix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// unit is a number between 0 and 1, neither of which it is.
func unit(z uint64) float64 { return (float64(z>>11) + 0.5) / (1 << 53) }

// next is the next number of SplitMix64 from start on; draw k takes those with the numbers 2k and 2k + 1.
func (r *random) next() (u, v float64) {
	const golden = 0x9e3779b97f4a7c15
	k := 2 * r.draws
	r.draws++
	return unit(mix(r.start + (k+1)*golden)), unit(mix(r.start + (k+2)*golden))
}

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

// reader reads values from numbers and tags.
type reader struct {
	data []float64
	tags []int // see [load.Value.Tags]; for a list without lists in it, too
}

// value reads a value of shape s.
func (r *reader) value(s *load.Shape) value {
	a := &array{n: s.Size, elem: s.A}
	switch s.Kind {
	case load.Real:
		x := r.data[0]
		r.data = r.data[1:]
		return number(x)
	case load.Product:
		first := r.value(s.A)
		return value{ref: &pair{a: first, b: r.value(s.B)}}
	case load.List:
		a.list, a.n, r.tags = true, r.tags[0], r.tags[1:]
	}
	if !s.A.Tagged() && s.A.Kind != load.List {
		w := a.n * s.A.Width()
		a.flat, r.data = r.data[:w:w], r.data[w:]
		return value{ref: a}
	}
	a.elems = syntax.Each(a.n, func(int) value { return r.value(s.A) })
	return value{ref: a}
}

// writer collects the numbers of values, and their tags.
type writer struct {
	m    *machine
	data []float64
	tags []int
}

// value writes v, which has the shape s.
func (w *writer) value(v value, s *load.Shape) {
	switch s.Kind {
	case load.Real:
		w.data = append(w.data, v.real())
		return
	case load.Product:
		o := v.pair()
		w.value(o.a, s.A)
		w.value(o.b, s.B)
		return
	}
	var a *array
	if s.Kind == load.List {
		a = w.m.listOf(v)
		w.tags = append(w.tags, a.n)
	} else if a = v.array(); a.list || a.n != s.Size {
		reported()
	}
	if a.flat != nil && a.elem.Equal(s.A) {
		w.data = append(w.data, a.flat...)
		return
	}
	for i := range a.n {
		w.m.Step()
		w.value(a.at(i), s.A)
	}
}

// store writes v, which has the plain shape s, to dst.
func (m *machine) store(v value, dst []float64, s *load.Shape) {
	if s.Kind == load.Real {
		dst[0] = v.real()
		return
	}
	out := writer{m: m, data: dst[:0]}
	out.value(v, s)
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
	in := reader{data: a.flat[i*w : (i+1)*w]}
	return in.value(a.elem)
}

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

func (v value) real() float64 {
	if v.ref != nil {
		reported()
	}
	return v.num
}

func (v value) pair() *pair   { return objectOf[*pair](v) }
func (v value) array() *array { return objectOf[*array](v) }

func objectOf[T object](v value) T {
	o, ok := v.ref.(T)
	if !ok {
		reported()
	}
	return o
}

// numbers are the elements of a vector of numbers.
func (a *array) numbers() []float64 {
	if a.flat == nil {
		reported()
	}
	return a.flat
}
