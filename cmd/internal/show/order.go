package show

import (
	"cmp"
	"math"
	"slices"
)

// Bounds on the search for few crossings. Each start has sweeps over sweepWork vertices and
// links in total, but at least leastSweeps and at most mostSweeps of them.
const (
	sweepWork   = 1 << 17
	leastSweeps = 1
	mostSweeps  = 24
	mostIdle    = 6 // sweeps without an improvement
	exchanges   = 4 // rounds of exchanges in a sweep
)

// untangle orders the vertices of each layer such that few links cross. It starts from two
// orders, of a search from the sources and of one from the sinks, and keeps the best result.
func (g *proper) untangle() {
	sweeps := min(max(sweepWork/(len(g.layer)+len(g.links)), leastSweeps), mostSweeps)
	best, least := [][]int(nil), math.MaxInt
	for _, backward := range []bool{false, true} {
		g.begin(backward)
		for sweep, since := 0, 0; least > 0 && since < mostIdle; sweep++ {
			if n := g.crossings(); n < least {
				best, least, since = clone(g.order), n, 0
			}
			if sweep == sweeps {
				break
			}
			g.sweep(sweep%2 == 0, sweep%4 >= 2)
			since++
		}
	}
	for _, layer := range best {
		g.arrange(layer)
	}
}

func clone(order [][]int) [][]int {
	all := make([][]int, len(order))
	for l := range order {
		all[l] = slices.Clone(order[l])
	}
	return all
}

// arrange sets the order of a layer.
func (g *proper) arrange(layer []int) {
	if len(layer) > 0 {
		copy(g.order[g.layer[layer[0]]], layer)
	}
	for i, v := range layer {
		g.pos[v] = i
	}
}

// begin orders all layers by a depth-first search from the first layer, or, if backward, from
// the last. A tree then has no crossings.
func (g *proper) begin(backward bool) {
	ahead, next := g.after, to
	if backward {
		ahead, next = g.before, from
	}
	byLayer := make([][]int, len(g.order))
	for v, l := range g.layer {
		byLayer[l] = append(byLayer[l], v)
	}
	if backward {
		slices.Reverse(byLayer)
	}
	for l := range g.order {
		g.order[l] = g.order[l][:0]
	}
	seen := make([]bool, len(g.layer))
	var stack []int
	for _, layer := range byLayer {
		for _, v := range layer {
			for stack = append(stack, v); len(stack) > 0; {
				v := stack[len(stack)-1]
				stack = stack[:len(stack)-1]
				if seen[v] {
					continue
				}
				seen[v] = true
				l := g.layer[v]
				g.pos[v] = len(g.order[l])
				g.order[l] = append(g.order[l], v)
				for _, i := range slices.Backward(ahead.of(v)) {
					stack = append(stack, next(g.links[i]))
				}
			}
		}
	}
}

// sweep orders the layers one by one, by the barycentres of the neighbours in the layer before,
// or in the layer after if it goes backward. Then it exchanges neighbours within layers.
func (g *proper) sweep(forward, turn bool) {
	if forward {
		for l := 1; l < len(g.order); l++ {
			g.sortLayer(l, g.before, from, turn)
		}
	} else {
		for l := len(g.order) - 2; l >= 0; l-- {
			g.sortLayer(l, g.after, to, turn)
		}
	}
	// The first round visits all layers, the others those next to a change.
	due := slices.Repeat([]bool{true}, len(g.order))
	for range exchanges {
		next, better := make([]bool, len(g.order)), false
		for l := range g.order {
			if due[l] && g.exchange(l) {
				next[max(l-1, 0)], next[l], next[min(l+1, len(next)-1)] = true, true, true
				better = true
			}
		}
		if due = next; !better {
			break
		}
	}
}

// sortLayer sorts a layer by the mean positions of the neighbours of its vertices. Vertices
// without links keep their places. With turn, vertices of equal means are reversed.
func (g *proper) sortLayer(l int, side adjacency, end func(arc) int, turn bool) {
	type placed struct {
		v    int
		mean float64
	}
	layer := g.order[l]
	var linked []placed
	for _, v := range layer {
		if n := side.degree(v); n > 0 {
			sum := 0
			for _, i := range side.of(v) {
				sum += g.pos[end(g.links[i])]
			}
			linked = append(linked, placed{v, float64(sum) / float64(n)})
		}
	}
	if turn {
		slices.Reverse(linked)
	}
	slices.SortStableFunc(linked, func(a, b placed) int { return cmp.Compare(a.mean, b.mean) })
	k := 0
	for i, v := range layer {
		if side.degree(v) > 0 {
			layer[i] = linked[k].v
			k++
		}
		g.pos[layer[i]] = i
	}
}

// exchange exchanges neighbours in a layer where that removes crossings. It reports whether it
// has exchanged any.
func (g *proper) exchange(l int) bool {
	layer, better := g.order[l], false
	for _, v := range layer {
		g.sortLinks(v)
	}
	for i := 1; i < len(layer); i++ {
		v, w := layer[i-1], layer[i]
		before, turnedBefore := g.pairs(g.before.of(v), g.before.of(w), from)
		after, turnedAfter := g.pairs(g.after.of(v), g.after.of(w), to)
		if turnedBefore+turnedAfter < before+after {
			layer[i-1], layer[i] = w, v
			g.pos[w], g.pos[v] = i-1, i
			better = true
		}
	}
	return better
}

// sortLinks sorts the links of v by the positions of their other ends.
func (g *proper) sortLinks(v int) {
	if in := g.before.of(v); len(in) > 1 {
		slices.SortFunc(in, func(a, b int) int { return cmp.Compare(g.pos[g.links[a].from], g.pos[g.links[b].from]) })
	}
	if out := g.after.of(v); len(out) > 1 {
		slices.SortFunc(out, func(a, b int) int { return cmp.Compare(g.pos[g.links[a].to], g.pos[g.links[b].to]) })
	}
}

// pairs counts the crossings of the links of two neighbours, those of the left one
// first, and those that there are when the two have changed places. Both are sorted.
func (g *proper) pairs(left, right []int, end func(arc) int) (crossings, turned int) {
	less, notMore := 0, 0 // of the right ones, as against a left one
	for _, a := range left {
		at := g.pos[end(g.links[a])]
		for less < len(right) && g.pos[end(g.links[right[less]])] < at {
			less++
		}
		for notMore < len(right) && g.pos[end(g.links[right[notMore]])] <= at {
			notMore++
		}
		crossings += less
		turned += len(right) - notMore
	}
	return crossings, turned
}

// crossings counts the pairs of links that cross.
func (g *proper) crossings() int {
	n := 0
	for l := 1; l < len(g.order); l++ {
		// Of the links so far, how many end at a position: a Fenwick tree.
		tree, sum := make([]int, len(g.order[l])+1), 0
		for _, v := range g.order[l-1] {
			g.sortLinks(v)
			for _, i := range g.after.of(v) {
				at := g.pos[g.links[i].to] + 1
				n += sum
				for k := at; k > 0; k &= k - 1 {
					n -= tree[k]
				}
				for k := at; k < len(tree); k += k & -k {
					tree[k]++
				}
				sum++
			}
		}
	}
	return n
}
