package symbolic

import (
	"github.com/gram-machine/gram/engine"
	"github.com/gram-machine/gram/graph"
	"github.com/gram-machine/gram/term"
)

// reader reads the normalised graph back as a term. An object that several places
// refer to, or one place in an inner scope, is bound by a let of the scope that it
// belongs to; any other stands where it is used.
type reader struct {
	m      *normaliser
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
	err    error // of a look
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

// read reads the normal form back.
func (m *normaliser) read(inputs []term.Var) (*term.Term, error) {
	source, n := m.source, int(m.engine.Top())
	out := term.New(source.Types)
	out.CopyVars(source, 0)
	out.Data = source.Data
	rd := &reader{m: m, out: out, uses: make([]uint32, n), outer: make([]bool, n), exprs: make([]term.Ref, n),
		vars: make([]term.Var, n), typ: make([]term.Type, n), linear: make([]bool, n), state: make([]uint8, n),
		lets: make([][]binder, len(m.scopes)), inputs: inputs}
	if err := rd.count(); err != nil {
		return nil, err
	}
	if err := rd.read(); err != nil {
		return nil, err
	}
	rd.out.Root = rd.body(0)
	return rd.out, rd.err
}

// count counts how often each node is used, and where.
func (rd *reader) count() error {
	m := rd.m
	use := func(r graph.Ref, s int32) {
		rd.uses[r]++
		rd.outer[r] = rd.outer[r] || m.scopeOf(r) != s
	}
	for r := range m.visited {
		if !rd.look(r + 1) {
			return rd.err
		}
		if m.visited[r] {
			s := m.scopeOf(graph.Ref(r))
			for _, v := range m.refs(graph.Ref(r)) {
				use(v, s)
			}
		}
	}
	for i := range m.scopes {
		s := &m.scopes[i]
		for _, x := range s.summands {
			use(x.head, int32(i))
			use(x.arg, int32(i))
		}
		if s.root != 0 {
			use(s.root, int32(i))
		}
	}
	return rd.err
}

// look looks at the limits at each unit that is a multiple of LookEvery, and reports whether read-back goes on.
func (rd *reader) look(unit int) bool {
	if unit%engine.LookEvery == 0 && rd.err == nil {
		rd.err = rd.m.engine.Look()
	}
	return rd.err == nil
}

// read makes the terms of all nodes, those that a node refers to first.
func (rd *reader) read() error {
	s, made := &rd.m.scopes[0], rd.m.engine.Made()
	rd.push(s.root)
	for i := len(made[:s.madeTo]) - 1; i >= 0; i-- {
		rd.push(made[i])
	}
	for n := 1; len(rd.stack) > 0; n++ {
		if !rd.look(n) {
			return rd.err
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
	first, ok := m.first[r]
	if !ok {
		return
	}
	for _, f := range m.names[r] {
		rd.variable(f)
	}
	for i := int(first); i < len(m.scopes) && m.scopes[i].owner == r; i++ {
		s := &m.scopes[i]
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
	info := term.VarInfo{Name: "a", Type: term.Type(m.words[w+graph.NeutralType]), Generated: true}
	if from := term.Var(m.words[w+graph.NeutralNumber]); from != 0 {
		info = m.source.Info(from)
	}
	s := &m.scopes[m.scopeOf(x)]
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
	case graph.DualCell:
		if rd.isNull(r) {
			rd.typ[r] = term.AbstractDual
			return nil
		}
	case graph.Pair, graph.Vec:
		if atom, ok := m.engine.Reflected(r); ok {
			rd.vars[r], rd.typ[r] = rd.vars[atom], rd.typ[atom]
			return nil
		}
		if x, ok := rd.inputPair(r); ok {
			rd.vars[r], rd.typ[r] = x, rd.out.TypeOf(x)
			return nil
		}
	case graph.Neutral:
		if op, operands := m.neutral(r); op == graph.NeutralComponent {
			rd.open(operands[0])
			return nil
		}
	}
	e, typ, err := rd.expression(r)
	if err != nil {
		return err
	}
	rd.typ[r] = typ
	composite := m.engine.Parts(r) != nil
	if rd.uses[r] == 1 && !rd.outer[r] && !composite {
		rd.exprs[r] = e
		return nil
	}
	rd.vars[r] = rd.out.NewVar(term.VarInfo{Name: rd.name(n.Kind()), Type: typ, Linear: rd.linear[r], Generated: true})
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
		at := int(m.words[4*uint64(r)+graph.InertAt])
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
	parts := m.engine.Parts(atom)
	if rd.vars[parts[0]] != 0 {
		return
	}
	b := binder{u: rd.out.Variable(0, rd.vars[atom])}
	name := rd.out.Info(rd.vars[atom]).Name
	for _, p := range parts {
		info := term.VarInfo{Name: name, Type: term.Type(m.words[4*uint64(p)+graph.NeutralType]), Generated: true}
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
	g, _ := m.prog.InputSlot(int(m.nodes[r].Head >> graph.KindShift))
	num, cell := m.engine.Global(g), m.engine.Global(g+1)
	if rd.vars[num] == 0 {
		name := rd.out.Info(x).Name
		rd.vars[num], rd.typ[num] = rd.out.NewVar(term.VarInfo{Name: name, Type: term.R, Generated: true}), term.R
		rd.vars[cell], rd.typ[cell] = rd.out.NewVar(term.VarInfo{Name: name + "*", Type: term.AbstractDual, Generated: true}), term.AbstractDual
		rd.lets[0] = append(rd.lets[0], binder{opened: []term.Var{rd.vars[num], rd.vars[cell]}, u: rd.out.Variable(0, x)})
	}
}

// inputPair reports whether r is the pair ⟨x,x*⟩ of an input, and which.
func (rd *reader) inputPair(r graph.Ref) (term.Var, bool) {
	m := rd.m
	if r >= m.scopes[0].from || m.nodes[r].Kind() != graph.Pair {
		return 0, false
	}
	c := graph.Components(m.nodes, m.words, r)
	a, b := &m.nodes[c[0]], &m.nodes[c[1]]
	if a.Kind() != graph.SymInput || b.Kind() != graph.Input || a.Head>>graph.KindShift != b.Head>>graph.KindShift {
		return 0, false
	}
	return rd.inputs[a.Head>>graph.KindShift], true
}
