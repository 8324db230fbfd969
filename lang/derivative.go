package lang

import (
	"errors"

	"github.com/gram-machine/gram/lang/infer"
	"github.com/gram-machine/gram/lang/syntax"
	"github.com/gram-machine/gram/revgrad"
	"github.com/gram-machine/gram/term"
)

// derivative makes jvp f x v, the derivative of f at x along v, or grad f x. The lowering differentiates the term of f.
func (e *elaborator) derivative(p prim, args [3]val, span syntax.Span) val {
	f, x := args[0], args[1]
	if e.values {
		e.reportHere(span, "derivative in a default value", "default values are computed without derivatives")
		return e.bad(span)
	}
	why := reason{kind: takesReason, text: p.name()}
	a, b := e.tt.Open(), infer.R
	n := coreNode{op: gradCore, pos: posOf(span), typ: a}
	parts := args[:2]
	if p == primAlong {
		b, n.op, parts = e.tt.Open(), alongCore, args[:3]
	}
	ok := e.want(f, e.tt.Arrow(a, b), why)
	for _, u := range parts[1:] {
		ok = e.want(u, a, why) && ok
	}
	if ok {
		e.pending = append(e.pending, pending{t: a, index: differentiable, span: x.span, what: p.name() + " differentiates by", notes: e.chain(4)},
			pending{t: b, index: differentiable, span: f.span, what: p.name() + " takes a function that gives", notes: e.chain(4)})
	}
	n.a, _ = e.store(parts)
	if p == primGrad {
		return e.add(n, a, span)
	}
	return e.add(n, b, span)
}

// settleDifferentiable checks that a type is built of R, products and vectors.
func (e *elaborator) settleDifferentiable(p pending, open bool) {
	var good func(t infer.Type) bool
	sized := true
	good = func(t infer.Type) bool {
		switch n := e.tt.At(t); n.Kind {
		case infer.Prod:
			return good(n.A) && good(n.B)
		case infer.Vec:
			sized = sized && e.tt.SizeAt(infer.Size(n.N)).Known
			return good(n.A)
		case infer.Real, infer.Open:
			return true
		}
		return false
	}
	switch {
	case len(e.diags) > 0: // a type may be wrong because of an error
	case !good(p.t):
		e.report(e.user, p.span, "no derivative", p.what+" numbers, products and vectors of numbers, not "+e.tt.Text().Of(p.t), p.notes...)
	case !sized && !open:
		e.report(e.user, p.span, "size not known", "the size of this vector is not known: annotate it, as in (v : R^3)", p.notes...)
	}
}

// findLets finds what lets bind functions to, if there are derivatives.
func (l *lowering) findLets(live []bool) {
	lets, derivatives := map[variable]node{}, false
	for _, d := range l.e.defs {
		if d.u != 0 {
			lets[d.x] = d.u
		}
	}
	for r := range l.c.nodes {
		switch n := &l.c.nodes[r]; {
		case !live[r]:
		case n.op == letCore:
			lets[n.x] = n.b
		case n.op == alongCore, n.op == gradCore:
			derivatives = true
		}
	}
	if !derivatives {
		return
	}
	l.lets = map[term.Var]node{}
	for x, u := range lets {
		if l.e.tt.ValueShape(l.c.vars[x].typ) == nil {
			l.lets[l.bind(x)] = u
		}
	}
}

// derivative makes the derivative of a function whose term has been made.
func (l *lowering) derivative(n *coreNode) (r term.Ref) {
	t, fam := l.t, &l.e.fam
	t.Indices, t.Statics = fam.indices, fam.statics
	d := revgrad.Derivatives{Term: t, Bound: func(x term.Var) term.Ref { return l.refs[l.lets[x]] }, Check: l.e.opt.Check}
	a, k := l.typ(n.typ), l.c.args[n.a:]
	var err error
	if n.op == alongCore {
		r, err = d.Along(n.pos, a, l.refs[k[0]], l.refs[k[1]], l.refs[k[2]])
	} else {
		r, err = d.Gradient(n.pos, a, l.refs[k[0]], l.refs[k[1]])
	}
	fam.indices, fam.statics = t.Indices, t.Statics
	for len(fam.bounds) < len(fam.indices) {
		fam.bounds = append(fam.bounds, 0)
	}
	var free *revgrad.FreeFunctionError
	var undefined *revgrad.UndefinedError
	switch {
	case errors.As(err, &free):
		l.noDerivative(free.Pos, n.pos, "the definition of "+t.Info(free.Var).Name+" is not known here: a function that is differentiated may only use functions that def or let binds")
	case errors.As(err, &undefined):
		l.noDerivative(undefined.Pos, n.pos, "no derivative is defined for "+undefined.What)
	case err != nil:
		syntax.Abort(err)
	}
	return r
}

// noDerivative reports what can't be differentiated: at pos or, if that is nowhere, at the use of jvp or grad.
func (l *lowering) noDerivative(pos, use term.Pos, label string) {
	if pos == 0 {
		pos = use
	}
	l.e.report(l.e.user, wordAt(l.e.user.File, pos), "no derivative", label)
}
