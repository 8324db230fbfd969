package lower

import (
	"github.com/gram-machine/gram/engine/ir"
	"github.com/gram-machine/gram/term"
)

// This file has folds into a function that gets its arguments at once, as fold (fun x g -> fun y -> g (s y x)) h l a.
// If each function of the fold ends with the application of the next one, g, then no closure is needed: the fold is a
// loop from the first element to the last, which carries the arguments, y, and behind which h gets them. Its steps
// are those of making all functions and of applying each once.

// links is how many arguments the functions have of which f, a function of elements and of the next function, makes a
// chain, 0: it makes none. elements says that f takes elements: a numeral has none.
func (c *compiler) links(f *value, elements bool) (n int) {
	if f.kind != lambda || f.shared || c.places != nil {
		return 0
	}
	k, uses := c.behind(f, elements), uint32(0)
	if k == nil {
		return 0
	}
	if n, ok := c.linked(k.A, k.X, 0, -1, &uses); ok && uses == c.uses[k.X] {
		return n
	}
	return 0
}

// behind is the λ of a function f of a fold that gets what the elements behind make, nil if there is none.
func (c *compiler) behind(f *value, elements bool) *term.Node {
	r := f.node
	if elements {
		for r = c.t.Nodes[r].A; c.t.Nodes[r].Op.Opens(); { // the element is taken apart
			r = c.t.Nodes[r].A
		}
	}
	if c.t.Nodes[r].Op != term.LamOp {
		return nil
	}
	return &c.t.Nodes[r]
}

// linked reports whether each way through a term binds arguments, as many as others, of which bound have been, and
// ends with the application of next to as many. It counts these.
func (c *compiler) linked(r term.Ref, next term.Var, bound, n int, uses *uint32) (args int, ok bool) {
	for {
		k := &c.t.Nodes[r]
		switch k.Op {
		case term.LetOp, term.UntupleOp, term.UnvecOp:
			r = k.A
		case term.LamOp:
			r, bound = k.A, bound+1
		case term.IfOp:
			kids := c.t.Children(k)
			if n, ok = c.linked(kids[2], next, bound, n, uses); !ok {
				return 0, false
			}
			r = kids[3]
		case term.AppOp:
			given := 0
			for ; c.t.Nodes[r].Op == term.AppOp; r = c.t.Nodes[r].A {
				given++
			}
			*uses++
			head := &c.t.Nodes[r]
			return bound, head.Op == term.VarOp && head.X == next && given == bound && (n < 0 || n == bound)
		default:
			return 0, false
		}
	}
}

// chain makes the loop of a fold of f and x whose functions get args.
func (c *compiler) chain(size ir.Reg, some bool, f, x *value, args []*value, element func(i ir.Reg) *value) *value {
	c.occurrence(x.typ, false)
	carried := make([]*value, len(args))
	for k, a := range args {
		carried[k] = c.fresh(a.typ)
	}
	regs := c.flatten(carried...)
	c.move(regs, c.flatten(args...))
	c.forward(size, 0, some, func(i ir.Reg) {
		c.occurrence(f.typ, false)
		var args []*value
		if element != nil {
			args = append(args, element(i))
		}
		args = append(append(args, &value{kind: number, typ: x.typ}), carried...) // nothing reads the next function
		c.restore(f.node, f.free, func() { c.link(f.node, args, regs) })
	})
	return c.apply(x, carried, false)
}

// link makes the code of an iteration: that of r, applied to arguments. What the next function gets goes to the
// registers.
func (c *compiler) link(r term.Ref, args []*value, next []ir.Reg) {
	for c.err == nil {
		n := &c.t.Nodes[r]
		if n.Pos != 0 {
			c.pos = n.Pos
		}
		switch n.Op {
		case term.LamOp:
			c.passed(1, false, 0)
			c.bind(n.X, args[0])
			r, args = n.A, args[1:]
		case term.IfOp:
			kids := c.t.Children(n)
			no, end := c.branchTo(n, kids), c.label()
			c.link(kids[2], args, next)
			c.emit(ir.Instr{Op: ir.Jump, N: end})
			c.place(no)
			c.link(kids[3], args, next)
			c.place(end)
			return
		case term.AppOp:
			var from []ir.Reg
			var spine []term.Ref
			for ; c.t.Nodes[r].Op == term.AppOp; r = c.t.Nodes[r].A {
				spine = append(spine, c.t.Nodes[r].B)
			}
			c.occurrence(c.types[r], c.t.Generated(c.t.Nodes[r].X))
			for k := len(spine) - 1; k >= 0; k-- {
				from = append(from, c.flatten(c.term(spine[k]))...)
			}
			c.move(next, from)
			return
		default:
			r = c.opening(n)
		}
	}
}
