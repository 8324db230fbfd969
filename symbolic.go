package gram

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/gram-machine/gram/cost"
	"github.com/gram-machine/gram/graph/calls"
	"github.com/gram-machine/gram/internal/hypergraph"
	"github.com/gram-machine/gram/internal/modular"
	"github.com/gram-machine/gram/internal/span"
	"github.com/gram-machine/gram/lang/load"
	"github.com/gram-machine/gram/limits"
	"github.com/gram-machine/gram/machine"
	"github.com/gram-machine/gram/revgrad"
	"github.com/gram-machine/gram/term"
)

// Bound reduces the program with symbolic inputs. The point decides its branches and its recursion.
func (p *Program) Bound(ctx context.Context, opt EvalOptions) (Bound, error) {
	if opt.Literal {
		return p.boundLiteral(p.meter(ctx), opt)
	}
	return p.graphLiteral(p.meter(ctx), opt)
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
	p      *Program
	opt    EvalOptions
	meter  *limits.Meter
	g      *hypergraph.Graph
	memory *hypergraph.Memory
	point  []float64     // at which g was made
	making time.Duration // of g
	// Of the last run:
	last       time.Duration
	operations uint64
}

// newPasses reduces the program to its graph at the program's point.
func (p *Program) newPasses(meter *limits.Meter, opt EvalOptions) (*passes, error) {
	if err := p.gradientType(); err != nil {
		return nil, err
	}
	s := &passes{p: p, opt: opt, meter: meter}
	return s, s.make(p.Point())
}

// bytesPerOperation bounds what an operation takes: its node, its sources, and its
// primal, tangent or adjoint, and mark.
const bytesPerOperation = 96

// make reduces the program to its graph at a point.
func (s *passes) make(point []float64) error {
	start := time.Now()
	m, err := s.p.open(s.meter, point, s.opt, nil)
	if err != nil {
		return err
	}
	defer m.Close()
	if err := s.meter.Reserve(bytesPerOperation * int64(len(m.Made()))); err != nil {
		return s.p.locate(err, "making the graph")
	}
	check := s.meter.During("reduce")
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
		return s.p.locate(err, "making the graph")
	}
	for _, o := range outputs {
		b.Output(hypergraph.Operand(o))
	}
	if s.g, err = b.Graph(); err != nil {
		return err
	}
	s.memory = hypergraph.NewMemory(s.g, check)
	s.memory.Finite = s.opt.Finite
	s.point = slices.Clone(point)
	s.making += time.Since(start)
	return nil
}

// gradient puts values and Jacobian at the point where they belong, and returns how
// long the passes took.
func (s *passes) gradient(point, values, jacobian []float64) (time.Duration, error) {
	if s.p.branches() && !slices.Equal(point, s.point) {
		if err := s.make(point); err != nil {
			return 0, err
		}
	}
	start := time.Now()
	run := s.memory.ForwardMode
	if s.opt.Mode == Tape {
		run = s.memory.Backpropagation
	}
	res, err := run(point)
	if err != nil {
		return 0, s.p.locate(err, "running over the graph")
	}
	copy(values, res.Values)
	copy(jacobian, res.Jacobian)
	s.operations, s.last = res.Operations, time.Since(start)
	return s.last, nil
}

// cost is that of the last run.
func (s *passes) cost() Cost {
	n := uint64(s.g.Len())
	c := Cost{Inputs: s.g.Inputs(), Operations: s.operations, Nodes: cost.Nodes{Allocated: n, Peak: n},
		Seconds: cost.Seconds{Load: s.p.loading.Seconds(), Compile: s.making.Seconds()}}
	c.SetTimes(s.last, s.last)
	return c
}
