package bench

import (
	"context"
	"fmt"
	"strings"

	"github.com/gram-machine/gram"
	"github.com/gram-machine/gram/compile"
	"github.com/gram-machine/gram/internal/bridge"
	"github.com/gram-machine/gram/internal/denote"
	"github.com/gram-machine/gram/internal/reference"
	"github.com/gram-machine/gram/limits"
	"github.com/gram-machine/gram/machine"
	"github.com/gram-machine/gram/revgrad"
	"github.com/gram-machine/gram/term"
)

// quantity is a number that is measured of a program.
type quantity struct {
	name string
	of   func(s *subject) float64
}

// subject is a program of a family at a size, with what has been measured of it. A measurement that cannot go on
// ends with try or must.
type subject struct {
	ctx           context.Context
	size          int
	*gram.Program // nil for a family without programs
	bridge.Inside // of the program
	bounded       *gram.Bound
	costs         map[form]*gram.Cost // of gradients
}

// form is how a gradient is run.
type form struct {
	literal  bool
	strategy gram.Strategy
}

// failure is the panic of try. caught, deferred, makes it an error.
type failure struct{ error }

func caught(err *error) {
	switch r := recover().(type) {
	case nil:
	case failure:
		*err = r.error
	default:
		panic(r)
	}
}

// try ends the measurement if err is not nil.
func try(err error) {
	if err != nil {
		panic(failure{err})
	}
}

// must returns v. It ends the measurement if err is not nil.
func must[T any](v T, err error) T {
	try(err)
	return v
}

// program returns the subject with the program of a text.
func (s *subject) program(name, text string) *subject {
	return s.with(must(gram.Load(s.ctx, name, []byte(text), gram.Options{})))
}

// with returns the subject with a program.
func (s *subject) with(p *gram.Program) *subject {
	return &subject{ctx: s.ctx, size: s.size, Program: p, Inside: bridge.Of(p), costs: map[form]*gram.Cost{}}
}

// curves are series with one law of the same quantities, one of each family.
type curves []Series

// series are curves of families with their names and sizes.
func series(role Role, law Law, x, y quantity, families ...Family) curves {
	return seriesWith(nil, role, law, x, y, families...)
}

// seriesWith are curves whose points have more quantities.
func seriesWith(more []quantity, role Role, law Law, x, y quantity, families ...Family) curves {
	return points(role, law, x.name, y.name, func(s *subject) Point {
		pt := Point{X: x.of(s), Y: y.of(s)}
		for _, q := range more {
			pt.add(q.name, q.of(s))
		}
		return pt
	}, families...)
}

// forEach are curves of each family in turn.
func forEach(of func(Family) curves, families ...Family) (out curves) {
	for _, f := range families {
		out = append(out, of(f)...)
	}
	return out
}

// points are curves whose x and y are measured together, of the program of each size.
func points(role Role, law Law, x, y string, point func(*subject) Point, families ...Family) (out curves) {
	for _, f := range families {
		out = append(out, Series{Name: f.Name, Role: role, Law: law, X: x, Y: y, Quick: f.Quick, Full: f.Full,
			Measure: func(ctx context.Context, size int) (pt Point, err error) {
				defer caught(&err)
				s := &subject{ctx: ctx, size: size}
				if f.Source != nil {
					s = s.program(fmt.Sprintf("%s, n = %d", f.Name, size), f.Source(size))
				}
				return point(s), nil
			}})
	}
	return out
}

// sized is a family without programs: the measurement makes what it needs from the size.
func sized(name string, quick, full []int) Family {
	return Family{Name: name, Quick: quick, Full: full}
}

// add adds a number to those of the point.
func (p *Point) add(name string, v float64) {
	if p.More == nil {
		p.More = map[string]float64{}
	}
	p.More[name] += v
}

// tally counts one more in x, and in y if it is as it should be.
func (p *Point) tally(good bool) {
	if p.X++; good {
		p.Y++
	}
}

// each changes the series.
func (c curves) each(change func(*Series)) curves {
	for i := range c {
		change(&c[i])
	}
	return c
}

// called gives series other names, in which * stands for that of the family, and other sizes if there are any.
func (c curves) called(name string, sizes ...[]int) curves {
	return c.each(func(s *Series) {
		s.Name = strings.ReplaceAll(name, "*", s.Name)
		if len(sizes) > 0 {
			s.Quick, s.Full = sizes[0], sizes[len(sizes)-1]
		}
	})
}

// quick measures no more than the sizes of a quick run, and gives the series other names.
func (c curves) quick(name string) curves {
	return c.called(name).each(func(s *Series) { s.Full = s.Quick })
}

// without makes series those of an ablation.
func (c curves) without(what string) curves {
	return c.each(func(s *Series) { s.Role, s.Without = Contrast, what })
}

// under says under which condition the law is claimed.
func (c curves) under(condition string) curves {
	return c.each(func(s *Series) { s.If = condition })
}

// timed says that y is a time.
func (c curves) timed() curves {
	return c.each(func(s *Series) { s.Timed = true })
}

// The laws of several series.
var (
	linear       = LinearGrowth
	quadratic    = QuadraticGrowth
	exponential  = ExponentialGrowth
	constant     = Law{Kind: AtMost}
	atMostLinear = Law{Kind: AtMost, Power: 1}
	equal        = Law{Kind: Equal}
	below        = Law{Kind: Below}
)

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
	out := counting(from, to)
	for i, k := range out {
		out[i] = 1 << k
	}
	return out
}

// bound is the reduction to the graph.
func (s *subject) bound() *gram.Bound {
	if s.bounded == nil {
		b := must(s.Bound(s.ctx, gram.EvalOptions{}))
		s.bounded = &b
	}
	return s.bounded
}

// value and gradient are the costs of a run.
func (s *subject) value(opt gram.EvalOptions) *gram.Cost { return &must(s.Value(s.ctx, opt)).Cost }

func (s *subject) gradient(opt gram.EvalOptions) *gram.Cost {
	key := form{opt.Literal, opt.Strategy}
	if s.costs[key] == nil {
		s.costs[key] = &must(s.Gradient(s.ctx, opt)).Cost
	}
	return s.costs[key]
}

// reversed is D(t).
func (s *subject) reversed() *term.Term { return must(revgrad.Reverse(s.Term(), s.ctx.Err)) }

// evaluate is the steps that the value of a term takes at points, in all.
func (s *subject) evaluate(t *term.Term, inputs []term.Var, points ...[]float64) (steps float64) {
	m := must(machine.New(must(compile.NewValue(t, inputs, s.ctx.Err)),
		machine.Options{Limits: limits.Bounds{Look: s.ctx.Err}}))
	defer m.Close()
	for _, point := range points {
		try(m.Value(point))
		stats := m.Stats()
		steps += float64(stats.Counts.Total())
	}
	return steps
}

// rewriteLimit bounds reductions of the rewriter that are known to end.
const rewriteLimit = 1_000_000

// valueStart and gradientStart are the program at its point and its gradient, for the rewriter.
func (s *subject) valueStart(ground denote.Ground) *reference.Start {
	return reference.Convert(s.Term(), ground).ValueStart(s.ScalarInputs(), s.Point())
}

func (s *subject) gradientStart(ground denote.Ground) *reference.Start {
	return reference.Convert(s.reversed(), ground).GradientStart(s.ScalarInputs(), s.Point(), 0)
}

// reduce reduces a start term, in at most limit steps.
func (s *subject) reduce(start *reference.Start, by reference.Strategy, limit int) (*reference.Result, error) {
	return start.Run(by, limit, func(*reference.Redex, *reference.Term) error { return s.ctx.Err() })
}

// steps is the number of steps by which the rewriter reduces a start term.
func (s *subject) steps(start *reference.Start, by reference.Strategy) float64 {
	return float64(must(s.reduce(start, by, rewriteLimit)).Counts.Total())
}

// ofBound, ofGradient and ofValue are quantities of the reduction to the graph, of a gradient and of a value.
func ofBound(name string, f func(*gram.Bound) uint64) quantity {
	return quantity{name, func(s *subject) float64 { return float64(f(s.bound())) }}
}

func ofGradient(name string, opt gram.EvalOptions, f func(*gram.Cost) uint64) quantity {
	return quantity{name, func(s *subject) float64 { return float64(f(s.gradient(opt))) }}
}

func ofValue(name string, opt gram.EvalOptions, f func(*gram.Cost) uint64) quantity {
	return quantity{name, func(s *subject) float64 { return float64(f(s.value(opt))) }}
}

// named is the quantity with another name.
func (q quantity) named(name string) quantity { return quantity{name, q.of} }

// times is the product of two quantities.
func (q quantity) times(name string, factor quantity) quantity {
	return quantity{name, func(s *subject) float64 { return factor.of(s) * q.of(s) }}
}

// over is the quotient of two quantities.
func (q quantity) over(name string, divisor quantity) quantity {
	return quantity{name, func(s *subject) float64 { return q.of(s) / divisor.of(s) }}
}

// totalSteps is the steps of a run.
func totalSteps(c *gram.Cost) uint64 { return c.Steps.Total() }

// literally is how counts are taken: by the machine that makes each step. measuring counts the words too that it reads
// and writes.
var (
	literally = gram.EvalOptions{Literal: true}
	measuring = gram.EvalOptions{Literal: true, Work: true}
)

// Quantities of several claims.
var (
	sizeN      = quantity{"n", func(s *subject) float64 { return float64(s.size) }}
	inputCount = quantity{"n", func(s *subject) float64 { return float64(len(s.ScalarInputs())) }}
	termSize   = quantity{"|t|, in symbols", func(s *subject) float64 { return float64(s.Term().Size()) }}
	sourceM    = ofBound(MName, func(b *gram.Bound) uint64 { return b.M })
	graphSize  = ofBound(GraphName, func(b *gram.Bound) uint64 { return b.Graph })
	mAndGraph  = ofBound("m + |G|", func(b *gram.Bound) uint64 { return b.M + b.Graph })
	bilinear   = quantity{BilinearName, func(s *subject) float64 {
		return (termSize.of(s) + float64(len(s.ScalarInputs()))) * (gradientSteps.of(s) + 1)
	}}

	valueSteps    = ofValue(StepsName, gram.EvalOptions{}, totalSteps)
	gradientSteps = ofGradient(StepsName, literally, totalSteps)
	movesMade     = ofGradient(MovesName, literally, func(c *gram.Cost) uint64 { return c.Overhead.Total })
)
