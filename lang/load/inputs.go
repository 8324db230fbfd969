package load

import (
	"errors"

	"github.com/gram-machine/gram/lang/syntax"
)

// Inputs reads values of inputs and data of f by their names, from a .npz file or from a file that holds a JSON object:
// {"eps": 0.7, "q": [1, -2]}.
func (s *Source) Inputs(path string, f *syntax.File) (sets []Setting, d *syntax.Diagnostic) {
	format, read := formats["json"], func(o *opened) error { return o.members(f, &sets) }
	if extension(path) == formats["npz"] {
		format, read = formats["npz"], func(o *opened) error { return o.inputs(f, &sets) }
	}
	if err := s.with(newFile(format, path), read); err != nil {
		return nil, &syntax.Diagnostic{Headline: err.headline(), Label: err.msg, File: path, Line: err.line,
			Col: err.col, Cause: err.cause}
	}
	return sets, nil
}

// inputs reads the arrays of a .npz file.
func (o *opened) inputs(f *syntax.File, sets *[]Setting) error {
	return o.arrays(func(name string, read func(finite bool) (*content, error)) error {
		if wrong, ok := settable(f, "set", name, name).(*UsageError); ok {
			return errors.New(wrong.Msg)
		}
		c, err := read(false)
		if err == nil {
			*sets = append(*sets, Setting{Name: name, Text: o.path, layout: c.layout, flat: c.data})
		}
		return err
	})
}

// members reads the members of a JSON object.
func (o *opened) members(f *syntax.File, sets *[]Setting) error {
	r := o.jsonReader()
	if r.skip() != '{' {
		r.fail("an object with the values by name is expected: {\"x\": 1}")
		return r.err
	}
	r.object(func(name string, line, col int) {
		if wrong, ok := settable(f, "set", name, name).(*UsageError); ok {
			r.fail("%s", wrong.Msg)
			r.err.line, r.err.col = line, col
			return
		}
		r.data = nil
		l := r.value()
		*sets = append(*sets, Setting{Name: name, Text: o.path, layout: l, flat: r.data})
	})
	if err := r.end(); err != nil {
		return err
	}
	return nil
}
