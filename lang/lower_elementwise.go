package lang

import (
	"github.com/gram-machine/gram/lang/infer"
	"github.com/gram-machine/gram/term"
)

// settleWide finds out which operations are on vectors.
func (l *lowering) settleWide() {
	for i := range l.c.wide {
		w := &l.c.wide[i]
		w.vecA = w.a != 0 && l.p.tt.At(w.a).Kind == infer.Vec
		w.vecB = w.b != 0 && l.p.tt.At(w.b).Kind == infer.Vec
	}
}

// elementwise makes vec i < s -> … of an operation on vectors.
func (l *lowering) elementwise(n *coreNode) term.Ref {
	w := l.c.wide[n.x]
	ty := l.typ(n.typ)
	var parts []*operand
	part := func(r node, vector bool) func(at []term.Static) term.Ref {
		switch {
		case r == 0:
			return nil
		case vector:
			o := l.operand(r, ty)
			parts = append(parts, &o)
			return func(at []term.Static) term.Ref { return l.operandAt(&o, n.pos, at...) }
		}
		number, o := l.number(r, n.pos)
		parts = append(parts, o)
		return func([]term.Static) term.Ref { return number() }
	}
	a, b := part(n.a, w.vecA), part(n.b, w.vecB)
	var loop func(ty term.Type, at []term.Static) term.Ref
	loop = func(ty term.Type, at []term.Static) term.Ref {
		if l.t.Types.Kind(ty) == term.VecKind {
			s := l.p.static.number(float64(l.t.Types.Len(ty)))
			i, is := l.p.static.newIndex("i", n.pos, s)
			return l.t.Family(n.pos, i, s, loop(l.t.Types.Left(ty), append(at, is)))
		}
		switch {
		case n.op == addCore:
			x := a(at)
			return l.t.Add(n.pos, x, b(at))
		case b == nil:
			return l.t.Fun(n.pos, n.sym, a(at))
		}
		x := a(at)
		return l.t.Fun(n.pos, n.sym, x, b(at))
	}
	return l.around(n.pos, loop(ty, nil), parts...)
}

// number returns what makes occurrences of the number that node r is, and the let that binds it if it is no atom.
func (l *lowering) number(r node, pos term.Pos) (occurrence func() term.Ref, bound *operand) {
	switch l.c.nodes[r].op {
	case varCore, pathCore, numCore, staticCore, componentCore:
		return func() term.Ref { return l.refs[r] }, &operand{}
	}
	x := l.t.NewVar(term.VarInfo{Name: "c", Type: term.R, Pos: pos})
	return func() term.Ref { return l.t.Variable(pos, x) }, &operand{bound: x, u: l.refs[r]}
}

// total makes the sum of the components of a vector, or the largest one. They are compared in the order in which a sum adds.
func (l *lowering) total(n *coreNode, of func(p term.Pos, i term.Index, s term.Static, body term.Ref) term.Ref) term.Ref {
	ty := l.typ(n.typ)
	v := l.operand(n.a, ty)
	s := l.p.static.number(float64(l.t.Types.Len(ty)))
	i, is := l.p.static.newIndex("i", n.pos, s)
	return l.around(n.pos, of(n.pos, i, s, l.operandAt(&v, n.pos, is)), &v)
}

// transpose makes vec i < m -> vec j < n -> M.(j).(i).
func (l *lowering) transpose(n *coreNode) term.Ref {
	ty := l.typ(n.typ)
	u := l.operand(n.a, ty)
	rows, columns := l.t.Types.Len(ty), l.t.Types.Len(l.t.Types.Left(ty))
	s, r := l.p.static.number(float64(columns)), l.p.static.number(float64(rows))
	i, is := l.p.static.newIndex("i", n.pos, s)
	j, js := l.p.static.newIndex("j", n.pos, r)
	return l.around(n.pos, l.t.Family(n.pos, i, s, l.t.Family(n.pos, j, r, l.operandAt(&u, n.pos, js, is))), &u)
}
