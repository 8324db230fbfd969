package elaborate

import (
	"fmt"

	"github.com/gram-machine/gram/lang/core"
	"github.com/gram-machine/gram/lang/syntax"
)

// Errors of fold and foldl are said in the words of the one who uses them, and not in those of Church lists.

// folds are the functions of the prelude over a state and the elements of a list.
var folds = map[string]struct{ takes, fun, swapped string }{
	"foldl": {"the state and the element", "fun s x -> …", "element"},
	"fold":  {"the element and the state", "fun x s -> …", "state"},
}

func swappedFold(name string) string {
	w := folds[name]
	return fmt.Sprintf("%s takes a function of %s, `%s`; this one takes the %s first", name, w.takes, w.fun, w.swapped)
}

// foldArguments reports arguments of name, fold or foldl, at span, that do not belong together. They are the last three
// on the stack. What is not known yet is not reported.
func (e *Elaborator) foldArguments(name string, span syntax.Span) bool {
	top := len(e.args) - 1
	f, s, l := e.args[top], e.args[top-1], e.args[top-2]
	report := func(at binding, label string, notes ...syntax.Note) bool {
		e.reportHere(at.span, "type mismatch", label, notes...)
		return false
	}
	order := fmt.Sprintf("; %s takes a function, the first state, and a list: %s (%s) s xs", name, name, folds[name].fun)
	if t, known := e.argumentType(f); known && e.noFunction(t) {
		return report(f, "this is "+e.Types.Text().Of(t)+order)
	}
	switch t, known := e.argumentType(l); {
	case known && e.Types.At(t).Kind == core.Vec:
		return report(l, fmt.Sprintf("this is %s, a vector and no list", e.Types.Text().Of(t)),
			syntax.Note{Text: "`list i < size v -> v.(i)` is the list of the components of v"})
	case known && e.noFunction(t):
		return report(l, "this is "+e.Types.Text().Of(t)+order)
	}
	state, known := e.argumentType(s)
	element := e.elementsOf(l)
	if !known || element == 0 || e.user.Duals || e.selects {
		return true
	}
	gives := core.Type(0)
	if f.kind == primBinding {
		if p := e.globals[f.g].prim; p.Arity() != 2 || p != core.PrimAdd && p < core.PrimSymbol {
			return true
		}
		gives = element
	} else if f.kind == nodeBinding {
		if gives = e.stepResult(name, f.val.typ, state, element, span); gives == 0 {
			return true
		}
	}
	if e.Types.At(state).Kind != core.Real || e.Types.At(gives).Kind != core.Vec || e.Types.Scalar(gives) != core.Real {
		return true
	}
	text := e.Types.Text()
	note := syntax.Note{Text: "a first state of this type is " + e.zeros(gives)}
	return report(f, fmt.Sprintf("this gives %s for the state %s and the element %s: a state keeps its type",
		text.Of(gives), text.Of(state), text.Of(element)), note)
}

// foldOf is the name of the function of the prelude that x names, if it is fold or foldl; else it is empty.
func (e *Elaborator) foldOf(x syntax.Expr) string {
	r := e.act.unit.Refs[x]
	if e.expr(x).Kind != syntax.NameExpr || r.Kind != globalRef {
		return ""
	}
	if g := &e.globals[r.N]; g.means.kind == defBinding && g.unit.Prelude && folds[g.name].fun != "" {
		return g.name
	}
	return ""
}

// folded elaborates x, fold or foldl of args, applied to n more arguments that wait already. The function gets the type
// of the first state before its body is elaborated. If there is an error, all is elaborated once more without that, so
// that errors are said where they are.
func (e *Elaborator) folded(x syntax.Expr, n int, f syntax.Expr, args []syntax.Expr, fold string) val {
	before, errors, waiting := e.snapshot(), len(e.diags), append([]binding(nil), e.args[len(e.args)-n:]...)
	run := func(fold string) val {
		base := len(e.ends)
		if n == 0 {
			e.spanned(e.span(x))
		}
		e.arguments(args, fold)
		e.typed = fold != ""
		return e.tail(base, f, n+len(args), val{})
	}
	v := run(fold)
	if len(e.diags) > errors {
		e.restore(before)
		copy(e.args[len(e.args)-n:], waiting)
		v = run("")
	}
	return v
}

// foldTypes returns the types of the two parameters of a function that name, fold or foldl, takes with the state s: 0
// stands for one that is not known. They are nil if the state is no vector and no product: a number needs no type.
func (e *Elaborator) foldTypes(name string, s binding) []core.Type {
	state, known := e.argumentType(s)
	if k := e.Types.At(state).Kind; !known || k != core.Vec && k != core.Prod {
		return nil
	}
	if name == "fold" {
		return []core.Type{0, state}
	}
	return []core.Type{state}
}

// expectInFoldl is called where the function x begins: that of three parameters in foldl of the prelude takes the state
// as its third.
func (e *Elaborator) expectInFoldl(x syntax.Expr) {
	a := e.act
	if e.typed && a.unit.Prelude && a.global >= 0 && e.globals[a.global].name == "foldl" &&
		len(a.unit.File.Pats(x)) == 3 {
		e.expect = append([]core.Type{0}, e.foldTypes("fold", e.slots[a.base+1])...)
	}
	e.typed = false
}

// noFunction reports whether t is R, or a vector or a product.
func (e *Elaborator) noFunction(t core.Type) bool {
	k := e.Types.At(t).Kind
	return k == core.Real || k == core.Vec || k == core.Prod
}

// argumentType is the type of an argument, as far as it is known before a function takes it.
func (e *Elaborator) argumentType(b binding) (core.Type, bool) {
	if b.kind != nodeBinding && b.kind != atomBinding || b.is(core.NatOp) || b.is(core.DataOp) && e.dataGlobal(b).list {
		return 0, false
	}
	t := e.bindingType(b)
	return t, e.Types.At(t).Kind != core.Open
}

// stepResult is the type of what a function of type f gives for a state and an element, 0 if it does not take them.
func (e *Elaborator) stepResult(name string, f, state, element core.Type, span syntax.Span) core.Type {
	gives := e.Types.Open()
	a, b := state, element
	if name == "fold" {
		a, b = element, state
	}
	if e.Types.Unify(f, e.Types.Arrow(a, e.Types.Arrow(b, gives))) != core.NoClash {
		return 0
	}
	for i := len(e.waiting) - 1; i >= 0 && e.waiting[i].operation && e.waiting[i].result.span.Start > span.Start; i-- {
		if w := &e.waiting[i]; !w.done {
			w.done = e.operands(w, false)
		}
	}
	return gives
}

// zeros is an expression of type t, a vector of numbers or of vectors.
func (e *Elaborator) zeros(t core.Type) string {
	n := e.Types.At(t)
	if n.Kind != core.Vec {
		return "0"
	}
	size := "n"
	if s, ok := e.Types.VectorSize(t); ok {
		size = fmt.Sprint(s)
	}
	return "vec i < " + size + " -> " + e.zeros(n.A)
}

// foldMismatch reports, in the words of the one who uses fold or foldl, that v does not have type t, if v is what the
// prelude's definition gives to a list.
func (e *Elaborator) foldMismatch(c core.Clash, v val, t core.Type) bool {
	a := e.act
	if !a.unit.Prelude || a.global < 0 || folds[e.globals[a.global].name].fun == "" {
		return false
	}
	name, list := e.globals[a.global].name, e.slots[a.base+2]
	first, isStep := e.Types.Function(v.typ)
	second, _ := e.Types.Function(first.B)
	element, takesElement := e.Types.Function(t)
	elem, state, gives, takes := first.A, second.A, second.B, "%s -> s -> s"
	if name == "foldl" { // v is x -> (result -> k) -> state -> k, where the function is state -> x -> result
		takes = "s -> %s -> s"
		result, _ := e.Types.Function(second.A)
		next, _ := e.Types.Function(second.B)
		state, gives = next.A, result.A
		isStep = takesElement && state != 0 && gives != 0
	}
	report := func(at syntax.Span, label string) bool {
		e.report(e.user, at, "type mismatch", label, e.chainOf(a.outer, 4)...)
		return true
	}
	p := e.Types.Text()
	if !isStep { // v is the first state, and t the type of the states that the function takes
		switch elements := e.elementsOf(list); {
		case c == core.SelfRefer || list.is(core.VarOp):
			return false
		case elements != 0 && e.Types.Unify(t, elements) == core.NoClash:
			return report(e.slots[a.base].span, swappedFold(name)) // it takes the elements as states
		}
		is, takes := p.Both(v.typ, t)
		return report(v.span, fmt.Sprintf("the first state is %s, but the function takes a state %s", is, takes))
	}
	if !takesElement || state == 0 || name == "fold" && list.is(core.VarOp) {
		return false // a list that is a variable has one type, which the usual message says
	}
	if begin := e.bindingType(e.slots[a.base+1]); c != core.SelfRefer &&
		e.Types.Unify(elem, begin) == core.NoClash && e.Types.Unify(state, element.A) == core.NoClash &&
		e.Types.Unify(elem, gives) == core.NoClash {
		return report(e.slots[a.base].span, swappedFold(name))
	}
	f := e.Types.Arrow(elem, e.Types.Arrow(state, gives))
	if name == "foldl" {
		f = e.Types.Arrow(state, e.Types.Arrow(elem, gives))
	}
	p.Named = true
	is := p.Of(f)
	return report(e.slots[a.base].span, fmt.Sprintf("this is %s, but %s takes "+takes+" here", is, name, p.Of(element.A)))
}

// elementsOf is the type of the elements of the list that b is, 0 if that is not known.
func (e *Elaborator) elementsOf(b binding) core.Type {
	if b.is(core.DataOp) && e.dataGlobal(b).list {
		return e.dataGlobal(b).typ
	}
	list, _ := e.Types.Function(e.bindingType(b))
	step, _ := e.Types.Function(list.A)
	return step.A
}
