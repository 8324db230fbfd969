package block

import (
	"slices"

	"github.com/gram-machine/gram/graph"
	"github.com/gram-machine/gram/graph/calls"
)

// Recorder is told what a machine does, to make a profile of it: see package engine/profile.
type Recorder interface {
	// Begin says that a run begins, and EnterPhase that a phase does.
	Begin()
	EnterPhase(next calls.Phase)
	// At says that the redex r fires, and Done that it has fired.
	At(r graph.Ref)
	Done()
	// Enter says that a template runs, whose result goes into a node.
	Enter(template uint32, into graph.Ref)
	// Ran says that a block runs so many times, and MadeBlock that its object was made.
	Ran(b *graph.Block, times uint64)
	MadeBlock(base graph.Ref)
	// Took says how many instances the masks of the block had in the last runs.
	Took(b *graph.Block, taken []uint64)
	// Arrive says that n applications of a dual arrive.
	Arrive(dual graph.Ref, n uint64)
	// Fire, FireInput and FireBlock say that a dual fires, whose body applies the heads, the
	// dual of an input, and the duals of a block. Sync says that all have fired.
	Fire(dual graph.Ref, heads []graph.Ref)
	FireInput(input uint32)
	FireBlock(f Firing)
	Sync()
	// Under says that what comes is done under the λ, the elements or the branches of r.
	Under(r graph.Ref)
	// Moved says that the collector has moved n nodes, and Collected that all are moved.
	Moved(to, from graph.Ref, n uint32)
	Collected()
	// Samples calls f on the samples of the last run.
	Samples(f func(calls.Sample))
}

// Firing is the firing of the duals of a block, of all runs of its object. State is where what has arrived at them is kept.
type Firing struct {
	Object
	Runner *Runner
	State  []graph.Node
}

// Runs calls f on the runs, the last first, by what they have in common: the wiring, the code
// and the duals of the result that are reached.
func (b *Firing) Runs(f func(wiring *graph.Wiring, w *graph.Backward, reached []bool, times uint64)) {
	for t := b.Runner.Patterns(&b.Object, b.Runner.ReachedOf(&b.Object, b.State)); t.Left > 0; {
		reached, wiring := slices.Clone(t.Reached), t.Wiring()
		w, times, _ := t.Next(false) // an error is found by the run, too
		if w == nil {
			return
		}
		f(wiring, w, reached, times)
	}
}

// Row loads the row of a run into registers.
func (b *Firing) Row(run uint64) []float64 { return b.Runner.SweptRow(run) }
