package gram

import (
	"context"
	"io"
	"slices"

	"github.com/gram-machine/gram/compile"
	"github.com/gram-machine/gram/engine"
	"github.com/gram-machine/gram/graph"
	"github.com/gram-machine/gram/lang/load"
	"github.com/gram-machine/gram/limits"
	"github.com/gram-machine/gram/term"
)

// Bound is the right side of Theorem 1, O(m + |G|), for a program.
type Bound struct {
	M     uint64 // steps that reduce t, with its inputs symbolic, to its graph G
	Graph uint64 // |G|
	// Parts of |G|.
	Operations, Edges, Inputs, Numerals uint64
}

// Ratio returns (steps + overhead) / (m + |G|) for a run of that cost.
func (b Bound) Ratio(c *Cost) float64 {
	return float64(c.Steps.Total()+c.Overhead.Total) / float64(b.M+b.Graph)
}

// Bound reduces the program with its inputs left symbolic. A program that branches
// on its inputs takes the branches of the point.
func (p *Program) Bound(ctx context.Context, opt EvalOptions) (Bound, error) {
	m, size, err := p.open(limits.New(ctx, p.opt.MaxMemory), p.Point(), opt)
	if err != nil {
		return Bound{}, err
	}
	defer m.Close()
	s := m.Stats()
	return Bound{M: s.Counts.Total(), Graph: size.Total(), Operations: size.Operations, Edges: size.Edges,
		Inputs: size.Inputs, Numerals: size.Numerals}, nil
}

// Branches reports whether the program has a conditional whose condition may
// depend on an input: then its graph is that of the given point.
func (p *Program) Branches() bool {
	if len(p.src.Inputs) == 0 {
		return false
	}
	return slices.ContainsFunc(p.src.Term.Nodes, func(n term.Node) bool { return n.Op == term.IfOp })
}

// open reduces the program with symbolic inputs, whose values at the point decide the
// branches. The caller closes the machine.
func (p *Program) open(meter *limits.Meter, point []float64, opt EvalOptions) (*engine.Machine, engine.GraphSize, error) {
	if err := opt.check(); err != nil {
		return nil, engine.GraphSize{}, err
	}
	if !ground(p.src.Shape) {
		return nil, engine.GraphSize{}, p.errorAt(p.src.BodyPos(), "no computational graph",
			"the body has type "+p.src.TypeText+"; a graph has outputs of type R")
	}
	for i := range p.src.Term.Nodes {
		if n := &p.src.Term.Nodes[i]; n.Op == term.LamOp && p.src.Term.Vars[n.X].Linear {
			return nil, engine.GraphSize{}, p.errorAt(n.Pos, "no computational graph", "this is no program of reals: it has lin, the linear abstraction")
		}
	}
	prog, err := p.symbolic.with(opt.placed()).get(p, func() (*graph.Program, error) {
		prog, err := compile.Compile(p.src.Term, compile.Options{Inputs: p.ScalarInputs(), Open: true, Places: opt.placed(), Check: p.opt.check("compile", meter)})
		return prog, p.locate(err, "compiling")
	})
	if err != nil {
		return nil, engine.GraphSize{}, err
	}
	look := p.opt.check("reduce", meter)
	m, err := engine.New(prog, engine.Options{Schedule: opt.Schedule, Seed: opt.Seed, Finite: opt.Finite, Phase: p.opt.machinePhase(), Profile: opt.profile.recording(),
		Limits: limits.Bounds{MaxSteps: opt.MaxSteps, MaxNodes: opt.MaxNodes, MaxMemory: meter.Max(), Look: look}})
	if err != nil {
		return nil, engine.GraphSize{}, p.locate(err, "starting")
	}
	size, err := m.Graph(point)
	if err != nil {
		m.Close()
		return nil, size, p.locate(err, "reducing")
	}
	return m, size, nil
}

// ground reports whether the shape is built of R, products and vectors.
func ground(s *Shape) bool {
	for s != nil && s.Kind != load.Real {
		if s.Kind == load.List || s.Kind == load.Product && !ground(s.A) {
			return false
		}
		if s.Kind == load.Product {
			s = s.B
		} else {
			s = s.A
		}
	}
	return s != nil
}

// WriteCode prints the templates of the program, or of its gradient.
func (p *Program) WriteCode(ctx context.Context, w io.Writer, gradient bool) error {
	meter := limits.New(ctx, p.opt.MaxMemory)
	get := p.valueProgram
	if gradient {
		get = p.reverseProgram
	}
	prog, err := get(meter, false)
	if err != nil {
		return err
	}
	text := meter.NewBuffer()
	if err := prog.WriteCode(text, p.src.Place); err != nil {
		return p.locate(err, "printing")
	}
	_, err = text.WriteTo(w)
	return err
}

// WriteGraph prints the arena that is left when the program has been reduced with
// its inputs symbolic: what the result reaches.
func (p *Program) WriteGraph(ctx context.Context, w io.Writer, opt EvalOptions) error {
	meter := limits.New(ctx, p.opt.MaxMemory)
	m, _, err := p.open(meter, p.Point(), opt)
	if err != nil {
		return err
	}
	defer m.Close()
	text := meter.NewBuffer()
	if err := m.WriteGraph(text); err != nil {
		return p.locate(err, "printing")
	}
	_, err = text.WriteTo(w)
	return err
}
