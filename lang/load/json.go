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

// jsonReader returns a reader of a JSON file.
func (o *opened) jsonReader() *textReader {
	r := newTextReader(make([]byte, 0, 1<<16), o.text(), o.s.Guard)
	r.file, r.path = o.path, []part{{name: "$", index: -1}}
	return r
}

// text returns what reads the file behind a byte-order mark.
func (o *opened) text() *bufio.Reader {
	b := bufio.NewReaderSize(checkedReader{o.in, o.s}, 1<<16)
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
		missing = fmt.Sprintf("there is no member %q", want.name)
		if near := syntax.Suggest(want.name, names); near != "" {
			missing += fmt.Sprintf("; did you mean %q?", near)
		}
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

// pass passes over a value.
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
			wrong := o.wrong(-1, errors.New("this is no UTF-8"))
			wrong.line, wrong.col = line, col
			return nil, wrong
		case c == '\n':
			line, col = line+1, 0
		}
		data = append(syntax.Room(o.s.Guard, data, 1), float64(c))
	}
}
