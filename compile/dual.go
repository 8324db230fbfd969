package compile

import (
	"encoding/binary"
	"math"

	"github.com/gram-machine/gram/graph"
	"github.com/gram-machine/gram/term"
)

// dualBuilder is the body of a dual λa.Σ xi*(ti) in the making.
type dualBuilder struct {
	heads  []slot
	nums   []slot
	numOf  map[term.Var]uint16 // register of a captured number
	code   []graph.LinInstr
	regs   uint16
	counts graph.Counts
}

// dual compiles λa.u, for u as D makes it: a sum of applications xi*(ti), where ti
// is a or a product of a with a number, a variable or a symbol of F′ applied to
// variables; or 0⃗.
func (c *compiler) dual(n *term.Node) {
	b := &dualBuilder{numOf: map[term.Var]uint16{}}
	c.numbers(b, n.A)
	stack := []term.Ref{n.A}
	for len(stack) > 0 {
		r := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		k := &c.t.Nodes[r]
		switch k.Op {
		case term.ZeroOp:
		case term.AddOp:
			stack = append(stack, k.B, k.A)
		case term.AppOp:
			head := &c.t.Nodes[k.A]
			b.counts[graph.Subst]++
			b.heads = append(b.heads, c.slot(c.variable(head.X)))
			c.summand(b, n.X, k.B)
		default:
			c.fail(k.Pos, "this linear function cannot be compiled")
			return
		}
	}
	c.yieldSlot(c.emitDual(n.Pos, b))
}

// summand compiles the argument of the last head. A product arrives as it is made.
func (c *compiler) summand(b *dualBuilder, a term.Var, arg term.Ref) {
	in := graph.LinInstr{Op: graph.LinArrive, D: uint16(len(b.heads) - 1)}
	if k := &c.t.Nodes[arg]; k.Op == term.FunOp && k.Sym == term.Mul {
		kids := c.t.Children(k)
		in.Op, in.A, in.B = graph.LinScale, c.linear(b, a, kids[0]), c.linear(b, a, kids[1])
		b.counts[graph.Times]++
	} else {
		in.A = c.linear(b, a, arg)
	}
	b.code = append(b.code, in)
}

// numbers gives each variable of type R in the body a register: they follow
// register 0, which holds a.
func (c *compiler) numbers(b *dualBuilder, body term.Ref) {
	stack := []term.Ref{body}
	for len(stack) > 0 {
		k := &c.t.Nodes[stack[len(stack)-1]]
		stack = stack[:len(stack)-1]
		switch k.Op {
		case term.AddOp, term.AppOp:
			stack = append(stack, k.B, k.A)
		case term.FunOp:
			stack = append(stack, c.t.Children(k)...)
		case term.VarOp:
			v := &c.t.Vars[k.X]
			if v.Linear || v.Type != term.R {
				continue
			}
			if _, ok := b.numOf[k.X]; !ok {
				b.nums = append(b.nums, c.slot(c.variable(k.X)))
				b.numOf[k.X] = uint16(len(b.nums))
			}
		}
	}
	b.regs = uint16(1 + len(b.nums))
}

// linear compiles an argument of a dual in a body, and returns its register. The
// arguments that D makes are three deep.
func (c *compiler) linear(b *dualBuilder, a term.Var, r term.Ref) uint16 {
	n := &c.t.Nodes[r]
	switch n.Op {
	case term.VarOp:
		if n.X == a {
			return 0
		}
		b.counts[graph.SubstNumeral]++
		return b.numOf[n.X]
	case term.NumOp:
		b.code = append(b.code, graph.LinInstr{Op: graph.LinConst, D: b.regs, Val: n.Val})
	case term.FunOp:
		in := graph.LinInstr{Sym: n.Sym}
		kids := c.t.Children(n)
		in.A = c.linear(b, a, kids[0])
		if len(kids) > 1 {
			in.B = c.linear(b, a, kids[1])
		}
		switch {
		case n.Sym == term.Mul:
			in.Op = graph.LinMul
			b.counts[graph.Times]++
		case len(kids) == 1:
			in.Op = graph.LinFun1
			b.counts[graph.Function]++
		default:
			in.Op = graph.LinFun2
			b.counts[graph.Function]++
		}
		in.D = b.regs
		b.code = append(b.code, in)
	default:
		c.fail(n.Pos, "this linear function cannot be compiled")
	}
	b.regs++
	return b.regs - 1
}

// emitDual emits the instruction that makes the dual, named by a variable d that
// (4) collects.
func (c *compiler) emitDual(p term.Pos, b *dualBuilder) slot {
	c.count(graph.GC, 1)
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
		// The firing itself: (3) puts the λ in place, (1) applies it, (5) binds a.
		b.counts[graph.Subst]++
		b.counts[graph.Lambda]++
		b.counts[graph.Lin]++
		regs := max(1, uint32(b.regs))
		c.out.LinRegs = max(c.out.LinRegs, regs)
		c.out.Bodies = append(c.out.Bodies, graph.DualBody{Heads: uint32(len(b.heads)), Nums: uint32(len(b.nums)), Regs: regs,
			Code: b.code, Counts: b.counts, Steps: b.counts.Total(), Instantiate: uint64(len(b.code))})
	}
	if len(c.out.Duals) >= graph.MaxIndex {
		c.fail(p, "more than %d dual functions", graph.MaxIndex)
	}
	c.out.Duals = append(c.out.Duals, graph.Dual{Pos: p, Body: body})
	return uint32(len(c.out.Duals) - 1)
}

// bodyKey identifies the code of a body.
func bodyKey(heads, nums int, code []graph.LinInstr) string {
	key := make([]byte, 0, 16*len(code)+8)
	key = binary.LittleEndian.AppendUint32(key, uint32(heads))
	key = binary.LittleEndian.AppendUint32(key, uint32(nums))
	for _, in := range code {
		key = append(key, byte(in.Op), byte(in.Sym))
		key = binary.LittleEndian.AppendUint16(key, in.D)
		key = binary.LittleEndian.AppendUint16(key, in.A)
		key = binary.LittleEndian.AppendUint16(key, in.B)
		key = binary.LittleEndian.AppendUint64(key, math.Float64bits(in.Val))
	}
	return string(key)
}
