package lang

import (
	"github.com/gram-machine/gram/lang/infer"
	"github.com/gram-machine/gram/lang/syntax"
)

// spine elaborates f a1 … ak applied to n more arguments that wait already. The
// arguments are elaborated first, each into a binding, and then the function meets
// them all at once, so that a def can take them in place.
func (e *elaborator) spine(x syntax.Expr, n int) {
	if n == 0 {
		e.push(frame{op: spanFrame, span: e.span(x)})
	}
	head, count := x, 0
	for e.expr(head).Kind == syntax.AppExpr {
		head = e.kids(head)[0]
		count++
	}
	e.push(frame{op: evalFrame, e: head, n: n + count})
	base := len(e.args)
	for range count {
		e.args = append(e.args, binding{})
	}
	// The frame of the first argument goes on top; the entry of the last is lowest.
	for i := 0; i < count; i++ {
		kids := e.kids(x)
		e.push(frame{op: prepareFrame, e: kids[1], n: base + i})
		x = kids[0]
	}
}

// prepare elaborates an argument. Names stay names: they are looked at again where
// the parameter stands, so that each occurrence has its own types.
func (e *elaborator) prepare(x syntax.Expr, at int) {
	switch n := e.expr(x); n.Kind {
	case syntax.NameExpr:
		b := e.meaning(x)
		switch b.kind {
		case indexBinding:
			b.kind = numBinding
		case lateBinding:
			b.kind = varBinding
		}
		if b.span.End == 0 || !e.act().unit.Prelude {
			b.span = e.span(x)
		}
		if b.kind != nodeBinding {
			e.args[at] = b
			return
		}
		e.result(b.val)
		e.prepared(at)
	case syntax.OpExpr:
		e.args[at] = binding{kind: primBinding, g: e.library[n.Op.String()], span: e.span(x)}
	case syntax.NumExpr:
		e.args[at] = binding{kind: numBinding, num: n.Num, span: e.span(x)}
	default:
		e.push(frame{op: preparedFrame, n: at})
		e.pushEval(x)
	}
}

// prepared turns the result of an argument into a binding.
func (e *elaborator) prepared(at int) {
	v := e.pop()
	b := binding{kind: nodeBinding, val: v, span: v.span}
	n := e.core.nodes[v.node]
	atom := true
	switch n.op {
	case varCore:
		b.kind, b.x = varBinding, n.x
	case pathCore:
		b.kind, b.x, b.off, b.n, b.typ = pathBinding, n.x, n.a, n.b, v.typ
	case inputCore:
		b.kind, b.x, b.typ = inputBinding, n.x, n.typ
	case numCore:
		b.kind, b.num = numBinding, n.val
	case natCore:
		b.kind, b.num = churchBinding, n.val
	case dataCore:
		b.kind, b.g = dataBinding, e.dataGlobals[n.x]
	default:
		atom = false
	}
	if atom {
		e.core.drop(v.node)
	}
	e.args[at] = b
}

func (e *elaborator) takeArg() binding {
	b := e.args[len(e.args)-1]
	e.args = e.args[:len(e.args)-1]
	return b
}

// apply applies the last result to the next n arguments, one after the other.
func (e *elaborator) apply(n int) {
	for ; n > 0; n-- {
		b := e.args[len(e.args)-1]
		if b.kind == defBinding || b.kind == primBinding || b.annot != 0 {
			e.push(frame{op: applyFrame, n: n - 1})
			e.push(frame{op: appFrame})
			e.push(frame{op: popArgFrame})
			return
		}
		e.takeArg()
		e.result(e.occurrence(b, b.span))
		e.app()
	}
}

// popArg elaborates the argument on top.
func (e *elaborator) popArg() {
	b := e.takeArg()
	e.use(b, b.span, 0)
}

// app makes the application of the last but one result to the last.
func (e *elaborator) app() {
	u := e.pop()
	f := e.pop()
	v := val{span: f.span, head: f.head}
	v.node = e.core.add(coreNode{op: appCore, pos: e.at(f.span.Start), a: f.node, b: u.node, typ: f.typ})
	takes, gives, ok := e.tt.Application(f.typ)
	if ok {
		v.typ = gives
		e.result(v)
		e.want(u, takes, e.takes(f))
		return
	}
	v.typ = e.tt.Open()
	e.result(v)
	switch {
	case e.tt.At(f.typ).Kind != infer.Open:
		e.notFunction(f, u)
	case e.mayBeDual(u):
		e.waiting = append(e.waiting, waiting{f: f, u: u, result: v, notes: e.chain(4)})
	default:
		e.asFunction(f, u, v.typ)
	}
}

// asFunction makes f, whose type is open, a function from what u is to r.
func (e *elaborator) asFunction(f, u val, r infer.Type) {
	if a := e.tt.Arrow(u.typ, r); e.tt.Unify(f.typ, a) != infer.NoClash {
		e.endless(f, u, a)
	}
}

// takes says for which argument a type is wanted.
func (e *elaborator) takes(f val) reason { return reason{kind: takesReason, head: f.head, fun: f} }
