package lang

import (
	"github.com/gram-machine/gram/lang/core"
	"github.com/gram-machine/gram/term"
)

// indicators makes vec i < n -> same x i.
func (l *lowering) indicators(pos term.Pos, x core.Ref, n int) term.Ref {
	at, bound := l.number(x, pos)
	return l.around(pos, l.loop(l.t.Family, "i", pos, n, func(i term.Static) term.Ref {
		return l.t.Fun(pos, term.Same, at(), l.t.IndexNum(pos, i))
	}), bound)
}

// pick makes let o = vec i < n -> same x i in sum i < n -> o.(i) * v.(i), or that for each component.
func (l *lowering) pick(n *core.Node, ty term.Type) term.Ref {
	v := l.operand(n.A, ty)
	count := l.t.Types.Len(ty)
	hot := l.t.Types.Vec(count, term.R)
	x := l.t.NewVar(term.VarInfo{Name: "o", Type: hot, Pos: n.Pos})
	o := operand{x: x, bound: x, u: l.indicators(n.Pos, n.B, count)}
	var component func(ty term.Type, at []term.Static) term.Ref
	component = func(ty term.Type, at []term.Static) term.Ref {
		if l.t.Types.Kind(ty) == term.VecKind {
			return l.loop(l.t.Family, "j", n.Pos, l.t.Types.Len(ty), func(j term.Static) term.Ref {
				return component(l.t.Types.Left(ty), append(at, j))
			})
		}
		return l.loop(l.t.Sum, "i", n.Pos, count, func(i term.Static) term.Ref {
			hot := l.operandAt(&o, n.Pos, i)
			return l.t.Fun(n.Pos, term.Mul, hot, l.operandAt(&v, n.Pos, append([]term.Static{i}, at...)...))
		})
	}
	return l.around(n.Pos, component(l.t.Types.Left(ty), nil), &v, &o)
}
