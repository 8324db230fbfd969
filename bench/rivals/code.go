package rivals

import "github.com/gram-machine/gram/term"

// op is the constructor of a program.
type op uint8

const (
	opVar  op = iota // x
	opNum            // r
	opLam            // λx.t
	opApp            // t u
	opPair           // ⟨t,u⟩
	opOpen           // t[⟨x0,…,xk⟩:=u]: a let for k = 0, and k instances of (2) otherwise
	opAdd            // t + u, on numbers and on cotangents
	opFun            // f(t1,…,tk)
	opIf             // if s c s' then t else u
	opPrim           // an added primitive applied to t1,…,tk
)

// code is a program of the language that transformations read and write: the calculus without literals, and the added
// primitives. It is a tree; each binder has a variable of its own.
type code struct {
	op    op
	prim  *prim
	sym   term.Symbol
	cmp   term.Compare
	val   float64     // opNum
	vars  []*variable // opVar, primTuple: the variable; binders: those that it binds
	kids  []*code     // in the order in which they are evaluated; of opOpen u and t
	at    []int       // of primitives on cells: places in Γ, or how many
	gamma *gamma      // of primitives on tuples: Γ

	// Set by link.
	slot     int         // opVar: the place in the frame, or ^place among the captured values
	slots    []int       // of the variables that are bound
	captures []int       // opLam: the slots, as those of opVar, of what it captures
	free     []*variable // opLam: what it captures
	frame    int         // opLam: the size of the frame of its body
}

// variable is a variable of a program.
type variable struct {
	name   string
	linear bool  // it is bound by (5): an occurrence counts no step
	zero   value // the zero of its cotangents in CHAD; of a variable of the source

	owner *scope // set by link
	slot  int
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

// tuples is ⟨t0,⟨t1,…⟩⟩.
func tuples(ts []*code) *code {
	out := ts[len(ts)-1]
	for i := len(ts) - 2; i >= 0; i-- {
		out = tuple(ts[i], out)
	}
	return out
}

func open(u, body *code, xs ...*variable) *code {
	return &code{op: opOpen, vars: xs, kids: []*code{u, body}}
}

func add(a, b *code) *code { return &code{op: opAdd, kids: []*code{a, b}} }

// fun is f(args). NoSymbol is +.
func fun(f term.Symbol, args ...*code) *code {
	if f == term.NoSymbol {
		return add(args[0], args[1])
	}
	return &code{op: opFun, sym: f, kids: args}
}

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

// scope is what link knows of the λ whose body it is in.
type scope struct {
	lam     *code
	outer   *scope
	carried map[*variable]int // places among the captured values
}

// link gives variables their places in frames. The free variables of the program are those of its outermost frame, in
// order.
func link(c *code, free []*variable) *code {
	top := &code{op: opLam, vars: free, kids: []*code{c}}
	linkLam(top, nil)
	return top
}

func linkLam(l *code, outer *scope) {
	s := &scope{lam: l, outer: outer, carried: map[*variable]int{}}
	s.bind(l)
	s.walk(l.kids[0])
}

func (s *scope) bind(c *code) {
	c.slots = make([]int, len(c.vars))
	for i, x := range c.vars {
		x.owner, x.slot = s, s.lam.frame
		c.slots[i] = x.slot
		s.lam.frame++
	}
}

func (s *scope) walk(c *code) {
	switch c.op {
	case opVar:
		c.slot = s.place(c.vars[0])
		return
	case opLam:
		linkLam(c, s)
		return
	case opOpen:
		s.walk(c.kids[0])
		s.bind(c)
		s.walk(c.kids[1])
		return
	}
	for _, k := range c.kids {
		s.walk(k)
	}
}

// place returns where a variable is found in the scope: in the frame, or captured.
func (s *scope) place(x *variable) int {
	if x.owner == s {
		return x.slot
	}
	at, ok := s.carried[x]
	if !ok {
		at = len(s.lam.captures)
		s.lam.free = append(s.lam.free, x)
		s.lam.captures = append(s.lam.captures, s.outer.place(x))
		s.carried[x] = at
	}
	return ^at
}
