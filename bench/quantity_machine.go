package bench

import (
	"math"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/gram-machine/gram"
	"github.com/gram-machine/gram/cost"
	"github.com/gram-machine/gram/internal/bridge"
	"github.com/gram-machine/gram/internal/denote"
	"github.com/gram-machine/gram/internal/hypergraph"
	"github.com/gram-machine/gram/internal/reference"
	"github.com/gram-machine/gram/internal/span"
	"github.com/gram-machine/gram/machine"
	"github.com/gram-machine/gram/revgrad"
	"github.com/gram-machine/gram/rule"
)

// mostDoublings is the size of the largest program of a family whose cost doubles with n.
const mostDoublings = 10

// everyProgram are all families, with those that are hard for a machine, and programs with duals of their own, of which
// the value is measured.
func everyProgram() []Family {
	return slices.Concat(programs(), Handwritten(),
		[]Family{Church, Untaken, Captures, WaitingCalls, LargeBodies, Redexes})
}

// overFamilies are series of the most words that any single rewrite or unit of the literal machine touches, over all
// families at size n, or at the largest of a quick run if that is less: values and gradients, by two schedules.
func overFamilies(what string, of func(*cost.Work) uint64) curves {
	most := func(schedule gram.Schedule) curves {
		opt := gram.EvalOptions{Literal: true, Work: true, Schedule: schedule, Seed: 1}
		return series(Evidence, constant, sizeN, quantity{what, func(s *subject) float64 {
			words := uint64(0)
			for _, f := range everyProgram() {
				n := min(s.size, f.Quick[len(f.Quick)-1])
				if f.Doubles {
					n = min(s.size, mostDoublings)
				}
				p := s.program(f.Name, f.Source(n))
				words = max(words, of(p.value(opt).Work))
				if p.Differentiable() == nil {
					words = max(words, of(p.gradient(opt).Work))
				}
			}
			return float64(words)
		}}, sized("all families, ", powersOfTwo(3, 7), powersOfTwo(3, 9)))
	}
	return append(most(gram.Random).called("*any redex"), most(gram.LIFO).called("*the redex found last")...)
}

// ofWork is a quantity of the work of the literal machine: of a gradient, or of the value of a program that has none.
func ofWork(name string, f func(*gram.Cost) uint64) quantity {
	return quantity{name, func(s *subject) float64 {
		if s.Differentiable() == nil {
			return float64(f(s.gradient(measuring)))
		}
		return float64(f(s.value(measuring)))
	}}
}

// mostWords is the most words that one rewrite or unit reads and writes.
func mostWords(w *cost.Work) (n uint64) {
	for _, by := range []map[string]rule.Work{w.Rules, w.Units} {
		for _, m := range by {
			n = max(n, m.Most)
		}
	}
	return n
}

// Quantities of a run of the literal machine: its steps and the nodes that it makes or captures, and the units by which
// it finds redexes.
var (
	stepsAndMade = ofWork("steps + instantiate",
		func(c *gram.Cost) uint64 { return c.Steps.Total() + c.Work.Units["instantiate"].Fired })
	fourMade    = quantity{"4·(steps + instantiate)", func(s *subject) float64 { return 4 * stepsAndMade.of(s) }}
	searchUnits = ofWork("units of search and wake",
		func(c *gram.Cost) uint64 { return c.Work.Units["search"].Fired + c.Work.Units["wake"].Fired })
)

// mostSearched is the most words of a unit of search or wake.
func mostSearched(w *cost.Work) uint64 { return max(w.Units["search"].Most, w.Units["wake"].Most) }

// mostWordsName is how many words one rewrite or unit touches, at most.
const mostWordsName = "most words of a rewrite or unit"

// symbolsRead is the symbols that the rewriter goes through to find the redexes of a gradient: those of each term.
var symbolsRead = quantity{"symbols read", func(s *subject) (n float64) {
	start := s.gradientStart(denote.Floats{}).Named()
	n = symbols(start, start.Term)
	must(start.Run(reference.Machine(nil), rewriteLimit, func(_ *reference.Redex, t *reference.Term) error {
		n += symbols(start, t)
		return s.ctx.Err()
	}))
	return n
}}

// longestSearch is the most units of search and wake that the literal machine makes between two rewrites of a value.
var longestSearch = quantity{"most units of search and wake in a row", func(s *subject) float64 {
	run, longest := 0, 0
	s.program("captures", Captures.Source(s.size)).value(bridge.Watch(gram.EvalOptions{Literal: true},
		bridge.Hooks{Events: func(f *machine.Fired) error {
			if _, ok := f.Move.Rule(); ok {
				run = 0
			} else if u := f.Move; u == rule.Wake || u == rule.Search {
				run++
				longest = max(longest, run)
			}
			return nil
		}}))
	return float64(longest)
}}

// symbolsCopied is how many symbols (3) copies for each step of the rewriter.
var symbolsCopied = quantity{"symbols copied per step", func(s *subject) float64 {
	start, copied, steps := s.valueStart(denote.Floats{}), 0.0, 0.0
	must(start.Run(reference.Machine(nil), rewriteLimit, func(r *reference.Redex, _ *reference.Term) error {
		steps++
		if r.Rule == rule.Subst {
			copied += symbols(start, r.V)
		}
		return s.ctx.Err()
	}))
	return copied / steps
}}

// timeOf is the time of a value or a gradient, and what it costs. The time is the mean of some in a row; the first,
// which makes the arena, is not among them.
func (s *subject) timeOf(gradient bool, opt gram.EvalOptions) (time.Duration, *gram.Cost, error) {
	e, run, err := s.evaluator(gradient, opt)
	if err != nil {
		return 0, nil, err
	}
	defer e.Close()
	took, err := TimeOf(run)
	cost := e.Cost()
	return took, &cost, err
}

// evaluator returns an evaluator of values or of gradients, and what runs it at the point of the program.
func (s *subject) evaluator(gradient bool, opt gram.EvalOptions) (*gram.Evaluator, func() error, error) {
	begin, run := s.NewValue, (*gram.Evaluator).Value
	if gradient {
		begin, run = s.NewGradient, (*gram.Evaluator).Gradient
	}
	e, err := begin(s.ctx, opt)
	point := s.Point()
	return e, func() error {
		_, err := run(e, s.ctx, point)
		return err
	}, err
}

// logN is the least depth of a tree of n leaves.
var logN = quantity{"log₂ n", func(s *subject) float64 { return math.Log2(float64(s.size)) }}

// spanRatio is the span of D(t)'s reduction over that of t's. With tree, (11) adds what arrives at a dual in a balanced
// tree.
func spanRatio(tree bool) quantity {
	return quantity{"span of D(t) / span of t", func(s *subject) float64 {
		r := must(s.Span(s.ctx, true, tree))
		return float64(r.Gradient) / float64(r.Value)
	}}
}

// statePassing is the steps and the span of the state-passing form of a program.
func statePassing(s *subject) Point {
	opt := span.Options{Check: s.ctx.Err}
	t := must(revgrad.StatePassing(s.Term(), s.ScalarInputs(), opt.Check))
	r := must(span.Value(t, s.ScalarInputs(), s.Point(), opt))
	return Point{X: float64(r.Counts.Total()), Y: float64(r.Span)}
}

// The times of a gradient of the sequences on two workers, and half the time of the slower of two gradients at once.
func parallelTime(s *subject) time.Duration {
	return gradientTime(s, gram.EvalOptions{Schedule: gram.Parallel, Workers: 2})
}

func twoTimes(s *subject) time.Duration {
	var took [2]time.Duration
	var g errgroup.Group
	for i := range took {
		g.Go(func() (err error) {
			took[i], _, err = s.timeOf(true, gram.EvalOptions{Strategy: gram.Modular})
			return err
		})
	}
	try(g.Wait())
	return max(took[0], took[1]) / 2
}

func gradientTime(s *subject, opt gram.EvalOptions) time.Duration {
	opt.Strategy = gram.Modular
	took, _, err := s.timeOf(true, opt)
	try(err)
	return took
}

const inARow = "operations one after the other"

// Quantities of bp(G): the most operations that wait for each other, and how many there are.
var (
	backpropPath = quantity{inARow, func(s *subject) float64 { return slices.Max(s.backpropDepths()) }}
	backpropWork = quantity{"operations", func(s *subject) (operations float64) {
		for _, depth := range s.backpropDepths() {
			if depth > 0 {
				operations++
			}
		}
		return operations
	}}
)

// backpropDepths is how many operations of bp(G) wait for each other until a node has its value: 0 for an input.
func (s *subject) backpropDepths() []float64 {
	bp, a := s.backpropagation(0)
	g := must(hypergraph.FromTerm(bp, append(s.ScalarInputs(), a), nil))
	depth := make([]float64, g.Len())
	for w := range depth {
		_, sources, _, ok := g.Edge(hypergraph.Node(w))
		if !ok {
			continue
		}
		for _, z := range sources {
			depth[w] = max(depth[w], depth[z])
		}
		depth[w]++
	}
	return depth
}
