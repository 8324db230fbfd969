package engine

import (
	"errors"
	"math"

	"github.com/gram-machine/gram/engine/block"
	"github.com/gram-machine/gram/graph"
)

// iterateElements is startIteration for a list over an index: a block makes all elements, and f runs in a loop over them. Where f or the element is
// no block, the machine makes the elements, and applies f to each.
func (m *Machine) iterateElements(r, list, f, x graph.Ref) error {
	t := &m.prog.Templates[m.nodes[list].Head>>graph.KindShift]
	made := m.prog.Blocks[t.Block]
	m.pos = t.Pos
	if made == nil || m.prog.Open || m.literal || m.record != nil || m.opt.Schedule == Parallel || m.nodes[f].Kind() != graph.Closure {
		return m.makeElements(r, list, t)
	}
	b := m.fusedBlock(f, 2)
	if b == nil && t.Elements >= runsPerPath && m.prog.Templates[m.nodes[f].Head>>graph.KindShift].Params == 2 {
		b = m.block.PathsBlock(f, 2, t.Elements, runsPerPath)
	}
	if b == nil || made.Arrays != nil && len(made.Arrays.Masks) > 0 {
		return m.makeElements(r, list, t)
	}
	top := m.top
	if err := m.block.Enter(made, list); err != nil {
		return err
	}
	source, d, err := m.block.NewElements(made, list, t.Elements, m.room)
	if errors.Is(err, graph.ErrFamilies) {
		m.top = top
		return m.makeElements(r, list, t)
	}
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

// makeElements makes the elements one by one, in order, as the template of a list does. Those that wait for applications follow, the last one
// first.
func (m *Machine) makeElements(r, list graph.Ref, t *graph.Template) error {
	if t.Elements > graph.MaxIndex || m.record != nil {
		return graph.ErrFamilies
	}
	w, n, elems := 4*uint64(r), uint32(t.Elements), m.top
	units := graph.Units(graph.ValueWords, int(n))
	if err := m.ensure(units); err != nil {
		return err
	}
	m.top += units
	m.nodes[elems] = graph.Node{Head: uint32(graph.Vec) | n<<graph.KindShift}
	m.nodes[r].Head, m.words[w+graph.IterSource], m.words[w+graph.IterLeft] = uint32(graph.IterList)|awaitElements, elems, 0
	for i := range n {
		if err := m.ensure(3); err != nil {
			return err
		}
		m.nodes[m.top] = graph.Node{Head: uint32(graph.Num), V: math.Float64bits(float64(i))}
		m.top++
		into := m.placeholder()
		m.loadCaptures(t, list)
		m.slots[t.Param0] = m.top - 3
		m.words[4*uint64(elems)+graph.ValueWords+uint64(i)] = into
		if err := m.instantiate(m.nodes[list].Head>>graph.KindShift, t, into); err != nil {
			return err
		}
	}
	return m.iterate(r)
}
