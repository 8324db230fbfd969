package bench

import (
	"context"

	"github.com/gram-machine/gram"
	"github.com/gram-machine/gram/bench/family"
	"github.com/gram-machine/gram/compile"
	"github.com/gram-machine/gram/machine"
)

// quantity is something that is measured of a program.
type quantity struct {
	name string
	of   func(ctx context.Context, s *subject) (float64, error)
}

// subject is a program of a family at a size, with what has been measured of it.
type subject struct {
	*gram.Program
	size    int
	bounded *gram.Bound
	costs   map[form]*gram.Cost // of gradients
}

// form is how a gradient is run.
type form struct {
	unfused, literal bool
	strategy         gram.Strategy
}

// measure is the measurement of x and y of the programs of a family, and of more quantities of the same run.
func measure(f family.Family, x, y quantity, more ...quantity) func(context.Context, int) (Point, error) {
	return func(ctx context.Context, size int) (Point, error) {
		p, err := load(ctx, f, size)
		if err != nil {
			return Point{}, err
		}
		s := &subject{Program: p, size: size, costs: map[form]*gram.Cost{}}
		var pt Point
		if pt.X, err = x.of(ctx, s); err != nil {
			return Point{}, err
		}
		if pt.Y, err = y.of(ctx, s); err != nil {
			return Point{}, err
		}
		for _, q := range more {
			if pt.More == nil {
				pt.More = map[string]float64{}
			}
			if pt.More[q.name], err = q.of(ctx, s); err != nil {
				return Point{}, err
			}
		}
		return pt, nil
	}
}

// series is a series of a family with its name and sizes.
func series(f family.Family, role Role, law Law, x, y quantity, more ...quantity) Series {
	return Series{Name: f.Name, Role: role, Law: law, X: x.name, Y: y.name, Quick: f.Quick, Full: f.Full, Measure: measure(f, x, y, more...)}
}

// called gives a series another name, and other sizes if there are any.
func (s Series) called(name string, sizes ...[]int) Series {
	s.Name = name
	if len(sizes) > 0 {
		s.Quick, s.Full = sizes[0], sizes[len(sizes)-1]
	}
	return s
}

// without makes a series one of an ablation.
func (s Series) without(what string) Series {
	s.Role, s.Without = Contrast, what
	return s
}

// all makes a series for each family.
func all(families []family.Family, of func(family.Family) Series) []Series {
	var out []Series
	for _, f := range families {
		out = append(out, of(f))
	}
	return out
}

func (s *subject) bound(ctx context.Context) (*gram.Bound, error) {
	if s.bounded == nil {
		b, err := s.Bound(ctx, gram.EvalOptions{})
		if err != nil {
			return nil, err
		}
		s.bounded = &b
	}
	return s.bounded, nil
}

// gradient is the cost of a gradient.
func (s *subject) gradient(ctx context.Context, opt gram.EvalOptions) (*gram.Cost, error) {
	key := form{opt.NoFuse, opt.Literal, opt.Strategy}
	if c := s.costs[key]; c != nil {
		return c, nil
	}
	res, err := s.Gradient(ctx, opt)
	if err != nil {
		return nil, err
	}
	s.costs[key] = &res.Cost
	return &res.Cost, nil
}

// ofBound, ofGradient and ofValue are quantities of the reduction to the graph, of a gradient and of a value.
func ofBound(name string, f func(*gram.Bound) uint64) quantity {
	return quantity{name, func(ctx context.Context, s *subject) (float64, error) {
		b, err := s.bound(ctx)
		if err != nil {
			return 0, err
		}
		return float64(f(b)), nil
	}}
}

func ofGradient(name string, opt gram.EvalOptions, f func(*gram.Cost) uint64) quantity {
	return quantity{name, func(ctx context.Context, s *subject) (float64, error) {
		c, err := s.gradient(ctx, opt)
		if err != nil {
			return 0, err
		}
		return float64(f(c)), nil
	}}
}

func ofValue(name string, opt gram.EvalOptions, f func(*gram.Cost) uint64) quantity {
	return quantity{name, func(ctx context.Context, s *subject) (float64, error) {
		res, err := s.Value(ctx, opt)
		if err != nil {
			return 0, err
		}
		return float64(f(&res.Cost)), nil
	}}
}

// scaled is a quantity times a factor of the program.
func scaled(name string, q, factor quantity) quantity {
	return quantity{name, func(ctx context.Context, s *subject) (float64, error) {
		x, err := q.of(ctx, s)
		if err != nil {
			return 0, err
		}
		k, err := factor.of(ctx, s)
		return k * x, err
	}}
}

// measuredOnLiteral are runs of the literal machine that count the words that they touch.
var measuredOnLiteral = gram.EvalOptions{Literal: true, Work: true}

// Quantities of several claims.
var (
	sizeN      = quantity{"n", func(_ context.Context, s *subject) (float64, error) { return float64(s.size), nil }}
	termSize   = quantity{"|t|, in symbols", func(_ context.Context, s *subject) (float64, error) { return float64(s.Term().Size()), nil }}
	sourceM    = ofBound(MName, func(b *gram.Bound) uint64 { return b.M })
	graphSize  = ofBound(GraphName, func(b *gram.Bound) uint64 { return b.Graph })
	mAndGraph  = ofBound("m + |G|", func(b *gram.Bound) uint64 { return b.M + b.Graph })
	wideMGraph = scaled("w·(m + |G|)", mAndGraph, width)
	width      = quantity{WidthName, widestCapture}

	valueSteps    = ofValue(StepsName, gram.EvalOptions{}, func(c *gram.Cost) uint64 { return c.Steps.Total() })
	gradientSteps = ofGradient(StepsName, unfused, func(c *gram.Cost) uint64 { return c.Steps.Total() })
	overhead      = ofGradient(OverheadName, unfused, func(c *gram.Cost) uint64 { return c.Overhead.Total })
	search        = ofGradient("search", unfused, func(c *gram.Cost) uint64 { return c.Overhead.Search })
	stepsOverhead = ofGradient("steps + overhead", unfused, func(c *gram.Cost) uint64 { return c.Steps.Total() + c.Overhead.Total })
	words         = ofGradient(WordsName, measuredOnLiteral, func(c *gram.Cost) uint64 { return wordsOf(c.Work) })
)

// widestCapture is w: the most variables that a λ, a list or a branch of the program captures, at least 1.
func widestCapture(ctx context.Context, s *subject) (float64, error) {
	prog, err := compile.Compile(s.Term(), compile.Options{Inputs: s.ScalarInputs(), Check: ctx.Err})
	if err != nil {
		return 0, err
	}
	w := uint32(1)
	for i := range prog.Templates {
		w = max(w, prog.Templates[i].Caps)
	}
	return float64(w), nil
}

// moves are the rewrites by each rule and the units of each kind.
func moves(w *gram.Work, f func(machine.Work)) {
	for _, of := range []map[string]machine.Work{w.Rules, w.Units} {
		for _, m := range of {
			f(m)
		}
	}
}

// wordsOf is the number of words that a run of the literal machine reads and writes.
func wordsOf(w *gram.Work) (n uint64) {
	moves(w, func(m machine.Work) { n += m.Words })
	return n
}

// mostWords is the most words that one rewrite or unit reads and writes.
func mostWords(w *gram.Work) (n uint64) {
	moves(w, func(m machine.Work) { n = max(n, m.Most) })
	return n
}
