package native

import (
	"slices"

	"github.com/gram-machine/gram/graph"
	"github.com/gram-machine/gram/term"
)

// Loop is code on registers that runs again and again. Each run moves the numbers of Start, loads those of its streams, runs the
// code, stores those of its streams and moves the numbers of End. Register 0 is 0.
type Loop struct {
	Code       []graph.BlockInstr
	Consts     []graph.Const
	Streams    []Stream // at most maxStreams
	Start, End []Move   // those of each at once
}

// Stream is a sequence of numbers, Width for each run.
type Stream struct {
	Width       int
	Down        bool // the last run's come first
	Load, Store []Cell
}

// Cell is a register, and which of a run's numbers it has. A number from Width on is of the next run in memory.
type Cell struct {
	Reg uint32
	At  int
}

// Move copies the number of A to D.
type Move struct{ D, A uint32 }

const maxStreams = 3

// beyond is how many numbers of the next run a run of the stream has.
func (s *Stream) beyond() int {
	n := 0
	for _, c := range s.Load {
		n = max(n, c.At+1-s.Width)
	}
	return n
}

// Where a register's number is.
type home uint8

const (
	nowhere  home = iota
	inConst       // it is a constant
	inFrame       // in memory, in the frame
	inLocal       // in a local
	inStream      // in memory, in a stream
)

// place is where a register's number is.
type place struct {
	home home
	at   int // the local, the place in the frame, or that among a stream's numbers
	from int // the stream
}

// lowering makes the function of a loop. Its parameters are the number of runs and the places of its streams. Those of its locals
// that are of the type i32 come before the others.
type lowering struct {
	encoder
	l       *Loop
	linker  *linker
	consts  map[uint32]float64
	place   map[uint32]place
	last    map[uint32]int // the last place of the code that reads a register
	free    []int          // locals
	locals  []byte         // their types
	in, out []uint32       // what is read before the first run, and written after the last
	slots   map[uint32]int // of the registers in the frame
	inlined map[int]int    // the first local of each function that is copied
	taken   int            // locals that [lowering.take] has made
}

// Locals: at most maxKept hold numbers from run to run, and maxLocals others those of one run.
const (
	maxKept   = 12
	maxLocals = 64
)

const (
	localRuns = 0
	localBase = 1 + maxStreams // 0: addresses are offsets from it, so that one check of bounds does for all
)

// lower returns the bodies and types of the functions of a loop; the last is the loop's.
func lower(l *Loop) (w *lowering) {
	w = &lowering{l: l, linker: &linker{numbers: map[int]int{}}, consts: map[uint32]float64{0: 0}, place: map[uint32]place{},
		last: map[uint32]int{}, slots: map[uint32]int{}, inlined: map[int]int{}, locals: []byte{typeI32}}
	for _, c := range l.Consts {
		w.consts[c.Reg] = c.Val
	}
	w.findHomes()
	w.enter()
	w.op(opLoop, typeNone)
	w.moves(l.Start)
	w.touch()
	for i := range l.Code {
		w.instruction(i)
	}
	for i, s := range l.Streams {
		for _, c := range s.Store {
			w.local(opLocalGet, 1+i)
			w.get(c.Reg)
			w.memory(opF64Store, 8*c.At)
		}
	}
	w.moves(l.End)
	for i, s := range l.Streams {
		step := int32(8 * s.Width)
		if s.Down {
			step = -step
		}
		w.local(opLocalGet, 1+i)
		w.i32(step)
		w.op(opI32Add)
		w.local(opLocalSet, 1+i)
	}
	w.local(opLocalGet, localRuns)
	w.i32(1)
	w.op(opI32Sub)
	w.local(opLocalTee, localRuns)
	w.op(opBrIf, 0)
	w.op(opEnd)
	w.exit()
	w.linker.types = append(w.linker.types, signature{"\x7f\x7f\x7f\x7f", ""})
	w.linker.bodies = append(w.linker.bodies, body(w.locals, w.encoder))
	return w
}

// reads calls do for each register that an instruction reads.
func reads(in *graph.BlockInstr, do func(reg uint32)) {
	do(in.A)
	switch in.Op {
	case graph.BlockFun1, graph.BlockSlope, graph.BlockSinCos:
	case graph.BlockAddMul:
		do(in.B)
		do(in.D)
	default:
		do(in.B)
	}
}

// writes calls do for each register that an instruction writes.
func writes(in *graph.BlockInstr, do func(reg uint32)) {
	do(in.D)
	if in.Op == graph.BlockSinCos {
		do(in.B)
	}
}

// findHomes finds which registers have numbers from outside the loop, or from the run before, and gives them places; and the last
// reads of the others.
func (w *lowering) findHomes() {
	l := w.l
	written := map[uint32]bool{} // in this run
	outside := map[uint32]int{}  // how often it is read
	var order []uint32
	changes := map[uint32]bool{} // those from outside that the loop writes
	read := func(reg uint32, at int) {
		if _, ok := w.consts[reg]; ok {
			return
		}
		w.last[reg] = at
		if !written[reg] {
			if outside[reg] == 0 {
				order = append(order, reg)
			}
			outside[reg]++
		}
	}
	for _, m := range l.Start {
		read(m.A, -1)
	}
	for _, m := range l.Start {
		written[m.D] = true
	}
	for i, s := range l.Streams {
		for _, c := range s.Load {
			written[c.Reg] = true
			w.place[c.Reg] = place{inStream, c.At, i}
		}
	}
	for i := range l.Code {
		reads(&l.Code[i], func(reg uint32) { read(reg, i) })
		writes(&l.Code[i], func(reg uint32) { written[reg] = true })
	}
	end := len(l.Code)
	for _, s := range l.Streams {
		for _, c := range s.Store {
			read(c.Reg, end)
		}
	}
	for _, m := range l.End {
		read(m.A, end)
	}
	for _, m := range l.End {
		if written[m.D] = true; outside[m.D] == 0 { // it is only read after the loop
			outside[m.D]++
			order = append(order, m.D)
		}
	}
	for _, reg := range order {
		changes[reg] = written[reg]
	}
	// Those that change go first, and then those that are read most often.
	slices.SortStableFunc(order, func(a, b uint32) int {
		if changes[a] != changes[b] {
			if changes[a] {
				return -1
			}
			return 1
		}
		return outside[b] - outside[a]
	})
	for i, reg := range order {
		w.in = append(w.in, reg)
		if changes[reg] {
			w.out = append(w.out, reg)
		}
		w.slot(reg)
		if i < maxKept {
			w.place[reg] = place{home: inLocal, at: w.newLocal()}
		} else {
			w.place[reg] = place{home: inFrame, at: w.slot(reg)}
		}
		delete(w.last, reg) // its local is its own
	}
}

// slot returns the register's place in the frame.
func (w *lowering) slot(reg uint32) int {
	if at, ok := w.slots[reg]; ok {
		return at
	}
	at := len(w.slots)
	w.slots[reg] = at
	return at
}

func (w *lowering) newLocal() int {
	w.locals = append(w.locals, typeF64)
	return localBase + len(w.locals) - 1
}

// enter loads the locals that hold numbers from run to run.
func (w *lowering) enter() {
	w.local(opLocalGet, localBase)
	w.memory(opF64Load, tableBytes+8*max(0, len(w.in)-1))
	w.op(opDrop)
	for _, reg := range w.in {
		if p := w.place[reg]; p.home == inLocal {
			w.load(w.slot(reg))
			w.local(opLocalSet, p.at)
		}
	}
}

func (w *lowering) load(slot int) {
	w.local(opLocalGet, localBase)
	w.memory(opF64Load, tableBytes+8*slot)
}

// exit stores the locals that hold numbers from run to run.
func (w *lowering) exit() {
	for _, reg := range w.out {
		if p := w.place[reg]; p.home == inLocal {
			w.local(opLocalGet, localBase)
			w.local(opLocalGet, p.at)
			w.memory(opF64Store, tableBytes+8*w.slot(reg))
		}
	}
}

// touch reads the last number of each stream, and of the frame: the checks of bounds for the others are left out then.
func (w *lowering) touch() {
	for i, s := range w.l.Streams {
		most := -1
		for _, cells := range [][]Cell{s.Load, s.Store} {
			for _, c := range cells {
				most = max(most, c.At)
			}
		}
		if most > 0 {
			w.local(opLocalGet, 1+i)
			w.memory(opF64Load, 8*most)
			w.op(opDrop)
		}
	}
}

// get leaves the number of a register on the stack.
func (w *lowering) get(reg uint32) {
	if v, ok := w.consts[reg]; ok {
		w.f64(v)
		return
	}
	p := w.place[reg]
	switch p.home {
	case inLocal:
		w.local(opLocalGet, p.at)
	case inFrame:
		w.load(p.at)
	case inStream:
		w.local(opLocalGet, 1+p.from)
		w.memory(opF64Load, 8*p.at)
		if len(w.free) > 0 || w.taken < maxLocals {
			w.place[reg] = place{home: inLocal, at: w.take()}
			w.local(opLocalTee, w.place[reg].at)
		}
	}
}

// take takes a free local, or makes one.
func (w *lowering) take() int {
	if n := len(w.free); n > 0 {
		at := w.free[n-1]
		w.free = w.free[:n-1]
		return at
	}
	w.taken++
	return w.newLocal()
}

// set gives a register the number on the stack.
func (w *lowering) set(reg uint32) {
	p := w.place[reg]
	if p.home == nowhere || p.home == inStream {
		if _, read := w.last[reg]; !read {
			w.op(opDrop)
			return
		}
		if len(w.free) > 0 || w.taken < maxLocals {
			p = place{home: inLocal, at: w.take()}
		} else {
			p = place{home: inFrame, at: w.slot(reg)}
		}
		w.place[reg] = p
	}
	if p.home == inLocal {
		w.local(opLocalSet, p.at)
		return
	}
	at := w.take()
	w.local(opLocalSet, at)
	w.local(opLocalGet, localBase)
	w.local(opLocalGet, at)
	w.memory(opF64Store, tableBytes+8*p.at)
	w.free = append(w.free, at)
}

// release frees the local of a register that is not read behind the instruction i.
func (w *lowering) release(reg uint32, i int) {
	if last, ok := w.last[reg]; !ok || last != i {
		return
	}
	if p := w.place[reg]; p.home == inLocal {
		w.free = append(w.free, p.at)
		delete(w.last, reg)
	}
}

// moves moves numbers, all at once.
func (w *lowering) moves(all []Move) {
	for _, m := range all {
		w.get(m.A)
	}
	for _, m := range slices.Backward(all) {
		w.set(m.D)
	}
}

// instruction translates the instruction i of the code.
func (w *lowering) instruction(i int) {
	in := &w.l.Code[i]
	switch in.Op {
	case graph.BlockMul, graph.BlockAdd, graph.BlockSub:
		w.get(in.A)
		w.get(in.B)
		w.op([...]byte{graph.BlockMul: opF64Mul, graph.BlockAdd: opF64Add, graph.BlockSub: opF64Sub}[in.Op])
	case graph.BlockAddMul:
		w.get(in.D)
		w.get(in.A)
		w.get(in.B)
		w.op(opF64Mul, opF64Add)
	case graph.BlockSlope:
		w.get(in.A)
		w.f64(1)
		w.get(in.A)
		w.op(opF64Sub, opF64Mul)
	case graph.BlockSinCos:
		w.get(in.A)
		w.call(sinCosFunction)
	case graph.BlockFun1:
		w.get(in.A)
		w.call(symbolFunctions[in.Sym])
	case graph.BlockFun2:
		w.get(in.A)
		w.get(in.B)
		w.call(symbolFunctions[in.Sym])
	}
	reads(in, func(reg uint32) { w.release(reg, i) })
	if in.Op == graph.BlockSinCos {
		w.set(in.B)
	}
	w.set(in.D)
}

// inlineBytes is the most that the code of a function has that is copied to where it is called.
const inlineBytes = 40

// call applies a function to the operands on the stack.
func (w *lowering) call(at int) {
	f := &functions[at]
	if len(f.code) > inlineBytes {
		w.local(opCall, w.linker.call(at+1))
		return
	}
	first, ok := w.inlined[at]
	if !ok {
		first = localBase + len(w.locals)
		w.locals = append(append(w.locals, f.typ.params...), f.locals...)
		w.inlined[at] = first
	}
	for i := len(f.typ.params) - 1; i >= 0; i-- {
		w.local(opLocalSet, first+i)
	}
	w.rewrite(f.code, first, w.linker.call)
}

// supported reports whether all of the code can be translated.
func supported(code []graph.BlockInstr) bool {
	for i := range code {
		in := &code[i]
		if in.Op == graph.BlockFun1 || in.Op == graph.BlockFun2 {
			if _, ok := symbolFunctions[in.Sym]; !ok || in.Sym == term.NoSymbol {
				return false
			}
		}
	}
	return true
}
