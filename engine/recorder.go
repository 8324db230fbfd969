package engine

import (
	"slices"

	"github.com/gram-machine/gram/engine/block"
	"github.com/gram-machine/gram/graph"
	"github.com/gram-machine/gram/graph/calls"
	"github.com/gram-machine/gram/rule"
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
	FireBlock(f BlockFiring)
	Sync()
	// Under says that what comes is done under the λ, the elements or the branches of r.
	Under(r graph.Ref)
	// Moved says that the collector has moved n nodes, and Collected that all are moved.
	Moved(to, from graph.Ref, n uint32)
	Collected()
	// Samples calls f on the samples of the last run.
	Samples(f func(calls.Sample))
}

// BlockFiring is the firing of the duals of a block, of all its runs.
type BlockFiring struct {
	Block *graph.Block
	Kind  graph.LoopKind
	N     uint64      // runs
	Base  graph.Ref   // the object
	Outs  graph.Ref   // the first dual of the result
	Exts  []graph.Ref // the external duals
	m     *Machine
	parts *block.Object
}

// Runs calls f on the runs, the last first, by what they have in common: the wiring, the code
// and the duals of the result that are reached.
func (b BlockFiring) Runs(f func(wiring *graph.Wiring, w *graph.Backward, reached []bool, times uint64)) {
	for t := b.m.block.Patterns(b.parts, b.m.block.ReachedOf(b.parts, b.m.state)); t.Left > 0; {
		reached, wiring := slices.Clone(t.Reached), t.Wiring()
		w, times, _ := t.Next(false) // an error is found by the run, too
		if w == nil {
			return
		}
		f(wiring, w, reached, times)
	}
}

// Row loads the row of a run into registers.
func (b BlockFiring) Row(run uint64) []float64 { return b.m.block.SweptRow(run) }

// Samples calls f on the samples of the last run, in an order that depends on the run alone,
// if there is a recorder. The stack is overwritten by the next.
func (m *Machine) Samples(f func(calls.Sample)) {
	if m.record != nil {
		m.record.Samples(f)
	}
}

// Counts returns the steps so far that neither a template nor a dual's body counts.
func (m *Machine) Counts() *rule.Counts {
	m.countRoutines()
	return &m.counts
}

// Steps returns how many steps there are so far, by any rule.
func (m *Machine) Steps() uint64 { return m.steps }

// Dropped returns how many nodes of rows the loops so far have not kept.
func (m *Machine) Dropped() uint64 { return m.dropped }

// Applied returns how many arguments were bound so far: a (1) and a (4) each.
func (m *Machine) Applied() uint64 {
	m.countRoutines()
	return m.applied
}

// enter tells that a phase begins.
func (m *Machine) enter(p calls.Phase) {
	m.done.phase, m.done.share = p, unknown
	if m.record != nil {
		m.record.EnterPhase(p)
	}
	if m.opt.Phase != nil {
		m.opt.Phase(p)
	}
}
