package lang

import (
	"github.com/gram-machine/gram/lang/infer"
	"github.com/gram-machine/gram/lang/resolve"
	"github.com/gram-machine/gram/lang/syntax"
	"github.com/gram-machine/gram/term"
)

// expand replaces a use of a def with n arguments by its right side.
//
// A parameter that is a plain name means its argument: an atom at every
// occurrence; a syntactic value where it stands, if it stands at most once; any
// other expression if it stands exactly once and is evaluated exactly once there.
// Otherwise the argument is bound by a let around the right side, and so it is for
// a parameter that is a pattern. Missing arguments are parameters of a λ.
//
// It returns the right side, with the number of its arguments. A recursive def is no expression: it returns its application.
func (e *elaborator) expand(g int, span syntax.Span, n int) (syntax.Expr, int, val) {
	def := &e.globals[g]
	decl := &def.unit.File.Decls[def.decl]
	if decl.Rec {
		return 0, 0, e.apply(e.defRec(def, span), n)
	}
	sc := &def.unit.Scopes[def.decl]
	e.work++
	e.acts = append(e.acts, activation{unit: def.unit, global: g, base: len(e.slots), scope: sc, use: span})
	e.slots = append(e.slots, make([]binding, sc.Slots)...)
	opens := len(e.opens)
	given := min(n, len(decl.Params))
	var missing resolve.Place
	if given < len(decl.Params) {
		missing = resolve.UnderFun
	}
	for i, p := range decl.Params {
		if i >= given {
			e.openFun(p)
			continue
		}
		e.parameter(p, e.takeArg(), missing)
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
func (e *elaborator) resultType(d *syntax.Decl) {
	if d.Type != 0 {
		e.finally(func(v val) val { return e.annotate(d.Type, v, "the result of "+d.Name+" is declared") })
	}
}

// takesMore reports whether further arguments of a def can become arguments of
// what its right side x applies.
func takesMore(f *syntax.File, x syntax.Expr) bool {
	switch f.Expr(x).Kind {
	case syntax.NameExpr, syntax.AppExpr, syntax.OpExpr:
		return true
	}
	return false
}

// parameter gives a parameter its argument.
func (e *elaborator) parameter(p syntax.Pat, b binding, missing resolve.Place) {
	f := e.act().unit.File
	name := f.Bare(p)
	switch f.Pat(name).Kind {
	case syntax.NamePat, syntax.WildPat:
	default:
		e.letPattern(p, b)
		return
	}
	var u resolve.Usage
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
func (e *elaborator) inPlace(b binding, u resolve.Usage, missing resolve.Place) bool {
	if e.core.nodes[b.val.node].value {
		return u.Count <= 1 && u.Where&resolve.InComp == 0
	}
	return u.Count == 1 && u.Where|missing == 0
}

// annotateAtom honours the annotations of a parameter whose argument is in place.
func (e *elaborator) annotateAtom(p syntax.Pat, b binding) binding {
	u := e.act().unit
	for u.File.Pat(p).Kind == syntax.AnnotPat {
		t := u.File.Pat(p).Type
		switch b.kind {
		case defBinding, primBinding, conBinding, dataBinding, churchBinding:
			// These have a type of their own at each occurrence.
			if _, ok := e.typeIn(u, t); ok {
				b.annot, b.unit = t, u
			}
		case badBinding:
		default:
			v := b.val
			if b.kind != nodeBinding {
				v = e.occurrence(b, b.span)
				e.core.drop(v.node)
			}
			e.checkAnnotation(u, t, v, paramAnnotation)
		}
		p = u.File.PatKids(p)[0]
	}
	return b
}

// letPattern binds a pattern to an argument by a let around what follows.
func (e *elaborator) letPattern(p syntax.Pat, b binding) {
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
func (e *elaborator) leave(v val, opens int, span syntax.Span) val {
	v = e.wrap(v, opens)
	v.span, v.head = span, span
	e.slots = e.slots[:e.act().base]
	e.acts = e.acts[:len(e.acts)-1]
	return v
}

type openKind uint8

const (
	openFun   openKind = iota // λx
	openLet                   // [x:=u]
	openTuple                 // [⟨x0,…⟩:=u]
	openVec                   // [⟦x0,…⟧:=u]
	openCon                   // match u with C ⟨x0,…⟩ → …, for the only constructor of a type
)

// opening is a binder that will be put around the expression under elaboration.
type opening struct {
	kind openKind
	x    variable // the first one
	n    int      // how many
	u    node     // 0: an occurrence of from
	from variable
	typ  infer.Type // openCon: of u
	pos  term.Pos
}

// wrap puts the openings from n on around v, the last one innermost.
func (e *elaborator) wrap(v val, n int) val {
	for i := len(e.opens) - 1; i >= n; i-- {
		o := &e.opens[i]
		c := coreNode{x: o.x, a: v.node, b: o.u, pos: o.pos}
		if o.kind != openFun && o.u == 0 {
			c.b = e.core.add(coreNode{op: varCore, x: o.from, pos: o.pos})
		}
		switch o.kind {
		case openFun:
			c.op, c.value = lamCore, true
			if e.core.vars[o.x].linear {
				v.typ = e.tt.Dual(v.typ)
			} else {
				v.typ = e.tt.Arrow(e.core.vars[o.x].typ, v.typ)
			}
		case openLet:
			c.op = letCore
		case openTuple:
			c.op, c.val = tupleCore, float64(o.n)
		case openVec:
			c.op, c.val = unvecCore, float64(o.n)
		case openCon:
			b := e.core.branches([]branch{{o.x, o.n, v.node}})
			c = coreNode{op: caseCore, val: 1, a: c.b, b: b, typ: o.typ, pos: o.pos}
		}
		v.node = e.core.add(c)
	}
	e.opens = e.opens[:n]
	return v
}
