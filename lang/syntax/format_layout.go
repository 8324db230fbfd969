package syntax

import (
	"bytes"
	"unicode/utf8"
)

const (
	lineWidth = 110 // columns that a formatted line should not exceed
	maxIndent = 40  // deeper nesting is not indented further, so that the output stays linear
)

// A document is a list of texts and breaks with groups around them. A group that
// fits on the rest of the line is set flat: its breaks are spaces. In the others
// breaks are line breaks, those of the fill kind only where what follows would not fit.

type docKind uint8

const (
	docText docKind = iota
	docComment
	docBreak
	docBegin
	docEnd
)

type breakKind uint8

const (
	groupBreak breakKind = iota // a line break if its group is not flat
	fillBreak                   // a line break if what follows does not fit
	hardBreak                   // always a line break
	blankBreak                  // a line break and an empty line
)

type docToken struct {
	kind  docKind
	brk   breakKind
	delta int8   // docBegin: more indentation inside; docBreak: of the next line alone
	flat  uint8  // docBreak: spaces when flat
	off   uint32 // text; docBegin: its docEnd; docBreak: the next break of its group or its docEnd
	n     uint32 // bytes of text
	width uint32 // columns when flat
}

// document collects tokens, with their text in one buffer.
type document struct {
	guard *Guard
	toks  []docToken
	buf   []byte
}

func (d *document) text(s string) {
	t := docToken{kind: docText, off: uint32(len(d.buf)), n: uint32(len(s)), width: uint32(utf8.RuneCountInString(s))}
	d.buf = append(Room(d.guard, d.buf, len(s)), s...)
	d.toks = append(Room(d.guard, d.toks, 1), t)
}

// trimSpace removes the spaces at the end of the last text.
func (d *document) trimSpace() {
	if len(d.toks) == 0 {
		return
	}
	t := &d.toks[len(d.toks)-1]
	for t.kind == docText && t.n > 0 && d.buf[t.off+t.n-1] == ' ' {
		t.n--
		t.width--
	}
}

// commentPlace returns where a comment goes before the next text: after the last
// break if no text follows that, otherwise before the groups that start at the end.
func (d *document) commentPlace() int {
	n := len(d.toks)
	for n > 0 && (d.toks[n-1].kind == docBegin || d.toks[n-1].kind == docEnd) {
		n--
	}
	if n > 0 && d.toks[n-1].kind == docBreak {
		return n
	}
	for n = len(d.toks); n > 0 && d.toks[n-1].kind == docBegin; {
		n--
	}
	return n
}

// comment adds a comment. Its width does not count.
func (d *document) comment(s []byte) {
	d.toks = append(Room(d.guard, d.toks, 1),
		docToken{kind: docComment, off: uint32(len(d.buf)), n: uint32(len(s))})
	d.buf = append(Room(d.guard, d.buf, len(s)), s...)
}

func (d *document) begin(indent int8) {
	d.toks = append(Room(d.guard, d.toks, 1), docToken{kind: docBegin, delta: indent})
}

func (d *document) end() { d.toks = append(Room(d.guard, d.toks, 1), docToken{kind: docEnd}) }

func (d *document) brk(k breakKind, flat uint8, delta int8) {
	d.toks = append(Room(d.guard, d.toks, 1),
		docToken{kind: docBreak, brk: k, flat: flat, delta: delta, width: uint32(flat)})
}

// measure holds, for each token, sums over it and what stands behind it.
type measure struct {
	width []uint32 // columns when flat
	hard  []uint32 // hard breaks
	next  []uint32 // the first break at or after the token
}

// link matches begins with ends and breaks with the next ones, and measures.
func (d *document) link() measure {
	n := len(d.toks)
	d.guard.Announce(3 * 4 * int64(n))
	m := measure{make([]uint32, n+1), make([]uint32, n+1), make([]uint32, n+1)}
	m.next[n] = uint32(n)
	type group struct{ end, next uint32 } // next is its first break behind the token, or end
	open := []group{{uint32(n), uint32(n)}}
	for i := n - 1; i >= 0; i-- {
		d.guard.Step()
		t, g := &d.toks[i], &open[len(open)-1]
		m.width[i], m.hard[i], m.next[i] = m.width[i+1]+t.width, m.hard[i+1], m.next[i+1]
		switch t.kind {
		case docBreak:
			if t.brk >= hardBreak {
				m.hard[i]++
			}
			m.next[i], t.off, g.next = uint32(i), g.next, uint32(i)
		case docEnd:
			open = append(Room(d.guard, open, 1), group{uint32(i), uint32(i)})
		case docBegin:
			t.off = g.end
			open = open[:len(open)-1]
		}
	}
	return m
}

// fits reports whether the tokens [from, to), and what cannot be broken off after
// them, take no more than the given columns and have no hard break.
func (m *measure) fits(from, to uint32, columns int) bool {
	return m.hard[from] == m.hard[to] && int(m.width[from]-m.width[m.next[to]]) <= columns
}

func (d *document) layout(out []byte) []byte {
	m := d.link()
	type level struct {
		indent int
		flat   bool
	}
	levels := []level{{0, false}}
	col := 0
	for i := range d.toks {
		d.guard.Step()
		t := &d.toks[i]
		top := levels[len(levels)-1]
		switch t.kind {
		case docText, docComment:
			out = append(Room(d.guard, out, int(t.n)), d.buf[t.off:t.off+t.n]...)
			col += int(t.width)
		case docBegin:
			flat := top.flat || m.fits(uint32(i), t.off, lineWidth-col)
			levels = append(Room(d.guard, levels, 1), level{top.indent + int(t.delta), flat})
		case docEnd:
			levels = levels[:len(levels)-1]
		case docBreak:
			fits := top.flat || t.brk == fillBreak && m.fits(uint32(i), t.off, lineWidth-col)
			if fits && t.brk < hardBreak {
				out = append(out, "  "[:t.flat]...)
				col += int(t.flat)
				continue
			}
			col = min(top.indent+int(t.delta), maxIndent)
			out = newLine(d.guard, out, t.brk, col)
		}
	}
	return out
}

// newLine ends the line and indents the next one.
func newLine(g *Guard, out []byte, k breakKind, indent int) []byte {
	out = append(Room(g, out, indent+2), '\n')
	if k == blankBreak {
		out = append(out, '\n')
	}
	return append(out, bytes.Repeat([]byte{' '}, indent)...)
}
