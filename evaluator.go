package gram

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"time"

	"github.com/gram-machine/gram/machine/heap"

	"github.com/gram-machine/gram/compile"
	"github.com/gram-machine/gram/engine"
	"github.com/gram-machine/gram/graph"
	"github.com/gram-machine/gram/graph/calls"
	"github.com/gram-machine/gram/internal/modular"
	"github.com/gram-machine/gram/internal/stage"
	"github.com/gram-machine/gram/lang/load"
	"github.com/gram-machine/gram/limits"
	"github.com/gram-machine/gram/machine"
	"github.com/gram-machine/gram/machine/profile"
	"github.com/gram-machine/gram/revgrad"
	"github.com/gram-machine/gram/rule"
)

// Evaluator runs one program at many points, in one arena. It is for one goroutine
// at a time. Close it to return its memory.
type Evaluator struct {
	p       *Program
	opt     EvalOptions
	meter   *limits.Meter
	grad    bool
	passes  *passes // of the modes that need no machine once the graph is there
	run     reducer // else one of the next two
	m       *engine.Machine
	literal *machine.Machine
	profile *profile.Profile // of the literal machine, if samples are asked for
	outputs int
	last    time.Duration
	lengths []int
	cleanup runtime.Cleanup
	closed  bool

	// Of the engine: the program that runs, and of the strategies other than Direct what was
	// done before it.
	prog        *graph.Program
	before      engine.Stats
	modularised *modular.Program
	madeAt      []float64     // the point
	making      time.Duration // of D(G), and of a modular program at another point than the program's
}

// reducer is what an evaluator needs of a machine: of the engine, or of the literal machine.
type reducer interface {
	Value(point []float64) error
	Gradient(point, values, jacobian []float64) error
	Read(out []float64, lengths []int) ([]float64, []int, error)
	Close() error
}

// NewValue returns an evaluator of the program's value. The first call compiles; ctx bounds that.
func (p *Program) NewValue(ctx context.Context, opt EvalOptions) (*Evaluator, error) {
	return p.newEvaluator(ctx, opt, false)
}

// NewGradient returns an evaluator of the value and the gradient or Jacobian of a body of type R or R^k.
func (p *Program) NewGradient(ctx context.Context, opt EvalOptions) (*Evaluator, error) {
	return p.newEvaluator(ctx, opt, true)
}

func (p *Program) newEvaluator(ctx context.Context, opt EvalOptions, grad bool) (*Evaluator, error) {
	if err := opt.check(); err != nil {
		return nil, err
	}
	e := &Evaluator{p: p, opt: opt, meter: p.Meter(ctx), grad: grad}
	var err error
	switch {
	case grad && opt.Mode != Reverse:
		e.passes, err = p.newPasses(e.meter, opt)
		return e, err
	case opt.Literal:
	case grad:
		err = e.prepare(p.Point())
	default:
		e.prog, err = p.valueProgram(e.meter, opt.Samples != nil)
	}
	if err == nil {
		err = e.start()
	}
	if err != nil {
		return nil, err
	}
	return e, nil
}

// prepare makes the program of a gradient by the strategy, for the point.
func (e *Evaluator) prepare(point []float64) (err error) {
	switch e.opt.Strategy {
	case Unfold:
		err = e.unfold(point)
	case Modular:
		err = e.normalise(point)
	default:
		e.prog, err = e.p.reverseProgram(e.meter, e.opt.Samples != nil)
	}
	return err
}

// unfold reduces the program to its graph at the point, and compiles D of that.
func (e *Evaluator) unfold(point []float64) error {
	p := e.p
	if err := p.gradientType(); err != nil {
		return err
	}
	start := time.Now()
	m, _, err := p.open(e.meter, point, e.opt)
	if err != nil {
		return err
	}
	defer m.Close()
	if e.opt.Samples != nil {
		m.Samples(e.opt.Samples)
	}
	e.meter.Begin("compile")
	check := e.meter.During("compile")
	g, err := stage.NewGround(p.src, m, nil, check)
	if err != nil {
		return p.Locate(err, "making the graph")
	}
	d, err := revgrad.Reverse(g.Term, check)
	if err != nil {
		return p.Locate(err, "differentiating")
	}
	p.setSize(p.src.Term.Size(), d.Size())
	e.prog, err = compile.Compile(d, compile.Options{Inputs: g.Inputs, Reversed: true, Places: e.opt.Samples != nil, Check: check})
	if err != nil {
		return p.Locate(err, "compiling")
	}
	e.before, e.madeAt, e.making = m.Stats(), slices.Clone(point), time.Since(start)
	return nil
}

// normalise takes the program whose λs are normalised, at the point: that of the program's
// point is kept.
func (e *Evaluator) normalise(point []float64) error {
	p := e.p
	make := func() (*modular.Program, error) {
		if err := p.Differentiable(); err != nil {
			return nil, err
		}
		m, err := p.modular(e.meter, &e.opt).Compile(p.src, p.inputs, point)
		if err == nil {
			p.setSize(p.src.Term.Size(), m.Size)
		}
		return m, err
	}
	var m *modular.Program
	if slices.Equal(point, p.Point()) && e.opt.Samples == nil {
		_, err := p.modularly.get(p, e.meter, func() (_ *graph.Program, err error) {
			if p.modularised, err = make(); err != nil {
				return nil, err
			}
			return p.modularised.Code, nil
		})
		if err != nil {
			return err
		}
		m = p.modularised
	} else {
		start := time.Now()
		p.terms.Lock()
		defer p.terms.Unlock()
		var err error
		if m, err = make(); err != nil {
			return err
		}
		e.making = time.Since(start)
	}
	e.prog, e.before, e.modularised, e.madeAt = m.Code, m.Stats, m, slices.Clone(point)
	return nil
}

// start makes the machine of the evaluator's program, in place of the one that it has.
func (e *Evaluator) start() error {
	last := e.run
	if err := e.newMachine(e.meter.Bounds("reduce", e.opt.MaxSteps, e.opt.MaxNodes)); err != nil {
		return e.p.Locate(err, "starting")
	}
	if last != nil {
		e.cleanup.Stop()
		_ = last.Close()
	}
	// An evaluator that is dropped without Close gives its memory back all the same. The
	// machine must not refer to e, or e would never be dropped.
	e.cleanup = runtime.AddCleanup(e, func(m reducer) { _ = m.Close() }, e.run)
	return nil
}

func (e *Evaluator) newMachine(bounds limits.Bounds) error {
	if !e.opt.Literal {
		opt := e.opt.engine()
		opt.Phase, opt.Limits = phaseOf(e.meter), bounds
		m, err := engine.New(e.prog, opt)
		if err != nil {
			return err
		}
		e.m, e.run, e.outputs = m, m, e.prog.Outputs
		return nil
	}
	prog, err := e.p.literalProgram(e.meter, e.grad)
	if err != nil {
		return err
	}
	opt := e.opt.literal()
	opt.Limits = bounds
	if e.opt.Samples != nil {
		e.profile = profile.New(prog)
		opt.Events = e.profile.Events()
	}
	m, err := machine.New(prog, opt)
	if err != nil {
		return err
	}
	e.literal, e.run, e.outputs = m, m, max(1, prog.Outputs)
	return nil
}

// again makes the program anew if it is one of another point.
func (e *Evaluator) again(point []float64) error {
	if e.opt.Strategy == Direct || !e.p.Branches() || slices.Equal(point, e.madeAt) {
		return nil
	}
	if err := e.prepare(point); err != nil {
		return err
	}
	if err := e.start(); err != nil {
		e.madeAt = nil // the machine is still that of the last point
		return err
	}
	return nil
}

// Close returns the evaluator's memory to the system. Runs after it are errors.
func (e *Evaluator) Close() error {
	e.closed = true
	if e.passes != nil {
		return nil
	}
	e.cleanup.Stop()
	return e.run.Close()
}

// ready reports a run that the evaluator can't do: it is closed, it computes something
// else, or the point has another length than the program's.
func (e *Evaluator) ready(gradient bool, point []float64) error {
	switch inputs := len(e.p.inputs); {
	case e.closed:
		return errors.New("gram: the evaluator is closed")
	case gradient && !e.grad:
		return errors.New("gram: this evaluator computes values: NewGradient makes one of gradients")
	case !gradient && e.grad:
		return errors.New("gram: this evaluator computes gradients: NewValue makes one of values")
	case len(point) != inputs:
		return fmt.Errorf("gram: the point has length %d, and the program has %d scalar inputs", len(point), inputs)
	}
	return nil
}

// Value appends the numbers of the program's value at the point, which has a number for each scalar
// input, to out, from left to right. It is [Evaluator.Reduce], and then [Evaluator.Read].
func (e *Evaluator) Value(ctx context.Context, point, out []float64) ([]float64, error) {
	if e.p.src.Shape == nil {
		return out, e.noValue()
	}
	if err := e.Reduce(ctx, point); err != nil {
		return out, err
	}
	return e.Read(out)
}

// Reduce reduces the program at the point, and leaves the value to be read. A run that ctx has ended
// can be repeated.
func (e *Evaluator) Reduce(ctx context.Context, point []float64) error {
	if err := e.ready(false, point); err != nil {
		return err
	}
	start := e.begin(ctx)
	if err := e.run.Value(point); err != nil {
		return e.p.Locate(err, "reducing")
	}
	e.last = time.Since(start)
	return nil
}

// Read appends the numbers of the value that has been reduced to out.
func (e *Evaluator) Read(out []float64) ([]float64, error) {
	if e.p.src.Shape == nil {
		return out, e.noValue()
	}
	start := time.Now()
	out, lengths, err := e.run.Read(out, e.lengths[:0])
	if err != nil {
		return out, e.p.Locate(err, "reading the value")
	}
	e.lengths = lengths
	e.last += time.Since(start)
	return out, nil
}

// noValue is the error of a value that has a function in it.
func (e *Evaluator) noValue() error {
	return errorAt(e.p.src, e.p.src.BodyPos(), "no value to print",
		"the body has type "+e.p.src.TypeText+", which has a function in it")
}

// begin begins a run.
func (e *Evaluator) begin(ctx context.Context) time.Time {
	e.meter.SetContext(ctx)
	if e.opt.Literal {
		e.meter.Begin("reduce") // the engine tells its phases itself
	}
	return time.Now()
}

// Lengths returns [Result.Lengths] of the last value. It is overwritten by the next run.
func (e *Evaluator) Lengths() []int { return e.lengths }

// Gradient puts the k numbers of the program's value at the point into values, and the partial
// derivatives of each by each of n scalar inputs, row by row, into jacobian, which has length k·n. For
// a body of type R, k is 1. Corollary gradient, section 5.2.
func (e *Evaluator) Gradient(ctx context.Context, point, values, jacobian []float64) error {
	if err := e.ready(true, point); err != nil {
		return err
	}
	if k := e.Outputs(); len(values) != k || len(jacobian) != k*len(point) {
		return fmt.Errorf("gram: values has length %d and jacobian %d; they must be %d and %d", len(values), len(jacobian), k, k*len(point))
	}
	if e.passes != nil {
		e.meter.SetContext(ctx)
		var err error
		e.last, err = e.passes.gradient(point, values, jacobian)
		return err
	}
	e.meter.SetContext(ctx)
	if err := e.again(point); err != nil {
		return err
	}
	start := e.begin(ctx)
	if err := e.run.Gradient(point, values, jacobian); err != nil {
		return e.p.Locate(err, "reducing")
	}
	e.last = time.Since(start)
	return nil
}

// Outputs returns k for a body of type R^k, and 1 for R.
func (e *Evaluator) Outputs() int {
	if e.passes != nil {
		return len(e.passes.g.Outputs())
	}
	return e.outputs
}

// Heap returns what the arena of the literal machine, if that runs, holds between two events.
func (e *Evaluator) Heap() *heap.Heap {
	if e.literal == nil {
		return nil
	}
	return e.literal.Heap()
}

// Cost returns what the evaluator's last run cost.
func (e *Evaluator) Cost() Cost {
	if e.passes != nil {
		return e.passes.cost()
	}
	s, work := e.stats()
	p := e.p
	took := p.value.took
	switch {
	case e.opt.Literal && e.grad:
		took = p.literalGradient.took
	case e.opt.Literal:
		took = p.literal.took
	case e.grad && e.opt.Strategy == Modular:
		took = p.modularly.took
	case e.grad:
		took = p.gradient.took
	}
	compiling := max(took(), e.making)
	p.mu.Lock()
	size := p.size
	p.mu.Unlock()
	cost := Cost{
		Inputs: len(p.inputs),
		Steps:  s.Counts,
		Overhead: Overhead{Instantiate: s.Instantiate, Search: s.Search, Readback: s.Readback,
			Total: s.Instantiate + s.Search + s.Readback},
		Nodes:      Nodes{Allocated: s.Nodes, Freed: s.Freed, Peak: s.PeakNodes},
		ArenaBytes: s.ArenaBytes,
		Work:       work,
		Seconds:    Seconds{Load: p.loading.Seconds(), Compile: compiling.Seconds()},
	}
	if m := e.modularised; m != nil {
		reuse := m.Reuse
		s := p.opt.Cache.Stats()
		reuse.Bytes, reuse.MaxBytes, reuse.Evictions = s.Bytes, s.MaxBytes, s.Evictions
		cost.Normalised, cost.Cache = &m.Report, &reuse
	}
	cost.Size.Term = size.term
	if e.grad {
		cost.Size.Reverse = size.reverse
	}
	cost.setTimes(e.last, e.last)
	return cost
}

// stats returns what the last run and what went before it cost, and the work if it was measured.
// Each rewrite of the literal machine is taken off the worklist, like the units that are no
// copying and no reading.
func (e *Evaluator) stats() (engine.Stats, *Work) {
	if !e.opt.Literal {
		return modular.Add(e.m.Stats(), e.before), nil
	}
	s := e.literal.Stats()
	units := func(u rule.Move) uint64 { return s.Work[u].Fired }
	var work *Work
	if e.opt.Work {
		work = literalWork(&s)
	}
	return engine.Stats{Counts: s.Counts, Instantiate: units(rule.Instantiate), Readback: units(rule.ReadBack),
		Search: s.Counts.Total() + units(rule.Wake) + units(rule.Search) + units(rule.FreeUnit),
		Nodes:  s.Nodes, Freed: s.Freed, PeakNodes: s.PeakNodes, ArenaBytes: s.ArenaBytes}, work
}

// samples hands out the profile of the last run.
func (e *Evaluator) samples(f func(calls.Sample)) {
	if e.profile != nil {
		e.profile.Samples(e.literal.Stats().Nodes, f)
	} else {
		e.m.Samples(f)
	}
}

// Result is a value, its Jacobian if it was asked for, and the cost.
type Result struct {
	Values   []float64 // from left to right, as Program.Shape has them
	Lengths  []int     // of the lists in it, outer lists before inner ones
	Jacobian []float64 // a row for each value, a column for each scalar input
	Cost     Cost
}

// Value reduces the program at its point.
func (p *Program) Value(ctx context.Context, opt EvalOptions) (*Result, error) {
	return p.Repeat(ctx, opt, false, 1)
}

// Gradient computes value and gradient, or Jacobian, at the program's point: it
// reduces D(t), or does what opt.Mode says.
func (p *Program) Gradient(ctx context.Context, opt EvalOptions) (*Result, error) {
	return p.Repeat(ctx, opt, true, 1)
}

// Repeat runs the program n > 0 times at its point, for the value or for the gradient,
// and reports the best and the median time.
func (p *Program) Repeat(ctx context.Context, opt EvalOptions, gradient bool, n int) (*Result, error) {
	if n < 1 {
		return nil, fmt.Errorf("gram: a program can't be run %d times", n)
	}
	e, err := p.newEvaluator(ctx, opt, gradient)
	if err != nil {
		return nil, err
	}
	defer e.Close()
	point := p.Point()
	res := &Result{}
	if gradient {
		res.Values = make([]float64, e.Outputs())
		res.Jacobian = make([]float64, e.Outputs()*len(point))
	}
	times := make([]time.Duration, 0, n)
	for range n {
		if gradient {
			err = e.Gradient(ctx, point, res.Values, res.Jacobian)
		} else {
			res.Values, err = e.Value(ctx, point, res.Values[:0])
		}
		if err != nil {
			return nil, err
		}
		times = append(times, e.last)
	}
	if opt.Samples != nil {
		e.samples(opt.Samples)
	}
	slices.Sort(times)
	res.Lengths = e.lengths
	res.Cost = e.Cost()
	res.Cost.setTimes(times[0], times[len(times)/2])
	return res, nil
}

// Derivatives cuts the rows of a Jacobian into the inputs' columns. The shape of a derivative is that
// of the input, or of a Jacobian a vector of these.
func (p *Program) Derivatives(values, jacobian []float64) []Input {
	inputs := p.Inputs()
	out := make([]Input, len(inputs))
	k, width := len(values), len(p.inputs)
	at := 0
	for i, in := range inputs {
		w := in.Shape.Width()
		d := Input{Name: in.Name, Shape: in.Shape}
		if p.Shape().Kind == load.Vector {
			d.Shape = load.VectorShape(in.Shape, k)
		}
		d.Values = make([]float64, 0, k*w)
		for row := range k {
			d.Values = append(d.Values, jacobian[row*width+at:row*width+at+w]...)
		}
		out[i] = d
		at += w
	}
	return out
}
