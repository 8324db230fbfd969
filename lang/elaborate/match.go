package elaborate

import (
	"slices"
	"strings"

	"github.com/gram-machine/gram/lang/core"
	"github.com/gram-machine/gram/lang/syntax"
	"github.com/gram-machine/gram/term"
)

// matching elaborates a match, or a pattern elsewhere.
type matching struct {
	e      *Elaborator
	x      syntax.Expr
	pos    term.Pos // of what takes values apart
	names  map[place]uint32
	vars   map[place]core.Var
	types  map[place]core.Type
	result core.Type // of the cases, 0 before the first
}

// match elaborates match e with | p -> e …, as cases that look at one constructor each. A case that several ways lead
// to is elaborated for each of them.
func (e *Elaborator) match(x syntax.Expr) val {
	if e.refused(e.span(x), "match") {
		return e.bad(e.span(x))
	}
	u := e.eval(e.kids(x)[0], 0)
	m := &matching{e: e, x: x, pos: e.at(e.expr(x).Span.Start), types: map[place]core.Type{0: u.typ},
		vars: map[place]core.Var{}}
	errs := len(e.diags)
	pats := e.act.unit.File.Pats(x)
	cases := m.patterns(pats, slices.Repeat([]core.Type{u.typ}, len(pats)))
	if len(e.diags) > errs || e.fam.failed {
		return e.bad(e.span(x))
	}
	r := decide(cases)
	m.report(r, pats)
	if len(e.diags) > errs || e.fam.failed {
		return e.bad(e.span(x))
	}
	m.names = r.Names
	opens := len(e.opens)
	if n := &e.Core.Nodes[u.node]; n.Op == core.VarOp && !n.X.Input() {
		m.vars[0] = n.X
	} else if r.Names[0] != 0 || r.Tree.Next == nil {
		m.vars[0] = m.place(0, m.pos)
		e.opens = append(e.opens, core.Opening{Node: core.Node{Op: core.LetOp, X: m.vars[0], B: u.node, Pos: m.pos}})
		u.node = 0
	}
	n := m.tree(r.Tree, u.node)
	v := e.wrap(val{node: n, typ: m.result}, opens)
	v.span, v.head = e.span(x), e.span(x)
	return e.result(v)
}

// report reports what is wrong with the cases.
func (m *matching) report(r *decisions, pats []syntax.Pat) {
	e, keyword := m.e, m.e.span(m.x)
	if !e.act.unit.Prelude {
		keyword.End = keyword.Start + uint32(len(syntax.MatchTok.String()))
	}
	if r.TooMany {
		e.reportHere(keyword, "too many cases", "cases that look at one constructor each would be more than 16384")
		return
	}
	for _, i := range r.Useless {
		f := e.act.unit.File
		e.reportHere(e.patSpan(pats[i]), "useless case",
			"the cases above take "+f.Text(f.Pat(pats[i]).Span)+" already")
	}
	if len(r.Missing) > 0 {
		e.reportHere(keyword, "missing case", "no case takes "+strings.Join(r.Missing, ", or "))
	}
}

// pattern types a pattern for values of type t.
func (m *matching) pattern(p syntax.Pat, t core.Type) *casePattern {
	e := m.e
	u := e.act.unit
	out := &casePattern{}
	switch n := u.File.Pat(p); n.Kind {
	case syntax.NamePat:
		e.note(e.patSpan(p), t)
		out.Name = uint32(p)
	case syntax.AnnotPat:
		p = u.File.PatKids(p)[0]
		e.annotate(u, n.Type, val{typ: t, span: e.patSpan(p)}, "its annotation says")
		return m.pattern(p, t)
	case syntax.TuplePat:
		parts := e.flatten(p)
		out.Parts = m.patterns(parts, e.productOf(patternItem{p: p, t: t}, len(parts)))
	case syntax.VecPat:
		elem, kids := e.Types.Open(), u.File.PatKids(p)
		e.wantPattern(patternItem{p: p, t: t}, e.Types.Vec(elem, e.Types.KnownSize(len(kids))))
		out.Vector, out.Parts = true, m.patterns(kids, slices.Repeat([]core.Type{elem}, len(kids)))
	case syntax.ConPat:
		g, parts, types, ok := e.constructorOf(p, t)
		if !ok {
			e.bindBad(p)
			return out
		}
		out.Type, out.Con, out.Parts = &e.Types.Inductives[g.n], int(g.num), m.patterns(parts, types)
		if len(parts) > 1 {
			out.Parts = []*casePattern{{Parts: out.Parts}}
		}
	}
	return out
}

func (m *matching) patterns(list []syntax.Pat, types []core.Type) []*casePattern {
	return syntax.Each(len(list), func(i int) *casePattern { return m.pattern(list[i], types[i]) })
}

// place makes the variable of a place.
func (m *matching) place(p place, pos term.Pos) core.Var {
	v := core.VarInfo{Type: m.types[p], Pos: pos}
	if name := m.names[p]; name != 0 {
		n := m.e.act.unit.File.Pat(syntax.Pat(name))
		v.Name, v.Pos = n.Text, m.e.at(n.Span.Start)
	}
	return m.e.Core.NewVar(v)
}

// parts makes the variables of what a tree does with its i-th constructor, whose argument they are, or with a tuple or
// vector. It returns the first of them.
func (m *matching) parts(t *decision, i int) core.Var {
	e, ty, first := m.e, m.types[t.Place], core.Var(len(m.e.Core.Vars))
	if t.Type != nil {
		ty = e.Types.Argument(ty, i)
	}
	for k, p := range t.Parts[i] {
		m.types[p] = ty
		if n := e.Types.At(ty); t.Vector {
			m.types[p] = n.A
		} else if k < len(t.Parts[i])-1 {
			m.types[p], ty = n.A, n.B
		}
		m.vars[p] = m.place(p, m.pos)
	}
	return first
}

// open opens what can be taken apart in one way only, around what follows: it returns the rest of the tree. u is the
// node of its place, 0 for an occurrence of its variable.
func (m *matching) open(t *decision, u core.Ref) *decision {
	for ; len(t.Next) == 1; t = t.Next[0] {
		if u == 0 && m.x != 0 {
			u = m.occurrence(t)
		}
		o := core.Opening{From: m.vars[t.Place],
			Node: core.Node{Op: core.TupleOp, B: u, Pos: m.pos, Val: float64(len(t.Parts[0]))}}
		switch {
		case t.Type != nil:
			o.Op = core.CaseOp
		case t.Vector:
			o.Op = core.UnvecOp
		}
		o.X, u = m.parts(t, 0), 0
		m.e.opens = append(m.e.opens, o)
	}
	return t
}

// occurrence makes an occurrence of the place of a tree.
func (m *matching) occurrence(t *decision) core.Ref {
	return m.e.Core.Add(core.Node{Op: core.VarOp, X: m.vars[t.Place], Pos: m.pos, Type: m.types[t.Place], Value: true})
}

// bind gives the names of a leaf their variables.
func (m *matching) bind(t *decision) {
	a := m.e.act
	for _, b := range t.Binds {
		m.e.slots[a.base+int(a.unit.Slots[b.Name])] = m.e.bound(m.vars[b.Place])
	}
}

// tree makes the node of a tree. u is the node of its place, 0 for an occurrence of its variable.
func (m *matching) tree(t *decision, u core.Ref) core.Ref {
	e, opens := m.e, len(m.e.opens)
	e.step()
	if t = m.open(t, u); len(e.opens) > opens {
		u = 0
	}
	if t.Next == nil {
		m.bind(t)
		v := e.eval(e.kids(m.x)[t.Row+1], 0)
		if m.result == 0 {
			m.result = v.typ
		} else {
			e.want(v, m.result, reason{text: "the cases above are"})
		}
		return e.wrap(v, opens).node
	}
	if u == 0 {
		u = m.occurrence(t)
	}
	var branches []core.Branch
	for i, next := range t.Next {
		x := m.parts(t, i)
		branches = append(branches, core.Branch{X: x, N: len(t.Parts[i]), Body: m.tree(next, 0)})
	}
	off := e.Core.Branches(branches)
	n := e.Core.Add(core.Node{Op: core.CaseOp, Pos: m.pos, Val: float64(len(branches)), A: u, B: off, Type: m.result})
	return e.wrap(val{node: n, typ: m.result}, opens).node
}

// takeApart opens a pattern of fun, let or a parameter: outside in, then left to right.
func (e *Elaborator) takeApart(it patternItem) {
	m := &matching{e: e, pos: e.at(e.act.unit.File.Pat(it.p).Span.Start), types: map[place]core.Type{0: it.t},
		vars: map[place]core.Var{0: it.x}}
	r := decide([]*casePattern{m.pattern(it.p, it.t)})
	if len(r.Missing) > 0 {
		e.reportHere(e.patSpan(it.p), "missing case", r.Missing[0]+" is not taken; use match")
		e.bindBad(it.p)
		return
	}
	m.names = r.Names
	m.bind(m.open(r.Tree, it.u))
}

// openFun makes the pattern p the parameter of a λ around what follows.
func (e *Elaborator) openFun(p syntax.Pat) {
	t := e.Types.Open()
	x := e.patternVar(p, t)
	if e.act.unit.File.Pat(p).Kind == syntax.NamePat {
		e.Core.Vars[x].Binder = core.FunBinder
	}
	pos := e.at(e.act.unit.File.Pat(p).Span.Start)
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
	pos := e.at(e.act.unit.File.Pat(p).Span.Start)
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
	f := e.act.unit.File
	k := f.Pat(f.Bare(p)).Kind
	return k == syntax.TuplePat || k == syntax.VecPat || k == syntax.ConPat
}

// patternVar makes the variable of a pattern: it has a name only if the pattern has.
func (e *Elaborator) patternVar(p syntax.Pat, t core.Type) core.Var {
	f := e.act.unit.File
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
	unit := e.act.unit
	switch n := unit.File.Pat(it.p); n.Kind {
	case syntax.NamePat:
		e.slots[e.act.base+int(unit.Slots[it.p])] = e.bound(it.x)
		e.note(e.patSpan(it.p), it.t)
	case syntax.AnnotPat:
		it.p = unit.File.PatKids(it.p)[0]
		v := val{typ: it.t, span: it.span}
		if v.span.End == 0 {
			v.span = e.patSpan(it.p)
		}
		e.annotate(unit, n.Type, v, "its annotation says")
		e.bindPattern(it)
	case syntax.TuplePat, syntax.VecPat, syntax.ConPat:
		e.takeApart(it)
	}
}

// flatten returns the components of a tuple pattern, those of a last component that is a tuple itself included.
func (e *Elaborator) flatten(p syntax.Pat) []syntax.Pat {
	f := e.act.unit.File
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
	for i := range n - 1 {
		isPair := e.Types.At(t).Kind == core.Prod
		if !isPair && e.Types.Unify(t, e.Types.Prod(e.Types.Open(), e.Types.Open())) != core.NoClash {
			for j := i; j < n; j++ {
				types[j] = e.Types.Open()
			}
			whole := types[n-1]
			for _, a := range slices.Backward(types[:n-1]) {
				whole = e.Types.Prod(a, whole)
			}
			e.wantPattern(it, whole)
			return types
		}
		node := e.Types.At(t)
		types[i], t = node.A, node.B
	}
	types[n-1] = t
	return types
}

// mostNested is how deep a static number nests, at most, that a name stands for: each may name others twice.
const mostNested = 16

// let opens let p … = u in body, whose body it returns.
func (e *Elaborator) let(x syntax.Expr) syntax.Expr {
	f := e.act.unit.File
	pats, kids, n := f.Pats(x), f.Kids(x), len(e.opens)
	for _, p := range pats[1:] {
		e.openFun(p)
	}
	errors := len(e.diags)
	u := e.wrap(e.eval(kids[0], 0), n)
	e.wrapped()
	e.openLet(pats[0], u)
	if p := f.Bare(pats[0]); len(pats) == 1 && f.Pat(p).Kind == syntax.NamePat && len(e.diags) == errors {
		if s := e.static(kids[0], u.node); s != 0 && e.Static.Nesting(s) <= mostNested {
			e.slots[e.act.base+int(e.act.unit.Slots[p])].let = s
		}
	}
	return kids[1]
}
