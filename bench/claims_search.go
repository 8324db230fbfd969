package bench

import (
	"context"
	"fmt"

	"github.com/gram-machine/gram"
	"github.com/gram-machine/gram/bench/family"
)

// claimSearch is claim 17.
func claimSearch() Claim {
	constant := Law{Kind: AtMost}
	sizes, full := family.Sizes(20, 200), family.Sizes(20, 1000)
	var series []Series
	add := func(name string, role Role, opt gram.EvalOptions) {
		series = append(series, Series{Name: "all families, " + name, Role: role, Law: constant, X: "n", Y: mostSearch,
			Quick: sizes, Full: full, Measure: worstFamily(opt)})
	}
	for _, strategy := range []gram.Strategy{gram.Direct, gram.Unfold, gram.Modular} {
		for _, schedule := range []gram.Schedule{gram.LIFO, gram.Random} {
			name := strategy.String() + ", the redex found last"
			if schedule == gram.Random {
				name = strategy.String() + ", any redex"
			}
			add(name, Evidence, gram.EvalOptions{NoFuse: true, Strategy: strategy, Schedule: schedule, Seed: 1})
		}
	}
	tries := func(name string, gradient bool) Series {
		return Series{Name: "the worst of many random programs, " + name, Role: Evidence, Law: constant, X: "n", Y: mostSearch,
			Quick: powersOfTwo(2, 6), Full: powersOfTwo(2, 9), Measure: worstOf(gradient)}
	}
	series = append(series, tries("gradients", true), tries("values", false))
	for _, f := range []family.Family{family.Fibonacci, family.RandomGraph, family.Network, family.Continuations, family.LongList} {
		series = append(series, Series{Name: f.Name, Role: Evidence, Law: Law{Kind: AtMost, Power: 1}, X: "steps", Y: "search",
			Quick: f.Quick, Full: f.Full, Measure: on(f, searchOfGradient)})
	}
	series = append(series, rescanning()...)
	add("with blocks", Contrast, gram.EvalOptions{})
	for _, f := range family.Handwritten() {
		series = append(series, Series{Name: f.Name + ", a program with lin", Role: Contrast, Law: Law{Kind: AtMost, Logs: 1}, X: "n", Y: mostSearch,
			Quick: f.Quick, Full: f.Full, Measure: against(on(f, searchOfValue))})
	}
	c := family.Captures
	series = append(series, Series{Name: "4n λs that capture n late values, and that nobody calls", Role: Contrast, Law: linear, X: "n", Y: mostSearch,
		Quick: c.Quick, Full: c.Full, Measure: against(on(c, searchOfValue))})
	return Claim{
		Number: 17,
		Title:  "The next redex is found in constant time",
		Source: "open in section 7, on complexity",
		Family: "All families of claim 10, under three strategies and two schedules, without blocks; random programs, of which the worst counts.",
		Series: series,
		Correction: "The constant is the program's: a λ waits once for each late value that it captures, called or not. And duals that are " +
			"written by hand, as well as the objects of blocks, are ordered by a heap.",
		Meaning: "Search is counted: pops of the worklist, waits for an operand, and occurrences counted before a backward phase. " +
			"docs/next-redex.md bounds it by steps and by what is instantiated, and says what is an argument and what is this evidence. " +
			"The contrasts are where it is not constant: the comparisons of a heap are logarithmic, λs that " +
			"nobody calls have no steps for what they capture, and a search that begins anew at the root is quadratic in all.",
	}
}

const mostSearch = "most search per step"

// mostDoublings is the size of the largest program of a family whose cost doubles with n.
const mostDoublings = 10

// worstFamily is n, and the largest ratio of search to steps of the gradients of all
// families but the random programs, of which many are drawn: [worstOf]; each at
// that size, or at the largest of a quick run if that is less.
func worstFamily(opt gram.EvalOptions) func(context.Context, int) (Point, error) {
	return func(ctx context.Context, n int) (Point, error) {
		pt := Point{X: float64(n)}
		for _, f := range append(programs(), family.Church) {
			if f.Name == family.RandomProgram.Name {
				continue
			}
			size := min(n, f.Quick[len(f.Quick)-1])
			if f.Doubles {
				size = min(n, mostDoublings)
			}
			p, err := load(ctx, f, size)
			if err != nil {
				return Point{}, err
			}
			res, err := p.Gradient(ctx, opt)
			if err != nil {
				return Point{}, fmt.Errorf("%s: %w", f.Name, err)
			}
			pt.Y = max(pt.Y, searchPerStep(&res.Cost))
		}
		return pt, nil
	}
}

func searchPerStep(c *gram.Cost) float64 {
	return float64(c.Overhead.Search) / float64(max(1, c.Steps.Total()))
}

// drawnLets is how many lets the random programs have that are drawn for one size, in all.
const drawnLets = 6400

// worstOf is n, and the largest ratio of search to steps of random programs of n lets.
func worstOf(gradient bool) func(context.Context, int) (Point, error) {
	return func(ctx context.Context, n int) (Point, error) {
		pt := Point{X: float64(n)}
		for seed := range uint64(drawnLets / n) {
			p, err := loadText(ctx, "random program", family.Random(n, seed))
			if err != nil {
				return Point{}, err
			}
			run := p.Value
			if gradient {
				run = p.Gradient
			}
			res, err := run(ctx, gram.EvalOptions{NoFuse: true, Schedule: gram.Random, Seed: seed})
			if err != nil {
				return Point{}, err
			}
			pt.Y = max(pt.Y, searchPerStep(&res.Cost))
		}
		return pt, nil
	}
}

// searchOfGradient is the steps and the search of a gradient.
func searchOfGradient(ctx context.Context, p *gram.Program) (Point, error) {
	res, err := p.Gradient(ctx, literal)
	if err != nil {
		return Point{}, err
	}
	return Point{X: float64(res.Cost.Steps.Total()), Y: float64(res.Cost.Overhead.Search)}, nil
}

// searchOfValue is the ratio of search to steps of a value.
func searchOfValue(ctx context.Context, p *gram.Program) (Point, error) {
	res, err := p.Value(ctx, literal)
	if err != nil {
		return Point{}, err
	}
	return Point{Y: searchPerStep(&res.Cost)}, nil
}
