package block

import (
	"slices"

	"github.com/gram-machine/gram/graph"
)

// The rules of the evaluation of a routine's body: see evaluation.

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
		if b.prog.IsNull(in.Tmpl) {
			return wire{kind: globalWire, reg: b.prog.Null}, true
		}
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
	self := uint32(1) // functions that are defined together capture the same
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
	in := graph.RoutineInstr{Op: graph.RoutineInvoke, A: uint32(len(b.out.Calls)), D: b.size}
	if b.tail = b.isResult(r) && slices.Equal(callee.Result, b.out.Result); b.tail {
		in.Op = graph.RoutineTail
	}
	c := &graph.RoutineCall{Args: append([]uint32{self}, leaves...), Live: slices.Clone(b.live), Caller: b.out, Callee: callee, Result: b.size}
	result := b.leaves(callee.Result)
	c.After = slices.Clone(b.live)
	if !b.tree[b.at].done {
		b.emit(in)
		b.out.Calls = append(b.out.Calls, c)
	}
	b.settle(r, result)
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
	o.Live = append(slices.Clone(b.live), b.size)
	d := b.toRefs(graph.RoutineInstr{Op: graph.RoutineApply, A: b.addObject(o)}, 1, 4)
	b.settle(r, wire{kind: refWire, reg: d})
	return true
}
