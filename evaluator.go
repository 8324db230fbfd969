package gram

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"time"

	"github.com/gram-machine/gram/engine"
	"github.com/gram-machine/gram/graph"
	"github.com/gram-machine/gram/limits"
	"github.com/gram-machine/gram/machine"
)

// EvalOptions say how a program is run. The zero value is the LIFO schedule
// without limits but that of memory.
type EvalOptions struct {
	Schedule Schedule
	Seed     uint64 // of the random schedule
	Workers  int    // of the parallel schedule; 0: as many as GOMAXPROCS
	MaxSteps uint64 // 0: none
	MaxNodes uint64 // 0: none; nodes of 16 bytes, of the literal machine of 32
	Finite   bool   // a result that is NaN or infinite is an error
	Mode     Mode   // how a gradient is computed; values take no notice
	// NoFuse runs every λ a node for each operation: no blocks. Values, gradients and steps
	// are the same.
	NoFuse bool
	// Literal runs values and gradients on the literal machine, on which every step is a
	// rewrite of its own. It has the schedules LIFO and Random, and the mode Reverse, the
	// strategy Direct and the whole machine only. Values and steps are the same.
	Literal bool
	// Work measures the work of the literal machine: see [Cost.Work].
	Work bool
	// Strategy says when a program is differentiated; values take no notice.
	Strategy Strategy
	// profile, if not nil, takes what the machines record.
	profile *profiler
}

// check reports values that no option has.
func (o *EvalOptions) check() error {
	wrong := func(what string, is int) error { return fmt.Errorf("gram: there is no %s %d", what, is) }
	switch {
	case o.Schedule > Parallel:
		return wrong("schedule", int(o.Schedule))
	case o.Mode > Tape:
		return wrong("mode", int(o.Mode))
	case o.Strategy > Modular:
		return wrong("strategy", int(o.Strategy))
	case o.Workers < 0:
		return fmt.Errorf("gram: %d workers: there must be at least one, or 0 for as many as GOMAXPROCS", o.Workers)
	}
	return o.checkLiteral()
}

// Evaluator runs one program at many points, in one arena. It is for one goroutine
// at a time. Close it to return its memory.
type Evaluator struct {
	p       *Program
	opt     EvalOptions
	prog    *graph.Program
	run     reducer // one of the next two
	m       *engine.Machine
	literal *machine.Machine
	meter   *limits.Meter
	grad    bool
	outputs int
	passes  *passes // of the modes that need no machine once the graph is there
	last    time.Duration
	lengths []int
	cleanup runtime.Cleanup
	closed  bool
	// Of the strategies other than Direct: what was done before the program that runs.
	before      engine.Stats
	modularised *modularProgram
	madeAt      []float64     // the point
	making      time.Duration // of D(G), and of a modular program at another point than the program's
}

// NewValue returns an evaluator of the program's value, and NewGradient one of its
// value and its gradient or Jacobian. The first call compiles; ctx bounds that.
func (p *Program) NewValue(ctx context.Context, opt EvalOptions) (*Evaluator, error) {
	return p.newEvaluator(ctx, opt, false)
}

// NewGradient returns an evaluator of the program's value and gradient. The body
// must have type R or R^k.
func (p *Program) NewGradient(ctx context.Context, opt EvalOptions) (*Evaluator, error) {
	return p.newEvaluator(ctx, opt, true)
}

func (p *Program) newEvaluator(ctx context.Context, opt EvalOptions, grad bool) (*Evaluator, error) {
	if err := opt.check(); err != nil {
		return nil, err
	}
	e := &Evaluator{p: p, opt: opt, meter: limits.New(ctx, p.opt.MaxMemory), grad: grad}
	var err error
	if grad && opt.Mode != Reverse {
		if e.passes, err = p.newPasses(e.meter, opt); err != nil {
			return nil, err
		}
		return e, nil
	}
	switch {
	case opt.Literal:
	case grad:
		err = e.prepare(p.Point())
	default:
		e.prog, err = p.valueProgram(e.meter, opt.placed())
	}
	if err != nil {
		return nil, err
	}
	if err := e.start(); err != nil {
		return nil, err
	}
	return e, nil
}

// placed reports whether steps are to be known by their places in the source.
func (o *EvalOptions) placed() bool { return o.profile != nil }

// start makes the machine of the evaluator's program, in place of the one that it has.
func (e *Evaluator) start() error {
	opt := e.opt
	bounds := limits.Bounds{MaxSteps: opt.MaxSteps, MaxNodes: opt.MaxNodes, MaxMemory: e.meter.Max(), Look: e.p.opt.check("reduce", e.meter)}
	last := e.run
	if opt.Literal {
		if err := e.startLiteral(bounds); err != nil {
			return err
		}
	} else {
		m, err := engine.New(e.prog, engine.Options{Schedule: opt.Schedule, Seed: opt.Seed, Workers: opt.Workers, Finite: opt.Finite, NoFuse: opt.NoFuse, Phase: e.p.opt.machinePhase(), Profile: opt.profile.recording(), Limits: bounds})
		if err != nil {
			return e.p.locate(err, "starting")
		}
		e.m, e.run, e.outputs = m, m, e.prog.Outputs
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

// Close returns the evaluator's memory to the system. After it there are no more runs:
// they are errors.
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
	switch inputs := e.p.scalars(); {
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

// Value appends the numbers of the program's value at the point to out, from left
// to right. The point has a number for each scalar input. Cancelling ctx ends it;
// the evaluator can be used again.
func (e *Evaluator) Value(ctx context.Context, point, out []float64) ([]float64, error) {
	if e.p.src.Shape == nil {
		return out, e.p.valueType()
	}
	if err := e.ready(false, point); err != nil {
		return out, err
	}
	e.meter.SetContext(ctx)
	e.tellPhase()
	start := time.Now()
	if err := e.run.Value(point); err != nil {
		return out, e.p.locate(err, "reducing")
	}
	var err error
	if out, e.lengths, err = e.run.Read(out, e.lengths[:0]); err != nil {
		return out, e.p.locate(err, "reading the value")
	}
	e.last = time.Since(start)
	return out, nil
}

// Lengths returns the lengths of the lists in the last value, outer lists before
// inner ones. It is overwritten by the next run.
func (e *Evaluator) Lengths() []int { return e.lengths }

// Gradient puts the k numbers of the program's value at the point into values, and
// the partial derivatives of each by each scalar input, row by row, into jacobian,
// which has k times as many numbers as there are scalar inputs. For a body of type
// R, k is 1. Other lengths are an error. Corollary gradient, section 5.2.
func (e *Evaluator) Gradient(ctx context.Context, point, values, jacobian []float64) error {
	if err := e.ready(true, point); err != nil {
		return err
	}
	if k := e.Outputs(); len(values) != k || len(jacobian) != k*len(point) {
		return fmt.Errorf("gram: values has length %d and jacobian %d; they must be %d and %d", len(values), len(jacobian), k, k*len(point))
	}
	e.meter.SetContext(ctx)
	if e.passes != nil {
		var err error
		e.last, err = e.passes.gradient(point, values, jacobian)
		return err
	}
	if err := e.again(point); err != nil {
		return err
	}
	e.tellPhase()
	start := time.Now()
	if err := e.run.Gradient(point, values, jacobian); err != nil {
		return e.p.locate(err, "reducing")
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

// Result is a value, its Jacobian if it was asked for, and the cost.
type Result struct {
	Values   []float64 // from left to right, as Program.Shape has them
	Lengths  []int     // of the lists in it, outer lists before inner ones
	Jacobian []float64 // a row for each value, a column for each scalar input
	Cost     Cost
}

// Value reduces the program at its point.
func (p *Program) Value(ctx context.Context, opt EvalOptions) (*Result, error) {
	return p.run(ctx, opt, false, 1)
}

// Gradient computes value and gradient, or Jacobian, at the program's point: it
// reduces D(t), or does what opt.Mode says.
func (p *Program) Gradient(ctx context.Context, opt EvalOptions) (*Result, error) {
	return p.run(ctx, opt, true, 1)
}

// Repeat runs the program n times at its point, for the value or for the gradient,
// and reports the best and the median time in the cost. n must be positive.
func (p *Program) Repeat(ctx context.Context, opt EvalOptions, gradient bool, n int) (*Result, error) {
	if n < 1 {
		return nil, fmt.Errorf("gram: a program can't be run %d times", n)
	}
	return p.run(ctx, opt, gradient, n)
}

func (p *Program) run(ctx context.Context, opt EvalOptions, gradient bool, n int) (*Result, error) {
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
	opt.profile.collectRun(e)
	slices.Sort(times)
	res.Lengths = e.lengths
	res.Cost = e.Cost()
	res.Cost.setTimes(times[0], times[len(times)/2])
	return res, nil
}
