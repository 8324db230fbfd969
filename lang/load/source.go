package load

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/gram-machine/gram/lang/syntax"
)

// MaxNat is the largest static natural: all up to it are exact as reals.
const MaxNat = 1 << 53

// Source reads values.
type Source struct {
	// Open opens a file with numbers.
	Open func(path string) (fs.File, error)
	// Stream lets the numbers of data be read when they are needed: see [Value].
	Stream bool
	*syntax.Guard
}

// Variable is an input or a data declaration with its value.
type Variable struct {
	Name  string
	Decl  int    // index into File.Decls
	Shape *Shape // as declared, or that of the value; nil if Bad and not known
	Value Value
	Used  bool     // another value was computed from it
	Names []string // of the numbers of an input, if the program says them
	Bad   bool     // an error about it has been reported; Value is empty
}

// failure is the panic value of a value that does not fit.
type failure struct{ d syntax.Diagnostic }

func catch(d **syntax.Diagnostic) {
	switch x := recover().(type) {
	case nil:
	case *failure:
		*d = &x.d
	default:
		panic(x)
	}
}

// Set gives a setting the shape of the declaration d: want, or, if that is nil, the one that the content of a file
// suggests.
func (s *Source) Set(set *Setting, want *Shape, d *syntax.Decl) (v Value, wrong *syntax.Diagnostic) {
	defer catch(&wrong)
	at := d.NameSpan
	c := &content{layout: set.layout, Value: Value{Data: set.flat}}
	switch {
	case want.Tagged() && set.value != "":
		r := newTextReader([]byte(set.value), nil, s.Guard)
		if r.tagged(want); r.end() != nil {
			misfit(at, set, want, "something else: "+r.err.msg)
		}
		c.Data, c.Tags = r.data, r.tags
	case want.Tagged() && (set.file == nil || set.file.format != formats["json"]):
		fail(at, "value does not fit the program",
			fmt.Sprintf("%s is %v, whose values are read from a JSON file: json \"f.json\", or --set %s=@f.json",
				set.Name, want, set.Name))
	case set.file != nil:
		var err *fileError
		set.file.shape = want
		set.file.stream = s.Stream && d.Kind == syntax.DataDecl && (want == nil || want.Kind == List)
		if c, err = s.read(set.file); err != nil {
			wrong := err.diagnostic(set.file.at(err.part, at))
			if set.file.at(-1, at) == at {
				wrong.Notes = append(wrong.Notes, syntax.Note{Text: "the file is read for " + short(set.Text)})
			}
			return v, wrong
		}
	}
	if c.Tags != nil {
		return TaggedValue(want, c.Data, c.Tags), nil
	}
	if want == nil {
		want = c.shape(at, set, d.Kind)
	}
	rows, found := c.rows(set.isFlat, want)
	if found != "" {
		misfit(at, set, want, found)
	}
	v = c.Value
	v.Shape, v.Rows = want, rows
	return v, nil
}

// opened is a file with numbers that has been opened.
type opened struct {
	*File
	s    *Source
	in   fs.File
	size int64 // in bytes, 0 if it is not known
}

// with opens a file for what use does.
func (s *Source) with(f *File, use func(o *opened) error) *fileError {
	in, err := s.Open(f.path)
	if err == nil {
		defer in.Close()
		var info fs.FileInfo
		info, err = in.Stat()
		switch o := (&opened{File: f, s: s, in: in}); {
		case err != nil:
		case info.IsDir():
			err = errors.New("this is a directory")
		default:
			if info.Mode().IsRegular() {
				o.size = info.Size()
			}
			err = use(o)
		}
	}
	var wrong *fileError
	if err != nil && !errors.As(err, &wrong) {
		wrong = f.wrong(-1, err)
	}
	return wrong
}

func (s *Source) read(f *File) (c *content, wrong *fileError) {
	wrong = s.with(f, func(o *opened) (err error) {
		c, err = f.format.read(o)
		return err
	})
	return c, wrong
}

// random returns the file for reading at any place, nil if that can't be done.
func (o *opened) random() io.ReaderAt {
	if at, ok := o.in.(io.ReaderAt); ok && o.size > 0 {
		return at
	}
	return nil
}

func fail(at syntax.Span, headline, label string) {
	panic(&failure{syntax.Diagnostic{Span: at, Headline: headline, Label: label}})
}

// File says which numbers of a file are read, and how: csv "f.csv" "a" skip, or @f.csv:a on the command line.
type File struct {
	format    *format
	path      string
	place     syntax.Span // of the path in the program; zero on the command line
	parts     []part
	separator rune    // of a CSV file
	skip      bool    // rows with a missing value are left out
	fill      float64 // what stands for a missing value; NaN where that is an error
	shape     *Shape  // what is read, if it is known
	stream    bool    // numbers that are too many to be stored are read when they are needed
}

// part names a column of a table, an array, or a step of the way into a JSON value.
type part struct {
	name   string
	index  int // -1: it has a name
	place  syntax.Span
	read   reading
	form   string   // of dates, as given
	layout string   // and for package time
	levels []string // of categories, if they are stated
}

func (p *part) String() string {
	if p.index >= 0 {
		return strconv.Itoa(p.index)
	}
	return strconv.Quote(p.name)
}

type format struct {
	kind  string // what messages call its files
	parts string // what stands behind the path, as in an example
	most  int    // of the parts
	least int
	named bool // a part is always a name
	table bool // it has rows, with skip and fill
	read  func(*opened) (*content, error)
}

// formats are the formats, by the words of a program and by the extensions of names.
var formats = map[string]*format{
	"csv": {kind: "CSV", least: 1, most: math.MaxInt, table: true, read: (*opened).csv,
		parts: `columns: csv "f.csv" "a" "b" by their names, csv "f.csv" 0 2 by their numbers if there is no header`},
	"npy": {kind: "NumPy", parts: `nothing: npy "f.npy"`, read: (*opened).npy},
	"npz": {kind: "NumPy", least: 1, most: 1, named: true, read: (*opened).npz,
		parts: `the name of an array: npz "f.npz" "w"`},
	"parquet": {kind: "Parquet", least: 1, most: math.MaxInt, named: true, table: true, read: (*opened).parquet,
		parts: `columns: parquet "f.parquet" "a" "b"`},
	"text": {kind: "text", most: 1, read: (*opened).characters,
		parts: `the length of a row, or nothing: text "f.txt" 64`},
	"json": {kind: "JSON", most: maxBrackets, read: (*opened).json,
		parts: `the way to a value: json "f.json" "layers" 3 "w"`},
}

// extension returns the format of a file by the extension of its name, or nil.
func extension(path string) *format {
	name := strings.ToLower(strings.TrimPrefix(filepath.Ext(path), "."))
	if name == "txt" {
		name = "text"
	}
	return formats[name]
}

func newFile(f *format, path string) *File {
	out := &File{format: f, path: path, separator: ',', fill: math.NaN()}
	if strings.EqualFold(filepath.Ext(path), ".tsv") {
		out.separator = '\t'
	}
	return out
}

// NewFile returns what an expression of a program says. The path is relative to dir.
func NewFile(n *syntax.ExprNode, dir string) (_ *File, d *syntax.Diagnostic) {
	defer catch(&d)
	path := n.Words[0].Text
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	f := newFile(formats[n.Text], path)
	if f.format == nil {
		fail(n.Span, "unknown format", n.Text+" files cannot be read")
	}
	f.place = n.Words[0].Span
	for words := n.Words[1:]; len(words) > 0; {
		taken, wrong := f.word(n, words)
		if wrong != "" {
			fail(words[0].Span, "wrong use of "+n.Text, wrong)
		}
		words = words[taken:]
	}
	if err := f.misuse(); err != "" {
		fail(n.Span, "wrong use of "+n.Text, err)
	}
	return f, nil
}

// word takes what the first of the words begins, and returns how many words that is, or what is wrong.
func (f *File) word(n *syntax.ExprNode, words []syntax.Word) (taken int, wrong string) {
	w, next := words[0], syntax.Word{}
	if len(words) > 1 {
		next = words[1]
	}
	switch {
	case w.Kind == syntax.StringTok:
		f.parts = append(f.parts, part{name: w.Text, index: -1, place: w.Span})
	case w.Kind == syntax.NumberTok:
		i, why := parseNatural(w.Text)
		if why != "" || i > math.MaxInt32 || f.format.named {
			return 0, "behind the file name stands " + f.format.parts
		}
		f.parts = append(f.parts, part{index: int(i), place: w.Span})
	case w.Text == "category" && f.columns():
		f.parts[len(f.parts)-1].readAs(w.Text, "")
	case readings[w.Text] != asNumber && f.columns():
		text := ""
		if next.Kind == syntax.StringTok {
			text = next.Text
		}
		return 2, f.parts[len(f.parts)-1].readAs(w.Text, text)
	case w.Text == "skip" && f.format.table:
		f.skip = true
	case w.Text == "fill" && f.format.table:
		x, why := parseNumber(next.Text)
		if f.fill = x; next.Kind != syntax.NumberTok || why != "" {
			return 0, "a number is expected after fill: what stands for a missing value"
		}
		return 2, ""
	case w.Text == "separator" && f.format == formats["csv"]:
		f.separator, _ = utf8.DecodeRuneInString(next.Text)
		one := utf8.RuneCountInString(next.Text) == 1 && !strings.ContainsAny(next.Text, "\"\n\r")
		if next.Kind != syntax.StringTok || !one {
			return 0, `one character in quotes is expected after separator, such as ";" or "\t"`
		}
		return 2, ""
	case !f.format.table:
		return 0, "behind the file name stands " + f.format.parts
	case len(f.parts) == 0:
		return 0, "the name of a column stands in quotes: " + n.Text + " " + strconv.Quote(n.Words[0].Text) + " " +
			strconv.Quote(w.Text)
	default:
		label := "behind the columns can stand skip or fill 0, for missing values"
		if f.format == formats["csv"] {
			label += `, and separator ";"; behind a column category, levels "a, b", days "YYYY-MM-DD" or years "YYYY-MM-DD"`
		}
		return 0, label
	}
	return 1, ""
}

// misuse says what of the whole is wrong, or is empty.
func (f *File) misuse() string {
	names := 0
	for _, p := range f.parts {
		if p.index < 0 {
			names++
		}
	}
	switch {
	case len(f.parts) < f.format.least || len(f.parts) > f.format.most:
		return "behind the file name stands " + f.format.parts
	case f.format.table && names > 0 && names < len(f.parts):
		return "columns are given by their names, or by numbers where there is no header"
	case f.skip && !math.IsNaN(f.fill):
		return "a missing value is skipped or filled"
	case !math.IsNaN(f.fill) && slices.ContainsFunc(f.parts, func(p part) bool { return p.read == asCategory }):
		return "fill puts a number in place of missing values, and a category has none: skip leaves the rows out, and " +
			"levels \"a, NA\" makes NA a level"
	}
	return ""
}

// columns reports whether a word may stand here that says how the column before it is read.
func (f *File) columns() bool { return f.format == formats["csv"] && len(f.parts) > 0 }

// at returns the place of a part in the program, that of the path for -1. other is the place of what a file of the
// command line is for.
func (f *File) at(part int, other syntax.Span) syntax.Span {
	switch {
	case f.place == syntax.Span{}:
		return other
	case part < 0:
		return f.place
	}
	return f.parts[part].place
}

// content is what was read of a file: numbers in brackets or, without a layout, Rows × width numbers.
type content struct {
	Value  // without its shape
	layout *layout
	width  int
}

// skip notes that the next row is left out.
func (c *content) skip() {
	c.Skips = (c.Skips ^ uint64(c.Rows+c.Skipped+1)) * 0x100000001b3 // FNV-1a
	c.Skipped++
}

// shape returns the shape of the content where none is declared: data is a list, an input a vector.
func (c *content) shape(at syntax.Span, s *Setting, kind syntax.DeclKind) *Shape {
	l := c.layout
	if l == nil {
		dims := []int{c.Rows, c.width}
		if c.width == 1 {
			dims = dims[:1]
		}
		l = dimsLayout(dims)
	}
	list := kind == syntax.DataDecl && l.size >= 0
	switch shape := l.shape(); {
	case list && c.layout == nil && c.File != nil && c.File.parts != nil:
		return c.File.Rows()
	case list && l.size == 0 && c.layout == nil:
		return rowsShape(c.width)
	case list && l.size == 0:
		return ListShape(realShape)
	case shape == nil:
		fail(at, "unknown type", fmt.Sprintf("the type of %s must be declared: %s gives %s", s.Name, short(s.Text),
			l.describe()))
		return nil
	case list:
		return ListShape(shape.A)
	default:
		return shape
	}
}

// fileError is an error in a file, with its place.
type fileError struct {
	kind      string // of the file, in messages: CSV
	path      string
	line, col int // from 1, col in runes; 0 where there is none
	msg       string
	part      int   // the index in the parts of the file that are wanted, such as columns, or -1
	cause     error // of the system, or nil
}

func (e *fileError) Error() string { return e.msg }

// wrong is an error in a part of a file, or -1.
func (f *File) wrong(part int, err error) *fileError {
	return &fileError{kind: f.format.kind, path: f.path, part: part, msg: syntax.SystemError(err), cause: err}
}

// error is an error in a part of a file, or -1, at a place in it.
func (f *File) error(line, col, part int, format string, args ...any) *fileError {
	return &fileError{kind: f.format.kind, path: f.path, line: line, col: col, part: part,
		msg: fmt.Sprintf(format, args...)}
}

// headline tells errors about what a file holds from those of the system.
func (e *fileError) headline() string {
	if e.line == 0 {
		return e.kind + " file cannot be read"
	}
	return "wrong " + e.kind + " data"
}

// diagnostic reports the error at its place in the file, with a note at the place of the program that names the file.
func (e *fileError) diagnostic(at syntax.Span) *syntax.Diagnostic {
	if e.line == 0 {
		return &syntax.Diagnostic{Span: at, Headline: e.headline(), Label: e.path + ": " + e.msg, Cause: e.cause}
	}
	return &syntax.Diagnostic{
		Headline: e.headline(), Label: e.msg, File: e.path, Line: e.line, Col: e.col, Cause: e.cause,
		Notes: []syntax.Note{{Span: at, Text: "the file is read for this"}},
	}
}
