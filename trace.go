package gram

import (
	"context"
	"errors"
	"io"

	"github.com/gram-machine/gram/internal/denote"
	"github.com/gram-machine/gram/internal/derivation"
	"github.com/gram-machine/gram/internal/reference"
	"github.com/gram-machine/gram/lang/load"
	"github.com/gram-machine/gram/limits"
	"github.com/gram-machine/gram/rule"
	"github.com/gram-machine/gram/term"
)

// TraceFormat is how a trace is written.
type TraceFormat uint8

// The formats.
const (
	TraceText  TraceFormat = iota // for people
	TraceJSON                     // an object a line
	TraceLaTeX                    // of [Program.TraceCalculus] only
)

// TraceOptions say what of a run is traced. The zero value traces all of an evaluation. A trace
// of the machine is of the literal one, and takes the options of runs that this has.
type TraceOptions struct {
	EvalOptions
	Gradient bool // the run is that of the gradient, and not of the value
	Format   TraceFormat
	// Rules are the numbers or names of the rules that are traced: "11", "factor"; none
	// means all.
	Rules []string
	// From and To are the first and the last step that is traced; 0 means no bound.
	From, To uint64
	// Line is the line of the source whose steps are traced; 0 means all.
	Line int
	// Phase is "primal" or "backward", of [Program.Trace]; "" means both.
	Phase string
	// MaxSize bounds the symbols of the terms of [Program.TraceCalculus]; 0 means 2000.
	MaxSize int
}

// DefaultTraceSize is the bound on terms where [TraceOptions] have none.
const DefaultTraceSize = 2000

// ruleOf returns the rule with a number or name.
func ruleOf(text string) (rule.Rule, error) {
	for r, info := range rule.Table {
		if text == info.Number || text == info.Name {
			return rule.Rule(r), nil
		}
	}
	hint := ""
	if near := load.Closest(text, rule.Names()); near != "" {
		hint = "; did you mean " + near + "?"
	}
	return 0, &UsageError{Option: "rule", Text: text, Msg: "there is no such rule; rules have numbers, 1 to 13 and 3n, and names" + hint}
}

// filter chooses the steps that are traced.
type filter struct {
	p     *Program
	opt   *TraceOptions
	rules [rule.Count]bool
}

func (p *Program) newFilter(opt *TraceOptions) (*filter, error) {
	f := &filter{p: p, opt: opt}
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

func (f *filter) keep(step uint64, r rule.Rule, pos term.Pos) bool {
	if !f.rules[r] || step < f.opt.From || f.opt.To > 0 && step > f.opt.To {
		return false
	}
	if f.opt.Line == 0 {
		return true
	}
	if pos == 0 {
		return false
	}
	line, _ := f.p.src.Position(pos)
	return line == f.opt.Line
}

// TraceCalculus writes the terms of a reduction, one after the other, as the rewriter of
// package reference takes them by the machine's strategy; the redex of each step is
// marked. It is for small programs: a step takes time linear in the term. What it writes
// before an error is not taken back. The error is an [*Error], a [*LimitError], a
// [*UsageError] about the rules, or that of w.
func (p *Program) TraceCalculus(ctx context.Context, w io.Writer, opt TraceOptions) error {
	f, err := p.newFilter(&opt)
	if err != nil {
		return err
	}
	if opt.MaxSize == 0 {
		opt.MaxSize = DefaultTraceSize
	}
	meter := limits.New(ctx, p.opt.MaxMemory)
	start, err := p.calculusStart(meter, &opt)
	if err != nil {
		return err
	}
	format := map[TraceFormat]derivation.Format{TraceText: derivation.Text, TraceJSON: derivation.JSON, TraceLaTeX: derivation.LaTeX}
	look := p.opt.check("reduce", meter)
	_, err = derivation.Write(w, start, derivation.Options{
		Format: format[opt.Format], Last: opt.To, MaxSize: opt.MaxSize, MaxSteps: opt.MaxSteps, Check: look,
		Keep:     func(s *derivation.Step) bool { return f.keep(s.Number, s.Rule, s.Pos) },
		Position: p.src.Position,
	})
	var size *derivation.SizeError
	var steps *derivation.StepsError
	switch {
	case errors.As(err, &size):
		return &Error{Text: p.src.Name + ": too large to be traced: " + size.Error(), Err: err}
	case errors.As(err, &steps):
		return &LimitError{Limit: "steps", Max: steps.Max, Phase: "reducing", Err: err}
	}
	return p.locate(err, "reducing")
}

// calculusStart is the start term of the value or the gradient. Literals stand in it as
// the λ-terms that they are, so it is bounded before it is made.
func (p *Program) calculusStart(meter *limits.Meter, opt *TraceOptions) (*reference.Start, error) {
	p.terms.Lock()
	defer p.terms.Unlock()
	t := p.src.Term
	outputs := 0
	if opt.Gradient {
		d, err := p.reversed(meter)
		if err != nil {
			return nil, err
		}
		t = d
		if s := p.src.Shape; s.Kind == load.Vector {
			outputs = s.Size
		}
	}
	if n := reference.Symbols(t); n > uint64(opt.MaxSize) {
		size := &derivation.SizeError{Size: int(min(n, 1<<40)), Max: opt.MaxSize}
		return nil, &Error{Text: p.src.Name + ": too large to be traced: " + size.Error(), Err: size}
	}
	t, inputs := apart(t, p.ScalarInputs(), opt.Gradient)
	program := reference.Convert(t, denote.Floats{})
	if opt.Gradient {
		return program.GradientStart(inputs, p.Point(), outputs).Named(), nil
	}
	return program.ValueStart(inputs, p.Point()).Named(), nil
}

// apart copies a term, t or D(t), into a universe of types of its own, and returns what
// its inputs have become: the rewriter makes types as it goes on.
func apart(t *term.Term, inputs []term.Var, reversed bool) (*term.Term, []term.Var) {
	out := term.New(term.NewTypes())
	number := term.R
	if reversed {
		number = out.Types.Reverse(term.R)
	}
	own := map[term.Var]term.Var{}
	images := make([]term.Var, len(inputs))
	for i, x := range inputs {
		images[i] = out.NewVar(term.VarInfo{Name: t.Vars[x].Name, Type: number, Pos: t.Vars[x].Pos})
		own[x] = images[i]
	}
	out.Data = t.Data
	out.Root = out.Import(t, term.Import{
		Free: func(x term.Var) term.Var { return own[x] },
		Data: func(i int) int { return i },
		Pos:  func(pos term.Pos) term.Pos { return pos },
		Name: func(name string) string { return name },
	})
	return out, images
}
