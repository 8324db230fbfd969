package elaborate

import (
	"github.com/gram-machine/gram/lang/syntax"
)

// expand replaces a use of a def with n arguments by its right side.
//
// A parameter that is a plain name means its argument: an atom at every occurrence; a syntactic value where it stands,
// if it stands at most once; any other expression if it stands exactly once and is evaluated exactly once there.
// Otherwise the argument is bound by a let around the right side, and so it is for a parameter that is a pattern.
// Missing arguments are parameters of a λ.
//
// It returns the right side, with the number of its arguments. A recursive def is no expression: it returns its
// application.
func (e *Elaborator) expand(g int, span syntax.Span, n int) (syntax.Expr, int, val) {
	def := &e.globals[g]
	decl := &def.unit.File.Decls[def.decl]
	if decl.Rec || n > 0 {
		e.expect = nil
	}
	if decl.Rec {
		return 0, 0, e.apply(e.defRec(def, span), n)
	}
	sc := &def.unit.Scopes[def.decl]
	e.work++
	e.activate(activation{unit: def.unit, global: g, scope: sc, use: span})
	opens := len(e.opens)
	given := min(n, len(decl.Params))
	var missing surroundings
	if given < len(decl.Params) {
		missing = underFun
	}
	for i, p := range decl.Params {
		if i >= given {
			e.openFun(p)
			continue
		}
		e.parameter(p, e.takeArg(), missing)
	}
	if len(decl.Params) > 0 {
		e.expect = nil
	}
	rest := n - given
	if rest > 0 && (decl.Type != 0 || !takesMore(def.unit.File, decl.Value)) {
		// The right side by itself is the function.
		e.applyTo(rest)
		rest = 0
	}
	e.finally(func(v val) val { return e.leave(v, opens, span) })
	e.resultType(decl)
	return decl.Value, rest, val{}
}

// resultType makes the value of the tail agree with the annotation of a def's result.
func (e *Elaborator) resultType(d *syntax.Decl) {
	if d.Type != 0 {
		e.finally(func(v val) val { return e.annotate(d.Type, v, "the result of "+d.Name+" is declared") })
	}
}

// takesMore reports whether further arguments of a def can become arguments of what its right side x applies.
func takesMore(f *syntax.File, x syntax.Expr) bool {
	switch f.Expr(x).Kind {
	case syntax.NameExpr, syntax.AppExpr, syntax.OpExpr:
		return true
	}
	return false
}

// parameter gives a parameter its argument.
func (e *Elaborator) parameter(p syntax.Pat, b binding, missing surroundings) {
	f := e.act().unit.File
	name := f.Bare(p)
	switch f.Pat(name).Kind {
	case syntax.NamePat, syntax.WildPat:
	default:
		e.letPattern(p, b)
		return
	}
	var u usage
	slot := -1
	if f.Pat(name).Kind == syntax.NamePat {
		s := e.act().unit.Slots[name]
		u = e.act().scope.Params[s]
		slot = e.act().base + int(s)
	}
	if b.kind == nodeBinding && !e.inPlace(b, u, missing) {
		e.letPattern(p, b)
		return
	}
	if name != p {
		b = e.annotateAtom(p, b)
	}
	if slot >= 0 {
		e.slots[slot] = b
	}
}

// inPlace tells whether an argument that is no atom may stand where the parameter does.
func (e *Elaborator) inPlace(b binding, u usage, missing surroundings) bool {
	if e.Core.Nodes[b.val.node].Value {
		return u.Count <= 1 && u.Where&inComp == 0
	}
	return u.Count == 1 && u.Where|missing == 0
}

// annotateAtom honours the annotations of a parameter whose argument is in place.
func (e *Elaborator) annotateAtom(p syntax.Pat, b binding) binding {
	u := e.act().unit
	for u.File.Pat(p).Kind == syntax.AnnotPat {
		t := u.File.Pat(p).Type
		switch {
		case b.ownTypes():
			if _, ok := e.typeIn(u, t); ok {
				b.annot, b.unit = t, u
			}
		case b.kind == badBinding:
		default:
			v := b.val
			if b.kind != nodeBinding {
				v = e.occurrence(b, b.span)
				e.Core.Drop(v.node)
			}
			e.checkAnnotation(u, t, v, paramAnnotation)
		}
		p = u.File.PatKids(p)[0]
	}
	return b
}

// letPattern binds a pattern to an argument by a let around what follows.
func (e *Elaborator) letPattern(p syntax.Pat, b binding) {
	switch b.kind {
	case nodeBinding:
		e.openLet(p, b.val)
	case defBinding, primBinding:
		e.reportHere(b.span, "type mismatch", "this is a function, but the parameter is a tuple or vector")
		e.openLet(p, e.occurrence(binding{}, b.span))
	default:
		e.openLet(p, e.occurrence(b, b.span))
	}
}

// leave ends an activation: the binders of its parameters are put around the result.
func (e *Elaborator) leave(v val, opens int, span syntax.Span) val {
	v = e.wrap(v, opens)
	v.span, v.head = span, span
	e.deactivate()
	return v
}

// activate starts an activation, whose slots come behind those that are there.
func (e *Elaborator) activate(a activation) {
	a.base = len(e.slots)
	a.outer, e.inner = e.inner, &a
	e.slots = append(e.slots, make([]binding, a.scope.Slots)...)
}

// deactivate ends the present activation.
func (e *Elaborator) deactivate() {
	e.slots = e.slots[:e.act().base]
	e.inner = e.inner.outer
}

// wrap puts the openings from n on around v, the last one innermost.
func (e *Elaborator) wrap(v val, n int) val {
	if n < len(e.opens) {
		v.node = e.Wrap(v.node, v.typ, e.opens[n:])
		v.typ = e.Core.Nodes[v.node].Type
	}
	e.opens = e.opens[:n]
	return v
}
