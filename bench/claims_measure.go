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

// literal is how what is counted runs: without blocks, so that overhead is that of the
// rules alone.
var literal = gram.EvalOptions{NoFuse: true}

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

func load(ctx context.Context, fam family.Family, size int) (*gram.Program, error) {
	return loadText(ctx, fmt.Sprintf("%s, n = %d", fam.Name, size), fam.Source(size))
}

func loadText(ctx context.Context, name, text string) (*gram.Program, error) {
	return gram.Load(ctx, name, []byte(text), gram.Options{})
}

// more is what a gradient's cost and bound say besides. A Jacobian has no m there: its
// bound is another, k times that of a gradient.
func more(c *gram.Cost, b gram.Bound, outputs int) map[string]float64 {
	out := map[string]float64{
		GraphName: float64(b.Graph), StepsName: float64(c.Steps.Total()), OverheadName: float64(c.Overhead.Total),
		"search": float64(c.Overhead.Search),
	}
	if outputs == 1 {
		out[MName] = float64(b.M)
	}
	return out
}

// withBound runs the program for its gradient, and with symbolic inputs.
func withBound(ctx context.Context, p *gram.Program, opt gram.EvalOptions) (*gram.Result, gram.Bound, error) {
	b, err := p.Bound(ctx, gram.EvalOptions{})
	if err != nil {
		return nil, b, err
	}
	res, err := p.Gradient(ctx, opt)
	return res, b, err
}

// theorem is the point of Theorem 1: m + |G|, and the steps and overhead of a gradient.
func theorem(ctx context.Context, p *gram.Program) (Point, error) {
	res, b, err := withBound(ctx, p, literal)
	if err != nil {
		return Point{}, err
	}
	c := &res.Cost
	return Point{X: float64(b.M + b.Graph), Y: float64(c.Steps.Total() + c.Overhead.Total), More: more(c, b, len(res.Values))}, nil
}

// gradientSteps is |G|, and the steps of a gradient.
func gradientSteps(ctx context.Context, p *gram.Program) (Point, error) {
	res, b, err := withBound(ctx, p, gram.EvalOptions{})
	if err != nil {
		return Point{}, err
	}
	return Point{X: float64(b.Graph), Y: float64(res.Cost.Steps.Total())}, nil
}

// valueSteps is |G|, and the steps of a value.
func valueSteps(ctx context.Context, p *gram.Program) (Point, error) {
	b, err := p.Bound(ctx, gram.EvalOptions{})
	if err != nil {
		return Point{}, err
	}
	res, err := p.Value(ctx, gram.EvalOptions{})
	if err != nil {
		return Point{}, err
	}
	return Point{X: float64(b.Graph), Y: float64(res.Cost.Steps.Total())}, nil
}

// machineFor compiles a term and makes a machine for it, with hooks if there are any. The caller closes it. A run
// with hooks may take forever: it ends at a limit.
func machineFor(ctx context.Context, t *term.Term, opt compile.Options, hooks *engine.Hooks) (*engine.Machine, error) {
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
	m, err := machineFor(ctx, t, compile.Options{Inputs: inputs}, nil)
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
	m, err := machineFor(ctx, d, compile.Options{Inputs: p.ScalarInputs(), Reversed: true}, hooks)
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
	m, err := machineFor(ctx, d, compile.Options{Inputs: inputs, Open: true, Reversed: true}, nil)
	if err != nil {
		return nil, engine.Stats{}, err
	}
	defer m.Close()
	normal, err := symbolic.Normal(m, point, d, inputs)
	return normal, m.Stats(), err
}
