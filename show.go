package gram

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/gram-machine/gram/compile"
	"github.com/gram-machine/gram/graph"
	"github.com/gram-machine/gram/internal/limits"
	"github.com/gram-machine/gram/lang/load"
	"github.com/gram-machine/gram/machine"
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
	return float64(c.Steps.Total+c.Overhead.Total) / float64(b.M+b.Graph)
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
func (p *Program) open(meter *limits.Meter, point []float64, opt EvalOptions) (*machine.Machine, machine.GraphSize, error) {
	if !ground(p.src.Shape) {
		return nil, machine.GraphSize{}, p.errorAt(p.src.BodyPos(), "no computational graph",
			"the body has type "+p.src.TypeText+"; a graph has outputs of type R")
	}
	prog, err := p.symbolic.get(func() (*graph.Program, error) {
		prog, err := compile.Compile(p.src.Term, compile.Options{Inputs: p.ScalarInputs(), Open: true, Check: p.opt.check("compile", meter)})
		return prog, p.locate(err, "compiling")
	})
	if err != nil {
		return nil, machine.GraphSize{}, err
	}
	look := p.opt.check("reduce", meter)
	m, err := machine.New(prog, machine.Options{Schedule: opt.Schedule, Seed: opt.Seed, Finite: opt.Finite,
		Limits: machine.Limits{MaxSteps: opt.MaxSteps, MaxNodes: opt.MaxNodes, MaxMemory: meter.Max(), Look: look}})
	if err != nil {
		return nil, machine.GraphSize{}, p.locate(err, "starting")
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

// WriteGround prints the computational graph G that the program reduces to when its
// inputs are left symbolic, as a program of the language: the declarations of the
// inputs, and a let for each operation.
func (p *Program) WriteGround(ctx context.Context, w io.Writer, opt EvalOptions) error {
	m, _, err := p.open(limits.New(ctx, p.opt.MaxMemory), p.Point(), opt)
	if err != nil {
		return err
	}
	defer m.Close()
	g := &groundPrinter{p: p, w: bufio.NewWriter(w)}
	g.inputs()
	i := 0
	m.Ground(func(op machine.Operation) bool {
		g.printf("let %s%d = %s in\n", g.prefix, i, g.operation(op))
		i++
		return g.err == nil
	})
	outputs := m.GroundOutputs()
	if rest := g.shape(p.src.Shape, outputs); len(rest) > 0 {
		return fmt.Errorf("gram: %d outputs of the graph are not in the value's shape", len(rest))
	}
	g.printf("\n")
	if g.err != nil {
		return g.err
	}
	return g.w.Flush()
}

type groundPrinter struct {
	p      *Program
	w      *bufio.Writer
	err    error
	prefix string   // of the names of operations
	names  []string // of the scalar inputs
}

func (g *groundPrinter) printf(format string, args ...any) {
	if g.err == nil {
		_, g.err = fmt.Fprintf(g.w, format, args...)
	}
}

// inputs prints the declarations of the inputs and names their numbers: those of a
// vector by projection, those of an input with a product in it by a pattern.
func (g *groundPrinter) inputs() {
	g.prefix = "z"
	for clash := true; clash; {
		clash = false
		for _, in := range g.p.src.Inputs {
			if strings.HasPrefix(in.Name, g.prefix) {
				g.prefix += "_"
				clash = true
			}
		}
	}
	patterns := ""
	for _, in := range g.p.src.Inputs {
		text, _ := literal(in.Shape, in.Values)
		g.printf("input %s : %s = %s\n", in.Name, in.Shape, text)
		if !hasProduct(in.Shape) {
			g.names = projections(g.names, in.Shape, in.Name)
			continue
		}
		pattern, _ := g.pattern(in.Shape, g.prefix+"_"+in.Name+"_", 0)
		patterns += fmt.Sprintf("let %s = %s in\n", pattern, in.Name)
	}
	g.printf("%s", patterns)
}

func hasProduct(s *Shape) bool {
	for ; s != nil; s = s.A {
		if s.Kind == load.Product {
			return true
		}
	}
	return false
}

// literal prints numbers in a shape, and returns those that are left.
func literal(s *Shape, values []float64) (string, []float64) {
	switch s.Kind {
	case load.Product:
		a, rest := literal(s.A, values)
		b, rest := literal(s.B, rest)
		return "(" + a + ", " + b + ")", rest
	case load.Vector:
		parts := make([]string, s.Size)
		for i := range parts {
			parts[i], values = literal(s.A, values)
		}
		return "[| " + strings.Join(parts, ", ") + " |]", values
	}
	return numeral(values[0]), values[1:]
}

// numeral prints a number as an expression.
func numeral(x float64) string {
	switch {
	case math.IsNaN(x):
		return "(0 / 0)"
	case math.IsInf(x, 1):
		return "(1 / 0)"
	case math.IsInf(x, -1):
		return "(-1 / 0)"
	}
	text := strings.ReplaceAll(strconv.FormatFloat(x, 'g', -1, 64), "e+", "e")
	if math.Signbit(x) {
		return "(" + text + ")"
	}
	return text
}

func projections(names []string, s *Shape, name string) []string {
	if s.Kind == load.Real {
		return append(names, name)
	}
	for i := range s.Size {
		names = projections(names, s.A, fmt.Sprintf("%s.(%d)", name, i))
	}
	return names
}

// pattern prints a pattern of fresh names for the shape, counting from k.
func (g *groundPrinter) pattern(s *Shape, prefix string, k int) (string, int) {
	switch s.Kind {
	case load.Product:
		a, k := g.pattern(s.A, prefix, k)
		b, k := g.pattern(s.B, prefix, k)
		return "(" + a + ", " + b + ")", k
	case load.Vector:
		parts := make([]string, s.Size)
		for i := range parts {
			parts[i], k = g.pattern(s.A, prefix, k)
		}
		return "[| " + strings.Join(parts, ", ") + " |]", k
	}
	name := prefix + strconv.Itoa(k)
	g.names = append(g.names, name)
	return name, k + 1
}

func (g *groundPrinter) operand(o machine.Operand) string {
	switch {
	case o.Op >= 0:
		return g.prefix + strconv.Itoa(o.Op)
	case o.Input >= 0:
		return g.names[o.Input]
	}
	return numeral(o.Value)
}

func (g *groundPrinter) operation(op machine.Operation) string {
	infix := "+"
	if op.Symbol != term.NoSymbol {
		infix = op.Symbol.Info().Infix
	}
	if infix != "" {
		return g.operand(op.Args[0]) + " " + infix + " " + g.operand(op.Args[1])
	}
	text := op.Symbol.String()
	for _, a := range op.Args {
		text += " " + g.operand(a)
	}
	return text
}

// shape prints the outputs as a value of the shape, and returns those left.
func (g *groundPrinter) shape(s *Shape, outputs []machine.Operand) []machine.Operand {
	switch s.Kind {
	case load.Product:
		g.printf("(")
		outputs = g.shape(s.A, outputs)
		g.printf(", ")
		outputs = g.shape(s.B, outputs)
		g.printf(")")
	case load.Vector:
		g.printf("[| ")
		for i := range s.Size {
			if i > 0 {
				g.printf(", ")
			}
			outputs = g.shape(s.A, outputs)
		}
		g.printf(" |]")
	default:
		g.printf("%s", g.operand(outputs[0]))
		outputs = outputs[1:]
	}
	return outputs
}

// WriteCode prints the templates of the program, or of its gradient.
func (p *Program) WriteCode(ctx context.Context, w io.Writer, gradient bool) error {
	meter := limits.New(ctx, p.opt.MaxMemory)
	get := p.valueProgram
	if gradient {
		get = p.reverseProgram
	}
	prog, err := get(meter)
	if err != nil {
		return err
	}
	out := bufio.NewWriter(w)
	if err := prog.WriteCode(out, p.src.Place); err != nil {
		return err
	}
	return out.Flush()
}

// WriteGraph prints the arena that is left when the program has been reduced with
// its inputs symbolic: what the result reaches.
func (p *Program) WriteGraph(ctx context.Context, w io.Writer, opt EvalOptions) error {
	m, _, err := p.open(limits.New(ctx, p.opt.MaxMemory), p.Point(), opt)
	if err != nil {
		return err
	}
	defer m.Close()
	out := bufio.NewWriter(w)
	if err := m.WriteGraph(out); err != nil {
		return err
	}
	return out.Flush()
}
