package lower

import (
	"github.com/gram-machine/gram/engine/ir"
	"github.com/gram-machine/gram/rule"
	"github.com/gram-machine/gram/term"
)

// spot is where code is made: a place in the source, and the call that the code stands in for, of Program.Inlined.
type spot struct {
	pos    term.Pos
	within uint32
}

// places are what a placed program tells apart. Without them all is of body 0 and call 0.
type places struct {
	bodies map[term.Ref]uint32 // of λs, the innermost of λx.λy.t, of branches and of lists
	calls  map[ir.Inlined]uint32
	inner  map[term.Ref]term.Ref // of each λ: the innermost
}

func newPlaces(p *ir.Program, t *term.Term) *places {
	l := &places{bodies: map[term.Ref]uint32{}, calls: map[ir.Inlined]uint32{}, inner: map[term.Ref]term.Ref{}}
	p.Placed, p.Inlined, p.Bodies = true, make([]ir.Inlined, 1), []ir.Body{{}}
	for r := range t.Nodes {
		switch n := &t.Nodes[r]; {
		case n.Op != term.LamOp:
		case t.Nodes[n.A].Op == term.LamOp:
			in := l.inner[n.A]
			l.inner[term.Ref(r)] = in
			p.Bodies[l.bodies[in]].Pos = n.Pos
		default:
			l.inner[term.Ref(r)], l.bodies[term.Ref(r)] = term.Ref(r), uint32(len(p.Bodies))
			p.Bodies = append(p.Bodies, ir.Body{Pos: n.Pos})
		}
	}
	return l
}

// summand is the node r, or, of a sum of one summand, that, as an expansion has it.
func (c *compiler) summand(r term.Ref) *term.Node {
	n := &c.t.Nodes[r]
	for n.Op == term.SumOp {
		if s, ok := c.known(n.Static()); !ok || s != 1 {
			break
		}
		n = &c.t.Nodes[n.A]
	}
	return n
}

// lambdaBody is the body of a λ.
func (c *compiler) lambdaBody(r term.Ref) uint32 {
	if c.places == nil {
		return 0
	}
	return c.places.bodies[c.places.inner[r]]
}

// innerBody is the body of code that is no λ's, which stands at pos.
func (c *compiler) innerBody(r term.Ref, pos term.Pos) uint32 {
	if c.places == nil {
		return 0
	}
	b, ok := c.places.bodies[r]
	if !ok {
		b = uint32(len(c.out.Bodies))
		c.places.bodies[r] = b
		c.out.Bodies = append(c.out.Bodies, ir.Body{Pos: pos, Inner: true})
	}
	return b
}

// elements is the body of the elements of a list, 0 if they are no code: numerals and data.
func (c *compiler) elements(l *value) uint32 {
	n := &c.t.Nodes[l.node]
	number := func(r term.Ref) bool {
		n := c.summand(r)
		s, ok := float64(1), false
		if n.Op == term.SumOp {
			s, ok = c.known(n.Static())
		}
		return n.Op == term.NumOp || n.Op == term.IndexNumOp || ok && s == 0
	}
	switch n.Op {
	case term.ListOp:
		for _, k := range c.t.Children(n) {
			if !number(k) {
				return c.innerBody(l.node, n.Pos)
			}
		}
	case term.ListFamilyOp:
		if s, ok := c.known(n.Static()); !number(n.A) && !(ok && s == 0) {
			return c.innerBody(l.node, n.Pos)
		}
	}
	return 0
}

// at is the place where code is made.
func (c *compiler) at() ir.Place {
	if c.f.out.AtCall && c.within == 0 {
		return ir.Place{Pos: ir.AtCall}
	}
	return ir.Place{Pos: c.pos, Within: c.within}
}

// called is the call of a body from here; of body 0 that in which the code is made.
func (c *compiler) called(body uint32) uint32 {
	if body == 0 {
		return c.within
	}
	k := ir.Inlined{From: c.at(), Body: body}
	call, ok := c.places.calls[k]
	if !ok {
		call = uint32(len(c.out.Inlined))
		c.places.calls[k] = call
		c.out.Inlined = append(c.out.Inlined, k)
	}
	return call
}

// branch is the call of a branch, whose condition stands here.
func (c *compiler) branch(r term.Ref) uint32 { return c.called(c.innerBody(r, c.pos)) }

// in makes code that stands in for a call.
func (c *compiler) in(call uint32, f func() *value) *value {
	at := c.spot
	c.within = call
	v := f()
	c.spot = at
	return v
}

// count adds steps to the block that is made, which the source has here; generated those that D has put here.
func (c *compiler) count(r rule.Rule, n int)     { c.countAt(c.at(), false, r, n) }
func (c *compiler) generated(r rule.Rule, n int) { c.countAt(c.at(), true, r, n) }

func (c *compiler) countAt(at ir.Place, generated bool, r rule.Rule, n int) {
	b := &c.out.Blocks[c.f.block]
	b.Steps[r] += uint64(n)
	if c.places != nil && n > 0 {
		b.Places = append(b.Places, ir.PlaceSteps{Place: at, Generated: generated, Rule: r, N: uint64(n)})
	}
}

// passed counts n applications of a function to an argument: (1), and (4) of its variable. If the function gets all
// its parameters, they are of its body.
func (c *compiler) passed(n int, all bool, body uint32) {
	at := c.at()
	if all && body != 0 {
		at = ir.Place{Pos: c.out.Bodies[body].Pos, Within: c.called(body)}
	}
	c.countAt(at, false, rule.Lambda, n)
	c.countAt(at, false, rule.GC, n)
}
