package engine

import "github.com/gram-machine/gram/graph/calls"

// Phase is a part of a run.
type Phase = calls.Phase

// The phases, by the names of package calls.
const (
	Primal    = calls.Primal
	Discovery = calls.Discovery
	Backward  = calls.Backward
	ReadBack  = calls.ReadBack
	Normalise = calls.Normalise
)

// enter tells that a phase begins.
func (m *Machine) enter(p Phase) {
	if m.record != nil {
		m.record.EnterPhase(p)
	}
	if m.opt.Phase != nil {
		m.opt.Phase(p)
	}
}
