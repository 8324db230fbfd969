package gram

import (
	"context"
	"math"
	"slices"

	"github.com/gram-machine/gram/lang/load"
)

// Objective is a program of type R as functions for an optimiser: of gonum.org/v1/gonum/optimize, the
// Problem{Func: o.Func, Grad: o.Grad}.
type Objective struct {
	*Evaluator // of gradients
	ctx        context.Context
	at         []float64 // where it has been evaluated last
	changes    int       // how often data had been replaced then
	res        *Result
	err        error
}

// NewObjective makes an objective. ctx bounds all its evaluations.
func (p *Program) NewObjective(ctx context.Context, opt EvalOptions) (*Objective, error) {
	if s := p.Shape(); s == nil || s.Kind != load.Real {
		return nil, misuse("the body has type %s; an objective has type R", p.Type())
	}
	e, err := p.NewGradient(ctx, opt)
	if err != nil {
		return nil, err
	}
	return &Objective{Evaluator: e, ctx: ctx}, nil
}

// Func returns the value at x, and NaN after an error.
func (o *Objective) Func(x []float64) float64 {
	if !o.evaluate(x) {
		return math.NaN()
	}
	return o.res.Values[0]
}

// Grad puts the gradient at x into grad, and NaNs after an error.
func (o *Objective) Grad(grad, x []float64) {
	if o.evaluate(x) {
		copy(grad, o.res.Jacobian)
		return
	}
	for i := range grad {
		grad[i] = math.NaN()
	}
}

// Err returns the first error of an evaluation.
func (o *Objective) Err() error { return o.err }

func (o *Objective) evaluate(x []float64) bool {
	if o.err != nil {
		return false
	}
	if o.res != nil && o.changes == o.Evaluator.changes && slices.Equal(o.at, x) {
		return true
	}
	o.res, o.err = o.Gradient(o.ctx, x)
	o.at, o.changes = append(o.at[:0], x...), o.Evaluator.changes
	return o.err == nil
}
