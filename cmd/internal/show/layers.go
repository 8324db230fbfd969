package show

import (
	"cmp"
	"math"
	"slices"
	"sort"

	"github.com/gram-machine/gram/lang/syntax"
)

// digraph is a directed graph: for each vertex, those with a link to it and those with a link from it.
type digraph struct{ before, after [][]int }

func newGraph(n int, links []Edge) digraph {
	g := digraph{make([][]int, n), make([][]int, n)}
	for _, l := range links {
		g.after[l.From] = append(g.after[l.From], l.To)
		g.before[l.To] = append(g.before[l.To], l.From)
	}
	return g
}

// distinct sorts links and removes duplicates.
func distinct(links []Edge) []Edge {
	sort.SliceStable(links, func(i, j int) bool {
		return cmp.Or(links[i].From-links[j].From, links[i].To-links[j].To) < 0
	})
	return slices.Compact(links)
}

// acyclic is the graph of the edges between n nodes, without loops and duplicates. Edges that lead back in
// [digraph.topological] order are reversed.
func acyclic(n int, edges []Edge) digraph {
	links := distinct(slices.DeleteFunc(slices.Clone(edges), func(e Edge) bool { return e.From == e.To }))
	at := make([]int, n)
	for k, v := range newGraph(n, links).topological() {
		at[v] = k
	}
	for i, l := range links {
		if at[l.From] > at[l.To] {
			links[i] = Edge{l.To, l.From}
		}
	}
	return newGraph(n, distinct(links))
}

// topological returns the nodes in topological order: as a depth-first search leaves them, reversed. Of cycles, those
// links lead back that lead to a node on its path. It begins at nodes without incoming links.
func (g digraph) topological() []int {
	n := len(g.after)
	next := make([]int, n) // 0 of a node that was not met, else 1 and how many of its links have been followed
	order, path := make([]int, 0, n), []int(nil)
	for root := range 2 * n {
		if root < n && len(g.before[root]) > 0 || next[root%n] > 0 {
			continue
		}
		for path = append(path, root%n); len(path) > 0; {
			v := path[len(path)-1]
			if next[v]++; next[v] > len(g.after[v]) {
				path = path[:len(path)-1]
				order = append(order, v)
			} else if w := g.after[v][next[v]-1]; next[w] == 0 {
				path = append(path, w)
			}
		}
	}
	slices.Reverse(order)
	return order
}

// layers returns the layers, from 0 on, of the nodes of an acyclic graph. A node is in a later layer than its operands.
// It is as early as possible, but a node with more readers than operands is just before its first reader. Operands that
// have no operands themselves don't count there: they are near their readers anyway.
func (g digraph) layers() []int {
	order := g.topological()
	layer, reads := make([]int, len(order)), make([]int, len(order))
	early := func(v int) {
		layer[v] = 0
		for _, u := range g.before[v] {
			layer[v] = max(layer[v], layer[u]+1)
		}
	}
	for _, v := range order {
		early(v)
		for _, u := range g.before[v] {
			if len(g.before[u]) > 0 {
				reads[v]++
			}
		}
	}
	for _, v := range slices.Backward(order) {
		if readers := g.after[v]; len(readers) > 0 && len(readers) >= reads[v] {
			layer[v] = len(order)
			for _, w := range readers {
				layer[v] = min(layer[v], layer[w]-1)
			}
		}
	}
	// A node in the middle of a chain moves back towards the beginning of the chain.
	for _, v := range order {
		if reads[v] > 0 && reads[v] >= len(g.after[v]) {
			early(v)
		}
	}
	return layer
}

// components returns the nodes of the connected components, in increasing order.
func (g digraph) components() [][]int {
	var parts [][]int
	seen := make([]bool, len(g.after))
	for v := range seen {
		if seen[v] {
			continue
		}
		seen[v] = true
		part := []int{v}
		for i := 0; i < len(part); i++ {
			for _, w := range slices.Concat(g.before[part[i]], g.after[part[i]]) {
				if !seen[w] {
					seen[w] = true
					part = append(part, w)
				}
			}
		}
		slices.Sort(part)
		parts = append(parts, part)
	}
	return parts
}

// component is a connected component in which each link leads to the next layer. Its vertices are its nodes, by their
// place in the component, and after them the bends.
type component struct {
	digraph
	nodes []int
	layer []int   // of each vertex
	bends [][]int // of each node, those of its links, one in each layer behind it
	order [][]int // the vertices of each layer, from left to right
	pos   []int   // of each vertex, its index in its layer's order
	// Where it is in the picture: its corner, and from there the middle and the depth of each layer, and the place of each
	// vertex across the layers.
	corner               Point
	box                  Node
	middle, depth, place []float64
}

// The most bends: manyBends, and moreBends for each node and each link.
const (
	manyBends = 1000
	moreBends = 2
)

// component makes some nodes a component; local are the places of nodes in their components.
func (g digraph) component(nodes, layers, local []int) *component {
	c := &component{nodes: nodes, bends: make([][]int, len(nodes))}
	var links, all []Edge
	for k, v := range nodes {
		c.layer = append(c.layer, layers[v])
		for _, w := range g.after[v] {
			all = append(all, Edge{k, local[w]})
		}
	}
	for v, n := range c.mostBends(all) {
		last := v
		for range n {
			bend := len(c.layer)
			links = append(links, Edge{last, bend})
			c.layer, c.bends[v] = append(c.layer, c.layer[last]+1), append(c.bends[v], bend)
			last = bend
		}
	}
	for _, l := range all {
		if along := c.along(l); len(along) > 0 {
			l.From = along[len(along)-1]
		}
		if c.layer[l.To] == c.layer[l.From]+1 {
			links = append(links, l)
		}
	}
	c.digraph = newGraph(len(c.layer), distinct(links))
	c.order, c.pos = make([][]int, slices.Max(c.layer)+1), make([]int, len(c.layer))
	return c
}

// between counts the layers between the ends of a link.
func (c *component) between(l Edge) int { return c.layer[l.To] - c.layer[l.From] - 1 }

// mostBends returns how many bends the links of each node have. If not all links can have bends, the longest have none.
func (c *component) mostBends(links []Edge) []int {
	most := make([]int, len(c.nodes))
	byLength := slices.SortedStableFunc(slices.Values(links),
		func(a, b Edge) int { return cmp.Compare(c.between(a), c.between(b)) })
	left := manyBends + moreBends*(len(c.nodes)+len(links))
	for _, l := range byLength {
		more := max(c.between(l)-most[l.From], 0)
		if left -= more; left < 0 {
			break
		}
		most[l.From] += more
	}
	return most
}

// along returns the bends of a link of the component, none for one that has none.
func (c *component) along(l Edge) []int {
	if n := c.between(l); n > 0 && n <= len(c.bends[l.From]) {
		return c.bends[l.From][:n]
	}
	return nil
}

// bend reports whether a vertex is a bend.
func (c *component) bend(v int) bool { return v >= len(c.nodes) }

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
	stack := syntax.Each(len(c.layer), func(v int) int { return v })
	// what is searched first is last
	sort.SliceStable(stack, func(i, j int) bool {
		v, w := stack[i], stack[j]
		return cmp.Or(sign*(c.layer[w]-c.layer[v]), w-v) < 0
	})
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
	sort.SliceStable(linked, func(i, j int) bool { return linked[i].mean < linked[j].mean })
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
			sort.SliceStable(c.after[v], func(i, j int) bool { return c.pos[c.after[v][i]] < c.pos[c.after[v][j]] })
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
