package reduction

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/gram-machine/gram"
	"github.com/gram-machine/gram/cmd/internal/show"
	"github.com/gram-machine/gram/compile"
	"github.com/gram-machine/gram/graph"
	"github.com/gram-machine/gram/internal/bridge"
	"github.com/gram-machine/gram/internal/decode"
	"github.com/gram-machine/gram/internal/denote"
	"github.com/gram-machine/gram/internal/reference"
	"github.com/gram-machine/gram/lang"
	"github.com/gram-machine/gram/lang/load"
	"github.com/gram-machine/gram/lang/syntax"
	"github.com/gram-machine/gram/limits"
	"github.com/gram-machine/gram/machine"
	"github.com/gram-machine/gram/revgrad"
	"github.com/gram-machine/gram/rule"
	"github.com/gram-machine/gram/term"
)

// TraceOptions say what of a run is traced. The zero value traces all of an evaluation. A trace of the
// machine is of the literal one, and takes the options of runs that this has.
type TraceOptions struct {
	gram.EvalOptions
	Gradient bool // the run is that of the gradient, and not of the value
	Format   Format
	// Rules are the numbers or names of the rules that are traced: "11", "factor"; none means all.
	Rules []string
	// From and To are the first and the last step that is traced; 0 means no bound.
	From, To uint64
	// Line is the line of the source whose steps are traced; 0 means all.
	Line int
	// Phase is "primal" or "backward", of [Rewrites]; "" means both.
	Phase string
	// MaxSize bounds the symbols of the terms of [Calculus]; 0 means 2000.
	MaxSize int
}

// DefaultSize is the bound on terms where [TraceOptions] have none.
const DefaultSize = 2000

// Filter chooses steps.
type Filter struct {
	src   *lang.Program
	opt   *TraceOptions
	rules [rule.Count]bool
}

// NewFilter returns the filter that opt describes. The error is a [*gram.UsageError] about the rules.
func NewFilter(p *gram.Program, opt *TraceOptions) (*Filter, error) {
	f := &Filter{src: bridge.Of(p).Source(), opt: opt}
	for _, text := range opt.Rules {
		r, ok := rule.Find(text)
		if !ok {
			hint := ""
			if near := syntax.Suggest(text, rule.Names()); near != "" {
				hint = "; did you mean " + near + "?"
			}
			return nil, &gram.UsageError{Option: "rule", Text: text,
				Msg: "there is no such rule; rules have numbers, 1 to " + rule.Table[rule.Count-1].Number +
					" and 3n, and names" + hint}
		}
		f.rules[r] = true
	}
	return f, nil
}

// keep reports whether a step is chosen.
func (f *Filter) keep(step uint64, k kind) bool {
	opt := f.opt
	if len(opt.Rules) > 0 && !f.rules[k.rule] || step < opt.From || opt.To > 0 && step > opt.To ||
		opt.Phase != "" && opt.Phase != Phase(k.backward) {
		return false
	}
	if opt.Line == 0 {
		return true
	}
	line, _ := f.src.Position(k.pos)
	return line == opt.Line
}

// Fired reports whether an event is a step that is chosen.
func (f *Filter) Fired(e *machine.Fired) bool {
	r, ok := e.Move.Rule()
	return ok && f.keep(e.N, kind{r, e.Backward(), e.Pos()})
}

// Phase names the phase of a rewrite.
func Phase(backward bool) string {
	if backward {
		return "backward"
	}
	return "primal"
}

// Calculus writes the terms of a run of the literal machine, one after the other, up to ≡: each rewrite is a step
// that the rewriter of package reference makes. The redex of each step is marked. It is for small programs: a step
// takes time linear in the term. What it writes before an error is not taken back. The error is a [*gram.Error], a
// [*gram.LimitError], a [*gram.UsageError] about the rules, or that of w.
func Calculus(ctx context.Context, p *gram.Program, w io.Writer, opt TraceOptions) error {
	f, err := NewFilter(p, &opt)
	if err != nil {
		return err
	}
	if opt.MaxSize == 0 {
		opt.MaxSize = DefaultSize
	}
	meter := bridge.Of(p).Meter(ctx)
	start, prog, err := calculusStart(p, meter, &opt)
	if err != nil {
		return err
	}
	next, stop := decode.New(start, prog).Strategy(machine.Options{}, func(m *machine.Machine) error {
		if !opt.Gradient {
			return m.Value(p.Point())
		}
		return m.Gradient(p.Point(), make([]float64, prog.Outputs), make([]float64, prog.Outputs*prog.Inputs))
	})
	_, err = derive(w, start, Derivation{
		Format: opt.Format, Next: next, Last: opt.To, MaxSize: opt.MaxSize, MaxSteps: opt.MaxSteps,
		Keep:   func(s *Step) bool { return f.keep(s.Number, kind{rule: s.Rule, pos: s.Pos}) },
		Source: bridge.Of(p).Source(), Check: meter.During("reduce"),
	})
	err = cmp.Or(err, stop())
	if size, ok := errors.AsType[*SizeError](err); ok {
		return tooLarge(p, size)
	}
	return bridge.Of(p).Locate(err, "reducing")
}

// calculusStart is the start term of the value or the gradient. Literals stand in it as
// the λ-terms that they are, so it is bounded before it is made.
func calculusStart(p *gram.Program, meter *limits.Meter,
	opt *TraceOptions) (*reference.Start, *compile.Program, error) {
	t, inputs := bridge.Of(p).Copy()
	outputs := 0
	if opt.Gradient {
		err := p.Differentiable()
		if err != nil {
			return nil, nil, err
		}
		if t, err = revgrad.Reverse(t, meter.During("compile")); err != nil {
			return nil, nil, bridge.Of(p).Locate(err, "differentiating")
		}
		if s := p.Shape(); s.Kind == load.Vector {
			outputs = s.Size
		}
	}
	if n := reference.Symbols(t); n > uint64(opt.MaxSize) {
		return nil, nil, tooLarge(p, &SizeError{Size: int(min(n, 1<<40)), Max: opt.MaxSize})
	}
	program := reference.Convert(t, denote.Floats{})
	if opt.Gradient {
		prog, err := compile.NewGradient(t, inputs, outputs, meter.During("compile"))
		return program.GradientStart(inputs, p.Point(), outputs).Named(), prog, err
	}
	prog, err := compile.NewValue(t, inputs, meter.During("compile"))
	return program.ValueStart(inputs, p.Point()).Named(), prog, err
}

// tooLarge is the error of a term that is larger than is traced.
func tooLarge(p *gram.Program, err *SizeError) error {
	return &gram.Error{Text: bridge.Of(p).Source().Name + ": too large to be traced: " + err.Error(), Err: err}
}

// errEnd ends a run of which no more is to be traced.
var errEnd = errors.New("the end of what is traced")

// Rewrites writes the rewrites of a run of the literal machine at the program's point, a line each, as they happen: the
// number, the rule, the phase, the place in the source, and the live nodes before and after. What a rewrite leaves to
// units of work, like the copy of a body, counts with it. What is written before an error is not taken back. The error
// is a [*gram.Error], a [*gram.LimitError], a [*gram.UsageError] about the rules, or that of w.
func Rewrites(ctx context.Context, p *gram.Program, w io.Writer, opt TraceOptions) error {
	f, err := NewFilter(p, &opt)
	if err != nil {
		return err
	}
	t := &tracer{Filter: f, out: bufio.NewWriter(w), middles: map[kind]string{}}
	e, err := Start(ctx, p, opt.Gradient, bridge.Watch(opt.EvalOptions, bridge.Hooks{Events: t.event}))
	if err != nil {
		return err
	}
	defer e.Close()
	if err = cmp.Or(e.Run(ctx), t.flush()); errors.Is(err, errEnd) {
		err = nil
	}
	return cmp.Or(err, t.out.Flush())
}

// rewrite is a line of a trace.
type rewrite struct {
	kind
	number, before uint64 // live nodes before it
}

// kind is what many rewrites have in common.
type kind struct {
	rule     rule.Rule
	backward bool
	pos      term.Pos
}

// tracer writes the rewrites of a run that are chosen. A rewrite is over when the next one fires, or the run ends.
type tracer struct {
	*Filter
	out     *bufio.Writer
	last    rewrite // number 0: there is none
	live    uint64
	middles map[kind]string // what lines have between the number and the nodes
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
	if t.keep(r.number, r.kind) {
		if _, err := t.out.Write(t.append(t.out.AvailableBuffer(), &r)); err != nil {
			return err
		}
	}
	if r.number == t.opt.To {
		return errEnd
	}
	return nil
}

// append appends the line of a rewrite that is over.
func (t *tracer) append(b []byte, r *rewrite) []byte {
	middle, ok := t.middles[r.kind]
	if !ok {
		middle = t.middle(r.kind)
		t.middles[r.kind] = middle
	}
	arrow, end := " → ", "\n"
	if t.opt.Format == JSON {
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
	b = strconv.AppendUint(b, t.live, 10)
	return append(b, end...)
}

func (t *tracer) middle(k kind) string {
	rule := &rule.Table[k.rule]
	if t.opt.Format != JSON {
		return fmt.Sprintf("  %4s %-12s  %-8s  %7s  ", "("+rule.Number+")", rule.Name, Phase(k.backward), t.src.Place(k.pos))
	}
	place := ""
	if k.pos != 0 {
		line, column := t.src.Position(k.pos)
		place = fmt.Sprintf(`"line":%d,"column":%d,`, line, column)
	}
	return fmt.Sprintf(`,"rule":%q,"number":%q,"phase":%q,%s"nodes":[`, rule.Name, rule.Number, Phase(k.backward), place)
}

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

// Draw draws the arena of the literal machine after a step, or before it: the nodes that the result, the seeds and the
// sums of dual applications reach, most of them at most. It returns how many it leaves out. The error is a
// [*gram.UsageError] if the run has no such step, or as that of [Rewrites].
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
