package equiv

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"
)

// partition is a partition of the nodes of two graphs into cells, at first by class.
// Atoms are in no cell.
type partition struct {
	graphs  [2]*shared
	first   int32      // the number of the first node of the second graph
	edges   [][]signal // of each node: to its children and to its parents
	cell    []int32    // of each node; -1 for none
	pos     []int32    // of each node, in its cell
	members [][]int32
	pending []bool // cells in the queue
	queue   []int32
	signals []signal
	work    int
}

// signal is an edge at a node: to where, and of which kind. The kind is the position
// among the children (0 in a bag), the scopes between, and the direction.
type signal struct {
	node int32
	kind int64
}

func newPartition(a, b *shared) *partition {
	p := &partition{graphs: [2]*shared{a, b}, first: int32(len(a.nodes))}
	n := len(a.nodes) + len(b.nodes)
	p.edges, p.cell, p.pos = make([][]signal, n), make([]int32, n), make([]int32, n)
	for i := range p.cell {
		p.cell[i] = -1
	}
	cells := map[int32]int32{}
	p.enter(a, 0, cells)
	p.enter(b, p.first, cells)
	return p
}

// enter adds the nodes of a graph that its root reaches, from the root down.
func (p *partition) enter(s *shared, first int32, cells map[int32]int32) {
	live := make([]bool, len(s.nodes))
	live[s.root] = true
	for v := s.root; v >= 0; v-- {
		n := &s.nodes[v]
		if !live[v] || n.label.kind == atomKind {
			continue
		}
		k, ok := cells[s.class[v]]
		if !ok {
			k = p.newCell()
			cells[s.class[v]] = k
		}
		p.put(first+int32(v), k)
		edge := func(e link, slot int) {
			if s.nodes[e.to].label.kind == atomKind {
				return
			}
			live[e.to] = true
			kind := (int64(slot)<<30 | int64(e.up)) << 1
			x, y := first+int32(v), first+int32(e.to)
			p.edges[x] = append(p.edges[x], signal{y, kind})
			p.edges[y] = append(p.edges[y], signal{x, kind | 1})
			p.work++
		}
		for i, e := range n.kids {
			edge(e, i+1)
		}
		for _, e := range n.bag {
			edge(e, 0)
		}
	}
}

// newCell makes an empty cell, which is due.
func (p *partition) newCell() int32 {
	k := int32(len(p.members))
	p.members = append(p.members, nil)
	p.pending = append(p.pending, true)
	p.queue = append(p.queue, k)
	return k
}

func (p *partition) put(x, k int32) {
	p.cell[x], p.pos[x] = k, int32(len(p.members[k]))
	p.members[k] = append(p.members[k], x)
}

// move takes x from its cell to cell k.
func (p *partition) move(x, k int32) {
	from := p.members[p.cell[x]]
	last := from[len(from)-1]
	from[p.pos[x]], p.pos[last] = last, p.pos[x]
	p.members[p.cell[x]] = from[:len(from)-1]
	p.put(x, k)
}

// refine splits cells until the nodes of each have equally many edges of every kind
// to and from every cell. A cell that is split need only be looked at again in all
// its parts but the largest (Hopcroft): each edge is looked at O(log n) times.
func (p *partition) refine() {
	for len(p.queue) > 0 {
		k := p.queue[len(p.queue)-1]
		p.queue = p.queue[:len(p.queue)-1]
		p.pending[k] = false
		p.signals = p.signals[:0]
		for _, x := range p.members[k] {
			p.signals = append(p.signals, p.edges[x]...)
		}
		p.work += len(p.signals)
		p.split()
	}
}

// split splits the cells of the nodes that got signals, by the signals.
func (p *partition) split() {
	slices.SortFunc(p.signals, func(a, b signal) int {
		return cmp.Or(cmp.Compare(a.node, b.node), cmp.Compare(a.kind, b.kind))
	})
	type group struct {
		cell int32
		key  string
	}
	groups := map[group][]int32{}
	var order []group
	var key []byte
	for i := 0; i < len(p.signals); {
		x := p.signals[i].node
		key = key[:0]
		for ; i < len(p.signals) && p.signals[i].node == x; i++ {
			key = binary.AppendVarint(key, p.signals[i].kind)
		}
		g := group{p.cell[x], string(key)}
		if groups[g] == nil {
			order = append(order, g)
		}
		groups[g] = append(groups[g], x)
	}
	slices.SortStableFunc(order, func(a, b group) int { return cmp.Compare(a.cell, b.cell) })
	for i := 0; i < len(order); {
		j := i
		var parts [][]int32
		for ; j < len(order) && order[j].cell == order[i].cell; j++ {
			parts = append(parts, groups[order[j]])
		}
		p.divide(order[i].cell, parts)
		i = j
	}
}

// divide takes the parts out of cell k. What is left of it keeps its number; if
// nothing is left, the largest part does.
func (p *partition) divide(k int32, parts [][]int32) {
	left := len(p.members[k])
	largest := 0
	for i, part := range parts {
		left -= len(part)
		if len(part) > len(parts[largest]) {
			largest = i
		}
	}
	pieces := []int32{k}
	for i, part := range parts {
		if left == 0 && i == largest {
			continue
		}
		piece := int32(len(p.members))
		p.members, p.pending = append(p.members, nil), append(p.pending, false)
		for _, x := range part {
			p.move(x, piece)
		}
		pieces = append(pieces, piece)
	}
	spare := -1 // the largest piece, if the cell was not due
	if !p.pending[k] {
		spare = 0
		for i, c := range pieces {
			if len(p.members[c]) > len(p.members[pieces[spare]]) {
				spare = i
			}
		}
	}
	for i, c := range pieces {
		if i != spare && !p.pending[c] {
			p.pending[c] = true
			p.queue = append(p.queue, c)
		}
	}
}

// unbalanced returns "" if every cell has as many nodes of the first graph as of the
// second, and otherwise names one that hasn't.
func (p *partition) unbalanced() string {
	for _, cell := range p.members {
		var count [2]int
		for _, x := range cell {
			count[p.graphOf(x)]++
		}
		if count[0] != count[1] {
			x := cell[0]
			g := p.graphOf(x)
			what := p.graphs[g].describe(vertex(x - int32(g)*p.first))
			return fmt.Sprintf("sharing: %s stands %d times against %d", what, count[0], count[1])
		}
	}
	return ""
}

func (p *partition) graphOf(x int32) int {
	if x < p.first {
		return 0
	}
	return 1
}
