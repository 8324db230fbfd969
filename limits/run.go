package limits

import (
	"fmt"

	"github.com/gram-machine/gram/term"
)

// Bounds bound a run of a machine. The zero value has none but the machine's memory.
type Bounds struct {
	MaxSteps uint64 // 0: none
	MaxNodes uint64 // 0: none; live nodes
	// MaxMemory bounds the arena, in bytes; 0: DefaultArena.
	MaxMemory uint64
	// RowsMemory bounds what loops keep for the backward phase, in bytes, where their iterations can be made again; 0:
	// what MaxMemory leaves.
	RowsMemory uint64
	// Look, if not nil, is called at least every 2¹⁶ steps or nodes, and every 2²⁰ steps of
	// a loop with arrays; its error ends the run. Use it for contexts, timeouts and memory.
	Look func() error
	// Reserve, if not nil, is called before memory for many numbers is allocated, with the bytes; its error ends the run.
	Reserve func(bytes int64) error
}

// DefaultArena bounds the arena where nothing else does: 16 GiB of addresses.
const DefaultArena = 16 << 30

// ReachedError says that a run was ended by a limit: which, how far it got, and the
// place in the source of the redex that was next.
type ReachedError struct {
	Limit string // "steps", "nodes", "memory"; "" where Err tells
	Max   uint64
	Steps uint64
	Nodes uint64
	Pos   term.Pos
	// Function is the name of the recursive function that ran last, "" if there is none.
	Function string
	Err      error // Look's error, or the arena's
}

func (e *ReachedError) Error() string {
	far := fmt.Sprintf("after %d steps, with %d nodes", e.Steps, e.Nodes)
	if e.Function != "" {
		far += ", in the recursive function " + e.Function
	}
	switch {
	case e.Limit == "memory":
		return fmt.Sprintf("memory limit of %d bytes reached %s", e.Max, far)
	case e.Limit != "":
		return fmt.Sprintf("limit of %d %s reached %s", e.Max, e.Limit, far)
	}
	return fmt.Sprintf("stopped %s: %v", far, e.Err)
}

func (e *ReachedError) Unwrap() error { return e.Err }

// NotFiniteError is a result that is NaN or infinite where it must not be.
type NotFiniteError struct {
	Value float64
	What  string
	Pos   term.Pos
}

func (e *NotFiniteError) Error() string { return fmt.Sprintf("%s gives %v", e.What, e.Value) }
