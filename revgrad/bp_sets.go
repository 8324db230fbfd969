package revgrad

import "github.com/gram-machine/gram/term"

// sets tells the least common ancestor of a node that has been left and the node
// where a walk stands: Tarjan's algorithm. The nodes that have been left are in one
// set with the innermost node on the path to the root that is above them.
type sets struct {
	up    []term.Ref
	rank  []uint8
	level []int32 // of a representative: the depth of the node on the path
}

func newSets(nodes int) sets {
	return sets{up: make([]term.Ref, nodes), rank: make([]uint8, nodes), level: make([]int32, nodes)}
}

// open starts the set of a node on the path.
func (s *sets) open(r term.Ref, depth int) { s.up[r], s.level[r] = r, int32(depth) }

// close puts the set of a node that is left into that of its parent on the path.
func (s *sets) close(r, parent term.Ref, depth int) {
	a, b := s.find(r), s.find(parent)
	if s.rank[a] > s.rank[b] {
		a, b = b, a
	}
	if s.rank[a] == s.rank[b] {
		s.rank[b]++
	}
	s.up[a], s.level[b] = b, int32(depth)
}

// depth returns how deep on the path the least node is that is above r.
func (s *sets) depth(r term.Ref) int32 { return s.level[s.find(r)] }

func (s *sets) find(r term.Ref) term.Ref {
	for s.up[r] != r {
		s.up[r] = s.up[s.up[r]]
		r = s.up[r]
	}
	return r
}
