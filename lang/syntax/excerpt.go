package syntax

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	tabWidth     = 4
	excerptWidth = 100 // columns of a source line that are shown
)

// writeExcerpt writes a source line and under it carets below [from, to), at least
// one, and the label. A line that is too long is cut around the carets.
func writeExcerpt(b *strings.Builder, num string, line []byte, from, to int, label string, wide int) {
	pad := strings.Repeat(" ", wide-len(num))
	text, left, width := window(line, from, to)
	b.WriteString("  " + pad + num + " | " + text + "\n")
	b.WriteString("  " + strings.Repeat(" ", wide) + " | " + strings.Repeat(" ", left) +
		strings.Repeat("^", max(1, width)))
	if label != "" {
		b.WriteString(" " + oneLine(label))
	}
	b.WriteString("\n")
}

// window lays out the part of a line around [from, to): its text, the columns
// before from, and the columns of the part of [from, to) that is shown.
func window(line []byte, from, to int) (text string, left, width int) {
	start, cutLeft := windowStart(line, from)
	var b strings.Builder
	col := 0
	if cutLeft {
		b.WriteString("…")
		col = 1
	}
	left = -1
	end := 0
	i := start
	for i < len(line) {
		if i >= from && left < 0 {
			left = col
		}
		r, n := utf8.DecodeRune(line[i:])
		w := cellWidth(r, col)
		if col+w > excerptWidth {
			b.WriteString("…")
			break
		}
		writeCell(&b, r, n, w)
		col += w
		if i < to {
			end = col
		}
		i += n
	}
	if left < 0 {
		left = col
	}
	return strings.TrimRight(b.String(), " "), left, max(0, end-left)
}

// windowStart returns where the shown part of a line starts: at the start, or two
// thirds of the width before from. It looks at no more than that part.
func windowStart(line []byte, from int) (start int, cut bool) {
	col, i := 0, from
	for i > 0 && col <= excerptWidth*2/3 {
		r, n := utf8.DecodeLastRune(line[:i])
		col += cellWidth(r, 0)
		i -= n
	}
	if i == 0 {
		return 0, false
	}
	return i, true
}

// writeCell writes a rune so that it takes w columns and does not disturb a terminal.
func writeCell(b *strings.Builder, r rune, n, w int) {
	switch {
	case r == '\t':
		b.WriteString(strings.Repeat(" ", w))
	case r == utf8.RuneError && n <= 1, r != ' ' && !unicode.IsPrint(r) && !unicode.IsMark(r):
		b.WriteRune(utf8.RuneError)
	default:
		b.WriteRune(r)
	}
}

// cellWidth is how many columns a rune takes at column col.
func cellWidth(r rune, col int) int {
	switch {
	case r == '\t':
		return tabWidth - col%tabWidth
	case r < 0x300:
		return 1
	case unicode.IsMark(r):
		return 0
	case isWide(r):
		return 2
	}
	return 1
}

// isWide reports whether terminals show a rune in two columns: East Asian scripts,
// full-width forms and pictures.
func isWide(r rune) bool {
	switch {
	case r < 0x1100:
		return false
	case r <= 0x115f, 0x2e80 <= r && r <= 0x303e, 0x3041 <= r && r <= 0xa4cf, 0xa960 <= r && r <= 0xa97c,
		0xac00 <= r && r <= 0xd7a3, 0xf900 <= r && r <= 0xfaff, 0xfe30 <= r && r <= 0xfe6f,
		0xff00 <= r && r <= 0xff60, 0xffe0 <= r && r <= 0xffe6, 0x1f300 <= r && r <= 0x1f64f,
		0x1f680 <= r && r <= 0x1f6ff, 0x1f900 <= r && r <= 0x1f9ff, 0x20000 <= r && r <= 0x3fffd:
		return true
	}
	return false
}
