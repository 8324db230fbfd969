package engine

import (
	"fmt"
	"math"
	"slices"

	"github.com/gram-machine/gram/graph"
	"github.com/gram-machine/gram/graph/calls"
	"github.com/gram-machine/gram/rule"
)

// Stats is what a run cost.
type Stats struct {
	Counts      rule.Counts // steps by rule
	Instantiate uint64      // instructions copied and references captured
	Search      uint64      // pops, waits, occurrences counted before a backward phase, comparisons in a job
	Readback    uint64      // components read back
	Recompute   uint64      // steps that loops made again whose rows were not kept
	Nodes       uint64      // nodes of 16 bytes allocated, the program's globals not included
	Freed       uint64      // of these, freed before the run was over, or not kept
	PeakNodes   uint64      // in the arena at once
	ArenaBytes  uint64      // memory that the arena holds
	Looks       uint64      // how often the limits were looked at
}

// Stats returns what the last run cost, or how far it got if it was stopped.
func (m *Machine) Stats() Stats {
	freed := m.collect.freed + m.dropped
	s := Stats{Counts: m.counts, Readback: m.readback, Recompute: m.block.Recomputed, Search: m.pops + m.waits + m.occurs + m.arrivals.Compared,
		Nodes: m.live() + freed, Freed: freed, PeakNodes: max(m.collect.peak, m.live()), ArenaBytes: m.arena.Bytes(), Looks: m.looks}
	for i, n := range m.runs {
		t := &m.prog.Templates[i]
		s.Counts.AddTimes(&t.Counts, n)
		blocks := m.block.runs[i]
		s.Instantiate += (n-blocks)*t.Instantiate + blocks
	}
	for i, n := range m.fired {
		b := &m.prog.Bodies[i]
		s.Counts.AddTimes(&b.Counts, n)
		s.Instantiate += (n - m.block.fired[i]) * b.Instantiate
	}
	s.Instantiate += m.copied
	s.Counts[rule.Lambda] += m.applied + m.firedIn
	s.Counts[rule.GC] += m.applied
	s.Counts[rule.Subst] += m.firedIn
	s.Counts[rule.Lin] += m.firedIn
	return s
}

// ArenaBytes returns how much memory the arena holds.
func (m *Machine) ArenaBytes() uint64 { return m.arena.Bytes() }

// Value reduces the program at the point, which has a number for each scalar
// input, and leaves its value to be read by [Machine.Read]. The error is a
// [*limits.ReachedError] or a [*limits.NotFiniteError].
func (m *Machine) Value(point []float64) error {
	if m.prog.Reversed {
		return fmt.Errorf("the value of a reversed program is that of its gradient")
	}
	defer m.quit()
	if err := m.start(point); err != nil {
		return err
	}
	if err := m.reducePrimal(); err != nil {
		return err
	}
	m.collect.at = math.MaxUint32 // the value that is read stays where it is
	return nil
}

// reducePrimal empties the worklist, with the help of the team.
func (m *Machine) reducePrimal() error {
	if m.team == nil {
		return m.reduce()
	}
	m.team.lend.on = true
	err := m.reduce()
	m.team.lend.on = false
	if m.order != nil {
		m.order.Append(m.order.From, m.top)
	}
	return err
}

// quit ends what workers still do.
func (m *Machine) quit() {
	if m.team != nil {
		m.team.Quit()
	}
}

// Read appends the numbers of the value that the last run left to out, from left
// to right, and to lengths the length of each list in it and the number of each constructor, outer ones before inner
// ones. The value's type is built of R, products, vectors and lists; a list is read
// by applying it, and what that takes is not counted: read-back counts one unit for
// each number. The error is a [*limits.ReachedError] or a [*limits.NotFiniteError].
func (m *Machine) Read(out []float64, lengths []int) ([]float64, []int, error) {
	m.enter(calls.ReadBack)
	stack := []graph.Ref{m.root}
	for n := 1; len(stack) > 0; n++ {
		if err := m.lookInside(n); err != nil {
			return out, lengths, err
		}
		r := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		switch n := m.nodes[r]; n.Kind() {
		case graph.Num, graph.SymInput, graph.Inert:
			m.readback++
			out = append(out, n.Number())
		case graph.Pair:
			stack = append(stack, uint32(n.V>>32), uint32(n.V))
		case graph.Con:
			lengths = append(lengths, int(n.Head>>graph.KindShift))
			if n.V != 0 {
				stack = append(stack, graph.Ref(n.V))
			}
		case graph.Vec:
			w := 4*uint64(r) + graph.ValueWords
			for k := n.Head >> graph.KindShift; k > 0; k-- {
				stack = append(stack, m.words[w+uint64(k)-1])
			}
		default:
			elems, err := m.readList(r)
			if err != nil {
				return out, lengths, err
			}
			lengths = append(lengths, len(elems))
			slices.Reverse(elems)
			stack = append(stack, elems...)
		}
	}
	return out, lengths, nil
}

// readList returns the elements of a list, in its order: it applies the list to
// λa.λr.⟨a,r⟩ and an end mark. What that counts is taken back, also if a limit ends it.
func (m *Machine) readList(list graph.Ref) ([]graph.Ref, error) {
	root, literal, runs := m.root, m.literal, slices.Clone(m.runs)
	steps, pops, waits, applied, counts := m.steps, m.pops, m.waits, m.applied, m.counts
	defer func() {
		m.root, m.literal = root, literal
		m.steps, m.pops, m.waits, m.applied, m.counts = steps, pops, waits, applied, counts
		copy(m.runs, runs)
	}()
	m.literal = true // the list is applied at a type that is not its own
	if err := m.ensure(2); err != nil {
		return nil, err
	}
	end := m.slots[m.prog.Nil]
	m.root = m.placeholder()
	m.nodes[m.root].Head = uint32(graph.Apply) | 2<<graph.KindShift
	w := 4*uint64(m.root) + graph.WaitWords
	m.words[w], m.words[w+1], m.words[w+2] = list, m.slots[m.prog.Cons], end
	m.push(m.root)
	if err := m.reduce(); err != nil {
		return nil, err
	}
	var elems []graph.Ref
	for r := m.root; r != end && m.nodes[r].Kind() == graph.Pair; r = graph.Ref(m.nodes[r].V >> 32) {
		if err := m.lookInside(len(elems) + 1); err != nil {
			return nil, err
		}
		elems = append(elems, graph.Ref(m.nodes[r].V))
	}
	return elems, nil
}

// Gradient reduces a reversed program of type D(R) or D(R)^k at the point: the
// primal phase, and then one backward phase for each of the k outputs. values has
// k numbers and jacobian, row by row, k times as many as there are scalar inputs;
// the gradient of an R is its one row. It is Corollary gradient of section 5.2:
// (z* 1)[⟨z,z*⟩:=D(t)]. The error is a [*limits.ReachedError] or a [*limits.NotFiniteError].
func (m *Machine) Gradient(point, values, jacobian []float64) error {
	if !m.prog.Reversed || m.prog.Result == graph.OtherShape {
		return fmt.Errorf("the program is not a gradient")
	}
	defer m.quit()
	if err := m.start(point); err != nil {
		return err
	}
	if err := m.reducePrimal(); err != nil {
		return err
	}
	clear(jacobian)
	m.enter(calls.Backward)
	if m.prog.Result == graph.VectorShape {
		k := uint64(m.prog.Outputs)
		m.addSteps(rule.Pair, k-1) // the vector is opened: ⟦p0,…⟧
		m.addSteps(rule.Subst, k)  // each pi once, to be opened in turn
		m.addSteps(rule.GC, k)
	}
	if err := m.jobsOf(values, jacobian); err != nil {
		return err
	}
	return m.atEnd()
}

// seed runs the job of output i of k: its value, and its row of the Jacobian.
func (m *Machine) seed(i int, values, jacobian []float64) error {
	n := len(jacobian) / len(values)
	m.done.job, m.done.jobs = i, len(values)
	p := m.root
	if m.prog.Result == graph.VectorShape {
		p = m.words[4*uint64(m.root)+graph.ValueWords+uint64(i)]
	}
	z, dual := graph.Ref(m.nodes[p].V), graph.Ref(m.nodes[p].V>>32)
	m.addSteps(rule.Pair, 1)  // [⟨z,z*⟩:=…]
	m.addSteps(rule.GC, 2)    // z and z*
	m.addSteps(rule.Subst, 1) // z* in z* 1
	values[i] = m.nodes[z].Number()
	backward := (*Machine).Backward
	if m.opt.Hooks != nil && m.opt.Hooks.Backward != nil {
		backward = m.opt.Hooks.Backward
	}
	if err := backward(m, dual, jacobian[i*n:(i+1)*n]); err != nil {
		return err
	}
	m.readback += uint64(1 + n)
	return nil
}
