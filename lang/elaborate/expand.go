package elaborate

import (
	"slices"

	"github.com/gram-machine/gram/lang/core"
	"github.com/gram-machine/gram/lang/syntax"
	"github.com/gram-machine/gram/term"
)

// expand replaces a use of a def with n arguments by its right side, as the documentation of the package says. It
// returns the right side, with the number of its arguments. A recursive def is no expression: it returns its
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
		e.parameter(p, syntax.Pop(&e.args), missing)
	}
	if len(decl.Params) > 0 {
		e.expect = nil
	}
	rest := n - given
	passesOn := []syntax.ExprKind{syntax.NameExpr, syntax.AppExpr, syntax.OpExpr}
	if decl.Type != 0 || !slices.Contains(passesOn, def.unit.File.Expr(decl.Value).Kind) {
		// The right side by itself is the function.
		e.applyTo(rest)
		rest = 0
	}
	e.finally(func(v val) val {
		v = e.wrap(v, opens) // the binders of the parameters
		v.span, v.head = span, span
		e.deactivate()
		return v
	})
	e.resultType(decl)
	return decl.Value, rest, val{}
}

// resultType makes the value of the tail agree with the annotation of a def's result.
func (e *Elaborator) resultType(d *syntax.Decl) {
	if d.Type != 0 {
		e.finally(func(v val) val { return e.annotate(e.act.unit, d.Type, v, "the result of "+d.Name+" is declared") })
	}
}

// parameter gives a parameter its argument.
func (e *Elaborator) parameter(p syntax.Pat, b binding, missing surroundings) {
	if e.takesApart(p) {
		e.letPattern(p, b)
		return
	}
	f := e.act.unit.File
	name := f.Bare(p)
	var u usage
	slot := -1
	if f.Pat(name).Kind == syntax.NamePat {
		s := e.act.unit.Slots[name]
		u = e.act.scope.Params[s]
		slot = e.act.base + int(s)
	}
	if b.kind == nodeBinding && !e.inPlace(b, u, missing) {
		e.letPattern(p, b)
		if slot >= 0 {
			e.slots[slot].static, e.slots[slot].node.Val = b.static, b.node.Val
		}
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
	u := e.act.unit
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
			e.annotate(u, t, v, paramAnnotation)
		}
		p = u.File.PatKids(p)[0]
	}
	return b
}

// letPattern binds a pattern to an argument by a let around what follows.
func (e *Elaborator) letPattern(p syntax.Pat, b binding) {
	if b.kind == defBinding || b.kind == primBinding {
		e.reportHere(b.span, "type mismatch", "this is a function, but the parameter is a tuple or vector")
		b = binding{span: b.span}
	}
	e.openLet(p, e.occurrence(b, b.span))
}

// activate starts an activation, whose slots come behind those that are there.
func (e *Elaborator) activate(a activation) {
	a.base = len(e.slots)
	a.outer, e.act = e.act, &a
	e.slots = append(e.slots, make([]binding, a.scope.Slots)...)
}

func (e *Elaborator) deactivate() {
	e.slots = e.slots[:e.act.base]
	e.act = e.act.outer
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

// function is one of the functions that def rec or let rec defines together.
type function struct {
	name   string
	span   syntax.Span // of the name
	pos    term.Pos
	params []syntax.Pat
	value  syntax.Expr
	result syntax.TypeExpr // 0 if it is not written
	// enter starts the elaboration of the function, in which those of the group are the variables from f on, and leave
	// ends it.
	enter func(f core.Var)
	leave func()
}

// fix makes the member of functions that are defined together.
func (e *Elaborator) fix(group []function, member int, span syntax.Span) val {
	f := core.Var(len(e.Core.Vars))
	for _, g := range group {
		e.Core.NewVar(core.VarInfo{Name: g.name, Type: e.Types.Open(), Pos: g.pos})
	}
	lams := syntax.Each(len(group), func(i int) val { return e.recursive(&group[i], f+core.Var(i), f) })
	from, to, _ := e.store(lams)
	n := core.Node{Op: core.FixOp, Pos: core.PosOf(span), X: f, A: from, B: to, Val: float64(member), Value: true}
	return e.add(n, e.Core.Vars[f+core.Var(member)].Type, span)
}

// recursive elaborates the function x, one of those from f on.
func (e *Elaborator) recursive(g *function, x, f core.Var) val {
	g.enter(f)
	defer g.leave()
	opens := len(e.opens)
	for _, p := range g.params {
		e.openFun(p)
	}
	// The recursive uses know what the annotations say.
	r := e.Types.Open()
	if g.result != 0 {
		if t, ok := e.typeIn(e.act.unit, g.result); ok {
			r = t
		}
	}
	t := r
	for _, o := range slices.Backward(e.opens[opens:]) {
		if o.Op == core.LamOp {
			t = e.Types.Arrow(e.Core.Vars[o.X].Type, t)
		}
	}
	e.Types.Unify(e.Core.Vars[x].Type, t)
	v := e.eval(g.value, 0)
	why := reason{text: "where " + g.name + " is used in its own definition it gives"}
	if g.result != 0 {
		why.text = "the result of " + g.name + " is declared"
	}
	e.want(v, r, why)
	v = e.wrap(v, opens)
	if n := &e.Core.Nodes[v.node]; n.Op != core.BadOp && (n.Op != core.LamOp || e.Core.Vars[n.X].Linear) {
		e.reportHere(g.span, "not a function",
			"`rec` defines functions; "+g.name+" has no parameter, and its value is not written as `fun`")
	}
	return v
}

// letRec opens let rec f p … = e and … in body, whose body it returns. Each function has a copy of the group. A body
// that only names one of the functions is that function: this is how a function without a name is printed.
func (e *Elaborator) letRec(x syntax.Expr) (syntax.Expr, val) {
	unit, base, kids := e.act.unit, e.act.base, e.kids(x)
	body := kids[len(kids)-1]
	var group []function
	name := func(i int) syntax.Pat { return unit.File.Pats(kids[i])[0] }
	enter := func(f core.Var) {
		for i := range group {
			e.slots[base+int(unit.Slots[name(i)])] = e.bound(f + core.Var(i))
		}
	}
	for i, b := range kids[:len(kids)-1] {
		n := unit.File.Pat(name(i))
		g := function{name: n.Text, span: e.patSpan(name(i)), pos: e.at(n.Span.Start), params: unit.File.Pats(b)[1:],
			value: unit.File.Kids(b)[0],
			enter: enter, leave: func() {}}
		if v := unit.File.Expr(g.value); v.Kind == syntax.AnnotExpr {
			g.value, g.result = unit.File.Kids(g.value)[0], v.Type
		}
		group = append(group, g)
	}
	refused := e.refused(e.span(x), "let rec")
	if r := unit.Refs[body]; r.Kind == localRef && !refused && unit.File.Expr(body).Kind == syntax.NameExpr {
		for i, g := range group {
			if unit.Slots[name(i)] == r.N {
				return 0, e.fix(group, i, g.span)
			}
		}
	}
	e.wrapped()
	values := syntax.Each(len(group), func(i int) val {
		if refused {
			return e.bad(group[i].span)
		}
		return e.fix(group, i, group[i].span)
	})
	for i, v := range values {
		e.openLet(name(i), v)
	}
	return body, val{}
}

// defRec makes a def rec where it is used.
func (e *Elaborator) defRec(def *global, span syntax.Span) val {
	if e.refused(span, "recursive function") {
		return e.bad(span)
	}
	from, to := def.unit.File.Group(def.decl)
	var group []function
	for i := from; i < to; i++ {
		d := &def.unit.File.Decls[i]
		group = append(group, function{name: d.Name, span: d.NameSpan, pos: core.PosOf(d.NameSpan), params: d.Params,
			value: d.Value, result: d.Type,
			enter: func(f core.Var) {
				e.activate(activation{unit: def.unit, global: e.declared[i], scope: &def.unit.Scopes[i], use: span})
				for k := range to - from {
					e.slots[e.act.base+k] = e.bound(f + core.Var(k))
				}
			},
			leave: e.deactivate})
	}
	e.work++
	return e.fix(group, def.decl-from, span)
}
