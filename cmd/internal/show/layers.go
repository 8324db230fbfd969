package show

import (
	"cmp"
	"slices"
)

// A link joins two different nodes, from the earlier to the later one.
type arc struct{ from, to int }

// distinct sorts links and removes duplicates.
func distinct(links []arc) []arc {
	slices.SortFunc(links, func(a, b arc) int { return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to)) })
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

// acyclic returns the links of the edges between n nodes, with the back edges of a depth-first
// search reversed. The search begins at nodes without incoming edges.
func acyclic(n int, edges []Edge) []arc {
	links := make([]arc, 0, len(edges))
	for _, e := range edges {
		if e.From != e.To && min(e.From, e.To) >= 0 && max(e.From, e.To) < n {
			links = append(links, arc{e.From, e.To})
		}
	}
	links = distinct(links)
	before, after := adjacent(n, links, to), adjacent(n, links, from)
	s := search{links: links, after: after, next: make([]int, n), seen: make([]bool, n), open: make([]bool, n)}
	for v := range n {
		if before.degree(v) == 0 {
			s.from(v)
		}
	}
	for v := range n {
		s.from(v)
	}
	for _, i := range s.back {
		links[i] = arc{links[i].to, links[i].from}
	}
	return distinct(links)
}

// A search is a depth-first search that records back edges.
type search struct {
	links      []arc
	after      adjacency
	next       []int  // of each node, how many of its links have been followed
	seen, open []bool // open: on the current path
	path, back []int
}

func (s *search) from(root int) {
	s.enter(root)
	for len(s.path) > 0 {
		v := s.path[len(s.path)-1]
		if s.next[v] == s.after.degree(v) {
			s.open[v] = false
			s.path = s.path[:len(s.path)-1]
			continue
		}
		i := s.after.of(v)[s.next[v]]
		s.next[v]++
		if w := s.links[i].to; s.open[w] {
			s.back = append(s.back, i)
		} else {
			s.enter(w)
		}
	}
}

func (s *search) enter(v int) {
	if !s.seen[v] {
		s.seen[v], s.open[v] = true, true
		s.path = append(s.path, v)
	}
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

// topological returns the nodes in topological order.
func topological(links []arc, before, after adjacency) []int {
	n := len(before.start) - 1
	waits, order := make([]int, n), make([]int, 0, n)
	for v := range n {
		if waits[v] = before.degree(v); waits[v] == 0 {
			order = append(order, v)
		}
	}
	for k := 0; k < len(order); k++ {
		for _, i := range after.of(order[k]) {
			w := links[i].to
			if waits[w]--; waits[w] == 0 {
				order = append(order, w)
			}
		}
	}
	return order
}
