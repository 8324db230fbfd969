package syntax

import (
	"bytes"
	"unicode/utf8"
)

// alignWidth is how wide code may be for the comment behind it to be aligned.
const alignWidth = 60

// tail is a comment behind an item: where it starts in the text, its line, and the
// columns of code before it.
type tail struct{ at, line, width int }

// alignTails aligns the comments behind code on neighbouring lines. A place is that
// of the spaces before such a comment.
func alignTails(text []byte, places []int) []byte {
	if len(places) < 2 {
		return text
	}
	tails := make([]tail, len(places))
	from, line := 0, 0
	for i, at := range places {
		line += bytes.Count(text[from:at], []byte{'\n'})
		from = at
		start := bytes.LastIndexByte(text[:at], '\n') + 1
		tails[i] = tail{at, line, utf8.RuneCount(text[start:at])}
	}
	out := make([]byte, 0, len(text)+len(text)/8)
	from = 0
	for len(tails) > 0 {
		n, width := run(tails)
		for _, t := range tails[:n] {
			out = append(out, text[from:t.at]...)
			out = append(out, bytes.Repeat([]byte{' '}, width-t.width)...)
			from = t.at
		}
		tails = tails[n:]
	}
	return append(out, text[from:]...)
}

// run returns how many comments at the front are aligned with the first, and below
// how many columns of code.
func run(tails []tail) (n, width int) {
	width = tails[0].width
	for n = 1; n < len(tails); n++ {
		t, before := tails[n], tails[n-1]
		if t.line != before.line+1 || max(t.width, before.width) > alignWidth {
			break
		}
		width = max(width, t.width)
	}
	return n, width
}
