package rivals

import (
	"slices"

	"github.com/gram-machine/gram/term"
)

// chad is the transformation CHAD: of a program over Γ it makes ⟨primal, λv.u⟩, where v is a cotangent of the result
// and u makes one of Γ. The two forms differ in what u is:
//
//   - As published, u is a tuple with a component for each variable in scope. Sums are (7) and (6). A cotangent of a
//     function is a collection of pairs ⟨argument, cotangent of the result⟩, and a λ evaluates its body again for each.
//   - In the efficient form, u adds to cells, one for each variable in scope, and 0 is a value of its own. A cotangent
//     of a function has one of each variable that it captures: the types of these are not in its own, so values carry
//     them (they are dynamically typed).
type chad struct {
	cells bool
	gamma *gamma            // the variables in scope
	size  int               // of gamma
	place map[*variable]int // of a variable in gamma
}

// gamma is an environment Γ: a variable behind those in scope around it.
type gamma struct {
	outer *gamma
	x     *variable
}

// transform returns CHAD of a program over the inputs.
func transform(cells bool, c *code, inputs []*variable) *code {
	if cells {
		link(c, inputs) // finds what each λ captures
	}
	return newGamma(cells).with(inputs, c)
}

// newGamma is the transformation with no variables in scope.
func newGamma(cells bool) *chad { return &chad{cells: cells, place: map[*variable]int{}} }

// with transforms with more variables in scope.
func (d *chad) with(xs []*variable, c *code) *code {
	outer, size := d.gamma, d.size
	for _, x := range xs {
		d.place[x] = d.size
		d.gamma = &gamma{d.gamma, x}
		d.size++
	}
	out := d.of(c)
	d.gamma, d.size = outer, size
	return out
}

// tuple is a cotangent of Γ with the one of x, or with none.
func (d *chad) tuple(x *variable, v *code) *code {
	out := &code{op: opPrim, prim: primTuple, gamma: d.gamma}
	if x != nil {
		out.vars, out.kids = []*variable{x}, []*code{v}
	}
	return out
}

// one is a cotangent of Γ that has v for x and 0 elsewhere.
func (d *chad) one(x *variable, v *code) *code {
	if d.cells {
		return &code{op: opPrim, prim: primAdd, at: []int{d.place[x]}, kids: []*code{v}}
	}
	return d.tuple(x, v)
}

// sum is the sum of cotangents of Γ.
func (d *chad) sum(us []*code) *code {
	switch {
	case len(us) == 0 && d.cells:
		return primitive(primSkip)
	case len(us) == 0:
		return d.tuple(nil, nil)
	}
	out := us[0]
	for _, u := range us[1:] {
		if d.cells {
			out = primitive(primThen, out, u)
		} else {
			out = add(out, u)
		}
	}
	return out
}

// parts are the results of transformed programs: a primal and a dual for each, a backpropagator or a linear map.
type parts struct {
	from         []*code
	primal, dual []*variable
}

// partsOf are those of what a transformation makes of programs.
func partsOf(transform func(*code) *code, cs []*code) *parts {
	var p parts
	for _, c := range cs {
		p.from = append(p.from, transform(c))
		p.primal, p.dual = append(p.primal, named("x")), append(p.dual, named("x'"))
	}
	return &p
}

// in opens the parts around a body.
func (p *parts) in(body *code) *code {
	for i, c := range slices.Backward(p.from) {
		body = open(c, body, p.primal[i], p.dual[i])
	}
	return body
}

// conditional is what a transformation makes of a conditional.
func conditional(transform func(*code) *code, c *code) *code {
	p := partsOf(transform, c.kids[:2])
	kids := append(uses(p.primal), transform(c.kids[2]), transform(c.kids[3]))
	return p.in(&code{op: opIf, cmp: c.cmp, kids: kids})
}

func (d *chad) of(c *code) *code {
	v := linear("v")
	switch c.op {
	case opVar:
		return tuple(use(c.vars[0]), lam(v, d.one(c.vars[0], use(v))))
	case opNum:
		return tuple(number(c.val), lam(v, d.sum(nil)))
	case opLam:
		if d.cells {
			return d.closure(c)
		}
		return d.lambda(c)
	case opApp:
		p := partsOf(d.of, c.kids)
		y, ys := named("y"), named("y'")
		f, u := p.dual[0], p.dual[1]
		var back *code
		if d.cells {
			fv, uv := linear("f̄"), linear("ū")
			back = open(app(use(ys), use(v)), d.sum([]*code{app(use(f), use(fv)), app(use(u), use(uv))}), fv, uv)
		} else {
			called := primitive(primCalled, use(p.primal[1]), use(v))
			back = add(app(use(f), called), app(use(u), app(use(ys), use(v))))
		}
		return p.in(open(app(use(p.primal[0]), use(p.primal[1])), tuple(use(y), lam(v, back)), y, ys))
	case opPair:
		p := partsOf(d.of, c.kids)
		v1, v2 := linear("v1"), linear("v2")
		back := open(use(v), d.sum([]*code{app(use(p.dual[0]), use(v1)), app(use(p.dual[1]), use(v2))}), v1, v2)
		return p.in(tuple(tuples(uses(p.primal)), lam(v, back)))
	case opOpen:
		return d.let(c)
	case opIf:
		return conditional(d.of, c)
	}
	p := partsOf(d.of, c.kids)
	var back []*code
	for i := range c.kids {
		u := use(v)
		if c.sym != term.NoSymbol {
			u = fun(term.Mul, slope(c.sym, i, p.primal), u)
		}
		back = append(back, app(use(p.dual[i]), u))
	}
	return p.in(tuple(fun(c.sym, uses(p.primal)...), lam(v, d.sum(back))))
}

// let is CHAD of t[⟨x0,…⟩:=u].
func (d *chad) let(c *code) *code {
	v, y, ys := linear("v"), named("y"), named("y'")
	p := partsOf(d.of, c.kids[:1])
	body := d.with(c.vars, c.kids[1])
	back := app(use(ys), use(v))
	if d.cells {
		back = app(use(p.dual[0]), &code{op: opPrim, prim: primScope, at: []int{len(c.vars)}, kids: []*code{back}})
	} else {
		g := linear("γ")
		var xs []*variable
		for range c.vars {
			xs = append(xs, linear("x̄"))
		}
		back = d.split(back, add(use(g), app(use(p.dual[0]), tuples(uses(xs)))), append([]*variable{g}, xs...))
	}
	return p.in(open(use(p.primal[0]), open(body, tuple(use(y), lam(v, back)), y, ys), c.vars...))
}

// split takes a cotangent u of Γ,x1,…,xk apart: ⟨⟨γ,x̄1⟩,…,x̄k⟩. The first of xs is γ.
func (d *chad) split(u, body *code, xs []*variable) *code {
	rest := xs[0]
	for i, x := range xs[1:] {
		from, inner := u, rest
		if i < len(xs)-2 {
			rest = linear("γ")
			from = use(rest)
		}
		body = open(from, body, inner, x)
	}
	return body
}

// closure is CHAD of a λ in the efficient form. Its body adds to cells of its own, one for each variable that is
// captured and one for the argument, and what it has added is its result.
func (d *chad) closure(c *code) *code {
	x, free := c.vars[0], c.free
	v, w, y, ys := linear("v"), linear("w"), named("y"), named("y'")
	body := newGamma(true).with(append(slices.Clone(free), x), c.kids[0])
	run := &code{op: opPrim, prim: primRun, at: []int{len(free) + 1}, kids: []*code{app(use(ys), use(v))}}
	scatter := &code{op: opPrim, prim: primScatter, kids: []*code{use(w)}}
	for _, y := range free {
		scatter.at = append(scatter.at, d.place[y])
	}
	return tuple(lam(x, open(body, tuple(use(y), lam(v, run)), y, ys)), lam(w, scatter))
}

// lambda is CHAD of a λ as published: the body is transformed once, and evaluated at each call and again for each
// component of a cotangent.
func (d *chad) lambda(c *code) *code {
	x := c.vars[0]
	b, v, w := named("b"), linear("v"), linear("w")
	body := d.with(c.vars, c.kids[0])
	arg, y, ys, g, xv := named("u"), named("y"), named("y'"), linear("γ"), linear("x̄")
	primal := lam(arg, open(app(use(b), use(arg)),
		tuple(use(y), lam(v, open(app(use(ys), use(v)), use(xv), g, xv))), y, ys))
	arg2, v2, y2, ys2, g2, xv2 := named("u"), linear("v"), named("y"), named("y'"), linear("γ"), linear("x̄")
	again := lam(arg2, lam(v2, open(app(use(b), use(arg2)), open(app(use(ys2), use(v2)), use(g2), g2, xv2), y2, ys2)))
	fold := primitive(primFold, again, use(w), d.tuple(nil, nil))
	return open(lam(x, body), tuple(primal, lam(w, fold)), b)
}

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
	case opFun:
		return s.function(c)
	case opIf:
		return conditional(s.dual, c)
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
	p := partsOf(s.dual, c.kids)
	var slopes []*code // nil of a sum
	if c.sym != term.NoSymbol {
		for i := range c.kids {
			slopes = append(slopes, slope(c.sym, i, p.primal))
		}
	}
	return p.in(tuple(fun(c.sym, uses(p.primal)...), s.operation(p.dual, slopes)))
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
		if duals == nil {
			return lam(a, primitive(primSkip))
		}
		var summands []*code
		for i, d := range duals {
			summands = append(summands, app(use(d), scaled(i)))
		}
		return lam(a, nested(summands, add))
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
