package syntax

import (
	"bytes"
	"slices"
	"unicode/utf8"
)

// This file writes a syntax tree as text, in the canonical layout of gram programs.
//
// It writes a declaration, or the body, as a list of texts and possible line breaks in nested groups, and then fills
// lines of 110 columns: a group that fits on the rest of its line is set flat. Comments are put back before the token
// that they stood before, behind the token that they stood behind. Both steps take linear time.

// Format returns the canonical text of a program: the same tree, with the same comments, no parentheses beyond those
// that the grammar or the eye needs, and lines broken at 110 columns. Formatting the result again changes nothing. A
// line break that the author put after =, ->, in, or an opening bracket, or before else, stays; so does a product
// without spaces, as in 1 + 16*i + j; and between declarations at most one empty line. Comments behind declarations on
// neighbouring lines are aligned. A file with errors is returned as it is. The error is that of the options' Guard.
func Format(f *File, opt Options) (_ []byte, err error) {
	defer Catch(&err)
	if f.broken {
		return bytes.Clone(f.Src), nil
	}
	return newFormatter(f, opt).file(), nil
}

func newFormatter(f *File, opt Options) *formatter {
	return &formatter{f: f, doc: document{guard: &opt.Guard}}
}

// file writes the declarations, the body and the comments around them.
func (fm *formatter) file() []byte {
	f := fm.f
	imports := f.Imports
	for i := range f.Decls {
		fm.doc.guard.Step()
		d := &f.Decls[i]
		if d.Span.Start > f.Own().End {
			continue // of an imported file
		}
		for len(imports) > 0 && imports[0].Span.Start < d.Span.Start {
			fm.importDecl(imports[0])
			imports = imports[1:]
		}
		fm.comments(d.Span.Start)
		fm.item(d.Span.Start)
		fm.decl(d)
		fm.finish(d.Span.End)
	}
	for _, i := range imports {
		fm.importDecl(i)
	}
	if f.Body != 0 {
		start := fm.firstToken(f.Body)
		fm.comments(start)
		fm.item(start)
		fm.doc.begin(0)
		fm.node(f.Body, 0)
		fm.doc.end()
		fm.finish(f.Expr(f.Body).Span.End)
	}
	fm.comments(f.Own().End)
	if len(fm.out) > 0 {
		fm.out = append(fm.out, '\n')
	}
	return alignTails(fm.out, fm.tails)
}

func (fm *formatter) importDecl(i Import) {
	fm.comments(i.Span.Start)
	fm.item(i.Span.Start)
	fm.leaf(i.Span.Start, "import ")
	fm.leaf(i.File.Start, fm.f.Text(i.File))
	fm.finish(i.Span.End)
}

// formatter writes items, which are declarations, comments between them, and the body.
type formatter struct {
	f       *File
	out     []byte
	doc     document // the current item
	next    int      // the next comment to be written
	prevEnd uint32   // where the last item ends
	steps   int      // parts written and bytes looked at, to test that the work is linear
	tails   []int    // where out has the comments behind items, with the spaces before them
}

// item starts a new line for an item at start, after an empty one if the author had one there.
func (fm *formatter) item(start uint32) {
	if len(fm.out) > 0 {
		fm.out = append(fm.out, '\n')
		if fm.blankBetween(fm.prevEnd, start) {
			fm.out = append(fm.out, '\n')
		}
	}
	fm.prevEnd = max(fm.prevEnd, start)
}

// comments writes the comments before an item, each as an item.
func (fm *formatter) comments(before uint32) {
	for fm.commentBefore(before) {
		c := fm.f.Comments[fm.next]
		fm.item(c.Start)
		fm.writeComment(c)
	}
}

// writeComment writes the next comment, c, behind what has been laid out.
func (fm *formatter) writeComment(c Span) {
	fm.out = append(fm.out, fm.comment(c)...)
	fm.prevEnd = max(fm.prevEnd, c.End)
	fm.next++
}

// comment is the text of a comment without white space at its end.
func (fm *formatter) comment(c Span) []byte {
	return bytes.TrimRight(fm.f.Src[c.Start:c.End], " \t\r")
}

// finish lays out the current item and writes a comment that follows on its last line.
func (fm *formatter) finish(end uint32) {
	fm.out = fm.doc.layout(fm.out)
	fm.doc.toks, fm.doc.buf = fm.doc.toks[:0], fm.doc.buf[:0]
	fm.prevEnd = max(fm.prevEnd, end)
	if fm.next < len(fm.f.Comments) {
		c := fm.f.Comments[fm.next]
		if fm.trailing(c) && !fm.itemBetween(end, c.Start) {
			fm.tails = append(fm.tails, len(fm.out))
			fm.out = append(fm.out, "  "...)
			fm.writeComment(c)
		}
	}
}

// itemBetween reports whether a declaration or the body starts in [from, to).
func (fm *formatter) itemBetween(from, to uint32) bool {
	return from < to && len(bytes.TrimLeft(fm.f.Src[from:to], " \t\r\n)")) > 0
}

// trailing reports whether a token stands before the comment c on its line.
func (fm *formatter) trailing(c Span) bool {
	before := bytes.TrimRight(fm.f.Src[fm.f.Own().Start:c.Start], " \t\r")
	return len(before) > 0 && before[len(before)-1] != '\n'
}

// newlineBetween reports whether the author broke the line in [from, to).
func (fm *formatter) newlineBetween(from, to uint32) bool {
	fm.steps += max(0, int(to)-int(from))
	return from < to && bytes.IndexByte(fm.f.Src[from:to], '\n') >= 0
}

// blankBetween reports whether there is an empty line in [from, to), before any comment there.
func (fm *formatter) blankBetween(from, to uint32) bool {
	if from >= to {
		return false
	}
	gap, _, _ := bytes.Cut(fm.f.Src[from:to], []byte("--"))
	lines := bytes.Split(gap, []byte{'\n'})
	// What stands before the first line break, and behind the last one, is no whole line.
	return len(lines) > 2 && slices.ContainsFunc(lines[1:len(lines)-1], func(line []byte) bool {
		return len(bytes.TrimSpace(line)) == 0
	})
}

// breakFor is the break for a place where the author may have broken the line, in [from, to).
func (fm *formatter) breakFor(from, to uint32) breakKind {
	switch {
	case !fm.newlineBetween(from, to):
		return groupBreak
	case fm.blankBetween(from, to):
		return blankBreak
	}
	return hardBreak
}

// leaf writes a token that stands at pos in the source, after the comments before it.
func (fm *formatter) leaf(pos uint32, text string) {
	if fm.commentBefore(pos) {
		fm.flush(pos)
	}
	fm.doc.text(text)
}

// commentBefore reports whether a comment before pos is still to be written.
func (fm *formatter) commentBefore(pos uint32) bool {
	return fm.next < len(fm.f.Comments) && fm.f.Comments[fm.next].Start < pos
}

// flush writes the comments before pos: one on the line of the token before it
// stays there, others have lines of their own.
func (fm *formatter) flush(pos uint32) {
	d := &fm.doc
	n := d.commentPlace()
	rest := append([]docToken(nil), d.toks[n:]...)
	d.toks = d.toks[:n]
	for ; fm.commentBefore(pos); fm.next++ {
		c := fm.f.Comments[fm.next]
		after := hardBreak
		if fm.blankBetween(c.End, pos) {
			after = blankBreak
		}
		pending := docToken{kind: docBreak, brk: hardBreak}
		if last := len(d.toks) - 1; last >= 0 && d.toks[last].kind == docBreak {
			pending = d.toks[last]
			d.toks = d.toks[:last]
		}
		d.trimSpace()
		if len(d.toks) > 0 && d.toks[len(d.toks)-1].kind != docComment && fm.trailing(c) {
			d.write(docText, "  ", 0)
		} else if len(d.toks) > 0 {
			d.brk(max(pending.brk, hardBreak), 0, 0)
		}
		d.write(docComment, string(fm.comment(c)), 0) // its width does not count
		d.brk(after, 0, pending.delta)
	}
	d.toks = append(d.toks, rest...)
}

// alignWidth is how wide code may be for the comment behind it to be aligned.
const alignWidth = 60

// alignTails aligns the comments behind code on neighbouring lines. A place is that
// of the spaces before such a comment.
func alignTails(text []byte, places []int) []byte {
	newLine := []byte{'\n'}
	out := make([]byte, 0, len(text)+len(text)/8)
	from := 0
	for n := 0; n < len(places); {
		first, width := n, columns(text[:places[n]])
		for n++; n < len(places) && bytes.Count(text[places[n-1]:places[n]], newLine) == 1 &&
			max(columns(text[:places[n-1]]), columns(text[:places[n]])) <= alignWidth; n++ {
			width = max(width, columns(text[:places[n]]))
		}
		for _, at := range places[first:n] {
			out = append(out, text[from:at]...)
			out = append(out, bytes.Repeat([]byte{' '}, width-columns(text[:at]))...)
			from = at
		}
	}
	return append(out, text[from:]...)
}

// columns returns how many columns the last line of a text has.
func columns(text []byte) int { return utf8.RuneCount(text[bytes.LastIndexByte(text, '\n')+1:]) }

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

func (d *document) add(t docToken) { d.toks = append(Room(d.guard, d.toks, 1), t) }

// write adds a text or a comment that takes width columns.
func (d *document) write(kind docKind, s string, width int) {
	d.add(docToken{kind: kind, off: uint32(len(d.buf)), n: uint32(len(s)), width: uint32(width)})
	d.buf = append(Room(d.guard, d.buf, len(s)), s...)
}

func (d *document) text(s string) { d.write(docText, s, utf8.RuneCountInString(s)) }

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

func (d *document) begin(indent int8) { d.add(docToken{kind: docBegin, delta: indent}) }

func (d *document) end() { d.add(docToken{kind: docEnd}) }

func (d *document) brk(k breakKind, flat uint8, delta int8) {
	d.add(docToken{kind: docBreak, brk: k, flat: flat, delta: delta, width: uint32(flat)})
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
			out = append(Room(d.guard, out, col+2), '\n')
			if t.brk == blankBreak {
				out = append(out, '\n')
			}
			out = append(out, bytes.Repeat([]byte{' '}, col)...)
		}
	}
	return out
}
