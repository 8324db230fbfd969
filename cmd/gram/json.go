package main

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"strings"

	"github.com/gram-machine/gram"
	"github.com/gram-machine/gram/cost"
	"github.com/gram-machine/gram/internal/notation"
	"github.com/gram-machine/gram/rule"
)

// object writes a JSON object, one field a line, in order. Arrays and other objects
// are written on one line.
type object struct {
	out    *bytes.Buffer
	indent string
	empty  bool
}

// begin opens an object that is indented by indent.
func begin(out *bytes.Buffer, indent string) *object {
	out.WriteByte('{')
	return &object{out, indent + "  ", true}
}

// key starts a field.
func (o *object) key(name string) *bytes.Buffer {
	if !o.empty {
		o.out.WriteByte(',')
	}
	o.empty = false
	o.out.WriteString("\n" + o.indent)
	o.out.Write(encode(name))
	o.out.WriteString(": ")
	return o.out
}

// field writes a field with encoding/json.
func (o *object) field(name string, value any) { o.key(name).Write(spaced(encode(value))) }

// object starts a field that is an object.
func (o *object) object(name string) *object { return begin(o.key(name), o.indent) }

// value writes a field with the value of a program.
func (o *object) value(name string, f notation.Flat, s *gram.Shape) {
	out := o.key(name)
	out.Write(notation.JSON.Append(out.AvailableBuffer(), &f, s))
}

func (o *object) end() {
	if !o.empty {
		o.out.WriteString("\n" + strings.TrimSuffix(o.indent, "  "))
	}
	o.out.WriteByte('}')
}

// encode writes a value that encoding/json can always write, such as a string or a struct of numbers and strings.
func encode(value any) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(value); err != nil {
		panic(err)
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// spaced puts a space after the colons and commas of compact JSON.
func spaced(compact []byte) []byte {
	out := make([]byte, 0, len(compact)+len(compact)/4)
	quoted := false
	for i, c := range compact {
		out = append(out, c)
		switch {
		case c == '"' && (!quoted || !escaped(compact[:i])):
			quoted = !quoted
		case !quoted && (c == ':' || c == ','):
			out = append(out, ' ')
		}
	}
	return out
}

// escaped reports whether the text ends with an odd number of backslashes.
func escaped(text []byte) bool {
	return (len(text)-len(bytes.TrimRight(text, `\`)))%2 == 1
}

// costOfPasses lists the fields of a cost in the modes other than reverse.
var costOfPasses = []string{"inputs", "nodes", "seconds", "operations"}

// cost writes the field "cost" of a run in a mode.
func (o *object) cost(c *gram.Cost, mode gram.Mode) {
	sub := o.object("cost")
	for field, value := range reflect.ValueOf(*c).Fields() {
		name, omit, _ := strings.Cut(field.Tag.Get("json"), ",")
		switch w, _ := value.Interface().(*cost.Work); {
		case omit != "" && value.IsZero(), mode != gram.Reverse && !slices.Contains(costOfPasses, name):
		case w != nil:
			sub.work(w)
		default:
			sub.field(name, value.Interface())
		}
	}
	sub.end()
}

// work writes the field "work", with the rules and the units in their order.
func (o *object) work(w *cost.Work) {
	sub := o.object("work")
	rules := sub.object("rules")
	for _, name := range rule.Names() {
		rules.field(name, w.Rules[name])
	}
	rules.end()
	units := sub.object("units")
	for u := rule.Instantiate; u < rule.NumMoves; u++ {
		units.field(u.String(), w.Units[u.String()])
	}
	units.end()
	sub.end()
}
