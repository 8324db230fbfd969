package engine

import "github.com/gram-machine/gram/graph"

// The arrivals of a job, the applications of duals whose cells have not fired, are a
// pairing heap of the Arrival nodes themselves: first comes one at the dual that was
// allocated last. That is a reverse topological order of the duals, for a value refers
// to older values only: a dual that fires can reach none that is newer, but those that
// its body makes. Arrivals at one dual come out one behind the other, so that a cell
// needs no state of its own.

// The words of an arrival that link it into its job's heap.
const (
	arrivalChild = 4 // the first of those below it
	arrivalNext  = 5 // the next beside it
)

func (m *Machine) dualOf(a graph.Ref) graph.Ref     { return graph.Ref(m.nodes[a].V) }
func (m *Machine) argumentOf(a graph.Ref) graph.Ref { return graph.Ref(m.nodes[a].V >> 32) }

// arriveAt puts an arrival into the job's heap.
func (m *Machine) arriveAt(job, a graph.Ref) {
	if checking {
		m.jobs.Arrive(job, m.dualOf(a))
	}
	w := 4*uint64(job) + graph.JobCells
	m.words[w] = m.meld(m.words[w], a)
}

// meld makes one heap of two.
func (m *Machine) meld(a, b graph.Ref) graph.Ref {
	if a == 0 {
		return b
	}
	if b == 0 {
		return a
	}
	m.occurs++
	if m.dualOf(a) < m.dualOf(b) {
		a, b = b, a
	}
	child := &m.words[4*uint64(a)+arrivalChild]
	m.words[4*uint64(b)+arrivalNext] = *child
	*child = b
	return a
}

// removeFirst takes the first arrival out of the job's heap: those below it are melded
// in pairs from the left, and the pairs from the right.
func (m *Machine) removeFirst(job graph.Ref) error {
	top := 4*uint64(job) + graph.JobCells
	var pairs graph.Ref
	next := m.words[4*uint64(m.words[top])+arrivalChild]
	for n := 1; next != 0; n++ {
		if n%LookEvery == 0 {
			if err := m.lookAt(job); err != nil {
				return err
			}
		}
		a, b := m.takeNext(next)
		c := graph.Ref(0)
		if b != 0 {
			b, c = m.takeNext(b)
		}
		next = c
		p := m.meld(a, b)
		m.words[4*uint64(p)+arrivalNext] = pairs
		pairs = p
	}
	var heap graph.Ref
	for pairs != 0 {
		var p graph.Ref
		p, pairs = m.takeNext(pairs)
		heap = m.meld(heap, p)
	}
	m.words[top] = heap
	return nil
}

// takeNext parts an arrival from those beside it.
func (m *Machine) takeNext(a graph.Ref) (first, rest graph.Ref) {
	next := &m.words[4*uint64(a)+arrivalNext]
	rest, *next = *next, 0
	return a, rest
}
