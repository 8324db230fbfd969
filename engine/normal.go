package engine

import (
	"slices"
	"sort"

	"github.com/gram-machine/gram/graph"
	"github.com/gram-machine/gram/rule"
	"github.com/gram-machine/gram/term"
)

// normalState is what a machine keeps while it normalises under λ.
type normalState struct {
	source    *term.Term
	scopes    []scope
	first     map[graph.Ref]int32 // of an owner: its first scope
	reflected map[graph.Ref]graph.Ref
	parts     map[graph.Ref][]graph.Ref
	seen      []bool // by node
	// Of a job under a dual λ, by node: arrivals due, and the argument.
	due, arg []graph.Ref
}

// scope is what came of going under one λ, one branch of a conditional or the
// elements of one list: the nodes [from, to), of which openState.made[madeFrom:madeTo] are
// inert. Scope 0 is the program's. Jobs do not overlap, so a node belongs to one scope.
type scope struct {
	owner            graph.Ref
	parent           int32
	from, to         graph.Ref
	madeFrom, madeTo int
	vars             []graph.Ref // the variables of a λ
	root             graph.Ref
	summands         []summand // of a dual λ
}

// summand is x*(arg), x* a free dual variable.
type summand struct{ head, arg graph.Ref }

// Normal reduces an open program at the point and under its λs too (promise of strong
// normalisation), and returns its normal form as a term in an arena of its own. source
// is the term that the program was compiled from, with its inputs: they are the free
// variables of the normal form as they are of the source. Conditions that depend on
// inputs alone are decided at the point. Going under a λ is a job that applies its
// template to fresh inert arguments; each λ is normalised once, and what several
// places share is bound by one let. Of D(t) for t of type R this is the right-hand
// side of Theorem 1, ⟨G0, λa.Σ xj*(Gj)⟩ under the substitutions of G.
//
// Lists, numerals #n and data that nothing applies stay as they are. The error is a
// [*limits.ReachedError].
func (m *Machine) Normal(point []float64, source *term.Term, inputs []term.Var) (*term.Term, error) {
	if !m.prog.Open {
		return nil, errNotOpen
	}
	m.normal = normalState{source: source, first: map[graph.Ref]int32{}, reflected: map[graph.Ref]graph.Ref{}, parts: map[graph.Ref][]graph.Ref{}}
	if err := m.start(point); err != nil {
		return nil, err
	}
	if err := m.reduce(); err != nil {
		return nil, err
	}
	m.normal.scopes = append(m.normal.scopes, scope{parent: -1, from: m.base, to: m.top, madeTo: len(m.open.made), root: m.root})
	if err := m.underAll(); err != nil {
		return nil, err
	}
	if err := m.atEnd(); err != nil {
		return nil, err
	}
	m.root = m.normal.scopes[0].root
	m.enter(ReadBack)
	return m.readNormal(source, inputs)
}

// underAll goes under every λ that the result reaches.
func (m *Machine) underAll() error {
	stack := []graph.Ref{m.root}
	stack = append(stack, m.open.made...)
	for n := 1; len(stack) > 0; n++ {
		if n%lookEvery == 0 {
			if err := m.look(); err != nil {
				return err
			}
		}
		r := m.resolve(stack[len(stack)-1])
		stack = stack[:len(stack)-1]
		if m.seen(r) {
			continue
		}
		from := len(m.normal.scopes)
		if err := m.under(r); err != nil {
			return err
		}
		for i := range m.normal.scopes[from:] {
			s := &m.normal.scopes[from+i]
			stack = m.scopeRefs(stack, s)
		}
		stack = append(stack, m.refs(r)...)
	}
	return nil
}

// seen reports whether r was seen, and marks it.
func (m *Machine) seen(r graph.Ref) bool {
	if n := int(m.top) - len(m.normal.seen); n > 0 {
		m.normal.seen = append(m.normal.seen, make([]bool, n)...)
	}
	was := m.normal.seen[r]
	m.normal.seen[r] = true
	return was
}

// scopeRefs appends what the scope's term refers to: of a λ's body also the inert
// nodes that nothing reads, which no rule collects. Under a dual λ linGc does.
func (m *Machine) scopeRefs(out []graph.Ref, s *scope) []graph.Ref {
	for _, x := range s.summands {
		out = append(out, x.head, x.arg)
	}
	if s.root != 0 {
		out = append(out, m.open.made[s.madeFrom:s.madeTo]...)
		out = append(out, s.root)
	}
	return out
}

// refs returns what the object r refers to, the code of λs and branches apart.
func (m *Machine) refs(r graph.Ref) []graph.Ref {
	n := &m.nodes[r]
	switch n.Kind() {
	case graph.Inert:
		w := 4*uint64(r) + graph.WaitWords
		if sym := term.Symbol(n.Head >> graph.KindShift); sym != term.NoSymbol && sym.Info().Arity == 1 {
			return m.words[w : w+1]
		}
		return m.words[w : w+2]
	case graph.Pair, graph.Vec:
		if atom, ok := m.normal.reflected[r]; ok {
			return []graph.Ref{atom}
		}
		return m.components(r)
	case graph.Neutral:
		op, operands := m.neutralOp(r)
		if op == neutralIf {
			return operands[:2]
		}
		return operands
	}
	return nil
}

// under goes under the λ, the elements or the branches of r, if it has any.
func (m *Machine) under(r graph.Ref) error {
	n := &m.nodes[r]
	index := n.Head >> graph.KindShift
	switch n.Kind() {
	case graph.Closure:
		return m.underLambda(r, r, nil)
	case graph.Partial:
		w := 4*uint64(r) + graph.ValueWords
		return m.underLambda(r, n.A, slices.Clone(m.words[w:w+uint64(index)]))
	case graph.List:
		m.loadCaptures(&m.prog.Templates[index], r)
		return m.inScope(r, func(s *scope) error { return m.runTemplate(s, index) })
	case graph.DualCell:
		return m.inScope(r, m.underDual)
	case graph.Neutral:
		if op, _ := m.neutralOp(r); op == neutralIf {
			return m.underBranches(r)
		}
	}
	return nil
}

// inScope runs the job in a scope of its own, which the owner's is the parent of.
func (m *Machine) inScope(owner graph.Ref, job func(*scope) error) error {
	if _, ok := m.normal.first[owner]; !ok {
		m.normal.first[owner] = int32(len(m.normal.scopes))
	}
	s := scope{owner: owner, parent: m.scopeOf(owner), from: m.top, madeFrom: len(m.open.made)}
	if m.record != nil {
		m.record.under(owner)
	}
	if err := job(&s); err != nil {
		return err
	}
	if m.record != nil {
		m.record.done()
	}
	s.to, s.madeTo = m.top, len(m.open.made)
	m.normal.scopes = append(m.normal.scopes, s)
	return nil
}

// scopeOf returns the scope of a node; globals belong to the program's.
func (m *Machine) scopeOf(r graph.Ref) int32 {
	after := sort.Search(len(m.normal.scopes), func(i int) bool { return m.normal.scopes[i].from > r })
	return int32(max(after-1, 0))
}

// runTemplate instantiates a template whose captured references and arguments are in
// the frame, and reduces what comes of it.
func (m *Machine) runTemplate(s *scope, id uint32) error {
	if err := m.ensure(2 + spareUnits); err != nil {
		return err
	}
	m.root = m.placeholder()
	if err := m.instantiate(id, &m.prog.Templates[id], m.root); err != nil {
		return err
	}
	err := m.reduce()
	s.root = m.root
	return err
}

// underLambda applies the closure f to the arguments that the partial application r
// has and to fresh variables: (9) and (1) for each of these.
func (m *Machine) underLambda(r, f graph.Ref, args []graph.Ref) error {
	if m.nodes[f].Kind() != graph.Closure {
		return m.underIteration(r, f, args[0])
	}
	id := m.nodes[f].Head >> graph.KindShift
	t := &m.prog.Templates[id]
	return m.inScope(r, func(s *scope) error {
		given := len(args)
		for _, x := range t.Vars[given:] {
			v, err := m.freshVariable(s, x, m.normal.source.Vars[x].Type)
			if err != nil {
				return err
			}
			args = append(args, v)
		}
		m.addSteps(rule.EtaLambda, uint64(len(s.vars)))
		m.bound(args[given:])
		m.loadCaptures(t, f)
		copy(m.slots[t.Param0:], args)
		return m.runTemplate(s, id)
	})
}

// freshVariable makes the variable x of the scope's λ, and returns its value: the
// tuple of its components at a product or a vector.
func (m *Machine) freshVariable(s *scope, x term.Var, typ term.Type) (graph.Ref, error) {
	atom, err := m.neutral(neutralVar, typ, uint32(x))
	if err != nil {
		return 0, err
	}
	s.vars = append(s.vars, atom)
	return m.reflect(atom, typ)
}

// underIteration goes under the last λ of a list or a numeral that r applies to f.
func (m *Machine) underIteration(r, source, f graph.Ref) error {
	return m.inScope(r, func(s *scope) error {
		x, err := m.freshVariable(s, 0, m.prog.Types.Left(m.prog.Types.Right(m.iterationType(source))))
		if err != nil {
			return err
		}
		m.addSteps(rule.EtaLambda, 1)
		m.bound([]graph.Ref{x})
		if err := m.ensure(2 + spareUnits); err != nil {
			return err
		}
		m.root = m.placeholder()
		if err := m.startIteration(m.root, source, f, x); err != nil {
			return err
		}
		err = m.reduce()
		s.root = m.root
		return err
	})
}

// iterationType returns the type of a list, of data or of a numeral #n.
func (m *Machine) iterationType(r graph.Ref) term.Type {
	n := &m.nodes[r]
	switch n.Kind() {
	case graph.List:
		return m.prog.Templates[n.Head>>graph.KindShift].Type
	case graph.DataList:
		return m.prog.Globals[n.V].Type
	}
	return m.prog.Globals[n.A].Type
}

// underBranches goes under both branches of a conditional that has no value.
func (m *Machine) underBranches(r graph.Ref) error {
	in := &m.prog.Code[m.words[4*uint64(r)+neutralNumber]]
	_, operands := m.neutralOp(r)
	for _, b := range []struct {
		id       uint32
		captured []graph.Ref
	}{{in.Tmpl, operands[2:in.Split]}, {in.Else, operands[in.Split:in.N]}} {
		err := m.inScope(r, func(s *scope) error {
			copy(m.slots[m.prog.Templates[b.id].Cap0:], b.captured)
			return m.runTemplate(s, b.id)
		})
		if err != nil {
			return err
		}
	}
	return nil
}
