package elaborate

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/gram-machine/gram/lang/core"
	"github.com/gram-machine/gram/lang/syntax"
	"github.com/gram-machine/gram/term"
)

// mostErrors is how many errors are kept, to report the first of them in the source.
const mostErrors = 100 * syntax.MaxDiagnostics

// ErrExpansion is wrapped by the error for a program whose definitions and comprehensions make too many nodes.
var ErrExpansion = errors.New("the expansion of the program is too large")

// reportKey recognises an error that each use of a def would repeat.
type reportKey struct {
	span     syntax.Span
	headline string
}

// report adds an error at a place of a unit. One in the prelude is an error of the use that led there.
func (e *Elaborator) report(u *unit, span syntax.Span, headline, label string, notes ...syntax.Note) {
	if e.fam.depth > 0 {
		e.giveUp()
		return
	}
	if e.badSize && headline == "type mismatch" {
		return // types are wrong because of the size
	}
	if u.Prelude && e.act != nil {
		span = e.act.use
	}
	key := reportKey{span, headline}
	if e.reported[key] {
		return
	}
	e.reported[key] = true
	if len(e.diags) < mostErrors {
		e.diags = append(e.diags, syntax.Diagnostic{Span: span, Headline: headline, Label: label, Notes: notes})
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
	return e.chainOf(e.act, limit)
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
	if e.fam.depth > 0 {
		e.giveUp()
		return
	}
	syntax.Abort(e.sizeError(label))
}

// sizeError is the error of a limit, with the uses of defs that led there.
func (e *Elaborator) sizeError(label string) error {
	span := e.last
	if a := e.act; a.use.End > 0 {
		span = a.use
	}
	return e.expansion(span, label, e.chain(10)...)
}

// expansion is an error whose cause is [ErrExpansion].
func (e *Elaborator) expansion(span syntax.Span, label string, notes ...syntax.Note) error {
	return syntax.NewErrors(e.user.File, []syntax.Diagnostic{{Span: span, Headline: "the expanded program is too large",
		Label: label, Notes: notes, Cause: ErrExpansion}})
}

// TooLarge is the error that the expansion of the program, of which t is the term, is too large.
func (e *Elaborator) TooLarge(t *term.Term) error {
	if e.large == nil && t.ExpandedSize() > 2*float64(e.opt.MaxNodes) {
		e.large = e.sizeError(e.manyNodes())
	}
	return e.large
}

// Errors returns what has been reported, nil if that is nothing.
func (e *Elaborator) Errors() error {
	if len(e.diags) == 0 {
		return nil
	}
	err := syntax.NewErrors(e.user.File, e.diags)
	var list *syntax.Errors
	if errors.As(err, &list) && len(list.List) > syntax.MaxDiagnostics {
		n := len(list.List) - syntax.MaxDiagnostics
		list.List = list.List[:syntax.MaxDiagnostics]
		last := &list.List[syntax.MaxDiagnostics-1]
		last.Notes = append(slices.Clip(last.Notes), syntax.Note{Text: fmt.Sprintf("and %d more errors", n)})
	}
	return err
}

// Types are the types in a program, for editors. [Elaborator.Fill] fills them in as far as it comes, also where the
// program is wrong.
type Types struct {
	// Parts has the types of expressions and of names in patterns, at their places. A part of a def has the type of
	// its last use.
	Parts map[syntax.Span]string
	// Names has the types of what is declared, and of a param its value. A def that is expanded where it is used has a
	// type with variables 'a, 'b, ….
	Names map[string]string
}

// typeNotes collects types while a program is elaborated.
type typeNotes struct {
	parts map[syntax.Span]core.Type
	whole bool // the program has been elaborated to its end
}

// note keeps the type of a part of the program: of an expression, or of a name that a pattern binds.
func (e *Elaborator) note(span syntax.Span, t core.Type) {
	if a := e.act; e.notes.parts != nil && !(a.unit.Prelude && span == a.use) {
		e.notes.parts[span] = t
	}
}

// Fill writes the types that have been collected.
func (e *Elaborator) Fill(out *Types) {
	parts := e.notes.parts
	out.Parts, out.Names = make(map[syntax.Span]string, len(parts)), map[string]string{}
	e.notes.parts = map[syntax.Span]core.Type{} // of defs by themselves
	defs := map[string]core.Type{}
	for name, g := range e.cons {
		c := &e.globals[g]
		t := e.Types.Named(c.n, syntax.Each(len(e.Types.Inductives[c.n].Params), e.Types.Param))
		if arg := e.Types.Inductives[c.n].Cons[int(c.num)].Arg; arg != 0 {
			t = e.Types.Arrow(arg, t)
		}
		out.Names[name] = e.typeText(t, false)
	}
	for _, g := range e.declared {
		switch d := &e.globals[g]; {
		case d.means.is(core.NumOp):
			out.Names[d.name] = strconv.FormatFloat(d.means.node.Val, 'g', -1, 64)
		case d.means.is(core.DataOp):
			out.Names[d.name] = e.typeText(e.dataType(d), false)
		case d.means.kind == atomBinding:
			out.Names[d.name] = e.typeText(d.means.node.Type, false)
		case d.means.kind == primBinding:
			out.Names[d.name] = "R" + strings.Repeat(" -> R", d.prim.Arity())
		case d.means.kind == defBinding:
			if t, ok := e.typeOfDef(g); ok {
				defs[d.name] = t
			}
		}
	}
	for name, t := range defs {
		out.Names[name] = e.typeText(t, true)
	}
	// Most uses of a def replace its parameters by arguments. They have the types of the def by itself.
	maps.Copy(e.notes.parts, parts)
	for span, t := range e.notes.parts {
		out.Parts[span] = e.typeText(t, false)
	}
}

// typeText is the text of a type. If named is set, open types have names.
func (e *Elaborator) typeText(t core.Type, named bool) string {
	text := e.Types.Text()
	text.Lists, text.Named = true, named
	return text.Of(t)
}

// typeOfDef types a def by itself, unless a limit has been reached.
func (e *Elaborator) typeOfDef(g int) (t core.Type, ok bool) {
	if !e.notes.whole {
		return 0, false
	}
	err := func() (err error) {
		defer syntax.Catch(&err)
		e.unused(g, func(v val) { t, ok = v.typ, e.Core.Nodes[v.node].Op != core.BadOp })
		return nil
	}()
	e.notes.whole = err == nil
	return t, ok && err == nil
}
