package gram

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/gram-machine/gram/lang/load"
)

// Result is a value, its gradient or Jacobian if asked for, and the cost.
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
		return nil, misuse("a program can't be run %d times", n)
	}
	opt.Runs = cmp.Or(opt.Runs, n)
	e, err := p.newEvaluator(ctx, opt, gradient)
	if err != nil {
		return nil, err
	}
	defer e.Close()
	run := e.Value
	if gradient {
		run = e.Gradient
	}
	point := p.src.Point
	var res *Result
	times := make([]time.Duration, 0, n)
	for range n {
		if res, err = run(ctx, point); err != nil {
			return nil, err
		}
		times = append(times, e.last)
	}
	if opt.hooks.Samples != nil {
		e.samples(opt.hooks.Samples)
	}
	slices.Sort(times)
	res.Cost = e.Cost()
	res.Cost.SetTimes(times[0], times[len(times)/2])
	return res, nil
}

// Derivatives cuts the rows of a Jacobian into the inputs' columns. The shape of a derivative is that
// of the input, or of a Jacobian a vector of these. The numbers of a gradient are those of jacobian.
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
		d.Values = jacobian[at : at+w : at+w] // of the first row
		for row := 1; row < k; row++ {
			d.Values = append(slices.Grow(d.Values, (k-row)*w), jacobian[row*width+at:row*width+at+w]...)
		}
		out[i] = d
		at += w
	}
	return out
}
