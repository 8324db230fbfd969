package revgrad

import "github.com/gram-machine/gram/term"

// activity finds which numbers of a term may have a tangent other than 0. Each node and variable has a type whose
// parts are made when they are needed, and whose numbers are active or not. Types are unified where numbers flow from
// one place to another, but for the operands of + and of symbols, whose results are active if an operand is that the
// symbol does not ignore. The numbers of a value of an inductive type are all active or none: such a type is one
// part.
type activity struct {
	t     *term.Term
	parts []activePart
	nodes []part // of each node of t
	vars  []part // of each variable
	edges [][2]part
	done  []term.Type // Fwd of each part, once all is known
}

// part is a type in an activity. 0 is none.
type part int32

type activePart struct {
	parent      part // of a part that has been unified with another
	typ         term.Type
	left, right part // 0: nothing is known of them
	active      bool // of R and of inductive types
}

// newActivity analyses t, whose nodes have the given types. Of its free variables the numbers of those are active
// that are among the
// inputs, whose types are built of R, products and vectors. Each occurrence of another one is by itself.
func newActivity(t *term.Term, types []term.Type, inputs []term.Var, check func() error) (*activity, error) {
	a := &activity{t: t, parts: make([]activePart, 1, 2*len(t.Nodes)), nodes: make([]part, len(t.Nodes)),
		vars: make([]part, t.NumVars())}
	typed := func(x term.Var) {
		if a.vars[x] == 0 {
			a.vars[x] = a.fresh(t.TypeOf(x))
		}
	}
	for _, x := range inputs {
		typed(x)
		a.activate(a.vars[x])
	}
	for r := range t.Nodes {
		if types[r] != 0 {
			t.Binders(&t.Nodes[r], typed)
		}
	}
	for r := range t.Nodes {
		if err := checkAt(r, check); err != nil {
			return nil, err
		}
		if types[r] != 0 {
			a.nodes[r] = a.node(&t.Nodes[r], types[r])
		}
	}
	a.spread()
	return a, nil
}

func (a *activity) fresh(typ term.Type) part {
	a.parts = append(a.parts, activePart{typ: typ})
	return part(len(a.parts) - 1)
}

func (a *activity) made(typ term.Type, left, right part) part {
	p := a.fresh(typ)
	a.parts[p].left, a.parts[p].right = left, right
	return p
}

func (a *activity) find(p part) part {
	for a.parts[p].parent != 0 {
		if next := a.parts[p].parent; a.parts[next].parent != 0 {
			a.parts[p].parent = a.parts[next].parent
		}
		p = a.parts[p].parent
	}
	return p
}

// of returns the parts of a product, a function or a vector, which has no right one.
func (a *activity) of(p part) (left, right part) {
	p = a.find(p)
	if a.parts[p].left == 0 {
		tt, typ := a.t.Types, a.parts[p].typ
		left := a.fresh(tt.Left(typ))
		if tt.Kind(typ) != term.VecKind {
			a.parts[p].right = a.fresh(tt.Right(typ))
		}
		a.parts[p].left = left
	}
	return a.parts[p].left, a.parts[p].right
}

// activate makes all numbers of a part active, in which there is no function.
func (a *activity) activate(p part) {
	switch tt := a.t.Types; tt.Kind(a.parts[p].typ) {
	case term.ProdKind:
		left, right := a.of(p)
		a.activate(left)
		a.activate(right)
	case term.VecKind:
		elem, _ := a.of(p)
		a.activate(elem)
	default:
		a.parts[p].active = true
	}
}

func (a *activity) unify(p, q part) {
	for stack := [][2]part{{p, q}}; len(stack) > 0; {
		p, q := a.find(stack[len(stack)-1][0]), a.find(stack[len(stack)-1][1])
		stack = stack[:len(stack)-1]
		if p == q {
			continue
		}
		x, y := &a.parts[p], &a.parts[q]
		x.active = x.active || y.active
		switch {
		case x.left == 0:
			x.left, x.right = y.left, y.right
		case y.left != 0:
			stack = append(stack, [2]part{x.left, y.left})
			if x.right != 0 {
				stack = append(stack, [2]part{x.right, y.right})
			}
		}
		y.parent = p
	}
}

// flow notes that what part to stands for depends on what from stands for.
func (a *activity) flow(from, to part) { a.edges = append(a.edges, [2]part{from, to}) }

// node returns the type of a node, whose children have theirs.
func (a *activity) node(n *term.Node, typ term.Type) part {
	t := a.t
	switch n.Op {
	case term.VarOp:
		return a.occurrence(n.X, typ)
	case term.ComponentOp:
		first := a.occurrence(n.X, typ)
		for x := n.X + 1; x < n.X+term.Var(n.N); x++ {
			a.unify(first, a.occurrence(x, typ))
		}
		return first
	case term.LamOp:
		return a.made(typ, a.vars[n.X], a.nodes[n.A])
	case term.AppOp:
		from, to := a.of(a.nodes[n.A])
		a.unify(from, a.nodes[n.B])
		return to
	case term.PairOp:
		return a.made(typ, a.nodes[n.A], a.nodes[n.B])
	case term.LetOp:
		a.unify(a.vars[n.X], a.nodes[n.B])
		return a.nodes[n.A]
	case term.UntupleOp:
		a.openTuple(t.BoundVars(n), a.nodes[n.B])
		return a.nodes[n.A]
	case term.UnvecOp:
		elem, _ := a.of(a.nodes[n.B])
		t.Binders(n, func(x term.Var) { a.unify(a.vars[x], elem) })
		return a.nodes[n.A]
	case term.AddOp, term.FunOp, term.SumOp:
		return a.number(n, typ)
	case term.VecOp, term.ListOp:
		var elem part
		for i, k := range t.Children(n) {
			if i == 0 {
				elem = a.nodes[k]
			}
			a.unify(elem, a.nodes[k])
		}
		if n.Op == term.VecOp {
			return a.made(typ, elem, 0)
		}
		return a.list(typ, elem)
	case term.ScanOp:
		a.unify(a.vars[n.X], a.nodes[n.First()])
		a.unify(a.vars[n.X], a.nodes[n.A])
		return a.made(typ, a.nodes[n.A], 0)
	case term.FamilyOp:
		return a.made(typ, a.nodes[n.A], 0)
	case term.ListFamilyOp:
		return a.list(typ, a.nodes[n.A])
	case term.DataOp:
		if t.Data[n.A].List {
			return a.list(typ, 0)
		}
	case term.NatOp:
		p := a.fresh(typ)
		step, whole := a.of(p)
		a.endo(step)
		a.endo(whole)
		a.unify(step, whole)
		return p
	case term.IfOp:
		k := t.Children(n)
		a.unify(a.nodes[k[2]], a.nodes[k[3]])
		return a.nodes[k[2]]
	case term.ConOp:
		p := a.fresh(typ)
		if n.A != 0 {
			a.tie(a.nodes[n.A], p)
		}
		return p
	case term.CaseOp:
		return a.match(n)
	case term.BranchOp:
		return a.nodes[n.A]
	case term.FixOp:
		lams := t.Children(n)
		for i, f := range t.BoundVars(n) {
			a.unify(a.vars[f], a.nodes[lams[i]])
		}
		return a.nodes[lams[n.Count]]
	}
	return a.fresh(typ)
}

// match is the type of a match.
func (a *activity) match(n *term.Node) part {
	kids := a.t.Children(n)
	for i, con := range a.t.Types.Constructors(n.Res) {
		b := kids[i+1]
		a.unify(a.nodes[kids[1]], a.nodes[b])
		if con.Arg != 0 {
			arg := a.fresh(con.Arg)
			a.tie(arg, a.nodes[kids[0]])
			a.openTuple(a.t.BoundVars(&a.t.Nodes[b]), arg)
		}
	}
	return a.nodes[kids[1]]
}

// tie makes all numbers of p, the argument of a constructor, active if the value of type whole is, and the other way
// round.
func (a *activity) tie(p, whole part) {
	switch tt := a.t.Types; tt.Kind(a.parts[a.find(p)].typ) {
	case term.RKind, term.MuKind:
		a.flow(p, whole)
		a.flow(whole, p)
	case term.ProdKind, term.ArrowKind:
		left, right := a.of(p)
		a.tie(left, whole)
		a.tie(right, whole)
	case term.VecKind:
		elem, _ := a.of(p)
		a.tie(elem, whole)
	}
}

// occurrence is the type of an occurrence of a variable.
func (a *activity) occurrence(x term.Var, typ term.Type) part {
	if a.vars[x] == 0 {
		return a.fresh(typ)
	}
	return a.vars[x]
}

// openTuple gives the parts of a right-nested tuple to variables.
func (a *activity) openTuple(xs []term.Var, tuple part) {
	last := len(xs) - 1
	for _, x := range xs[:last] {
		var left part
		left, tuple = a.of(tuple)
		a.unify(a.vars[x], left)
	}
	a.unify(a.vars[xs[last]], tuple)
}

// number is the type of an operation on numbers.
func (a *activity) number(n *term.Node, typ term.Type) part {
	p := a.fresh(typ)
	switch n.Op {
	case term.AddOp:
		a.flow(a.nodes[n.A], p)
		a.flow(a.nodes[n.B], p)
	case term.SumOp:
		a.flow(a.nodes[n.A], p)
	default:
		partials := n.Sym.Info().Partials
		for i, k := range a.t.Children(n) {
			if !partials[i].Zero() {
				a.flow(a.nodes[k], p)
			}
		}
	}
	return p
}

// list is the type (A → X → X) → X → X of a list of elements of type elem, which is 0 if nothing is known of A.
func (a *activity) list(typ term.Type, elem part) part {
	p := a.fresh(typ)
	f, whole := a.of(p)
	first, step := a.of(f)
	if elem != 0 {
		a.unify(first, elem)
	}
	a.endo(step)
	a.endo(whole)
	a.unify(step, whole)
	return p
}

// endo is a type X → X.
func (a *activity) endo(p part) {
	from, to := a.of(p)
	a.unify(from, to)
}

// spread makes active what depends on what is.
func (a *activity) spread() {
	first, next := make([]int, len(a.parts)), make([]int, len(a.edges)+1)
	for i, e := range a.edges {
		from := a.find(e[0])
		next[i+1], first[from] = first[from], i+1
	}
	var todo []part
	for p := range a.parts {
		if a.parts[p].active && a.parts[p].parent == 0 {
			todo = append(todo, part(p))
		}
	}
	for len(todo) > 0 {
		p := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for i := first[p]; i > 0; i = next[i] {
			if q := a.find(a.edges[i-1][1]); !a.parts[q].active {
				a.parts[q].active = true
				todo = append(todo, q)
			}
		}
	}
}

// active reports whether a part is that of an active number.
func (a *activity) active(p part) bool { return a.parts[a.find(p)].active }

// numbers reports whether a part is a vector of active numbers.
func (a *activity) numbers(p part) bool {
	p = a.find(p)
	return a.t.Types.Kind(a.parts[p].typ) == term.VecKind && a.t.Types.Left(a.parts[p].typ) == term.R &&
		a.parts[p].left != 0 && a.active(a.parts[p].left)
}

// forward returns Fwd of a part: [term.Types.Forward] of what is active, and the type of the rest.
func (a *activity) forward(p part) term.Type {
	tt := a.t.Types
	a.done = append(a.done, make([]term.Type, len(a.parts)-len(a.done))...)
	p = a.find(p)
	for stack := []part{p}; len(stack) > 0; {
		q := stack[len(stack)-1]
		n := &a.parts[q]
		switch {
		case a.done[q] != 0:
		case n.active:
			a.done[q] = tt.Forward(n.typ)
		case n.left == 0:
			a.done[q] = n.typ
		default:
			left, right := a.find(n.left), part(0)
			if n.right != 0 {
				right = a.find(n.right)
			}
			if a.done[left] == 0 || a.done[right] == 0 && right != 0 {
				stack = append(stack, left)
				if right != 0 {
					stack = append(stack, right)
				}
				continue
			}
			switch tt.Kind(n.typ) {
			case term.VecKind:
				a.done[q] = tt.Vec(tt.Len(n.typ), a.done[left])
				if a.numbers(q) {
					a.done[q] = tt.Forward(n.typ)
				}
			case term.ProdKind:
				a.done[q] = tt.Prod(a.done[left], a.done[right])
			default:
				a.done[q] = tt.Arrow(a.done[left], a.done[right])
			}
		}
		stack = stack[:len(stack)-1]
	}
	return a.done[p]
}
