package lang

// dependence says of each node of core which linear variables occur free in it: those
// that lin binds, or a let to what depends on one. Their scopes stand in each other, and
// so the outermost of them is enough to know: in the scope of b, the innermost, a node
// depends on b alone just if b is its outermost.
type dependence struct {
	c      *core
	live   []bool
	binder []node     // by variable: the λ or let that binds it
	outer  []variable // by node: the outermost linear variable, 0 if there is none
}

// newDependence finds the binders of the nodes under the roots.
func newDependence(p *elaborated, roots []node) *dependence {
	c := p.core
	d := &dependence{c: c, live: c.live(roots, p.tick), binder: make([]node, len(c.vars)), outer: make([]variable, len(c.nodes))}
	for r := range c.nodes {
		p.tick()
		if n := &c.nodes[r]; d.live[r] && (n.op == lamCore || n.op == letCore) {
			d.binder[n.x] = node(r)
		}
	}
	return d
}

// depends finds the outermost linear variables of the nodes under the roots.
func depends(p *elaborated, roots []node) *dependence {
	d := newDependence(p, roots)
	for r := range d.c.nodes {
		p.tick()
		if d.live[r] {
			d.outer[r] = d.of(&d.c.nodes[r])
		}
	}
	return d
}

// of returns the outermost linear variable of a node, given those of its children.
func (d *dependence) of(n *coreNode) variable {
	switch n.op {
	case varCore, pathCore:
		if d.linear(n.x) {
			return n.x
		}
		return 0
	case lamCore:
		return d.without(n.x, d.outer[n.a])
	case letCore:
		return d.outermost(d.without(n.x, d.outer[n.a]), d.outer[n.b])
	}
	var x variable
	d.c.children(n, func(k node) { x = d.outermost(x, d.outer[k]) })
	return x
}

// linear reports whether x depends on a linear variable, or is one. Its binder's u has
// been looked at: it comes before t in t[x:=u].
func (d *dependence) linear(x variable) bool {
	if x.input() {
		return false
	}
	b := d.binder[x]
	if b == 0 {
		return false
	}
	n := &d.c.nodes[b]
	if n.op == letCore {
		return d.outer[n.b] != 0
	}
	return d.c.vars[x].linear
}

func (d *dependence) without(b, x variable) variable {
	if x == b {
		return 0
	}
	return x
}

// outermost is the one of two variables, or 0, that is bound further out: children come
// before their parents.
func (d *dependence) outermost(x, y variable) variable {
	if y == 0 || x != 0 && d.binder[x] > d.binder[y] {
		return x
	}
	return y
}

// root is the variable of lin that x depends on.
func (d *dependence) root(x variable) variable {
	for {
		n := &d.c.nodes[d.binder[x]]
		if n.op != letCore {
			return x
		}
		x = d.outer[n.b]
	}
}
