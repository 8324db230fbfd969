package load

import (
	"bufio"
	"fmt"
	"slices"
	"strconv"
	"strings"

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
	l := r.selected(o.parts, 0)
	if err := r.end(); err != nil {
		return nil, err
	}
	return &content{layout: l, data: r.data, tags: r.tags}, nil
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
