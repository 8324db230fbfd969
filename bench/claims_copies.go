package bench

import (
	"context"

	"github.com/gram-machine/gram"
	"github.com/gram-machine/gram/bench/ablation"
	"github.com/gram-machine/gram/bench/family"
	"github.com/gram-machine/gram/internal/denote"
	"github.com/gram-machine/gram/internal/reference"
	"github.com/gram-machine/gram/revgrad"
	"github.com/gram-machine/gram/rule"
)

// claimHigherTypes is claim 19.
func claimHigherTypes() Claim {
	square := Law{Kind: Power, Power: 2}
	c, twice := family.Composed, family.ComposedSquares
	return Claim{
		Number: 19,
		Title:  "The chain rule of Ehrhard's D duplicates u in t(u x), the reverse transformation does not",
		Source: "section 7, on higher-type derivatives",
		Family: "k functions t' = f ∘ t, composed one by one, with f = sin and with f y = y·y: D of this paper, and Ehrhard's D by its equations.",
		Series: []Series{
			{Name: "D: size", Role: Evidence, Law: linear, X: "k", Y: "|D(t)|, in symbols", Quick: c.Quick, Full: c.Full, Measure: against(on(c, reverseSize))},
			{Name: "D: steps of the gradient", Role: Evidence, Law: linear, X: "k", Y: "steps", Quick: c.Quick, Full: c.Full, Measure: against(on(c, gradientSteps))},
			{Name: "D: steps of the gradient, f y = y·y", Role: Evidence, Law: linear, X: "k", Y: "steps", Quick: twice.Quick, Full: twice.Full, Measure: against(on(twice, gradientSteps))},
			{Name: "Ehrhard's D: steps of the derivative, f y = y·y", Role: Contrast, Without: "pairs of value and dual", Law: Law{Kind: Exponential}, X: "k", Y: "steps", Quick: doubling, Full: doubling, Measure: on2(twice, derivativeSteps)},
			{Name: "Ehrhard's D: steps of the derivative, f = sin", Role: Contrast, Without: "pairs of value and dual", Law: square, X: "k", Y: "steps", Quick: family.Sizes(50, 500), Full: family.Sizes(50, 2000), Measure: on2(c, derivativeSteps)},
		},
		Meaning: "By the chain rule each level evaluates the inner functions for their value and again within their derivative. " +
			"In a chain of compositions that is quadratic by value, for only one of the two copies of u is duplicated again. Where f uses its argument " +
			"twice, linear substitution puts the derivative of u in both summands of the product rule, and that is 2ᵏ. D keeps values and duals " +
			"together and stays linear.",
	}
}

// derivativeNodes bounds the terms of derivatives by Ehrhard's D.
const derivativeNodes = 1 << 20

// derivativeSteps is k, and the steps of the derivative of the program by Ehrhard's D at its point.
func derivativeSteps(ctx context.Context, p *gram.Program, k int) (Point, error) {
	d, err := ablation.Derivative(p.Term(), p.ScalarInputs()[0], derivativeNodes, ctx.Err)
	if err != nil {
		return Point{}, err
	}
	s, err := evaluate(ctx, d, p.ScalarInputs(), p.Point())
	return Point{X: float64(k), Y: float64(s.Counts.Total())}, err
}

// claimCopies is claim 20.
func claimCopies() Claim {
	equal := Law{Kind: Equal}
	f, twice := family.Network, family.StateTwice
	return Claim{
		Number: 20,
		Title:  "The layer L and its reverse image D(L) are copied n times",
		Source: "section 6.2",
		Family: "The recurrent network over a list of n numbers, and one whose cell uses its state twice.",
		Series: []Series{
			{Name: "L, by the machine", Role: Evidence, Law: equal, X: "n", Y: "steps by (3) at λs", Quick: f.Quick, Full: f.Full, Measure: on2(f, copiesOfValue)},
			{Name: "L, by the rewriter", Role: Evidence, Law: equal, X: "n", Y: "steps by (3) at λs", Quick: family.Sizes(1, 10), Full: family.Sizes(1, 20), Measure: on2(f, copies(false))},
			{Name: "D(L), by the rewriter", Role: Evidence, Law: equal, X: "n", Y: "steps by (3) at λs", Quick: family.Sizes(1, 10), Full: family.Sizes(1, 20), Measure: on2(f, copies(true))},
			{Name: "L with its state twice, by the machine", Role: Evidence, Law: equal, X: "n", Y: "steps by (3) at λs", Quick: twice.Quick, Full: twice.Full, Measure: on2(twice, copiesOfValue)},
			{Name: "L, by name", Role: Contrast, Without: "call by value", Law: linear, X: "n", Y: "steps by (3) at λs", Quick: family.Sizes(1, 1000), Full: family.Sizes(1, 1000), Measure: on2(f, copiesByName)},
			{Name: "L with its state twice, by name", Role: Contrast, Without: "call by value", Law: Law{Kind: Exponential}, X: "n", Y: "steps by (3) at λs", Quick: doubling, Full: doubling, Measure: on2(twice, copiesByName)},
		},
		Meaning: "Each element of the list takes one copy of the layer, of its source and of its reverse image alike. Call by name, the contrast, " +
			"evaluates an argument again at each use: where the layer uses its state once that changes nothing, where it does so twice there are 2ⁿ − 1 copies.",
	}
}

// copiesOfValue is n, and the steps by (3) at λs of the program's value. No other
// values than numerals and λs are bound in the network.
func copiesOfValue(ctx context.Context, p *gram.Program, n int) (Point, error) {
	res, err := p.Value(ctx, gram.EvalOptions{})
	if err != nil {
		return Point{}, err
	}
	return Point{X: float64(n), Y: float64(res.Cost.Steps[rule.Subst])}, nil
}

// copiesByName is n, and the steps by (3) at λs of the program's value by name.
func copiesByName(ctx context.Context, p *gram.Program, n int) (Point, error) {
	_, counts, err := ablation.ByName(valueStart(p, denote.Floats{}), rewriteLimit, ctx.Err)
	return Point{X: float64(n), Y: float64(counts[rule.Subst])}, err
}

// copies is n, and the steps by (3) at λs that are no duals, of a value or of a gradient
// that the rewriter reduces by the machine's strategy.
func copies(gradient bool) func(context.Context, *gram.Program, int) (Point, error) {
	return func(ctx context.Context, p *gram.Program, n int) (Point, error) {
		s := valueStart(p, denote.Floats{})
		if gradient {
			d, err := revgrad.Reverse(p.Term(), ctx.Err)
			if err != nil {
				return Point{}, err
			}
			s = reference.Convert(d, denote.Floats{}).GradientStart(p.ScalarInputs(), p.Point(), 0).Named()
		}
		pt := Point{X: float64(n)}
		_, err := s.Run(reference.Machine(nil), rewriteLimit, func(r *reference.Redex, _ *reference.Term) error {
			if r.Rule == rule.Subst && r.V.Op == reference.Lambda && !r.V.X.Linear {
				pt.Y++
			}
			return ctx.Err()
		})
		return pt, err
	}
}
