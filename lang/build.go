package lang

import (
	"slices"

	"github.com/gram-machine/gram/lang/eval"
	"github.com/gram-machine/gram/lang/infer"
	"github.com/gram-machine/gram/lang/syntax"
	"github.com/gram-machine/gram/term"
)

// store adds the parts of a node to core.args. It returns where they start, and whether
// all are values.
func (e *elaborator) store(parts []val) (off node, value bool) {
	off, value = node(len(e.core.args)), true
	for i := range parts {
		e.tick()
		e.core.args = append(e.core.args, parts[i].node)
		value = value && e.core.nodes[parts[i].node].value
	}
	return off, value
}

// same makes the types of the parts equal and returns it.
func (e *elaborator) same(parts []val, what string) infer.Type {
	if len(parts) == 0 {
		return e.tt.Open()
	}
	t := parts[0].typ
	for i := 1; i < len(parts); i++ {
		e.tick()
		e.want(parts[i], t, reason{kind: sameReason, text: what})
	}
	return t
}

func (e *elaborator) tuple(x syntax.Expr, parts []val) val {
	last := len(parts) - 1
	v := val{node: parts[last].node, typ: parts[last].typ}
	for i := last - 1; i >= 0; i-- {
		p := parts[i]
		value := e.core.nodes[p.node].value && e.core.nodes[v.node].value
		v.node = e.core.add(coreNode{op: pairCore, pos: e.at(e.expr(x).Span.Start), a: p.node, b: v.node, value: value})
		v.typ = e.tt.Prod(p.typ, v.typ)
	}
	v.span = e.span(x)
	v.head = v.span
	return e.result(v)
}

func (e *elaborator) list(x syntax.Expr, parts []val) val {
	off, _ := e.store(parts)
	t := e.tt.List(e.same(parts, "the elements before it are"), e.tt.Open())
	return e.finish(x, coreNode{op: listCore, a: off, b: off + node(len(parts)), typ: t, value: true}, t)
}

func (e *elaborator) vector(x syntax.Expr, parts []val) val {
	off, value := e.store(parts)
	t := e.tt.Vec(e.same(parts, "the components before it are"), e.tt.KnownSize(len(parts)))
	return e.finish(x, coreNode{op: vecCore, a: off, b: off + node(len(parts)), value: value}, t)
}

// comparisons are the relations of conditionals.
var comparisons = map[syntax.Token]term.Compare{
	syntax.LessTok: term.Less, syntax.LessEqTok: term.LessEqual, syntax.GreaterTok: term.Greater, syntax.GreaterEqTok: term.GreaterEqual,
}

// condition is a c b, or the contrary of that.
type condition struct {
	op   syntax.Token
	a, b val
	not  bool
}

// compare makes a c b; a = b stands for same a b > 0.
func (e *elaborator) compare(op syntax.Token, at uint32, a, b val) condition {
	e.wantReal(reason{kind: takesReason, text: op.String()}, a, b)
	if op == syntax.EqTok {
		span := syntax.Span{Start: a.span.Start, End: b.span.End}
		a = e.add(coreNode{op: funCore, sym: term.Same, pos: e.at(at), a: a.node, b: b.node}, infer.R, span)
		return condition{op: syntax.GreaterTok, a: a, b: e.number(0, span)}
	}
	return condition{op: op, a: a, b: b}
}

// condition elaborates a condition. c and d stands for (if c then if d then 1 else 0 else 0) > 0, and so on.
func (e *elaborator) condition(x syntax.Expr) condition {
	n, kids := e.expr(x), e.kids(x)
	switch {
	case n.Kind == syntax.CompareExpr:
		a := e.eval(kids[0], 0)
		return e.compare(n.Op, n.OpPos, a, e.eval(kids[1], 0))
	case n.Kind != syntax.LogicExpr:
		return condition{op: syntax.GreaterTok, a: e.eval(x, 0), b: e.number(0, e.span(x))} // an error has been reported
	case len(kids) == 1:
		c := e.condition(kids[0])
		c.not = !c.not
		return c
	}
	c := e.condition(kids[0])
	other := e.number(1, e.span(x))
	if n.Text == "and" {
		e.core.nodes[other.node].val = 0
	}
	d := e.condition(kids[1])
	v := e.choose(kids[1], d, e.number(1, e.span(kids[1])), e.number(0, e.span(kids[1])))
	if n.Text == "and" {
		v = e.choose(x, c, v, other)
	} else {
		v = e.choose(x, c, other, v)
	}
	return condition{op: syntax.GreaterTok, a: v, b: e.number(0, e.span(x))}
}

// choose makes if c then yes else no, for x.
func (e *elaborator) choose(x syntax.Expr, c condition, yes, no val) val {
	if c.not {
		yes, no = no, yes
	}
	off, _ := e.store([]val{c.a, c.b, yes, no})
	return e.finish(x, coreNode{op: ifCore, val: float64(comparisons[c.op]), a: off}, yes.typ)
}

// branch makes a conditional.
func (e *elaborator) branch(x syntax.Expr) val {
	n, kids := e.expr(x), e.kids(x)
	var c condition
	if n.Op == syntax.EOF {
		c = e.condition(kids[0])
	} else {
		a := e.eval(kids[0], 0)
		c = e.compare(n.Op, n.OpPos, a, e.eval(kids[1], 0))
	}
	yes := e.eval(kids[len(kids)-2], 0)
	no := e.eval(kids[len(kids)-1], 0)
	e.want(no, yes.typ, reason{kind: sameReason, text: "the other branch is"})
	return e.choose(x, c, yes, no)
}

// comprehension makes vec, sum or list i < s -> body: the body is elaborated once for
// each index.
func (e *elaborator) comprehension(x syntax.Expr) val {
	n, kids, a := e.expr(x), e.kids(x), e.act()
	index := a.unit.Refs[x].N
	late := e.values && !a.scope.Sized[index]
	s, ok := e.natural(kids[0])
	if label := eval.VectorSize(s.n); ok && n.Op == syntax.VecTok && label != "" {
		e.reportHere(e.span(kids[0]), "not a size", label)
		ok = false
	}
	slot := a.base + int(index)
	switch {
	case !ok:
		return e.bad(e.span(x))
	case late || s.late != 0:
		return e.late(x, slot, e.natNode(s))
	case s.n > uint64(e.opt.MaxNodes):
		e.tooManyNodes()
	}
	if s.static != 0 || s.n > 1 && !a.scope.Sized[index] {
		if v, ok := e.family(x, slot, s); ok {
			return v
		}
	}
	if e.fam.inFamily() && s.static != 0 {
		e.giveUp()
	}
	parts := e.each(int(s.n), func(i int) val {
		e.slots[slot] = binding{kind: indexBinding, num: float64(i)}
		e.work++
		return e.eval(kids[1], 0)
	})
	switch n.Op {
	case syntax.VecTok:
		return e.vector(x, parts)
	case syntax.ListTok:
		return e.list(x, parts)
	}
	return e.sum(x, parts)
}

// late makes a comprehension of a default value: its body is elaborated once, and run
// for each index.
func (e *elaborator) late(x syntax.Expr, slot int, bound node) val {
	i := e.core.newVar(coreVar{name: e.expr(x).Text, typ: infer.R})
	e.slots[slot] = binding{kind: lateBinding, x: i}
	body := e.eval(e.kids(x)[1], 0)
	op := e.expr(x).Op
	var t infer.Type
	switch op {
	case syntax.VecTok:
		t = e.tt.Vec(body.typ, e.tt.KnownSize(int(e.core.nodes[bound].val)))
	case syntax.ListTok:
		t = e.tt.List(body.typ, e.tt.Open())
	default:
		t = e.addends("sum", body)
	}
	return e.placed(x, coreNode{op: comprehCore, x: i, val: float64(op), a: bound, b: body.node}, t)
}

// placed adds the node of x, of type t, which may fail when it is run.
func (e *elaborator) placed(x syntax.Expr, n coreNode, t infer.Type) val {
	v := e.finish(x, n, t)
	e.core.places[v.node] = e.place(e.span(x))
	return v
}

// sum adds the parts as [term.Sum] says, or makes 0.
func (e *elaborator) sum(x syntax.Expr, parts []val) val {
	if len(parts) == 0 {
		return e.number(0, e.span(x))
	}
	t := e.addends("sum", parts...)
	pos := e.at(e.expr(x).Span.Start)
	total := term.Sum(len(parts), func(i int) node { return parts[i].node }, func(a, b node) node {
		e.tick()
		return e.core.add(coreNode{op: addCore, pos: pos, a: a, b: b})
	})
	return e.result(val{total, t, e.span(x), e.span(x)})
}

// projection elaborates e.(i).(j)…: of a variable, an input or a data vector it is
// a path, which the lowering turns into a variable.
func (e *elaborator) projection(x syntax.Expr) val {
	type step struct {
		x syntax.Expr
		i natural
	}
	var steps []step // the last one first
	base, known := x, true
	for e.expr(base).Kind == syntax.ProjExpr {
		steps = append(steps, step{x: base})
		base = e.kids(base)[0]
	}
	for k := range steps {
		s := e.kids(steps[k].x)[1]
		i, ok := e.natural(s)
		if ok && i.n > 1<<31 {
			e.reportHere(e.span(s), "index out of range", "no vector has that many components")
			ok = false
		}
		if !ok {
			return e.bad(e.span(x))
		}
		steps[k].i = i
		known = known && i.late == 0
	}
	slices.Reverse(steps)
	if known && e.expr(base).Kind == syntax.NameExpr {
		b := e.meaning(base)
		switch b.kind {
		case varBinding, pathBinding, inputBinding, dataBinding:
			p := e.path(b, e.span(base))
			for _, s := range steps {
				p.project(e, s.x, s.i)
			}
			return p.finish(e, x)
		}
	}
	v := e.eval(base, 0)
	for _, s := range steps {
		if s.i.late != 0 {
			t, _, _ := e.components(v)
			v = e.placed(s.x, coreNode{op: componCore, a: v.node, b: s.i.late, typ: v.typ}, t)
			continue
		}
		t, _ := e.component(s.x, v, s.i)
		v = e.finish(s.x, coreNode{op: projCore, a: v.node, val: float64(s.i.n), x: variable(s.i.static), typ: v.typ}, t)
	}
	return v
}

// component returns the type of component i of v, and whether there is one.
func (e *elaborator) component(x syntax.Expr, v val, i natural) (infer.Type, bool) {
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

// path is a projection of a variable, an input or data.
type path struct {
	v     val
	x     variable
	off   node // its indices are core.args[off:]
	input bool
	// An input's scalar may be static: it is number at of the n scalars from x on.
	at term.Static
	n  int
}

// path starts with what b stands for, at span.
func (e *elaborator) path(b binding, span syntax.Span) *path {
	p := &path{v: val{typ: b.typ, span: span}, x: b.x, off: node(len(e.core.args)), input: b.kind == inputBinding}
	switch b.kind {
	case inputBinding:
		p.at, p.n = term.Static(b.off), int(b.n)
	case varBinding:
		p.v.typ = e.core.vars[b.x].typ
	case pathBinding:
		e.core.args = append(e.core.args, e.core.args[b.off:b.n]...)
	case dataBinding:
		p.v.typ, p.x = e.dataType(&e.globals[b.g]), e.globals[b.g].x
	}
	return p
}

// dataType is the type of an occurrence of data: each of a list has results of its own.
func (e *elaborator) dataType(g *global) infer.Type {
	t := g.typ
	if e.selects && !e.values {
		s := e.data[g.n].Shape
		if g.list {
			s = s.A
		}
		t = e.numbers.Data(g.n, s)
	}
	if g.list {
		return e.tt.List(t, e.tt.Open())
	}
	return t
}

// project takes component i, by the projection x.
func (p *path) project(e *elaborator, x syntax.Expr, i natural) {
	t, ok := e.component(x, p.v, i)
	if p.input && ok {
		p.within(e, i, t)
	}
	p.v.typ, p.v.span = t, e.span(x)
	e.core.args = append(e.core.args, stepOf(i))
}

// within goes to component i of an input, which is of type t.
func (p *path) within(e *elaborator, i natural, t infer.Type) {
	width := e.tt.Width(t)
	if i.static == 0 && p.at == 0 {
		p.x += variable(int(i.n) * width)
		return
	}
	at := e.arithmetic(syntax.StarTok, e.staticOf(i), e.static.number(float64(width)), naturals)
	if p.at == 0 {
		p.n = e.tt.Width(p.v.typ)
		p.at = at
		return
	}
	p.at = e.arithmetic(syntax.PlusTok, p.at, at, naturals)
}

// finish makes the node of the path x.
func (p *path) finish(e *elaborator, x syntax.Expr) val {
	n := coreNode{op: pathCore, x: p.x, a: p.off, b: node(len(e.core.args)), value: true}
	if p.input {
		e.core.args = e.core.args[:p.off]
		n = e.inputNode(p.x, node(p.at), node(p.n), p.v.typ)
	}
	return e.finish(x, n, p.v.typ)
}

// inputNode is an input, or a component of one, of type t: its first scalar is x, or number at, which is static, of the
// n scalars from x on.
func (e *elaborator) inputNode(x variable, at, n node, t infer.Type) coreNode {
	op := inputCore
	if e.tt.At(t).Kind == infer.Real {
		if at == 0 {
			return coreNode{op: varCore, x: x, typ: t, value: true}
		}
		op = componentCore
	}
	return coreNode{op: op, x: x, a: at, b: n, typ: t, value: true}
}
