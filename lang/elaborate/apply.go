package elaborate

import (
	"github.com/gram-machine/gram/lang/core"
	"github.com/gram-machine/gram/lang/syntax"
)

// spine elaborates f a1 … ak applied to n more arguments that wait already. The arguments are elaborated first, each
// into a binding, and then the function meets them all at once, so that a def can take them in place.
func (e *Elaborator) spine(x syntax.Expr, n int) (syntax.Expr, int, val) {
	var args []syntax.Expr // the last one first
	f := x
	for e.expr(f).Kind == syntax.AppExpr {
		kids := e.kids(f)
		args = append(args, kids[1])
		f = kids[0]
	}
	if fold := e.foldOf(f); fold != "" && len(args) >= 3 && !e.user.Duals {
		return 0, 0, e.folded(x, n, f, args, fold)
	}
	if n == 0 {
		e.spanned(e.span(x))
	}
	e.arguments(args, "")
	return f, n + len(args), val{}
}

// arguments elaborates arguments, of which the last one comes first, and leaves them on the stack. A function that is
// folded, if fold is not empty, comes behind the others, which tell the type of its state.
func (e *Elaborator) arguments(args []syntax.Expr, fold string) {
	base, last := len(e.args), len(args)-1
	e.args = append(e.args, make([]binding, len(args))...)
	elaborate := func(i int) {
		b := e.argument(args[i])
		e.args[base+i] = b
	}
	later := fold != "" && e.expr(args[last]).Kind == syntax.FunExpr
	for i := last; i >= 0; i-- {
		if i < last || !later {
			elaborate(i)
		}
	}
	if later {
		e.expect = e.foldTypes(fold, e.args[base+last-1])
		elaborate(last)
	}
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
