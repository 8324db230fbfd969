package elaborate

import (
	"github.com/gram-machine/gram/lang/core"
	"github.com/gram-machine/gram/lang/syntax"
	"github.com/gram-machine/gram/term"
)

// matching elaborates a match.
type matching struct {
	e      *Elaborator
	x      syntax.Expr
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
	m := &matching{e: e, x: x, types: map[place]core.Type{0: u.typ}, vars: map[place]core.Var{}}
	errs := len(e.diags)
	var cases []*casePattern
	pats := e.act().unit.File.Pats(x)
	for _, p := range pats {
		cases = append(cases, m.pattern(p, u.typ))
	}
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
		pos := e.at(e.expr(x).Span.Start)
		m.vars[0] = m.place(0, pos)
		e.opens = append(e.opens, core.Opening{Kind: core.OpenLet, X: m.vars[0], U: u.node, Pos: pos})
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
	if !e.act().unit.Prelude {
		keyword.End = keyword.Start + uint32(len(syntax.MatchTok.String()))
	}
	if r.TooMany {
		e.reportHere(keyword, "too many cases", "cases that look at one constructor each would be more than 16384")
		return
	}
	for _, i := range r.Useless {
		e.reportHere(e.patSpan(pats[i]), "useless case",
			"the cases above take "+e.act().unit.File.Text(e.act().unit.File.Pat(pats[i]).Span)+" already")
	}
	if len(r.Missing) > 0 {
		label := "no case takes " + r.Missing[0]
		for _, other := range r.Missing[1:] {
			label += ", or " + other
		}
		e.reportHere(keyword, "missing case", label)
	}
}

// pattern types a pattern for values of type t.
func (m *matching) pattern(p syntax.Pat, t core.Type) *casePattern {
	e := m.e
	u := e.act().unit
	out := &casePattern{}
	switch n := u.File.Pat(p); n.Kind {
	case syntax.NamePat:
		e.notePattern(u, p, t)
		out.Name = uint32(p)
	case syntax.AnnotPat:
		p = u.File.PatKids(p)[0]
		e.checkAnnotation(u, n.Type, val{typ: t, span: e.patSpan(p)}, "its annotation says")
		return m.pattern(p, t)
	case syntax.TuplePat:
		parts := e.flatten(p)
		out.Parts = m.patterns(parts, e.productOf(patternItem{p: p, t: t}, len(parts)))
	case syntax.VecPat:
		elem := e.Types.Open()
		out.Vector = true
		for _, k := range u.File.PatKids(p) {
			out.Parts = append(out.Parts, m.pattern(k, elem))
		}
		e.wantPattern(patternItem{p: p, t: t}, e.Types.Vec(elem, e.Types.KnownSize(len(out.Parts))))
	case syntax.ConPat:
		g, parts, types, ok := e.constructorOf(p, t)
		if !ok {
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
	var out []*casePattern
	for i, p := range list {
		out = append(out, m.pattern(p, types[i]))
	}
	return out
}

// place makes the variable of a place.
func (m *matching) place(p place, pos term.Pos) core.Var {
	v := core.VarInfo{Type: m.types[p], Pos: pos}
	if name := m.names[p]; name != 0 {
		n := m.e.act().unit.File.Pat(syntax.Pat(name))
		v.Name, v.Pos = n.Text, m.e.at(n.Span.Start)
	}
	return m.e.Core.NewVar(v)
}

// tree makes the node of a tree. u is the node of its place, 0 for an occurrence of its variable.
func (m *matching) tree(t *decision, u core.Ref) core.Ref {
	e := m.e
	e.step()
	pos := e.at(e.expr(m.x).Span.Start)
	if t.Next == nil {
		a := e.act()
		for _, b := range t.Binds {
			e.slots[a.base+int(a.unit.Slots[b.Name])] = binding{kind: varBinding, x: m.vars[b.Place]}
		}
		v := e.eval(e.kids(m.x)[t.Row+1], 0)
		if m.result == 0 {
			m.result = v.typ
		} else {
			e.want(v, m.result, reason{kind: sameReason, text: "the cases above are"})
		}
		return v.node
	}
	if u == 0 {
		u = e.Core.Add(core.Node{Op: core.VarOp, X: m.vars[t.Place], Pos: pos, Value: true})
	}
	ty := m.types[t.Place]
	if t.Type == nil {
		b := m.branch(t, 0, ty)
		n := core.Node{Op: core.TupleOp, Pos: pos, X: b.X, Val: float64(b.N), A: b.Body, B: u}
		if t.Vector {
			n.Op = core.UnvecOp
		}
		return e.Core.Add(n)
	}
	var branches []core.Branch
	for i := range t.Next {
		branches = append(branches, m.branch(t, i, e.Types.Argument(ty, i)))
	}
	off := e.Core.Branches(branches)
	return e.Core.Add(core.Node{Op: core.CaseOp, Pos: pos, Val: float64(len(branches)), A: u, B: off, Type: ty})
}

// branch makes what the tree does with its i-th constructor, whose argument has type ty, or with a tuple or vector of
// type ty.
func (m *matching) branch(t *decision, i int, ty core.Type) core.Branch {
	e, parts := m.e, t.Parts[i]
	b := core.Branch{X: core.Var(len(e.Core.Vars)), N: len(parts)}
	for k, p := range parts {
		m.types[p] = ty
		if n := e.Types.At(ty); t.Vector {
			m.types[p] = n.A
		} else if k < len(parts)-1 {
			m.types[p], ty = n.A, n.B
		}
		m.vars[p] = m.place(p, e.at(e.expr(m.x).Span.Start))
	}
	b.Body = m.tree(t.Next[i], 0)
	return b
}
