package equiv

import (
	"cmp"
	"encoding/binary"
	"slices"
)

// classes are classes of nodes with one unfolding, up to what [Difference] leaves
// out. They are the same for all graphs that are classified.
type classes struct {
	labels map[label]int32
	keys   map[string]int32
	key    []byte
	parts  []part
	work   int
}

// part is an edge, by the class of what it leads to.
type part struct{ class, up int32 }

func newClasses() *classes {
	return &classes{labels: map[label]int32{}, keys: map[string]int32{}}
}

func (c *classes) part(s *shared, e link) part { return part{s.class[e.to], e.up} }

// classify gives every node its class, children first.
func (c *classes) classify(s *shared) {
	s.class = make([]int32, len(s.nodes))
	for v := range s.nodes {
		if s.alias[v].to == vertex(v) {
			s.class[v] = c.class(s, &s.nodes[v])
		}
	}
}

// class interns the label of a node and its children; a bag is sorted.
func (c *classes) class(s *shared, n *sharedNode) int32 {
	l, ok := c.labels[n.label]
	if !ok {
		l = int32(len(c.labels))
		c.labels[n.label] = l
	}
	c.work += 1 + len(n.kids) + len(n.bag)
	c.key = binary.AppendUvarint(c.key[:0], uint64(l))
	c.key = binary.AppendUvarint(c.key, uint64(len(n.kids)))
	for _, e := range n.kids {
		c.write(c.part(s, e))
	}
	c.parts = c.parts[:0]
	for _, e := range n.bag {
		c.parts = append(c.parts, c.part(s, e))
	}
	slices.SortFunc(c.parts, func(p, q part) int {
		return cmp.Or(cmp.Compare(p.class, q.class), cmp.Compare(p.up, q.up))
	})
	for _, p := range c.parts {
		c.write(p)
	}
	id, ok := c.keys[string(c.key)]
	if !ok {
		id = int32(len(c.keys))
		c.keys[string(c.key)] = id
	}
	return id
}

func (c *classes) write(p part) {
	c.key = binary.AppendVarint(c.key, int64(p.class))
	c.key = binary.AppendVarint(c.key, int64(p.up))
}
