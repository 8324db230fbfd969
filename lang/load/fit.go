package load

import (
	"fmt"
	"strings"

	"github.com/gram-machine/gram/lang/syntax"
)

// misfit reports that a value does not have the shape of its declaration.
func misfit(at syntax.Span, s *Setting, want *Shape, found string) {
	given := short(s.Text) + " gives"
	if s.isFlat {
		given = "it is given"
	}
	fail(at, "value does not fit the program", fmt.Sprintf("%s is %v, but %s %s", s.Name, want, given, found))
}

// setFlat gives numbers in row-major order the shape want.
func setFlat(at syntax.Span, s *Setting, want *Shape) Value {
	rows, n := 1, len(s.flat)
	fits := n == want.width
	if want.Kind == List {
		rows, fits = n/want.A.width, n%want.A.width == 0
	}
	if !fits {
		misfit(at, s, want, fmt.Sprintf("%d %s", n, plural(n, "number")))
	}
	return Value{Shape: want, Rows: rows, Data: s.flat}
}

// setTree gives the numbers in brackets the shape want.
func (src *Source) setTree(at syntax.Span, s *Setting, want *Shape) Value {
	if want.Kind != List {
		data := src.floats(at, 1, want.width)
		if !s.tree.put(data, want) {
			misfit(at, s, want, s.tree.describe())
		}
		return Value{Shape: want, Rows: 1, Data: data}
	}
	if s.tree.kids == nil {
		misfit(at, s, want, s.tree.describe())
	}
	rows, w := len(s.tree.kids), want.A.width
	data := src.floats(at, rows, w)
	for i := range s.tree.kids {
		if !s.tree.kids[i].put(data[i*w:(i+1)*w], want.A) {
			misfit(at, s, want, fmt.Sprintf("%s as element %d of the list", s.tree.kids[i].describe(), i))
		}
	}
	return Value{Shape: want, Rows: rows, Data: data}
}

// put writes the numbers of t to dst, if t has the shape s. A product is two
// trees, or its components in one bracket as far to the right as they are
// nested, or all its numbers in one bracket.
func (t *tree) put(dst []float64, s *Shape) bool {
	switch s.Kind {
	case Real:
		if t.kids != nil {
			return false
		}
		dst[0] = t.num
		return true
	case Vector:
		if len(t.kids) != s.Size {
			return false
		}
		w := s.A.width
		for i := range t.kids {
			if !t.kids[i].put(dst[i*w:(i+1)*w], s.A) {
				return false
			}
		}
		return true
	}
	if t.kids == nil {
		return false
	}
	return putProduct(t.kids, dst, s) || t.flat(dst)
}

func putProduct(kids []tree, dst []float64, s *Shape) bool {
	for s.Kind == Product && len(kids) > 2 {
		w := s.A.width
		if !kids[0].put(dst[:w], s.A) {
			return false
		}
		kids, dst, s = kids[1:], dst[w:], s.B
	}
	if s.Kind != Product || len(kids) != 2 {
		return false
	}
	w := s.A.width
	return kids[0].put(dst[:w], s.A) && kids[1].put(dst[w:], s.B)
}

// flat writes t to dst, if it is as many numbers in one bracket.
func (t *tree) flat(dst []float64) bool {
	if len(t.kids) != len(dst) {
		return false
	}
	for i := range t.kids {
		if t.kids[i].kids != nil {
			return false
		}
		dst[i] = t.kids[i].num
	}
	return true
}

// shape returns the shape of t as a number or vectors, or nil.
func (t *tree) shape() *Shape {
	if t.kids == nil {
		return realShape
	}
	if len(t.kids) == 0 {
		return nil
	}
	first := t.kids[0].shape()
	for i := range t.kids {
		if first == nil || i > 0 && !first.Equal(t.kids[i].shape()) {
			return nil
		}
	}
	return VectorShape(first, len(t.kids))
}

// describe says in a message what t is.
func (t *tree) describe() string {
	if s := t.shape(); s != nil {
		return s.String()
	}
	if len(t.kids) == 0 {
		return "an empty list"
	}
	parts := make([]string, 0, 5)
	for i := range t.kids {
		if len(parts) == 4 {
			parts = append(parts, "…")
			break
		}
		part := "[…]"
		if s := t.kids[i].shape(); s != nil {
			part = s.String()
		}
		parts = append(parts, part)
	}
	return fmt.Sprintf("a list of %d unlike parts: %s", len(t.kids), strings.Join(parts, ", "))
}

// setTable gives the rows of a CSV file the shape want.
func setTable(at syntax.Span, s *Setting, t *table, want *Shape) Value {
	found := fmt.Sprintf("%d %s of %d", t.rows, plural(t.rows, "row"), t.width)
	if want.Kind == List {
		// Of a file without rows and without a header no width is known.
		width := want.A.width
		if t.width != width && t.rows > 0 || t.rows == 0 && s.columns != nil && len(s.columns) != width {
			misfit(at, s, want, found+" "+plural(t.width, "number"))
		}
		return Value{Shape: want, Rows: t.rows, Data: t.data}
	}
	if t.rows*t.width != want.width || !t.fits(want) {
		misfit(at, s, want, found+" "+plural(t.width, "number"))
	}
	return Value{Shape: want, Rows: 1, Data: t.data}
}

// fits reports whether the lines of a table with the right count of numbers may
// stand for the shape: the innermost vectors are its rows, or all of a vector of
// numbers its only column. The numbers of a product may be divided in any way.
func (t *table) fits(s *Shape) bool {
	inner := s
	for inner.Kind == Vector && inner.A.Kind != Real {
		inner = inner.A
	}
	switch inner.Kind {
	case Vector:
		return t.width == inner.Size || inner == s && t.width == 1
	default:
		return true
	}
}
