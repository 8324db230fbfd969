package lang

import (
	"errors"

	"github.com/gram-machine/gram/lang/core"
	"github.com/gram-machine/gram/lang/syntax"
	"github.com/gram-machine/gram/revgrad"
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

// loop makes a comprehension of n elements, by [term.Term.Family], Sum or Most.
func (l *lowering) loop(of func(pos term.Pos, i term.Index, s term.Static, body term.Ref) term.Ref, name string,
	pos term.Pos, n int, body func(i term.Static) term.Ref) term.Ref {
	i, is, s := l.index(name, pos, n)
	return of(pos, i, s, body(is))
}

// primitive makes comprehensions of a function on vectors.
func (l *lowering) primitive(n *core.Node) (r term.Ref) {
	t, pos := l.t, n.Pos
	if core.Prim(n.Val) == core.PrimOneHot {
		return l.indicators(pos, n.A, t.Types.Len(l.typ(n.Type)))
	}
	ty := l.typ(l.c.Nodes[n.A].Type)
	if core.Prim(n.Val) == core.PrimPick {
		return l.pick(n, ty)
	}
	size := t.Types.Len(ty)
	u, v := l.operand(n.A, ty), operand{}
	at := func(o *operand, index ...term.Static) term.Ref { return l.operandAt(o, pos, index...) }
	product := func(size int, row ...term.Static) term.Ref { // of u, or of a row of it, and v
		return l.loop(t.Sum, "j", pos, size, func(j term.Static) term.Ref {
			a := at(&u, append(row, j)...)
			return t.Fun(pos, term.Mul, a, at(&v, j))
		})
	}
	switch core.Prim(n.Val) {
	case core.PrimDot:
		v = l.operand(n.B, ty)
		r = product(size)
	case core.PrimMatvec:
		row := t.Types.Left(ty)
		v = l.operand(n.B, row)
		r = l.loop(t.Family, "i", pos, size, func(i term.Static) term.Ref { return product(t.Types.Len(row), i) })
	case core.PrimTotal:
		r = l.loop(t.Sum, "i", pos, size, func(i term.Static) term.Ref { return at(&u, i) })
	case core.PrimMaximum: // components are compared in the order in which a sum adds
		r = l.loop(t.Most, "i", pos, size, func(i term.Static) term.Ref { return at(&u, i) })
	case core.PrimTranspose:
		r = l.loop(t.Family, "i", pos, t.Types.Len(t.Types.Left(ty)), func(i term.Static) term.Ref {
			return l.loop(t.Family, "j", pos, size, func(j term.Static) term.Ref { return at(&u, j, i) })
		})
	}
	return l.around(pos, r, &u, &v)
}

// room checks the limit before n more nodes are made.
func (l *lowering) room(n int) {
	if len(l.t.Nodes)+l.t.NumVars()+n > 2*l.maxNodes {
		l.tooMany()
	}
	l.p.Tick()
}

// elementwise makes vec i < s -> … of an operation on vectors.
func (l *lowering) elementwise(n *core.Node) term.Ref {
	ty := l.typ(n.Type)
	var parts []*operand
	part := func(r core.Ref) func(at []term.Static) term.Ref {
		switch {
		case r == 0:
			return func([]term.Static) term.Ref { return 0 }
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
	r := l.levels("i", n.Pos, ty, nil, func(at []term.Static) term.Ref {
		x := a(at)
		return l.operation(n, x, b(at))
	})
	return l.around(n.Pos, r, parts...)
}

// levels makes a vector of type ty, of vectors as deep as that goes, by its numbers at static indices behind at.
func (l *lowering) levels(name string, pos term.Pos, ty term.Type, at []term.Static,
	number func(at []term.Static) term.Ref) term.Ref {
	if l.t.Types.Kind(ty) != term.VecKind {
		return number(at)
	}
	return l.loop(l.t.Family, name, pos, l.t.Types.Len(ty), func(i term.Static) term.Ref {
		return l.levels(name, pos, l.t.Types.Left(ty), append(at, i), number)
	})
}

// number returns what makes occurrences of the number that node r is, and the let that binds it if it is no atom.
func (l *lowering) number(r core.Ref, pos term.Pos) (occurrence func() term.Ref, bound *operand) {
	switch l.c.Nodes[r].Op {
	case core.VarOp, core.PathOp, core.NumOp, core.StaticOp, core.InputOp:
		return func() term.Ref { return l.refs[r] }, &operand{}
	}
	x := l.t.NewVar(term.VarInfo{Name: "c", Type: term.R, Pos: pos})
	return func() term.Ref { return l.t.Variable(pos, x) }, &operand{bound: x, u: l.refs[r]}
}

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
	r := l.levels("j", n.Pos, l.t.Types.Left(ty), nil, func(at []term.Static) term.Ref {
		return l.loop(l.t.Sum, "i", n.Pos, count, func(i term.Static) term.Ref {
			hot := l.operandAt(&o, n.Pos, i)
			return l.t.Fun(n.Pos, term.Mul, hot, l.operandAt(&v, n.Pos, append([]term.Static{i}, at...)...))
		})
	})
	return l.around(n.Pos, r, &v, &o)
}

// findLets finds what lets bind functions to, if there are derivatives.
func (l *lowering) findLets(live []bool) {
	derivatives := false
	var lets []core.Let
	for _, d := range l.p.Lets {
		if d.U != 0 {
			lets = append(lets, d)
		}
	}
	for r := range l.c.Nodes {
		switch n := &l.c.Nodes[r]; {
		case !live[r]:
		case n.Op == core.LetOp:
			lets = append(lets, core.Let{X: n.X, U: n.B})
		case n.Op == core.DerivativeOp:
			derivatives = true
		}
	}
	if !derivatives {
		return
	}
	l.lets = map[term.Var]core.Ref{}
	for _, d := range lets {
		if l.p.Types.ValueShape(l.c.Vars[d.X].Type) == nil {
			l.lets[l.bind(d.X)] = d.U
		}
	}
}

// derivative makes the derivative of a function whose term has been made.
func (l *lowering) derivative(n *core.Node) (r term.Ref) {
	t, s := l.t, &l.p.Static
	t.Indices, t.Statics = s.Indices, s.Nodes
	bound := func(x term.Var) term.Ref { return l.refs[l.lets[x]] }
	d := revgrad.Derivatives{Term: t, Bound: bound, Check: l.p.Guard.Check}
	a, k := l.typ(l.c.Nodes[l.c.Args[n.A+1]].Type), l.list(n)
	var err error
	if core.Prim(n.Val) == core.PrimAlong {
		r, err = d.Along(n.Pos, a, k[0], k[1], k[2])
	} else {
		r, err = d.Gradient(n.Pos, a, k[0], k[1])
	}
	s.Indices, s.Nodes = t.Indices, t.Statics
	for len(s.Bounds) < len(s.Indices) {
		s.Bounds = append(s.Bounds, 0)
	}
	var free *revgrad.FreeFunctionError
	var undefined *revgrad.UndefinedError
	switch {
	case errors.As(err, &free):
		l.noDerivative(free.Pos, n.Pos,
			"the definition of "+t.Info(free.Var).Name+" is not known here: a function that is differentiated may "+
				"only use functions that def or let binds")
	case errors.As(err, &undefined):
		l.noDerivative(undefined.Pos, n.Pos, "no derivative is defined for "+undefined.What)
	case err != nil:
		syntax.Abort(err)
	}
	return r
}

// noDerivative reports what can't be differentiated: at pos or, if that is nowhere, at the use of jvp or grad.
func (l *lowering) noDerivative(pos, use term.Pos, label string) {
	if pos == 0 {
		pos = use
	}
	l.p.Report(core.WordAt(l.p.File, pos), "no derivative", label)
}
