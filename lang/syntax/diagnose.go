package syntax

import (
	"cmp"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// Diagnostic is an error at a place of the source. A place in another file (a
// CSV file, say) has File set and a line and column of its own instead of a Span.
type Diagnostic struct {
	Span     Span
	Headline string // "type mismatch"
	Label    string // at the carets: "this is R * R, but sigmoid takes R"; may be empty
	Notes    []Note // further places and hints

	File string // another file's name
	Line int    // its line, from 1; 0 if none
	Col  int    // the column in runes, from 1; 0 if none

	Cause error // such as that of a file that cannot be opened, or nil
}

// Note is a remark under a diagnostic; with a Span other than {0,0} it shows that line too.
type Note struct {
	Span Span
	Text string
}

// Errors are the diagnostics of a program, with its file. [NewErrors] makes it.
type Errors struct {
	File *File
	List []Diagnostic
}

// NewErrors returns the diagnostics as an error, in source order and each once; nil if there are none.
func NewErrors(f *File, ds []Diagnostic) error {
	if len(ds) == 0 {
		return nil
	}
	ds = slices.Clone(ds)
	sortDiagnostics(ds)
	ds = slices.CompactFunc(ds, func(a, b Diagnostic) bool { return reflect.DeepEqual(a, b) })
	return &Errors{f, ds}
}

// Error renders all diagnostics, without a line break at the end.
func (e *Errors) Error() string {
	var b strings.Builder
	for _, d := range e.List {
		b.WriteString(e.File.Render(d))
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// Unwrap returns the causes.
func (e *Errors) Unwrap() (causes []error) {
	for _, d := range e.List {
		if d.Cause != nil {
			causes = append(causes, d.Cause)
		}
	}
	return causes
}

// sortDiagnostics orders by position, those of other files last, and then by text.
func sortDiagnostics(ds []Diagnostic) {
	slices.SortStableFunc(ds, func(a, b Diagnostic) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Col, b.Col),
			cmp.Compare(a.Span.Start, b.Span.Start), cmp.Compare(a.Span.End, b.Span.End),
			cmp.Compare(a.Headline, b.Headline), cmp.Compare(a.Label, b.Label))
	})
}

// Render shows a diagnostic: its place and headline, the line with carets and the
// label, and the notes. It ends with a line break. Of another file it shows the place
// alone, and the notes with their places in f.
func (f *File) Render(d Diagnostic) string {
	var b strings.Builder
	name, line, col := f.Where(d.Span.Start)
	if d.File != "" {
		name, line, col = d.File, d.Line, d.Col
	}
	wide := len(strconv.Itoa(line))
	for _, n := range d.Notes {
		if in, line, _ := f.Where(n.Span.Start); n.Span != (Span{}) && in == name {
			wide = max(wide, len(strconv.Itoa(line)))
		}
	}
	remark := func(text string) { b.WriteString(strings.Repeat(" ", wide+3) + "= " + oneLine(text) + "\n") }
	b.WriteString(place(name, line, col) + ": " + oneLine(d.Headline) + "\n")
	if d.File == "" {
		f.excerpt(&b, d.Span, d.Label, wide)
	} else if d.Label != "" {
		remark(d.Label)
	}
	for _, n := range d.Notes {
		in, line, col := f.Where(n.Span.Start)
		switch {
		case n.Span == (Span{}):
			remark(n.Text)
		case d.File == "" && in == name:
			f.excerpt(&b, n.Span, n.Text, wide)
		default:
			b.WriteString(place(in, line, col) + ":\n")
			f.excerpt(&b, n.Span, n.Text, len(strconv.Itoa(line)))
		}
	}
	return b.String()
}

// excerpt shows the first line of a span with carets under it.
func (f *File) excerpt(b *strings.Builder, s Span, label string, wide int) {
	f, s = f.Part(s)
	line, _ := f.Position(s.Start)
	start, end := f.lineBounds(line)
	from := min(max(s.Start, start), end)
	to := max(from, min(s.End, end))
	writeExcerpt(b, strconv.Itoa(line), f.text[start:end], int(from-start), int(to-start), label, wide)
}

// Place returns where a diagnostic stands in f: its line, from 1, its column and its
// width on that line, at least 1, in runes. One of another file stands where its first
// note does, one in an imported file at the import. Without a place there are zeros.
func (f *File) Place(d Diagnostic) (line, col, width int) {
	s := d.Span
	if d.File != "" {
		i := slices.IndexFunc(d.Notes, func(n Note) bool { return n.Span != (Span{}) })
		if i < 0 {
			return 0, 0, 0
		}
		s = d.Notes[i].Span
	}
	s = f.Outer(s)
	line, col = f.Position(s.Start)
	_, end := f.lineBounds(line)
	if to := min(s.End, end); to > s.Start {
		width = int(f.runesBefore(to) - f.runesBefore(s.Start))
	}
	return line, col, max(1, width)
}

// Foreign returns the place of a diagnostic of another file, as far as it is known:
// "other.csv:12:3". It is empty for one of the program's own text.
func (f *File) Foreign(d Diagnostic) string {
	if d.File == "" {
		if f.partOf(d.Span.Start) < 0 {
			return ""
		}
		d.File, d.Line, d.Col = f.Where(d.Span.Start)
	}
	return place(d.File, d.Line, d.Col)
}

// place is name:line:col, as far as it is known.
func place(name string, line, col int) string {
	if name == "" {
		name = "-"
	}
	if line > 0 {
		name += ":" + strconv.Itoa(line)
		if col > 0 {
			name += ":" + strconv.Itoa(col)
		}
	}
	return name
}

// oneLine keeps a message from spreading over lines.
func oneLine(s string) string { return strings.Join(strings.FieldsFunc(s, isBreak), " ") }

func isBreak(r rune) bool { return r == '\n' || r == '\r' }
