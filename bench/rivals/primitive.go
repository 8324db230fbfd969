package rivals

import "slices"

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
		return rightNested(m.within(c.at[0], c.kids[0], f))
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

func rightNested(vs []value) value {
	out := vs[len(vs)-1]
	for _, v := range slices.Backward(vs[:len(vs)-1]) {
		out = &pair{v, out}
	}
	return out
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
