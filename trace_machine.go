package gram

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/gram-machine/gram/cmd/internal/picture"
	"github.com/gram-machine/gram/machine"
	"github.com/gram-machine/gram/rule"
	"github.com/gram-machine/gram/term"
)

// errTraceEnd ends a run of which no more is to be traced.
var errTraceEnd = errors.New("gram: the end of what is traced")

// Trace writes the rewrites of a run of the literal machine at the program's point, a line
// each, as they happen: the number, the rule, the phase, the place in the source, and the
// live nodes before and after. What a rewrite leaves to units of work, like the copy of a
// body, counts with it. What Trace writes before an error is not taken back. The error is an
// [*Error], a [*LimitError], a [*UsageError] about the rules, or that of w.
func (p *Program) Trace(ctx context.Context, w io.Writer, opt TraceOptions) error {
	f, err := p.newFilter(&opt)
	if err != nil {
		return err
	}
	out := bufio.NewWriter(w)
	line := &lines{p: p, json: opt.Format == TraceJSON, middles: map[rewriteKind]string{}}
	var buf []byte
	t := tracer{emit: func(r *rewrite) error {
		if f.keep(r.number, r.rule, r.pos) && (opt.Phase == "" || opt.Phase == phaseOf(r.backward)) {
			buf = line.append(buf[:0], r)
			if _, err := out.Write(buf); err != nil {
				return err
			}
		}
		if r.number == opt.To {
			return errTraceEnd
		}
		return nil
	}}
	run, err := p.traced(ctx, &opt, machine.Options{Events: t.event})
	if err != nil {
		return err
	}
	defer run.Close()
	err = run.reduce()
	if e := t.flush(); err == nil {
		err = e
	}
	if errors.Is(err, errTraceEnd) {
		err = nil
	}
	if e := out.Flush(); err == nil {
		err = e
	}
	return err
}

// traced makes a run of the literal machine whose events go where hooks says.
func (p *Program) traced(ctx context.Context, opt *TraceOptions, hooks machine.Options) (*literalRun, error) {
	run := opt.EvalOptions
	run.Literal = true
	return p.newLiteralRun(ctx, &run, opt.Gradient, hooks)
}

// rewrite is a line of a trace.
type rewrite struct {
	rewriteKind
	number        uint64
	before, after uint64 // live nodes
}

// rewriteKind is what many rewrites have in common.
type rewriteKind struct {
	rule     rule.Rule
	backward bool
	pos      term.Pos
}

// tracer makes the rewrites of a trace of the events of a run. A rewrite is over when the next
// one fires, or the run ends.
type tracer struct {
	last rewrite // number 0: there is none
	live uint64
	emit func(*rewrite) error
}

func (t *tracer) event(f *machine.Fired) error {
	if rule, ok := f.Move.Rule(); ok {
		if err := t.flush(); err != nil {
			return err
		}
		t.last = rewrite{rewriteKind: rewriteKind{rule, f.Backward, f.Pos}, number: f.N, before: t.live}
	}
	t.live = f.Live
	return nil
}

// flush ends the last rewrite.
func (t *tracer) flush() error {
	r := t.last
	if t.last.number = 0; r.number == 0 {
		return nil
	}
	r.after = t.live
	return t.emit(&r)
}

// lines writes the lines of a trace.
type lines struct {
	p    *Program
	json bool
	// middles are what lines have between the number and the nodes.
	middles map[rewriteKind]string
}

// append appends the line of a rewrite.
func (l *lines) append(b []byte, r *rewrite) []byte {
	middle, ok := l.middles[r.rewriteKind]
	if !ok {
		middle = l.middle(r.rewriteKind)
		l.middles[r.rewriteKind] = middle
	}
	arrow, end := " → ", "\n"
	if l.json {
		b = append(b, `{"step":`...)
		arrow, end = ",", "]}\n"
	} else {
		for n := r.number; n < 1e7; n = 10*n + 9 {
			b = append(b, ' ')
		}
	}
	b = strconv.AppendUint(b, r.number, 10)
	b = append(b, middle...)
	b = strconv.AppendUint(b, r.before, 10)
	b = append(b, arrow...)
	b = strconv.AppendUint(b, r.after, 10)
	return append(b, end...)
}

func (l *lines) middle(k rewriteKind) string {
	rule := &rule.Table[k.rule]
	if !l.json {
		return fmt.Sprintf("  %4s %-12s  %-8s  %7s  ", "("+rule.Number+")", rule.Name, phaseOf(k.backward), l.p.src.Place(k.pos))
	}
	place := ""
	if k.pos != 0 {
		line, column := l.p.src.Position(k.pos)
		place = fmt.Sprintf(`"line":%d,"column":%d,`, line, column)
	}
	return fmt.Sprintf(`,"rule":%q,"number":%q,"phase":%q,%s"nodes":[`, rule.Name, rule.Number, phaseOf(k.backward), place)
}

// DrawStep draws in DOT the arena of the literal machine after a step, or before it: the nodes
// that the result, the seeds and the sums of dual applications reach, most of them at most. It
// returns how many it leaves out. The error is a [*UsageError] if the run has no such step, or
// as that of [Program.Trace].
func (p *Program) DrawStep(ctx context.Context, w io.Writer, step uint64, before bool, most int, opt TraceOptions) (left int, err error) {
	next := step // the step before which is drawn
	if !before {
		next++
	}
	var run *literalRun
	var inputs []string
	for _, x := range p.ScalarInputs() {
		inputs = append(inputs, p.src.Term.Vars[x].Name)
	}
	draw := func() error {
		if left, err = picture.Heap(w, run.Heap(), inputs, most); err != nil {
			return err
		}
		return errTraceEnd
	}
	made := uint64(0)
	hooks := machine.Options{
		Before: func(n uint64) error {
			if n == next {
				return draw()
			}
			return nil
		},
		Events: func(f *machine.Fired) error {
			if made = f.N; f.Move == readBack && opt.Gradient && made == step && !before {
				return draw() // reading a row empties it
			}
			return nil
		},
	}
	if run, err = p.traced(ctx, &opt, hooks); err != nil {
		return 0, err
	}
	defer run.Close()
	if err = run.reduce(); err == nil && made == step && !before {
		err = draw()
	}
	switch {
	case errors.Is(err, errTraceEnd):
		return left, nil
	case err == nil:
		return 0, &UsageError{Option: "step", Text: strconv.FormatUint(step, 10), Msg: "the run has no such step"}
	}
	return 0, err
}

// readBack is the move in which a number of the result is read.
const readBack = machine.Move(rule.Count) + machine.Move(machine.ReadBack)
