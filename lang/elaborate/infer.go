package elaborate

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/gram-machine/gram/lang/core"
	"github.com/gram-machine/gram/lang/load"
	"github.com/gram-machine/gram/lang/syntax"
)

type reasonKind uint8

const (
	otherReason reasonKind = iota // an annotation, or another part, has another type: the text says which
	takesReason                   // a function or an operator takes another type
	projReason                    // only a vector has components
)

// reason says why a type is wanted.
type reason struct {
	kind    reasonKind
	text    string
	fun     val         // takesReason: the function, if there is no text
	negated syntax.Span // takesReason: the right operand of a minus
}

// want makes v have type t, and reports an error if it can't.
func (e *Elaborator) want(v val, t core.Type, why reason) bool {
	if e.Types.Find(v.typ) == e.Types.Find(t) || t == core.R && e.Types.At(v.typ).Kind == core.Real {
		return true // a number of data is a number, too
	}
	c := e.Types.Unify(v.typ, t)
	if c != core.NoClash {
		e.mismatch(c, v, t, why)
	}
	return c == core.NoClash
}

func (e *Elaborator) mismatch(c core.Clash, v val, t core.Type, why reason) {
	if e.foldMismatch(c, v, t) {
		return
	}
	p := e.Types.Text()
	p.Named = c == core.SelfRefer
	is, wanted := p.Both(v.typ, t)
	notes := note(e.hint(v, t, why))
	if c == core.SelfRefer {
		e.reportHere(v.span, "infinite type",
			fmt.Sprintf("this is %s, and would have to be %s: a type can't contain itself", is, wanted), notes...)
		return
	}
	but := why.text + " " + wanted
	switch why.kind {
	case takesReason:
		but = e.taker(why) + " takes " + wanted
	case projReason:
		but = "only a vector has components"
	}
	e.reportHere(v.span, "type mismatch", fmt.Sprintf("this is %s, but %s", is, but), notes...)
}

// taker names what takes another type.
func (e *Elaborator) taker(why reason) string {
	if why.text != "" {
		return why.text
	}
	return e.headText(why.fun.head)
}

// headText names a function in a message.
func (e *Elaborator) headText(s syntax.Span) string {
	text := e.user.File.Text(s)
	if text == "" || len(text) > 30 || strings.ContainsAny(text, "\n\r") {
		return "the function"
	}
	if strings.ContainsAny(text, " \t") && !strings.HasPrefix(text, "(") {
		return "(" + text + ")"
	}
	return text
}

// curried reports whether the function of a mismatch takes a second argument.
func (e *Elaborator) curried(why reason) bool {
	if slices.Contains([]string{"max", "min", "pow", "same"}, e.taker(why)) {
		return true
	}
	f := e.Types.At(why.fun.typ)
	return f.Kind == core.Arrow && e.Types.At(f.B).Kind == core.Arrow
}

// hint says what may have led to a mismatch of v with type t, if it knows.
func (e *Elaborator) hint(v val, t core.Type, why reason) string {
	_, function := e.Types.Function(v.typ)
	if text := e.user.File.Text(v.span); why.kind == takesReason && e.curried(why) &&
		e.Types.At(v.typ).Kind == core.Prod && e.Types.At(t).Kind == core.Real && strings.HasPrefix(text, "(") &&
		strings.Count(text, ",") == 1 && !strings.ContainsAny(text, "\n") {
		a, b, _ := strings.Cut(strings.Trim(text, "()"), ",")
		return fmt.Sprintf("arguments follow a function one by one, without commas: %s %s %s", e.taker(why),
			strings.TrimSpace(a), strings.TrimSpace(b))
	}
	if s := why.negated; s.End > 0 && function {
		f, u := e.headText(v.span), e.headText(s)
		all := e.user.File.Text(s)
		if first, _, many := strings.Cut(all, " "); many && !strings.ContainsAny(first, "([") {
			return fmt.Sprintf("this is a difference; to apply %s to -%s, write (-%s) behind it, and (-%s) for all of that",
				f, first, first, all)
		}
		return fmt.Sprintf("%s - %s is a difference; to apply %s to -%s, write %s (-%s)", f, u, f, u, f, u)
	}
	if s := v.span.End; function && why.kind == takesReason {
		if rest := e.user.File.Text(syntax.Span{Start: s, End: s + 3}); strings.HasPrefix(rest, " -") && rest[2:] != " " {
			f := e.headText(v.span)
			return fmt.Sprintf("the minus behind %s makes a difference; to apply %s to what follows, write %s (-…)", f, f, f)
		}
	}
	if e.user.Duals && e.inLin == 0 && (why.text == "+" || why.text == "sum") && e.Types.At(v.typ).Kind == core.Vec {
		return "inside lin, " + why.text + " is also on R^s"
	}
	text := cmp.Or(e.formHint(v, t, why), e.polymorphism(why.fun.node))
	if _, ok := e.Types.Function(t); ok && function {
		text = cmp.Or(text, e.polymorphism(v.node))
	}
	return text
}

// formHint says how to write what another language writes as v is written.
func (e *Elaborator) formHint(v val, t core.Type, why reason) string {
	is, wanted := e.Types.At(v.typ).Kind, e.Types.At(t).Kind
	switch {
	case is == core.List && wanted == core.Vec && (why.text == "sum" || why.text == "maximum"):
		return fmt.Sprintf("%s is for vectors; foldl goes over a list: foldl (+) 0 xs adds its elements", why.text)
	case is == core.Vec && wanted == core.Real && why.text == "sum":
		return "sum adds numbers; vectors are added component by component: vec c < s -> sum i < n -> (e).(c)"
	case is == core.List && why.kind == projReason:
		return "fold, foldl and map go over the elements of a list; a vector has components: [| e, e |]"
	case is == core.List && wanted == core.Vec && e.Core.Nodes[v.node].Op == core.ListOp:
		return "a vector is written [| e, e |]"
	case is == core.Prod && !e.act.unit.Prelude:
		return e.tupleHint(v.span)
	}
	return ""
}

// tupleHint says so if the tuple at span is all that a def of several parameters is given, as in f(a, b).
func (e *Elaborator) tupleHint(span syntax.Span) string {
	a, text := e.act, e.user.File.Text(span)
	if a.global < 0 || a.use.End != span.Start || !strings.HasPrefix(text, "(") {
		return ""
	}
	d := &a.unit.File.Decls[e.globals[a.global].decl]
	if len(d.Params) < 2 {
		return ""
	}
	return fmt.Sprintf("%s takes its arguments one by one: %s %s", d.Name, d.Name, oneByOne(text))
}

// oneByOne is a tuple of names and numbers as arguments.
func oneByOne(tuple string) string {
	return strings.Join(strings.Fields(strings.ReplaceAll(strings.Trim(tuple, "()"), ",", " ")), " ")
}

// polymorphism says so if a function is a variable, which has one type.
func (e *Elaborator) polymorphism(n core.Ref) string {
	for steps := 0; e.Core.Nodes[n].Op == core.AppOp && steps < 1000; steps++ {
		n = e.Core.Nodes[n].A
	}
	if e.Core.Nodes[n].Op != core.VarOp {
		return ""
	}
	x := e.Core.Info(e.Core.Nodes[n].X)
	step := e.Types.At(e.Types.At(x.Type).A)
	if x.Binder == core.PlainBinder && x.Name != "" && step.Kind == core.Arrow && e.Types.At(step.B).Kind == core.Arrow {
		return "a list in another value has one type: all that goes over " + x.Name + " is fold, or all is foldl or rev, " +
			"with states of one type"
	}
	if x.Binder == core.PlainBinder || x.Name == "" {
		return ""
	}
	if _, ok := e.Types.Function(x.Type); !ok {
		return ""
	}
	is, def := "bound by let", "a def"
	switch x.Binder {
	case core.DefBinder:
		is, def = "computed once", "a def with parameters"
	case core.FunBinder:
		is = "bound by fun"
	}
	return fmt.Sprintf("%s is %s and has one type, %s; %s may be used at several", x.Name, is,
		e.Types.Text().Of(x.Type), def)
}

// wantPattern makes the value that a pattern takes apart have type t.
func (e *Elaborator) wantPattern(it patternItem, t core.Type) {
	if e.Types.Unify(it.t, t) == core.NoClash {
		return
	}
	p := e.Types.Text()
	is, wanted := p.Both(it.t, t)
	var notes []syntax.Note
	if a := e.act; !a.unit.Prelude && a.global >= 0 && e.Types.At(it.t).Kind == core.Real {
		f := a.unit.File
		if d := f.Decls[e.globals[a.global].decl]; slices.Contains(d.Params, it.p) {
			notes = note(fmt.Sprintf("the parameters of a def stand one by one: def %s %s = …", d.Name,
				oneByOne(f.Text(f.Pat(it.p).Span))))
		}
	}
	e.reportHere(e.patSpan(it.p), "type mismatch",
		fmt.Sprintf("this pattern is for %s, but the value is %s", wanted, is), notes...)
}

// notFunction reports the application of a value that is not a function to u.
func (e *Elaborator) notFunction(f, u val) {
	label := fmt.Sprintf("this is %s, not a function", e.Types.Text().Of(f.typ))
	var notes []syntax.Note
	op := e.Core.Nodes[f.node].Op
	if index := e.Core.Nodes[u.node].Op; e.Types.At(f.typ).Kind == core.Vec &&
		(index == core.ListOp || index == core.NumOp || index == core.PairOp) {
		index := strings.Trim(e.headText(u.span), "[]()")
		notes = append(notes, syntax.Note{Text: fmt.Sprintf("a component of a vector is written %s.(%s)",
			e.headText(f.head), index)})
	}
	switch who := e.headText(f.head); {
	case op == core.NumOp && e.Types.At(u.typ).Kind == core.Arrow:
		if n := e.Core.Nodes[f.node].Val; n >= 0 && n == math.Trunc(n) {
			if !startsName(who) && who != fmt.Sprint(n) {
				who = "(" + who + ")"
			}
			notes = append(notes, syntax.Note{Text: fmt.Sprintf("the numeral #%s applies a function %v times", who, n)})
		}
	case op != core.VarOp && op != core.StaticOp && op != core.PathOp && op != core.InputOp && startsName(who):
		notes = append(notes, syntax.Note{Text: who + " has been given all its arguments"})
	}
	e.reportHere(f.span, "type mismatch", label, notes...)
}

// startsName reports whether a text is a name, or starts with one.
func startsName(text string) bool {
	r, _ := utf8.DecodeRuneInString(text)
	return text != "the function" && (unicode.IsLetter(r) || r == '_')
}

// annotate makes v have the type t of u, and returns it.
func (e *Elaborator) annotate(u *unit, t syntax.TypeExpr, v val, what string) val {
	if want, ok := e.typeIn(u, t); ok {
		e.want(v, want, reason{text: what})
	}
	return v
}

// typeIn makes the type that t names. Each List and Nat has results of its own.
func (e *Elaborator) typeIn(u *unit, t syntax.TypeExpr) (core.Type, bool) {
	n := u.File.Type(t)
	var a, b core.Type
	ok, known := true, true
	if n.A != 0 {
		a, ok = e.typeIn(u, n.A)
	}
	if n.B != 0 {
		b, known = e.typeIn(u, n.B)
		ok = ok && known
	}
	switch n.Kind {
	case syntax.RType:
		if e.selects {
			return e.Types.Real(), true
		}
		return core.R, true
	case syntax.NatType:
		return e.Types.Nat(e.Types.Open()), true
	case syntax.ListType:
		return e.Types.List(a, e.Types.Open()), ok
	case syntax.ProdType:
		return e.Types.Prod(a, b), ok
	case syntax.ArrowType:
		return e.Types.Arrow(a, b), ok
	case syntax.NamedType:
		return e.namedType(u, t)
	case syntax.VarType:
		return e.typeVariable(u, n)
	case syntax.VecType:
		s, known := e.vectorSize(u, n.Size)
		return e.Types.Vec(a, s), ok && known
	default: // R -o R or R -o R^s
		elem, _, _ := e.Types.Element(b)
		e.Types.Unify(elem, core.R)
		return e.Types.Dual(b), ok
	}
}

func (e *Elaborator) vectorSize(u *unit, s syntax.Expr) (core.Size, bool) {
	n, ok := e.nat(u, s)
	switch {
	case !ok:
	case e.isSize(n, e.spanIn(u, s)):
		return e.Types.KnownSize(int(n)), true
	default:
		e.badSize = true
	}
	return e.Types.OpenSize(), false
}

// isSize reports an error if a vector can't have n components.
func (e *Elaborator) isSize(n uint64, span syntax.Span) bool {
	var label string
	switch {
	case n == 0:
		label = "this is 0, but a vector has at least one component"
	case n > load.MaxWidth:
		label = fmt.Sprintf("a vector of %d components is too large", n)
	default:
		return true
	}
	e.reportHere(span, "not a size", label)
	return false
}
