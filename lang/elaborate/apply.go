package elaborate

import (
	"fmt"

	"github.com/gram-machine/gram/lang/core"
	"github.com/gram-machine/gram/lang/syntax"
)

// spine elaborates f a1 … ak applied to n more arguments that wait already. The arguments are elaborated first, each
// into a binding, and then the function meets them all at once, so that a def can take them in place.
func (e *Elaborator) spine(x syntax.Expr, n int) (syntax.Expr, int, val) {
	args, f := e.act.unit.File.Spine(x, syntax.AppExpr)
	for i, app := range args { // the last one comes first
		args[i] = e.kids(app)[1]
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
		_, b.static = e.staticArgument(x)
		b.static, b.index = b.static || e.isIndex(b), false
		if b.span.End == 0 || !e.act.unit.Prelude {
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
		b.span, b.static = e.span(x), true
		return b
	}
	b := e.atom(e.eval(x, 0))
	if e.expr(x).Kind == syntax.SizeExpr {
		b.static = b.is(core.NumOp)
	} else if n, ok := e.staticArgument(x); ok {
		b.node.Val, b.static = n, true
	} else {
		b.static = e.isIndex(b)
	}
	return b
}

// isIndex reports whether a binding is made of indices of comprehensions, in a program and not in a default value.
func (e *Elaborator) isIndex(b binding) bool { return b.is(core.StaticOp) && !e.values }

// staticArgument is the number of a static argument.
func (e *Elaborator) staticArgument(x syntax.Expr) (n float64, ok bool) {
	switch of := e.expr(x); of.Kind {
	case syntax.NumExpr:
		return of.Num, true
	case syntax.NameExpr:
		a := e.act
		switch r := a.unit.Refs[x]; r.Kind {
		case localRef:
			b := &e.slots[a.base+int(r.N)]
			return b.node.Val, b.static || b.index && b.is(core.NumOp) && !e.values
		case globalRef:
			b := &e.globals[r.N].means
			return b.node.Val, b.index
		}
	case syntax.BinExpr:
		kids := e.kids(x)
		b, ok := e.staticArgument(kids[1])
		if !ok { // a long sum nests to the left
			return 0, false
		}
		a, ok := e.staticArgument(kids[0])
		switch of.Op {
		case syntax.PlusTok:
			return a + b, ok
		case syntax.MinusTok:
			return a - b, ok
		case syntax.StarTok:
			return a * b, ok
		}
	}
	return 0, false
}

// atom turns the value of an argument into a binding.
func (e *Elaborator) atom(v val) binding {
	b := binding{kind: nodeBinding, val: v, span: v.span}
	switch n := e.Core.Nodes[v.node]; n.Op {
	case core.VarOp, core.PathOp, core.InputOp, core.StaticOp, core.NumOp, core.NatOp, core.DataOp:
		b.kind, b.node = atomBinding, n
		e.Core.Drop(v.node)
	}
	return b
}

func (e *Elaborator) argVal() val { return e.valueOf(syntax.Pop(&e.args)) }

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
	wanted := e.Types.Arrow(u.typ, r)
	if e.Types.Unify(f.typ, wanted) == core.NoClash {
		return
	}
	p := e.Types.Text()
	p.Named = true
	e.reportHere(u.span, "infinite type",
		fmt.Sprintf("applied to this, %s would have a type %s that is %s: a type can't contain itself",
			e.headText(f.head), p.Of(f.typ), p.Of(wanted)), note(e.hint(f, wanted, reason{kind: takesReason}))...)
}

// takes says for which argument a type is wanted.
func (e *Elaborator) takes(f val) reason { return reason{kind: takesReason, fun: f} }

// waiting is an application of f to u, where the type of f was open. It waits until it is known whether f is a function
// or a dual, or until everything else is typed; see the documentation of the package.
type waiting struct {
	f, u   val
	result val
	notes  []syntax.Note // the chain of uses that led there
	done   bool
	// An operation on f and u waits until it is known whether they are vectors; see [Elaborator.operands].
	operation bool
	why       reason
}

// mayBeDual reports whether a dual could take u. Where neither lin nor -o stands in the program there is none.
func (e *Elaborator) mayBeDual(u val) bool {
	k := e.Types.At(u.typ).Kind
	return e.user.Duals && (k == core.Open || k == core.Real)
}

// applyWaiting settles the applications from n on. Under the roots is what has been elaborated since the first of them.
func (e *Elaborator) applyWaiting(n int, roots []core.Ref) {
	all := e.waiting[n:]
	if len(all) == 0 {
		return
	}
	var depends *core.Dependence
	if e.user.Duals {
		depends = core.Depends(e.Program, roots)
	}
	e.Types.Watched = map[core.Type][]int{}
	var ready []int
	for i := range all {
		e.watch(all, i, &ready)
	}
	for next := 0; ; {
		for len(ready) > 0 {
			i := syntax.Pop(&ready)
			e.applyNow(&all[i], depends, false)
			e.resume(&ready)
		}
		for next < len(all) && all[next].done {
			next++
		}
		if next == len(all) {
			break
		}
		e.applyNow(&all[next], depends, true)
		e.resume(&ready)
	}
	e.Types.Watched, e.Types.Settled = nil, nil
	e.waiting = e.waiting[:n]
}

// watch puts application i on the list of its function's type, or makes it ready.
func (e *Elaborator) watch(all []waiting, i int, ready *[]int) {
	w := &all[i]
	types := []core.Type{w.f.typ, w.u.typ, w.result.typ}
	if !w.operation {
		types = types[:1]
	}
	if w.operation || e.Types.At(w.f.typ).Kind != core.Open {
		*ready = append(*ready, i)
	}
	for _, t := range types {
		if t = e.Types.Find(t); e.Types.Nodes[t].Kind == core.Open {
			e.Types.Watched[t] = append(e.Types.Watched[t], i)
		}
	}
}

// resume looks again at the applications whose types have been settled or merged.
func (e *Elaborator) resume(ready *[]int) {
	for _, t := range e.Types.Settled {
		if e.Types.Nodes[t].Link == 0 {
			continue // the unification was undone
		}
		list := e.Types.Watched[t]
		delete(e.Types.Watched, t)
		f := e.Types.Find(t)
		if e.Types.Nodes[f].Kind != core.Open {
			*ready = append(*ready, list...)
			continue
		}
		more := e.Types.Watched[f]
		if len(more) < len(list) {
			list, more = more, list
		}
		e.Types.Watched[f] = append(more, list...)
	}
	e.Types.Settled = e.Types.Settled[:0]
}

// applyNow types an application once, or an operation as far as it can.
func (e *Elaborator) applyNow(w *waiting, depends *core.Dependence, last bool) {
	if w.done {
		return
	}
	e.chained = w.notes
	defer func() { e.chained = nil }()
	if w.operation {
		errors := len(e.diags)
		w.done = e.operands(w, last)
		if errors > 0 { // types may be wrong because of them
			e.diags = e.diags[:errors]
		}
		return
	}
	w.done = true
	takes, gives, ok := e.Types.Application(w.f.typ)
	switch {
	case ok:
		e.want(w.u, takes, e.takes(w.f))
		v := w.result
		v.typ = gives
		e.want(v, w.result.typ, reason{text: "what is around it takes"})
	case e.Types.At(w.f.typ).Kind != core.Open:
		e.notFunction(w.f, w.u)
	case depends.Outer[w.u.node] != 0 && e.Types.Numeric(w.result.typ):
		e.Types.Unify(w.f.typ, e.Types.Dual(w.result.typ))
		e.want(w.u, core.R, e.takes(w.f))
		e.euclidean(w.result, "what "+e.headText(w.f.head)+" gives")
	default:
		e.asFunction(w.f, w.u, w.result.typ)
	}
}
