package gram

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/gram-machine/gram/engine"
	"github.com/gram-machine/gram/graph"
	"github.com/gram-machine/gram/internal/picture"
)

// errTraceEnd ends a run of which no more is to be traced.
var errTraceEnd = errors.New("gram: the end of what is traced")

// Trace writes the rewrites of a run of the machine at the program's point, a line each,
// as they happen: the number, the rule, the phase, the place in the source, and the live
// nodes before and after. The literal form runs, by LIFO or a random schedule, and the
// strategy direct. See [engine.Machine.TraceValue] for the order of rewrites that the
// machine makes at once. What it writes before an error is not taken back. The error is
// an [*Error], a [*LimitError], a [*UsageError] about the rules, or that of w.
func (p *Program) Trace(ctx context.Context, w io.Writer, opt TraceOptions) error {
	f, err := p.newFilter(&opt)
	if err != nil {
		return err
	}
	out := bufio.NewWriter(w)
	line := p.textRewrite
	if opt.Format == TraceJSON {
		line = p.jsonRewrite
	}
	var buf []byte
	err = p.traced(ctx, &opt, func(_ *engine.Machine, r *engine.Rewrite) error {
		if f.keep(r.Number, r.Rule, r.Pos) && (opt.Phase == "" || opt.Phase == r.Phase.String()) {
			buf = line(buf[:0], r)
			if _, err := out.Write(buf); err != nil {
				return err
			}
		}
		if r.Number == opt.To {
			return errTraceEnd
		}
		return nil
	})
	if errors.Is(err, errTraceEnd) {
		err = nil
	}
	if e := out.Flush(); err == nil {
		err = e
	}
	return err
}

// traced runs the program with a trace.
func (p *Program) traced(ctx context.Context, opt *TraceOptions, f func(*engine.Machine, *engine.Rewrite) error) error {
	return p.literally(ctx, opt.EvalOptions, opt.Gradient, func(e *Evaluator, point, values, jacobian []float64) error {
		call := func(r *engine.Rewrite) error { return f(e.m, r) }
		if opt.Gradient {
			return e.m.TraceGradient(point, values, jacobian, call)
		}
		return e.m.TraceValue(point, call)
	})
}

// literally runs the literal form of the program at its point.
func (p *Program) literally(ctx context.Context, opt EvalOptions, gradient bool, run func(e *Evaluator, point, values, jacobian []float64) error) error {
	opt.NoFuse, opt.Strategy, opt.Mode, opt.Ablation, opt.traced = true, Direct, Reverse, engine.Whole, true
	if opt.Schedule == Parallel {
		opt.Schedule = LIFO
	}
	e, err := p.newEvaluator(ctx, opt, gradient)
	if err != nil {
		return err
	}
	defer e.Close()
	point := p.Point()
	values := make([]float64, e.Outputs())
	return p.locate(run(e, point, values, make([]float64, len(values)*len(point))), "reducing")
}

func (p *Program) textRewrite(b []byte, r *engine.Rewrite) []byte {
	rule := &graph.Rules[r.Rule]
	return fmt.Appendf(b, "%8d  %4s %-12s  %-8s  %7s  %d → %d\n", r.Number, "("+rule.Number+")", rule.Name, r.Phase,
		p.src.Place(r.Pos), r.Before, r.After)
}

func (p *Program) jsonRewrite(b []byte, r *engine.Rewrite) []byte {
	rule := &graph.Rules[r.Rule]
	b = append(b, `{"step":`...)
	b = strconv.AppendUint(b, r.Number, 10)
	b = append(b, `,"rule":"`...)
	b = append(b, rule.Name...)
	b = append(b, `","number":"`...)
	b = append(b, rule.Number...)
	b = append(b, `","phase":"`...)
	b = append(b, r.Phase.String()...)
	b = append(b, '"')
	if r.Pos != 0 {
		line, column := p.src.Position(r.Pos)
		b = append(b, `,"line":`...)
		b = strconv.AppendInt(b, int64(line), 10)
		b = append(b, `,"column":`...)
		b = strconv.AppendInt(b, int64(column), 10)
	}
	b = append(b, `,"nodes":[`...)
	b = strconv.AppendUint(b, r.Before, 10)
	b = append(b, ',')
	b = strconv.AppendUint(b, r.After, 10)
	return append(b, "]}\n"...)
}

// DrawStep draws in DOT what the result reaches in the arena after a step of a traced
// run, or before it: then, where the machine makes several rewrites at once, before all
// of these. It returns how many objects it leaves out. The error is a [*UsageError] if
// the run has no such step, or as that of [Program.Trace].
func (p *Program) DrawStep(ctx context.Context, w io.Writer, step uint64, before bool, most int, opt TraceOptions) (left int, err error) {
	stop := step
	if before {
		err := p.traced(ctx, &opt, func(_ *engine.Machine, r *engine.Rewrite) error {
			if r.Number < step {
				return nil
			}
			stop = r.Event - 1
			return errTraceEnd
		})
		switch {
		case err == nil:
			return 0, noStep(step)
		case !errors.Is(err, errTraceEnd):
			return 0, err
		case stop == 0:
			return 0, &UsageError{Option: "step", Text: strconv.FormatUint(step, 10), Msg: "before this there is no graph"}
		}
	}
	err = p.traced(ctx, &opt, func(m *engine.Machine, r *engine.Rewrite) error {
		if r.Number < stop {
			return nil
		}
		var objects []graph.Object
		if objects, left, err = m.Objects(most); err == nil {
			err = picture.Objects(w, objects, left)
		}
		if err != nil {
			return err
		}
		return errTraceEnd
	})
	switch {
	case errors.Is(err, errTraceEnd):
		return left, nil
	case err == nil:
		return 0, noStep(step)
	}
	return 0, err
}

func noStep(step uint64) error {
	return &UsageError{Option: "step", Text: strconv.FormatUint(step, 10), Msg: "the run has no such step"}
}
