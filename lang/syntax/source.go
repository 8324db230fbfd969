package syntax

import (
	"bytes"
	"sort"
)

// runeStride is how many bytes of the source share one entry of File.runes.
const runeStride = 256

var bom = []byte("\ufeff")

// NewFile returns a File that holds a source and no tree: positions and
// diagnostics work on it. [Parse] fills in the tree.
func NewFile(name string, src []byte) *File { return newFile(name, src, &Guard{}) }

func newFile(name string, src []byte, g *Guard) *File {
	f := &File{
		Name: name, Src: src, text: src,
		exprs: make([]ExprNode, 1, 64), pats: make([]PatNode, 1, 16), types: make([]TypeNode, 1, 16),
	}
	first := 0
	if bytes.HasPrefix(src, bom) {
		first = len(bom)
	}
	f.lines = append(f.lines, uint32(first))
	for i := first; ; {
		j := bytes.IndexByte(src[i:], '\n')
		if j < 0 {
			break
		}
		i += j + 1
		g.Step()
		f.lines = append(Room(g, f.lines, 1), uint32(i))
	}
	f.runes = make([]uint32, 0, len(src)/runeStride+1)
	for i, n := 0, uint32(0); i <= len(src); i += runeStride {
		g.Step()
		f.runes = append(f.runes, n)
		n += countRunes(src[i:min(i+runeStride, len(src))])
	}
	return f
}

// countRunes counts the bytes that start a rune.
func countRunes(b []byte) (n uint32) {
	for _, c := range b {
		if c&0xc0 != 0x80 {
			n++
		}
	}
	return n
}

// runesBefore returns how many runes start before off, in constant time.
func (f *File) runesBefore(off uint32) uint32 {
	i := off / runeStride
	return f.runes[i] + countRunes(f.text[i*runeStride:off])
}

// Position returns the line and the column of the byte at off, both from 1; the
// column counts runes. An offset past the end means the end, and one in an imported
// file the import.
func (f *File) Position(off uint32) (line, col int) {
	off = min(f.Outer(Span{off, off}).Start, uint32(len(f.text)))
	line = max(1, sort.Search(len(f.lines), func(i int) bool { return f.lines[i] > off }))
	start := min(f.lines[line-1], off)
	return line, int(f.runesBefore(off)-f.runesBefore(start)) + 1
}

// Own returns the span of the program's own text: without a byte order mark, and without the files that it imports.
func (f *File) Own() Span { return Span{f.lines[0], uint32(len(f.text))} }

// NumLines returns the number of lines of the program's own text, counting an empty one after a last line break.
func (f *File) NumLines() int { return len(f.lines) }

// Line returns line n, from 1, without its line break. It is empty if there is no such line.
func (f *File) Line(n int) string {
	start, end := f.lineBounds(n)
	return string(f.text[start:end])
}

// lineBounds returns where line n starts and where it ends, line break excluded.
func (f *File) lineBounds(n int) (start, end uint32) {
	if n < 1 || n > len(f.lines) {
		return 0, 0
	}
	start, end = f.lines[n-1], uint32(len(f.text))
	if n < len(f.lines) {
		end = f.lines[n] - 1
		if end > start && f.text[end-1] == '\r' {
			end--
		}
	}
	return start, end
}

// Text returns the source under a span.
func (f *File) Text(s Span) string {
	end := min(s.End, uint32(len(f.Src)))
	return string(f.Src[min(s.Start, end):end])
}

// isDigit reports whether c is a decimal digit of a numeral.
func isDigit(c byte) bool { return '0' <= c && c <= '9' }
