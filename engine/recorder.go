package engine

import (
	"github.com/gram-machine/gram/engine/block"
	"github.com/gram-machine/gram/graph/calls"
	"github.com/gram-machine/gram/rule"
)

// Recorder is told what a machine does, to make a profile of it: see package engine/profile.
type Recorder = block.Recorder

// BlockFiring is the firing of the duals of a block, of all its runs.
type BlockFiring = block.Firing

// Samples calls f on the samples of the last run, in an order that depends on the run alone,
// if there is a recorder. The stack is overwritten by the next.
func (m *Machine) Samples(f func(calls.Sample)) {
	if m.record != nil {
		m.record.Samples(f)
	}
}

// Counts returns the steps so far that neither a template nor a dual's body counts.
func (m *Machine) Counts() *rule.Counts { return &m.counts }

// Steps returns how many steps there are so far, by any rule.
func (m *Machine) Steps() uint64 { return m.steps }

// Dropped returns how many nodes of rows the loops so far have not kept.
func (m *Machine) Dropped() uint64 { return m.dropped }

// Applied returns how many arguments were bound so far: a (1) and a (4) each.
func (m *Machine) Applied() uint64 { return m.applied }

// enter tells that a phase begins.
func (m *Machine) enter(p calls.Phase) {
	m.done.phase, m.done.share = p, unknown
	if m.record != nil {
		m.record.EnterPhase(p)
	}
	if m.opt.Phase != nil {
		m.opt.Phase(p)
	}
}
