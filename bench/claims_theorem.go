package bench

import (
	"bytes"
	"errors"
	"slices"

	"github.com/gram-machine/gram"
	"github.com/gram-machine/gram/internal/denote"
	"github.com/gram-machine/gram/internal/modular"
	"github.com/gram-machine/gram/internal/reference"
	"github.com/gram-machine/gram/internal/stage"
	"github.com/gram-machine/gram/limits"
	"github.com/gram-machine/gram/revgrad"
	"github.com/gram-machine/gram/rule"
)

// programs are the families that have a gradient, adversarial ones too.
func programs() []Family {
	return append(append(Ground(), HigherOrder()...), Adversarial()...)
}

// claimTheorem is claim 10.
func claimTheorem() []Series {
	wide := []Family{Untaken, Captures, ClosedLambdas}
	working := append(wide[:3:3], Network, Church, RandomProgram, Powers)
	families := slices.Concat(programs(), []Family{Church, Redexes}, wide, []Family{Powers, PowersInLoop, NestedDeclared,
		DroppedNumerals, DroppedInputs, DroppedValues, Aliases, AliasesInLoop})
	var gradients curves
	for _, f := range families {
		more := []quantity{sourceM, graphSize, bilinear, gradientSteps}
		if f.Name == TwoOutputs.Name {
			more = nil // a Jacobian: its bound is k times that of a gradient
		}
		law := linear
		if slices.Contains([]string{Redexes.Name, DroppedInputs.Name, DroppedValues.Name}, f.Name) {
			law = atMostLinear
		}
		gradients = append(gradients, seriesWith(more, Evidence, law, mAndGraph, gradientSteps, f)...)
	}
	withoutInputs := quantity{"steps / (m + |G|)",
		func(s *subject) float64 { return gradientSteps.of(s) / mAndGraph.of(s) }}
	few, most := counting(4, 12), counting(4, 16)
	small, more := counting(2, 8), counting(2, 10)
	rewritten := func(law Law, named bool, by reference.Strategy, f Family) curves {
		return series(Contrast, law, mAndGraph, rewriterSteps(named, by), f)
	}
	return slices.Concat(
		gradients,
		series(Evidence, below, mostSteps, gradientSteps, families...).quick("*: steps, and their bound"),
		seriesWith([]quantity{sourceM, graphSize, bilinear, movesMade}, Evidence, below, mostWork, movesMade, working...).
			quick("*: rewrites and units of the literal machine, and their bound"),
		series(Stronger, atMostLinear, mAndGraph, movesMade, wide...).called("*: work, against m + |G|"),
		series(Evidence, atMostLinear, withInputs, gradientSteps, Unused),
		series(Printed, constant, sizeN, withoutInputs, Unused).called("*: steps, without the summand n"),
		series(Aside, quadratic, sizeN, sourceM, Redexes).called("*: m by value"),
		series(Aside, quadratic, sizeN, mNeed, Redexes).called("*: m by need", few, most),
		series(Aside, linear, sizeN, mNormal, Redexes).called("*: m after normalising", few, most),
		series(Evidence, linear, normalAndGraph, modularSteps, Redexes).called("*: steps of modular", few, most),
		rewritten(linear, true, reference.Machine(nil), Squares).called("*: steps, by the rewriter", small, more),
		rewritten(linear, false, reference.Machine(nil), Squares).called("*: D's pairs copied whole, λs last", small, more),
		rewritten(exponential, false, reference.ByValue, Squares).without("(11) before (3) on duals").
			called("*: D's pairs copied whole, by value", small, more),
		rewritten(exponential, false, reference.ByValue, Diamonds).without("(11) before (3) on duals").
			called("*: D's pairs copied whole, by value", counting(2, 7), small))
}

// mostSteps is the bound of Corollary gradient with its constant: one (12) of a declared symbol of three parameters, of
// numerals, takes 43 steps of the gradient, and one of a binary symbol 27.
var mostSteps = quantity{"43·(m + |G| + n + 1)", func(s *subject) float64 { return 43 * (withInputs.of(s) + 1) }}

// mostWork is the bound of docs/work.md with its constant.
var mostWork = bilinear.times("3·(|t| + n)·(steps + 1)", quantity{"3", func(*subject) float64 { return 3 }})

// withInputs is m + |G| + n.
var withInputs = quantity{"m + |G| + n",
	func(s *subject) float64 { return mAndGraph.of(s) + float64(len(s.ScalarInputs())) }}

// Quantities of the reductions of t to its graph: the steps by need, those of normalising λs first, and the steps of
// the gradient by the strategy that does so.
var (
	mNeed          = openSteps("m by need", reference.ByNeed)
	mNormal        = openSteps("m after normalising", normalising)
	normalAndGraph = quantity{"mNormal + |G|", func(s *subject) float64 { return mNormal.of(s) + graphSize.of(s) }}
	modularSteps   = ofGradient(StepsName, gram.EvalOptions{Strategy: gram.Modular}, totalSteps)
)

// openSteps is the number of steps by which the rewriter reduces a program with symbolic inputs.
func openSteps(name string, by reference.Strategy) quantity {
	return quantity{name, func(s *subject) float64 {
		return s.steps(reference.Convert(s.Term(), denote.Floats{}).OpenStart(s.ScalarInputs(), s.Point()), by)
	}}
}

// normalising is the strategy that fires what is under λs first, and then continues as the machine does.
func normalising(s *reference.State) *reference.Redex {
	for i := range s.Redex {
		if r := &s.Redex[i]; !r.Weak {
			return r
		}
	}
	return reference.Open(nil)(s)
}

// rewriterSteps is the steps of a gradient by a strategy of the rewriter: with dual λs named, or with D's pairs copied
// whole.
func rewriterSteps(named bool, by reference.Strategy) quantity {
	return quantity{StepsName, func(s *subject) float64 {
		start := s.gradientStart(denote.Floats{})
		if named {
			start = start.Named()
		}
		return s.steps(start, by)
	}}
}

// withoutRule is the strategy of the machine without a rule.
func withoutRule(without rule.Rule) reference.Strategy {
	by := reference.Machine(nil)
	return func(s *reference.State) *reference.Redex {
		rest := *s
		rest.Redex = slices.DeleteFunc(slices.Clone(s.Redex), func(r reference.Redex) bool { return r.Rule == without })
		return by(&rest)
	}
}

// claimParameter is claim 11.
func claimParameter() []Series {
	more := counting(2, 18)
	return slices.Concat(
		series(Evidence, exponential, sizeN, sourceM, Church).called("m", Church.Quick, more),
		seriesWith([]quantity{sourceM, graphSize, bilinear, gradientSteps, movesMade}, Evidence, linear, mAndGraph, movesMade,
			Church).called("the gradient", Church.Quick, more),
		series(Evidence, equal, towerOfTwos, productsInG, Tower),
		series(Contrast, linear, sizeN, termSize, Church).called("the size of the program", Church.Quick, more))
}

// towerOfTwos is 2^(2^(…)), with k twos.
var towerOfTwos = quantity{"a tower of k twos", func(s *subject) float64 {
	n := 1
	for range s.size {
		n = 1 << n
	}
	return float64(n)
}}

// productsInG is the number of products in the graph of a program that has a sum with each of them.
var productsInG = ofBound("products in G", func(b *gram.Bound) uint64 { return b.Operations / 2 })

// claimReadback is claim 12.
func claimReadback() []Series {
	var out []Series
	for _, f := range []Family{SumRight, LogSumExp} {
		injections := series(Evidence, quadratic, sizeN, injected, f).called("*: injections", Sizes(5, 200), Sizes(5, 1000))
		injections[0].Without = "a tagged sum"
		out = slices.Concat(out,
			injections,
			series(Evidence, linear, sizeN, adHoc, f).called("*: ad hoc"),
			series(Evidence, equal, injectionSums, injectionSteps, f).
				called("*: injections, by the rewriter", Sizes(2, 20), Sizes(2, 50)))
	}
	return out
}

// sumsAndNumbers is what a run adds and reads: steps by (6) and (7), and numbers of the result.
const sumsAndNumbers = "sums of tuples and of numbers, numbers read"

func sumsOf(c *gram.Cost) uint64 {
	return c.Steps[rule.Plus] + c.Steps[rule.PlusPair] + c.Overhead.Readback
}

var adHoc = ofGradient(sumsAndNumbers, literally, sumsOf)

// injected is what it takes to add n-tuples and to read one: D(t) as a program whose inputs carry injections.
var injected = quantity{sumsAndNumbers, func(s *subject) float64 {
	var text bytes.Buffer
	st := stage.Stage{Kind: stage.Reverse, Source: s.Source(), Term: s.reversed(), Inputs: s.ScalarInputs()}
	try(st.Write(&text, nil, nil))
	return float64(sumsOf(s.program("injections", Injected(text.String())).value(literally)))
}}

// injectionSums is what the injections of n inputs that all contribute add by Corollary gradient's remark: n − 1 times
// n − 1 steps by (7) and n by (6).
var injectionSums = quantity{"(n − 1)·(2n − 1)",
	func(s *subject) float64 { return float64((s.size - 1) * (2*s.size - 1)) }}

var injectionSteps = quantity{"steps by (6) and (7) beyond those of a tagged sum", func(s *subject) float64 {
	tagged := s.gradientStart(denote.Floats{})
	sums := func(start *reference.Start) float64 {
		counts := must(s.reduce(start.Named(), reference.Machine(nil), rewriteLimit)).Counts
		return float64(counts[rule.Plus] + counts[rule.PlusPair])
	}
	return sums(tagged.Injections()) - sums(tagged)
}}

// claimModular is claim 14.
func claimModular() []Series {
	direct, modular := recurrentSteps(gram.Direct), recurrentSteps(gram.Modular)
	saved := func(p *subject) float64 { return direct(p) - modular(p) }
	network := func(role Role, shape func(int) (d, m, n int), y string, cost func(*subject) float64) curves {
		return points(role, linear, "(d + m)·m·n", y, func(s *subject) Point {
			d, m, n := shape(s.size)
			return Point{X: float64((d + m) * m * n), Y: cost(s.program("recurrent network", Recurrent(d, m, n)))}
		}, Family{})
	}
	byLength := func(n int) (int, int, int) { return 4, 4, n }
	byWidth := func(w int) (int, int, int) { return w, w, 20 }
	byInput := func(d int) (int, int, int) { return d, 8, 50 }
	contrast := func(cost func(*subject) float64) curves { return network(Contrast, byLength, StepsName, cost) }
	lengths, wide := Sizes(50, 5000), []int{8, 16, 24, 32, 48, 64}
	return slices.Concat(
		network(Evidence, byLength, "steps saved", saved).called("n grows, d = m = 4", lengths, Sizes(50, 50_000)),
		network(Evidence, byWidth, "steps saved", saved).called("d = m grow, n = 20", wide),
		network(Evidence, byInput, "steps saved", saved).called("d grows, m = 8, n = 50", wide),
		contrast(direct).called("direct", lengths),
		contrast(modular).called("modular", lengths),
		contrast(chargedSteps).without("copies in one step").called("modular, charged |M| for each copy of M", lengths),
		contrast(recurrentSteps(gram.Unfold)).called("unfold", Sizes(10, 200), Sizes(10, 2000)))
}

// chargedSteps is the number of steps of a gradient by the strategy modular, with a step more for each symbol of
// each copy of a function's normal form M: in a program of one function, its elements times |M|.
func chargedSteps(s *subject) float64 {
	lambdas := must(s.Term().ClosedLambdas(s.ScalarInputs(), s.ctx.Err))
	if len(lambdas) != 1 {
		try(errors.New("bench: a recurrent network has one function"))
	}
	layer := *s.Term()
	layer.Root = lambdas[0].At
	normal, _, err := modular.Normal(must(revgrad.Reverse(&layer, s.ctx.Err)), s.ScalarInputs(), s.Point(),
		modular.Options{Unfold: true, Limits: limits.Bounds{Look: s.ctx.Err}})
	try(err)
	return recurrentSteps(gram.Modular)(s) + float64(s.Term().Data[0].Rows)*float64(normal.Size())
}

// recurrentSteps is the number of steps of a gradient by the strategy, those taken before the program runs included.
func recurrentSteps(by gram.Strategy) func(*subject) float64 {
	return func(s *subject) float64 { return float64(s.gradient(gram.EvalOptions{Strategy: by}).Steps.Total()) }
}

// Quantities of Hessian-vector products, along the vector of ones.
var (
	productSteps = quantity{StepsName, func(s *subject) float64 { return s.hessianVectors(1) }}
	hessianSteps = quantity{"steps of n products",
		func(s *subject) float64 { return s.hessianVectors(len(s.ScalarInputs())) }}
)

// hessianVectors is the steps of so many Hessian-vector products: they don't depend on the vector.
func (s *subject) hessianVectors(products int) float64 {
	e := must(s.NewGradient(s.ctx, gram.EvalOptions{}))
	defer func() { try(e.Close()) }()
	along := slices.Repeat([]float64{1}, len(s.ScalarInputs()))
	steps := uint64(0)
	for range products {
		must(e.HessianVector(s.ctx, s.Point(), along))
		steps += e.Cost().Steps.Total()
	}
	return float64(steps)
}

// claimHessian is claim 23.
func claimHessian() []Series {
	families := slices.DeleteFunc(append(groundFamilies(), HigherOrder()...),
		func(f Family) bool { return f.Name == TwoOutputs.Name })
	products := seriesWith([]quantity{gradientSteps}, Evidence, linear, mAndGraph, productSteps, families...).each(
		func(s *Series) {
			if s.Name != RandomProgram.Name { // its steps are not exactly linear
				s.Full = s.Quick
			}
		})
	return append(products, seriesWith([]quantity{mAndGraph}, Evidence, quadratic, sizeN, hessianSteps, LeastSquares,
		LogSumExp).called("*: the Hessian", Sizes(10, 100))...)
}
