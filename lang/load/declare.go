package load

import (
	"github.com/gram-machine/gram/lang/syntax"
)

// declaration evaluates declaration number i. Its error is one of Check or
// Reserve; what is wrong with the program is reported.
func (l *loader) declaration(i int) error {
	d := &l.file.Decls[i]
	switch d.Kind {
	case syntax.ParamDecl:
		l.p.index[i] = len(l.p.Params)
		x := Param{Name: d.Name, Decl: i}
		err := l.guard(i, func() { x.Value = l.param(i) }, &x.Bad)
		l.p.Params = append(l.p.Params, x)
		return err
	case syntax.InputDecl:
		l.p.index[i] = len(l.p.Inputs)
		x, err := l.variable(i)
		l.p.Inputs = append(l.p.Inputs, x)
		return err
	case syntax.DataDecl:
		l.p.index[i] = len(l.p.Data)
		x, err := l.variable(i)
		l.p.Data = append(l.p.Data, x)
		return err
	}
	return nil
}

// guard runs f and turns its failure into a report, with bad set.
func (l *loader) guard(decl int, f func(), bad *bool) (err error) {
	defer func() {
		switch x := recover().(type) {
		case nil:
			return
		case *aborted:
			err = x.err
		case *failure:
			*bad = true
			l.m.caller(x, l.file)
			l.context(decl, x)
			l.report(&x.Problem)
		default:
			panic(x)
		}
		l.m.top, l.m.depth, l.m.sites = 0, 0, nil
	}()
	f()
	return nil
}

// context adds to a failure outside of the declaration where it came from.
func (l *loader) context(decl int, f *failure) {
	d := &l.file.Decls[decl]
	if f.reported() || f.Line > 0 || f.File == l.file && f.Span.Start >= d.Span.Start && f.Span.End <= d.Span.End {
		return
	}
	f.Notes = append(f.Notes, syntax.Note{Span: d.NameSpan, Text: "while the value of " + d.Name + " was computed"})
}

// check raises a problem.
func check(p *Problem) {
	if p != nil {
		panic(&failure{*p})
	}
}

// compiler returns a compiler for the default value of a declaration.
func (l *loader) compiler(decl int) *compiler {
	fn := &function{at: place{l.file, l.file.Decls[decl].NameSpan}, name: l.file.Decls[decl].Name}
	return &compiler{l: l, file: l.file, decl: decl, fn: fn}
}

func (l *loader) param(decl int) uint64 {
	d := &l.file.Decls[decl]
	if set := l.params[d.Name]; set != nil {
		return set.Value
	}
	if d.Value == 0 {
		panic(&failure{})
	}
	n := l.compiler(decl).static(d.Value)
	return n.c
}

// variable evaluates an input or data declaration.
func (l *loader) variable(decl int) (Variable, error) {
	d := &l.file.Decls[decl]
	x := Variable{Name: d.Name, Decl: decl}
	err := l.guard(decl, func() {
		if d.Type != 0 {
			c := l.compiler(decl)
			s := Static{File: l.file, Lookup: c.lookup, Names: c.names}
			shape, p := s.declared(d.Kind, d.Type)
			check(p)
			x.Shape = shape
		}
		set := l.sets[d.Name]
		if set != nil && x.Shape == nil {
			x.Shape = l.evident(d)
		}
		if set != nil && x.Shape != nil {
			x.Value = l.set(set, d, x.Shape)
			return
		}
		x.Value = l.defaultValue(decl, x.Shape)
		x.Shape = x.Value.Shape
		if set != nil {
			x.Value = l.set(set, d, x.Shape)
		}
	}, &x.Bad)
	if x.Bad {
		x.Value = Value{}
	}
	return x, err
}

// evident returns the shape of a declaration without a type that reads a CSV file,
// and otherwise nil. A file whose data is replaced need not be there.
func (l *loader) evident(d *syntax.Decl) *Shape {
	if d.Value == 0 || d.Kind != syntax.DataDecl {
		return nil
	}
	if n := l.file.Expr(d.Value); n.Kind == syntax.CsvExpr && len(n.Strings) > 1 {
		return rowsShape(len(n.Strings) - 1)
	}
	return nil
}

// defaultValue evaluates the right side of a declaration of the given shape, or
// of one without a type.
func (l *loader) defaultValue(decl int, want *Shape) Value {
	d := &l.file.Decls[decl]
	if d.Value == 0 {
		panic(&failure{})
	}
	c := l.compiler(decl)
	code := c.expr(d.Value)
	m := l.m
	m.look()
	fr := m.frame(c.fn.slots)
	defer m.release(c.fn.slots)
	if want != nil && want.Kind != List {
		data := m.floats(code.at, 1, want.width)
		code.into(m, fr, data, want)
		return Value{Shape: want, Rows: 1, Data: data}
	}
	v := code.val(m, fr)
	if want == nil {
		return l.inferred(code.at, d, v)
	}
	return l.list(code.at, v, want)
}

// list gives v the shape want, a list.
func (l *loader) list(at place, v value, want *Shape) Value {
	a, ok := v.ref.(*array)
	if callable(v) {
		a, ok = l.m.elements(at, v), true
	}
	if !ok || !a.list || a.n > 0 && (a.flat == nil || !a.elem.Equal(want.A)) {
		if ok {
			v = value{ref: a}
		}
		mismatch(at, v, want.String())
	}
	return Value{Shape: want, Rows: a.n, Data: a.flat}
}

// inferred gives v the shape that it has.
func (l *loader) inferred(at place, d *syntax.Decl, v value) Value {
	var shape *Shape
	a, ok := v.ref.(*array)
	switch {
	case !ok || !a.list:
		shape = plain(v)
	case a.n == 0 && a.elem == nil:
		shape = ListShape(realShape)
	case a.elem != nil:
		shape = ListShape(a.elem)
	}
	if shape == nil {
		var notes []syntax.Note
		if callable(v) && d.Kind == syntax.DataDecl {
			notes = []syntax.Note{{Text: "a list that is given as a function needs its type: " + d.Name + " : List R"}}
		}
		fail(at, "type not allowed here", "this is "+describe(v)+", but inputs and data are numbers", notes...)
	}
	if label := notAllowed(d.Kind, shape); label != "" {
		fail(at, "type not allowed here", label)
	}
	if shape.Kind == List {
		return l.list(at, v, shape)
	}
	if ok && a.flat != nil {
		return Value{Shape: shape, Rows: 1, Data: a.flat}
	}
	data := l.m.floats(at, 1, shape.width)
	store(at, v, data, shape)
	return Value{Shape: shape, Rows: 1, Data: data}
}

// settings orders the options by name and checks that each names a declaration of
// its kind.
func (l *loader) settings() error {
	for i := range l.opt.Params {
		s := &l.opt.Params[i]
		if err := l.settable("param", s.Name, s.Text); err != nil {
			return err
		}
		l.params[s.Name] = s
	}
	for i := range l.opt.Sets {
		s := &l.opt.Sets[i]
		if err := l.settable("set", s.Name, s.Text); err != nil {
			return err
		}
		l.sets[s.Name] = s
	}
	return nil
}

// settable checks that an option names a declaration that it can set.
func (l *loader) settable(option, name, text string) error {
	var names []string
	for _, d := range l.file.Decls {
		if d.Name == name {
			return wrongOption(option, name, text, d.Kind)
		}
		if wrongOption(option, name, text, d.Kind) == nil {
			names = append(names, d.Name)
		}
	}
	what := "input or data"
	if option == "param" {
		what = "param"
	}
	if near := Closest(name, names); near != "" {
		return usage(option, text, "the program has no %s %s; did you mean %s?", what, name, near)
	}
	return usage(option, text, "the program has no %s %s", what, name)
}

// wrongOption returns an error unless the option sets declarations of that kind.
func wrongOption(option, name, text string, kind syntax.DeclKind) error {
	var err *UsageError
	switch {
	case kind == syntax.DefDecl:
		return usage(option, text, "%s is a def; only params, inputs and data can be set", name)
	case kind == syntax.ParamDecl && option == "set":
		err = usage(option, text, "%s is a param", name)
		err.Instead = "param"
	case kind == syntax.InputDecl && option == "param":
		err = usage(option, text, "%s is an input", name)
		err.Instead = "set"
	case kind == syntax.DataDecl && option == "param":
		err = usage(option, text, "%s is data", name)
		err.Instead = "set"
	default:
		return nil
	}
	return err
}
