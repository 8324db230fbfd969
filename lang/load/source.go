package load

import (
	"io/fs"
	"os"

	"github.com/gram-machine/gram/lang/syntax"
)

// MaxNat is the largest static natural: all up to it are exact as reals.
const MaxNat = 1 << 53

// Source reads values.
type Source struct {
	// Open opens a CSV file; nil means os.Open.
	Open func(path string) (fs.File, error)
	*syntax.Guard
}

// Variable is an input or a data declaration with its value.
type Variable struct {
	Name  string
	Decl  int    // index into File.Decls
	Shape *Shape // as declared, or that of the value; nil if Bad and not known
	Value Value
	Used  bool // another value was computed from it
	Bad   bool // an error about it has been reported; Value is empty
}

// failure is the panic value of a value that does not fit.
type failure struct{ d syntax.Diagnostic }

// catch makes a failure a diagnostic.
func catch(d **syntax.Diagnostic) {
	switch x := recover().(type) {
	case nil:
	case *failure:
		*d = &x.d
	default:
		panic(x)
	}
}

// Table returns the columns of a CSV file with a header, as a list of rows. The
// places are those of the path and of the columns in the program.
func (s *Source) Table(path string, columns []string, places []syntax.Span) (v Value, d *syntax.Diagnostic) {
	defer catch(&d)
	t, wrong := s.readTable(path, columns)
	if wrong != nil {
		return v, wrong.diagnostic(places[1+wrong.part])
	}
	return Value{Shape: RowsShape(len(columns)), Rows: t.rows, Data: t.data}, nil
}

// Set gives a setting the shape of the declaration that is at a place.
func (s *Source) Set(set *Setting, want *Shape, at syntax.Span) (v Value, d *syntax.Diagnostic) {
	defer catch(&d)
	if set.isFlat {
		return setFlat(at, set, want), nil
	}
	if set.layout != nil {
		return setArray(at, set, set.layout, set.flat, want), nil
	}
	t, wrong := s.readTable(set.path, set.columns)
	if wrong != nil {
		d := wrong.diagnostic(at)
		d.Notes = append(d.Notes, syntax.Note{Text: "the file is read for " + short(set.Text)})
		return v, d
	}
	return setTable(at, set, t, want), nil
}

func (s *Source) open(path string) (fs.File, error) {
	if s.Open == nil {
		return os.Open(path)
	}
	return s.Open(path)
}

func fail(at syntax.Span, headline, label string) {
	panic(&failure{syntax.Diagnostic{Span: at, Headline: headline, Label: label}})
}
