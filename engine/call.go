package engine

import (
	"cmp"
	"slices"

	"github.com/gram-machine/gram/engine/frames"
	"github.com/gram-machine/gram/graph"
	"github.com/gram-machine/gram/limits"
	"github.com/gram-machine/gram/rule"
)

// runsPerRoutine is how often a template has run in an evaluation before its routine runs.
const runsPerRoutine = 16

// callState is what a machine needs to run routines on frames.
type callState struct {
	on     bool
	after  uint64 // runs of a template before its routine runs
	stack  frames.Stack
	of     []knownRoutine // by template
	into   graph.Ref      // the node for the result of the run
	values []graph.Ref    // scratch
}

// knownRoutine is the routine of a template, nil if there is none, once it is known.
type knownRoutine struct {
	known   bool
	routine *graph.Routine
}

// routine returns the routine of a template that has run often enough.
func (m *Machine) routine(id uint32) *graph.Routine {
	if !m.call.on || m.literal || m.runs[id] < m.call.after || m.team != nil && (!m.team.alone || m.order != nil) {
		return nil
	}
	return m.routineOf(id)
}

// routineOf returns the routine of a template, nil if there is none.
func (m *Machine) routineOf(id uint32) *graph.Routine {
	if m.call.of == nil {
		m.call.of = make([]knownRoutine, len(m.prog.Templates))
	}
	k := &m.call.of[id]
	if !k.known {
		k.known = true
		var table graph.RoutineTable
		k.routine, table = m.prog.Routine(id)
		m.call.stack.SetTable(table)
	}
	return k.routine
}

// applyRoutine runs the routine of a closure on arguments that are bound, and puts its result into the node r.
func (m *Machine) applyRoutine(r, f graph.Ref, routine *graph.Routine, args []graph.Ref) error {
	s := &m.call.stack
	for !s.Fits(routine) {
		if err := m.growFrames(); err != nil {
			return err
		}
	}
	regs := s.Enter(routine, f)
	// The routine's first entry counts the call again.
	bound := uint64(len(args))
	m.applied, m.steps = m.applied-bound, m.steps-2*bound
	if routine.Recursive {
		m.addSteps(rule.Unfold, ^uint64(0))
	}
	for i, l := range routine.Params {
		stack := append(m.call.values[:0], args[i])
		for _, n := range l {
			v := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			switch n.Kind {
			case graph.NumLeaf:
				regs[0], regs = m.nodes[v].V, regs[1:]
			case graph.PairLayout:
				p := m.nodes[v].V
				stack = append(stack, graph.Ref(p>>32), graph.Ref(p))
			default:
				regs[0], regs = uint64(v), regs[1:]
			}
		}
		m.call.values = stack
	}
	return m.runFrames(r)
}

// continueRoutine is a frame that goes on: its application, for which the node w has waited, has a value.
func (m *Machine) continueRoutine(w graph.Ref) error {
	k := 4*uint64(w) + graph.WaitWords
	m.call.stack.Continue(m.Resolve(m.words[k]))
	return m.runFrames(m.words[k+1])
}

// runFrames runs the frame on top of the stack, and those that it calls. The result is the value of the node into.
func (m *Machine) runFrames(into graph.Ref) error {
	s := &m.call.stack
	m.call.into = into
	for {
		if err := m.roomForFrames(); err != nil {
			return err
		}
		s.Nodes, s.Words, s.Globals = m.nodes, m.words, m.slots
		s.Top, s.Limit = m.top, min(m.limit, m.nodeTop, m.collect.at)
		s.Limit = max(s.Limit, m.top+s.Needs()+spareUnits)
		s.Steps, s.Most = m.steps, m.nextLook-m.pops
		compiled := m.compileRoutines()
		event := s.Run()
		if compiled != nil {
			compiled.work.Add(s.Steps - m.steps)
			compiled.runs.Add(1)
		}
		m.top, m.steps = s.Top, s.Steps
		routine := s.Routine()
		if routine.Recursive {
			m.unfolded = routine.Template + 1
		}
		m.pos = m.prog.Templates[routine.Template].Pos
		switch event {
		case frames.Done:
			return m.settleFrames()
		case frames.Apply:
			m.applyOutside()
			return nil
		case frames.Look:
			if err := m.Look(); err != nil {
				return err
			}
		case frames.Grow:
			if err := m.growFrames(); err != nil {
				return err
			}
		}
	}
}

// roomForFrames makes room for what the frame on top may allocate.
func (m *Machine) roomForFrames() error {
	if m.top >= m.collect.at {
		if err := m.collectGarbage(); err != nil {
			return err
		}
	}
	if m.top > m.nodeTop {
		if err := m.Look(); err != nil {
			return err
		}
	}
	return m.ensure(m.call.stack.Needs() + spareUnits)
}

// growFrames makes room for more frames. They are among the nodes that a limit is of, and of the memory.
func (m *Machine) growFrames() error {
	s := &m.call.stack
	bytes := s.Growth()
	if most := m.opt.Limits.MaxNodes; most != 0 && m.live()+uint64(s.Bytes())/graph.NodeBytes > most {
		return m.limitError("nodes", most, nil)
	}
	if most := cmp.Or(m.opt.Limits.MaxMemory, limits.DefaultArena); m.arena.Bytes()+uint64(s.Bytes()+bytes) > most {
		return m.limitError("memory", most, nil)
	}
	if err := m.reserve(bytes); err != nil {
		return err
	}
	s.Grow()
	return nil
}

// settleFrames makes the result of a routine that has returned the value of its application.
func (m *Machine) settleFrames() error {
	s := &m.call.stack
	into, layout := m.call.into, s.Routine().Result
	s.Leave()
	m.call.into = 0
	if err := m.ensure(uint32(len(layout)) + spareUnits); err != nil {
		return err
	}
	stack := m.call.values[:0]
	leaf := len(s.Result)
	waiters := m.nodes[into].A
	for i, n := range slices.Backward(layout) {
		v := m.top
		if i == 0 {
			v = into
		} else if n.Kind != graph.RefLeaf {
			m.top++
		}
		switch n.Kind {
		case graph.NumLeaf:
			leaf--
			m.nodes[v] = graph.Node{Head: uint32(graph.Num), V: s.Result[leaf]}
		case graph.PairLayout:
			last := len(stack) - 1
			m.nodes[v] = graph.Node{Head: uint32(graph.Pair), V: uint64(stack[last]) | uint64(stack[last-1])<<32}
			stack = stack[:last-1]
		default:
			leaf--
			if v = graph.Ref(s.Result[leaf]); i == 0 {
				m.become(into, v)
			}
		}
		stack = append(stack, v)
	}
	m.call.values = stack[:0]
	m.resume(waiters)
	return nil
}

// applyOutside puts the application that a routine has made on the worklist, and makes the node that waits for it in the frame's name.
func (m *Machine) applyOutside() {
	r := m.top
	w := r + 2
	m.top += 4
	m.nodes[w] = graph.Node{Head: uint32(graph.Frames), V: m.nodes[r].V >> 32 << 32}
	k := 4*uint64(w) + graph.WaitWords
	m.words[k], m.words[k+1] = r, m.call.into
	m.call.into = 0
	m.await(w, r)
	m.push(r)
}

// countRoutines counts what the entries of routines stand for.
func (m *Machine) countRoutines() {
	m.call.stack.Counts(func(e *graph.RoutineEntry, n uint64) {
		m.applied += n * e.Applied
		m.counts[rule.Unfold] += n * e.Unfolds
		m.counts[rule.GC] += n * e.Names
		for _, id := range e.Templates {
			m.runs[id] += n
		}
	})
}
