package core

// Opening is a binder that is put around a node that has been made: λx, or a let, the opening of a tuple or vector, or
// a match with the only constructor of a type, whose argument is Val variables from X on. It is a node without its A,
// and B is what it takes apart, or 0 for an occurrence of From.
type Opening struct {
	Node
	From Var
}

// Wrap puts openings around node r of type t, the last one innermost. It returns the node.
func (p *Program) Wrap(r Ref, t Type, opens []Opening) Ref {
	c := p.Core
	for i := len(opens) - 1; i >= 0; i-- {
		n := opens[i].Node
		if x := opens[i].From; n.Op != LamOp && n.B == 0 {
			n.B = c.Add(Node{Op: VarOp, X: x, Type: c.Vars[x].Type, Pos: n.Pos})
		}
		n.A = r
		switch {
		case n.Op == CaseOp:
			n.X, n.Val, n.A, n.B = 0, 1, n.B, c.Branches([]Branch{{n.X, int(n.Val), r}})
		case n.Op == LamOp && c.Vars[n.X].Linear:
			t, n.Value = p.Types.Dual(t), true
		case n.Op == LamOp:
			t, n.Value = p.Types.Arrow(c.Vars[n.X].Type, t), true
		}
		n.Type = t
		r = c.Add(n)
	}
	return r
}
