package lang

import (
	"github.com/gram-machine/gram/lang/core"
	"github.com/gram-machine/gram/lang/syntax"
	"github.com/gram-machine/gram/term"
)

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
