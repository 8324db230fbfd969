package bench

import (
	"context"
	"fmt"

	"github.com/gram-machine/gram"
	"github.com/gram-machine/gram/bench/family"
	"github.com/gram-machine/gram/compile"
	"github.com/gram-machine/gram/engine"
	"github.com/gram-machine/gram/internal/symbolic"
	"github.com/gram-machine/gram/limits"
	"github.com/gram-machine/gram/revgrad"
	"github.com/gram-machine/gram/term"
)

// unfused is how what is counted runs: without blocks, so that overhead is that of the rules alone.
var unfused = gram.EvalOptions{NoFuse: true}

func load(ctx context.Context, fam family.Family, size int) (*gram.Program, error) {
	return loadText(ctx, fmt.Sprintf("%s, n = %d", fam.Name, size), fam.Source(size))
}

func loadText(ctx context.Context, name, text string) (*gram.Program, error) {
	return gram.Load(ctx, name, []byte(text), gram.Options{})
}

// engineFor compiles a term and makes an engine for it, with hooks if there are any. The caller closes it. A run with
// hooks may take forever: it ends at a limit.
func engineFor(ctx context.Context, t *term.Term, opt compile.Options, hooks *engine.Hooks) (*engine.Machine, error) {
	opt.Check = ctx.Err
	prog, err := compile.Compile(t, opt)
	if err != nil {
		return nil, err
	}
	bounds := limits.Bounds{Look: ctx.Err}
	if hooks != nil {
		bounds.MaxSteps, bounds.MaxNodes = 1e9, 1e9
	}
	return engine.New(prog, engine.Options{NoFuse: true, Hooks: hooks, Limits: bounds})
}

// evaluate is what the value of a term costs at the point.
func evaluate(ctx context.Context, t *term.Term, inputs []term.Var, point []float64) (engine.Stats, error) {
	m, err := engineFor(ctx, t, compile.Options{Inputs: inputs}, nil)
	if err != nil {
		return engine.Stats{}, err
	}
	defer m.Close()
	err = m.Value(point)
	return m.Stats(), err
}

// gradientWithout is what the gradient of a program of type R costs with hooks, or without.
func gradientWithout(ctx context.Context, p *gram.Program, hooks *engine.Hooks) (engine.Stats, error) {
	d, err := revgrad.Reverse(p.Term(), ctx.Err)
	if err != nil {
		return engine.Stats{}, err
	}
	m, err := engineFor(ctx, d, compile.Options{Inputs: p.ScalarInputs(), Reversed: true}, hooks)
	if err != nil {
		return engine.Stats{}, err
	}
	defer m.Close()
	point := p.Point()
	err = m.Gradient(point, make([]float64, 1), make([]float64, len(point)))
	return m.Stats(), err
}

// normalise returns the symbolic normal form of D(t), and what it costs.
func normalise(ctx context.Context, d *term.Term, inputs []term.Var, point []float64) (*term.Term, engine.Stats, error) {
	m, err := engineFor(ctx, d, compile.Options{Inputs: inputs, Open: true, Reversed: true}, nil)
	if err != nil {
		return nil, engine.Stats{}, err
	}
	defer m.Close()
	normal, err := symbolic.Normal(m, point, d, inputs)
	return normal, m.Stats(), err
}

// stepsWithout and workWithout are the steps of a gradient without a piece of the engine, and its steps and overhead.
func stepsWithout(hooks func() *engine.Hooks) quantity {
	return quantity{StepsName, func(ctx context.Context, s *subject) (float64, error) {
		stats, err := gradientWithout(ctx, s.Program, hooks())
		return float64(stats.Counts.Total()), err
	}}
}

func workWithout(hooks func() *engine.Hooks) quantity {
	return quantity{"steps + overhead", func(ctx context.Context, s *subject) (float64, error) {
		st, err := gradientWithout(ctx, s.Program, hooks())
		return float64(st.Counts.Total() + st.Instantiate + st.Search + st.Readback), err
	}}
}

// counting returns from, …, to.
func counting(from, to int) []int {
	var out []int
	for n := from; n <= to; n++ {
		out = append(out, n)
	}
	return out
}

// powersOfTwo returns 2^from, …, 2^to.
func powersOfTwo(from, to int) []int {
	var out []int
	for k := from; k <= to; k++ {
		out = append(out, 1<<k)
	}
	return out
}

// linear is the law y = Θ(x).
var linear = Law{Kind: Power, Power: 1}
