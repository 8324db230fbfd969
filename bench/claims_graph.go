package bench

import (
	"github.com/gram-machine/gram/internal/denote"
	"github.com/gram-machine/gram/internal/hypergraph"
	"github.com/gram-machine/gram/revgrad"
	"github.com/gram-machine/gram/rule"
	"github.com/gram-machine/gram/term"
)

// claimEvaluation is claim 1.
func claimEvaluation() []Series {
	families := []Family{Chain, Diamonds, Fibonacci, FanOut, SumBalanced, RandomGraph,
		DeadLets, Shadowed, Squares}
	return append(
		all(families, func(f Family) Series { return series(f, Evidence, linear, graphSize, valueSteps) }),
		all([]Family{Squares, Fibonacci}, func(f Family) Series {
			return series(f, Contrast, exponential, graphSize, unsharedSteps).without("sharing").called(f.Name+
				", sharing expanded", doubling)
		})...)
}

// unsharedSteps is the steps of a value where each let is evaluated at each use, as if it was written out there.
var unsharedSteps = quantity{StepsName, func(s *subject) float64 {
	counts := s.byName()
	return float64(counts.Total())
}}

// byName counts the steps of the program's value by name.
func (s *subject) byName() rule.Counts {
	_, counts, err := ByName(s.valueStart(denote.Floats{}), rewriteLimit, s.ctx.Err)
	try(err)
	return counts
}

// doubling are sizes at which a cost of 2ⁿ can be paid.
var doubling = counting(4, 14)

// graph is the program's computational graph. The program must be one as it stands.
func (s *subject) graph() *hypergraph.Graph {
	return must(hypergraph.FromTerm(s.Term(), s.ScalarInputs(), nil))
}

// groundSize is |G| of a program that is a computational graph as it stands.
var groundSize = quantity{GraphName, func(s *subject) float64 { return float64(s.graph().Size().Total()) }}

// claimForward is claim 2.
func claimForward() []Series {
	few, full := Sizes(10, 200), Sizes(10, 500)
	passes := func(k func(*subject) int) quantity {
		return quantity{"steps of Fwd(G)", func(s *subject) float64 { return forwardSteps(s, k(s)) }}
	}
	partial := passes(func(*subject) int { return 1 })
	gradient := passes(func(s *subject) int { return len(s.ScalarInputs()) })
	var out []Series
	for _, f := range []Family{LogSumExp, LeastSquares} {
		out = append(out,
			series(f, Evidence, linear, groundSize, partial).called(f.Name+": one partial"),
			series(f, Evidence, linear, groundSize.times("n·|G|", sizeN), gradient).called(f.Name+": the gradient, n partials",
				few, full),
			series(f, Evidence, quadratic, sizeN, gradient).called(f.Name+": the gradient by forward mode, in n", few, full),
			series(f, Contrast, linear, sizeN, gradientSteps).called(f.Name+": the gradient by D(G), in n"))
	}
	return out
}

// forwardSteps is the number of steps of Fwd(G) at the point, in all, with the tangent 1 for each of the first inputs
// in turn.
func forwardSteps(s *subject, passes int) float64 {
	fwd := must(revgrad.Forward(s.Term(), s.ScalarInputs(), s.ctx.Err))
	var inputs []term.Var
	for _, x := range s.ScalarInputs() {
		z, a := fwd.NewVar(term.VarInfo{Name: "x", Type: term.R}), fwd.NewVar(term.VarInfo{Name: "dx", Type: term.R})
		fwd.Root = fwd.Let(0, x, fwd.Pair(0, fwd.Variable(0, z), fwd.Variable(0, a)), fwd.Root)
		inputs = append(inputs, z, a)
	}
	point := make([]float64, len(inputs))
	for j, r := range s.Point() {
		point[2*j] = r
	}
	return s.evaluate(fwd, inputs, func(yield func([]float64) bool) {
		for i := range passes {
			point[2*i+1] = 1
			if !yield(point) {
				return
			}
			point[2*i+1] = 0
		}
	})
}

// claimReverse is claim 3.
func claimReverse() []Series {
	perNode := quantity{"steps / |G|", func(s *subject) float64 { return gradientSteps.of(s) / graphSize.of(s) }}
	inputs := quantity{"n", func(s *subject) float64 { return float64(len(s.ScalarInputs())) }}
	return append(
		all([]Family{LogSumExp, LeastSquares, SumRight}, func(f Family) Series {
			return series(f, Evidence, linear, graphSize, gradientSteps)
		}),
		series(WideSum, Evidence, constant, inputs, perNode).called("one graph, more inputs"),
		series(Heads, Evidence, linear, sizeN.named("k"), gradientSteps).called("k outputs over one trunk"),
		series(Heads, Evidence, atMostLinear, graphSize.times("k·|G|", sizeN),
			gradientSteps).called("k outputs over one trunk, in k·|G|"),
		series(LeastSquares, Evidence, linear, groundSize, tapeOperations).called("operations of section 2.4"),
	)
}

// tapeOperations is the operations of backpropagation on the graph, which a tape makes one after the other.
var tapeOperations = quantity{"operations", func(s *subject) float64 {
	m := hypergraph.NewMemory(s.graph(), s.ctx.Err)
	return float64(must(m.Backpropagation(s.Point())).Operations)
}}
