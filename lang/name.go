package lang

import (
	"strconv"

	"github.com/gram-machine/gram/lang/core"
	"github.com/gram-machine/gram/lang/load"
	"github.com/gram-machine/gram/lang/syntax"
	"github.com/gram-machine/gram/term"
)

// nameScalars gives the variables of t that stand for scalars their names.
func (p *Program) nameScalars(t *term.Term) {
	for i := range p.Inputs {
		if in := &p.Inputs[i]; len(in.Vars) > 0 {
			t.NameVars(in.Vars[0], len(in.Vars), in.scalarName)
		}
	}
}

// ScalarNames returns the names of the program's scalar inputs.
func (p *Program) ScalarNames() []string {
	var names []string
	for i := range p.Inputs {
		in := &p.Inputs[i]
		for k := range in.Shape.Width() {
			names = append(names, in.scalarName(k))
		}
	}
	return names
}

// scalarName returns the name of number k of the scalars of an input, as the program would write it: E.(0).(1); the
// components of a pair by their number after a colon: p:0, p:1. The components of what has a long name have that name.
func (in *Input) scalarName(k int) string {
	name := []byte(in.Name)
	for s := in.Shape; len(name) <= MaxName; {
		switch s.Kind {
		case load.Product:
			if first := s.A.Width(); k < first {
				name, s = append(name, ":0"...), s.A
			} else {
				name, s, k = append(name, ":1"...), s.B, k-first
			}
		case load.Vector:
			each := s.A.Width()
			name = append(strconv.AppendInt(append(name, ".("...), int64(k/each), 10), ')')
			s, k = s.A, k%each
		default:
			return string(name)
		}
	}
	return string(name)
}

// Place returns the line and column of pos as text, such as "5:22", in an imported file "file.gram:5:22".
func (p *Program) Place(pos term.Pos) string {
	if pos == 0 {
		return "-"
	}
	return p.File.LineCol(uint32(pos) - 1)
}

// Render shows an error at pos as the language's own errors are shown.
func (p *Program) Render(pos term.Pos, headline, label string) string {
	if pos == 0 {
		return p.Name + ": " + headline + ": " + label
	}
	return p.File.Render(p.Diagnostic(pos, headline, label))
}

// Diagnostic returns what Render shows at pos, which isn't 0.
func (p *Program) Diagnostic(pos term.Pos, headline, label string) syntax.Diagnostic {
	return syntax.Diagnostic{Span: core.WordAt(p.File, pos), Headline: headline, Label: label}
}

// BodyPos is where the program's body begins.
func (p *Program) BodyPos() term.Pos { return term.Pos(p.File.Expr(p.File.Body).Span.Start + 1) }
