package load

import (
	"fmt"
	"unicode/utf8"

	"github.com/gram-machine/gram/lang/syntax"
)

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
	if utf8.RuneCountInString(text) <= 60 {
		return text
	}
	return syntax.Clip(text, 59)
}

// fileError is an error in a file, with its place.
type fileError struct {
	kind      string // of the file, in messages: CSV
	path      string
	line, col int // from 1, col in runes; 0 where there is none
	msg       string
	part      int   // the index in the parts of the file that are wanted, such as columns, or -1
	cause     error // of the system, or nil
}

func (e *fileError) Error() string { return e.msg }

// wrong is an error in a part of a file, or -1.
func (f *File) wrong(part int, err error) *fileError {
	return &fileError{kind: f.format.kind, path: f.path, part: part, msg: syntax.SystemError(err), cause: err}
}

// headline tells errors about what a file holds from those of the system.
func (e *fileError) headline() string {
	if e.line == 0 {
		return e.kind + " file cannot be read"
	}
	return "wrong " + e.kind + " data"
}

// diagnostic reports the error at its place in the file, with a note at the place of the program that names the file.
func (e *fileError) diagnostic(at syntax.Span) *syntax.Diagnostic {
	if e.line == 0 {
		return &syntax.Diagnostic{Span: at, Headline: e.headline(), Label: e.path + ": " + e.msg, Cause: e.cause}
	}
	return &syntax.Diagnostic{
		Headline: e.headline(), Label: e.msg, File: e.path, Line: e.line, Col: e.col, Cause: e.cause,
		Notes: []syntax.Note{{Span: at, Text: "the file is read for this"}},
	}
}
