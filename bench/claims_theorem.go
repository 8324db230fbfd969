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
	rewritten := func(f Family, law Law, named bool, by reference.Strategy) Series {
		return series(f, Contrast, law, mAndGraph, rewriterSteps(named, by))
	}
	squares := func(law Law, named bool, by reference.Strategy, name string) Series {
		return rewritten(Squares, law, named, by).called("squares: "+name, counting(2, 8), counting(2, 10))
	}
	loop, few, most := Redexes, counting(4, 12), counting(4, 16)
	wide := []Family{Untaken, Captures, ClosedLambdas}
	worst := []Family{Powers, PowersInLoop, NestedDeclared, DroppedNumerals, DroppedInputs, DroppedValues, Aliases,
		AliasesInLoop}
	working := append(wide[:3:3], Network, Church, RandomProgram, Powers)
	families := slices.Concat(programs(), []Family{Church, Redexes}, wide, worst)
	return slices.Concat(
		all(families, func(f Family) Series {
			more := []quantity{sourceM, graphSize, bilinear, gradientSteps}
			if f.Name == TwoOutputs.Name {
				more = nil // a Jacobian: its bound is k times that of a gradient
			}
			law := linear
			if slices.ContainsFunc([]Family{loop, DroppedInputs, DroppedValues},
				func(g Family) bool { return g.Name == f.Name }) {
				law = atMostLinear
			}
			return series(f, Evidence, law, mAndGraph, gradientSteps, more...)
		}),
		all(families, func(f Family) Series {
			s := series(f, Evidence, Law{Kind: Below}, mostSteps, gradientSteps)
			return s.called(f.Name+": steps, and their bound", f.Quick)
		}),
		all(working, func(f Family) Series {
			s := series(f, Evidence, Law{Kind: Below}, mostWork, movesMade, sourceM, graphSize, bilinear, movesMade)
			return s.called(f.Name+": rewrites and units of the literal machine, and their bound", f.Quick)
		}),
		all(wide, func(f Family) Series {
			return series(f, Stronger, atMostLinear, mAndGraph, movesMade).called(f.Name + ": work, against m + |G|")
		}),
		[]Series{
			series(Unused, Evidence, atMostLinear, withInputs, gradientSteps),
			series(Unused, Printed, constant, sizeN, quantity{"steps / (m + |G|)", func(s *subject) float64 {
				return gradientSteps.of(s) / mAndGraph.of(s)
			}}).called(Unused.Name + ": steps, without the summand n"),
			series(loop, Aside, quadratic, sizeN, sourceM).called(loop.Name + ": m by value"),
			series(loop, Aside, quadratic, sizeN, mNeed).called(loop.Name+": m by need", few, most),
			series(loop, Aside, linear, sizeN, mNormal).called(loop.Name+": m after normalising", few, most),
			series(loop, Evidence, linear, normalAndGraph, modularSteps).called(loop.Name+": steps of modular", few, most),
			squares(linear, true, reference.Machine(nil), "steps, by the rewriter"),
			squares(linear, false, reference.Machine(nil), "D's pairs copied whole, λs last"),
			squares(exponential, false, reference.ByValue, "D's pairs copied whole, by value").
				without("(11) before (3) on duals"),
			rewritten(Diamonds, exponential, false, reference.ByValue).without("(11) before (3) on duals").
				called("diamonds: D's pairs copied whole, by value", counting(2, 7), counting(2, 8)),
		})
}

// mostSteps is the bound of Corollary gradient with its constant: one (12) of a declared symbol of three parameters, of
// numerals, takes 43 steps of the gradient, and one of a binary symbol 27.
var mostSteps = quantity{"43·(m + |G| + n + 1)", func(s *subject) float64 { return 43 * (withInputs.of(s) + 1) }}

// mostWork is the bound of docs/work.md with its constant.
var mostWork = bilinear.times("3·(|t| + n)·(steps + 1)", quantity{"3", func(*subject) float64 { return 3 }})

// withInputs is m + |G| + n.
var withInputs = quantity{"m + |G| + n", func(s *subject) float64 {
	return mAndGraph.of(s) +
		float64(len(s.ScalarInputs()))
}}

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
	f, tower := Church, Tower
	more := counting(2, 18)
	return []Series{
		series(f, Evidence, exponential, sizeN, sourceM).called("m", f.Quick, more),
		series(f, Evidence, linear, mAndGraph, movesMade, sourceM, graphSize, bilinear, gradientSteps,
			movesMade).called("the gradient", f.Quick, more),
		series(tower, Evidence, equal, towerOfTwos, productsInG).called("a tower of numerals"),
		series(f, Contrast, linear, sizeN, termSize).called("the size of the program", f.Quick, more),
	}
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
	quick, full := Sizes(5, 200), Sizes(5, 1000)
	var out []Series
	for _, f := range []Family{SumRight, LogSumExp} {
		out = append(out,
			series(f, Evidence, quadratic, sizeN, injected).called(f.Name+": injections", quick, full),
			series(f, Evidence, linear, sizeN, adHoc).called(f.Name+": ad hoc"),
			series(f, Evidence, equal, injectionSums, injectionSteps).
				called(f.Name+": injections, by the rewriter", Sizes(2, 20), Sizes(2, 50)))
		out[len(out)-3].Without = "a tagged sum"
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
	network := func(name string, shape func(int) (d, m, n int), quick, full []int, y string,
		cost func(*subject) float64) Series {
		return points(sized(name, quick, full), Evidence, linear, "(d + m)·m·n", y, func(s *subject) Point {
			d, m, n := shape(s.size)
			return Point{X: float64((d + m) * m * n), Y: cost(s.program("recurrent network", Recurrent(d, m, n)))}
		})
	}
	contrast := func(name string, quick, full []int, cost func(*subject) float64) Series {
		s := network(name, byLength, quick, full, "steps", cost)
		s.Role = Contrast
		return s
	}
	byWidth := func(w int) (int, int, int) { return w, w, 20 }
	byInput := func(d int) (int, int, int) { return d, 8, 50 }
	lengths, wide := Sizes(50, 5000), []int{8, 16, 24, 32, 48, 64}
	return []Series{
		network("n grows, d = m = 4", byLength, lengths, Sizes(50, 50_000), "steps saved", saved),
		network("d = m grow, n = 20", byWidth, wide, wide, "steps saved", saved),
		network("d grows, m = 8, n = 50", byInput, wide, wide, "steps saved", saved),
		contrast("direct", lengths, lengths, direct),
		contrast("modular", lengths, lengths, modular),
		contrast("modular, charged |M| for each copy of M", lengths, lengths, chargedSteps).without("copies in one step"),
		contrast("unfold", Sizes(10, 200), Sizes(10, 2000), recurrentSteps(gram.Unfold)),
	}
}

// byLength is a network that grows with its input.
func byLength(n int) (d, m, length int) { return 4, 4, n }

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
