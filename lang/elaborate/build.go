package elaborate

import (
	"slices"

	"github.com/gram-machine/gram/lang/core"
	"github.com/gram-machine/gram/lang/syntax"
	"github.com/gram-machine/gram/term"
)

// store adds the parts of a node to core.args. It returns what delimits them, and whether all are values.
func (e *Elaborator) store(parts []val) (from, to core.Ref, value bool) {
	from, value = core.Ref(len(e.Core.Args)), true
	for i := range parts {
		e.Tick()
		e.Core.Args = append(e.Core.Args, parts[i].node)
		value = value && e.Core.Nodes[parts[i].node].Value
	}
	return from, core.Ref(len(e.Core.Args)), value
}

// same makes the types of the parts equal and returns it.
func (e *Elaborator) same(parts []val, what string) core.Type {
	if len(parts) == 0 {
		return e.Types.Open()
	}
	t := parts[0].typ
	for i := 1; i < len(parts); i++ {
		e.Tick()
		e.want(parts[i], t, reason{text: what})
	}
	return t
}

func (e *Elaborator) tuple(x syntax.Expr, parts []val) val {
	last := len(parts) - 1
	v := val{node: parts[last].node, typ: parts[last].typ}
	for i := last - 1; i >= 0; i-- {
		p := parts[i]
		value := e.Core.Nodes[p.node].Value && e.Core.Nodes[v.node].Value
		v.typ = e.Types.Prod(p.typ, v.typ)
		v.node = e.Core.Add(core.Node{Op: core.PairOp, Pos: e.at(e.expr(x).Span.Start), A: p.node, B: v.node, Type: v.typ,
			Value: value})
	}
	v.span = e.span(x)
	v.head = v.span
	return e.result(v)
}

func (e *Elaborator) list(x syntax.Expr, parts []val) val {
	from, to, _ := e.store(parts)
	t := e.Types.List(e.same(parts, "the elements before it are"), e.Types.Open())
	return e.finish(x, core.Node{Op: core.ListOp, A: from, B: to, Value: true}, t)
}

func (e *Elaborator) vector(x syntax.Expr, parts []val) val {
	from, to, value := e.store(parts)
	t := e.Types.Vec(e.same(parts, "the components before it are"), e.Types.KnownSize(len(parts)))
	return e.finish(x, core.Node{Op: core.VecOp, A: from, B: to, Value: value}, t)
}

// comparisons are the relations of conditionals.
var comparisons = map[syntax.Token]term.Compare{
	syntax.LessTok: term.Less, syntax.LessEqTok: term.LessEqual, syntax.GreaterTok: term.Greater,
	syntax.GreaterEqTok: term.GreaterEqual,
}

// condition is a c b, or the contrary of that. What it says of static numbers where it is true is in yes, and where it
// is false in no.
type condition struct {
	op      syntax.Token
	a, b    val
	not     bool
	yes, no []fact
}

// compare makes a c b; a = b stands for same a b > 0.
func (e *Elaborator) compare(op syntax.Token, at uint32, a, b val) condition {
	e.wantReal(reason{kind: takesReason, text: op.String()}, a, b)
	c := condition{op: op, a: a, b: b}
	if op == syntax.EqTok {
		span := syntax.Span{Start: a.span.Start, End: b.span.End}
		a = e.add(core.Node{Op: core.FunOp, Sym: term.Same, Pos: e.at(at), A: a.node, B: b.node}, core.R, span)
		c.op, c.a, c.b = syntax.GreaterTok, a, e.number(0, span)
	}
	return c
}

// condition elaborates a condition. c and d stands for (if c then if d then 1 else 0 else 0) > 0, and so on.
func (e *Elaborator) condition(x syntax.Expr) condition {
	n, kids := e.expr(x), e.kids(x)
	switch {
	case n.Kind == syntax.CompareExpr:
		a := e.eval(kids[0], 0)
		b := e.eval(kids[1], 0)
		c := e.compare(n.Op, n.OpPos, a, b)
		if p, q := e.static(kids[0], a.node), e.static(kids[1], b.node); p != 0 && q != 0 {
			c.yes, c.no = []fact{{{n.Op, p, q, true}}}, []fact{{{n.Op, p, q, false}}}
		}
		return c
	case len(kids) == 1:
		c := e.condition(kids[0])
		c.not, c.yes, c.no = !c.not, c.no, c.yes
		return c
	}
	c, and := e.condition(kids[0]), n.Text == "and"
	other, where := e.number(1, e.span(x)), c.no
	if and {
		e.Core.Nodes[other.node].Val, where = 0, c.yes
	}
	var d condition
	e.knowing(where, func() { d = e.condition(kids[1]) })
	v := e.choose(kids[1], d, e.number(1, e.span(kids[1])), e.number(0, e.span(kids[1])))
	out := condition{op: syntax.GreaterTok}
	if and {
		out.a, out.yes, out.no = e.choose(x, c, v, other), slices.Concat(c.yes, d.yes), either(c.no, d.no)
	} else {
		out.a, out.yes, out.no = e.choose(x, c, other, v), either(c.yes, d.yes), slices.Concat(c.no, d.no)
	}
	out.b = e.number(0, e.span(x))
	return out
}

// choose makes if c then yes else no, for x.
func (e *Elaborator) choose(x syntax.Expr, c condition, yes, no val) val {
	if c.not {
		yes, no = no, yes
	}
	from, to, _ := e.store([]val{c.a, c.b, yes, no})
	return e.finish(x, core.Node{Op: core.IfOp, Val: float64(comparisons[c.op]), A: from, B: to}, yes.typ)
}

func (e *Elaborator) branch(x syntax.Expr) val {
	kids := e.kids(x)
	if v, ok := e.part(kids); ok {
		return v
	}
	c := e.condition(kids[0])
	var yes, no val
	e.knowing(c.yes, func() { yes = e.eval(kids[1], 0) })
	e.knowing(c.no, func() { no = e.eval(kids[2], 0) })
	e.want(no, yes.typ, reason{text: "the other branch is"})
	return e.choose(x, c, yes, no)
}

// part is the branch that concat of the prelude takes for an index of its comprehension, which is elaborated for each.
func (e *Elaborator) part(kids []syntax.Expr) (v val, ok bool) {
	of := e.kids(kids[0])
	if !e.act.unit.Prelude || e.values || e.expr(kids[0]).Kind != syntax.CompareExpr ||
		e.expr(of[0]).Kind != syntax.NameExpr {
		return val{}, false
	}
	i := e.meaning(of[0])
	if !i.index {
		return val{}, false
	}
	switch n, _ := e.nat(e.act.unit, of[1]); {
	case i.is(core.StaticOp):
		e.giveUpAt(term.Static(i.node.X))
		return e.bad(e.span(kids[0])), true
	case holds(e.expr(kids[0]).Op, i.node.Val, float64(n)):
		return e.eval(kids[1], 0), true
	}
	return e.eval(kids[2], 0), true
}

// comprehension makes vec, sum or list i < s -> body: the body is elaborated once for each index.
func (e *Elaborator) comprehension(x syntax.Expr) val {
	n, kids := e.expr(x), e.kids(x)
	s, slot, ok := e.indexBound(x, n.Op == syntax.VecTok)
	if !ok {
		return e.bad(e.span(x))
	}
	v, ok := e.overIndex(x, slot, s, func(i term.Index, bound term.Static) (core.Node, core.Type) {
		body := e.eval(kids[1], 0)
		f := core.Node{Op: core.FamilyOp, X: core.Var(i), Val: float64(n.Op), A: core.Ref(bound), B: body.node,
			Value: n.Op == syntax.ListTok || n.Op == syntax.VecTok && e.Core.Nodes[body.node].Value}
		return f, e.comprehended(n.Op, body, int(s.n))
	})
	if ok {
		return v
	}
	var parts []val
	for i := range int(s.n) {
		e.setIndex(slot, i)
		e.work++
		parts = append(parts, e.eval(kids[1], 0))
		if len(e.reported) > 0 && i >= enoughIndices { // there is no term, and the others have the same errors
			return e.bad(e.span(x))
		}
	}
	switch n.Op {
	case syntax.VecTok:
		return e.vector(x, parts)
	case syntax.ListTok:
		return e.list(x, parts)
	}
	return e.sum(x, parts)
}

// indexBound is the bound of the index of x, and the slot of that. If it is the size of a vector, it has to be known.
func (e *Elaborator) indexBound(x syntax.Expr, size bool) (s natural, slot int, ok bool) {
	bound := e.kids(x)[0]
	s, ok = e.natural(e.act.unit, bound)
	if ok && size && s.static != 0 {
		e.giveUp()
		return s, 0, false
	}
	return s, e.act.base + int(e.act.unit.Refs[x].N), ok && !(size && !e.isSize(s.n, e.span(bound)))
}

// enoughIndices is for how many indices an expression of a program with errors is elaborated, to find those of each.
const enoughIndices = 16

// setIndex makes i the value of the index in slot.
func (e *Elaborator) setIndex(slot, i int) {
	e.slots[slot] = numeral(float64(i))
	e.slots[slot].index = true
}

// overIndex makes the comprehension or scan x one node, which node makes with its type: it elaborates the body once.
// That of a default value is run for each index. If the body has to be elaborated for each index, ok is false.
func (e *Elaborator) overIndex(x syntax.Expr, slot int, s natural,
	node func(i term.Index, bound term.Static) (core.Node, core.Type)) (v val, ok bool) {
	sized := e.act.scope.Sized[e.act.unit.Refs[x].N]
	switch {
	case e.values && (s.static != 0 || !sized):
		n, t := node(e.index(x, slot, s))
		return e.placed(e.finish(x, n, t)), true
	case s.n > uint64(e.opt.MaxNodes):
		e.TooManyNodes()
		return e.bad(e.span(x)), true
	case s.static != 0 || s.n > 1 && !sized:
		v, ok = e.family(x, slot, s, node)
	}
	if !ok && s.static != 0 {
		e.giveUp()
	}
	return v, ok
}

// index makes the index of x, which is below s, in slot.
func (e *Elaborator) index(x syntax.Expr, slot int, s natural) (i term.Index, bound term.Static) {
	bound = e.staticOf(s)
	i, is := e.Static.NewIndex(e.expr(x).Text, e.at(e.expr(x).Span.Start), bound)
	e.slots[slot] = binding{kind: atomBinding, node: core.Node{Op: core.StaticOp, X: core.Var(is), Type: core.R},
		index: true}
	return i, bound
}

// comprehended is the type of vec, sum or list over a body, vec with so many components.
func (e *Elaborator) comprehended(op syntax.Token, body val, size int) core.Type {
	switch op {
	case syntax.VecTok:
		return e.Types.Vec(body.typ, e.Types.KnownSize(size))
	case syntax.ListTok:
		return e.Types.List(body.typ, e.Types.Open())
	}
	return e.addends("sum", body)
}

// placed notes where v stands, if it is of a default value: it may fail when it is run.
func (e *Elaborator) placed(v val) val {
	if e.values {
		e.Core.Places[v.node] = e.place(v.span)
	}
	return v
}

// sum adds the parts as [term.Sum] says, or makes 0.
func (e *Elaborator) sum(x syntax.Expr, parts []val) val {
	if len(parts) == 0 {
		return e.number(0, e.span(x))
	}
	t := e.addends("sum", parts...)
	pos := e.at(e.expr(x).Span.Start)
	total := term.Sum(len(parts), func(i int) core.Ref { return parts[i].node }, func(a, b core.Ref) core.Ref {
		e.Tick()
		return e.Core.Add(core.Node{Op: core.FunOp, Pos: pos, A: a, B: b, Type: t})
	})
	return e.result(val{total, t, e.span(x), e.span(x)})
}

// projection elaborates e.(i).(j)…: of a variable, an input or a data vector it is
// a path, which the lowering turns into a variable.
func (e *Elaborator) projection(x syntax.Expr) val {
	spine, base := e.act.unit.File.Spine(x, syntax.ProjExpr)
	steps, known := make([]projection, len(spine)), true // the last one first
	for k, of := range spine {
		s := e.kids(of)[1]
		errors := len(e.diags)
		i, ok := e.natural(e.act.unit, s)
		if b := e.meaning(s); len(steps) == 1 && b.is(core.VarOp) {
			e.suggest(errors, "a component that a number of data selects is written `pick "+
				e.headText(e.expr(base).Span)+" "+e.expr(s).Text+"`")
		}
		if ok && i.n > 1<<31 {
			e.reportHere(e.span(s), "index out of range", "no vector has that many components")
			ok = false
		}
		if !ok {
			return e.bad(e.span(x))
		}
		steps[k] = projection{of, i}
		known = known && !(e.values && i.static != 0)
	}
	slices.Reverse(steps)
	if known && e.expr(base).Kind == syntax.NameExpr {
		b := e.meaning(base)
		if b.is(core.VarOp) || b.is(core.PathOp) || b.is(core.InputOp) || b.is(core.DataOp) {
			return e.path(b, e.span(base), steps)
		}
	}
	v := e.eval(base, 0)
	for _, s := range steps {
		n := core.Node{Op: core.ProjOp, A: v.node, Val: float64(s.i.n), X: core.Var(s.i.static)}
		if e.values && s.i.static != 0 {
			t, _, _ := e.components(v)
			v = e.placed(e.finish(s.x, n, t))
			continue
		}
		t, _ := e.component(s.x, v, &s.i)
		n.Val, n.X = float64(s.i.n), core.Var(s.i.static)
		v = e.finish(s.x, n, t)
	}
	return v
}

// component returns the type of component i of v, and whether there is one; see [Elaborator.inRange].
func (e *Elaborator) component(x syntax.Expr, v val, i *natural) (core.Type, bool) {
	elem, n, ok := e.components(v)
	return elem, ok && e.inRange(e.span(e.kids(x)[1]), n, i, v)
}

// components returns the type of the components of v, and how many there are, if v is a vector.
func (e *Elaborator) components(v val) (elem core.Type, n core.Size, ok bool) {
	if t := e.Types.At(v.typ); t.Kind == core.Vec {
		return t.A, core.Size(t.N), true
	}
	elem, n = e.Types.Open(), e.Types.OpenSize()
	return elem, n, e.want(v, e.Types.Vec(elem, n), reason{kind: projReason})
}

// projection is component i of a vector, by the expression x.
type projection struct {
	x syntax.Expr
	i natural
}

// path makes the projections, the innermost first, of a variable, an input or data at span.
func (e *Elaborator) path(b binding, span syntax.Span, steps []projection) val {
	n, v := b.node, val{typ: b.node.Type, span: span}
	if n.Op != core.InputOp {
		n.A = core.Ref(len(e.Core.Args))
		switch b.node.Op {
		case core.PathOp:
			e.Core.Args = append(e.Core.Args, e.Core.Args[b.node.A:b.node.B]...)
		case core.DataOp:
			g := e.dataGlobal(b)
			v.typ, n.X = e.dataType(g), g.x
		}
		n.Op, n.Value = core.PathOp, true
	}
	for _, s := range steps {
		t, ok := e.component(s.x, v, &s.i)
		switch {
		case n.Op == core.PathOp && s.i.static != 0:
			e.Core.Args = append(e.Core.Args, core.StaticBit|core.Ref(s.i.static))
		case n.Op == core.PathOp:
			e.Core.Args = append(e.Core.Args, core.Ref(s.i.n))
		case ok:
			e.within(&n, s.i, v.typ, t)
		}
		v.typ, v.span = t, e.span(s.x)
	}
	if n.Op == core.PathOp {
		n.B = core.Ref(len(e.Core.Args))
	} else {
		n = e.inputNode(n.X, n.A, n.B, v.typ)
	}
	return e.finish(steps[len(steps)-1].x, n, v.typ)
}

// within goes to component i, which is of type t, of an input of type of.
func (e *Elaborator) within(n *core.Node, i natural, of, t core.Type) {
	width := e.Types.Width(t)
	if i.static == 0 && n.A == 0 {
		n.X += core.Var(int(i.n) * width)
		return
	}
	at := e.arithmetic(syntax.StarTok, e.staticOf(i), e.Static.Number(float64(width)))
	if n.A == 0 {
		n.A, n.B = core.Ref(at), core.Ref(e.Types.Width(of))
		return
	}
	n.A = core.Ref(e.arithmetic(syntax.PlusTok, term.Static(n.A), at))
}

// dataGlobal returns the data that an atom is.
func (e *Elaborator) dataGlobal(b binding) *global {
	return &e.globals[e.declared[e.Data[b.node.X].Decl]]
}

// dataType is the type of an occurrence of data: each of a list has results of its own.
func (e *Elaborator) dataType(g *global) core.Type {
	t := g.typ
	if e.selects && !e.values {
		s := e.Data[g.n].Shape
		if g.list {
			s = s.A
		}
		t = e.numbers.Data(g.n, s)
	}
	if g.list {
		return e.Types.List(t, e.Types.Open())
	}
	return t
}

// inputNode is an input, or a component of one, of type t: its first scalar is x, or number at, which is static, of the
// n scalars from x on.
func (e *Elaborator) inputNode(x core.Var, at, n core.Ref, t core.Type) core.Node {
	if at == 0 && e.Types.At(t).Kind == core.Real {
		return core.Node{Op: core.VarOp, X: x, Type: t, Value: true}
	}
	return core.Node{Op: core.InputOp, X: x, A: at, B: n, Type: t, Value: true}
}
