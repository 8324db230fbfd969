package order

import "github.com/gram-machine/gram/graph"

// Arrivals are the arrivals of jobs: the applications of duals whose cells have not fired. Those of a job are a
// pairing heap of the Arrival nodes themselves: first comes one at the dual that was
// allocated last. That is a reverse topological order of the duals, for a value refers
// to older values only: a dual that fires can reach none that is newer, but those that
// its body makes. Arrivals at one dual come out one behind the other, so that a cell
// needs no state of its own.
type Arrivals struct {
	Nodes    []graph.Node
	Words    []uint32 // the same memory
	Compared uint64   // how many comparisons there were
}

// The words of an arrival that link it into its job's heap.
const (
	arrivalChild = 4 // the first of those below it
	arrivalNext  = 5 // the next beside it
)

// lookEvery is after how many arrivals the limits are looked at.
const lookEvery = 1 << 16

// Dual returns the dual of an arrival, and Argument its argument.
func (h *Arrivals) Dual(a graph.Ref) graph.Ref     { return graph.Ref(h.Nodes[a].V) }
func (h *Arrivals) Argument(a graph.Ref) graph.Ref { return graph.Ref(h.Nodes[a].V >> 32) }

// Add puts an arrival into the job's heap.
func (h *Arrivals) Add(job, a graph.Ref) {
	w := 4*uint64(job) + graph.JobCells
	h.Words[w] = h.meld(h.Words[w], a)
}

// meld makes one heap of two.
func (h *Arrivals) meld(a, b graph.Ref) graph.Ref {
	if a == 0 {
		return b
	}
	if b == 0 {
		return a
	}
	h.Compared++
	if h.Dual(a) < h.Dual(b) {
		a, b = b, a
	}
	child := &h.Words[4*uint64(a)+arrivalChild]
	h.Words[4*uint64(b)+arrivalNext] = *child
	*child = b
	return a
}

// RemoveFirst takes the first arrival out of the job's heap: those below it are melded
// in pairs from the left, and the pairs from the right. The error is that of look, which is called now and then.
func (h *Arrivals) RemoveFirst(job graph.Ref, look func() error) error {
	top := 4*uint64(job) + graph.JobCells
	var pairs graph.Ref
	next := h.Words[4*uint64(h.Words[top])+arrivalChild]
	for n := 1; next != 0; n++ {
		if n%lookEvery == 0 {
			if err := look(); err != nil {
				return err
			}
		}
		a, b := h.takeNext(next)
		c := graph.Ref(0)
		if b != 0 {
			b, c = h.takeNext(b)
		}
		next = c
		p := h.meld(a, b)
		h.Words[4*uint64(p)+arrivalNext] = pairs
		pairs = p
	}
	var heap graph.Ref
	for pairs != 0 {
		var p graph.Ref
		p, pairs = h.takeNext(pairs)
		heap = h.meld(heap, p)
	}
	h.Words[top] = heap
	return nil
}

// takeNext parts an arrival from those beside it.
func (h *Arrivals) takeNext(a graph.Ref) (first, rest graph.Ref) {
	next := &h.Words[4*uint64(a)+arrivalNext]
	rest, *next = *next, 0
	return a, rest
}
