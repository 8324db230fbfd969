package elaborate

import (
	"github.com/gram-machine/gram/lang/core"
	"github.com/gram-machine/gram/lang/syntax"
)

// openFun makes the pattern p the parameter of a λ around what follows.
func (e *Elaborator) openFun(p syntax.Pat) {
	t := e.Types.Open()
	x := e.patternVar(p, t)
	if e.act().unit.File.Pat(p).Kind == syntax.NamePat {
		e.Core.Vars[x].Binder = core.FunBinder
	}
	pos := e.at(e.act().unit.File.Pat(p).Span.Start)
	e.opens = append(e.opens, core.Opening{Node: core.Node{Op: core.LamOp, X: x, Pos: pos}})
	e.bindPattern(patternItem{p: p, t: t, x: x})
	if len(e.expect) > 0 {
		if e.expect[0] != 0 {
			e.Types.Unify(t, e.expect[0]) // what does not fit is said where the function is applied
		}
		e.expect = e.expect[1:]
	}
}

// openLet binds the pattern p to u around what follows.
func (e *Elaborator) openLet(p syntax.Pat, u val) {
	pos := e.at(e.act().unit.File.Pat(p).Span.Start)
	if e.takesApart(p) {
		e.bindPattern(patternItem{p: p, t: u.typ, u: u.node, span: u.span})
		return
	}
	x := e.patternVar(p, u.typ)
	if e.Types.Generic(u.typ) {
		e.Core.Vars[x].Binder = core.LetBinder
	}
	e.opens = append(e.opens, core.Opening{Node: core.Node{Op: core.LetOp, X: x, B: u.node, Pos: pos}})
	e.bindPattern(patternItem{p: p, t: u.typ, x: x, span: u.span})
}

// takesApart reports whether a pattern opens what it is bound to.
func (e *Elaborator) takesApart(p syntax.Pat) bool {
	f := e.act().unit.File
	switch f.Pat(f.Bare(p)).Kind {
	case syntax.TuplePat, syntax.VecPat, syntax.ConPat:
		return true
	}
	return false
}

// patternVar makes the variable of a pattern: it has a name only if the pattern has.
func (e *Elaborator) patternVar(p syntax.Pat, t core.Type) core.Var {
	f := e.act().unit.File
	n := f.Pat(f.Bare(p))
	name := n.Text
	if n.Kind != syntax.NamePat {
		name = ""
	}
	return e.Core.NewVar(core.VarInfo{Name: name, Type: t, Pos: e.at(n.Span.Start)})
}

// patternItem is a pattern for a value of type t: that of x, or the node u.
type patternItem struct {
	p    syntax.Pat
	t    core.Type
	x    core.Var
	u    core.Ref
	span syntax.Span // of the value, if it is known
}

// bindPattern gives the names of a pattern what they mean, and opens what it takes apart.
func (e *Elaborator) bindPattern(it patternItem) {
	unit := e.act().unit
	switch n := unit.File.Pat(it.p); n.Kind {
	case syntax.NamePat:
		e.slots[e.act().base+int(unit.Slots[it.p])] = e.bound(it.x)
		e.notePattern(unit, it.p, it.t)
	case syntax.AnnotPat:
		it.p = unit.File.PatKids(it.p)[0]
		v := val{typ: it.t, span: it.span}
		if v.span.End == 0 {
			v.span = e.patSpan(it.p)
		}
		e.checkAnnotation(unit, n.Type, v, "its annotation says")
		e.bindPattern(it)
	case syntax.TuplePat, syntax.VecPat, syntax.ConPat:
		e.takeApart(it)
	}
}

func (e *Elaborator) patSpan(p syntax.Pat) syntax.Span {
	if a := e.act(); a.unit.Prelude {
		return a.use
	}
	return e.act().unit.File.Pat(p).Span
}

// flatten returns the components of a tuple pattern, those of a last component that is a tuple itself included.
func (e *Elaborator) flatten(p syntax.Pat) []syntax.Pat {
	f := e.act().unit.File
	parts := append([]syntax.Pat(nil), f.PatKids(p)...)
	for {
		last := parts[len(parts)-1]
		if f.Pat(last).Kind != syntax.TuplePat {
			return parts
		}
		parts = append(parts[:len(parts)-1], f.PatKids(last)...)
	}
}

// productOf makes the type of it a product of n types and returns them.
func (e *Elaborator) productOf(it patternItem, n int) []core.Type {
	types := make([]core.Type, n)
	t := it.t
	for i := 0; i < n-1; i++ {
		node := e.Types.At(t)
		if node.Kind != core.Prod {
			for j := i; j < n; j++ {
				types[j] = e.Types.Open()
			}
			rest := types[n-1]
			for j := n - 2; j >= i; j-- {
				rest = e.Types.Prod(types[j], rest)
			}
			if e.Types.Unify(t, rest) != core.NoClash {
				for j := i - 1; j >= 0; j-- {
					rest = e.Types.Prod(types[j], rest)
				}
				e.wantPattern(it, rest)
			}
			return types
		}
		types[i], t = node.A, node.B
	}
	types[n-1] = t
	return types
}

// let opens let p … = u in body, whose body it returns.
func (e *Elaborator) let(x syntax.Expr) syntax.Expr {
	f := e.act().unit.File
	pats, kids, n := f.Pats(x), f.Kids(x), len(e.opens)
	for _, p := range pats[1:] {
		e.openFun(p)
	}
	u := e.wrap(e.eval(kids[0], 0), n)
	e.wrapped()
	e.openLet(pats[0], u)
	return kids[1]
}
