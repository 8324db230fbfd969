package load

import (
	"fmt"
	"io/fs"
	"os"

	"github.com/gram-machine/gram/lang/syntax"
)

// MaxNat is the largest static natural: all up to it are exact as reals.
const MaxNat = 1 << 53

// checkEvery is the number of rows between two calls of Check.
const checkEvery = 1 << 15

// reserveFrom is the size in bytes from which a slice is announced to Reserve.
const reserveFrom = 1 << 16

// Source reads values. The zero value reads files from the current directory, and
// sets no limit.
type Source struct {
	// Open opens a CSV file; nil means os.Open.
	Open func(path string) (fs.File, error)
	// Check, if not nil, is called before each block of a file and at least every
	// 2^16 rows. Its error is returned as it is.
	Check func() error
	// Reserve, if not nil, is called before a slice of that many bytes is
	// allocated, if it is a large one. Its error is returned as it is.
	Reserve func(bytes int64) error

	fuel int
}

// Variable is an input or a data declaration with its value.
type Variable struct {
	Name  string
	Decl  int    // index into File.Decls
	Shape *Shape // as declared, or that of the value; nil if Bad and not known
	Value Value
	Bad   bool // an error about it has been reported; Value is empty
}

// failure is the panic value of a value that does not fit.
type failure struct{ d syntax.Diagnostic }

// aborted is the panic value of an error of Check or Reserve.
type aborted struct{ err error }

// catch makes a panic of this package an error.
func catch(d **syntax.Diagnostic, err *error) {
	switch x := recover().(type) {
	case nil:
	case *failure:
		*d = &x.d
	case *aborted:
		*err = x.err
	default:
		panic(x)
	}
}

// Table returns the columns of a CSV file with a header, as a list of rows. The
// places are those of the path and of the columns in the program.
func (s *Source) Table(path string, columns []string, places []syntax.Span) (v Value, d *syntax.Diagnostic, err error) {
	defer catch(&d, &err)
	t, wrong := s.readTable(path, columns)
	if wrong != nil {
		return v, wrong.diagnostic(places[1+wrong.column]), nil
	}
	return Value{Shape: RowsShape(len(columns)), Rows: t.rows, Data: t.data}, nil, nil
}

// Set gives a setting the shape of the declaration that is at a place.
func (s *Source) Set(set *Setting, want *Shape, at syntax.Span) (v Value, d *syntax.Diagnostic, err error) {
	defer catch(&d, &err)
	if set.isFlat {
		return setFlat(at, set, want), nil, nil
	}
	if set.tree != nil {
		return s.setTree(at, set, want), nil, nil
	}
	t, wrong := s.readTable(set.path, set.columns)
	if wrong != nil {
		d := wrong.diagnostic(at)
		d.Notes = append(d.Notes, syntax.Note{Text: "the file is read for " + short(set.Text)})
		return v, d, nil
	}
	return setTable(at, set, t, want), nil, nil
}

func (s *Source) open(path string) (fs.File, error) {
	if s.Open == nil {
		return os.Open(path)
	}
	return s.Open(path)
}

// tick counts a row.
func (s *Source) tick() {
	s.fuel--
	if s.fuel <= 0 {
		s.look()
	}
}

func (s *Source) look() {
	s.fuel = checkEvery
	if s.Check != nil {
		if err := s.Check(); err != nil {
			panic(&aborted{err})
		}
	}
}

// announce tells Reserve about an allocation.
func (s *Source) announce(bytes int64) {
	if s.Reserve != nil && bytes >= reserveFrom {
		if err := s.Reserve(bytes); err != nil {
			panic(&aborted{err})
		}
	}
}

// floats returns a slice of n × width numbers.
func (s *Source) floats(at syntax.Span, n, width int) []float64 {
	if n > MaxWidth/width {
		fail(at, "too large", fmt.Sprintf("this has %d × %d numbers", n, width))
	}
	s.announce(8 * int64(n) * int64(width))
	return make([]float64, n*width)
}

func fail(at syntax.Span, headline, label string) {
	panic(&failure{syntax.Diagnostic{Span: at, Headline: headline, Label: label}})
}
