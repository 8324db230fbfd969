package machine

import (
	"github.com/gram-machine/gram/compile/literal"
	"github.com/gram-machine/gram/limits"
	"github.com/gram-machine/gram/rule"
	"github.com/gram-machine/gram/term"
)

// Unit is a piece of work beside the rewrites: what a rewrite leaves that is not bounded
// by nature, cut into pieces that are.
type Unit uint8

// The units.
const (
	Instantiate Unit = iota // a node of a body is made, or a captured variable loaded
	Wake                    // a value goes on to one that waits for it
	Search                  // the backward phase looks at one dual
	FreeUnit                // a node that nothing refers to goes to the free list
	ReadBack                // a number of the result is read
	NumUnits
)

// String returns the unit's name.
func (u Unit) String() string {
	return [NumUnits]string{"instantiate", "wake", "search", "free", "readback"}[u]
}

// Move is a rewrite, by its rule, or a unit: numbers from rule.Count on.
type Move uint8

// NumMoves is how many moves there are.
const NumMoves = Move(rule.Count) + Move(NumUnits)

const moveMask = 31 // as many moves as an index needs no check for

// Rule returns the rule of a rewrite; ok is false for a unit.
func (m Move) Rule() (by rule.Rule, ok bool) { return rule.Rule(m), m < Move(rule.Count) }

// Unit returns the unit of a move that is no rewrite.
func (m Move) Unit() Unit { return Unit(m - Move(rule.Count)) }

// String returns the name of the rule or the unit.
func (m Move) String() string {
	if r, ok := m.Rule(); ok {
		return r.String()
	}
	return m.Unit().String()
}

// Move returns the move that is the unit.
func (u Unit) Move() Move { return Move(rule.Count) + Move(u) }

// Fired is an event: a rewrite that has been made, or a unit of work. It is good until its receiver returns.
type Fired struct {
	N    uint64 // how many rewrites have been made, this one included
	Move Move
	Code uint32 // the instruction of the redex, or of what was made
	// Redex is where it began: the node that fired, operand 0, or the occurrence that (3) was of.
	Redex Place
	// Result is the operand to which a value went, or the redex.
	Result Place
	Words  uint64 // the words of the arena that it read and wrote
	m      *Machine
}

// Pos returns the place in the source of the redex, or of what D made it from.
func (e *Fired) Pos() term.Pos { return e.m.posOf(e.Code) }

// Backward reports whether it is of a backward phase.
func (e *Fired) Backward() bool {
	return e.m.job != 0 && (e.m.prog.Outputs > 0 || e.m.job == e.m.running)
}

// Live returns how many nodes are in use after it.
func (e *Fired) Live() uint64 { return e.m.live() }

// Touched returns the nodes that have been read or written since the event before; a node may stand there twice.
func (e *Fired) Touched() []Ref { return e.m.log[:e.m.touched] }

// Own returns those of Touched that the move itself has touched.
func (e *Fired) Own() []Ref { return e.m.log[e.m.begun:e.m.touched] }

// Made returns those of Touched that were free before.
func (e *Fired) Made() []Ref { return e.m.unused[:e.m.used] }

// Body returns the template whose copy comes next, or nil.
func (e *Fired) Body() *literal.Template { return e.m.copy.body }

// Work is what the firings of a rule, or a unit, have cost.
type Work struct {
	Fired uint64 `json:"fired"` // how often
	Words uint64 `json:"words"` // of the arena read and written, in all
	Most  uint64 `json:"most"`  // by any single one
}

// Schedule is the order in which redexes fire.
type Schedule uint8

// The schedules.
const (
	LIFO Schedule = iota
	Random
)

// Options say how a machine runs. The zero value is LIFO without limits.
type Options struct {
	Schedule Schedule
	Seed     uint64 // of the random schedule
	Finite   bool   // a number that is NaN or infinite is an error
	Limits   limits.Bounds
	// Measure says that words are counted. Events, if not nil, gets each event, and implies it.
	Measure bool
	Events  func(*Fired) error
	// Before, if neither it nor Events is nil, is called before rewrite n is made: the heap is as all
	// moves before have left it. Its error ends the run.
	Before func(n uint64) error
}

// Stats is what a run cost.
type Stats struct {
	Counts     rule.Counts // rewrites by rule
	Work       [NumMoves]Work
	Nodes      uint64 // allocated
	Freed      uint64 // of these
	PeakNodes  uint64 // at once
	ArenaBytes uint64
}
