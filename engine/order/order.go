// Package order has the order in which cells fire: that of the nodes of a run, as LIFO would have made them, where workers have made some of
// them, and that of the arrivals of a job.
package order

import (
	"cmp"
	"slices"

	"github.com/gram-machine/gram/graph"
)

// Order is the order in which LIFO would have made the nodes of a run, where workers have
// made some of them: a backward phase fires the duals of a parallel run in the order of
// their keys, and so adds what arrives at a cell as LIFO does, to the last bit. A nil
// *Order is that of the references.
type Order struct {
	each  uint32     // nodes in the range of an arena
	ranks [][]uint32 // of each arena, of each chunk of nodes from its start
	last  uint32
	From  graph.Ref // the machine's own nodes from here on have no rank yet
}

// New returns the order of a run in arenas whose ranges have each so many nodes.
func New(each uint32) Order { return Order{each: each} }

// chunkNodes is how many nodes have one rank.
const chunkNodes = 64

// ToChunk rounds up to the beginning of a chunk.
func ToChunk(r graph.Ref) graph.Ref { return (r + chunkNodes - 1) / chunkNodes * chunkNodes }

// Reset forgets all ranks.
func (o *Order) Reset() {
	o.last, o.From = 0, 0
	for i := range o.ranks {
		o.ranks[i] = o.ranks[i][:0]
	}
}

// Append puts the nodes [from, to) behind all that have a rank.
func (o *Order) Append(from, to graph.Ref) {
	if from == to {
		return
	}
	o.last++
	arena := from / o.each
	for int(arena) >= len(o.ranks) {
		o.ranks = append(o.ranks, nil)
	}
	ranks := o.ranks[arena]
	start := arena * o.each / chunkNodes
	for len(ranks) <= int((to-1)/chunkNodes-start) {
		ranks = append(ranks, 0)
	}
	for c := from / chunkNodes; c <= (to-1)/chunkNodes; c++ {
		ranks[c-start] = o.last
	}
	o.ranks[arena] = ranks
}

// Key is greater for nodes that LIFO makes later.
func (o *Order) Key(r graph.Ref) uint64 {
	if o == nil {
		return uint64(r)
	}
	arena := r / o.each
	return uint64(o.ranks[arena][(r-arena*o.each)/chunkNodes])<<32 | uint64(r)
}

// Place returns which share of the ranges of nodes that were made one behind the other come before that of r.
func (o *Order) Place(r graph.Ref) float64 { return float64(o.Key(r)>>32) / float64(max(1, o.last)) }

// farCells is how far below the top of a stack PushCell pushes.
const farCells = 1 << 10

// PushCell is [graph.PushCell] in the order of the keys.
func (o *Order) PushCell(stack []graph.Ref, c graph.Ref) (_ []graph.Ref, near bool) {
	i, _ := slices.BinarySearchFunc(stack, o.Key(c), func(r graph.Ref, key uint64) int { return cmp.Compare(o.Key(r), key) })
	if len(stack)-i > farCells {
		return stack, false
	}
	return slices.Insert(stack, i, c), true
}
