package machine

import (
	"fmt"

	"github.com/gram-machine/gram/graph"
	"github.com/gram-machine/gram/term"
)

// reader reads the normalised graph back as a term. An object that several places
// refer to, or one place in an inner scope, is bound by a let of the scope that it
// belongs to; any other stands where it is used.
type reader struct {
	m      *Machine
	out    *term.Term
	uses   []uint32   // of each node
	outer  []bool     // the node is used in a scope inside its own
	exprs  []term.Ref // of nodes that have been read
	vars   []term.Var // of nodes that a variable stands for
	typ    []term.Type
	linear []bool // the node depends on the a of a dual λ
	state  []uint8
	lets   [][]binder // of each scope, outermost first
	inputs []term.Var
	stack  []graph.Ref
}

// binder is a let, or the opening of a pair or a vector whose components are vars.
type binder struct {
	x      term.Var
	opened []term.Var
	u      term.Ref
	pos    term.Pos
}

// The states of a node.
const (
	unread = iota
	waiting
	done
)

func (m *Machine) readNormal(source *term.Term, inputs []term.Var) (*term.Term, error) {
	n := int(m.top)
	out := term.New(source.Types)
	out.Vars = append([]term.VarInfo(nil), source.Vars...)
	out.Data = source.Data
	rd := &reader{m: m, out: out, uses: make([]uint32, n), outer: make([]bool, n), exprs: make([]term.Ref, n),
		vars: make([]term.Var, n), typ: make([]term.Type, n), linear: make([]bool, n), state: make([]uint8, n),
		lets: make([][]binder, len(m.normal.scopes)), inputs: inputs}
	rd.count()
	if err := rd.read(); err != nil {
		return nil, err
	}
	rd.out.Root = rd.body(0)
	return rd.out, nil
}

// count counts how often each node is used, and where.
func (rd *reader) count() {
	m := rd.m
	use := func(r graph.Ref, s int32) {
		rd.uses[r]++
		rd.outer[r] = rd.outer[r] || m.scopeOf(r) != s
	}
	for r := range m.normal.seen {
		if m.normal.seen[r] {
			s := m.scopeOf(graph.Ref(r))
			for _, v := range m.refs(graph.Ref(r)) {
				use(v, s)
			}
		}
	}
	for i := range m.normal.scopes {
		s := &m.normal.scopes[i]
		for _, x := range s.summands {
			use(x.head, int32(i))
			use(x.arg, int32(i))
		}
		if s.root != 0 {
			use(s.root, int32(i))
		}
	}
}

// read makes the terms of all nodes, those that a node refers to first.
func (rd *reader) read() error {
	s := &rd.m.normal.scopes[0]
	rd.push(s.root)
	for i := len(rd.m.open.made[:s.madeTo]) - 1; i >= 0; i-- {
		rd.push(rd.m.open.made[i])
	}
	for n := 1; len(rd.stack) > 0; n++ {
		if n%lookEvery == 0 {
			if err := rd.m.look(); err != nil {
				return err
			}
		}
		r := rd.stack[len(rd.stack)-1]
		switch rd.state[r] {
		case unread:
			rd.state[r] = waiting
			rd.parts(r)
		case waiting:
			rd.stack = rd.stack[:len(rd.stack)-1]
			rd.state[r] = done
			if err := rd.node(r); err != nil {
				return err
			}
		default:
			rd.stack = rd.stack[:len(rd.stack)-1]
		}
	}
	return nil
}

func (rd *reader) push(r graph.Ref) {
	if rd.state[r] == unread {
		rd.stack = append(rd.stack, r)
	}
}

// parts pushes what must be read before r; what stands first is pushed last.
func (rd *reader) parts(r graph.Ref) {
	m := rd.m
	refs := m.refs(r)
	for i := len(refs) - 1; i >= 0; i-- {
		rd.push(refs[i])
	}
	first, ok := m.normal.first[r]
	if !ok {
		return
	}
	for i := int(first); i < len(m.normal.scopes) && m.normal.scopes[i].owner == r; i++ {
		s := &m.normal.scopes[i]
		for _, x := range s.vars {
			rd.variable(x)
		}
		inner := m.scopeRefs(nil, s)
		for i := len(inner) - 1; i >= 0; i-- {
			rd.push(inner[i])
		}
	}
}

// variable makes the variable of a λ that normalisation went under.
func (rd *reader) variable(x graph.Ref) {
	m := rd.m
	w := 4 * uint64(x)
	info := term.VarInfo{Name: "a", Type: term.Type(m.words[w+neutralType])}
	if from := term.Var(m.words[w+neutralNumber]); from != 0 {
		info = m.normal.source.Vars[from]
	}
	s := &m.normal.scopes[m.scopeOf(x)]
	info.Linear = m.nodes[s.owner].Kind() == graph.DualCell
	rd.linear[x] = info.Linear
	rd.vars[x], rd.typ[x], rd.state[x] = rd.out.NewVar(info), info.Type, done
}

// node makes the term of r, whose parts have been read, and binds it to a variable if
// it is shared.
func (rd *reader) node(r graph.Ref) error {
	m := rd.m
	n := &m.nodes[r]
	switch n.Kind() {
	case graph.Num:
		rd.typ[r] = term.R
		return nil
	case graph.SymInput, graph.Input:
		rd.input(r)
		return nil
	case graph.Pair, graph.Vec:
		if atom, ok := m.normal.reflected[r]; ok {
			rd.vars[r], rd.typ[r] = rd.vars[atom], rd.typ[atom]
			return nil
		}
		if x, ok := rd.inputPair(r); ok {
			rd.vars[r], rd.typ[r] = x, rd.out.Vars[x].Type
			return nil
		}
	case graph.Neutral:
		if op, operands := m.neutralOp(r); op == neutralComponent {
			rd.open(operands[0])
			return nil
		}
	}
	e, typ, err := rd.expression(r)
	if err != nil {
		return err
	}
	rd.typ[r] = typ
	_, composite := m.normal.parts[r]
	if rd.uses[r] == 1 && !rd.outer[r] && !composite {
		rd.exprs[r] = e
		return nil
	}
	rd.vars[r] = rd.out.NewVar(term.VarInfo{Name: rd.name(n.Kind()), Type: typ, Linear: rd.linear[r]})
	rd.bind(r, binder{x: rd.vars[r], u: e, pos: rd.place(r)})
	return nil
}

// name is the name of a variable for an object of the kind.
func (rd *reader) name(k graph.Kind) string {
	switch k {
	case graph.Closure, graph.Partial:
		return "f"
	case graph.DualCell:
		return "d"
	case graph.Pair:
		return "p"
	}
	return "z"
}

func (rd *reader) bind(r graph.Ref, b binder) {
	s := rd.m.scopeOf(r)
	rd.lets[s] = append(rd.lets[s], b)
}

// place returns the source position of an object.
func (rd *reader) place(r graph.Ref) term.Pos {
	m := rd.m
	n := &m.nodes[r]
	index := int(n.Head >> graph.KindShift)
	switch n.Kind() {
	case graph.Inert:
		at := int(m.words[4*uint64(r)+graph.WaitWords+2])
		if at < len(m.prog.Code) {
			return m.prog.Code[at].Pos
		}
		return m.prog.Duals[at-len(m.prog.Code)].Pos
	case graph.Closure, graph.List:
		return m.prog.Templates[index].Pos
	case graph.DualCell:
		return m.prog.Duals[index].Pos
	}
	return 0
}

// open opens the tuple that atom, the variable of a λ or bound to a variable, stands
// for: its components get variables.
func (rd *reader) open(atom graph.Ref) {
	m := rd.m
	parts := m.normal.parts[atom]
	if rd.vars[parts[0]] != 0 {
		return
	}
	b := binder{u: rd.out.Variable(0, rd.vars[atom])}
	name := rd.out.Vars[rd.vars[atom]].Name
	for _, p := range parts {
		info := term.VarInfo{Name: name, Type: term.Type(m.words[4*uint64(p)+neutralType])}
		rd.vars[p], rd.typ[p], rd.state[p] = rd.out.NewVar(info), info.Type, done
		b.opened = append(b.opened, rd.vars[p])
	}
	rd.bind(atom, b)
}

// input makes the variable of an input, or of one of the components of ⟨x,x*⟩ where
// the input is of type D(R).
func (rd *reader) input(r graph.Ref) {
	m := rd.m
	x := rd.inputs[m.nodes[r].Head>>graph.KindShift]
	if !m.prog.Reversed {
		rd.vars[r], rd.typ[r] = x, term.R
		return
	}
	g := m.prog.Inputs[m.nodes[r].Head>>graph.KindShift]
	num, cell := m.slots[g], m.slots[g+1]
	if rd.vars[num] == 0 {
		name := rd.out.Vars[x].Name
		rd.vars[num], rd.typ[num] = rd.out.NewVar(term.VarInfo{Name: name, Type: term.R}), term.R
		rd.vars[cell], rd.typ[cell] = rd.out.NewVar(term.VarInfo{Name: name + "*", Type: term.AbstractDual}), term.AbstractDual
		rd.lets[0] = append(rd.lets[0], binder{opened: []term.Var{rd.vars[num], rd.vars[cell]}, u: rd.out.Variable(0, x)})
	}
}

// inputPair reports whether r is the pair ⟨x,x*⟩ of an input, and which.
func (rd *reader) inputPair(r graph.Ref) (term.Var, bool) {
	m := rd.m
	if r >= m.base || m.nodes[r].Kind() != graph.Pair {
		return 0, false
	}
	c := m.components(r)
	a, b := &m.nodes[c[0]], &m.nodes[c[1]]
	if a.Kind() != graph.SymInput || b.Kind() != graph.Input || a.Head>>graph.KindShift != b.Head>>graph.KindShift {
		return 0, false
	}
	return rd.inputs[a.Head>>graph.KindShift], true
}

// use returns an occurrence of what r stands for.
func (rd *reader) use(r graph.Ref) term.Ref {
	if x := rd.vars[r]; x != 0 {
		return rd.out.Variable(0, x)
	}
	if n := &rd.m.nodes[r]; n.Kind() == graph.Num {
		return rd.out.Num(0, n.Number())
	}
	return rd.exprs[r]
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
	s := &rd.m.normal.scopes[scope]
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
	for i := len(lets) - 1; i >= 0; i-- {
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
func (rd *reader) opened(b *binder) term.Type { return rd.out.Vars[rd.out.Nodes[b.u].X].Type }

// sum returns Σ x*(arg) over the scope's summands, 0⃗ if there is none.
func (rd *reader) sum(s *scope) term.Ref {
	if len(s.summands) == 0 {
		return rd.out.Zero(0)
	}
	var t term.Ref
	for i, x := range s.summands {
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
		c := m.components(r)
		return out.Pair(pos, rd.use(c[0]), rd.use(c[1])), tt.Prod(rd.typ[c[0]], rd.typ[c[1]]), nil
	case graph.Vec:
		c := m.components(r)
		return out.Vec(pos, rd.useAll(c)), tt.Vec(len(c), rd.typ[c[0]]), nil
	case graph.Closure, graph.Partial, graph.DualCell:
		e, typ = rd.lambda(r)
		return e, typ, nil
	case graph.List, graph.DataList, graph.Nat:
		return rd.literal(r)
	case graph.Neutral:
		return rd.neutral(r)
	}
	return 0, 0, fmt.Errorf("machine: a %s cannot be read back", n.Kind())
}

// lambda makes the λ of a closure, a partial application or a dual.
func (rd *reader) lambda(r graph.Ref) (term.Ref, term.Type) {
	tt := rd.out.Types
	i := int(rd.m.normal.first[r])
	s := &rd.m.normal.scopes[i]
	e := rd.body(i)
	if rd.m.nodes[r].Kind() == graph.DualCell {
		return rd.out.Lam(rd.place(r), rd.vars[s.vars[0]], e), term.AbstractDual
	}
	typ := rd.typ[s.root]
	for k := len(s.vars) - 1; k >= 0; k-- {
		x := rd.vars[s.vars[k]]
		e = rd.out.Lam(rd.place(r), x, e)
		typ = tt.Arrow(rd.out.Vars[x].Type, typ)
	}
	return e, typ
}

// neutral makes the term of a neutral application or conditional.
func (rd *reader) neutral(r graph.Ref) (e term.Ref, typ term.Type, err error) {
	m := rd.m
	op, operands := m.neutralOp(r)
	typ = term.Type(m.words[4*uint64(r)+neutralType])
	if op == neutralApp {
		e = rd.use(operands[0])
		for _, a := range operands[1:] {
			e = rd.out.App(0, e, rd.use(a))
		}
		return e, typ, nil
	}
	in := &m.prog.Code[m.words[4*uint64(r)+neutralNumber]]
	i := int(m.normal.first[r])
	return rd.out.If(in.Pos, in.Cmp, rd.use(operands[0]), rd.use(operands[1]), rd.body(i), rd.body(i+1)), typ, nil
}

// literal makes the term of a list, of data or of a numeral #n.
func (rd *reader) literal(r graph.Ref) (e term.Ref, typ term.Type, err error) {
	m, out, tt := rd.m, rd.out, rd.out.Types
	n := &m.nodes[r]
	typ = m.iterationType(r)
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
	i := int(m.normal.first[r])
	elems := m.components(m.normal.scopes[i].root)
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
			a := rd.out.NewVar(term.VarInfo{Name: "a", Type: term.R, Linear: true})
			e = rd.out.Pair(0, e, rd.out.Lam(0, a, rd.out.Zero(0)))
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
