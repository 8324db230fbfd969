package engine

import (
	"github.com/gram-machine/gram/engine/block"
	"github.com/gram-machine/gram/graph"
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
		b = m.block.PathsBlock(f, 2, t.Elements, runsPerPath)
	}
	if b == nil || made.Arrays != nil && len(made.Arrays.Masks) > 0 {
		return graph.ErrFamilies
	}
	if err := m.block.Enter(made, list); err != nil {
		return err
	}
	source, d, err := m.block.NewElements(made, list, t.Elements, m.room)
	if err != nil {
		return err
	}
	l := block.Loop{Block: b, Kind: graph.DataLoop, All: t.Elements, N: t.Elements, Left: t.Elements, Data: d}
	if m.prog.Reversed {
		l.Kind = graph.ListLoop
	}
	for i := uint64(0); i < t.Elements; {
		if m.steps+m.pops >= m.nextLook {
			if err := m.look(block.StepsPerLook(made)); err != nil {
				return err
			}
		}
		end := min(t.Elements, i+(m.nextLook-m.steps-m.pops)/max(1, made.Steps)+1)
		if err := m.block.MakeElements(made, d, int(i), int(end)); err != nil {
			return err
		}
		m.ranBlock(made, end-i)
		i = end
	}
	return m.runIteration(r, &l, f, source, x)
}
