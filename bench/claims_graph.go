package bench

import (
	"context"

	"github.com/gram-machine/gram"
	"github.com/gram-machine/gram/bench/ablation"
	"github.com/gram-machine/gram/bench/family"
	"github.com/gram-machine/gram/internal/hypergraph"
	"github.com/gram-machine/gram/revgrad"
	"github.com/gram-machine/gram/term"
)

// claimEvaluation is claim 1.
func claimEvaluation() Claim {
	evaluation := func(f family.Family) func(context.Context, int) (Point, error) { return on(f, valueSteps) }
	return Claim{
		Number: 1,
		Title:  "A closed computational graph evaluates in O(|G|) steps",
		Source: "section 2.1",
		Family: "Graphs of lets: chains, diamonds, sums, random graphs, graphs with dead lets; inputs are lets too.",
		Series: append(
			seriesOf([]family.Family{family.Chain, family.Diamonds, family.Fibonacci, family.FanOut, family.SumBalanced, family.RandomGraph,
				family.DeadLets, family.Shadowed, family.Squares}, Evidence, linear, "|G|", "steps", evaluation),
			Series{Name: "squares, sharing expanded", Role: Contrast, Without: "sharing", Law: Law{Kind: Exponential}, X: "|G|", Y: "steps",
				Quick: doubling, Full: doubling, Measure: on(family.Squares, unsharedSteps)},
			Series{Name: "fibonacci, sharing expanded", Role: Contrast, Without: "sharing", Law: Law{Kind: Exponential}, X: "|G|", Y: "steps",
				Quick: doubling, Full: doubling, Measure: on(family.Fibonacci, unsharedSteps)},
		),
		Meaning: "Each node costs the step of its symbol and those that pass its value on: (3) for each use, (4) for the name. " +
			"Names that nobody uses cost their node. The contrast is what a let is for: with each let expanded, z·z, n times, has 2ⁿ leaves.",
	}
}

// unsharedNodes bounds the terms whose sharing is written out.
const unsharedNodes = 1 << 20

// unsharedSteps is |G|, and the steps of the value of the same program with its lets expanded.
func unsharedSteps(ctx context.Context, p *gram.Program) (Point, error) {
	b, err := p.Bound(ctx, gram.EvalOptions{})
	if err != nil {
		return Point{}, err
	}
	flat, err := ablation.Expand(p.Term(), unsharedNodes, ctx.Err)
	if err != nil {
		return Point{}, err
	}
	s, err := evaluate(ctx, flat, p.ScalarInputs(), p.Point())
	return Point{X: float64(b.Graph), Y: float64(s.Counts.Total())}, err
}

// doubling are sizes at which a cost of 2ⁿ can be paid.
var doubling = []int{4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14}

// against is a measurement with the size itself as x.
func against(measure func(context.Context, int) (Point, error)) func(context.Context, int) (Point, error) {
	return func(ctx context.Context, size int) (Point, error) {
		pt, err := measure(ctx, size)
		pt.X = float64(size)
		return pt, err
	}
}

// graphOf is the program's computational graph, which it is as it stands.
func graphOf(ctx context.Context, p *gram.Program) (*hypergraph.Graph, *hypergraph.Memory, error) {
	g, err := hypergraph.FromTerm(p.Term(), p.ScalarInputs())
	if err != nil {
		return nil, nil, err
	}
	return g, hypergraph.NewMemory(g, ctx.Err), nil
}

// claimForward is claim 2.
func claimForward() Claim {
	families := []family.Family{family.LogSumExp, family.LeastSquares}
	var out []Series
	for _, f := range families {
		few, full := family.Sizes(10, 1000), family.Sizes(10, 2000)
		out = append(out,
			Series{Name: f.Name + ": one partial, operations of section 2.2", Role: Evidence, Law: linear, X: "|G|", Y: "operations",
				Quick: f.Quick, Full: f.Full, Measure: on(f, onePartial)},
			Series{Name: f.Name + ": one partial, steps of Fwd(G)", Role: Evidence, Law: linear, X: "|G|", Y: "steps",
				Quick: f.Quick, Full: f.Full, Measure: on(f, forwardSteps)},
			Series{Name: f.Name + ": the gradient, n partials", Role: Evidence, Law: linear, X: "n·|G|", Y: "operations",
				Quick: few, Full: full, Measure: on(f, forwardGradient)},
			Series{Name: f.Name + ": the gradient by forward mode, in n", Role: Contrast, Law: Law{Kind: Power, Power: 2}, X: "n", Y: "operations",
				Quick: few, Full: full, Measure: against(on(f, forwardGradient))},
			Series{Name: f.Name + ": the gradient by backpropagation, in n", Role: Contrast, Law: linear, X: "n", Y: "operations",
				Quick: f.Quick, Full: f.Full, Measure: against(on(f, tapeGradient))})
	}
	return Claim{
		Number: 2,
		Title:  "Forward mode takes O(|G|) for one partial derivative, and O(n·|G|) for the gradient",
		Source: "sections 2.2 and 2.3",
		Family: "Log-sum-exp and least squares in n inputs: the algorithm of 2.2 on the graph, and the steps of Fwd(G) at a point.",
		Series: out,
		Meaning: "One pass is linear in the graph, by the algorithm and by the term alike. The gradient takes a pass for each input: in n " +
			"it is quadratic where |G| grows with n, and backpropagation on the same graphs is linear.",
	}
}

// onePartial is |G|, and the operations of forward mode for the first input.
func onePartial(ctx context.Context, p *gram.Program) (Point, error) {
	g, m, err := graphOf(ctx, p)
	if err != nil {
		return Point{}, err
	}
	if err := m.Forward(p.Point(), 0); err != nil {
		return Point{}, err
	}
	return Point{X: float64(g.Size().Total()), Y: float64(m.Operations)}, nil
}

// forwardGradient is n·|G|, and the operations of forward mode for all inputs.
func forwardGradient(ctx context.Context, p *gram.Program) (Point, error) {
	g, m, err := graphOf(ctx, p)
	if err != nil {
		return Point{}, err
	}
	res, err := m.ForwardMode(p.Point())
	return Point{X: float64(g.Inputs() * g.Size().Total()), Y: float64(res.Operations)}, err
}

// tapeGradient is |G|, and the operations of backpropagation.
func tapeGradient(ctx context.Context, p *gram.Program) (Point, error) {
	g, m, err := graphOf(ctx, p)
	if err != nil {
		return Point{}, err
	}
	res, err := m.Backpropagation(p.Point())
	return Point{X: float64(g.Size().Total()), Y: float64(res.Operations)}, err
}

// forwardSteps is |G|, and the steps of Fwd(G) at the point, with the tangent 1 for the
// first input.
func forwardSteps(ctx context.Context, p *gram.Program) (Point, error) {
	g, _, err := graphOf(ctx, p)
	if err != nil {
		return Point{}, err
	}
	fwd, err := revgrad.Forward(p.Term(), p.ScalarInputs(), ctx.Err)
	if err != nil {
		return Point{}, err
	}
	var inputs []term.Var
	var point []float64
	for i, x := range p.ScalarInputs() {
		z, a := fwd.NewVar(term.VarInfo{Name: "x", Type: term.R}), fwd.NewVar(term.VarInfo{Name: "dx", Type: term.R})
		fwd.Root = fwd.Let(0, x, fwd.Pair(0, fwd.Variable(0, z), fwd.Variable(0, a)), fwd.Root)
		tangent := 0.0
		if i == 0 {
			tangent = 1
		}
		inputs, point = append(inputs, z, a), append(point, p.Point()[i], tangent)
	}
	s, err := evaluate(ctx, fwd, inputs, point)
	return Point{X: float64(g.Size().Total()), Y: float64(s.Counts.Total())}, err
}

// claimReverse is claim 3.
func claimReverse() Claim {
	gradients := func(f family.Family) func(context.Context, int) (Point, error) { return on(f, gradientSteps) }
	return Claim{
		Number: 3,
		Title:  "Reverse mode takes O(|G|) for the gradient, whatever n is, and O(k·|G|) for a Jacobian with k outputs",
		Source: "section 2.4",
		Family: "Log-sum-exp and least squares in n inputs; a graph of one size with n inputs; a trunk of 2000 lets under k outputs.",
		Series: append(
			seriesOf([]family.Family{family.LogSumExp, family.LeastSquares, family.SumRight}, Evidence, linear, "|G|", "steps", gradients),
			Series{Name: "one graph, more inputs", Role: Evidence, Law: Law{Kind: AtMost}, X: "n", Y: "steps / |G|",
				Quick: family.WideSum.Quick, Full: family.WideSum.Full, Measure: on(family.WideSum, stepsPerNode)},
			Series{Name: "k outputs over one trunk", Role: Evidence, Law: linear, X: "k", Y: "steps",
				Quick: family.Heads.Quick, Full: family.Heads.Full, Measure: against(jacobianSteps)},
			Series{Name: "k outputs over one trunk, in k·|G|", Role: Evidence, Law: Law{Kind: AtMost, Power: 1}, X: "k·|G|", Y: "steps",
				Quick: family.Heads.Quick, Full: family.Heads.Full, Measure: jacobian},
			Series{Name: "operations of section 2.4", Role: Evidence, Law: linear, X: "|G|", Y: "operations",
				Quick: family.LeastSquares.Quick, Full: family.LeastSquares.Full, Measure: on(family.LeastSquares, tapeGradient)},
		),
		Meaning: "The gradient's steps follow the graph and take no notice of how many inputs it has: where the graph stays as it is, " +
			"so do the steps for each unit of it. A Jacobian takes a backward phase for each output over one primal phase.",
	}
}

// stepsPerNode is the number of inputs, and the steps of a gradient over |G|.
func stepsPerNode(ctx context.Context, p *gram.Program) (Point, error) {
	pt, err := gradientSteps(ctx, p)
	return Point{X: float64(len(p.ScalarInputs())), Y: pt.Y / pt.X}, err
}

// jacobian is k·|G|, and the steps of a Jacobian with k outputs.
func jacobian(ctx context.Context, k int) (Point, error) {
	pt, err := jacobianSteps(ctx, k)
	pt.X *= float64(k)
	return pt, err
}

// jacobianSteps is |G|, and the steps of a Jacobian with k outputs. It is no run of Theorem 1,
// which is of one gradient.
func jacobianSteps(ctx context.Context, k int) (Point, error) {
	pt, err := on(family.Heads, gradientSteps)(ctx, k)
	delete(pt.More, MName)
	return pt, err
}
