package show

import (
	"math"
	"slices"
)

// align returns the coordinates of the vertices across the layers, those of the nodes'
// borders from 0 on, and their extent. breadth is the size of each vertex, gap how far
// it stays away from others, of two the mean.
//
// It is the method of Brandes and Köpf. Vertices are aligned with the medians of their
// neighbours, which gives straight blocks. This is done from both sides and both ends of the
// graph; the coordinate of a vertex is the mean of the middle two of the four results. Blocks
// are set side by side along a longest path. Since all four results keep the order and the
// distances of vertices, so do the means. Small steps that the means leave are straightened.
func (g *proper) align(breadth, gap []float64) (place []float64, extent float64) {
	room := make([]float64, len(breadth))
	for v := range room {
		room[v] = (breadth[v] + gap[v]) / 2
	}
	for v := range g.layer {
		g.sortLinks(v)
	}
	crossed := g.crossed()
	var runs [4][]float64
	best, least := 0, math.Inf(1)
	var low, high [4]float64
	for r := range runs {
		backward, right := r >= 2, r%2 == 1
		runs[r] = g.compact(g.blocks(backward, right, crossed), right, room)
		low[r], high[r] = bounds(runs[r], breadth)
		if size := high[r] - low[r]; size < least {
			best, least = r, size
		}
	}
	place = make([]float64, len(g.layer))
	for v := range place {
		var x [4]float64
		for r := range x {
			if x[r] = runs[r][v] + low[best] - low[r]; r%2 == 1 {
				x[r] = runs[r][v] + high[best] - high[r]
			}
		}
		slices.Sort(x[:])
		place[v] = (x[1] + x[2]) / 2
	}
	g.straighten(place, room, slices.Max(gap))
	first, last := bounds(place, breadth)
	for v := range place {
		place[v] -= first
	}
	return place, last - first
}

// straighten aligns a vertex with its operand of the longest chain if they are less than step
// apart and there is room.
func (g *proper) straighten(place, room []float64, step float64) {
	chain := g.chains(false)
	for _, layer := range g.order {
		for i, v := range layer {
			u, equal := -1, false
			for _, k := range g.before.of(v) {
				switch w := g.links[k].from; {
				case u < 0 || chain[w] > chain[u]:
					u, equal = w, false
				case chain[w] == chain[u]:
					equal = true
				}
			}
			if u < 0 || equal || max(place[u]-place[v], place[v]-place[u]) >= step {
				continue
			}
			if i > 0 && place[u]-place[layer[i-1]] < room[layer[i-1]]+room[v] ||
				i+1 < len(layer) && place[layer[i+1]]-place[u] < room[layer[i+1]]+room[v] {
				continue
			}
			place[v] = place[u]
		}
	}
}

// bounds returns where boxes begin and end.
func bounds(place, breadth []float64) (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	for v, x := range place {
		low, high = min(low, x-breadth[v]/2), max(high, x+breadth[v]/2)
	}
	return low, high
}

// crossed reports for each link whether a link between two bends crosses it. Such a link is
// not used to align vertices, so that long links stay straight.
func (g *proper) crossed() []bool {
	crossed := make([]bool, len(g.links))
	for l := 1; l < len(g.order); l++ {
		layer := g.order[l]
		// Links to vertices between two long links must come from between these links too.
		begin, low := 0, 0
		for i, w := range layer {
			high, long := len(g.order[l-1])-1, false
			if g.bend(w) {
				if in := g.before.of(w); len(in) > 0 && g.bend(g.links[in[0]].from) {
					high, long = g.pos[g.links[in[0]].from], true
				}
			}
			if !long && i < len(layer)-1 {
				continue
			}
			for _, v := range layer[begin : i+1] {
				for _, k := range g.before.of(v) {
					at := g.pos[g.links[k].from]
					inner := g.bend(v) && g.bend(g.links[k].from)
					crossed[k] = !inner && (at < low || at > high)
				}
			}
			begin, low = i+1, high
		}
	}
	return crossed
}

// blocks aligns each vertex with a median of its neighbours in the layer before, or, if backward,
// in the layer after. It returns for each vertex the first vertex of its block. Of two medians it
// prefers the one with the longer chain, so that long chains stay straight, and else the left
// one, or the right one if right.
func (g *proper) blocks(backward, right bool, crossed []bool) (block []int) {
	side, end := g.before, from
	if backward {
		side, end = g.after, to
	}
	chain := g.chains(backward)
	block = make([]int, len(g.layer))
	for v := range block {
		block[v] = v
	}
	for l := range g.order {
		if backward {
			l = len(g.order) - 1 - l
		}
		layer, free := g.order[l], math.MinInt // positions up to free are taken
		for i := range layer {
			v, sign := layer[i], 1
			if right {
				v, sign = layer[len(layer)-1-i], -1
			}
			links := side.of(v)
			if len(links) == 0 {
				continue
			}
			medians := [2]int{links[(len(links)-1)/2], links[len(links)/2]}
			longer := chain[end(g.links[medians[1]])] - chain[end(g.links[medians[0]])]
			if longer > 0 || right && longer == 0 {
				medians[0], medians[1] = medians[1], medians[0]
			}
			for _, k := range medians {
				w := end(g.links[k])
				if at := sign * g.pos[w]; at > free && !crossed[k] {
					block[v], free = block[w], at
					break
				}
			}
		}
	}
	return block
}

// chains returns the number of nodes on the longest path to each vertex, or, if backward, from it.
// Bends don't count.
func (g *proper) chains(backward bool) []int {
	side, end := g.before, from
	if backward {
		side, end = g.after, to
	}
	chain := make([]int, len(g.layer))
	for l := range g.order {
		if backward {
			l = len(g.order) - 1 - l
		}
		for _, v := range g.order[l] {
			for _, k := range side.of(v) {
				chain[v] = max(chain[v], chain[end(g.links[k])])
			}
			if !g.bend(v) {
				chain[v]++
			}
		}
	}
	return chain
}

// compact sets blocks side by side: first as far left as possible, and then each to the right
// until it is next to another block. If right, it works from the other side.
func (g *proper) compact(block []int, right bool, room []float64) []float64 {
	var links []arc
	var gaps []float64
	for _, layer := range g.order {
		for i := 1; i < len(layer); i++ {
			v, w := layer[i-1], layer[i]
			l := arc{block[v], block[w]}
			if right {
				l = arc{l.to, l.from}
			}
			links, gaps = append(links, l), append(gaps, room[v]+room[w])
		}
	}
	before, after := adjacent(len(block), links, to), adjacent(len(block), links, from)
	order := topological(links, before, after)
	x := make([]float64, len(block))
	for _, b := range order {
		for _, i := range after.of(b) {
			x[links[i].to] = max(x[links[i].to], x[b]+gaps[i])
		}
	}
	for _, b := range slices.Backward(order) {
		next := math.Inf(1)
		for _, i := range after.of(b) {
			next = min(next, x[links[i].to]-gaps[i])
		}
		if after.degree(b) > 0 {
			x[b] = max(x[b], next)
		}
	}
	place := make([]float64, len(block))
	for v, b := range block {
		if place[v] = x[b]; right {
			place[v] = -x[b]
		}
	}
	return place
}
