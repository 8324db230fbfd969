package reduction

import (
	"context"

	"github.com/gram-machine/gram"
	"github.com/gram-machine/gram/graph"
	"github.com/gram-machine/gram/internal/bridge"
)

// Run is a run of the literal machine at the program's point.
type Run struct {
	*gram.Evaluator
	Result *gram.Result // of a gradient

	gradient bool
	point    []float64
}

// Start makes a run of the gradient or of the value, which opt watches.
func Start(ctx context.Context, p *gram.Program, gradient bool, opt gram.EvalOptions) (*Run, error) {
	opt.Literal = true
	r := &Run{gradient: gradient, point: p.Point()}
	var err error
	if gradient {
		r.Evaluator, err = p.NewGradient(ctx, opt)
	} else {
		r.Evaluator, err = p.NewValue(ctx, opt)
	}
	return r, err
}

// Heap returns the arena between two events.
func (r *Run) Heap() *graph.Heap { return bridge.Heap(r.Evaluator) }

// Run makes the run. A value is left to be read.
func (r *Run) Run(ctx context.Context) (err error) {
	if r.gradient {
		r.Result, err = r.Gradient(ctx, r.point)
		return err
	}
	return r.Reduce(ctx, r.point)
}
