package reduction

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/gram-machine/gram"
	"github.com/gram-machine/gram/internal/bridge"
	"github.com/gram-machine/gram/lang"
	"github.com/gram-machine/gram/machine"
	"github.com/gram-machine/gram/rule"
	"github.com/gram-machine/gram/term"
)

// errEnd ends a run of which no more is to be traced.
var errEnd = errors.New("the end of what is traced")

// Rewrites writes the rewrites of a run of the literal machine at the program's point, a line
// each, as they happen: the number, the rule, the phase, the place in the source, and the
// live nodes before and after. What a rewrite leaves to units of work, like the copy of a
// body, counts with it. What is written before an error is not taken back. The error is a
// [*gram.Error], a [*gram.LimitError], a [*gram.UsageError] about the rules, or that of w.
func Rewrites(ctx context.Context, p *gram.Program, w io.Writer, opt TraceOptions) error {
	f, err := NewFilter(p, &opt)
	if err != nil {
		return err
	}
	out := bufio.NewWriter(w)
	line := &lines{src: bridge.Of(p).Source(), json: opt.Format == JSON, middles: map[kind]string{}}
	var buf []byte
	t := tracer{emit: func(r *rewrite) error {
		if f.Keep(r.number, r.rule, r.pos) && (opt.Phase == "" || opt.Phase == Phase(r.backward)) {
			buf = line.append(buf[:0], r)
			if _, err := out.Write(buf); err != nil {
				return err
			}
		}
		if r.number == opt.To {
			return errEnd
		}
		return nil
	}}
	run := bridge.Watch(opt.EvalOptions, bridge.Hooks{Events: t.event})
	e, err := Start(ctx, p, opt.Gradient, run)
	if err != nil {
		return err
	}
	defer e.Close()
	err = e.Run(ctx)
	if e := t.flush(); err == nil {
		err = e
	}
	if errors.Is(err, errEnd) {
		err = nil
	}
	if e := out.Flush(); err == nil {
		err = e
	}
	return err
}

// rewrite is a line of a trace.
type rewrite struct {
	kind
	number        uint64
	before, after uint64 // live nodes
}

// kind is what many rewrites have in common.
type kind struct {
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
		t.last = rewrite{kind: kind{rule, f.Backward(), f.Pos()}, number: f.N, before: t.live}
	}
	t.live = f.Live()
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
	src  *lang.Program
	json bool
	// middles are what lines have between the number and the nodes.
	middles map[kind]string
}

// append appends the line of a rewrite.
func (l *lines) append(b []byte, r *rewrite) []byte {
	middle, ok := l.middles[r.kind]
	if !ok {
		middle = l.middle(r.kind)
		l.middles[r.kind] = middle
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

func (l *lines) middle(k kind) string {
	rule := &rule.Table[k.rule]
	if !l.json {
		return fmt.Sprintf("  %4s %-12s  %-8s  %7s  ", "("+rule.Number+")", rule.Name, Phase(k.backward), l.src.Place(k.pos))
	}
	place := ""
	if k.pos != 0 {
		line, column := l.src.Position(k.pos)
		place = fmt.Sprintf(`"line":%d,"column":%d,`, line, column)
	}
	return fmt.Sprintf(`,"rule":%q,"number":%q,"phase":%q,%s"nodes":[`, rule.Name, rule.Number, Phase(k.backward), place)
}
