package reduction

import (
	"encoding/json"
	"io"
	"strings"

	"github.com/gram-machine/gram/internal/reference"
	"github.com/gram-machine/gram/rule"
	"github.com/gram-machine/gram/term"
)

// The marks of text.
var marks = map[reference.TokenKind]string{
	reference.RedexBegin: "«", reference.RedexEnd: "»",
	reference.OccurrenceBegin: "‹", reference.OccurrenceEnd: "›",
}

func text(tokens []reference.Token) string {
	var b strings.Builder
	for _, k := range tokens {
		b.WriteString(k.Text)
		b.WriteString(marks[k.Kind])
	}
	return b.String()
}

// redexText is the text of a redex of the state, with the mark of the occurrence that a (3) replaces.
func redexText(names *reference.Names, s *reference.State, r *reference.Redex) string {
	part := redex(names.Tokens(s.Term, s.Marks(r)))
	return text(part[1:])
}

// textWriter prints a term a line, and between two terms the step.
type textWriter struct {
	*output
	opt   *Derivation
	after []reference.Token // of the step that was printed last
}

func (t *textWriter) begin() {}

func (t *textWriter) step(s *Step, before, after []reference.Token, chained bool) {
	if !chained && t.after != nil {
		t.end()
		t.printf("\n")
	}
	t.after = after
	rule := rule.Table[s.Rule]
	t.printf("    %s\n%d  (%s) %s  %s  %d → %d symbols\n", text(before), s.Number, rule.Number, rule.Name,
		t.opt.place(s.Pos), s.Before, s.After)
}

// end prints the term after the last step that was printed.
func (t *textWriter) end() {
	if t.after != nil {
		t.printf("    %s\n", text(t.after))
	}
}

// place is where a step comes from, as 5:22.
func (d *Derivation) place(pos term.Pos) string {
	if pos == 0 {
		return "-"
	}
	return d.File.LineCol(uint32(pos) - 1)
}

// position returns the line and the column of a place, from 1; zeros for none.
func (d *Derivation) position(pos term.Pos) (line, column int) {
	if pos == 0 {
		return 0, 0
	}
	return d.File.Position(uint32(pos) - 1)
}

// jsonWriter prints an object a line.
type jsonWriter struct {
	*output
	opt *Derivation
}

type jsonStep struct {
	Step   uint64 `json:"step"`
	Rule   string `json:"rule"`
	Number string `json:"number"`
	Line   int    `json:"line,omitempty"`
	Column int    `json:"column,omitempty"`
	Size   [2]int `json:"size"`
	Term   string `json:"term"`
	Redex  string `json:"redex"`
	After  string `json:"after"`
}

func (j *jsonWriter) begin() {}
func (j *jsonWriter) end()   {}

func (j *jsonWriter) step(s *Step, before, after []reference.Token, _ bool) {
	rule := rule.Table[s.Rule]
	o := jsonStep{Step: s.Number, Rule: rule.Name, Number: rule.Number, Size: [2]int{s.Before, s.After},
		Term: reference.Text(before), Redex: reference.Text(redex(before)), After: reference.Text(after)}
	o.Line, o.Column = j.opt.position(s.Pos)
	_ = encode(j.output, o) // the error is that of the output, which keeps it
}

// encode writes an object on a line.
func encode(w io.Writer, value any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(value)
}

// redex is the part of the tokens that is marked as one.
func redex(tokens []reference.Token) []reference.Token {
	from, to := 0, len(tokens)
	for i, k := range tokens {
		switch k.Kind {
		case reference.RedexBegin:
			from = i
		case reference.RedexEnd:
			to = i
		}
	}
	return tokens[from:to]
}
