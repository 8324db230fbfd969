package bench

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/gram-machine/gram"
	"github.com/gram-machine/gram/internal/denote"
	"github.com/gram-machine/gram/internal/reference"
	"github.com/gram-machine/gram/revgrad"
	"github.com/gram-machine/gram/rule"
)

// These quantities are measured on the calculus itself: the rewriter of internal/reference fires one rule at a time,
// anywhere in a term. It finds all redexes of each term, so sizes are small.

// generator returns random numbers for a size.
func generator(size int) *rand.Rand { return rand.New(rand.NewPCG(uint64(size), 3)) }

// symbols is the size of a term of the rewriter.
func symbols(s *reference.Start, t *reference.Term) float64 { return float64(s.Back(t).Term.Size()) }

// shrinking are the rules of claim 6.
var shrinking = []rule.Rule{rule.SubstNumeral, rule.GC, rule.Plus, rule.PlusPair, rule.Times, rule.Function}

// shrink is the size of a term, and the length of a reduction by the rules of claim 6 in a random order, with its
// counts.
func shrink(s *subject, start *reference.Start) (Point, rule.Counts) {
	size := symbols(start, start.Term)
	counts := must(s.reduce(start, reference.Within(generator(int(size)), shrinking...), rewriteLimit)).Counts
	return Point{X: size, Y: float64(counts.Total())}, counts
}

// shrinkingSteps is that of the program at its point.
func shrinkingSteps(s *subject) Point {
	pt, _ := shrink(s, s.valueStart(denote.Floats{}))
	return pt
}

// tupleSteps is 2·|t|, and the length of such a reduction, of bp(G) with dense tuples at the program's point.
func tupleSteps(s *subject) Point {
	bp, a := s.backpropagation(revgrad.DenseTuples)
	pt, counts := shrink(s, reference.Convert(bp, denote.Floats{}).ValueStart(append(s.ScalarInputs(), a),
		append(s.Point(), 1)))
	pt.X *= 2
	pt.add("steps by (7)", float64(counts[rule.PlusPair]))
	return pt
}

// randomValueSteps is |t|, with a let and a numeral for each input, and the steps of a
// value under a random schedule.
func randomValueSteps(s *subject) Point {
	c := s.value(gram.EvalOptions{Schedule: gram.Random, Seed: 1})
	return Point{X: float64(c.Size.Term + 2*int64(c.Inputs)), Y: float64(c.Steps.Total())}
}

// copyingSteps is the length of a reduction by (3) and (4) of n lets of λs, each with
// two uses of the one before, the innermost let first: what is copied has occurrences
// that are still to be substituted for.
var copyingSteps = quantity{StepsName, func(s *subject) float64 {
	return s.steps(s.valueStart(denote.Floats{}), innermost)
}}

// innermost takes the redex of (3) or (4) whose let is innermost.
func innermost(s *reference.State) *reference.Redex {
	for i := len(s.Redex) - 1; i >= 0; i-- {
		if r := &s.Redex[i]; r.Rule == rule.Subst || r.Rule == rule.GC {
			return r
		}
	}
	return nil
}

// withoutLinGC is the leftmost strategy without (5').
var withoutLinGC = reference.WithoutLinGC(reference.Leftmost)

// symbolsLeft is the size of the normal form of D(t), under λ too, by a strategy.
func symbolsLeft(by reference.Strategy) quantity {
	return quantity{"symbols of the normal form of D(t)", func(s *subject) float64 {
		start := reference.Convert(s.reversed(), denote.Floats{}).ValueStart(nil, nil)
		return symbols(start, must(s.reduce(start, by, rewriteLimit)).Term)
	}}
}

// commuting measures, over random reductions of a program in which every rule fires and of
// random programs, the most steps of D(t) that one step of t by the rule takes.
func commuting(by rule.Rule) func(*subject) Point {
	return func(s *subject) (pt Point) {
		for seed, text := range []string{EveryRule.Source(s.size), Rational(s.size, 0), Rational(s.size, 1),
			family["a declared symbol"].Source(min(s.size, 5))} {
			start := s.program("random program", text).valueStart(denote.Floats{})
			pt.X, pt.Y = max(pt.X, symbols(start, start.Term)), max(pt.Y, float64(lockstep(s, start, by, seed)))
		}
		return pt
	}
}

// lockstep reduces a term in a random order and D of it behind, and returns the most
// steps of D(t) for one of t by the rule.
func lockstep(s *subject, start *reference.Start, by rule.Rule, seed int) (most int) {
	d, any := start.Reverser(), reference.Random(generator(seed))
	for t := start.Term; ; {
		try(s.ctx.Err())
		st := start.State(t, false)
		r := any(st)
		if r == nil {
			return most
		}
		next := must(st.Fire(r))
		if r.Rule == by {
			most = max(most, must(d.Commute(st, r, next)))
		}
		t = next
	}
}

// exactGradients is the number of different gradients over the rationals to which the rewriter reduces calls by random
// schedules.
var exactGradients = quantity{"different gradients", func(s *subject) float64 {
	start := s.program("calls", Calls.Source(3)).gradientStart(denote.Rationals{}).Named()
	seen := map[string]bool{}
	for seed := range s.size {
		numbers, ok := start.Numbers(must(s.reduce(start, reference.Machine(generator(seed)), rewriteLimit)).Term)
		if !ok {
			try(errors.New("bench: a reduction does not end with a gradient"))
		}
		seen[fmt.Sprint(numbers)] = true
	}
	return float64(len(seen))
}}

// floatGradients is the number of gradients by random schedules that differ in some digit: of a sum of calls, which may
// run in any order, and with them what they add to the gradient.
var floatGradients = quantity{"different gradients", func(s *subject) float64 {
	p := s.program("calls", Calls.Source(200))
	seen := map[string]bool{}
	for seed := range s.size {
		res := must(p.Gradient(s.ctx, gram.EvalOptions{Schedule: gram.Random, Seed: uint64(seed)}))
		seen[fmt.Sprintf("%x", res.Jacobian)] = true
	}
	return float64(len(seen))
}}

// strategyLimit is how many steps a strategy may take; some copy work without bound.
const strategyLimit = 2000

// strategySeeds is how many seeds a random strategy has for each program.
const strategySeeds = 3

// exactResults runs random programs over the rationals by the strategies of the rewriter, and counts the results that
// were reached, and those equal to what the machine's strategy gives. A result is a list of numbers.
func exactResults(what string) curves {
	return points(Evidence, equal, "results", "results that agree", func(s *subject) (pt Point) {
		for seed := range s.size {
			p := s.program("random program", Rational(2, uint64(seed)))
			start, read := p.valueStart(denote.Rationals{}), reference.Numbers
			if what != "values" {
				start = p.gradientStart(denote.Rationals{})
			}
			switch what {
			case "gradients":
				start = start.Named()
				read = start.Numbers
			case "gradients by injections":
				start = start.Injections().Named()
			}
			got := resultsBy(p, start, read, seed)
			for _, numbers := range got[1:] {
				pt.tally(sameNumbers(got[0], numbers))
			}
		}
		return pt
	}, sized("exact "+what+", strategies of the calculus", powersOfTwo(0, 3), powersOfTwo(0, 4)))
}

// resultsBy are the results of a term by the strategies, that by the machine's first. A result that cannot be read is
// nil. A strategy that takes too long, or whose numbers grow too long, has none.
func resultsBy(s *subject, start *reference.Start, read func(*reference.Term) ([]denote.Number, bool),
	seed int) (out [][]denote.Number) {
	by := []reference.Strategy{reference.Machine(nil), reference.Leftmost, reference.ByValue, reference.ByName,
		reference.ByNeed}
	for i := range strategySeeds {
		rng := generator(100*seed + i)
		by = append(by, reference.Machine(rng), reference.Random(rng))
	}
	for _, next := range by {
		res, err := s.reduce(start, next, strategyLimit)
		_, endless := errors.AsType[*reference.LimitError](err)
		_, undefined := errors.AsType[*denote.UndefinedError](err)
		if endless || undefined {
			continue
		}
		try(err)
		numbers, ok := read(res.Term)
		if !ok {
			numbers = nil
		}
		out = append(out, numbers)
	}
	return out
}

// sameNumbers reports whether two values are equal, exactly.
func sameNumbers(a, b []denote.Number) bool {
	m := denote.Model{Ground: denote.Rationals{}}
	return slices.EqualFunc(a, b, func(x, y denote.Number) bool { return m.Same(x, y) })
}

// strategiesAgree is how many numbers the gradients by unfold and modular have, and how
// many of them agree with that by direct.
func strategiesAgree(s *subject) (pt Point) {
	want := must(s.Gradient(s.ctx, literally))
	for _, opt := range []gram.EvalOptions{{Strategy: gram.Unfold}, {Strategy: gram.Modular},
		{Schedule: gram.Random, Seed: 1}} {
		got := must(s.Gradient(s.ctx, opt))
		for i, w := range want.Jacobian {
			pt.tally(math.Abs(got.Jacobian[i]-w) <= 1e-9*max(1, math.Abs(w)))
		}
	}
	return pt
}

// gradientOrReversed is the gradient of a program with inputs, else D of it.
func gradientOrReversed(s *subject) *reference.Start {
	if len(s.ScalarInputs()) > 0 {
		return s.gradientStart(denote.Floats{})
	}
	return reference.Convert(s.reversed(), denote.Floats{}).ValueStart(nil, nil)
}

// explore is a number of small terms, and of those whose reduction graph is finite and has no cycle.
func explore(s *subject, texts []string, start func(*subject) *reference.Start) (pt Point) {
	for _, text := range texts[:s.size] {
		e := &exploration{ctx: s.ctx, start: start(s.program("a small term", text)), ended: map[string]bool{}}
		pt.tally(e.ends(e.start.Term))
		pt.add("terms", float64(len(e.ended)))
		for r, k := range e.fired {
			if k > 0 {
				pt.add("steps by ("+rule.Table[r].Number+")", float64(k))
			}
		}
	}
	return pt
}

// mostTerms is how many terms a reduction graph may have.
const mostTerms = 20_000

// exploration goes through the reduction graph of a term, depth first. The terms are those that it reduces to by any
// redex, up to the names of bound variables.
type exploration struct {
	ctx   context.Context
	start *reference.Start
	ended map[string]bool // by the keys of terms: whether all their reductions end; false as long as that is not known
	fired rule.Counts
}

// ends reports whether all reductions of a term end. They don't if one comes back to a term that it has passed. The
// answer is also false if there are too many terms.
func (e *exploration) ends(t *reference.Term) bool {
	key := t.Key()
	if ended, known := e.ended[key]; known || len(e.ended) == mostTerms {
		return ended
	}
	try(e.ctx.Err())
	e.ended[key] = false
	st := e.start.State(t, false)
	for i := range st.Redex {
		r := &st.Redex[i]
		e.fired[r.Rule]++
		if !e.ends(must(st.Fire(r))) {
			return false
		}
	}
	e.ended[key] = true
	return true
}

// duplicating is how many of the steps that are allowed are taken from let x = r in x + x modulo (dup): where a
// value is substituted (dup) makes garbage of it, which (4) collects.
var duplicating = quantity{"steps taken", func(s *subject) float64 {
	start := s.program("a let", "input x = 0.5\nx + x\n").valueStart(denote.Floats{})
	t := start.Term
	for taken := range s.size {
		try(s.ctx.Err())
		moves := start.State(t, false).Duplications()
		if len(moves) == 0 {
			return float64(taken)
		}
		st := start.State(moves[0].Fire(), false)
		r := reference.Within(generator(0), rule.GC)(st)
		if r == nil {
			return float64(taken)
		}
		t = must(st.Fire(r))
	}
	return float64(s.size)
}}

// endingLimit is how many steps a reduction may take until it counts as endless.
const endingLimit = 3000

// ending is the number of reductions of random programs in random orders, and of those
// that ended.
func ending(s *subject) (pt Point) {
	for seed := range s.size {
		p := s.program("random program", Rational(1+s.size/4, uint64(seed)))
		_, err := s.reduce(p.valueStart(denote.Floats{}), reference.Random(generator(seed)), endingLimit)
		_, endless := errors.AsType[*reference.LimitError](err)
		if pt.tally(!endless); !endless {
			try(err)
		}
	}
	return pt
}

// schedules is the number of steps under the schedule LIFO, and under a random one.
func schedules(f Family, gradient bool) curves {
	steps := func(s *subject, opt gram.EvalOptions) float64 {
		run := s.Value
		if gradient {
			run = s.Gradient
		}
		return float64(must(run(s.ctx, opt)).Cost.Steps.Total())
	}
	return series(Evidence, equal,
		quantity{"steps, the redex found last", func(s *subject) float64 { return steps(s, literally) }},
		quantity{"steps, any redex", func(s *subject) float64 {
			return steps(s, gram.EvalOptions{Literal: true, Schedule: gram.Random, Seed: 7})
		}}, f)
}
