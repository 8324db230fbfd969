package explore

import (
	"math"
	"strconv"

	"github.com/gram-machine/gram"
	"github.com/gram-machine/gram/lang/load"
)

// Of a vector or a list of more than shownWhole elements the first shownFirst and the last
// one are written.
const (
	shownWhole = 8
	shownFirst = 6
)

// texter writes numbers as values of a shape, in the notation of the language.
type texter struct {
	out     []byte
	values  []float64 // still to be written
	lengths []int     // of the lists, outer ones before inner ones
}

// valueText writes a value of shape s.
func valueText(s *gram.Shape, values []float64, lengths []int) string {
	t := texter{values: values, lengths: lengths}
	t.value(s)
	return string(t.out)
}

func (t *texter) value(s *gram.Shape) {
	switch s.Kind {
	case gram.ProductShape: // (a, (b, c)) is (a, b, c)
		t.out = append(t.out, '(')
		for ; s.Kind == gram.ProductShape; s = s.B {
			t.value(s.A)
			t.out = append(t.out, ", "...)
		}
		t.value(s)
		t.out = append(t.out, ')')
	case gram.VectorShape:
		t.row(s.A, s.Size, "[| ", ", ", " |]")
	case gram.ListShape:
		length := t.lengths[0]
		t.lengths = t.lengths[1:]
		t.row(s.A, length, "[", "; ", "]")
	default:
		t.out = append(t.out, numberText(t.values[0])...)
		t.values = t.values[1:]
	}
}

func (t *texter) row(s *gram.Shape, length int, open, between, end string) {
	t.out = append(t.out, open...)
	for i := range length {
		if i > 0 && (length <= shownWhole || i <= shownFirst || i == length-1) {
			t.out = append(t.out, between...)
		}
		start := len(t.out)
		t.value(s)
		if length > shownWhole && i >= shownFirst && i < length-1 {
			t.out = t.out[:start]
			if i == shownFirst {
				t.out = append(t.out, "…"...)
			}
		}
	}
	t.out = append(t.out, end...)
}

// numberText writes x with the fewest digits that read back to it.
func numberText(x float64) string {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return strconv.FormatFloat(x, 'g', -1, 64)
	}
	return string(encode(x))
}

// gradientTexts writes the derivatives by each input: those of a number in the input's
// shape, those of k numbers as a vector of that.
func gradientTexts(p *gram.Program, info *gram.ExplorationInfo) []namedText {
	out := []namedText{}
	width, at := len(p.Point()), 0
	for _, in := range p.Inputs() {
		w, shape := in.Shape.Width(), in.Shape
		if p.Shape().Kind == gram.VectorShape {
			shape = load.VectorShape(in.Shape, len(info.Values))
		}
		var values []float64
		for row := range info.Values {
			start := row*width + at
			values = append(values, info.Jacobian[start:start+w]...)
		}
		out = append(out, namedText{in.Name, valueText(shape, values, nil)})
		at += w
	}
	return out
}
