// Package lower makes code of a term: it is the front end of the compiler.
//
// A λ that is known where it is applied is code there, or, where it is applied in several places and is not small, a
// function that is called. Other λs are closures, which hold the registers that they mention. A list that is known
// where it is applied is a loop, however it is made; other lists are closures that loop. A recursive function is a
// function that is called. A comprehension is a loop over its index, an if or a match a branch.
//
// The term is gone through once. [value] is what is known of the value of a subterm: values that are not in registers
// are pairs, functions, lists and components of vectors, so these make no code until something needs them in a
// register.
//
// A gradient needs no D(t): the code is that of t, its arithmetic goes on a tape, and its blocks have the steps of
// D(t).
package lower

import (
	"fmt"
	"slices"

	"github.com/gram-machine/gram/engine/ir"
	"github.com/gram-machine/gram/rule"
	"github.com/gram-machine/gram/term"
)

// UnsupportedError is a construct that has no code.
type UnsupportedError struct {
	Pos  term.Pos
	What string
}

func (e *UnsupportedError) Error() string { return "the compiler has no code for " + e.What }

// Options say what is compiled.
type Options struct {
	Inputs   []term.Var // the scalar inputs: the free variables of the term
	Gradient bool       // the program makes a tape, and its steps are those of D(t)
	Placed   bool       // blocks have their steps by place, for profiles
	Plain    bool       // without the passes of package ir
	Points   int        // if not 0, the program is that of so many points: [ir.Program.Batch]
	// Check, if not nil, is called now and then. Its error ends the work.
	Check func() error
	// After, if not nil, is called with the code behind the pass "lower", which makes it, and behind each pass of
	// package ir. Its error ends the work.
	After func(p *ir.Program, pass string) error
}

// The bounds that decide which code a term has: what there is at most, where it does not say at least.
const (
	checkEvery  = 1 << 14 // the instructions that are made between two calls of Options.Check
	maxOperands = 4       // the arguments of a symbol
	lanes       = 8       // the partial sums of a sum of more summands, see [term.Sum]

	// A family or sum of at most shortFamily components has code for each, if that is of at most shortCode nodes.
	shortFamily, shortCode = 4, 256
	shortTriangle          = 8 // that of one around a sum whose size depends on its index
	someLoop               = 1<<32 - 1
	// The runs of comprehensions in which a short one is a loop: a vector statement of the whole nest takes less time than
	// one for each component.
	fewLanes = 64
	// The nodes of the states of a scan that have code for each where there is a loop around them, which may be a
	// vector statement then, or where there are at most shortFamily, and those of a fold that makes a function.
	mostStates, mostFunctions = 1 << 16, 1 << 11

	// The sizes of λs, in nodes, below which code that stands once for each application is preferred to calls.
	smallLambda = 24
	mostCopies  = 1 << 9 // of all its applications together
	maxNested   = 3      // how deep applications of λs that are applied in several places stand in one another

	shortRun         = 8       // the slots that follow each other, at least, that are copied at once
	mostCombinations = 1 << 16 // the values of indices that affine looks at
	shortList        = 2       // the elements of a list literal with code of their own for a function that is not small
	mostElements     = 1 << 26 // the slots of the elements of a list that are put in a vector
	leastTable       = 32      // the slots of a literal, at least, that is put in tables
)

type compiler struct {
	t      *term.Term
	types  []term.Type
	layout *ir.Layout
	out    *ir.Program
	look   func() error
	err    error
	made   int
	labels uint32
	f      *function
	spot
	places *places

	vars    []*value // what each variable is bound to
	inputs  []int32  // of each variable: the number of the input, from 1 on
	indices []index
	data    []int // of each of Term.Data: its first static slot, 0: it has none yet
	uses    []uint32
	dynamic map[term.Var]bool // the first variables of components that an index selects
	free    map[term.Ref]*mentioned
	sizes   []uint32 // of each node: the nodes of its subterm, those of short comprehensions as often as they are unrolled
	unroll  []bool   // of each node: it is a comprehension with code for each component
	// nests says which loops there are in a node: 0 for none, someLoop, or an index. If it is an index, there are only
	// sums whose size depends on it; they have code for each number if the comprehension of that index has.
	nests     []term.Index
	triangles map[term.Ref]bool // such comprehensions
	nested    int
	first     map[term.Var]*firstState // of scans whose first state is being used
	last      map[term.Ref]bool        // the scans of which only the last state is used
	reading   bool                     // steps are not counted
}

// Program compiles t. The error is an [*UnsupportedError], a [*term.TypeError] or that of Check.
func Program(t *term.Term, opt Options) (*ir.Program, error) {
	types, err := t.Typing(opt.Check)
	if err != nil {
		return nil, err
	}
	c := &compiler{t: t, types: types, layout: ir.NewLayout(t.Types), look: opt.Check,
		vars: make([]*value, t.NumVars()), inputs: make([]int32, t.NumVars()), indices: make([]index, len(t.Indices)),
		data: make([]int, len(t.Data)), uses: make([]uint32, t.NumVars()), dynamic: map[term.Var]bool{},
		free: map[term.Ref]*mentioned{}, sizes: make([]uint32, len(t.Nodes)), unroll: make([]bool, len(t.Nodes)),
		nests: make([]term.Index, len(t.Nodes)), triangles: map[term.Ref]bool{},
		first: map[term.Var]*firstState{}, last: map[term.Ref]bool{}}
	typ := types[t.Root]
	outputs := 0
	if t.Types.Kind(typ) == term.VecKind {
		outputs = t.Types.Len(typ)
	}
	c.out = &ir.Program{Taped: opt.Gradient, Inputs: len(opt.Inputs), Static: 1 + len(opt.Inputs), Term: t, Type: typ,
		Start: start(len(opt.Inputs), outputs, opt.Gradient)}
	for i, x := range opt.Inputs {
		c.inputs[x] = int32(i + 1)
	}
	if err := c.scan(); err != nil {
		return nil, err
	}
	if opt.Placed {
		c.places = newPlaces(c.out, t)
		c.out.Bodies[0].Pos = c.summand(t.Root).Pos
	}
	f := c.newFunction("", t.Nodes[t.Root].Pos, 0, nil)
	c.inside(f, func() {
		switch {
		case opt.Points == 0 && !opt.Gradient && !opt.Placed && c.numbersOf(typ) > 0:
			c.listed(t.Root)
		case opt.Points == 0:
			c.tail(t.Root)
		default: // one return
			c.result(c.term(t.Root))
		}
	})
	if c.err != nil {
		return nil, c.err
	}
	for i := range c.out.Blocks {
		b := &c.out.Blocks[i]
		b.Total = b.Steps.Total()
	}
	if opt.After != nil {
		if err := opt.After(c.out, "lower"); err != nil {
			return nil, err
		}
	}
	if opt.Points > 0 && !c.out.Batch(opt.Points) {
		return nil, &UnsupportedError{t.Nodes[t.Root].Pos, "several functions in a batch"}
	}
	if opt.Plain {
		return c.out, nil
	}
	return c.out, c.out.Optimise(opt.After)
}

// scan counts the occurrences of each variable and the nodes of each subterm, and finds what has no code.
func (c *compiler) scan() error {
	t := c.t
	opened := map[term.Var]*term.Node{} // by variable: a vector that is opened
	for r := 1; r < len(t.Nodes); r++ {
		n := &t.Nodes[r]
		c.sizes[r] = 1
		t.Kids(n, func(k term.Ref) {
			c.sizes[r] += c.sizes[k]
			if in := c.nests[k]; c.nests[r] == 0 {
				c.nests[r] = in
			} else if in != 0 && in != c.nests[r] {
				c.nests[r] = someLoop
			}
		})
		switch n.Op {
		case term.FamilyOp, term.SumOp:
			c.short(term.Ref(r), n)
		case term.ScanOp:
			if s := t.Value(n.Static(), nil); s*float64(c.sizes[r]) <= c.mostUnrolled(n, s) {
				c.sizes[r] *= uint32(s)
				c.unroll[r] = true
				for _, x := range c.mentions(term.Ref(r)).vars { // there may be code for each state
					c.uses[x] += uint32(s) - 1
				}
			}
			if !c.unroll[r] {
				c.nests[r] = someLoop
			} else if c.nests[r] == n.Index() {
				c.nests[r] = 0
			}
		case term.VarOp:
			c.uses[n.X]++
		case term.ComponentOp:
			for x := n.X; x < n.X+term.Var(n.N); x++ {
				c.uses[x]++
			}
			if n.N > shortFamily && len(t.IndicesOf(n.Static())) > 0 {
				c.dynamic[n.X] = true
			}
		case term.UnvecOp:
			if k := &t.Nodes[n.B]; k.Op == term.VarOp {
				opened[k.X] = n
			} else {
				c.lastOf(n.B, n)
			}
		case term.LamOp, term.LetOp:
			if n.Op == term.LetOp && c.uses[n.X] == 1 {
				c.lastOf(n.B, opened[n.X])
			}
			if t.Linear(n.X) {
				return &UnsupportedError{n.Pos, "linear functions"}
			}
		case term.ZeroOp:
			return &UnsupportedError{n.Pos, "linear functions"}
		case term.AddOp:
			if c.types[r] != term.R && c.types[r] != 0 {
				return &UnsupportedError{n.Pos, "sums of tuples"}
			}
		case term.FunOp:
			if n.N > maxOperands {
				return &UnsupportedError{n.Pos, fmt.Sprintf("symbols of more than %d arguments", maxOperands)}
			}
		}
	}
	return nil
}

// short finds whether a comprehension has code for each component. A sum whose size depends on the index of a short one
// around it has such code with that.
func (c *compiler) short(r term.Ref, n *term.Node) {
	size, inside := c.t.IndicesOf(n.Static()), c.nests[r]
	switch {
	case len(size) == 0:
		s, most := c.t.Value(n.Static(), nil), float64(shortFamily)
		code := s * float64(c.sizes[r])
		triangle := inside != 0 && inside == n.Index()
		if triangle {
			code, most, inside = code*(s+1)/2, shortTriangle, 0
		}
		if s <= most && code <= shortCode && inside == 0 {
			c.sizes[r], c.unroll[r], c.triangles[r], c.nests[r] = uint32(code), true, triangle, 0
			return
		}
	case len(size) == 1 && inside == 0 && n.Op == term.SumOp:
		c.unroll[r], c.nests[r] = true, size[0]
		return
	}
	c.nests[r] = someLoop
}

// tail makes the code of a term whose value the function returns.
func (c *compiler) tail(r term.Ref) {
	c.result(c.value(r, true))
}

// result returns a value from the function; nil: that has been done.
func (c *compiler) result(v *value) {
	if v != nil {
		regs := c.flatten(v)
		c.f.out.Results = len(regs)
		c.emit(ir.Instr{Op: ir.Return, Args: regs})
	}
}

// term makes the code of a term.
func (c *compiler) term(r term.Ref) *value {
	at := c.spot
	v := c.value(r, false)
	c.spot = at
	return v
}

// value makes the code of a term. In tail position the function returns its value, and the result is nil where this has
// been done.
func (c *compiler) value(r term.Ref, tail bool) *value {
	for c.err == nil {
		n := &c.t.Nodes[r]
		if n.Pos != 0 {
			c.pos = n.Pos
		}
		switch n.Op {
		case term.LetOp, term.UntupleOp, term.UnvecOp:
			r = c.opening(n)
		case term.AppOp:
			return c.application(r, tail)
		case term.IfOp:
			return c.conditional(r, n, tail)
		case term.CaseOp:
			return c.match(r, n, tail)
		default:
			return c.plain(r, n)
		}
	}
	return c.fresh(c.types[r]) // it is not used, after an error
}

// opening makes the code of what a let or an opening binds, and returns where the term goes on.
func (c *compiler) opening(n *term.Node) term.Ref {
	switch n.Op {
	case term.LetOp:
		c.opened(n.X)
		c.bind(n.X, c.term(n.B))
	case term.UntupleOp:
		xs := c.t.BoundVars(n)
		c.opened(xs...)
		c.bindTuple(xs, c.term(n.B))
	case term.UnvecOp:
		c.opened(c.t.BoundVars(n)...)
		c.bindVector(n, c.term(n.B))
	}
	return n.A
}

// plain makes the code of a term that binds nothing and is no call.
func (c *compiler) plain(r term.Ref, n *term.Node) *value {
	if v := c.tables(r); v != nil {
		return v
	}
	switch n.Op {
	case term.VarOp:
		if f := c.first[n.X]; f != nil {
			f.at, f.generated = c.at(), c.t.Generated(n.X)
		} else {
			c.occurrence(c.types[r], c.t.Generated(n.X))
		}
		return c.variable(n.X)
	case term.ComponentOp:
		c.occurrence(c.types[r], c.t.Generated(n.X))
		return c.component(r, n)
	case term.NumOp:
		return &value{kind: number, typ: term.R, num: n.Val}
	case term.IndexNumOp:
		if x, ok := c.known(n.Static()); ok {
			return &value{kind: number, typ: term.R, num: x}
		}
		return c.fromReg(c.index(n.Static()), term.R)
	case term.PairOp:
		left := c.term(n.A)
		return &value{kind: pair, typ: c.types[r], parts: []*value{left, c.term(n.B)}}
	case term.VecOp:
		v := &value{kind: vector, typ: c.types[r]}
		for _, k := range c.t.Children(n) {
			v.parts = append(v.parts, c.term(k))
		}
		return v
	case term.AddOp:
		a := c.register(c.term(n.A))
		b := c.register(c.term(n.B))
		c.operation(rule.Plus, 2, 1)
		return c.fromReg(c.set(ir.Instr{Op: ir.Add, Taped: c.out.Taped, A: a, B: b}), term.R)
	case term.FunOp:
		return c.function(n)
	case term.LamOp:
		return &value{kind: lambda, typ: c.types[r], node: r, free: c.capture(r)}
	case term.ListOp, term.NatOp, term.ListFamilyOp:
		return &value{kind: list, typ: c.types[r], node: r, free: c.capture(r)}
	case term.DataOp:
		return c.datum(r, n)
	case term.FamilyOp:
		return c.family(r, n)
	case term.ScanOp:
		return c.states(r, n)
	case term.SumOp:
		return c.sum(r, n)
	case term.ConOp:
		var args []ir.Reg
		if n.A != 0 {
			args = c.flatten(c.term(n.A))
		}
		return c.fromReg(c.set(ir.Instr{Op: ir.MakeCon, N: uint32(n.Count), Args: args}), c.types[r])
	case term.FixOp:
		return c.fix(r, n)
	}
	panic(fmt.Sprintf("lower: constructor %d", n.Op))
}

// fromReg is a value in a register of this function.
func (c *compiler) fromReg(r ir.Reg, t term.Type) *value {
	return &value{kind: register, typ: t, at: c.here(r)}
}

// fresh is a value in new registers.
func (c *compiler) fresh(t term.Type) *value {
	n := c.layout.Registers(t)
	return c.fromRegs(regsFrom(c.reg(n), n), t)
}

// fromRegs is a value whose parts are in registers of this function.
func (c *compiler) fromRegs(regs []ir.Reg, t term.Type) *value {
	if c.t.Types.Kind(t) != term.ProdKind {
		return c.fromReg(regs[0], t)
	}
	left, right := c.t.Types.Left(t), c.t.Types.Right(t)
	k := c.layout.Registers(left)
	return &value{kind: pair, typ: t, parts: []*value{c.fromRegs(regs[:k], left), c.fromRegs(regs[k:], right)}}
}

// bind binds a variable.
func (c *compiler) bind(x term.Var, v *value) {
	if v.kind == lambda && c.uses[x] > 1 {
		v.shared, v.copies = true, max(v.copies, c.uses[x])
	}
	c.vars[x] = v
}

// variable is what a variable is bound to.
func (c *compiler) variable(x term.Var) *value {
	if i := c.inputs[x]; i != 0 {
		v := c.fromReg(c.pure(ir.Instr{Op: ir.Static, N: uint32(i)}), term.R)
		v.input = uint32(i)
		return v
	}
	if v := c.of(x); v != nil {
		return v
	}
	c.fail(c.pos, fmt.Sprintf("the variable %s, number %d, which is free", c.t.Info(x).Name, x))
	return c.fresh(c.t.TypeOf(x))
}

// halves are the components of a pair.
func (c *compiler) halves(v *value) (left, right *value) {
	if v.kind == tabled {
		l, r := v.row.parts[0], v.row.parts[1]
		return c.partOf(v.row, l, 0), c.partOf(v.row, r, l.slots)
	}
	if v.kind == component {
		t := c.t.Types
		l, r := t.Left(v.typ), t.Right(v.typ)
		at := v.slot + uint32(c.part(l, v.inline))
		return &value{kind: component, typ: l, at: v.at, slot: v.slot, inline: v.inline},
			&value{kind: component, typ: r, at: v.at, slot: at, inline: v.inline}
	}
	return v.parts[0], v.parts[1]
}

// part is how many slots a value of type t takes as a part of an object: inline, of a vector.
func (c *compiler) part(t term.Type, inline bool) int {
	if inline {
		return c.layout.Slots(t)
	}
	return c.layout.Registers(t)
}

// bindTuple binds variables to the components of a right-nested tuple.
func (c *compiler) bindTuple(xs []term.Var, v *value) {
	for _, x := range xs[:len(xs)-1] {
		left, right := c.halves(v)
		c.bind(x, left)
		v = right
	}
	c.bind(xs[len(xs)-1], v)
}

// bindVector binds the variables of an opening to the components of a vector.
func (c *compiler) bindVector(n *term.Node, v *value) {
	xs := c.t.BoundVars(n)
	if v.kind == vector && !c.dynamic[xs[0]] {
		for i, x := range xs {
			c.bind(x, v.parts[i])
		}
		return
	}
	if n.X == 0 || v.kind == tabled { // the variables do not follow each other
		for i, part := range c.components(v, len(xs)) {
			c.vars[xs[i]] = part
		}
		return
	}
	all := c.object(v)
	all.kind, all.first = opened, n.X
	for _, x := range xs {
		c.vars[x] = &all
	}
}

// of is what a variable is bound to, nil where it is to nothing.
func (c *compiler) of(x term.Var) *value {
	v := c.vars[x]
	if v == nil || v.kind != opened {
		return v
	}
	part := *v
	part.kind, part.slot = component, v.slot+uint32(x-v.first)*uint32(c.layout.Slots(v.typ))
	return &part
}

// object is the first component of a vector, in the object that it is.
func (c *compiler) object(v *value) value {
	at, slot := v.at, v.slot
	if v.kind != component || !v.inline {
		at, slot = c.here(c.register(v)), 0
	}
	return value{kind: component, typ: c.t.Types.Left(v.typ), at: at, slot: slot, inline: true}
}

// components are those of a vector of n, in the object that it is.
func (c *compiler) components(v *value, n int) []*value {
	elem := c.t.Types.Left(v.typ)
	if v.kind == tabled && !c.flat(elem) {
		parts, elem := make([]*value, n), v.row.parts[0]
		for i := range parts {
			parts[i] = c.partOf(v.row, elem, uint32(i)*elem.slots)
		}
		return parts
	}
	w, first := uint32(c.layout.Slots(elem)), c.object(v)
	parts := make([]*value, n)
	for i := range parts {
		part := first
		part.slot += uint32(i) * w
		parts[i] = &part
	}
	return parts
}

// flatten puts values in registers.
func (c *compiler) flatten(values ...*value) (regs []ir.Reg) {
	for _, v := range values {
		if c.t.Types.Kind(v.typ) == term.ProdKind {
			regs = append(regs, c.flatten(c.halves(v))...)
		} else {
			regs = append(regs, c.register(v))
		}
	}
	return regs
}

// register puts a value that takes one register there.
func (c *compiler) register(v *value) ir.Reg {
	switch v = c.whole(v); v.kind {
	case register:
		return c.use(v.at)
	case number:
		return c.constant(v.num)
	case component:
		op := ir.Load
		if v.inline && c.t.Types.Kind(v.typ) == term.VecKind {
			op = ir.View
		}
		in := ir.Instr{Op: op, A: c.use(v.at), N: v.slot}
		if v.inline {
			return c.pure(in)
		}
		return c.set(in)
	case vector:
		d := c.set(ir.Instr{Op: ir.Alloc, N: uint32(c.layout.Slots(v.typ))})
		c.store(d, v, noIndex, 0, 0)
		return d
	case member:
		return c.use(v.at)
	case tabled:
		return c.rowRegister(v)
	}
	return c.closure(v)
}

// whole is a vector: where its components are slots of an object that follow each other, it is these slots.
func (c *compiler) whole(v *value) *value {
	if v.kind == vector && len(v.parts) > 0 {
		if n, object := c.run(v.parts, v.typ); n == len(v.parts) {
			return object
		}
	}
	return v
}

// run is how many of the first components of a vector are slots of an object that follow each other, and these.
func (c *compiler) run(parts []*value, t term.Type) (n int, object *value) {
	elem := c.t.Types.Left(t)
	first, w := c.whole(parts[0]), uint32(c.layout.Slots(elem))
	if first.input != 0 { // components of the inputs
		for n < len(parts) && parts[n].input == first.input+uint32(n) {
			n++
		}
		if n < shortRun {
			return 0, nil
		}
		object := c.fromReg(c.pure(ir.Instr{Op: ir.Object, N: first.input}), c.t.Types.Vec(n, elem))
		return n, &value{kind: component, typ: object.typ, at: object.at, inline: true}
	}
	for k, p := range parts {
		if k > 0 {
			p = c.whole(p)
		} else {
			p = first // in a vector of vectors it is one, too
		}
		if p.kind != component || !p.inline || p.at != first.at || p.slot != first.slot+uint32(k)*w {
			break
		}
		n++
	}
	return n, &value{kind: component, typ: c.t.Types.Vec(max(1, n), elem), at: first.at, slot: first.slot, inline: true}
}

// constant puts a number in a register.
func (c *compiler) constant(x float64) ir.Reg { return c.pure(ir.Instr{Op: ir.Const, Val: x}) }

// noIndex is the index of a store to a fixed slot.
const noIndex = ^ir.Reg(0)

// store puts a value in the slots of vector d from i · m + n on.
func (c *compiler) store(d ir.Reg, v *value, i ir.Reg, m, n uint32) {
	put := func(op, indexed ir.Op, a ir.Reg, k uint32) {
		if i == noIndex {
			c.emit(ir.Instr{Op: op, D: d, A: a, N: n, K: k})
		} else {
			c.emit(ir.Instr{Op: indexed, D: d, A: a, B: i, M: m, N: n, K: k})
		}
	}
	switch c.t.Types.Kind(v.typ) {
	case term.ProdKind:
		left, right := c.halves(v)
		c.store(d, left, i, m, n)
		c.store(d, right, i, m, n+uint32(c.layout.Slots(left.typ)))
	case term.VecKind:
		if v = c.whole(v); v.kind == vector {
			w := uint32(c.layout.Slots(c.t.Types.Left(v.typ)))
			for k := 0; k < len(v.parts); {
				many, object := c.run(v.parts[k:], v.typ)
				if many < shortRun {
					many, object = 1, v.parts[k]
				}
				c.store(d, object, i, m, n+uint32(k)*w)
				k += many
			}
			return
		}
		put(ir.Copy, ir.CopyX, c.register(v), uint32(c.layout.Slots(v.typ)))
	default:
		put(ir.Store, ir.StoreX, c.register(v), 1)
	}
}

// indexed are operations for slots that an index selects: of a vector, and static.
var indexed = [...][2]ir.Op{ir.View: {ir.ViewX, ir.ObjectX}, ir.Load: {ir.LoadX, ir.StaticX}}

// load is the value of type t in the slots i · m + n of vector a.
func (c *compiler) load(t term.Type, a operand, i ir.Reg, m, n uint32) *value {
	return c.read(t, n, func(op ir.Op, n uint32) ir.Reg {
		return c.pure(ir.Instr{Op: indexed[op][0], A: c.use(a), B: i, M: m, N: n})
	})
}

// static is load of static slots.
func (c *compiler) static(t term.Type, i ir.Reg, m, n uint32) *value {
	return c.read(t, n, func(op ir.Op, n uint32) ir.Reg {
		return c.pure(ir.Instr{Op: indexed[op][1], B: i, M: m, N: n})
	})
}

// read is the value of type t whose slots from n on get loads: of a vector a reference.
func (c *compiler) read(t term.Type, n uint32, get func(op ir.Op, n uint32) ir.Reg) *value {
	switch c.t.Types.Kind(t) {
	case term.ProdKind:
		l, r := c.t.Types.Left(t), c.t.Types.Right(t)
		left := c.read(l, n, get)
		return &value{kind: pair, typ: t, parts: []*value{left, c.read(r, n+uint32(c.layout.Slots(l)), get)}}
	case term.VecKind:
		return c.fromReg(get(ir.View, n), t)
	}
	return c.fromReg(get(ir.Load, n), t)
}

// function makes the code of f(t1,…,tk).
func (c *compiler) function(n *term.Node) *value {
	kids := c.t.Children(n)
	args := make([]ir.Reg, len(kids))
	for i, k := range kids {
		args[i] = c.register(c.term(k))
	}
	c.operation(ruleOf(n.Sym), len(kids), 1)
	in := ir.Instr{Sym: n.Sym, Taped: c.out.Taped}
	switch {
	case n.Sym == term.Mul:
		in.Op, in.A, in.B = ir.Mul, args[0], args[1]
	case len(args) == 1:
		in.Op, in.A = ir.Fun1, args[0]
	case len(args) == 2:
		in.Op, in.A, in.B = ir.Fun2, args[0], args[1]
	default:
		in.Op, in.Args = ir.FunK, args
	}
	return c.fromReg(c.set(in), term.R)
}

// datum is data: its numbers in place, or a list.
func (c *compiler) datum(r term.Ref, n *term.Node) *value {
	d := &c.t.Data[n.A]
	switch {
	case d.List:
		return &value{kind: list, typ: c.types[r], node: r}
	case c.types[r] == term.R:
		return &value{kind: number, typ: term.R, num: d.Values[0]}
	}
	return c.fromReg(c.pure(ir.Instr{Op: ir.Object, N: c.staticData(int(n.A))}), c.types[r])
}

// staticData gives data its static slots, and returns the first. Data that is not stored has those of its first
// element.
func (c *compiler) staticData(i int) uint32 {
	if c.data[i] == 0 {
		c.data[i] = c.out.Static
		c.out.Data = append(c.out.Data, ir.Datum{Index: i, At: c.out.Static, Data: &c.t.Data[i]})
		d := c.out.Data[len(c.out.Data)-1].Data
		if c.out.Static += len(d.Values); d.Chunk != nil {
			c.out.Static += d.Width
		}
	}
	return uint32(c.data[i])
}

// branches makes the code of alternatives, each of which ends with a jump to the end or, in tail position, a return.
// The result is in new registers.
func (c *compiler) branches(t term.Type, tail bool, kids []term.Ref, each []func() *value) *value {
	if tail {
		for _, f := range each {
			c.result(f())
		}
		return nil
	}
	out, end, apart := c.fresh(t), c.label(), len(kids) > 0
	for _, k := range kids {
		apart = apart && c.apart(k)
	}
	flatten := func(v *value) []ir.Reg { return c.flatten(v) }
	if apart {
		out = &value{kind: vector, typ: t}
		for range c.t.Types.Len(t) {
			out.parts = append(out.parts, c.fresh(term.R))
		}
		flatten = func(v *value) []ir.Reg {
			parts := v.parts
			if v.kind != vector {
				parts = c.components(v, len(out.parts))
			}
			return c.flatten(parts...)
		}
	}
	to := flatten(out)
	for i, f := range each {
		c.move(to, flatten(f()))
		if i < len(each)-1 {
			c.emit(ir.Instr{Op: ir.Jump, N: end})
		}
	}
	c.place(end)
	return out
}

// apart reports whether the value of a term is a short vector whose components are known one by one.
func (c *compiler) apart(r term.Ref) bool {
	types, t := c.t.Types, c.types[r]
	if types.Kind(t) != term.VecKind || types.Left(t) != term.R || types.Len(t) > shortFamily {
		return false
	}
	switch n := &c.t.Nodes[r]; n.Op {
	case term.LetOp, term.UntupleOp, term.UnvecOp:
		return c.apart(n.A)
	case term.VecOp:
		return true
	case term.FamilyOp:
		return c.unrolls(r)
	case term.ScanOp:
		return c.unroll[r]
	case term.IfOp:
		kids := c.t.Children(n)
		return c.apart(kids[2]) && c.apart(kids[3])
	}
	return false
}

// move moves registers to others, all at once.
func (c *compiler) move(to, from []ir.Reg) {
	for i := range to {
		if slices.Contains(from[i+1:], to[i]) {
			from = slices.Clone(from)
			for k := i; k < len(from); k++ {
				from[k] = c.set(ir.Instr{Op: ir.Move, A: from[k]})
			}
		}
		if to[i] != from[i] {
			c.emit(ir.Instr{Op: ir.Move, D: to[i], A: from[i]})
		}
	}
}

// conditional makes the code of if s c s' then t else u.
func (c *compiler) conditional(r term.Ref, n *term.Node, tail bool) *value {
	kids := c.t.Children(n)
	no := c.branchTo(n, kids)
	yes, other := c.branch(kids[2]), c.branch(kids[3])
	return c.branches(c.types[r], tail, kids[2:], []func() *value{
		func() *value { return c.in(yes, func() *value { return c.value(kids[2], tail) }) },
		func() *value {
			c.place(no)
			return c.in(other, func() *value { return c.value(kids[3], tail) })
		},
	})
}

// branchTo makes the comparison of an if, and returns the label of the other branch.
func (c *compiler) branchTo(n *term.Node, kids []term.Ref) (no uint32) {
	a := c.register(c.term(kids[0]))
	b := c.register(c.term(kids[1]))
	c.count(rule.Branch, 1)
	if c.out.Taped {
		c.operands(2, 1)
	}
	no, c.f.branch = c.label(), len(c.f.loops)
	c.emit(ir.Instr{Op: ir.Branch, Cmp: n.Cmp, A: a, B: b, N: no})
	c.newBlock()
	return no
}

// match makes the code of match t with ….
func (c *compiler) match(r term.Ref, n *term.Node, tail bool) *value {
	kids := c.t.Children(n)
	u := c.here(c.register(c.term(kids[0])))
	c.count(rule.Case, 1)
	in := ir.Instr{Op: ir.Switch, A: u.reg}
	var each []func() *value
	cons := c.t.Types.Constructors(n.Res)
	for i, k := range kids[1:] {
		l := c.label()
		in.Labels = append(in.Labels, l)
		b := &c.t.Nodes[k]
		call := c.branch(k)
		each = append(each, func() *value {
			c.place(l)
			return c.in(call, func() *value {
				if xs := c.t.BoundVars(b); len(xs) > 0 {
					c.pos = b.Pos
					c.opened(xs...)
					c.bindTuple(xs, &value{kind: component, typ: cons[i].Arg, at: u})
				}
				return c.value(b.A, tail)
			})
		})
	}
	c.emit(in)
	return c.branches(c.types[r], tail, nil, each)
}
