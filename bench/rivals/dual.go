package rivals

import "github.com/gram-machine/gram/term"

// style is how dual numbers represent the linear map of a number.
type style uint8

const (
	unstaged style = iota // a backpropagator λa.u, u a cotangent of the inputs
	staged                // an identifier, and λa.λs.u, which calls others: s is what has been called
	recorded              // an identifier of the trace
)

// dual is the transformation to dual numbers: D(R) is R × B, with B by the style, and D goes into all other
// constructors. It is D of the paper, but for numerals, sums and symbols.
func (s style) dual(c *code) *code {
	switch c.op {
	case opNum:
		return tuple(number(c.val), s.operation(nil, nil))
	case opAdd, opFun:
		return s.function(c)
	case opIf:
		x, xs, y, ys := named("x"), named("x'"), named("y"), named("y'")
		body := &code{op: opIf, cmp: c.cmp, kids: []*code{use(x), use(y), s.dual(c.kids[2]), s.dual(c.kids[3])}}
		return open(s.dual(c.kids[0]), open(s.dual(c.kids[1]), body, y, ys), x, xs)
	}
	out := *c
	out.kids = make([]*code, len(c.kids))
	for i, k := range c.kids {
		out.kids[i] = s.dual(k)
	}
	return &out
}

// function is D of a sum or of f(t1,…,tk).
func (s style) function(c *code) *code {
	var xs, duals []*variable
	for range c.kids {
		xs, duals = append(xs, named("x")), append(duals, named("x'"))
	}
	primal := &code{op: c.op, sym: c.sym, kids: uses(xs)}
	var slopes []*code // nil of a sum
	if c.op == opFun {
		for i := range xs {
			slopes = append(slopes, slope(c.sym, i, xs))
		}
	}
	out := tuple(primal, s.operation(duals, slopes))
	for i := len(xs) - 1; i >= 0; i-- {
		out = open(s.dual(c.kids[i]), out, xs[i], duals[i])
	}
	return out
}

// operation is the linear map of an operation, from those of its operands and its slopes.
func (s style) operation(duals []*variable, slopes []*code) *code {
	a := linear("a")
	scaled := func(i int) *code {
		if slopes == nil {
			return use(a)
		}
		return fun(term.Mul, slopes[i], use(a))
	}
	switch s {
	case unstaged:
		var sum *code
		for i := len(duals) - 1; i >= 0; i-- {
			if summand := app(use(duals[i]), scaled(i)); sum == nil {
				sum = summand
			} else {
				sum = add(summand, sum)
			}
		}
		if sum == nil {
			sum = primitive(primSkip)
		}
		return lam(a, sum)
	case staged:
		calls := linear("s")
		body := use(calls)
		for i := range duals {
			body = primitive(primCall, use(duals[i]), scaled(i), body)
		}
		return tuple(primitive(primFresh), lam(a, lam(calls, body)))
	default:
		if duals == nil {
			return primitive(primSkip)
		}
		return primitive(primRecord, append(uses(duals), slopes...)...)
	}
}
