package compile

import (
	"github.com/gram-machine/gram/graph"
	"github.com/gram-machine/gram/rule"
	"github.com/gram-machine/gram/term"
)

// start begins a term: it yields its operand, or leaves tasks that will.
func (c *compiler) start(r term.Ref) {
	t := c.t
	n := &t.Nodes[r]
	if c.top().loops.open() && !c.inLoops(r) {
		c.unheld()
		c.yieldSlot(0)
		return
	}
	if c.top().loops.open() && c.isKnown(n) {
		c.known(r)
		return
	}
	switch n.Op {
	case term.VarOp:
		op := c.variable(n.X)
		c.occurrence(n.X, op)
		c.yield(op)
	case term.NumOp:
		c.yieldSlot(c.number(n.Val))
	case term.LamOp:
		c.lambda(r, n)
	case term.AppOp:
		if c.isDualApplication(n) {
			c.push(r, arriveStep)
			c.push(n.B, 0)
			c.push(n.A, 0)
			return
		}
		c.application(r)
	case term.LetOp, term.UnpairOp, term.UntupleOp, term.UnvecOp:
		c.push(r, 1)
		c.push(n.B, 0)
	case term.PairOp, term.AddOp:
		c.push(r, 1)
		c.push(n.B, 0)
		c.push(n.A, 0)
	case term.FunOp, term.VecOp:
		c.push(r, 1)
		c.pushAll(t.Children(n))
	case term.IfOp:
		c.push(r, 1)
		c.pushAll(t.Children(n)[:2])
	case term.ConOp:
		if n.A == 0 {
			c.yieldSlot(c.addGlobal(graph.Global{Kind: graph.Con, Index: uint32(n.Count), Type: c.types[r]}))
			return
		}
		c.push(r, 1)
		c.push(n.A, 0)
	case term.CaseOp:
		c.push(r, 1)
		c.push(t.Children(n)[0], 0)
	case term.FixOp:
		c.openFix(r, n, 0)
	case term.ListOp:
		c.list(r, n)
	case term.NatOp:
		c.yieldSlot(c.addGlobal(graph.Global{Kind: graph.Nat, Count: n.Count, Type: c.types[r]}))
	case term.DataOp:
		c.dataRef(r, n)
	case term.ZeroOp:
		c.yieldSlot(c.addGlobal(graph.Global{Kind: graph.Vec}))
	case term.FamilyOp, term.SumOp, term.ReverseSumOp:
		if c.outlines() {
			c.beginInline(r, n)
			return
		}
		c.openLoop(r, n)
	case term.ListFamilyOp:
		c.listFamily(r, n)
	case term.ComponentOp:
		op := c.selected(n)
		if c.err != nil {
			c.yieldSlot(0)
			return
		}
		c.occurrence(n.X, op)
		c.yield(op)
	case term.IndexNumOp:
		c.yieldSlot(c.indexNum(n.Static(), n.Pos))
	default:
		c.fail(n.Pos, "this term cannot stand here")
		c.yieldSlot(0)
	}
}

func (c *compiler) pushAll(rs []term.Ref) {
	for i := len(rs) - 1; i >= 0; i-- {
		c.push(rs[i], 0)
	}
}

// resume goes on with a term whose parts have been compiled.
func (c *compiler) resume(k task) {
	n := &c.t.Nodes[k.r]
	switch n.Op {
	case term.LamOp:
		c.closeLambda(n)
	case term.AppOp:
		switch {
		case c.top().loops.open():
			c.applied(k)
			return
		case k.step == arriveStep:
			c.arrive(k.r, n)
			return
		}
		c.finishApplication(k.r, n, int(k.n))
	case term.LetOp:
		c.bindLet(n)
		c.push(n.A, 0)
	case term.UnpairOp:
		a, b := c.unpair(c.pop(), n.Pos)
		c.bindLocal(n.X, a)
		c.bindLocal(n.Y, b)
		c.countOf(n.X, rule.Pair, 1)
		c.push(n.A, 0)
	case term.UntupleOp:
		c.untuple(n)
	case term.UnvecOp:
		c.unvec(n)
	case term.PairOp:
		b := c.popValue()
		a := c.popValue()
		c.yield(c.newPair(a, b, n.Pos))
	case term.AddOp:
		if c.putsOff(k.r) {
			c.sum(k.r, n)
			return
		}
		c.operation(rule.Plus)
		k := c.popSlots(2)
		c.yieldSlot(c.emit(graph.Instr{Op: graph.OpAdd, A: uint32(k[0]), B: uint32(k[1]), Pos: n.Pos}, nil))
	case term.FunOp:
		c.function(n)
	case term.VecOp:
		if int(n.N) > graph.MaxIndex {
			c.fail(n.Pos, "a vector of more than %d components", graph.MaxIndex)
		}
		if c.late {
			c.vector(k.r, n)
			return
		}
		c.yieldSlot(c.emit(graph.Instr{Op: graph.OpVec, Pos: n.Pos}, c.popSlots(int(n.N))))
	case term.IfOp:
		c.conditional(k, n)
	case term.ConOp:
		c.yieldSlot(c.emit(graph.Instr{Op: graph.OpCon, A: uint32(c.slot(c.popValue())), Tmpl: uint32(n.Count), Else: uint32(n.Res), Pos: n.Pos}, nil))
	case term.CaseOp:
		c.match(k, n)
	case term.FixOp:
		c.closeFix(k, n)
	case term.ListOp:
		c.closeList(n)
	case term.ListFamilyOp:
		c.closeListFamily(n)
	case term.FamilyOp, term.SumOp, term.ReverseSumOp:
		if k.step == outlineStep {
			c.endInline(n)
			return
		}
		c.closeLoop(n)
	}
}

func (c *compiler) function(n *term.Node) {
	k := c.popSlots(int(n.N))
	by := rule.Function
	if n.Sym == term.Mul {
		by = rule.Times
	}
	c.operation(by)
	switch {
	case len(k) <= 2:
		c.yieldSlot(c.emit(symbolInstr(n.Sym, k[0], k[len(k)-1], n.Pos), nil))
	case c.opt.Open:
		c.yieldSlot(c.emit(graph.Instr{Op: graph.OpFunN, Sym: n.Sym, Pos: n.Pos}, k))
	default:
		c.yieldSlot(c.declared(n, k))
	}
}

// symbolInstr is the instruction of a symbol of one argument or two, or of + if it is [term.NoSymbol].
func symbolInstr(f term.Symbol, a, b slot, p term.Pos) graph.Instr {
	in := graph.Instr{Op: graph.OpFun2, Sym: f, A: uint32(a), B: uint32(b), Pos: p}
	switch {
	case f == term.NoSymbol:
		in.Op = graph.OpAdd
	case f == term.Mul:
		in.Op = graph.OpMul
	case f == term.Sub:
		in.Op = graph.OpSub
	case f.Info().Arity == 1:
		in.Op, in.B = graph.OpFun1, 0
	}
	return in
}

// declared compiles a symbol of three arguments or more to the operations that it stands for, which all forms of code have. They
// count as one.
func (c *compiler) declared(n *term.Node, k []slot) slot {
	b := c.top()
	before := len(b.code)
	number := func(r float64) slot { return c.addGlobal(graph.Global{Kind: graph.Num, Val: r}) }
	result := term.Operations(n.Sym, k, number, func(f term.Symbol, x, y slot) slot {
		in := symbolInstr(f, x, y, n.Pos)
		in.Flags = graph.Inner
		return c.emit(in, nil)
	})
	for i := range b.code[before:] {
		if in := &b.code[before+i]; in.D == uint32(result) {
			in.Flags, in.Tmpl = in.Flags&^graph.Inner, uint32(n.Sym)
		}
	}
	return result
}

// unpair opens a pair: a virtual one needs no instruction.
func (c *compiler) unpair(u operand, p term.Pos) (a, b operand) {
	if u.pair != 0 {
		v := &c.pairs[u.pair]
		return v.a, v.b
	}
	s := c.emitMany(graph.Instr{Op: graph.OpUnpair, A: uint32(u.slot), Pos: p}, 2)
	return operand{slot: s}, operand{slot: s + 1}
}

// emitMany adds an instruction with several results, in consecutive slots from first on.
func (c *compiler) emitMany(in graph.Instr, results int) (first slot) {
	b := c.top()
	ready := b.operandsReady(&in, nil)
	first = b.newLocals(results, ready, false)
	in.D = uint32(first)
	in.N = uint32(results)
	b.add(in, nil, ready)
	return first
}

func (c *compiler) untuple(n *term.Node) {
	c.openTuple(n, c.pop())
	c.push(n.A, 0)
}

// openTuple binds the variables of a node to the components of u.
func (c *compiler) openTuple(n *term.Node, u operand) {
	xs := c.t.Bound(n)
	// A virtual tuple is opened as far as it is virtual.
	for len(xs) > 1 && u.pair != 0 {
		a, b := c.unpair(u, n.Pos)
		c.bindLocal(term.Var(xs[0]), a)
		xs, u = xs[1:], b
	}
	if len(xs) == 1 {
		c.bindLocal(term.Var(xs[0]), u)
	} else {
		s := c.emitMany(graph.Instr{Op: graph.OpUntuple, A: uint32(u.slot), Pos: n.Pos}, len(xs))
		for i, x := range xs {
			c.bindLocal(term.Var(x), operand{slot: s + slot(i)})
		}
	}
	c.count(rule.Pair, uint64(n.N-1))
}

func (c *compiler) unvec(n *term.Node) {
	u := c.slot(c.popValue())
	s := c.emitMany(graph.Instr{Op: graph.OpUnvec, A: uint32(u), Pos: n.Pos}, int(n.N))
	if n.X != 0 && n.N >= term.Many && !c.opt.Open && len(c.calls) == 0 {
		c.bindMany(n.X, n.N, s)
	} else {
		c.t.Binders(n, func(x term.Var) {
			c.bindLocal(x, operand{slot: s})
			s++
		})
	}
	c.count(rule.Pair, uint64(n.N-1))
	c.push(n.A, 0)
}

// application compiles a spine f a1 … an as one.
func (c *compiler) application(r term.Ref) {
	var args []term.Ref
	f := r
	for c.t.Nodes[f].Op == term.AppOp {
		args = append(args, c.t.Nodes[f].B)
		f = c.t.Nodes[f].A
	}
	c.tasks = append(c.tasks, task{r: r, step: 1, n: uint32(len(args))})
	for _, a := range args { // the last argument first: the first is compiled first
		c.push(a, 0)
	}
	c.push(f, 0)
}

func (c *compiler) finishApplication(r term.Ref, n *term.Node, args int) {
	k := c.popSlots(args + 1)
	f, rest := k[0], k[1:]
	for len(rest) > 0 {
		m := min(len(rest), graph.MaxArgs)
		in := graph.Instr{Op: graph.OpApply, Pos: n.Pos}
		if m == len(rest) {
			in.Flags = c.oneFlag(r)
		}
		f = c.emit(in, append([]slot{f}, rest[:m]...))
		rest = rest[m:]
	}
	c.yield(operand{slot: f, late: c.lateType(r)})
}

// maxParams bounds the parameters of one template: they are bound together, by
// one application or by several.
const maxParams = 255

func (c *compiler) lambda(r term.Ref, n *term.Node) {
	if c.t.Info(n.X).Linear {
		if c.opt.Reversed {
			c.dual(n)
		} else {
			c.openDual(r, n)
		}
		return
	}
	params, body := c.parameters(r)
	c.open(c.t.Info(n.X).Name, n.Pos, params)
	c.top().typ, c.top().node = c.types[body], r
	c.push(r, 1)
	c.push(body, 0)
}

// parameters returns those of the curried λs at r, and their body.
func (c *compiler) parameters(r term.Ref) (params []term.Var, body term.Ref) {
	for b := &c.t.Nodes[r]; b.Op == term.LamOp && !c.t.Info(b.X).Linear && len(params) < maxParams; b = &c.t.Nodes[r] {
		params = append(params, b.X)
		r = b.A
	}
	return params, r
}

func (c *compiler) closeLambda(n *term.Node) {
	if c.t.Info(n.X).Linear {
		c.closeDual(n)
		return
	}
	id, captured := c.close(c.pop())
	c.closure(id, captured, n.Pos)
}

// closure yields the closure of a template.
func (c *compiler) closure(id uint32, captured []slot, p term.Pos) {
	if len(captured) == 0 {
		c.yieldSlot(c.addGlobal(graph.Global{Kind: graph.Closure, Index: id}))
		return
	}
	c.yieldSlot(c.emit(graph.Instr{Op: graph.OpClosure, Tmpl: id, Pos: p}, captured))
}

// conditional goes through the steps of an if: the sides have been compiled at
// step 1, the first branch at step 2, both at step 3.
func (c *compiler) conditional(k task, n *term.Node) {
	if c.top().loops.open() {
		c.branching(k, n)
		return
	}
	kids := c.t.Children(n)
	switch k.step {
	case 1:
		c.open("then", n.Pos, nil)
		c.top().typ, c.top().node = c.types[k.r], kids[2]
		c.push(k.r, 2)
		c.push(kids[2], 0)
	case 2:
		c.branches = append(c.branches, c.closeBranch())
		c.open("else", n.Pos, nil)
		c.top().typ, c.top().node = c.types[k.r], kids[3]
		c.push(k.r, 3)
		c.push(kids[3], 0)
	case 3:
		no := c.closeBranch()
		yes := c.branches[len(c.branches)-1]
		c.branches = c.branches[:len(c.branches)-1]
		args := c.popSlots(2)
		split := uint32(2 + len(yes.captured))
		args = append(append(args, yes.captured...), no.captured...)
		c.count(rule.Branch, 1)
		s := c.emit(graph.Instr{Op: graph.OpIf, Cmp: n.Cmp, Tmpl: yes.id, Else: no.id, Split: split, Pos: n.Pos}, args)
		c.yield(operand{slot: s, late: max(yes.late, no.late)}) // both have one type
	}
}

type closedBranch struct {
	id       uint32
	captured []slot
	late     term.Type // of its result
}

func (c *compiler) closeBranch() closedBranch {
	result := c.pop()
	id, captured := c.close(result)
	return closedBranch{id, captured, result.late}
}
