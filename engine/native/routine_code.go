package native

import (
	"maps"
	"slices"

	"github.com/gram-machine/gram/graph"
)

var routineSignature = signature{"\x7f\x7f\x7f\x7f\x7f\x7e\x7e", "\x7f\x7f\x7f\x7f\x7e"}

// Locals of the function of routines. The first are its parameters.
const (
	localState = iota
	localFrame // in bytes
	localTop
	localLimit
	localEnd
	localSteps
	localMost
	localEvent
	localLink
	localZero // addresses that are known are offsets from it, so that one check of bounds does for all
	localNew  // the address of the first free node
	firstLocal
)

// regPlace is a register of a routine, or what a state leaves to the next: an argument or a leaf of a result, with its type.
type regPlace struct {
	of  *graph.Routine // nil: it is left to the next state
	reg uint32
	typ byte // typeAddress of an address
}

const typeAddress = typeNone

// cached is a register's local. It is stored if the frame has the same.
type cached struct {
	typ    byte
	stored bool
}

// routineLowering makes the function of the routines of a table: a loop over the states. A state is the return of a call, whose result is
// in locals; the beginning of a routine, whose arguments are in locals; or a point, where all registers are in the frame.
type routineLowering struct {
	encoder
	table   graph.RoutineTable
	globals []uint32
	linker  *linker
	states  map[Point]uint32
	points  []Point
	locals  []byte // their types, without those of the parameters
	place   map[regPlace]int
	depth   int // labels within the loop

	r    *graph.Routine
	regs map[uint32]cached
	// address says for which references a local has the address of the node.
	address map[uint32]bool
	leaves  int  // calls in line that the code stands behind
	large   bool // no call is in line
}

func lowerRoutines(t graph.RoutineTable, globals []uint32) *routineLowering {
	w := &routineLowering{table: t, globals: globals, linker: &linker{numbers: map[int]int{}}, states: map[Point]uint32{},
		points: make([]Point, len(t.Calls)+len(t.Routines)), locals: []byte{typeI32, typeI32, typeI32, typeI32}, place: map[regPlace]int{}}
	size := 0
	for _, r := range t.Routines {
		size += len(r.Code)
		w.point(r, 0)
		for pc := range r.Code {
			switch r.Code[pc].Op {
			case graph.RoutineInvoke:
				w.point(r, uint32(pc)+1)
			case graph.RoutineApply:
				w.point(r, uint32(pc))
				w.point(r, uint32(pc)+1)
			}
		}
	}
	w.large = size > maxInLineOf
	w.local(opLocalGet, localZero)
	w.touch(framesAt)
	w.op(opBlock, typeNone, opLoop, typeNone)
	for range w.points {
		w.op(opBlock, typeNone)
	}
	w.local(opLocalGet, localState)
	w.op(opBrTable)
	w.unsigned(uint64(len(w.points) - 1))
	for i := range w.points {
		w.unsigned(uint64(i))
	}
	for i := range w.points {
		w.op(opEnd)
		w.depth = len(w.points) - 1 - i
		w.regs, w.address = map[uint32]cached{}, map[uint32]bool{}
		w.state(i)
	}
	w.op(opEnd, opUnreachable, opEnd)
	for _, l := range []int{localEvent, localState, localFrame, localTop, localSteps} {
		w.local(opLocalGet, l)
	}
	w.linker.types = append(w.linker.types, routineSignature)
	w.linker.bodies = append(w.linker.bodies, body(w.locals, w.encoder))
	return w
}

// point makes a state of a point.
func (w *routineLowering) point(r *graph.Routine, pc uint32) {
	w.states[Point{r, pc}] = uint32(len(w.points))
	w.points = append(w.points, Point{r, pc})
}

// state emits the code of a state.
func (w *routineLowering) state(i int) {
	calls := len(w.table.Calls)
	switch {
	case i < calls:
		if c := w.table.Calls[i]; c != nil && c.Caller.Code[c.At-1].Op == graph.RoutineInvoke {
			w.r = c.Caller
			w.returned(c)
			return
		}
		w.op(opUnreachable)
	case i < calls+len(w.table.Routines):
		w.r = w.table.Routines[i-calls]
		w.touchFrame()
		w.receive(1, types(w.r))
		w.code(0)
	default:
		w.resume(w.points[i])
	}
}

// resume emits the code of a point.
func (w *routineLowering) resume(p Point) {
	w.r = p.Of
	w.touchFrame()
	if p.PC == 0 {
		for i, typ := range types(w.r) {
			w.get(uint32(i)+1, typ)
			w.local(opLocalSet, w.localOf(nil, uint32(i), typ))
		}
		w.goTo(w.entry(w.r))
		return
	}
	switch before := &w.r.Code[p.PC-1]; {
	case before.Op == graph.RoutineInvoke:
		c := w.r.Calls[before.A]
		for i, typ := range leafTypes(c.Callee.Result) {
			w.get(c.Result+uint32(i), typ)
			w.local(opLocalSet, w.localOf(nil, uint32(i), typ))
		}
		w.goTo(c.Number)
	case before.Op == graph.RoutineApply:
		w.code(p.PC)
	default:
		w.op(opUnreachable) // where code is interpreted
	}
}

// receive gives the registers from first on what was sent.
func (w *routineLowering) receive(first uint32, types []byte) {
	for i, typ := range types {
		w.local(opLocalGet, w.localOf(nil, uint32(i), typ))
		w.set(first+uint32(i), typ)
	}
}

// send leaves what is in registers to the next state.
func (w *routineLowering) send(regs []uint32, types []byte) {
	for i, typ := range types {
		w.get(regs[i], typ)
	}
	for i, typ := range slices.Backward(types) {
		w.local(opLocalSet, w.localOf(nil, uint32(i), typ))
	}
}

// types returns the types of a routine's closure and of the leaves of its arguments: the registers from 1 on.
func types(r *graph.Routine) []byte {
	all := []byte{typeI32}
	for _, l := range r.Params {
		all = append(all, leafTypes(l)...)
	}
	return all
}

func leafTypes(l graph.Layout) (all []byte) {
	for _, n := range l {
		switch n.Kind {
		case graph.PairLayout:
		case graph.NumLeaf:
			all = append(all, typeF64)
		default:
			all = append(all, typeI32)
		}
	}
	return all
}

func (w *routineLowering) entry(r *graph.Routine) uint32 {
	return uint32(len(w.table.Calls) + slices.Index(w.table.Routines, r))
}

// goTo emits a jump to a state.
func (w *routineLowering) goTo(state uint32) {
	w.i32(int32(state))
	w.local(opLocalSet, localState)
	w.local(opBr, w.depth)
}

// stop emits the end of the function at a point. The event is on the stack.
func (w *routineLowering) stop(pc uint32) {
	w.local(opLocalSet, localEvent)
	w.i32(int32(w.states[Point{w.r, pc}]))
	w.local(opLocalSet, localState)
	w.local(opBr, w.depth+1)
}

func (w *routineLowering) localOf(r *graph.Routine, reg uint32, typ byte) int {
	p := regPlace{r, reg, typ}
	at, ok := w.place[p]
	if !ok {
		at = localEvent + len(w.locals)
		if typ == typeAddress {
			typ = typeI32
		}
		w.locals = append(w.locals, typ)
		w.place[p] = at
	}
	return at
}

func (w *routineLowering) at(op byte, offset uint64) {
	align := byte(3)
	if op == opI32Load || op == opI32Store {
		align = 2
	}
	w.op(op, align)
	w.unsigned(offset)
}

// get leaves a register on the stack.
func (w *routineLowering) get(reg uint32, typ byte) {
	at := w.localOf(w.r, reg, typ)
	if c, ok := w.regs[reg]; ok && c.typ == typ {
		w.local(opLocalGet, at)
		return
	}
	w.local(opLocalGet, localFrame)
	op := byte(opF64Load)
	if typ == typeI32 {
		op = opI32Load
	}
	w.at(op, framesAt+8*uint64(reg))
	w.local(opLocalTee, at)
	w.regs[reg] = cached{typ, true}
}

func (w *routineLowering) ref(reg uint32) { w.get(reg, typeI32) }
func (w *routineLowering) num(reg uint32) { w.get(reg, typeF64) }

// set gives a register what is on the stack.
func (w *routineLowering) set(reg uint32, typ byte) {
	delete(w.address, reg)
	w.local(opLocalSet, w.localOf(w.r, reg, typ))
	w.regs[reg] = cached{typ: typ}
}

// store stores registers in the frame.
func (w *routineLowering) store(regs []uint32) {
	for _, reg := range regs {
		c, ok := w.regs[reg]
		if !ok || c.stored {
			continue
		}
		w.local(opLocalGet, localFrame)
		w.local(opLocalGet, w.localOf(w.r, reg, c.typ))
		if c.typ == typeI32 {
			w.op(opI64ExtendU)
			w.at(opI64Store, framesAt+8*uint64(reg))
		} else {
			w.at(opF64Store, framesAt+8*uint64(reg))
		}
		c.stored = true
		w.regs[reg] = c
	}
}

// touch reads what is at an offset from the address on the stack: checks of bounds for smaller offsets are left out then.
func (w *routineLowering) touch(offset uint64) {
	w.at(opI32Load, offset)
	w.op(opDrop)
}

// touchFrame touches the end of the frame, and of one behind it.
func (w *routineLowering) touchFrame() {
	w.local(opLocalGet, localFrame)
	w.touch(framesAt + 8*uint64(w.r.Size+1))
}

// node leaves the address of a node on the stack, but for what [routineLowering.word] adds.
func (w *routineLowering) node(reg uint32) {
	at := w.localOf(w.r, reg, typeAddress)
	if !w.address[reg] {
		w.ref(reg)
		w.shift()
		w.local(opLocalTee, at)
		w.touch(graph.FrontBytes + graph.NodeBytes - 4)
		w.address[reg] = true
	}
	w.local(opLocalGet, at)
}

func (w *routineLowering) shift() {
	w.i32(4)
	w.op(opI32Shl)
}

// word loads or stores the word of a node, whose address is on the stack.
func (w *routineLowering) word(op byte, number int) { w.at(op, graph.FrontBytes+4*uint64(number)) }

// fresh begins an object of so many nodes.
func (w *routineLowering) fresh(units uint32) {
	w.local(opLocalGet, localTop)
	w.shift()
	w.local(opLocalTee, localNew)
	w.touch(graph.FrontBytes + graph.NodeBytes*uint64(units) - 4)
}

// top leaves the address of the object that has begun on the stack.
func (w *routineLowering) top() { w.local(opLocalGet, localNew) }

// head writes the first half of its first node.
func (w *routineLowering) head(head uint32) {
	w.top()
	w.i64(int64(head))
	w.word(opI64Store, 0)
}

// made takes free nodes for an object, to which the register D refers.
func (w *routineLowering) made(d, units uint32) {
	w.local(opLocalGet, localTop)
	w.set(d, typeI32)
	w.local(opLocalGet, localTop)
	w.i32(int32(units))
	w.op(opI32Add)
	w.local(opLocalSet, localTop)
}

// full leaves on the stack whether fewer nodes are free.
func (w *routineLowering) full(units uint32) {
	w.local(opLocalGet, localTop)
	w.i32(int32(units))
	w.op(opI32Add)
	w.local(opLocalGet, localLimit)
	w.op(opI32GtU)
}

// returned emits the code behind a call.
func (w *routineLowering) returned(c *graph.RoutineCall) {
	all := leafTypes(c.Callee.Result)
	w.touchFrame()
	w.receive(c.Result, all)
	if w.r.Units == 0 {
		w.code(c.At)
		return
	}
	w.full(w.r.Units)
	w.choose(func() {
		for i := range all {
			w.store([]uint32{c.Result + uint32(i)})
		}
		w.i32(int32(RoutineRoom))
		w.stop(c.At)
	}, func() { w.code(c.At) })
}

// choose emits two codes: for a number on the stack that is not 0, and for 0. Where both end with a jump, no check of bounds that stands
// before is made again in the second: wazero forgets them behind the end of a conditional.
func (w *routineLowering) choose(yes, no func()) {
	w.op(opIf, typeNone)
	w.depth++
	regs, address := w.regs, w.address
	w.regs, w.address = maps.Clone(regs), maps.Clone(address)
	yes()
	w.regs, w.address = regs, address
	w.op(opElse)
	no()
	w.depth--
	w.op(opEnd)
}

// enter emits the checks at the beginning of a run, and what comes next.
func (w *routineLowering) enter(next func()) {
	w.late()
	w.local(opLocalGet, localFrame)
	w.i32(int32(8 * (w.r.Size + w.table.Size)))
	w.op(opI32Add)
	w.local(opLocalGet, localEnd)
	w.op(opI32GtU, opI32Or)
	if w.r.Units > 0 {
		w.full(w.r.Units)
		w.op(opI32Or)
	}
	w.choose(func() {
		var params []uint32
		for i := range types(w.r) {
			params = append(params, uint32(i)+1)
		}
		w.store(params)
		w.i32(int32(RoutineLook))
		w.i32(int32(RoutineRoom))
		w.i32(int32(RoutineGrow))
		w.full(w.r.Units)
		w.op(opSelect)
		w.late()
		w.op(opSelect)
		w.stop(0)
	}, next)
}

// late leaves on the stack whether there are as many steps as may be.
func (w *routineLowering) late() {
	w.local(opLocalGet, localSteps)
	w.local(opLocalGet, localMost)
	w.op(opI64GeU)
}

// count counts entries.
func (w *routineLowering) count(entries ...*graph.RoutineInstr) {
	steps := int64(0)
	for _, in := range entries {
		steps += int64(int32(in.B))
		w.local(opLocalGet, localZero)
		w.local(opLocalGet, localZero)
		w.at(opI64Load, countsAt+8*uint64(in.A))
		w.i64(1)
		w.op(opI64Add)
		w.at(opI64Store, countsAt+8*uint64(in.A))
	}
	w.local(opLocalGet, localSteps)
	w.i64(steps)
	w.op(opI64Add)
	w.local(opLocalSet, localSteps)
}

// code emits the code from an instruction to the ends of all paths from it.
func (w *routineLowering) code(pc uint32) {
	for {
		in := &w.r.Code[pc]
		switch in.Op {
		case graph.RoutineEnter:
			w.enter(func() {
				w.count(in)
				w.code(pc + 1)
			})
			return
		case graph.RoutineCount:
			w.count(in)
		case graph.RoutineTest:
			w.num(in.A)
			w.num(in.B)
			w.op(compares[in.Cmp])
			w.choose(func() { w.code(pc + 1) }, func() { w.code(in.D) })
			return
		case graph.RoutineMatch:
			w.match(in, w.code)
			return
		case graph.RoutineInvoke:
			w.invoke(w.r.Calls[in.A])
			return
		case graph.RoutineTail:
			c := w.r.Calls[in.A]
			w.send(c.Args, types(c.Callee))
			w.goTo(w.entry(c.Callee))
			return
		case graph.RoutineApply:
			o := w.r.Objects[in.A]
			w.store(o.Refs)
			w.store(o.Keep)
			w.i32(int32(RoutineInterpret))
			w.stop(pc)
			return
		case graph.RoutineReturn:
			w.leave(w.r.Returns[in.A])
			return
		default:
			w.instruction(in)
		}
		pc++
	}
}

// match emits the code for all constructors.
func (w *routineLowering) match(in *graph.RoutineInstr, code func(pc uint32)) {
	targets := w.r.Targets[in.D : in.D+in.B]
	if len(targets) > 1 {
		w.node(in.A)
		w.word(opI32Load, 0)
		w.i32(graph.KindShift)
		w.op(opI32ShrU)
		w.local(opLocalSet, localLink)
	}
	w.cases(targets, 0, code)
}

// cases emits the code for the constructors from k on.
func (w *routineLowering) cases(targets []uint32, k int, code func(pc uint32)) {
	if k == len(targets)-1 {
		code(targets[k])
		return
	}
	w.local(opLocalGet, localLink)
	w.i32(int32(k))
	w.op(opI32Eq)
	w.choose(func() { code(targets[k]) }, func() { w.cases(targets, k+1, code) })
}

// call emits a call: the frame has what is read after it.
func (w *routineLowering) call(c *graph.RoutineCall) {
	w.store(c.Keep)
	w.send(c.Args, types(c.Callee))
	link := framesAt + 8*uint64(w.r.Size)
	w.local(opLocalGet, localFrame)
	w.i32(int32(c.Number))
	w.at(opI32Store, link)
	w.local(opLocalGet, localFrame)
	w.local(opLocalGet, localFrame)
	w.i32(3)
	w.op(opI32ShrU)
	w.at(opI32Store, link+4)
	w.local(opLocalGet, localFrame)
	w.i32(int32(8 * w.r.Size))
	w.op(opI32Add)
	w.local(opLocalSet, localFrame)
	w.goTo(w.entry(c.Callee))
}

// leave emits the return of the result in registers.
func (w *routineLowering) leave(regs []uint32) {
	all := leafTypes(w.r.Result)
	w.send(regs, all)
	w.local(opLocalGet, localFrame)
	w.at(opI32Load, framesAt)
	w.local(opLocalTee, localState)
	w.op(opI32Eqz)
	w.choose(func() {
		for i, typ := range all {
			w.local(opLocalGet, localZero)
			w.local(opLocalGet, w.localOf(nil, uint32(i), typ))
			if typ == typeI32 {
				w.op(opI64ExtendU)
				w.at(opI64Store, resultsAt+8*uint64(i))
			} else {
				w.at(opF64Store, resultsAt+8*uint64(i))
			}
		}
		w.i32(int32(RoutineDone))
		w.stop(0)
	}, func() {
		w.local(opLocalGet, localFrame)
		w.at(opI32Load, framesAt+4)
		w.i32(3)
		w.op(opI32Shl)
		w.local(opLocalSet, localFrame)
		w.local(opBr, w.depth)
	})
}

// instruction translates an instruction that goes on with the next.
func (w *routineLowering) instruction(in *graph.RoutineInstr) {
	switch in.Op {
	case graph.RoutineMul, graph.RoutineAdd, graph.RoutineSub:
		w.num(in.A)
		w.num(in.B)
		w.op([...]byte{graph.RoutineMul: opF64Mul, graph.RoutineAdd: opF64Add, graph.RoutineSub: opF64Sub}[in.Op])
		w.set(in.D, typeF64)
	case graph.RoutineFun1, graph.RoutineFun2:
		w.num(in.A)
		if in.Op == graph.RoutineFun2 {
			w.num(in.B)
		}
		w.local(opCall, w.linker.call(symbolFunctions[in.Sym]+1))
		w.set(in.D, typeF64)
	case graph.RoutineConst:
		w.f64(w.r.Consts[in.A])
		w.set(in.D, typeF64)
	case graph.RoutineInput:
		w.local(opLocalGet, localZero)
		w.at(opF64Load, graph.FrontBytes+graph.NodeBytes*uint64(w.globals[in.A])+8)
		w.set(in.D, typeF64)
	case graph.RoutineLoad:
		w.node(in.A)
		w.word(opF64Load, 2)
		w.set(in.D, typeF64)
	case graph.RoutineGlobal:
		w.i32(int32(w.globals[in.A]))
		w.set(in.D, typeI32)
	case graph.RoutineCapture:
		w.words(1, in.D, 1, int(in.A))
	case graph.RoutineSplit:
		w.words(in.A, in.D, 2, 0)
	case graph.RoutineOpen:
		w.words(in.A, in.D, int(in.B), 0)
	case graph.RoutinePayload:
		w.words(in.A, in.D, 1, 0)
	case graph.RoutineNumber:
		w.fresh(1)
		w.head(uint32(graph.Num))
		w.top()
		w.num(in.A)
		w.word(opF64Store, 2)
		w.made(in.D, 1)
	case graph.RoutinePair:
		w.object(&graph.RoutineObject{Head: uint32(graph.Pair), Header: graph.ValueWords, Units: 1, Refs: []uint32{in.A, in.B}}, in.D)
	case graph.RoutineCon:
		w.object(&graph.RoutineObject{Head: uint32(graph.Con) | in.B<<graph.KindShift, Header: graph.ValueWords, Units: 1,
			Refs: []uint32{in.A}}, in.D)
	case graph.RoutineMake:
		w.object(w.r.Objects[in.A], in.D)
	case graph.RoutineMember:
		w.member(in)
	}
}

// words loads n references of a node, from the one behind so many others on.
func (w *routineLowering) words(reg, d uint32, n, from int) {
	for i := range n {
		w.node(reg)
		w.word(opI32Load, graph.ValueWords+from+i)
		w.set(d+uint32(i), typeI32)
	}
}

// object makes an object.
func (w *routineLowering) object(o *graph.RoutineObject, d uint32) {
	w.fresh(o.Units)
	w.head(o.Head)
	if o.Header > graph.ValueWords || len(o.Refs) < 2 {
		w.top()
		w.i64(0)
		w.word(opI64Store, 2)
	}
	for i, a := range o.Refs {
		w.top()
		w.ref(a)
		w.word(opI32Store, int(o.Header)+i)
	}
	w.made(d, o.Units)
}

// member emits what [frames.Stack] does for the function of a template that is defined together with the closure.
func (w *routineLowering) member(in *graph.RoutineInstr) {
	head := uint32(graph.Closure) | in.A<<graph.KindShift
	w.ref(1)
	w.set(in.D, typeI32)
	w.node(1)
	w.word(opI32Load, 0)
	w.i32(int32(head))
	w.op(opI32Ne)
	w.choose(func() {
		units := graph.Units(graph.ValueWords, int(in.B))
		w.fresh(units)
		for i := range 2 * int(units) {
			w.top()
			w.node(1)
			w.word(opI64Load, 2*i)
			w.word(opI64Store, 2*i)
		}
		w.top()
		w.i32(int32(head))
		w.word(opI32Store, 0)
		w.made(in.D, units)
	}, func() {})
}
