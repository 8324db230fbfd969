package gram

import (
	"context"

	"github.com/gram-machine/gram/compile"
	"github.com/gram-machine/gram/internal/limits"
	"github.com/gram-machine/gram/machine"
	"github.com/gram-machine/gram/revgrad"
	"github.com/gram-machine/gram/term"
)

// Normal returns the symbolic normal form of D(t), in an arena of its own: its free
// variables are t's inputs, of type D(R), and for t of type R it is the right-hand side
// of Theorem 1, ⟨G0, λa.Σ xj*(Gj)⟩. What several places share is bound by one let, so
// its size is linear in the steps taken. A program that branches on its inputs takes
// the branches of the point. The error is a [*lang.Error] or one of ctx or a limit.
func (p *Program) Normal(ctx context.Context, opt EvalOptions) (*term.Term, error) {
	return p.normal(limits.New(ctx, p.opt.MaxMemory), opt)
}

func (p *Program) normal(meter *limits.Meter, opt EvalOptions) (*term.Term, error) {
	p.terms.Lock()
	defer p.terms.Unlock()
	check := p.opt.check("compile", meter)
	d, err := revgrad.Reverse(p.src.Term, check)
	if err != nil {
		return nil, p.locate(err, "differentiating")
	}
	prog, err := compile.Compile(d, compile.Options{Inputs: p.ScalarInputs(), Reversed: true, Open: true, Check: check})
	if err != nil {
		return nil, p.locate(err, "compiling")
	}
	m, err := machine.New(prog, machine.Options{Schedule: opt.Schedule, Seed: opt.Seed, Limits: machine.Limits{
		MaxSteps: opt.MaxSteps, MaxNodes: opt.MaxNodes, MaxMemory: meter.Max(), Look: p.opt.check("normalise", meter)}})
	if err != nil {
		return nil, p.locate(err, "starting")
	}
	defer m.Close()
	n, err := m.Normal(p.Point(), d, p.ScalarInputs())
	return n, p.locate(err, "normalising")
}
