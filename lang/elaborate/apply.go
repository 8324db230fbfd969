package elaborate

import (
	"github.com/gram-machine/gram/lang/core"
	"github.com/gram-machine/gram/lang/syntax"
)

// spine elaborates f a1 … ak applied to n more arguments that wait already. The
// arguments are elaborated first, each into a binding, and then the function meets
// them all at once, so that a def can take them in place. A function that is folded comes behind
// the other arguments, which tell the types of its parameters.
func (e *Elaborator) spine(x syntax.Expr, n int) (syntax.Expr, int, val) {
	if n == 0 {
		e.spanned(e.span(x))
	}
	var args []syntax.Expr // the last one first
	for e.expr(x).Kind == syntax.AppExpr {
		kids := e.kids(x)
		args = append(args, kids[1])
		x = kids[0]
	}
	base := len(e.args)
	e.args = append(e.args, make([]binding, len(args))...)
	step, last := -1, len(args)-1
	fold := e.foldOf(x)
	if fold != "" && last >= 2 && !e.user.Duals && e.expr(args[last]).Kind == syntax.FunExpr {
		step = last
	}
	for i := last; i >= 0; i-- {
		if i != step {
			b := e.argument(args[i])
			e.args[base+i] = b
		}
	}
	if step >= 0 {
		e.expect = e.foldTypes(fold, e.args[base+last-1])
		b := e.argument(args[step])
		e.args[base+step] = b
	}
	return x, n + len(args), val{}
}

// argument elaborates an argument. Names stay names: they are looked at again where
// the parameter stands, so that each occurrence has its own types.
func (e *Elaborator) argument(x syntax.Expr) binding {
	switch n := e.expr(x); n.Kind {
	case syntax.NameExpr:
		b := e.meaning(x)
		b.index = false
		if b.span.End == 0 || !e.act().unit.Prelude {
			b.span = e.span(x)
		}
		if b.kind == nodeBinding {
			return e.atom(e.result(b.val))
		}
		return b
	case syntax.OpExpr:
		return binding{kind: primBinding, g: e.library[n.Op.String()], span: e.span(x)}
	case syntax.NumExpr:
		b := numeral(n.Num)
		b.span = e.span(x)
		return b
	}
	return e.atom(e.eval(x, 0))
}

// atom turns the value of an argument into a binding.
func (e *Elaborator) atom(v val) binding {
	b := binding{kind: nodeBinding, val: v, span: v.span}
	switch n := e.Core.Nodes[v.node]; n.Op {
	case core.VarOp, core.PathOp, core.InputOp, core.ComponentOp, core.StaticOp, core.NumOp, core.NatOp, core.DataOp:
		b.kind, b.node = atomBinding, n
		e.Core.Drop(v.node)
	}
	return b
}

func (e *Elaborator) takeArg() binding {
	b := e.args[len(e.args)-1]
	e.args = e.args[:len(e.args)-1]
	return b
}

// argVal elaborates the next argument.
func (e *Elaborator) argVal() val { return e.valueOf(e.takeArg()) }

// valueOf elaborates what a binding stands for.
func (e *Elaborator) valueOf(b binding) val {
	base := len(e.ends)
	x, n, v := e.use(b, b.span, 0)
	return e.tail(base, x, n, v)
}

// apply applies f to the next n arguments, one after the other.
func (e *Elaborator) apply(f val, n int) val {
	for range n {
		e.Tick()
		f = e.app(f, e.argVal())
	}
	return f
}

// app makes the application f u.
func (e *Elaborator) app(f, u val) val {
	takes, gives, ok := e.Types.Application(f.typ)
	if !ok {
		gives = e.Types.Open()
	}
	v := val{typ: gives, span: f.span, head: f.head}
	v.node = e.Core.Add(core.Node{Op: core.AppOp, Pos: e.at(f.span.Start), A: f.node, B: u.node, Type: gives})
	switch {
	case ok:
		e.want(u, takes, e.takes(f))
	case e.Types.At(f.typ).Kind != core.Open:
		e.notFunction(f, u)
	case e.mayBeDual(u):
		e.waiting = append(e.waiting, waiting{f: f, u: u, result: v, notes: e.chain(4)})
	default:
		e.asFunction(f, u, v.typ)
	}
	e.mark(v) // its place is not yet that of the application
	return v
}

// asFunction makes f, whose type is open, a function from what u is to r.
func (e *Elaborator) asFunction(f, u val, r core.Type) {
	if a := e.Types.Arrow(u.typ, r); e.Types.Unify(f.typ, a) != core.NoClash {
		e.endless(f, u, a)
	}
}

// takes says for which argument a type is wanted.
func (e *Elaborator) takes(f val) reason { return reason{kind: takesReason, head: f.head, fun: f} }
