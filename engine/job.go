package engine

import (
	"github.com/gram-machine/gram/graph"
	"github.com/gram-machine/gram/rule"
)

// What a job in whose head these bits stand does when what it waits for has come.
const (
	jobPhase      = 3 << graph.KindShift
	jobUnfolds    = 0 << graph.KindShift // it unfolds the sum
	jobFires      = 1 << graph.KindShift // it fires the dual with the argument
	jobComponents = 2 << graph.KindShift // it goes on with the next component
	jobOwns       = 4 << graph.KindShift // the sum so far is a node of its own
	jobWraps      = 8 << graph.KindShift // the result is a vector of one component
)

// isLate reports whether v is a sum that no job has run, or a vector with such a
// component.
func (m *Machine) isLate(v graph.Ref) bool {
	switch n := &m.nodes[v]; n.Kind() {
	case graph.Arrival, graph.Bag:
		return true
	case graph.Vec:
		return n.A == late
	}
	return false
}

// markLate marks the vector v if it has a late component.
func (m *Machine) markLate(v graph.Ref) {
	for _, c := range m.components(v) {
		if m.isLate(c) {
			m.nodes[v].A = late
			return
		}
	}
}

// makeArrival makes an application of a dual in a sum.
func (m *Machine) makeArrival(in *graph.Instr, into graph.Ref, flags uint8) {
	r := m.resultNode(2, into, flags)
	m.nodes[r] = graph.Node{Head: uint32(graph.Arrival), V: uint64(m.Resolve(m.slots[in.A])) | uint64(m.Resolve(m.slots[in.B]))<<32}
	m.nodes[r+1] = graph.Node{}
	m.slots[in.D] = r
}

// makeBag makes a sum.
func (m *Machine) makeBag(in *graph.Instr, into graph.Ref, flags uint8) {
	r := m.resultNode(1, into, flags)
	m.nodes[r] = graph.BagOf(m.slots[in.A], m.slots[in.B])
	m.slots[in.D] = r
}

// runSum makes the job of a late sum. A value is left as it is.
func (m *Machine) runSum(in *graph.Instr, pc uint32, into graph.Ref, flags uint8) {
	v := m.Resolve(m.slots[in.A])
	root := flags&graph.Root != 0
	m.slots[in.D] = v
	switch {
	case m.isLate(v):
		r := m.resultNode(2, into, flags)
		waiters := uint32(0)
		if root {
			waiters = m.nodes[r].A
		}
		m.makeJob(r, v, pc, waiters, flags)
		m.slots[in.D] = r
	case root:
		m.become(into, v)
	}
}

// startJob is runSum for a node that has waited for the sum.
func (m *Machine) startJob(r graph.Ref, in *graph.Instr, pc uint32) {
	v := m.Resolve(m.words[4*uint64(r)+graph.WaitWords])
	if m.isLate(v) {
		m.makeJob(r, v, pc, m.nodes[r].A, in.Flags)
		return
	}
	m.settle(r, v)
}

// makeJob makes the job of the sum v in the two nodes at r.
func (m *Machine) makeJob(r, v graph.Ref, pc, waiters uint32, flags uint8) {
	head := uint32(graph.Job)
	if flags&graph.One != 0 {
		head |= jobWraps
	}
	m.nodes[r] = graph.Node{Head: head, A: waiters, V: uint64(pc) << 32}
	m.nodes[r+1] = graph.Node{}
	m.words[4*uint64(r)+graph.JobOperand] = v
	m.push(r)
}

// awaitJob makes r, a waiting node, wait for the job of the sum v, which stands in its
// word w.
func (m *Machine) awaitJob(r graph.Ref, w uint64, v graph.Ref, pc uint32, flags uint8) error {
	if err := m.ensure(2); err != nil {
		return err
	}
	job := m.top
	m.top += 2
	m.makeJob(job, v, pc, 0, flags)
	m.words[w] = job
	m.await(r, job)
	return nil
}

func (m *Machine) setPhase(r graph.Ref, phase uint32) {
	m.nodes[r].Head = m.nodes[r].Head&^jobPhase | phase
}

// fireJob goes on with a job. At most one dual fires, (3), (1) and (5).
func (m *Machine) fireJob(r graph.Ref) error {
	w := 4 * uint64(r)
	v := m.Resolve(m.words[w+graph.JobOperand])
	switch m.nodes[r].Head & jobPhase {
	case jobFires:
		return m.fireDual(r, m.words[w+graph.JobCell], v)
	case jobComponents:
		i := m.words[w+graph.JobCell]
		m.components(m.words[w+graph.JobSum])[i] = v
		return m.nextComponent(r, i+1)
	}
	if err := m.unfold(r, v); err != nil {
		return err
	}
	return m.nextCell(r)
}

// unfold divides a sum into its summands, from left to right: an application of a dual arrives at the
// dual's cell, anything else contributes to the job's sum.
func (m *Machine) unfold(r, v graph.Ref) error {
	stack := append(m.cells[:0], v)
	for n := 1; len(stack) > 0; n++ {
		if n%LookEvery == 0 {
			if err := m.lookAt(r); err != nil {
				return err
			}
		}
		v := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		switch n := &m.nodes[v]; n.Kind() {
		case graph.Forward:
			stack = append(stack, graph.Ref(n.V))
		case graph.Bag:
			stack = append(stack, graph.Ref(n.V>>32), graph.Ref(n.V))
		case graph.Arrival:
			if checking {
				m.jobs.Arrive(r, m.arrivals.Dual(v))
			}
			m.arrivals.Add(r, v)
		default:
			if s := m.sole(v); s != v { // a vector of one component is that component
				stack = append(stack, s)
				continue
			}
			if err := m.contribute(r, v); err != nil {
				return err
			}
		}
	}
	m.cells = stack
	return nil
}

func (m *Machine) lookAt(r graph.Ref) error {
	m.pos = m.Place(r)
	return m.Look()
}

// nextCell takes all arrivals at the dual that was made last of those that have any: no
// more can come, since what a value refers to is older. Beyond the first each is (11),
// which adds the arguments. Then the dual fires, or waits for the sum of its arguments,
// a job of its own.
func (m *Machine) nextCell(r graph.Ref) error {
	w := 4 * uint64(r)
	h := m.words[w+graph.JobCells]
	if h == 0 {
		return m.finish(r)
	}
	dual, arg := m.arrivals.Dual(h), m.arrivals.Argument(h)
	arrivals := uint64(0)
	for {
		arrivals++
		if err := m.arrivals.RemoveFirst(r, func() error { return m.lookAt(r) }); err != nil {
			return err
		}
		if h = m.words[w+graph.JobCells]; h == 0 || m.arrivals.Dual(h) != dual {
			break
		}
		m.addSteps(rule.Factor, 1)
		var err error
		if arg, err = m.addArguments(r, arg, m.arrivals.Argument(h)); err != nil {
			return err
		}
	}
	if checking {
		m.jobs.Fire(r, dual, arrivals)
	}
	if m.isLate(arg) {
		m.setPhase(r, jobFires)
		m.words[w+graph.JobCell] = dual
		return m.awaitJob(r, w+graph.JobOperand, arg, uint32(m.nodes[r].V>>32), 0)
	}
	return m.fireDual(r, dual, arg)
}

// addArguments is the sum that (11) makes: a number, or late.
func (m *Machine) addArguments(r, a, b graph.Ref) (graph.Ref, error) {
	if err := m.ensure(1); err != nil {
		return 0, err
	}
	s := m.top
	m.top++
	if m.nodes[a].Kind() == graph.Num && m.nodes[b].Kind() == graph.Num {
		return s, m.addNumbers(r, s, a, b)
	}
	m.nodes[s] = graph.BagOf(a, b)
	return s, nil
}

// fireDual applies the dual to the number a. The job waits for what its body comes to,
// a sum to be unfolded.
func (m *Machine) fireDual(r, dual, a graph.Ref) error {
	if err := m.ensure(2); err != nil {
		return err
	}
	result := m.placeholder()
	m.nodes[result].V = m.nodes[r].V >> 32 << 32
	m.setPhase(r, jobUnfolds)
	m.words[4*uint64(r)+graph.JobOperand] = result
	m.await(r, result)
	id := m.nodes[dual].Head >> graph.KindShift
	t := &m.prog.Templates[id]
	m.loadCaptures(t, dual)
	m.slots[t.Param0] = a
	return m.instantiate(id, t, result)
}
