package load

import "github.com/gram-machine/gram/lang/syntax"

// definition is a def that a default value uses, compiled.
type definition struct {
	fn *function
	// A def without parameters whose right side is no value is computed when it
	// is first used, once.
	done bool
	v    value
}

type defKey struct {
	file *syntax.File
	decl int
}

// use compiles an occurrence of definition number decl of a file.
func (c *compiler) use(at place, file *syntax.File, decl int) *code {
	key := defKey{file, decl}
	d := c.l.defs[key]
	if d == nil {
		d = &definition{fn: c.l.define(file, decl, c.deep)}
		c.l.defs[key] = d
	}
	fn := d.fn
	switch {
	case len(fn.params) > 0:
		return constant(at, value{ref: &closure{fn: fn}})
	case fn.body.known != nil:
		return constant(at, *fn.body.known)
	}
	return general(at, func(m *machine, _ []value) value {
		if !d.done {
			m.sites = append(m.sites, at)
			m.enter(fn)
			fr := m.frame(fn.slots)
			d.v = fn.body.val(m, fr)
			d.done = true
			m.release(fn.slots)
			m.leave(fn)
			m.sites = m.sites[:len(m.sites)-1]
		}
		return d.v
	})
}

// define compiles a def; one without parameters gives a function of none.
func (l *loader) define(file *syntax.File, decl, deep int) *function {
	d := &file.Decls[decl]
	c := &compiler{l: l, file: file, decl: decl, deep: deep}
	return c.function(place{file, d.NameSpan}, d.Name, d.Params, d.Value, d.Type)
}
