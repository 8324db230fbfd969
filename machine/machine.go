package machine

import (
	"github.com/gram-machine/gram/compile"
	"github.com/gram-machine/gram/graph"
	"github.com/gram-machine/gram/limits"
	"github.com/gram-machine/gram/rule"
	"github.com/gram-machine/gram/term"
)

// Fired is an event: a rewrite that has been made, or a unit of work. It is good until its receiver returns.
type Fired struct {
	N    uint64 // how many rewrites have been made, this one included
	Move rule.Move
	Code uint32 // the instruction of the redex, or of what was made
	// Redex is where it began: the node that fired, operand 0, or the occurrence that (3) was of.
	Redex Place
	// Result is the operand to which a value went, or the redex.
	Result Place
	Words  uint64 // compile.NodeWords for each call of at
	m      *Machine
}

// Pos returns the place in the source of the redex, or of what D made it from.
func (e *Fired) Pos() term.Pos { return e.m.posOf(e.Code) }

// Backward reports whether it is of a backward phase.
func (e *Fired) Backward() bool {
	return e.m.job != 0 && (e.m.prog.Outputs > 0 || e.m.job == e.m.running)
}

// Live returns how many nodes are in use after it.
func (e *Fired) Live() uint64 { return e.m.arena.Live() }

// Touched returns the nodes that have been read or written since the event before; a node may stand there twice.
func (e *Fired) Touched() []Ref { return e.m.log[:e.m.touched] }

// Own returns those of Touched that the move itself has touched.
func (e *Fired) Own() []Ref { return e.m.log[e.m.begun:e.m.touched] }

// Made returns those of Touched that were free before.
func (e *Fired) Made() []Ref { return e.m.unused }

// Body returns the template whose copy comes next, or nil.
func (e *Fired) Body() *compile.Template { return e.m.copy.body }

// Linear reports whether the redex of (1) was the application of a dual λ.
func (e *Fired) Linear() bool { return e.m.arena.Node(nodeOf(e.Redex)).Kind == compile.Linear }

// Heap returns what the arena holds. It is good until the next rewrite.
func (m *Machine) Heap() *graph.Heap { return graph.New(m.prog, m.arena.Nodes(), m.result>>2) }

// Options say how a machine runs. The zero value is LIFO without limits.
type Options struct {
	Random bool   // redexes fire in random order
	Seed   uint64 // of that order
	Finite bool   // a number that is NaN or infinite is an error
	Limits limits.Bounds
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
	Work       [rule.NumMoves]rule.Work
	Nodes      uint64 // allocated
	Freed      uint64 // of these
	PeakNodes  uint64 // at once
	ArenaBytes uint64
}
