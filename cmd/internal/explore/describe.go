package explore

import (
	"github.com/gram-machine/gram"
	"github.com/gram-machine/gram/cmd/internal/scene"
	"github.com/gram-machine/gram/internal/notation"
)

// runReply is the result of a run.
type runReply struct {
	Run string `json:"run"`
	scene.Info
	Value    string      `json:"value"`
	Type     string      `json:"type"`
	Gradient []namedText `json:"gradient"`
}

type namedText struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

// short is the notation of values. A vector or list of more than eight elements is written
// as its first six elements and its last.
var short = notation.Language.Short(8)

// valueText writes a value of shape s in the notation of the language.
func valueText(s *gram.Shape, values []float64, lengths []int) string {
	return string(short.Append(nil, &notation.Flat{Values: values, Lengths: lengths}, s))
}

// describe makes the reply about a run.
func describe(p *gram.Program, req *request, info *scene.Info) *runReply {
	out := &runReply{Run: req.id(), Info: *info, Type: p.Type(), Gradient: []namedText{}}
	if info.Stopped != "" || p.Shape() == nil {
		return out
	}
	out.Value = valueText(p.Shape(), info.Values, info.Lengths)
	if req.Of == OfGradient {
		for _, d := range p.Derivatives(info.Values, info.Jacobian) {
			out.Gradient = append(out.Gradient, namedText{d.Name, valueText(d.Shape, d.Values, nil)})
		}
	}
	return out
}
