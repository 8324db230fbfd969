package term

import (
	"iter"
	"maps"
	"slices"
)

// Import says what the parts of a term become when it is added to another arena.
type Import struct {
	Free func(Var) Var       // its free variables
	Data func(int) int       // its data
	Pos  func(Pos) Pos       // its places in the source, but 0
	Name func(string) string // the names of the variables that it binds
	Look func() error        // may be nil; it is called at least every 2¹⁶ nodes
}

// Import adds u, a term over any universe without families, to t, and returns its root. The variables that it binds
// become new ones. It takes time linear in u, which it only reads. The error is that of a look.
func (t *Term) Import(u *Term, how Import) (Ref, error) {
	s, err := u.Subterm(u.Root, how.Look)
	if err != nil {
		return 0, err
	}
	types := t.Types.translation(u.Types)
	t.Nodes, t.Args = slices.Grow(t.Nodes, len(u.Nodes)), slices.Grow(t.Args, len(u.Args))
	pos := func(p Pos) Pos {
		if p == 0 {
			return 0
		}
		return how.Pos(p)
	}
	own := make([]Var, u.NumVars())
	for i, x := range s.Bound {
		if err := LookAt(i, how.Look); err != nil {
			return 0, err
		}
		v := u.Info(x)
		v.Name, v.Type, v.Pos = how.Name(v.Name), types.of(v.Type), pos(v.Pos)
		own[x] = t.NewVar(v)
	}
	return t.graft(s, func(_ int, n Node) Node {
		n.Pos, n.Elem, n.Res = pos(n.Pos), types.of(n.Elem), types.of(n.Res)
		if n.Op == DataOp {
			n.A = Ref(how.Data(int(n.A)))
		}
		return n
	}, func(x Var) Var {
		if own[x] == 0 {
			own[x] = how.Free(x)
		}
		return own[x]
	})
}

// Copy adds n, a node of src: its children are what kid returns for them, and its
// variables what rename returns. Where n mentions indices, t has those of src.
func (t *Term) Copy(src *Term, n Node, kid func(Ref) Ref, rename func(Var) Var) Ref {
	switch n.Op {
	case VarOp, ComponentOp, LamOp, LetOp, ScanOp:
		n.X = rename(n.X)
	}
	switch n.Op {
	case ConOp:
		if n.A != 0 {
			n.A = kid(n.A)
		}
	case UnvecOp, UntupleOp:
		n.A, n.B = kid(n.A), kid(n.B)
		if first := n.X; first != 0 {
			t.bind(&n, int(n.N), func(i int) Var { return rename(first + Var(i)) })
			break
		}
		xs := src.BoundVars(&n)
		t.bind(&n, len(xs), func(i int) Var { return rename(xs[i]) })
	case AppOp, PairOp, AddOp, LetOp:
		n.A, n.B = kid(n.A), kid(n.B)
	case LamOp, FamilyOp, ListFamilyOp, SumOp:
		n.A = kid(n.A)
	case ScanOp:
		n.N, n.A = uint32(kid(n.First())), kid(n.A)
	case FunOp, VecOp, IfOp, ListOp, CaseOp, FixOp, BranchOp:
		kids, xs := src.Children(&n), src.BoundVars(&n)
		if n.Op == BranchOp {
			n.A, kids = kid(n.A), nil
		}
		n.Off = uint32(len(t.Args))
		for _, c := range kids {
			t.Args = append(t.Args, kid(c))
		}
		for _, x := range xs {
			t.Args = append(t.Args, Ref(rename(x)))
		}
	}
	return t.add(n)
}

// translation maps the types of a universe to those of another.
type translation struct {
	from, to *Types
	known    map[Type]Type
}

func (tt *Types) translation(from *Types) *translation {
	return &translation{from, tt, map[Type]Type{R: R, AbstractDual: AbstractDual, AbstractEuclid: AbstractEuclid}}
}

// of returns the type that is t, or 0 for 0.
func (x *translation) of(t Type) Type {
	if x.from == x.to || t == 0 {
		return t
	}
	return x.from.rebuild(t, x.known, func(_ Type, n typeNode) Type {
		if n.kind == MuKind {
			n.n = uint32(x.inductive(Inductive(n.n)))
		}
		return x.to.intern(n)
	})
}

// inductive returns the declaration of the same name, which it adds if there is none.
func (x *translation) inductive(d Inductive) Inductive {
	from := x.from.inductives[d]
	e, isNew := x.to.Declare(from.name, from.params)
	if isNew {
		x.to.inductives[e].dual = from.dual
		cons := make([]Constructor, len(from.cons))
		for i, c := range from.cons {
			cons[i] = Constructor{Name: c.Name, Arg: x.of(c.Arg)}
		}
		x.to.inductives[e].cons = cons
	}
	return e
}

// Graft adds the subterm of src at r to t, and returns its root. t has the universe of src, its data and, where the
// subterm mentions them, its indices. What the subterm binds becomes new variables, and free says what its other
// variables become. It takes time n log n in the size of the subterm. src may be t.
func (t *Term) Graft(src *Term, r Ref, free func(Var) Var) Ref {
	s, _ := src.Subterm(r, nil)
	own := make(map[Var]Var, len(s.Bound))
	for _, x := range s.Bound {
		own[x] = 0
	}
	for r := range s.components() {
		n := &src.Nodes[r]
		if _, bound := own[n.X]; bound { // those that no index comes to are not bound
			for i := range Var(n.N) {
				own[n.X+i] = 0
			}
		}
	}
	for _, x := range slices.Sorted(maps.Keys(own)) { // so consecutive variables stay consecutive
		own[x] = t.NewVar(src.Info(x))
	}
	root, _ := t.graft(s, itself, func(x Var) Var {
		if y, ok := own[x]; ok {
			return y
		}
		return free(x)
	})
	return root
}

// Extract returns the subterm at r as a term of its own, which shares the rest with t, and the variables of t that its
// variables stand for. Those given are among them. It takes time n log n in the size of the subterm.
func (t *Term) Extract(r Ref, given ...Var) (u *Term, vars []Var) {
	s, _ := t.Subterm(r, nil)
	vars = slices.Concat([]Var{0}, given, s.Bound, s.Free)
	for r := range s.components() {
		for i := range Var(t.Nodes[r].N) {
			vars = append(vars, t.Nodes[r].X+i)
		}
	}
	slices.Sort(vars)
	vars = slices.Compact(vars)
	u = New(t.Types)
	u.Data, u.Indices, u.Statics = t.Data, slices.Clip(t.Indices), slices.Clip(t.Statics)
	for _, x := range vars[1:] {
		u.NewVar(t.Info(x))
	}
	u.Root, _ = u.graft(s, itself, func(x Var) Var {
		i, _ := slices.BinarySearch(vars, x)
		return Var(i)
	})
	return u, vars
}

// components returns the nodes x_e of the subterm.
func (s *Subterm) components() iter.Seq[Ref] {
	return func(yield func(Ref) bool) {
		for _, r := range s.Nodes {
			if s.t.Nodes[r].Op == ComponentOp && !yield(r) {
				return
			}
		}
	}
}

// graft adds a subterm to t: the nodes that image returns for its own, which it gets with their places in Nodes. Their
// variables are renamed. The error is that of a look.
func (t *Term) graft(s *Subterm, image func(i int, n Node) Node, rename func(Var) Var) (Ref, error) {
	var images []Ref // of the children of the next node, the first on top
	child := func(Ref) Ref {
		r := images[len(images)-1]
		images = images[:len(images)-1]
		return r
	}
	for i, r := range slices.Backward(s.Nodes) {
		if err := LookAt(i, s.look); err != nil {
			return 0, err
		}
		images = append(images, t.Copy(s.t, image(i, s.t.Nodes[r]), child, rename))
	}
	return images[0], nil
}

// itself is the image of a node that stays as it is.
func itself(_ int, n Node) Node { return n }
