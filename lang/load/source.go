package load

import (
	"fmt"
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
		if c, err = set.file.format.read(s, set.file); err != nil {
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

// openFile opens a file with numbers, and returns its size in bytes, 0 if it is not known. kind names its format in
// errors.
func (s *Source) openFile(kind, path string) (fs.File, int64, *fileError) {
	fail := func(err error) (fs.File, int64, *fileError) {
		return nil, 0, &fileError{kind: kind, path: path, part: -1, msg: systemError(err), cause: err}
	}
	f, err := s.open(path)
	if err != nil {
		return fail(err)
	}
	info, err := f.Stat()
	if err == nil && info.IsDir() {
		err = fmt.Errorf("this is a directory")
	}
	switch {
	case err != nil:
		f.Close()
		return fail(err)
	case info.Mode().IsRegular():
		return f, info.Size(), nil
	}
	return f, 0, nil
}

func fail(at syntax.Span, headline, label string) {
	panic(&failure{syntax.Diagnostic{Span: at, Headline: headline, Label: label}})
}
