// Package load reads values of params, inputs and data that are given as numbers:
// on the command line, in files, or by the caller. It writes values as text, as the
// language or as JSON has them: numbers with the fewest digits that read back to them.
//
// The shape of an input or of data is a tree over R:
//
//	S ::= R | S * S | S^n | List S
//
// A [Value] is a shape and its numbers, flat and in row-major order: those of v.(0) before those of v.(1), those of a
// pair's first component before those of its second, element by element for a list. Inputs are R, products and vectors
// of R. Data are R, R^k, List R and List R^k.
package load

import (
	"fmt"
	"math"
	"math/bits"
	"strconv"
	"strings"
)

// Kind is the form of a [Shape].
type Kind uint8

const (
	Real      Kind = iota // R
	Product               // A * B
	Vector                // A^Size
	List                  // List A, in data only
	Inductive             // a declared type: Name and Cons
)

// Shape is the type of an input or of data. Shapes are not modified once built.
type Shape struct {
	Kind   Kind
	A, B   *Shape
	Size   int    // Vector: at least 1
	Name   string // of an inductive type, with its arguments
	Cons   []Constructor
	width  int
	tagged bool // see Tagged
	depth  int  // how deep the shapes in it are nested
}

// Constructor is a constructor of an inductive type. Arg is nil if it has no argument; it may lead back to the shape.
type Constructor struct {
	Name string
	Arg  *Shape
}

// InductiveShape is a declared type, whose constructors are added later. It has width 0: its values have any number of
// scalars.
func InductiveShape(name string) *Shape { return &Shape{Kind: Inductive, Name: name, tagged: true} }

var realShape = &Shape{Kind: Real, width: 1}

// RealShape is R.
func RealShape() *Shape { return realShape }

// MaxWidth bounds the scalars of one type; where an int has 32 bits, to 1 GiB of them.
const MaxWidth = min(1<<32, math.MaxInt/16+1)

// TooWide is said of a type of more scalars. The bound is a power of two.
var TooWide = fmt.Sprintf("this has more than 2^%d numbers", bits.TrailingZeros64(MaxWidth))

// ProductShape is a * b.
func ProductShape(a, b *Shape) *Shape {
	return &Shape{Kind: Product, A: a, B: b, width: min(a.width+b.width, MaxWidth+1), depth: 1 + max(a.depth, b.depth),
		tagged: a.inner() || b.inner()}
}

// VectorShape is a^n, n ≥ 1.
func VectorShape(a *Shape, n int) *Shape {
	width := MaxWidth + 1
	if a.width <= MaxWidth/n {
		width = a.width * n
	}
	return &Shape{Kind: Vector, A: a, Size: n, width: width, depth: 1 + a.depth, tagged: a.inner()}
}

// ListShape is List a.
func ListShape(a *Shape) *Shape {
	return &Shape{Kind: List, A: a, width: a.width, depth: 1 + a.depth, tagged: a.inner()}
}

// inner reports whether a shape with s in it is tagged.
func (s *Shape) inner() bool { return s.tagged || s.Kind == List }

// Tagged reports whether numbers alone do not make a value of the shape: there is an inductive type in it, or a list in
// another type. See [Value.Tags].
func (s *Shape) Tagged() bool { return s != nil && s.tagged }

// Flat returns the shape of the same numbers without what they are grouped in: R, R^k, List R or List R^k. s is not
// tagged.
func (s *Shape) Flat() *Shape {
	switch {
	case s.Kind == List:
		return ListShape(s.A.Flat())
	case s.Kind == Real:
		return s
	}
	return VectorShape(realShape, s.width)
}

// Inductive reports whether s is an inductive type, or a product or vector with one in it.
func (s *Shape) Inductive() bool {
	return s != nil && (s.Kind == Inductive || s.A.Inductive() || s.B.Inductive())
}

// Width is the number of scalars of a value of the shape; of one element for a list.
// Of a shape with more than [MaxWidth] it is some larger number.
func (s *Shape) Width() int { return s.width }

// Depth is how deep the shapes in s are nested.
func (s *Shape) Depth() int { return s.depth }

// Equal reports whether s and t are the same shape.
func (s *Shape) Equal(t *Shape) bool {
	switch {
	case s == t:
		return true
	case s == nil || t == nil || s.Kind != t.Kind || s.Size != t.Size || s.Name != t.Name || s.width != t.width:
		return false
	}
	return s.A.Equal(t.A) && s.B.Equal(t.B)
}

// Rows is what stands behind the type of the components of vectors of vectors, the size of the outermost first: ^2,
// ^(3, 2).
func Rows(sizes []string) string {
	if len(sizes) == 1 {
		return "^" + sizes[0]
	}
	return "^(" + strings.Join(sizes, ", ") + ")"
}

// String returns the shape as a program writes it: R * R^2, List R^4.
func (s *Shape) String() string {
	if s == nil {
		return "?"
	}
	var b strings.Builder
	s.print(&b, 0)
	return b.String()
}

// print writes s where an operand of at least that level stands: 0 anything, 1 left of *, 2 under List or ^.
func (s *Shape) print(b *strings.Builder, level int) {
	closing := ""
	if s.Kind == Product && level > 0 || (s.Kind == List || strings.Contains(s.Name, " ")) && level > 1 {
		b.WriteByte('(')
		closing = ")"
	}
	switch s.Kind {
	case Real:
		b.WriteByte('R')
	case Inductive:
		b.WriteString(s.Name)
	case Product:
		s.A.print(b, 1)
		b.WriteString(" * ")
		s.B.print(b, 0)
	case Vector:
		sizes := []string{strconv.Itoa(s.Size)}
		for s = s.A; s.Kind == Vector; s = s.A {
			sizes = append(sizes, strconv.Itoa(s.Size))
		}
		s.print(b, 2)
		b.WriteString(Rows(sizes))
	case List:
		b.WriteString("List ")
		s.A.print(b, 2)
	}
	b.WriteString(closing)
}

// TaggedValue returns a value of a tagged shape.
func TaggedValue(s *Shape, data []float64, tags []int) Value {
	v := Value{Shape: s, Rows: 1, Data: data, Tags: tags}
	if s.Kind == List {
		v.Rows = tags[0]
	}
	return v
}

// Value is a shape and its numbers.
type Value struct {
	Shape *Shape
	Rows  int // a list: its number of elements; otherwise 1
	// Skipped is how many rows of a file have been left out because a value is missing.
	Skipped int
	Skips   uint64    // a hash of which they are
	Columns []Column  // of a table
	File    *File     // that table
	Data    []float64 // Rows × Shape.Width() numbers in row-major order; not to be modified
	// Tags are, of a tagged shape, the constructors of inductive types by number, and the lengths of lists, each before
	// those of its parts, from left to right.
	Tags []int
	// Chunk, if not nil, computes numbers of a list that is too large to be stored: see [term.Data].
	Chunk func(dst []float64, from int, look func() error) error
}
