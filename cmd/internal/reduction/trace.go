package reduction

import (
	"context"
	"errors"
	"io"

	"github.com/gram-machine/gram"
	"github.com/gram-machine/gram/compile"
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
	// Rules are the numbers or names of the rules that are traced: "11", "factor"; none
	// means all.
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

// ruleOf returns the rule with a number or name.
func ruleOf(text string) (rule.Rule, error) {
	if r, ok := rule.Find(text); ok {
		return r, nil
	}
	hint := ""
	if near := syntax.Suggest(text, rule.Names()); near != "" {
		hint = "; did you mean " + near + "?"
	}
	return 0, &gram.UsageError{Option: "rule", Text: text,
		Msg: "there is no such rule; rules have numbers, 1 to " + rule.Table[rule.Count-1].Number +
			" and 3n, and names" + hint}
}

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
		r, err := ruleOf(text)
		if err != nil {
			return nil, err
		}
		f.rules[r] = true
	}
	if len(opt.Rules) == 0 {
		for r := range f.rules {
			f.rules[r] = true
		}
	}
	return f, nil
}

// Keep reports whether a step is chosen, whatever its phase.
func (f *Filter) Keep(step uint64, r rule.Rule, pos term.Pos) bool {
	if !f.rules[r] || step < f.opt.From || f.opt.To > 0 && step > f.opt.To {
		return false
	}
	if f.opt.Line == 0 {
		return true
	}
	if pos == 0 {
		return false
	}
	line, _ := f.src.Position(pos)
	return line == f.opt.Line
}

// Fired reports whether an event is a step that is chosen.
func (f *Filter) Fired(e *machine.Fired) bool {
	r, ok := e.Move.Rule()
	return ok && f.Keep(e.N, r, e.Pos()) && (f.opt.Phase == "" || f.opt.Phase == Phase(e.Backward()))
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
	look := meter.During("reduce")
	_, err = derive(w, start, Derivation{
		Format: opt.Format, Next: next, Last: opt.To, MaxSize: opt.MaxSize, MaxSteps: opt.MaxSteps, Check: look,
		Keep: func(s *Step) bool { return f.Keep(s.Number, s.Rule, s.Pos) },
		File: bridge.Of(p).Source().File,
	})
	if e := stop(); err == nil {
		err = e
	}
	var size *SizeError
	var steps *StepsError
	switch {
	case errors.As(err, &size):
		return tooLarge(p, size)
	case errors.As(err, &steps):
		return &gram.LimitError{Limit: "steps", Max: steps.Max, Phase: "reducing", Err: err}
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
