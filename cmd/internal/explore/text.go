package explore

import (
	"github.com/gram-machine/gram"
	"github.com/gram-machine/gram/cmd/internal/scene"
	"github.com/gram-machine/gram/internal/notation"
)

// short is how values are written: of a vector or a list of more than eight elements the
// first six and the last.
var short = notation.Language.Short(8)

// valueText writes a value of shape s in the notation of the language.
func valueText(s *gram.Shape, values []float64, lengths []int) string {
	return string(short.Append(nil, &notation.Flat{Values: values, Lengths: lengths}, s))
}

// gradientTexts writes the derivatives by each input.
func gradientTexts(p *gram.Program, info *scene.Info) []namedText {
	out := []namedText{}
	for _, d := range p.Derivatives(info.Values, info.Jacobian) {
		out = append(out, namedText{d.Name, valueText(d.Shape, d.Values, nil)})
	}
	return out
}
