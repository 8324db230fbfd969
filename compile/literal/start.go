package literal

import "github.com/gram-machine/gram/term"

// checkEvery is how many nodes of a term are looked at between two calls of check.
const checkEvery = 1 << 14

// NewValue makes the program t[x1:=r1]…[xn:=rn] for the machine: t at a point, which has
// a number for each of the inputs. check may be nil; its error ends the work.
func NewValue(t *term.Term, inputs []term.Var, check func() error) (*Program, error) {
	s := newStart(t)
	for i, x := range inputs {
		s.around[x] = i
		s.t.Root = s.t.Let(0, x, s.input(i), s.t.Root)
	}
	return s.finish(len(inputs), check)
}

// NewGradient makes the start term of Corollary gradient for D(t):
//
//	(z* 1)[⟨z,z*⟩:=D(t)] with [x:=⟨x0,d⟩][d:=λa.x* a][x0:=r] for each input
//
// or, where t has type R^k, with k = outputs seeds. outputs is 0 for t of type R.
func NewGradient(d *term.Term, inputs []term.Var, outputs int, check func() error) (*Program, error) {
	s := newStart(d)
	s.seed(outputs)
	for i, x := range inputs {
		x0 := s.variable("x0", term.R, i)
		name := s.variable("d", term.AbstractDual, i)
		star := s.variable("x*", term.AbstractDual, i)
		s.around[x] = i
		a := s.t.NewVar(term.VarInfo{Name: "a", Type: term.R, Linear: true, Generated: true})
		s.stars = append(s.stars, star)
		pair := s.t.Pair(0, s.t.Variable(0, x0), s.t.Variable(0, name))
		s.t.Root = s.t.Let(0, x, pair, s.t.Root)
		dual := s.t.Lam(0, a, s.t.App(0, s.t.Variable(0, star), s.t.Variable(0, a)))
		s.t.Root = s.t.Let(0, name, dual, s.t.Root)
		s.t.Root = s.t.Let(0, x0, s.input(i), s.t.Root)
	}
	return s.finish(len(inputs), check)
}

// start makes a start term.
type start struct {
	t       *term.Term
	inputs  map[term.Ref]int
	outputs map[term.Var]int
	stars   []term.Var
	seeds   term.Ref
	pos     term.Pos // of the term that it is around
	around  map[term.Var]int
}

func newStart(t *term.Term) *start {
	u := *t
	u.Nodes = t.Nodes[:len(t.Nodes):len(t.Nodes)]
	u.Vars = t.Vars[:len(t.Vars):len(t.Vars)]
	return &start{t: &u, inputs: map[term.Ref]int{}, outputs: map[term.Var]int{},
		pos: t.Nodes[t.Root].Pos, around: map[term.Var]int{}}
}

func (s *start) input(i int) term.Ref {
	r := s.t.Num(0, 0)
	s.inputs[r] = i
	return r
}

// variable returns a variable of the start term, of an input or, -1, of the seeds.
func (s *start) variable(name string, ty term.Type, input int) term.Var {
	x := s.t.NewVar(term.VarInfo{Name: name, Type: ty, Generated: true})
	s.around[x] = input
	return x
}

// seed puts the seeds around D(t).
func (s *start) seed(k int) {
	d := s.t.Root
	apps, zs, stars := []term.Ref{}, []term.Var{}, []term.Var{}
	for i := range max(1, k) {
		z, star := s.variable("z", term.R, -1), s.variable("z*", term.AbstractDual, -1)
		s.outputs[z] = i
		zs, stars = append(zs, z), append(stars, star)
		apps = append(apps, s.t.App(0, s.t.Variable(0, star), s.t.Num(0, 1)))
	}
	s.t.Root = s.t.Vec(0, apps)
	s.seeds = s.t.Root
	if k == 0 {
		s.t.Root = s.t.Unpair(0, zs[0], stars[0], d, s.t.Root)
		return
	}
	ps := make([]term.Var, k)
	for i := range ps {
		ps[i] = s.variable("p", s.t.Types.Reverse(term.R), -1)
		s.t.Root = s.t.Unpair(0, zs[i], stars[i], s.t.Variable(0, ps[i]), s.t.Root)
	}
	s.t.Root = s.t.Unvec(0, ps, d, s.t.Root)
}

// finish makes the program of the start term.
func (s *start) finish(inputs int, check func() error) (*Program, error) {
	a, r := s.variable("a", term.R, -1), s.variable("r", term.R, -1)
	root := s.t.Root
	cons := s.t.Lam(0, a, s.t.Lam(0, r, s.t.Pair(0, s.t.Variable(0, a), s.t.Variable(0, r))))
	c := &coder{t: s.t, p: &Program{Term: s.t, Inputs: inputs, Outputs: len(s.outputs), Free: len(s.stars), Pos: s.pos, Around: s.around},
		nodes: make([]spot, len(s.t.Nodes)), homes: make([]home, len(s.t.Vars)), inputs: s.inputs, outputs: s.outputs, seeds: s.seeds}
	// Of a program without a node of its own the code begins with no instruction.
	c.p.Start = c.newTemplate(0, nil)
	c.p.Zero = c.newTemplate(0, nil)
	c.templates[c.p.Zero].Linear = true
	c.p.Cons = c.newTemplate(0, nil)
	c.templates[c.p.Start].First += uint32(len(s.stars))
	c.templates[c.p.Start].Locals = c.templates[c.p.Start].First
	for i, x := range s.stars {
		c.homes[x] = home{in: c.p.Start + 1, index: FirstIndex + uint32(i), instr: -1}
	}
	c.place(root, c.p.Start, UpIndex, 0)
	c.place(cons, c.p.Cons, UpIndex, 0)
	for n := 1; len(c.stack) > 0; n++ {
		if n%checkEvery == 0 && check != nil {
			if err := check(); err != nil {
				return nil, err
			}
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
