package engine

import (
	"math"
	"slices"

	"github.com/gram-machine/gram/engine/ground"
	"github.com/gram-machine/gram/graph"
)

// A block with arrays of an open program runs on numbers, the values at the point, and notes of each register what is there
// without blocks: a number, an inert node or an input. Package ground counts the inert nodes and the steps.

// held returns what a register holds that has the value r.
func (m *Machine) held(r graph.Ref) uint32 {
	switch n := &m.nodes[r]; n.Kind() {
	case graph.Num:
		return ground.Number
	case graph.SymInput:
		return ground.FirstInput + n.Head>>graph.KindShift
	}
	return ground.Inert
}

// runOpenBlock runs the block of a template whose captured references and arguments are in the frame.
func (m *Machine) runOpenBlock(t *graph.Template, into graph.Ref) error {
	b := m.prog.Blocks[t.Block]
	if err := m.runOpen(b, m.slots[t.Cap0:], m.slots[t.Param0:]); err != nil {
		return err
	}
	return m.settleLeaves(into, &b.Out, b.Out.Regs)
}

// runOpenClosure runs the block of the closure f.
func (m *Machine) runOpenClosure(f graph.Ref, b *graph.Block, args []graph.Ref) error {
	return m.runOpen(b, m.words[4*uint64(f)+graph.ValueWords:], args)
}

// runOpen runs a block on captured references and arguments. Its results are in the Runner.
func (m *Machine) runOpen(b *graph.Block, captured, args []graph.Ref) error {
	m.ranBlock(b, 1)
	if err := m.enterOpenBlock(b); err != nil {
		return err
	}
	for i := range b.Caps {
		m.block.Load(&b.Caps[i], captured[i])
	}
	for i := range b.Params {
		m.block.Load(&b.Params[i], args[i])
	}
	if err := m.open.Run(b.Arrays, m.block.Regs, m.addSteps, m.block.look); err != nil {
		return err
	}
	m.block.Take(b.Arrays)
	m.took(b)
	return nil
}

// enterOpenBlock loads what is the same in every run of the block.
func (m *Machine) enterOpenBlock(b *graph.Block) error {
	if err := m.block.Registers(b.Regs); err != nil {
		return err
	}
	if err := m.open.Room(b.Regs, m.reserve); err != nil {
		return err
	}
	if m.open.block != b { // otherwise they are still there
		m.open.block = b
		for _, c := range b.Consts {
			m.block.Regs[c.Reg], m.open.Held[c.Reg] = c.Val, ground.Number
		}
		for _, g := range b.Globals {
			for i := range g.N {
				r := m.slots[g.Slot+i*g.Stride]
				m.block.Regs[g.Reg+i], m.open.Held[g.Reg+i] = m.nodes[r].Number(), m.held(r)
			}
		}
	}
	return nil
}

// opener is a machine as the blocks of an open program see it.
type opener Machine

func (o *opener) Note(reg uint32, v graph.Ref) { o.open.Held[reg] = (*Machine)(o).held(v) }

func (o *opener) Leaf(reg uint32, top graph.Ref) (v, next graph.Ref) {
	held := o.open.Held[reg]
	switch held {
	case ground.Number:
		o.nodes[top] = graph.Node{Head: uint32(graph.Num)}
		next = top + 1
	case ground.Inert:
		o.nodes[top], o.nodes[top+1] = graph.Node{Head: uint32(graph.Inert)}, graph.Node{}
		next = top + 2
	default:
		slot, _ := o.prog.InputSlot(int(held - ground.FirstInput))
		return o.slots[slot], top
	}
	o.nodes[top].V = math.Float64bits(o.block.Regs[reg])
	return top, next
}

func (o *opener) Tuple(v graph.Ref, isNamed bool) {
	m := (*Machine)(o)
	if !slices.ContainsFunc(m.components(v), m.isOpen) {
		return
	}
	m.nodes[v].A = unnamed
	if isNamed {
		m.nodes[v].A = named
	}
}
