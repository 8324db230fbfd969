package bench

import (
	"context"
	"errors"
	"math/rand/v2"

	"github.com/gram-machine/gram"
	"github.com/gram-machine/gram/bench/family"
	"github.com/gram-machine/gram/internal/denote"
	"github.com/gram-machine/gram/internal/reference"
	"github.com/gram-machine/gram/revgrad"
	"github.com/gram-machine/gram/rule"
)

// These claims are measured on the calculus itself: the rewriter of internal/reference
// fires one rule at a time, anywhere in a term. It finds all redexes of each term, so
// that sizes are small.

// shrinking are the rules of claim 6.
var shrinking = []rule.Rule{rule.SubstNumeral, rule.GC, rule.Plus, rule.PlusPair, rule.Times, rule.Function}

// generator returns random numbers for a size.
func generator(size int) *rand.Rand { return rand.New(rand.NewPCG(uint64(size), 3)) }

// claimShrinking is claim 6.
func claimShrinking() Claim {
	quick, full := family.Sizes(5, 200), family.Sizes(5, 500)
	var series []Series
	for _, f := range []family.Family{family.Diamonds, family.Horner, family.DeadLets, family.Squares, family.RandomGraph} {
		series = append(series, Series{Name: f.Name + ", any redex", Role: Evidence, Law: linear, X: "|t|, in symbols", Y: "steps",
			Quick: quick, Full: full, Measure: on(f, shrinkingSteps)})
	}
	for _, f := range []family.Family{family.Diamonds, family.RandomGraph} {
		series = append(series, Series{Name: f.Name + ", the machine's random schedule", Role: Evidence, Law: linear, X: "|t|, in symbols", Y: "steps",
			Quick: f.Quick, Full: f.Full, Measure: on(f, randomValueSteps)})
	}
	series = append(series, Series{Name: "(3) at λs, the innermost let first", Role: Contrast, Without: "the restriction of (3) to numerals", Law: Law{Kind: Exponential}, X: "n", Y: "steps",
		Quick: []int{2, 3, 4, 5, 6, 7, 8}, Full: []int{2, 3, 4, 5, 6, 7, 8, 9}, Measure: copyingSteps})
	return Claim{
		Number: 6,
		Title:  "Reductions by (3) at numerals, (4), (6), (7), (8) have length O(|t|)",
		Source: "Lemma size_shrinks, section 4",
		Family: "Ground terms under lets of their inputs, reduced in a random order of redexes, and by the machine in a random order.",
		Series: series,
		Correction: "(12), for symbols, belongs to these rules; and the measure of the proof counts pairs twice, " +
			"else (7) does not lessen it.",
		Meaning: "Each step makes the term smaller where variables and pairs count twice, so any order ends in less than twice as many steps " +
			"as there are symbols. (3) at λs, the contrast, copies: n lets, each with two uses of the one before, " +
			"come to exponentially many steps.",
	}
}

// symbols is the size of a term of the rewriter.
func symbols(s *reference.Start) float64 { return float64(s.Back(s.Term).Term.Size()) }

// valueStart is the program at its point, for the rewriter.
func valueStart(p *gram.Program, ground denote.Ground) *reference.Start {
	return reference.Convert(p.Term(), ground).ValueStart(p.ScalarInputs(), p.Point())
}

// run reduces a start term, no longer than limit steps.
func run(ctx context.Context, s *reference.Start, by reference.Strategy, limit int) (*reference.Result, error) {
	return s.Run(by, limit, func(*reference.Redex, *reference.Term) error { return ctx.Err() })
}

// rewriteLimit bounds reductions that are known to end.
const rewriteLimit = 1_000_000

// shrinkingSteps is |t|, and the length of a reduction by the rules of claim 6 in a random
// order.
func shrinkingSteps(ctx context.Context, p *gram.Program) (Point, error) {
	s := valueStart(p, denote.Floats{})
	res, err := run(ctx, s, reference.Within(generator(int(symbols(s))), shrinking...), rewriteLimit)
	if err != nil {
		return Point{}, err
	}
	return Point{X: symbols(s), Y: float64(res.Counts.Total())}, nil
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
	var series []Series
	for _, by := range []rule.Rule{rule.Lambda, rule.Pair, rule.Subst, rule.SubstNumeral, rule.GC, rule.Plus, rule.Times, rule.Function, rule.Branch} {
		series = append(series, Series{Name: "(" + rule.Table[by].Number + ") " + by.String(), Role: Evidence, Law: constant,
			X: "|t|, in symbols", Y: "most steps of D(t) for one of t",
			Quick: family.EveryRule.Quick, Full: family.EveryRule.Full, Measure: commuting(by)})
	}
	for _, c := range []struct {
		name     string
		f        family.Family
		strategy reference.Strategy
		law      Law
		without  string
	}{
		{"D(t) of n constants", family.Constants, reference.Leftmost, constant, ""},
		{"D(t) of n constants, without (5')", family.Constants, reference.WithoutLinGC(reference.Leftmost), linear, "(5′)"},
		{"D(t) of a constant squared n times, without (5')", family.ConstantSquares, reference.WithoutLinGC(reference.Leftmost), Law{Kind: Exponential}, "(5′)"},
	} {
		series = append(series, Series{Name: c.name, Role: Contrast, Law: c.law, Without: c.without, X: "n", Y: "symbols that D(t) comes to",
			Quick: c.f.Quick, Full: c.f.Full, Measure: on2(c.f, symbolsLeft(c.strategy))})
	}
	return Claim{
		Number:     8,
		Title:      "One step of t is O(1) steps of D(t)",
		Source:     "Lemma Commutation, section 5.2",
		Family:     "Random programs in lockstep: after each step t → t', by any redex, D(t) is reduced to D(t') and the steps are counted.",
		Series:     series,
		Correction: "For (6), (8) and (12) the rules are (1)–(5), (5'), (12) and the rule itself, under λ: those that the paper names do not get there.",
		Meaning: "(1)–(4) are one step each. A numeric rule opens the pairs of its operands and puts the result's dual together: a constant that " +
			"does not depend on the term around it, nor on its size. Without (5'), the contrast, D(t) does not come to D(t'): where t comes to " +
			"a numeral, the arguments of n zero duals are left, or 2ⁿ where the duals are copied, and with (5') four symbols are.",
	}
}

// symbolsLeft is n, and the size of the normal form of D(t), under λ too, by a strategy.
func symbolsLeft(by reference.Strategy) func(context.Context, *gram.Program, int) (Point, error) {
	return func(ctx context.Context, p *gram.Program, n int) (Point, error) {
		d, err := revgrad.Reverse(p.Term(), ctx.Err)
		if err != nil {
			return Point{}, err
		}
		s := reference.Convert(d, denote.Floats{}).ValueStart(nil, nil)
		res, err := run(ctx, s, by, rewriteLimit)
		if err != nil {
			return Point{}, err
		}
		return Point{X: float64(n), Y: float64(s.Back(res.Term).Term.Size())}, nil
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

// claimNormalising is claim 22.
func claimNormalising() Claim {
	equal := Law{Kind: Equal}
	sizes := family.Sizes(10, 5000)
	series := []Series{{Name: "any redex of the calculus", Role: Evidence, Law: equal, X: "reductions", Y: "reductions that ended",
		Quick: []int{1, 2, 4, 8}, Full: []int{1, 2, 4, 8, 16, 32}, Measure: ending}}
	for _, gradient := range []bool{false, true} {
		name := "value"
		if gradient {
			name = "gradient"
		}
		series = append(series, Series{Name: name + ", schedules of the machine", Role: Evidence, Law: equal, X: "steps, the redex found last",
			Y: "steps, any redex", Quick: sizes, Full: family.Sizes(10, 50_000), Measure: on(family.RandomProgram, schedules(gradient))})
	}
	series = append(series, Series{Name: "modulo (dup)", Role: Contrast, Without: "leaving out (dup)", Law: equal, X: "steps allowed", Y: "steps taken",
		Quick: []int{10, 100, 1000}, Full: []int{10, 100, 1000, 10_000}, Measure: duplicating})
	return Claim{
		Number:     22,
		Title:      "βℓ is strongly normalising",
		Source:     "Proposition Weak normalization and the remark after it, section 4",
		Family:     "Random programs: by the rewriter in random orders, under λ too; by the machine under random schedules.",
		Series:     series,
		Correction: "Modulo ≡ it holds without (dup), which makes garbage that (4) collects, for ever.",
		Meaning: "Every order of redexes that was drawn came to an end. By the machine's strategy, which leaves only the order " +
			"open, all orders take the same number of steps. The contrast is a reduction modulo (dup): garbage is made and collected for as long as " +
			"steps are allowed, on a program of one let.",
	}
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
		lifo, err := run(ctx, literal)
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
