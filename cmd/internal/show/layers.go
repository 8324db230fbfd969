package show

import (
	"cmp"
	"slices"
)

// A link joins two different nodes, from the earlier to the later one.
type arc struct{ from, to int }

// distinct sorts links and removes duplicates.
func distinct(links []arc) []arc {
	slices.SortStableFunc(links, func(a, b arc) int { return cmp.Or(a.from-b.from, a.to-b.to) })
	return slices.Compact(links)
}

// adjacency lists, for each node, the links at one of its ends.
type adjacency struct{ start, links []int }

// adjacent lists for each of n nodes the indices of the links whose end it is; end selects the end.
func adjacent(n int, links []arc, end func(arc) int) adjacency {
	a := adjacency{make([]int, n+1), make([]int, len(links))}
	for _, l := range links {
		a.start[end(l)+1]++
	}
	for v := range n {
		a.start[v+1] += a.start[v]
	}
	next := slices.Clone(a.start[:n])
	for i, l := range links {
		a.links[next[end(l)]] = i
		next[end(l)]++
	}
	return a
}

func from(l arc) int { return l.from }
func to(l arc) int   { return l.to }

// of returns the links at v.
func (a adjacency) of(v int) []int { return a.links[a.start[v]:a.start[v+1]] }

// degree is the number of links at v.
func (a adjacency) degree(v int) int { return a.start[v+1] - a.start[v] }

// acyclic returns the links of the edges between n nodes, with those reversed that lead back in [topological] order.
func acyclic(n int, edges []Edge) []arc {
	links := make([]arc, 0, len(edges))
	for _, e := range edges {
		if e.From != e.To && min(e.From, e.To) >= 0 && max(e.From, e.To) < n {
			links = append(links, arc{e.From, e.To})
		}
	}
	links = distinct(links)
	at := make([]int, n)
	for k, v := range topological(links, adjacent(n, links, to), adjacent(n, links, from)) {
		at[v] = k
	}
	for i, l := range links {
		if at[l.from] > at[l.to] {
			links[i] = arc{l.to, l.from}
		}
	}
	return distinct(links)
}

// layers returns the layers, from 0 on, of n nodes with acyclic links. A node is in a later
// layer than its operands. It is as early as possible, but a node with more readers than
// operands is just before its first reader. Operands that have no operands themselves don't
// count there: they are near their readers anyway.
func layers(n int, links []arc) []int {
	before, after := adjacent(n, links, to), adjacent(n, links, from)
	order := topological(links, before, after)
	layer, reads := make([]int, n), make([]int, n)
	early := func(v int) {
		layer[v] = 0
		for _, i := range before.of(v) {
			layer[v] = max(layer[v], layer[links[i].from]+1)
		}
	}
	for _, v := range order {
		early(v)
		for _, i := range before.of(v) {
			if before.degree(links[i].from) > 0 {
				reads[v]++
			}
		}
	}
	for _, v := range slices.Backward(order) {
		if out := after.of(v); len(out) > 0 && len(out) >= reads[v] {
			layer[v] = layer[links[out[0]].to] - 1
			for _, i := range out {
				layer[v] = min(layer[v], layer[links[i].to]-1)
			}
		}
	}
	// A node in the middle of a chain moves back towards the beginning of the chain.
	for _, v := range order {
		if reads[v] > 0 && reads[v] >= after.degree(v) {
			early(v)
		}
	}
	return layer
}

// topological returns the nodes in topological order: as a depth-first search leaves them, reversed. Of cycles, those
// links lead back that lead to a node on its path. It begins at nodes without incoming links.
func topological(links []arc, before, after adjacency) []int {
	n := len(before.start) - 1
	next := make([]int, n) // 0 of a node that was not met, else 1 and how many of its links have been followed
	order, path := make([]int, 0, n), []int(nil)
	for root := range 2 * n {
		if root < n && before.degree(root) > 0 || next[root%n] > 0 {
			continue
		}
		for path = append(path, root%n); len(path) > 0; {
			v := path[len(path)-1]
			if next[v]++; next[v] > after.degree(v) {
				path = path[:len(path)-1]
				order = append(order, v)
			} else if w := links[after.of(v)[next[v]-1]].to; next[w] == 0 {
				path = append(path, w)
			}
		}
	}
	slices.Reverse(order)
	return order
}
