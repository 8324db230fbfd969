package lower

import (
	"slices"

	"github.com/gram-machine/gram/lang/core"
	"github.com/gram-machine/gram/lang/infer"
	"github.com/gram-machine/gram/lang/syntax"
	"github.com/gram-machine/gram/term"
)

// family makes a comprehension whose body has been made.
func (l *lowering) family(n *core.Node) term.Ref {
	i, s, body := term.Index(n.X), term.Static(n.A), l.refs[n.B]
	switch syntax.Token(n.Val) {
	case syntax.VecTok:
		return l.t.Family(n.Pos, i, s, body)
	case syntax.ListTok:
		elem, res := l.results(n)
		return l.t.ListFamily(n.Pos, i, s, elem, res, body)
	}
	return l.t.Sum(n.Pos, i, s, body)
}

// findGrids finds the variables whose components have components at static indices.
func (l *lowering) findGrids(live []bool) {
	grid := func(r core.Ref, levels int) {
		n := &l.c.Nodes[r]
		if n.Op == core.PathOp {
			levels += int(n.B - n.A)
		}
		if n.Op == core.PathOp || n.Op == core.VarOp {
			l.grids[n.X] = max(l.grids[n.X], levels)
		}
	}
	whole := func(r core.Ref, t infer.Type) {
		_, levels, _ := l.p.Types.Element(t)
		grid(r, levels)
	}
	for r := range l.c.Nodes {
		if !live[r] {
			continue
		}
		switch n := &l.c.Nodes[r]; n.Op {
		case core.PathOp:
			if slices.ContainsFunc(l.c.Args[n.A:n.B], func(i core.Ref) bool { return i&core.StaticBit != 0 }) {
				grid(core.Ref(r), 0)
			}
		case core.DotOp:
			grid(n.A, 1)
			grid(n.B, 1)
		case core.MatvecOp:
			grid(n.A, 2)
			grid(n.B, 1)
		case core.TotalOp, core.MaximumOp:
			grid(n.A, 1)
		case core.TransposeOp:
			grid(n.A, 2)
		case core.PickOp:
			whole(n.A, n.Type)
		case core.AddOp, core.FunOp:
			w := l.c.Wide[n.X]
			if w.VecA {
				whole(n.A, w.A)
			}
			if w.VecB {
				whole(n.B, w.B)
			}
		}
	}
}

// reserve makes the components of the components from first on of a vector, and so on for so many levels, those of a
// level side by side.
func (l *lowering) reserve(first term.Var, of term.VarInfo, levels int) {
	tt := l.t.Types
	count, elem := tt.Len(of.Type), tt.Left(of.Type)
	for ; levels > 1 && tt.Kind(elem) == term.VecKind; levels-- {
		size := tt.Len(elem)
		elem = tt.Left(elem)
		l.room(count * size)
		core.Announce(l.p, count*size, []term.VarInfo{})
		l.t.GrowVars(count * size)
		next := term.Var(l.t.NumVars())
		for i := range count {
			l.reserved[first+term.Var(i)] = next + term.Var(i*size)
			for range size {
				l.t.NewVar(term.VarInfo{Type: elem, Pos: of.Pos})
			}
		}
		first, count = next, count*size
	}
}

// path makes a projection of a variable or of data: a variable, or a component at a static index.
func (l *lowering) path(pos term.Pos, of core.Var, index []core.Ref) term.Ref {
	d := l.p.Let(of)
	var x term.Var
	if d == nil || !d.Opened {
		x = l.bind(of)
	}
	component := func(x term.Var, i int) term.Var {
		if x == 0 {
			return l.dataComponent(d.Data, &l.c.Vars[of], i)
		}
		return l.component(x, i)
	}
	return l.project(pos, x, component, index)
}

// project makes the projection of x by the indices.
func (l *lowering) project(pos term.Pos, x term.Var, component func(x term.Var, i int) term.Var, index []core.Ref) term.Ref {
	for len(index) > 0 && index[0]&core.StaticBit == 0 {
		x, index = component(x, int(index[0])), index[1:]
	}
	if len(index) == 0 {
		return l.t.Variable(pos, x)
	}
	es := make([]term.Static, len(index))
	for k, i := range index {
		if es[k] = term.Static(i &^ core.StaticBit); i&core.StaticBit == 0 {
			es[k] = l.p.Static.Number(float64(i))
		}
	}
	// The first component of each level, and how many there are side by side.
	firsts, sizes := make([]term.Var, len(es)), make([]int, len(es))
	l.p.Static.Each(es, func(values []float64) {
		l.p.Tick()
		y := x
		for k, i := range values {
			z := component(y, int(i))
			if firsts[k] == 0 {
				firsts[k] = z - term.Var(i)
				sizes[k] = l.lengthOf(y, firsts[k])
			}
			y = z
		}
	})
	if firsts[0] == 0 {
		return l.t.Num(pos, 0) // there is no value of an index around it
	}
	first, n, e := firsts[0], sizes[0], es[0]
	for k := 1; k < len(es); k++ {
		first, n = l.reserved[first], n*sizes[k]
		e = l.affine(e, sizes[k], es[k])
	}
	return l.t.Component(pos, first, n, e)
}

// lengthOf returns how many components the vector x has, or, if x is 0, the data of which the first is given.
func (l *lowering) lengthOf(x, first term.Var) int {
	if x != 0 {
		return l.t.Types.Len(l.t.TypeOf(x))
	}
	n := 0
	for int(first)+n < l.t.NumVars() && l.t.Info(first+term.Var(n)).Pos == l.t.Info(first).Pos {
		n++
	}
	return n
}

// affine makes e·n + i.
func (l *lowering) affine(e term.Static, n int, i term.Static) term.Static {
	f := &l.p.Static
	return f.Add(term.StaticNode{Op: term.StaticAdd, A: f.Add(term.StaticNode{Op: term.StaticMul, A: e, B: f.Number(float64(n))}), B: i})
}

// scalars makes a value of type t of the n variables from first on, that with the static number at first.
func (l *lowering) scalars(pos term.Pos, first term.Var, n int, t infer.Type, at term.Static) term.Ref {
	f := &l.p.Static
	add := func(e term.Static) term.Static {
		a, b := f.Nodes[at], f.Nodes[e]
		switch {
		case a.Op == term.StaticNum && a.Val == 0:
			return e
		case a.Op == term.StaticNum && b.Op == term.StaticNum:
			return f.Number(a.Val + b.Val)
		}
		return f.Add(term.StaticNode{Op: term.StaticAdd, A: at, B: e})
	}
	switch ty := l.p.Types.At(t); ty.Kind {
	case infer.Prod:
		a := l.scalars(pos, first, n, ty.A, at)
		return l.t.Pair(pos, a, l.scalars(pos, first, n, ty.B, add(f.Number(float64(l.p.Types.Width(ty.A))))))
	case infer.Vec:
		i, is, s := l.index("j", pos, l.p.Types.SizeAt(infer.Size(ty.N)).N)
		step := f.Add(term.StaticNode{Op: term.StaticMul, A: is, B: f.Number(float64(l.p.Types.Width(ty.A)))})
		return l.t.Family(pos, i, s, l.scalars(pos, first, n, ty.A, add(step)))
	}
	if at := f.Nodes[at]; at.Op == term.StaticNum {
		return l.t.Variable(pos, first+term.Var(at.Val))
	}
	return l.t.Component(pos, first, n, at)
}
