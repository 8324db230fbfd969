package machine

import (
	"fmt"

	"github.com/gram-machine/gram/graph"
	"github.com/gram-machine/gram/term"
)

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
	c := &coder{t: s.t, p: &Program{term: s.t, inputs: inputs, outputs: len(s.outputs), free: len(s.stars), pos: s.pos, around: s.around},
		nodes: make([]spot, len(s.t.Nodes)), homes: make([]home, len(s.t.Vars)), inputs: s.inputs, outputs: s.outputs, seeds: s.seeds}
	// Of a program without a node of its own the code begins with no instruction.
	c.p.start = c.newTemplate(0, nil)
	c.p.zero = c.newTemplate(0, nil)
	c.templates[c.p.zero].linear = true
	c.p.cons = c.newTemplate(0, nil)
	c.templates[c.p.start].locals += uint32(len(s.stars))
	for i, x := range s.stars {
		c.homes[x] = home{in: c.p.start + 1, index: paramIndex + 1 + uint32(i), instr: -1}
	}
	c.place(root, c.p.start, 0, 0)
	c.place(cons, c.p.cons, 0, 0)
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

// node makes the code of a node of the term.
func (c *coder) node(r term.Ref) error {
	n, s := &c.t.Nodes[r], c.nodes[r]
	in := s.in - 1
	at := instr{up: s.up, slot: s.slot, pos: n.Pos}
	switch n.Op {
	case term.VarOp:
		if c.homes[n.X].in == 0 {
			return fmt.Errorf("the variable %s is free", c.t.Vars[n.X].Name)
		}
		at.op, at.x, at.name = makeVariable, c.find(in, n.X), n.X
		c.add(in, at)
	case term.NumOp:
		at.op, at.val = makeNumber, n.Val
		if i, ok := c.inputs[r]; ok {
			at.op, at.x = makeInput, uint32(i)
		}
		c.add(in, at)
	case term.ZeroOp:
		if !s.flat {
			at.op = makeZero
			c.add(in, at)
		}
	case term.LamOp:
		c.lambda(n, s, at)
	case term.AppOp:
		c.application(n, s, at)
	case term.PairOp:
		c.operation(s, at, Pair, n.A, n.B)
	case term.AddOp:
		if s.flat {
			c.pass(n.A, s)
			c.pass(n.B, s)
			return nil
		}
		c.operation(s, at, Add, n.A, n.B)
	case term.FunOp:
		at.sym = n.Sym
		kind := [...]Kind{1: Fun1, 2: Fun2}[n.N]
		if n.Sym == term.Mul {
			kind = Mul
		}
		c.operation(s, at, kind, c.t.Children(n)...)
	case term.LetOp, term.UnpairOp, term.UnvecOp, term.UntupleOp:
		c.binding(n, s)
	case term.VecOp:
		c.vector(r, n, s)
	case term.IfOp:
		c.conditional(n, s, at)
	case term.ListOp:
		c.list(n, s, at)
	case term.NatOp:
		at.op, at.kind, at.n = makeNat, Nat, n.Count
		c.add(in, at)
	case term.DataOp:
		c.data(n, s, at)
	default:
		return fmt.Errorf("the constructor %d is no term of the calculus", n.Op)
	}
	return nil
}

// operation makes a node that waits for its operands.
func (c *coder) operation(s spot, at instr, kind Kind, operands ...term.Ref) {
	at.op, at.kind, at.arity = makeNode, kind, uint8(len(operands))
	i := c.put(s.in-1, at)
	for k, r := range operands {
		c.place(r, s.in-1, i, uint8(k))
	}
}

// application makes an application. The instruction says where it stands in f a1 … an.
func (c *coder) application(n *term.Node, s spot, at instr) {
	if s.args == 0 {
		s.whole = n.Pos
		for f := n; f.Op == term.AppOp; f = &c.t.Nodes[f.A] {
			s.args++
		}
	}
	at.n = spine(s)
	c.operation(s, at, App, n.A, n.B)
	if f := &c.nodes[n.A]; c.t.Nodes[n.A].Op == term.AppOp {
		f.after, f.args, f.whole = s.after+1, s.args, s.whole
	}
}

// spine packs, of an argument of f a1 … an, where the application stands, and how many arguments
// follow in the same node of the engine, which has up to graph.MaxArgs.
func spine(s spot) uint64 {
	i := s.args - 1 - s.after
	end := min(s.args, i-i%graph.MaxArgs+graph.MaxArgs)
	return both(uint32(s.whole), end-1-i)
}

// lambda makes λx.t. A dual λ gets a name where it has none, which is no step (note C4):
// d[d:=λa.t].
func (c *coder) lambda(n *term.Node, s spot, at instr) {
	in := s.in - 1
	linear := c.t.Vars[n.X].Linear
	if linear && !s.named {
		b := c.templates[in]
		cell := c.put(in, instr{op: makeSub, kind: Cell, n: 1, pos: n.Pos})
		b.code = append(b.code, instr{op: makeVariable, up: at.up, slot: at.slot, x: cell, pos: n.Pos})
		at.up, at.slot = cell, 0
	}
	body := c.newTemplate(in, nil)
	c.templates[body].linear = linear
	c.bindParam(body, n.X)
	at.op, at.kind, at.closure, at.name = makeLam, Lam, &closure{bodies: []uint32{body}}, n.X
	if b := &c.t.Nodes[n.A]; b.Op == term.LamOp && !c.t.Vars[b.X].Linear && !linear {
		at.n = 1
	}
	c.add(in, at)
	c.place(n.A, body, 0, 0)
	c.nodes[n.A].flat = linear
}

// binding makes t[p:=u]: t stands where the whole stands.
func (c *coder) binding(n *term.Node, s spot) {
	in := s.in - 1
	vars := c.t.BoundVars(n)
	defer c.pass(n.A, s) // its code comes before that of u, and it is evaluated behind it
	if len(vars) == 1 {
		kind := Sub
		switch u := &c.t.Nodes[n.B]; {
		case c.t.Vars[vars[0]].Linear:
			kind = Linear
		case u.Op == term.LamOp && c.t.Vars[u.X].Linear:
			kind = Cell
		}
		c.place(n.B, in, c.bind(in, vars[0], kind, n.Pos), 0)
		c.nodes[n.B].named = kind == Cell
		return
	}
	subs := make([]uint32, len(vars))
	for i, x := range vars {
		subs[i] = c.bind(in, x, Sub, n.Pos)
		if k, ok := c.outputs[x]; ok {
			b := c.templates[in]
			b.code[len(b.code)-1].y = uint32(k) + 1
		}
	}
	y := subs[len(subs)-1]
	for i := len(subs) - 2; i >= 0; i-- {
		y = c.put(in, instr{op: makeOpen, kind: Open, x: subs[i], y: y, pos: n.Pos})
	}
	c.place(n.B, in, y, 0)
}

// vector makes ⟦t0,…⟧: pairs nested to the right.
func (c *coder) vector(r term.Ref, n *term.Node, s spot) {
	in, kids := s.in-1, c.t.Children(n)
	if r == c.seeds {
		for i, k := range kids {
			c.place(k, in, c.put(in, instr{op: makeNode, kind: Seed, arity: 1, n: uint64(i), pos: n.Pos}), 0)
		}
		return
	}
	for i, k := range kids {
		if i == len(kids)-1 {
			c.pass(k, s)
			return
		}
		pair := c.put(in, instr{op: makeNode, kind: Pair, arity: 2, up: s.up, slot: s.slot, pos: n.Pos})
		c.place(k, in, pair, 0)
		s = spot{in: s.in, up: pair, slot: 1}
	}
}

// conditional makes if s c s' then t else u.
func (c *coder) conditional(n *term.Node, s spot, at instr) {
	in, kids := s.in-1, c.t.Children(n)
	yes := c.newTemplate(in, nil)
	no := c.newTemplate(in, c.templates[yes].seen)
	at.op, at.kind, at.cmp, at.closure = makeIf, If, n.Cmp, &closure{bodies: []uint32{yes, no}}
	i := c.put(in, at)
	c.place(kids[0], in, i, 0)
	c.place(kids[1], in, i, 1)
	c.place(kids[2], yes, 0, 0)
	c.place(kids[3], no, 0, 0)
	c.nodes[kids[2]].flat, c.nodes[kids[3]].flat = s.flat, s.flat
}

// list makes [t1;…;tn]: its elements are code, like the body of a λ.
func (c *coder) list(n *term.Node, s spot, at instr) {
	in := s.in - 1
	at.op, at.kind, at.closure = makeLam, List, &closure{}
	var seen *captures
	at.n = 1
	for _, k := range c.t.Children(n) {
		if !c.isNumeral(k) {
			at.n = 0
		}
		e := c.newTemplate(in, seen)
		seen = c.templates[e].seen
		at.closure.bodies = append(at.closure.bodies, e)
		c.place(k, e, 0, 0)
	}
	c.add(in, at)
}

// isNumeral reports whether the node is r, or in D(t) ⟨r, λa.0⃗⟩.
func (c *coder) isNumeral(r term.Ref) bool {
	n := &c.t.Nodes[r]
	if c.p.outputs == 0 || n.Op != term.PairOp {
		return c.p.outputs == 0 && n.Op == term.NumOp
	}
	dual := &c.t.Nodes[n.B]
	return c.t.Nodes[n.A].Op == term.NumOp && dual.Op == term.LamOp && c.t.Nodes[dual.A].Op == term.ZeroOp
}

// data makes an occurrence of data: a list, or its numbers in place.
func (c *coder) data(n *term.Node, s spot, at instr) {
	in, d := s.in-1, &c.t.Data[n.A]
	scalar := n.Elem
	if c.t.Types.Kind(scalar) == term.VecKind {
		scalar = c.t.Types.Left(scalar)
	}
	reversed := scalar != term.R
	if d.List {
		at.op, at.kind, at.n = makeData, Data, uint64(n.A)
		if reversed {
			at.x = 1
		}
		c.add(in, at)
		return
	}
	at.op = makeNumber
	for i, r := range d.Values[:d.Width] {
		if i < d.Width-1 {
			pair := c.put(in, instr{op: makeNode, kind: Pair, arity: 2, up: at.up, slot: at.slot, pos: n.Pos})
			c.number(in, instr{up: pair, slot: 0, pos: n.Pos, val: r}, reversed)
			at.up, at.slot = pair, 1
			continue
		}
		at.val = r
		c.number(in, at, reversed)
	}
}

// number makes r, or ⟨r, λa.0⃗⟩.
func (c *coder) number(in uint32, at instr, reversed bool) {
	at.op = makeNumber
	if reversed {
		pair := c.put(in, instr{op: makeNode, kind: Pair, arity: 2, up: at.up, slot: at.slot, pos: at.pos})
		cell := c.put(in, instr{op: makeSub, kind: Cell, n: 1, pos: at.pos})
		c.add(in, instr{op: makeVariable, up: pair, slot: 1, x: cell, pos: at.pos})
		c.add(in, instr{op: makeLam, kind: Lam, up: cell, closure: &closure{bodies: []uint32{c.p.zero}}, pos: at.pos})
		at.up, at.slot = pair, 0
	}
	c.add(in, at)
}
