package bench

import (
	"bytes"
	"context"
	"errors"
	"slices"

	"github.com/gram-machine/gram"
	"github.com/gram-machine/gram/bench/ablation"
	"github.com/gram-machine/gram/bench/family"
	"github.com/gram-machine/gram/internal/denote"
	"github.com/gram-machine/gram/internal/reference"
	"github.com/gram-machine/gram/internal/stage"
	"github.com/gram-machine/gram/revgrad"
	"github.com/gram-machine/gram/rule"
	"github.com/gram-machine/gram/term"
)

// programs are the families that have a gradient, adversarial ones too.
func programs() []family.Family {
	return append(append(family.Ground(), family.HigherOrder()...), family.Adversarial()...)
}

// claimTheorem is claim 10.
func claimTheorem() Claim {
	exponential := Law{Kind: Exponential}
	squares := func(law Law, named bool, by reference.Strategy, name string) Series {
		s := series(family.Squares, Contrast, law, mAndGraph, rewriterSteps(named, by))
		return s.called("squares: "+name, counting(2, 8), counting(2, 10))
	}
	loop, few, most := family.Redexes, counting(4, 12), counting(4, 16)
	wide := []family.Family{family.Untaken, family.Captures}
	families := append(append(programs(), family.Church, family.Redexes), wide...)
	return Claim{
		Number: 10,
		Title:  "The gradient of t costs O(m + |G|), where t comes to its graph G in m steps",
		Source: "Theorem 1 and Corollary gradient, section 5.2",
		Family: "All families: graphs, the programs of sections 6.1 and 6.2, functions, folds, a perceptron, random programs, and adversarial ones.",
		Series: slices.Concat(
			all(families, func(f family.Family) Series {
				more := []quantity{sourceM, graphSize, width, gradientSteps, overhead, search}
				if f.Name == family.TwoOutputs.Name {
					more = nil // a Jacobian: its bound is k times that of a gradient
				}
				law := linear
				if f.Name == loop.Name {
					law = Law{Kind: AtMost, Power: 1}
				}
				return series(f, Evidence, law, mAndGraph, gradientSteps, more...)
			}),
			all(families, func(f family.Family) Series {
				return series(f, Evidence, Law{Kind: AtMost, Power: 1}, wideMGraph, stepsOverhead).called(f.Name + ": steps and overhead")
			}),
			all(families, func(f family.Family) Series {
				s := series(f, Evidence, Law{Kind: AtMost, Power: 1}, wideMGraph, words, sourceM, graphSize, width, words)
				return s.called(f.Name+": words of the literal machine", f.Quick)
			}),
			all(wide, func(f family.Family) Series {
				return series(f, Printed, Law{Kind: AtMost, Power: 1}, mAndGraph, stepsOverhead).called(f.Name + ": work, without the factor w")
			}),
			[]Series{
				series(loop, Aside, Law{Kind: Power, Power: 2}, sizeN, sourceM).called(loop.Name + ": m by value"),
				series(loop, Aside, Law{Kind: Power, Power: 2}, sizeN, mNeed).called(loop.Name+": m by need", few, most),
				series(loop, Aside, linear, sizeN, mNormal).called(loop.Name+": m after normalising", few, most),
				series(loop, Evidence, linear, quantity{"mNormal + |G|", normalAndGraph}, modularSteps).called(loop.Name+": steps of modular", few, most),
				squares(linear, true, reference.Machine(nil), "steps, by the rewriter"),
				squares(linear, false, reference.Machine(nil), "D's pairs copied whole, λs last"),
				squares(exponential, false, reference.ByValue, "D's pairs copied whole, by value").without("names of dual λs, by value"),
			},
			all([]family.Family{family.Squares, family.Diamonds}, func(f family.Family) Series {
				s := series(f, Contrast, exponential, mAndGraph, workWithout(ablation.SubstituteFirst)).without("(11) before (3) on duals")
				return s.called(f.Name+", (3) on duals first", counting(2, 14), counting(2, 18))
			})),
		Correction: "There is a strategy by which the gradient takes O(m + |G|) steps, where ≡ is taken without (dup): names of duals are copied, " +
			"not their λs, and a λ is substituted for a dual variable last. The work of a machine is O(w·(m + |G|)), where w is the most variables that " +
			"a λ or a branch of t captures.",
		Meaning: "Steps by every rule are counted, and all work that is no step: instructions copied, variables captured, search, read-back. " +
			"On the literal machine the words of memory are counted that all of this touches. Without the factor w the bound is of steps only: " +
			"a loop with a branch that is never taken and mentions n variables captures them in each iteration, which no step sees. " +
			"The theorem is about every reduction of t to a graph, so m depends on how t is reduced. In the family of redexes in a loop a function has n closed " +
			"redexes and is called n times. By value, and by need, which shares nothing under a λ, m is quadratic in n. After normalising the function, m is " +
			"linear, and so are the steps of the strategy modular. Direct takes quadratically many steps, as m by value has it. " +
			"The ablations: with λs of duals in place of their variables before (11) has joined those, each is " +
			"copied for each path to it. If D's pairs are copied whole with the λs that their duals have become, z·z, n times, takes 12·2ⁿ steps; " +
			"where λs come last it takes a quarter more than with names.",
	}
}

// Quantities of the reductions of t to its graph: the steps by need, those of normalising λs first, and the steps of
// the gradient by the strategy that does so.
var (
	mNeed        = quantity{"m by need", openSteps(reference.ByNeed)}
	mNormal      = quantity{"m after normalising", openSteps(normalising)}
	modularSteps = ofGradient(StepsName, gram.EvalOptions{Strategy: gram.Modular}, func(c *gram.Cost) uint64 { return c.Steps.Total() })
)

// openSteps is the number of steps by which the rewriter reduces a program with symbolic inputs.
func openSteps(by reference.Strategy) func(context.Context, *subject) (float64, error) {
	return func(ctx context.Context, s *subject) (float64, error) {
		res, err := run(ctx, reference.Convert(s.Term(), denote.Floats{}).OpenStart(s.ScalarInputs(), s.Point()), by, rewriteLimit)
		if err != nil {
			return 0, err
		}
		return float64(res.Counts.Total()), nil
	}
}

// normalising is the strategy that fires what stands under λs first, and then goes on as the machine does.
func normalising(s *reference.State) *reference.Redex {
	for i := range s.Redex {
		if r := &s.Redex[i]; !r.Weak {
			return r
		}
	}
	return reference.Open(nil)(s)
}

// normalAndGraph is m after normalising, and |G|.
func normalAndGraph(ctx context.Context, s *subject) (float64, error) {
	m, err := mNormal.of(ctx, s)
	if err != nil {
		return 0, err
	}
	g, err := graphSize.of(ctx, s)
	return m + g, err
}

// rewriterSteps is the steps of a gradient by a strategy of the rewriter: with dual λs named, or with D's pairs copied
// whole.
func rewriterSteps(named bool, by reference.Strategy) quantity {
	return quantity{StepsName, func(ctx context.Context, s *subject) (float64, error) {
		start, err := gradientStart(ctx, s.Program, denote.Floats{})
		if err != nil {
			return 0, err
		}
		if named {
			start = start.Named()
		}
		res, err := run(ctx, start, by, rewriteLimit)
		if err != nil {
			return 0, err
		}
		return float64(res.Counts.Total()), nil
	}}
}

// claimParameter is claim 11.
func claimParameter() Claim {
	f, tower := family.Church, family.Tower
	more := counting(2, 18)
	return Claim{
		Number: 11,
		Title:  "What the gradient costs is a matter of m, not of |t|",
		Source: "the remarks on Theorem 1, section 5.2",
		Family: "The Church numeral n applied to the numeral 2, and that to a function: 2ⁿ of its applications. And k numerals 2, each applied to the next.",
		Series: []Series{
			series(f, Evidence, Law{Kind: Exponential}, sizeN, sourceM).called("m", f.Quick, more),
			series(f, Evidence, linear, mAndGraph, stepsOverhead, sourceM, graphSize, width, gradientSteps, overhead).called("the gradient", f.Quick, more),
			series(tower, Evidence, Law{Kind: Equal}, quantity{"a tower of k twos", towerOfTwos}, productsInG).called("a tower of numerals"),
			series(f, Contrast, linear, sizeN, termSize).called("the size of the program", f.Quick, more),
		},
		Meaning: "The program grows by a constant for each n, and m doubles. The gradient and m grow together. Of k numerals 2, each applied to the next, " +
			"G has a tower of k twos of products, 2, 4, 16, 65536, …, where |t| is linear in k. So no elementary function of |t| bounds m or the gradient.",
	}
}

// towerOfTwos is 2^(2^(…)), with k twos.
func towerOfTwos(_ context.Context, s *subject) (float64, error) {
	n := 1
	for range s.size {
		n = 1 << n
	}
	return float64(n), nil
}

// productsInG is the number of products in the graph of a program that has a sum with each of them.
var productsInG = ofBound("products in G", func(b *gram.Bound) uint64 { return b.Operations / 2 })

// claimReadback is claim 12.
func claimReadback() Claim {
	quick, full := family.Sizes(5, 200), family.Sizes(5, 1000)
	var out []Series
	for _, f := range []family.Family{family.SumRight, family.LogSumExp} {
		out = append(out,
			series(f, Evidence, Law{Kind: Power, Power: 2}, sizeN, injected).called(f.Name+": injections", quick, full),
			series(f, Evidence, linear, sizeN, adHoc).called(f.Name+": ad hoc"),
			series(f, Evidence, Law{Kind: Equal}, quantity{"(n − 1)·(2n − 1)", injectionSums}, injectionSteps).
				called(f.Name+": injections, by the rewriter", family.Sizes(2, 20), family.Sizes(2, 50)))
		out[len(out)-3].Without = "a tagged sum"
	}
	return Claim{
		Number: 12,
		Title:  "Reading the gradient back by injections takes Θ(n²), by an ad hoc read-back O(n)",
		Source: "after Corollary gradient, section 5.2",
		Family: "A sum of n inputs, and log-sum-exp: D(t) with the injection λa.⟨0,…,a,…,0⟩ for each input, and with a tagged sum.",
		Series: out,
		Meaning: "By injections each input contributes an n-tuple, and (7) adds n of them component by component. A tagged sum has one summand " +
			"for each input, and its read-back visits each once: this is what the machine does.",
	}
}

// sumsAndNumbers is what a run adds and reads: steps by (6) and (7), and numbers of the result.
const sumsAndNumbers = "sums of tuples and of numbers, numbers read"

func sumsOf(c *gram.Cost) uint64 {
	return c.Steps[rule.Plus] + c.Steps[rule.PlusPair] + c.Overhead.Readback
}

var adHoc = ofGradient(sumsAndNumbers, unfused, sumsOf)

// injected is what it takes to add n-tuples and to read one: D(t) as a program whose inputs carry injections.
var injected = quantity{sumsAndNumbers, func(ctx context.Context, s *subject) (float64, error) {
	d, err := reversed(ctx, s)
	if err != nil {
		return 0, err
	}
	var text bytes.Buffer
	st := stage.Stage{Kind: stage.Reverse, Source: s.Source(), Term: d, Inputs: s.ScalarInputs()}
	if err := st.Write(&text, nil, nil); err != nil {
		return 0, err
	}
	q, err := loadText(ctx, "injections", family.Injected(text.String()))
	if err != nil {
		return 0, err
	}
	res, err := q.Value(ctx, unfused)
	if err != nil {
		return 0, err
	}
	return float64(sumsOf(&res.Cost)), nil
}}

// injectionSums is what the injections of n inputs that all contribute add by Corollary gradient's remark: n − 1 times
// n − 1 steps by (7) and n by (6).
func injectionSums(_ context.Context, s *subject) (float64, error) {
	return float64((s.size - 1) * (2*s.size - 1)), nil
}

var injectionSteps = quantity{"steps by (6) and (7) beyond those of a tagged sum", func(ctx context.Context, s *subject) (float64, error) {
	tagged, err := gradientStart(ctx, s.Program, denote.Floats{})
	if err != nil {
		return 0, err
	}
	more := 0.0
	for i, start := range []*reference.Start{tagged.Named(), tagged.Injections().Named()} {
		res, err := run(ctx, start, reference.Machine(nil), rewriteLimit)
		if err != nil {
			return 0, err
		}
		more += float64(2*i-1) * float64(res.Counts[rule.Plus]+res.Counts[rule.PlusPair])
	}
	return more, nil
}}

// claimModular is claim 14.
func claimModular() Claim {
	saved := func(name string, quick, full []int, shape func(int) (d, m, n int)) Series {
		return Series{Name: name, Role: Evidence, Law: linear, X: "(d + m)·m·n", Y: "steps saved", Quick: quick, Full: full,
			Measure: recurrent(shape, stepsOf(gram.Direct), stepsOf(gram.Modular))}
	}
	byLength := func(n int) (int, int, int) { return 4, 4, n }
	byWidth := func(w int) (int, int, int) { return w, w, 20 }
	byInput := func(d int) (int, int, int) { return d, 8, 50 }
	lengths, wide := family.Sizes(50, 5000), []int{8, 16, 24, 32, 48, 64}
	return Claim{
		Number: 14,
		Title:  "Normalising D(L) before it is copied saves Θ((d + m)·m·n) steps",
		Source: "section 6.2",
		Family: "The recurrent network: n vectors of R^d in, states of R^m, all of the state's sum as the value.",
		Series: []Series{
			saved("n grows, d = m = 4", lengths, family.Sizes(50, 50_000), byLength),
			saved("d = m grow, n = 20", wide, wide, byWidth),
			saved("d grows, m = 8, n = 50", wide, wide, byInput),
			{Name: "direct", Role: Contrast, Law: linear, X: "(d + m)·m·n", Y: "steps", Quick: lengths, Full: lengths,
				Measure: recurrent(byLength, stepsOf(gram.Direct), nil)},
			{Name: "modular", Role: Contrast, Law: linear, X: "(d + m)·m·n", Y: "steps", Quick: lengths, Full: lengths,
				Measure: recurrent(byLength, stepsOf(gram.Modular), nil)},
			{Name: "modular, charged |M| for each copy of M", Role: Contrast, Without: "copies in one step", Law: linear, X: "(d + m)·m·n", Y: "steps", Quick: lengths, Full: lengths,
				Measure: recurrent(byLength, chargedSteps, nil)},
			{Name: "unfold", Role: Contrast, Law: linear, X: "(d + m)·m·n", Y: "steps", Quick: family.Sizes(10, 200), Full: family.Sizes(10, 2000),
				Measure: recurrent(byLength, stepsOf(gram.Unfold), nil)},
		},
		Meaning: "The saving grows with the weights and with the length of the input, as section 6.2 has it: D's own redexes in the layer are fired " +
			"once, and not for each element. What normalising costs is counted against it. Unfolding first pays for D(G) at each element. " +
			"A copy is one step here, whatever its size; charged |M| for each copy of M, the normal form of D(L), most of the saving is gone, though " +
			"direct is not charged for its copies of D(L).",
	}
}

// chargedSteps is the number of steps of a gradient by the strategy modular, with a step more for each symbol of
// each copy of a function's normal form M: in a program of one function, its elements times |M|.
func chargedSteps(ctx context.Context, p *gram.Program) (float64, error) {
	steps, err := stepsOf(gram.Modular)(ctx, p)
	if err != nil {
		return 0, err
	}
	lambdas := p.Term().ClosedLambdas(p.ScalarInputs())
	if len(lambdas) != 1 {
		return 0, errors.New("bench: a recurrent network has one function")
	}
	d, err := revgrad.Reverse(subterm(p.Term(), lambdas[0].At), ctx.Err)
	if err != nil {
		return 0, err
	}
	normal, _, err := normalise(ctx, d, p.ScalarInputs(), p.Point())
	if err != nil {
		return 0, err
	}
	return steps + float64(p.Term().Data[0].Rows)*float64(normal.Size()), nil
}

// stepsOf is the number of steps of a gradient by the strategy, those taken before the
// program runs included.
func stepsOf(s gram.Strategy) func(context.Context, *gram.Program) (float64, error) {
	return func(ctx context.Context, p *gram.Program) (float64, error) {
		res, err := p.Gradient(ctx, gram.EvalOptions{Strategy: s})
		if err != nil {
			return 0, err
		}
		return float64(res.Cost.Steps.Total()), nil
	}
}

// recurrent is (d + m)·m·n for a network, and a cost less another, if that is not nil.
func recurrent(shape func(int) (d, m, n int), cost, less func(context.Context, *gram.Program) (float64, error)) func(context.Context, int) (Point, error) {
	return func(ctx context.Context, size int) (Point, error) {
		d, m, n := shape(size)
		p, err := loadText(ctx, "recurrent network", family.Recurrent(d, m, n))
		if err != nil {
			return Point{}, err
		}
		pt := Point{X: float64((d + m) * m * n)}
		if pt.Y, err = cost(ctx, p); err != nil || less == nil {
			return pt, err
		}
		y, err := less(ctx, p)
		pt.Y -= y
		return pt, err
	}
}

// subterm is the subterm at r.
func subterm(t *term.Term, r term.Ref) *term.Term {
	u := *t
	u.Root = r
	return &u
}
