package lower

import (
	"github.com/gram-machine/gram/lang/core"
	"github.com/gram-machine/gram/term"
)

// oneHot makes vec i < n -> same x i.
func (l *lowering) oneHot(n *core.Node) term.Ref {
	return l.indicators(n.Pos, n.A, l.t.Types.Len(l.typ(n.Type)))
}

// indicators makes vec i < n -> same x i.
func (l *lowering) indicators(pos term.Pos, x core.Ref, n int) term.Ref {
	at, bound := l.number(x, pos)
	i, is, s := l.index("i", pos, n)
	same := l.t.Fun(pos, term.Same, at(), l.t.IndexNum(pos, is))
	return l.around(pos, l.t.Family(pos, i, s, same), bound)
}

// pick makes let o = vec i < n -> same x i in sum i < n -> o.(i) * v.(i), or that for each component.
func (l *lowering) pick(n *core.Node) term.Ref {
	ty := l.typ(n.Type)
	v := l.operand(n.A, ty)
	count := l.t.Types.Len(ty)
	hot := l.t.Types.Vec(count, term.R)
	x := l.t.NewVar(term.VarInfo{Name: "o", Type: hot, Pos: n.Pos})
	o := operand{x: x, bound: x, u: l.indicators(n.Pos, n.B, count)}
	var component func(ty term.Type, at []term.Static) term.Ref
	component = func(ty term.Type, at []term.Static) term.Ref {
		if l.t.Types.Kind(ty) == term.VecKind {
			j, js, s := l.index("j", n.Pos, l.t.Types.Len(ty))
			return l.t.Family(n.Pos, j, s, component(l.t.Types.Left(ty), append(at, js)))
		}
		i, is, s := l.index("i", n.Pos, count)
		hot := l.operandAt(&o, n.Pos, is)
		return l.t.Sum(n.Pos, i, s, l.t.Fun(n.Pos, term.Mul, hot,
			l.operandAt(&v, n.Pos, append([]term.Static{is}, at...)...)))
	}
	return l.around(n.Pos, component(l.t.Types.Left(ty), nil), &v, &o)
}
