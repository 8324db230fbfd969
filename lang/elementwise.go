package lang

import (
	"github.com/gram-machine/gram/lang/core"
	"github.com/gram-machine/gram/term"
)

// elementwise makes vec i < s -> … of an operation on vectors.
func (l *lowering) elementwise(n *core.Node) term.Ref {
	ty := l.typ(n.Type)
	var parts []*operand
	part := func(r core.Ref) func(at []term.Static) term.Ref {
		switch {
		case r == 0:
			return nil
		case l.c.Wide(n, r):
			o := l.operand(r, ty)
			parts = append(parts, &o)
			return func(at []term.Static) term.Ref { return l.operandAt(&o, n.Pos, at...) }
		}
		number, o := l.number(r, n.Pos)
		parts = append(parts, o)
		return func([]term.Static) term.Ref { return number() }
	}
	a, b := part(n.A), part(n.B)
	var loop func(ty term.Type, at []term.Static) term.Ref
	loop = func(ty term.Type, at []term.Static) term.Ref {
		if l.t.Types.Kind(ty) == term.VecKind {
			return l.loop(l.t.Family, "i", n.Pos, l.t.Types.Len(ty), func(i term.Static) term.Ref {
				return loop(l.t.Types.Left(ty), append(at, i))
			})
		}
		switch {
		case n.Op == core.AddOp:
			x := a(at)
			return l.t.Add(n.Pos, x, b(at))
		case b == nil:
			return l.t.Fun(n.Pos, n.Sym, a(at))
		}
		x := a(at)
		return l.t.Fun(n.Pos, n.Sym, x, b(at))
	}
	return l.around(n.Pos, loop(ty, nil), parts...)
}

// number returns what makes occurrences of the number that node r is, and the let that binds it if it is no atom.
func (l *lowering) number(r core.Ref, pos term.Pos) (occurrence func() term.Ref, bound *operand) {
	switch l.c.Nodes[r].Op {
	case core.VarOp, core.PathOp, core.NumOp, core.StaticOp, core.ComponentOp:
		return func() term.Ref { return l.refs[r] }, &operand{}
	}
	x := l.t.NewVar(term.VarInfo{Name: "c", Type: term.R, Pos: pos})
	return func() term.Ref { return l.t.Variable(pos, x) }, &operand{bound: x, u: l.refs[r]}
}
