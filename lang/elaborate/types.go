package elaborate

import (
	"strconv"
	"strings"

	"github.com/gram-machine/gram/lang/core"
	"github.com/gram-machine/gram/lang/syntax"
)

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

// note keeps the type of a part of the program.
func (e *Elaborator) note(span syntax.Span, t core.Type) {
	if a := e.act(); e.notes.parts != nil && !(a.unit.Prelude && span == a.use) {
		e.notes.parts[span] = t
	}
}

// notePattern keeps the type of a name that a pattern binds.
func (e *Elaborator) notePattern(u *unit, p syntax.Pat, t core.Type) {
	if e.notes.parts != nil && !u.Prelude {
		e.notes.parts[u.File.Pat(p).Span] = t
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
		params := make([]core.Type, len(e.Types.Inductives[c.n].Params))
		for i := range params {
			params[i] = e.Types.Param(i)
		}
		t := e.Types.Named(c.n, params)
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
	for span, t := range e.notes.parts {
		if _, ok := parts[span]; !ok {
			parts[span] = t
		}
	}
	for span, t := range parts {
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
