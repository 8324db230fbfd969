package lang

import (
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
	return syntax.Diagnostic{Span: wordAt(p.File, pos), Headline: headline, Label: label}
}

// wordAt returns the span of the name or number at pos, or of one byte of anything else.
func wordAt(f *syntax.File, pos term.Pos) syntax.Span {
	at := uint32(pos) - 1
	end := at + 1
	for int(end) < len(f.Src) && isWord(f.Src[at]) && isWord(f.Src[end]) {
		end++
	}
	return syntax.Span{Start: at, End: end}
}

// isWord reports whether b is part of a name or a number; all bytes of a rune that
// is not ASCII are.
func isWord(b byte) bool {
	return b >= 0x80 || b == '_' || b == '\'' || '0' <= b && b <= '9' || 'a' <= b|0x20 && b|0x20 <= 'z'
}

// BodyPos is where the program's body begins.
func (p *Program) BodyPos() term.Pos { return term.Pos(p.File.Expr(p.File.Body).Span.Start + 1) }
