package lsp

import (
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/gram-machine/gram/lang/syntax"
)

// text is the text of a document. The protocol places a character by its line and the number of UTF-16 units before it.
type text struct {
	src   string
	lines []int // where lines start
}

func newText(src string) *text {
	t := &text{src: src, lines: []int{0}}
	for i := 0; i < len(src); i++ {
		if src[i] == '\n' || src[i] == '\r' && !strings.HasPrefix(src[i+1:], "\n") {
			t.lines = append(t.lines, i+1)
		}
	}
	return t
}

// position returns the place of the byte at off.
func (t *text) position(off int) position {
	off = min(off, len(t.src))
	line := sort.SearchInts(t.lines, off+1) - 1
	return position{line, units(t.src[t.lines[line]:off])}
}

// units returns the number of UTF-16 units of s.
func units(s string) (n int) {
	for _, r := range s {
		n++
		if r > 0xffff {
			n++
		}
	}
	return n
}

// offset returns the byte at a place. A place behind the end of a line is its end.
func (t *text) offset(p position) int {
	if p.Line < 0 {
		return 0
	}
	if p.Line >= len(t.lines) {
		return len(t.src)
	}
	off := t.lines[p.Line]
	for n := p.Character; n > 0 && off < len(t.src) && t.src[off] != '\n' && t.src[off] != '\r'; {
		r, size := utf8.DecodeRuneInString(t.src[off:])
		if n--; r > 0xffff {
			n--
		}
		off += size
	}
	return off
}

// span returns the range of a span of the source.
func (t *text) span(s syntax.Span) span {
	return span{t.position(int(s.Start)), t.position(int(s.End))}
}

// word returns the name at off or just before it; start is end if there is none.
func (t *text) word(off int) (start, end int) {
	part := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' || r == '\'' }
	start, end = off, off
	for start > 0 {
		r, n := utf8.DecodeLastRuneInString(t.src[:start])
		if !part(r) {
			break
		}
		start -= n
	}
	for end < len(t.src) {
		r, n := utf8.DecodeRuneInString(t.src[end:])
		if !part(r) {
			break
		}
		end += n
	}
	return start, end
}

// edit says how a text has become another: the bytes from start on, up to oldEnd in the old text, are those up to
// newEnd in the new one.
type edit struct{ start, oldEnd, newEnd int }

func editOf(before, after string) edit {
	e := edit{0, len(before), len(after)}
	for e.start < e.oldEnd && e.start < e.newEnd && before[e.start] == after[e.start] {
		e.start++
	}
	for e.oldEnd > e.start && e.newEnd > e.start && before[e.oldEnd-1] == after[e.newEnd-1] {
		e.oldEnd--
		e.newEnd--
	}
	return e
}

// moved returns a span of a text, whose bytes from start to end become others that end at newEnd. It fails for a span
// that overlaps these bytes.
func moved(s syntax.Span, start, end, newEnd int) (syntax.Span, bool) {
	if int(s.End) <= start {
		return s, true
	}
	by := uint32(newEnd - end) // modulo 2³²
	return syntax.Span{Start: s.Start + by, End: s.End + by}, int(s.Start) >= end
}

// edits are the edits of a document since it was opened.
type edits []edit

// back returns where a span of the present text stood when there had been n edits.
func (es edits) back(s syntax.Span, n int) (_ syntax.Span, ok bool) {
	ok = true
	for i := len(es) - 1; i >= n && ok; i-- {
		s, ok = moved(s, es[i].start, es[i].newEnd, es[i].oldEnd)
	}
	return s, ok
}

// forward returns where a span of the text after n edits stands now.
func (es edits) forward(s syntax.Span, n int) (_ syntax.Span, ok bool) {
	ok = true
	for i := n; i < len(es) && ok; i++ {
		s, ok = moved(s, es[i].start, es[i].oldEnd, es[i].newEnd)
	}
	return s, ok
}
