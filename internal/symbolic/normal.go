// Package symbolic computes normal forms: it drives a machine of package engine, whose inputs
// are symbolic, under the λs of its result, and reads the graph that is left back as a term.
package symbolic

import (
	"slices"
	"sort"

	"github.com/gram-machine/gram/engine"
	"github.com/gram-machine/gram/graph"
	"github.com/gram-machine/gram/rule"
	"github.com/gram-machine/gram/term"
)

// normaliser is what is known while a machine normalises under λ.
type normaliser struct {
	engine  *engine.Machine
	prog    *graph.Program
	nodes   []graph.Node
	words   []uint32
	source  *term.Term
	scopes  []scope
	first   map[graph.Ref]int32       // of an owner: its first scope
	visited []bool                    // by node
	names   map[graph.Ref][]graph.Ref // of a recursive function: the variables for it and for those that are defined with it
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

// Normal reduces the open program of a machine at the point and under its λs too (promise of strong
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
func Normal(e *engine.Machine, point []float64, source *term.Term, inputs []term.Var) (*term.Term, error) {
	if err := e.Reduce(point); err != nil {
		return nil, err
	}
	v := e.View()
	m := &normaliser{engine: e, prog: v.Program, nodes: v.Nodes, words: v.Words, source: source, first: map[graph.Ref]int32{}, names: map[graph.Ref][]graph.Ref{}}
	m.scopes = append(m.scopes, scope{parent: -1, from: v.Base, to: v.Top, madeTo: len(e.Made()), root: v.Root})
	if err := m.underAll(); err != nil {
		return nil, err
	}
	if err := e.End(); err != nil {
		return nil, err
	}
	return m.read(inputs)
}

// underAll goes under every λ that the result reaches.
func (m *normaliser) underAll() error {
	stack := []graph.Ref{m.scopes[0].root}
	stack = append(stack, m.engine.Made()...)
	for n := 1; len(stack) > 0; n++ {
		if n%engine.LookEvery == 0 {
			if err := m.engine.Look(); err != nil {
				return err
			}
		}
		r := m.engine.Resolve(stack[len(stack)-1])
		stack = stack[:len(stack)-1]
		if m.visit(r) {
			continue
		}
		from := len(m.scopes)
		if err := m.under(r); err != nil {
			return err
		}
		for i := range m.scopes[from:] {
			s := &m.scopes[from+i]
			stack = m.scopeRefs(stack, s)
		}
		stack = append(stack, m.refs(r)...)
	}
	return nil
}

// visit marks r, and reports whether it was marked.
func (m *normaliser) visit(r graph.Ref) bool {
	if n := int(m.engine.Top()) - len(m.visited); n > 0 {
		m.visited = append(m.visited, make([]bool, n)...)
	}
	was := m.visited[r]
	m.visited[r] = true
	return was
}

// neutral returns what the neutral object r is, and its operands.
func (m *normaliser) neutral(r graph.Ref) (op uint32, operands []graph.Ref) {
	return graph.NeutralOp(m.nodes, m.words, r)
}

// scopeRefs appends what the scope's term refers to: of a λ's body also the inert
// nodes that nothing reads, which no rule collects. Under a dual λ linGc does.
func (m *normaliser) scopeRefs(out []graph.Ref, s *scope) []graph.Ref {
	for _, x := range s.summands {
		out = append(out, x.head, x.arg)
	}
	if s.root != 0 {
		out = append(out, m.engine.Made()[s.madeFrom:s.madeTo]...)
		out = append(out, s.root)
	}
	return out
}

// refs returns what the object r refers to, without the code of λs and branches.
func (m *normaliser) refs(r graph.Ref) []graph.Ref {
	n := &m.nodes[r]
	switch n.Kind() {
	case graph.Inert:
		_, from, to := graph.InertParts(m.nodes, r)
		return m.words[from:to]
	case graph.Pair, graph.Vec:
		if atom, ok := m.engine.Reflected(r); ok {
			return []graph.Ref{atom}
		}
		return graph.Components(m.nodes, m.words, r)
	case graph.Neutral:
		op, operands := m.neutral(r)
		switch op {
		case graph.NeutralIf:
			return operands[:2]
		case graph.NeutralCase:
			return operands[:1]
		}
		return operands
	case graph.Con:
		if n.V != 0 {
			return []graph.Ref{graph.Ref(n.V)}
		}
	case graph.Partial:
		if m.group(n.A) != nil {
			w := 4*uint64(r) + graph.ValueWords
			return append([]graph.Ref{n.A}, m.words[w:w+uint64(n.Head>>graph.KindShift)]...)
		}
	}
	return nil
}

// group returns the templates of the functions that are defined together with the recursive function f, nil if it is none.
func (m *normaliser) group(f graph.Ref) []uint32 {
	if n := &m.nodes[f]; n.Kind() == graph.Closure {
		return m.prog.Templates[n.Head>>graph.KindShift].Group
	}
	return nil
}

// under goes under the λ, the elements or the branches of r, if it has any.
func (m *normaliser) under(r graph.Ref) error {
	n := &m.nodes[r]
	index := n.Head >> graph.KindShift
	switch n.Kind() {
	case graph.Closure:
		if group := m.group(r); group != nil {
			return m.underFix(r, group)
		}
		return m.underLambda(r, r, nil)
	case graph.Partial:
		if m.group(n.A) != nil {
			return nil
		}
		w := 4*uint64(r) + graph.ValueWords
		return m.underLambda(r, n.A, slices.Clone(m.words[w:w+uint64(index)]))
	case graph.List:
		return m.inScope(r, func(s *scope) error { return m.runTemplate(s, index, m.captures(r), nil) })
	case graph.DualCell:
		if r == graph.NullDual {
			return nil
		}
		return m.inScope(r, m.underDual)
	case graph.Neutral:
		switch op, _ := m.neutral(r); op {
		case graph.NeutralIf:
			return m.underBranches(r)
		case graph.NeutralCase:
			return m.underCases(r)
		}
	}
	return nil
}

// inScope runs the job in a scope of its own, which the owner's is the parent of.
func (m *normaliser) inScope(owner graph.Ref, job func(*scope) error) error {
	if _, ok := m.first[owner]; !ok {
		m.first[owner] = int32(len(m.scopes))
	}
	s := scope{owner: owner, parent: m.scopeOf(owner), from: m.engine.Top(), madeFrom: len(m.engine.Made())}
	if err := m.engine.Under(owner, func() error { return job(&s) }); err != nil {
		return err
	}
	s.to, s.madeTo = m.engine.Top(), len(m.engine.Made())
	m.scopes = append(m.scopes, s)
	return nil
}

// scopeOf returns the scope of a node; globals belong to the program's.
func (m *normaliser) scopeOf(r graph.Ref) int32 {
	after := sort.Search(len(m.scopes), func(i int) bool { return m.scopes[i].from > r })
	return int32(max(after-1, 0))
}

// captures returns what a closure or a list captured.
func (m *normaliser) captures(r graph.Ref) []graph.Ref {
	w := 4*uint64(r) + graph.ValueWords
	return m.words[w : w+uint64(m.prog.Templates[m.nodes[r].Head>>graph.KindShift].Caps)]
}

// runTemplate reduces an instance of a template to the scope's root.
func (m *normaliser) runTemplate(s *scope, id uint32, captured, args []graph.Ref) (err error) {
	s.root, err = m.engine.Run(id, captured, args)
	return err
}

// underLambda applies the closure f to the arguments that the partial application r
// has and to fresh variables: (9) and (1) for each of these.
func (m *normaliser) underLambda(r, f graph.Ref, args []graph.Ref) error {
	if m.nodes[f].Kind() != graph.Closure {
		return m.underIteration(r, f, args[0])
	}
	id := m.nodes[f].Head >> graph.KindShift
	t := &m.prog.Templates[id]
	return m.inScope(r, func(s *scope) error {
		given := len(args)
		for _, x := range t.Vars[given:] {
			v, err := m.freshVariable(s, x, m.source.TypeOf(x))
			if err != nil {
				return err
			}
			args = append(args, v)
		}
		m.engine.AddSteps(rule.EtaLambda, uint64(len(s.vars)))
		m.engine.Bind(args[given:])
		return m.runTemplate(s, id, m.captures(f), args)
	})
}

// freshVariable makes the variable x of the scope's λ, and returns its value: the
// tuple of its components at a product or a vector.
func (m *normaliser) freshVariable(s *scope, x term.Var, typ term.Type) (graph.Ref, error) {
	atom, v, err := m.engine.NewVariable(uint32(x), typ)
	if err != nil {
		return 0, err
	}
	s.vars = append(s.vars, atom)
	return v, nil
}

// underIteration goes under the last λ of a list or a numeral that r applies to f.
func (m *normaliser) underIteration(r, source, f graph.Ref) error {
	return m.inScope(r, func(s *scope) error {
		x, err := m.freshVariable(s, 0, m.prog.Types.Left(m.prog.Types.Right(m.engine.IterationType(source))))
		if err != nil {
			return err
		}
		m.engine.AddSteps(rule.EtaLambda, 1)
		m.engine.Bind([]graph.Ref{x})
		s.root, err = m.engine.RunIteration(source, f, x)
		return err
	})
}

// underBranches goes under both branches of a conditional that has no value.
func (m *normaliser) underBranches(r graph.Ref) error {
	in := &m.prog.Code[m.words[4*uint64(r)+graph.NeutralNumber]]
	_, operands := m.neutral(r)
	for _, b := range []struct {
		id       uint32
		captured []graph.Ref
	}{{in.Tmpl, operands[2:in.Split]}, {in.Else, operands[in.Split:in.N]}} {
		err := m.inScope(r, func(s *scope) error {
			return m.runTemplate(s, b.id, b.captured, nil)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// underCases goes under the cases of a match on what has no value.
func (m *normaliser) underCases(r graph.Ref) error {
	in := &m.prog.Code[m.words[4*uint64(r)+graph.NeutralNumber]]
	_, operands := m.neutral(r)
	cons := m.source.Types.Constructors(m.typeOf(operands[0]))
	for i, b := range m.prog.Cases[in.Tmpl] {
		err := m.inScope(r, func(s *scope) error {
			var args []graph.Ref
			if cons[i].Arg != 0 {
				v, err := m.freshVariable(s, 0, cons[i].Arg)
				if err != nil {
					return err
				}
				args = append(args, v)
			}
			return m.runTemplate(s, b.Template, operands[b.From:b.To], args)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// typeOf is the type of a neutral object.
func (m *normaliser) typeOf(r graph.Ref) term.Type {
	return term.Type(m.words[4*uint64(r)+graph.NeutralType])
}

// underFix goes under the λs of the functions that are defined together with the recursive function r. Their names are variables:
// (15) does not fire.
func (m *normaliser) underFix(r graph.Ref, group []uint32) error {
	for i, id := range group {
		t := &m.prog.Templates[id]
		err := m.inScope(r, func(s *scope) error {
			if i == 0 {
				for _, id := range group {
					f, _, err := m.engine.NewVariable(0, m.functionType(&m.prog.Templates[id]))
					if err != nil {
						return err
					}
					m.names[r] = append(m.names[r], f)
				}
			}
			var args []graph.Ref
			for _, x := range t.Vars {
				v, err := m.freshVariable(s, x, m.source.TypeOf(x))
				if err != nil {
					return err
				}
				args = append(args, v)
			}
			return m.runTemplate(s, id, m.captures(r), append(args, m.names[r]...))
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// functionType is the type of the λ of a template.
func (m *normaliser) functionType(t *graph.Template) term.Type {
	typ := t.Type
	for _, x := range slices.Backward(t.Vars) {
		typ = m.source.Types.Arrow(m.source.TypeOf(x), typ)
	}
	return typ
}
