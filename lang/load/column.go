package load

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/gram-machine/gram/lang/syntax"
)

type Column struct {
	Name   string
	Levels []string // of a column of categories: their names, by number
}

// reading is how the cells of a column become numbers.
type reading uint8

const (
	asNumber   reading = iota
	asCategory         // the number of a level
	asDays             // days since 1970-01-01
	asYears            // a year with its fraction
)

// readings are the words that stand behind a column.
var readings = map[string]reading{"category": asCategory, "levels": asCategory, "days": asDays, "years": asYears}

// readAs says how a column is read, by a word behind it, and the text behind that. It is empty unless something is
// wrong.
func (p *part) readAs(word, text string) (wrong string) {
	p.read = readings[word]
	switch word {
	case "category":
	case "levels":
		levels, err := separated(text)
		if err != nil {
			return `the levels are expected in one string, with commas between them: levels "low, middle, high"`
		}
		for i, l := range levels {
			if l = strings.TrimSpace(l); slices.Contains(p.levels, l) {
				return fmt.Sprintf("the level %q stands twice", levels[i])
			}
			p.levels = append(p.levels, l)
		}
	default:
		if !dateForm().MatchString(text) || !strings.Contains(text, "YY") {
			return `the form of the dates is expected in quotes, like "YYYY-MM-DD" or "D.M.YYYY hh:mm": YYYY or YY, ` +
				`MM, M or MMM, DD or D, hh, mm and ss, and what stands between them`
		}
		p.form, p.layout = text, dateWords.Replace(text)
	}
	return ""
}

// The forms of dates, and their words as package time has them.
var (
	dateForm = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(YYYY|YY|MMM|MM|M|DD|D|hh|mm|ss|[- /.,:T])+$`)
	})
	dateWords = strings.NewReplacer("YYYY", "2006", "YY", "06", "MMM", "Jan", "MM", "01", "M", "1", "DD", "02", "D", "2",
		"hh", "15", "mm", "04", "ss", "05")
)

// date is the number of a date; why completes a sentence that starts with the text, as in parseNumber.
func (p *part) date(text string) (x float64, why string) {
	if text == "" {
		return 0, "is empty"
	}
	t, err := time.Parse(p.layout, text)
	if err != nil {
		return 0, "is no date of the form " + p.form
	}
	if p.read == asDays {
		return float64(t.Unix()) / (24 * 60 * 60), ""
	}
	start := time.Date(t.Year(), 1, 1, 0, 0, 0, 0, time.UTC)
	return float64(t.Year()) + t.Sub(start).Hours()/start.AddDate(1, 0, 0).Sub(start).Hours(), ""
}

func (r *tableReader) number(i int, cell string) (x float64, why string) {
	if r.parts == nil || r.parts[i].read == asNumber {
		return parseNumber(cell)
	}
	p := &r.parts[i]
	cell = strings.TrimSpace(cell)
	if p.read != asCategory {
		return p.date(cell)
	}
	if p.levels != nil {
		if k := slices.Index(p.levels, cell); k >= 0 {
			return float64(k), ""
		}
		if !slices.Contains(missing, cell) {
			return 0, "is no level; the levels are " + short(strings.Join(p.levels, ", "))
		}
	}
	switch {
	case cell == "":
		return 0, "is empty"
	case slices.Contains(missing, cell):
		return 0, "is missing"
	}
	if r.found[i] == nil {
		r.found[i] = map[string]int{}
	}
	k, ok := r.found[i][cell]
	if !ok {
		k = len(r.found[i])
		r.found[i][strings.Clone(cell)] = k
	}
	return float64(k), ""
}

// finish numbers the levels that were found in the order of their names, and notes the columns.
func (r *tableReader) finish() {
	for i, p := range r.parts {
		c := Column{Name: p.name, Levels: p.levels}
		if p.index >= 0 {
			c.Name = p.String()
		}
		if found := r.found[i]; found != nil {
			c.Levels = slices.Sorted(maps.Keys(found))
			number := make([]float64, len(found))
			for k, name := range c.Levels {
				number[found[name]] = float64(k)
			}
			for at := i; at < len(r.t.Data); at += r.t.width {
				r.t.Data[at] = number[int(r.t.Data[at])]
			}
		}
		r.t.Columns = append(r.t.Columns, c)
	}
}

// Adopt reads a file that is set in place of a declared one in the same way, where the setting does not say how: with
// its columns, if it has none, and with the levels of its categories, which are those of the declared file.
func (s *Source) Adopt(set *Setting, declared *File) *syntax.Diagnostic {
	f := set.file
	if f == nil || f.format != declared.format || f.format != formats["csv"] || !declared.named() {
		return nil
	}
	if plain := !slices.ContainsFunc(declared.parts, func(p part) bool { return p.read != asNumber }); f.parts == nil &&
		(!plain || s.hasHeader(f, declared)) {
		f.parts, f.skip, f.fill = slices.Clone(declared.parts), declared.skip, declared.fill
		if f.separator == ',' {
			f.separator = declared.separator
		}
	}
	if len(f.parts) != len(declared.parts) {
		return nil
	}
	var columns []Column
	for i := range f.parts {
		p, d := &f.parts[i], &declared.parts[i]
		if p.read == asNumber && p.index < 0 {
			p.read, p.layout, p.form, p.levels = d.read, d.layout, d.form, d.levels
		}
		if p.read != asCategory || d.read != asCategory || p.levels != nil {
			continue
		}
		if p.levels = d.levels; p.levels != nil {
			continue
		}
		if columns == nil {
			c, err := s.read(declared)
			if err != nil {
				return &syntax.Diagnostic{Span: d.place, Headline: "unknown levels", Cause: err.cause,
					Label: fmt.Sprintf("the levels of %s are those of this file, which cannot be read: %s: %s; levels "+
						"\"a, b\" in place of category states them", d, err.path, err.msg)}
			}
			columns = c.Columns
		}
		p.levels = columns[i].Levels
	}
	return nil
}

// hasHeader reports whether the first row of a file has the names of the declared columns.
func (s *Source) hasHeader(f, declared *File) bool {
	var record []string
	wrong := s.with(f, func(o *opened) (err error) {
		record, err = newTable(o).read()
		return err
	})
	return wrong == nil && !slices.ContainsFunc(declared.parts, func(p part) bool {
		return !slices.ContainsFunc(record,
			func(cell string) bool { return strings.TrimSpace(cell) == strings.TrimSpace(p.name) })
	})
}

// Records returns the rows of a table that a value was read from, cell by cell, with the names of all columns, which
// are numbers if the file has none.
func (s *Source) Records(f *File) (header []string, rows [][]string, wrong *syntax.Diagnostic) {
	keep := func(record []string) {
		rows = append(rows, syntax.Each(len(record), func(i int) string { return strings.Clone(record[i]) }))
	}
	var r *tableReader
	if err := s.with(f, func(o *opened) error {
		r = newTable(o)
		r.keep = keep
		return r.readAll()
	}); err != nil {
		return nil, nil, err.diagnostic(syntax.Span{})
	}
	header = r.header
	if header == nil {
		header = syntax.Each(r.cells, strconv.Itoa)
	}
	return header, rows, nil
}

// Names returns the names that stand behind named, of the levels of data above or in quotes, and their place. If they
// are wrong, it says why; of data that is wrong itself there are none.
func Names(words []syntax.Word, above []Variable) (names []string, at syntax.Span, wrong string) {
	at = words[0].Span
	if words[0].Kind == syntax.StringTok {
		for _, w := range words {
			if w.Kind != syntax.StringTok {
				return nil, w.Span, "a name in quotes is expected"
			}
			names = append(names, w.Text)
		}
		return names, at, ""
	}
	if words[0].Text != "levels" || len(words) != 3 || words[1].Kind == syntax.StringTok ||
		words[2].Kind != syntax.StringTok {
		return nil, at, `behind named stand names in quotes, or levels xs "column", the levels of a column of data`
	}
	data := slices.IndexFunc(above, func(v Variable) bool { return v.Name == words[1].Text })
	switch {
	case data < 0:
		return nil, words[1].Span, "there is no data " + words[1].Text + " above"
	case above[data].Bad:
		return nil, at, ""
	}
	for _, c := range above[data].Value.Columns {
		if c.Name == words[2].Text && c.Levels != nil {
			return c.Levels, at, ""
		}
	}
	return nil, words[2].Span, fmt.Sprintf("%s has no column of categories %q", words[1].Text, words[2].Text)
}

// ColumnsReader returns the numbers of columns of a file with size bytes, row by row, and NaN for missing ones.
type ColumnsReader func(in io.ReaderAt, size int64, columns []string, guard *syntax.Guard) ([]float64, error)

// parquetReader reads Parquet files; nil if none has been registered.
var parquetReader ColumnsReader

// RegisterParquet sets what reads Parquet files. Package github.com/gram-machine/gram/parquet calls it when it is
// initialised, so that programs which don't read such files link none of the modules that this takes.
func RegisterParquet(read ColumnsReader) { parquetReader = read }

func (o *opened) parquet() (*content, error) {
	f := o.File
	if parquetReader == nil {
		return nil, errors.New("this program reads no Parquet files: it would have to import " +
			"github.com/gram-machine/gram/parquet")
	}
	at := o.random()
	if at == nil {
		return nil, errors.New("this is no Parquet file")
	}
	columns := syntax.Each(len(f.parts), func(i int) string { return f.parts[i].name })
	data, err := parquetReader(at, o.size, columns, o.s.Guard)
	if err != nil {
		return nil, err
	}
	c := &content{width: len(columns), Value: Value{Data: data, File: f}}
	if part, err := c.complete(f); err != nil {
		return nil, f.wrong(part, err)
	}
	return c, nil
}

// complete applies what f says of missing values, which are NaN, to rows of numbers. The error is in a part of f.
func (c *content) complete(f *File) (part int, err error) {
	kept := 0
rows:
	for start := 0; start < len(c.Data); start += c.width {
		row := c.Data[start : start+c.width]
		for i, x := range row {
			switch {
			case math.IsInf(x, 0):
				return i, fmt.Errorf("column %v: row %d is %v", &f.parts[i], start/c.width, x)
			case !math.IsNaN(x):
			case f.skip:
				c.Rows = start/c.width - c.Skipped
				c.skip()
				continue rows
			case math.IsNaN(f.fill):
				return i, fmt.Errorf("column %v: row %d is missing or NaN; skip or fill 0 behind the columns says "+
					"what is done with missing values", &f.parts[i], start/c.width)
			default:
				row[i] = f.fill
			}
		}
		kept += copy(c.Data[kept:], row)
	}
	c.Data = c.Data[:kept]
	c.Rows = kept / c.width
	return 0, nil
}
