package load

import (
	"fmt"

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

// setArray gives the numbers in brackets the shape want.
func setArray(at syntax.Span, s *Setting, l *layout, data []float64, want *Shape) Value {
	rows := 1
	switch {
	case want.Kind != List:
		if !l.fits(want) {
			misfit(at, s, want, l.describe())
		}
	case l.size < 0:
		misfit(at, s, want, l.describe())
	default:
		rows = l.size
		if i := l.misfit(want.A); i >= 0 {
			misfit(at, s, want, fmt.Sprintf("%s as element %d of the list", l.kid(i).describe(), i))
		}
	}
	return Value{Shape: want, Rows: rows, Data: data}
}

// setTable gives the rows of a file the shape want.
func setTable(at syntax.Span, s *Setting, t *content, want *Shape) Value {
	found := fmt.Sprintf("%d %s of %d", t.rows, plural(t.rows, "row"), t.width)
	if want.Kind == List {
		// Of a file without rows the width may not be known.
		width := want.A.width
		if t.width != width && (t.rows > 0 || t.width > 0) {
			misfit(at, s, want, found+" "+plural(t.width, "number"))
		}
		return Value{Shape: want, Rows: t.rows, Skipped: t.skipped, Skips: t.skips, Columns: t.columns, File: t.file,
			Data: t.data}
	}
	if t.rows*t.width != want.width || !t.fits(want) {
		misfit(at, s, want, found+" "+plural(t.width, "number"))
	}
	return Value{Shape: want, Rows: 1, Skipped: t.skipped, Skips: t.skips, Columns: t.columns, File: t.file, Data: t.data}
}

// fits reports whether the lines of a table with the right count of numbers may
// stand for the shape: the innermost vectors are its rows, or all of a vector of
// numbers its only column. The numbers of a product may be divided in any way.
func (t *content) fits(s *Shape) bool {
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
