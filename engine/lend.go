package engine

import "github.com/gram-machine/gram/graph"

// lending is what a team knows of the redexes that are lent.
type lending struct {
	on    bool      // the machine is in its primal phase
	lent  []*errand // by their places on the worklist, from its bottom; nil: not lent
	depth int       // how many redexes wait for a worker
	every uint64    // steps between two looks
}

// maxDepth bounds how many redexes wait for a worker.
const maxDepth = 64

// lendScan bounds how many places of the worklist one look goes through.
const lendScan = 1 << 10

func (l *lending) reset() { l.lent = l.lent[:0] }

// lend lends applications from the bottom of the worklist, where those are that LIFO
// comes to last, and which tend to be large. An application's function and arguments
// are values, and a value never refers to a waiting node: so reducing it reads what is
// there and waits for nothing outside. Where the workers had nothing left, more is lent
// than at the last look.
func (m *Machine) lend() {
	t := m.team
	l := &t.lend
	if !l.on || len(l.lent) >= len(m.work) {
		return
	}
	waiting := t.waiting()
	if waiting == 0 && len(l.lent) > 0 {
		l.depth = min(2*l.depth, maxDepth)
	}
	for scan := 0; waiting < l.depth && len(l.lent) < len(m.work) && scan < lendScan; scan++ {
		var e *errand
		if r := m.work[len(l.lent)]; m.nodes[r].Kind() == graph.Apply {
			e = m.redexErrand(r)
			t.give(e)
			waiting++
		}
		l.lent = append(l.lent, e)
	}
}

// redexErrand is the reduction of the application r to its value, on a copy of r.
func (m *Machine) redexErrand(r graph.Ref) *errand {
	w := 4 * uint64(r)
	head, site := m.nodes[r].Head, m.words[w+3]
	operands := [4]uint32(m.words[w+graph.WaitWords : w+graph.WaitWords+4])
	limits := m.opt.Limits
	if limits.MaxSteps != 0 {
		limits.MaxSteps = max(1, limits.MaxSteps-min(m.steps, limits.MaxSteps))
	}
	e := &errand{}
	e.do = func(w *worker) error {
		s := w.m
		s.opt.Limits.MaxSteps = limits.MaxSteps
		w.begin()
		err := s.reduceCopy(head, site, operands)
		if err != nil {
			s.top = s.base
			return err
		}
		e.value, e.from, e.to, e.freed = s.root, s.base, s.top, s.collect.freed
		w.unread.Add(1)
		return nil
	}
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
	if err != nil {
		return err
	}
	if !ok {
		return m.fire(r)
	}
	m.add(&e.cost)
	nodes := uint64(e.to-e.from-copyUnits) + e.freed
	v := e.value
	if m.prog.Reversed {
		m.orderAs(e, nodes)
	} else {
		before := m.top
		if v, err = m.copyHere(v); err != nil {
			return err
		}
		m.collect.freed += nodes - uint64(m.top-before)
		e.by.unread.Add(-1)
	}
	m.settle(r, v)
	return nil
}

// orderAs puts the nodes of an errand behind those that the machine has made so far, and
// before those that it makes next, where LIFO would have made them.
func (m *Machine) orderAs(e *errand, nodes uint64) {
	o := &m.team.order
	m.order = o
	o.append(o.from, m.top)
	o.append(e.from, e.to)
	from := toChunk(m.top)
	m.elsewhere += int64(nodes) - int64(from-m.top)
	m.top, o.from = from, from
	m.setNodeTop()
}

// recall takes back what no worker has begun, and reports whether nothing is lent then:
// an errand knows its redex's operands by their places in the arena.
func (m *Machine) recall() bool {
	if m.team == nil {
		return true
	}
	l := &m.team.lend
	for i, e := range l.lent {
		if e == nil {
			continue
		}
		if !m.team.takeBack(e) {
			return false
		}
		l.lent[i] = nil
	}
	l.lent = l.lent[:0]
	return true
}

// copyHere copies a value of a worker's arena, and what it refers to there, to the
// machine's own, and returns its place. A copied object forwards to its copy.
func (m *Machine) copyHere(v graph.Ref) (graph.Ref, error) {
	from := m.top
	v, err := m.copyObject(v)
	for r := from; err == nil && r < m.top; r += m.extent(r) {
		m.references(r, func(w uint64) {
			if err == nil {
				m.words[w], err = m.copyObject(m.words[w])
			}
		})
	}
	return v, err
}

func (m *Machine) copyObject(r graph.Ref) (graph.Ref, error) {
	r = m.resolve(r)
	if r < m.top {
		return r, nil
	}
	n := m.extent(r)
	if err := m.ensure(n); err != nil {
		return 0, err
	}
	to := m.top
	m.top += n
	copy(m.nodes[to:to+n], m.nodes[r:r+n])
	m.nodes[r] = graph.Node{Head: uint32(graph.Forward), V: uint64(to)}
	return to, nil
}
