package gram

import (
	"cmp"

	"github.com/gram-machine/gram/compile/literal"
	"github.com/gram-machine/gram/cost"
	"github.com/gram-machine/gram/internal/stage"
	"github.com/gram-machine/gram/lang/load"
	"github.com/gram-machine/gram/limits"
	"github.com/gram-machine/gram/machine"
	"github.com/gram-machine/gram/machine/normal"
	"github.com/gram-machine/gram/term"
)

// boundLiteral is [Program.Bound] by the literal machine. Of a program of type R it reduces D(t), too.
func (p *Program) boundLiteral(meter *limits.Meter, opt EvalOptions) (Bound, error) {
	b, err := p.graphLiteral(meter, opt)
	if err != nil || p.src.Shape.Kind != load.Real {
		return b, err
	}
	m, _, err := p.openLiteral(meter, opt, true)
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
	m, _, err := p.openLiteral(meter, opt, false)
	if err != nil {
		return Bound{}, err
	}
	defer m.Close()
	size := m.GraphSize()
	return Bound{M: m.Stats().Counts.Total(), Graph: size.Total(), Operations: size.Operations, Edges: size.Edges, Inputs: size.Inputs,
		Numerals: size.Numerals}, nil
}

// normalLiteral is the normal form of [bridge.Inside] by the literal machine.
func (p *Program) normalLiteral(meter *limits.Meter, opt EvalOptions) (*term.Term, error) {
	if k := p.src.Shape; k == nil || k.Kind != load.Real {
		return nil, errorAt(p.src, p.src.BodyPos(), "no normal form by the literal machine",
			"the body has type "+p.src.TypeText+"; the literal machine has that of Theorem 1, for R")
	}
	m, d, err := p.openLiteral(meter, opt, true)
	if err != nil {
		return nil, err
	}
	defer m.Close()
	return normal.Read(m, d, p.inputs), nil
}

// openLiteral reduces t, or D(t), with symbolic inputs on the literal machine, which the caller closes, and returns
// what it has reduced.
func (p *Program) openLiteral(meter *limits.Meter, opt EvalOptions, reversed bool) (*machine.Machine, *term.Term, error) {
	if err := cmp.Or(opt.check(), p.notStreamed(), p.expand(meter, "compile")); err != nil {
		return nil, nil, err
	}
	t := p.src.Term()
	if err := stage.CheckGround(p.src, t); err != nil {
		return nil, nil, p.locate(err, "compiling")
	}
	check, open := meter.During("compile"), literal.NewOpen
	if reversed {
		var err error
		if t, err = p.reversed(meter); err != nil {
			return nil, nil, err
		}
		open = literal.NewOpenGradient
	}
	prog, err := open(t, p.inputs, check)
	if err != nil {
		return nil, nil, p.locate(err, "compiling")
	}
	run := opt.literal()
	run.Events, run.Before, run.Limits = nil, nil, meter.Bounds("reduce", opt.MaxSteps, opt.MaxNodes)
	m, err := machine.New(prog, run)
	if err != nil {
		return nil, nil, p.locate(err, "starting")
	}
	if err := m.Graph(p.Point()); err != nil {
		_ = m.Close()
		return nil, nil, p.locate(err, "reducing")
	}
	return m, t, nil
}
