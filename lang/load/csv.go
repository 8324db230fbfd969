package load

import (
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/gram-machine/gram/lang/syntax"
)

// rowsShape is the shape of a list of rows of numbers.
func rowsShape(columns int) *Shape {
	if columns == 1 {
		return ListShape(realShape)
	}
	return ListShape(VectorShape(realShape, columns))
}

// Rows returns the shape of the columns of a table as a list, nil if the file is no table. With a category among them,
// whose numbers are indices, a row is a tuple.
func (f *File) Rows() *Shape {
	if !f.format.table {
		return nil
	}
	n := len(f.parts)
	if n == 1 || !slices.ContainsFunc(f.parts, func(p part) bool { return p.read == asCategory }) {
		return rowsShape(n)
	}
	row := realShape
	for range n - 1 {
		row = ProductShape(realShape, row)
	}
	return ListShape(row)
}

type tableReader struct {
	*opened
	csv    *csv.Reader
	at     []int // where the columns stand in a record
	header []string
	cells  int                   // in a row
	next   int                   // the line after the last record
	blank  int                   // a blank line, if no record has followed it yet
	found  []map[string]int      // of a column of categories: the levels, by the number of their first appearance
	keep   func(record []string) // if not nil, is called with each row that is kept
	t      content
}

// checkedReader calls Check before every block: a file that is not text may be one very long line.
type checkedReader struct {
	r     io.Reader
	guard *syntax.Guard
}

func (r checkedReader) Read(p []byte) (int, error) {
	r.guard.Look()
	return r.r.Read(p)
}

// csv reads the columns of a CSV file. One of which no column is named has no header, and if no part is given, all
// cells are read.
func (o *opened) csv() (*content, error) {
	r := newTable(o)
	return &r.t, r.readAll()
}

func newTable(o *opened) *tableReader {
	r := &tableReader{opened: o, csv: csv.NewReader(o.text()), next: 1, found: make([]map[string]int, len(o.parts)),
		t: content{width: len(o.parts), Value: Value{File: o.File}}}
	r.csv.Comma = o.separator
	r.csv.FieldsPerRecord = -1
	r.csv.ReuseRecord = true
	r.csv.TrimLeadingSpace = !unicode.IsSpace(o.separator) // it would trim separators
	return r
}

// named reports whether there is a header.
func (f *File) named() bool { return len(f.parts) > 0 && f.parts[0].index < 0 }

// failed describes an error of the system or of the CSV syntax.
func (r *tableReader) failed(err error) error {
	var bad *csv.ParseError
	if !errors.As(err, &bad) {
		return err
	}
	text := bad.Err.Error()
	switch {
	case errors.Is(bad.Err, csv.ErrBareQuote):
		text = `a quote in a cell that is not quoted`
	case errors.Is(bad.Err, csv.ErrQuote) && bad.StartLine != bad.Line:
		text = fmt.Sprintf("a quoted cell does not end; its row starts on line %d", bad.StartLine)
	case errors.Is(bad.Err, csv.ErrQuote):
		text = `a quoted cell does not end, or more follows its closing quote`
	}
	return r.error(bad.Line, bad.Column, -1, "%s", text)
}

func (r *tableReader) readAll() error {
	if r.named() {
		record, err := r.read()
		if err == nil && record == nil {
			err = errors.New("the file is empty: it has no header with the names of the columns")
		}
		if err == nil {
			err = r.readHeader(record)
		}
		if err != nil {
			return err
		}
	}
	for {
		record, err := r.read()
		switch {
		case err != nil:
			return err
		case record != nil:
		case r.t.Rows == 0 && r.t.Skipped > 0:
			return fmt.Errorf("no row is left: a value is missing in each of the %d rows", r.t.Skipped)
		case r.t.Rows == 0 && r.named():
			return errors.New("the file has a header and no rows")
		default:
			r.finish()
			return nil
		}
		if err := r.row(record); err != nil {
			return err
		}
	}
}

// read returns the next record that is not blank, or nil at the end.
func (r *tableReader) read() ([]string, error) {
	for {
		r.s.Step()
		record, err := r.csv.Read()
		if err == io.EOF {
			return nil, nil
		}
		if err != nil {
			return nil, r.failed(err)
		}
		line, col := r.csv.FieldPos(0)
		if line > r.next && r.blank == 0 {
			r.blank = r.next // the csv package has skipped it
		}
		last := len(record) - 1
		r.next, _ = r.csv.FieldPos(last)
		r.next += strings.Count(record[last], "\n") + 1
		// Of a line with nothing but spaces the cell stands behind them; "" in column 1 is an empty cell in quotes.
		if last == 0 && strings.TrimSpace(record[0]) == "" && col > 1 {
			if r.blank == 0 {
				r.blank = line
			}
			continue
		}
		if r.blank != 0 && r.cells > 0 && !r.skip {
			return nil, r.error(r.blank, 1, -1, "a blank line between rows")
		}
		r.blank = 0
		for i, cell := range record {
			if !utf8.ValidString(cell) {
				return nil, r.inCell(record, i, -1, "this cell is not UTF-8: %s",
					strconv.QuoteToASCII(short(strings.ToValidUTF8(cell, "\ufffd"))))
			}
		}
		return record, nil
	}
}

// inCell is an error in a part of the file, or -1, at cell i of the last record.
func (r *tableReader) inCell(record []string, i, part int, format string, args ...any) *fileError {
	line, col := r.csv.FieldPos(i)
	for j := range i {
		if l, _ := r.csv.FieldPos(j); l == line {
			col -= len(record[j]) - utf8.RuneCountInString(record[j]) // columns are of runes
		}
	}
	return r.error(line, col, part, format, args...)
}

func (r *tableReader) readHeader(record []string) error {
	r.cells = len(record)
	r.header = syntax.Each(r.cells, func(i int) string { return strings.Clone(strings.TrimSpace(record[i])) })
	for i := range r.parts {
		want, found := r.parts[i].name, -1
		for j, name := range r.header {
			if name != strings.TrimSpace(want) {
				continue
			}
			if found >= 0 {
				return r.inCell(record, j, i, "the header has the column %q twice", want)
			}
			found = j
		}
		if found < 0 {
			return r.inCell(record, 0, i, "%s", r.missing(want))
		}
		r.at = append(r.at, found)
	}
	r.t.width = len(r.at)
	return nil
}

func (r *tableReader) missing(want string) string {
	text := fmt.Sprintf("there is no column %q", want)
	if more := cmp.Or(meant(want, r.header), r.separatedBy(r.header)); more != "" {
		return text + more
	}
	if numeric := !strings.ContainsFunc(strings.Join(r.header, ""), unicode.IsLetter); numeric {
		return text + "; the first row must be a header with the names of the columns, or columns are given by " +
			"numbers: csv " + strconv.Quote(filepath.Base(r.path)) + " 0"
	}
	return text + "; the columns are " + short(strings.Join(r.header, ", "))
}

// separatedBy says that cells have another separator inside, if one has.
func (r *tableReader) separatedBy(cells []string) string {
	for _, c := range cells {
		if i := strings.IndexAny(c, ";\t|"); i >= 0 {
			return fmt.Sprintf("; the cells seem to be separated by %[1]q, which must be said: %[2]s separator %[1]q",
				c[i:i+1], r.form())
		}
	}
	return ""
}

// form is how a program reads the columns.
func (r *tableReader) form() string {
	text := "csv " + strconv.Quote(filepath.Base(r.path))
	for i := range r.parts {
		text += " " + r.parts[i].String()
	}
	if r.parts == nil {
		text += " 0"
	}
	return text
}

// first prepares for rows without a header, of which it gets the first.
func (r *tableReader) first(record []string) error {
	r.cells = len(record)
	if r.parts == nil {
		r.at = syntax.Each(r.cells, func(i int) int { return i })
	}
	for i, p := range r.parts {
		if p.index >= len(record) {
			return r.inCell(record, 0, i, "there is no column %d: the rows have %s, which are counted from 0%s",
				p.index, counted(len(record), "cell"), r.separatedBy(record))
		}
		r.at = append(r.at, p.index)
	}
	r.t.width = len(r.at)
	return nil
}

// missing are the cells for missing values, beside empty ones.
var missing = []string{"", "NA", "N/A", "NaN", "nan", "null"}

func (r *tableReader) row(record []string) error {
	if r.cells == 0 { // no header
		if err := r.first(record); err != nil {
			return err
		}
	}
	if len(record) != r.cells {
		first := "header"
		if !r.named() {
			first = "first row"
		}
		return r.inCell(record, len(record)-1, -1, "this row has %s, but the %s has %d", counted(len(record), "cell"),
			first, r.cells)
	}
	if len(r.t.Data)+r.t.width > cap(r.t.Data) {
		r.grow()
	}
	start := len(r.t.Data)
	for i, j := range r.at {
		x, why := r.number(i, record[j])
		switch absent := why != "" && slices.Contains(missing, strings.TrimSpace(record[j])); {
		case absent && r.skip:
			r.t.skip()
			r.t.Data = r.t.Data[:start]
			return nil
		case absent && !math.IsNaN(r.fill):
			x = r.fill
		case why != "":
			return r.inCell(record, j, i, "%s%s%s", r.cell(i, record[j], why), why, r.hint(record, j))
		}
		r.t.Data = append(r.t.Data, x)
	}
	r.t.Rows++
	if r.keep != nil {
		r.keep(record)
	}
	return nil
}

// hint says what may be the cause that cell j of a record is no number.
func (r *tableReader) hint(record []string, j int) string {
	if text := r.separatedBy(record); text != "" {
		return text
	}
	cell := strings.TrimSpace(record[j])
	whole, fraction, comma := strings.Cut(cell, ",")
	switch name := filepath.Base(r.path); {
	case slices.Contains(missing, cell) && r.place == syntax.Span{}:
		return "; without the rows in which a value is missing: " + r.form() + " skip"
	case slices.Contains(missing, cell):
		return "; a value is missing: skip behind the columns leaves its row out, and fill 0 puts 0 there"
	case comma && isNumber(whole) && isNumber(fraction):
		return "; a number has a decimal point"
	case r.named() || r.t.Rows > 0 || !strings.ContainsFunc(record[0], unicode.IsLetter):
		return ""
	case r.parts != nil:
		return "; a file with a header has names for its columns: csv " + strconv.Quote(name) + " " +
			strconv.Quote(strings.TrimSpace(record[j]))
	default:
		return "; of a file with a header, name the columns: @" + name + ":" + short(strings.Join(record, ","))
	}
}

// meant suggests one of the names that are known in place of one that is not, if one is near.
func meant(name string, known []string) string {
	if near := syntax.Suggest(name, known); near != "" {
		return fmt.Sprintf("; did you mean %q?", near)
	}
	return ""
}

func isNumber(text string) bool {
	_, why := parseNumber(text)
	return why == ""
}

// cell names a cell in a message.
func (r *tableReader) cell(i int, text, why string) string {
	name := "cell " + strconv.Itoa(i+1)
	if r.parts != nil {
		name = "column " + r.parts[i].String()
	}
	if why == "is empty" {
		return name + " "
	}
	return name + ": " + strconv.Quote(short(text)) + " "
}

// counted is a number of things, as [Counted] writes it but for the spaces in large numbers.
func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return strconv.Itoa(n) + " " + what + "s"
}

// grow makes room for more rows: as many as the file will have if the rest of it
// is like what has been read, so that the slice is rarely copied.
func (r *tableReader) grow() {
	have := len(r.t.Data)
	want := 2*have + 256*r.t.width
	if read := r.csv.InputOffset(); have > 0 && r.size > read {
		guess := float64(have) * float64(r.size) / float64(read) * 1.02
		if guess > float64(have)*1.1 && guess < MaxWidth {
			want = int(guess) + 64*r.t.width
		}
	}
	r.s.Announce(8 * int64(want))
	grown := make([]float64, have, want)
	copy(grown, r.t.Data)
	r.t.Data = grown
}
