package machine

import (
	"github.com/gram-machine/gram/compile"
	"github.com/gram-machine/gram/rule"
)

// A maximal sum in which duals are applied is run by a Job: hand-written duals choose their heads when they run, so
// their arrivals are kept in a heap of the applications themselves, the newest dual first. Its second node has
//
//	up     the job below, which waits for this one
//	val[0] the heap; the application that is to fire next

// deliverLate delivers a sum that no job has run: to a sum, a pair or an application of a dual, where it
// stays, or to a job. Anywhere else a number is needed.
func (m run[M]) deliverLate(p Place, r Place) redex {
	up := m.at(nodeOf(p))
	switch k := up.Kind; {
	case k == compile.Seed:
		m.seeds[m.prog.Code[up.Code].N] = r
		return 0
	case k == compile.Add || k == compile.Pair || k == compile.App && p&1 == 1:
		return m.deliver(p, compile.Late, uint64(r))
	}
	m.at(r).Up = p
	return moveAt(rule.Search, r)
}

// deliverAny delivers an operand, which may be a sum that no job has run.
func (m run[M]) deliverAny(up Place, t Tag, v uint64) redex {
	if t == compile.Late {
		return m.deliverLate(up, lo(v))
	}
	return m.deliver(up, t, v)
}

// force lets an application wait for the number that its argument, a sum, comes to.
func (m run[M]) force(p Place, n *node) redex {
	r := lo(n.Val[p&1])
	n.Tag[p&1] = compile.Empty
	n.Bits++
	m.at(r).Up = p
	return moveAt(rule.Search, r)
}

// unfold is the unit that takes one node of a sum apart: an application arrives in the job's heap, and anything
// else but a sum contributes to the job's own. Where there is no job, it makes one.
func (m run[M]) unfold(p Place) redex {
	n := m.at(p)
	up := n.Up
	switch w := m.at(nodeOf(up)); {
	case w.Kind != compile.Job && n.Kind == compile.Pair:
		return m.runComponents(p, n)
	case w.Kind != compile.Job:
		return m.startJob(p, n)
	case n.Kind == compile.App:
		n.C, n.Val[0] = 0, uint64(lo(n.Val[0]))
		x := m.at(w.C)
		x.Val[0] = both(m.meld(lo(x.Val[0]), p), hi(x.Val[0]))
	case n.Kind == compile.Pair:
		return m.deliver(up, compile.Late, uint64(p))
	default:
		tag, val := n.Tag, n.Val
		m.arena.Release(p, n)
		for i := 1; i >= 0; i-- {
			m.push(m.deliverAny(up, tag[i], val[i]))
		}
	}
	return 0
}

// startJob makes the job of the sum r, whose number goes where the sum stood.
func (m run[M]) startJob(r Place, n *node) redex {
	j, job := m.make(compile.Job, n.Code, n.Up, 1)
	job.C, _ = m.make(compile.Captures, n.Code, m.job, 0)
	m.job = j
	n.Up = j | 1
	return moveAt(rule.Search, r)
}

// runComponents lets a pair wait for its components that are sums.
func (m run[M]) runComponents(r Place, n *node) redex {
	n.Bits &^= compile.IsLate | compile.Missing
	for i := range n.Tag {
		if n.Tag[i] == compile.Late {
			m.push(m.force(r|uint32(i), n))
		}
	}
	return 0
}

// contribute adds what has come to a job to its sum, by (6) or (7).
func (m run[M]) contribute(j Place, n *node) redex {
	n.Bits++
	t, v := n.Tag[1], n.Val[1]
	n.Tag[1] = compile.Empty
	switch {
	case t == compile.Zero:
	case n.Tag[0] == compile.Empty:
		n.Tag[0], n.Val[0] = t, v
	default:
		r, s := m.alloc()
		sum(s, n.Code, j|1, [2]Tag{n.Tag[0], t}, [2]uint64{n.Val[0], v})
		n.Tag[0] = compile.Empty
		return m.readyAdd(r, s)
	}
	return 0
}

// nextOfJob goes on with the job that runs when the worklist is empty. All arrivals at the newest dual come out of
// the heap one behind the other: (11) adds them to the first. Then its argument is made a number, and it fires.
func (m run[M]) nextOfJob() {
	j := m.job
	m.mark(j << 1)
	n := m.at(j)
	x := m.at(n.C)
	heap, app := lo(x.Val[0]), hi(x.Val[0])
	switch {
	case app == 0 && heap == 0:
		m.push(m.finishJob(j, n, x))
	case app == 0:
		a := m.at(heap)
		a.Bits |= compile.IsFired
		x.Val[0] = both(m.removeFirst(heap, a), heap)
	case heap != 0 && lo(m.at(heap).Val[0]) == lo(m.at(app).Val[0]):
		h := m.at(heap)
		x.Val[0] = both(m.removeFirst(heap, h), app)
		m.at(lo(h.Val[0])).C = app
		h.Val[0] = uint64(lo(h.Val[0]))
		m.push(ruleAt(rule.Factor, heap))
	default:
		a := m.at(app)
		if a.Tag[1] == compile.Late {
			m.push(m.force(app|1, a))
			break
		}
		x.Val[0] = uint64(heap)
		a.Up, a.Val[0] = j|1, uint64(lo(a.Val[0]))
		m.push(ruleAt(rule.Subst, app))
	}
	m.unit(rule.Search, j)
}

// finishJob ends a job whose duals have all fired.
func (m run[M]) finishJob(j Place, n, x *node) redex {
	up, t, v := n.Up, n.Tag[0], n.Val[0]
	m.job = x.Up
	m.arena.Release(n.C, x)
	m.arena.Release(j, n)
	if t == compile.Empty {
		return m.deliver(up, compile.Zero, 0)
	}
	return m.deliverAny(up, t, v)
}

// meld makes one heap of two: a pairing heap, whose root is an application of the dual that was made last. An
// application has its first child in val[0] and its next sibling in c.
func (m run[M]) meld(a, b Place) Place {
	if a == 0 || b == 0 {
		return a | b
	}
	x, y := m.at(a), m.at(b)
	if m.rank(x) < m.rank(y) {
		a, b, x, y = b, a, y, x
	}
	y.C = hi(x.Val[0])
	x.Val[0] = both(lo(x.Val[0]), b)
	return a
}

func (m run[M]) rank(app *node) uint32 { return hi(m.at(lo(app.Val[0])).Val[1]) }

// removeFirst takes the root out of a heap: the heaps below it are melded in pairs from the left, and these from
// the right. Each is a unit, and its nodes are counted where they are melded.
func (m run[M]) removeFirst(root Place, n *node) Place {
	next := hi(n.Val[0])
	var pairs Place
	for next != 0 {
		a := next
		x := m.arena.Node(a)
		b := x.C
		x.C, next = 0, 0
		if b != 0 {
			y := m.arena.Node(b)
			next, y.C = y.C, 0
		}
		p := m.meld(a, b)
		m.at(p).C = pairs
		pairs = p
		m.unit(rule.Search, root)
	}
	var heap Place
	for pairs != 0 {
		p := m.at(pairs)
		rest := p.C
		p.C = 0
		heap = m.meld(heap, pairs)
		pairs = rest
		m.unit(rule.Search, root)
	}
	return heap
}
