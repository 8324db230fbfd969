package core

// Dependence says of each node of core which linear variables occur free in it: those that lin binds, or a let to what
// depends on one. Their scopes stand in each other, and so the outermost of them is enough to know: in the scope of b,
// the innermost, a node depends on b alone just if b is its outermost.
type Dependence struct {
	c      *Core
	live   []bool
	binder []Ref // by variable: the λ or let that binds it
	Outer  []Var // by node: the outermost linear variable, 0 if there is none
}

// newDependence finds the binders of the nodes under the roots.
func newDependence(p *Program, roots []Ref) *Dependence {
	c := p.Core
	d := &Dependence{c: c, live: c.Live(roots, p.Tick), binder: make([]Ref, len(c.Vars)),
		Outer: make([]Var, len(c.Nodes))}
	for r := range c.Nodes {
		p.Tick()
		if n := &c.Nodes[r]; d.live[r] && (n.Op == LamOp || n.Op == LetOp) {
			d.binder[n.X] = Ref(r)
		}
	}
	return d
}

// Depends finds the outermost linear variables of the nodes under the roots.
func Depends(p *Program, roots []Ref) *Dependence {
	d := newDependence(p, roots)
	for r := range d.c.Nodes {
		p.Tick()
		if d.live[r] {
			d.Outer[r] = d.of(&d.c.Nodes[r])
		}
	}
	return d
}

// of returns the outermost linear variable of a node, given those of its children.
func (d *Dependence) of(n *Node) Var {
	switch n.Op {
	case VarOp, PathOp:
		if d.linear(n.X) {
			return n.X
		}
		return 0
	case LamOp:
		return d.without(n.X, d.Outer[n.A])
	case LetOp:
		return d.outermost(d.without(n.X, d.Outer[n.A]), d.Outer[n.B])
	}
	var x Var
	d.c.Children(n, func(k Ref) { x = d.outermost(x, d.Outer[k]) })
	return x
}

// linear reports whether x depends on a linear variable, or is one. Its binder's u has
// been looked at: it comes before t in t[x:=u].
func (d *Dependence) linear(x Var) bool {
	if x.Input() {
		return false
	}
	b := d.binder[x]
	if b == 0 {
		return false
	}
	n := &d.c.Nodes[b]
	if n.Op == LetOp {
		return d.Outer[n.B] != 0
	}
	return d.c.Vars[x].Linear
}

func (d *Dependence) without(b, x Var) Var {
	if x == b {
		return 0
	}
	return x
}

// outermost is the one of two variables, or 0, that is bound further out: children come before their parents.
func (d *Dependence) outermost(x, y Var) Var {
	if y == 0 || x != 0 && d.binder[x] > d.binder[y] {
		return x
	}
	return y
}

// root is the variable of lin that x depends on.
func (d *Dependence) root(x Var) Var {
	for {
		n := &d.c.Nodes[d.binder[x]]
		if n.Op != LetOp {
			return x
		}
		x = d.Outer[n.B]
	}
}
