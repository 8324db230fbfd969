package lang

import (
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
func (e *elaborator) same(parts []val, what string) typ {
	if len(parts) == 0 {
		return e.tt.open()
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
		v.typ = e.tt.prod(p.typ, v.typ)
	}
	v.span = e.span(x)
	v.head = v.span
	e.result(v)
}

func (e *elaborator) listLiteral(x syntax.Expr, n int) {
	parts, off, _ := e.takeParts(n)
	t := e.tt.list(e.same(parts, "the elements before it are"), e.tt.open())
	e.finish(x, coreNode{op: listCore, a: off, b: off + node(n), typ: t, value: true}, t)
}

func (e *elaborator) vector(x syntax.Expr, n int) {
	parts, off, value := e.takeParts(n)
	t := e.tt.vec(e.same(parts, "the components before it are"), e.tt.knownSize(n))
	e.finish(x, coreNode{op: vecCore, a: off, b: off + node(n), value: value}, t)
}

// finish adds the node of x, of type t.
func (e *elaborator) finish(x syntax.Expr, n coreNode, t typ) {
	n.pos = e.at(e.expr(x).Span.Start)
	span := e.span(x)
	e.result(val{e.core.add(n), t, span, span})
}

func (e *elaborator) branch(x syntax.Expr) {
	parts, off, _ := e.takeParts(4)
	n := e.expr(x)
	why := reason{kind: takesReason, text: n.Op.String()}
	e.want(parts[0], realT, why)
	e.want(parts[1], realT, why)
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
	s, ok := e.nat(kids[0])
	switch {
	case !ok:
		e.bad(e.span(x))
		return
	case n.Op == syntax.VecTok && s == 0:
		e.reportHere(e.span(kids[0]), "not a size", "this is 0, but a vector has at least one component")
		e.bad(e.span(x))
		return
	case s > uint64(e.opt.MaxNodes):
		e.failed = e.tooLarge()
		return
	}
	e.comprehend(frame{op: compFrame, e: x, m: s})
}

// comprehend goes on with index f.i of f.m.
func (e *elaborator) comprehend(f frame) {
	if f.i < f.m {
		a := e.act()
		slot := a.base + int(a.unit.refs[f.e].n)
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
	exprs := make([]syntax.Expr, count)
	for i, p := count-1, x; i >= 0; i-- {
		kids := e.kids(p)
		n, ok := e.nat(kids[1])
		if !ok || n > 1<<31 {
			if ok {
				e.reportHere(e.span(kids[1]), "index out of range", "no vector has that many components")
			}
			e.bad(e.span(x))
			return
		}
		index[i], exprs[i] = int(n), p
		p = kids[0]
	}
	if e.expr(base).Kind == syntax.NameExpr {
		b := e.meaning(base)
		switch b.kind {
		case varBinding, pathBinding, inputBinding, dataBinding:
			e.path(x, base, b, exprs, index)
			return
		}
	}
	for i := count - 1; i >= 0; i-- {
		e.push(frame{op: projFrame, e: exprs[i], i: uint64(index[i])})
	}
	e.pushEval(base)
}

// component returns the type of component i of v, and whether there is one.
func (e *elaborator) component(x syntax.Expr, v val, i int) (typ, bool) {
	n := e.tt.at(v.typ)
	if n.kind == openType {
		n.a = e.tt.open()
		t := e.tt.vec(n.a, e.tt.openSize())
		e.want(v, t, reason{kind: projReason})
		n = e.tt.at(t)
	}
	if n.kind != vecType {
		elem := e.tt.open()
		e.want(v, e.tt.vec(elem, e.tt.openSize()), reason{kind: projReason})
		return elem, false
	}
	return n.a, e.inRange(e.span(e.kids(x)[1]), size(n.n), i, v)
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
			v.typ = e.tt.list(g.typ, e.tt.open())
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
		if e.tt.at(v.typ).kind == realType {
			n.op = varCore
		}
	}
	e.finish(x, n, v.typ)
}

// width is the number of scalars of the type of an input or of a component of one.
func (e *elaborator) width(t typ) int {
	w := 0
	stack := []typ{t}
	factors := []int{1}
	for len(stack) > 0 {
		k := len(stack) - 1
		n, f := e.tt.at(stack[k]), factors[k]
		stack, factors = stack[:k], factors[:k]
		switch n.kind {
		case prodType:
			stack, factors = append(stack, n.a, n.b), append(factors, f, f)
		case vecType:
			stack, factors = append(stack, n.a), append(factors, f*e.tt.sizeAt(size(n.n)).n)
		default:
			w += f
		}
	}
	return w
}
