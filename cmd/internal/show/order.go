package show

import (
	"cmp"
	"math"
	"slices"
)

// Bounds on the search for few crossings. Each start has sweeps over sweepWork vertices in total, but at least
// leastSweeps and at most mostSweeps of them.
const (
	sweepWork   = 1 << 17
	leastSweeps = 1
	mostSweeps  = 60
	mostIdle    = 12 // sweeps without an improvement
)

// untangle orders the vertices of each layer such that few links cross. It starts from two orders, of a search from the
// sources and of one from the sinks, and keeps the best result.
func (c *component) untangle() {
	sweeps := min(max(sweepWork/(2*len(c.layer)), leastSweeps), mostSweeps)
	var best []int
	least := math.MaxInt
	for _, backward := range []bool{false, true} {
		c.begin(backward)
		for sweep, idle := 0, 0; least > 0 && idle < mostIdle; sweep++ {
			if n := c.crossings(); n < least {
				best, least, idle = slices.Clone(c.pos), n, 0
			}
			if sweep == sweeps {
				break
			}
			c.sweep(sweep)
			idle++
		}
	}
	c.pos = best
	for v, l := range c.layer {
		c.order[l][best[v]] = v
	}
}

// begin orders all layers by a depth-first search from the first layer, or, if backward, from the last. A tree then has
// no crossings.
func (c *component) begin(backward bool) {
	ahead, sign := c.after, 1
	if backward {
		ahead, sign = c.before, -1
	}
	stack := make([]int, len(c.layer))
	for v := range stack {
		stack[v] = v
	}
	// what is searched first is last
	slices.SortFunc(stack, func(v, w int) int { return cmp.Or(sign*(c.layer[w]-c.layer[v]), w-v) })
	for l := range c.order {
		c.order[l] = c.order[l][:0]
	}
	seen := make([]bool, len(c.layer))
	for len(stack) > 0 {
		v := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if seen[v] {
			continue
		}
		seen[v] = true
		l := c.layer[v]
		c.pos[v] = len(c.order[l])
		c.order[l] = append(c.order[l], v)
		for _, w := range slices.Backward(ahead[v]) {
			stack = append(stack, w)
		}
	}
}

// sweep orders the layers one by one by the barycentres of neighbours: in the layer before, from the first layer on; in
// the layer after, from the last one on; or in both.
func (c *component) sweep(k int) {
	turn := k/3%2 == 1
	for l := range c.order {
		switch k % 3 {
		case 0:
			c.sortLayer(c.order[l], turn, c.before)
		case 1:
			c.sortLayer(c.order[len(c.order)-1-l], turn, c.after)
		case 2:
			c.sortLayer(c.order[l], turn, c.before, c.after)
		}
	}
}

// sortLayer sorts a layer by the mean positions of the neighbours of its vertices. Vertices without neighbours keep
// their places. With turn, vertices of equal means are reversed.
func (c *component) sortLayer(layer []int, turn bool, sides ...[][]int) {
	type placed struct {
		v    int
		mean float64
	}
	var linked []placed
	var at []int // their positions
	for i, v := range layer {
		sum, n := 0, 0
		for _, side := range sides {
			for _, w := range side[v] {
				sum += c.pos[w]
			}
			n += len(side[v])
		}
		if n > 0 {
			linked, at = append(linked, placed{v, float64(sum) / float64(n)}), append(at, i)
		}
	}
	if turn {
		slices.Reverse(linked)
	}
	slices.SortStableFunc(linked, func(a, b placed) int { return cmp.Compare(a.mean, b.mean) })
	for k, i := range at {
		layer[i] = linked[k].v
		c.pos[layer[i]] = i
	}
}

// crossings counts the pairs of links that cross.
func (c *component) crossings() int {
	n := 0
	for l := 1; l < len(c.order); l++ {
		// Of the links so far, how many end at a position: a Fenwick tree.
		tree, sum := make([]int, len(c.order[l])+1), 0
		for _, v := range c.order[l-1] {
			slices.SortFunc(c.after[v], func(a, b int) int { return cmp.Compare(c.pos[a], c.pos[b]) })
			for _, w := range c.after[v] {
				n += sum
				for k := c.pos[w] + 1; k > 0; k &= k - 1 {
					n -= tree[k]
				}
				for k := c.pos[w] + 1; k < len(tree); k += k & -k {
					tree[k]++
				}
				sum++
			}
		}
	}
	return n
}
