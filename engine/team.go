package engine

import (
	"errors"
	"sync/atomic"
	"time"

	"github.com/gram-machine/gram/engine/block"
	"github.com/gram-machine/gram/engine/order"
	"github.com/gram-machine/gram/engine/pool"
	"github.com/gram-machine/gram/graph"
	"github.com/gram-machine/gram/rule"
)

// The schedule Parallel is LIFO with tasks: the machine goes its way as under LIFO,
// and lends what it will come to later to workers, which have arenas of their own in the
// machine's range of addresses. When it comes to what it has lent, it accepts what has
// become of it, or does it itself if no worker has begun. So results, counts, limits and
// errors are LIFO's, and whatever a worker can't finish is done again by the machine. At a
// limit of memory or nodes it sends the workers away, and does the rest of the run alone.

// team is the workers of a machine.
type team struct {
	pool.Pool[worker]
	order  order.Order
	lend   lending
	sweeps map[graph.Ref]*task // of blocks that will fire
	swept  int                 // how much of the stack, from its bottom, was looked at for them
	front  order.Front
	least  uint64 // instructions that a block's backward phase has if it is lent
	alone  bool   // the machine does the rest of this run itself
	// accepted counts the tasks of this run that workers have done for the machine.
	accepted int
}

// worker runs tasks on a machine of its own, which shares the range of addresses and
// the program.
type worker struct {
	m      *Machine
	unread atomic.Int32 // tasks that are done, and whose nodes nobody has read
	kept   graph.Ref    // nodes below are the machine's, or of no task
}

// task is something that is lent.
type task struct {
	pool.Task[worker]
	cost cost
	// Of a redex: its value, and the nodes that it took.
	top      graph.Ref // the machine's when it was lent: all that the redex refers to lies below
	value    graph.Ref
	from, to graph.Ref
	freed    uint64
	peak     uint64 // nodes that it had at once
	here     bool   // the value has been copied to the machine's arena
	copied   uint64 // the nodes of that copy
	// Of a block: what firing its cells comes to.
	contributions block.Contributions
	next          []float64 // what arrives at the duals of its follower; nil: nothing at some of them
}

var errStopped = errors.New("the run is over")

// newTeam makes so many workers of a machine, in arenas of their own.
func (m *Machine) newTeam(arenas []*graph.Arena) *team {
	t := &team{sweeps: map[graph.Ref]*task{}, order: order.New(arenas[0].Start()),
		front: order.Front{Prog: m.prog, Nodes: m.nodes, Words: m.words, State: m.state}}
	t.lend.depth, t.lend.every, t.least = len(arenas), LookEvery, sweepLeast
	opt := m.opt
	opt.Schedule, opt.Workers, opt.Phase, opt.Share = LIFO, 0, nil, nil
	opt.Limits.Look = func() error {
		if t.Stop.Load() {
			return errStopped
		}
		return nil
	}
	for _, a := range arenas {
		w := newMachine(m.prog, opt, a)
		copy(w.slots, m.slots)
		w.block.Kept = m.block.Kept
		w.top = a.Start()
		t.Workers = append(t.Workers, &worker{m: w})
	}
	return t
}

// reset makes the team ready for a run of the machine.
func (t *team) reset() {
	t.order.Reset()
	t.lend.reset()
	clear(t.sweeps)
	t.accepted, t.alone = 0, false
	for _, w := range t.Workers {
		w.kept = w.m.arena.Start()
		w.m.top = w.kept
		w.unread.Store(0)
	}
}

// dismiss ends the tasks of a run that has reached a limit, and gives back the memory of
// those that the machine has not accepted: it does them itself. It reports whether there
// were workers until now.
func (m *Machine) dismiss() bool {
	t := m.team
	if t == nil || t.alone {
		return false
	}
	t.Quit()
	t.alone = true
	t.lend.reset()
	clear(t.sweeps)
	for _, w := range t.Workers {
		w.m.top = w.kept
		w.m.arena.Shrink(w.kept)
		w.unread.Store(0)
	}
	if t.lend.on && m.collects() {
		m.collect.at = m.top // what workers have kept from being collected
	}
	return true
}

// taskOf is a task which a worker does, and what it takes.
func taskOf(do func(w *worker, e *task) error) *task {
	e := &task{}
	e.Do = func(w *worker) error {
		err := do(w, e)
		e.cost = w.m.cost()
		return err
	}
	return e
}

// fetch waits for a task. It reports false if the machine is to do it itself: no
// worker has begun it, or it ended with an error, or would pass a limit. The error is
// that of a look.
func (m *Machine) fetch(e *task) (bool, error) {
	if m.team.TakeBack(&e.Task) {
		return false, nil
	}
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-e.Done:
			if e.Err != nil || m.team.alone {
				return false, nil
			}
			limits, nodes := &m.opt.Limits, m.live()+e.peak
			if limits.MaxNodes != 0 && nodes > limits.MaxNodes {
				m.dismiss()
				return false, nil
			}
			if limits.MaxSteps != 0 && m.steps+e.cost.steps >= limits.MaxSteps {
				return false, nil
			}
			m.collect.peak = max(m.collect.peak, nodes)
			m.team.accepted++
			return true, nil
		case <-tick.C:
			if err := m.Look(); err != nil || m.team.alone {
				return false, err
			}
		}
	}
}

// begin makes the worker's machine ready for a task.
func (w *worker) begin() {
	s := w.m
	if w.unread.Load() == 0 && !s.prog.Reversed {
		s.top = s.arena.Start()
	}
	s.base = order.ToChunk(s.top)
	s.state = s.nodes
	s.reset()
}

// cost is what a task took, to be added to the machine's counters.
type cost struct {
	steps, pops, waits, occurs, readback, applied, firedIn uint64
	dropped, recomputed                                    uint64
	counts                                                 rule.Counts
	runs, blockRuns, fired, blockFired                     pool.Tally
}

// cost returns what the machine has counted since its reset.
func (m *Machine) cost() cost {
	return cost{dropped: m.dropped, recomputed: m.block.Recomputed, steps: m.steps, pops: m.pops, waits: m.waits, occurs: m.occurs, readback: m.readback, applied: m.applied, firedIn: m.firedIn,
		counts: m.counts, runs: pool.TallyOf(m.runs), blockRuns: pool.TallyOf(m.block.runs), fired: pool.TallyOf(m.fired), blockFired: pool.TallyOf(m.block.fired)}
}

// add adds what a task took.
func (m *Machine) add(c *cost) {
	m.steps += c.steps
	m.pops += c.pops
	m.waits += c.waits
	m.occurs += c.occurs
	m.readback += c.readback
	m.applied += c.applied
	m.firedIn += c.firedIn
	m.dropped += c.dropped
	m.block.Recomputed += c.recomputed
	m.counts.AddTimes(&c.counts, 1)
	c.runs.AddTo(m.runs)
	c.blockRuns.AddTo(m.block.runs)
	c.fired.AddTo(m.fired)
	c.blockFired.AddTo(m.block.fired)
}
