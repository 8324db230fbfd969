package gram

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/gram-machine/gram/compile"
	"github.com/gram-machine/gram/cost"
	"github.com/gram-machine/gram/graph/calls"
	"github.com/gram-machine/gram/internal/hypergraph"
	"github.com/gram-machine/gram/internal/modular"
	"github.com/gram-machine/gram/internal/span"
	"github.com/gram-machine/gram/internal/stage"
	"github.com/gram-machine/gram/lang/load"
	"github.com/gram-machine/gram/limits"
	"github.com/gram-machine/gram/machine"
	"github.com/gram-machine/gram/revgrad"
	"github.com/gram-machine/gram/term"
)

// Bound reduces the program with symbolic inputs. The point decides its branches and its recursion.
func (p *Program) Bound(ctx context.Context, opt EvalOptions) (Bound, error) {
	meter := p.meter(ctx)
	m, err := p.open(meter, p.Point(), opt, nil)
	if err != nil {
		return Bound{}, err
	}
	size := m.GraphSize()
	b := Bound{M: m.Stats().Counts.Total(), Graph: size.Total(), Operations: size.Operations, Edges: size.Edges,
		Inputs: size.Inputs, Numerals: size.Numerals}
	_ = m.Close()
	if !opt.Literal || p.src.Shape.Kind != load.Real {
		return b, nil // else it reduces D(t), too
	}
	if m, _, err = p.openGradient(meter, opt); err != nil {
		return Bound{}, err
	}
	defer m.Close()
	s := m.Stats()
	moves, words := literalWork(&s).Total()
	b.Theorem = &cost.Theorem{Steps: s.Counts, Units: moves - s.Counts.Total(), Words: words}
	return b, nil
}

// maxSpanned bounds the symbols of a term with families whose expansion is made to measure its span.
const maxSpanned = 1 << 22

// Span measures the longest chain of steps of the program that depend on each other, and with gradient that of D(t).
// With tree, (11) adds the arrivals at a dual in a balanced tree instead of a chain. The error is a
// [*span.UnknownError] if more than 2²⁰ evaluations are nested, or if t has families and it, with gradient D(t), more
// than 2²² symbols.
func (p *Program) Span(ctx context.Context, gradient, tree bool) (cost.Span, error) {
	if err := p.notStreamed(); err != nil {
		return cost.Span{}, err
	}
	meter := p.meter(ctx)
	opt := span.Options{Tree: tree, Check: meter.During("span")}
	if t, what, size := p.src.Written(), "program", (*term.Term).Symbols; t.Families() {
		if gradient {
			if err := p.differentiated(t, meter); err != nil {
				return cost.Span{}, err
			}
			what, size = "gradient", revgrad.Size
		}
		n, err := size(t, opt.Check)
		if err != nil {
			return cost.Span{}, p.locate(err, "measuring the span")
		}
		if n > maxSpanned {
			return cost.Span{}, &span.UnknownError{Why: fmt.Sprintf("the expansion of the %s has %d symbols, more "+
				"than %d", what, n, maxSpanned)}
		}
	}
	if err := p.expand(meter, "span"); err != nil {
		return cost.Span{}, err
	}
	v, err := span.Value(p.src.Term(), p.inputs, p.Point(), opt)
	if err != nil || !gradient {
		return cost.Span{Value: v.Length()}, p.locate(err, "measuring the span")
	}
	d, err := p.reversed(meter)
	if err != nil {
		return cost.Span{}, err
	}
	g, err := span.Gradient(d, p.inputs, p.outputs(), p.Point(), opt)
	return cost.Span{Value: v.Length(), Gradient: g.Length()}, p.locate(err, "measuring the span")
}

// branches reports whether a condition may depend on an input.
func (p *Program) branches() bool {
	if len(p.src.Inputs) == 0 {
		return false
	}
	return slices.ContainsFunc(p.src.Written().Nodes, func(n term.Node) bool { return n.Op == term.IfOp })
}

// phaseOf is what a machine calls when a phase begins.
func phaseOf(meter *limits.Meter) func(calls.Phase) {
	return func(phase calls.Phase) { meter.Begin(phase.String()) }
}

// modular is what the strategy [Modular] works with.
func (p *Program) modular(meter *limits.Meter, opt *EvalOptions) *modular.Env {
	return &modular.Env{Meter: meter, Cache: p.opt.Cache, Samples: opt.hooks.Samples, Locate: p.locate}
}

// normal is the symbolic normal form of D(t): see [bridge.Inside].
func (p *Program) normal(ctx context.Context, opt EvalOptions) (*term.Term, error) {
	if err := cmp.Or(opt.check(), p.notStreamed()); err != nil {
		return nil, err
	}
	meter := p.meter(ctx)
	if k := p.src.Shape; k != nil && k.Kind == load.Real {
		m, d, err := p.openGradient(meter, opt)
		if err != nil {
			return nil, err
		}
		defer m.Close()
		return m.Normal(d, p.inputs), nil
	}
	p.terms.Lock()
	defer p.terms.Unlock()
	if err := p.expand(meter, "compile"); err != nil {
		return nil, err
	}
	d, err := revgrad.Reverse(p.src.Term(), meter.During("compile"))
	if err != nil {
		return nil, p.locate(err, "differentiating")
	}
	return p.modular(meter, &opt).Normal(d, p.inputs, p.Point(), opt.MaxSteps, opt.MaxNodes)
}

// passes compute gradients by passes over the graph of a program.
type passes struct {
	reducer    // nil, for Value and Read: values take no notice of the mode
	p          *Program
	run        func(point []float64) (hypergraph.Result, error)
	g          *hypergraph.Graph
	operations uint64 // of the last run
}

// bytesPerOperation bounds what an operation takes: its node, its sources, and its
// primal, tangent or adjoint, and mark.
const bytesPerOperation = 96

// passOver reduces the program to its graph at a point.
func (e *Evaluator) passOver(point []float64) error {
	p := e.p
	if err := p.gradientType(); err != nil {
		return err
	}
	start := time.Now()
	m, err := p.open(e.meter, point, e.opt, nil)
	if err != nil {
		return err
	}
	defer m.Close()
	if err := e.meter.Reserve(bytesPerOperation * int64(m.Made())); err != nil {
		return p.locate(err, "making the graph")
	}
	check := e.meter.During("reduce")
	b := hypergraph.NewBuilder(len(point))
	var args []hypergraph.Operand
	i := 0
	outputs := m.Operations(func(op machine.Operation) bool {
		if i++; i%(1<<14) == 0 {
			if err = check(); err != nil {
				return false
			}
		}
		args = args[:0]
		for _, a := range op.Args {
			args = append(args, hypergraph.Operand(a))
		}
		b.Operation(op.Symbol, op.Pos, args...)
		return true
	})
	if err != nil {
		return p.locate(err, "making the graph")
	}
	for _, o := range outputs {
		b.Output(hypergraph.Operand(o))
	}
	g, err := b.Graph()
	if err != nil {
		return err
	}
	memory := hypergraph.NewMemory(g, check)
	memory.Finite = e.opt.Finite
	e.passes = &passes{p: p, run: memory.ForwardMode, g: g}
	if e.opt.Mode == Tape {
		e.passes.run = memory.Backpropagation
	}
	e.madeAt = slices.Clone(point)
	e.making += time.Since(start)
	return nil
}

// Gradient implements [reducer].
func (s *passes) Gradient(point, values, jacobian []float64) error {
	res, err := s.run(point)
	if err != nil {
		return s.p.locate(err, "running over the graph")
	}
	copy(values, res.Values)
	copy(jacobian, res.Jacobian)
	s.operations = res.Operations
	return nil
}

// Close implements [reducer].
func (s *passes) Close() error { return nil }

// cost is that of the last run, but for times.
func (s *passes) cost() Cost {
	n := uint64(s.g.Len())
	return Cost{Operations: s.operations, Nodes: cost.Nodes{Allocated: n, Peak: n}}
}

// open reduces the program to its graph G with symbolic inputs, whose values at the point decide the branches. samples,
// if not nil, gets a profile. The caller closes the machine.
func (p *Program) open(meter *limits.Meter, point []float64, opt EvalOptions,
	samples func(calls.Sample)) (*machine.Machine, error) {
	if err := cmp.Or(opt.check(), p.notStreamed()); err != nil {
		return nil, err
	}
	prog, _, err := p.symbolic.get(p, meter, func() (*compile.Program, error) {
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
