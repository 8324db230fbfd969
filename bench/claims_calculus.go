package bench

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/gram-machine/gram"
	"github.com/gram-machine/gram/bench/family"
	"github.com/gram-machine/gram/internal/denote"
	"github.com/gram-machine/gram/internal/reference"
	"github.com/gram-machine/gram/revgrad"
	"github.com/gram-machine/gram/rule"
)

// These claims are measured on the calculus itself: the rewriter of internal/reference fires one rule at a time,
// anywhere in a term. It finds all redexes of each term, so sizes are small.

// generator returns random numbers for a size.
func generator(size int) *rand.Rand { return rand.New(rand.NewPCG(uint64(size), 3)) }

// symbols is the size of a term of the rewriter.
func symbols(s *reference.Start) float64 { return float64(s.Back(s.Term).Term.Size()) }

// valueStart and gradientStart are the program at its point and its gradient, for the rewriter.
func valueStart(p *gram.Program, ground denote.Ground) *reference.Start {
	return reference.Convert(p.Term(), ground).ValueStart(p.ScalarInputs(), p.Point())
}

func gradientStart(ctx context.Context, p *gram.Program, ground denote.Ground) (*reference.Start, error) {
	d, err := revgrad.Reverse(p.Term(), ctx.Err)
	if err != nil {
		return nil, err
	}
	return reference.Convert(d, ground).GradientStart(p.ScalarInputs(), p.Point(), 0), nil
}

// run reduces a start term, no longer than limit steps.
func run(ctx context.Context, s *reference.Start, by reference.Strategy, limit int) (*reference.Result, error) {
	return s.Run(by, limit, func(*reference.Redex, *reference.Term) error { return ctx.Err() })
}

// rewriteLimit bounds reductions that are known to end.
const rewriteLimit = 1_000_000

// on measures the programs of a family: f gets each loaded.
func on(fam family.Family, f func(ctx context.Context, p *gram.Program) (Point, error)) func(context.Context, int) (Point, error) {
	return func(ctx context.Context, size int) (Point, error) {
		p, err := load(ctx, fam, size)
		if err != nil {
			return Point{}, err
		}
		return f(ctx, p)
	}
}

// shrinking are the rules of claim 6.
var shrinking = []rule.Rule{rule.SubstNumeral, rule.GC, rule.Plus, rule.PlusPair, rule.Times, rule.Function}

// claimShrinking is claim 6.
func claimShrinking() Claim {
	quick, full := family.Sizes(5, 200), family.Sizes(5, 500)
	linearly := func(name string, quick, full []int, measure func(context.Context, int) (Point, error)) Series {
		return Series{Name: name, Role: Evidence, Law: linear, X: "|t|, in symbols", Y: "steps", Quick: quick, Full: full, Measure: measure}
	}
	var out []Series
	for _, f := range []family.Family{family.Diamonds, family.Horner, family.DeadLets, family.Squares, family.RandomGraph} {
		out = append(out, linearly(f.Name+", any redex", quick, full, on(f, shrinkingSteps)))
	}
	for _, f := range []family.Family{family.SumBalanced, family.LeastSquares, family.RandomGraph} {
		out = append(out, Series{Name: "bp of " + f.Name + " with tuples, any redex", Role: Evidence, Law: Law{Kind: Below}, X: "2·|t|, in symbols", Y: "steps",
			Quick: family.Sizes(2, 20), Full: family.Sizes(2, 50), Measure: on(f, tupleSteps)})
	}
	for _, f := range []family.Family{family.Diamonds, family.RandomGraph} {
		out = append(out, linearly(f.Name+", the machine's random schedule", f.Quick, f.Full, on(f, randomValueSteps)))
	}
	return Claim{
		Number: 6,
		Title:  "Reductions by (3) at numerals, (4), (6), (7), (8) have length O(|t|)",
		Source: "Lemma size_shrinks, section 4",
		Family: "Ground terms under lets of their inputs, and bp(G) with tuples that (7) adds, reduced in a random order of redexes; and by the machine in a random order.",
		Series: append(out, Series{Name: "(3) at λs, the innermost let first", Role: Contrast, Without: "the restriction of (3) to numerals",
			Law: Law{Kind: Exponential}, X: "n", Y: "steps", Quick: counting(2, 8), Full: counting(2, 9), Measure: copyingSteps}),
		Meaning: "Each step makes the term smaller where variables and pairs count twice, so any order ends in less than twice as many steps " +
			"as there are symbols. The measure of the paper's proof counts variables twice, but not pairs, and (7) does not lessen it: that is a flaw of the proof. " +
			"(12), for symbols, is among the rules. (3) at λs, the contrast, copies: n lets, each with two uses of the one before, " +
			"come to exponentially many steps.",
	}
}

// shrinkingSteps is |t|, and the length of a reduction by the rules of claim 6 in a random order.
func shrinkingSteps(ctx context.Context, p *gram.Program) (Point, error) {
	pt, _, err := shrink(ctx, valueStart(p, denote.Floats{}))
	return pt, err
}

// tupleSteps is 2·|t|, and the length of such a reduction, of bp(G) with dense tuples at the program's point.
func tupleSteps(ctx context.Context, p *gram.Program) (Point, error) {
	bp, a, err := revgrad.AblatedBP(p.Term(), p.ScalarInputs(), revgrad.DenseTuples, ctx.Err)
	if err != nil {
		return Point{}, err
	}
	start := reference.Convert(bp, denote.Floats{}).ValueStart(append(p.ScalarInputs(), a), append(p.Point(), 1))
	pt, counts, err := shrink(ctx, start)
	pt.X *= 2
	pt.More = map[string]float64{"steps by (7)": float64(counts[rule.PlusPair])}
	return pt, err
}

// shrink reduces a term by the rules of claim 6 in a random order.
func shrink(ctx context.Context, s *reference.Start) (Point, rule.Counts, error) {
	size := symbols(s)
	res, err := run(ctx, s, reference.Within(generator(int(size)), shrinking...), rewriteLimit)
	if err != nil {
		return Point{}, rule.Counts{}, err
	}
	return Point{X: size, Y: float64(res.Counts.Total())}, res.Counts, nil
}

// randomValueSteps is |t|, with a let and a numeral for each input, and the steps of a
// value under a random schedule.
func randomValueSteps(ctx context.Context, p *gram.Program) (Point, error) {
	res, err := p.Value(ctx, gram.EvalOptions{Schedule: gram.Random, Seed: 1})
	if err != nil {
		return Point{}, err
	}
	return Point{X: float64(res.Cost.Size.Term + 2*int64(res.Cost.Inputs)), Y: float64(res.Cost.Steps.Total())}, nil
}

// copyingSteps is the length of a reduction by (3) and (4) of n lets of λs, each with
// two uses of the one before, the innermost let first: what is copied has occurrences
// that are still to be substituted for.
func copyingSteps(ctx context.Context, n int) (Point, error) {
	p, err := loadText(ctx, "λs", family.Copies(n))
	if err != nil {
		return Point{}, err
	}
	s := valueStart(p, denote.Floats{})
	res, err := run(ctx, s, innermost, rewriteLimit)
	if err != nil {
		return Point{}, err
	}
	return Point{X: float64(n), Y: float64(res.Counts.Total())}, nil
}

// innermost takes the redex of (3) or (4) whose let stands innermost.
func innermost(s *reference.State) *reference.Redex {
	for i := len(s.Redex) - 1; i >= 0; i-- {
		if r := &s.Redex[i]; r.Rule == rule.Subst || r.Rule == rule.GC {
			return r
		}
	}
	return nil
}

// claimCommutation is claim 8.
func claimCommutation() Claim {
	constant := Law{Kind: AtMost}
	var out []Series
	for _, by := range []rule.Rule{rule.Lambda, rule.Pair, rule.Subst, rule.SubstNumeral, rule.GC, rule.Plus, rule.Times, rule.Function, rule.Branch} {
		out = append(out, Series{Name: "(" + rule.Table[by].Number + ") " + by.String(), Role: Evidence, Law: constant,
			X: "|t|, in symbols", Y: "most steps of D(t) for one of t",
			Quick: family.EveryRule.Quick, Full: family.EveryRule.Full, Measure: commuting(by)})
	}
	left := func(f family.Family, role Role, law Law, by reference.Strategy) Series {
		return series(f, role, law, sizeN, quantity{"symbols that D(t) comes to", symbolsLeft(by)})
	}
	without := reference.WithoutLinGC(reference.Leftmost)
	return Claim{
		Number: 8,
		Title:  "One step of t is O(1) steps of D(t)",
		Source: "Lemma Commutation, section 5.2",
		Family: "Random programs in lockstep: after each step t → t', by any redex, D(t) is reduced to D(t') and the steps are counted.",
		Series: append(out,
			left(family.Constants, Evidence, constant, reference.Leftmost).called("D(t) of n constants"),
			left(family.Constants, Printed, constant, without).called("D(t) of n constants, without (5')"),
			left(family.ConstantSquares, Contrast, Law{Kind: Exponential}, without).called("D(t) of a constant squared n times, without (5')").without("(5′)"),
		),
		Correction: "For (6), (8) and (12) the rules are (1)–(5), (5'), (12) and the rule itself, under λ: those that the paper names do not get there.",
		Meaning: "(1)–(4) are one step each. A numeric rule opens the pairs of its operands and puts the result's dual together: a constant that " +
			"does not depend on the term around it, nor on its size. Without (5') D(t) does not come to D(t'): where t comes to " +
			"a numeral, the arguments of n zero duals are left, or 2ⁿ where the duals are copied, and with (5') four symbols are.",
	}
}

// symbolsLeft is the size of the normal form of D(t), under λ too, by a strategy.
func symbolsLeft(by reference.Strategy) func(context.Context, *subject) (float64, error) {
	return func(ctx context.Context, s *subject) (float64, error) {
		d, err := reversed(ctx, s)
		if err != nil {
			return 0, err
		}
		start := reference.Convert(d, denote.Floats{}).ValueStart(nil, nil)
		res, err := run(ctx, start, by, rewriteLimit)
		if err != nil {
			return 0, err
		}
		return float64(start.Back(res.Term).Term.Size()), nil
	}
}

// commuting measures, over random reductions of a program in which every rule fires and of
// random programs, the most steps of D(t) that one step of t by the rule takes.
func commuting(by rule.Rule) func(context.Context, int) (Point, error) {
	return func(ctx context.Context, n int) (Point, error) {
		var pt Point
		for seed, text := range []string{family.EveryRule.Source(n), family.Rational(n, 0), family.Rational(n, 1)} {
			p, err := loadText(ctx, "random program", text)
			if err != nil {
				return Point{}, err
			}
			s := valueStart(p, denote.Floats{})
			most, err := lockstep(ctx, s, by, seed)
			if err != nil {
				return Point{}, err
			}
			pt.X, pt.Y = max(pt.X, symbols(s)), max(pt.Y, float64(most))
		}
		return pt, nil
	}
}

// lockstep reduces a term in a random order and D of it behind, and returns the most
// steps of D(t) for one of t by the rule.
func lockstep(ctx context.Context, s *reference.Start, by rule.Rule, seed int) (int, error) {
	d, any := s.Reverser(), reference.Random(generator(seed))
	most := 0
	for t := s.Term; ; {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		st := s.State(t, false)
		r := any(st)
		if r == nil {
			return most, nil
		}
		next, err := st.Fire(r)
		if err != nil {
			return 0, err
		}
		if r.Rule == by {
			k, err := d.Commute(st, r, next)
			if err != nil {
				return 0, err
			}
			most = max(most, k)
		}
		t = next
	}
}

// claimUnicity is claim 13.
func claimUnicity() Claim {
	equal := Law{Kind: Equal}
	sizes := family.Sizes(10, 2000)
	var out []Series
	for _, what := range []string{"values", "gradients", "gradients by injections"} {
		out = append(out, Series{Name: "exact " + what + ", strategies of the calculus", Role: Evidence, Law: equal, X: "results", Y: "results that agree",
			Quick: []int{1, 2, 4, 8}, Full: []int{1, 2, 4, 8, 16}, Measure: exactResults(what)})
	}
	for _, f := range []family.Family{family.RandomProgram, family.Network, family.Continuations, family.Perceptron, family.RandomGraph} {
		out = append(out,
			Series{Name: f.Name + ": steps under a random schedule", Role: Evidence, Law: equal, X: "steps, the redex found last", Y: "steps, any redex",
				Quick: sizes, Full: family.Sizes(10, 20_000), Measure: on(f, schedules(true))},
			Series{Name: f.Name + ": gradients of the strategies", Role: Evidence, Law: equal, X: "numbers", Y: "numbers that agree to a relative 1e-9",
				Quick: []int{10, 100}, Full: []int{10, 100, 1000}, Measure: on(f, strategiesAgree)})
	}
	many := func(name string, role Role, law Law, measure func(context.Context, int) (Point, error)) Series {
		return Series{Name: name, Role: role, Law: law, X: "schedules", Y: "different gradients",
			Quick: []int{1, 2, 4, 8, 16}, Full: []int{1, 2, 4, 8, 16, 32}, Measure: measure}
	}
	return Claim{
		Number: 13,
		Title:  "The result does not depend on the strategy",
		Source: "Corollary unicity_value, section 5.2",
		Family: "Random programs over exact rationals, their values, gradients and gradients by injections, by strategies of the rewriter with several seeds; " +
			"gradients by direct, unfold and modular; random schedules.",
		Series: append(out,
			many("exact gradients over the rationals", Evidence, Law{Kind: AtMost}, exactGradients),
			many("gradients in floating point", Contrast, linear, floatGradients).without("exact numbers")),
		Meaning: "Over the rationals all strategies that come to an end within the limit give one result. The machine's schedules take equal numbers of steps too. " +
			"With floating-point numbers the order of a sum shows in the last digits, so gradients are compared to nine: of 200 calls with 20 inputs, " +
			"the contrast, each random schedule has a gradient of its own, where exact ones have one.",
	}
}

// exactGradients is a number of random schedules, and of the different gradients over the rationals that the
// rewriter comes to by them.
func exactGradients(ctx context.Context, schedules int) (Point, error) {
	p, err := loadText(ctx, "calls", family.Calls.Source(3))
	if err != nil {
		return Point{}, err
	}
	s, err := gradientStart(ctx, p, denote.Rationals{})
	if err != nil {
		return Point{}, err
	}
	s = s.Named()
	seen := map[string]bool{}
	for seed := range schedules {
		res, err := run(ctx, s, reference.Machine(generator(seed)), rewriteLimit)
		if err != nil {
			return Point{}, err
		}
		gradient, ok := s.Gradient(res.Term)
		if !ok {
			return Point{}, fmt.Errorf("bench: %s is no gradient", res.Term)
		}
		text := ""
		for _, x := range s.Duals {
			text += fmt.Sprint(gradient[x], " ")
		}
		seen[text] = true
	}
	return Point{X: float64(schedules), Y: float64(len(seen))}, nil
}

// floatGradients is a number of random schedules, and of the gradients by them that differ in some digit: of a
// sum of calls, which are free to come in any order, and with them what they add to the gradient.
func floatGradients(ctx context.Context, schedules int) (Point, error) {
	p, err := load(ctx, family.Calls, 200)
	if err != nil {
		return Point{}, err
	}
	seen := map[string]bool{}
	for seed := range schedules {
		res, err := p.Gradient(ctx, gram.EvalOptions{NoFuse: true, Schedule: gram.Random, Seed: uint64(seed)})
		if err != nil {
			return Point{}, err
		}
		seen[fmt.Sprintf("%x", res.Jacobian)] = true
	}
	return Point{X: float64(schedules), Y: float64(len(seen))}, nil
}

// strategyLimit is how many steps a strategy may take; some copy work without bound.
const strategyLimit = 2000

// strategySeeds is how many seeds a random strategy has for each program.
const strategySeeds = 3

// exactResults runs random programs over the rationals by the strategies of the rewriter, and counts the results that
// were reached, and those equal to what the machine's strategy gives. A result is a list of numbers.
func exactResults(what string) func(context.Context, int) (Point, error) {
	return func(ctx context.Context, n int) (Point, error) {
		var pt Point
		for seed := range uint64(n) {
			p, err := loadText(ctx, "random program", family.Rational(2, seed))
			if err != nil {
				return Point{}, err
			}
			start, read := valueStart(p, denote.Rationals{}), reference.Numbers
			if what != "values" {
				if start, err = gradientStart(ctx, p, denote.Rationals{}); err != nil {
					return Point{}, err
				}
				read = func(t *reference.Term) ([]denote.Number, bool) { return taggedNumbers(start, t) }
				if what != "gradients" {
					start, read = start.Injections(), reference.Numbers
				}
				start = start.Named()
			}
			got, err := resultsBy(ctx, start, read, int(seed))
			if err != nil {
				return Point{}, err
			}
			for _, numbers := range got[1:] {
				pt.X++
				if sameNumbers(got[0], numbers) {
					pt.Y++
				}
			}
		}
		return pt, nil
	}
}

// taggedNumbers reads a tagged sum, with 0 for an input that it does not have.
func taggedNumbers(s *reference.Start, t *reference.Term) (out []denote.Number, ok bool) {
	gradient, ok := s.Gradient(t)
	for _, x := range s.Duals {
		r, there := gradient[x]
		if !there {
			r = s.Ground.Of(0)
		}
		out = append(out, r)
	}
	return out, ok
}

// resultsBy are the results of a term by the strategies, that by the machine's first. A result that cannot be read is
// nil. A strategy that takes too long, or whose numbers grow too long, has none.
func resultsBy(ctx context.Context, start *reference.Start, read func(*reference.Term) ([]denote.Number, bool), seed int) ([][]denote.Number, error) {
	by := []reference.Strategy{reference.Machine(nil), reference.Leftmost, reference.ByValue, reference.ByName, reference.ByNeed}
	for i := range strategySeeds {
		rng := generator(100*seed + i)
		by = append(by, reference.Machine(rng), reference.Random(rng))
	}
	var out [][]denote.Number
	for _, next := range by {
		res, err := run(ctx, start, next, strategyLimit)
		var limit *reference.LimitError
		var undefined *denote.UndefinedError
		if errors.As(err, &limit) || errors.As(err, &undefined) {
			continue
		}
		if err != nil {
			return nil, err
		}
		numbers, ok := read(res.Term)
		if !ok {
			numbers = nil
		}
		out = append(out, numbers)
	}
	return out, nil
}

// sameNumbers reports whether two values are equal, exactly.
func sameNumbers(a, b []denote.Number) bool {
	if len(a) != len(b) {
		return false
	}
	m := denote.Model{Ground: denote.Rationals{}}
	for i := range a {
		if !m.Same(a[i], b[i]) {
			return false
		}
	}
	return true
}

// strategiesAgree is how many numbers the gradients by unfold and modular have, and how
// many of them agree with that by direct.
func strategiesAgree(ctx context.Context, p *gram.Program) (Point, error) {
	want, err := p.Gradient(ctx, unfused)
	if err != nil {
		return Point{}, err
	}
	var pt Point
	for _, opt := range []gram.EvalOptions{{Strategy: gram.Unfold}, {Strategy: gram.Modular}, {Schedule: gram.Random, Seed: 1}} {
		got, err := p.Gradient(ctx, opt)
		if err != nil {
			return Point{}, err
		}
		for i, w := range want.Jacobian {
			pt.X++
			if math.Abs(got.Jacobian[i]-w) <= 1e-9*max(1, math.Abs(w)) {
				pt.Y++
			}
		}
	}
	return pt, nil
}

// claimNormalising is claim 22.
func claimNormalising() Claim {
	equal := Law{Kind: Equal}
	var out []Series
	for _, set := range []struct {
		name  string
		texts []string
		start func(context.Context, *gram.Program) (*reference.Start, error)
	}{
		{"D(t)", family.Small(), func(ctx context.Context, p *gram.Program) (*reference.Start, error) {
			if len(p.ScalarInputs()) > 0 {
				return gradientStart(ctx, p, denote.Floats{})
			}
			d, err := revgrad.Reverse(p.Term(), ctx.Err)
			if err != nil {
				return nil, err
			}
			return reference.Convert(d, denote.Floats{}).ValueStart(nil, nil), nil
		}},
		{"programs with lin", family.SmallLin(), func(_ context.Context, p *gram.Program) (*reference.Start, error) {
			return valueStart(p, denote.Floats{}), nil
		}},
	} {
		sizes := counting(1, len(set.texts))
		out = append(out, Series{Name: "all reductions of " + set.name, Role: Evidence, Law: equal, X: "reduction graphs", Y: "finite ones without a cycle",
			Quick: sizes, Full: sizes, Measure: explored(set.texts, set.start)})
	}
	out = append(out, Series{Name: "any redex of the calculus", Role: Evidence, Law: equal, X: "reductions", Y: "reductions that ended",
		Quick: []int{1, 2, 4, 8}, Full: []int{1, 2, 4, 8, 16, 32}, Measure: ending})
	for _, gradient := range []bool{false, true} {
		name := "value"
		if gradient {
			name = "gradient"
		}
		out = append(out, Series{Name: name + ", schedules of the machine", Role: Evidence, Law: equal, X: "steps, the redex found last",
			Y: "steps, any redex", Quick: family.Sizes(10, 5000), Full: family.Sizes(10, 50_000), Measure: on(family.RandomProgram, schedules(gradient))})
	}
	out = append(out, Series{Name: "modulo (dup)", Role: Printed, Law: Law{Kind: AtMost}, X: "steps allowed", Y: "steps taken",
		Quick: []int{10, 100, 1000, 2000}, Full: []int{10, 100, 1000, 2000, 10_000}, Measure: duplicating})
	return Claim{
		Number: 22,
		Title:  "βℓ is strongly normalising",
		Source: "Proposition Weak normalization and the remark after it, section 4",
		Family: "The whole reduction graphs of small terms D(t) and terms with linear λs: every redex of every term, under λ too. " +
			"Random programs: by the rewriter in random orders, and by the machine under random schedules.",
		Series:     out,
		Correction: "Modulo ≡ without (dup), βℓ is strongly normalising.",
		Meaning: "A term is strongly normalising if its reduction graph is finite and has no cycle. The graphs of these terms were explored to the end, and " +
			"all rules fire in them, (5), (7) and (11) too. Every order of redexes that was drawn of larger programs came to an end. " +
			"Modulo (dup) there is a reduction without end: it makes garbage, which (4) collects, for as long as " +
			"steps are allowed, on a program of one let.",
	}
}

// explored is the number of small terms, and of those whose reduction graph is finite and has no cycle.
func explored(texts []string, start func(context.Context, *gram.Program) (*reference.Start, error)) func(context.Context, int) (Point, error) {
	return func(ctx context.Context, n int) (Point, error) {
		pt := Point{X: float64(n), More: map[string]float64{}}
		for _, text := range texts[:n] {
			p, err := loadText(ctx, "a small term", text)
			if err != nil {
				return Point{}, err
			}
			s, err := start(ctx, p)
			if err != nil {
				return Point{}, err
			}
			g, err := reductions(ctx, s)
			if err != nil {
				return Point{}, err
			}
			if g.ends() {
				pt.Y++
			}
			pt.More["terms"] += float64(len(g.next))
			for r, k := range g.fired {
				if k > 0 {
					pt.More["steps by ("+rule.Table[r].Number+")"] += float64(k)
				}
			}
		}
		return pt, nil
	}
}

// mostTerms is how many terms a reduction graph may have.
const mostTerms = 20_000

// reductionGraph has the terms that a term comes to by any redex, up to the names of bound variables, and the terms
// that each comes to in one step.
type reductionGraph struct {
	next  [][]int
	fired rule.Counts
	whole bool // all terms were explored
}

// reductions explores the reduction graph of a term.
func reductions(ctx context.Context, s *reference.Start) (*reductionGraph, error) {
	g := &reductionGraph{whole: true}
	known := map[string]int{}
	var terms []*reference.Term
	number := func(t *reference.Term) int {
		key := reference.Text(reference.NewNames().Tokens(t, nil))
		at, ok := known[key]
		if !ok {
			at = len(terms)
			known[key], terms = at, append(terms, t)
		}
		return at
	}
	number(s.Term)
	for i := 0; i < len(terms); i++ {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if len(terms) > mostTerms {
			g.whole = false
			return g, nil
		}
		st := s.State(terms[i], false)
		terms[i] = nil
		var next []int
		for j := range st.Redex {
			t, err := st.Fire(&st.Redex[j])
			if err != nil {
				return nil, err
			}
			next = append(next, number(t))
			g.fired[st.Redex[j].Rule]++
		}
		g.next = append(g.next, next)
	}
	return g, nil
}

// ends reports whether the graph was explored to the end and has no cycle: then no reduction is infinite.
func (g *reductionGraph) ends() bool {
	incoming := make([]int, len(g.next))
	for _, next := range g.next {
		for _, j := range next {
			if j < len(incoming) {
				incoming[j]++
			}
		}
	}
	ready, seen := []int{0}, 0
	for ; len(ready) > 0 && g.whole; seen++ {
		i := ready[len(ready)-1]
		ready = ready[:len(ready)-1]
		for _, j := range g.next[i] {
			if incoming[j]--; incoming[j] == 0 {
				ready = append(ready, j)
			}
		}
	}
	return g.whole && seen == len(g.next)
}

// duplicating is a number of steps, and how many of them are taken from let x = r in x + x modulo (dup): where a
// value is substituted (dup) makes garbage of it, which (4) collects.
func duplicating(ctx context.Context, limit int) (Point, error) {
	p, err := loadText(ctx, "a let", "input x = 0.5\nx + x\n")
	if err != nil {
		return Point{}, err
	}
	s := valueStart(p, denote.Floats{})
	t, taken := s.Term, 0
	for ; taken < limit; taken++ {
		if err := ctx.Err(); err != nil {
			return Point{}, err
		}
		moves := s.State(t, false).Duplications()
		if len(moves) == 0 {
			break
		}
		st := s.State(moves[0].Fire(), false)
		r := reference.Within(generator(0), rule.GC)(st)
		if r == nil {
			break
		}
		if t, err = st.Fire(r); err != nil {
			return Point{}, err
		}
	}
	return Point{X: float64(limit), Y: float64(taken)}, nil
}

// endingLimit is how many steps a reduction may take until it counts as endless.
const endingLimit = 3000

// ending is the number of reductions of random programs in random orders, and of those
// that ended.
func ending(ctx context.Context, n int) (Point, error) {
	var pt Point
	for seed := range uint64(n) {
		p, err := loadText(ctx, "random program", family.Rational(1+n/4, seed))
		if err != nil {
			return Point{}, err
		}
		pt.X++
		_, err = run(ctx, valueStart(p, denote.Floats{}), reference.Random(generator(int(seed))), endingLimit)
		var limit *reference.LimitError
		switch {
		case errors.As(err, &limit):
		case err != nil:
			return Point{}, err
		default:
			pt.Y++
		}
	}
	return pt, nil
}

// schedules is the number of steps under the schedule LIFO, and under a random one.
func schedules(gradient bool) func(context.Context, *gram.Program) (Point, error) {
	return func(ctx context.Context, p *gram.Program) (Point, error) {
		run := p.Value
		if gradient {
			run = p.Gradient
		}
		lifo, err := run(ctx, unfused)
		if err != nil {
			return Point{}, err
		}
		any, err := run(ctx, gram.EvalOptions{NoFuse: true, Schedule: gram.Random, Seed: 7})
		if err != nil {
			return Point{}, err
		}
		return Point{X: float64(lifo.Cost.Steps.Total()), Y: float64(any.Cost.Steps.Total())}, nil
	}
}
