package load

import (
	"strconv"
	"strings"

	"github.com/gram-machine/gram/lang/syntax"
)

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

// constructor reads the name of a constructor of s.
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
	text := strconv.Quote(name) + " is no constructor of " + s.Name
	if near := syntax.Suggest(name, names); near != "" {
		text += "; did you mean " + strconv.Quote(near) + "?"
	}
	r.fail("%s", text)
	return 0
}

// mostSteps bounds the way to a place in a message.
const mostSteps = 20

// within is the way to the place in the value that is being read, with an ellipsis in the middle if it is long.
func (r *textReader) within() string {
	var b strings.Builder
	for i := range r.open {
		if len(r.open) > mostSteps && i >= mostSteps/2 && i < len(r.open)-mostSteps/2 {
			if i == mostSteps/2 {
				b.WriteString("…")
			}
			continue
		}
		f := &r.open[i]
		if f.kind == Inductive {
			b.WriteString("." + f.shape.Cons[f.next].Name)
		} else {
			b.WriteString("[" + strconv.Itoa(f.next) + "]")
		}
	}
	return b.String()
}
