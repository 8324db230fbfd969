package compile

import (
	"github.com/gram-machine/gram/graph"
	"github.com/gram-machine/gram/rule"
	"github.com/gram-machine/gram/term"
)

// A fold in a family, data f z where f is written there, is code for each element: all instances make the same run at once.

// maxFold is how many numbers the data of such a fold have at most, and maxFoldCode how many instructions the template has.
const (
	maxFold     = 1 << 10
	maxFoldCode = 1 << 16
)

// foldStep is the step of a fold in a family of which n elements have been compiled.
const foldStep = 3

// folded is a fold in a family.
type folded struct {
	values   []float64
	width    int
	vector   bool
	function term.Ref
}

// fold returns the fold at r, if it is one of data.
func (c *compiler) fold(r term.Ref) (f folded, ok bool) {
	t := c.t
	n := &t.Nodes[r]
	if f, ok = c.folds[r]; ok {
		return f, true
	}
	if c.opt.Places || t.Nodes[n.A].Op != term.AppOp {
		return f, false
	}
	list, function := &t.Nodes[t.Nodes[n.A].A], t.Nodes[n.A].B
	outer := &t.Nodes[function]
	inner := outer.A // the element may be opened in between
	for op := t.Nodes[inner].Op; op == term.UnvecOp || op == term.UntupleOp || op == term.UnpairOp; op = t.Nodes[inner].Op {
		inner = t.Nodes[inner].A
	}
	if !c.isFunction(outer) || !c.isFunction(&t.Nodes[inner]) {
		return f, false
	}
	f = folded{width: 1, function: function}
	switch list.Op {
	case term.ListOp:
		f.values, ok = c.numerals(t.Children(list))
	case term.DataOp:
		d := &t.Data[list.A]
		f.values, f.width, f.vector = d.Values, d.Width, t.Types.Kind(list.Elem) == term.VecKind
		ok = d.List && d.Rows*d.Width <= maxFold
		if ok && d.Chunk != nil {
			f.values = make([]float64, d.Rows*d.Width)
			c.err = d.Chunk(f.values, 0, func() error {
				c.check(0)
				return c.err
			})
		}
	}
	// Without elements there would be no code that says what the function captures, for which the fold waits.
	if ok = ok && len(f.values) > 0 && len(f.values) <= maxFold; ok {
		c.folds[r] = f
	}
	return f, ok
}

// isFunction reports whether the node is a λ of the source.
func (c *compiler) isFunction(n *term.Node) bool { return n.Op == term.LamOp && !c.t.Info(n.X).Linear }

// beginFold begins the fold at r, whose start has been compiled.
func (c *compiler) beginFold(r term.Ref) {
	z := c.popSlots(1)[0]
	n := &c.t.Nodes[r]
	c.count(rule.Lambda, 2)
	c.count(rule.GC, 1)
	c.counted(operand{slot: z}, c.types[n.B], graph.Weight{Binders: 1, Occurrences: 1})
	c.emit(graph.Instr{Op: graph.OpTest, A: uint32(z), B: uint32(z), Split: 1, Pos: n.Pos}, nil)
	c.yieldSlot(z)
	c.tasks = append(c.tasks, task{r: r, step: foldStep})
}

// goOnFold compiles the function of the fold at r for the element behind the n last ones, or ends it.
func (c *compiler) goOnFold(r term.Ref, n int) {
	f, _ := c.fold(r)
	node := &c.t.Nodes[r]
	p := node.Pos
	left := len(f.values)/f.width - n
	if left == 0 {
		s := c.popSlots(1)[0]
		c.yieldSlot(c.emit(graph.Instr{Op: graph.OpJoin, A: uint32(s), B: uint32(s), Split: 1, Pos: p}, nil))
		return
	}
	if len(c.top().code) > maxFoldCode {
		c.unheld()
		return
	}
	c.count(rule.Subst, 1)
	c.count(rule.Lambda, 2)
	state := c.popValue()
	c.counted(state, c.types[node.B], graph.Weight{Binders: 1})
	values := f.values[(left-1)*f.width : left*f.width]
	comps := make([]slot, f.width)
	var elem operand
	for i, v := range values {
		elem = operand{slot: c.number(v)}
		if c.opt.Reversed {
			elem = c.newPair(elem, operand{slot: c.emitDual(p, &dualBuilder{})}, p)
		}
		if f.vector {
			comps[i] = c.slot(elem)
		}
	}
	if f.vector {
		elem = operand{slot: c.emit(graph.Instr{Op: graph.OpVec, Pos: p}, comps)}
	}
	c.counted(elem, term.R, graph.Weight{Binders: 1})
	c.args = append(c.args, state, elem)
	c.tasks = append(c.tasks, task{r: r, step: foldStep, n: uint32(n + 1)})
	c.push(f.function, 0)
}
