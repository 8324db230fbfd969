package bench

import (
	"context"
	"time"

	"github.com/gram-machine/gram"
	"github.com/gram-machine/gram/bench/ablation"
	"github.com/gram-machine/gram/bench/family"
	"github.com/gram-machine/gram/compile"
	"github.com/gram-machine/gram/engine"
)

// Ablations: series of contrast, measured on a machine without a piece that the claim
// needs. docs/benchmarks.md lists them.

// whole is the engine without hooks.
func whole() *engine.Hooks { return nil }

// withoutFactoring are the graphs of claim 9 that share, without rule (11).
func withoutFactoring() []Series {
	var out []Series
	for _, g := range []struct {
		f           family.Family
		quick, full []int
	}{{family.Squares, counting(2, 16), counting(2, 20)}, {family.Diamonds, counting(2, 16), counting(2, 20)}, {family.Fibonacci, counting(4, 22), counting(4, 28)}} {
		out = append(out, Series{Name: g.f.Name + ", no rule (11)", Role: Contrast, Without: "rule (11)", Law: Law{Kind: Exponential}, X: "|G|", Y: "steps",
			Quick: g.quick, Full: g.full, Measure: on(g.f, stepsWithout(ablation.NoFactoring))})
	}
	return out
}

// substituteFirst are such graphs for claim 10, with (3) on duals before (11).
func substituteFirst() []Series {
	var out []Series
	for _, f := range []family.Family{family.Squares, family.Diamonds} {
		out = append(out, Series{Name: f.Name + ", (3) on duals first", Role: Contrast, Without: "(11) before (3) on duals", Law: Law{Kind: Exponential}, X: "m + |G|", Y: "steps + overhead",
			Quick: counting(2, 14), Full: counting(2, 18), Measure: on(f, theoremWithout(ablation.SubstituteFirst))})
	}
	return out
}

// rescanning is search from the root, for claim 17.
func rescanning() []Series {
	f := family.WaitingCalls
	return []Series{
		{Name: f.Name, Role: Evidence, Law: Law{Kind: AtMost, Power: 1}, X: "steps", Y: "search", Quick: f.Quick, Full: f.Full, Measure: on(f, searchOfGradient)},
		{Name: f.Name + ", rescanning", Role: Contrast, Without: "a worklist", Law: Law{Kind: Power, Power: 2}, X: "steps", Y: "search", Quick: f.Quick, Full: f.Full,
			Measure: on(f, searchWithout(ablation.Rescan))},
	}
}

// copyingBodies are λs with large bodies, of which a call runs little, for claim 18.
func copyingBodies() []Series {
	f := family.LargeBodies
	series := func(name string, role Role, law Law, hooks func() *engine.Hooks, without string) Series {
		return Series{Name: f.Name + ", " + name, Role: role, Law: law, Without: without, X: "sines in the body", Y: "time per step (ns)", Timed: true,
			Quick: f.Quick, Full: f.Full, Measure: against(on(f, timePerStep(hooks)))}
	}
	return []Series{
		series("shared", Evidence, Law{Kind: AtMost}, whole, ""),
		series("copied at (3)", Contrast, linear, ablation.CopyBodies, "shared bodies"),
	}
}

// searchWithout is the steps and the search of a gradient.
func searchWithout(hooks func() *engine.Hooks) func(context.Context, *gram.Program) (Point, error) {
	return func(ctx context.Context, p *gram.Program) (Point, error) {
		s, err := gradientWithout(ctx, p, hooks())
		return Point{X: float64(s.Counts.Total()), Y: float64(s.Search)}, err
	}
}

// timePerStep is the time of a value over its steps, in nanoseconds.
func timePerStep(hooks func() *engine.Hooks) func(context.Context, *gram.Program) (Point, error) {
	return func(ctx context.Context, p *gram.Program) (Point, error) {
		m, err := machineFor(ctx, p.Term(), compile.Options{Inputs: p.ScalarInputs()}, hooks())
		if err != nil {
			return Point{}, err
		}
		defer m.Close()
		point := p.Point()
		took, err := TimeOf(func() error { return m.Value(point) })
		s := m.Stats()
		return Point{Y: float64(took) / float64(time.Nanosecond) / float64(max(1, s.Counts.Total()))}, err
	}
}

// stepsWithout is |G|, and the steps of a gradient without a piece of the engine.
func stepsWithout(hooks func() *engine.Hooks) func(context.Context, *gram.Program) (Point, error) {
	return func(ctx context.Context, p *gram.Program) (Point, error) {
		b, err := p.Bound(ctx, gram.EvalOptions{})
		if err != nil {
			return Point{}, err
		}
		s, err := gradientWithout(ctx, p, hooks())
		return Point{X: float64(b.Graph), Y: float64(s.Counts.Total())}, err
	}
}

// theoremWithout is m + |G|, and the steps and overhead of such a gradient.
func theoremWithout(hooks func() *engine.Hooks) func(context.Context, *gram.Program) (Point, error) {
	return func(ctx context.Context, p *gram.Program) (Point, error) {
		b, err := p.Bound(ctx, gram.EvalOptions{})
		if err != nil {
			return Point{}, err
		}
		s, err := gradientWithout(ctx, p, hooks())
		return Point{X: float64(b.M + b.Graph), Y: float64(s.Counts.Total() + s.Instantiate + s.Search + s.Readback)}, err
	}
}

// counting returns from, …, to.
func counting(from, to int) []int {
	var out []int
	for n := from; n <= to; n++ {
		out = append(out, n)
	}
	return out
}
