package compile

import (
	"encoding/binary"
	"math"
	"slices"

	"github.com/gram-machine/gram/graph"
	"github.com/gram-machine/gram/rule"
	"github.com/gram-machine/gram/term"
)

// dualBuilder is the body of a dual λa.Σ xi*(ti) in the making.
type dualBuilder struct {
	heads  []slot
	nums   []slot
	reg    map[term.Var]uint32 // of a, of a captured number, of a variable of a let
	code   []graph.LinInstr
	regs   uint32
	counts rule.Counts
	stack  []term.Ref
	ready  []bool   // of the nodes on the stack: their parts have been compiled
	vals   []uint32 // registers of finished subterms
}

// dual compiles λa.u, for u as D and its normal forms have it: 0⃗, or a sum of
// applications xi*(ti) under lets, where ti is arithmetic on a, on numbers and on the
// lets' variables.
func (c *compiler) dual(n *term.Node) {
	b := &dualBuilder{reg: map[term.Var]uint32{n.X: 0}}
	c.numbers(b, n.A)
	for stack, visited := []term.Ref{n.A}, 1; len(stack) > 0 && c.check(visited); visited++ {
		k := &c.t.Nodes[stack[len(stack)-1]]
		stack = stack[:len(stack)-1]
		switch k.Op {
		case term.ZeroOp:
		case term.AddOp:
			stack = append(stack, k.B, k.A)
		case term.LetOp:
			by := rule.GC
			if c.t.Info(k.X).Linear {
				by = rule.Lin
			}
			b.counts[by]++
			b.reg[k.X] = c.arithmetic(b, k.B)
			stack = append(stack, k.A)
		case term.AppOp:
			head := &c.t.Nodes[k.A]
			if head.Op != term.VarOp {
				c.fail(head.Pos, "this linear function cannot be compiled")
				return
			}
			b.counts[rule.Subst]++
			b.heads = append(b.heads, c.slot(c.variable(head.X)))
			c.summand(b, k.B)
		default:
			c.fail(k.Pos, "this linear function cannot be compiled")
			return
		}
	}
	c.yieldSlot(c.emitDual(n.Pos, b))
}

// summand compiles the argument of the last head. A product arrives as it is made.
func (c *compiler) summand(b *dualBuilder, arg term.Ref) {
	in := graph.LinInstr{Op: graph.LinArrive, D: uint32(len(b.heads) - 1)}
	if k := &c.t.Nodes[arg]; k.Op == term.FunOp && k.Sym == term.Mul {
		kids := c.t.Children(k)
		in.Op, in.A, in.B = graph.LinScale, c.arithmetic(b, kids[0]), c.arithmetic(b, kids[1])
		b.counts[rule.Times]++
	} else {
		in.A = c.arithmetic(b, arg)
	}
	b.code = append(b.code, in)
}

// numbers gives each number that the body captures a register: they follow register 0,
// which holds a.
func (c *compiler) numbers(b *dualBuilder, body term.Ref) {
	stack := []term.Ref{body}
	for visited := 1; len(stack) > 0 && c.check(visited); visited++ {
		k := &c.t.Nodes[stack[len(stack)-1]]
		stack = stack[:len(stack)-1]
		switch k.Op {
		case term.AddOp, term.AppOp, term.LetOp:
			stack = append(stack, k.B, k.A)
		case term.FunOp:
			stack = append(stack, c.t.Children(k)...)
		case term.VarOp:
			if c.t.TypeOf(k.X) != term.R || !c.bound(k.X) {
				continue
			}
			if _, ok := b.reg[k.X]; !ok {
				b.nums = append(b.nums, c.slot(c.variable(k.X)))
				b.reg[k.X] = uint32(len(b.nums))
			}
		}
	}
	b.regs = uint32(1 + len(b.nums))
}

// arithmetic compiles a number of the body, and returns its register.
func (c *compiler) arithmetic(b *dualBuilder, r term.Ref) uint32 {
	stack, done := append(b.stack[:0], r), append(b.ready[:0], false)
	for visited := 1; len(stack) > 0; visited++ {
		if !c.check(visited) {
			return 0
		}
		last := len(stack) - 1
		r, ready := stack[last], done[last]
		stack, done = stack[:last], done[:last]
		n := &c.t.Nodes[r]
		if kids := c.parts(n); !ready && len(kids) > 0 {
			stack, done = append(stack, r), append(done, true)
			for i := len(kids) - 1; i >= 0; i-- {
				stack, done = append(stack, kids[i]), append(done, false)
			}
			continue
		}
		b.vals = append(b.vals, c.operate(b, n))
	}
	b.stack, b.ready = stack, done
	v := b.vals[0]
	b.vals = b.vals[:0]
	return v
}

// parts returns the operands of an operation.
func (c *compiler) parts(n *term.Node) []term.Ref {
	switch n.Op {
	case term.FunOp:
		return c.t.Children(n)
	case term.AddOp:
		return []term.Ref{n.A, n.B}
	}
	return nil
}

// operate compiles a variable, a numeral, or an operation on the last values.
func (c *compiler) operate(b *dualBuilder, n *term.Node) uint32 {
	in := graph.LinInstr{Sym: n.Sym}
	by := rule.Function
	switch n.Op {
	case term.VarOp:
		if !c.t.Info(n.X).Linear {
			b.counts[rule.SubstNumeral]++
		}
		return b.reg[n.X]
	case term.NumOp:
		return b.emit(graph.LinInstr{Op: graph.LinConst, Val: n.Val})
	case term.AddOp:
		by = rule.Plus
	case term.FunOp:
		if n.Sym == term.Mul {
			by = rule.Times
		}
	default:
		c.fail(n.Pos, "this linear function cannot be compiled")
		return 0
	}
	b.counts[by]++
	in.Op = linOperation(n.Sym)
	from := len(b.vals) - len(c.parts(n))
	x := b.vals[from:]
	b.vals = b.vals[:from]
	switch {
	case len(x) <= 2:
		in.A, in.B = x[0], x[len(x)-1]
		return b.emit(in)
	case c.opt.Open:
		in.Op, in.Args = graph.LinFunN, slices.Clone(x)
		return b.emit(in)
	}
	number := func(r float64) uint32 { return b.emit(graph.LinInstr{Op: graph.LinConst, Val: r}) }
	return term.Operations(n.Sym, x, number, func(f term.Symbol, x, y uint32) uint32 {
		return b.emit(graph.LinInstr{Op: linOperation(f), Sym: f, A: x, B: y})
	})
}

// emit adds an instruction that sets a register of its own, and returns that.
func (b *dualBuilder) emit(in graph.LinInstr) uint32 {
	in.D = b.regs
	b.code = append(b.code, in)
	b.regs++
	return in.D
}

// linOperation is the operation of a symbol of one argument or two, or of + if it is [term.NoSymbol].
func linOperation(f term.Symbol) graph.LinOp {
	switch {
	case f == term.NoSymbol:
		return graph.LinAdd
	case f == term.Mul:
		return graph.LinMul
	case f.Info().Arity == 1:
		return graph.LinFun1
	}
	return graph.LinFun2
}

// emitDual emits the instruction that makes the dual. But for λa.0⃗ it is named by a variable d that
// (4) collects.
func (c *compiler) emitDual(p term.Pos, b *dualBuilder) slot {
	if !b.isNull() {
		c.generated(rule.GC, 1)
	}
	return c.emit(graph.Instr{Op: graph.OpDual, Tmpl: c.newDual(p, b), Pos: p}, append(b.heads, b.nums...))
}

// newDual adds the dual to the program. Its body is shared with other duals of
// the same code.
func (c *compiler) newDual(p term.Pos, b *dualBuilder) uint32 {
	key := bodyKey(len(b.heads), len(b.nums), b.code)
	body, ok := c.bodies[key]
	if !ok {
		body = uint32(len(c.out.Bodies))
		c.bodies[key] = body
		// The firing itself: (3) puts the λ in place, (1) applies it, (5) binds a. Of λa.0⃗ the (3) is that of the head which arrives.
		if !b.isNull() {
			b.counts[rule.Subst]++
		}
		b.counts[rule.Lambda]++
		b.counts[rule.Lin]++
		regs := max(1, b.regs)
		c.out.LinRegs = max(c.out.LinRegs, regs)
		c.out.Bodies = append(c.out.Bodies, graph.DualBody{Heads: uint32(len(b.heads)), Nums: uint32(len(b.nums)), Regs: regs,
			Code: b.code, Counts: b.counts, Steps: b.counts.Total(), Instantiate: uint64(len(b.code))})
	}
	if len(c.out.Duals) >= graph.MaxIndex {
		c.fail(p, "more than %d dual functions", graph.MaxIndex)
	}
	c.out.Duals = append(c.out.Duals, graph.Dual{Pos: p, Body: body, Inlined: c.inlined})
	return uint32(len(c.out.Duals) - 1)
}

// isNull reports whether the body is that of λa.0⃗.
func (b *dualBuilder) isNull() bool { return len(b.heads)+len(b.nums)+len(b.code) == 0 }

// bodyKey identifies the code of a body.
func bodyKey(heads, nums int, code []graph.LinInstr) string {
	key := make([]byte, 0, 16*len(code)+8)
	key = binary.LittleEndian.AppendUint32(key, uint32(heads))
	key = binary.LittleEndian.AppendUint32(key, uint32(nums))
	for _, in := range code {
		key = append(key, byte(in.Op), byte(in.Sym), byte(in.Sym>>8))
		key = binary.LittleEndian.AppendUint32(key, in.D)
		key = binary.LittleEndian.AppendUint32(key, in.A)
		key = binary.LittleEndian.AppendUint32(key, in.B)
		key = binary.LittleEndian.AppendUint64(key, math.Float64bits(in.Val))
		key = binary.LittleEndian.AppendUint32(key, uint32(len(in.Args)))
		for _, x := range in.Args {
			key = binary.LittleEndian.AppendUint32(key, x)
		}
	}
	return string(key)
}
