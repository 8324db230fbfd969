package block

import (
	"github.com/gram-machine/gram/engine/native"
	"github.com/gram-machine/gram/graph"
)

// Host is the machine for which a Runner runs blocks. It has the limits and counts the steps.
type Host interface {
	// Reserve checks the limit on memory before so many bytes are allocated.
	Reserve(bytes int64) error
	// Look looks at the context.
	Look() error
	// Left returns how many steps of a backward phase may pass before the next look at the limits; 0 says that it is due.
	Left() uint64
	// LookBackward looks at the limits, and the next look is after so many steps.
	LookBackward(next uint64) error
	// Count counts steps of a backward phase, Fired the bodies of so many runs of a backward code, and FiredBody one of them.
	Count(steps uint64)
	Fired(w *graph.Backward, times uint64)
	FiredBody(body uint32, times uint64)
}

// Runner runs the blocks of a program, in registers.
type Runner struct {
	Regs       []float64
	Exts       []graph.Ref // the external duals of the block that runs
	Outs       []graph.Ref // the duals of its result
	Kept       *Kept
	Ran        []uint64 // how often the paths of a block ran in the last [Runner.MakeRuns]
	Taken      []uint64 // how many instances the masks of a block had in the last [Runner.Run] or [Runner.MakeRuns]
	Recomputed uint64   // steps of runs that were made again

	opt      Options
	host     Host
	look     func() error // of the host
	prog     *graph.Program
	nodes    []graph.Node
	front    func(bytes uint64) []byte // of the arena
	words    []uint32                  // the same memory
	floats   []float64                 // the same
	globals  []graph.Ref               // by their slots
	stack    []graph.Ref
	distinct graph.Distinct
	firing   firing
	tmp      []float64
	adjoint  []float64
	used     []bool
	wirings  []*graph.Wiring
	paths    Paths
	times    []uint64  // how often the backward codes of a block with paths run
	rows     []float64 // of an object whose rows are computed again
	window   window
	native   *native.Memory
	streams  [3][]float64 // scratch
	numbers  []int32      // of the backward codes of runs
	elements []float64    // the table of a list
	reached  []bool       // of the duals of a result
	arrived  []float64    // at them
	// reachedBy has, of objects of elements, which duals of one element the job has reached.
	reachedBy map[graph.Ref][][]bool
	doubted   []graph.Ref          // duals at which the runs of a block decide whether something arrives
	due       map[graph.Ref]uint32 // the arrivals due at them, and at those that they reach
	chosen    []float64            // of the paths of runs, or of the nodes that compiled code begins with
}

// Options of a Runner.
type Options struct {
	NoNative     bool   // interpret all blocks
	NativeWork   uint64 // how many instructions a loop has run when it is compiled
	BytecodeRuns uint64 // how many runs of a loop make bytecode of it worth making
}

// NewRunner returns a Runner of the program's blocks, for values in the arena.
func NewRunner(p *graph.Program, arena *graph.Arena, globals []graph.Ref, host Host, opt Options) Runner {
	return Runner{prog: p, nodes: arena.Nodes(), front: arena.Front, words: arena.Words(), floats: arena.Floats(), globals: globals, host: host, look: host.Look, opt: opt,
		Kept: &Kept{Numbers: objectNumbers}}
}

// Compiled reports whether machine code has run.
func (r *Runner) Compiled() bool { return r.native != nil && r.native.Ran() }

// HasCode reports whether bytecode or machine code has run.
func (r *Runner) HasCode() bool { return r.native != nil }

// LookEvery is how many steps, or other units of work, may pass between two looks at the limits.
const LookEvery = 1 << 16

// arrayLook is LookEvery in a loop with arrays, which makes several steps in a nanosecond.
const arrayLook = 1 << 20

// StepsPerLook is how many steps may pass between two looks in a loop of the block.
func StepsPerLook(b *graph.Block) uint64 {
	if b.Arrays != nil {
		return arrayLook
	}
	return LookEvery
}

// Registers makes room for n registers. The error is that of [Host.Reserve].
func (r *Runner) Registers(n uint32) error {
	if len(r.Regs) >= int(n) {
		return nil
	}
	if n >= LookEvery {
		r.Regs = nil
		if err := r.host.Reserve(8 * int64(n)); err != nil {
			return err
		}
	}
	r.Regs = Scratch(int(n))
	return nil
}

// objectNumbers is how many numbers the rows of one object have: 512 KiB.
const objectNumbers = 1 << 16

// planBytes is what a plan takes for each register of the block while it is made.
const planBytes = 24

// PlanOf returns the block's plan. The error is that of the host.
func (r *Runner) PlanOf(b *graph.Block, kind graph.LoopKind) (*graph.Plan, error) {
	if b.Regs >= LookEvery {
		if err := r.host.Reserve(planBytes * int64(b.Regs)); err != nil {
			return nil, err
		}
	}
	return b.Plan(r.prog, kind, r.look)
}

// EnterRecorded is [Runner.Enter] for so many runs, and returns the block's plan, nil if its result has no duals. It makes room for the registers of
// the backward code, too.
func (r *Runner) EnterRecorded(b *graph.Block, kind graph.LoopKind, f graph.Ref, runs uint64) (plan *graph.Plan, err error) {
	if len(b.OutDuals) > 0 {
		if plan, err = r.PlanOf(b, kind); err != nil {
			return nil, err
		}
		n := plan.Regs
		if runs >= leastDeferred {
			n = max(n, plan.DeferredRegs)
		}
		if err := r.Registers(n); err != nil {
			return nil, err
		}
	}
	return plan, r.Enter(b, f)
}

// Scratch makes n numbers that lie in cache lines of their own: two workers that write
// theirs in turn would slow each other down.
func Scratch(n int) []float64 {
	const line = 16 // two lines: processors fetch them in pairs
	return make([]float64, (n+line-1)/line*line)[:n]
}

// Resize makes s a slice of n zeros, in the memory that it has if that is enough.
func Resize[T any](s *[]T, n int) []T {
	if cap(*s) < n {
		*s = make([]T, n, n+min(n/2, LookEvery))
	}
	*s = (*s)[:n]
	clear(*s)
	return *s
}
