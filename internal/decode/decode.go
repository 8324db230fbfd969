// Package decode reads the states of the literal machine as terms of the calculus. The term of a state is what the
// machine's arena holds: each node is a constructor, and each substitution in the arena is one of the term. So a
// rewrite of the machine is one step of its rule on terms, and a unit of work changes nothing, up to ≡ (see
// [reference.Term.Class]).
//
// The substitutions stand around the term, since in the arena they have no place. Values that several operands share
// stand in each of them, as (3) has put them there; the terms share them, as the arena does. Where a body is still to
// be copied, the term has what its copy will make (see [machine.Machine.Completed]). A λ, a branch or an element of a
// list that has not been copied stands in it as in the program, with the substitutions of what it captures.
//
// Lists and numerals are the λ-terms whose steps they count: #2 is λf.λx.f (f x). Of one that has been applied
// what is left of the sum f t1 (… (f tn x)) stands in the term.
//
// The last occurrence of a variable takes its value, by (3). (4) drops the substitution by the next move; till
// then it has the value, too.
package decode

import (
	"fmt"
	"slices"

	"github.com/gram-machine/gram/compile"
	"github.com/gram-machine/gram/graph"
	"github.com/gram-machine/gram/internal/reference"
	"github.com/gram-machine/gram/machine"
	"github.com/gram-machine/gram/term"
)

// Decoder decodes the states of the machines that run a program.
type Decoder struct {
	start *reference.Start
	prog  *compile.Program
	// Values without captures, by their instructions. They bind nothing outside of λs, so a term may have them
	// several times.
	closed map[uint32]*reference.Term
}

// New returns a decoder for the program, whose start term is start: that of the term that the program was made from.
func New(start *reference.Start, prog *compile.Program) *Decoder {
	return &Decoder{start: start, prog: prog, closed: map[uint32]*reference.Term{}}
}

// State returns the term of the state that a machine is in, between two events. The machine is to have
// Options.Events. The time that it takes, and the memory, is linear in the arena and the lists that it holds.
func (d *Decoder) State(m *machine.Machine) *State {
	s := &State{decoder: d, at: map[compile.Place][]compile.Ref{}, vars: map[compile.Ref]*reference.Var{},
		known: map[compile.Ref]*reference.Term{}, inner: map[compile.Ref]bool{}}
	s.read(m.Completed())
	s.Term = s.root(m)
	for _, l := range s.substitutions() {
		s.Term = &reference.Term{Op: reference.Let, P: l.p, Kids: []*reference.Term{s.Term, l.u}, Pos: s.nodes[l.at].Pos}
		s.known[l.at] = s.Term
	}
	return s
}

type decoder = Decoder

// State is a state of the machine, as a term.
type State struct {
	*decoder
	Term  *reference.Term
	heap  *graph.Heap
	nodes []graph.Node
	at    map[compile.Place][]compile.Ref // the nodes that will deliver to a place
	vars  map[compile.Ref]*reference.Var  // of the substitutions
	known map[compile.Ref]*reference.Term // of the values that have been decoded
	inner map[compile.Ref]bool            // the substitutions and openings that another opening will bind
}

// read describes the nodes, and finds out what waits for what.
func (s *State) read(h *graph.Heap) {
	s.heap = h
	s.nodes = make([]graph.Node, h.Len())
	held := map[compile.Ref]bool{} // by an operand
	for r := range h.Len() {
		if r == 0 {
			continue
		}
		n := h.Node(r)
		s.nodes[r] = n
		for _, o := range n.Operands {
			switch o.Tag {
			case compile.Value, compile.Late:
				held[o.Ref] = true
			case compile.Operation:
				s.inner[o.Ref] = true
			}
		}
		switch {
		case n.Kind == compile.Open:
			s.inner[n.Binds[0]], s.inner[n.Binds[1]] = true, true
		case n.Kind == compile.Sub || n.Kind == compile.Linear || n.Kind == compile.Cell || n.Kind == compile.Names ||
			n.Graph && s.vars[r] == nil:
			s.vars[r] = s.variable(&n)
		}
		if n.Kind == compile.Sub && n.Operands[0].Tag == compile.Operation {
			s.vars[n.Operands[0].Ref] = s.vars[r]
		}
	}
	for r := range h.Len() {
		if n := &s.nodes[r]; n.Up != 0 && !held[r] && n.Kind != compile.Captures {
			s.at[n.Up] = append(s.at[n.Up], r)
		}
	}
}

// variable is the variable of a substitution.
func (s *State) variable(n *graph.Node) *reference.Var {
	if n.Var != 0 {
		return s.start.Variable(s.prog.Term, n.Var).X
	}
	switch n.Kind {
	case compile.Cell:
		return &reference.Var{Name: "d", Type: term.AbstractDual}
	case compile.Linear: // of λa.0⃗
		return &reference.Var{Name: "a", Type: term.R, Linear: true}
	}
	// It is of a list or a numeral, or of an operation or a component that has no name in the program.
	return &reference.Var{Name: "x", Type: term.R}
}

func occurrence(x *reference.Var) *reference.Term {
	return &reference.Term{Op: reference.Variable, X: x}
}

func apply(t, u *reference.Term) *reference.Term { return reference.Node(reference.Apply, t, u) }

func lambda(x *reference.Var, t *reference.Term) *reference.Term {
	return &reference.Term{Op: reference.Lambda, X: x, Kids: []*reference.Term{t}}
}

func (s *State) numeral(x float64) *reference.Term {
	return &reference.Term{Op: reference.Numeral, Num: s.start.Ground.Of(x)}
}

// root is the term without the substitutions around it: the value of the program, or the outputs of a gradient.
func (s *State) root(m *machine.Machine) *reference.Term {
	if r := s.heap.Root(); r != 0 {
		return s.operand(r, 0)
	}
	outputs := make([]*reference.Term, s.prog.Outputs)
	for i := range outputs {
		outputs[i] = reference.Node(reference.Zero)
	}
	var value *reference.Term
	read, row := m.Readings()
	for _, x := range read {
		outputs[x.Row] = reference.Sum(outputs[x.Row], apply(occurrence(s.start.Duals[x.Input]), s.numeral(x.Number)))
	}
	for r := range s.nodes {
		switch n := &s.nodes[r]; {
		case n.Kind == compile.Seed && n.Index == len(outputs): // the z of ⟨z, z* a⟩
			value = s.operand(n.Ref, 0)
		case n.Kind == compile.Seed:
			outputs[n.Index] = reference.Sum(outputs[n.Index], s.sum(n))
		case n.Kind == compile.Job && n.Up == 0:
			outputs[row] = reference.Sum(outputs[row], s.sum(n))
		}
	}
	if value != nil {
		return reference.Tuple(value, outputs[0])
	}
	return reference.Tuple(outputs...)
}

// sum is what has come to a seed or a job, and what will come to it.
func (s *State) sum(n *graph.Node) *reference.Term {
	t := reference.Node(reference.Zero)
	place := n.Ref << 2
	if n.Kind == compile.Job {
		if n.Operands[0].Tag != compile.Empty {
			t = s.operand(n.Ref, 0)
		}
		place |= 1
	}
	for _, r := range s.at[place] {
		t = reference.Sum(t, s.node(r))
	}
	return t
}

// operand is what operand i of a node is, or will be.
func (s *State) operand(r compile.Ref, i int) *reference.Term {
	n := &s.nodes[r]
	o := n.Operands[i]
	if o.Tag == compile.Taken {
		o = n.Lost
	}
	switch o.Tag {
	case compile.Number:
		return s.numeral(o.Number)
	case compile.Value, compile.Late, compile.Operation:
		return s.node(o.Ref)
	case compile.Name, compile.Variable, compile.Inert:
		return s.occurrence(o.Ref)
	case compile.Zero:
		return reference.Node(reference.Zero)
	}
	from := s.at[r<<2|compile.Place(i)]
	if len(from) != 1 {
		panic(fmt.Sprintf("decode: %d nodes will come to operand %d of node %d, %v", len(from), i, r, n.Kind))
	}
	return s.node(from[0])
}

// occurrence is an occurrence of the variable of a substitution, of a symbol or of an operation of G. A linear one
// whose (5) has fired is its number, or another variable.
func (s *State) occurrence(r compile.Ref) *reference.Term {
	switch n := &s.nodes[r]; {
	case n.Kind == compile.FreeDual:
		return occurrence(s.start.Duals[n.Index])
	case n.Kind == compile.Symbol && n.Index == len(s.start.Inputs):
		return occurrence(s.start.Seed)
	case n.Kind == compile.Symbol:
		return occurrence(s.start.Inputs[n.Index])
	case n.Kind == compile.Linear && n.Fired && n.Operands[0].Tag != compile.Operation:
		return s.operand(r, 0)
	}
	return occurrence(s.vars[r])
}

// node is the term of a node. That of a value is made once.
func (s *State) node(r compile.Ref) *reference.Term {
	if t := s.known[r]; t != nil {
		return t
	}
	n := &s.nodes[r]
	switch n.Kind {
	case compile.Lam, compile.Nat, compile.List, compile.Data:
		if len(n.Captures) > 0 {
			break
		}
		if s.closed[n.Code] == nil {
			s.closed[n.Code] = s.constructor(r)
		}
		return s.closed[n.Code]
	}
	s.known[r] = s.constructor(r)
	return s.known[r]
}

// constructor is the term of a node that is no substitution.
func (s *State) constructor(r compile.Ref) *reference.Term {
	n := &s.nodes[r]
	t := &reference.Term{Pos: n.Pos}
	switch n.Kind {
	case compile.Fun1, compile.Fun2, compile.Mul:
		t.Op, t.Sym, t.Kids = reference.Function, n.Symbol, s.arguments(r)
	case compile.Add:
		sum := reference.Sum(s.operand(r, 0), s.operand(r, 1))
		if sum.Pos == 0 && sum.Op == reference.Plus {
			sum.Pos = n.Pos
		}
		return sum
	case compile.App:
		t.Op, t.Kids = reference.Apply, s.operands(r)
		if n.Fired && t.Kids[0].Op == reference.Fix {
			t.Kids[0] = s.unfolded(&s.nodes[n.Operands[0].Ref])
		}
	case compile.If:
		t.Op, t.Cmp, t.Kids = reference.If, n.Compare, append(s.operands(r), s.branches(n)...)
	case compile.Case:
		t.Op, t.Kids = reference.Match, append(s.operands(r), s.branches(n)...)
	case compile.Pair:
		t.Op, t.Kids = reference.MakePair, s.operands(r)
	case compile.Con:
		t.Op, t.At, t.Kids = reference.Construct, n.Index, s.operands(r)
	case compile.Iter:
		// Behind the operand stand the list and the variable that is applied.
		return s.spine(s.occurrence(n.Operands[2].Ref), s.elements(n.Operands[1].Ref)[:n.Count], s.operand(r, 0))
	case compile.Job:
		return s.sum(n)
	case compile.Summand:
		return s.operand(r, 0)
	case compile.Linear: // the λ's body is still to be copied
		return s.body(&s.nodes[n.Operands[1].Ref], occurrence(s.vars[r]))
	case compile.Nat, compile.List, compile.Data:
		f, x := &reference.Var{Name: "f", Type: term.R}, &reference.Var{Name: "x", Type: term.R}
		return lambda(f, lambda(x, s.spine(occurrence(f), s.elements(r), occurrence(x))))
	case compile.Fold:
		x := &reference.Var{Name: "x", Type: term.R}
		var f *reference.Term
		if n.Operands[1].Ref != 0 {
			f = s.occurrence(n.Operands[1].Ref)
		}
		return lambda(x, s.spine(f, s.elements(n.Operands[0].Ref), occurrence(x)))
	case compile.Lam:
		return s.function(n)
	case compile.Names:
		return occurrence(s.vars[r])
	default:
		panic(fmt.Sprintf("decode: node %d, %v, is no term", r, n.Kind))
	}
	return t
}

func (s *State) operands(r compile.Ref) (ts []*reference.Term) {
	for i := range s.nodes[r].Operands {
		ts = append(ts, s.operand(r, i))
	}
	return ts
}

// arguments are those of a symbol. Of more than two the others are a tuple.
func (s *State) arguments(r compile.Ref) []*reference.Term {
	ts := s.operands(r)
	for range s.nodes[r].Symbol.Info().Arity - len(ts) {
		last := ts[len(ts)-1]
		ts = append(ts[:len(ts)-1], last.Kids...)
	}
	return ts
}

// captures are those of the node that holds them, and of those behind it.
func (s *State) captures(holder compile.Ref) (all []compile.Ref) {
	for ; holder != 0; holder = s.nodes[holder].More {
		all = append(all, s.nodes[holder].Captures...)
	}
	return all
}

// environment are the variables that a template captures, and what stands for them: the first of these captures.
func (s *State) environment(t *compile.Template, captures []compile.Ref) map[term.Var]*reference.Term {
	env := map[term.Var]*reference.Term{}
	for i, x := range t.Captured {
		env[x] = s.occurrence(captures[i])
	}
	return env
}

// branches are those of a conditional or a match.
func (s *State) branches(n *graph.Node) (ts []*reference.Term) {
	captures := s.captures(n.More)
	for _, b := range s.prog.Code[n.Code].Closure.Bodies {
		t := &s.prog.Templates[b]
		ts = append(ts, s.start.Instance(s.prog.Term, t.Term, s.environment(t, captures)))
	}
	return ts
}

// function is the term of a λ or a recursive function.
func (s *State) function(n *graph.Node) *reference.Term {
	t := s.prog.Code[n.Code].Body
	if t.Term == 0 { // λa.0⃗, the dual of a numeral
		return lambda(&reference.Var{Name: "a", Type: term.R, Linear: true}, reference.Node(reference.Zero))
	}
	f := s.start.Instance(s.prog.Term, t.Term, s.environment(t, s.captures(n.Ref)))
	if t.Linear && f.Op == reference.Let { // it has got a name
		f = f.Kids[1]
	}
	if t.Fix != 0 {
		xs := s.prog.Term.BoundVars(&s.prog.Term.Nodes[t.Term])
		f.At = slices.Index(xs, t.Fix)
	}
	return f
}

// body is that of a λ, with u for its variable.
func (s *State) body(n *graph.Node, u *reference.Term) *reference.Term {
	t := s.prog.Code[n.Code].Body
	if t.Term == 0 {
		return reference.Node(reference.Zero)
	}
	env := s.environment(t, s.captures(n.Ref))
	lam := &s.prog.Term.Nodes[t.Term]
	env[lam.X] = u
	return s.start.Instance(s.prog.Term, lam.A, env)
}

// unfolded is v[f:=fix f.v] for a function fix f.v, by (15). No variable is bound twice.
func (s *State) unfolded(n *graph.Node) *reference.Term {
	f := s.function(n)
	t := f.Kids[f.At]
	for i, x := range f.Xs {
		member := s.function(n)
		member.At = i
		t = &reference.Term{Op: reference.Let, P: &reference.Pattern{X: x}, Kids: []*reference.Term{t, member}, Pos: n.Pos}
	}
	return t
}

// elements are those of a list; nil for each f of a numeral.
func (s *State) elements(list compile.Ref) []*reference.Term {
	n := &s.nodes[list]
	switch n.Kind {
	case compile.Nat:
		return make([]*reference.Term, n.Count)
	case compile.List:
		bodies, captures := s.prog.Code[n.Code].Closure.Bodies, s.captures(list)
		ts := make([]*reference.Term, len(bodies))
		for i, b := range slices.Backward(bodies) { // the last element has its captures first
			t := &s.prog.Templates[b]
			ts[i] = s.start.Instance(s.prog.Term, t.Term, s.environment(t, captures))
			captures = captures[len(t.Captured):]
		}
		return ts
	}
	var ts []*reference.Term
	data := s.prog.Templates[s.prog.Code[n.Code].Closure.Bodies[0]].Term
	t := s.start.Instance(s.prog.Term, data, nil).Kids[0].Kids[0]
	for ; t.Op == reference.Apply; t = t.Kids[1] {
		ts = append(ts, t.Kids[0].Kids[1])
	}
	return ts
}

// spine is f t1 (… (f tn u)).
func (s *State) spine(f *reference.Term, ts []*reference.Term, u *reference.Term) *reference.Term {
	for _, t := range slices.Backward(ts) {
		if t == nil {
			u = apply(f, u)
		} else {
			u = apply(apply(f, t), u)
		}
	}
	return u
}

// let is a substitution [p:=u].
type let struct {
	p  *reference.Pattern
	u  *reference.Term
	at compile.Ref
}

// substitutions are all that the arena holds, each before those whose variables it mentions.
func (s *State) substitutions() []let {
	var all []let
	binds := map[*reference.Var]int{}
	for r := range s.nodes {
		n := &s.nodes[r]
		if s.inner[n.Ref] {
			continue
		}
		l := let{p: s.pattern(n.Ref), at: n.Ref}
		switch {
		case n.Graph: // the name of an operation, whose substitution is no longer there
			l.u = s.node(n.Ref)
		case n.Kind == compile.Linear && n.Fired && n.Operands[0].Tag != compile.Operation:
			continue
		case n.Kind == compile.Sub || n.Kind == compile.Cell || n.Kind == compile.Open || n.Kind == compile.Linear ||
			n.Kind == compile.Names:
			l.u = s.operand(n.Ref, 0)
		default:
			continue
		}
		l.p.Vars(func(x *reference.Var) { binds[x] = len(all) })
		all = append(all, l)
	}
	var order []let
	done := make([]bool, len(all))
	var add func(i int)
	var mention func(t *reference.Term)
	mention = func(t *reference.Term) {
		if i, ok := binds[t.X]; ok {
			add(i)
		}
		for _, k := range t.Kids {
			mention(k)
		}
	}
	add = func(i int) {
		if !done[i] {
			done[i] = true
			mention(all[i].u)
			order = append(order, all[i])
		}
	}
	for i := range all {
		add(i)
	}
	slices.Reverse(order)
	return order
}

// pattern is what a substitution or an opening binds.
func (s *State) pattern(r compile.Ref) *reference.Pattern {
	if n := &s.nodes[r]; n.Kind == compile.Open {
		return &reference.Pattern{Left: s.pattern(n.Binds[0]), Right: s.pattern(n.Binds[1])}
	}
	return &reference.Pattern{X: s.vars[r]}
}
