package reduction

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/gram-machine/gram"
	"github.com/gram-machine/gram/internal/denote"
	"github.com/gram-machine/gram/internal/reference"
	"github.com/gram-machine/gram/lang"
	"github.com/gram-machine/gram/lang/unparse"
	"github.com/gram-machine/gram/rule"
	"github.com/gram-machine/gram/term"
)

// Step is a step of a reduction.
type Step struct {
	Number        uint64 // from 1 on; of (10) on a tuple, the last of several
	Rule          rule.Rule
	Pos           term.Pos // 0 for none
	Before, After int      // symbols of the terms
}

// Format is how steps are printed.
type Format uint8

// The formats.
const (
	Text  Format = iota
	LaTeX        // an align* environment, which needs the packages amsmath and xcolor
	JSON         // an object a line
)

// Derivation says what is printed of a reduction.
type Derivation struct {
	Format Format
	// Next chooses the steps, from the redexes of (9) and (10) too if Eta is set; nil for the machine's strategy.
	Next reference.Strategy
	Eta  bool
	// Names are the names of variables; nil for new ones.
	Names *reference.Names
	// End, if not nil, is called with the state that the reduction ends in.
	End func(s *reference.State)
	// Keep, if not nil, chooses the steps that are printed, with the terms before and after each.
	Keep func(s *Step) bool
	// Last is the last step that Keep may choose, after which nothing is left to do; 0 for none.
	Last uint64
	// MaxSize bounds the symbols of a term, MaxSteps the steps; 0 for no bound.
	MaxSize  int
	MaxSteps uint64
	// Source is the program, for the places of steps: of a term, only its file.
	Source *lang.Program
	// Check, if not nil, is called before each step, and its error ends the work.
	Check func() error
}

// SizeError says that a term is too large to be printed.
type SizeError struct {
	Size, Max int
	Steps     uint64
}

func (e *SizeError) Error() string {
	return fmt.Sprintf("the term has %d symbols after %d steps, more than %d", e.Size, e.Steps, e.Max)
}

// derive reduces the start term and prints the steps. It returns how many there were of each rule. The error is a
// [*SizeError], a [*gram.LimitError], that of Check or of w, or a [*denote.UndefinedError].
func derive(w io.Writer, start *reference.Start, opt Derivation) (rule.Counts, error) {
	d := &deriver{Derivation: opt, start: start}
	if d.Names == nil {
		d.Names = reference.NewNames()
	}
	if d.Next == nil {
		d.Next = reference.Machine(nil)
	}
	d.to = bufio.NewWriter(w) // keeps the first error
	switch opt.Format {
	case LaTeX:
		d.to.WriteString("% needs the packages amsmath and xcolor, and \\allowdisplaybreaks if it is longer than a page\n")
		d.out = &latexWriter{Writer: d.to}
	case JSON:
		d.out = &jsonWriter{d.to, &d.Derivation}
	default:
		d.out = &textWriter{Writer: d.to, opt: &d.Derivation}
	}
	err := d.run()
	return d.counts, err
}

// writer prints in a format.
type writer interface {
	// step prints a step between two terms. chained says that the term before it is the
	// one after the step that was printed last.
	step(s *Step, before, after []reference.Token, chained bool)
	end()
}

type deriver struct {
	Derivation
	start  *reference.Start
	to     *bufio.Writer
	out    writer
	counts rule.Counts
	steps  uint64
}

func (d *deriver) run() error {
	d.Names.Reserve(d.start.Duals) // the inputs' own x*
	t := d.start.Term
	var printed uint64
	st := d.start.State(t, d.Eta)
	for d.Last == 0 || d.steps < d.Last {
		if d.Check != nil {
			if err := d.Check(); err != nil {
				return err
			}
		}
		if d.MaxSize > 0 && st.Size() > d.MaxSize {
			return &SizeError{st.Size(), d.MaxSize, d.steps}
		}
		r := d.Next(st)
		if r == nil {
			break
		}
		times := uint64(max(1, r.Times))
		if d.MaxSteps > 0 && d.steps+times > d.MaxSteps {
			return &gram.LimitError{Limit: gram.StepsLimit, Max: d.MaxSteps, Phase: "reducing"}
		}
		after, err := st.Fire(r)
		if err != nil {
			return err
		}
		before := d.steps
		d.steps += times
		d.counts[r.Rule] += times
		to := d.start.State(after, d.Eta)
		s := &Step{Number: d.steps, Rule: r.Rule, Pos: st.Place(r), Before: st.Size(), After: to.Size()}
		// Names are given to all terms, so that they don't depend on what is printed.
		marked, plain := d.Names.Tokens(t, st.Marks(r)), d.Names.Tokens(after, nil)
		if d.Keep == nil || d.Keep(s) {
			d.out.step(s, marked, plain, printed > 0 && printed == before)
			if err := d.to.Flush(); err != nil {
				return err
			}
			printed = d.steps
		}
		t, st = after, to
	}
	if d.End != nil {
		d.End(st)
	}
	d.out.end()
	return d.to.Flush()
}

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

// textWriter prints a term a line, and between two terms the step.
type textWriter struct {
	*bufio.Writer
	opt   *Derivation
	after []reference.Token // of the step that was printed last
}

func (t *textWriter) step(s *Step, before, after []reference.Token, chained bool) {
	if !chained && t.after != nil {
		t.end()
		t.WriteByte('\n')
	}
	t.after = after
	rule := rule.Table[s.Rule]
	fmt.Fprintf(t, "    %s\n%d  (%s) %s  %s  %d → %d symbols\n", text(before), s.Number, rule.Number, rule.Name,
		t.opt.Source.Place(s.Pos), s.Before, s.After)
}

// end prints the term after the last step that was printed.
func (t *textWriter) end() {
	if t.after != nil {
		fmt.Fprintf(t, "    %s\n", text(t.after))
	}
}

// jsonWriter prints an object a line.
type jsonWriter struct {
	*bufio.Writer
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

func (j *jsonWriter) end() {}

func (j *jsonWriter) step(s *Step, before, after []reference.Token, _ bool) {
	rule := rule.Table[s.Rule]
	o := jsonStep{Step: s.Number, Rule: rule.Name, Number: rule.Number, Size: [2]int{s.Before, s.After},
		Term: reference.Text(before), Redex: reference.Text(redex(before)), After: reference.Text(after)}
	o.Line, o.Column = j.opt.Source.Position(s.Pos)
	_ = encode(j.Writer, o) // which keeps the error
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

// latexWidth is about how many columns a line of a formula has.
const latexWidth = 90

// latexWriter prints an align* environment: terms that are broken over lines, and the
// number of the rule in front of what it makes.
type latexWriter struct {
	*bufio.Writer
	lines int
	after []reference.Token
	arrow string // in front of after
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
		l.WriteString("\n\\end{align*}\n")
	}
}

func (l *latexWriter) line(text string) {
	before := "\\begin{align*}\n"
	if l.lines++; l.lines > 1 {
		before = " \\\\\n"
	}
	l.WriteString(before + text)
}

// term prints a term behind an arrow, on as many lines as it needs. A group may not go on
// from one line to the next, so the colour of the redex is set on each.
func (l *latexWriter) term(arrow string, tokens []reference.Token) {
	line, width := arrow+"\\;& ", 0
	begin, end := "", ""   // of the colour, inside the redex
	part, columns := "", 0 // what may not be broken, behind the line
	put := func() {
		if width > 0 && width+columns > latexWidth {
			l.line(line + end)
			line, width = "& \\quad "+begin, 2
		}
		line, width = line+part, width+columns
		part, columns = "", 0
	}
	for _, k := range tokens {
		switch k.Kind {
		case reference.Break:
			put()
		case reference.RedexBegin:
			put()
			begin, end = `{\color{teal}`, "}"
			line += begin
		case reference.RedexEnd:
			put()
			line += end
			begin, end = "", ""
		default:
			part += latexToken(&k)
			columns += utf8.RuneCountInString(k.Text)
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
