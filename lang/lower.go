package lang

// # Lowering
//
// Lowering turns core into a term. It is one loop over the nodes of core, children before parents, and does what needs
// types. A vector with projections is opened by one UnvecOp directly inside its binder, one level at a time; its
// projections are variables. dot and matvec become sums of products. An input that is used whole becomes a tuple of its
// scalars. A data vector with projections is opened once, around the program.
//
// jvp and grad are differentiated here (primitive.go): the term of the function has been made, and package revgrad
// makes the term of its derivative. So derivatives in a function are terms without jvp and grad before it is
// differentiated itself.

import (
	"slices"

	"github.com/gram-machine/gram/lang/core"
	"github.com/gram-machine/gram/term"
)

// lowering turns core into a term, in one loop over the nodes from front to back.
//
// A projection of a variable becomes a variable: the first one that is met makes the components of the vector, and the
// binder, which comes later, puts the opening around its body, directly inside.
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
	xs       []term.Var
}

// lower returns the term of a program, whose types are all known. Its root is the body, with lets around it. The error
// is that an inductive type has no meaning in the calculus. The term has at most twice maxNodes nodes and variables;
// where there would be more, tooMany is called, which does not return.
func lower(p *core.Program, body core.Ref, maxNodes int, tooMany func()) (*term.Term, error) {
	l := newLowering(p, maxNodes, tooMany)
	l.run(body)
	return l.t, l.wrong
}

func newLowering(p *core.Program, maxNodes int, tooMany func()) *lowering {
	l := &lowering{
		p: p, maxNodes: maxNodes, tooMany: tooMany, c: p.Core, t: term.New(term.NewTypes()),
		refs:  make([]term.Ref, len(p.Core.Nodes)),
		vars:  make([]term.Var, len(p.Core.Vars)),
		data:  make([]term.Var, len(p.Data)),
		types: make([]term.Type, len(p.Types.Nodes)),
		grids: map[core.Var]int{}, depth: map[term.Var]int{},
	}
	for i := range p.Data {
		l.t.Data = append(l.t.Data, dataTerm(&p.Data[i]))
	}
	// The inputs' variables come first, in order.
	for i := range p.Inputs {
		x := &p.Inputs[i]
		l.t.NewVars(x.Shape.Width(), term.VarInfo{Name: x.Name, Type: term.R, Pos: core.PosOf(p.File.Decls[x.Decl].NameSpan)})
	}
	return l
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
		n := tt.Nodes[t]
		a, b := tt.Find(n.A), tt.Find(n.B)
		waits := false
		if n.A != 0 && l.types[a] == 0 {
			l.stack, waits = append(l.stack, a), true
		}
		if n.B != 0 && l.types[b] == 0 {
			l.stack, waits = append(l.stack, b), true
		}
		if waits {
			continue
		}
		l.types[t] = l.form(n, l.types[a], l.types[b])
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
