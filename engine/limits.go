package engine

import (
	"errors"
	"math"

	"github.com/gram-machine/gram/engine/block"
	"github.com/gram-machine/gram/graph"
	"github.com/gram-machine/gram/limits"
)

// ensure makes room for n more nodes. The error is a [*limits.ReachedError].
func (m *Machine) ensure(n uint32) error {
	if uint64(m.top)+uint64(n) <= uint64(m.limit) {
		return nil
	}
	return m.grow(n)
}

// grow commits the memory for n more nodes, and looks at the limits before that is used.
func (m *Machine) grow(n uint32) error {
	want := uint64(m.top) + uint64(n)
	if want > graph.MaxArenaNodes {
		return m.limitError("memory", m.arena.Bytes(), nil)
	}
	err := m.arena.Grow(uint32(want))
	if err != nil && m.dismiss() {
		err = m.arena.Grow(uint32(want))
	}
	if err != nil {
		return m.limitError("memory", m.opt.Limits.MaxMemory, err)
	}
	if err := m.Look(); err != nil {
		m.arena.Shrink(m.top)
		return err
	}
	m.limit = uint32(min(uint64(m.arena.Len()), want+LookEvery))
	return nil
}

func (m *Machine) limitError(limit string, most uint64, err error) error {
	m.stopped = true
	function := ""
	if m.unfolded != 0 {
		function = m.prog.Templates[m.unfolded-1].Name
	}
	return &limits.ReachedError{Limit: limit, Max: most, Steps: m.steps, Nodes: m.live(), Pos: m.pos, Function: function, Err: err}
}

// LookEvery is how many steps, pops or nodes may pass between two looks.
const LookEvery = block.LookEvery

// Look checks the limits, and sets when to look again. The error is a [*limits.ReachedError].
func (m *Machine) Look() error { return m.look(LookEvery) }

// look is Look, and the next one is after so many steps.
func (m *Machine) look(next uint64) error {
	m.looks++
	m.tellShare()
	if most := m.opt.Limits.MaxSteps; most != 0 {
		if m.steps > most {
			return m.limitError("steps", most, nil)
		}
		next = min(next, max(1, most-m.steps))
	}
	if m.top > m.nodeTop {
		return m.limitError("nodes", m.opt.Limits.MaxNodes, nil)
	}
	if look := m.opt.Limits.Look; look != nil {
		err := look()
		if err != nil && m.dismiss() {
			err = look()
		}
		if err != nil {
			return m.limitError("", 0, err)
		}
	}
	if m.team != nil {
		next = min(next, m.team.lend.every)
		m.lend()
	}
	m.nextLook = m.steps + m.pops + next
	return nil
}

// reserve checks the limit on memory before so many bytes are allocated.
func (m *Machine) reserve(bytes int64) error {
	if reserve := m.opt.Limits.Reserve; reserve != nil {
		if err := reserve(bytes); err != nil {
			return m.limitError("", 0, err)
		}
	}
	return nil
}

// lookInside looks at the context at each LookEvery-th unit of a piece of work in which nothing is lent and nothing
// is allocated. A bound on memory is left to the next [Machine.Look].
func (m *Machine) lookInside(unit int) error {
	look := m.opt.Limits.Look
	if unit%LookEvery != 0 || look == nil {
		return nil
	}
	m.looks++
	m.tellShare()
	err := look()
	var memory *limits.MemoryError
	if err == nil || errors.As(err, &memory) {
		return nil
	}
	return m.limitError("", 0, err)
}

// lookNow is lookInside at once.
func (m *Machine) lookNow() error { return m.lookInside(0) }

// live is how many nodes the run holds, or has made where nothing is freed.
func (m *Machine) live() uint64 { return uint64(int64(m.top-m.base) + m.elsewhere) }

// setNodeTop sets below which node top stays within the limit of nodes. A program whose
// nodes are collected looks at it after a collection.
func (m *Machine) setNodeTop() {
	m.nodeTop = math.MaxUint32
	if most := m.opt.Limits.MaxNodes; most != 0 && !m.collects() {
		m.nodeTop = uint32(min(max(int64(m.base)+int64(most)-m.elsewhere, 0), math.MaxUint32))
	}
}

// atEnd checks the limits when a phase is over: the last redexes may have passed
// them.
func (m *Machine) atEnd() error {
	if most := m.opt.Limits.MaxSteps; most != 0 && m.steps > most {
		return m.limitError("steps", most, nil)
	}
	if m.top > m.nodeTop {
		return m.limitError("nodes", m.opt.Limits.MaxNodes, nil)
	}
	if most := m.opt.Limits.MaxNodes; most != 0 && m.collects() && m.live() > most {
		return m.collectGarbage()
	}
	return nil
}

// roomFor reports whether the loops of the run may keep so many bytes more. Without a bound on rows a sixth of the
// memory stays for all else.
func (m *Machine) roomFor(bytes uint64) bool {
	if most := m.opt.Limits.RowsMemory; most != 0 {
		return m.block.Kept.Within(most, bytes)
	}
	return m.block.Kept.Room(bytes, func(bytes uint64) bool {
		nodes := uint64(m.top) + bytes/graph.NodeBytes
		if nodes >= uint64(len(m.nodes)) {
			return false
		}
		grow := int64(nodes) - int64(m.arena.Len())
		reserve := m.opt.Limits.Reserve
		return grow <= 0 || reserve == nil || reserve(grow*graph.NodeBytes+int64(m.opt.Limits.MaxMemory/6)) == nil
	})
}
