package compile

import (
	"fmt"

	"github.com/gram-machine/gram/graph"
	"github.com/gram-machine/gram/rule"
	"github.com/gram-machine/gram/term"
)

// This file compiles dual λs that are written by hand, and the sums that their
// applications stand in. A maximal sum is one job of the machine, and (11) looks at all
// of it; but where it ends is known only when the program runs: the result of a call or
// of a branch is a summand of the sum that the call stands in. So a sum is put off: its
// operand is late, up to the first place that needs its value, an argument, a factor, a
// let, where OpJob runs it.
//
// Late are a sum with a late side, an application of a dual, a call and a conditional of
// a type R^d. The arguments of a dual and the components of a vector are late in turn:
// (11) adds the ones, (7) the others.

// arriveStep is the step of an application of a dual whose parts have been compiled.
const arriveStep = 2

// findLinear looks for linear variables and for sums of vectors: without them no sum is
// late.
func (c *compiler) findLinear() {
	if c.opt.Reversed {
		return
	}
	for r := range c.t.Nodes {
		n := &c.t.Nodes[r]
		what := ""
		switch {
		case c.types[r] == 0: // not under the root
		case n.Op == term.LamOp && c.t.Info(n.X).Linear, n.Op == term.LetOp && c.t.Info(n.X).Linear:
			what = "linear variables of its own"
		case n.Op == term.AddOp && c.types[r] != term.R:
			what = "a sum of vectors"
		}
		if what == "" {
			continue
		}
		c.late, c.out.Late = true, true
		if c.opt.Open {
			c.unsupported(n.Pos, "a program with "+what+" has no computational graph")
		}
	}
}

// summable reports whether sums of the type can be late: those of R, of a vector of
// numbers, and of the abstract R^d.
func (c *compiler) summable(t term.Type) bool {
	tt := c.t.Types
	return t == term.R || tt.Kind(t) == term.EuclidKind || tt.Kind(t) == term.VecKind && tt.Left(t) == term.R
}

// lateType is the type of node r if its value may be a late sum, 0 if it is not.
func (c *compiler) lateType(r term.Ref) term.Type {
	if !c.late || !c.summable(c.types[r]) {
		return 0
	}
	return c.types[r]
}

// oneFlag is graph.One if node r is late and a vector of one component.
func (c *compiler) oneFlag(r term.Ref) uint8 { return c.one(c.lateType(r)) }

func (c *compiler) one(t term.Type) uint8 {
	if tt := c.t.Types; t != 0 && tt.Kind(t) == term.VecKind && tt.Len(t) == 1 {
		return graph.One
	}
	return 0
}

// value returns op as a value: a late one is run by a job.
func (c *compiler) value(op operand) operand {
	if op.late == 0 {
		return op
	}
	b := c.top()
	pos := b.code[b.locals.of(uint32(op.slot&indexMask)).at].Pos
	return operand{slot: c.emit(graph.Instr{Op: graph.OpJob, A: uint32(op.slot), Flags: c.one(op.late), Pos: pos}, nil)}
}

// bindLet binds the variable of a let. A linear one counts (5). One that stands for a
// dual λ is its name, and has been counted with it.
func (c *compiler) bindLet(n *term.Node) {
	u := c.popValue()
	switch k := &c.t.Nodes[n.B]; {
	case c.t.Info(n.X).Linear:
		c.bind(n.X, u)
		c.count(rule.Lin, 1)
	case k.Op == term.LamOp && c.t.Info(k.X).Linear:
		c.bind(n.X, u)
		c.vars[n.X].name = true
	default:
		if len(c.t.Statics) > 0 && !c.top().loops.open() && c.isKnown(k) {
			c.knowns = append(c.knowns, known{r: n.B, indices: c.indices})
			u.also = uint32(len(c.knowns))
		}
		c.bindLocal(n.X, u)
	}
}

func (c *compiler) isDualApplication(n *term.Node) bool {
	return c.late && c.t.Types.Kind(c.types[n.A]) == term.DualKind
}

// arrive compiles an application of a dual.
func (c *compiler) arrive(r term.Ref, n *term.Node) {
	arg := c.slot(c.pop())
	dual := c.slot(c.pop())
	s := c.emit(graph.Instr{Op: graph.OpArrive, A: uint32(dual), B: uint32(arg), Pos: n.Pos}, nil)
	c.yield(operand{slot: s, late: c.lateType(r)})
}

// putsOff reports whether the sum r is late: one of numbers that are values is not.
func (c *compiler) putsOff(r term.Ref) bool {
	return c.late && (c.types[r] != term.R || c.anyLate(2))
}

// anyLate reports whether one of the results of the last n tasks is late.
func (c *compiler) anyLate(n int) bool {
	for _, v := range c.vals[len(c.vals)-n:] {
		if v.late != 0 {
			return true
		}
	}
	return false
}

// sum compiles a late sum.
func (c *compiler) sum(r term.Ref, n *term.Node) {
	if !c.summable(c.types[r]) {
		c.unsupported(n.Pos, fmt.Sprintf("a sum of type %s has no code", c.t.Types.String(c.types[r])))
	}
	b := c.slot(c.pop())
	a := c.slot(c.pop())
	s := c.emit(graph.Instr{Op: graph.OpSum, A: uint32(a), B: uint32(b), Pos: n.Pos}, nil)
	c.yield(operand{slot: s, late: c.types[r]})
}

// vector compiles a vector, of numbers with late components.
func (c *compiler) vector(r term.Ref, n *term.Node) {
	in := graph.Instr{Op: graph.OpVec, Pos: n.Pos}
	late := c.anyLate(int(n.N)) && c.summable(c.types[r])
	if !late {
		c.yieldSlot(c.emit(in, c.popSlots(int(n.N))))
		return
	}
	in.Flags = graph.Late
	comps := make([]slot, n.N)
	for i := range comps {
		comps[len(comps)-1-i] = c.slot(c.pop())
	}
	c.yield(operand{slot: c.emit(in, comps), late: c.types[r]})
}

// openDual begins a dual λa.u: a template with the parameter a.
func (c *compiler) openDual(r term.Ref, n *term.Node) {
	c.open(c.t.Info(n.X).Name, n.Pos, []term.Var{n.X})
	c.top().node = r
	c.push(r, 1)
	c.push(n.A, 0)
}

// closeDual ends it. A run of its body is a firing: (3) puts the λ in place of its name,
// (1) applies it, (5) binds a. The name counts one (4).
func (c *compiler) closeDual(n *term.Node) {
	c.count(rule.Subst, 1)
	c.count(rule.Lambda, 1)
	c.count(rule.Lin, 1)
	id, captured := c.close(c.pop())
	c.count(rule.GC, 1)
	c.yieldSlot(c.emit(graph.Instr{Op: graph.OpLin, Tmpl: id, Pos: n.Pos}, captured))
}
