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
	gives := a
	if p == core.PrimAlong {
		b = e.Types.Open()
		gives = b
	}
	ok := e.want(f, e.Types.Arrow(a, b), why)
	for _, u := range args[1:] {
		ok = e.want(u, a, why) && ok
	}
	if ok {
		e.differentiable(a, x.span, p.Name()+" differentiates by")
		e.differentiable(b, f.span, p.Name()+" takes a function that gives")
	}
	off, _ := e.store(args)
	return e.add(core.Node{Op: core.DerivativeOp, Val: float64(p), Pos: core.PosOf(span), A: off,
		B: off + core.Ref(len(args))}, gives, span)
}

// differentiable leaves for the end the check that a type is built of R, products and vectors.
func (e *Elaborator) differentiable(t core.Type, span syntax.Span, what string) {
	sized := true
	var good func(t core.Type) bool
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
	e.atEnd(span, func(open bool) (headline, label string) {
		switch {
		case len(e.diags) > 0: // a type may be wrong because of an error
		case !good(t):
			return "no derivative", what + " numbers, products and vectors of numbers, not " + e.Types.Text().Of(t)
		case !sized && !open:
			return sizeNotKnown, "the size of this vector is not known: annotate it, as in (v : R^3)"
		}
		return "", ""
	})
}
