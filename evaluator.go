package gram

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"

	"github.com/gram-machine/gram/engine"
	"github.com/gram-machine/gram/graph"
	"github.com/gram-machine/gram/internal/modular"
	"github.com/gram-machine/gram/limits"
	"github.com/gram-machine/gram/machine"
	"github.com/gram-machine/gram/machine/heap"
	"github.com/gram-machine/gram/machine/profile"
)

// Evaluator runs one program at many points, in one arena, for one goroutine at a time. Close it
// to return its memory.
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
	default:
		err = e.prepare(p.Point())
	}
	if err == nil {
		err = e.start()
	}
	if err != nil {
		return nil, err
	}
	return e, nil
}

// start makes the machine of the evaluator's program, in place of the one that it has.
func (e *Evaluator) start() error {
	last := e.run
	bounds := e.meter.Bounds("reduce", e.opt.MaxSteps, e.opt.MaxNodes)
	bounds.RowsMemory = e.opt.RowsMemory
	if err := e.newMachine(bounds); err != nil {
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
		opt.Events = e.profile.Events
	}
	m, err := machine.New(prog, opt)
	if err != nil {
		return err
	}
	e.literal, e.run, e.outputs = m, m, max(1, prog.Outputs)
	return nil
}

// Close returns the memory to the system. Later runs are errors.
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

// Value appends the numbers of the value at the point, a number for each scalar input, to out. It
// calls [Evaluator.Reduce] and [Evaluator.Read].
func (e *Evaluator) Value(ctx context.Context, point, out []float64) ([]float64, error) {
	if e.p.src.Shape == nil {
		return out, e.noValue()
	}
	if err := e.Reduce(ctx, point); err != nil {
		return out, err
	}
	return e.Read(out)
}

// Reduce reduces the program at the point. A run that ctx has ended can be repeated.
func (e *Evaluator) Reduce(ctx context.Context, point []float64) error {
	if err := e.ready(false, point); err != nil {
		return err
	}
	start := e.begin(ctx)
	again, err := e.withoutArrays(e.run.Value(point), point)
	if again {
		err = e.run.Value(point)
	}
	if err != nil {
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

// Lengths returns [Result.Lengths] of the last value. The next run overwrites it.
func (e *Evaluator) Lengths() []int { return e.lengths }

// Gradient puts the k numbers of the value at the point into values, and their partial derivatives
// by the n scalar inputs into jacobian, in k rows of length n. For a body of type R, k is 1.
// Corollary gradient, section 5.2.
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
	again, err := e.withoutArrays(e.run.Gradient(point, values, jacobian), point)
	if again {
		err = e.run.Gradient(point, values, jacobian)
	}
	if err != nil {
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

// Heap returns the arena of the literal machine between two events.
func (e *Evaluator) Heap() *heap.Heap {
	if e.literal == nil {
		return nil
	}
	return e.literal.Heap()
}
