package reduction

import (
	"context"
	"errors"
	"io"
	"strconv"

	"github.com/gram-machine/gram"
	"github.com/gram-machine/gram/cmd/internal/show"
	"github.com/gram-machine/gram/graph"
	"github.com/gram-machine/gram/internal/bridge"
	"github.com/gram-machine/gram/machine"
	"github.com/gram-machine/gram/rule"
)

// Run is a run of the literal machine at the program's point.
type Run struct {
	*gram.Evaluator
	Result *gram.Result // of a gradient

	gradient bool
	point    []float64
}

// Start makes a run of the gradient or of the value, which opt watches.
func Start(ctx context.Context, p *gram.Program, gradient bool, opt gram.EvalOptions) (*Run, error) {
	opt.Literal = true
	r := &Run{gradient: gradient, point: p.Point()}
	var err error
	if gradient {
		r.Evaluator, err = p.NewGradient(ctx, opt)
	} else {
		r.Evaluator, err = p.NewValue(ctx, opt)
	}
	return r, err
}

// Heap returns the arena between two events.
func (r *Run) Heap() *graph.Heap { return bridge.Heap(r.Evaluator) }

// Run makes the run. A value is left to be read.
func (r *Run) Run(ctx context.Context) (err error) {
	if r.gradient {
		r.Result, err = r.Gradient(ctx, r.point)
		return err
	}
	return r.Reduce(ctx, r.point)
}

// Draw draws the arena of the literal machine after a step, or before it: the nodes
// that the result, the seeds and the sums of dual applications reach, most of them at most. It
// returns how many it leaves out. The error is a [*gram.UsageError] if the run has no such step,
// or as that of [Rewrites].
func Draw(ctx context.Context, p *gram.Program, w io.Writer, step uint64, before bool, most int, as show.Format,
	opt TraceOptions) (left int, err error) {
	next := step // the step before which is drawn
	if !before {
		next++
	}
	var run *Run
	draw := func() error {
		if left, err = show.Heap(w, run.Heap(), bridge.Of(p).Source().ScalarNames(), most, as); err != nil {
			return err
		}
		return errEnd
	}
	made := uint64(0)
	hooks := bridge.Hooks{Before: func(n uint64) error {
		if n == next {
			return draw()
		}
		return nil
	}, Events: func(f *machine.Fired) error {
		if made = f.N; f.Move == rule.ReadBack && made == step && !before {
			return draw() // reading a row empties it
		}
		return nil
	}}
	if run, err = Start(ctx, p, opt.Gradient, bridge.Watch(opt.EvalOptions, hooks)); err != nil {
		return 0, err
	}
	defer run.Close()
	if err = run.Run(ctx); err == nil && made == step && !before {
		err = draw()
	}
	switch {
	case errors.Is(err, errEnd):
		return left, nil
	case err == nil:
		return 0, &gram.UsageError{Option: "step", Text: strconv.FormatUint(step, 10), Msg: "the run has no such step"}
	}
	return 0, err
}
