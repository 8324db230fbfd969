package elaborate

import (
	"slices"

	"github.com/gram-machine/gram/lang/core"
	"github.com/gram-machine/gram/lang/syntax"
	"github.com/gram-machine/gram/term"
)

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
	lams := make([]val, len(group))
	for i := range group {
		lams[i] = e.recursive(&group[i], f+core.Var(i), f)
	}
	off, _ := e.store(lams)
	n := core.Node{Op: core.FixOp, Pos: core.PosOf(span), X: f, A: off, B: off + core.Ref(len(lams)),
		Val: float64(member), Value: true}
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
		if t, ok := e.typeIn(e.act().unit, g.result); ok {
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
	why := reason{kind: annotReason, text: "where " + g.name + " is used in its own definition it gives"}
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
	unit, base, kids := e.act().unit, e.act().base, e.kids(x)
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
	values := make([]val, len(group))
	for i, g := range group {
		if refused {
			values[i] = e.bad(g.span)
		} else {
			values[i] = e.fix(group, i, g.span)
		}
	}
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
					e.slots[e.act().base+k] = e.bound(f + core.Var(k))
				}
			},
			leave: e.deactivate})
	}
	e.work++
	return e.fix(group, def.decl-from, span)
}
