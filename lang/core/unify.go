package core

import (
	"math"

	"github.com/gram-machine/gram/lang/syntax"
)

// Clash says why two types do not unify.
type Clash uint8

const (
	NoClash   Clash = iota
	differ          // they have different forms
	sizes           // they are vectors of different sizes
	SelfRefer       // a type would contain itself
)

// Unify makes a and b equal. If it can't, nothing changes.
func (tt *Types) Unify(a, b Type) Clash {
	if a == b {
		return NoClash
	}
	tt.pairs = append(tt.pairs[:0], [2]Type{a, b})
	tt.trail, tt.sizeTrail = tt.trail[:0], tt.sizeTrail[:0]
	for len(tt.pairs) > 0 {
		p := syntax.Pop(&tt.pairs)
		if c := tt.step(p[0], p[1]); c != NoClash {
			tt.undo()
			return c
		}
	}
	return NoClash
}

func (tt *Types) undo() {
	for _, t := range tt.trail {
		tt.Nodes[t].Link = 0
	}
	for _, n := range tt.sizeTrail {
		tt.sizes[n].link = 0
	}
}

// step makes the outermost forms of two types equal and leaves pairs of parts.
func (tt *Types) step(a, b Type) Clash {
	rawA, rawB := a, b
	a, b = tt.Find(a), tt.Find(b)
	if a == b {
		return NoClash
	}
	na, nb := &tt.Nodes[a], &tt.Nodes[b]
	switch {
	case na.Kind == Open && nb.Kind == Open:
		tt.merge(a, b)
	case na.Kind == Open:
		return tt.bind(a, b, rawB)
	case nb.Kind == Open:
		return tt.bind(b, a, rawA)
	case na.Kind == nb.Kind:
		return tt.parts(a, b)
	case na.abbreviation() && (nb.abbreviation() || nb.Kind == Arrow):
		tt.pairs = append(tt.pairs, [2]Type{tt.arrowOf(a), b})
	case nb.abbreviation() && na.Kind == Arrow:
		tt.pairs = append(tt.pairs, [2]Type{a, tt.arrowOf(b)})
	default:
		return differ
	}
	return NoClash
}

func (n *TypeNode) abbreviation() bool { return n.Kind == List || n.Kind == Nat }

// parts merges two types of one form and leaves their parts to be unified.
func (tt *Types) parts(a, b Type) Clash {
	na, nb := tt.Nodes[a], tt.Nodes[b]
	switch na.Kind {
	case Vec:
		if !tt.unifySizes(Size(na.N), Size(nb.N)) {
			return sizes
		}
	case Named:
		if na.N != nb.N {
			return differ
		}
	}
	tt.merge(a, b)
	if na.B != 0 {
		tt.pairs = append(tt.pairs, [2]Type{na.B, nb.B})
	}
	if na.A != 0 {
		tt.pairs = append(tt.pairs, [2]Type{na.A, nb.A})
	}
	return NoClash
}

func (tt *Types) unifySizes(a, b Size) bool {
	a, b = tt.findSize(a), tt.findSize(b)
	if a == b {
		return true
	}
	if tt.sizes[a].Known {
		a, b = b, a
	}
	if tt.sizes[a].Known {
		return tt.sizes[a].N == tt.sizes[b].N
	}
	tt.sizes[a].link = b
	tt.sizeTrail = append(tt.sizeTrail, a)
	return true
}

// merge links two types of one form, the one with the shorter chains to the other.
func (tt *Types) merge(a, b Type) {
	if tt.Nodes[a].depth > tt.Nodes[b].depth {
		a, b = b, a
	}
	tt.forward(a, b)
}

func (tt *Types) forward(a, b Type) {
	tt.Nodes[a].Link = b
	if _, ok := tt.Watched[a]; ok {
		tt.Settled = append(tt.Settled, a)
	}
	tt.Nodes[b].depth = max(tt.Nodes[b].depth, tt.Nodes[a].depth+1)
	tt.trail = append(tt.trail, a)
}

// bind gives the open type x the value t, unless x occurs in it. The search starts
// from raw, the reference that led to t: merged types on the way count too.
func (tt *Types) bind(x, t, raw Type) Clash {
	is := func(t Type, _ *TypeNode) bool { return t == x }
	if !tt.Nodes[t].closed && tt.search(raw, math.MaxInt, is) {
		return SelfRefer
	}
	tt.forward(x, t)
	return NoClash
}

// search looks in t and what it is made of, but not in closed types, for one that is wanted, within a number of steps.
func (tt *Types) search(t Type, steps int, wanted func(Type, *TypeNode) bool) bool {
	tt.epoch++
	if n := len(tt.Nodes) - len(tt.seen); n > 0 {
		tt.seen = append(tt.seen, make([]uint32, n)...)
	}
	tt.walk = tt.walk[:0]
	tt.visit(t)
	for ; len(tt.walk) > 0 && steps > 0; steps-- {
		t := syntax.Pop(&tt.walk)
		n := &tt.Nodes[t]
		if wanted(t, n) {
			return true
		}
		tt.visit(n.Link)
		tt.visit(n.A)
		tt.visit(n.B)
		if n.abbreviation() {
			tt.visit(Type(n.N))
		}
	}
	return false
}

// visit puts t on the list of nodes to walk through, once.
func (tt *Types) visit(t Type) {
	if t == 0 || tt.seen[t] == tt.epoch || tt.Nodes[t].closed {
		return
	}
	tt.seen[t] = tt.epoch
	tt.walk = append(tt.walk, t)
}

// Generic reports whether an open type is seen in t within a few steps: whether
// a definition in its place could have been used at several types.
func (tt *Types) Generic(t Type) bool {
	return tt.search(t, 64, func(_ Type, n *TypeNode) bool { return n.Kind == Open && n.Link == 0 })
}
