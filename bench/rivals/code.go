package rivals

import (
	"fmt"
	"slices"

	"github.com/gram-machine/gram/internal/denote"
	"github.com/gram-machine/gram/internal/reference"
	"github.com/gram-machine/gram/term"
)

// op is the constructor of a program.
type op uint8

const (
	opVar  op = iota // x
	opNum            // r
	opLam            // λx.t
	opApp            // t u
	opPair           // ⟨t,u⟩
	opOpen           // t[⟨x0,…,xk⟩:=u]: a let for k = 0, and k instances of (2) otherwise
	opFun            // f(t1,…,tk), or t + u on numbers and on cotangents
	opIf             // if s c s' then t else u
	opPrim           // an added primitive applied to t1,…,tk
)

// code is a program of the language that transformations read and write: the calculus without literals, and the added
// primitives. It is a tree; each binder has a variable of its own.
type code struct {
	op    op
	prim  *prim
	sym   term.Symbol // opFun: NoSymbol is +
	cmp   term.Compare
	val   float64     // opNum
	vars  []*variable // opVar, primTuple: the variable; binders: those that it binds
	kids  []*code     // in the order in which they are evaluated; of opOpen u and t
	at    []int       // of primitives on cells: places in Γ, or how many
	gamma *gamma      // of primitives on tuples: Γ

	// Set by link.
	slot     int               // opVar: the place in the frame, or ^place among the captured values
	captures []int             // opLam: the slots, as those of opVar, of what it captures
	free     []*variable       // opLam: what it captures
	carried  map[*variable]int // opLam: the places of that
	frame    int               // opLam: the size of the frame of its body
	outer    *code             // opLam: the λ around it
}

// variable is a variable of a program.
type variable struct {
	name   string
	linear bool  // it is bound by (5): an occurrence counts no step
	zero   value // the zero of its cotangents in CHAD; of a variable of the source

	owner *code // set by link: the λ in whose frame it is
	slot  int   // its place there
}

func named(name string) *variable { return &variable{name: name} }

func linear(name string) *variable { return &variable{name: name, linear: true} }

func use(x *variable) *code { return &code{op: opVar, vars: []*variable{x}} }

func number(r float64) *code { return &code{op: opNum, val: r} }

func lam(x *variable, body *code) *code {
	return &code{op: opLam, vars: []*variable{x}, kids: []*code{body}}
}

func app(f, u *code) *code { return &code{op: opApp, kids: []*code{f, u}} }

func tuple(a, b *code) *code { return &code{op: opPair, kids: []*code{a, b}} }

// nested joins from the right: t0 with what t1 and the rest are.
func nested[T any](ts []T, join func(left, right T) T) T {
	out := ts[len(ts)-1]
	for _, t := range slices.Backward(ts[:len(ts)-1]) {
		out = join(t, out)
	}
	return out
}

// tuples is ⟨t0,⟨t1,…⟩⟩.
func tuples(ts []*code) *code { return nested(ts, tuple) }

func open(u, body *code, xs ...*variable) *code {
	return &code{op: opOpen, vars: xs, kids: []*code{u, body}}
}

func add(a, b *code) *code { return fun(term.NoSymbol, a, b) }

// fun is f(args). NoSymbol is +.
func fun(f term.Symbol, args ...*code) *code { return &code{op: opFun, sym: f, kids: args} }

func primitive(p *prim, args ...*code) *code { return &code{op: opPrim, prim: p, kids: args} }

func uses(xs []*variable) []*code {
	var out []*code
	for _, x := range xs {
		out = append(out, use(x))
	}
	return out
}

// slope is ∂i f at the variables xs.
func slope(f term.Symbol, i int, xs []*variable) *code {
	return term.Interpret(&f.Info().Partials[i], len(xs), number, func(i int) *code { return use(xs[i]) }, fun)
}

// link gives variables their places in frames. The free variables of the program are those of its outermost frame, in
// order.
func link(c *code, free []*variable) *code {
	top := &code{op: opLam, vars: free, kids: []*code{c}}
	top.link(nil)
	return top
}

// link gives the variables of a λ that is inside another one, if that is not nil, their places.
func (l *code) link(outer *code) {
	l.outer, l.carried = outer, map[*variable]int{}
	l.bind(l.vars)
	l.walk(l.kids[0])
}

// bind gives variables places in the frame of the λ.
func (l *code) bind(xs []*variable) {
	for _, x := range xs {
		x.owner, x.slot = l, l.frame
		l.frame++
	}
}

func (l *code) walk(c *code) {
	switch c.op {
	case opVar:
		c.slot = l.place(c.vars[0])
	case opLam:
		c.link(l)
	case opOpen:
		l.walk(c.kids[0])
		l.bind(c.vars)
		l.walk(c.kids[1])
	default:
		for _, k := range c.kids {
			l.walk(k)
		}
	}
}

// place returns where a variable is found in the body of the λ: in the frame, or captured.
func (l *code) place(x *variable) int {
	if x.owner == l {
		return x.slot
	}
	at, ok := l.carried[x]
	if !ok {
		at = len(l.captures)
		l.free = append(l.free, x)
		l.captures = append(l.captures, l.outer.place(x))
		l.carried[x] = at
	}
	return ^at
}

// reader reads a term as a program. Lists, data and numerals are the λ-terms that they stand for, as
// [reference.Convert] has them, so that no transformation has a case for them.
type reader struct {
	types *term.Types
	vars  map[*reference.Var]*variable
	depth int
}

// maxNesting bounds how deep a program nests, and maxSymbols its size: transformations recurse.
const (
	maxNesting = 150_000
	maxSymbols = 1 << 20
)

// read returns the term as a program, with the variables of its inputs. It panics with a [*LimitError].
func read(t *term.Term, inputs []term.Var) (*code, []*variable) {
	if reference.Symbols(t) > maxSymbols {
		panic(&LimitError{What: fmt.Sprintf("the program has more than %d symbols", maxSymbols)})
	}
	p := reference.Convert(t, denote.Floats{})
	r := &reader{types: t.Types, vars: map[*reference.Var]*variable{}}
	var free []*variable
	for _, x := range inputs {
		in := p.Var(x)
		if in == nil { // it does not occur
			in = &reference.Var{Name: t.Info(x).Name, Type: t.Info(x).Type}
		}
		free = append(free, r.variable(in))
	}
	return r.code(p.Term), free
}

func (r *reader) variable(x *reference.Var) *variable {
	if r.vars[x] == nil {
		r.vars[x] = &variable{name: x.Name, zero: zeroOf(r.types, x.Type)}
	}
	return r.vars[x]
}

func (r *reader) code(t *reference.Term) *code {
	if r.depth++; r.depth > maxNesting {
		panic(&LimitError{What: fmt.Sprintf("the program nests deeper than %d", maxNesting)})
	}
	defer func() { r.depth-- }()
	switch t.Op {
	case reference.Variable:
		return use(r.variable(t.X))
	case reference.Numeral:
		return number(t.Num.(float64))
	case reference.Lambda:
		return lam(r.variable(t.X), r.code(t.Kids[0]))
	case reference.Let:
		var xs []*variable
		t.P.Vars(func(x *reference.Var) { xs = append(xs, r.variable(x)) })
		return open(r.code(t.Kids[1]), r.code(t.Kids[0]), xs...)
	}
	kids := make([]*code, len(t.Kids))
	for i, k := range t.Kids {
		kids[i] = r.code(k)
	}
	switch t.Op {
	case reference.Apply:
		return app(kids[0], kids[1])
	case reference.MakePair:
		return tuple(kids[0], kids[1])
	case reference.Plus, reference.Function:
		return fun(t.Sym, kids...)
	case reference.If:
		return &code{op: opIf, cmp: t.Cmp, kids: kids}
	}
	panic(fmt.Sprintf("rivals: no program has the constructor %d", t.Op))
}

// zeroOf is the zero of the cotangents of a type in CHAD as it was published: of a function, no arguments.
func zeroOf(tt *term.Types, a term.Type) value {
	switch tt.Kind(a) {
	case term.ProdKind:
		return &pair{zeroOf(tt, tt.Left(a)), zeroOf(tt, tt.Right(a))}
	case term.ArrowKind:
		return noArguments
	}
	return 0.0
}
