package lang

import "github.com/gram-machine/gram/term"

// An operand of dot or matvec gives its components as often as they are asked for.
type operand struct {
	x     term.Var // a variable that has been made, 0 for an input
	in    variable // an input: its first scalar
	width int      // an input: the scalars of a component
	bound term.Var // the let around the result, if the operand is no atom
	u     term.Ref
	data  int // a data vector: its index + 1
}

// operand looks at an operand: variables, projections, inputs and data vectors are
// taken as they are, anything else is bound by a let and opened.
func (l *lowering) operand(r node, ty term.Type) operand {
	n := &l.c.nodes[r]
	switch n.op {
	case varCore:
		return operand{x: l.bind(n.x)}
	case pathCore:
		return operand{x: l.path(n)}
	case inputCore:
		return operand{in: n.x, width: l.scalars(l.t.Types.Left(ty))}
	case dataCore:
		return operand{data: int(n.x) + 1}
	}
	x := l.t.NewVar(term.VarInfo{Name: "v", Type: ty, Pos: n.pos})
	return operand{x: x, bound: x, u: l.refs[r]}
}

// component makes an occurrence of component i, or of component j of that if j ≥ 0.
func (l *lowering) operandAt(o *operand, pos term.Pos, i, j int) term.Ref {
	if o.in != 0 {
		x := o.in + variable(i*o.width)
		if j >= 0 {
			x += variable(j)
		}
		return l.t.Variable(pos, l.bind(x))
	}
	var x term.Var
	if o.data > 0 {
		x = l.dataComponent(o.data-1, &l.c.vars[l.e.globals[l.e.dataGlobals[o.data-1]].x], i)
	} else {
		x = l.component(o.x, i)
	}
	if j >= 0 {
		x = l.component(x, j)
	}
	return l.t.Variable(pos, x)
}

// scalars is the number of scalars of a type of numbers.
func (l *lowering) scalars(ty term.Type) int {
	n := 1
	for l.t.Types.Kind(ty) == term.VecKind {
		n *= l.t.Types.Len(ty)
		ty = l.t.Types.Left(ty)
	}
	return n
}

// around puts the lets of operands around a result, the first one outermost.
func (l *lowering) around(pos term.Pos, body term.Ref, operands ...*operand) term.Ref {
	for i := len(operands) - 1; i >= 0; i-- {
		if o := operands[i]; o.bound != 0 {
			body = l.t.Let(pos, o.bound, o.u, l.open(o.bound, pos, body))
		}
	}
	return body
}

// products is the sum of u_k·v_k for k < d, with row i of u if i ≥ 0.
func (l *lowering) products(pos term.Pos, u, v *operand, i, d int) term.Ref {
	l.kids = l.kids[:0]
	for k := range d {
		var a term.Ref
		if i < 0 {
			a = l.operandAt(u, pos, k, -1)
		} else {
			a = l.operandAt(u, pos, i, k)
		}
		b := l.operandAt(v, pos, k, -1)
		l.kids = append(l.kids, l.t.Fun(pos, term.Mul, a, b))
	}
	return term.Sum(d, func(k int) term.Ref { return l.kids[k] }, func(a, b term.Ref) term.Ref { return l.t.Add(pos, a, b) })
}

// dot makes sum i < d -> u.(i) * v.(i).
func (l *lowering) dot(n *coreNode) term.Ref {
	ty := l.typ(n.typ)
	d := l.t.Types.Len(ty)
	l.room(4 * d)
	u, v := l.operand(n.a, ty), l.operand(n.b, ty)
	return l.around(n.pos, l.products(n.pos, &u, &v, -1, d), &u, &v)
}

// matvec makes vec i < m -> dot M.(i) v.
func (l *lowering) matvec(n *coreNode) term.Ref {
	ty := l.typ(n.typ)
	row := l.t.Types.Left(ty)
	m, d := l.t.Types.Len(ty), l.t.Types.Len(row)
	l.room(4 * d)
	u, v := l.operand(n.a, ty), l.operand(n.b, row)
	rows := make([]term.Ref, 0, min(m, 1<<16))
	for i := range m {
		l.room(4 * d)
		rows = append(rows, l.products(n.pos, &u, &v, i, d))
	}
	return l.around(n.pos, l.t.Vec(n.pos, rows), &u, &v)
}

// room checks the limit before n more nodes are made.
func (l *lowering) room(n int) {
	if len(l.t.Nodes)+n > 2*l.e.opt.MaxNodes {
		l.e.tooManyNodes()
	}
	l.e.tick()
}
