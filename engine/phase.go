package engine

// Phase is a part of a run.
type Phase uint8

// The phases. A gradient has the first three and the fourth, one discovery and one
// backward phase for each output; a program with symbolic inputs has Normalise alone.
const (
	Primal    Phase = iota // the worklist is emptied
	Discovery              // the arrivals due at each dual are counted
	Backward               // the duals fire
	ReadBack               // the value, or the normal form, is read off the graph
	Normalise              // a program with symbolic inputs is reduced, under its λs too
	NumPhases
)

// String returns the phase's name.
func (p Phase) String() string {
	return [...]string{"primal", "discovery", "backward", "read-back", "normalise"}[p]
}

// enter tells that a phase begins.
func (m *Machine) enter(p Phase) {
	if m.record != nil {
		m.record.enterPhase(p)
	}
	if m.opt.Phase != nil {
		m.opt.Phase(p)
	}
}
