package equiv

import (
	"math"

	"github.com/gram-machine/gram/term"
)

// closed returns e as an edge to an atom has it if that depends on no λ: such an atom
// stands in no scope.
func (s *shared) closed(e link) link {
	if l := &s.nodes[e.to].label; l.kind == atomKind && (l.op != term.VarOp || l.name != boundName) {
		e.up = 0
	}
	return e
}

// resolve follows an edge to a sum that stands for something else.
func (s *shared) resolve(e link) link {
	a := s.alias[e.to]
	return s.closed(link{a.to, e.up + a.up})
}

// sums makes bags of maximal sums, and settles what has become of their units. It is
// two passes over the edges.
func (s *shared) sums() {
	inner := s.innerSums()
	s.alias = make([]link, len(s.nodes))
	for v := range s.nodes {
		n := &s.nodes[v]
		s.alias[v] = link{vertex(v), 0}
		s.work += 1 + len(n.kids) + len(n.bag)
		if n.label.kind == sumKind {
			if !inner[v] {
				s.alias[v] = s.flatten(vertex(v), inner)
			}
			continue
		}
		zeros := 0
		for i, e := range n.kids {
			n.kids[i] = s.resolve(e)
			if s.isZero(n.kids[i].to) {
				zeros++
			}
		}
		for i, e := range n.bag {
			n.bag[i] = s.resolve(e)
		}
		if op := n.label.op; (op == term.PairOp || op == term.VecOp) && n.label.kind == plainKind && zeros == len(n.kids) {
			n.label.kind = atomKind
		}
	}
}

// innerSums tells the sums that are part of another: those that one edge leads to,
// from a sum in the same scope.
func (s *shared) innerSums() []bool {
	uses := make([]int32, len(s.nodes))
	inner := make([]bool, len(s.nodes))
	for v := range s.nodes {
		n := &s.nodes[v]
		for _, e := range n.kids {
			uses[e.to]++
		}
		for _, e := range n.bag {
			uses[e.to]++
			inner[e.to] = n.label.kind == sumKind && e.up == 0
		}
	}
	for v := range s.nodes {
		inner[v] = inner[v] && uses[v] == 1 && s.nodes[v].label.kind == sumKind
	}
	return inner
}

// flatten makes v the bag of its summands that are not zero, and returns what it
// stands for.
func (s *shared) flatten(v vertex, inner []bool) link {
	var bag []link
	zero := link{-1, 0}
	stack := append([]link(nil), s.nodes[v].bag...)
	for len(stack) > 0 {
		e := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		s.work++
		if inner[e.to] {
			stack = append(stack, s.nodes[e.to].bag...)
			continue
		}
		e = s.resolve(e)
		switch {
		case !s.isZero(e.to):
			bag = append(bag, e)
		case zero.to < 0 || s.zeroRank(e.to) > s.zeroRank(zero.to):
			zero = e
		}
	}
	s.nodes[v].bag = bag
	switch len(bag) {
	case 0:
		return zero
	case 1:
		return bag[0]
	}
	return link{v, 0}
}

// isZero reports whether v is 0, −0, 0⃗ or a tuple of zeros.
func (s *shared) isZero(v vertex) bool { return s.zeroRank(v) > 0 }

// zeroRank orders the zeros; the sum of two is the one of higher rank. It is 0 for
// what is no zero.
func (s *shared) zeroRank(v vertex) int {
	l := &s.nodes[v].label
	if l.kind != atomKind {
		return 0
	}
	switch l.op {
	case term.NumOp:
		switch r := math.Float64frombits(l.n); {
		case r != 0:
			return 0
		case math.Signbit(r):
			return 1
		}
		return 2
	case term.ZeroOp:
		return 3
	case term.PairOp, term.VecOp:
		return 4
	}
	return 0
}
