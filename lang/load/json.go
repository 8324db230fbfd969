package load

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/gram-machine/gram/lang/syntax"
)

// layout is how numbers are nested in brackets. The numbers themselves stand in a slice, in the order of the text: if a
// layout fits a shape, they are in row-major order.
type layout struct {
	size int       // the number of elements; -1 for a number
	each *layout   // the layout of every element, if they have the same
	kids []*layout // the layouts of elements that differ
}

var numberLayout = &layout{size: -1}

func dimsLayout(dims []int) *layout {
	l := numberLayout
	for _, n := range slices.Backward(dims) {
		l = &layout{size: n, each: l}
	}
	return l
}

// add appends an element.
func (l *layout) add(kid *layout) {
	switch {
	case l.size == 0:
		l.each = kid
	case l.each == nil:
		l.kids = append(l.kids, kid)
	case !l.each.equal(kid):
		l.kids = append(slices.Repeat([]*layout{l.each}, l.size), kid)
		l.each = nil
	}
	l.size++
}

func (l *layout) kid(i int) *layout {
	if l.each != nil {
		return l.each
	}
	return l.kids[i]
}

func (l *layout) equal(m *layout) bool {
	if l == m {
		return true
	}
	if l.size != m.size || l.size <= 0 {
		return l.size == m.size
	}
	if l.each != nil && m.each != nil {
		return l.each.equal(m.each)
	}
	return slices.EqualFunc(l.kids, m.kids, (*layout).equal)
}

// fits reports whether numbers in the layout are a value of the shape s, which is no list. A product is its two
// components, or its components in one bracket as far to the right as they are nested, or all its numbers in one
// bracket.
func (l *layout) fits(s *Shape) bool {
	switch s.Kind {
	case Real:
		return l.size < 0
	case Vector:
		return l.size == s.Size && l.misfit(s.A) < 0
	}
	return l.fitsProduct(s) || l.size == s.width && l.misfit(realShape) < 0
}

// misfit returns the first element that does not fit the shape, or -1.
func (l *layout) misfit(s *Shape) int {
	kids := l.kids
	if l.each != nil && l.size > 0 {
		kids = []*layout{l.each} // all are alike
	}
	return slices.IndexFunc(kids, func(kid *layout) bool { return !kid.fits(s) })
}

func (l *layout) fitsProduct(s *Shape) bool {
	i := 0
	for ; s.Kind == Product && l.size-i > 2; i++ {
		if !l.kid(i).fits(s.A) {
			return false
		}
		s = s.B
	}
	return s.Kind == Product && l.size-i == 2 && l.kid(i).fits(s.A) && l.kid(i+1).fits(s.B)
}

// shape returns the shape of a number or of vectors, nil if there is none.
func (l *layout) shape() *Shape {
	switch {
	case l.size < 0:
		return realShape
	case l.size == 0 || l.each == nil:
		return nil
	}
	if a := l.each.shape(); a != nil {
		return VectorShape(a, l.size)
	}
	return nil
}

// describe says in a message what l is.
func (l *layout) describe() string {
	if s := l.shape(); s != nil {
		return s.String()
	}
	if l.size == 0 {
		return "an empty list"
	}
	parts := syntax.Each(min(l.size, 4), func(i int) string {
		if s := l.kid(i).shape(); s != nil {
			return s.String()
		}
		return "[…]"
	})
	if l.size > 4 {
		parts = append(parts, "…")
	}
	return fmt.Sprintf("a list of %d unlike parts: %s", l.size, strings.Join(parts, ", "))
}

// misfit reports that a value does not have the shape of its declaration.
func misfit(at syntax.Span, s *Setting, want *Shape, found string) {
	given := short(s.Text) + " gives"
	if s.isFlat {
		given = "it is given"
	}
	fail(at, "value does not fit the program", fmt.Sprintf("%s is %v, but %s %s", s.Name, want, given, found))
}

// rows returns how many rows the content is as a value of the shape want, 1 if that is no list. If it does not fit,
// found says what it is.
func (c *content) rows(flat bool, want *Shape) (rows int, found string) {
	switch l := c.layout; {
	case flat && want.Kind != List && len(c.Data) == want.width:
		return 1, ""
	case flat && want.Kind == List && len(c.Data)%want.A.width == 0:
		return len(c.Data) / want.A.width, ""
	case flat:
		return 0, counted(len(c.Data), "number")
	case l != nil && want.Kind != List && l.fits(want):
		return 1, ""
	case l != nil && (want.Kind != List || l.size < 0):
		return 0, l.describe()
	case l != nil:
		if i := l.misfit(want.A); i >= 0 {
			return 0, fmt.Sprintf("%s as element %d of the list", l.kid(i).describe(), i)
		}
		return l.size, ""
	case want.Kind != List && c.Rows*c.width == want.width && c.fits(want):
		return 1, ""
	case want.Kind == List && (c.width == want.A.width || c.Rows == 0 && c.width == 0): // the width may not be known
		return c.Rows, ""
	}
	return 0, counted(c.Rows, "row") + " of " + counted(c.width, "number")
}

// fits reports whether the lines of a table with the right count of numbers may
// stand for the shape: the innermost vectors are its rows, or all of a vector of
// numbers its only column. The numbers of a product may be divided in any way.
func (t *content) fits(s *Shape) bool {
	inner := s
	for inner.Kind == Vector && inner.A.Kind != Real {
		inner = inner.A
	}
	return inner.Kind != Vector || t.width == inner.Size || inner == s && t.width == 1
}

func (o *opened) jsonReader() *textReader {
	r := newTextReader(make([]byte, 0, 1<<16), o.text(), o.s.Guard)
	r.file, r.path = o.path, []part{{name: "$", index: -1}}
	return r
}

// text returns what reads the file behind a byte-order mark.
func (o *opened) text() *bufio.Reader {
	b := bufio.NewReaderSize(checkedReader{o.in, o.s.Guard}, 1<<16)
	if mark, _ := b.Peek(3); string(mark) == "\ufeff" {
		b.Discard(3)
	}
	return b
}

// json reads a value of a JSON file: numbers in nested arrays.
func (o *opened) json() (*content, error) {
	r := o.jsonReader()
	if o.shape.Tagged() {
		r.shape = o.shape
	}
	if r.skip(); r.err == nil && r.ended() {
		r.fail("the file is empty")
	}
	l := r.selected(o.parts, 0)
	if err := r.end(); err != nil {
		return nil, err
	}
	return &content{layout: l, Value: Value{Data: r.data, Tags: r.tags}}, nil
}

// end checks that nothing follows, and returns the first error.
func (r *textReader) end() *fileError {
	if r.skip(); r.err == nil && !r.ended() {
		r.fail("%s is left over after the value", r.rest())
	}
	return r.err
}

// selected reads the value to which the parts from i on lead, and passes over the others.
func (r *textReader) selected(parts []part, i int) (found *layout) {
	if i == len(parts) {
		if r.shape != nil {
			r.tagged(r.shape)
			return numberLayout
		}
		return r.value()
	}
	want := parts[i]
	missing := ""
	switch c := r.skip(); {
	case c == '{' && want.index < 0:
		var names []string
		r.object(func(name string, _, _ int) {
			if name == want.name {
				found = r.selected(parts, i+1)
				return
			}
			names = append(names, name)
			r.pass()
		})
		missing = fmt.Sprintf("there is no member %q%s", want.name, meant(want.name, names))
	case c == '[':
		index, size := want.index, 0
		if index < 0 { // on the command line
			index, _ = strconv.Atoi(want.name)
		}
		r.array(func() {
			if size++; size-1 == index {
				found = r.selected(parts, i+1)
				return
			}
			r.pass()
		})
		missing = fmt.Sprintf("there is no element %v: the array has %d", &want, size)
	default:
		missing = fmt.Sprintf("here is nothing that has a part %v", &want)
	}
	if r.err == nil && found == nil {
		r.fail("%s", missing)
		r.err.part = i
	}
	return found
}

func (r *textReader) pass() {
	r.guard.Step()
	switch r.skip() {
	case '{':
		r.object(func(string, int, int) { r.pass() })
	case '[':
		r.array(r.pass)
	case '"':
		r.str()
	default:
		word := string(r.span(inWord))
		if text := strings.TrimSpace(word); !slices.Contains([]string{"true", "false", "null"}, text) {
			if _, why := parseNumber(text); why != "" {
				r.fail("%s is no value", quoted(strings.ToValidUTF8(text, "\ufffd")))
				return
			}
		}
		r.at += len(word)
	}
}

// characters reads a text in UTF-8 as the code points of its characters, in rows of as many as the part says, or of
// one. What makes no whole row at the end is left out.
func (o *opened) characters() (*content, error) {
	width := 1
	if len(o.parts) > 0 {
		p := o.parts[0]
		if width = p.index; width < 0 { // a name, perhaps a number of the command line
			width, _ = strconv.Atoi(p.name)
		}
		if width < 1 || width > MaxWidth {
			return nil, o.wrong(0, errors.New("the length of a row is expected, a natural number from 1 on"))
		}
	}
	text := o.text()
	data := syntax.Room[float64](o.s.Guard, nil, int(min(o.size, MaxWidth)))
	for line, col := 1, 1; ; col++ {
		c, n, err := text.ReadRune()
		switch {
		case err == io.EOF:
			rows := len(data) / width
			return &content{width: width, Value: Value{Rows: rows, Data: data[:rows*width]}}, nil
		case err != nil:
			return nil, err
		case c == utf8.RuneError && n == 1:
			return nil, o.error(line, col, -1, "this is no UTF-8")
		case c == '\n':
			line, col = line+1, 0
		}
		data = append(syntax.Room(o.s.Guard, data, 1), float64(c))
	}
}
