package peers

import (
	"context"

	"github.com/gram-machine/gram"
	"github.com/gram-machine/gram/bench"
)

// runner is a peer at work on one task.
type runner interface {
	// Turn takes value, gradient and a time.
	Turn(ctx context.Context) (Answer, error)
	// Bytes is the memory of a run; 0 if that isn't known.
	Bytes() float64
	Close()
}

// loop is a gradient in Go that keeps its memory.
type loop struct {
	run   func() (float64, []float64)
	bytes func() float64
}

func byHand(blas bool) starter {
	return func(_ context.Context, w *bench.Workload) (runner, error) {
		h := &bench.Hand{BLAS: blas}
		return &loop{func() (float64, []float64) { return w.Hand(h) }, h.Bytes}, nil
	}
}

func onTape(_ context.Context, w *bench.Workload) (runner, error) {
	t := &bench.Tape{}
	return &loop{func() (float64, []float64) { return w.Tape(t) }, t.Bytes}, nil
}

func (l *loop) Turn(ctx context.Context) (Answer, error) {
	var a Answer
	var err error
	a.Time, err = bench.TimeOf(func() error {
		a.Value, a.Gradient = l.run()
		return ctx.Err()
	})
	return a, err
}

func (l *loop) Bytes() float64 { return l.bytes() }
func (l *loop) Close()         {}

// machineRun is the machine with a program.
type machineRun struct {
	e      *gram.Evaluator
	point  []float64
	before uint64 // steps that were taken before the program runs
}

func onMachine(opt gram.EvalOptions) starter {
	return func(ctx context.Context, w *bench.Workload) (runner, error) {
		e, err := w.Program.NewGradient(ctx, opt)
		if err != nil {
			return nil, err
		}
		return &machineRun{e: e, point: w.Program.Point(), before: e.Cost().Steps.Total()}, nil
	}
}

func (m *machineRun) Turn(ctx context.Context) (Answer, error) {
	var res *gram.Result
	time, err := bench.TimeOf(func() (err error) {
		res, err = m.e.Gradient(ctx, m.point)
		return err
	})
	if err != nil {
		return Answer{}, err
	}
	return Answer{Value: res.Values[0], Gradient: res.Jacobian, Time: time,
		Steps: float64(m.e.Cost().Steps.Total() - m.before)}, nil
}

// Bytes are those of the nodes that a run allocates.
func (m *machineRun) Bytes() float64 { return float64(16 * m.e.Cost().Nodes.Allocated) }

func (m *machineRun) Close() { _ = m.e.Close() }
