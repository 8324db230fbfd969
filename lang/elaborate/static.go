package elaborate

import (
	"cmp"
	"math"
	"strconv"

	"github.com/gram-machine/gram/lang/core"
	"github.com/gram-machine/gram/lang/load"
	"github.com/gram-machine/gram/lang/syntax"
	"github.com/gram-machine/gram/term"
)

// natural is the number of a static expression. If it depends on indices of families, or of comprehensions of a default
// value, it is static.
type natural struct {
	n      uint64
	static term.Static // 0 if it is the number n
}

const (
	notStatic  = "not a static number"
	notNatural = "not a natural number"
)

// nat is [Elaborator.natural] for an expression whose number is known.
func (e *Elaborator) nat(u *unit, x syntax.Expr) (uint64, bool) {
	n, ok := e.natural(u, x)
	if n.static != 0 {
		e.giveUp()
	}
	if n.static != 0 && e.values {
		panic("lang: the resolver has not seen where an index has to be known")
	}
	return n.n, ok
}

// natural evaluates a static expression of a unit, on the natural numbers up to 2^53. If it has no value that is
// reported.
func (e *Elaborator) natural(u *unit, x syntax.Expr) (natural, bool) {
	ops, x := u.File.Spine(x, syntax.BinExpr)
	a, ok := e.naturalLeaf(u, x)
	for i := len(ops) - 1; i >= 0 && ok; i-- {
		var b natural
		if b, ok = e.natural(u, u.File.Kids(ops[i])[1]); ok {
			a, ok = e.naturalOp(u, ops[i], a, b)
		}
	}
	return a, ok
}

func (e *Elaborator) naturalOp(u *unit, x syntax.Expr, a, b natural) (natural, bool) {
	op := u.File.Expr(x).Op
	switch {
	case e.values && (a.static != 0 || b.static != 0):
		s := e.Static.Add(term.StaticNode{Op: staticOps[op], A: e.staticOf(a), B: e.staticOf(b)})
		e.Static.Places[s] = e.place(e.spanIn(u, x))
		return natural{static: s}, true
	case a.static != 0 || b.static != 0:
		if n, ok := e.Static.Difference(e.staticOf(a), e.staticOf(b)); ok && op == syntax.MinusTok && n >= 0 {
			return natural{n: uint64(n)}, true // of a slice whose ends go on together
		}
		return natural{static: e.below(e.arithmetic(op, e.staticOf(a), e.staticOf(b)), load.MaxNat+1)}, true
	}
	c, problem := core.Arithmetic(staticOps[op], a.n, b.n)
	if problem != "" {
		if e.unreachable() {
			return natural{}, true
		}
		return e.noNatural(u, x, notNatural, problem)
	}
	return natural{n: c}, true
}

// place is where a run may fail, with the uses of defs that led there.
func (e *Elaborator) place(span syntax.Span) *core.At {
	return &core.At{Span: span, Notes: e.chain(4)}
}

// noNatural reports why a static expression has no value.
func (e *Elaborator) noNatural(u *unit, x syntax.Expr, headline, label string, notes ...syntax.Note) (natural,
	bool) {
	span := e.spanIn(u, x)
	if n := u.File.Expr(x); n.TextSpan.End > 0 && !u.Prelude {
		span = n.TextSpan
	}
	e.reportHere(span, headline, label, notes...)
	return natural{}, false
}

// naturalLeaf evaluates a static expression that is no operation: the parser makes them of numerals, names and size x.
func (e *Elaborator) naturalLeaf(u *unit, x syntax.Expr) (natural, bool) {
	switch n := u.File.Expr(x); {
	case n.Kind == syntax.NumExpr:
		return e.literal(u, x, n.Num, n.Text)
	case u.Refs[x].Kind == badRef:
		return natural{}, false
	case n.Kind == syntax.NameExpr:
		return e.staticName(u, x, n.Text)
	default:
		return e.sizeOf(u, x, n.Text)
	}
}

// literal is the number r as a natural one. The source has it as the text, if that is not empty.
func (e *Elaborator) literal(u *unit, x syntax.Expr, r float64, text string) (natural, bool) {
	whole := r == math.Trunc(r)
	if whole && r >= 0 && r <= load.MaxNat {
		return natural{n: uint64(r)}, true
	}
	text = cmp.Or(text, strconv.FormatFloat(r, 'g', -1, 64))
	if whole && r > load.MaxNat {
		return e.noNatural(u, x, notNatural, text+" is larger than 2^53")
	}
	return e.noNatural(u, x, notNatural, "a size or an index is a natural number, "+text+" is not")
}

// staticName is the number that a name stands for.
func (e *Elaborator) staticName(u *unit, x syntax.Expr, name string) (natural, bool) {
	of := "numerals, params and indices"
	if e.values {
		of = "numerals and params"
	}
	why, hint := name+" is a variable, a parameter of fun or let, or one of a def whose argument is not made of "+of, ""
	switch r := u.Refs[x]; r.Kind {
	case localRef:
		if a := e.act; a.unit == u {
			switch b := &e.slots[a.base+int(r.N)]; {
			case b.let != 0:
				if n := e.Static.Nodes[b.let]; n.Op == term.StaticNum {
					return e.literal(u, x, n.Val, "")
				}
				return natural{static: e.below(b.let, load.MaxNat+1)}, true
			case (b.index || b.static || u.Prelude) && b.is(core.StaticOp):
				return natural{static: term.Static(b.node.X)}, true
			case b.static || b.is(core.NumOp) && (b.index || u.Prelude): // of a function that takes static numbers
				return e.literal(u, x, b.node.Val, "")
			case e.alone:
				return natural{}, false
			}
		}
	default:
		g := &e.globals[r.N]
		switch b := &g.means; {
		case b.index:
			return natural{n: uint64(b.node.Val)}, true
		case b.kind == badBinding:
			return natural{}, false
		case b.is(core.DataOp):
			why = name + " is data, known to the program as a real"
			if g.list {
				why, hint = name+" is a list", "its number of elements is: size "+name
			}
		default:
			if why = name + " is " + g.phrase(); g.phrase() == "a def" {
				hint = "a static number is declared with param: param " + name + " = …"
			}
		}
	}
	return e.noNatural(u, x, notStatic,
		why+"; a size or an index is made of params and the indices of vec, sum, list and scan", note(hint)...)
}

// static returns the static expression of x, or 0 if x is not made of static numbers and of names that let gives to
// them. r is the node of x, or 0 if x has none of its own.
func (e *Elaborator) static(x syntax.Expr, r core.Ref) (s term.Static) {
	if s, _, ok := e.numeral(r); ok {
		return s
	}
	a := e.act
	ops, x := a.unit.File.Spine(x, syntax.BinExpr)
	switch n := e.expr(x); n.Kind {
	case syntax.NumExpr:
		s = e.Static.Number(n.Num)
	case syntax.NameExpr:
		switch b := e.meaning(x); {
		case b.let != 0:
			s = b.let
		case (b.index || b.static) && b.is(core.NumOp):
			s = e.Static.Number(b.node.Val)
		case e.isIndex(b):
			s = term.Static(b.node.X)
		}
	}
	for i := len(ops) - 1; i >= 0 && s != 0; i-- {
		other := e.static(e.kids(ops[i])[1], 0)
		if other == 0 {
			return 0
		}
		s = e.arithmetic(e.expr(ops[i]).Op, s, other)
	}
	return s
}

// phrase says in a sentence what a global is.
func (g *global) phrase() string {
	switch {
	case g.declared(syntax.ParamDecl):
		return "a param"
	case g.declared(syntax.InputDecl):
		return "an input"
	case g.declared(syntax.DataDecl):
		return "data"
	case g.means.kind == primBinding || g.unit.Prelude:
		return "a function"
	}
	return "a def"
}

func (e *Elaborator) sizeOf(u *unit, x syntax.Expr, name string) (natural, bool) {
	what := "a variable"
	switch r := u.Refs[x]; r.Kind {
	case localRef:
		b := e.slots[e.act.base+int(r.N)]
		if n, ok := e.Types.VectorSize(e.bindingType(b)); ok {
			return natural{n: uint64(n)}, true
		}
		if b.is(core.VarOp) && e.Types.At(e.bindingType(b)).Kind == core.Open {
			return e.noNatural(u, x, sizeNotKnown,
				"the type of "+name+" is not known here: annotate it, as in ("+name+" : R^3)")
		}
		if b.index {
			what = "an index"
		}
	default:
		g := &e.globals[r.N]
		g.used = true
		what = g.phrase()
		switch b := &g.means; {
		case b.kind == badBinding || b.is(core.DataOp) && e.Data[g.n].Bad:
			return natural{}, false
		case g.list || g.declared(syntax.DataDecl) && e.Data[g.n].Shape.Kind == load.List:
			return natural{n: uint64(e.Data[g.n].Value.Rows)}, true
		case b.kind == atomBinding && !b.is(core.NumOp) && !(e.values && g.declared(syntax.InputDecl)):
			if n, ok := e.Types.VectorSize(b.node.Type); ok {
				return natural{n: uint64(n)}, true
			}
			if b.is(core.DataOp) {
				what = "neither"
			}
		}
	}
	return e.noNatural(u, x, "no size", "size takes a data list or a vector, "+name+" is "+what)
}

// bindingType is the type of what a name stands for, as far as it is known.
func (e *Elaborator) bindingType(b binding) core.Type {
	switch b.kind {
	case atomBinding:
		return b.node.Type
	case nodeBinding:
		return b.val.typ
	}
	return core.R
}

// inRange checks an index, or leaves that for the end. It reports whether the index is good as far as is known. One of
// a branch that is not taken becomes 0 where it is out of range.
func (e *Elaborator) inRange(span syntax.Span, n core.Size, at *natural, v val) bool {
	i := int(at.n)
	if s := e.Types.SizeAt(n); s.Known {
		if at.static != 0 {
			at.static = e.below(at.static, float64(s.N))
			return true
		}
		if i >= s.N && e.unreachable() {
			i, at.n = 0, 0
		}
		if i < s.N {
			return true
		}
		e.reportHere(span, "index out of range", core.RangeLabel(uint64(i), uint64(s.N), e.Types.Text().Of(v.typ)))
		return false
	}
	facts := e.facts
	if at.static == 0 && e.unreachable() {
		at.static = e.Static.Number(float64(at.n))
	}
	s := at.static
	if s != 0 { // its bound is set at the end
		at.static = e.Static.Add(term.StaticNode{Op: term.StaticBelow, A: s, Val: math.Inf(1)})
	}
	within := at.static
	e.atEnd(span, func(open bool) (headline, label string) {
		size, known := e.Types.VectorSize(v.typ)
		if !known {
			if open || len(e.diags) > 0 { // a type may be open because of an error
				return "", ""
			}
			return sizeNotKnown, "the size of this vector is not known: annotate it, as in (v : R^3)"
		}
		wrong, first := i >= size, float64(i)
		if s != 0 {
			var outside bool
			before := e.facts
			e.facts = facts
			outside, first, wrong = e.outside(s, float64(size))
			if e.facts = before; outside {
				e.Static.Nodes[within].Val = float64(size)
			} else {
				e.Static.Nodes[within] = e.Static.Nodes[s]
			}
		}
		if wrong {
			return "index out of range", core.RangeLabel(uint64(first), uint64(size), e.Types.Text().Of(v.typ))
		}
		return "", ""
	})
	return true
}

// needSize notes that the sizes in t, a vector or a vector of vectors, are needed at the end.
func (e *Elaborator) needSize(t core.Type, span syntax.Span, p core.Prim) {
	e.atEnd(span, func(open bool) (headline, label string) {
		if _, _, known := e.Types.Element(t); open || len(e.diags) > 0 || known {
			return "", ""
		}
		return sizeNotKnown, "the sizes of the vectors that " + p.Name() +
			" takes are not known: annotate one, as in (v : R^3)"
	})
}

const sizeNotKnown = "size not known"

// atEnd leaves a check of what stands at span for the end, when types are known. open tells that sizes may stay open.
func (e *Elaborator) atEnd(span syntax.Span, check func(open bool) (headline, label string)) {
	notes := e.chain(4)
	e.pending = append(e.pending, func(open bool) {
		if headline, label := check(open); label != "" {
			e.report(e.user, span, headline, label, notes...)
		}
	})
}
