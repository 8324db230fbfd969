package syntax

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"reflect"
	"slices"
	"sort"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
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

// SystemError describes an error of the system on a file that is named already.
func SystemError(err error) string {
	var path *fs.PathError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "no such file"
	case errors.Is(err, fs.ErrPermission):
		return "permission denied"
	case errors.As(err, &path):
		return path.Err.Error()
	}
	return err.Error()
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
	sort.SliceStable(ds, func(i, j int) bool {
		a, b := &ds[i], &ds[j]
		return 0 > cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Col, b.Col),
			cmp.Compare(a.Span.Start, b.Span.Start), cmp.Compare(a.Span.End, b.Span.End),
			cmp.Compare(a.Headline, b.Headline), cmp.Compare(a.Label, b.Label))
	})
}

// Render shows a diagnostic: its place and headline, the line with carets and the label, and the notes. It ends with a
// line break. Of another file it shows the place alone, and the notes with their places in f.
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

// excerpt shows the first line of a span with carets under it, at least one, and the label. A line that is too long is
// cut around the carets.
func (f *File) excerpt(b *strings.Builder, s Span, label string, wide int) {
	f, s = f.Part(s)
	line, _ := f.Position(s.Start)
	start, end := f.lineBounds(line)
	from := min(max(s.Start, start), end)
	to := max(from, min(s.End, end))
	text, left, width := window(f.text[start:end], int(from-start), int(to-start))
	carets := strings.Repeat("^", max(1, width))
	if label != "" {
		carets += " " + oneLine(label)
	}
	fmt.Fprintf(b, "  %*d | %s\n  %*s | %*s%s\n", wide, line, text, wide, "", left, "", carets)
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
func oneLine(s string) string {
	return strings.Join(strings.FieldsFunc(s, func(r rune) bool { return r == '\n' || r == '\r' }), " ")
}

const (
	tabWidth     = 4
	excerptWidth = 100 // columns of a source line that are shown
)

// window lays out the part of a line around [from, to): its text, the columns
// before from, and the columns of the part of [from, to) that is shown.
func window(line []byte, from, to int) (text string, left, width int) {
	var b strings.Builder
	start, col, end := windowStart(line, from), 0, 0
	if start > 0 {
		b.WriteString("…")
		col = 1
	}
	left = -1
	for i := start; i < len(line); {
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
func windowStart(line []byte, from int) (start int) {
	start = from
	for col := 0; start > 0 && col <= excerptWidth*2/3; {
		r, n := utf8.DecodeLastRune(line[:start])
		col += cellWidth(r, 0)
		start -= n
	}
	return start
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
	case slices.ContainsFunc(wide, func(w [2]rune) bool { return w[0] <= r && r <= w[1] }):
		return 2
	}
	return 1
}

// wide are the runes that terminals show in two columns: East Asian scripts, full-width forms and pictures.
var wide = [][2]rune{{0x1100, 0x115f}, {0x2e80, 0x303e}, {0x3041, 0xa4cf}, {0xa960, 0xa97c}, {0xac00, 0xd7a3},
	{0xf900, 0xfaff}, {0xfe30, 0xfe6f}, {0xff00, 0xff60}, {0xffe0, 0xffe6}, {0x1f300, 0x1f64f}, {0x1f680, 0x1f6ff},
	{0x1f900, 0x1f9ff}, {0x20000, 0x3fffd}}

// Elsewhere says how to write what names and signs of other languages stand for.
var Elsewhere = map[string]string{
	"mean":    "the mean of a vector v is `sum v / size v`, and that of a data list xs `foldl (+) 0 xs / size xs`",
	"average": "the mean of a vector v is `sum v / size v`, and that of a data list xs `foldl (+) 0 xs / size xs`",
	"matmul":  "the product of matrices is `map (matvec (transpose B)) A`, and that of a matrix and a vector `matvec M v`",
	"@":       "the product of matrices is `map (matvec (transpose B)) A`, and that of a matrix and a vector `matvec M v`",
	"log10":   "the logarithm to the base 10 is `log x / log 10`",
	"log2":    "the logarithm to the base 2 is `log x / log 2`",
	"ln":      "the natural logarithm is `log x`",
	"%":       "the remainder is `x - y * floor (x / y)`",
	"mod":     "the remainder is `x - y * floor (x / y)`",
	"lambda":  "a function is written `fun x -> …`",
	"append":  "vectors are joined by `concat u v`",
	"sqr":     "the square is `x^2`",
}

// Suggest returns the known name that is closest to a misspelt one, or "" if none is close. A name that differs in
// upper and lower case alone is closest. Otherwise it takes as many edits as a third of the letters, or one for a short
// name, where an edit inserts, deletes or replaces a letter or swaps two neighbours. Of several names the first in the
// order of known is returned.
func Suggest(name string, known []string) string {
	for _, k := range known {
		if strings.EqualFold(name, k) && name != k {
			return k
		}
	}
	a := []rune(name)
	best, most := "", max(1, len(a)/3)
	if len(a) == 1 || len(a) > 100 {
		return ""
	}
	for _, k := range known {
		b := []rune(k)
		if k == name || len(b) < 2 || len(b)-len(a) > most || len(a)-len(b) > most {
			continue
		}
		if d := distance(a, b); d <= most {
			best, most = k, d-1
			if most == 0 {
				break
			}
		}
	}
	return best
}

// distance is the restricted Damerau-Levenshtein distance.
func distance(a, b []rune) int {
	var before []int
	prev, cur := make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := range a {
		cur[0] = i + 1
		for j := range b {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			cur[j+1] = min(prev[j+1]+1, cur[j]+1, prev[j]+cost)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				cur[j+1] = min(cur[j+1], before[j-1]+1)
			}
		}
		before, prev = prev, slices.Clone(cur)
	}
	return prev[len(b)]
}
