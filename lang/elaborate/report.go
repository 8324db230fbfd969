package elaborate

import (
	"errors"
	"fmt"

	"github.com/gram-machine/gram/lang/syntax"
	"github.com/gram-machine/gram/term"
)

// maxErrors is how many errors one run reports.
const maxErrors = 20

// mostErrors is how many errors are kept, to report the first of them in the source.
const mostErrors = 100 * maxErrors

// ErrExpansion is wrapped by the error for a program whose definitions and comprehensions make too many nodes.
var ErrExpansion = errors.New("the expansion of the program is too large")

// reportKey recognises an error that each use of a def would repeat.
type reportKey struct {
	span     syntax.Span
	headline string
}

// report adds an error at a place of a unit. One in the prelude is an error of the use that led there.
func (e *Elaborator) report(u *unit, span syntax.Span, headline, label string, notes ...syntax.Note) {
	if e.fam.inFamily() {
		e.giveUp()
		return
	}
	if e.badSize && headline == "type mismatch" {
		return // types are wrong because of the size
	}
	if u.Prelude && e.inner != nil {
		span = e.act().use
	}
	key := reportKey{span, headline}
	if e.reported[key] {
		return
	}
	e.reported[key] = true
	if len(e.diags) < mostErrors {
		d := syntax.Diagnostic{Span: span, Headline: headline, Label: label, Notes: notes}
		e.diags = append(e.diags, d)
	}
}

// Report adds an error at a place of the program.
func (e *Elaborator) Report(span syntax.Span, headline, label string, notes ...syntax.Note) {
	e.report(e.user, span, headline, label, notes...)
}

// note is the notes of a message with this text, none if it is empty.
func note(text string) []syntax.Note {
	if text == "" {
		return nil
	}
	return []syntax.Note{{Text: text}}
}

// reportHere adds an error at a place of the program, with the uses of defs that led there.
func (e *Elaborator) reportHere(span syntax.Span, headline, label string, notes ...syntax.Note) {
	e.report(e.user, span, headline, label, append(notes, e.chain(4)...)...)
}

// chain lists the uses of defs whose expansion is under way, the innermost first.
func (e *Elaborator) chain(limit int) []syntax.Note {
	if e.chained != nil {
		return e.chained
	}
	return e.chainOf(e.inner, limit)
}

// chainOf lists the uses of defs that led to an activation.
func (e *Elaborator) chainOf(in *activation, limit int) []syntax.Note {
	var notes []syntax.Note
	for a := in; a != nil && a.outer != nil; a = a.outer {
		if a.unit.Prelude && a != in {
			continue // an argument of a function of the prelude shows its own place
		}
		if a.use == a.unit.File.Decls[e.globals[a.global].decl].NameSpan {
			continue // a def that nobody uses
		}
		if limit--; limit < 0 {
			return append(notes, syntax.Note{Text: "and so on, from use to use"})
		}
		notes = append(notes, syntax.Note{Span: a.use, Text: "in the expansion of " + e.globals[a.global].name +
			", used here"})
	}
	return notes
}

// TooManyNodes ends the work at the limit on expansion.
func (e *Elaborator) TooManyNodes() { e.tooLarge(e.manyNodes()) }

func (e *Elaborator) manyNodes() string {
	return fmt.Sprintf("definitions, vec, sum and list make more than %d nodes", e.opt.MaxNodes)
}

// tooLarge ends the work at a limit, that on a family if one is being elaborated.
func (e *Elaborator) tooLarge(label string) {
	if e.fam.inFamily() {
		e.giveUp()
		return
	}
	syntax.Abort(e.sizeError(label))
}

// sizeError is the error of a limit, with the uses of defs that led there.
func (e *Elaborator) sizeError(label string) error {
	span := e.last
	if a := e.act(); a.use.End > 0 {
		span = a.use
	}
	return e.expansion(span, label, e.chain(10)...)
}

// expansion is an error that is also [ErrExpansion].
func (e *Elaborator) expansion(span syntax.Span, label string, notes ...syntax.Note) error {
	d := syntax.Diagnostic{Span: span, Headline: "the expanded program is too large", Label: label, Notes: notes}
	return &limitError{syntax.NewErrors(e.user.File, []syntax.Diagnostic{d})}
}

// TooLarge is the error that the expansion of the program, of which t is the term, is too large.
func (e *Elaborator) TooLarge(t *term.Term) error {
	if e.large == nil && t.ExpandedSize() > 2*float64(e.opt.MaxNodes) {
		e.large = e.sizeError(e.manyNodes())
	}
	return e.large
}

// limitError is a diagnostic that is also ErrExpansion.
type limitError struct{ error }

func (e *limitError) Unwrap() []error { return []error{e.error, ErrExpansion} }

// Errors returns what has been reported, nil if that is nothing.
func (e *Elaborator) Errors() error {
	if len(e.diags) == 0 {
		return nil
	}
	err := syntax.NewErrors(e.user.File, e.diags)
	var list *syntax.Errors
	if errors.As(err, &list) && len(list.List) > maxErrors {
		n := len(list.List) - maxErrors
		list.List = list.List[:maxErrors]
		last := &list.List[maxErrors-1]
		last.Notes = append(last.Notes[:len(last.Notes):len(last.Notes)],
			syntax.Note{Text: fmt.Sprintf("and %d more errors", n)})
	}
	return err
}
