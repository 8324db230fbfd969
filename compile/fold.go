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
	if t.Nodes[n.A].Op != term.AppOp {
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
	c.inFolds = append(c.inFolds, inFold{around: c.inlined, at: n.Pos, sides: len(c.top().loops.sides), functions: map[term.Ref]uint32{}})
	c.yieldSlot(z)
	c.tasks = append(c.tasks, task{r: r, step: foldStep})
}

// goOnFold compiles the function of the fold at r for the element behind the n last ones, or ends it.
func (c *compiler) goOnFold(r term.Ref, n int) {
	f, _ := c.fold(r)
	p := c.t.Nodes[r].Pos
	last := len(c.inFolds) - 1
	c.inlined = c.inFolds[last].around
	left := len(f.values)/f.width - n
	if left == 0 {
		s := c.popSlots(1)[0]
		c.inFolds = c.inFolds[:last]
		c.yieldSlot(c.emit(graph.Instr{Op: graph.OpJoin, A: uint32(s), B: uint32(s), Split: 1, Pos: p}, nil))
		return
	}
	if len(c.top().code) > maxFoldCode {
		c.unheld()
		return
	}
	c.count(rule.Subst, 1)
	state := c.popValue()
	values := f.values[(left-1)*f.width : left*f.width]
	comps := make([]slot, f.width)
	var elem operand
	for i, v := range values {
		elem = operand{slot: c.number(v)}
		if c.opt.Reversed {
			elem = c.newPair(elem, operand{slot: c.zeroDual(p)}, p)
		}
		if f.vector {
			comps[i] = c.slot(elem)
		}
	}
	if f.vector {
		elem = operand{slot: c.emit(graph.Instr{Op: graph.OpVec, Pos: p}, comps)}
	}
	c.args = append(c.args, state, elem)
	c.tasks = append(c.tasks, task{r: r, step: foldStep, n: uint32(n + 1)})
	c.push(f.function, 0)
}

// inFold is a fold whose function is compiled.
type inFold struct {
	around    uint32              // what compiler.inlined is around the fold
	at        term.Pos            // of the fold
	sides     int                 // how many conditionals are around it
	functions map[term.Ref]uint32 // the numbers of the calls of its λs
}

// inlineFunction binds the parameter of a λ of the function of the innermost fold, and goes on with its body.
func (c *compiler) inlineFunction(r term.Ref, n *term.Node) {
	fold := &c.inFolds[len(c.inFolds)-1]
	number, ok := fold.functions[r]
	if !ok {
		number = uint32(len(c.out.Inlined))
		c.out.Inlined = append(c.out.Inlined, graph.InlinedCall{Func: n.Pos, At: fold.at, Parent: fold.around})
		fold.functions[r] = number
		if c.isFunction(&c.t.Nodes[n.A]) { // one call binds the parameters of both
			fold.functions[n.A] = number
		}
	}
	c.inlined, c.pos = number, c.out.Inlined[number].Func
	last := len(c.args) - 1
	arg := c.args[last]
	c.args = c.args[:last]
	c.count(rule.Lambda, 1)
	c.counted(arg, c.t.TypeOf(n.X), graph.Weight{Binders: 1})
	c.bind(n.X, arg)
	c.push(n.A, 0)
}

// zeroDual emits λa.0⃗ of an element of the data of the innermost fold. It belongs to the code around the fold as a whole.
func (c *compiler) zeroDual(p term.Pos) slot {
	s := c.emitDual(p, &dualBuilder{})
	at, sides := c.top().pos, 0
	if c.inlined != 0 {
		at, sides = c.out.Inlined[c.inlined].Func, c.inFolds[len(c.inFolds)-2].sides
	}
	if l := &c.top().loops; len(l.sides) > sides {
		at = l.sides[len(l.sides)-1].pos
	}
	c.out.Duals[len(c.out.Duals)-1].Pos = at
	return s
}
