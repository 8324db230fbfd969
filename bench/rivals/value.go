package rivals

import "github.com/gram-machine/gram/rule"

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
	if a == noArguments {
		return
	}
	if a.left == nil {
		f(a.x, a.v)
		return
	}
	a.left.each(f)
	a.right.each(f)
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
