package gram

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"time"

	"github.com/gram-machine/gram/compile"
	"github.com/gram-machine/gram/engine/exec"
	"github.com/gram-machine/gram/engine/lower"
	"github.com/gram-machine/gram/graph"
	"github.com/gram-machine/gram/internal/modular"
	"github.com/gram-machine/gram/lang/load"
	"github.com/gram-machine/gram/limits"
	"github.com/gram-machine/gram/machine"
)

// Evaluator runs one program at many points, in one arena, for one goroutine at a time. Close it
// to return its memory.
type Evaluator struct {
	p       *Program
	opt     EvalOptions
	meter   *limits.Meter
	grad    bool
	run     reducer // one of the next three
	passes  *passes // of the modes that need no machine once the graph is there
	code    *exec.Machine
	batches map[int]*exec.Machine // of many points, by how many
	ran     *exec.Machine         // of code: what ran last
	literal *machine.Machine
	profile *machine.Profile // of the literal machine, if samples are asked for
	noBatch bool
	one     uint64 // the steps of a point by itself; 0: not known
	outputs int
	last    time.Duration
	result  Result // of the last run, but for its cost
	reduced bool   // there is a value to be read
	closed  bool
	cleanup runtime.Cleanup
	data    map[int][]float64 // what SetData has set, by the index of the data
	changes int               // how often

	// What runs: code of the compiler, or a program of the literal machine.
	compiled   *exec.Program
	forLiteral *compile.Program
	// Of the strategies other than Direct, what was done before it:
	before      exec.Stats
	modularised *modular.Program
	madeAt      []float64     // the point; also of passes
	making      time.Duration // how long what runs took to be made

	along      *Evaluator // of the derivative along a vector
	alongPoint []float64  // the point and the vector
	alongLast  bool       // it ran last
}

// reducer is what an evaluator needs of the compiler's code, of the literal machine, or of passes over the graph.
type reducer interface {
	Value(point []float64) error
	Gradient(point, values, jacobian []float64) error
	Read(out []float64, lengths []int) ([]float64, []int, error)
	Close() error
}

// NewValue returns an evaluator of the value. The first call compiles.
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
	e := &Evaluator{p: p, opt: opt, meter: p.meter(ctx), grad: grad}
	if grad && (opt.Mode != Reverse || opt.Strategy != Direct) {
		if err := p.notStreamed(); err != nil {
			return nil, err
		}
	}
	if err := e.prepare(p.src.Point); err != nil {
		return nil, err
	}
	e.outputs = max(1, p.outputs())
	if err := e.start(); err != nil {
		return nil, err
	}
	return e, nil
}

// notStreamed is the error of work that needs the numbers of a data list that is not stored: [Options.Stream].
func (p *Program) notStreamed() error {
	for i := range p.src.Data {
		if d := &p.src.Data[i]; d.Value.Chunk != nil {
			return misuse("data %s is too large to be stored, which only values and gradients by the mode Reverse and the "+
				"strategy Direct do without", d.Name)
		}
	}
	return nil
}

// start makes the machine of the evaluator's program, in place of the one that it has.
func (e *Evaluator) start() error {
	last := e.run
	bounds := e.meter.Bounds("reduce", e.opt.MaxSteps, e.opt.MaxNodes)
	bounds.RowsMemory = e.opt.RowsMemory
	if err := e.newMachine(bounds); err != nil {
		return e.p.locate(err, "starting")
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
	if e.passes != nil {
		e.run = e.passes
		return nil
	}
	if e.compiled != nil {
		m := e.compiled.NewMachine(bounds)
		m.Data, m.NoNative, m.Finite, m.Runs = e.data, e.opt.NoNative, e.opt.Finite, e.opt.Runs
		m.Timed, m.Phase = e.opt.hooks.Timed, phaseOf(e.meter)
		if m.Workers = e.opt.Workers; e.opt.Schedule != Parallel {
			m.Workers = 1
		} else if m.Workers == 0 {
			m.Workers = runtime.GOMAXPROCS(0)
		}
		if e.p.eager {
			m.NativeWork = 1
		}
		e.code, e.ran, e.run = m, m, m
		return nil
	}
	opt := e.opt.literal()
	opt.Limits = bounds
	if e.opt.hooks.Samples != nil {
		e.profile = machine.NewProfile(e.forLiteral)
		opt.Events = e.profile.Events
	}
	m, err := machine.New(e.forLiteral, opt)
	if err != nil {
		return err
	}
	e.literal, e.run = m, m
	return nil
}

// Close returns the memory to the system. Later runs are errors, [ErrClosed].
func (e *Evaluator) Close() error {
	e.closed = true
	if e.along != nil {
		_ = e.along.Close() // it has been used, so it can be closed
	}
	e.cleanup.Stop()
	e.batches, e.ran = nil, e.code
	return e.run.Close()
}

// ready reports a run that the evaluator can't do: it is closed, it computes something
// else, or the point has another length than the program's.
func (e *Evaluator) ready(gradient bool, point []float64) error {
	switch inputs := len(e.p.inputs); {
	case e.closed:
		return ErrClosed
	case gradient && !e.grad:
		return misuse("this evaluator computes values: NewGradient makes one of gradients")
	case !gradient && e.grad:
		return misuse("this evaluator computes gradients: NewValue makes one of values")
	case len(point) != inputs:
		return misuse("the point has length %d, and the program has %d scalar inputs", len(point), inputs)
	}
	e.alongLast, e.ran = false, e.code
	return nil
}

// Value returns the value at the point, a number for each scalar input, by [Evaluator.Reduce] and
// [Evaluator.Read]. It has no cost; the next run overwrites it.
func (e *Evaluator) Value(ctx context.Context, point []float64) (*Result, error) {
	if e.p.src.Shape == nil {
		return nil, e.noValue()
	}
	if err := e.Reduce(ctx, point); err != nil {
		return nil, err
	}
	return e.Read()
}

// Reduce reduces the program at the point. It can be repeated if ctx ends it.
func (e *Evaluator) Reduce(ctx context.Context, point []float64) error {
	if err := e.ready(false, point); err != nil {
		return err
	}
	e.reduced = false
	start := e.begin(ctx)
	if err := e.run.Value(point); err != nil {
		return e.p.locate(err, "reducing")
	}
	e.last, e.reduced = time.Since(start), true
	return nil
}

// Read returns the value that has been reduced, as [Evaluator.Value] does.
func (e *Evaluator) Read() (*Result, error) {
	switch {
	case e.p.src.Shape == nil:
		return nil, e.noValue()
	case e.closed:
		return nil, ErrClosed
	case !e.reduced:
		return nil, misuse("there is no value to read: Reduce makes one")
	}
	start := time.Now()
	values, lengths, err := e.run.Read(e.result.Values[:0], e.result.Lengths[:0])
	if err != nil {
		return nil, e.p.locate(err, "reading the value")
	}
	e.result.Values, e.result.Lengths = values, lengths
	e.last += time.Since(start)
	return &e.result, nil
}

// noValue is the error of a value that has a function in it.
func (e *Evaluator) noValue() error {
	return errorAt(e.p.src, e.p.src.BodyPos(), "no value to print",
		"the body has type "+e.p.src.TypeText+", which has a function in it")
}

// begin begins a run.
func (e *Evaluator) begin(ctx context.Context) time.Time {
	e.meter.SetContext(ctx)
	if e.literal != nil {
		e.meter.Begin("reduce") // the compiler's code tells its phases itself
	}
	return time.Now()
}

// Gradient returns the k numbers of the value at the point, and their partial derivatives by the n scalar inputs, in k
// rows of length n. For a body of type R, k is 1. The next run overwrites the result. Corollary gradient, section 5.2.
func (e *Evaluator) Gradient(ctx context.Context, point []float64) (*Result, error) {
	if err := e.ready(true, point); err != nil {
		return nil, err
	}
	res := &e.result
	res.Values, res.Jacobian = resized(res.Values, e.outputs), resized(res.Jacobian, e.outputs*len(point))
	e.meter.SetContext(ctx)
	if err := e.again(point); err != nil {
		return nil, err
	}
	start := e.begin(ctx)
	if err := e.run.Gradient(point, res.Values, res.Jacobian); err != nil {
		return nil, e.p.locate(err, "reducing")
	}
	e.last = time.Since(start)
	return res, nil
}

// Gradients is [Evaluator.Gradient] at many points, one behind the other: of each, points has n numbers, values k and
// jacobians k rows of length n. They run together, as lanes of one program, where that is short and has no functions or
// machine code of loops in branches. The cost is that of what ran last.
func (e *Evaluator) Gradients(ctx context.Context, points, values, jacobians []float64) error {
	if n := len(e.p.inputs); len(jacobians) != len(values)*n {
		return misuse("%d values have %d derivatives, and there is room for %d", len(values), len(values)*n, len(jacobians))
	}
	return e.many(ctx, points, values, jacobians)
}

// Values is [Evaluator.Value] at many points, in the same way, for values of type R or R^k.
func (e *Evaluator) Values(ctx context.Context, points, values []float64) error {
	return e.many(ctx, points, values, nil)
}

func (e *Evaluator) many(ctx context.Context, points, values, jacobians []float64) error {
	n, k, gradient := len(e.p.inputs), e.outputs, jacobians != nil
	if n == 0 || len(points)%n != 0 {
		return misuse("%d numbers are no points of %d", len(points), n)
	}
	count := len(points) / n
	if len(values) != count*k {
		return misuse("%d points have %d values, and there is room for %d", count, count*k, len(values))
	}
	one := func(i int) error {
		run := e.Value
		if gradient {
			run = e.Gradient
		}
		res, err := run(ctx, points[i*n:(i+1)*n])
		if err == nil && len(res.Values) != k {
			err = misuse("the value is not a number or a vector of numbers")
		} else if err == nil {
			copy(values[i*k:], res.Values)
			copy(jacobians[min(i*k*n, len(jacobians)):], res.Jacobian)
		}
		return err
	}
	e.noBatch = e.noBatch || e.code == nil || e.opt.Strategy != Direct
	if count >= leastBatch && e.one == 0 && !e.noBatch {
		if err := one(0); err != nil {
			return err
		}
		s := e.code.Stats()
		e.one = max(1, s.Counts.Total())
	}
	for i, many := 0, 1; i < count; i += many {
		if err := e.ready(gradient, points[i*n:(i+1)*n]); err != nil {
			return err
		}
		many = 1
		for 2*many <= min(batchPoints, batchNumbers/n, count-i) && uint64(2*many)*e.one <= batchSteps {
			many *= 2
		}
		m, err := e.batch(many)
		if err != nil {
			return err
		}
		if m == nil {
			if many, err = 1, one(i); err != nil {
				return err
			}
			continue
		}
		m.Data, e.ran = e.data, m
		start := e.begin(ctx)
		end := i + many
		if gradient {
			err = m.Gradient(points[i*n:end*n], values[i*k:end*k], jacobians[i*k*n:end*k*n])
		} else if err = m.Value(points[i*n : end*n]); err == nil {
			_, e.result.Lengths, err = m.Read(values[i*k:i*k:end*k], e.result.Lengths[:0])
		}
		if err != nil && ctx.Err() == nil { // memory, which a point by itself may not need
			e.batches, e.noBatch, e.ran, many = nil, true, e.code, 0
			continue
		}
		if err != nil {
			return e.p.locate(err, "reducing")
		}
		e.last = time.Since(start)
	}
	return nil
}

// A batch has at least leastBatch and at most batchPoints points, batchNumbers numbers, and batchSteps steps, about: as
// many as one point took. Long runs gain nothing, and take memory.
const (
	leastBatch   = 8
	batchPoints  = 512
	batchNumbers = 1 << 14
	batchSteps   = 1 << 24
)

// batch is the machine of so many points, nil if these are few or the compiler makes no code of them together.
func (e *Evaluator) batch(points int) (*exec.Machine, error) {
	m, ok := e.batches[points]
	if ok || points < leastBatch || e.noBatch || e.code.Nests() > 0 ||
		e.opt.MaxSteps != 0 || e.opt.MaxNodes != 0 || e.opt.placed() {
		return m, nil
	}
	opt := e.opt.lowered(e.p.inputs, e.grad, e.meter.During("compile"))
	opt.Points = points
	code, err := lower.Program(e.p.src.Written(), opt)
	if _, none := errors.AsType[*lower.UnsupportedError](err); none {
		e.noBatch = true
		return nil, nil
	} else if err != nil {
		return nil, e.p.locate(err, "compiling")
	}
	m = exec.New(code).NewMachine(e.meter.Bounds("reduce", 0, 0))
	m.NoNative, m.Workers, m.Runs = e.code.NoNative, e.code.Workers, e.code.Runs
	if e.batches == nil {
		e.batches = map[int]*exec.Machine{}
	}
	e.batches[points] = m
	return m, nil
}

// Alike reports whether all points take the same steps: no branch of the compiler's code depends on a number.
func (e *Evaluator) Alike() bool { return e.compiled != nil && e.compiled.Alike() }

// resized returns a slice of length n, s if that is long enough.
func resized(s []float64, n int) []float64 {
	if n <= cap(s) {
		return s[:n]
	}
	return make([]float64, n)
}

// SetData replaces the numbers of a data list, in row-major order, by as many others: lengths are static. The slice is
// not to be modified before the next call. It is a [MisuseError] to give another number of them, or some that are not
// finite, to replace a list from which another value was computed, and to do so with Literal, a Mode or a Strategy.
func (e *Evaluator) SetData(name string, values []float64) error {
	i := slices.IndexFunc(e.p.src.Data, func(d load.Variable) bool { return d.Name == name })
	switch {
	case e.closed:
		return ErrClosed
	case i < 0:
		return misuse("the program has no data %s", name)
	case e.literal != nil || e.passes != nil || e.opt.Strategy != Direct:
		return misuse("data can be replaced in code of the compiler, with the mode Reverse and the strategy Direct")
	}
	switch d := &e.p.src.Data[i]; {
	case d.Shape.Kind != load.List || d.Shape.Tagged():
		return misuse("%s is %v: only lists of numbers can be replaced", name, d.Shape)
	case d.Used:
		return misuse("%s can't be replaced: another value of the program was computed from it", name)
	case len(values) != d.Value.Rows*d.Shape.Width():
		return misuse("%s has %d numbers, and %d are given", name, d.Value.Rows*d.Shape.Width(), len(values))
	}
	if slices.ContainsFunc(values, notFinite) {
		return misuse("%s has a number that is not finite", name)
	}
	if err := e.p.src.CheckData(i, values); err != nil {
		return misuse("%v", err)
	}
	e.changes++
	if e.along != nil {
		_ = e.along.Close() // the next one has the new numbers
		e.along = nil
	}
	if e.data != nil {
		e.data[i] = values
		return nil
	}
	e.data = map[int][]float64{i: values}
	return e.start() // with a copy of the program
}

// heap returns the arena of the literal machine between two events, or nil.
func (e *Evaluator) heap() *graph.Heap {
	if e.literal == nil || e.closed {
		return nil
	}
	return e.literal.Heap()
}
