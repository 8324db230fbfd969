package gram

import "github.com/gram-machine/gram/lang/load"

// Derivative is the part of a gradient or Jacobian that belongs to one input.
type Derivative struct {
	Name string
	// Shape is that of the input; for a Jacobian a vector of k of these, one for each value.
	Shape  *Shape
	Values []float64 // in row-major order
}

// Derivatives cuts the rows of a Jacobian, as [Result] has it with its values, into the
// inputs' columns.
func (p *Program) Derivatives(values, jacobian []float64) []Derivative {
	inputs := p.Inputs()
	out := make([]Derivative, len(inputs))
	k, width := len(values), 0
	for _, in := range inputs {
		width += in.Shape.Width()
	}
	at := 0
	for i, in := range inputs {
		w := in.Shape.Width()
		d := Derivative{Name: in.Name, Shape: in.Shape}
		if p.Shape().Kind == VectorShape {
			d.Shape = load.VectorShape(in.Shape, k)
		}
		d.Values = make([]float64, 0, k*w)
		for row := range k {
			d.Values = append(d.Values, jacobian[row*width+at:row*width+at+w]...)
		}
		out[i] = d
		at += w
	}
	return out
}
