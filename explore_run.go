package gram

import (
	"context"

	"github.com/gram-machine/gram/limits"
	"github.com/gram-machine/gram/machine"
)

// literalRun is a run of the literal machine at the program's point.
type literalRun struct {
	*machine.Machine
	p                *Program
	gradient         bool
	values, jacobian []float64
}

// newLiteralRun makes a literal machine that tells what hooks ask for. Of opt it takes the schedule, which is
// LIFO or Random, the limits, and Finite.
func (p *Program) newLiteralRun(ctx context.Context, opt *EvalOptions, gradient bool, hooks machine.Options) (*literalRun, error) {
	if err := opt.check(); err != nil {
		return nil, err
	}
	meter := limits.New(ctx, p.opt.MaxMemory)
	prog, err := p.literalProgram(meter, gradient)
	if err != nil {
		return nil, err
	}
	hooks.Seed, hooks.Finite = opt.Seed, opt.Finite
	if opt.Schedule == Random {
		hooks.Schedule = machine.Random
	}
	hooks.Limits = limits.Bounds{MaxSteps: opt.MaxSteps, MaxNodes: opt.MaxNodes, MaxMemory: meter.Max(), Look: p.opt.check("reduce", meter)}
	m, err := machine.New(prog, hooks)
	if err != nil {
		return nil, p.locate(err, "starting")
	}
	outputs := prog.Outputs
	return &literalRun{m, p, gradient, make([]float64, outputs), make([]float64, outputs*p.scalars())}, nil
}

// reduce makes the run.
func (r *literalRun) reduce() error {
	point := r.p.Point()
	if r.gradient {
		return r.p.locate(r.Gradient(point, r.values, r.jacobian), "reducing")
	}
	return r.p.locate(r.Value(point), "reducing")
}
