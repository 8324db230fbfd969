package lang

import "github.com/gram-machine/gram/term"

// oneHot makes vec i < n -> same x i.
func (l *lowering) oneHot(n *coreNode) term.Ref {
	return l.indicators(n.pos, n.a, l.t.Types.Len(l.typ(n.typ)))
}

// indicators makes vec i < n -> same x i.
func (l *lowering) indicators(pos term.Pos, x node, n int) term.Ref {
	at, bound := l.number(x, pos)
	s := l.p.static.number(float64(n))
	i, is := l.p.static.newIndex("i", pos, s)
	same := l.t.Fun(pos, term.Same, at(), l.t.IndexNum(pos, is))
	return l.around(pos, l.t.Family(pos, i, s, same), bound)
}

// pick makes let o = vec i < n -> same x i in sum i < n -> o.(i) * v.(i), or that for each component.
func (l *lowering) pick(n *coreNode) term.Ref {
	ty := l.typ(n.typ)
	v := l.operand(n.a, ty)
	count := l.t.Types.Len(ty)
	hot := l.t.Types.Vec(count, term.R)
	x := l.t.NewVar(term.VarInfo{Name: "o", Type: hot, Pos: n.pos})
	o := operand{x: x, bound: x, u: l.indicators(n.pos, n.b, count)}
	var component func(ty term.Type, at []term.Static) term.Ref
	component = func(ty term.Type, at []term.Static) term.Ref {
		if l.t.Types.Kind(ty) == term.VecKind {
			s := l.p.static.number(float64(l.t.Types.Len(ty)))
			j, js := l.p.static.newIndex("j", n.pos, s)
			return l.t.Family(n.pos, j, s, component(l.t.Types.Left(ty), append(at, js)))
		}
		s := l.p.static.number(float64(count))
		i, is := l.p.static.newIndex("i", n.pos, s)
		hot := l.operandAt(&o, n.pos, is)
		return l.t.Sum(n.pos, i, s, l.t.Fun(n.pos, term.Mul, hot, l.operandAt(&v, n.pos, append([]term.Static{is}, at...)...)))
	}
	return l.around(n.pos, component(l.t.Types.Left(ty), nil), &v, &o)
}
