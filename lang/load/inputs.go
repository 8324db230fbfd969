package load

import (
	"errors"

	"github.com/gram-machine/gram/lang/syntax"
)

// Inputs reads values of inputs and data of f by their names, from a .npz file or from a file that holds a JSON object:
// {"eps": 0.7, "q": [1, -2]}.
func (s *Source) Inputs(path string, f *syntax.File) (sets []Setting, d *syntax.Diagnostic) {
	var err *fileError
	if extension(path) == formats["npz"] {
		err = s.arrays(path, func(name string, read func(finite bool) (*content, error)) error {
			if wrong, ok := settable(f, "set", name, name).(*UsageError); ok {
				return errors.New(wrong.Msg)
			}
			c, err := read(false)
			if err == nil {
				sets = append(sets, Setting{Name: name, Text: path, layout: c.layout, flat: c.data})
			}
			return err
		})
	} else {
		sets, err = s.members(path, f)
	}
	if err != nil {
		return nil, &syntax.Diagnostic{Headline: err.headline(), Label: err.msg, File: path, Line: err.line,
			Col: err.col, Cause: err.cause}
	}
	return sets, nil
}

// members reads the members of a JSON object.
func (s *Source) members(path string, f *syntax.File) (sets []Setting, err *fileError) {
	in, _, err := s.openFile("JSON", path)
	if err != nil {
		return nil, err
	}
	defer in.Close()
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
