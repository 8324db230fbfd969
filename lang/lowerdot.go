package lang

import "github.com/gram-machine/gram/term"

// An operand of dot or matvec gives its components at static indices.
type operand struct {
	x     term.Var  // a variable that has been made, 0 for an input or data
	of    variable  // a variable of core
	index []node    // of a projection of it
	in    *coreNode // an input
	sizes []int     // an input: of its levels
	bound term.Var  // the let around the result, if the operand is no atom
	u     term.Ref
}

// operand looks at an operand: variables, projections, inputs and data vectors are
// taken as they are, anything else is bound by a let and opened.
func (l *lowering) operand(r node, ty term.Type) operand {
	n := &l.c.nodes[r]
	if _, data := l.e.dataVars[n.x]; (n.op == varCore || n.op == pathCore) && !data {
		l.bind(n.x)
	}
	switch n.op {
	case varCore:
		return operand{of: n.x}
	case pathCore:
		return operand{of: n.x, index: l.c.args[n.a:n.b]}
	case inputCore:
		o := operand{in: n}
		for ; l.t.Types.Kind(ty) == term.VecKind; ty = l.t.Types.Left(ty) {
			o.sizes = append(o.sizes, l.t.Types.Len(ty))
		}
		return o
	case dataCore:
		return operand{of: l.e.globals[l.e.dataGlobals[n.x]].x}
	}
	x := l.t.NewVar(term.VarInfo{Name: "v", Type: ty, Pos: n.pos})
	for v := ty; l.t.Types.Kind(v) == term.VecKind; v = l.t.Types.Left(v) {
		l.depth[x]++
	}
	return operand{x: x, bound: x, u: l.refs[r]}
}

// component makes the component of an operand at static indices, one for each level.
func (l *lowering) operandAt(o *operand, pos term.Pos, at ...term.Static) term.Ref {
	if o.in != nil {
		if n := l.e.fam.statics[at[0]]; len(at) == 1 && n.Op == term.StaticNum && o.in.a == 0 {
			return l.t.Variable(pos, l.bind(o.in.x+variable(n.Val)))
		}
		e := at[0]
		total := o.sizes[0]
		for k := 1; k < len(o.sizes); k++ {
			e, total = l.affine(e, o.sizes[k], at[k]), total*o.sizes[k]
		}
		if o.in.a != 0 {
			total = int(o.in.b)
			e = l.e.fam.static(term.StaticNode{Op: term.StaticAdd, A: term.Static(o.in.a), B: e})
		}
		return l.t.Component(pos, l.bind(o.in.x), total, e)
	}
	index := o.index[:len(o.index):len(o.index)]
	for _, e := range at {
		if n := l.e.fam.statics[e]; n.Op == term.StaticNum {
			index = append(index, node(n.Val))
			continue
		}
		index = append(index, staticBit|node(e))
	}
	if o.x != 0 {
		return l.project(pos, o.x, l.component, index)
	}
	return l.path(pos, o.of, index)
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

// products is the sum of u_k·v_k for k < d, with a row of u if there is an index of one.
func (l *lowering) products(pos term.Pos, u, v *operand, d int, row ...term.Static) term.Ref {
	s := l.e.fam.number(float64(d))
	k, ks := l.e.fam.newIndex("j", pos, s)
	a := l.operandAt(u, pos, append(row, ks)...)
	return l.t.Sum(pos, k, s, l.t.Fun(pos, term.Mul, a, l.operandAt(v, pos, ks)))
}

// dot makes sum j < d -> u.(j) * v.(j).
func (l *lowering) dot(n *coreNode) term.Ref {
	ty := l.typ(n.typ)
	u, v := l.operand(n.a, ty), l.operand(n.b, ty)
	return l.around(n.pos, l.products(n.pos, &u, &v, l.t.Types.Len(ty)), &u, &v)
}

// matvec makes vec i < m -> dot M.(i) v.
func (l *lowering) matvec(n *coreNode) term.Ref {
	ty := l.typ(n.typ)
	row := l.t.Types.Left(ty)
	u, v := l.operand(n.a, ty), l.operand(n.b, row)
	m := l.e.fam.number(float64(l.t.Types.Len(ty)))
	i, is := l.e.fam.newIndex("i", n.pos, m)
	rows := l.t.Family(n.pos, i, m, l.products(n.pos, &u, &v, l.t.Types.Len(row), is))
	return l.around(n.pos, rows, &u, &v)
}

// room checks the limit before n more nodes are made.
func (l *lowering) room(n int) {
	if len(l.t.Nodes)+l.t.NumVars()+n > 2*l.e.opt.MaxNodes {
		l.e.tooManyNodes()
	}
	l.e.tick()
}
