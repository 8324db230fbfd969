package bench

import (
	"context"
	"fmt"
	"math"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/gram-machine/gram"
	"github.com/gram-machine/gram/bench/ablation"
	"github.com/gram-machine/gram/bench/family"
	"github.com/gram-machine/gram/engine"
	"github.com/gram-machine/gram/internal/hypergraph"
	"github.com/gram-machine/gram/machine"
	"github.com/gram-machine/gram/revgrad"
	"github.com/gram-machine/gram/term"
)

// mostDoublings is the size of the largest program of a family whose cost doubles with n.
const mostDoublings = 10

// everyProgram are all families, with those that are hard for a machine, and programs with duals of their own, of which
// the value is measured.
func everyProgram() []family.Family {
	return append(append(programs(), family.Church, family.Untaken, family.Captures, family.WaitingCalls, family.LargeBodies, family.Redexes), family.Handwritten()...)
}

// mostOf is the most words that any single rewrite or unit of the literal machine touches, over the families at size n,
// or at the largest of a quick run if that is less: values and gradients, with a schedule.
func mostOf(schedule gram.Schedule, of func(*gram.Work) uint64) func(context.Context, int) (Point, error) {
	opt := gram.EvalOptions{Literal: true, Work: true, Schedule: schedule, Seed: 1}
	return func(ctx context.Context, n int) (Point, error) {
		pt := Point{X: float64(n)}
		for _, f := range everyProgram() {
			size := min(n, f.Quick[len(f.Quick)-1])
			if f.Doubles {
				size = min(n, mostDoublings)
			}
			p, err := load(ctx, f, size)
			if err != nil {
				return Point{}, err
			}
			runs := []func(context.Context, gram.EvalOptions) (*gram.Result, error){p.Value}
			if p.Differentiable() == nil {
				runs = append(runs, p.Gradient)
			}
			for _, run := range runs {
				res, err := run(ctx, opt)
				if err != nil {
					return Point{}, fmt.Errorf("%s: %w", f.Name, err)
				}
				pt.Y = max(pt.Y, float64(of(res.Cost.Work)))
			}
		}
		return pt, nil
	}
}

// overFamilies are series of the most words over all families, by both schedules.
func overFamilies(what string, of func(*gram.Work) uint64) []Series {
	var out []Series
	for schedule, name := range map[gram.Schedule]string{gram.LIFO: "the redex found last", gram.Random: "any redex"} {
		out = append(out, Series{Name: "all families, " + name, Role: Evidence, Law: Law{Kind: AtMost}, X: "n", Y: what,
			Quick: powersOfTwo(3, 7), Full: powersOfTwo(3, 9), Measure: mostOf(schedule, of)})
	}
	if out[0].Name > out[1].Name {
		out[0], out[1] = out[1], out[0]
	}
	return out
}

// ofWork is a quantity of the work of the literal machine: of a gradient, or of the value of a program that has none.
func ofWork(name string, f func(*gram.Cost) uint64) quantity {
	return quantity{name, func(ctx context.Context, s *subject) (float64, error) {
		if s.Differentiable() == nil {
			c, err := s.gradient(ctx, measuredOnLiteral)
			if err != nil {
				return 0, err
			}
			return float64(f(c)), nil
		}
		res, err := s.Value(ctx, measuredOnLiteral)
		if err != nil {
			return 0, err
		}
		return float64(f(&res.Cost)), nil
	}}
}

// Quantities of a run of the literal machine: its steps and the nodes that it makes or captures, and the units by which
// it finds redexes.
var (
	stepsAndMade = ofWork("steps + instantiate", func(c *gram.Cost) uint64 { return c.Steps.Total() + c.Work.Units["instantiate"].Fired })
	fourMade     = scaled("4·(steps + instantiate)", stepsAndMade, quantity{"4", func(context.Context, *subject) (float64, error) { return 4, nil }})
	searchUnits  = ofWork("units of search and wake", func(c *gram.Cost) uint64 { return c.Work.Units["search"].Fired + c.Work.Units["wake"].Fired })
)

// claimSearch is claim 17.
func claimSearch() Claim {
	out := overFamilies("most words of a unit of search or wake", func(w *gram.Work) uint64 {
		return max(w.Units["search"].Most, w.Units["wake"].Most)
	})
	bounded := []family.Family{family.Fibonacci, family.RandomGraph, family.Network, family.Continuations, family.LongList, family.WaitingCalls,
		family.Captures, family.Untaken}
	for _, f := range bounded {
		s := series(f, Evidence, Law{Kind: Below}, fourMade, searchUnits).called(f.Name, f.Quick)
		s.If = "no dual λ is written by hand"
		out = append(out, s)
	}
	for _, f := range family.Handwritten() {
		s := series(f, Evidence, Law{Kind: AtMost, Power: 1, Logs: 1}, stepsAndMade, searchUnits).called(f.Name+", a program with lin", f.Quick)
		s.If = "dual λs are written by hand"
		out = append(out, s)
	}
	between := Series{Name: "captures: units between two rewrites", Role: Printed, Law: Law{Kind: AtMost}, X: "n", Y: "most units of search and wake in a row",
		Quick: powersOfTwo(2, 6), Full: powersOfTwo(2, 7), Measure: longestSearch}
	f := family.WaitingCalls
	return Claim{
		Number: 17,
		Title:  "The next redex is found in constant time",
		Source: "open in section 7, on complexity",
		Family: "All families of claim 10 and programs with duals of their own, values and gradients, under two schedules, on the literal machine.",
		Series: append(out, between,
			series(f, Contrast, Law{Kind: Power, Power: 2}, ofGradient(StepsName, unfused, func(c *gram.Cost) uint64 { return c.Steps.Total() }),
				searchWithout(ablation.Rescan)).without("a worklist").called(f.Name+", rescanning")),
		Correction: "Each unit of search touches at most a constant number of words, and there are at most four units for each step and each " +
			"node that is made or captured, if no dual λ is written by hand: constant time on average over a run, not for each step. Duals that are written by hand " +
			"are ordered by a heap, whose comparisons add a logarithm.",
		Meaning: "Work that is no rewrite is cut into units on the literal machine, and the words that each touches are counted, exactly. A unit of wake lets one " +
			"occurrence go on, a unit of search looks at one dual or takes one node of a sum apart. Before a redex is found there may be many: " +
			"a value that n λs have captured wakes them one by one, and none becomes a redex, for nobody calls them. The contrast is a search that begins anew at the root: quadratic in all.",
	}
}

// searchWithout is the search of a gradient without a piece of the engine.
func searchWithout(hooks func() *engine.Hooks) quantity {
	return quantity{"search", func(ctx context.Context, s *subject) (float64, error) {
		stats, err := gradientWithout(ctx, s.Program, hooks())
		return float64(stats.Search), err
	}}
}

// longestSearch is the size n, and the most units of search and wake that the literal machine makes between two rewrites of a
// value.
func longestSearch(ctx context.Context, n int) (Point, error) {
	p, err := load(ctx, family.Captures, n)
	if err != nil {
		return Point{}, err
	}
	run, longest := 0, 0
	_, err = p.Value(ctx, gram.EvalOptions{Literal: true, Events: func(f *machine.Fired) error {
		if _, ok := f.Move.Rule(); ok {
			run = 0
		} else if u := f.Move.Unit(); u == machine.Wake || u == machine.Search {
			run++
			longest = max(longest, run)
		}
		return nil
	}})
	return Point{X: float64(n), Y: float64(longest)}, err
}

// claimTime is claim 18.
func claimTime() Claim {
	out := overFamilies("most words of a rewrite or unit", mostWords)
	bodies := family.LargeBodies
	sines := quantity{"sines in the body", sizeN.of}
	out = append(out, series(bodies, Evidence, Law{Kind: AtMost}, sines, ofWork("most words of a rewrite or unit", func(c *gram.Cost) uint64 { return mostWords(c.Work) })).
		called(bodies.Name+", shared"))
	copied := quantity{"nodes per step", func(ctx context.Context, s *subject) (float64, error) {
		stats, err := gradientWithout(ctx, s.Program, ablation.CopyBodies())
		return float64(stats.Nodes) / float64(max(1, stats.Counts.Total())), err
	}}
	out = append(out, series(bodies, Contrast, linear, sines, copied).without("shared bodies").called(bodies.Name+", copied at (3)"))
	for _, s := range []struct {
		f        family.Family
		gradient bool
		least    int // iterations, of some ten nodes each
		most     int
	}{{family.Polynomial, true, 100, 10_000_000}, {family.Network, true, 100, 5_000_000}, {family.Loss, true, 50, 2_000_000}, {family.Network, false, 100, 10_000_000}} {
		name := s.f.Name + ", gradient"
		if !s.gradient {
			name = s.f.Name + ", value"
		}
		out = append(out, Series{Name: name, Role: Aside, Law: Law{Kind: AtMost}, X: "nodes", Y: "time per step (ns)", Timed: true,
			Quick: family.Sizes(s.least, 100_000), Full: family.Sizes(s.least, s.most), Measure: on(s.f, nanosecondsPerStep(s.gradient))})
	}
	return Claim{
		Number: 18,
		Title:  "A step costs constant time",
		Source: "section 2.1 and section 7, on complexity",
		Family: "All families of claim 10 and programs with duals of their own, values and gradients, under two schedules, on the literal machine; calls of a " +
			"function whose body grows. Times: the polynomial, the recurrent network and map with fold on the engine without blocks, from 10³ to 10⁸ nodes.",
		Series: out,
		Meaning: "Constant time is a statement about work: no rewrite and no unit of the literal machine touches more words of memory than a constant, " +
			"whatever the program and its size. It is exact, and the same on every computer. What is not bounded by nature is cut into units: the copy of a body is made " +
			"a node at a time, when (1) fires and not at (3). The contrast copies bodies as (3) does on terms. The times are an illustration. They grow with the " +
			"memory that is visited: beyond each level of cache a step waits longer for its node.",
	}
}

// nanosecondsPerStep is the number of nodes, and the time of a run over its steps.
func nanosecondsPerStep(gradient bool) func(context.Context, *gram.Program) (Point, error) {
	return func(ctx context.Context, p *gram.Program) (Point, error) {
		begin := p.NewValue
		if gradient {
			begin = p.NewGradient
		}
		e, err := begin(ctx, unfused)
		if err != nil {
			return Point{}, err
		}
		defer e.Close()
		point := p.Point()
		value, jacobian := []float64{0}, append([]float64(nil), point...)
		took, err := TimeOf(func() error {
			if gradient {
				return e.Gradient(ctx, point, value, jacobian)
			}
			_, err := e.Value(ctx, point, value[:0])
			return err
		})
		if err != nil {
			return Point{}, err
		}
		c := e.Cost()
		return Point{X: float64(c.Nodes.Allocated), Y: float64(took.Nanoseconds()) / float64(c.Steps.Total())}, nil
	}
}

// claimParallel is claim 21.
func claimParallel() Claim {
	quick, full := powersOfTwo(2, 12), powersOfTwo(2, 16)
	logN := quantity{"log₂ n", func(_ context.Context, s *subject) (float64, error) { return math.Log2(float64(s.size)), nil }}
	backward := []family.Family{family.SumBalanced, family.BalancedLogSumExp, family.Batch}
	var out []Series
	for _, f := range backward {
		out = append(out,
			series(f, Evidence, linear, logN, sourcePath).called(f.Name+": critical path of G", quick, full),
			series(f, Evidence, linear, logN, normalPath).called(f.Name+": critical path of the normal form of D(G)", quick, powersOfTwo(2, 14)),
			series(f, Aside, linear, logN, backpropPath).called(f.Name+": critical path of bp(G)", quick, full),
			series(f, Aside, linear, sizeN, backpropWork).called(f.Name+": work of bp(G)", quick, full),
			series(f, Contrast, linear, quantity{"work of bp(G)", backpropWork.of}, tapePath).without("a graph, on a tape").called(f.Name+": a tape", quick, full))
	}
	for _, f := range []family.Family{family.Chain, family.SumRight} {
		out = append(out, series(f, Aside, linear, quantity{"work of bp(G)", backpropWork.of}, backpropPath).called(f.Name+": critical path of bp(G)", quick, full))
	}
	q := family.Sequences
	for _, s := range []struct {
		name string
		time func(context.Context, *gram.Program) (time.Duration, error)
	}{{"one gradient by the schedule parallel", parallelTime}, {"two gradients at once, each on a core", twoTimes}} {
		out = append(out, Series{Name: q.Name + ": " + s.name, Role: Aside, Law: Law{Kind: AtMost}, X: "n", Y: "speed-up on two workers", Timed: true,
			Quick: q.Quick, Full: q.Full, Measure: speedUp(s.time)})
	}
	return Claim{
		Number: 21,
		Title:  "The transformation does not make a program sequential: it stays as parallel as its source",
		Source: "section 1",
		Family: "Balanced sums of n inputs, log-sum-exp over them, and a batch of n small networks that share their weights. Times: " +
			"n sequences through the recurrent network.",
		Series: out,
		Meaning: "The critical path is the longest chain of operations that wait for each other, forward and backward. That of D(G)'s normal form is " +
			"logarithmic where no node is shared by n others. In the batch the weights are, and (11) adds what arrives at a weight one after the other: " +
			"n operations in a row, so D as it is built makes this program sequential. bp(G) adds in a tree there, and has a logarithmic path. Sums are associative, so the " +
			"calculus admits a (11) that adds in a tree; it is not built. On a tape, the contrast, all operations follow each other: depth is work. " +
			"The speed-up of the schedule parallel is held against what two cores give at most, two independent gradients at once; the " +
			"results of both schedules are the same to the last bit.",
	}
}

// speedUp is the number of sequences, and how many times as fast as one after the other two cores take gradients, by a
// function that tells how long two of them take for each: the time of one on one core over that.
func speedUp(two func(context.Context, *gram.Program) (time.Duration, error)) func(context.Context, int) (Point, error) {
	return func(ctx context.Context, n int) (Point, error) {
		p, err := load(ctx, family.Sequences, n)
		if err != nil {
			return Point{}, err
		}
		one, err := gradientTime(ctx, p, gram.EvalOptions{Strategy: gram.Modular})
		if err != nil {
			return Point{}, err
		}
		time, err := two(ctx, p)
		return Point{X: float64(n), Y: one.Seconds() / time.Seconds()}, err
	}
}

// parallelTime is the time of a gradient on two workers.
func parallelTime(ctx context.Context, p *gram.Program) (time.Duration, error) {
	return gradientTime(ctx, p, gram.EvalOptions{Strategy: gram.Modular, Schedule: gram.Parallel, Workers: 2})
}

// twoTimes is half the time of the slower of two gradients at once.
func twoTimes(ctx context.Context, p *gram.Program) (time.Duration, error) {
	var took [2]time.Duration
	var g errgroup.Group
	for i := range took {
		g.Go(func() (err error) {
			took[i], err = gradientTime(ctx, p, gram.EvalOptions{Strategy: gram.Modular})
			return err
		})
	}
	err := g.Wait()
	return max(took[0], took[1]) / 2, err
}

// gradientTime is the time of a gradient, the mean of some in a row; the first, which makes the arena, is
// not among them.
func gradientTime(ctx context.Context, p *gram.Program, opt gram.EvalOptions) (time.Duration, error) {
	e, err := p.NewGradient(ctx, opt)
	if err != nil {
		return 0, err
	}
	defer e.Close()
	value, jacobian := []float64{0}, make([]float64, len(p.Point()))
	return TimeOf(func() error { return e.Gradient(ctx, p.Point(), value, jacobian) })
}

// pathQuantity is a quantity of a computational graph made of a program: the most operations that wait for each other,
// and how many it has.
func ofGraph(name string, of func(path, operations float64) float64, graph func(context.Context, *subject) (*hypergraph.Graph, error)) quantity {
	return quantity{name, func(ctx context.Context, s *subject) (float64, error) {
		g, err := graph(ctx, s)
		if err != nil {
			return 0, err
		}
		return of(pathOf(g)), nil
	}}
}

const inARow = "operations one after the other"

// Quantities of G, of bp(G), of a tape, and of the normal form of D(G).
var (
	sourcePath   = ofGraph(inARow, pathIn, sourceGraph)
	backpropPath = ofGraph(inARow, pathIn, backpropGraph)
	backpropWork = ofGraph("operations", func(_, operations float64) float64 { return operations }, backpropGraph)
	tapePath     = quantity{inARow, tapeOperations.of}
	normalPath   = quantity{inARow, func(ctx context.Context, s *subject) (float64, error) {
		d, err := reversed(ctx, s)
		if err != nil {
			return 0, err
		}
		normal, _, err := normalise(ctx, d, s.ScalarInputs(), s.Point())
		if err != nil {
			return 0, err
		}
		p := paths{t: normal, of: map[term.Var]float64{}}
		return p.path(normal.Root), nil
	}}
)

func pathIn(path, _ float64) float64 { return path }

func sourceGraph(_ context.Context, s *subject) (*hypergraph.Graph, error) {
	return hypergraph.FromTerm(s.Term(), s.ScalarInputs())
}

// backpropGraph is the graph of bp(G).
func backpropGraph(ctx context.Context, s *subject) (*hypergraph.Graph, error) {
	bp, a, err := revgrad.BP(s.Term(), s.ScalarInputs(), ctx.Err)
	if err != nil {
		return nil, err
	}
	return hypergraph.FromTerm(bp, append(s.ScalarInputs(), a))
}

// pathOf returns the most operations of a graph that wait for each other, and how many
// it has.
func pathOf(g *hypergraph.Graph) (path, operations float64) {
	depth := make([]float64, g.Len())
	for w := range depth {
		_, sources, _, ok := g.Edge(hypergraph.Node(w))
		if !ok {
			continue
		}
		operations++
		for _, z := range sources {
			depth[w] = max(depth[w], depth[z])
		}
		depth[w]++
		path = max(path, depth[w])
	}
	return path, operations
}

// paths computes the critical path of a normal form ⟨G0, λa.Σ xj*(Gj)⟩ with lets: the most operations that wait for each
// other. The sum over j is no operation, but a gradient's parts side by side.
type paths struct {
	t  *term.Term
	of map[term.Var]float64 // of what a variable is bound to; 0 of the inputs and of a
}

// path returns the critical path of node r.
func (p *paths) path(r term.Ref) float64 {
	n := &p.t.Nodes[r]
	switch n.Op {
	case term.VarOp:
		return p.of[n.X]
	case term.LetOp:
		p.of[n.X] = p.path(n.B)
		return p.path(n.A)
	case term.LamOp, term.UnpairOp: // the pairs that are opened are the inputs
		return p.path(n.A)
	}
	operands := p.t.Children(n)
	if n.Op == term.PairOp || n.Op == term.AddOp || n.Op == term.AppOp {
		operands = []term.Ref{n.A, n.B}
	}
	most := 0.0
	for _, k := range operands {
		most = max(most, p.path(k))
	}
	if n.Op == term.FunOp || n.Op == term.AddOp && !p.tagged(n.A) {
		most++
	}
	return most
}

// tagged reports whether a summand is a part of the gradient: the application of a dual variable, or a sum of such.
func (p *paths) tagged(r term.Ref) bool {
	for {
		switch n := &p.t.Nodes[r]; n.Op {
		case term.LetOp, term.AddOp:
			r = n.A
		default:
			return n.Op == term.AppOp
		}
	}
}
