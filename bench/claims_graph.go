package bench

import (
	"context"

	"github.com/gram-machine/gram"
	"github.com/gram-machine/gram/bench/ablation"
	"github.com/gram-machine/gram/bench/family"
	"github.com/gram-machine/gram/compile"
	"github.com/gram-machine/gram/internal/denote"
	"github.com/gram-machine/gram/internal/hypergraph"
	"github.com/gram-machine/gram/revgrad"
	"github.com/gram-machine/gram/term"
)

// claimEvaluation is claim 1.
func claimEvaluation() Claim {
	families := []family.Family{family.Chain, family.Diamonds, family.Fibonacci, family.FanOut, family.SumBalanced, family.RandomGraph,
		family.DeadLets, family.Shadowed, family.Squares}
	return Claim{
		Number: 1,
		Title:  "A closed computational graph evaluates in O(|G|) steps",
		Source: "section 2.1",
		Family: "Graphs of lets: chains, diamonds, sums, random graphs, graphs with dead lets; inputs are lets too.",
		Series: append(
			all(families, func(f family.Family) Series { return series(f, Evidence, linear, graphSize, valueSteps) }),
			all([]family.Family{family.Squares, family.Fibonacci}, func(f family.Family) Series {
				s := series(f, Contrast, Law{Kind: Exponential}, graphSize, unsharedSteps).without("sharing")
				return s.called(f.Name+", sharing expanded", doubling)
			})...),
		Meaning: "Each node costs the step of its symbol and those that pass its value on: (3) for each use, (4) for the name. " +
			"Names that nobody uses cost their node. The contrast is what a let is for: where the right side of a let is evaluated at each use, " +
			"z·z, n times, has 2ⁿ leaves.",
	}
}

// unsharedSteps is the steps of a value where each let is evaluated at each use, as if it was written out there.
var unsharedSteps = quantity{StepsName, func(ctx context.Context, s *subject) (float64, error) {
	_, counts, err := ablation.ByName(valueStart(s.Program, denote.Floats{}), rewriteLimit, ctx.Err)
	return float64(counts.Total()), err
}}

// doubling are sizes at which a cost of 2ⁿ can be paid.
var doubling = counting(4, 14)

// graphOf is the program's computational graph, which it is as it stands.
func graphOf(ctx context.Context, p *gram.Program) (*hypergraph.Graph, *hypergraph.Memory, error) {
	g, err := hypergraph.FromTerm(p.Term(), p.ScalarInputs())
	if err != nil {
		return nil, nil, err
	}
	return g, hypergraph.NewMemory(g, ctx.Err), nil
}

// groundSize is |G| of a program that is a computational graph as it stands.
var groundSize = quantity{GraphName, func(ctx context.Context, s *subject) (float64, error) {
	g, _, err := graphOf(ctx, s.Program)
	if err != nil {
		return 0, err
	}
	return float64(g.Size().Total()), nil
}}

// claimForward is claim 2.
func claimForward() Claim {
	few, full := family.Sizes(10, 200), family.Sizes(10, 500)
	partial := quantity{"steps of Fwd(G)", func(ctx context.Context, s *subject) (float64, error) { return forwardSteps(ctx, s, 1) }}
	gradient := quantity{"steps of Fwd(G)", func(ctx context.Context, s *subject) (float64, error) {
		return forwardSteps(ctx, s, len(s.ScalarInputs()))
	}}
	times := scaled("n·|G|", groundSize, sizeN)
	square := Law{Kind: Power, Power: 2}
	var out []Series
	for _, f := range []family.Family{family.LogSumExp, family.LeastSquares} {
		out = append(out,
			series(f, Evidence, linear, groundSize, partial).called(f.Name+": one partial"),
			series(f, Evidence, linear, times, gradient).called(f.Name+": the gradient, n partials", few, full),
			series(f, Evidence, square, sizeN, gradient).called(f.Name+": the gradient by forward mode, in n", few, full),
			series(f, Contrast, linear, sizeN, gradientSteps).called(f.Name+": the gradient by D(G), in n"))
	}
	return Claim{
		Number: 2,
		Title:  "Forward mode takes O(|G|) for one partial derivative, and O(n·|G|) for the gradient",
		Source: "sections 2.2 and 2.3",
		Family: "Log-sum-exp and least squares in n inputs: the steps of Fwd(G) at the point, with the tangent 1 for one input after the other.",
		Series: out,
		Meaning: "The machine evaluates Fwd(G), and its steps are counted. One pass is linear in the graph. The gradient takes a pass for " +
			"each input: in n it is quadratic where |G| grows with n, and the gradient by D(G) is linear there.",
	}
}

// forwardSteps is the number of steps of Fwd(G) at the point, in all, with the tangent 1 for each of the first inputs
// in turn.
func forwardSteps(ctx context.Context, s *subject, passes int) (float64, error) {
	fwd, err := revgrad.Forward(s.Term(), s.ScalarInputs(), ctx.Err)
	if err != nil {
		return 0, err
	}
	var inputs []term.Var
	for _, x := range s.ScalarInputs() {
		z, a := fwd.NewVar(term.VarInfo{Name: "x", Type: term.R}), fwd.NewVar(term.VarInfo{Name: "dx", Type: term.R})
		fwd.Root = fwd.Let(0, x, fwd.Pair(0, fwd.Variable(0, z), fwd.Variable(0, a)), fwd.Root)
		inputs = append(inputs, z, a)
	}
	m, err := engineFor(ctx, fwd, compile.Options{Inputs: inputs}, nil)
	if err != nil {
		return 0, err
	}
	defer m.Close()
	steps := 0.0
	for i := range passes {
		var point []float64
		for j, r := range s.Point() {
			tangent := 0.0
			if i == j {
				tangent = 1
			}
			point = append(point, r, tangent)
		}
		if err := m.Value(point); err != nil {
			return 0, err
		}
		stats := m.Stats()
		steps += float64(stats.Counts.Total())
	}
	return steps, nil
}

// claimReverse is claim 3.
func claimReverse() Claim {
	perNode := quantity{"steps / |G|", func(ctx context.Context, s *subject) (float64, error) {
		g, err := graphSize.of(ctx, s)
		if err != nil {
			return 0, err
		}
		steps, err := gradientSteps.of(ctx, s)
		return steps / g, err
	}}
	outputs := quantity{"k", sizeN.of}
	return Claim{
		Number: 3,
		Title:  "Reverse mode takes O(|G|) for the gradient, whatever n is, and O(k·|G|) for a Jacobian with k outputs",
		Source: "section 2.4",
		Family: "Log-sum-exp and least squares in n inputs; a graph of one size with n inputs; a trunk of 2000 lets under k outputs.",
		Series: append(
			all([]family.Family{family.LogSumExp, family.LeastSquares, family.SumRight}, func(f family.Family) Series {
				return series(f, Evidence, linear, graphSize, gradientSteps)
			}),
			series(family.WideSum, Evidence, Law{Kind: AtMost}, quantity{"n", scalarInputs}, perNode).called("one graph, more inputs"),
			series(family.Heads, Evidence, linear, outputs, gradientSteps).called("k outputs over one trunk"),
			series(family.Heads, Evidence, Law{Kind: AtMost, Power: 1}, scaled("k·|G|", graphSize, sizeN), gradientSteps).called("k outputs over one trunk, in k·|G|"),
			series(family.LeastSquares, Evidence, linear, groundSize, tapeOperations).called("operations of section 2.4"),
		),
		Meaning: "The gradient's steps follow the graph and take no notice of how many inputs it has: where the graph stays as it is, " +
			"so do the steps for each unit of it. A Jacobian takes a backward phase for each output over one primal phase.",
	}
}

// scalarInputs is the number of inputs.
func scalarInputs(_ context.Context, s *subject) (float64, error) {
	return float64(len(s.ScalarInputs())), nil
}

// tapeOperations is the operations of backpropagation on the graph, which a tape makes one after the other.
var tapeOperations = quantity{"operations", func(ctx context.Context, s *subject) (float64, error) {
	_, m, err := graphOf(ctx, s.Program)
	if err != nil {
		return 0, err
	}
	res, err := m.Backpropagation(s.Point())
	return float64(res.Operations), err
}}
