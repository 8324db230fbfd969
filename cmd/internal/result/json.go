package result

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"strings"

	"github.com/gram-machine/gram"
	"github.com/gram-machine/gram/cmd/internal/command"
	"github.com/gram-machine/gram/cost"
	"github.com/gram-machine/gram/lang/load"
	"github.com/gram-machine/gram/rule"
)

// Object writes a JSON object, one field a line, in order. Arrays and other objects
// are written on one line.
type Object struct {
	out    *bytes.Buffer
	indent string
	empty  bool
}

// Begin opens an object that is indented by indent.
func Begin(out *bytes.Buffer, indent string) *Object {
	out.WriteByte('{')
	return &Object{out, indent + "  ", true}
}

// Answer writes an object as the answer of a command: the version of gram, and what write adds.
func Answer(out *bytes.Buffer, write func(*Object)) {
	o := Begin(out, "")
	o.Field("version", command.BuildInfo().Version)
	write(o)
	o.End()
	out.WriteByte('\n')
}

// key starts a field.
func (o *Object) key(name string) *bytes.Buffer {
	if !o.empty {
		o.out.WriteByte(',')
	}
	o.empty = false
	o.out.WriteString("\n" + o.indent)
	o.out.Write(Encode(name))
	o.out.WriteString(": ")
	return o.out
}

// Field writes a field with encoding/json.
func (o *Object) Field(name string, value any) { o.key(name).Write(spaced(Encode(value))) }

// Object starts a field that is an object.
func (o *Object) Object(name string) *Object { return Begin(o.key(name), o.indent) }

// bytesOfNumber is about how long a number is at most, with what separates it from the next.
const bytesOfNumber = 22

// Value writes a field with the value of a program.
func (o *Object) Value(name string, f load.Flat, s *gram.Shape) {
	out := o.key(name)
	out.Grow(bytesOfNumber * len(f.Values))
	out.Write(load.JSON.Append(out.AvailableBuffer(), &f, s))
}

// End closes the object.
func (o *Object) End() {
	if !o.empty {
		o.out.WriteString("\n" + strings.TrimSuffix(o.indent, "  "))
	}
	o.out.WriteByte('}')
}

// Encode writes a value that encoding/json can always write, such as a string or a struct of numbers and strings.
func Encode(value any) []byte {
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

// Cost writes the field "cost" of a run in a mode.
func (o *Object) Cost(c *gram.Cost, mode gram.Mode) {
	sub := o.Object("cost")
	for field, value := range reflect.ValueOf(*c).Fields() {
		name, omit, _ := strings.Cut(field.Tag.Get("json"), ",")
		switch w, _ := value.Interface().(*cost.Work); {
		case omit != "" && value.IsZero(), mode != gram.Reverse && !slices.Contains(costOfPasses, name):
		case w != nil:
			sub.work(w)
		default:
			sub.Field(name, value.Interface())
		}
	}
	sub.End()
}

// work writes the field "work", with the rules and the units in their order.
func (o *Object) work(w *cost.Work) {
	sub := o.Object("work")
	rules := sub.Object("rules")
	for _, name := range rule.Names() {
		rules.Field(name, w.Rules[name])
	}
	rules.End()
	units := sub.Object("units")
	for u := rule.Instantiate; u < rule.NumMoves; u++ {
		units.Field(u.String(), w.Units[u.String()])
	}
	units.End()
	sub.End()
}
