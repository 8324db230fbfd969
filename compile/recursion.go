package compile

import (
	"slices"

	"github.com/gram-machine/gram/term"
)

// match compiles match t with …. Its branches capture the same, and begin with their patterns.
func (c *coder) match(n *term.Node, s spot, at Instr) {
	in, kids := s.in-1, c.t.Children(n)
	at.Op, at.Kind, at.Arity, at.Closure = MakeIf, Case, 1, &Closure{Bodies: c.group(in, kids[1:])}
	for i, body := range at.Closure.Bodies {
		b := &c.t.Nodes[kids[1+i]]
		if vars := c.t.BoundVars(b); len(vars) > 0 {
			c.add(body, Instr{Op: MakeArgument, Up: c.pattern(body, vars, b.Pos), Pos: b.Pos})
		}
		c.pass(b.A, spot{in: body + 1, up: UpIndex, flat: s.flat})
	}
	c.place(kids[0], in, c.put(in, at), 0)
}

// fix compiles a member of fix ⟨f,…⟩.⟨v,…⟩: the closure of its template. The templates of a fix capture the same, and
// stand side by side.
func (c *coder) fix(n *term.Node, s spot, at Instr, r term.Ref) {
	in, lams := s.in-1, c.t.Children(n)
	bodies := c.group(in, slices.Repeat([]term.Ref{r}, len(lams)))
	for i, body := range bodies {
		c.templates[body].Fix = c.t.BoundVars(n)[i]
		c.pass(lams[i], spot{in: body + 1, fix: r, group: bodies[0]})
	}
	c.p.Recursive = true
	at.Pos = c.t.Nodes[lams[n.Count]].Pos
	c.function(in, at, &c.t.Nodes[lams[n.Count]], bodies[n.Count])
}

// function makes the closure of a λ, whose template is body.
func (c *coder) function(in uint32, at Instr, n *term.Node, body uint32) {
	at.Op, at.Kind, at.Closure, at.Name = MakeLam, Lam, &Closure{Bodies: []uint32{body}}, n.X
	if b := &c.t.Nodes[n.A]; b.Op == term.LamOp && !c.t.Linear(b.X) && !c.t.Linear(n.X) {
		at.N = 1
	}
	c.put(in, at)
}

// member compiles the λ of a member of a fix: λx.t[f:=fix f.…]…, which makes all functions of the fix anew. So a
// value refers to older values alone.
func (c *coder) member(n *term.Node, s spot) {
	in, fix := s.in-1, &c.t.Nodes[s.fix]
	c.bindParam(in, n.X)
	for i, f := range c.t.BoundVars(fix) {
		sub := c.bind(in, f, Sub, n.Pos)
		l := &c.t.Nodes[c.t.Children(fix)[i]]
		c.function(in, Instr{Up: sub, Self: true, Pos: l.Pos}, l, s.group+uint32(i))
	}
	c.place(n.A, in, UpIndex, 0)
}

// captureAll returns the captures of a function in the body of one that is defined together with it: all of its k.
func (b *building) captureAll(k int) (all []uint32) {
	if len(b.Uses) < k {
		b.Uses = append(b.Uses, make([]uint32, k-len(b.Uses))...)
	}
	for i := range k {
		b.Uses[i]++
		all = append(all, captured|uint32(i))
	}
	return all
}
