package gram

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/gram-machine/gram/lang/load"
)

// Result is a value, its Jacobian if it was asked for, and the cost.
type Result struct {
	Values   []float64 // from left to right, as Program.Shape has them
	Lengths  []int     // of the lists in it, outer lists before inner ones
	Jacobian []float64 // a row for each value, a column for each scalar input
	Cost     Cost
}

// Value reduces the program at its point.
func (p *Program) Value(ctx context.Context, opt EvalOptions) (*Result, error) {
	return p.Repeat(ctx, opt, false, 1)
}

// Gradient computes value and gradient, or Jacobian, at the program's point: it
// reduces D(t), or does what opt.Mode says.
func (p *Program) Gradient(ctx context.Context, opt EvalOptions) (*Result, error) {
	return p.Repeat(ctx, opt, true, 1)
}

// Repeat runs the program n > 0 times at its point, for the value or for the gradient,
// and reports the best and the median time.
func (p *Program) Repeat(ctx context.Context, opt EvalOptions, gradient bool, n int) (*Result, error) {
	if n < 1 {
		return nil, fmt.Errorf("gram: a program can't be run %d times", n)
	}
	e, err := p.newEvaluator(ctx, opt, gradient)
	if err != nil {
		return nil, err
	}
	defer e.Close()
	point := p.Point()
	res := &Result{}
	if gradient {
		res.Values = make([]float64, e.Outputs())
		res.Jacobian = make([]float64, e.Outputs()*len(point))
	}
	times := make([]time.Duration, 0, n)
	for range n {
		if gradient {
			err = e.Gradient(ctx, point, res.Values, res.Jacobian)
		} else {
			res.Values, err = e.Value(ctx, point, res.Values[:0])
		}
		if err != nil {
			return nil, err
		}
		times = append(times, e.last)
	}
	if opt.Samples != nil {
		e.samples(opt.Samples)
	}
	slices.Sort(times)
	res.Lengths = e.lengths
	res.Cost = e.Cost()
	res.Cost.setTimes(times[0], times[len(times)/2])
	return res, nil
}

// Derivatives cuts the rows of a Jacobian into the inputs' columns. The shape of a derivative is that
// of the input, or of a Jacobian a vector of these.
func (p *Program) Derivatives(values, jacobian []float64) []Input {
	inputs := p.Inputs()
	out := make([]Input, len(inputs))
	k, width := len(values), len(p.inputs)
	at := 0
	for i, in := range inputs {
		w := in.Shape.Width()
		d := Input{Name: in.Name, Shape: in.Shape}
		if p.Shape().Kind == load.Vector {
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
