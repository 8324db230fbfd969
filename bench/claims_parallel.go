package bench

import (
	"context"
	"math"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/gram-machine/gram"
	"github.com/gram-machine/gram/bench/family"
	"github.com/gram-machine/gram/internal/hypergraph"
	"github.com/gram-machine/gram/revgrad"
)

// claimParallel is claim 21.
func claimParallel() Claim {
	var series []Series
	quick, full := powersOfTwo(2, 12), powersOfTwo(2, 16)
	for _, f := range []family.Family{family.SumBalanced, family.BalancedLogSumExp, family.Batch} {
		series = append(series,
			Series{Name: f.Name + ": critical path of G", Role: Evidence, Law: linear, X: "log₂ n", Y: "operations one after the other",
				Quick: quick, Full: full, Measure: logarithmic(on(f, criticalPath(false)))},
			Series{Name: f.Name + ": critical path of bp(G)", Role: Evidence, Law: linear, X: "log₂ n", Y: "operations one after the other",
				Quick: quick, Full: full, Measure: logarithmic(on(f, criticalPath(true)))},
			Series{Name: f.Name + ": work of bp(G)", Role: Evidence, Law: linear, X: "n", Y: "operations",
				Quick: quick, Full: full, Measure: against(on(f, work))})
	}
	for _, f := range []family.Family{family.SumBalanced, family.BalancedLogSumExp, family.Batch} {
		series = append(series, Series{Name: f.Name + ": a tape", Role: Contrast, Without: "a graph, on a tape", Law: linear, X: "work of bp(G)", Y: "operations one after the other",
			Quick: quick, Full: full, Measure: on(f, tapeAndWork)})
	}
	for _, f := range []family.Family{family.Chain, family.SumRight} {
		series = append(series, Series{Name: f.Name + ": critical path of bp(G)", Role: Contrast, Law: linear, X: "work of bp(G)", Y: "operations one after the other",
			Quick: quick, Full: full, Measure: on(f, pathAndWork)})
	}
	q := family.Sequences
	for _, s := range []struct {
		name string
		time func(context.Context, *gram.Program) (time.Duration, error)
	}{{"one gradient by the schedule parallel", parallelTime}, {"two gradients at once, each on a core", twoTimes}} {
		series = append(series, Series{Name: q.Name + ": " + s.name, Role: Aside, Law: Law{Kind: AtMost}, X: "n", Y: "speed-up on two workers", Timed: true,
			Quick: q.Quick, Full: q.Full, Measure: against(on(q, speedUp(s.time)))})
	}
	return Claim{
		Number: 21,
		Title:  "The transformation does not make a program sequential: it stays as parallel as its source",
		Source: "section 1",
		Family: "Balanced sums of n inputs, log-sum-exp over them, and a batch of n small networks that share their weights. Times: " +
			"n sequences through the recurrent network.",
		Series: series,
		Meaning: "The longest chain of operations that wait for each other, forward and backward, grows with the depth of the source and not " +
			"with its work. A chain is as deep as it is long, before and after. On a tape, the contrast, all operations follow each other: depth is work. " +
			"The speed-up of the schedule parallel is held against what two cores give at most, two independent gradients at once; the " +
			"results of both schedules are the same to the last bit.",
	}
}

// powersOfTwo returns 2^from, …, 2^to.
func powersOfTwo(from, to int) []int {
	var out []int
	for k := from; k <= to; k++ {
		out = append(out, 1<<k)
	}
	return out
}

// logarithmic is a measurement with log₂ of the size as x.
func logarithmic(measure func(context.Context, int) (Point, error)) func(context.Context, int) (Point, error) {
	return func(ctx context.Context, size int) (Point, error) {
		pt, err := measure(ctx, size)
		pt.X = math.Log2(float64(size))
		return pt, err
	}
}

// speedUp is the number of nodes, and how many times as fast as one after the other two cores take gradients, by a
// function that tells how long two of them take for each: the time of one on one core over that.
func speedUp(two func(context.Context, *gram.Program) (time.Duration, error)) func(context.Context, *gram.Program) (Point, error) {
	return func(ctx context.Context, p *gram.Program) (Point, error) {
		one, err := gradientTime(ctx, p, gram.EvalOptions{Strategy: gram.Modular})
		if err != nil {
			return Point{}, err
		}
		time, err := two(ctx, p)
		return Point{Y: one.Seconds() / time.Seconds()}, err
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

// backpropGraph is the graph of bp(G).
func backpropGraph(ctx context.Context, p *gram.Program) (*hypergraph.Graph, error) {
	bp, a, err := revgrad.BP(p.Term(), p.ScalarInputs(), ctx.Err)
	if err != nil {
		return nil, err
	}
	return hypergraph.FromTerm(bp, append(p.ScalarInputs(), a))
}

// criticalPath is |G|, and the critical path of G or of bp(G).
func criticalPath(backward bool) func(context.Context, *gram.Program) (Point, error) {
	return func(ctx context.Context, p *gram.Program) (Point, error) {
		g, _, err := graphOf(ctx, p)
		if err != nil {
			return Point{}, err
		}
		pt := Point{X: float64(g.Size().Total())}
		if backward {
			if g, err = backpropGraph(ctx, p); err != nil {
				return Point{}, err
			}
		}
		pt.Y, _ = pathOf(g)
		return pt, nil
	}
}

// work is |G|, and the operations of bp(G).
func work(ctx context.Context, p *gram.Program) (Point, error) {
	pt, err := pathAndWork(ctx, p)
	pt.Y = pt.X
	return pt, err
}

// pathAndWork is the operations and the critical path of bp(G).
func pathAndWork(ctx context.Context, p *gram.Program) (Point, error) {
	g, err := backpropGraph(ctx, p)
	if err != nil {
		return Point{}, err
	}
	path, operations := pathOf(g)
	return Point{X: operations, Y: path}, nil
}

// tapeAndWork is the operations of bp(G), and those of a tape, which records G and plays it backwards: one after
// the other, whatever G is (section 2.4).
func tapeAndWork(ctx context.Context, p *gram.Program) (Point, error) {
	pt, err := pathAndWork(ctx, p)
	if err != nil {
		return Point{}, err
	}
	tape, err := tapeGradient(ctx, p)
	pt.Y = tape.Y
	return pt, err
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
