// Package bridge has what package gram shows to the commands, benchmarks and tests of the module alone.
package bridge

import (
	"context"

	"github.com/gram-machine/gram/graph"
	"github.com/gram-machine/gram/graph/calls"
	"github.com/gram-machine/gram/lang"
	"github.com/gram-machine/gram/limits"
	"github.com/gram-machine/gram/machine"
	"github.com/gram-machine/gram/term"
)

// Inside is a gram.Program from inside.
type Inside interface {
	// Source returns what was loaded, not to be modified.
	Source() *lang.Program
	// Expand makes Term, as all that needs it does. The error is a *gram.Error if it is too large, or a *gram.LimitError.
	Expand(ctx context.Context) error
	// Term returns the elaborated program without families, not to be modified, nil if it is too large. Terms made of it
	// add to its universe of types, so in several goroutines use Copy.
	Term() *term.Term
	ScalarInputs() []term.Var // of Term, as Program.Point has them
	// Copy copies Term, with its own universe of types, and its scalar inputs; nil if there is none.
	Copy() (*term.Term, []term.Var)
	// Normal returns the symbolic normal form of D(t), with the inputs free: for t of type R, the right-hand side of
	// Theorem 1, ⟨G0, λa.Σ xj*(Gj)⟩, by the literal machine. Branches are those of the point. The options are
	// gram.EvalOptions.
	Normal(ctx context.Context, options any) (*term.Term, error)
	// Graph reduces the program with its inputs symbolic on the literal machine, which the caller closes: what is left is
	// the graph G. Branches are those of the point. The options are gram.EvalOptions.
	Graph(ctx context.Context, options any) (*machine.Machine, error)
	// Meter checks ctx and the limits of gram.Options during work on the term.
	Meter(ctx context.Context) *limits.Meter
	// Locate makes an error of a phase like "compiling" a *gram.Error or *gram.LimitError.
	Locate(err error, phase string) error
	// Random reports whether the program takes default values with random numbers, which gram.Options.Seed decides.
	Random() bool
	// Branches reports whether a condition may depend on an input.
	Branches() bool
}

// Hooks watch a run.
type Hooks struct {
	// Events and Before watch the literal machine: see [machine.Options]. Their error ends the run, which returns it.
	Events func(*machine.Fired) error
	Before func(rewrite uint64) error
	// Samples gets a profile: the steps by places of the program, with those of a strategy. It needs the schedule LIFO or
	// Random and the mode Reverse. Timed adds times, but on the literal machine.
	Samples func(calls.Sample)
	Timed   bool
}

// Package gram sets these.
var (
	Of func(program any) Inside // a *gram.Program from inside
	// Heap is the arena of a *gram.Evaluator on the literal machine between two events, or nil.
	Heap func(evaluator any) *graph.Heap
	Hook func(options any, hooks Hooks) any // gram.EvalOptions with hooks
)

// Watch returns options with hooks.
func Watch[O any](options O, hooks Hooks) O { return Hook(options, hooks).(O) }
