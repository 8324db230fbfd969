package result

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/gram-machine/gram"
	"github.com/gram-machine/gram/cmd/internal/command"
	"github.com/gram-machine/gram/cost"
	"github.com/gram-machine/gram/lang/load"
	"github.com/gram-machine/gram/lang/syntax"
	"github.com/gram-machine/gram/parquet"
	"github.com/gram-machine/gram/rule"
)

// Object writes a JSON object, one field a line, in order. Arrays and other objects are written on one line.
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
		case c == '"' && (!quoted || (i-len(bytes.TrimRight(compact[:i], `\`)))%2 == 0): // it is not escaped
			quoted = !quoted
		case !quoted && (c == ':' || c == ','):
			out = append(out, ' ')
		}
	}
	return out
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

// CheckInputs reports a file of -o for inputs whose name does not tell its format.
func CheckInputs(path string) error {
	return command.Misfit(path != "" && !slices.Contains([]string{".json", ".npz"}, filepath.Ext(path)),
		"-o %s: inputs are written to a file whose name ends in .json or .npz", path)
}

// WriteInputs writes inputs with their values to a file that --inputs reads back to the bit.
func WriteInputs(path string, inputs []gram.Input) error {
	text, err := InputsFile(path, inputs)
	if err != nil {
		return err
	}
	return command.WriteFile(path, text)
}

// InputsFile is what such a file holds.
func InputsFile(path string, inputs []gram.Input) ([]byte, error) {
	var out bytes.Buffer
	if filepath.Ext(path) == ".npz" {
		err := writeNpz(&out, Numbers("", inputs))
		return out.Bytes(), command.WriteError(path, err)
	}
	Begin(&out, "").Inputs(inputs)
	out.WriteByte('\n')
	return out.Bytes(), nil
}

// Inputs writes the inputs by their names, and ends the object.
func (o *Object) Inputs(inputs []gram.Input) {
	for _, in := range inputs {
		o.Value(in.Name, load.Flat{Values: in.Values}, in.Shape)
	}
	o.End()
}

// Named is a value with its name.
type Named struct {
	Name  string
	Shape *gram.Shape
	Flat  load.Flat
}

// Numbers returns the numbers of inputs, or of derivatives by them, under prefix and their names.
func Numbers(prefix string, inputs []gram.Input) []Named {
	return syntax.Each(len(inputs), func(i int) Named {
		return Named{prefix + inputs[i].Name, inputs[i].Shape, load.Flat{Values: inputs[i].Values}}
	})
}

// IsNumbers reports whether a file has the numbers of a result alone.
func IsNumbers(path string) bool {
	return slices.Contains([]string{".npz", ".csv", ".parquet"}, filepath.Ext(path))
}

// WriteNumbers writes the numbers of values in the format that the end of the file's name tells: .npz, .csv or
// .parquet.
func WriteNumbers(out *bytes.Buffer, path string, values []Named) error {
	for _, v := range values {
		if v.Shape.Inductive() {
			return fmt.Errorf("a value of type %v is written as .json", v.Shape)
		}
	}
	switch filepath.Ext(path) {
	case ".npz":
		return writeNpz(out, values)
	case ".parquet":
		return parquet.Write(out, cells(values))
	}
	out.WriteString("name,value\n")
	for name, x := range cells(values) {
		out.WriteString(name)
		out.WriteByte(',')
		out.Write(append(load.AppendNumber(out.AvailableBuffer(), x), '\n'))
	}
	return nil
}

// cells are the numbers of values with their names: E.(0).(1) is one of E. Components of tuples, which are flat,
// vectors and lists are counted from 0.
func cells(values []Named) iter.Seq2[string, float64] {
	return func(yield func(string, float64) bool) {
		for _, v := range values {
			if !eachCell(v.Name, &v.Flat, v.Shape, yield) {
				return
			}
		}
	}
}

// Components names the numbers of an input: base.north, by the names that the program gives them, or base.(0).
func Components(in gram.Input) []string {
	if in.Names != nil {
		return syntax.Each(len(in.Names), func(i int) string { return in.Name + "." + in.Names[i] })
	}
	var names []string
	for name := range cells(Numbers("", []gram.Input{in})) {
		names = append(names, name)
	}
	return names
}

// eachCell calls yield with the numbers of a value of shape s, and takes them off f. It reports whether to go on.
func eachCell(name string, f *load.Flat, s *gram.Shape, yield func(string, float64) bool) bool {
	part := func(i int) string { return name + ".(" + strconv.Itoa(i) + ")" }
	size := s.Size
	switch s.Kind {
	case load.Real:
		x := f.Values[0]
		f.Values = f.Values[1:]
		return yield(name, x)
	case load.Product:
		i := 0
		for ; s.Kind == load.Product; i, s = i+1, s.B {
			if !eachCell(part(i), f, s.A, yield) {
				return false
			}
		}
		return eachCell(part(i), f, s, yield)
	case load.List:
		size, f.Lengths = f.Lengths[0], f.Lengths[1:]
	}
	for i := range size {
		if !eachCell(part(i), f, s.A, yield) {
			return false
		}
	}
	return true
}

// writeNpz writes arrays of float64 by name. The numbers of a product stand in one dimension. A list with lists in it
// is an error.
func writeNpz(out io.Writer, values []Named) error {
	archive := zip.NewWriter(out)
	for _, v := range values {
		dims, err := arrayDimensions(v.Shape, v.Flat.Lengths)
		if err != nil {
			return fmt.Errorf("%s: %w", v.Name, err)
		}
		f, err := archive.CreateHeader(&zip.FileHeader{Name: v.Name + ".npy", Method: zip.Store})
		if err == nil {
			err = writeNpy(f, dims, v.Flat.Values)
		}
		if err != nil {
			return err
		}
	}
	return archive.Close()
}

// writeNpy writes an array in the format .npy: see numpy.lib.format. Its numbers begin at a multiple of 64 bytes.
func writeNpy(out io.Writer, dims []int, values []float64) error {
	shape := ""
	for _, n := range dims {
		shape += strconv.Itoa(n) + ", "
	}
	if len(dims) != 1 {
		shape = strings.TrimSuffix(shape, ", ")
	}
	const before = 10
	head := fmt.Sprintf("{'descr': '<f8', 'fortran_order': False, 'shape': (%s), }", shape)
	head += strings.Repeat(" ", 63-(before+len(head))%64) + "\n"
	start := append([]byte("\x93NUMPY\x01\x00"), byte(len(head)), byte(len(head)>>8))
	if _, err := out.Write(append(start, head...)); err != nil {
		return err
	}
	return binary.Write(out, binary.LittleEndian, values)
}

// arrayDimensions are those of a value as an array.
func arrayDimensions(s *gram.Shape, lengths []int) (dims []int, err error) {
	lists := 0
	for ; ; s = s.A {
		switch {
		case s.Kind == load.Real:
			return dims, nil
		case s.Kind == load.Vector:
			dims = append(dims, s.Size)
		case s.Kind == load.Product && len(lengths) == lists:
			return append(dims, s.Width()), nil
		case s.Kind == load.List && len(dims) == 0 && len(lengths) == 1:
			dims = append(dims, lengths[0])
			lists = 1
		default:
			return nil, errors.New("a value with lists inside is no array: write it as .json or .csv")
		}
	}
}

// Table is a list or a vector as a table: a row for each element, and a column for each number in it.
type Table struct {
	Shape  *gram.Shape
	Values []float64
	Names  []string // of the columns; nil: value, or value.0, value.1, …
	// Beside are columns that stand before them, a row for each element, with their names; nil: there are none.
	Header []string
	Beside [][]string
}

// IsTable reports whether values of a shape are tables.
func IsTable(s *gram.Shape) bool {
	return s != nil && (s.Kind == load.List || s.Kind == load.Vector) && !s.A.Tagged() && s.A.Kind != load.List
}

// WriteCSV writes the table. It is an error if the names are not as many as the columns, or what stands beside has not
// as many rows.
func (t *Table) WriteCSV(out *bytes.Buffer) error {
	width := t.Shape.A.Width()
	names := slices.Clone(t.Names)
	switch {
	case names == nil && width == 1:
		names = []string{"value"}
	case names == nil:
		names = syntax.Each(width, func(i int) string { return "value." + strconv.Itoa(i) })
	case len(names) != width:
		return fmt.Errorf("the elements of the value are %v: there are %d columns, and --names has %d", t.Shape.A,
			width, len(names))
	}
	rows := len(t.Values) / width
	if t.Beside != nil && len(t.Beside) != rows {
		return fmt.Errorf("the value has %d elements, and the data of --beside %d rows", rows, len(t.Beside))
	}
	w := csv.NewWriter(out)
	_ = w.Write(slices.Concat(t.Header, names)) // a buffer has no errors
	for i := range rows {
		var cells []string
		if t.Beside != nil {
			cells = t.Beside[i]
		}
		for _, x := range t.Values[i*width : (i+1)*width] {
			cells = append(cells, string(load.AppendNumber(nil, x)))
		}
		_ = w.Write(cells)
	}
	w.Flush()
	return nil
}
