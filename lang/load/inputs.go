package load

import (
	"bufio"
	"fmt"
	"io/fs"

	"github.com/gram-machine/gram/lang/syntax"
)

// Inputs reads values of inputs and data of f by their names, from a file that holds a JSON object: {"eps": 0.7, "q": [1, -2]}.
func (s *Source) Inputs(path string, f *syntax.File) (sets []Setting, d *syntax.Diagnostic) {
	in, _, err := s.openFile("JSON", path)
	if err == nil {
		defer in.Close()
		sets, err = s.members(in, path, f)
	}
	if err != nil {
		return nil, &syntax.Diagnostic{Headline: err.headline(), Label: err.msg, File: path, Line: err.line, Col: err.col}
	}
	return sets, nil
}

// members reads the members of a JSON object.
func (s *Source) members(in fs.File, path string, f *syntax.File) (sets []Setting, err *fileError) {
	r := s.jsonReader(in, path)
	if r.skip() != '{' {
		r.fail("an object with the values by name is expected: {\"x\": 1}")
		return nil, r.err
	}
	r.object(func(name string, line, col int) {
		if wrong, ok := settable(f, "set", name, name).(*UsageError); ok {
			r.fail("%s", wrong.Msg)
			r.err.line, r.err.col = line, col
			return
		}
		r.data = nil
		l := r.value()
		sets = append(sets, Setting{Name: name, Text: path, layout: l, flat: r.data})
	})
	return sets, r.end()
}

// jsonReader returns a reader of a JSON file.
func (s *Source) jsonReader(in fs.File, path string) *textReader {
	// Without a byte-order mark.
	b := bufio.NewReaderSize(checkedReader{in, s}, 1<<16)
	if bom, _ := b.Peek(3); string(bom) == "\ufeff" {
		b.Discard(3)
	}
	r := newTextReader(make([]byte, 0, 1<<16), b, s.Guard)
	r.file, r.path = path, []string{"$"}
	return r
}

// end checks that nothing follows, and returns the first error.
func (r *textReader) end() *fileError {
	if r.skip(); r.err == nil && !r.ended() {
		r.fail("%s is left over after the value", r.rest())
	}
	return r.err
}

// openFile opens a file with numbers, and returns its size in bytes, 0 if it is not known. kind names its format in errors.
func (s *Source) openFile(kind, path string) (fs.File, int64, *fileError) {
	fail := func(err error) (fs.File, int64, *fileError) {
		return nil, 0, &fileError{kind: kind, path: path, part: -1, msg: systemError(err)}
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
