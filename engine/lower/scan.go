package lower

import (
	"slices"

	"github.com/gram-machine/gram/engine/ir"
	"github.com/gram-machine/gram/term"
)

// This file has scans: the vector of the states of a loop.

// firstState is where the variable of a scan occurs that has a term for its first state. In the first run that stands
// there, so the occurrence is none.
type firstState struct {
	at        ir.Place
	generated bool
}

// mostStates is how many nodes the states of a scan have that are no numbers and have code for each: what they hold
// need not be copied.
const mostStates = 1 << 16

// mostLast is how many nodes they have if only the last state is used, which a loop need not store.
const mostLast = 1 << 11

// unrollScan says whether a scan has code for each state. Then what its body mentions is mentioned as often.
func (c *compiler) unrollScan(r term.Ref, unroll bool) {
	more := uint32(c.t.Value(c.t.Nodes[r].Static(), nil)) - 1
	if c.unroll[r] = unroll; !unroll {
		more = -more
	}
	for _, x := range c.mentions(r).vars {
		c.uses[x] += more
	}
}

// lastUsed reports whether a node opens a vector of which only the last component is used.
func (c *compiler) lastUsed(n *term.Node) bool {
	if n == nil {
		return false
	}
	xs := c.t.BoundVars(n)
	last := len(xs) - 1
	return c.uses[xs[last]] > 0 && !slices.ContainsFunc(xs[:last], func(x term.Var) bool { return c.uses[x] > 0 })
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
	if c.unroll[r] {
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
