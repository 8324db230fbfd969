package rivals

import (
	"slices"

	"github.com/gram-machine/gram/rule"
)

// prim is an added primitive.
type prim struct {
	name string
	run  func(m *machine, c *code, f *frame) value
}

// primSkip is 0, or no effect, and primThen is t; u. They touch nothing.
var (
	primSkip = &prim{"skip", func(*machine, *code, *frame) value { return nil }}
	primThen = &prim{"then", func(m *machine, c *code, f *frame) value {
		m.eval(c.kids[0], f)
		return m.eval(c.kids[1], f)
	}}
)

// The primitives of dual numbers.
var (
	// primFresh is a new identifier: a word.
	primFresh = &prim{"fresh", func(m *machine, _ *code, _ *frame) value { return m.fresh() }}
	// primCall is the call of ⟨i,f⟩ with a number: what the map or the array touches, and (6).
	primCall = &prim{"call", func(m *machine, c *code, f *frame) value {
		d := m.eval(c.kids[0], f).(*pair)
		m.callWith(d, m.eval(c.kids[1], f).(float64))
		return m.eval(c.kids[2], f)
	}}
	// primRecord is an operation of the trace, of k identifiers and as many slopes: a word for each, and one for its own.
	primRecord = &prim{"record", (*machine).record}
)

// The primitives of CHAD as published.
var (
	// primTuple is a cotangent of Γ: a word for each component of each variable.
	primTuple = &prim{"tuple", (*machine).tuple}
	// primCalled is a cotangent of a function, of one call: a word.
	primCalled = &prim{"called", func(m *machine, c *code, f *frame) value {
		x := m.eval(c.kids[0], f)
		m.cost.Words.Tuples++
		return &arguments{x: x, v: m.eval(c.kids[1], f)}
	}}
	// primFold is the sum over the calls of a cotangent of a function: a word for each, and what sums take.
	primFold = &prim{"fold", func(m *machine, c *code, f *frame) value {
		again, calls, sum := m.eval(c.kids[0], f), m.eval(c.kids[1], f).(*arguments), m.eval(c.kids[2], f)
		calls.each(func(x, v value) {
			m.cost.Words.Tuples++
			sum = m.plus(sum, m.apply(m.apply(again, x), v))
		})
		return sum
	}}
)

// The primitives of CHAD in the efficient form.
var (
	// primAdd adds to a cell: a word, and the sum.
	primAdd = &prim{"add", func(m *machine, c *code, f *frame) value {
		m.addTo(m.base+c.at[0], m.eval(c.kids[0], f))
		return nil
	}}
	// primScatter adds the cotangents of what a closure captures: two words for each, and the sums.
	primScatter = &prim{"scatter", func(m *machine, c *code, f *frame) value {
		v, _ := m.eval(c.kids[0], f).(cotangents)
		for i := range v {
			m.cost.Words.Cells++
			m.addTo(m.base+c.at[i], v[i])
		}
		return nil
	}}
	// primScope is an expression with more cells, which it returns: two words for each.
	primScope = &prim{"scope", func(m *machine, c *code, f *frame) value {
		return nested(m.within(c.at[0], c.kids[0], f), func(v, w value) value { return &pair{v, w} })
	}}
	// primRun is the body of a function, with cells of its own, which it returns: two words for each.
	primRun = &prim{"run", func(m *machine, c *code, f *frame) value {
		base := m.base
		m.base = len(m.cells)
		cells := m.within(c.at[0], c.kids[0], f)
		m.base = base
		last := len(cells) - 1
		return &pair{cotangents(cells[:last]), cells[last]}
	}}
)

// within evaluates with n more cells, and returns what is in them then.
func (m *machine) within(n int, c *code, f *frame) []value {
	from := len(m.cells)
	m.cells = append(m.cells, make([]value, n)...)
	m.cost.Words.Cells += 2 * uint64(n)
	m.eval(c, f)
	out := slices.Clone(m.cells[from:])
	m.cells = m.cells[:from]
	return out
}

// addTo adds to a cell.
func (m *machine) addTo(cell int, v value) {
	m.cost.Words.Cells++
	if v == nil {
		return
	}
	if m.cells[cell] != nil {
		v = m.plus(m.cells[cell], v)
	}
	m.cells[cell] = v
}

// tuple is a cotangent of Γ, ⟨⟨0,x̄1⟩,x̄2⟩…, with the component of one variable that is given, if there is one.
func (m *machine) tuple(c *code, f *frame) value {
	var given value
	if len(c.vars) > 0 {
		given = m.eval(c.kids[0], f)
	}
	var components []value
	for g := c.gamma; g != nil; g = g.outer {
		m.cost.Words.Tuples += words(g.x.zero)
		component := g.x.zero
		if len(c.vars) > 0 && c.vars[0] == g.x {
			component = given
		}
		components = append(components, component)
	}
	var out value
	for _, v := range slices.Backward(components) {
		out = &pair{out, v}
	}
	return out
}

func (m *machine) fresh() ident {
	m.cost.Words.Identifiers++
	m.idents++
	return ident(m.idents - 1)
}

// record adds an operation to the trace.
func (m *machine) record(c *code, f *frame) value {
	var r record
	for _, k := range c.kids {
		switch v := m.eval(k, f).(type) {
		case float64:
			r.slopes = append(r.slopes, v)
		case ident:
			r.operands = append(r.operands, v)
		default:
			r.operands = append(r.operands, noIdent)
		}
	}
	m.cost.Words.Array += uint64(len(c.kids))
	m.trace = append(m.trace, r)
	return m.fresh()
}

// calls are the operations that have been called and not yet resolved, with the sums of their arguments.
type calls interface {
	// at returns the entry of an operation, a new one if there is none.
	at(key ident) *called
	// takeMax removes the entry with the largest key; ok is false if there is none.
	takeMax() (key ident, c called, ok bool)
}

// called is what is known of an operation that has been called: its backpropagator, and the sum of the arguments.
type called struct {
	back value
	sum  float64
	any  bool // there is a sum to add to
}

// array is an array with an entry for each identifier. It counts a word for each of the two components of an entry.
type array struct {
	entries []called
	touched *uint64
}

func newArray(n int, touched *uint64) *array {
	a := &array{make([]called, n), touched}
	for i := range a.entries {
		a.entries[i].any = true
	}
	*touched += 2 * uint64(n)
	return a
}

func (a *array) at(key ident) *called {
	*a.touched += 2
	return &a.entries[key]
}

func (a *array) takeMax() (ident, called, bool) {
	for n := len(a.entries) - 1; n >= 0; n-- {
		c := a.entries[n]
		a.entries = a.entries[:n]
		*a.touched += 2
		if c.back != nil {
			return ident(n), c, true
		}
	}
	return 0, called{}, false
}

// callWith calls an operation.
func (m *machine) callWith(d *pair, r float64) {
	c := m.calls.at(d.left.(ident))
	if c.any {
		m.cost.Steps[rule.Plus]++
		r += c.sum
	}
	*c = called{d.right, r, true}
}

// resolve calls the backpropagator of each operation that has been called, once, in the reverse of the order in which
// they were made. The first d are the inputs, whose sums it returns.
func (m *machine) resolve(d int) []float64 {
	out := make([]float64, d)
	for {
		key, c, ok := m.calls.takeMax()
		switch {
		case !ok:
			return out
		case int(key) < d:
			out[key] = c.sum
		default:
			m.apply(m.apply(c.back, c.sum), nil)
		}
	}
}

// tree is a map from identifiers, balanced as by Adelson-Velsky and Landis. It counts each node that an operation
// touches.
type tree struct {
	root    *branch
	touched *uint64
}

type branch struct {
	key    ident
	called called
	sides  [2]*branch // of lesser keys, and of greater ones
	height int
}

func (t *tree) at(key ident) (out *called) {
	var insert func(b *branch) *branch
	insert = func(b *branch) *branch {
		*t.touched++
		if b == nil {
			b = &branch{key: key, height: 1}
		}
		if key == b.key {
			out = &b.called
			return b
		}
		side := 0
		if key > b.key {
			side = 1
		}
		b.sides[side] = insert(b.sides[side])
		return t.balance(b)
	}
	t.root = insert(t.root)
	return out
}

func (t *tree) takeMax() (key ident, c called, ok bool) {
	if t.root == nil {
		return 0, called{}, false
	}
	var remove func(b *branch) *branch
	remove = func(b *branch) *branch {
		*t.touched++
		if b.sides[1] == nil {
			key, c = b.key, b.called
			return b.sides[0]
		}
		b.sides[1] = remove(b.sides[1])
		return t.balance(b)
	}
	t.root = remove(t.root)
	return key, c, true
}

func (b *branch) tall() int {
	if b == nil {
		return 0
	}
	return b.height
}

func (b *branch) measure() { b.height = 1 + max(b.sides[0].tall(), b.sides[1].tall()) }

// balance rotates where one side is taller by two.
func (t *tree) balance(b *branch) *branch {
	b.measure()
	for side, tall := range b.sides {
		if tall.tall()-b.sides[1-side].tall() < 2 {
			continue
		}
		if tall.sides[side].tall() < tall.sides[1-side].tall() {
			b.sides[side] = t.rotate(tall, 1-side)
		}
		return t.rotate(b, side)
	}
	return b
}

// rotate puts what is on a side of b above it.
func (t *tree) rotate(b *branch, side int) *branch {
	*t.touched++
	up := b.sides[side]
	b.sides[side], up.sides[1-side] = up.sides[1-side], b
	b.measure()
	up.measure()
	return up
}

// record is an operation of the trace: its operands, and its slopes if it is no sum.
type record struct {
	operands []ident
	slopes   []float64
}

// noIdent is the operand whose linear map is 0: a numeral.
const noIdent ident = -1

// replay goes through the trace from its end, and returns the derivatives by the first d operations, the inputs.
func (m *machine) replay(seed ident, d int) []float64 {
	words := &m.cost.Words.Array
	sums := make([]called, m.idents)
	*words += uint64(m.idents)
	addTo := func(at ident, r float64) {
		if at == noIdent {
			return
		}
		*words++
		if sums[at].any {
			m.cost.Steps[rule.Plus]++
			r += sums[at].sum
		}
		sums[at] = called{sum: r, any: true}
	}
	addTo(seed, 1)
	for i := m.idents - 1; i >= d; i-- {
		m.tick()
		*words++
		if !sums[i].any {
			continue
		}
		r := m.trace[i-d]
		*words += uint64(len(r.operands) + len(r.slopes))
		for j, at := range r.operands {
			a := sums[i].sum
			if r.slopes != nil {
				m.cost.Steps[rule.Times]++
				a *= r.slopes[j]
			}
			addTo(at, a)
		}
	}
	out := make([]float64, d)
	for i := range out {
		*words++
		out[i] = sums[i].sum
	}
	return out
}
