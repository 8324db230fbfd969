package engine

import (
	"cmp"
	"slices"

	"github.com/gram-machine/gram/graph"
	"github.com/gram-machine/gram/term"
)

// Watch is what a run tells that is watched step by step. While it is, nothing is
// collected: an object keeps its place in the arena.
type Watch struct {
	// Rewrite is called for each rewrite, see [Machine.TraceValue]. Its error ends the run.
	Rewrite func(*Rewrite) error
	// Backward is called when a backward phase begins: no dual has an argument.
	Backward func()
	// Arrive is called when an argument arrives at a dual. A dual has as many still to
	// come as its node's A says.
	Arrive func(Arrival)
}

// Arrival is an argument that arrives at a dual in the backward phase of a program that D
// has made.
type Arrival struct {
	Step  uint64    // the number of the last rewrite before
	From  graph.Ref // the dual whose body sends it, 0 for the seed
	To    graph.Ref
	Value float64
}

// WatchValue is [Machine.TraceValue] for what is watched.
func (m *Machine) WatchValue(point []float64, w *Watch) error {
	return m.traced(w, true, func() error { return m.Value(point) })
}

// WatchGradient is [Machine.TraceGradient] for what is watched.
func (m *Machine) WatchGradient(point, values, jacobian []float64, w *Watch) error {
	return m.traced(w, true, func() error { return m.Gradient(point, values, jacobian) })
}

// Seen is an object that is seen in the arena.
type Seen struct {
	At   graph.Ref
	Node graph.Node
	// Refs are what it refers to, in order: nodes that forward are passed over. Of a dual,
	// the first are the duals that its body calls.
	Refs []graph.Ref
}

// View looks at the arena of a machine, again and again.
type View struct {
	m     *Machine
	known []uint32 // by node: when it was seen last
	now   uint32
	queue []graph.Ref
	seen  []Seen
	refs  []graph.Ref
}

// NewView returns a view of the machine's arena.
func (m *Machine) NewView() *View { return &View{m: m} }

// Around returns what is seen from some objects on, from the result and from the redexes:
// these, what waits for the first, and what they refer to, the nearest first, at most most
// objects. whole says that nothing was left out. What it returns is valid until the next
// call.
func (v *View) Around(from []graph.Ref, most int) (seen []Seen, whole bool) {
	m := v.m
	v.begin()
	for _, r := range from {
		v.add(r)
		if n := &m.nodes[r]; n.Kind() >= graph.Wait {
			for w := n.A; w != 0 && len(v.queue) < most; w = m.words[4*uint64(w)+2] {
				v.add(w)
			}
		}
	}
	v.add(m.root)
	for i := len(m.work) - 1; i >= 0 && len(v.queue) <= most; i-- {
		v.add(m.work[i])
	}
	for i := 0; i < len(v.queue); i++ {
		if i == most {
			return v.seen, false
		}
		r := v.queue[i]
		refs := v.held(r)
		v.seen = append(v.seen, Seen{At: r, Node: m.nodes[r], Refs: refs})
		for _, r := range refs {
			v.add(r)
		}
	}
	return v.seen, true
}

func (v *View) begin() {
	if n := int(v.m.top); n > len(v.known) {
		v.known = append(v.known, make([]uint32, n+n/2-len(v.known))...)
	}
	v.now++
	v.queue, v.seen, v.refs = v.queue[:0], v.seen[:0], v.refs[:0]
}

func (v *View) add(r graph.Ref) {
	if r = v.m.resolve(r); r != 0 && v.known[r] != v.now {
		v.known[r] = v.now
		v.queue = append(v.queue, r)
	}
}

// held returns what the object at r refers to.
func (v *View) held(r graph.Ref) []graph.Ref {
	m, at := v.m, len(v.refs)
	switch m.nodes[r].Kind() {
	case graph.DualCell, graph.LinDual, graph.Arrival, graph.Bag, graph.Job:
		_, refs := m.object(r)
		v.refs = append(v.refs, refs...)
	default:
		lists := 4*uint64(r) + 2
		waits := m.nodes[r].Kind() >= graph.Wait
		m.references(r, func(w uint64) {
			if (!waits || w > lists) && m.words[w] != 0 {
				v.refs = append(v.refs, m.words[w])
			}
		})
	}
	refs := v.refs[at:len(v.refs):len(v.refs)]
	for i, r := range refs {
		refs[i] = m.resolve(r)
	}
	return refs
}

// Describe describes an object of the arena.
func (m *Machine) Describe(r graph.Ref) string {
	text, _ := m.object(r)
	return text
}

// Heads returns how many duals the body of the dual at r calls, 0 for other objects.
func (m *Machine) Heads(r graph.Ref) int {
	n := &m.nodes[r]
	if n.Kind() != graph.DualCell {
		return 0
	}
	return int(m.prog.Bodies[m.prog.Duals[n.Head>>graph.KindShift].Body].Heads)
}

// Place returns the place in the source of the λ, the dual or the redex at r, 0 for other
// objects.
func (m *Machine) Place(r graph.Ref) term.Pos {
	n := &m.nodes[r]
	index := n.Head >> graph.KindShift
	switch n.Kind() {
	case graph.Closure, graph.List, graph.LinDual:
		return m.prog.Templates[index].Pos
	case graph.DualCell:
		return m.prog.Duals[index].Pos
	}
	if n.Kind() >= graph.Wait {
		return m.place(r)
	}
	return 0
}

// InputAt returns the scalar input whose number or dual is at r, or −1.
func (m *Machine) InputAt(r graph.Ref) int {
	n := &m.nodes[r]
	if n.Kind() == graph.Input {
		return int(n.Head >> graph.KindShift)
	}
	i, ok := slices.BinarySearchFunc(m.prog.Inputs, r, func(g uint32, r graph.Ref) int { return cmp.Compare(m.slots[g], r) })
	if !ok {
		return -1
	}
	return i
}

// Inputs appends the numbers of the scalar inputs.
func (m *Machine) Inputs(refs []graph.Ref) []graph.Ref {
	for _, g := range m.prog.Inputs {
		refs = append(refs, m.slots[g])
	}
	return refs
}

// Name returns the name of the λ of the closure at r, "" for other objects.
func (m *Machine) Name(r graph.Ref) string {
	n := &m.nodes[r]
	if n.Kind() != graph.Closure {
		return ""
	}
	return m.prog.Templates[n.Head>>graph.KindShift].Name
}

// Instruction returns what the suspended node or the projection at r is of.
func (m *Machine) Instruction(r graph.Ref) *graph.Instr {
	if n := &m.nodes[r]; n.Kind() == graph.Project {
		return &m.prog.Code[n.V>>32]
	}
	return m.instruction(r)
}

// Left returns how often the iteration at r is still to call its function.
func (m *Machine) Left(r graph.Ref) uint64 {
	w := 4 * uint64(r)
	left := uint64(m.words[w+iterLeft])
	if m.nodes[r].Kind() == graph.IterNat {
		left = left<<32 | uint64(m.words[w+iterSource])
	}
	return left
}

// Result returns the object of the result, or what is to become it.
func (m *Machine) Result() graph.Ref { return m.resolve(m.root) }

// Node returns a node of the arena.
func (m *Machine) Node(r graph.Ref) graph.Node { return m.nodes[r] }

// Top returns the first node of the arena that is free.
func (m *Machine) Top() graph.Ref { return m.top }

// IsGlobal reports whether the object at r is a constant of the program, which was there
// before it ran.
func (m *Machine) IsGlobal(r graph.Ref) bool { return r < m.base }
