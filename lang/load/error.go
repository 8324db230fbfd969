package load

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/gram-machine/gram/lang/syntax"
)

// Error is a program that is wrong, or data that does not fit it.
type Error struct {
	// Items are the errors in the order in which they were found. There may be
	// none: the cause, a declaration marked Bad, has been reported already.
	Items []Problem
}

// Problem is a diagnostic in a file.
type Problem struct {
	// File is where the spans of the diagnostic stand. A place in a CSV file is in
	// the diagnostic's own File, Line and Col, with a note at the place of the
	// program that reads it.
	File *syntax.File
	syntax.Diagnostic
}

// Error returns the headlines and labels, a line each.
func (e *Error) Error() string {
	if len(e.Items) == 0 {
		return "an error that has been reported already"
	}
	lines := make([]string, len(e.Items))
	for i, p := range e.Items {
		if p.Line > 0 {
			lines[i] = fmt.Sprintf("%s:%d:%d: ", p.Diagnostic.File, p.Line, p.Col)
		}
		lines[i] += p.Headline
		if p.Label != "" {
			lines[i] += ": " + p.Label
		}
	}
	return strings.Join(lines, "\n")
}

// reported tells that p only repeats what is wrong elsewhere.
func (p *Problem) reported() bool { return p.Headline == "" }

func (p *Problem) asError() *Error {
	if p.reported() {
		return &Error{}
	}
	return &Error{Items: []Problem{*p}}
}

// UsageError is the value of an option that is malformed, or names nothing in the program.
type UsageError struct {
	Option  string // "param", "set", "rule" or "step": on the command line a flag
	Text    string // the option's value as given
	Msg     string
	Instead string // the option that is meant, or ""
}

// Error returns the message with the option before it.
func (e *UsageError) Error() string { return e.Message("") }

// Message is Error with a prefix for the names of options, such as "--".
func (e *UsageError) Message(prefix string) string {
	text := prefix + e.Option + " " + short(e.Text) + ": " + e.Msg
	if e.Instead != "" {
		text += ": use " + prefix + e.Instead
	}
	return text
}

func usage(option, text, format string, args ...any) *UsageError {
	return &UsageError{Option: option, Text: text, Msg: fmt.Sprintf(format, args...)}
}

// short cuts a text that a message quotes.
func short(text string) string {
	const most = 60
	if utf8.RuneCountInString(text) <= most {
		return text
	}
	return string([]rune(text)[:most-1]) + "…"
}

// place is a place of the source, of the program or of the prelude.
type place struct {
	file *syntax.File
	span syntax.Span
}

// failure is the panic value of an error while a default value is computed.
type failure struct{ Problem }

// aborted is the panic value of an error of Check or Reserve.
type aborted struct{ err error }

func fail(at place, headline, label string, notes ...syntax.Note) {
	panic(&failure{Problem{File: at.file, Diagnostic: syntax.Diagnostic{
		Span: at.span, Headline: headline, Label: label, Notes: notes,
	}}})
}

// Closest returns the name most like text, or "" if none is close.
func Closest(text string, names []string) string {
	n := utf8.RuneCountInString(text)
	best, bestDistance := "", min(n, max(1, n/3)+1)
	for _, name := range names {
		if d := distance(text, name, bestDistance); d < bestDistance && name != text {
			best, bestDistance = name, d
		}
	}
	return best
}

// distance is the number of letters to insert, delete, replace or exchange with
// their neighbour to get from a to b; at least limit is returned as limit.
func distance(a, b string, limit int) int {
	ra, rb := []rune(a), []rune(b)
	if len(ra)-len(rb) >= limit || len(rb)-len(ra) >= limit {
		return limit
	}
	if strings.EqualFold(a, b) {
		return 0
	}
	before, last, row := make([]int, len(rb)+1), make([]int, len(rb)+1), make([]int, len(rb)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(ra); i++ {
		row[0] = i
		for j := 1; j <= len(rb); j++ {
			d := last[j-1]
			if ra[i-1] != rb[j-1] {
				d++
			}
			d = min(d, last[j]+1, row[j-1]+1)
			if i > 1 && j > 1 && ra[i-1] == rb[j-2] && ra[i-2] == rb[j-1] {
				d = min(d, before[j-2]+1)
			}
			row[j] = d
		}
		before, last, row = last, row, before
	}
	return min(last[len(rb)], limit)
}
