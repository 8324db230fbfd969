package reduction

import (
	"fmt"
	"strings"

	"github.com/gram-machine/gram/internal/denote"
	"github.com/gram-machine/gram/internal/reference"
	"github.com/gram-machine/gram/lang/unparse"
	"github.com/gram-machine/gram/rule"
)

// latexWidth is about how many columns a line of a formula has.
const latexWidth = 90

// latexWriter prints an align* environment: terms that are broken over lines, and the
// number of the rule in front of what it makes.
type latexWriter struct {
	*output
	lines int
	after []reference.Token
	arrow string // in front of after
}

func (l *latexWriter) begin() {
	l.printf("%% needs the packages amsmath and xcolor, and \\allowdisplaybreaks if it is longer than a page\n")
}

func (l *latexWriter) step(s *Step, before, after []reference.Token, chained bool) {
	arrow := l.arrow
	if !chained {
		l.flush()
		arrow = ""
		if l.lines > 0 {
			l.line("& \\vdots")
		}
	}
	l.after, l.arrow = after, fmt.Sprintf("\\xrightarrow{(%s)}", rule.Table[s.Rule].Number)
	l.term(arrow, before)
}

// flush prints the term after the last step.
func (l *latexWriter) flush() {
	if after := l.after; after != nil {
		l.after = nil
		l.term(l.arrow, after)
	}
}

func (l *latexWriter) end() {
	l.flush()
	if l.lines > 0 { // an empty environment is an error of LaTeX
		l.printf("\n\\end{align*}\n")
	}
}

func (l *latexWriter) line(text string) {
	before := "\\begin{align*}\n"
	if l.lines++; l.lines > 1 {
		before = " \\\\\n"
	}
	l.printf("%s%s", before, text)
}

const (
	colourBegin = `{\color{teal}`
	colourEnd   = "}"
)

// term prints a term behind an arrow, on as many lines as it needs. A group may not go on
// from one line to the next, so the colour of the redex is set on each.
func (l *latexWriter) term(arrow string, tokens []reference.Token) {
	start := arrow + "\\;& "
	line, width, inside := start, 0, false
	var part strings.Builder
	columns := 0
	put := func() {
		if width > 0 && width+columns > latexWidth {
			if inside {
				line += colourEnd
			}
			l.line(line)
			line, width = "& \\quad ", 2
			if inside {
				line += colourBegin
			}
		}
		line += part.String()
		width += columns
		part.Reset()
		columns = 0
	}
	for _, k := range tokens {
		switch k.Kind {
		case reference.Break:
			put()
		case reference.RedexBegin, reference.RedexEnd:
			put()
			inside = k.Kind == reference.RedexBegin
			if inside {
				line += colourBegin
			} else {
				line += colourEnd
			}
		default:
			part.WriteString(latexToken(&k))
			columns += len([]rune(k.Text))
		}
	}
	put()
	l.line(line)
}

func latexToken(k *reference.Token) string {
	switch k.Kind {
	case reference.NameToken:
		return unparse.LaTeXName(k.Name, k.Number)
	case reference.NumeralToken:
		return `\underline{` + unparse.LaTeXNumber(denote.Floats{}.Float(k.Num)) + "}"
	case reference.SymbolToken:
		return unparse.SymbolLaTeX(k.Sym)
	case reference.OccurrenceBegin:
		return `\boxed{`
	case reference.OccurrenceEnd:
		return "}"
	}
	return unparse.LaTeXText(k.Text)
}
