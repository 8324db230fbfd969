package gram

import (
	"context"

	"github.com/gram-machine/gram/compile"
	"github.com/gram-machine/gram/engine"
	"github.com/gram-machine/gram/limits"
	"github.com/gram-machine/gram/revgrad"
	"github.com/gram-machine/gram/term"
)

// Normal returns the symbolic normal form of D(t), in an arena of its own: its free
// variables are t's inputs, of type D(R), and for t of type R it is the right-hand side
// of Theorem 1, ⟨G0, λa.Σ xj*(Gj)⟩. What several places share is bound by one let, so
// its size is linear in the steps taken. A program that branches on its inputs takes
// the branches of the point. The error is an [*Error] or a [*LimitError].
func (p *Program) Normal(ctx context.Context, opt EvalOptions) (*term.Term, error) {
	return p.normal(limits.New(ctx, p.opt.MaxMemory), opt)
}

func (p *Program) normal(meter *limits.Meter, opt EvalOptions) (*term.Term, error) {
	if err := opt.check(); err != nil {
		return nil, err
	}
	p.terms.Lock()
	defer p.terms.Unlock()
	d, err := revgrad.Reverse(p.src.Term, p.opt.check("compile", meter))
	if err != nil {
		return nil, p.locate(err, "differentiating")
	}
	job := normalising{t: d, inputs: p.ScalarInputs(), point: p.Point(), place: inPlace, profile: opt.profile}
	n, _, err := p.normalForm(job, meter, engine.Options{Schedule: opt.Schedule, Seed: opt.Seed,
		Limits: limits.Bounds{MaxSteps: opt.MaxSteps, MaxNodes: opt.MaxNodes}})
	return n, err
}

// normalising is an image of D that is to be normalised at the point of its inputs. place
// returns the program's place in the source for one of the term.
type normalising struct {
	t      *term.Term
	inputs []term.Var
	point  []float64
	place  func(term.Pos) term.Pos
	// profile, if not nil, takes what is recorded.
	profile *profiler
}

// normalForm normalises, and returns what it cost, also if a limit ended it. The meter
// bounds the memory. The error is that of [Program.Normal].
func (p *Program) normalForm(job normalising, meter *limits.Meter, opt engine.Options) (*term.Term, engine.Stats, error) {
	p.opt.phase("compile")
	prog, err := compile.Compile(job.t, compile.Options{Inputs: job.inputs, Reversed: true, Open: true, Places: job.profile != nil, Check: p.opt.check("compile", meter)})
	if err != nil {
		return nil, engine.Stats{}, p.locate(relocate(err, job.place), "compiling")
	}
	opt.Phase, opt.Profile = p.opt.machinePhase(), job.profile.recording()
	opt.Limits.MaxMemory, opt.Limits.Look = meter.Max(), p.opt.check("normalise", meter)
	m, err := engine.New(prog, opt)
	if err != nil {
		return nil, engine.Stats{}, p.locate(err, "starting")
	}
	defer m.Close()
	n, err := m.Normal(job.point, job.t, job.inputs)
	job.profile.collect(m, job.place)
	return n, m.Stats(), p.locate(relocate(err, job.place), "normalising")
}
