package lower

import (
	"slices"

	"github.com/gram-machine/gram/engine/ir"
	"github.com/gram-machine/gram/term"
)

// This file has lists that are the value of a program. A list is read by applying it, which is not counted. One of
// known length, whose elements are functions of those of data or of a list over an index, is a loop over these.

// numbersOf is how many numbers the elements have of lists of a type, if these have nothing else, 0 otherwise.
func (c *compiler) numbersOf(t term.Type) int {
	if !c.isList(t) {
		return 0
	}
	elem := c.t.Types.Left(c.t.Types.Left(t))
	if !c.flat(elem) {
		return 0
	}
	return c.layout.Slots(elem)
}

// flat reports whether values of a type are numbers, and tuples and vectors of them.
func (c *compiler) flat(t term.Type) bool {
	switch types := c.t.Types; types.Kind(t) {
	case term.RKind:
		return true
	case term.VecKind:
		return c.flat(types.Left(t))
	case term.ProdKind:
		return c.flat(types.Left(t)) && c.flat(types.Right(t))
	}
	return false
}

// mapped is a list λf.λz. l (λe.λr. f t r) z. Substitutions may stand around f t r, as those that take e apart.
type mapped struct {
	of     *value
	e      term.Var
	around []*term.Node
	t      term.Ref
}

// mapping takes such a list apart: it returns l.
func (c *compiler) mapping(v *value) (m mapped, l term.Ref, ok bool) {
	nodes := c.t.Nodes
	under := func(r term.Ref, op term.Op) (*term.Node, *term.Node) { // a λ, or an application, and its part
		if n := &nodes[r]; n.Op == op {
			return n, &nodes[n.A]
		}
		return &nodes[0], &nodes[0]
	}
	is := func(r term.Ref, lam *term.Node) bool {
		return nodes[r].Op == term.VarOp && nodes[r].X == lam.X && c.uses[lam.X] == 1
	}
	f, _ := under(v.node, term.LamOp)
	z, all := under(f.A, term.LamOp)
	_, step := under(z.A, term.AppOp)
	e, _ := under(step.B, term.LamOp)
	rest, _ := under(e.A, term.LamOp)
	var around []*term.Node
	r := rest.A
	for ; nodes[r].Op.Opens(); r = nodes[r].A {
		around = append(around, &nodes[r])
	}
	whole, one := under(r, term.AppOp)
	ok = step.Op == term.AppOp && one.Op == term.AppOp && is(all.B, z) && is(whole.B, rest) && is(one.A, f)
	return mapped{v, e.X, around, one.B}, step.A, ok
}

// listed makes the code of a list that is the value of the program.
func (c *compiler) listed(r term.Ref) {
	v := c.term(r)
	base, maps, n := v, []mapped(nil), 0
	for base.kind == lambda {
		m, l, ok := c.mapping(base)
		k := &c.t.Nodes[l]
		if !ok {
			break
		}
		maps = append(maps, m)
		c.restore(base.node, base.free, func() {
			switch k.Op {
			case term.VarOp:
				base = c.of(k.X)
			case term.DataOp, term.ListFamilyOp:
				base = c.term(l)
			default:
				base = &value{}
			}
		})
	}
	k := &c.t.Nodes[base.node]
	if base.kind == list {
		switch k.Op {
		case term.DataOp:
			if d := &c.t.Data[k.A]; d.Chunk == nil {
				n = d.Rows
			}
		case term.ListFamilyOp:
			if s, ok := c.known(k.Static()); ok {
				n = int(s)
			}
		}
	}
	w := c.numbersOf(v.typ)
	if n == 0 || n*w > mostElements {
		c.result(v)
		return
	}
	c.reading = true
	start := len(c.f.out.Code)
	d := c.set(ir.Instr{Op: ir.Alloc, N: uint32(n * w)})
	c.forward(c.constant(float64(n)), float64(n), true, func(i ir.Reg) {
		var e *value
		if k.Op == term.DataOp {
			e = c.static(k.Elem, i, uint32(c.t.Data[k.A].Width), c.staticData(int(k.A)))
		} else {
			c.restore(base.node, base.free, func() {
				c.bindIndex(k, i)
				e = c.term(k.A)
			})
		}
		for j := len(maps) - 1; j >= 0; j-- {
			m := &maps[j]
			c.restore(m.of.node, m.of.free, func() {
				c.bind(m.e, e)
				for _, n := range m.around {
					c.opening(n)
				}
				e = c.term(m.t)
			})
		}
		c.store(d, e, i, uint32(w), 0)
	})
	if slices.ContainsFunc(c.f.out.Code[start:], func(in ir.Instr) bool { return in.Op == ir.Call || in.Op == ir.Apply }) {
		c.f.out.Code = c.f.out.Code[:start] // functions count their steps
		c.result(v)
		return
	}
	c.out.Elements, c.f.out.Results = n, 1
	c.emit(ir.Instr{Op: ir.Return, Args: []ir.Reg{d}})
}

// firstState is where the variable of a scan occurs that has a term for its first state. In the first run that stands
// there, so the occurrence is none.
type firstState struct {
	at        ir.Place
	generated bool
}

// lastOf notes of a scan whether a node opens the vector of its states of which only the last is used.
func (c *compiler) lastOf(scan term.Ref, n *term.Node) {
	if n == nil {
		return
	}
	for c.t.Nodes[scan].Op == term.LetOp { // of the first state
		scan = c.t.Nodes[scan].A
	}
	xs := c.t.BoundVars(n)
	last := len(xs) - 1
	c.last[scan] = c.t.Nodes[scan].Op == term.ScanOp && c.uses[xs[last]] > 0 &&
		!slices.ContainsFunc(xs[:last], func(x term.Var) bool { return c.uses[x] > 0 })
}

// mostUnrolled is how many nodes a scan of s states has at most that has code for each.
func (c *compiler) mostUnrolled(n *term.Node, s float64) float64 {
	numbers := true
	for t := c.types[n.A]; numbers && t != term.R; t = c.t.Types.Right(t) {
		numbers = c.t.Types.Kind(t) == term.ProdKind && c.t.Types.Left(t) == term.R
	}
	switch {
	case !numbers:
		return mostStates
	case s <= shortFamily:
		return shortCode
	}
	return 0
}

// states makes the vector of the states of a scan.
func (c *compiler) states(r term.Ref, n *term.Node) *value {
	s, spot, typ := int(c.t.Value(n.Static(), nil)), c.spot, c.types[n.A]
	var first *firstState
	var state *value
	if k := &c.t.Nodes[n.First()]; k.Op == term.VarOp {
		state = c.variable(k.X)
	} else {
		state, first = c.term(n.First()), &firstState{}
	}
	next := func() { // a let of the next state, and an occurrence in the vector
		c.vars[n.X] = state
		state = c.term(n.A)
		c.spot = spot
		c.opened(n.X)
		c.occurrence(typ, c.t.Generated(n.X))
	}
	if first != nil {
		c.first[n.X] = first
		defer delete(c.first, n.X)
	}
	if c.unroll[r] && (s <= shortFamily || c.lanes() > 1) {
		v := &value{kind: vector, typ: c.types[r]}
		for i := range s {
			c.indices[n.Index()] = index{known: true, num: float64(i)}
			next()
			c.bind(n.X, state)
			delete(c.first, n.X)
			v.parts = append(v.parts, state)
		}
		return v
	}
	carried := c.fresh(typ)
	to := c.flatten(carried)
	c.move(to, c.flatten(state))
	var d ir.Reg
	if !c.last[r] {
		d = c.set(ir.Instr{Op: ir.Alloc, N: uint32(c.layout.Slots(c.types[r]))})
	}
	c.forward(c.constant(float64(s)), 1, true, func(i ir.Reg) {
		c.bindIndex(n, i)
		state = carried
		next()
		if c.move(to, c.flatten(state)); !c.last[r] {
			c.store(d, carried, i, uint32(c.layout.Slots(typ)), 0)
		}
	})
	if first != nil {
		c.occurrences(first.at, typ, first.generated, s-1)
	}
	if c.last[r] {
		return &value{kind: vector, typ: c.types[r], parts: slices.Repeat([]*value{carried}, s)}
	}
	return c.fromReg(d, c.types[r])
}
