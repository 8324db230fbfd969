package engine

import (
	"github.com/gram-machine/gram/engine/order"
	"github.com/gram-machine/gram/graph"
)

// lending is what a team knows of the redexes that are lent.
type lending struct {
	on    bool    // the machine is in its primal phase
	lent  []*task // by their places on the worklist, from its bottom; nil: not lent
	depth int     // how many redexes wait for a worker
	every uint64  // steps between two looks
	pause bool    // nothing is lent: workers keep too much from being collected
}

// maxDepth bounds how many redexes wait for a worker.
const maxDepth = 64

// lendScan bounds how many places of the worklist one look goes through.
const lendScan = 1 << 10

func (l *lending) reset() { l.lent, l.pause = l.lent[:0], false }

// lend lends applications from the bottom of the worklist, where those are that LIFO
// comes to last, and which tend to be large. An application's function and arguments
// are values, and a value never refers to a waiting node: so reducing it reads what is
// there and waits for nothing outside. Where the workers had nothing left, more is lent
// than at the last look.
func (m *Machine) lend() {
	t := m.team
	l := &t.lend
	if !l.on || l.pause || t.alone || len(l.lent) >= len(m.work) {
		return
	}
	waiting := t.Waiting()
	if waiting == 0 && len(l.lent) > 0 {
		l.depth = min(2*l.depth, maxDepth)
	}
	for scan := 0; waiting < l.depth && len(l.lent) < len(m.work) && scan < lendScan; scan++ {
		var e *task
		if r := m.work[len(l.lent)]; m.nodes[r].Kind() == graph.Apply {
			e = m.redexTask(r)
			t.Give(&e.Task)
			waiting++
		}
		l.lent = append(l.lent, e)
	}
}

// redexTask is the reduction of the application r to its value, on a copy of r.
func (m *Machine) redexTask(r graph.Ref) *task {
	w := 4 * uint64(r)
	head, site := m.nodes[r].Head, m.words[w+3]
	operands := [4]uint32(m.words[w+graph.WaitWords : w+graph.WaitWords+4])
	limits := m.opt.Limits
	if limits.MaxSteps != 0 {
		limits.MaxSteps = max(1, limits.MaxSteps-min(m.steps, limits.MaxSteps))
	}
	e := taskOf(func(w *worker, e *task) error {
		s := w.m
		s.opt.Limits.MaxSteps = limits.MaxSteps
		w.begin()
		err := s.reduceCopy(head, site, operands)
		e.peak = max(s.collect.peak, uint64(s.top-s.base))
		if err == nil && s.collects() && s.top-s.base > copiedAsIs {
			err = s.collectGarbage()
		}
		if err != nil {
			s.top = s.base
			return err
		}
		e.value, e.from, e.to, e.freed = s.root, s.base, s.top, s.collect.freed
		w.unread.Add(1)
		return nil
	})
	e.top = m.top
	return e
}

// reduceCopy reduces an application until no redex is left.
func (m *Machine) reduceCopy(head, site uint32, operands [4]uint32) error {
	if err := m.ensure(2); err != nil {
		return err
	}
	r := m.placeholder()
	m.nodes[r] = graph.Node{Head: head, V: uint64(site) << 32}
	copy(m.words[4*uint64(r)+graph.WaitWords:], operands[:])
	m.root = r
	m.push(r)
	return m.reduce()
}

// copiedAsIs is how many nodes a task leaves, at most, without a collection.
const copiedAsIs = 1 << 10

// copyUnits are the nodes of the copy of a redex.
const copyUnits = 2

// fireLent fires the redex r, which was at the place i of the worklist: it may be lent.
func (m *Machine) fireLent(r graph.Ref, i int) error {
	l := &m.team.lend
	e := l.lent[i]
	l.lent = l.lent[:i]
	if e == nil {
		return m.fire(r)
	}
	ok, err := m.fetch(e)
	if ok && !m.prog.Reversed {
		ok, err = m.bring(e)
	}
	if err != nil {
		return err
	}
	if !ok {
		return m.fire(r)
	}
	m.add(&e.cost)
	nodes := uint64(e.to-e.from) + e.freed - copyUnits
	if m.prog.Reversed {
		m.orderAs(e, nodes)
	} else {
		m.collect.freed += nodes - e.copied
	}
	m.settle(r, e.value)
	return nil
}

// orderAs puts the nodes of a task behind those that the machine has made so far, and
// before those that it makes next, where LIFO would have made them.
func (m *Machine) orderAs(e *task, nodes uint64) {
	o := &m.team.order
	m.order = o
	o.Append(o.From, m.top)
	o.Append(e.from, e.to)
	e.By.kept = max(e.By.kept, e.to)
	from := order.ToChunk(m.top)
	m.elsewhere += int64(nodes) - int64(from-m.top)
	m.top, o.From = from, from
	m.setNodeTop()
}

// pinned prepares a collection. It takes back what no worker has begun, copies the values
// of what is done to the machine's arena, and returns below which node workers may still
// read: what lies there must stay.
func (m *Machine) pinned() (pin graph.Ref, err error) {
	if m.team == nil {
		return 0, nil
	}
	l := &m.team.lend
	on, last := l.on, 0
	l.on = false // copying may look, and nothing is to be lent now
	defer func() { l.on = on }()
	for i, e := range l.lent {
		if e == nil || m.team.TakeBack(&e.Task) {
			l.lent[i] = nil
			continue
		}
		select {
		case <-e.Done:
			ok := e.Err == nil
			if ok {
				ok, err = m.bring(e)
			}
			if err != nil || m.team.alone {
				return 0, err
			}
			if !ok {
				l.lent[i] = nil
				continue
			}
		default:
			pin = max(pin, e.top)
		}
		last = i + 1
	}
	l.lent = l.lent[:last]
	return pin, nil
}

// bring copies the value of a task that is done to the machine's arena. It reports
// false if there was no memory while there were workers.
func (m *Machine) bring(e *task) (bool, error) {
	if e.here {
		return true, nil
	}
	// What is copied is not to go while it is copied: the limits are looked at before.
	if err := m.ensure(e.to - e.from); err != nil || m.team.alone {
		return false, err
	}
	from := m.top
	e.value, m.top = m.collect.Copy(e.value, from)
	e.here, e.copied = true, uint64(m.top-from)
	e.By.unread.Add(-1)
	return true, nil
}
