package load

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/gram-machine/gram/lang/syntax"
)

// textReader reads numbers in brackets: the value of --set, and JSON, in which there are objects and strings as well.
// It keeps its first error.
type textReader struct {
	in    io.Reader // what follows buf; nil at the end
	guard *syntax.Guard
	buf   []byte
	at    int
	line  int // the current line, from 1
	start int // where in buf it starts, as if its characters were bytes
	nest  int
	file  string    // its name, of a JSON file
	path  []part    // the place in a JSON file, as in $.layers[3].w; nil for other text
	data  []float64 // the numbers so far
	shape *Shape    // of the value, if it is tagged
	tags  []int     // see [Value.Tags]
	open  []frame   // what is open around a part of such a value
	err   *fileError
}

// maxBrackets bounds the nesting of brackets.
const maxBrackets = 100

func newTextReader(text []byte, in io.Reader, guard *syntax.Guard) *textReader {
	return &textReader{in: in, guard: guard, buf: text, line: 1}
}

// fail keeps the error, if it is the first.
func (r *textReader) fail(format string, args ...any) {
	if r.err != nil {
		return
	}
	text := fmt.Sprintf(format, args...)
	if r.path != nil {
		place := ""
		for _, p := range r.path {
			if place += p.name; p.index >= 0 {
				place += "[" + strconv.Itoa(p.index) + "]"
			}
		}
		place += r.within()
		text = place + ": " + text
	}
	r.err = &fileError{kind: "JSON", path: r.file, line: r.line, col: r.at - r.start - r.inner() + 1, part: -1, msg: text}
	r.in, r.buf = nil, r.buf[:r.at]
}

// inner counts the bytes of the current line, up to at, that do not start a character.
func (r *textReader) inner() (n int) {
	for _, c := range r.buf[max(r.start, 0):r.at] {
		if c&0xc0 == 0x80 {
			n++
		}
	}
	return n
}

// more reads on behind what is left of buf. It reports whether there is more.
func (r *textReader) more() bool {
	if r.in == nil || len(r.buf) == cap(r.buf) && r.at == 0 {
		return false
	}
	r.start += r.inner() - r.at
	n := copy(r.buf, r.buf[r.at:])
	r.buf, r.at = r.buf[:n], 0
	for {
		m, err := r.in.Read(r.buf[n:cap(r.buf)])
		r.buf = r.buf[:n+m]
		if err != nil {
			r.in = nil
			if err != io.EOF {
				r.fail("%s", syntax.SystemError(err))
			}
		}
		if m > 0 || err != nil {
			return m > 0
		}
	}
}

// peek returns the current byte, 0 at the end.
func (r *textReader) peek() byte {
	if r.at < len(r.buf) || r.more() {
		return r.buf[r.at]
	}
	return 0
}

// ended reports whether nothing follows.
func (r *textReader) ended() bool { return r.at >= len(r.buf) && !r.more() }

// skip passes over white space and returns the byte behind it.
func (r *textReader) skip() byte {
	for {
		switch c := r.peek(); c {
		case '\n':
			r.line, r.start = r.line+1, r.at+1
		case ' ', '\t', '\r':
		default:
			return c
		}
		r.at++
	}
}

// take skips white space, and c if it follows.
func (r *textReader) take(c byte) bool {
	if r.skip() != c {
		return false
	}
	r.at++
	return true
}

// span returns the text from the current byte on for which in holds, and as much of it as the buffer has if that is
// long.
func (r *textReader) span(in func(c byte) bool) []byte {
	for n := 0; ; n++ {
		if r.at+n == len(r.buf) && !r.more() || !in(r.buf[r.at+n]) {
			return r.buf[r.at : r.at+n]
		}
	}
}

// rest quotes what follows.
func (r *textReader) rest() string {
	return quoted(string(bytes.ToValidUTF8(r.span(func(c byte) bool { return c != '\n' }), nil)))
}

// value reads a number or brackets. The numbers go to data.
func (r *textReader) value() *layout {
	r.guard.Step()
	if r.skip() != '[' {
		r.number()
		return numberLayout
	}
	l := &layout{}
	r.array(func() { l.add(r.value()) })
	return l
}

func (r *textReader) array(element func()) { r.enclosed(']', "bracket", true, element) }

// enclosed reads elements up to a closing bracket. Those that have an index get it as their place.
func (r *textReader) enclosed(closing byte, name string, index bool, element func()) {
	if r.nest++; r.nest > maxBrackets {
		r.fail("too many brackets in one another")
		return
	}
	r.at++
	index = index && r.path != nil
	for i := 0; r.err == nil && !(i == 0 && r.take(closing)); i++ {
		if index {
			r.path = append(r.path, part{index: i})
		}
		element()
		if r.err != nil {
			return
		}
		if index {
			r.path = r.path[:len(r.path)-1]
		}
		if r.take(closing) {
			break
		}
		if r.ended() {
			r.fail("a closing %s is missing", name)
		} else if !r.take(',') {
			r.fail("%s stands where a comma or a closing %s is expected", r.rest(), name)
		}
	}
	r.nest--
}

// inWord reports whether a number or a word of JSON may go on with c.
func inWord(c byte) bool {
	return c != '[' && c != ']' && c != '{' && c != '}' && c != ',' && c != '\n'
}

// notFinite are the strings that JSON files have for what JSON has no numbers for.
var notFinite = map[string]float64{`"NaN"`: math.NaN(), `"+Inf"`: math.Inf(1), `"-Inf"`: math.Inf(-1)}

// number reads a number. Those that JSON has no numbers for are strings in it.
func (r *textReader) number() {
	word := string(r.span(inWord))
	x, why := parseNumber(word)
	word = strings.TrimRight(word, " \t\r")
	if why != "" && r.path != nil {
		if v, ok := notFinite[word]; ok {
			x, why = v, ""
		}
	}
	switch {
	case why == "":
		r.at += len(word)
		r.data = append(syntax.Room(r.guard, r.data, 1), x)
	case why == "is empty" && r.ended():
		r.fail("the value ends where a number is expected")
	case why == "is empty":
		r.fail("%s stands where a number is expected", r.rest())
	default:
		if word = strings.ToValidUTF8(word, "\ufffd"); r.path == nil || word[0] != '"' {
			word = quoted(word)
		}
		r.fail("%s %s", short(word), why)
	}
}

func (r *textReader) str() (text string) {
	if r.peek() != '"' {
		r.fail("%s stands where a name in quotes is expected", r.rest())
		return ""
	}
	escaped, quotes := false, 0
	raw := r.span(func(c byte) bool {
		if c == '"' && !escaped {
			quotes++
			return quotes < 2
		}
		escaped = c == '\\' && !escaped
		return c != '\n'
	})
	if quotes < 2 {
		r.fail("a string does not end")
		return ""
	}
	raw = r.buf[r.at : r.at+len(raw)+1]
	if err := json.Unmarshal(raw, &text); err != nil {
		r.fail("%s is no string", quoted(string(raw)))
	}
	r.at += len(raw)
	return text
}

// object reads the members of an object. For each it calls member at its value, with its name and the place of that.
func (r *textReader) object(member func(name string, line, col int)) {
	seen := map[string]bool{}
	r.enclosed('}', "brace", false, func() {
		r.skip()
		line, col := r.line, r.at-r.start-r.inner()+1
		name := r.str()
		if seen[name] {
			r.fail("there are two members %q", name)
			r.err.line, r.err.col = line, col
		}
		seen[name] = true
		if r.err == nil && !r.take(':') {
			r.fail("%s stands where a colon is expected", r.rest())
		}
		if r.err != nil {
			return
		}
		r.path = append(r.path, part{name: "." + name, index: -1})
		member(name, line, col)
		if r.err == nil {
			r.path = r.path[:len(r.path)-1]
		}
	})
}

// frame is an open bracket around a part of an inductive value.
type frame struct {
	kind  Kind   // Inductive: the braces of a constructor; Product; Vector; List
	shape *Shape // of the whole; of a product what follows the component that is being read, or nil
	next  int    // the constructor, or the component that is being read
	tag   int    // of a list, the place of its length in tags
}

// tagged reads a value of shape s: a constructor without argument is its name, another one is an object, {"Leaf": 1},
// and products, vectors and lists are arrays. Values nest as deep as there is memory.
func (r *textReader) tagged(s *Shape) {
	r.open = r.open[:0]
	for r.err == nil {
		r.guard.Step()
		for s = r.enter(s); s == nil && r.err == nil; s = r.leave() {
			if len(r.open) == 0 {
				return
			}
		}
	}
}

// enter begins a value of shape s. It returns the shape of its first part, or nil if the value is complete.
func (r *textReader) enter(s *Shape) *Shape {
	c := r.skip()
	switch {
	case s.Kind == Real:
		r.number()
	case s.Kind == Inductive && c == '"':
		if con := r.constructor(s); r.err == nil && s.Cons[con].Arg != nil {
			r.fail("%s takes an argument: {%q: …}", s.Cons[con].Name, s.Cons[con].Name)
		}
	case s.Kind == Inductive && c == '{':
		r.at++
		r.skip()
		con := r.constructor(s)
		if r.err == nil && s.Cons[con].Arg == nil {
			r.fail("%s takes no argument: %q", s.Cons[con].Name, s.Cons[con].Name)
		}
		if r.expect(':', "a colon") {
			r.push(frame{kind: Inductive, shape: s, next: con})
			return s.Cons[con].Arg
		}
	case s.Kind == Inductive:
		r.fail("%s stands where a value of type %v is expected: a name in quotes, or an object", r.rest(), s)
	case c != '[':
		r.fail("%s stands where an array is expected, of type %v", r.rest(), s)
	case s.Kind == List:
		r.at++
		tag := len(r.tags)
		r.tags = append(syntax.Room(r.guard, r.tags, 1), 0)
		if r.skip() == ']' {
			r.at++
			return nil
		}
		r.push(frame{kind: List, shape: s, tag: tag})
		return s.A
	default:
		r.at++
		f := frame{kind: s.Kind, shape: s}
		if s.Kind == Product {
			f.shape = s.B
		}
		r.push(f)
		return s.A
	}
	return nil
}

// leave goes on behind a part of the innermost open value. It returns the shape of the next part, or nil if the value
// is complete.
func (r *textReader) leave() *Shape {
	f := &r.open[len(r.open)-1]
	switch {
	case f.kind == Inductive:
		r.pop('}', "a closing brace")
	case f.kind == Product && f.shape == nil || f.kind == Vector && f.next == f.shape.Size-1:
		r.pop(']', "a closing bracket")
	case f.kind == List && r.take(']'):
		r.tags[f.tag] = f.next + 1
		r.open = r.open[:len(r.open)-1]
	case r.expect(',', "a comma"):
		f.next++
		s := f.shape
		switch {
		case f.kind == Vector || f.kind == List:
			return s.A
		case s.Kind == Product:
			f.shape = s.B
			return s.A
		}
		f.shape = nil
		return s
	}
	return nil
}

func (r *textReader) push(f frame) { r.open = append(syntax.Room(r.guard, r.open, 1), f) }

func (r *textReader) pop(c byte, what string) {
	if r.expect(c, what) {
		r.open = r.open[:len(r.open)-1]
	}
}

// expect passes over c. It fails if something else stands there.
func (r *textReader) expect(c byte, what string) bool {
	switch {
	case r.err != nil || r.take(c):
	case r.ended():
		r.fail("%s is missing", what)
	default:
		r.fail("%s stands where %s is expected", r.rest(), what)
	}
	return r.err == nil
}

func (r *textReader) constructor(s *Shape) int {
	name := r.str()
	if r.err != nil {
		return 0
	}
	var names []string
	for i, c := range s.Cons {
		if c.Name == name {
			r.tags = append(syntax.Room(r.guard, r.tags, 1), i)
			return i
		}
		names = append(names, c.Name)
	}
	r.fail("%q is no constructor of %s%s", name, s.Name, meant(name, names))
	return 0
}

// mostSteps bounds the way to a place in a message.
const mostSteps = 20

// within is the way to the place in the value that is being read, with an ellipsis in the middle if it is long.
func (r *textReader) within() string {
	steps := syntax.Each(len(r.open), func(i int) string {
		f := &r.open[i]
		if f.kind == Inductive {
			return "." + f.shape.Cons[f.next].Name
		}
		return "[" + strconv.Itoa(f.next) + "]"
	})
	if n := len(steps); n > mostSteps {
		steps = slices.Concat(steps[:mostSteps/2], []string{"…"}, steps[n-mostSteps/2:])
	}
	return strings.Join(steps, "")
}
