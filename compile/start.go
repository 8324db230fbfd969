package compile

import (
	"slices"

	"github.com/gram-machine/gram/revgrad"
	"github.com/gram-machine/gram/term"
)

// NewValue makes the program for the machine of [revgrad.ValueStart]: t at a point. check may be nil; its error ends
// the work.
func NewValue(t *term.Term, inputs []term.Var, check func() error) (*Program, error) {
	return compile(revgrad.ValueStart(t, inputs), t, len(inputs), check)
}

// NewGradient makes the program of [revgrad.GradientStart] for D(t), where t has type R^k with k = outputs, or, where
// outputs is 0, type R.
func NewGradient(d *term.Term, inputs []term.Var, outputs int, check func() error) (*Program, error) {
	return compile(revgrad.GradientStart(d, inputs, outputs), d, len(inputs), check)
}

// NewOpen makes the program of t with its inputs symbolic: it comes to the graph G.
func NewOpen(t *term.Term, inputs []term.Var, check func() error) (*Program, error) {
	return compile(revgrad.OpenStart(t, inputs), t, len(inputs), check)
}

// NewOpenGradient makes the program of [revgrad.OpenGradientStart] for D(t), where t has type R.
func NewOpenGradient(d *term.Term, inputs []term.Var, check func() error) (*Program, error) {
	return compile(revgrad.OpenGradientStart(d, inputs), d, len(inputs), check)
}

// compile makes the program of the start term around t.
func compile(s *revgrad.Start, t *term.Term, inputs int, check func() error) (*Program, error) {
	u := s.Term
	a, r := u.NewVar(term.VarInfo{Name: "a", Type: term.R, Generated: true}),
		u.NewVar(term.VarInfo{Name: "r", Type: term.R, Generated: true})
	s.Around[a], s.Around[r] = -1, -1
	root := u.Root
	cons := u.Lam(0, a, u.Lam(0, r, u.Pair(0, u.Variable(0, a), u.Variable(0, r))))
	c := &coder{t: u, p: &Program{Term: u, Inputs: inputs, Outputs: len(s.Outputs), Free: len(s.Stars),
		Symbols: len(s.Symbols), Open: s.Open, Pos: t.Nodes[t.Root].Pos, Around: s.Around},
		nodes: make([]spot, len(u.Nodes)), homes: make([]home, u.NumVars()), start: s}
	// Of a program without a node of its own the code begins with no instruction.
	c.p.Start = c.newTemplate(0, nil)
	c.p.Zero = c.newTemplate(0, nil)
	c.templates[c.p.Zero].Linear = true
	c.p.Cons = c.newTemplate(0, nil)
	free := slices.Concat(s.Stars, s.Symbols)
	c.templates[c.p.Start].First += uint32(len(free))
	c.templates[c.p.Start].Locals = c.templates[c.p.Start].First
	for i, x := range free {
		c.homes[x] = home{in: c.p.Start + 1, index: FirstIndex + uint32(i), instr: -1}
	}
	c.place(root, c.p.Start, UpIndex, 0)
	c.place(cons, c.p.Cons, UpIndex, 0)
	for n := 1; len(c.stack) > 0; n++ {
		if err := term.LookAt(n, check); err != nil {
			return nil, err
		}
		r := c.stack[len(c.stack)-1]
		c.stack = c.stack[:len(c.stack)-1]
		if err := c.node(r); err != nil {
			return nil, err
		}
	}
	c.finish()
	return c.p, nil
}
