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
