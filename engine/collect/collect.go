// Package collect frees what a run cannot reach any more: it marks the live objects, and moves them down, in their order. It also knows
// how large the objects are, and which of their words refer to others.
//
// The live objects are those that the roots reach, by operands and by the lists of waiters.
package collect

import (
	"math/bits"
	"slices"

	"github.com/gram-machine/gram/graph"
)

// Collector frees objects.
type Collector struct {
	Objects
	run    Run
	live   []uint64 // a bit for each node of a live object
	starts []uint64 // a bit for the first of them
	below  []uint32 // live nodes below each word of live
	stack  []graph.Ref
}

// Run says what a collection is of.
type Run struct {
	Base, Top graph.Ref // the nodes that may be freed
	Pin       graph.Ref // nodes below stay where they are
	Exact     bool      // all that is dead goes; otherwise nothing does where that is little
	// Roots replaces each reference from which objects are reached by what f makes of it.
	Roots func(f func(graph.Ref) graph.Ref)
	// Look looks at the limits. unit is how many objects were marked, or moved. Its error ends the collection.
	Look func(unit int) error
	// Moved, if not nil, is told of n nodes that move.
	Moved func(to, from graph.Ref, n uint32)
}

// lookEvery is after how many objects Look is called.
const lookEvery = 1 << 16

// littleDead is the part of the nodes that are too few to move the others for: an eighth.
const littleDead = 8

// Collect makes a collection. It returns how many nodes are left, and how many of these are left for the pin only. The error is that of
// [Run.Look]: the objects are not to be used any more.
func (c *Collector) Collect(run *Run) (left, kept uint32, err error) {
	if err := c.markAll(run); err != nil {
		return 0, 0, err
	}
	kept = c.keep(run.Pin, run.Base)
	for i, word := range c.live {
		c.below[i] = left
		left += uint32(bits.OnesCount64(word))
	}
	if total := run.Top - run.Base; !run.Exact && left > total/littleDead*(littleDead-1) {
		return total, kept, nil
	}
	if err := c.slide(); err != nil {
		return 0, 0, err
	}
	run.Roots(c.moved)
	return left, kept, nil
}

// Reachable returns how many nodes the roots reach. The error is that of [Run.Look].
func (c *Collector) Reachable(run *Run) (n int, err error) {
	if err := c.markAll(run); err != nil {
		return 0, err
	}
	for _, word := range c.live {
		n += bits.OnesCount64(word)
	}
	return n, nil
}

// zeros makes s a slice of n zeros, in the memory that it has if that is enough.
func zeros[T any](s []T, n int) []T {
	s = slices.Grow(s[:0], n)[:n]
	clear(s)
	return s
}

// keep marks all nodes below pin as live, objects or not, and returns how many were not.
func (c *Collector) keep(pin, base graph.Ref) (kept uint32) {
	for i := graph.Ref(0); base+i < pin; i += 64 {
		all := ^uint64(0)
		if left := pin - base - i; left < 64 {
			all = 1<<left - 1
		}
		kept += uint32(bits.OnesCount64(all &^ c.live[i/64]))
		c.live[i/64] |= all
	}
	return kept
}

// markAll marks what the roots reach. The error is that of [Run.Look]; the marks are not to be used after it.
func (c *Collector) markAll(run *Run) error {
	c.run = *run
	n := int(run.Top-run.Base)/64 + 1
	c.live, c.starts, c.below = zeros(c.live, n), zeros(c.starts, n), zeros(c.below, n)
	c.stack = c.stack[:0]
	c.run.Roots(c.mark)
	for n := 1; len(c.stack) > 0; n++ {
		if n%lookEvery == 0 {
			if err := c.run.Look(n); err != nil {
				return err
			}
		}
		r := c.stack[len(c.stack)-1]
		c.stack = c.stack[:len(c.stack)-1]
		// Most objects are of two kinds.
		switch w := 4*uint64(r) + graph.ValueWords; c.nodes[r].Kind() {
		case graph.Con:
			c.set(w, c.mark(c.words[w]))
		case graph.Pair:
			c.set(w, c.mark(c.words[w]))
			c.set(w+1, c.mark(c.words[w+1]))
		default:
			c.All(r, func(w uint64) { c.set(w, c.mark(c.words[w])) })
		}
	}
	return nil
}

// made reports whether the run has made r: it is no global, and not of another arena.
func (c *Collector) made(r graph.Ref) bool { return r-c.run.Base < c.run.Top-c.run.Base }

// mark marks the object at r, and returns it: what it forwards to, if it does.
func (c *Collector) mark(r graph.Ref) graph.Ref {
	if !c.made(r) {
		return r
	}
	r = c.resolve(r)
	if !c.made(r) {
		return r
	}
	i := r - c.run.Base
	if c.starts[i/64]&(1<<(i%64)) != 0 {
		return r
	}
	c.starts[i/64] |= 1 << (i % 64)
	if c.nodes[r].Kind() == graph.Num {
		c.live[i/64] |= 1 << (i % 64)
		return r
	}
	for end := i + c.Extent(r); i < end; i++ {
		c.live[i/64] |= 1 << (i % 64)
	}
	c.stack = append(c.stack, r)
	return r
}

// moved returns where the live node r goes.
func (c *Collector) moved(r graph.Ref) graph.Ref {
	if !c.made(r) {
		return r
	}
	i := r - c.run.Base
	return c.run.Base + c.below[i/64] + uint32(bits.OnesCount64(c.live[i/64]&(1<<(i%64)-1)))
}

// slide moves the live objects down, and what they refer to. The error is that of [Run.Look].
func (c *Collector) slide() error {
	n := 0
	for i, word := range c.starts {
		for word != 0 {
			r := c.run.Base + uint32(i*64+bits.TrailingZeros64(word))
			word &= word - 1
			if n++; n%lookEvery == 0 {
				if err := c.run.Look(n); err != nil {
					return err
				}
			}
			size := c.Extent(r)
			c.All(r, func(w uint64) { c.set(w, c.moved(c.words[w])) })
			to := c.moved(r)
			if to != r {
				copy(c.nodes[to:to+size], c.nodes[r:r+size])
			}
			if c.run.Moved != nil {
				c.run.Moved(to, r, size)
			}
		}
	}
	return nil
}

// set sets a word to a reference. What a worker may be reading does not change, and is not
// written.
func (c *Collector) set(w uint64, r graph.Ref) {
	if c.words[w] != r {
		c.words[w] = r
	}
}
