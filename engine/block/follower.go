package block

import (
	"slices"

	"github.com/gram-machine/gram/graph"
)

// Of returns the BlockRun that the BlockDual d belongs to.
func (r *Runner) Of(d graph.Ref) graph.Ref {
	return d - DualsAt - r.nodes[d].Head&^ReachedBit>>graph.KindShift
}

// ReachedBit marks a BlockDual that a job has reached.
const ReachedBit = 1 << 31

// Nowhere stands for a dual at which nothing arrives.
const Nowhere = -1

// Follower returns a block at whose duals nothing is to arrive but what comes of the
// block p, and for each of those duals, at which of p's external duals that is, or [Nowhere]. What is due stands in state.
func (r *Runner) Follower(p *Object, state []graph.Node) (next Object, from []int, ok bool) {
	number := make(map[graph.Ref]int, len(p.Exts))
	for k, h := range slices.Backward(p.Exts) { // the first of those that are one
		number[h] = k
	}
	last := graph.Ref(0)
	for _, h := range p.Exts {
		if r.nodes[h].Kind() != graph.BlockDual || r.Of(h) == last {
			continue
		}
		last = r.Of(h)
		next = r.Object(last)
		if from, ok = next.waitsFor(number, state); ok {
			return next, from, true
		}
	}
	return Object{}, nil, false
}

// waitsFor reports whether a block with a dual at which another arrives waits for nothing else,
// and at which of the other's external duals each of its duals is; number has the numbers of those.
func (p *Object) waitsFor(number map[graph.Ref]int, state []graph.Node) (from []int, ok bool) {
	for j := range p.Block.OutDuals {
		dual := p.Outs + graph.Ref(j)
		k, arrives := number[dual]
		switch state[dual].A {
		case 0:
			k = Nowhere
		case 1:
			if !arrives {
				return nil, false
			}
		default:
			return nil, false
		}
		from = append(from, k)
	}
	return from, true
}
