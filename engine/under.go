package engine

import (
	"math"
	"slices"

	"github.com/gram-machine/gram/graph"
	"github.com/gram-machine/gram/graph/calls"
	"github.com/gram-machine/gram/rule"
	"github.com/gram-machine/gram/term"
)

// What package symbolic needs to go under λs: a machine of an open program whose worklist is
// empty runs templates again, on arguments without a value.

// Reduce reduces an open program at the point, until no redex is left. The error is a
// [*limits.ReachedError] or a [*limits.NotFiniteError].
func (m *Machine) Reduce(point []float64) error {
	if !m.prog.Open {
		return errNotOpen
	}
	if err := m.start(point); err != nil {
		return err
	}
	return m.reduce()
}

// End checks the limits at the end of a run, before its result is read back.
func (m *Machine) End() error {
	if err := m.atEnd(); err != nil {
		return err
	}
	m.enter(calls.ReadBack)
	return nil
}

// Top returns the first node that is free.
func (m *Machine) Top() graph.Ref { return m.top }

// Global returns the node of a global slot.
func (m *Machine) Global(slot uint32) graph.Ref { return m.slots[slot] }

// Made returns the inert operations and the neutral objects of the run so far, in the order in
// which they were made.
func (m *Machine) Made() []graph.Ref { return m.open.made }

// Reflected returns the neutral object that the tuple v stands for, if it stands for one.
func (m *Machine) Reflected(v graph.Ref) (atom graph.Ref, ok bool) {
	atom, ok = m.open.reflected[v]
	return atom, ok
}

// Parts returns the components of the tuple that stands for the neutral object, nil if
// none does.
func (m *Machine) Parts(atom graph.Ref) []graph.Ref { return m.open.parts[atom] }

// AddSteps counts steps by a rule.
func (m *Machine) AddSteps(r rule.Rule, n uint64) { m.addSteps(r, n) }

// Bind counts the arguments that are bound: a (1), and a (4) if the argument is a value.
func (m *Machine) Bind(args []graph.Ref) { m.bound(args) }

// Enter says that what comes is done under the λ, the elements or the branches of r.
func (m *Machine) Enter(r graph.Ref) {
	if m.record != nil {
		m.record.Under(r)
	}
}

// Under runs a job under the λ, the elements or the branches of r.
func (m *Machine) Under(r graph.Ref, job func() error) error {
	m.Enter(r)
	err := job()
	if err == nil && m.record != nil {
		m.record.Done()
	}
	return err
}

// NewVariable makes the variable of a λ, and the value of the type that stands for it: a tuple
// of neutral components at a product or a vector. number is that of the variable in the source.
func (m *Machine) NewVariable(number uint32, typ term.Type) (atom, v graph.Ref, err error) {
	if atom, err = m.neutral(graph.NeutralVar, typ, number); err != nil {
		return 0, 0, err
	}
	v, err = m.reflect(atom, typ)
	return atom, v, err
}

// Run reduces an instance of a template, and returns its value.
func (m *Machine) Run(id uint32, captured, args []graph.Ref) (graph.Ref, error) {
	t := &m.prog.Templates[id]
	copy(m.slots[t.Cap0:], captured)
	copy(m.slots[t.Param0:], args)
	return m.runSeparately(func(r graph.Ref) error { return m.instantiate(id, t, r) })
}

// RunIteration reduces the application of a list, of data or of a numeral to f and x.
func (m *Machine) RunIteration(source, f, x graph.Ref) (graph.Ref, error) {
	return m.runSeparately(func(r graph.Ref) error { return m.startIteration(r, source, f, x, false) })
}

// runSeparately reduces what start puts into a node of its own, and returns the node's value. The
// result of the run stays what it is.
func (m *Machine) runSeparately(start func(r graph.Ref) error) (graph.Ref, error) {
	if err := m.ensure(2 + spareUnits); err != nil {
		return 0, err
	}
	root := m.root
	defer func() { m.root = root }()
	m.root, m.open.under = m.placeholder(), true
	if err := start(m.root); err != nil {
		return 0, err
	}
	err := m.reduce()
	return m.root, err
}

// Number makes a numeral.
func (m *Machine) Number(x float64) (graph.Ref, error) {
	r, err := m.Alloc(1)
	if err == nil {
		m.nodes[r] = graph.Node{Head: uint32(graph.Num), V: math.Float64bits(x)}
	}
	return r, err
}

// Operate computes an operation, + where sym is [term.NoSymbol]: it fires on numbers and is
// inert otherwise. at is the number of an instruction, or that of a dual behind all instructions.
func (m *Machine) Operate(sym term.Symbol, args []graph.Ref, at uint32) (graph.Ref, error) {
	v, rule := m.operation(sym, args)
	if !slices.ContainsFunc(args, m.isInert) {
		m.addSteps(rule, 1)
		return m.Number(v)
	}
	r, err := m.Alloc(graph.InertUnits(len(args)))
	if err == nil {
		m.makeInert(r, sym, v, args, at)
	}
	return r, err
}

// IterationType returns the type of a list, of data or of a numeral #n.
func (m *Machine) IterationType(r graph.Ref) term.Type {
	n := &m.nodes[r]
	switch n.Kind() {
	case graph.List:
		return m.prog.Templates[n.Head>>graph.KindShift].Type
	case graph.DataList:
		return m.prog.Global(uint32(n.V)).Type
	}
	return m.prog.Global(n.A).Type
}
