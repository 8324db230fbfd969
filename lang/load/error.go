package load

import (
	"fmt"
	"strings"
	"unicode/utf8"
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
	const most = 60
	if utf8.RuneCountInString(text) <= most {
		return text
	}
	return string([]rune(text)[:most-1]) + "…"
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
