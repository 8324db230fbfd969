package trace

import (
	"context"

	"github.com/gram-machine/gram"
)

// Run is a run of the literal machine at the program's point.
type Run struct {
	*gram.Evaluator
	Values, Jacobian []float64 // of a gradient

	gradient bool
	point    []float64
}

// Start makes a run of the gradient or of the value, which opt watches.
func Start(ctx context.Context, p *gram.Program, gradient bool, opt gram.EvalOptions) (*Run, error) {
	opt.Literal = true
	r := &Run{gradient: gradient, point: p.Point()}
	var err error
	if !gradient {
		r.Evaluator, err = p.NewValue(ctx, opt)
		return r, err
	}
	if r.Evaluator, err = p.NewGradient(ctx, opt); err == nil {
		r.Values = make([]float64, r.Outputs())
		r.Jacobian = make([]float64, len(r.Values)*len(r.point))
	}
	return r, err
}

// Run makes the run. A value is left to be read.
func (r *Run) Run(ctx context.Context) error {
	if r.gradient {
		return r.Gradient(ctx, r.point, r.Values, r.Jacobian)
	}
	return r.Reduce(ctx, r.point)
}
