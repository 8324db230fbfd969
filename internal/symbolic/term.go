package symbolic

import (
	"fmt"
	"slices"

	"github.com/gram-machine/gram/graph"
	"github.com/gram-machine/gram/term"
)

// use returns an occurrence of what r stands for.
func (rd *reader) use(r graph.Ref) term.Ref {
	if x := rd.vars[r]; x != 0 {
		return rd.out.Variable(0, x)
	}
	switch n := &rd.m.nodes[r]; {
	case n.Kind() == graph.Num:
		return rd.out.Num(0, n.Number())
	case rd.isNull(r):
		return rd.out.Dual(rd.place(r), func(term.Var) term.Ref { return rd.out.Zero(0) })
	}
	return rd.exprs[r]
}

// isNull reports whether r is λa.0⃗, which has no name: each use is one of its own.
func (rd *reader) isNull(r graph.Ref) bool {
	if rd.m.nodes[r].Kind() != graph.DualCell {
		return false
	}
	if r == graph.NullDual {
		return true
	}
	i := rd.m.first[r]
	return len(rd.m.scopes[i].summands)+len(rd.lets[i]) == 0
}

func (rd *reader) useAll(rs []graph.Ref) []term.Ref {
	out := make([]term.Ref, len(rs))
	for i, r := range rs {
		out[i] = rd.use(r)
	}
	return out
}

// body returns the term of a scope: its result, or the sum of its applications of
// dual variables, under its lets.
func (rd *reader) body(scope int) term.Ref {
	s := &rd.m.scopes[scope]
	var t term.Ref
	if s.root != 0 {
		t = rd.use(s.root)
	} else {
		t = rd.sum(s)
	}
	return rd.under(scope, t)
}

// under puts t under the lets of the scope.
func (rd *reader) under(scope int, t term.Ref) term.Ref {
	lets := rd.lets[scope]
	for i := len(lets) - 1; i >= 0 && rd.look(i+1); i-- {
		switch b := &lets[i]; {
		case b.opened == nil:
			t = rd.out.Let(b.pos, b.x, b.u, t)
		case len(b.opened) == 2 && rd.out.Types.Kind(rd.opened(b)) == term.ProdKind:
			t = rd.out.Unpair(b.pos, b.opened[0], b.opened[1], b.u, t)
		default:
			t = rd.out.Unvec(b.pos, b.opened, b.u, t)
		}
	}
	return t
}

// opened returns the type of what is opened: b.u is a variable.
func (rd *reader) opened(b *binder) term.Type { return rd.out.TypeOf(rd.out.Nodes[b.u].X) }

// sum returns Σ x*(arg) over the scope's summands, 0⃗ if there is none.
func (rd *reader) sum(s *scope) term.Ref {
	if len(s.summands) == 0 {
		return rd.out.Zero(0)
	}
	var t term.Ref
	for i, x := range s.summands {
		if !rd.look(i + 1) {
			break
		}
		u := rd.out.App(0, rd.use(x.head), rd.use(x.arg))
		if i == 0 {
			t = u
		} else {
			t = rd.out.Add(0, t, u)
		}
	}
	return t
}

// expression makes the term of an object that is no atom.
func (rd *reader) expression(r graph.Ref) (e term.Ref, typ term.Type, err error) {
	m, out, tt := rd.m, rd.out, rd.out.Types
	n := &m.nodes[r]
	pos := rd.place(r)
	switch n.Kind() {
	case graph.Inert:
		refs := m.refs(r)
		for _, v := range refs {
			rd.linear[r] = rd.linear[r] || rd.linear[v]
		}
		if sym := term.Symbol(n.Head >> graph.KindShift); sym != term.NoSymbol {
			return out.Fun(pos, sym, rd.useAll(refs)...), term.R, nil
		}
		return out.Add(pos, rd.use(refs[0]), rd.use(refs[1])), term.R, nil
	case graph.Pair:
		c := graph.Components(m.nodes, m.words, r)
		return out.Pair(pos, rd.use(c[0]), rd.use(c[1])), tt.Prod(rd.typ[c[0]], rd.typ[c[1]]), nil
	case graph.Vec:
		c := graph.Components(m.nodes, m.words, r)
		return out.Vec(pos, rd.useAll(c)), tt.Vec(len(c), rd.typ[c[0]]), nil
	case graph.Closure:
		if group := m.group(r); group != nil {
			e, typ = rd.fix(r, group)
			return e, typ, nil
		}
		e, typ = rd.lambda(r)
		return e, typ, nil
	case graph.Partial:
		if m.group(n.A) == nil {
			e, typ = rd.lambda(r)
			return e, typ, nil
		}
		refs := m.refs(r)
		e, typ = rd.use(refs[0]), rd.typ[refs[0]]
		for _, a := range refs[1:] {
			e, typ = out.App(pos, e, rd.use(a)), tt.Right(typ)
		}
		return e, typ, nil
	case graph.DualCell:
		e, typ = rd.lambda(r)
		return e, typ, nil
	case graph.Con:
		typ, index := term.Type(n.A), int(n.Head>>graph.KindShift)
		if n.V == 0 {
			return out.Con(pos, typ, index, 0), typ, nil
		}
		return out.Con(pos, typ, index, rd.use(graph.Ref(n.V))), typ, nil
	case graph.List, graph.DataList, graph.Nat:
		return rd.literal(r)
	case graph.Neutral:
		return rd.neutral(r)
	}
	return 0, 0, fmt.Errorf("a %s cannot be read back", n.Kind())
}

// fix makes the term of a recursive function.
func (rd *reader) fix(r graph.Ref, group []uint32) (term.Ref, term.Type) {
	m := rd.m
	var fs []term.Var
	var lams []term.Ref
	var typ term.Type
	member := 0
	for i, id := range group {
		f := rd.vars[m.names[r][i]]
		rd.out.ToChange(f).Name = m.prog.Templates[id].Name
		fs, lams = append(fs, f), append(lams, rd.lambdas(r, int(m.first[r])+i))
		if id == m.nodes[r].Head>>graph.KindShift {
			member, typ = i, rd.out.TypeOf(f)
		}
	}
	return rd.out.Fix(rd.place(r), fs, lams, member), typ
}

// lambdas makes the λs of a scope.
func (rd *reader) lambdas(r graph.Ref, scope int) term.Ref {
	e := rd.body(scope)
	for _, x := range slices.Backward(rd.m.scopes[scope].vars) {
		e = rd.out.Lam(rd.place(r), rd.vars[x], e)
	}
	return e
}

// lambda makes the λ of a closure, a partial application or a dual.
func (rd *reader) lambda(r graph.Ref) (term.Ref, term.Type) {
	tt := rd.out.Types
	i := int(rd.m.first[r])
	s := &rd.m.scopes[i]
	e := rd.lambdas(r, i)
	if rd.m.nodes[r].Kind() == graph.DualCell {
		return e, term.AbstractDual
	}
	typ := rd.typ[s.root]
	for _, x := range slices.Backward(s.vars) {
		typ = tt.Arrow(rd.out.TypeOf(rd.vars[x]), typ)
	}
	return e, typ
}

// neutral makes the term of a neutral application or conditional.
func (rd *reader) neutral(r graph.Ref) (e term.Ref, typ term.Type, err error) {
	m := rd.m
	op, operands := m.neutral(r)
	typ = term.Type(m.words[4*uint64(r)+graph.NeutralType])
	if op == graph.NeutralApp {
		e = rd.use(operands[0])
		for _, a := range operands[1:] {
			e = rd.out.App(0, e, rd.use(a))
		}
		return e, typ, nil
	}
	in := &m.prog.Code[m.words[4*uint64(r)+graph.NeutralNumber]]
	i := int(m.first[r])
	if op == graph.NeutralCase {
		var branches []term.Branch
		for k := range m.prog.Cases[in.Tmpl] {
			b := term.Branch{Pos: in.Pos, Body: rd.body(i + k)}
			for _, x := range m.scopes[i+k].vars {
				b.Vars = append(b.Vars, rd.vars[x])
			}
			branches = append(branches, b)
		}
		return rd.out.Case(in.Pos, m.typeOf(operands[0]), rd.use(operands[0]), branches), typ, nil
	}
	return rd.out.If(in.Pos, in.Cmp, rd.use(operands[0]), rd.use(operands[1]), rd.body(i), rd.body(i+1)), typ, nil
}

// literal makes the term of a list, of data or of a numeral #n.
func (rd *reader) literal(r graph.Ref) (e term.Ref, typ term.Type, err error) {
	m, out, tt := rd.m, rd.out, rd.out.Types
	n := &m.nodes[r]
	typ = m.engine.IterationType(r)
	if n.Kind() == graph.Nat {
		return out.Nat(0, n.V, tt.Left(tt.Left(typ))), typ, nil
	}
	elem, res := tt.Left(tt.Left(typ)), tt.Left(tt.Right(typ))
	if n.Kind() == graph.DataList && int(n.A) >= len(out.Data) {
		return out.List(0, elem, res, rd.numerals(int(n.A))), typ, nil
	}
	if n.Kind() == graph.DataList {
		return out.DataRef(0, int(n.A), elem, res), typ, nil
	}
	i := int(m.first[r])
	elems := graph.Components(m.nodes, m.words, m.scopes[i].root)
	if len(rd.lets[i]) > 0 {
		return rd.church(i, elems, elem, res), typ, nil
	}
	return out.List(rd.place(r), elem, res, rd.useAll(elems)), typ, nil
}

// numerals returns the elements of a list literal of numerals: r, or ⟨r, λa.0⃗⟩ in a
// reversed program.
func (rd *reader) numerals(data int) []term.Ref {
	var out []term.Ref
	for _, v := range rd.m.prog.Data[data].Values {
		e := rd.out.Num(0, v)
		if rd.m.prog.Reversed {
			e = rd.out.ReverseNum(0, e)
		}
		out = append(out, e)
	}
	return out
}

// church makes the λ-term of a list whose elements share something.
func (rd *reader) church(scope int, elems []graph.Ref, elem, res term.Type) term.Ref {
	out, tt := rd.out, rd.out.Types
	f := out.NewVar(term.VarInfo{Name: "f", Type: tt.Arrow(elem, tt.Arrow(res, res))})
	x := out.NewVar(term.VarInfo{Name: "x", Type: res})
	t := out.Variable(0, x)
	for i := len(elems) - 1; i >= 0; i-- {
		t = out.App(0, out.App(0, out.Variable(0, f), rd.use(elems[i])), t)
	}
	return out.Lam(0, f, out.Lam(0, x, rd.under(scope, t)))
}
