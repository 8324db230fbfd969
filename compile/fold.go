package compile

import (
	"maps"
	"slices"

	"github.com/gram-machine/gram/graph"
	"github.com/gram-machine/gram/rule"
	"github.com/gram-machine/gram/term"
)

// Functions, lists and numerals in a family are known when the program is compiled. An application there is the code of what it runs, for
// each element of a list: all instances make the same run at once.

// maxFold is how many numbers the data of a fold in a family have at most, and how many elements any other list or iterations a numeral,
// and maxFoldCode how many instructions the template has.
const (
	maxFold     = 1 << 10
	maxFoldCode = 1 << 16
)

// The steps of an application in a family.
const (
	applyStep = 1 + iota // its parts have been compiled
	callStep             // the call on top goes on
	joinStep             // it has its result
)

// known is a function of the source, a list or a numeral in a family, with what its variables and indices stand for there.
type known struct {
	r       term.Ref
	env     []saved
	loops   map[term.Index]int
	indices map[term.Index]float64
}

// appliedAt is an application in a family, as profiles have it.
type appliedAt struct {
	outer  *appliedAt // in whose function it stands
	around uint32     // what compiler.inlined is around it
	at     term.Pos
	sides  int // how many conditionals are around it
}

// saved is a variable and what it stands for.
type saved struct {
	x  term.Var
	is binding
}

// call is an application that is compiled: of f to the arguments that are left, or of f to each element of a list.
type call struct {
	f       operand
	args    []operand
	running bool     // the result of a body is made
	next    term.Ref // a λ that begins with the body of the last one
	number  uint32   // of the call of the last one, as graph.Dual has it
	of      *appliedAt
	// What is to stand again behind the body:
	undo    int
	loops   map[term.Index]int
	indices map[term.Index]float64
	inlined uint32
	// Of a list or numeral:
	over     *known
	left     int
	values   []float64 // of data
	elements []operand
	making   bool // the elements are compiled
}

// isFunction reports whether the node is a λ of the source.
func (c *compiler) isFunction(n *term.Node) bool { return n.Op == term.LamOp && !c.t.Info(n.X).Linear }

// isKnown reports whether the node is one of the source that an application in a family can be compiled of.
func (c *compiler) isKnown(n *term.Node) bool {
	return c.isFunction(n) || n.Op == term.ListOp || n.Op == term.ListFamilyOp || n.Op == term.NatOp || n.Op == term.DataOp
}

// known yields what is there at r.
func (c *compiler) known(r term.Ref) {
	k := known{r: r, indices: c.indices}
	if len(c.calls) > 0 { // variables may stand for something else in the next call
		k.loops = maps.Clone(c.top().loops.of)
		for _, x := range c.free(r) {
			if b := c.vars[x]; b.again {
				k.env = append(k.env, saved{x, b})
			}
		}
	}
	c.knowns = append(c.knowns, k)
	c.yield(operand{known: uint32(len(c.knowns))})
}

// free are the variables that occur in r and are neither bound in it nor inputs.
func (c *compiler) free(r term.Ref) []term.Var {
	if xs, ok := c.frees[r]; ok {
		return xs
	}
	var xs []term.Var
	bound := map[term.Var]bool{}
	for stack := []term.Ref{r}; len(stack) > 0; {
		r := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		n := &c.t.Nodes[r]
		many := term.Var(1)
		switch n.Op {
		case term.ComponentOp:
			many = term.Var(n.N)
			fallthrough
		case term.VarOp:
			if _, ok := c.inputRange(n.X, int(many)); !ok {
				for j := range many {
					xs = append(xs, n.X+j)
				}
			}
		}
		c.t.Binders(n, func(x term.Var) { bound[x] = true })
		c.t.Kids(n, func(r term.Ref) { stack = append(stack, r) })
	}
	xs = slices.DeleteFunc(xs, func(x term.Var) bool { return bound[x] })
	c.frees[r] = xs
	return xs
}

// apply begins the application at r, whose function and arguments have been compiled.
func (c *compiler) apply(r term.Ref, args int) {
	base := len(c.vals) - args - 1
	f, rest := c.vals[base], append([]operand(nil), c.vals[base+1:]...)
	c.vals = c.vals[:base]
	f = f.inFamily()
	for i := range rest {
		rest[i] = rest[i].inFamily()
	}
	waits := c.leaves(nil, f)
	for _, a := range rest {
		waits = c.leaves(waits, a)
	}
	p := c.t.Nodes[r].Pos
	var on slot
	switch len(waits) {
	case 0:
		on = c.number(0)
	case 1:
		on = waits[0]
	default:
		on = c.emit(graph.Instr{Op: graph.OpVec, Pos: p}, waits)
	}
	c.emit(graph.Instr{Op: graph.OpTest, A: uint32(on), B: uint32(on), Split: 1, Pos: p}, nil)
	c.push(r, joinStep)
	of := &appliedAt{around: c.inlined, at: p, sides: len(c.top().loops.sides)}
	if n := len(c.calls); n > 0 {
		of.outer = c.calls[n-1].of
	}
	c.call(r, call{f: f, args: rest, of: of})
}

// inFamily is the operand in a family.
func (op operand) inFamily() operand {
	if op.also != 0 {
		return operand{known: op.also}
	}
	return op
}

// leaves appends the slots of the template for which an application waits: those of its arguments, and what functions use.
func (c *compiler) leaves(to []slot, op operand) []slot {
	switch {
	case op.pair != 0:
		return c.leaves(c.leaves(to, c.pairs[op.pair].a), c.pairs[op.pair].b)
	case op.known != 0:
		if len(c.calls) > 0 { // all that runs in an application waits already
			return to
		}
		for _, x := range c.free(c.knowns[op.known-1].r) {
			if c.bound(x) && c.vars[x].depth == c.depth() {
				to = c.leaves(to, c.vars[x].op)
			}
		}
	case op.slot&classMask != globalClass:
		to = append(to, op.slot)
	}
	return to
}

// join ends the application at r.
func (c *compiler) join(r term.Ref) {
	v := c.pop()
	s := c.number(0)
	if v.known == 0 {
		s = c.slot(v)
	} else if len(c.calls) == 0 { // it would wait as the machine's function does
		c.unheld()
	}
	s = c.emit(graph.Instr{Op: graph.OpJoin, A: uint32(s), B: uint32(s), Split: 1, Pos: c.t.Nodes[r].Pos}, nil)
	if v.known == 0 {
		v = operand{slot: s}
	}
	c.yield(v)
}

// call begins a call, which yields its result.
func (c *compiler) call(r term.Ref, k call) {
	c.calls = append(c.calls, k)
	c.push(r, callStep)
}

// goOn goes on with the call on top.
func (c *compiler) goOn(r term.Ref) {
	k := &c.calls[len(c.calls)-1]
	if len(c.top().code) > maxFoldCode {
		c.unheld()
		return
	}
	if k.over != nil {
		c.iterate(r, k)
		return
	}
	if k.running {
		k.running = false
		k.f = c.popValue()
		c.leave(k)
	}
	if len(k.args) == 0 {
		if c.opt.Places && k.f.known != 0 && c.knowns[k.f.known-1].r == k.next {
			c.unheld() // the steps of its code would be those of another place
			return
		}
		c.calls = c.calls[:len(c.calls)-1]
		c.yield(k.f)
		return
	}
	if k.f.known == 0 {
		c.unheld()
		return
	}
	f := &c.knowns[k.f.known-1]
	n := &c.t.Nodes[f.r]
	k.running = true
	c.push(r, callStep)
	if f.r != k.next { // what follows begins when all before it is done
		c.emit(graph.Instr{Op: graph.OpElse, Split: 1, Pos: n.Pos}, nil)
		k.number = c.numberOf(k, n)
	}
	k.next = n.A
	if n.Op == term.LamOp {
		c.enter(k, f)
		c.inlined = k.number
		c.pos = c.out.Inlined[k.number].Func
		c.count(rule.Lambda, 1)
		c.bindLocal(n.X, k.args[0])
		k.args = k.args[1:]
		c.push(n.A, 0)
		return
	}
	if len(k.args) < 2 {
		c.unheld()
		return
	}
	over := call{of: k.of, f: k.args[0], args: k.args[1:2], over: f, undo: len(c.undo)}
	k.args, k.undo = k.args[2:], len(c.undo)
	k.loops, k.indices, k.inlined = c.top().loops.of, c.indices, c.inlined
	c.begin(&over, n)
	c.counted(over.args[0], n.Res, graph.Weight{Occurrences: 1})
	if over.making { // its elements are code, which has the parameters
		c.pos = n.Pos
	}
	c.count(rule.Lambda, 2)
	c.count(rule.GC, 1)
	c.counted(over.args[0], n.Res, graph.Weight{Binders: 1})
	c.call(r, over)
}

// numberOf returns the number of the call of the λ n.
func (c *compiler) numberOf(k *call, n *term.Node) uint32 {
	is := graph.InlinedCall{Func: n.Pos, At: k.of.at, Parent: k.of.around}
	number, ok := c.callNumbers[is]
	if !ok {
		number = uint32(len(c.out.Inlined))
		c.out.Inlined = append(c.out.Inlined, is)
		c.callNumbers[is] = number
	}
	return number
}

// enter makes the variables and indices of a body stand for what they do in f.
func (c *compiler) enter(k *call, f *known) {
	l := &c.top().loops
	k.undo, k.loops, k.indices, k.inlined = len(c.undo), l.of, c.indices, c.inlined
	for _, s := range f.env {
		c.undo = append(c.undo, saved{s.x, c.vars[s.x]})
		c.vars[s.x] = s.is
	}
	if f.loops != nil {
		l.of = maps.Clone(f.loops)
	}
	c.indices = f.indices
}

// leave undoes what the body of a call has bound.
func (c *compiler) leave(k *call) {
	for len(c.undo) > k.undo {
		s := c.undo[len(c.undo)-1]
		c.undo = c.undo[:len(c.undo)-1]
		c.vars[s.x] = s.is
	}
	c.top().loops.of, c.indices, c.inlined = k.loops, k.indices, k.inlined
}

// begin finds out how many elements the list or numeral has.
func (c *compiler) begin(k *call, n *term.Node) {
	switch n.Op {
	case term.NatOp:
		k.left = int(min(n.Count, maxFold+1))
	case term.ListOp:
		k.left = int(n.N)
		for i := range c.t.Children(n) {
			k.making = k.making || c.numeralAt(n, i) == nil
		}
	case term.ListFamilyOp:
		l := &c.top().loops
		of, indices := l.of, c.indices
		if k.over.loops != nil {
			l.of = k.over.loops
		}
		c.indices = k.over.indices
		s, ok := c.affine(n.Static())
		l.of, c.indices = of, indices
		if !ok || !s.Constant() || s.Base < 0 {
			c.unheld()
			return
		}
		k.left, k.making = s.Base, c.numeralAt(n, 0) == nil
	case term.DataOp:
		d := &c.t.Data[n.A]
		k.left, k.values = d.Rows, d.Values
		if d.Chunk != nil && d.Rows*d.Width <= maxFold {
			k.values = make([]float64, d.Rows*d.Width)
			c.err = d.Chunk(k.values, 0, func() error {
				c.check(0)
				return c.err
			})
		}
		if d.Rows*d.Width > maxFold {
			c.unheld()
		}
	}
	// Without elements there would be no code that says which components the function uses.
	if k.left < 1 || k.left > maxFold {
		c.unheld()
	}
}

// iterate makes the elements of a list, in order, and then applies the function to the last that is left.
func (c *compiler) iterate(r term.Ref, k *call) {
	n := &c.t.Nodes[k.over.r]
	if k.making {
		c.elements(r, k, n)
		return
	}
	if k.running {
		k.running = false
		k.args[0] = c.popValue()
	}
	if k.left == 0 {
		c.calls = c.calls[:len(c.calls)-1]
		c.yield(k.args[0])
		return
	}
	k.left--
	c.count(rule.Subst, 1)
	args := []operand{k.args[0]}
	switch n.Op {
	case term.NatOp:
	case term.DataOp:
		args = []operand{c.dataElement(k, n), k.args[0]}
	default:
		elem := operand{}
		if k.elements != nil {
			elem = k.elements[k.left]
		} else {
			elem = c.numeralElement(k, n)
		}
		args = []operand{elem, k.args[0]}
	}
	k.running = true
	c.push(r, callStep)
	c.call(r, call{of: k.of, f: k.f, args: args})
}

// elements compiles the next element of a list.
func (c *compiler) elements(r term.Ref, k *call, n *term.Node) {
	if k.running {
		k.running = false
		k.elements = append(k.elements, c.popValue())
		c.leave(k)
	}
	i := len(k.elements)
	if i == k.left {
		k.making = false
		c.push(r, callStep)
		return
	}
	k.running = true
	c.push(r, callStep)
	c.push(c.enterElement(k, n, i), 0)
}

// enterElement makes variables and indices stand for what they do in element i, and returns it.
func (c *compiler) enterElement(k *call, n *term.Node, i int) term.Ref {
	c.enter(k, k.over)
	if n.Op == term.ListOp {
		return c.t.Children(n)[i]
	}
	c.indices = maps.Clone(c.indices)
	if c.indices == nil {
		c.indices = map[term.Index]float64{}
	}
	c.indices[n.Index()] = float64(i)
	return n.A
}

// numeralAt returns the numeral that is element i of a list, nil if it is none. A list of numerals alone is data.
func (c *compiler) numeralAt(list *term.Node, i int) *term.Node {
	r := list.A
	if list.Op == term.ListOp {
		r = c.t.Children(list)[i]
	}
	if n := c.numeral(r); n != nil && (n.Op == term.NumOp || n.Op == term.IndexNumOp) {
		return n
	}
	return nil
}

// numeralElement is the element that is next of a list of numerals.
func (c *compiler) numeralElement(k *call, list *term.Node) (elem operand) {
	c.enterElement(k, list, k.left)
	if n := c.numeralAt(list, k.left); n.Op == term.NumOp {
		elem.slot = c.number(n.Val)
	} else {
		elem.slot = c.indexNum(n.Static(), n.Pos)
	}
	c.leave(k)
	if c.opt.Reversed {
		elem = c.newPair(elem, operand{slot: c.zeroDual(k.of)}, k.of.at)
	}
	return elem
}

// dataElement is the element of data that is next.
func (c *compiler) dataElement(k *call, n *term.Node) (elem operand) {
	d := &c.t.Data[n.A]
	vector := c.t.Types.Kind(n.Elem) == term.VecKind
	comps := make([]slot, d.Width)
	for i, v := range k.values[k.left*d.Width:][:d.Width] {
		elem = operand{slot: c.number(v)}
		if c.opt.Reversed {
			elem = c.newPair(elem, operand{slot: c.zeroDual(k.of)}, k.of.at)
		}
		if vector {
			comps[i] = c.slot(elem)
		}
	}
	if vector {
		return operand{slot: c.emit(graph.Instr{Op: graph.OpVec, Pos: n.Pos}, comps)}
	}
	return elem
}

// zeroDual emits λa.0⃗ of an element of data. It belongs to the code around the application as a whole.
func (c *compiler) zeroDual(of *appliedAt) slot {
	s := c.emitDual(of.at, &dualBuilder{})
	at, sides := c.top().pos, 0
	if of.around != 0 {
		at, sides = c.out.Inlined[of.around].Func, of.outer.sides
	}
	if l := &c.top().loops; len(l.sides) > sides {
		at = l.sides[len(l.sides)-1].pos
	}
	c.out.Duals[len(c.out.Duals)-1].Pos = at
	return s
}

// applied goes on with an application in a family.
func (c *compiler) applied(k task) {
	switch k.step {
	case applyStep:
		c.apply(k.r, int(k.n))
	case callStep:
		c.goOn(k.r)
	case joinStep:
		c.join(k.r)
	}
}
