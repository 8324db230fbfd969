package show

import (
	"cmp"
	"slices"
)

// A part is a connected component of the graph.
type part struct {
	nodes []int // in increasing order
	links []arc // between indices into nodes
}

// components returns the connected components, ordered by their first nodes.
func components(n int, links []arc) []part {
	parent := make([]int, n)
	for v := range parent {
		parent[v] = v
	}
	root := func(v int) int {
		for parent[v] != v {
			parent[v] = parent[parent[v]]
			v = parent[v]
		}
		return v
	}
	for _, l := range links {
		a, b := root(l.from), root(l.to)
		parent[max(a, b)] = min(a, b) // the root is the first node
	}
	var parts []part
	of, local := make([]int, n), make([]int, n)
	for v := range n {
		if parent[v] == v {
			of[v] = len(parts)
			parts = append(parts, part{})
		} else {
			of[v] = of[root(v)]
		}
		p := &parts[of[v]]
		local[v] = len(p.nodes)
		p.nodes = append(p.nodes, v)
	}
	for _, l := range links {
		p := &parts[of[l.from]]
		p.links = append(p.links, arc{local[l.from], local[l.to]})
	}
	return parts
}

// proper is a part in which each link leads to the next layer. Its vertices are the nodes of
// the part, and after them the bends, those of one node together.
type proper struct {
	layer         []int // of each vertex
	links         []arc
	before, after adjacency // of a vertex: the links that lead to it, and from it
	order         [][]int   // the vertices of each layer, from left to right
	pos           []int     // of each vertex, its index in its layer's order
	first, reach  []int     // of each node, its first bend, and the layer of its last
	nodes         int
}

// The most bends: manyBends, and moreBends for each node and each link.
const (
	manyBends = 1000
	moreBends = 2
)

// split makes a part proper. If not all links can have bends, the longest have none.
func split(p part, layers []int) *proper {
	g := &proper{nodes: len(p.nodes), first: make([]int, len(p.nodes))}
	deepest := 0
	for _, v := range p.nodes {
		g.layer = append(g.layer, layers[v])
		deepest = max(deepest, layers[v])
	}
	g.reach = g.reaches(p.links)
	for v, reach := range g.reach {
		g.first[v] = len(g.layer)
		last := v
		for l := g.layer[v] + 1; l <= reach; l++ {
			g.links = append(g.links, arc{last, len(g.layer)})
			last = len(g.layer)
			g.layer = append(g.layer, l)
		}
	}
	for _, l := range p.links {
		if bends := g.bends(l); bends != nil {
			l.from = bends[len(bends)-1]
		}
		if g.layer[l.to] == g.layer[l.from]+1 {
			g.links = append(g.links, l)
		}
	}
	g.links = distinct(g.links)
	g.before, g.after = adjacent(len(g.layer), g.links, to), adjacent(len(g.layer), g.links, from)
	g.order, g.pos = make([][]int, deepest+1), make([]int, len(g.layer))
	return g
}

// reaches returns for each node the layer of its last bend, its own if it has none.
func (g *proper) reaches(links []arc) []int {
	reach := slices.Clone(g.layer)
	span := func(l arc) int { return g.layer[l.to] - g.layer[l.from] }
	byLength := slices.SortedStableFunc(slices.Values(links), func(a, b arc) int { return cmp.Compare(span(a), span(b)) })
	left := manyBends + moreBends*(g.nodes+len(links))
	for _, l := range byLength {
		more := g.layer[l.to] - 1 - reach[l.from]
		if left -= max(more, 0); left < 0 {
			break
		}
		reach[l.from] = max(reach[l.from], g.layer[l.to]-1)
	}
	return reach
}

// bends returns the bends of a link of the part, nil for one that has none.
func (g *proper) bends(l arc) []int {
	n := g.layer[l.to] - g.layer[l.from] - 1
	if n <= 0 || g.reach[l.from] < g.layer[l.to]-1 {
		return nil
	}
	bends := make([]int, n)
	for i := range bends {
		bends[i] = g.first[l.from] + i
	}
	return bends
}

// bend reports whether a vertex is a bend.
func (g *proper) bend(v int) bool { return v >= g.nodes }
