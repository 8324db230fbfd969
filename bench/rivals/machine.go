package rivals

import (
	"context"
	"fmt"

	"github.com/gram-machine/gram/rule"
	"github.com/gram-machine/gram/term"
)

// Words are the words that added primitives touch, one step each.
type Words struct {
	Identifiers uint64 `json:"identifiers"` // made, and read where an operation is recorded
	Map         uint64 `json:"map"`         // nodes of the balanced tree
	Array       uint64 `json:"array"`       // components of arrays and of the trace
	Cells       uint64 `json:"cells"`       // made, read and added to
	Tuples      uint64 `json:"tuples"`      // components of tuples over Γ that are made, zeros that sums meet, and calls
}

// Total is their sum.
func (w *Words) Total() uint64 { return w.Identifiers + w.Map + w.Array + w.Cells + w.Tuples }

// Cost is what a gradient costs.
type Cost struct {
	Steps    rule.Counts `json:"steps"`
	Words    Words       `json:"words"`
	Captures uint64      `json:"captures"` // variables that closures capture where they are made
}

// Total is the steps by rules, and one for each word.
func (c *Cost) Total() uint64 { return c.Steps.Total() + c.Words.Total() }

// spent is the cost as it is compared.
func (c *Cost) spent() Spent { return Spent{c.Steps.Total(), c.Words.Total(), c.Captures} }

// LimitError says that an evaluation was ended.
type LimitError struct {
	What string
	Err  error // of the context
}

func (e *LimitError) Error() string { return "rivals: " + e.What }

func (e *LimitError) Unwrap() error { return e.Err }

// maxDepth bounds how deep evaluation nests: the evaluator recurses in Go, with up to 600 bytes for each level, and
// Go's stacks grow to 512 MiB.
const maxDepth = 1 << 19

// machine evaluates programs by value: it makes the steps of the calculus on environments, and counts them.
type machine struct {
	ctx   context.Context
	limit uint64 // of steps; 0: none
	ticks uint64
	depth int
	cost  Cost

	idents int      // the identifiers made
	calls  calls    // of staged backpropagators
	trace  []record // of recorded operations
	cells  []value  // CHAD's, of the variables in scope, for each function that runs
	base   int      // the first cell of the function that runs
}

type frame struct {
	slots []value
	env   []value
}

// checkEvery is how many constructors are evaluated between two looks at the limits.
const checkEvery = 1 << 14

// tick looks at the limits now and then.
func (m *machine) tick() {
	if m.ticks++; m.ticks%checkEvery == 0 {
		m.check()
	}
}

func (m *machine) enter() {
	if m.depth++; m.depth > maxDepth {
		panic(&LimitError{What: fmt.Sprintf("evaluation nests deeper than %d", maxDepth)})
	}
	m.tick()
}

func (m *machine) leave() { m.depth-- }

func (m *machine) check() {
	if err := m.ctx.Err(); err != nil {
		panic(&LimitError{What: "interrupted", Err: err})
	}
	if m.limit > 0 && m.cost.Total() > m.limit {
		panic(&LimitError{What: fmt.Sprintf("more than %d steps", m.limit)})
	}
}

// eval evaluates a program. What is evaluated last, in a let or a call, does not nest.
func (m *machine) eval(c *code, f *frame) value {
	m.enter()
	defer m.leave()
	for ; ; m.tick() {
		switch c.op {
		case opVar:
			return m.occurrence(c, f)
		case opNum:
			return c.val
		case opLam:
			env := make([]value, len(c.captures))
			for i, at := range c.captures {
				env[i] = f.at(at)
			}
			m.cost.Captures += uint64(len(env))
			return &closure{c, env}
		case opPair:
			left := m.eval(c.kids[0], f)
			return &pair{left, m.eval(c.kids[1], f)}
		case opOpen:
			m.open(c, m.eval(c.kids[0], f), f)
			c = c.kids[1]
		case opFun:
			return m.symbol(c, f)
		case opIf:
			x := m.eval(c.kids[0], f).(float64)
			m.cost.Steps[rule.Branch]++
			if c.cmp.Holds(x, m.eval(c.kids[1], f).(float64)) {
				c = c.kids[2]
			} else {
				c = c.kids[3]
			}
		case opApp:
			fn := m.eval(c.kids[0], f).(*closure)
			f = m.call(fn, m.eval(c.kids[1], f))
			c = fn.code.kids[0]
		default:
			return c.prim.run(m, c, f)
		}
	}
}

func (f *frame) at(slot int) value {
	if slot < 0 {
		return f.env[^slot]
	}
	return f.slots[slot]
}

// occurrence is an occurrence of a variable, which has a value: (3). One of a linear variable is part of its (5).
func (m *machine) occurrence(c *code, f *frame) value {
	v := f.at(c.slot)
	switch _, numeral := v.(float64); {
	case c.vars[0].linear:
	case numeral:
		m.cost.Steps[rule.SubstNumeral]++
	default:
		m.cost.Steps[rule.Subst]++
	}
	return v
}

// bind gives a variable its value. Its binder counts (4), a linear one (5).
func (m *machine) bind(x *variable, v value, f *frame) {
	if x.linear {
		m.cost.Steps[rule.Lin]++
	} else {
		m.cost.Steps[rule.GC]++
	}
	f.slots[x.slot] = v
}

// open binds the variables of a let: the last has the rest of the tuple. The parts of 0 are 0.
func (m *machine) open(c *code, v value, f *frame) {
	last := len(c.vars) - 1
	for _, x := range c.vars[:last] {
		m.cost.Steps[rule.Pair]++
		left, right := halves(v)
		m.bind(x, left, f)
		v = right
	}
	m.bind(c.vars[last], v, f)
}

// call is (1): it returns the frame of the body.
func (m *machine) call(fn *closure, v value) *frame {
	m.cost.Steps[rule.Lambda]++
	f := &frame{make([]value, fn.code.frame), fn.env}
	m.bind(fn.code.vars[0], v, f)
	return f
}

// apply calls a function.
func (m *machine) apply(fn, v value) value {
	c := fn.(*closure)
	return m.eval(c.code.kids[0], m.call(c, v))
}

// symbol is a sum, (8) or (12).
func (m *machine) symbol(c *code, f *frame) value {
	x := m.eval(c.kids[0], f)
	switch c.sym {
	case term.NoSymbol:
		return m.plus(x, m.eval(c.kids[1], f))
	case term.Mul:
		y := m.eval(c.kids[1], f)
		m.cost.Steps[rule.Times]++
		if x == nil || y == nil {
			return nil // a product of a cotangent 0
		}
		return x.(float64) * y.(float64)
	}
	args := []float64{x.(float64)}
	for _, k := range c.kids[1:] {
		args = append(args, m.eval(k, f).(float64))
	}
	m.cost.Steps[rule.Function]++
	return c.sym.Eval(args...)
}

// value is a float64, a *pair, a *closure, an ident, or one of the values of added primitives: *arguments, cotangents,
// or nil, the zero of the primitives that know one.
type value any

type pair struct{ left, right value }

type closure struct {
	code *code
	env  []value // what it captures
}

// ident is an identifier of an operation.
type ident int

// cotangents are those of the variables that a closure captures.
type cotangents []value

// arguments are a cotangent of a function in CHAD as published: a collection of an argument and a cotangent of the
// result for each call. Sums join them.
type arguments struct {
	left, right *arguments
	x, v        value
}

// noArguments is the zero of cotangents of functions.
var noArguments = &arguments{}

// each calls f for each call.
func (a *arguments) each(f func(x, v value)) {
	switch {
	case a == noArguments:
	case a.left == nil:
		f(a.x, a.v)
	default:
		a.left.each(f)
		a.right.each(f)
	}
}

// plus is v + w, on numbers and on cotangents: (6), (7), and one word of tuples for each other value that it meets.
func (m *machine) plus(v, w value) value {
	m.enter()
	defer m.leave()
	if v == nil || w == nil {
		m.cost.Words.Tuples++
		if v == nil {
			return w
		}
		return v
	}
	switch v := v.(type) {
	case float64:
		m.cost.Steps[rule.Plus]++
		return v + w.(float64)
	case *pair:
		m.cost.Steps[rule.PlusPair]++
		w := w.(*pair)
		return &pair{m.plus(v.left, w.left), m.plus(v.right, w.right)}
	case cotangents:
		out := make(cotangents, len(v))
		for i := range v {
			out[i] = m.plus(v[i], w.(cotangents)[i])
		}
		return out
	}
	m.cost.Words.Tuples++
	a, b := v.(*arguments), w.(*arguments)
	switch {
	case a == noArguments:
		return b
	case b == noArguments:
		return a
	}
	return &arguments{left: a, right: b}
}

// words is the number of words of a zero of CHAD as published.
func words(v value) uint64 {
	if p, ok := v.(*pair); ok {
		return words(p.left) + words(p.right)
	}
	return 1
}
