package native

import (
	"fmt"
	"maps"
	"slices"

	"github.com/gram-machine/gram/engine/wasm"
	"github.com/gram-machine/gram/graph"
	"github.com/gram-machine/gram/term"
)

// Loop is code on registers that runs again and again. Each run loads the numbers of its streams and runs nodes, from the first node
// to one without a test. Register 0 is 0.
type Loop struct {
	Consts  []graph.Const
	Streams []Stream // at most maxStreams
	Nodes   []Node
	// Chosen says that a run begins with the node whose number is the first of the run's numbers in the last stream.
	Chosen bool
}

// Key returns the same for loops with equal code.
func (l *Loop) Key() string {
	key := fmt.Appendf(nil, "%v %v %v", l.Consts, l.Streams, l.Chosen)
	for _, n := range l.Nodes {
		key = fmt.Appendf(key, "\n%v %d %d %d %v %v", n.Consts, n.Code, n.Then, n.Else, n.Start, n.End)
		if n.Test != nil {
			key = fmt.Appendf(key, " %v", *n.Test)
		}
	}
	return string(key)
}

// Node is code, and the conditional behind it. It moves the numbers of Start and runs the code. Where there is no test, it stores
// the numbers of the streams and moves those of End.
type Node struct {
	Consts     []graph.Const
	Code       []graph.BlockInstr
	Test       *graph.PathTest // nil: the run ends
	Then, Else int             // the next nodes
	Start, End []Move          // those of each at once
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

// lowering makes the function of a loop. Its parameters are the number of runs and the places of its streams.
type lowering struct {
	*wasm.Function
	l       *Loop
	consts  map[uint32]float64
	written map[uint32]bool // registers that the code of some node writes
	last    map[uint32]int  // the last instruction that reads a register, in the order in which they are emitted
	at      int             // how many instructions have been emitted
	place   map[uint32]place
	free    []int          // locals
	in, out []uint32       // what is read before the first run, and written after the last
	slots   map[uint32]int // of the registers in the frame
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

// lower makes the functions of a loop; the last is the loop's.
func lower(l *Loop) (w *lowering) {
	w = &lowering{Function: wasm.NewFunction("\x7f\x7f\x7f\x7f"), l: l, consts: map[uint32]float64{0: 0}, written: map[uint32]bool{},
		last: map[uint32]int{}, place: map[uint32]place{}, slots: map[uint32]int{}}
	w.NewLocal(wasm.I32) // localBase
	for _, c := range l.Consts {
		w.consts[c.Reg] = c.Val
	}
	w.findHomes()
	w.enter()
	w.Op(wasm.Loop, wasm.None)
	w.touch()
	if l.Chosen {
		w.choose()
	} else {
		w.node(0)
	}
	for i, s := range l.Streams {
		step := int32(8 * s.Width)
		if s.Down {
			step = -step
		}
		w.Local(wasm.LocalGet, 1+i)
		w.I32(step)
		w.Op(wasm.I32Add)
		w.Local(wasm.LocalSet, 1+i)
	}
	w.Local(wasm.LocalGet, localRuns)
	w.I32(1)
	w.Op(wasm.I32Sub)
	w.Local(wasm.LocalTee, localRuns)
	w.Op(wasm.BrIf, 0)
	w.Op(wasm.End)
	w.exit()
	return w
}

// state is what the branches of a conditional begin with.
type state struct {
	consts map[uint32]float64
	place  map[uint32]place
	free   []int
}

func (w *lowering) save() state {
	return state{maps.Clone(w.consts), maps.Clone(w.place), slices.Clone(w.free)}
}

// restore goes back to a state, and frees the locals of the registers that are not read from here on.
func (w *lowering) restore(s state) {
	w.consts, w.place, w.free = s.consts, s.place, s.free
	for reg, p := range w.place {
		if last, ok := w.last[reg]; ok && last < w.at && p.home == inLocal {
			w.free = append(w.free, p.at)
			delete(w.place, reg)
		}
	}
	slices.Sort(w.free) // maps have no order
}

// node emits a node and those behind it.
func (w *lowering) node(number int) {
	n := &w.l.Nodes[number]
	for _, c := range n.Consts {
		w.consts[c.Reg] = c.Val
	}
	w.moves(n.Start)
	w.at++
	for i := range n.Code {
		w.instruction(&n.Code[i])
	}
	if n.Test == nil {
		w.end(n)
		return
	}
	w.get(n.Test.A)
	w.get(n.Test.B)
	w.Op(compares[n.Test.Cmp], wasm.If, wasm.None)
	w.at++
	s := w.save()
	w.node(n.Then)
	w.Op(wasm.Else)
	w.restore(s)
	w.node(n.Else)
	w.Op(wasm.End)
}

var compares = [...]byte{term.Less: 0x63, term.LessEqual: 0x65, term.Greater: 0x64, term.GreaterEqual: 0x66}

// end emits the end of a run.
func (w *lowering) end(n *Node) {
	for i, s := range w.l.Streams {
		for _, c := range s.Store {
			if w.has(c.Reg) {
				w.Local(wasm.LocalGet, 1+i)
				w.get(c.Reg)
				w.Memory(wasm.F64Store, 8*c.At)
			}
		}
	}
	w.moves(n.End)
	w.at++
}

// has reports whether a register has a number of this run, or from outside: what another path would have written is not stored.
func (w *lowering) has(reg uint32) bool {
	_, isConst := w.consts[reg]
	return isConst || w.place[reg].home != nowhere
}

// choose emits the nodes, and a jump to the one that the run begins with.
func (w *lowering) choose() {
	last := len(w.l.Streams) - 1
	w.Op(wasm.Block, wasm.None)
	for range w.l.Nodes {
		w.Op(wasm.Block, wasm.None)
	}
	w.Local(wasm.LocalGet, 1+last)
	w.Memory(wasm.F64Load, 0)
	w.Op(wasm.Truncate, wasm.BrTable)
	w.Unsigned(uint64(len(w.l.Nodes) - 1))
	for i := range w.l.Nodes {
		w.Unsigned(uint64(i))
	}
	s := w.save()
	for i := range w.l.Nodes {
		w.Op(wasm.End)
		w.restore(state{maps.Clone(s.consts), maps.Clone(s.place), slices.Clone(s.free)})
		w.node(i)
		w.Op(wasm.Br)
		w.Unsigned(uint64(len(w.l.Nodes) - 1 - i))
	}
	w.Op(wasm.End)
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

// scan is what [lowering.findHomes] finds in the order in which nodes are emitted.
type scan struct {
	w       *lowering
	outside map[uint32]int  // how often a register is read that has its number from outside the run
	order   []uint32        // those
	ends    map[uint32]bool // what the ends of runs write
}

func (s *scan) read(written map[uint32]bool, consts map[uint32]bool, reg uint32) {
	if _, ok := s.w.consts[reg]; ok || consts[reg] {
		return
	}
	s.w.last[reg] = s.w.at
	if !written[reg] {
		s.outer(reg)
		s.outside[reg]++
	}
}

func (s *scan) outer(reg uint32) {
	if _, ok := s.outside[reg]; !ok {
		s.order = append(s.order, reg)
		s.outside[reg] = 0
	}
}

// node goes through a node and those behind it. written are the registers that the run has written so far.
func (s *scan) node(number int, written, consts map[uint32]bool) {
	n := &s.w.l.Nodes[number]
	for _, c := range n.Consts {
		consts[c.Reg] = true
	}
	for _, m := range n.Start {
		s.read(written, consts, m.A)
	}
	for _, m := range n.Start {
		written[m.D] = true
	}
	s.w.at++
	for i := range n.Code {
		in := &n.Code[i]
		reads(in, func(reg uint32) { s.read(written, consts, reg) })
		writes(in, func(reg uint32) { written[reg] = true })
		s.w.at++
	}
	if n.Test != nil {
		s.read(written, consts, n.Test.A)
		s.read(written, consts, n.Test.B)
		s.w.at++
		s.node(n.Then, maps.Clone(written), maps.Clone(consts))
		s.node(n.Else, written, consts)
		return
	}
	for _, stream := range s.w.l.Streams {
		for _, c := range stream.Store {
			if written[c.Reg] || !s.w.written[c.Reg] {
				s.read(written, consts, c.Reg)
			}
		}
	}
	for _, m := range n.End {
		s.read(written, consts, m.A)
	}
	for _, m := range n.End {
		s.ends[m.D] = true
		s.outer(m.D) // it is read after the loop
	}
	s.w.at++
}

// findHomes finds which registers have numbers from outside the loop, or from the run before, and gives them places; and the last
// reads of the others.
func (w *lowering) findHomes() {
	s := &scan{w: w, outside: map[uint32]int{}, ends: map[uint32]bool{}}
	loaded := map[uint32]bool{}
	for i, stream := range w.l.Streams {
		for _, c := range stream.Load {
			loaded[c.Reg] = true
			w.place[c.Reg] = place{inStream, c.At, i}
		}
	}
	first := 1
	if w.l.Chosen {
		first = len(w.l.Nodes)
	}
	for _, n := range w.l.Nodes {
		for i := range n.Code {
			writes(&n.Code[i], func(reg uint32) { w.written[reg] = true })
		}
	}
	for i := range first {
		s.node(i, maps.Clone(loaded), map[uint32]bool{})
	}
	w.at = 0
	order, outside, changes := s.order, s.outside, map[uint32]bool{}
	for _, reg := range order {
		changes[reg] = w.written[reg] || s.ends[reg]
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
			w.place[reg] = place{home: inLocal, at: w.NewLocal(wasm.F64)}
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

// enter loads the locals that hold numbers from run to run.
func (w *lowering) enter() {
	w.Local(wasm.LocalGet, localBase)
	w.Memory(wasm.F64Load, wasm.TableBytes+8*max(0, len(w.in)-1))
	w.Op(wasm.Drop)
	for _, reg := range w.in {
		if p := w.place[reg]; p.home == inLocal {
			w.load(w.slot(reg))
			w.Local(wasm.LocalSet, p.at)
		}
	}
}

func (w *lowering) load(slot int) {
	w.Local(wasm.LocalGet, localBase)
	w.Memory(wasm.F64Load, wasm.TableBytes+8*slot)
}

// exit stores the locals that hold numbers from run to run.
func (w *lowering) exit() {
	for _, reg := range w.out {
		if p := w.place[reg]; p.home == inLocal {
			w.Local(wasm.LocalGet, localBase)
			w.Local(wasm.LocalGet, p.at)
			w.Memory(wasm.F64Store, wasm.TableBytes+8*w.slot(reg))
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
			w.Local(wasm.LocalGet, 1+i)
			w.Memory(wasm.F64Load, 8*most)
			w.Op(wasm.Drop)
		}
	}
}

// get leaves the number of a register on the stack.
func (w *lowering) get(reg uint32) {
	if v, ok := w.consts[reg]; ok {
		w.F64(v)
		return
	}
	p := w.place[reg]
	switch p.home {
	case inLocal:
		w.Local(wasm.LocalGet, p.at)
	case inFrame:
		w.load(p.at)
	case inStream:
		w.Local(wasm.LocalGet, 1+p.from)
		w.Memory(wasm.F64Load, 8*p.at)
		if len(w.free) > 0 || w.taken < maxLocals {
			w.place[reg] = place{home: inLocal, at: w.take()}
			w.Local(wasm.LocalTee, w.place[reg].at)
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
	return w.NewLocal(wasm.F64)
}

// set gives a register the number on the stack.
func (w *lowering) set(reg uint32) {
	p := w.place[reg]
	if p.home == nowhere || p.home == inStream {
		if last, read := w.last[reg]; !read || last <= w.at {
			w.Op(wasm.Drop)
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
		w.Local(wasm.LocalSet, p.at)
		return
	}
	at := w.take()
	w.Local(wasm.LocalSet, at)
	w.Local(wasm.LocalGet, localBase)
	w.Local(wasm.LocalGet, at)
	w.Memory(wasm.F64Store, wasm.TableBytes+8*p.at)
	w.free = append(w.free, at)
}

// release frees the local of a register that is not read behind this instruction.
func (w *lowering) release(reg uint32) {
	if last, ok := w.last[reg]; !ok || last != w.at {
		return
	}
	if p := w.place[reg]; p.home == inLocal {
		w.free = append(w.free, p.at)
		delete(w.place, reg)
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

// instruction translates an instruction.
func (w *lowering) instruction(in *graph.BlockInstr) {
	switch in.Op {
	case graph.BlockMul, graph.BlockAdd, graph.BlockSub:
		w.get(in.A)
		w.get(in.B)
		w.Op([...]byte{graph.BlockMul: wasm.F64Mul, graph.BlockAdd: wasm.F64Add, graph.BlockSub: wasm.F64Sub}[in.Op])
	case graph.BlockAddMul:
		w.get(in.D)
		w.get(in.A)
		w.get(in.B)
		w.Op(wasm.F64Mul, wasm.F64Add)
	case graph.BlockSlope:
		w.get(in.A)
		w.F64(1)
		w.get(in.A)
		w.Op(wasm.F64Sub, wasm.F64Mul)
	case graph.BlockSinCos:
		w.get(in.A)
		w.SinCos()
	case graph.BlockFun1:
		w.get(in.A)
		w.Symbol(in.Sym)
	case graph.BlockFun2:
		w.get(in.A)
		w.get(in.B)
		w.Symbol(in.Sym)
	}
	reads(in, w.release)
	if in.Op == graph.BlockSinCos {
		w.set(in.B)
	}
	w.set(in.D)
	w.at++
}

// applies reports whether the instruction applies a function symbol.
func applies(in *graph.BlockInstr) bool { return in.Op == graph.BlockFun1 || in.Op == graph.BlockFun2 }

// supported reports whether all of the code can be translated.
func supported(l *Loop) bool {
	for _, n := range l.Nodes {
		for i := range n.Code {
			if in := &n.Code[i]; applies(in) {
				if !wasm.Translated(in.Sym) {
					return false
				}
			}
		}
	}
	return true
}
