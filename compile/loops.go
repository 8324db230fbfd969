package compile

import (
	"math"
	"slices"

	"github.com/gram-machine/gram/compile/block"
	"github.com/gram-machine/gram/graph"
	"github.com/gram-machine/gram/rule"
	"github.com/gram-machine/gram/term"
)

// loops are those of a template with families.
type loops struct {
	block.Families
	around []int      // those that are open, the outermost first
	nodes  []term.Ref // of all
	of     map[term.Index]int
	sides  []side // the branches of conditionals that are open
}

// side is a branch of a conditional in a loop: its own steps, in one of so many instances.
type side struct {
	number  int
	pos     term.Pos
	steps   placedCounts
	times   uint64
	tallies tallies
}

// closeSide ends the branch that was opened last. Its steps are those of a template without code.
func (c *compiler) closeSide(p term.Pos) {
	l := &c.top().loops
	last := len(l.sides) - 1
	s := &l.sides[last]
	c.emitTally(&s.tallies, p)
	l.Sides[s.number] = uint32(len(c.out.Templates))
	c.out.Templates = append(c.out.Templates, graph.Template{Name: "branch", Pos: p, Counts: s.steps.counts, Steps: s.steps.counts.Total(), Places: s.steps.places, RootAt: graph.NoRoot})
	c.slotTypes, c.nodes = append(c.slotTypes, nil), append(c.nodes, 0)
	l.sides = l.sides[:last]
}

func (l *loops) open() bool { return len(l.around) > 0 }

// times is how many instances what is compiled now has in a run of the template.
func (l *loops) times() uint64 {
	if !l.open() {
		return 1
	}
	return l.All[l.around[len(l.around)-1]].Times
}

// inLoops reports whether a node may stand in a family of a block.
func (c *compiler) inLoops(r term.Ref) bool {
	n := &c.t.Nodes[r]
	switch n.Op {
	case term.IfOp:
		return !c.opt.Plain
	case term.AppOp:
		return !c.opt.Plain && !c.isDualApplication(n)
	case term.DataOp:
		return c.t.Data[n.A].List
	case term.ConOp, term.CaseOp, term.FixOp:
		return false
	case term.LamOp:
		return c.opt.Reversed || c.isFunction(n)
	}
	return true
}

// branching goes through the steps of an if in a loop, as [compiler.conditional] does. Its branches are in the code of the template.
func (c *compiler) branching(k task, n *term.Node) {
	kids := c.t.Children(n)
	l := &c.top().loops
	switch k.step {
	case 1:
		c.count(rule.Branch, 1)
		s := c.popSlots(2)
		c.emit(graph.Instr{Op: graph.OpTest, Cmp: n.Cmp, A: uint32(s[0]), B: uint32(s[1]), Tmpl: uint32(len(l.Sides)), Pos: n.Pos}, nil)
	case 2:
		c.yieldSlot(c.slot(c.popValue()))
		c.closeSide(n.Pos)
		c.emit(graph.Instr{Op: graph.OpElse, Tmpl: uint32(len(l.Sides)), Pos: n.Pos}, nil)
	case 3:
		s := c.popSlots(2)
		c.closeSide(n.Pos)
		c.yieldSlot(c.emit(graph.Instr{Op: graph.OpJoin, A: uint32(s[0]), B: uint32(s[1]), Pos: n.Pos}, nil))
		return
	}
	l.sides = append(l.sides, side{number: len(l.Sides), pos: n.Pos, times: l.times()})
	l.Sides = append(l.Sides, 0)
	c.push(k.r, k.step+1)
	c.push(kids[k.step+1], 0)
}

// openLoop begins a family or sum.
func (c *compiler) openLoop(r term.Ref, n *term.Node) {
	l := &c.top().loops
	s, ok := c.affine(n.Static())
	size := s.Base
	for _, k := range s.Coef {
		ok = ok && k == 0
	}
	// A sum is folded over many more instances than a family of one component.
	if !ok || size < 2 || c.opt.Open && c.opt.Reversed || l.times() > math.MaxInt32/uint64(size) {
		c.unheld()
		c.yieldSlot(0)
		return
	}
	if l.of == nil {
		l.of = map[term.Index]int{}
	}
	id := len(l.All)
	l.of[n.Index()] = id
	l.All = append(l.All, block.Loop{Size: size, Sum: n.Op != term.FamilyOp, Times: l.times() * uint64(size)})
	l.nodes = append(l.nodes, r)
	l.around = append(l.around, id)
	c.emit(graph.Instr{Op: graph.OpLoop, Tmpl: uint32(id), Pos: n.Pos}, nil)
	c.push(r, 1)
	c.push(n.A, 0)
}

// closeLoop ends the loop that was opened last.
func (c *compiler) closeLoop(n *term.Node) {
	l := &c.top().loops
	id := l.around[len(l.around)-1]
	in := graph.Instr{Op: graph.OpFamily, Tmpl: uint32(id), Pos: n.Pos}
	v := c.popValue()
	if n.Op == term.FamilyOp {
		in.A = uint32(c.slot(v))
		l.around = l.around[:len(l.around)-1]
		c.yieldSlot(c.emit(in, nil))
		return
	}
	in.Op = graph.OpTotal
	additions := uint64(l.All[id].Size - 1)
	in.Sym = n.Sym
	by := rule.Plus
	if n.Sym != term.NoSymbol {
		by = rule.Function
	}
	if n.Op == term.SumOp {
		in.A = uint32(c.slot(v))
		in.B = in.A
		l.around = l.around[:len(l.around)-1]
		c.operations(by, additions)
		c.yieldSlot(c.emit(in, nil))
		return
	}
	a, b := c.unpair(v, n.Pos)
	in.A, in.B = uint32(c.slot(a)), uint32(c.slot(b))
	l.around = l.around[:len(l.around)-1]
	// Each addition is D(t+u): it opens two pairs, names its dual λ, and adds. So it is for a symbol.
	c.generated(rule.Pair, 2*additions)
	c.generated(rule.GC, (4+1)*additions)
	c.generated(rule.SubstNumeral, 2*additions)
	c.count(by, additions)
	dual := &dualBuilder{heads: make([]slot, 2), regs: 1, code: []graph.LinInstr{{Op: graph.LinArrive}, {Op: graph.LinArrive, D: 1}}}
	dual.counts[rule.Subst] = 2
	if n.Sym != term.NoSymbol {
		c.slopes(dual, n.Sym)
	}
	in.Else = c.newDual(n.Pos, dual)
	k := c.emitMany(in, 2)
	c.yield(c.newPair(operand{slot: k}, operand{slot: k + 1}, n.Pos))
}

// slopes makes the body of the dual of f(x,y), where both slopes of f are functions: [compiler.dual] finds y before x.
func (c *compiler) slopes(b *dualBuilder, f term.Symbol) {
	const y, x = 1, 2
	b.nums, b.regs, b.code = make([]slot, 2), 5, nil
	for i, partial := range f.Info().Partials {
		slope := uint32(3 + i)
		b.code = append(b.code, graph.LinInstr{Op: graph.LinFun2, Sym: partial.Fun, D: slope, A: x, B: y}, graph.LinInstr{Op: graph.LinScale, D: uint32(i), A: slope})
	}
	b.counts[rule.SubstNumeral], b.counts[rule.Function], b.counts[rule.Times] = 4, 2, 2
}

// affine returns a static expression as one that is affine in the loops, if it is.
func (c *compiler) affine(e term.Static) (a block.Affine, ok bool) {
	l := &c.top().loops
	n := &c.t.Statics[e]
	switch n.Op {
	case term.StaticNum:
		return block.Affine{Base: int(n.Val)}, n.Val == math.Trunc(n.Val) && math.Abs(n.Val) < math.MaxInt32
	case term.StaticIndex:
		if v, ok := c.indices[n.Index]; ok {
			return block.Affine{Base: int(v)}, true
		}
		id, ok := l.of[n.Index]
		a.Coef = make([]int, len(l.All))
		if ok {
			a.Coef[id] = 1
		}
		return a, ok
	case term.StaticAdd, term.StaticSub, term.StaticMul:
	default:
		return a, false
	}
	x, okX := c.affine(n.A)
	y, okY := c.affine(n.B)
	if !okX || !okY {
		return a, false
	}
	switch n.Op {
	case term.StaticAdd:
		return x.Plus(y, 1), true
	case term.StaticSub:
		return x.Plus(y, -1), true
	}
	if y.Constant() {
		return block.Affine{}.Plus(x, y.Base), true
	}
	return block.Affine{}.Plus(y, x.Base), x.Constant()
}

// selected compiles x_e: the operands of the variables are slots at equal distances.
func (c *compiler) selected(n *term.Node) operand {
	if !c.top().loops.open() && c.ofList(n.Static()) {
		return c.selectedOf(n)
	}
	e, ok := c.affine(n.Static())
	if !ok || c.opt.Open && c.opt.Reversed || !c.top().loops.open() {
		c.unheld()
		return operand{}
	}
	l := &c.top().loops
	l.Indices = append(l.Indices, e)
	in := graph.Instr{Op: graph.OpComponent, N: n.N, Tmpl: uint32(len(l.Indices) - 1), Pos: n.Pos}
	part := func(of func(operand) operand) slot {
		first := of(c.variable(n.X)).slot
		stride := slot(1)
		for j := uint32(0); j < n.N; j = c.nextIn(n, j) {
			s := of(c.variable(n.X + term.Var(j))).slot
			if j == 1 {
				stride = s - first
			}
			if s != first+slot(j)*stride {
				c.unheld()
				return 0
			}
		}
		in.A, in.Split = uint32(first), uint32(stride)
		return c.emit(in, nil)
	}
	if first, ok := c.inputRange(n.X, int(n.N)); ok {
		slot0, stride := c.out.InputSlot(first)
		in.A, in.Split = slot0, stride
		a := operand{slot: c.emit(in, nil)}
		if !c.opt.Reversed {
			return a
		}
		in.A++
		return c.newPair(a, operand{slot: c.emit(in, nil)}, n.Pos)
	}
	op := c.variable(n.X)
	if m := c.among(n.X); m != nil && n.X+term.Var(n.N) <= m.end && m.depth == c.depth() {
		in.A, in.Split = uint32(op.slot), 1
		return operand{slot: c.emit(in, nil)}
	}
	if op.pair == 0 {
		for j := uint32(0); j < n.N; j = c.nextIn(n, j) {
			if c.variable(n.X+term.Var(j)).pair != 0 {
				c.unheld()
				return operand{}
			}
		}
		return operand{slot: part(func(o operand) operand { return o })}
	}
	for j := range n.N {
		o := c.variable(n.X + term.Var(j))
		if p := &c.pairs[o.pair]; o.pair == 0 || p.a.pair != 0 || p.b.pair != 0 {
			c.unheld()
			return operand{}
		}
	}
	a := part(func(o operand) operand { return c.pairs[o.pair].a })
	b := part(func(o operand) operand { return c.pairs[o.pair].b })
	return c.newPair(operand{slot: a}, operand{slot: b}, n.Pos)
}

// nextIn returns the variable of a component that is looked at behind number j. Of those that have been bound together, it is the last one.
func (c *compiler) nextIn(n *term.Node, j uint32) uint32 {
	if m := c.among(n.X + term.Var(j)); j > 0 && m != nil && m.depth == c.depth() {
		return max(j+1, min(n.N, uint32(m.end-n.X))-1)
	}
	return j + 1
}

// inputRange reports whether n variables from x on are inputs, in order, and returns the first of them.
func (c *compiler) inputRange(x term.Var, n int) (first int, ok bool) {
	if !c.inOrder || x < c.opt.Inputs[0] {
		return 0, false
	}
	first = int(x - c.opt.Inputs[0])
	return first, first+n <= len(c.opt.Inputs)
}

// maxTable bounds the values of a numeral that depends on indices.
const maxTable = 1 << 22

// indexNum compiles the numeral that a static expression is.
func (c *compiler) indexNum(e term.Static, p term.Pos) slot {
	l := &c.top().loops
	uses := slices.DeleteFunc(c.t.IndicesOf(e), func(i term.Index) bool { _, ok := c.indices[i]; return ok })
	if c.ofList(e) {
		return c.ofIndex(e, p)
	}
	if slices.ContainsFunc(uses, func(i term.Index) bool { _, ok := l.of[i]; return !ok }) {
		c.unheld()
		return 0
	}
	at := make([]float64, len(c.t.Indices))
	for i, v := range c.indices {
		at[i] = v
	}
	if len(uses) == 0 {
		return c.number(c.t.Value(e, at))
	}
	var table block.IndexTable
	times := 1
	for _, id := range l.around {
		if slices.ContainsFunc(uses, func(i term.Index) bool { return l.of[i] == id }) {
			table.Loops = append(table.Loops, id)
			times *= l.All[id].Size
		}
	}
	if times > maxTable {
		c.unheld()
		return 0
	}
	var fill func(k int)
	fill = func(k int) {
		if k == len(table.Loops) {
			table.Values = append(table.Values, c.t.Value(e, at))
			return
		}
		for i := range l.All[table.Loops[k]].Size {
			for index, id := range l.of {
				if id == table.Loops[k] {
					at[index] = float64(i)
				}
			}
			fill(k + 1)
		}
	}
	fill(0)
	l.Numbers = append(l.Numbers, table)
	return c.emit(graph.Instr{Op: graph.OpIndexNum, Tmpl: uint32(len(l.Numbers) - 1), Pos: p}, nil)
}
