package compile

import (
	"fmt"
	"math"
	"slices"

	"github.com/gram-machine/gram/graph"
	"github.com/gram-machine/gram/term"
)

// Options says what is to be compiled. Inputs are the scalar inputs of the
// program, in order: they are the free variables that the term may have.
type Options struct {
	Inputs []term.Var
	// Reversed says that the term is D(t).
	Reversed bool
	// Open makes the inputs symbolic, for the reduction of t to G. It excludes
	// Reversed.
	Open bool
	// Check, if not nil, is called at least every 2¹⁶ nodes; its error ends the
	// compilation.
	Check func() error
}

// LimitError says that the term is too large for the machine's formats.
type LimitError struct {
	Pos  term.Pos
	What string
}

func (e *LimitError) Error() string { return e.What }

// checkEvery is how many tasks pass between two calls of Check: a task may visit the
// body of a dual, some ten nodes.
const checkEvery = 1 << 12

// Compile returns the program of a well-typed term. The error is a [*LimitError],
// or Check's.
func Compile(t *term.Term, opt Options) (*graph.Program, error) {
	c := &compiler{
		t: t, opt: opt,
		out:    &graph.Program{Data: slices.Clone(t.Data), Reversed: opt.Reversed, Open: opt.Open, Types: t.Types},
		vars:   make([]binding, len(t.Vars)),
		pairs:  make([]virtualPair, 1),
		nums:   map[uint64]slot{},
		bodies: map[string]uint32{},
		data:   map[dataKey]slot{},
	}
	typ, err := t.Check()
	if err != nil {
		return nil, err
	}
	c.out.Type = typ
	c.addGlobal(graph.Global{})
	c.inputs()
	if opt.Reversed {
		c.out.ZeroDual = c.newDual(0, &dualBuilder{})
	} else {
		c.readList()
	}
	if err := c.run(); err != nil {
		return nil, err
	}
	c.link()
	c.result()
	return c.out, nil
}

type dataKey struct {
	index uint32
	shape graph.DataShape
}

type compiler struct {
	t      *term.Term
	opt    Options
	out    *graph.Program
	stack  []*builder
	vars   []binding
	pairs  []virtualPair
	tasks  []task
	vals   []operand // results of finished tasks
	nums   map[uint64]slot
	bodies map[string]uint32
	data   map[dataKey]slot
	err    error
	// branches are the first branches of conditionals whose second is compiled.
	branches []closedBranch
}

// task is a term to be compiled, or the rest of its compilation once its parts
// have been: step 0 starts, higher steps are the constructor's own.
type task struct {
	r    term.Ref
	step uint8
	n    uint32 // AppOp: number of arguments
}

func (c *compiler) addGlobal(g graph.Global) slot {
	c.out.Globals = append(c.out.Globals, g)
	return slot(len(c.out.Globals) - 1)
}

func (c *compiler) fail(p term.Pos, format string, args ...any) {
	if c.err == nil {
		c.err = &LimitError{Pos: p, What: fmt.Sprintf(format, args...)}
	}
}

// inputs binds the inputs to globals: a number, or ⟨x0,d⟩ in a reversed program.
func (c *compiler) inputs() {
	for i, x := range c.opt.Inputs {
		kind := graph.Num
		if c.opt.Open {
			kind = graph.SymInput
		}
		num := c.addGlobal(graph.Global{Kind: kind, Index: uint32(i)})
		c.out.Inputs = append(c.out.Inputs, uint32(num))
		op := operand{slot: num}
		if c.opt.Reversed {
			cell := c.addGlobal(graph.Global{Kind: graph.Input, Index: uint32(i)})
			op = c.newPair(operand{slot: num}, operand{slot: cell}, 0)
		}
		c.vars[x] = binding{op: op, depth: -1, bound: true}
	}
	if len(c.opt.Inputs) > graph.MaxIndex {
		c.fail(0, "more than %d scalar inputs", graph.MaxIndex)
	}
}

// newPair yields ⟨a,b⟩, which is not built before somebody needs it. In an open
// program it is built at once: whether it is a value is looked at.
func (c *compiler) newPair(a, b operand, p term.Pos) operand {
	if c.opt.Open {
		return operand{slot: c.emit(graph.Instr{Op: graph.OpPair, A: uint32(c.slot(a)), B: uint32(c.slot(b)), Pos: p}, nil)}
	}
	c.pairs = append(c.pairs, virtualPair{a: a, b: b, owner: c.depth(), pos: p})
	return operand{pair: uint32(len(c.pairs) - 1)}
}

func (c *compiler) number(r float64) slot {
	bits := math.Float64bits(r)
	s, ok := c.nums[bits]
	if !ok {
		s = c.addGlobal(graph.Global{Kind: graph.Num, Val: r})
		c.nums[bits] = s
	}
	return s
}

func (c *compiler) push(r term.Ref, step uint8) { c.tasks = append(c.tasks, task{r: r, step: step}) }

func (c *compiler) pop() operand {
	v := c.vals[len(c.vals)-1]
	c.vals = c.vals[:len(c.vals)-1]
	return v
}

// popSlots takes the results of the last n tasks, as slots.
func (c *compiler) popSlots(n int) []slot {
	out := make([]slot, n)
	base := len(c.vals) - n
	for i, v := range c.vals[base:] {
		out[i] = c.slot(v)
	}
	c.vals = c.vals[:base]
	return out
}

func (c *compiler) yield(op operand)             { c.vals = append(c.vals, op) }
func (c *compiler) yieldSlot(s slot)             { c.vals = append(c.vals, operand{slot: s}) }
func (c *compiler) count(r graph.Rule, n uint64) { c.top().counts[r] += n }

func (c *compiler) run() error {
	c.open("program", c.t.Nodes[c.t.Root].Pos, nil)
	c.push(c.t.Root, 0)
	for n := 0; len(c.tasks) > 0; n++ {
		if n%checkEvery == 0 && c.opt.Check != nil {
			if err := c.opt.Check(); err != nil {
				return err
			}
		}
		t := c.tasks[len(c.tasks)-1]
		c.tasks = c.tasks[:len(c.tasks)-1]
		if t.step == 0 {
			c.start(t.r)
		} else {
			c.resume(t)
		}
		if c.err != nil {
			return c.err
		}
	}
	c.out.Main, _ = c.close(c.pop())
	return c.err
}

// open starts a template with the given parameters.
func (c *compiler) open(name string, p term.Pos, params []term.Var) {
	c.stack = append(c.stack, &builder{name: name, pos: p, params: uint32(len(params)), open: c.opt.Open})
	for i, x := range params {
		c.bind(x, operand{slot: paramClass | slot(i)})
	}
}

// start begins a term: it yields its operand, or leaves tasks that will.
func (c *compiler) start(r term.Ref) {
	t := c.t
	n := &t.Nodes[r]
	switch n.Op {
	case term.VarOp:
		c.occurrence(n.X)
		c.yield(c.variable(n.X))
	case term.NumOp:
		c.yieldSlot(c.number(n.Val))
	case term.LamOp:
		c.lambda(r, n)
	case term.AppOp:
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
	case term.ListOp:
		c.list(r, n)
	case term.NatOp:
		c.yieldSlot(c.addGlobal(graph.Global{Kind: graph.Nat, Count: n.Count}))
	case term.DataOp:
		c.dataRef(n)
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

// bindLocal binds a variable of a let or a pattern and counts its (4).
func (c *compiler) bindLocal(x term.Var, op operand) {
	c.bind(x, op)
	if c.opt.Open && c.mayBeInert(c.t.Vars[x].Type) {
		c.tally(c.slot(op), graph.Weight{Binders: 1})
		return
	}
	c.count(graph.GC, 1)
}

// mayBeInert reports whether a value of the type can have an inert part: every
// type but that of functions.
func (c *compiler) mayBeInert(t term.Type) bool { return c.t.Types.Kind(t) != term.ArrowKind }

// tally books binders and occurrences that an open program counts when it runs.
func (c *compiler) tally(s slot, w graph.Weight) {
	b := c.top()
	i, ok := b.tallied[s]
	if !ok {
		if b.tallied == nil {
			b.tallied = map[slot]int{}
		}
		i = len(b.weights)
		b.tallied[s] = i
		b.weights = append(b.weights, graph.Weight{})
		b.tallySlots = append(b.tallySlots, s)
	}
	b.weights[i].Binders += w.Binders
	b.weights[i].Occurrences += w.Occurrences
}

// occurrence counts the (3) of an occurrence of an exponential variable: by value,
// it meets a value exactly once in each run of the body.
func (c *compiler) occurrence(x term.Var) {
	if c.opt.Open && c.mayBeInert(c.t.Vars[x].Type) {
		c.tally(c.slot(c.variable(x)), graph.Weight{Occurrences: 1})
		return
	}
	if c.t.Vars[x].Type == term.R {
		c.count(graph.SubstNumeral, 1)
	} else {
		c.count(graph.Subst, 1)
	}
}

// resume goes on with a term whose parts have been compiled.
func (c *compiler) resume(k task) {
	n := &c.t.Nodes[k.r]
	switch n.Op {
	case term.LamOp:
		c.closeLambda(n)
	case term.AppOp:
		c.finishApplication(n, int(k.n))
	case term.LetOp:
		c.bindLocal(n.X, c.pop())
		c.push(n.A, 0)
	case term.UnpairOp:
		a, b := c.unpair(c.pop(), n.Pos)
		c.bindLocal(n.X, a)
		c.bindLocal(n.Y, b)
		c.count(graph.PairRule, 1)
		c.push(n.A, 0)
	case term.UntupleOp:
		c.untuple(n)
	case term.UnvecOp:
		c.unvec(n)
	case term.PairOp:
		b := c.pop()
		a := c.pop()
		c.yield(c.newPair(a, b, n.Pos))
	case term.AddOp:
		c.operation(graph.Plus)
		k := c.popSlots(2)
		c.yieldSlot(c.emit(graph.Instr{Op: graph.OpAdd, A: uint32(k[0]), B: uint32(k[1]), Pos: n.Pos}, nil))
	case term.FunOp:
		c.function(n)
	case term.VecOp:
		if int(n.N) > graph.MaxIndex {
			c.fail(n.Pos, "a vector of more than %d components", graph.MaxIndex)
		}
		c.yieldSlot(c.emit(graph.Instr{Op: graph.OpVec, Pos: n.Pos}, c.popSlots(int(n.N))))
	case term.IfOp:
		c.conditional(k, n)
	case term.ListOp:
		c.closeList(n)
	}
}

func (c *compiler) function(n *term.Node) {
	k := c.popSlots(int(n.N))
	in := graph.Instr{Sym: n.Sym, A: uint32(k[0]), Pos: n.Pos}
	if len(k) > 1 {
		in.B = uint32(k[1])
	}
	switch {
	case n.Sym == term.Mul:
		in.Op = graph.OpMul
		c.operation(graph.Times)
		c.yieldSlot(c.emit(in, nil))
		return
	case n.Sym == term.Sub:
		in.Op = graph.OpSub
	case len(k) == 1:
		in.Op = graph.OpFun1
	default:
		in.Op = graph.OpFun2
	}
	c.operation(graph.Function)
	c.yieldSlot(c.emit(in, nil))
}

// operation counts an operation; in an open program the machine does, if it fires.
func (c *compiler) operation(r graph.Rule) {
	if !c.opt.Open {
		c.count(r, 1)
	}
}

// unpair opens a pair: a virtual one needs no instruction.
func (c *compiler) unpair(u operand, p term.Pos) (a, b operand) {
	if u.pair != 0 {
		v := &c.pairs[u.pair]
		return v.a, v.b
	}
	k := c.emitMany(graph.Instr{Op: graph.OpUnpair, A: uint32(u.slot), Pos: p}, 2)
	return operand{slot: k[0]}, operand{slot: k[1]}
}

// emitMany adds an instruction with several results, in consecutive slots.
func (c *compiler) emitMany(in graph.Instr, results int) []slot {
	b := c.top()
	ready := b.operandsReady(&in, nil)
	out := make([]slot, results)
	for i := range out {
		out[i] = b.newLocal(ready, false)
	}
	in.D = uint32(out[0])
	in.N = uint32(results)
	b.add(in, nil, ready)
	return out
}

func (c *compiler) untuple(n *term.Node) {
	u := c.pop()
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
		for i, s := range c.emitMany(graph.Instr{Op: graph.OpUntuple, A: uint32(u.slot), Pos: n.Pos}, len(xs)) {
			c.bindLocal(term.Var(xs[i]), operand{slot: s})
		}
	}
	c.count(graph.PairRule, uint64(n.N-1))
	c.push(n.A, 0)
}

func (c *compiler) unvec(n *term.Node) {
	u := c.slot(c.pop())
	xs := c.t.Bound(n)
	for i, s := range c.emitMany(graph.Instr{Op: graph.OpUnvec, A: uint32(u), Pos: n.Pos}, len(xs)) {
		c.bindLocal(term.Var(xs[i]), operand{slot: s})
	}
	c.count(graph.PairRule, uint64(n.N-1))
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

func (c *compiler) finishApplication(n *term.Node, args int) {
	k := c.popSlots(args + 1)
	f, rest := k[0], k[1:]
	for len(rest) > 0 {
		m := min(len(rest), graph.MaxArgs)
		f = c.emit(graph.Instr{Op: graph.OpApply, Pos: n.Pos}, append([]slot{f}, rest[:m]...))
		rest = rest[m:]
	}
	c.yieldSlot(f)
}

// maxParams bounds the parameters of one template: they are bound together, by
// one application or by several.
const maxParams = 255

func (c *compiler) lambda(r term.Ref, n *term.Node) {
	if c.t.Vars[n.X].Linear {
		c.dual(n)
		return
	}
	var params []term.Var
	body := r
	for b := n; b.Op == term.LamOp && !c.t.Vars[b.X].Linear && len(params) < maxParams; b = &c.t.Nodes[body] {
		params = append(params, b.X)
		body = b.A
	}
	c.open(c.t.Vars[n.X].Name, n.Pos, params)
	c.push(r, 1)
	c.push(body, 0)
}

func (c *compiler) closeLambda(n *term.Node) {
	id, captured := c.close(c.pop())
	if len(captured) == 0 {
		c.yieldSlot(c.addGlobal(graph.Global{Kind: graph.Closure, Index: id}))
		return
	}
	c.yieldSlot(c.emit(graph.Instr{Op: graph.OpClosure, Tmpl: id, Pos: n.Pos}, captured))
}

// conditional goes through the steps of an if: the sides have been compiled at
// step 1, the first branch at step 2, both at step 3.
func (c *compiler) conditional(k task, n *term.Node) {
	kids := c.t.Children(n)
	switch k.step {
	case 1:
		c.open("then", n.Pos, nil)
		c.push(k.r, 2)
		c.push(kids[2], 0)
	case 2:
		c.branches = append(c.branches, c.closeBranch())
		c.open("else", n.Pos, nil)
		c.push(k.r, 3)
		c.push(kids[3], 0)
	case 3:
		no := c.closeBranch()
		yes := c.branches[len(c.branches)-1]
		c.branches = c.branches[:len(c.branches)-1]
		args := c.popSlots(2)
		split := uint32(2 + len(yes.captured))
		args = append(append(args, yes.captured...), no.captured...)
		c.count(graph.Branch, 1)
		c.yieldSlot(c.emit(graph.Instr{Op: graph.OpIf, Cmp: n.Cmp, Tmpl: yes.id, Else: no.id, Split: split, Pos: n.Pos}, args))
	}
}

type closedBranch struct {
	id       uint32
	captured []slot
}

func (c *compiler) closeBranch() closedBranch {
	id, captured := c.close(c.pop())
	return closedBranch{id, captured}
}

// close ends the template on top with the given result, and returns its number
// and the slots, in the enclosing template, of what it captures.
func (c *compiler) close(result operand) (id uint32, captured []slot) {
	s := c.slot(result)
	b := c.top()
	if len(b.weights) > 0 {
		c.emit(graph.Instr{Op: graph.OpTally, Tmpl: uint32(len(c.out.Weights)), Pos: b.pos}, b.tallySlots)
		c.out.Weights = append(c.out.Weights, b.weights...)
	}
	c.stack = c.stack[:len(c.stack)-1]
	for _, x := range b.captured {
		captured = append(captured, x.from)
	}
	caps := uint32(len(captured))
	frame := func(s slot) uint32 {
		switch s & classMask {
		case captureClass:
			return frameBit | uint32(s&indexMask)
		case paramClass:
			return frameBit | (caps + uint32(s&indexMask))
		case localClass:
			return frameBit | (caps + b.params + uint32(s&indexMask))
		}
		return uint32(s)
	}
	t := graph.Template{Name: b.name, Pos: b.pos, Params: b.params, Caps: caps, Start: uint32(len(c.out.Code)),
		Counts: b.counts, Steps: b.counts.Total(), Instantiate: b.overhead, Result: frame(s), RootAt: graph.NoRoot}
	if s&classMask == localClass {
		if l := b.locals[s&indexMask]; l.single {
			t.RootAt = t.Start + l.at
			b.code[l.at].Flags |= graph.Root
		}
	}
	args := uint32(len(c.out.Args))
	for _, a := range b.args {
		c.out.Args = append(c.out.Args, frame(slot(a)))
	}
	for _, in := range b.code {
		in.A, in.B, in.D = frame(slot(in.A)), frame(slot(in.B)), frame(slot(in.D))
		in.Off += args
		c.out.Code = append(c.out.Code, in)
	}
	t.End = uint32(len(c.out.Code))
	if b.units > math.MaxUint32/2 || len(c.out.Templates) > graph.MaxIndex {
		c.fail(b.pos, "the program is too large")
	}
	t.Units = uint32(b.units)
	c.out.Frame = max(c.out.Frame, caps+b.params+uint32(len(b.locals)))
	c.out.Templates = append(c.out.Templates, t)
	return uint32(len(c.out.Templates) - 1), captured
}

// readList adds the globals to which a list is applied to read it.
func (c *compiler) readList() {
	c.open("cons", 0, make([]term.Var, 2))
	id, _ := c.close(c.newPair(operand{slot: paramClass}, operand{slot: paramClass | 1}, 0))
	c.out.Cons = uint32(c.addGlobal(graph.Global{Kind: graph.Closure, Index: id}))
	c.out.Nil = uint32(c.addGlobal(graph.Global{Kind: graph.Nat}))
}

// link puts the frame behind the globals: all slots become absolute.
func (c *compiler) link() {
	out := c.out
	globals := uint32(len(out.Globals))
	fix := func(s *uint32) {
		if *s&frameBit != 0 {
			*s = *s&^frameBit + globals
		}
	}
	for i := range out.Args {
		fix(&out.Args[i])
	}
	for i := range out.Code {
		in := &out.Code[i]
		fix(&in.A)
		fix(&in.B)
		fix(&in.D)
	}
	for i := range out.Templates {
		t := &out.Templates[i]
		fix(&t.Result)
		t.Cap0 = globals
		t.Param0 = globals + t.Caps
	}
	out.Frame += globals
}

// result says how the program's result is read back.
func (c *compiler) result() {
	tt, out := c.t.Types, c.out
	scalar := term.R
	if out.Reversed {
		scalar = tt.Reverse(term.R)
	}
	switch {
	case out.Type == scalar:
		out.Result, out.Outputs = graph.ScalarShape, 1
	case tt.Kind(out.Type) == term.VecKind && tt.Left(out.Type) == scalar:
		out.Result, out.Outputs = graph.VectorShape, tt.Len(out.Type)
	}
}
