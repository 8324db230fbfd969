package gram

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/gram-machine/gram/engine/exec"
	"github.com/gram-machine/gram/internal/hypergraph"
	"github.com/gram-machine/gram/internal/stage"
	"github.com/gram-machine/gram/lang"
	"github.com/gram-machine/gram/lang/load"
	"github.com/gram-machine/gram/lang/syntax"
	"github.com/gram-machine/gram/limits"
	"github.com/gram-machine/gram/revgrad"
	"github.com/gram-machine/gram/term"
)

// Error is a program that is wrong or cannot be run. Its text shows each place with a caret under it.
type Error struct {
	Text string
	// Diagnostics are the places, without the notes that Text has, in the same order.
	Diagnostics []Diagnostic
	Err         error
}

// Diagnostic says what is wrong at a place of the source.
type Diagnostic struct {
	Line     int    `json:"line"`     // from 1; 0 if there is no place
	Column   int    `json:"column"`   // from 1, in runes
	Width    int    `json:"width"`    // in runes, on that line
	Headline string `json:"headline"` // "type mismatch"
	Label    string `json:"label"`    // "this is R * R, but sigmoid takes R"; may be empty
	// Where it stands: in the program's text, in an imported file, at whose import Line and Column are, or in a file
	// with data. Lines and columns are from 1, and 0 if they are not known.
	File                 string `json:"-"`
	FileLine, FileColumn int    `json:"-"`
}

func (e *Error) Error() string { return e.Text }

// Unwrap returns the cause: a [*LimitError], or the error of a stage.
func (e *Error) Unwrap() error { return e.Err }

// UsageError is a value in Options.Params or Options.Sets that is malformed or
// names nothing in the program.
type UsageError = load.UsageError

// MisuseError is a call that cannot be done: options that do not go together, a point of another length, a name that
// the program does not have.
type MisuseError struct{ Text string }

func (e *MisuseError) Error() string { return "gram: " + e.Text }

func misuse(format string, args ...any) error { return &MisuseError{fmt.Sprintf(format, args...)} }

// ErrClosed is the error of an [Evaluator] that is closed.
var ErrClosed error = &MisuseError{"the evaluator is closed"}

// Limit is what ended the work.
type Limit string

// The limits: [EvalOptions.MaxSteps], [EvalOptions.MaxNodes], [Options.MaxMemory], a deadline of the context, and its
// end.
const (
	StepsLimit  Limit = "steps"
	NodesLimit  Limit = "nodes"
	MemoryLimit Limit = "memory"
	TimeLimit   Limit = "time"
	Interrupt   Limit = "interrupt"
)

// LimitError says that a limit ended the work, which, and how far it got.
type LimitError struct {
	Limit Limit
	Max   uint64 // steps, nodes or bytes; 0 for time and interrupt
	Phase string // "loading", "compiling", "differentiating", "reducing"
	// When reducing: how far it got, and the recursive function that ran last, if there is one.
	Steps, Nodes uint64
	Function     string
	Err          error
}

func (e *LimitError) Error() string {
	what := ""
	switch e.Limit {
	case StepsLimit, NodesLimit:
		what = fmt.Sprintf("limit of %d %s reached", e.Max, e.Limit)
	case MemoryLimit:
		what = fmt.Sprintf("memory limit of %s reached", limits.Size(e.Max))
	case TimeLimit:
		what = "time limit reached"
	default:
		what = "interrupted"
	}
	what += " while " + e.Phase
	if e.Steps > 0 || e.Nodes > 0 {
		what += fmt.Sprintf(", after %d steps, with %d nodes", e.Steps, e.Nodes)
	}
	if e.Function != "" {
		what += ", in the recursive function " + e.Function
	}
	return what
}

// Unwrap returns the error of the context, if that was the cause; it wraps the cause of [context.WithCancelCause] too.
func (e *LimitError) Unwrap() error { return e.Err }

// asLimit returns the limit behind an error, or nil.
func asLimit(err error, phase string) *LimitError {
	out := &LimitError{Phase: phase, Err: err}
	if ml, ok := errors.AsType[*limits.ReachedError](err); ok {
		out.Limit, out.Max, out.Steps, out.Nodes, out.Function, out.Err = Limit(ml.Limit), ml.Max, ml.Steps, ml.Nodes,
			ml.Function, ml.Err
	}
	var mem *limits.MemoryError
	switch {
	case errors.As(err, &mem):
		out.Limit, out.Max = MemoryLimit, mem.Max
	case errors.Is(err, context.DeadlineExceeded):
		out.Limit = TimeLimit
	case errors.Is(err, context.Canceled):
		out.Limit = Interrupt
	}
	if out.Limit == "" {
		return nil
	}
	return out
}

func wrapLimit(err error, phase string) error {
	if l := asLimit(err, phase); l != nil {
		return l
	}
	return wrap(err)
}

// wrap gives the errors of loading their text.
func wrap(err error) error {
	if le, ok := errors.AsType[*syntax.Errors](err); ok {
		return &Error{Text: le.Error(), Diagnostics: diagnostics(le), Err: err}
	}
	return err
}

// diagnostics tells where a program is wrong. An error in a CSV file stands where the
// program reads that.
func diagnostics(e *syntax.Errors) []Diagnostic {
	out := make([]Diagnostic, len(e.List))
	for i, d := range e.List {
		o := placed(e.File, d)
		if d.File != "" {
			o.File, o.FileLine, o.FileColumn = d.File, d.Line, d.Col
		}
		if where := e.File.Foreign(d); where != "" {
			o.Label = strings.TrimSuffix(where+": "+d.Label, ": ")
		}
		out[i] = o
	}
	return out
}

// placed returns a diagnostic with its place.
func placed(f *syntax.File, d syntax.Diagnostic) Diagnostic {
	out := Diagnostic{Headline: d.Headline, Label: d.Label}
	out.Line, out.Column, out.Width = f.Place(d)
	out.File, out.FileLine, out.FileColumn = f.Where(d.Span.Start)
	return out
}

// locate turns an error of a later stage into one that shows its place in the program.
func locate(src *lang.Program, err error, phase string) error {
	var shown *Error
	var limit *LimitError
	if err == nil || errors.As(err, &shown) || errors.As(err, &limit) {
		return err
	}
	if l := asLimit(err, phase); l != nil {
		if ml, ok := errors.AsType[*limits.ReachedError](err); ok && ml.Pos != 0 {
			return errorFor(src, l, ml.Pos, "limit reached", l.Error())
		}
		return l
	}
	var undefined *revgrad.UndefinedError
	var notFinite *limits.NotFiniteError
	var notFiniteIn *hypergraph.NotFiniteError
	var data *exec.DataError
	var none *stage.Error
	switch {
	case errors.As(err, &none):
		return errorAt(src, none.Pos, none.Headline, none.Label)
	case errors.As(err, &undefined):
		return errorAt(src, undefined.Pos, "no gradient", undefined.Error())
	case errors.As(err, &notFinite):
		return errorAt(src, notFinite.Pos, "not finite", notFinite.Error())
	case errors.As(err, &notFiniteIn):
		return errorAt(src, notFiniteIn.Pos, "not finite", notFiniteIn.Error())
	case errors.As(err, &data):
		at := src.File.Decls[src.Data[data.Index].Decl].NameSpan.Start
		return errorFor(src, data, term.Pos(at+1), "no data", data.Error())
	}
	return err
}

func errorAt(src *lang.Program, pos term.Pos, headline, label string) error {
	return errorFor(src, nil, pos, headline, label)
}

// errorFor is errorAt with a cause.
func errorFor(src *lang.Program, cause error, pos term.Pos, headline, label string) error {
	d := Diagnostic{Headline: headline, Label: label}
	if pos != 0 {
		d = placed(src.File, src.Diagnostic(pos, headline, label))
	}
	return &Error{Text: src.Render(pos, headline, label), Diagnostics: []Diagnostic{d}, Err: cause}
}
