// Package calls has what profiles of both machines are made of: the tree of calling contexts, and the samples
// that belong to them.
package calls

import (
	"time"

	"github.com/gram-machine/gram/rule"
	"github.com/gram-machine/gram/term"
)

// Call is a call of a template from a place in the code of a context.
type Call struct {
	Caller   uint32
	Pos      term.Pos
	Template uint32
}

// Calls are the calling contexts of a run, a tree. Context 0 is the program's; it calls
// itself.
type Calls struct {
	of    []Call // by context
	depth []int
	known map[Call]uint32
}

// deepest and maxContexts bound what is kept of calling contexts. A call deeper than the
// first stands in the place of the caller at that depth; when there are so many contexts
// as the second, calls that are new stand directly under the program.
const (
	deepest     = 64
	maxContexts = 1 << 16
)

// NewCalls returns the calls of a program that has made none yet.
func NewCalls(main Call) *Calls {
	return &Calls{of: []Call{main}, depth: []int{0}, known: map[Call]uint32{}}
}

// At returns the call that context c runs for.
func (t *Calls) At(c uint32) Call { return t.of[c] }

// Callee returns the context of a call. A call that stands among its callers already is
// that one: recursion, as through the functions that a fold builds, is folded, so that
// stacks are no deeper than the program.
func (t *Calls) Callee(k Call) uint32 {
	if c, ok := t.known[k]; ok {
		return c
	}
	c, ok := t.among(k)
	switch {
	case ok:
	case t.depth[k.Caller] >= deepest:
		c = t.Callee(Call{t.of[k.Caller].Caller, k.Pos, k.Template})
	case len(t.of) >= maxContexts && k.Caller != 0:
		c = t.Callee(Call{0, k.Pos, k.Template})
	default:
		c = uint32(len(t.of))
		t.of = append(t.of, k)
		t.depth = append(t.depth, t.depth[k.Caller]+1)
	}
	t.known[k] = c
	return c
}

// among looks for the call among the callers of the caller, and the caller itself.
func (t *Calls) among(k Call) (uint32, bool) {
	for c := k.Caller; c != 0; c = t.of[c].Caller {
		if x := &t.of[c]; x.Template == k.Template && x.Pos == k.Pos {
			return c, true
		}
	}
	return 0, false
}

// Stack appends the stack of a place in a context to out. begins says where the λ of a
// template begins; ok is false for code that is no λ's, but stands in one.
func (t *Calls) Stack(out []Frame, c uint32, at term.Pos,
	begins func(template uint32) (pos term.Pos, ok bool)) []Frame {
	for ; c != 0; c = t.of[c].Caller {
		if pos, ok := begins(t.of[c].Template); ok {
			out = append(out, Frame{pos, at})
			at = t.of[c].Pos
		}
	}
	return append(out, Frame{0, at})
}

// Code is what copies of a body have in common, as an expansion has of what stands in a comprehension: profiles do not
// tell them apart. A body is that of a λ, a branch or the elements of a list.
type Code struct {
	Within uint32 // the body that it stands in
	Pos    term.Pos
	Branch int // from 1 on; −1: elements of a list; 0: a λ, whose variable has the name and was bound there
	Name   string
	Bound  term.Pos
}

// Phase is a part of a run.
type Phase uint8

// The phases. A gradient has the first three, with one backward phase for each output; a program with symbolic inputs
// has Normalise alone.
const (
	Primal    Phase = iota // the worklist is emptied
	Backward               // the duals fire
	ReadBack               // the value, or the normal form, is read off the graph
	Normalise              // a program with symbolic inputs is reduced, under its λs too
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
