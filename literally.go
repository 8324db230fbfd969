package gram

import (
	"context"

	"github.com/gram-machine/gram/engine"
)

// literally runs the literal form of the engine at the program's point.
func (p *Program) literally(ctx context.Context, opt EvalOptions, gradient bool, run func(e *Evaluator, point, values, jacobian []float64) error) error {
	opt.NoFuse, opt.Strategy, opt.Mode, opt.Ablation, opt.traced = true, Direct, Reverse, engine.Whole, true
	if opt.Schedule == Parallel {
		opt.Schedule = LIFO
	}
	e, err := p.newEvaluator(ctx, opt, gradient)
	if err != nil {
		return err
	}
	defer e.Close()
	point := p.Point()
	values := make([]float64, e.Outputs())
	return p.locate(run(e, point, values, make([]float64, len(values)*len(point))), "reducing")
}
