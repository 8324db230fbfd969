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
		b = m.specialBlock(f, 2, t.Elements)
	}
	if b == nil || made.Arrays != nil && len(made.Arrays.Masks) > 0 || m.prog.Reversed && (b.Arrays != nil || made.Out.Duals > block.MaxElementDuals) {
		return graph.ErrFamilies
	}
	if err := m.block.Enter(made, list); err != nil {
		return err
	}
	l := block.Loop{Block: b, Kind: graph.DataLoop, All: t.Elements, N: t.Elements, Left: t.Elements}
	var source graph.Ref
	var err error
	if m.prog.Reversed {
		l.Kind = graph.ListLoop
		if source, err = m.room(m.block.ElementUnits(made, t.Elements)); err == nil {
			l.Data, err = m.block.NewElements(source, made, list, t.Elements)
		}
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
