package equiv

import (
	"math"

	"github.com/gram-machine/gram/term"
)

// vertex names a node of a shared graph.
type vertex int32

// link is an edge. Classes are relative to the scope in which a node stands; up is
// how many scopes further in the edge starts. For a variable that a λ binds it says
// which λ: de Bruijn's index.
type link struct {
	to vertex
	up int32
}

// label is what a node is, without its children.
type label struct {
	kind  kind
	op    term.Op
	sym   term.Symbol
	cmp   term.Compare
	n     uint64 // the bits of a numeral, the count of #n, the number of a component
	name  string // of a free variable, or of data
	width int    // how many components an opening has
}

type kind uint8

const (
	plainKind kind = iota
	atomKind       // no identity: variables, numerals, data, #n, tuples of zeros
	sumKind        // the children are a bag
	scopeKind      // a body, with the lets that nothing in it mentions as a bag
	openKind       // [⟨x,y⟩:=u] or [⟦x0,…⟧:=u]
	partKind       // a component of what an opening opens
)

type sharedNode struct {
	label label
	kids  []link
	bag   []link
	at    term.Ref
}

// shared is a term as a graph: an occurrence of a variable is an edge to what it
// stands for. Children come before parents.
type shared struct {
	t     *term.Term
	nodes []sharedNode
	alias []link  // of sums that are 0 or have one summand; of others, the node itself
	class []int32 // of each node
	root  vertex
	work  int
}

// grapher walks a term from the root, what a variable stands for before its
// occurrences.
type grapher struct {
	*shared
	opt     Options
	used    []bool // variables that occur
	env     []link // of a variable: its node, and the level of that
	level   int32
	atoms   map[label]vertex
	stack   []visit
	results []link
	garbage []link
}

// visit is a node on the way from the root.
type visit struct {
	r     term.Ref
	phase int
	mark  int // of a scope: where its garbage starts
}

const boundName = "" // of the atoms that stand for the variables of all λs and cases, by their places

func buildShared(t *term.Term, opt Options) *shared {
	g := &grapher{shared: &shared{t: t}, opt: opt, used: usedVars(t, opt.IgnoreGarbage),
		env: make([]link, t.NumVars()), atoms: map[label]vertex{}}
	for i := range g.env {
		g.env[i] = link{-1, 0}
	}
	g.stack = append(g.stack, visit{r: t.Root})
	for len(g.stack) > 0 {
		g.work++
		g.step()
	}
	g.root = g.scope(g.pop(), 0)
	g.sums()
	return g.shared
}

// usedVars returns which variables occur: at all, or in what the root reaches without
// the substitutions whose variables don't.
func usedVars(t *term.Term, live bool) []bool {
	used := make([]bool, t.NumVars())
	binder := make([]term.Ref, t.NumVars())
	reachable, _ := t.Inside(nil, t.Root)
	for r := term.Ref(1); int(r) < len(t.Nodes); r++ {
		if n := &t.Nodes[r]; reachable[r] && n.Op != term.LamOp {
			t.Binders(n, func(x term.Var) { binder[x] = r })
		}
	}
	entered := make([]bool, len(t.Nodes))
	stack := []term.Ref{t.Root}
	enter := func(r term.Ref) {
		if !entered[r] {
			entered[r] = true
			stack = append(stack, r)
		}
	}
	for len(stack) > 0 {
		n := &t.Nodes[stack[len(stack)-1]]
		stack = stack[:len(stack)-1]
		switch n.Op {
		case term.VarOp:
			used[n.X] = true
			if b := binder[n.X]; b != 0 {
				enter(t.Nodes[b].B)
			}
		case term.LetOp, term.UnpairOp, term.UntupleOp, term.UnvecOp:
			enter(n.A)
			if !live {
				enter(n.B)
			}
		default:
			t.Kids(n, enter)
		}
	}
	return used
}

func (g *grapher) push(r term.Ref) { g.stack = append(g.stack, visit{r: r}) }

func (g *grapher) pop() link {
	e := g.results[len(g.results)-1]
	g.results = g.results[:len(g.results)-1]
	return e
}

// take pops the last n results.
func (g *grapher) take(n int) []link {
	from := len(g.results) - n
	out := append([]link(nil), g.results[from:]...)
	g.results = g.results[:from]
	return out
}

func (g *grapher) add(n sharedNode) vertex {
	g.nodes = append(g.nodes, n)
	return vertex(len(g.nodes) - 1)
}

// finish ends the innermost visit with a result.
func (g *grapher) finish(e link) {
	g.stack = g.stack[:len(g.stack)-1]
	g.results = append(g.results, e)
}

// atom returns the one node of an atom.
func (g *grapher) atom(r term.Ref, l label) vertex {
	v, ok := g.atoms[l]
	if !ok {
		v = g.add(sharedNode{label: l, at: r})
		g.atoms[l] = v
	}
	return v
}

// scope makes the node of a scope whose garbage starts at mark.
func (g *grapher) scope(body link, mark int) vertex {
	bag := append([]link(nil), g.garbage[mark:]...)
	g.garbage = g.garbage[:mark]
	return g.add(sharedNode{label: label{kind: scopeKind}, kids: []link{body}, bag: bag})
}

// step takes the innermost visit one step further.
func (g *grapher) step() {
	f := &g.stack[len(g.stack)-1]
	r := f.r
	n := &g.t.Nodes[r]
	switch n.Op {
	case term.VarOp:
		g.finish(g.occurrence(r, n))
	case term.NumOp:
		g.finish(link{g.atom(r, label{kind: atomKind, op: term.NumOp, n: math.Float64bits(n.Val)}), 0})
	case term.ZeroOp:
		g.finish(link{g.atom(r, label{kind: atomKind, op: term.ZeroOp}), 0})
	case term.NatOp:
		g.finish(link{g.atom(r, label{kind: atomKind, op: term.NatOp, n: n.Count}), 0})
	case term.DataOp:
		g.finish(link{g.atom(r, label{kind: atomKind, op: term.DataOp, name: g.t.Data[n.A].Name}), 0})
	case term.LetOp, term.UnpairOp, term.UntupleOp, term.UnvecOp:
		g.let(f, n)
	case term.LamOp:
		g.bind(f, []term.Var{n.X})
		g.scopes(f, []term.Ref{n.A}, 0)
	case term.BranchOp:
		g.bind(f, g.t.BoundVars(n))
		g.scopes(f, []term.Ref{n.A}, 0)
	case term.FixOp:
		g.bind(f, g.t.BoundVars(n))
		g.scopes(f, g.t.Children(n), 0)
	case term.IfOp:
		g.scopes(f, g.t.Children(n), 2)
	case term.ListOp:
		g.scopes(f, g.t.Children(n), 0)
	default:
		g.plain(f, n)
	}
}

// occurrence is the edge to what a variable stands for.
func (g *grapher) occurrence(r term.Ref, n *term.Node) link {
	e := g.env[n.X]
	if e.to < 0 {
		return link{g.atom(r, label{kind: atomKind, op: term.VarOp, name: "x" + g.t.Info(n.X).Name}), 0}
	}
	return g.closed(link{e.to, g.level - e.up})
}

// let visits what is bound, if that is part of the term, and then the body, which
// stands in the let's place: a chain of lets takes no stack.
func (g *grapher) let(f *visit, n *term.Node) {
	used := false
	g.t.Binders(n, func(x term.Var) { used = used || g.used[x] })
	if f.phase == 0 && (used || !g.opt.IgnoreGarbage) {
		f.phase++
		g.push(n.B)
		return
	}
	r := f.r
	*f = visit{r: n.A}
	if !used && g.opt.IgnoreGarbage {
		return
	}
	u := g.pop()
	if n.Op != term.LetOp {
		g.open(r, n, u)
		return
	}
	if !used {
		g.garbage = append(g.garbage, u)
		return
	}
	g.env[n.X] = link{u.to, g.level - u.up}
}

// open binds the components of what is opened.
func (g *grapher) open(r term.Ref, n *term.Node, u link) {
	xs := g.t.BoundVars(n)
	if n.Op == term.UnvecOp {
		g.opening(r, term.UnvecOp, xs, u)
		return
	}
	for ; len(xs) > 2; xs = xs[1:] {
		rest := false
		for _, x := range xs[1:] {
			rest = rest || g.used[x]
		}
		tail := g.opening(r, term.UnpairOp, xs[:1], u)
		if g.opt.IgnoreGarbage && !rest {
			return
		}
		u = link{g.add(sharedNode{label: label{kind: partKind, n: 1}, kids: []link{{tail, 0}}, at: r}), 0}
	}
	g.opening(r, term.UnpairOp, xs, u)
}

// opening adds the node that opens u and binds xs to its first components.
func (g *grapher) opening(r term.Ref, op term.Op, xs []term.Var, u link) vertex {
	width := 2
	if op == term.UnvecOp {
		width = len(xs)
	}
	o := g.add(sharedNode{label: label{kind: openKind, op: op, width: width}, kids: []link{u}, at: r})
	used := len(xs) < width // by the tail that the caller adds
	for i, x := range xs {
		if g.used[x] {
			used = true
			p := g.add(sharedNode{label: label{kind: partKind, n: uint64(i)}, kids: []link{{o, 0}}, at: r})
			g.env[x] = link{p, g.level}
		}
	}
	if !used {
		g.garbage = append(g.garbage, link{o, 0})
	}
	return o
}

// scopes visits children, those from first on in scopes of their own.
// bind binds the variables of a scope that is entered.
func (g *grapher) bind(f *visit, xs []term.Var) {
	if f.phase > 0 {
		return
	}
	for i, x := range xs {
		bound := g.atom(f.r, label{kind: atomKind, op: term.VarOp, name: boundName, n: uint64(i)})
		g.env[x] = link{bound, g.level + 1}
	}
}

func (g *grapher) scopes(f *visit, kids []term.Ref, first int) {
	if f.phase > first {
		g.level--
		e := g.pop()
		g.results = append(g.results, link{g.scope(e, f.mark), 0})
	}
	k := f.phase
	if k == len(kids) {
		n := &g.t.Nodes[f.r]
		l := label{op: n.Op, cmp: n.Cmp, n: n.Count}
		if n.Op == term.LamOp && g.t.Info(n.X).Linear {
			l.n = 1
		}
		g.finish(link{g.add(sharedNode{label: l, kids: g.take(len(kids)), at: f.r}), 0})
		return
	}
	f.phase++
	if k >= first {
		f.mark = len(g.garbage)
		g.level++
	}
	g.push(kids[k])
}

// plain visits the children and then makes the node.
func (g *grapher) plain(f *visit, n *term.Node) {
	if f.phase == 0 {
		f.phase = len(g.stack) // its own frame is below those of its children
		from := len(g.stack)
		g.t.Kids(n, g.push)
		for i, j := from, len(g.stack)-1; i < j; i, j = i+1, j-1 {
			g.stack[i], g.stack[j] = g.stack[j], g.stack[i]
		}
		return
	}
	k := 0
	g.t.Kids(n, func(term.Ref) { k++ })
	kids := g.take(k)
	switch n.Op {
	case term.AddOp:
		g.finish(link{g.add(sharedNode{label: label{kind: sumKind, op: term.AddOp}, bag: kids, at: f.r}), 0})
	default:
		l := label{op: n.Op, sym: n.Sym, width: k}
		if n.Op == term.ConOp {
			l.n = n.Count
		}
		g.finish(link{g.add(sharedNode{label: l, kids: kids, at: f.r}), 0})
	}
}
