package compile

import "github.com/gram-machine/gram/term"

// match compiles match t with …. Its branches capture the same, and begin with their patterns.
func (c *coder) match(n *term.Node, s spot, at Instr) {
	in, kids := s.in-1, c.t.Children(n)
	at.Op, at.Kind, at.Arity, at.Closure = MakeIf, Case, 1, &Closure{}
	var seen *captures
	for _, r := range kids[1:] {
		b := &c.t.Nodes[r]
		body := c.newTemplate(in, seen)
		seen = c.templates[body].seen
		c.templates[body].Term = r
		at.Closure.Bodies = append(at.Closure.Bodies, body)
		if vars := c.t.BoundVars(b); len(vars) > 0 {
			c.add(body, Instr{Op: MakeArgument, Up: c.pattern(body, vars, b.Pos), Pos: b.Pos})
		}
		c.place(b.A, body, UpIndex, 0)
		c.nodes[b.A].flat = s.flat
	}
	c.place(kids[0], in, c.put(in, at), 0)
}

// fix compiles a member of fix ⟨f,…⟩.⟨v,…⟩: the closure of its template. The templates of a fix capture the same, and
// stand side by side.
func (c *coder) fix(n *term.Node, s spot, at Instr, r term.Ref) {
	in, lams := s.in-1, c.t.Children(n)
	group := uint32(len(c.templates))
	var seen *captures
	for i, l := range lams {
		body := c.newTemplate(in, seen)
		seen = c.templates[body].seen
		c.templates[body].Fix, c.templates[body].Term = c.t.BoundVars(n)[i], r
		c.pass(l, spot{in: body + 1, fix: r, group: group})
	}
	c.p.Recursive = true
	c.function(in, at, lams[n.Count], group+uint32(n.Count))
}

// function makes the closure of a member of a fix, whose λ is l and whose template is body.
func (c *coder) function(in uint32, at Instr, l term.Ref, body uint32) {
	n := &c.t.Nodes[l]
	at.Pos = n.Pos
	at.Op, at.Kind, at.Closure, at.Name = MakeLam, Lam, &Closure{Bodies: []uint32{body}}, n.X
	if b := &c.t.Nodes[n.A]; b.Op == term.LamOp && !c.t.Info(b.X).Linear {
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
		c.function(in, Instr{Up: sub, Self: true, Pos: n.Pos}, c.t.Children(fix)[i], s.group+uint32(i))
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
