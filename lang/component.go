package lang

import (
	"slices"
	"sort"
	"strconv"

	"github.com/gram-machine/gram/lang/core"
	"github.com/gram-machine/gram/lang/syntax"
	"github.com/gram-machine/gram/term"
)

// beside are components that stand side by side, of one vector or of several that do.
type beside struct {
	first, end term.Var
	used       []bool   // those that have names, if they get them when they are asked for
	next       term.Var // if they are vectors whose components stand side by side: the first of these
	size       int      // and how many each has
}

// besides returns what stands beside component x, nil if x is none.
func (l *lowering) besides(x term.Var) *beside {
	i := sort.Search(len(l.beside), func(i int) bool { return x < l.beside[i].end })
	if i == len(l.beside) || x < l.beside[i].first {
		return nil
	}
	return &l.beside[i]
}

// component returns variable i of the opening of x, which it makes if it is new. The n variables from i on are used.
func (l *lowering) component(x term.Var, i, n int) term.Var {
	k := int(x) - l.p.Scalars // inputs have no components
	for k >= len(l.comps) {
		l.comps = append(l.comps, make([]term.Var, len(l.comps)+64)...)
	}
	info := l.t.Info(x)
	if l.comps[k] == 0 {
		l.comps[k] = l.reserved(x)
	}
	if l.comps[k] == 0 {
		l.comps[k] = l.components(info, l.depth[x])
	}
	return l.named(l.comps[k], info.Name, i, n)
}

// components makes the components of a vector, those of these, and so on for so many levels, those of a level side by
// side.
func (l *lowering) components(of term.VarInfo, levels int) (first term.Var) {
	tt, name := l.t.Types, func(int) string { return of.Name }
	for count, ty := 1, of.Type; ; levels-- {
		size := tt.Len(ty)
		count, ty = count*size, tt.Left(ty)
		l.room(count)
		x := l.t.NewVars(count, term.VarInfo{Type: ty, Pos: of.Pos})
		b := beside{first: x, end: x + term.Var(count)}
		vector := name
		name = func(i int) string { return componentName(vector(i/size), i%size) }
		if name := name; count >= term.Many && of.Name != "" {
			core.Announce(l.p, count, []bool{})
			used := make([]bool, count)
			b.used = used
			l.t.NameVars(x, count, func(i int) string {
				if !used[i] {
					return ""
				}
				return name(i)
			})
		}
		if last := len(l.beside) - 1; first == 0 {
			first = x
		} else {
			l.beside[last].next, l.beside[last].size = x, size
		}
		more := levels > 1 && tt.Kind(ty) == term.VecKind
		if more || b.used != nil {
			l.beside = append(l.beside, b)
		}
		if !more {
			return first
		}
	}
}

// reserved returns the first component that a component of a vector will have, if it stands beside others that have
// some.
func (l *lowering) reserved(x term.Var) term.Var {
	if b := l.besides(x); b != nil && b.next != 0 {
		return b.next + (x-b.first)*term.Var(b.size)
	}
	return 0
}

// named returns component i, and gives the n from it on names: they are used.
func (l *lowering) named(first term.Var, of string, i, n int) term.Var {
	x := first + term.Var(i)
	if b := l.besides(x); b != nil && b.used != nil {
		used := b.used[x-b.first:][:n]
		for k := range used {
			used[k] = true
		}
		return x
	}
	for k := range n {
		if y := x + term.Var(k); of != "" && l.t.Info(y).Name == "" {
			l.t.ToChange(y).Name = componentName(of, i+k)
		}
	}
	return x
}

// MaxName bounds the names that components of components get.
const MaxName = 200

// componentName is the name of component i: v.(0).(1), as long as it is no longer than it should be.
func componentName(of string, i int) string {
	if len(of) > MaxName {
		return of
	}
	return of + ".(" + strconv.Itoa(i) + ")"
}

func consecutive(first term.Var, n int) []term.Var {
	return syntax.Each(n, func(i int) term.Var { return first + term.Var(i) })
}

// opened returns the first component of x, or 0 if x is not projected.
func (l *lowering) opened(x term.Var) term.Var {
	if k := int(x) - l.p.Scalars; k >= 0 && k < len(l.comps) {
		return l.comps[k]
	}
	return 0
}

// open puts the opening of x around body, if x is projected, and inside it those of its components, in order.
func (l *lowering) open(x term.Var, pos term.Pos, body term.Ref) term.Ref {
	if l.opened(x) == 0 {
		return body
	}
	stack := []term.Var{x}
	var order []term.Var
	for len(stack) > 0 {
		x := syntax.Pop(&stack)
		first := l.opened(x)
		if first == 0 {
			continue
		}
		order = append(order, x)
		if ty := l.t.TypeOf(x); l.t.Types.Kind(l.t.Types.Left(ty)) == term.VecKind {
			for i := l.t.Types.Len(ty) - 1; i >= 0; i-- {
				stack = append(stack, first+term.Var(i))
			}
		}
	}
	for i := len(order) - 1; i >= 0; i-- {
		x := order[i]
		body = l.t.UnvecFrom(pos, l.opened(x), l.t.Types.Len(l.t.TypeOf(x)), l.t.Variable(pos, x), body)
	}
	return body
}

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
		case core.PrimOp, core.FunOp:
			for i, k := range [...]core.Ref{n.A, n.B} {
				if levels := l.c.Levels(n, i); levels > 0 {
					grid(k, levels)
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
		if x != 0 {
			return l.component(x, i, n)
		}
		first, v := &l.data[d.Data], &l.c.Vars[of] // a data vector, which is opened around the program
		if *first == 0 {
			*first = l.components(term.VarInfo{Name: v.Name, Type: l.typ(v.Type), Pos: v.Pos}, 1)
		}
		return l.named(*first, v.Name, i, n)
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
