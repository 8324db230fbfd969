package gram

import (
	"cmp"

	"github.com/gram-machine/gram/compile"
	"github.com/gram-machine/gram/cost"
	"github.com/gram-machine/gram/graph/calls"
	"github.com/gram-machine/gram/internal/stage"
	"github.com/gram-machine/gram/lang/load"
	"github.com/gram-machine/gram/limits"
	"github.com/gram-machine/gram/machine"
	"github.com/gram-machine/gram/term"
)

// boundLiteral is [Program.Bound] by the literal machine. Of a program of type R it reduces D(t), too.
func (p *Program) boundLiteral(meter *limits.Meter, opt EvalOptions) (Bound, error) {
	b, err := p.graphLiteral(meter, opt)
	if err != nil || p.src.Shape.Kind != load.Real {
		return b, err
	}
	m, _, err := p.openGradient(meter, opt)
	if err != nil {
		return Bound{}, err
	}
	defer m.Close()
	s := m.Stats()
	moves, words := literalWork(&s).Total()
	b.Theorem = &cost.Theorem{Steps: s.Counts, Units: moves - s.Counts.Total(), Words: words}
	return b, nil
}

// graphLiteral is m and |G| by the literal machine.
func (p *Program) graphLiteral(meter *limits.Meter, opt EvalOptions) (Bound, error) {
	m, err := p.open(meter, p.Point(), opt, nil)
	if err != nil {
		return Bound{}, err
	}
	defer m.Close()
	size := m.GraphSize()
	return Bound{M: m.Stats().Counts.Total(), Graph: size.Total(), Operations: size.Operations, Edges: size.Edges,
		Inputs:   size.Inputs,
		Numerals: size.Numerals}, nil
}

// open reduces the program to its graph G with symbolic inputs, whose values at the point decide the branches. samples,
// if not nil, gets a profile. The caller closes the machine.
func (p *Program) open(meter *limits.Meter, point []float64, opt EvalOptions,
	samples func(calls.Sample)) (*machine.Machine, error) {
	if err := cmp.Or(opt.check(), p.notStreamed()); err != nil {
		return nil, err
	}
	prog, err := p.symbolic.get(p, meter, func() (*compile.Program, error) {
		prog, _, err := p.compileOpen(meter, false)
		return prog, err
	})
	if err != nil {
		return nil, err
	}
	if samples == nil {
		return p.runOpen(prog, meter, point, opt, nil)
	}
	prof := machine.NewProfile(prog)
	m, err := p.runOpen(prog, meter, point, opt, prof.Events)
	if err != nil {
		return nil, err
	}
	prof.Samples(m.Stats().Nodes, func(s calls.Sample) {
		s.Phase, s.Origin, s.Words = calls.Normalise, calls.NormalCode, 0
		samples(s)
	})
	return m, nil
}

// openGradient reduces D(t) with symbolic inputs at the program's point, and returns D(t), too. The caller closes the
// machine.
func (p *Program) openGradient(meter *limits.Meter, opt EvalOptions) (*machine.Machine, *term.Term, error) {
	if err := cmp.Or(opt.check(), p.notStreamed()); err != nil {
		return nil, nil, err
	}
	p.terms.Lock()
	prog, d, err := p.compileOpen(meter, true)
	p.terms.Unlock()
	if err != nil {
		return nil, nil, err
	}
	m, err := p.runOpen(prog, meter, p.Point(), opt, nil)
	return m, d, err
}

// compileOpen makes t, or D(t), with symbolic inputs ready for the literal machine, and returns it, too.
func (p *Program) compileOpen(meter *limits.Meter, reversed bool) (*compile.Program, *term.Term, error) {
	meter.Begin("compile")
	if err := p.expand(meter, "compile"); err != nil {
		return nil, nil, err
	}
	t, open := p.src.Term(), compile.NewOpen
	if err := stage.CheckGround(p.src, t); err != nil {
		return nil, nil, p.locate(err, "compiling")
	}
	if reversed {
		var err error
		if t, err = p.reversed(meter); err != nil {
			return nil, nil, err
		}
		open = compile.NewOpenGradient
	}
	prog, err := open(t, p.inputs, meter.During("compile"))
	return prog, t, p.locate(err, "compiling")
}

// runOpen runs a program with symbolic inputs.
func (p *Program) runOpen(prog *compile.Program, meter *limits.Meter, point []float64, opt EvalOptions,
	events func(*machine.Fired) error) (*machine.Machine, error) {
	meter.Begin("reduce")
	run := opt.literal()
	run.Events, run.Before, run.Limits = events, nil, meter.Bounds("reduce", opt.MaxSteps, opt.MaxNodes)
	m, err := machine.New(prog, run)
	if err != nil {
		return nil, p.locate(err, "starting")
	}
	if err := m.Graph(point); err != nil {
		_ = m.Close()
		return nil, p.locate(err, "reducing")
	}
	return m, nil
}
