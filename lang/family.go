package lang

import (
	"math"
	"slices"

	"github.com/gram-machine/gram/lang/core"
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
		_, all, _ := l.p.Types.Element(n.Type)
		levels = min(levels, all)
		if n.Op == core.PathOp {
			levels += int(n.B - n.A)
		}
		if n.Op == core.PathOp || n.Op == core.VarOp {
			l.grids[n.X] = max(l.grids[n.X], levels)
		}
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
		case core.PrimOp:
			for i, k := range [...]core.Ref{n.A, n.B} {
				if levels := core.Prim(n.Val).Levels(i); levels > 0 {
					grid(k, levels)
				}
			}
		case core.AddOp, core.FunOp:
			for _, k := range [...]core.Ref{n.A, n.B} {
				if l.c.Wide(n, k) {
					grid(k, math.MaxInt)
				}
			}
		}
	}
}

// path makes a projection of a variable or of data: a variable, or a component at a static index.
func (l *lowering) path(pos term.Pos, of core.Var, index []core.Ref) term.Ref {
	d := l.p.Let(of)
	var x term.Var
	if d == nil || !d.Opened {
		x = l.bind(of)
	}
	component := func(x term.Var, i, n int) term.Var {
		if x == 0 {
			return l.dataComponent(d.Data, &l.c.Vars[of], i, n)
		}
		return l.component(x, i, n)
	}
	return l.project(pos, x, l.typ(l.c.Vars[of].Type), component, index)
}

// project makes the projection of x, which has type ty, by the indices. component returns component i, and makes n
// components from it on.
func (l *lowering) project(pos term.Pos, x term.Var, ty term.Type, component func(x term.Var, i, n int) term.Var,
	index []core.Ref) term.Ref {
	for len(index) > 0 && index[0]&core.StaticBit == 0 {
		x, ty, index = component(x, int(index[0]), 1), l.t.Types.Left(ty), index[1:]
	}
	if len(index) == 0 {
		return l.t.Variable(pos, x)
	}
	es := make([]term.Static, len(index))
	sizes := make([]int, len(es)) // how many components stand side by side, by level
	for k, i := range index {
		if es[k] = term.Static(i &^ core.StaticBit); i&core.StaticBit == 0 {
			es[k] = l.p.Static.Number(float64(i))
		}
		sizes[k], ty = l.t.Types.Len(ty), l.t.Types.Left(ty)
	}
	// The components of the last level are made together where they stand side by side.
	last := len(es) - 1
	begin, end, side := l.p.Static.Range(es[last], es[:last])
	through := es
	if side {
		through = es[:last]
	}
	firsts := make([]term.Var, len(es)) // the first component of each level
	for values := range l.p.Static.Values(through...) {
		l.p.Tick()
		y := x
		next := func(k, i, n int) {
			z := component(y, i, n)
			if firsts[k] == 0 {
				firsts[k] = z - term.Var(i)
			}
			y = z
		}
		for k, i := range values {
			next(k, int(i), 1)
		}
		if side && begin < end {
			next(last, begin, end-begin)
		}
	}
	if firsts[last] == 0 {
		return l.t.Num(pos, 0) // there is no value of an index around it
	}
	first, n, e := firsts[0], sizes[0], es[0]
	for k := 1; k < len(es); k++ {
		first, n = l.reserved(first), n*sizes[k]
		e = l.affine(e, sizes[k], es[k])
	}
	return l.t.Component(pos, first, n, e)
}

// affine makes e·n + i.
func (l *lowering) affine(e term.Static, n int, i term.Static) term.Static {
	f := &l.p.Static
	return f.Add(term.StaticNode{Op: term.StaticAdd,
		A: f.Add(term.StaticNode{Op: term.StaticMul, A: e, B: f.Number(float64(n))}), B: i})
}

// scalars makes a value of type t of the n variables from first on, that with the static number at first.
func (l *lowering) scalars(pos term.Pos, first term.Var, n int, t core.Type, at term.Static) term.Ref {
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
	case core.Prod:
		a := l.scalars(pos, first, n, ty.A, at)
		return l.t.Pair(pos, a, l.scalars(pos, first, n, ty.B, add(f.Number(float64(l.p.Types.Width(ty.A))))))
	case core.Vec:
		i, is, s := l.index("j", pos, l.p.Types.SizeAt(core.Size(ty.N)).N)
		step := f.Add(term.StaticNode{Op: term.StaticMul, A: is, B: f.Number(float64(l.p.Types.Width(ty.A)))})
		return l.t.Family(pos, i, s, l.scalars(pos, first, n, ty.A, add(step)))
	}
	if at := f.Nodes[at]; at.Op == term.StaticNum {
		return l.t.Variable(pos, first+term.Var(at.Val))
	}
	return l.t.Component(pos, first, n, at)
}
