package load

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/gram-machine/gram/lang/syntax"
)

// MaxNat is the largest static natural: all up to it are exact as reals.
const MaxNat = 1 << 53

// Source reads values.
type Source struct {
	// Open opens a file with numbers; nil means os.Open.
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

// Set gives a setting the shape of the declaration d: want, or, if that is nil, the one that the content of a file
// suggests.
func (s *Source) Set(set *Setting, want *Shape, d *syntax.Decl) (v Value, wrong *syntax.Diagnostic) {
	defer catch(&wrong)
	at := d.NameSpan
	c := &content{layout: set.layout, data: set.flat}
	switch {
	case want.Tagged() && set.value != "":
		r := newTextReader([]byte(set.value), nil, s.Guard)
		if r.tagged(want); r.end() != nil {
			misfit(at, set, want, "something else: "+r.err.msg)
		}
		c.data, c.tags = r.data, r.tags
	case want.Tagged() && (set.file == nil || set.file.format != formats["json"]):
		fail(at, "value does not fit the program",
			fmt.Sprintf("%s is %v, whose values are read from a JSON file: json \"f.json\", or --set %s=@f.json",
				set.Name, want, set.Name))
	case set.isFlat:
		return setFlat(at, set, want), nil
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
	if c.tags != nil {
		return TaggedValue(want, c.data, c.tags), nil
	}
	if want == nil {
		want = c.shape(at, set, d.Kind)
	}
	if c.layout != nil {
		v := setArray(at, set, c.layout, c.data, want)
		v.Chunk = c.chunk
		return v, nil
	}
	return setTable(at, set, c, want), nil
}

func (s *Source) open(path string) (fs.File, error) {
	if s.Open == nil {
		return os.Open(path)
	}
	return s.Open(path)
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
	in, err := s.open(f.path)
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

// read reads the numbers of a file.
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
