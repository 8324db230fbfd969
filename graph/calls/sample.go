package calls

import (
	"time"

	"github.com/gram-machine/gram/rule"
	"github.com/gram-machine/gram/term"
)

// Phase is a part of a run.
type Phase uint8

// The phases. A gradient has the first three, with one backward phase for each output; a program with symbolic inputs
// has Normalise alone.
const (
	Primal    Phase = iota // the worklist is emptied
	Backward               // the duals fire
	ReadBack               // the value, or the normal form, is read off the graph
	Normalise              // a program with symbolic inputs is reduced, under its λs too
	NumPhases
)

// String returns the phase's name.
func (p Phase) String() string {
	return [...]string{"primal", "backward", "read-back", "normalise"}[p]
}

// Origin tells whose code has taken a step.
type Origin uint8

// The origins. Of a gradient, the steps of the first are as many as the value's.
const (
	SourceCode    Origin = iota // the program's
	GeneratedCode               // what the reverse transformation has put around it
	NormalCode                  // of a program that was normalised, where the two are not distinguished
)

// Sample is what a run has done in one calling context, at one place, in one phase: steps
// by rule, nodes made, and the time that was charged to it. Over all samples of a run, steps
// and nodes are those of the machine's counters.
type Sample struct {
	// Stack are the calls, from the innermost to the program. Of work on an input it is
	// empty, and Input says which; else Input is -1.
	Stack  []Frame
	Input  int
	Phase  Phase
	Origin Origin
	Counts rule.Counts
	Nodes  uint64
	Bytes  uint64 // of the nodes
	Words  uint64 // of memory that the literal machine has read and written
	Time   time.Duration
}

// Frame is a place At in the code of the λ at Func, which is 0 for the program itself.
type Frame struct{ Func, At term.Pos }
