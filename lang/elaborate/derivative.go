package elaborate

import (
	"github.com/gram-machine/gram/lang/core"
	"github.com/gram-machine/gram/lang/syntax"
)

// derivative makes jvp f x v, the derivative of f at x along v, or grad f x. The lowering differentiates the term of f.
func (e *Elaborator) derivative(p core.Prim, args []val, span syntax.Span) val {
	f, x := args[0], args[1]
	if e.values {
		e.reportHere(span, "derivative in a default value", "default values are computed without derivatives")
		return e.bad(span)
	}
	why := reason{kind: takesReason, text: p.Name()}
	a, b := e.Types.Open(), core.R
	n := core.Node{Op: core.GradOp, Pos: core.PosOf(span), Type: a}
	parts := args
	if p == core.PrimAlong {
		b, n.Op = e.Types.Open(), core.AlongOp
	}
	ok := e.want(f, e.Types.Arrow(a, b), why)
	for _, u := range parts[1:] {
		ok = e.want(u, a, why) && ok
	}
	if ok {
		e.pending = append(e.pending,
			pending{t: a, index: differentiable, span: x.span, what: p.Name() + " differentiates by",
				notes: e.chain(4)},
			pending{t: b, index: differentiable, span: f.span, what: p.Name() + " takes a function that gives",
				notes: e.chain(4)})
	}
	n.A, _ = e.store(parts)
	if p == core.PrimGrad {
		return e.add(n, a, span)
	}
	return e.add(n, b, span)
}

// settleDifferentiable checks that a type is built of R, products and vectors.
func (e *Elaborator) settleDifferentiable(p pending, open bool) {
	var good func(t core.Type) bool
	sized := true
	good = func(t core.Type) bool {
		switch n := e.Types.At(t); n.Kind {
		case core.Prod:
			return good(n.A) && good(n.B)
		case core.Vec:
			sized = sized && e.Types.SizeAt(core.Size(n.N)).Known
			return good(n.A)
		case core.Real, core.Open:
			return true
		}
		return false
	}
	switch {
	case len(e.diags) > 0: // a type may be wrong because of an error
	case !good(p.t):
		e.report(e.user, p.span, "no derivative",
			p.what+" numbers, products and vectors of numbers, not "+e.Types.Text().Of(p.t), p.notes...)
	case !sized && !open:
		e.report(e.user, p.span, "size not known", "the size of this vector is not known: annotate it, as in (v : R^3)",
			p.notes...)
	}
}
