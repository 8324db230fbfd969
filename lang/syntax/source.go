package syntax

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"sort"
	"strconv"
	"strings"
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
	text := bytes.TrimPrefix(src, bom)
	at := uint32(len(src) - len(text))
	f.lines = append(f.lines, at)
	for line := range bytes.Lines(text) {
		g.Step()
		if at += uint32(len(line)); bytes.HasSuffix(line, []byte{'\n'}) {
			f.lines = append(Room(g, f.lines, 1), at)
		}
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

// Position returns the line and the column of the byte at off, both from 1; the column counts runes. An offset past the
// end means the end, and one in an imported file the import.
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

// Import is a declaration import "file.gram".
type Import struct {
	Span Span
	File Span // the file name, with its quotes
	part int  // the part that it names: its index + 1, 0 if it is not followed
}

type part struct {
	file   *File  // its source and lines, without a tree
	start  uint32 // where it begins in Src of the program
	by     Span   // the file name in the import
	parent int    // the part that has the import: its index + 1, 0 for the program's own text
	open   bool   // it is being parsed
}

// partOf returns the index of the part in which off stands, -1 for the program's own text.
func (f *File) partOf(off uint32) int {
	return sort.Search(len(f.parts), func(i int) bool { return f.parts[i].start > off }) - 1
}

// Part returns the file in which a span stands, and the span there: f or a file that it imports. Of an imported file
// only the source is there.
func (f *File) Part(s Span) (*File, Span) {
	i := f.partOf(s.Start)
	if i < 0 {
		return f, s
	}
	p := &f.parts[i]
	return p.file, Span{s.Start - p.start, s.End - p.start}
}

// Outer returns where the program's own text has a span: one in an imported file stands at the import.
func (f *File) Outer(s Span) Span {
	for i := f.partOf(s.Start); i >= 0; i = f.partOf(s.Start) {
		s = f.parts[i].by
	}
	return s
}

// Where returns the name of the file in which off stands, and the line and the column there, as [File.Position] does.
func (f *File) Where(off uint32) (name string, line, col int) {
	g, s := f.Part(Span{off, off})
	line, col = g.Position(s.Start)
	return g.Name, line, col
}

// ImportLine returns the line of the import that brings the file with a name, 0 if none does.
func (f *File) ImportLine(name string) int {
	i := f.partNamed(name)
	if i < 0 {
		return 0
	}
	line, _ := f.Position(f.parts[i].start)
	return line
}

// partNamed returns the index of the part that is a file, -1 if there is none.
func (f *File) partNamed(name string) int {
	return slices.IndexFunc(f.parts, func(p part) bool { return p.file.Name == name })
}

// LineCol returns the line and the column of off as text, such as "5:22", in an imported file "file.gram:5:22".
func (f *File) LineCol(off uint32) string {
	name, line, col := f.Where(off)
	if f.partOf(off) >= 0 {
		return place(name, line, col)
	}
	return fmt.Sprintf("%d:%d", line, col)
}

// Dir returns the folder of the imported file in which off stands, or dir, that of the program.
func (f *File) Dir(off uint32, dir string) string {
	if i := f.partOf(off); i >= 0 {
		return filepath.Dir(f.parts[i].file.Name)
	}
	return dir
}

// Imported returns where the file begins that an import names, if it is followed.
func (f *File) Imported(i Import) (at Span, ok bool) {
	if i.part == 0 {
		return at, false
	}
	start := f.parts[i.part-1].start
	return Span{start, start}, true
}

// DeclsEnd returns where the declarations of the program's own text end.
func (f *File) DeclsEnd() (end uint32) {
	for _, i := range f.Imports {
		end = max(end, i.Span.End)
	}
	for _, d := range f.Decls {
		if int(d.Span.End) <= len(f.text) {
			end = max(end, d.Span.End)
		}
	}
	return end
}

// importFile brings the declarations of the file that d names, if imports are followed. A file is brought once.
func (p *parser) importFile(d Decl) {
	i := Import{Span: d.Span, File: d.NameSpan}
	if p.part == 0 {
		defer func() { p.f.Imports = append(p.f.Imports, i) }()
	}
	name, err := strconv.Unquote(d.Name)
	if p.opt.Open == nil || err != nil { // the scanner reports what is no string
		return
	}
	if name = filepath.FromSlash(name); !filepath.IsAbs(name) {
		name = filepath.Join(p.f.Dir(i.File.Start, p.opt.Dir), name)
	}
	if k := p.f.partNamed(name); k >= 0 {
		if i.part = k + 1; p.f.parts[k].open {
			p.wrongImport(i, "an import of itself", p.chain(name), nil)
		}
		return
	}
	src, err := p.read(name)
	if err != nil {
		p.wrongImport(i, "cannot read "+name, SystemError(err), err)
		return
	}
	i.part = len(p.f.parts) + 1
	p.parsePart(i, name, src)
}

func (p *parser) wrongImport(i Import, headline, label string, cause error) {
	p.s.diags = append(p.s.diags, Diagnostic{Span: i.File, Headline: headline, Label: label, Cause: cause})
}

// chain says how a file that is being parsed imports itself.
func (p *parser) chain(name string) string {
	names := []string{name}
	for k := p.part; k > 0 && (len(names) == 1 || names[0] != name); k = p.f.parts[k-1].parent {
		names = slices.Insert(names, 0, p.f.parts[k-1].file.Name)
	}
	return strings.Join(names, " imports ")
}

func (p *parser) read(name string) (src []byte, err error) {
	in, err := p.opt.Open(name)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	for n := 0; err == nil; src = src[:len(src)+n] {
		p.guard.Look()
		src = Room(p.guard, src, 1<<12)
		n, err = in.Read(src[len(src):cap(src)])
	}
	switch {
	case err != io.EOF:
		return nil, err
	case uint64(len(p.f.Src)+len(src)) >= math.MaxUint32-1:
		return nil, errors.New("the program is larger than 4 GB")
	}
	return src, nil
}

// parsePart parses an imported file, whose body it drops.
func (p *parser) parsePart(i Import, name string, src []byte) {
	f := p.f
	whole := slices.Concat(f.Src, []byte("\n"), src)
	start, body := uint32(len(f.Src)+1), f.Body
	f.Src = whole
	f.parts = append(f.parts, part{file: newFile(name, src, p.guard), start: start, by: i.File, parent: p.part,
		open: true})
	q := &parser{f: f, s: newScanner(whole, start), opt: p.opt, guard: p.guard, names: p.names, cons: p.cons, part: i.part}
	q.s.diags = p.s.diags
	q.program()
	p.s.diags = q.s.diags
	f.Body, f.parts[q.part-1].open = body, false
}
