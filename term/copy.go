package term

import "slices"

// Copy adds the subterm r of src, a term over the same types, to t, and returns its
// root. Each variable x of src that occurs or is bound in it becomes rename(x). It takes
// time O(n log n) in the size of the subterm.
func (t *Term) Copy(src *Term, r Ref, rename func(Var) Var) Ref {
	var nodes []Ref
	for stack := []Ref{r}; len(stack) > 0; {
		k := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		nodes = append(nodes, k)
		src.kids(&src.Nodes[k], func(c Ref) { stack = append(stack, c) })
	}
	slices.Sort(nodes)
	image := make(map[Ref]Ref, len(nodes))
	for _, k := range nodes {
		n := src.Nodes[k]
		kid := func(c Ref) Ref { return image[c] }
		image[k] = t.copyNode(src, n, kid, rename)
	}
	return image[r]
}

// copyNode adds a node whose children have been copied.
func (t *Term) copyNode(src *Term, n Node, kid func(Ref) Ref, rename func(Var) Var) Ref {
	switch n.Op {
	case VarOp:
		n.X = rename(n.X)
	case LamOp:
		n.X, n.A = rename(n.X), kid(n.A)
	case LetOp:
		n.X, n.A, n.B = rename(n.X), kid(n.A), kid(n.B)
	case UnpairOp:
		n.X, n.Y, n.A, n.B = rename(n.X), rename(n.Y), kid(n.A), kid(n.B)
	case UnvecOp, UntupleOp:
		xs := src.Bound(&n)
		n.A, n.B, n.Off = kid(n.A), kid(n.B), uint32(len(t.Args))
		for _, x := range xs {
			t.Args = append(t.Args, Ref(rename(Var(x))))
		}
	case AppOp, PairOp, AddOp:
		n.A, n.B = kid(n.A), kid(n.B)
	case FunOp, VecOp, IfOp, ListOp:
		kids := src.Children(&n)
		n.Off = uint32(len(t.Args))
		for _, c := range kids {
			t.Args = append(t.Args, kid(c))
		}
	}
	return t.add(n)
}

// Replace returns t, in an arena of its own, with each subterm r that is a key of the
// map in place of which stands the term of the map, over the same types and data. The
// variables of t keep their numbers; those of a replacement that t has not are new.
func (t *Term) Replace(terms map[Ref]*Term) *Term {
	out := New(t.Types)
	out.Vars = slices.Clone(t.Vars)
	out.Data = t.Data
	live := make([]bool, len(t.Nodes))
	live[t.Root] = true
	for r := t.Root; r > 0; r-- {
		if live[r] && terms[r] == nil {
			t.kids(&t.Nodes[r], func(c Ref) { live[c] = true })
		}
	}
	image := make([]Ref, len(t.Nodes))
	for r := Ref(1); int(r) < len(t.Nodes); r++ {
		switch {
		case !live[r]:
		case terms[r] != nil:
			image[r] = out.graft(terms[r])
		default:
			image[r] = out.copyNode(t, t.Nodes[r], func(c Ref) Ref { return image[c] }, func(x Var) Var { return x })
		}
	}
	out.Root = image[t.Root]
	return out
}

// graft adds u, with new variables for those that it binds; its free ones are t's.
func (t *Term) graft(u *Term) Ref {
	own := map[Var]Var{}
	live := u.reachable()
	for r := range u.Nodes {
		if live[r] {
			u.binders(&u.Nodes[r], func(x Var) { own[x] = t.NewVar(u.Vars[x]) })
		}
	}
	return t.Copy(u, u.Root, func(x Var) Var {
		if y, ok := own[x]; ok {
			return y
		}
		return x
	})
}
