package term

import "math"

// AlphaEqual reports whether t and u are equal up to the names of bound
// variables (section 4). Free variables are compared by name, data by their
// position, numerals by their bits. It takes time linear in the smaller term.
func AlphaEqual(t, u *Term) bool {
	type pair struct{ a, b Ref }
	stack := []pair{{t.Root, u.Root}}
	// Binders are visited before the occurrences below them, and no variable is
	// bound twice: so one map from the variables of t to those of u is enough.
	to, from := map[Var]Var{}, map[Var]Var{}
	bind := func(x, y Var) bool {
		to[x], from[y] = y, x
		return t.Vars[x].Linear == u.Vars[y].Linear
	}
	for len(stack) > 0 {
		p := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		n, m := &t.Nodes[p.a], &u.Nodes[p.b]
		if n.Op != m.Op || n.N != m.N {
			return false
		}
		switch n.Op {
		case VarOp:
			y, bound := to[n.X]
			x, boundU := from[m.X]
			if bound != boundU || bound && (y != m.X || x != n.X) {
				return false
			}
			if !bound && t.Vars[n.X].Name != u.Vars[m.X].Name {
				return false
			}
		case NumOp:
			if math.Float64bits(n.Val) != math.Float64bits(m.Val) {
				return false
			}
		case NatOp:
			if n.Count != m.Count {
				return false
			}
		case DataOp:
			if n.A != m.A {
				return false
			}
		case LamOp, LetOp:
			if !bind(n.X, m.X) {
				return false
			}
		case UnpairOp:
			if !bind(n.X, m.X) || !bind(n.Y, m.Y) {
				return false
			}
		case UntupleOp, UnvecOp:
			for i, x := range t.Bound(n) {
				if !bind(Var(x), Var(u.Bound(m)[i])) {
					return false
				}
			}
		case FunOp:
			if n.Sym != m.Sym {
				return false
			}
		case IfOp:
			if n.Cmp != m.Cmp {
				return false
			}
		}
		var a, b []Ref
		t.kids(n, func(r Ref) { a = append(a, r) })
		u.kids(m, func(r Ref) { b = append(b, r) })
		for i := range a {
			stack = append(stack, pair{a[i], b[i]})
		}
	}
	return true
}
