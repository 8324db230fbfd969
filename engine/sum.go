package engine

import (
	"math"

	"github.com/gram-machine/gram/graph"
	"github.com/gram-machine/gram/limits"
	"github.com/gram-machine/gram/rule"
)

// The sum of a job: what its duals and its other summands contribute.

// contribute adds a number or a vector to the job's sum. The zero tuple is no summand.
func (m *Machine) contribute(r, v graph.Ref) error {
	w := 4*uint64(r) + graph.JobSum
	vector := m.nodes[v].Kind() == graph.Vec
	switch sum := m.words[w]; {
	case vector && len(m.components(v)) == 0:
		return nil
	case sum == 0:
		m.words[w] = v
		return nil
	case vector:
		return m.addVector(r, v)
	default:
		if m.nodes[r].Head&jobOwns == 0 {
			if err := m.ensure(1); err != nil {
				return err
			}
			m.words[w] = m.top
			m.top++
			m.nodes[r].Head |= jobOwns
		}
		return m.addNumbers(r, m.words[w], sum, v)
	}
}

// addNumbers is (6): it puts a + b into the node s.
func (m *Machine) addNumbers(r, s, a, b graph.Ref) error {
	x := m.nodes[a].Number() + m.nodes[b].Number()
	m.nodes[s] = graph.Node{Head: uint32(graph.Num), V: math.Float64bits(x)}
	m.addSteps(rule.Plus, 1)
	if m.opt.Finite && (math.IsNaN(x) || math.IsInf(x, 0)) {
		return &limits.NotFiniteError{Value: x, What: "+", Pos: m.Place(r)}
	}
	return nil
}

// addVector is (7), for each pair that the vectors are: numbers are added, and other
// components put off.
func (m *Machine) addVector(r, v graph.Ref) error {
	more := m.components(v)
	owns := m.nodes[r].Head&jobOwns != 0
	if err := m.own(r); err != nil {
		return err
	}
	if err := m.ensure(uint32(len(more))); err != nil {
		return err
	}
	m.addSteps(rule.PlusPair, uint64(len(more)-1))
	sum := m.words[4*uint64(r)+graph.JobSum]
	comps := m.components(sum)
	for i, b := range more {
		a := comps[i]
		if m.nodes[a].Kind() != graph.Num || m.nodes[b].Kind() != graph.Num {
			m.nodes[m.top] = graph.BagOf(a, b)
			m.nodes[sum].A = late
			comps[i] = m.top
			m.top++
			continue
		}
		if !owns {
			comps[i] = m.top
			m.top++
		}
		if err := m.addNumbers(r, comps[i], a, b); err != nil {
			return err
		}
	}
	return nil
}

// own makes the vector that is the job's sum a block of the job's own.
func (m *Machine) own(r graph.Ref) error {
	if m.nodes[r].Head&jobOwns != 0 {
		return nil
	}
	w := 4*uint64(r) + graph.JobSum
	comps := m.components(m.words[w])
	units := graph.Units(graph.ValueWords, len(comps))
	if err := m.ensure(units); err != nil {
		return err
	}
	m.nodes[m.top] = m.nodes[m.words[w]]
	copy(m.words[4*uint64(m.top)+graph.ValueWords:], comps)
	m.words[w] = m.top
	m.top += units
	m.nodes[r].Head |= jobOwns
	return nil
}

// finish ends a job whose duals have all fired. Late components of its vector are jobs
// of their own.
func (m *Machine) finish(r graph.Ref) error {
	if checking {
		m.jobs.Finish(r)
	}
	sum := m.words[4*uint64(r)+graph.JobSum]
	switch {
	case sum == 0:
		return m.finishVector(r, nil)
	case m.nodes[r].Head&jobWraps != 0:
		return m.finishVector(r, []graph.Ref{sum})
	case m.isLate(sum):
		if err := m.own(r); err != nil {
			return err
		}
		return m.nextComponent(r, 0)
	}
	m.settle(r, sum)
	return nil
}

// finishVector ends a job with a new vector: that of its one component, or the zero
// tuple.
func (m *Machine) finishVector(r graph.Ref, comps []graph.Ref) error {
	units := graph.Units(graph.ValueWords, len(comps))
	if err := m.ensure(units); err != nil {
		return err
	}
	v := m.top
	m.top += units
	m.nodes[v] = graph.Node{Head: uint32(graph.Vec) | uint32(len(comps))<<graph.KindShift}
	copy(m.words[4*uint64(v)+graph.ValueWords:], comps)
	m.settle(r, v)
	return nil
}

// nextComponent runs the first late component of the job's vector from number i on.
func (m *Machine) nextComponent(r graph.Ref, i uint32) error {
	w := 4 * uint64(r)
	sum := m.words[w+graph.JobSum]
	comps := m.components(sum)
	for ; int(i) < len(comps); i++ {
		if m.isLate(comps[i]) {
			m.setPhase(r, jobComponents)
			m.words[w+graph.JobCell] = i
			return m.awaitJob(r, w+graph.JobOperand, comps[i], uint32(m.nodes[r].V>>32), 0)
		}
	}
	m.nodes[sum].A = 0
	m.settle(r, sum)
	return nil
}
