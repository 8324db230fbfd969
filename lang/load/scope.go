package load

import (
	"github.com/gram-machine/gram/lang/syntax"
	"github.com/gram-machine/gram/term"
)

// compiler compiles the expressions of one declaration.
type compiler struct {
	l    *loader
	file *syntax.File
	decl int // the declaration: it sees those above
	fn   *function
	nest int // of the expression in its declaration
	deep int // nest, and that of the declarations whose compilation led here
}

// binding is a local variable of a function under compilation.
type binding struct {
	name  string
	slot  int
	index bool // of a comprehension
}

// capture is a variable of the enclosing function that a function uses: when
// the closure is made it is taken from one slot, at a call it is put in another.
type capture struct{ from, to int }

// function is a fun expression, a let or def with parameters, or the outermost
// expression of a declaration.
type function struct {
	at     place
	name   string // may be empty
	params []binder
	body   *code
	slots  int // the length of a frame
	nest   int // how deep evaluation of the body goes without calls
	base   int // the nest of the whole expression
	caps   []capture
	outer  *function
	locals []binding // innermost last
	taken  []binding // the captured ones
}

// title names the function in a message.
func (fn *function) title() string {
	if fn.name == "" {
		return "this function"
	}
	return fn.name
}

func (fn *function) bind(name string, index bool) int {
	slot := fn.slot()
	fn.locals = append(fn.locals, binding{name, slot, index})
	return slot
}

func (fn *function) slot() int {
	fn.slots++
	return fn.slots - 1
}

// find returns the local variable called name, which it captures if it is that
// of an enclosing function.
func (fn *function) find(name string) (binding, bool) {
	if fn == nil {
		return binding{}, false
	}
	for i := len(fn.locals) - 1; i >= 0; i-- {
		if fn.locals[i].name == name {
			return fn.locals[i], true
		}
	}
	// What an enclosing function binds does not change while this one is compiled.
	for _, b := range fn.taken {
		if b.name == name {
			return b, true
		}
	}
	b, ok := fn.outer.find(name)
	if !ok {
		return binding{}, false
	}
	here := binding{name, fn.slot(), b.index}
	fn.caps = append(fn.caps, capture{b.slot, here.slot})
	fn.taken = append(fn.taken, here)
	return here, true
}

// names lists the names in scope, for suggestions.
func (c *compiler) names() []string {
	var all []string
	for fn := c.fn; fn != nil; fn = fn.outer {
		for _, b := range fn.locals {
			all = append(all, b.name)
		}
	}
	if c.file == c.l.file {
		for _, d := range c.file.Decls[:c.decl] {
			all = append(all, d.Name)
		}
	}
	return append(all, c.l.globals()...)
}

// lookup says what a name means in a static expression.
func (c *compiler) lookup(name string) Name {
	if b, ok := c.fn.find(name); ok {
		if b.index {
			return Name{Kind: IndexName, slot: b.slot, late: true}
		}
		return Name{Kind: LocalName}
	}
	if c.file == c.l.file {
		if x := c.l.p.Lookup(name, c.decl); x.Kind != UnknownName {
			return x
		}
	}
	if _, ok := c.l.prelude[name]; ok {
		return Name{Kind: SymbolName}
	}
	if natives[name] != nil {
		return Name{Kind: SymbolName}
	}
	return Name{}
}

func (c *compiler) static(e syntax.Expr) nat {
	s := Static{File: c.file, Lookup: c.lookup, Names: c.names}
	n, p := s.compile(e, c.nest)
	if p != nil {
		panic(&failure{*c.below(p)})
	}
	return n
}

// below adds to an unknown name that it is declared further down.
func (c *compiler) below(p *Problem) *Problem {
	if p.Headline == "unknown name" && c.file == c.l.file {
		name := string(c.file.Src[p.Span.Start:p.Span.End])
		if span, ok := c.l.p.Below(name, c.decl); ok {
			p.Label = name + " is not declared yet"
			p.Notes = []syntax.Note{{Span: span, Text: "a declaration sees what is above it; " + name + " is declared here"}}
		}
	}
	return p
}

// name compiles an occurrence of a name where a value is expected.
func (c *compiler) name(at place, name string) *code {
	if b, ok := c.fn.find(name); ok {
		return variable(at, b.slot)
	}
	if c.file == c.l.file {
		if x := c.l.p.Lookup(name, c.decl); x.Kind != UnknownName {
			return c.declared(at, name, x)
		}
	}
	f := natives[name]
	if f != nil && !f.symbol {
		return constant(at, value{ref: f.native})
	}
	if d, ok := c.l.prelude[name]; ok && (c.file == c.l.file || d < c.decl) {
		return c.use(at, c.l.opt.Prelude, d)
	}
	if f != nil {
		return constant(at, value{ref: f.native})
	}
	s := Static{File: c.file, Names: c.names}
	p := s.unknown(0, name)
	p.Span = at.span
	panic(&failure{*c.below(p)})
}

func (c *compiler) declared(at place, name string, x Name) *code {
	switch x.Kind {
	case ParamName:
		return constant(at, number(float64(x.Nat)))
	case DataName:
		return constant(at, c.l.p.DataOf(x.Decl).Value.asValue())
	case DefName:
		return c.use(at, c.file, x.Decl)
	case InputName:
		fail(at, "input in a default value", name+" is an input; default values see the params, defs and data above them, no inputs",
			syntax.Note{Span: c.file.Decls[x.Decl].NameSpan, Text: name + " is declared here"})
	}
	panic(&failure{}) // a declaration that is bad
}

func (v Value) asValue() value {
	if v.Shape.Kind == List && v.Rows == 0 {
		return value{ref: &array{list: true, elem: v.Shape.A}}
	}
	return view(v.Shape, v.Data)
}

// builtin is an entry of natives.
type builtin struct {
	*native
	symbol bool        // a function symbol
	sym    term.Symbol // its entry
}
