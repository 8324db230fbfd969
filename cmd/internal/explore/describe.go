package explore

import (
	"encoding/json"
	"math"

	"github.com/gram-machine/gram"
	"github.com/gram-machine/gram/lang/load"
)

// runReply is the result of a run.
type runReply struct {
	Run string `json:"run"`
	Info
	Value    string      `json:"value"`
	Type     string      `json:"type"`
	Gradient []namedText `json:"gradient"`
	Inputs   []namedText `json:"inputs"`
}

// namedText is a value with its name.
type namedText struct {
	Name string     `json:"name"`
	Text string     `json:"text"`
	Rows [][]number `json:"rows,omitempty"` // of a vector or a matrix of numbers
}

// number is a number in JSON: null if it is not finite.
type number float64

func (n number) MarshalJSON() ([]byte, error) {
	if x := float64(n); math.IsNaN(x) || math.IsInf(x, 0) {
		return []byte("null"), nil
	}
	return json.Marshal(float64(n))
}

// mostSide bounds the rows and the columns of a matrix that is drawn.
const mostSide = 64

// rowsOf returns the rows of a matrix, or the numbers of a vector as one row; nil for other shapes and large ones.
func rowsOf(s *gram.Shape, values []float64) [][]number {
	if s.Kind != load.Vector || s.Size > mostSide {
		return nil
	}
	rows, columns := 1, s.Size
	if s.A.Kind == load.Vector {
		rows, columns, s = s.Size, s.A.Size, s.A
	}
	if s.A.Kind != load.Real || columns > mostSide || len(values) != rows*columns {
		return nil
	}
	out := make([][]number, rows)
	for i := range out {
		for _, x := range values[i*columns : (i+1)*columns] {
			out[i] = append(out[i], number(x))
		}
	}
	return out
}

// short is the notation of values. A vector or list of more than eight elements is written
// as its first six elements and its last.
var short = load.Language.Short(8)

// valueText writes a value of shape s in the notation of the language.
func valueText(s *gram.Shape, values []float64, lengths []int) string {
	return string(short.Append(nil, &load.Flat{Values: values, Lengths: lengths}, s))
}

// describe makes the reply about a run.
func describe(p *gram.Program, req *request, info *Info) *runReply {
	out := &runReply{Run: req.id(), Info: *info, Type: p.Type(), Gradient: []namedText{}, Inputs: []namedText{}}
	for _, in := range p.Inputs() {
		out.Inputs = append(out.Inputs, namedText{in.Name, valueText(in.Shape, in.Values, nil), rowsOf(in.Shape, in.Values)})
	}
	if info.Stopped != "" || p.Shape() == nil {
		return out
	}
	out.Value = valueText(p.Shape(), info.Values, info.Lengths)
	if req.Of == OfGradient {
		for _, d := range p.Derivatives(info.Values, info.Jacobian) {
			out.Gradient = append(out.Gradient, namedText{d.Name, valueText(d.Shape, d.Values, nil), rowsOf(d.Shape, d.Values)})
		}
	}
	return out
}
