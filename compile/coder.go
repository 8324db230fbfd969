package compile

import (
	"fmt"
	"math"
	"slices"

	"github.com/gram-machine/gram/revgrad"
	"github.com/gram-machine/gram/term"
)

// captured marks the frame index of a capture while code is made.
const captured = 1 << 31

// coder makes the code of a term: parents before children, and of these first what is evaluated last. So LIFO
// evaluates a substitution before what stands in its scope, and operands from left to right.
type coder struct {
	stack     []term.Ref // nodes that have a place, and no code yet
	t         *term.Term
	p         *Program
	nodes     []spot // of each node of the term, once its parent has been seen
	homes     []home // of each variable
	templates []*building
	start     *revgrad.Start // that the term is of
}

// spot is where a node of the term stands.
type spot struct {
	in   uint32 // its template, plus one
	up   uint32
	slot uint8
	// flat says that it is a summand of the body of a dual, whose place is the job's; named
	// that it is a dual λ which a variable is bound to.
	flat, named bool
	// Of a function of a fix: the fix, and the template of the first of its functions.
	fix   term.Ref
	group uint32
	// Of the function of an application f a1 … an: how many arguments follow, of how many, and
	// where the whole application stands.
	after, args uint32
	whole       term.Pos
}

// home is where a variable is bound.
type home struct {
	in    uint32 // the template, plus one
	index uint32
	instr int32 // the instruction that counts its occurrences; -1: it is the parameter, or free
}

// building is a template that is being made.
type building struct {
	Template
	code []Instr
	seen *captures
}

// captures are the variables that a λ, a conditional or an element of a list captures. The templates of
// the branches share them.
type captures struct {
	index map[term.Var]uint32
	vars  []term.Var
	from  []uint32 // frame indices in the outer template
}

func (c *coder) newTemplate(outer uint32, seen *captures) uint32 {
	if seen == nil {
		seen = &captures{index: map[term.Var]uint32{}}
	}
	index := uint32(len(c.templates))
	c.templates = append(c.templates, &building{seen: seen,
		Template: Template{First: FirstIndex, Locals: FirstIndex, Index: index, Within: outer}})
	return index
}

// group makes templates for terms that capture the same.
func (c *coder) group(in uint32, terms []term.Ref) (bodies []uint32) {
	var seen *captures
	for _, r := range terms {
		body := c.newTemplate(in, seen)
		seen = c.templates[body].seen
		c.templates[body].Term = r
		bodies = append(bodies, body)
	}
	return bodies
}

// put appends an instruction, and returns its frame index.
func (c *coder) put(in uint32, i Instr) uint32 {
	b := c.templates[in]
	b.code = append(b.code, i)
	b.Locals++
	return b.Locals - 1
}

// add appends an instruction that makes no node which others refer to.
func (c *coder) add(in uint32, i Instr) {
	c.templates[in].code = append(c.templates[in].code, i)
}

// place puts the child r of a node at the operand.
func (c *coder) place(r term.Ref, in, up uint32, slot uint8) {
	c.pass(r, spot{in: in + 1, up: up, slot: slot})
}

// pass puts the child r where its parent stands.
func (c *coder) pass(r term.Ref, s spot) {
	c.nodes[r] = s
	c.stack = append(c.stack, r)
}

// bind makes the substitution of x, and returns its frame index.
func (c *coder) bind(in uint32, x term.Var, kind Kind, pos term.Pos) uint32 {
	b := c.templates[in]
	i := c.put(in, Instr{Op: MakeSub, Kind: kind, Dual: kind == Sub && c.isDual(x), Pos: pos, Name: x})
	c.homes[x] = home{in: in + 1, index: i, instr: int32(len(b.code) - 1)}
	return i
}

// bindParam makes x the parameter of the template.
func (c *coder) bindParam(in uint32, x term.Var) {
	c.homes[x] = home{in: in + 1, index: ParamIndex, instr: -1}
}

// find returns the frame index of x in the template, which mentions it once more. What is bound
// further out is captured by each λ between.
func (c *coder) find(in uint32, x term.Var) uint32 {
	h := &c.homes[x]
	var chain []uint32
	at := in
	for at+1 != h.in {
		if _, ok := c.templates[at].seen.index[x]; ok {
			break
		}
		chain = append(chain, at)
		at = c.templates[at].Within
	}
	index := c.mention(at, x)
	for i := len(chain) - 1; i >= 0; i-- {
		s := c.templates[chain[i]].seen
		s.index[x] = uint32(len(s.from))
		s.vars, s.from = append(s.vars, x), append(s.from, index)
		index = c.mention(chain[i], x)
	}
	return index
}

// mention counts an occurrence of x, which the template binds or captures.
func (c *coder) mention(in uint32, x term.Var) uint32 {
	b, h := c.templates[in], &c.homes[x]
	if in+1 == h.in {
		switch {
		case h.instr >= 0:
			b.code[h.instr].N++
		case h.index == ParamIndex:
			b.Param++
		}
		return h.index
	}
	i := b.seen.index[x]
	for len(b.Uses) <= int(i) {
		b.Uses = append(b.Uses, 0)
	}
	b.Uses[i]++
	return captured | i
}

// finish lays the templates out: what captures need gets its frame indices.
func (c *coder) finish() {
	p := c.p
	p.Templates = make([]Template, len(c.templates))
	size := 0
	for _, b := range c.templates {
		size += len(b.code)
	}
	p.Code = make([]Instr, 0, size)
	for i, b := range c.templates {
		l := layout{b: b, open: p.Open, next: b.First, more: b.Locals, base: uint32(len(p.Code))}
		for k := range b.code {
			if f := b.code[k].Closure; f != nil && len(f.Bodies) > 0 {
				f.Captures = c.captured(b.code[k].Kind, f.Bodies)
				if b.code[k].Self {
					f.Captures = b.captureAll(len(f.Captures))
				}
				b.Locals += moreNodes(b.code[k].Kind, len(f.Captures))
			}
		}
		index := func(x *uint32) {
			if *x&captured != 0 {
				*x = b.Locals + *x&^captured
			}
		}
		for k := range b.code {
			in := &b.code[k]
			index(&in.X)
			index(&in.Y)
			if in.Closure != nil {
				for j := range in.Closure.Captures {
					index(&in.Closure.Captures[j])
				}
			}
		}
		for len(b.Uses) < len(b.seen.from) {
			b.Uses = append(b.Uses, 0)
		}
		b.Captured = b.seen.vars
		l.make()
		b.From = l.base
		p.Code = append(p.Code, b.code...)
		b.To = uint32(len(p.Code))
		p.Templates[i] = b.Template
		p.Frame = max(p.Frame, int(b.Locals)+len(b.Uses))
	}
	for i := range p.Code {
		if in := &p.Code[i]; in.Kind == Lam {
			in.Body = &p.Templates[in.Closure.Bodies[0]]
		}
	}
}

// captured is what a λ, a conditional or a list captures: of a list what each of its elements does, one after the
// other, that which is applied first before the others.
func (c *coder) captured(k Kind, bodies []uint32) (from []uint32) {
	if k != List {
		return c.templates[bodies[0]].seen.from
	}
	for _, e := range slices.Backward(bodies) {
		from = append(from, c.templates[e].seen.from...)
	}
	return from
}

// node makes the code of a node of the term.
func (c *coder) node(r term.Ref) error {
	n, s := &c.t.Nodes[r], c.nodes[r]
	in := s.in - 1
	at := Instr{Up: s.up, Slot: s.slot, Pos: n.Pos}
	switch n.Op {
	case term.VarOp:
		if c.homes[n.X].in == 0 {
			return fmt.Errorf("the variable %s is free", c.t.Info(n.X).Name)
		}
		at.Op, at.X, at.Name = MakeVariable, c.find(in, n.X), n.X
		at.Dual = c.isDual(n.X)
		c.add(in, at)
	case term.NumOp:
		at.Op, at.Val = MakeNumber, n.Val
		if i, ok := c.start.Inputs[r]; ok {
			at.Op, at.X = MakeInput, uint32(i)
		}
		c.add(in, at)
	case term.ZeroOp:
		if !s.flat {
			at.Op = MakeZero
			c.add(in, at)
		}
	case term.LamOp:
		if s.fix != 0 {
			c.member(n, s)
			return nil
		}
		c.lambda(n, s, at, r)
	case term.AppOp:
		c.application(n, s, at)
	case term.PairOp:
		at.Named = c.start.Named[r]
		c.operation(s, at, Pair, n.A, n.B)
	case term.AddOp:
		if s.flat {
			c.pass(n.A, s)
			c.pass(n.B, s)
			return nil
		}
		c.operation(s, at, Add, n.A, n.B)
	case term.FunOp:
		at.Sym = n.Sym
		switch kids := c.t.Children(n); {
		case n.Sym == term.Mul:
			c.operation(s, at, Mul, kids...)
		case len(kids) == 1:
			c.operation(s, at, Fun1, kids...)
		default: // f(t1,t2), or f(t1,⟨t2,…⟩)
			at.Op, at.Kind, at.Arity = MakeNode, Fun2, 2
			i := c.put(s.in-1, at)
			c.place(kids[0], s.in-1, i, 0)
			c.tuple(kids[1:], n.Pos, spot{in: s.in, up: i, slot: 1})
		}
	case term.LetOp, term.UnvecOp, term.UntupleOp:
		defer c.pass(n.A, s) // its code comes before that of u, and it is evaluated behind it
		c.binding(n, s)
	case term.VecOp:
		c.vector(r, n, s)
	case term.IfOp:
		c.conditional(n, s, at)
	case term.ConOp:
		at.Kind, at.N = Con, n.Count
		if n.A == 0 {
			at.Op = MakeNat
			c.put(in, at)
		} else {
			c.constructor(n, s, at)
		}
	case term.CaseOp:
		c.match(n, s, at)
	case term.FixOp:
		c.fix(n, s, at, r)
	case term.ListOp:
		c.list(n, s, at)
	case term.NatOp:
		at.Op, at.Kind, at.N = MakeNat, Nat, n.Count
		c.put(in, at)
	case term.DataOp:
		c.data(n, s, at, r)
	default:
		return fmt.Errorf("the constructor %d is no term of the calculus", n.Op)
	}
	return nil
}

// operation makes a node that waits for its operands.
func (c *coder) operation(s spot, at Instr, kind Kind, operands ...term.Ref) {
	at.Op, at.Kind, at.Arity = MakeNode, kind, uint8(len(operands))
	i := c.put(s.in-1, at)
	for k, r := range operands {
		c.place(r, s.in-1, i, uint8(k))
	}
}

// constructor makes C t. Where inputs are symbolic t gets a name, (C y)[y:=t], which is no step: so what is copied is
// shared.
func (c *coder) constructor(n *term.Node, s spot, at Instr) {
	if !c.p.Open {
		c.operation(s, at, Con, n.A)
		return
	}
	in := s.in - 1
	at.Op, at.Kind, at.Arity = MakeNode, Con, 1
	i := c.put(in, at)
	arg := c.t.Types.Constructors(n.Res)[n.Count].Arg
	y := c.put(in, Instr{Op: MakeSub, Kind: Sub, Dual: c.t.Types.Kind(arg) == term.DualKind, N: 1, Pos: n.Pos})
	c.add(in, Instr{Op: MakeVariable, Up: i, X: y, Pos: n.Pos})
	c.place(n.A, in, y, 0)
}

// application makes an application. The instruction says where it stands in f a1 … an.
func (c *coder) application(n *term.Node, s spot, at Instr) {
	if s.args == 0 {
		s.whole = n.Pos
		for f := n; f.Op == term.AppOp; f = &c.t.Nodes[f.A] {
			s.args++
		}
	}
	at.N = spine(s)
	if f := &c.t.Nodes[n.A]; f.Op == term.VarOp {
		at.Dual = c.isDual(f.X)
	}
	c.operation(s, at, App, n.A, n.B)
	if f := &c.nodes[n.A]; c.t.Nodes[n.A].Op == term.AppOp {
		f.after, f.args, f.whole = s.after+1, s.args, s.whole
	}
}

func (c *coder) isDual(x term.Var) bool { return c.t.Types.Kind(c.t.TypeOf(x)) == term.DualKind }

// spine packs, of an argument of f a1 … an, where the application stands, and how many arguments follow.
func spine(s spot) uint64 { return uint64(s.whole) | uint64(min(s.after, math.MaxUint8))<<32 }

// lambda makes λx.t. A dual λ gets a name where it has none, which is no step (note C4):
// d[d:=λa.t]. The λa.0⃗ of a numeral gets none.
func (c *coder) lambda(n *term.Node, s spot, at Instr, r term.Ref) {
	in := s.in - 1
	linear := c.t.Info(n.X).Linear
	if linear && !s.named && c.t.Nodes[n.A].Op != term.ZeroOp {
		cell := c.put(in, Instr{Op: MakeSub, Kind: Cell, N: 1, Pos: n.Pos})
		c.add(in, Instr{Op: MakeVariable, Up: at.Up, Slot: at.Slot, X: cell, Pos: n.Pos})
		at.Up, at.Slot = cell, 0
	}
	body := c.newTemplate(in, nil)
	c.templates[body].Linear, c.templates[body].Term = linear, r
	c.bindParam(body, n.X)
	c.function(in, at, n, body)
	c.place(n.A, body, UpIndex, 0)
	c.nodes[n.A].flat = linear
}

// binding makes t[p:=u]: t stands where the whole stands.
func (c *coder) binding(n *term.Node, s spot) {
	in := s.in - 1
	vars := c.t.BoundVars(n)
	if len(vars) == 1 {
		kind, u := Sub, &c.t.Nodes[n.B]
		for u.Op == term.VecOp && u.N == 1 {
			u = &c.t.Nodes[c.t.Children(u)[0]]
		}
		switch {
		case c.t.Info(vars[0]).Linear:
			kind = Linear
		case u.Op == term.LamOp && c.t.Info(u.X).Linear:
			kind = Cell
		}
		c.place(n.B, in, c.bind(in, vars[0], kind, n.Pos), 0)
		c.nodes[n.B].named = kind == Cell
		return
	}
	c.place(n.B, in, c.pattern(in, vars, n.Pos), 0)
}

// pattern binds variables to the components of a tuple, and returns the node that waits for that.
func (c *coder) pattern(in uint32, vars []term.Var, pos term.Pos) uint32 {
	subs := make([]uint32, len(vars))
	for i, x := range vars {
		subs[i] = c.bind(in, x, Sub, pos)
		if k, ok := c.start.Outputs[x]; ok {
			b := c.templates[in]
			b.code[len(b.code)-1].Y = uint32(k) + 1
		}
	}
	y := subs[len(subs)-1]
	for i := len(subs) - 2; i >= 0; i-- {
		y = c.put(in, Instr{Op: MakeOpen, Kind: Open, X: subs[i], Y: y, Pos: pos})
	}
	return y
}

// vector makes ⟦t0,…⟧: pairs nested to the right.
func (c *coder) vector(r term.Ref, n *term.Node, s spot) {
	in, kids := s.in-1, c.t.Children(n)
	if r == c.start.Seeds {
		for i, k := range kids {
			c.place(k, in, c.put(in, Instr{Op: MakeNode, Kind: Seed, Arity: 1, N: uint64(i), Pos: n.Pos}), 0)
		}
		return
	}
	c.tuple(kids, n.Pos, s)
}

// tuple makes pairs nested to the right.
func (c *coder) tuple(kids []term.Ref, pos term.Pos, s spot) {
	in, last := s.in-1, len(kids)-1
	for i, k := range kids[:last] {
		at := Instr{Op: MakeNode, Kind: Pair, Arity: 2, Up: s.up, Slot: s.slot, Pos: pos}
		if i < last-1 {
			at.N = 1
		}
		pair := c.put(in, at)
		c.place(k, in, pair, 0)
		s = spot{in: s.in, up: pair, slot: 1}
	}
	c.pass(kids[last], s)
}

// conditional makes if s c s' then t else u.
func (c *coder) conditional(n *term.Node, s spot, at Instr) {
	in, kids := s.in-1, c.t.Children(n)
	bodies := c.group(in, kids[2:])
	at.Op, at.Kind, at.Arity, at.Cmp, at.Closure = MakeIf, If, 2, n.Cmp, &Closure{Bodies: bodies}
	i := c.put(in, at)
	c.place(kids[0], in, i, 0)
	c.place(kids[1], in, i, 1)
	for k, body := range bodies {
		c.pass(kids[2+k], spot{in: body + 1, up: UpIndex, flat: s.flat})
	}
}

// list makes [t1;…;tn]: its elements are code, like the body of a λ.
func (c *coder) list(n *term.Node, s spot, at Instr) {
	in := s.in - 1
	at.Op, at.Kind, at.Closure = MakeLam, List, &Closure{}
	at.N = 1
	for _, k := range c.t.Children(n) {
		if !c.isNumeral(k) {
			at.N = 0
		}
		e := c.newTemplate(in, nil)
		c.templates[e].Term = k
		at.Closure.Bodies = append(at.Closure.Bodies, e)
		c.place(k, e, UpIndex, 0)
	}
	c.put(in, at)
}

// isNumeral reports whether the node is r, or in D(t) ⟨r, λa.0⃗⟩.
func (c *coder) isNumeral(r term.Ref) bool {
	n := &c.t.Nodes[r]
	if c.p.Outputs == 0 || n.Op != term.PairOp {
		return c.p.Outputs == 0 && n.Op == term.NumOp
	}
	dual := &c.t.Nodes[n.B]
	return c.t.Nodes[n.A].Op == term.NumOp && dual.Op == term.LamOp && c.t.Nodes[dual.A].Op == term.ZeroOp
}

// data makes an occurrence of data: its numbers in place, or a list, with a template for its elements.
func (c *coder) data(n *term.Node, s spot, at Instr, r term.Ref) {
	in, d, scalar := s.in-1, &c.t.Data[n.A], c.t.Types.Scalar(n.Elem)
	if d.List {
		element := c.newTemplate(in, nil)
		c.templates[element].Term = r
		at.Op, at.Kind, at.N, at.Closure = MakeData, Data, uint64(n.A), &Closure{Bodies: []uint32{element}}
		c.put(in, at)
		in, at.Up, at.Slot = element, UpIndex, 0
	}
	for i := range d.Width {
		number := Instr{Op: MakeDatum, X: uint32(i), Up: at.Up, Slot: at.Slot, Pos: n.Pos}
		if !d.List {
			number.Op, number.Val = MakeNumber, d.Values[i]
		}
		if i < d.Width-1 {
			number.Up = c.put(in, Instr{Op: MakeNode, Kind: Pair, Arity: 2, Up: at.Up, Slot: at.Slot, Pos: n.Pos})
			number.Slot = 0
			at.Up, at.Slot = number.Up, 1
		}
		c.number(in, number, scalar != term.R)
	}
}

// number makes r, or ⟨r, λa.0⃗⟩.
func (c *coder) number(in uint32, at Instr, reversed bool) {
	if reversed {
		pair := c.put(in, Instr{Op: MakeNode, Kind: Pair, Arity: 2, Up: at.Up, Slot: at.Slot, Pos: at.Pos})
		c.put(in, Instr{Op: MakeLam, Kind: Lam, Up: pair, Slot: 1, Closure: &Closure{Bodies: []uint32{c.p.Zero}},
			Pos: at.Pos})
		at.Up, at.Slot = pair, 0
	}
	c.add(in, at)
}
