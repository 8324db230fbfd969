package lang

import (
	"math"
	"slices"

	"github.com/gram-machine/gram/lang/core"
	"github.com/gram-machine/gram/lang/syntax"
	"github.com/gram-machine/gram/term"
)

// lowering turns core into a term, in one loop over the nodes, children before parents, which does what needs types. A
// projection of a variable becomes a variable: the first one that is met makes the components of the vector, and the
// binder, which comes later, puts the opening, one UnvecOp for each level, around its body, directly inside. dot and
// matvec become sums of products. An input that is used whole becomes a tuple of its scalars. A data vector with
// projections is opened once, around the program.
//
// jvp and grad are differentiated here (primitive.go): the term of the function has been made, and package revgrad
// makes the term of its derivative. So derivatives in a function are terms without jvp and grad before it is
// differentiated itself.
type lowering struct {
	p        *core.Program
	maxNodes int
	tooMany  func()
	c        *core.Core
	t        *term.Term
	refs     []term.Ref // by node
	vars     []term.Var // by variable
	comps    []term.Var // by term.Var, those of inputs left out: the first of its components, if it is opened
	data     []term.Var // by data: the same
	// grids has, of variables that are vectors of vectors, how many levels of components stand side by side, so that
	// a static index selects one.
	grids  map[core.Var]int
	depth  map[term.Var]int
	beside []beside
	types  []term.Type
	lets   map[term.Var]core.Ref // what lets bind functions to, in a program with derivatives
	// declared has the error of each inductive type that the universe has: that it has no meaning in the calculus. wrong
	// is that of the first that a term has.
	declared []error
	wrong    error
	stack    []core.Type
	kids     []term.Ref
}

// lower returns the term of a program, whose types are all known. Its root is the body, with lets around it. The error
// is that an inductive type has no meaning in the calculus. The term has at most twice maxNodes nodes and variables;
// where there would be more, tooMany is called, which does not return.
func lower(p *core.Program, body core.Ref, maxNodes int, tooMany func()) (*term.Term, error) {
	l := &lowering{
		p: p, maxNodes: maxNodes, tooMany: tooMany, c: p.Core, t: term.New(term.NewTypes()),
		refs:  make([]term.Ref, len(p.Core.Nodes)),
		vars:  make([]term.Var, len(p.Core.Vars)),
		data:  make([]term.Var, len(p.Data)),
		types: make([]term.Type, len(p.Types.Nodes)),
		grids: map[core.Var]int{}, depth: map[term.Var]int{},
	}
	l.t.Data = syntax.Each(len(p.Data), func(i int) term.Data { return dataTerm(&p.Data[i]) })
	// The inputs' variables come first, in order.
	for i := range p.Inputs {
		x := &p.Inputs[i]
		l.t.NewVars(x.Shape.Width(), term.VarInfo{Name: x.Name, Type: term.R, Pos: core.PosOf(p.File.Decls[x.Decl].NameSpan)})
	}
	l.run(body)
	return l.t, l.wrong
}

func (l *lowering) run(body core.Ref) {
	core.Announce(l.p, len(l.c.Nodes), l.t.Nodes)
	l.t.Nodes = slices.Grow(l.t.Nodes, len(l.c.Nodes))
	live := l.c.Live(l.p.Roots(body), l.p.Tick)
	l.findGrids(live)
	l.findLets(live)
	for r := 1; r < len(l.c.Nodes); r++ {
		l.p.Tick()
		if !live[r] {
			continue
		}
		if len(l.t.Nodes)+l.t.NumVars() > 2*l.maxNodes {
			l.tooMany()
		}
		l.refs[r] = l.node(&l.c.Nodes[r])
	}
	root := l.refs[body]
	for i := len(l.p.Lets) - 1; i >= 0; i-- {
		root = l.outer(&l.p.Lets[i], root)
	}
	l.t.Root = root
	l.t.Indices, l.t.Statics = l.p.Static.Indices, l.p.Static.Nodes
	if l.lets != nil { // of the functions that have been differentiated, nodes are left
		l.t, _ = l.t.Extract(root, consecutive(1, l.p.Scalars)...)
	}
}

// outer puts a let of the whole program around root.
func (l *lowering) outer(d *core.Let, root term.Ref) term.Ref {
	v := &l.c.Vars[d.X]
	if d.U != 0 {
		x := l.bind(d.X)
		return l.t.Let(v.Pos, x, l.refs[d.U], l.open(x, v.Pos, root))
	}
	if !d.Opened {
		x := &l.p.Data[d.Data]
		if l.vars[d.X] == 0 {
			return root
		}
		y := l.bind(d.X)
		if x.Shape.Tagged() {
			return l.t.Let(v.Pos, y, l.literal(x, v.Type, v.Pos), l.open(y, v.Pos, root))
		}
		numbers := l.t.DataRef(v.Pos, d.Data, l.row(x.Shape), 0)
		return l.t.Let(v.Pos, y, l.grouped(v.Pos, v.Type, x.Shape, numbers), l.open(y, v.Pos, root))
	}
	first := l.data[d.Data]
	if first == 0 {
		return root
	}
	ty := l.typ(v.Type)
	n := l.t.Types.Len(ty)
	for i := n - 1; i >= 0; i-- {
		root = l.open(first+term.Var(i), v.Pos, root)
	}
	return l.t.UnvecFrom(v.Pos, first, n, l.t.DataRef(v.Pos, d.Data, ty, 0), root)
}

// bind returns the term's variable for x.
func (l *lowering) bind(x core.Var) term.Var {
	if x.Input() {
		return x.Scalar()
	}
	if l.vars[x] == 0 {
		v := &l.c.Vars[x]
		l.vars[x] = l.t.NewVar(term.VarInfo{Name: v.Name, Type: l.typ(v.Type), Linear: v.Linear, Pos: v.Pos})
		if d := l.grids[x]; d > 1 {
			l.depth[l.vars[x]] = d
		}
	}
	return l.vars[x]
}

// typ returns a type of inference, all of which is known, as a type of the term.
func (l *lowering) typ(t core.Type) term.Type {
	tt := l.p.Types
	l.types = append(l.types, make([]term.Type, len(tt.Nodes)-len(l.types))...) // literal makes types
	l.stack = append(l.stack[:0], tt.Find(t))
	for len(l.stack) > 0 {
		t := l.stack[len(l.stack)-1]
		if l.types[t] != 0 {
			l.stack = l.stack[:len(l.stack)-1]
			continue
		}
		n, waits := tt.Nodes[t], false
		n.A, n.B = tt.Find(n.A), tt.Find(n.B)
		for _, part := range [...]core.Type{n.A, n.B} {
			if part != 0 && l.types[part] == 0 {
				l.stack, waits = append(l.stack, part), true
			}
		}
		if !waits {
			l.types[t] = l.form(n, l.types[n.A], l.types[n.B])
		}
	}
	return l.types[tt.Find(t)]
}

func (l *lowering) form(n core.TypeNode, a, b term.Type) term.Type {
	tt := l.t.Types
	switch n.Kind {
	case core.Prod:
		return tt.Prod(a, b)
	case core.Arrow:
		return tt.Arrow(a, b)
	case core.Vec:
		return tt.Vec(l.p.Types.SizeAt(core.Size(n.N)).N, a)
	case core.Dual:
		dual, _ := tt.DualTo(a)
		return dual
	case core.List:
		return tt.List(a, b)
	case core.Nat:
		return tt.Nat(b)
	case core.Param:
		return tt.Param(int(n.N))
	case core.Named:
		return l.instance(int(n.N), a)
	}
	return term.R
}

// node makes the term of a node whose children have been made.
func (l *lowering) node(n *core.Node) term.Ref {
	t := l.t
	switch n.Op {
	case core.VarOp:
		return t.Variable(n.Pos, l.bind(n.X))
	case core.PathOp:
		return l.path(n.Pos, n.X, l.c.Args[n.A:n.B])
	case core.StaticOp:
		return t.IndexNum(n.Pos, term.Static(n.X))
	case core.FamilyOp:
		return l.family(n)
	case core.ScanOp:
		k, x := l.c.Args[n.A:n.A+4], l.bind(n.X)
		return t.Scan(n.Pos, term.Index(k[0]), term.Static(k[1]), x, l.refs[k[2]], l.open(x, n.Pos, l.refs[k[3]]))
	case core.InputOp:
		if n.A != 0 {
			return l.scalars(n.Pos, l.bind(n.X), int(n.B), n.Type, term.Static(n.A))
		}
		x, width := n.X, l.p.Types.Width(n.Type)
		l.room(width)
		core.Announce(l.p, width, l.t.Nodes)
		l.t.Nodes = slices.Grow(l.t.Nodes, width)
		return l.scalarsOf(n.Pos, n.Type, &x) // an input that is used whole
	case core.NumOp:
		return t.Num(n.Pos, n.Val)
	case core.LamOp:
		x := l.bind(n.X)
		return t.Lam(n.Pos, x, l.open(x, n.Pos, l.refs[n.A]))
	case core.AppOp:
		if list := &l.c.Nodes[n.A]; l.regrouped(list) {
			return l.applied(list, l.refs[n.B])
		}
		return t.App(n.Pos, l.refs[n.A], l.refs[n.B])
	case core.PairOp:
		return t.Pair(n.Pos, l.refs[n.A], l.refs[n.B])
	case core.LetOp:
		x := l.bind(n.X)
		return t.Let(n.Pos, x, l.refs[n.B], l.open(x, n.Pos, l.refs[n.A]))
	case core.TupleOp, core.UnvecOp:
		return l.unpack(n)
	case core.FunOp:
		if l.c.Wide(n, n.A) || l.c.Wide(n, n.B) {
			return l.elementwise(n)
		}
		return l.operation(n, l.refs[n.A], l.refs[n.B])
	case core.SymbolOp:
		return t.Fun(n.Pos, n.Sym, l.list(n)...)
	case core.LinearOp:
		return l.linear(n)
	case core.VecOp:
		return t.Vec(n.Pos, l.list(n))
	case core.IfOp:
		k := l.list(n)
		return t.If(n.Pos, term.Compare(n.Val), k[0], k[1], k[2], k[3])
	case core.ListOp:
		elem, res := l.results(n)
		return t.List(n.Pos, elem, res, l.list(n))
	case core.NatOp:
		_, res := l.results(n)
		return t.Nat(n.Pos, uint64(n.Val), res)
	case core.DataOp:
		return l.dataRef(n)
	case core.ProjOp:
		ty := l.typ(l.c.Nodes[n.A].Type)
		size := t.Types.Len(ty)
		l.room(size)
		first := t.NewVars(size, term.VarInfo{Type: t.Types.Left(ty), Pos: n.Pos})
		if n.X != 0 {
			return t.UnvecFrom(n.Pos, first, size, l.refs[n.A], t.Component(n.Pos, first, size, term.Static(n.X)))
		}
		return t.UnvecFrom(n.Pos, first, size, l.refs[n.A], t.Variable(n.Pos, first+term.Var(n.Val)))
	case core.PrimOp:
		return l.primitive(n)
	case core.ConOp:
		return t.Con(n.Pos, l.typ(n.Type), int(n.Val), l.refs[n.A])
	case core.CaseOp:
		return l.match(n)
	case core.FixOp:
		return l.fix(n)
	case core.DerivativeOp:
		return l.derivative(n)
	}
	return t.Num(n.Pos, 0)
}

// operation makes the operation of a node on a and, if that is not 0, on b.
func (l *lowering) operation(n *core.Node, a, b term.Ref) term.Ref {
	switch {
	case n.Sym == term.NoSymbol:
		return l.t.Add(n.Pos, a, b)
	case b == 0:
		return l.t.Fun(n.Pos, n.Sym, a)
	}
	return l.t.Fun(n.Pos, n.Sym, a, b)
}

func (l *lowering) list(n *core.Node) []term.Ref {
	l.kids = l.kids[:0]
	for _, k := range l.c.Args[n.A:n.B] {
		l.kids = append(l.kids, l.refs[k])
	}
	return l.kids
}

// linear writes out an operation with a linear operand: t + −1·u for t − u, −1·t for −t, (1/u)·t for t / u.
func (l *lowering) linear(n *core.Node) term.Ref {
	a, b := l.refs[n.A], l.refs[n.B]
	minus := func(u term.Ref) term.Ref { return l.t.Fun(n.Pos, term.Mul, l.t.Num(n.Pos, -1), u) }
	switch n.Sym {
	case term.Sub:
		return l.t.Add(n.Pos, a, minus(b))
	case term.Neg:
		return minus(a)
	}
	if u := &l.t.Nodes[b]; u.Op == term.NumOp && !math.IsInf(1/u.Val, 0) {
		u.Val = 1 / u.Val
	} else {
		b = l.t.Fun(n.Pos, term.Div, l.t.Num(n.Pos, 1), b)
	}
	return l.t.Fun(n.Pos, term.Mul, b, a)
}

// results returns A and X of List(A, X), X of a numeral, or the type of other data.
func (l *lowering) results(n *core.Node) (elem, res term.Type) {
	switch ty := l.p.Types.At(n.Type); ty.Kind {
	case core.List:
		return l.typ(ty.A), l.typ(ty.B)
	case core.Nat:
		return 0, l.typ(ty.B)
	}
	return l.typ(n.Type), 0
}

// unpack makes the opening of a tuple or vector by a pattern.
func (l *lowering) unpack(n *core.Node) term.Ref {
	xs := syntax.Each(int(n.Val), func(i int) term.Var { return l.bind(n.X + core.Var(i)) })
	body := l.refs[n.A]
	for _, x := range slices.Backward(xs) {
		body = l.open(x, n.Pos, body)
	}
	if n.Op == core.UnvecOp {
		return l.t.Unvec(n.Pos, xs, l.refs[n.B], body)
	}
	return l.t.Untuple(n.Pos, xs, l.refs[n.B], body)
}

// scalarsOf makes a value of type t of the scalars from x on.
func (l *lowering) scalarsOf(pos term.Pos, t core.Type, x *core.Var) term.Ref {
	switch n := l.p.Types.At(t); n.Kind {
	case core.Prod:
		a := l.scalarsOf(pos, n.A, x)
		return l.t.Pair(pos, a, l.scalarsOf(pos, n.B, x))
	case core.Vec:
		size := l.p.Types.SizeAt(core.Size(n.N)).N
		return l.t.Vec(pos, syntax.Each(size, func(int) term.Ref { return l.scalarsOf(pos, n.A, x) }))
	}
	*x++
	return l.t.Variable(pos, l.bind(*x-1))
}
