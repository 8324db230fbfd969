package span

import (
	"fmt"
	"slices"

	"github.com/gram-machine/gram/revgrad"
	"github.com/gram-machine/gram/rule"
	"github.com/gram-machine/gram/term"
)

// UnknownError says why the span of a program cannot be measured.
type UnknownError struct{ Why string }

func (e *UnknownError) Error() string { return "the span is not known: " + e.Why }

// stop ends an evaluation by a panic.
type stop struct{ err error }

// evaluator evaluates a start term.
type evaluator struct {
	*term.Term
	*scope
	opt     Options
	start   *revgrad.Start
	outputs int // of a gradient
	stars   []*dual
	order   uint64 // of the dual that was made last
	depth   int
	steps   int
	res     Result
}

func (e *evaluator) run() {
	f := &frame{vals: make([]value, e.size[e.Root])}
	for _, x := range e.start.Stars {
		d := &dual{}
		e.stars = append(e.stars, d)
		f.vals[e.slot[x]] = value{of: d}
	}
	v := e.force(e.eval(e.Root, f, 0))
	if e.outputs == 0 {
		e.res.Values = appendNumbers(nil, v)
	}
}

func appendNumbers(out []float64, v value) []float64 {
	for {
		switch p := v.of.(type) {
		case *pair:
			out = appendNumbers(out, p.a)
			v = p.b
		case *constructed:
			if p.arg == nil {
				return out
			}
			v = *p.arg
		default:
			return append(out, v.num)
		}
	}
}

// step counts a step that can be made at the given time, and returns the time at which it has been made.
func (e *evaluator) step(r rule.Rule, at uint64) uint64 {
	e.res.Counts[r]++
	e.res.Span = max(e.res.Span, at+1)
	e.steps++
	if err := term.LookAt(e.steps, e.opt.Check); err != nil {
		panic(stop{err})
	}
	return at + 1
}

// bind binds a variable to v, and counts its (4), which can be made when v is a value, or after its last (3).
func (e *evaluator) bind(f *frame, x term.Var, v value) {
	v = e.force(v)
	if _, ok := v.of.(null); ok {
		e.order++
		v.of = &dual{order: e.order, at: v.at, null: true}
	}
	f.vals[e.slot[x]] = v
	e.step(rule.GC, v.ready())
}

// occurrence is v, bound to x, at an occurrence of x.
func (e *evaluator) occurrence(x term.Var, v value, at uint64) value {
	if d, ok := v.of.(*dual); ok && d.null || e.free[x] {
		return v.after(at)
	}
	return e.subst(v, at)
}

// subst is (3) of an occurrence that exists at a time. (4) of the binder is not made before the step after it.
func (e *evaluator) subst(v value, at uint64) value {
	by := rule.Subst
	if v.of == nil {
		by = rule.SubstNumeral
	}
	v.at = e.step(by, max(at, v.ready()))
	e.res.Span = max(e.res.Span, v.at+1)
	return v
}

// eval evaluates a node that exists at a time.
func (e *evaluator) eval(r term.Ref, f *frame, at uint64) value {
	if e.depth++; e.depth > e.opt.MaxDepth {
		panic(stop{&UnknownError{fmt.Sprintf("more than %d evaluations are nested", e.opt.MaxDepth)}})
	}
	v := e.evalBelow(r, f, at)
	e.depth--
	return v
}

// evalBelow evaluates a node. What stands in its scope, a branch and the body of a λ go on in its loop.
func (e *evaluator) evalBelow(r term.Ref, f *frame, at uint64) value {
	for {
		n := &e.Nodes[r]
		switch n.Op {
		case term.VarOp:
			g := f
			for range e.scope.depth[r] {
				g = g.outer
			}
			return e.occurrence(n.X, g.vals[e.slot[n.X]], at)
		case term.NumOp:
			return value{at: at, num: n.Val}
		case term.LamOp:
			return e.lambda(r, f, at)
		case term.ZeroOp:
			return value{at: at, of: zero{}}
		case term.ListOp:
			return value{at: at, of: &list{uint64(n.N), r, f}}
		case term.NatOp:
			return value{at: at, of: &list{n.Count, r, f}}
		case term.DataOp:
			return e.data(r, at)
		case term.PairOp:
			a := e.eval(n.A, f, at)
			return newPair(at, a, e.eval(n.B, f, at))
		case term.VecOp:
			return e.vector(r, f, at)
		case term.AddOp:
			return e.sum(r, f, at)
		case term.FunOp:
			return e.function(n, f, at)
		case term.AppOp:
			fn := e.eval(n.A, f, at)
			arg := e.eval(n.B, f, at)
			if g, ok := fn.of.(*fixed); ok {
				fn = e.unfold(g, fn.at)
			}
			c, ok := fn.of.(*closure)
			if !ok {
				return e.apply(fn, arg)
			}
			r, f, at = e.enter(c, fn.at, arg)
		case term.IfOp:
			kids := e.Children(n)
			a := e.number(kids[0], f, at)
			b := e.number(kids[1], f, at)
			at = e.step(rule.Branch, max(a.at, b.at))
			r = kids[3]
			if n.Cmp.Holds(a.num, b.num) {
				r = kids[2]
			}
		case term.LetOp:
			e.let(n, f, at)
			r = n.A
		case term.UntupleOp, term.UnvecOp:
			e.takeApart(e.BoundVars(n), f, e.number(n.B, f, at))
			r = n.A
		case term.ConOp:
			c := &constructed{con: n.Count}
			if n.A != 0 {
				c.arg = new(e.number(n.A, f, at))
			}
			return value{at: at, of: c}
		case term.CaseOp:
			r, at = e.match(n, f, at)
		case term.FixOp:
			return value{at: at, of: &fixed{r, f, n.Count}}
		default:
			panic(stop{fmt.Errorf("the constructor %d is no term of the calculus", n.Op)})
		}
	}
}

// number evaluates a node of type R, the argument of a constructor, or what is taken apart.
func (e *evaluator) number(r term.Ref, f *frame, at uint64) value { return e.force(e.eval(r, f, at)) }

// lambda is λx.t, λa.0⃗, or the name of another dual λ (note C4), whose occurrence makes no step.
func (e *evaluator) lambda(r term.Ref, f *frame, at uint64) value {
	c := closure{node: r, frame: f}
	switch n := &e.Nodes[r]; {
	case !e.Info(n.X).Linear:
		return value{at: at, of: &c}
	case e.Nodes[n.A].Op == term.ZeroOp:
		return value{at: at, of: null{}}
	}
	e.order++
	e.step(rule.GC, at)
	return value{at: at, of: &dual{closure: c, order: e.order, at: at}}
}

// match is (14): it returns the case of the constructor, and when it exists.
func (e *evaluator) match(n *term.Node, f *frame, at uint64) (term.Ref, uint64) {
	kids := e.Children(n)
	v := e.number(kids[0], f, at)
	c := v.of.(*constructed)
	at = e.step(rule.Case, v.at)
	branch := &e.Nodes[kids[1+c.con]]
	if xs := e.BoundVars(branch); len(xs) > 0 {
		e.takeApart(xs, f, c.arg.after(at))
	}
	return branch.A, at
}

// unfold is (15): it returns the λ of the function.
func (e *evaluator) unfold(c *fixed, at uint64) value {
	at = e.step(rule.Unfold, at)
	n := &e.Nodes[c.node]
	f := &frame{outer: c.frame, vals: make([]value, e.size[c.node])}
	for i, x := range e.BoundVars(n) {
		e.bind(f, x, value{at: at, of: &fixed{c.node, c.frame, uint64(i)}})
	}
	return value{at: at, of: &closure{e.Children(n)[c.member], f}}
}

// enter is (1): it returns the body of the λ, its frame, and when it exists.
func (e *evaluator) enter(c *closure, at uint64, arg value) (term.Ref, *frame, uint64) {
	at = e.step(rule.Lambda, at)
	n := &e.Nodes[c.node]
	f := &frame{outer: c.frame, vals: make([]value, e.size[c.node])}
	e.bind(f, n.X, arg)
	return n.A, f, at
}

// apply applies a value.
func (e *evaluator) apply(fn, arg value) value {
	switch c := fn.of.(type) {
	case *closure:
		return e.eval(e.enter(c, fn.at, arg))
	case *fixed:
		return e.apply(e.unfold(c, fn.at), arg)
	case *dual:
		return value{at: fn.at, of: &sum{[]summand{{c, application{fn.at, arg}}}}}
	case *list:
		arg = e.force(arg)
		e.step(rule.GC, arg.ready())
		return value{at: e.step(rule.Lambda, fn.at), of: &applied{c, arg}}
	case *applied:
		arg = e.force(arg)
		e.step(rule.GC, arg.ready())
		return e.fold(c, e.step(rule.Lambda, fn.at), arg)
	}
	panic(stop{fmt.Errorf("a value of type %T is applied", fn.of)})
}

// fold is the body f t1 (… (f tn x)) of a list or numeral, which exists at a time.
func (e *evaluator) fold(c *applied, at uint64, x value) value {
	l := c.list
	n := &e.Nodes[l.node]
	v := e.subst(x, at)
	for i := l.n; i > 0; i-- {
		fn := e.subst(c.f, at)
		switch n.Op {
		case term.ListOp:
			fn = e.apply(fn, e.eval(e.Children(n)[i-1], l.frame, at))
		case term.DataOp:
			fn = e.apply(fn, e.row(n, i-1, at))
		}
		v = e.apply(fn, v)
	}
	return v
}

// data is an occurrence of data.
func (e *evaluator) data(r term.Ref, at uint64) value {
	n := &e.Nodes[r]
	if d := &e.Data[n.A]; d.List {
		return value{at: at, of: &list{n: uint64(d.Rows), node: r}}
	}
	return e.row(n, 0, at)
}

// row is an element of data: a number or a vector of numbers r, or in D(t) of ⟨r, λa.0⃗⟩.
func (e *evaluator) row(n *term.Node, i uint64, at uint64) value {
	d, scalar := &e.Data[n.A], e.Types.Scalar(n.Elem)
	row := d.Values[i*uint64(d.Width):][:d.Width]
	vals := make([]value, len(row))
	for k, r := range row {
		vals[k] = value{at: at, num: r}
		if scalar != term.R {
			vals[k] = newPair(at, vals[k], value{at: at, of: null{}})
		}
	}
	return nest(at, vals)
}

// nest makes a vector: pairs nested to the right.
func nest(at uint64, vals []value) value {
	v := vals[len(vals)-1]
	for _, a := range slices.Backward(vals[:len(vals)-1]) {
		v = newPair(at, a, v)
	}
	return v
}

func (e *evaluator) vector(r term.Ref, f *frame, at uint64) value {
	kids := e.Children(&e.Nodes[r])
	vals := make([]value, len(kids))
	for i, k := range kids {
		vals[i] = e.eval(k, f, at)
	}
	if e.outputs > 0 && r == e.start.Seeds {
		e.backward(vals, f)
		return value{}
	}
	return nest(at, vals)
}

// function is (8) or (12).
func (e *evaluator) function(n *term.Node, f *frame, at uint64) value {
	by, kids := rule.Function, e.Children(n)
	if n.Sym == term.Mul {
		by = rule.Times
	}
	x := make([]float64, len(kids))
	last := uint64(0)
	for i, k := range kids {
		a := e.number(k, f, at)
		x[i], last = a.num, max(last, a.at)
	}
	return value{at: e.step(by, last), num: n.Sym.Eval(x...)}
}

// let evaluates u of t[x:=u].
func (e *evaluator) let(n *term.Node, f *frame, at uint64) {
	u := e.eval(n.B, f, at)
	switch {
	case e.Info(n.X).Linear:
		u = e.force(u)
		f.vals[e.slot[n.X]] = value{at: e.step(rule.Lin, max(at, u.at)), num: u.num}
	case e.free[n.X]:
		f.vals[e.slot[n.X]] = u
	default:
		e.bind(f, n.X, u)
	}
}

// takeApart binds xs to the parts of u: (2) for each pair.
func (e *evaluator) takeApart(xs []term.Var, f *frame, u value) {
	for _, x := range xs[:len(xs)-1] {
		at := e.step(rule.Pair, u.at)
		p := u.of.(*pair)
		e.bind(f, x, p.a.after(at))
		u = p.b.after(at)
	}
	e.bind(f, xs[len(xs)-1], u)
}
