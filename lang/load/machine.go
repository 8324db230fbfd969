package load

import (
	"fmt"

	"github.com/gram-machine/gram/lang/syntax"
)

const (
	// checkEvery is the number of elements and calls between two calls of Check.
	checkEvery = 1 << 15
	// reserveFrom is the size in bytes from which a slice is announced to Reserve.
	reserveFrom = 1 << 16
	// maxDepth bounds the expressions that are being evaluated at a time, over
	// all calls.
	maxDepth = 1 << 17
	// callNest is what a call adds to the depth by itself.
	callNest = 4
	// maxElements bounds the elements of a list or vector.
	maxElements = maxWidth
)

// machine runs compiled code. Frames are pieces of one stack; when that is too
// short a longer one takes its place, and the frames in use keep the old one.
type machine struct {
	stack   []value
	top     int
	depth   int
	fuel    int
	check   func() error
	reserve func(bytes int64) error
	sites   []place // the applications that are being evaluated
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
	m.announce(int64(size) * 24)
	m.stack = make([]value, size)
}

func (m *machine) release(n int) { m.top -= n }

// tick counts an element or a call.
func (m *machine) tick() {
	m.fuel--
	if m.fuel <= 0 {
		m.look()
	}
}

func (m *machine) look() {
	m.fuel = checkEvery
	if m.check != nil {
		if err := m.check(); err != nil {
			panic(&aborted{err})
		}
	}
}

// announce tells Reserve about an allocation.
func (m *machine) announce(bytes int64) {
	if m.reserve != nil && bytes >= reserveFrom {
		if err := m.reserve(bytes); err != nil {
			panic(&aborted{err})
		}
	}
}

// floats returns a slice of n × width numbers.
func (m *machine) floats(at place, n, width int) []float64 {
	if n > maxElements/width {
		fail(at, "too large", fmt.Sprintf("this has %d × %d numbers", n, width))
	}
	m.announce(8 * int64(n) * int64(width))
	return make([]float64, n*width)
}

// array returns a list or vector of n ≥ 1 elements, whose first element is
// first. The others are to be filled in by the caller: in flat, if first is
// plain data, otherwise in elems.
func (m *machine) array(at place, list bool, n int, first value) *array {
	a := &array{list: list, n: n}
	if a.elem = plain(first); a.elem != nil {
		a.flat = m.floats(at, n, a.elem.width)
		store(at, first, a.flat[:a.elem.width], a.elem)
		return a
	}
	if n > maxElements/24 {
		fail(at, "too large", fmt.Sprintf("this has %d elements", n))
	}
	m.announce(24 * int64(n))
	a.elems = make([]value, n)
	a.elems[0] = first
	return a
}

// set stores element i ≥ 1 of an array under construction.
func (a *array) set(at place, i int, v value) {
	if a.flat == nil {
		a.elems[i] = v
		return
	}
	w := a.elem.width
	store(at, v, a.flat[i*w:(i+1)*w], a.elem)
}

// enter counts the depth of a call, leave takes it back.
func (m *machine) enter(fn *function) {
	m.tick()
	m.depth += fn.nest + callNest
	if m.depth > maxDepth {
		fail(fn.at, "calls too deep", "too many calls in one another have led to "+fn.title())
	}
}

func (m *machine) leave(fn *function) { m.depth -= fn.nest + callNest }

// caller moves a failure in the prelude to the innermost application in the
// program that led to it.
func (m *machine) caller(f *failure, main *syntax.File) {
	if f.File == main || f.reported() {
		return
	}
	for i := len(m.sites) - 1; i >= 0; i-- {
		if m.sites[i].file == main {
			f.Label = "in a definition of the prelude that is applied here: " + f.Label
			f.File, f.Span, f.Notes = main, m.sites[i].span, nil
			return
		}
	}
}
