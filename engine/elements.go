package engine

import (
	"math"

	"github.com/gram-machine/gram/engine/block"
	"github.com/gram-machine/gram/graph"
	"github.com/gram-machine/gram/term"
)

// iterateElements is startIteration for a list over an index: a block makes all elements, and f runs in a loop over them. Where f is no
// block, the expansion is to run.
func (m *Machine) iterateElements(r, list, f, x graph.Ref) error {
	t := &m.prog.Templates[m.nodes[list].Head>>graph.KindShift]
	made := m.prog.Blocks[t.Block]
	m.pos = t.Pos
	if m.literal || m.record != nil || m.opt.Schedule == Parallel || m.nodes[f].Kind() != graph.Closure {
		return graph.ErrFamilies
	}
	b := m.fusedBlock(f, 2)
	if b == nil && t.Elements >= runsPerPath && m.prog.Templates[m.nodes[f].Head>>graph.KindShift].Params == 2 {
		b = m.specialBlock(f, 2, t.Elements)
	}
	if b == nil || m.prog.Reversed && (b.Arrays != nil || made.Out.Duals > block.MaxElementDuals) {
		return graph.ErrFamilies
	}
	if err := m.block.Enter(made, list); err != nil {
		return err
	}
	l := block.Loop{Block: b, Kind: graph.DataLoop, All: t.Elements, N: t.Elements, Left: t.Elements}
	source, err := list, error(nil)
	if m.prog.Reversed {
		l.Kind = graph.ListLoop
		source, l.Data, err = m.newElements(made, list, t.Elements)
	} else {
		l.Data, err = m.block.Table(made, t.Elements)
	}
	if err != nil {
		return err
	}
	for i := uint64(0); i < t.Elements; {
		if m.steps+m.pops >= m.nextLook {
			if err := m.look(block.StepsPerLook(made)); err != nil {
				return err
			}
		}
		end := min(t.Elements, i+(m.nextLook-m.steps-m.pops)/max(1, made.Steps)+1)
		if err := m.block.MakeElements(made, l.Data, int(i), int(end)); err != nil {
			return err
		}
		m.ranBlock(made, end-i)
		i = end
	}
	return m.runIteration(r, &l, f, source, x)
}

// newElements makes the object of the n elements of a list, and its table.
func (m *Machine) newElements(b *graph.Block, list graph.Ref, n uint64) (base graph.Ref, d *term.Data, err error) {
	plan, err := m.block.PlanOf(b, graph.ElementRuns)
	if err != nil {
		return 0, nil, err
	}
	units := m.block.ElementUnits(b, plan, n)
	if units > math.MaxUint32 {
		return 0, nil, m.limitError("memory", m.arena.Bytes(), nil)
	}
	if err := m.ensure(uint32(units)); err != nil {
		return 0, nil, err
	}
	base = m.top
	m.top += uint32(units)
	d, ok := m.block.NewElements(base, b, plan, list, n)
	if !ok {
		return 0, nil, graph.ErrFamilies
	}
	return base, d, nil
}
