package block

import (
	"slices"

	"github.com/gram-machine/gram/graph"
	"github.com/gram-machine/gram/term"
)

// Bounds of a routine.
const (
	maxRoutinePaths = 256
	maxFlat         = 8  // the leaves of an argument or a result that is in registers
	maxInLine       = 16 // the instructions of a λ whose code is put in line
)

// routines makes the routines of a program: see [graph.Program.Routine].
type routines struct {
	c     *compiler
	of    map[uint32]*graph.Routine
	none  map[uint32]bool // templates without a routine
	fresh []uint32        // those of the routines that are made
}

// routines lets the machine make routines while it runs.
func (c *compiler) routines(small *compiler) {
	s := &routines{c: small, of: map[uint32]*graph.Routine{}, none: map[uint32]bool{}}
	c.out.SetRoutines(s.get)
}

// get returns the routine of a template, with those that it calls. Where one of these cannot be made, its calls are left to the machine.
func (s *routines) get(id uint32) *graph.Routine {
	for s.fresh = s.fresh[:0]; s.callee(id) != nil && len(s.fresh) > 0; {
		for i := 0; i < len(s.fresh); i++ {
			b := &routineBuilder{all: s, out: s.of[s.fresh[i]]}
			b.prog, b.on = s.c.out, b
			if !b.build() {
				s.none[s.fresh[i]] = true
				break
			}
			if i+1 == len(s.fresh) {
				return s.of[id]
			}
		}
		for _, id := range s.fresh {
			delete(s.of, id)
		}
		s.fresh = s.fresh[:0]
	}
	return s.of[id]
}

// callee returns the routine of a template, which may have to be built yet; nil if there is none.
func (s *routines) callee(id uint32) *graph.Routine {
	t := &s.c.out.Templates[id]
	if t.Params == 0 || t.Block != 0 || t.Families || s.none[id] {
		return nil
	}
	r := s.of[id]
	if r == nil {
		r = &graph.Routine{Template: id, Recursive: t.Group != nil, Result: s.c.flat(t.Type)}
		for _, typ := range s.c.slotTypes[id][t.Caps:] {
			r.Params = append(r.Params, s.c.flat(typ))
		}
		s.of[id] = r
		s.fresh = append(s.fresh, id)
	}
	return r
}

// flat returns how an argument or a result of the type is in registers.
func (c *compiler) flat(typ term.Type) (l graph.Layout) {
	tt := c.types
	for stack := []term.Type{typ}; len(stack) > 0; {
		typ := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		n := graph.LayoutNode{Kind: graph.RefLeaf}
		switch tt.Kind(typ) {
		case term.RKind:
			n.Kind = graph.NumLeaf
		case term.ProdKind:
			n = graph.LayoutNode{Kind: graph.PairLayout, N: 2}
			stack = append(stack, tt.Right(typ), tt.Left(typ))
		}
		if l = append(l, n); len(l) >= 2*maxFlat {
			return graph.Layout{{Kind: graph.RefLeaf}}
		}
	}
	return l
}

// routineBuilder makes the code of a λ by evaluating its body on registers, once for each path that the outcomes of its conditionals and
// matches select.
type routineBuilder struct {
	evaluation
	all  *routines
	out  *graph.Routine
	tree []routineNode

	// The path that is made:
	outcomes  []int // of its conditionals and matches
	arity     []int // and how many each may have
	at        int   // the node of the tree
	numbers   uint32
	refs      uint32
	units     uint32
	depth     int
	tail      bool
	loaded    map[uint32]uint32 // of references: the numbers there
	boxed     map[uint32]uint32 // of numbers: their nodes
	opened    map[uint32][]wire // of references to tuples: the components
	closures  map[uint32]uint32 // of closures, by their numbers: the objects
	captures  map[uint32]uint32 // the captured references
	globals   map[uint32]uint32 // of globals: the references
	constants map[uint32]uint32 // of globals: the numbers
	made      uint32            // closures
}

// routineNode is the code between two conditionals. Paths that have a node in common are evaluated again from the beginning.
type routineNode struct {
	code     []graph.RoutineInstr
	done     bool
	children []int
	entry    graph.RoutineEntry
}

// The wires of a routine, besides numbers, tuples and closures: a reference in a register, a captured one, a global, and a function that
// is defined together with the routine's. The reg of a closure is its number.
const (
	refWire graph.LayoutKind = 250 + iota
	captureWire
	globalWire
	memberWire
)

// build makes the code, or reports that there is none.
func (b *routineBuilder) build() bool {
	b.tree = []routineNode{{}}
	call := &b.tree[0].entry
	call.Applied = uint64(len(b.out.Params))
	if b.out.Recursive {
		call.Unfolds = 1
	}
	for {
		if !b.path() {
			return false
		}
		b.out.Numbers, b.out.Refs, b.out.Units = max(b.out.Numbers, b.numbers), max(b.out.Refs, b.refs), max(b.out.Units, b.units)
		n := len(b.outcomes)
		for n > 0 && b.outcomes[n-1] == b.arity[n-1]-1 {
			n--
		}
		if n == 0 {
			break
		}
		b.outcomes, b.arity = b.outcomes[:n], b.arity[:n]
		b.outcomes[n-1]++
		if len(b.tree) > maxRoutinePaths {
			return false
		}
	}
	b.link(0)
	return true
}

// path makes the path of b.outcomes, and of the first outcome of each further conditional.
func (b *routineBuilder) path() bool {
	id := b.out.Template
	t := &b.prog.Templates[id]
	b.at, b.numbers, b.refs, b.units, b.depth, b.tail, b.made = 0, 0, 1, 0, 0, false, 0
	b.loaded, b.boxed, b.opened, b.closures = map[uint32]uint32{}, map[uint32]uint32{}, map[uint32][]wire{}, map[uint32]uint32{}
	b.captures, b.globals, b.constants = map[uint32]uint32{}, map[uint32]uint32{}, map[uint32]uint32{}
	b.start()
	var values []int
	for i := range t.Caps {
		values = append(values, b.value(wire{kind: captureWire, reg: i}))
	}
	for _, l := range b.out.Params {
		values = append(values, b.value(b.leaves(l)))
	}
	for _, member := range t.Group {
		values = append(values, b.value(wire{kind: memberWire, tmpl: member}))
	}
	root := b.add(evaluated{})
	if !b.instantiate(id, values, root) {
		return false
	}
	w, ok := b.finish(root)
	if !ok {
		return false
	}
	if !b.tail {
		r, ok := b.registers([]graph.Layout{b.out.Result}, []wire{w})
		if !ok {
			return false
		}
		if !b.tree[b.at].done {
			b.emit(graph.RoutineInstr{Op: graph.RoutineReturn, A: uint32(len(b.out.Returns))})
			b.out.Returns = append(b.out.Returns, r)
		}
	}
	b.tree[b.at].done = true
	return true
}

// link adds the code of a node of the tree, and of those behind it. It returns where the code begins.
func (b *routineBuilder) link(i int) uint32 {
	n := &b.tree[i]
	at := uint32(len(b.out.Code))
	if len(n.entry.Templates) > 0 {
		n.entry.Steps += 2*n.entry.Applied + n.entry.Unfolds + n.entry.Names
		for _, id := range n.entry.Templates {
			n.entry.Steps += b.prog.Templates[id].Steps
		}
		b.out.Code = append(b.out.Code, graph.RoutineInstr{Op: graph.RoutineEnter, A: uint32(len(b.out.Entries))})
		b.out.Entries = append(b.out.Entries, n.entry)
	}
	b.out.Code = append(b.out.Code, n.code...)
	jump, first := len(b.out.Code)-1, len(b.out.Targets)
	if b.out.Code[jump].Op == graph.RoutineMatch {
		b.out.Code[jump].D = uint32(first)
		b.out.Targets = append(b.out.Targets, make([]uint32, len(n.children))...)
	}
	for k, child := range n.children {
		to := b.link(child)
		if b.out.Code[jump].Op == graph.RoutineMatch {
			b.out.Targets[first+k] = to
		} else {
			b.out.Code[jump].D = to // the last is the second
		}
	}
	return at
}

func (b *routineBuilder) emit(in graph.RoutineInstr) {
	if at := &b.tree[b.at]; !at.done {
		at.code = append(at.code, in)
	}
}

// toNumber emits an instruction whose result is a number.
func (b *routineBuilder) toNumber(in graph.RoutineInstr) uint32 {
	in.D = b.numbers
	b.numbers++
	b.emit(in)
	return in.D
}

// toRefs emits an instruction whose result are n references, and which allocates so many nodes. It returns the first.
func (b *routineBuilder) toRefs(in graph.RoutineInstr, n, units uint32) uint32 {
	in.D = b.refs
	b.refs += n
	b.units += units
	b.emit(in)
	return in.D
}

// memo returns what the map has at the key, or makes it.
func memo(of map[uint32]uint32, key uint32, f func() uint32) uint32 {
	v, ok := of[key]
	if !ok {
		v = f()
		of[key] = v
	}
	return v
}

// number returns the register of a number.
func (b *routineBuilder) number(w wire) (uint32, bool) {
	switch w.kind {
	case graph.NumLeaf:
		return w.reg, true
	case globalWire:
		return memo(b.constants, w.reg, func() uint32 {
			if _, input := b.prog.InputAt(w.reg); input {
				return b.toNumber(graph.RoutineInstr{Op: graph.RoutineInput, A: w.reg})
			}
			d := b.toNumber(graph.RoutineInstr{Op: graph.RoutineConst, A: uint32(len(b.out.Consts))})
			if !b.tree[b.at].done {
				b.out.Consts = append(b.out.Consts, b.prog.Global(w.reg).Val)
			}
			return d
		}), b.prog.Global(w.reg).Kind == graph.Num
	case refWire, captureWire:
		r, _ := b.ref(w)
		return memo(b.loaded, r, func() uint32 {
			d := b.toNumber(graph.RoutineInstr{Op: graph.RoutineLoad, A: r})
			b.boxed[d] = r
			return d
		}), true
	}
	return 0, false
}

// ref returns the register of a reference to what the wire stands for, which may have to be made.
func (b *routineBuilder) ref(w wire) (r uint32, ok bool) {
	if len(w.args) > 0 {
		return 0, false
	}
	switch w.kind {
	case refWire:
		return w.reg, true
	case captureWire:
		return memo(b.captures, w.reg, func() uint32 {
			return b.toRefs(graph.RoutineInstr{Op: graph.RoutineCapture, A: w.reg}, 1, 0)
		}), true
	case globalWire:
		return memo(b.globals, w.reg, func() uint32 {
			return b.toRefs(graph.RoutineInstr{Op: graph.RoutineGlobal, A: w.reg}, 1, 0)
		}), true
	case graph.NumLeaf:
		return memo(b.boxed, w.reg, func() uint32 {
			return b.toRefs(graph.RoutineInstr{Op: graph.RoutineNumber, A: w.reg}, 1, 1)
		}), true
	case memberWire:
		caps := b.prog.Templates[w.tmpl].Caps
		return b.toRefs(graph.RoutineInstr{Op: graph.RoutineMember, A: w.tmpl, B: caps}, 1, graph.Units(graph.ValueWords, int(caps))), true
	case graph.PairLayout:
		x, ok := b.ref(w.parts[0])
		y, ok2 := b.ref(w.parts[1])
		if !ok || !ok2 {
			return 0, false
		}
		return b.toRefs(graph.RoutineInstr{Op: graph.RoutinePair, A: x, B: y}, 1, 1), true
	case graph.VecLayout:
		return b.object(uint32(graph.Vec)|uint32(len(w.parts))<<graph.KindShift, graph.ValueWords, w.parts)
	case closureWire:
		if r, ok := b.closures[w.reg]; ok {
			return r, true
		}
		r, ok := b.object(uint32(graph.Closure)|w.tmpl<<graph.KindShift, graph.ValueWords, w.parts)
		b.closures[w.reg] = r
		return r, ok
	}
	return 0, false
}

// object makes an object of the wires, and returns its register.
func (b *routineBuilder) object(head uint32, header int, wires []wire) (uint32, bool) {
	o := graph.RoutineObject{Head: head, Header: uint32(header)}
	for _, w := range wires {
		r, ok := b.ref(w)
		if !ok {
			return 0, false
		}
		o.Refs = append(o.Refs, r)
	}
	return b.toRefs(graph.RoutineInstr{Op: graph.RoutineMake, A: b.addObject(o)}, 1, graph.Units(header, len(wires))), true
}

func (b *routineBuilder) addObject(o graph.RoutineObject) uint32 {
	if b.tree[b.at].done {
		return 0
	}
	b.out.Objects = append(b.out.Objects, o)
	return uint32(len(b.out.Objects) - 1)
}

// leaves makes new registers of the layout, and the wire of the value in them.
func (b *routineBuilder) leaves(l graph.Layout) wire {
	var root wire
	holes := []*wire{&root}
	for _, n := range l {
		w := holes[len(holes)-1]
		holes = holes[:len(holes)-1]
		switch n.Kind {
		case graph.NumLeaf:
			*w = wire{kind: graph.NumLeaf, reg: b.numbers}
			b.numbers++
		case graph.PairLayout:
			*w = wire{kind: graph.PairLayout, parts: make([]wire, 2)}
			holes = append(holes, &w.parts[1], &w.parts[0])
		default:
			*w = wire{kind: refWire, reg: b.refs}
			b.refs++
		}
	}
	return root
}

// registers returns the registers of values of the layouts.
func (b *routineBuilder) registers(layouts []graph.Layout, wires []wire) (r graph.RoutineLeaves, ok bool) {
	for i, l := range layouts {
		stack := []wire{wires[i]}
		for _, n := range l {
			w := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			var reg uint32
			ok := true
			switch n.Kind {
			case graph.NumLeaf:
				reg, ok = b.number(w)
				r.Numbers = append(r.Numbers, reg)
			case graph.PairLayout:
				var x, y wire
				x, y, ok = b.split(w)
				stack = append(stack, y, x)
			default:
				reg, ok = b.ref(w)
				r.Refs = append(r.Refs, reg)
			}
			if !ok {
				return r, false
			}
		}
	}
	return r, true
}

// split returns the components of a pair.
func (b *routineBuilder) split(w wire) (x, y wire, ok bool) {
	switch w.kind {
	case graph.PairLayout:
		return w.parts[0], w.parts[1], true
	case globalWire:
		if g := b.prog.Global(w.reg); g.Kind == graph.Pair {
			return wire{kind: globalWire, reg: g.Comps[0]}, wire{kind: globalWire, reg: g.Comps[1]}, true
		}
		return w, w, false
	case refWire, captureWire:
		parts := b.open(w, graph.RoutineInstr{Op: graph.RoutineSplit}, 2)
		return parts[0], parts[1], true
	}
	return w, w, false
}

// open opens the tuple of n components at a reference.
func (b *routineBuilder) open(w wire, in graph.RoutineInstr, n uint32) []wire {
	in.A, _ = b.ref(w)
	parts, ok := b.opened[in.A]
	if !ok {
		first := b.toRefs(in, n, 0)
		for k := range n {
			parts = append(parts, wire{kind: refWire, reg: first + k})
		}
		b.opened[in.A] = parts
	}
	return parts
}

// The rules of the evaluation.

func (b *routineBuilder) operand(slot uint32) (int, bool) {
	if slot < uint32(b.prog.NumGlobals()) {
		return b.value(wire{kind: globalWire, reg: slot}), true
	}
	r, ok := b.slots[slot]
	return r, ok
}

func (b *routineBuilder) began(id uint32) bool {
	if n := &b.tree[b.at]; !n.done {
		n.entry.Templates = append(n.entry.Templates, id)
	}
	return true
}

func (b *routineBuilder) families(uint32, []int, int) bool { return false }

func (b *routineBuilder) component(in *graph.Instr, w wire, k int) (_ wire, ok bool) {
	if in.Op == graph.OpUnvec {
		switch w.kind {
		case graph.VecLayout:
			return w.parts[k], true
		case refWire, captureWire:
			return b.open(w, graph.RoutineInstr{Op: graph.RoutineOpen, B: in.N}, in.N)[k], true
		}
		return w, false
	}
	n := 2
	if in.Op == graph.OpUntuple {
		n = int(in.N)
	}
	for i := range min(k+1, n-1) {
		x, y, ok := b.split(w)
		if !ok {
			return w, false
		}
		if w = y; i == k {
			w = x
		}
	}
	return w, true
}

var routineOps = map[graph.Op]graph.RoutineOp{graph.OpMul: graph.RoutineMul, graph.OpAdd: graph.RoutineAdd, graph.OpSub: graph.RoutineSub,
	graph.OpFun1: graph.RoutineFun1, graph.OpFun2: graph.RoutineFun2}

func (b *routineBuilder) compute(in *graph.Instr, ops []int) (w wire, ok bool) {
	wires := b.wiresOf(ops)
	switch in.Op {
	case graph.OpMul, graph.OpAdd, graph.OpSub, graph.OpFun1, graph.OpFun2:
		x, ok := b.number(wires[0])
		y, ok2 := b.number(wires[len(wires)-1])
		return wire{kind: graph.NumLeaf, reg: b.toNumber(graph.RoutineInstr{Op: routineOps[in.Op], Sym: in.Sym, A: x, B: y})}, ok && ok2
	case graph.OpPair:
		return wire{kind: graph.PairLayout, parts: wires}, true
	case graph.OpVec:
		return wire{kind: graph.VecLayout, parts: wires}, true
	case graph.OpClosure:
		b.made++
		return wire{kind: closureWire, tmpl: in.Tmpl, parts: wires, reg: b.made}, true
	}
	w.kind = refWire
	switch in.Op {
	case graph.OpCon:
		r, ok := b.ref(wires[0])
		w.reg = b.toRefs(graph.RoutineInstr{Op: graph.RoutineCon, A: r, B: in.Tmpl}, 1, 1)
		return w, ok
	case graph.OpDual:
		w.reg, ok = b.object(uint32(graph.DualCell)|in.Tmpl<<graph.KindShift, graph.DualWords, wires)
	case graph.OpList:
		w.reg, ok = b.object(uint32(graph.List)|in.Tmpl<<graph.KindShift, graph.ValueWords, wires)
	}
	return w, ok
}

// branch is (13) or (14): the path decides which branch is instantiated.
func (b *routineBuilder) branch(r int) bool {
	in, ops := b.nodes[r].in, b.nodes[r].ops
	x, ok := uint32(0), false
	test := graph.RoutineInstr{Op: graph.RoutineMatch}
	arity := 2
	if in.Op == graph.OpIf {
		test.Op, test.Cmp = graph.RoutineTest, in.Cmp
		if x, ok = b.number(b.nodes[ops[0]].wire); !ok {
			return false
		}
		test.B, ok = b.number(b.nodes[ops[1]].wire)
	} else {
		arity = len(b.prog.Cases[in.Tmpl])
		x, ok = b.ref(b.nodes[ops[0]].wire)
	}
	test.A = x
	k := b.fork(test, arity)
	if in.Op == graph.OpIf {
		id, ops := in.Tmpl, ops[2:in.Split]
		if k == 1 {
			id, ops = in.Else, b.nodes[r].ops[in.Split:]
		}
		return ok && b.instantiate(id, ops, r)
	}
	c := b.prog.Cases[in.Tmpl][k]
	values := slices.Clone(ops[c.From:c.To])
	if b.prog.Templates[c.Template].Extra > 0 {
		values = append(values, b.value(wire{kind: refWire, reg: b.toRefs(graph.RoutineInstr{Op: graph.RoutinePayload, A: x}, 1, 0)}))
	}
	return ok && b.instantiate(c.Template, values, r)
}

// fork ends a node of the tree by a jump, and goes on with the one of the path's outcome, which it returns.
func (b *routineBuilder) fork(test graph.RoutineInstr, arity int) int {
	if at := &b.tree[b.at]; !at.done {
		b.emit(test)
		at.done = true
		at.children = make([]int, arity)
		for k := range arity {
			at.children[k] = len(b.tree) + k
		}
		b.tree = append(b.tree, make([]routineNode, arity)...)
	}
	if b.depth == len(b.outcomes) {
		b.outcomes, b.arity = append(b.outcomes, 0), append(b.arity, arity)
	}
	k := b.outcomes[b.depth]
	b.depth++
	b.at = b.tree[b.at].children[k]
	return k
}

// apply is rule (1): code in line, a call, or an application that is left to the machine.
func (b *routineBuilder) apply(r int) bool {
	n := b.nodes[r]
	f := b.nodes[n.ops[0]].wire
	args := b.wiresOf(n.ops[1:])
	id, known := f.tmpl, f.kind == closureWire || f.kind == memberWire
	if f.kind == globalWire {
		g := b.prog.Global(f.reg)
		id, known = g.Index, g.Kind == graph.Closure
	}
	var callee *graph.Routine
	inLine := false
	if known {
		inLine = f.kind != memberWire && b.inLine(id)
		callee = b.all.callee(id)
	}
	if !inLine && callee == nil {
		return b.applyOutside(r, n.pc, f, args)
	}
	args = append(slices.Clone(f.args), args...)
	params := int(b.prog.Templates[id].Params)
	b.partial(id, len(f.args), -1)
	if len(args) < params {
		b.partial(id, len(args), 1)
		f.args = args
		b.settle(r, f)
		return true
	}
	into := r
	if rest := n.ops[len(n.ops)-(len(args)-params):]; len(rest) > 0 {
		into = b.add(evaluated{})
		b.wait(r, graph.Apply, nil, append([]int{into}, rest...))
		b.nodes[r].pc = n.pc
		b.await(r, into)
	}
	f.args = nil
	if inLine {
		var values []int
		for _, w := range append(slices.Clone(f.parts), args[:params]...) {
			values = append(values, b.value(w))
		}
		if at := &b.tree[b.at]; !at.done {
			at.entry.Applied += uint64(params)
		}
		return b.instantiate(id, values, into)
	}
	return b.call(into, f, callee, args[:params])
}

// partial counts what a partial application of n arguments takes, times 1 or -1: what binds the rest counts it again.
func (b *routineBuilder) partial(id uint32, n, times int) {
	at := &b.tree[b.at]
	if n == 0 || at.done {
		return
	}
	at.entry.Applied += uint64(times * n)
	if group := len(b.prog.Templates[id].Group); group > 0 {
		at.entry.Unfolds += uint64(times)
		at.entry.Names += uint64(times * group)
	}
}

// inLine reports whether the code of a λ is put where it is applied: it is short and straight.
func (b *routineBuilder) inLine(id uint32) bool {
	t := &b.prog.Templates[id]
	if t.Group != nil || t.Families || t.End-t.Start > maxInLine {
		return false
	}
	for _, in := range b.prog.Code[t.Start:t.End] {
		switch in.Op {
		case graph.OpApply, graph.OpIf, graph.OpCase, graph.OpList, graph.OpClosure:
			return false
		}
	}
	return true
}

// call calls a routine. A call whose result is the result is a jump.
func (b *routineBuilder) call(r int, f wire, callee *graph.Routine, args []wire) bool {
	self := uint32(0) // functions that are defined together capture the same
	if f.kind != memberWire {
		var ok bool
		if self, ok = b.ref(f); !ok {
			return false
		}
	}
	leaves, ok := b.registers(callee.Params, args)
	if !ok {
		return false
	}
	leaves.Refs = append([]uint32{self}, leaves.Refs...)
	in := graph.RoutineInstr{Op: graph.RoutineInvoke, A: uint32(len(b.out.Calls)), D: b.numbers, B: b.refs}
	if b.tail = b.isResult(r) && slices.Equal(callee.Result, b.out.Result); b.tail {
		in.Op = graph.RoutineTail
	}
	if !b.tree[b.at].done {
		b.emit(in)
		b.out.Calls = append(b.out.Calls, graph.RoutineCall{RoutineLeaves: leaves, Callee: callee})
	}
	b.settle(r, b.leaves(callee.Result))
	return true
}

// isResult reports whether the redex r is the last, and its value that of the routine.
func (b *routineBuilder) isResult(r int) bool {
	if len(b.work) > 0 {
		return false
	}
	for {
		switch waiters := b.nodes[r].waiters; {
		case len(waiters) == 0:
			return r == b.root()
		case len(waiters) > 1 || b.nodes[waiters[0]].kind != graph.Copy:
			return false
		default:
			r = waiters[0]
		}
	}
}

// root is the node of the result: behind those of the values that the body begins with.
func (b *routineBuilder) root() int {
	t := &b.prog.Templates[b.out.Template]
	return int(t.Caps) + int(t.Params) + len(t.Group)
}

// applyOutside leaves an application to the machine.
func (b *routineBuilder) applyOutside(r int, site uint32, f wire, args []wire) bool {
	o := graph.RoutineObject{Head: uint32(graph.Apply) | uint32(len(args))<<graph.KindShift, Header: graph.WaitWords, Site: site}
	for _, w := range append([]wire{f}, args...) {
		reg, ok := b.ref(w)
		if !ok {
			return false
		}
		o.Refs = append(o.Refs, reg)
	}
	d := b.toRefs(graph.RoutineInstr{Op: graph.RoutineApply, A: b.addObject(o)}, 1, 4)
	b.settle(r, wire{kind: refWire, reg: d})
	return true
}
