package bench

import (
	"slices"
	"time"

	"github.com/gram-machine/gram"
	"github.com/gram-machine/gram/internal/denote"
	"github.com/gram-machine/gram/internal/reference"
	"github.com/gram-machine/gram/revgrad"
	"github.com/gram-machine/gram/rule"
)

// claimSeries are the series of the claims, by their numbers.
var claimSeries = [...][]Series{
	1: append(
		series(Evidence, linear, graphSize, valueSteps, Chain, Diamonds, Fibonacci, FanOut, SumBalanced, RandomGraph,
			DeadLets, Shadowed, Squares),
		forEach(func(f Family) curves { return series(Contrast, exponential, graphSize, unshared(f), f) }, Squares,
			Fibonacci).without("sharing").called("*, sharing expanded", counting(4, 14))...),

	2: forEach(func(f Family) curves {
		return slices.Concat(
			series(Evidence, linear, groundSize, forwardPartial, f).called("*: one partial"),
			series(Evidence, linear, groundSize.times("n·|G|", sizeN), forwardGradient, f).
				called("*: the gradient, n partials", Sizes(10, 200), Sizes(10, 500)),
			series(Evidence, quadratic, sizeN, forwardGradient, f).
				called("*: the gradient by forward mode, in n", Sizes(10, 200), Sizes(10, 500)),
			series(Contrast, linear, sizeN, gradientSteps, f).called("*: the gradient by D(G), in n"))
	}, LogSumExp, LeastSquares),

	3: slices.Concat(
		series(Evidence, linear, graphSize, gradientSteps, LogSumExp, LeastSquares, SumRight),
		series(Evidence, constant, inputCount, gradientSteps.over("steps / |G|", graphSize), WideSum).
			called("one graph, more inputs"),
		series(Evidence, linear, sizeN.named("k"), gradientSteps, Heads).called("k outputs over one trunk"),
		series(Evidence, atMostLinear, graphSize.times("k·|G|", sizeN), gradientSteps, Heads).
			called("k outputs over one trunk, in k·|G|"),
		series(Evidence, linear, groundSize, tapeOperations, LeastSquares).called("operations of section 2.4")),

	4: append(
		series(Evidence, linear, groundSymbols, bpSymbols, family["sum, nested left"], SumRight, SumBalanced, LeastSquares,
			RandomGraph, FanOut, Squares, DeadLets, Horner, Shadowed),
		withoutSparse(groundSymbols, bpSize)...),

	5: slices.Concat(
		series(Evidence, linear, termSize, reverseSize, append(Constructors(), RandomProgram)...),
		series(Evidence, linear, groundSymbols, forwardSize, Chain, SumBalanced, RandomGraph, Horner).called("Fwd of *"),
		series(Contrast, quadratic, termSize, reverseSize, Named("one symbol of k arguments")...).
			without("a bound on arities")),

	6: slices.Concat(
		points(Evidence, linear, termSize.name, StepsName, shrinkingSteps, Diamonds, Horner, DeadLets, Squares,
			RandomGraph).called("*, any redex", Sizes(5, 200), Sizes(5, 500)),
		points(Evidence, below, "2·|t|, in symbols", StepsName, tupleSteps, SumBalanced, LeastSquares, RandomGraph).
			called("bp of * with tuples, any redex", Sizes(2, 20), Sizes(2, 50)),
		points(Evidence, linear, termSize.name, StepsName, randomValueSteps, Diamonds, RandomGraph).
			called("*, the machine's random schedule"),
		series(Contrast, exponential, sizeN, copyingSteps, family["copies"]).without("the restriction of (3) to numerals").
			called("(3) at λs, the innermost let first", counting(2, 8), counting(2, 9))),

	7: append(
		series(Evidence, linear, groundSize, bpSteps(0), groundFamilies()...),
		withoutSparse(groundSize, bpSteps)...),

	8: slices.Concat(
		commutation(),
		series(Evidence, constant, sizeN, symbolsLeft(reference.Leftmost), Constants).called("D(t) of n constants"),
		series(Printed, constant, sizeN, symbolsLeft(withoutLinGC), Constants).
			called("D(t) of n constants, without (5')"),
		series(Contrast, exponential, sizeN, symbolsLeft(withoutLinGC), ConstantSquares).without("(5′)").
			called("D(t) of a constant squared n times, without (5')")),

	9: slices.Concat(
		series(Evidence, linear, groundSize, normalSteps, groundFamilies()...),
		series(Evidence, atMostLinear, dualOccurrences, factorSteps, FanOut, Diamonds, Fibonacci, Squares, RandomGraph,
			Horner).called("*: ℓ-steps"),
		series(Printed, equal, normalFrom("symbols of the normal form of D(G)[x:=⟨x,x*⟩]", false),
			normalFrom("symbols of that of D(G)[x:=⟨x,λa.x* a⟩]", true), LogSumExp).
			called("log-sum-exp: the start as printed", counting(1, 8), counting(1, 16)),
		series(Contrast, exponential, graphSize, unfactoredSteps, Squares, Diamonds).without("rule (11)").
			called("*, no rule (11)", counting(2, 7), counting(2, 8)),
		series(Contrast, exponential, graphSize, unfactoredSteps, Fibonacci).without("rule (11)").
			called("*, no rule (11)", counting(4, 10), counting(4, 11))),

	10: slices.Concat(
		theoremGradients(),
		series(Evidence, below, mostSteps, gradientSteps, theoremFamilies()...).quick("*: steps, and their bound"),
		seriesWith([]quantity{sourceM, graphSize, bilinear, movesMade}, Evidence, below, mostWork, movesMade,
			append(wideFamilies(), Network, Church, RandomProgram, family["powers"])...).
			quick("*: rewrites and units of the literal machine, and their bound"),
		series(Stronger, atMostLinear, mAndGraph, movesMade, wideFamilies()...).called("*: work, against m + |G|"),
		series(Evidence, atMostLinear, withInputs, gradientSteps, Unused),
		series(Printed, constant, sizeN, gradientSteps.over("steps / (m + |G|)", mAndGraph), Unused).
			called("*: steps, without the summand n"),
		series(Aside, quadratic, sizeN, sourceM, Redexes).called("*: m by value"),
		series(Aside, quadratic, sizeN, mNeed, Redexes).called("*: m by need", counting(4, 12), counting(4, 16)),
		series(Aside, linear, sizeN, mNormal, Redexes).called("*: m after normalising", counting(4, 12), counting(4, 16)),
		series(Evidence, linear, normalAndGraph, modularSteps, Redexes).
			called("*: steps of modular", counting(4, 12), counting(4, 16)),
		series(Contrast, linear, mAndGraph, rewriterSteps(true, reference.Machine(nil)), Squares).
			called("*: steps, by the rewriter", counting(2, 8), counting(2, 10)),
		series(Contrast, linear, mAndGraph, rewriterSteps(false, reference.Machine(nil)), Squares).
			called("*: D's pairs copied whole, λs last", counting(2, 8), counting(2, 10)),
		series(Contrast, exponential, mAndGraph, rewriterSteps(false, reference.ByValue), Squares).
			without("(11) before (3) on duals").
			called("*: D's pairs copied whole, by value", counting(2, 8), counting(2, 10)),
		series(Contrast, exponential, mAndGraph, rewriterSteps(false, reference.ByValue), Diamonds).
			without("(11) before (3) on duals").
			called("*: D's pairs copied whole, by value", counting(2, 7), counting(2, 8))),

	11: slices.Concat(
		series(Evidence, exponential, sizeN, sourceM, Church).called("m", Church.Quick, counting(2, 18)),
		seriesWith([]quantity{sourceM, graphSize, bilinear, gradientSteps, movesMade}, Evidence, linear, mAndGraph, movesMade,
			Church).called("the gradient", Church.Quick, counting(2, 18)),
		series(Evidence, equal, towerOfTwos, productsInG, family["a tower of numerals"]),
		series(Contrast, linear, sizeN, termSize, Church).called("the size of the program", Church.Quick, counting(2, 18))),

	12: forEach(func(f Family) curves {
		return slices.Concat(
			series(Evidence, quadratic, sizeN, injected, f).called("*: injections", Sizes(5, 200), Sizes(5, 1000)).
				each(func(s *Series) { s.Without = "a tagged sum" }),
			series(Evidence, linear, sizeN, adHoc, f).called("*: ad hoc"),
			series(Evidence, equal, injectionSums, injectionSteps, f).
				called("*: injections, by the rewriter", Sizes(2, 20), Sizes(2, 50)))
	}, SumRight, LogSumExp),

	13: slices.Concat(
		exactResults("values"), exactResults("gradients"), exactResults("gradients by injections"),
		forEach(func(f Family) curves {
			return append(
				schedules(f, true).called("*: steps under a random schedule", Sizes(10, 2000), Sizes(10, 20_000)),
				points(Evidence, equal, "numbers", "numbers that agree to a relative 1e-9", strategiesAgree, f).
					called("*: gradients of the strategies", []int{10, 100}, []int{10, 100, 1000})...)
		}, RandomProgram, Network, Continuations, family["perceptron"], RandomGraph),
		series(Evidence, constant, sizeN.named("schedules"), exactGradients, Family{}).
			called("exact gradients over the rationals", powersOfTwo(0, 4), powersOfTwo(0, 5)),
		series(Contrast, linear, sizeN.named("schedules"), floatGradients, Family{}).without("exact numbers").
			called("gradients in floating point", powersOfTwo(0, 4), powersOfTwo(0, 5))),

	14: slices.Concat(
		recurrent(Evidence, byLength, "steps saved", stepsSaved).
			called("n grows, d = m = 4", Sizes(50, 5000), Sizes(50, 50_000)),
		recurrent(Evidence, func(w int) (d, m, n int) { return w, w, 20 }, "steps saved", stepsSaved).
			called("d = m grow, n = 20", []int{8, 16, 24, 32, 48, 64}),
		recurrent(Evidence, func(d int) (_, m, n int) { return d, 8, 50 }, "steps saved", stepsSaved).
			called("d grows, m = 8, n = 50", []int{8, 16, 24, 32, 48, 64}),
		recurrent(Contrast, byLength, StepsName, recurrentSteps(gram.Direct)).called("direct", Sizes(50, 5000)),
		recurrent(Contrast, byLength, StepsName, recurrentSteps(gram.Modular)).called("modular", Sizes(50, 5000)),
		recurrent(Contrast, byLength, StepsName, chargedSteps).without("copies in one step").
			called("modular, charged |M| for each copy of M", Sizes(50, 5000)),
		recurrent(Contrast, byLength, StepsName, recurrentSteps(gram.Unfold)).
			called("unfold", Sizes(10, 200), Sizes(10, 2000))),

	15: forEach(func(f Family) curves {
		return append(
			series(Evidence, equal, termSize, pureSize, f).called("*: sizes"),
			series(Evidence, equal, pureSteps("steps of t", (*subject).Term),
				pureSteps("steps of D(t)", (*subject).reversed), f).called("*: steps", f.Quick[:min(5, len(f.Quick))])...)
	}, Named("church sums", "church products", "pure fold", "pure map")...),

	16: slices.Concat(
		edits(Evidence, constant, "an edit", true).called("rebuilt, with a cache"),
		edits(Evidence, atMostLinear, "edits inside", true).called("rebuilt after an edit inside t, with a cache"),
		edits(Contrast, linear, "an edit", false).without("the cache").called("rebuilt, without a cache"),
		edits(Contrast, linear, "edits inside", false).without("the cache").
			called("rebuilt after an edit inside t, without a cache"),
		editTimes(true).called("time with a cache"),
		editTimes(false).called("time without a cache")),

	17: slices.Concat(
		overFamilies("most words of a unit of search or wake", mostSearched),
		series(Evidence, below, fourMade, searchUnits, Fibonacci, RandomGraph, Network, Continuations, family["long list"],
			WaitingCalls, Captures, Untaken).under("no dual λ is written by hand").quick("*"),
		series(Evidence, Law{Kind: AtMost, Power: 1, Logs: 1}, stepsAndMade, searchUnits, Handwritten()...).
			under("dual λs are written by hand").quick("*, a program with lin"),
		series(Stronger, constant, sizeN, longestSearch, Family{}).
			called("captures: units between two rewrites", powersOfTwo(2, 6), powersOfTwo(2, 7)),
		series(Contrast, quadratic, gradientSteps, symbolsRead, WaitingCalls).without("a worklist").
			called("*, rescanning", Sizes(5, 100), Sizes(5, 200))),

	18: slices.Concat(
		overFamilies(mostWordsName, mostWords),
		series(Evidence, constant, sizeN.named("sines in the body"),
			ofWork(mostWordsName, func(c *gram.Cost) uint64 { return mostWords(c.Work) }), LargeBodies).called("*, shared"),
		series(Contrast, linear, sizeN.named("sines in the body"), symbolsCopied, LargeBodies).without("shared bodies").
			called("*, copied at (3)", Sizes(5, 50), Sizes(5, 200)),
		stepTimes(true, family["polynomial"], Network).called("*, gradient", Sizes(100, 100_000), Sizes(100, 1_000_000)),
		stepTimes(true, family["map and fold"]).called("*, gradient", Sizes(50, 100_000), Sizes(50, 1_000_000)),
		stepTimes(false, Network).called("*, value", Sizes(100, 100_000), Sizes(100, 1_000_000))),

	19: slices.Concat(
		series(Evidence, linear, sizeN.named("k"), reverseSize, Composed).called("D: size"),
		series(Evidence, linear, sizeN.named("k"), gradientSteps, Composed).called("D: steps of the gradient"),
		series(Evidence, linear, sizeN.named("k"), gradientSteps, ComposedSquares).
			called("D: steps of the gradient, f y = y·y"),
		series(Contrast, quadratic, sizeN.named("k"), valueSteps, Named("derivative of composed functions")...).
			without("pairs of value and dual").called("Ehrhard's D: steps of the derivative, f = sin"),
		series(Contrast, exponential, sizeN.named("k"), valueSteps, Named("derivative of composed squares")...).
			without("pairs of value and dual, tangents not shared").
			called("Ehrhard's D: steps of the derivative, f y = y·y")),

	20: slices.Concat(
		series(Evidence, equal, sizeN, valueCopies, Network).called("L, by the literal machine"),
		series(Evidence, equal, sizeN, rewrittenCopies(false), Network).
			called("L, by the rewriter", Sizes(1, 10), Sizes(1, 20)),
		series(Evidence, equal, sizeN, rewrittenCopies(true), Network).
			called("D(L), by the rewriter", Sizes(1, 10), Sizes(1, 20)),
		series(Evidence, equal, sizeN, literalCopies, Network).
			called("D(L), by the literal machine", Sizes(10, 10_000), Sizes(10, 100_000)),
		series(Evidence, equal, sizeN, valueCopies, StateTwice).called("L with its state twice, by the literal machine"),
		series(Evidence, equal, sizeN, literalCopies, StateTwice).
			called("D(L) with the state twice, by the literal machine", Sizes(10, 10_000), Sizes(10, 100_000)),
		series(Contrast, linear, sizeN, copiesByName, Named("recurrent network, by name")...).
			without("call by value").called("L, by name"),
		series(Contrast, exponential, sizeN, copiesByName, Named("recurrent network, the state twice, by name")...).
			without("call by value").called("L with its state twice, by name")),

	21: slices.Concat(
		forEach(parallel, SumBalanced, BalancedLogSumExp, Batch),
		series(Evidence, constant, sizeN, spanRatio(true), Chain, SumRight).
			called("*: span of D(t), (11) in a tree", powersOfTwo(2, 12), powersOfTwo(2, 16)),
		speedUp(parallelTime).called("*: one gradient by the schedule parallel"),
		speedUp(twoTimes).called("*: two gradients at once, each on a core")),

	22: slices.Concat(
		explored("D(t)", Small(), gradientOrReversed),
		explored("programs with lin", SmallLin(), func(s *subject) *reference.Start { return s.valueStart(denote.Floats{}) }),
		points(Evidence, equal, "reductions", "reductions that ended", ending, Family{}).
			called("any redex of the calculus", powersOfTwo(0, 3), powersOfTwo(0, 5)),
		schedules(RandomProgram, false).called("value, schedules of the machine", Sizes(10, 5000), Sizes(10, 50_000)),
		schedules(RandomProgram, true).called("gradient, schedules of the machine", Sizes(10, 5000), Sizes(10, 50_000)),
		series(Printed, constant, sizeN.named("steps allowed"), duplicating, Family{}).
			called("modulo (dup)", []int{10, 100, 1000, 2000}, []int{10, 100, 1000, 2000, 10_000})),

	23: append(
		seriesWith([]quantity{gradientSteps}, Evidence, linear, mAndGraph, productSteps,
			append(groundFamilies(), HigherOrder()...)...).each(func(s *Series) { // those with one output
			if s.Name != RandomProgram.Name { // its steps are not exactly linear
				s.Full = s.Quick
			}
		}),
		seriesWith([]quantity{mAndGraph}, Evidence, quadratic, sizeN, hessianSteps, LeastSquares, LogSumExp).
			called("*: the Hessian", Sizes(10, 100))...),
}

// groundFamilies are the families of computational graphs with one output, adversarial ones too.
func groundFamilies() []Family {
	return append(Ground(), slices.DeleteFunc(Adversarial(), func(f Family) bool {
		return !f.Ground || f.Name == TwoOutputs.Name
	})...)
}

// programs are the families that have a gradient, adversarial ones too.
func programs() []Family {
	return append(append(Ground(), HigherOrder()...), Adversarial()...)
}

// wideFamilies have λs that capture or copy much without steps.
func wideFamilies() []Family { return []Family{Untaken, Captures, family["closed λs"]} }

// theoremFamilies are those of claim 10.
func theoremFamilies() []Family {
	return slices.Concat(programs(), []Family{Church, Redexes}, wideFamilies(), Named("powers", "powers in a loop",
		"a declared symbol of numerals", "numerals that are dropped", "inputs that are dropped",
		"values that are dropped", "aliases", "aliases in a loop"))
}

// theoremGradients are the steps of a gradient against m + |G|.
func theoremGradients() curves {
	return forEach(func(f Family) curves {
		more := []quantity{sourceM, graphSize, bilinear, gradientSteps}
		if f.Name == TwoOutputs.Name {
			more = nil // a Jacobian: its bound is k times that of a gradient
		}
		law := linear
		if slices.Contains([]string{Redexes.Name, "inputs that are dropped", "values that are dropped"}, f.Name) {
			law = atMostLinear
		}
		return seriesWith(more, Evidence, law, mAndGraph, gradientSteps, f)
	}, theoremFamilies()...)
}

// withoutSparse is what bp(G) costs without ⊕: with + for it, and with dense tuples. n grows with |G|.
func withoutSparse(x quantity, of func(revgrad.Ablation) quantity) curves {
	return forEach(func(f Family) curves {
		return append(
			series(Contrast, quadratic, x, of(revgrad.PlainPlus), f).without("⊕").
				called("*: plain + for ⊕", Sizes(10, 200), Sizes(10, 1000)),
			series(Contrast, quadratic, x, of(revgrad.DenseTuples), f).without("sparse tuples").
				called("*: dense tuples", Sizes(10, 200), Sizes(10, 1000))...)
	}, SumBalanced, LeastSquares)
}

// commutation is the most steps of D(t) for one of t, by each rule.
func commutation() (out curves) {
	for _, by := range []rule.Rule{rule.Lambda, rule.Pair, rule.Subst, rule.SubstNumeral, rule.GC, rule.Plus, rule.Times,
		rule.Function, rule.Branch} {
		f := sized("("+rule.Table[by].Number+") "+by.String(), EveryRule.Quick, EveryRule.Full)
		out = append(out, points(Evidence, constant, termSize.name, "most steps of D(t) for one of t", commuting(by), f)...)
	}
	return out
}

// recurrent is a cost of the recurrent network against the steps that normalising it saves.
func recurrent(role Role, shape func(int) (d, m, n int), y string, cost func(*subject) float64) curves {
	return points(role, linear, "(d + m)·m·n", y, func(s *subject) Point {
		d, m, n := shape(s.size)
		return Point{X: float64((d + m) * m * n), Y: cost(s.program("recurrent network", Recurrent(d, m, n)))}
	}, Family{})
}

// byLength is a network that grows with its input.
func byLength(n int) (d, m, length int) { return 4, 4, n }

// edits is what is made again after an edit, and editTimes how long that takes.
func edits(role Role, law Law, edit string, kept bool) curves {
	return points(role, law, "|t u|, in symbols", "symbols of D(t u) that are made again", func(s *subject) Point {
		size, cost, _ := rebuilt(s, edit, kept)
		return Point{X: size, Y: float64(cost.Cache.Rebuilt)}
	}, Edited)
}

func editTimes(kept bool) curves {
	return points(Aside, atMostLinear, "|t u|, in symbols", "time after the edit (ns)", func(s *subject) Point {
		size, _, took := rebuilt(s, Edited.Name, kept)
		return Point{X: size, Y: float64(took.Nanoseconds())}
	}, Edited).timed()
}

// stepTimes is the time of a step against the nodes of a run, some ten for each iteration.
func stepTimes(gradient bool, families ...Family) curves {
	return points(Aside, constant, "nodes", "time per step (ns)", func(s *subject) Point {
		took, c, err := s.timeOf(gradient, literally)
		try(err)
		return Point{X: float64(c.Nodes.Allocated), Y: float64(took.Nanoseconds()) / float64(c.Steps.Total())}
	}, families...).timed()
}

// parallel is how sequential the forms of the gradient of a family are.
func parallel(f Family) curves {
	quick, full := powersOfTwo(2, 12), powersOfTwo(2, 16)
	chain := Aside
	if f.Name == Batch.Name {
		chain = Stronger
	}
	return slices.Concat(
		series(Evidence, constant, sizeN, spanRatio(true), f).called("*: span of D(t), (11) in a tree", quick, full),
		series(chain, constant, sizeN, spanRatio(false), f).called("*: span of D(t), (11) in a chain", quick, full),
		points(Contrast, linear, "steps", "span", statePassing, f).without("duals, by a memory").
			called("*: state-passing form", quick, powersOfTwo(2, 13)),
		series(Aside, linear, logN, backpropPath, f).called("*: critical path of bp(G)", quick, full),
		series(Contrast, linear, backpropWork.named("work of bp(G)"), tapeOperations.named(inARow), f).
			without("a graph, on a tape").called("*: a tape", quick, full))
}

// speedUp is the time of a gradient of the sequences on one core over another.
func speedUp(on func(*subject) time.Duration) curves {
	return series(Aside, constant, sizeN, quantity{"speed-up on two workers", func(s *subject) float64 {
		return gradientTime(s, gram.EvalOptions{}).Seconds() / on(s).Seconds()
	}}, Sequences).timed()
}

// explored goes through all reductions of small programs.
func explored(name string, texts []string, start func(*subject) *reference.Start) curves {
	return points(Evidence, equal, "reduction graphs", "finite ones without a cycle",
		func(s *subject) Point { return explore(s, texts, start) }, Family{}).
		called("all reductions of "+name, counting(1, len(texts)))
}
