package lang

import (
	"github.com/gram-machine/gram/lang/eval"
	"github.com/gram-machine/gram/lang/infer"
	"github.com/gram-machine/gram/lang/syntax"
	"github.com/gram-machine/gram/term"
)

// takeParts pops the last n results, in order, into core.args. It returns where
// they start, and whether all are values.
func (e *elaborator) takeParts(n int) (parts []val, off node, value bool) {
	parts = e.vals[len(e.vals)-n:]
	e.vals = e.vals[:len(e.vals)-n]
	off, value = node(len(e.core.args)), true
	for i := range parts {
		if e.tick() != nil {
			break
		}
		e.core.args = append(e.core.args, parts[i].node)
		value = value && e.core.nodes[parts[i].node].value
	}
	return parts, off, value
}

// same makes the types of the parts equal and returns it.
func (e *elaborator) same(parts []val, what string) infer.Type {
	if len(parts) == 0 {
		return e.tt.Open()
	}
	t := parts[0].typ
	for i := 1; i < len(parts) && e.tick() == nil; i++ {
		e.want(parts[i], t, reason{kind: sameReason, text: what})
	}
	return t
}

func (e *elaborator) tuple(x syntax.Expr) {
	n := len(e.kids(x))
	parts := e.vals[len(e.vals)-n:]
	e.vals = e.vals[:len(e.vals)-n]
	v := val{node: parts[n-1].node, typ: parts[n-1].typ}
	for i := n - 2; i >= 0; i-- {
		p := parts[i]
		value := e.core.nodes[p.node].value && e.core.nodes[v.node].value
		v.node = e.core.add(coreNode{op: pairCore, pos: e.at(e.expr(x).Span.Start), a: p.node, b: v.node, value: value})
		v.typ = e.tt.Prod(p.typ, v.typ)
	}
	v.span = e.span(x)
	v.head = v.span
	e.result(v)
}

func (e *elaborator) listLiteral(x syntax.Expr, n int) {
	parts, off, _ := e.takeParts(n)
	t := e.tt.List(e.same(parts, "the elements before it are"), e.tt.Open())
	e.finish(x, coreNode{op: listCore, a: off, b: off + node(n), typ: t, value: true}, t)
}

func (e *elaborator) vector(x syntax.Expr, n int) {
	parts, off, value := e.takeParts(n)
	t := e.tt.Vec(e.same(parts, "the components before it are"), e.tt.KnownSize(n))
	e.finish(x, coreNode{op: vecCore, a: off, b: off + node(n), value: value}, t)
}

// finish adds the node of x, of type t.
func (e *elaborator) finish(x syntax.Expr, n coreNode, t infer.Type) {
	n.pos = e.at(e.expr(x).Span.Start)
	span := e.span(x)
	e.result(val{e.core.add(n), t, span, span})
}

func (e *elaborator) branch(x syntax.Expr) {
	parts, off, _ := e.takeParts(4)
	n := e.expr(x)
	why := reason{kind: takesReason, text: n.Op.String()}
	e.want(parts[0], infer.R, why)
	e.want(parts[1], infer.R, why)
	e.want(parts[3], parts[2].typ, reason{kind: sameReason, text: "the other branch is"})
	c := coreNode{op: ifCore, a: off}
	switch n.Op {
	case syntax.LessTok:
		c.cmp = term.Less
	case syntax.LessEqTok:
		c.cmp = term.LessEqual
	case syntax.GreaterTok:
		c.cmp = term.Greater
	case syntax.GreaterEqTok:
		c.cmp = term.GreaterEqual
	}
	e.finish(x, c, parts[2].typ)
}

// comprehension starts vec, sum or list i < s -> body: the body is elaborated once
// for each index.
func (e *elaborator) comprehension(x syntax.Expr) {
	n, kids := e.expr(x), e.kids(x)
	late := e.values && !e.act().scope.Sized[e.act().unit.Refs[x].N]
	s, ok := e.natural(kids[0])
	if label := eval.VectorSize(s.n); ok && n.Op == syntax.VecTok && label != "" {
		e.reportHere(e.span(kids[0]), "not a size", label)
		ok = false
	}
	switch {
	case !ok:
		e.bad(e.span(x))
		return
	case late || s.late != 0:
		e.startLate(x, s)
		return
	case s.n > uint64(e.opt.MaxNodes):
		e.failed = e.tooLarge()
		return
	}
	e.comprehend(frame{op: compFrame, e: x, m: s.n})
}

// comprehend goes on with index f.i of f.m.
func (e *elaborator) comprehend(f frame) {
	if f.i < f.m {
		a := e.act()
		slot := a.base + int(a.unit.Refs[f.e].N)
		e.slots[slot] = binding{kind: indexBinding, num: float64(f.i)}
		e.work++
		f.i++
		e.push(f)
		e.pushEval(e.kids(f.e)[1])
		return
	}
	n := int(f.m)
	switch e.expr(f.e).Op {
	case syntax.VecTok:
		e.vector(f.e, n)
	case syntax.ListTok:
		e.listLiteral(f.e, n)
	default:
		e.sum(f.e, n)
	}
}

// startLate starts a comprehension of a default value: its body is elaborated once, and
// run for each index.
func (e *elaborator) startLate(x syntax.Expr, bound natural) {
	a := e.act()
	i := e.core.newVar(coreVar{name: e.expr(x).Text, typ: infer.R})
	e.slots[a.base+int(a.unit.Refs[x].N)] = binding{kind: lateBinding, x: i}
	e.push(frame{op: lateCompFrame, e: x, n: int(i), i: uint64(e.natNode(bound))})
	e.pushEval(e.kids(x)[1])
}

// endLate goes on when the body is there.
func (e *elaborator) endLate(f frame) {
	body := e.pop()
	op := e.expr(f.e).Op
	t := body.typ
	switch op {
	case syntax.VecTok:
		t = e.tt.Vec(t, e.tt.KnownSize(int(e.core.nodes[f.i].val)))
	case syntax.ListTok:
		t = e.tt.List(t, e.tt.Open())
	default:
		t = e.addends("sum", body)
	}
	e.finish(f.e, coreNode{op: comprehCore, x: variable(f.n), val: float64(op), a: node(f.i), b: body.node}, t)
	e.core.places[e.vals[len(e.vals)-1].node] = e.place(e.span(f.e))
}

// sum makes e0 + (e1 + …), or 0.
func (e *elaborator) sum(x syntax.Expr, n int) {
	if n == 0 {
		e.number(0, e.span(x))
		return
	}
	parts := e.vals[len(e.vals)-n:]
	e.vals = e.vals[:len(e.vals)-n]
	t := e.addends("sum", parts...)
	pos := e.at(e.expr(x).Span.Start)
	total := parts[n-1].node
	for i := n - 2; i >= 0 && e.tick() == nil; i-- {
		total = e.core.add(coreNode{op: addCore, pos: pos, a: parts[i].node, b: total})
	}
	e.result(val{total, t, e.span(x), e.span(x)})
}

// projection elaborates e.(i).(j)…: of a variable, an input or a data vector it is
// a path, which the lowering turns into a variable.
func (e *elaborator) projection(x syntax.Expr) {
	base := x
	count := 0
	for e.expr(base).Kind == syntax.ProjExpr {
		base = e.kids(base)[0]
		count++
	}
	index := make([]int, count)
	late := make([]node, count)
	exprs := make([]syntax.Expr, count)
	path := e.expr(base).Kind == syntax.NameExpr
	for i, p := count-1, x; i >= 0; i-- {
		kids := e.kids(p)
		n, ok := e.natural(kids[1])
		if !ok || n.n > 1<<31 {
			if ok {
				e.reportHere(e.span(kids[1]), "index out of range", "no vector has that many components")
			}
			e.bad(e.span(x))
			return
		}
		index[i], late[i], exprs[i] = int(n.n), n.late, p
		path = path && n.late == 0
		p = kids[0]
	}
	if path {
		b := e.meaning(base)
		switch b.kind {
		case varBinding, pathBinding, inputBinding, dataBinding:
			e.path(x, base, b, exprs, index)
			return
		}
	}
	for i := count - 1; i >= 0; i-- {
		if late[i] != 0 {
			e.push(frame{op: lateProjFrame, e: exprs[i], i: uint64(late[i])})
			continue
		}
		e.push(frame{op: projFrame, e: exprs[i], i: uint64(index[i])})
	}
	e.pushEval(base)
}

// component returns the type of component i of v, and whether there is one.
func (e *elaborator) component(x syntax.Expr, v val, i int) (infer.Type, bool) {
	elem, n, ok := e.components(v)
	return elem, ok && e.inRange(e.span(e.kids(x)[1]), n, i, v)
}

// components returns the type of the components of v, and how many there are, if v is a vector.
func (e *elaborator) components(v val) (elem infer.Type, n infer.Size, ok bool) {
	if t := e.tt.At(v.typ); t.Kind == infer.Vec {
		return t.A, infer.Size(t.N), true
	}
	elem, n = e.tt.Open(), e.tt.OpenSize()
	return elem, n, e.want(v, e.tt.Vec(elem, n), reason{kind: projReason})
}

// projectLate makes a projection whose index is known only in the run.
func (e *elaborator) projectLate(f frame) {
	v := e.pop()
	t, _, _ := e.components(v)
	e.finish(f.e, coreNode{op: componCore, a: v.node, b: node(f.i), typ: v.typ}, t)
	e.core.places[e.vals[len(e.vals)-1].node] = e.place(e.span(f.e))
}

// project makes a projection of an expression that is no variable.
func (e *elaborator) project(x syntax.Expr, i int) {
	v := e.pop()
	t, _ := e.component(x, v, i)
	e.finish(x, coreNode{op: projCore, a: v.node, val: float64(i), typ: v.typ}, t)
}

// path makes a projection of a variable, an input or data.
func (e *elaborator) path(x, base syntax.Expr, b binding, exprs []syntax.Expr, index []int) {
	v := val{span: e.span(base)}
	off := node(len(e.core.args))
	switch b.kind {
	case varBinding:
		v.typ = e.core.vars[b.x].typ
	case pathBinding:
		v.typ = b.typ
		e.core.args = append(e.core.args, e.core.args[b.off:b.n]...)
	case inputBinding:
		v.typ = b.typ
	case dataBinding:
		g := &e.globals[b.g]
		v.typ, b.x = g.typ, g.x
		if g.list {
			v.typ = e.tt.List(g.typ, e.tt.Open())
		}
	}
	for i, p := range exprs {
		t, ok := e.component(p, v, index[i])
		v.typ, v.span = t, e.span(p)
		if b.kind == inputBinding && ok {
			b.x += variable(index[i] * e.width(v.typ))
		}
		e.core.args = append(e.core.args, node(index[i]))
	}
	n := coreNode{op: pathCore, x: b.x, a: off, b: node(len(e.core.args)), value: true}
	if b.kind == inputBinding {
		e.core.args = e.core.args[:off]
		n = coreNode{op: inputCore, x: b.x, typ: v.typ, value: true}
		if e.tt.At(v.typ).Kind == infer.Real {
			n.op = varCore
		}
	}
	e.finish(x, n, v.typ)
}

// width is the number of scalars of the type of an input or of a component of one.
func (e *elaborator) width(t infer.Type) int {
	switch n := e.tt.At(t); n.Kind {
	case infer.Prod:
		return e.width(n.A) + e.width(n.B)
	case infer.Vec:
		return e.width(n.A) * e.tt.SizeAt(infer.Size(n.N)).N
	}
	return 1
}
