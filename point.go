package gram

import (
	"encoding/json"
	"github.com/gram-machine/gram/lang/load"
	"maps"
	"slices"
)

// Point is a point with the names of the inputs. Its JSON, an object with nested arrays of numbers, reads back to the
// same bits.
type Point struct {
	Values []float64 // of all inputs, one after the other, in row-major order
	inputs []Input
}

// NewPoint returns the program's point.
func (p *Program) NewPoint() *Point {
	out := &Point{p.Point(), p.Inputs()}
	rest := out.Values
	for i := range out.inputs {
		n := len(out.inputs[i].Values)
		out.inputs[i].Values, rest = rest[:n:n], rest[n:]
	}
	return out
}

func (p *Point) input(name string) (*Input, error) {
	i := slices.IndexFunc(p.inputs, func(in Input) bool { return in.Name == name })
	if i < 0 {
		return nil, misuse("the program has no input %s", name)
	}
	return &p.inputs[i], nil
}

// Set sets the numbers of an input.
func (p *Point) Set(name string, values ...float64) error {
	in, err := p.input(name)
	if err == nil && len(values) != len(in.Values) {
		err = misuse("%s is %v, but it is given %d numbers", name, in.Shape, len(values))
	}
	if err == nil {
		copy(in.Values, values)
	}
	return err
}

// Map returns the numbers of each input by its name: parts of Values.
func (p *Point) Map() map[string][]float64 {
	out := make(map[string][]float64, len(p.inputs))
	for _, in := range p.inputs {
		out[in.Name] = in.Values
	}
	return out
}

// MarshalJSON implements [json.Marshaler], with the inputs in order.
func (p *Point) MarshalJSON() ([]byte, error) {
	out := []byte{'{'}
	for i, in := range p.inputs {
		if i > 0 {
			out = append(out, ',')
		}
		name, err := json.Marshal(in.Name)
		if err != nil {
			return nil, err
		}
		out = append(append(out, name...), ':')
		out = load.JSON.Append(out, &load.Flat{Values: in.Values}, in.Shape)
	}
	return append(out, '}'), nil
}

// UnmarshalJSON implements [json.Unmarshaler]. Inputs that are not in the object keep their numbers. After an error,
// all do.
func (p *Point) UnmarshalJSON(text []byte) error {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(text, &fields); err != nil {
		return err
	}
	read := make(map[*Input][]float64, len(fields))
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		in, err := p.input(name)
		if err != nil {
			return err
		}
		if read[in], err = load.ParseNumbers(name, string(fields[name]), in.Shape); err != nil {
			return err
		}
	}
	for in, values := range read {
		copy(in.Values, values)
	}
	return nil
}
