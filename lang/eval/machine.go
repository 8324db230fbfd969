package eval

import (
	"fmt"

	"github.com/gram-machine/gram/lang/core"
	"github.com/gram-machine/gram/lang/load"
	"github.com/gram-machine/gram/lang/syntax"
)

const (
	// maxDepth bounds the expressions that are being evaluated at a time, over
	// all calls.
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

// Error returns the headline and the label.
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
	if want.Tagged() {
		data, tags := m.tagged(c.run(m, fr), want, nil, nil)
		return load.TaggedValue(want, data, tags), nil
	}
	if want.Kind != load.List {
		data := m.floats(nil, 1, want.Width())
		c.write(m, fr, data, want)
		return load.Value{Shape: want, Rows: 1, Data: data}, nil
	}
	a := m.listOf(c.run(m, fr))
	if a.flat == nil && a.n > 0 {
		data := m.floats(nil, a.n, want.A.Width())
		a.store(data, want.A)
		a.flat = data
	}
	return load.Value{Shape: want, Rows: a.n, Data: a.flat}, nil
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

// array returns a list or vector of n ≥ 1 elements, whose first element is
// first. The others are to be filled in by the caller: in flat, if first is
// plain data, otherwise in elems.
func (m *machine) array(at *core.At, list bool, n int, first value) *array {
	a := &array{list: list, n: n}
	if a.elem = plain(first, maxPlain); a.elem != nil {
		a.flat = m.floats(at, n, a.elem.Width())
		store(first, a.flat[:a.elem.Width()], a.elem)
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
			store(x, a.flat[i*w:(i+1)*w], a.elem)
		}
	}
	return a
}
