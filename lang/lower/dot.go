package lower

import (
	"github.com/gram-machine/gram/lang/core"
	"github.com/gram-machine/gram/term"
)

// An operand of dot or matvec gives its components at static indices.
type operand struct {
	x     term.Var   // a variable that has been made, 0 for an input or data
	of    core.Var   // a variable of core
	index []core.Ref // of a projection of it
	in    *core.Node // an input
	sizes []int      // an input: of its levels
	bound term.Var   // the let around the result, if the operand is no atom
	u     term.Ref
}

// operand looks at an operand: variables, projections, inputs and data vectors are
// taken as they are, anything else is bound by a let and opened.
func (l *lowering) operand(r core.Ref, ty term.Type) operand {
	n := &l.c.Nodes[r]
	if d := l.p.Let(n.X); (n.Op == core.VarOp || n.Op == core.PathOp) && (d == nil || !d.Opened) {
		l.bind(n.X)
	}
	switch n.Op {
	case core.VarOp:
		return operand{of: n.X}
	case core.PathOp:
		return operand{of: n.X, index: l.c.Args[n.A:n.B]}
	case core.InputOp:
		o := operand{in: n}
		for ; l.t.Types.Kind(ty) == term.VecKind; ty = l.t.Types.Left(ty) {
			o.sizes = append(o.sizes, l.t.Types.Len(ty))
		}
		return o
	case core.DataOp:
		return operand{of: l.p.DataOf[n.X]}
	}
	x := l.t.NewVar(term.VarInfo{Name: "v", Type: ty, Pos: n.Pos})
	for v := ty; l.t.Types.Kind(v) == term.VecKind; v = l.t.Types.Left(v) {
		l.depth[x]++
	}
	return operand{x: x, bound: x, u: l.refs[r]}
}

// component makes the component of an operand at static indices, one for each level.
func (l *lowering) operandAt(o *operand, pos term.Pos, at ...term.Static) term.Ref {
	if o.in != nil {
		if n := l.p.Static.Nodes[at[0]]; len(at) == 1 && n.Op == term.StaticNum && o.in.A == 0 {
			return l.t.Variable(pos, l.bind(o.in.X+core.Var(n.Val)))
		}
		e := at[0]
		total := o.sizes[0]
		for k := 1; k < len(o.sizes); k++ {
			e, total = l.affine(e, o.sizes[k], at[k]), total*o.sizes[k]
		}
		if o.in.A != 0 {
			total = int(o.in.B)
			e = l.p.Static.Add(term.StaticNode{Op: term.StaticAdd, A: term.Static(o.in.A), B: e})
		}
		return l.t.Component(pos, l.bind(o.in.X), total, e)
	}
	index := o.index[:len(o.index):len(o.index)]
	for _, e := range at {
		if n := l.p.Static.Nodes[e]; n.Op == term.StaticNum {
			index = append(index, core.Ref(n.Val))
			continue
		}
		index = append(index, core.StaticBit|core.Ref(e))
	}
	if o.x != 0 {
		return l.project(pos, o.x, l.t.TypeOf(o.x), l.component, index)
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

// index makes an index below n, with its value and n as static expressions.
func (l *lowering) index(name string, pos term.Pos, n int) (i term.Index, value, bound term.Static) {
	bound = l.p.Static.Number(float64(n))
	i, value = l.p.Static.NewIndex(name, pos, bound)
	return i, value, bound
}

// products is the sum of u_k·v_k for k < d, with a row of u if there is an index of one.
func (l *lowering) products(pos term.Pos, u, v *operand, d int, row ...term.Static) term.Ref {
	k, ks, s := l.index("j", pos, d)
	a := l.operandAt(u, pos, append(row, ks)...)
	return l.t.Sum(pos, k, s, l.t.Fun(pos, term.Mul, a, l.operandAt(v, pos, ks)))
}

// dot makes sum j < d -> u.(j) * v.(j).
func (l *lowering) dot(n *core.Node) term.Ref {
	ty := l.typ(n.Type)
	u, v := l.operand(n.A, ty), l.operand(n.B, ty)
	return l.around(n.Pos, l.products(n.Pos, &u, &v, l.t.Types.Len(ty)), &u, &v)
}

// matvec makes vec i < m -> dot M.(i) v.
func (l *lowering) matvec(n *core.Node) term.Ref {
	ty := l.typ(n.Type)
	row := l.t.Types.Left(ty)
	u, v := l.operand(n.A, ty), l.operand(n.B, row)
	i, is, m := l.index("i", n.Pos, l.t.Types.Len(ty))
	rows := l.t.Family(n.Pos, i, m, l.products(n.Pos, &u, &v, l.t.Types.Len(row), is))
	return l.around(n.Pos, rows, &u, &v)
}

// room checks the limit before n more nodes are made.
func (l *lowering) room(n int) {
	if len(l.t.Nodes)+l.t.NumVars()+n > 2*l.maxNodes {
		l.tooMany()
	}
	l.p.Tick()
}
