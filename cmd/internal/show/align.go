package show

import (
	"cmp"
	"math"
	"slices"
)

// passes is how often the layers are gone through: forward, backward, and so on.
const passes = 6

// align returns the coordinates of the vertices across the layers, those of the nodes' borders from 0 on, and their
// extent. breadth is the size of each vertex, gap how far it stays away from others, of two the mean.
//
// Layers are placed one by one, forward and backward: first by the neighbours of their vertices in the layer before,
// then by those in the layer after, and then by both. The sum of the distances from the neighbours, each times the
// weight of the link, is made as small as the order of the layer and the room between its vertices allow.
func (c *component) align(breadth, gap []float64) (place []float64, extent float64) {
	a := &aligner{component: c, place: make([]float64, len(c.layer))}
	for v := range breadth {
		a.room = append(a.room, (breadth[v]+gap[v])/2)
	}
	a.to, a.from = c.chains(c.before, false), c.chains(c.after, true)
	for ; a.pass < passes; a.pass++ {
		for l := range c.order {
			if a.pass%2 == 1 {
				l = len(c.order) - 1 - l
			}
			a.alignLayer(c.order[l])
		}
	}
	first, last := math.Inf(1), math.Inf(-1)
	for v, x := range a.place {
		first, last = min(first, x-breadth[v]/2), max(last, x+breadth[v]/2)
	}
	for v := range a.place {
		a.place[v] -= first
	}
	return a.place, last - first
}

// chains returns the number of nodes on the longest path to each vertex, or, if backward, from it. Bends don't count.
func (c *component) chains(side [][]int, backward bool) []int {
	chain := make([]int, len(c.layer))
	for l := range c.order {
		if backward {
			l = len(c.order) - 1 - l
		}
		for _, v := range c.order[l] {
			for _, w := range side[v] {
				chain[v] = max(chain[v], chain[w])
			}
			if !c.bend(v) {
				chain[v]++
			}
		}
	}
	return chain
}

// aligner places the vertices of a part across its layers.
type aligner struct {
	*component
	room, place []float64 // of the vertices
	to, from    []int     // how many nodes are on the longest paths to them, and from them
	pass        int
}

// straight is how much more than others a link weighs that is between two bends, or the only one at both of its ends.
const straight = 8

// weight is that of a link: how many nodes are on the longest path through it.
func (a *aligner) weight(from, to int) float64 {
	weight := float64(a.to[from] + a.from[to])
	if a.bend(from) && a.bend(to) || len(a.after[from]) == 1 && len(a.before[to]) == 1 {
		weight *= straight
	}
	return weight
}

// pull is a place that something is drawn to, with its weight.
type pull struct{ at, weight float64 }

func comparePulls(p, q pull) int { return cmp.Compare(p.at, q.at) }

// pulls are those of a vertex.
func (a *aligner) pulls(v int) (out []pull) {
	if a.pass != 1 {
		for _, w := range a.before[v] {
			out = append(out, pull{a.place[w], a.weight(w, v)})
		}
	}
	if a.pass != 0 {
		for _, w := range a.after[v] {
			out = append(out, pull{a.place[w], a.weight(v, w)})
		}
	}
	if out == nil {
		const lightest = 1e-3 // it stays where it is, unless there is no room
		out = []pull{{a.place[v], lightest}}
	}
	return out
}

// block is some vertices of a layer that touch each other. Places are those of its first vertex.
type block struct {
	was, at float64
	pulls   []pull // by place
	n       int    // vertices
}

// alignLayer places the vertices of a layer where they are drawn to. Blocks of vertices that would come too near to
// each other are joined, and placed where all of them together are drawn to: an isotonic regression.
func (a *aligner) alignLayer(layer []int) {
	offset := make([]float64, len(layer)) // of a vertex from the first one, where all touch
	var blocks []block
	for i, v := range layer {
		if i > 0 {
			offset[i] = offset[i-1] + a.room[layer[i-1]] + a.room[v]
		}
		b := block{was: a.place[v] - offset[i], pulls: a.pulls(v), n: 1}
		for k := range b.pulls {
			b.pulls[k].at -= offset[i]
		}
		slices.SortFunc(b.pulls, comparePulls)
		a.settle(&b)
		for n := len(blocks); n > 0 && blocks[n-1].at > b.at; n-- {
			left := &blocks[n-1]
			more, fewer := left.pulls, b.pulls
			if len(more) < len(fewer) {
				more, fewer = fewer, more
			}
			for _, p := range fewer {
				k, _ := slices.BinarySearchFunc(more, p, comparePulls)
				more = slices.Insert(more, k, p)
			}
			b = block{was: left.was, pulls: more, n: left.n + b.n}
			a.settle(&b)
			blocks = blocks[:n-1]
		}
		blocks = append(blocks, b)
	}
	i := 0
	for _, b := range blocks {
		for range b.n {
			a.place[layer[i]] = b.at + offset[i]
			i++
		}
	}
}

// settle places a block at the weighted median of what it is drawn to. If that is any place between two, it is the
// middle, and in later passes the nearest to where the block was.
func (a *aligner) settle(b *block) {
	half, i := 0.0, 0
	for _, p := range b.pulls {
		half += p.weight / 2
	}
	for half -= b.pulls[0].weight; half > 0; half -= b.pulls[i].weight {
		i++
	}
	b.at = b.pulls[i].at
	if half < 0 || i+1 == len(b.pulls) {
		return
	}
	if next := b.pulls[i+1].at; a.pass < 2 {
		b.at = (b.at + next) / 2
	} else {
		b.at = min(max(b.at, b.was), next)
	}
}
