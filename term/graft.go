package term

import (
	"iter"
	"maps"
	"slices"
)

// Graft adds the subterm of src at r to t, and returns its root. t has the universe of src, its data and, where the
// subterm mentions them, its indices. What the subterm binds becomes new variables, and free says what its other
// variables become. It takes time n log n in the size of the subterm. src may be t.
func (t *Term) Graft(src *Term, r Ref, free func(Var) Var) Ref {
	s, _ := src.Subterm(r, nil)
	own := make(map[Var]Var, len(s.Bound))
	for _, x := range s.Bound {
		own[x] = 0
	}
	for r := range s.components() {
		n := &src.Nodes[r]
		if _, bound := own[n.X]; bound { // those that no index comes to are not bound
			for i := range Var(n.N) {
				own[n.X+i] = 0
			}
		}
	}
	for _, x := range slices.Sorted(maps.Keys(own)) { // so consecutive variables stay consecutive
		own[x] = t.NewVar(src.Info(x))
	}
	root, _ := t.graft(s, itself, func(x Var) Var {
		if y, ok := own[x]; ok {
			return y
		}
		return free(x)
	})
	return root
}

// Extract returns the subterm at r as a term of its own, which shares the rest with t, and the variables of t that its
// variables stand for. Those given are among them. It takes time n log n in the size of the subterm.
func (t *Term) Extract(r Ref, given ...Var) (u *Term, vars []Var) {
	s, _ := t.Subterm(r, nil)
	vars = slices.Concat([]Var{0}, given, s.Bound, s.Free)
	for r := range s.components() {
		for i := range Var(t.Nodes[r].N) {
			vars = append(vars, t.Nodes[r].X+i)
		}
	}
	slices.Sort(vars)
	vars = slices.Compact(vars)
	u = New(t.Types)
	u.Data, u.Indices, u.Statics = t.Data, slices.Clip(t.Indices), slices.Clip(t.Statics)
	for _, x := range vars[1:] {
		u.NewVar(t.Info(x))
	}
	u.Root, _ = u.graft(s, itself, func(x Var) Var {
		i, _ := slices.BinarySearch(vars, x)
		return Var(i)
	})
	return u, vars
}

// components returns the nodes x_e of the subterm.
func (s *Subterm) components() iter.Seq[Ref] {
	return func(yield func(Ref) bool) {
		for _, r := range s.Nodes {
			if s.t.Nodes[r].Op == ComponentOp && !yield(r) {
				return
			}
		}
	}
}

// graft adds a subterm to t: the nodes that image returns for its own, which it gets with their places in Nodes. Their
// variables are renamed. The error is that of a look.
func (t *Term) graft(s *Subterm, image func(i int, n Node) Node, rename func(Var) Var) (Ref, error) {
	var images []Ref // of the children of the next node, the first on top
	child := func(Ref) Ref {
		r := images[len(images)-1]
		images = images[:len(images)-1]
		return r
	}
	for i, r := range slices.Backward(s.Nodes) {
		if err := lookAt(i, s.look); err != nil {
			return 0, err
		}
		images = append(images, t.Copy(s.t, image(i, s.t.Nodes[r]), child, rename))
	}
	return images[0], nil
}

// itself is the image of a node that stays as it is.
func itself(_ int, n Node) Node { return n }
