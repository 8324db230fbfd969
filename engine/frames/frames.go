// Package frames runs routines on a stack of frames. It allocates in the machine's arena, and leaves to the machine what is no
// straight-line code, call or jump.
//
// A frame is the registers of its routine. Register 0 has the number of the call, in its lower half, and where the caller's frame begins.
// The first frame of a run has the number 0.
package frames

import (
	"math"

	"github.com/gram-machine/gram/engine/native"
	"github.com/gram-machine/gram/graph"
)

// Stack is a stack of frames. Its zero value is empty. The fields that are exported are the machine's: it sets them before [Stack.Run], and
// takes them over afterwards.
type Stack struct {
	Arena   *graph.Arena // it may have room for the frames
	Table   graph.RoutineTable
	Words   []uint32 // of the arena
	Nodes   []graph.Node
	Globals []uint32 // the references to globals
	Top     uint32   // the first free node
	Limit   uint32   // Top may go so far
	Steps   uint64
	Most    uint64 // Run returns [Look] when there are so many steps

	// Result has the leaves of the result, when Run has returned [Done].
	Result []uint64

	memory  []uint64
	counts  []uint64 // of each entry of the table
	window  []byte   // of the arena, if the frames are in it
	code    *native.RoutineRun
	top     frame   // that runs
	waiting []frame // those that wait for an application that is the machine's
}

// frame is a frame that does not run. The registers live have references.
type frame struct {
	of   *graph.Routine // nil: there is none
	pc   uint32         // of the instruction that runs next
	base uint32         // where its registers begin
	live []uint32
}

// Event is why [Stack.Run] returns.
type Event uint8

// The events.
const (
	Done  Event = iota // the first routine has returned: its result is in Result, see [Stack.Leave]
	Look               // it is time to look at the limits
	Room               // Top may pass Limit: see [Stack.Needs]
	Grow               // there is no room for a frame: see [Stack.Grow]
	Apply              // the application that was made last is the machine's: see [Stack.Continue]
)

// Reset drops all frames.
func (s *Stack) Reset() {
	s.waiting, s.top = s.waiting[:0], frame{}
	clear(s.counts)
}

// SetTable sets the table, which is the former one or has more.
func (s *Stack) SetTable(t graph.RoutineTable) {
	s.Table = t
	n := len(t.Entries) - len(s.counts)
	if n <= 0 {
		return
	}
	s.code = nil
	if s.window != nil {
		if counts, _ := native.RoutineMemory(s.window, len(t.Entries)); counts != nil {
			s.counts = counts
			return
		}
	}
	s.counts = append(s.counts, make([]uint64, n)...)
}

// Counts calls do for each entry that has run, with how often it has since the last time.
func (s *Stack) Counts(do func(e *graph.RoutineEntry, times uint64)) {
	for i, n := range s.counts {
		if n > 0 {
			do(&s.Table.Entries[i], n)
		}
	}
	clear(s.counts)
}

// Bytes returns how much memory the frames take.
func (s *Stack) Bytes() int64 { return int64(8 * len(s.memory)) }

// Routine returns the routine that runs, nil if there is none.
func (s *Stack) Routine() *graph.Routine { return s.top.of }

// Roots replaces each reference by what f makes of it.
func (s *Stack) Roots(f func(graph.Ref) graph.Ref) {
	t, outer := s.top, s.waiting
	for t.of != nil {
		for _, r := range t.live {
			at := &s.memory[t.base+r]
			*at = uint64(f(graph.Ref(*at)))
		}
		link := s.memory[t.base]
		if c := s.Table.Calls[uint32(link)]; c != nil {
			t = frame{of: c.Caller, base: uint32(link >> 32), live: c.Live}
			continue
		}
		last := len(outer) - 1
		t, outer = outer[last], outer[:last]
	}
}

// Needs returns how many nodes the frame that runs may allocate before its next call.
func (s *Stack) Needs() uint32 { return s.top.of.Units }

// fits reports whether there is room for a frame of r that begins at base, and for one that it calls.
func (s *Stack) fits(base uint32, r *graph.Routine) bool {
	return int(base)+int(r.Size+s.Table.Size) <= len(s.memory)
}

// end returns where the frame that runs ends.
func (s *Stack) end() uint32 {
	if s.top.of == nil {
		return 0
	}
	return s.top.base + s.top.of.Size
}

// Growth returns how many bytes [Stack.Grow] is going to allocate.
func (s *Stack) Growth() int64 { return 8 * int64(max(1<<10, len(s.memory)/2)) }

// Grow makes room for more frames.
func (s *Stack) Grow() {
	n := len(s.memory) + int(s.Growth()/8)
	if s.memory == nil || s.window != nil {
		if window := s.Arena.Front(native.RoutineFront + 8*uint64(n)); window != nil {
			s.inWindow(window, n)
			return
		}
		s.window, s.code = nil, nil
	}
	memory := make([]uint64, n)
	copy(memory, s.memory)
	s.memory = memory
}

// inWindow makes the stack's memory n words in the window.
func (s *Stack) inWindow(window []byte, n int) {
	counts, memory := native.RoutineMemory(window, len(s.counts))
	if s.window == nil {
		native.PrepareRoutines(window)
		if counts != nil {
			copy(counts, s.counts)
			s.counts = counts
		}
	}
	s.window, s.memory = window, memory[:n]
}

// InWindow reports whether the frames and the nodes are in the window of the arena, where machine code can use them.
func (s *Stack) InWindow() bool {
	return s.window != nil && uint64(s.Limit) <= (uint64(len(s.window))-graph.FrontBytes)/graph.NodeBytes
}

// Window makes room for so many words, and returns the window of the arena, and in it the words that the frames take when there are any.
// It returns nil if these are not in the window, with the nodes below top, or reserve, which is told the bytes, has an error.
func (s *Stack) Window(words int, top graph.Ref, reserve func(bytes int64) error) (window []byte, memory []uint64) {
	for len(s.memory) < words && (s.memory == nil || s.window != nil) {
		if reserve(s.Growth()) != nil {
			return nil, nil
		}
		s.Grow()
	}
	if s.Limit = top; !s.InWindow() {
		return nil, nil
	}
	return s.window, s.memory[:words]
}

// Code returns the machine code, nil if there is none.
func (s *Stack) Code() *native.RoutineRun { return s.code }

// SetCode makes [Stack.Run] run machine code of the table's routines. The frames are in the window.
func (s *Stack) SetCode(c *native.Routines) { s.code = c.In(s.window) }

// Fits reports whether there is room for a frame of r behind the one that runs.
func (s *Stack) Fits(r *graph.Routine) bool { return s.fits(s.end(), r) }

// Enter pushes the first frame of a run, which fits. The caller writes the leaves of the arguments to the registers that it returns.
func (s *Stack) Enter(r *graph.Routine, closure graph.Ref) []uint64 {
	base := s.end()
	s.waiting = append(s.waiting, s.top)
	s.top = frame{of: r, base: base, live: r.Live}
	regs := s.memory[base : base+r.Size]
	regs[0], regs[1] = 0, uint64(closure)
	return regs[2:]
}

// Leave drops the first frame of a run, which has returned.
func (s *Stack) Leave() {
	last := len(s.waiting) - 1
	s.top, s.waiting = s.waiting[last], s.waiting[:last]
}

// Continue gives the frame that runs the value of its application.
func (s *Stack) Continue(v graph.Ref) {
	s.memory[s.top.base+s.top.of.Code[s.top.pc-1].D] = uint64(v)
}

// Run runs the frame on top, until it returns or something is left to the machine.
func (s *Stack) Run() Event {
	if s.code == nil || !s.InWindow() {
		return s.interpret()
	}
	state := native.RoutineState{At: native.Point{Of: s.top.of, PC: s.top.pc}, Base: s.top.base, Top: s.Top, Limit: s.Limit,
		Steps: s.Steps, Most: s.Most}
	event := s.code.Run(&state, len(s.memory))
	s.Top, s.Steps = state.Top, state.Steps
	f := frame{of: state.At.Of, pc: state.At.PC, base: state.Base}
	if f.pc == 0 {
		f.live = f.of.Live
	} else if in := &f.of.Code[f.pc-1]; in.Op == graph.RoutineInvoke {
		f.live = f.of.Calls[in.A].After
	}
	switch event {
	case native.RoutineDone:
		s.Result = append(s.Result[:0], s.code.Result(int(f.of.Result.Leaves()))...)
		return s.leave(Done, frame{of: f.of, base: f.base})
	case native.RoutineInterpret:
		s.top = f
		return s.interpret()
	}
	return s.leave([...]Event{native.RoutineLook: Look, native.RoutineRoom: Room, native.RoutineGrow: Grow}[event], f)
}

// interpret is Run without machine code.
func (s *Stack) interpret() Event {
	of, pc, base := s.top.of, s.top.pc, s.top.base
frame:
	for {
		code, regs, nodes := of.Code, s.memory[base:base+of.Size], s.Nodes
		for {
			in := &code[pc]
			pc++
			switch in.Op {
			case graph.RoutineMul:
				regs[in.D] = math.Float64bits(math.Float64frombits(regs[in.A]) * math.Float64frombits(regs[in.B]))
			case graph.RoutineAdd:
				regs[in.D] = math.Float64bits(math.Float64frombits(regs[in.A]) + math.Float64frombits(regs[in.B]))
			case graph.RoutineSub:
				regs[in.D] = math.Float64bits(math.Float64frombits(regs[in.A]) - math.Float64frombits(regs[in.B]))
			case graph.RoutineFun1:
				regs[in.D] = math.Float64bits(in.Sym.Info().Eval1(math.Float64frombits(regs[in.A])))
			case graph.RoutineFun2:
				regs[in.D] = math.Float64bits(in.Sym.Info().Eval2(math.Float64frombits(regs[in.A]), math.Float64frombits(regs[in.B])))
			case graph.RoutineConst:
				regs[in.D] = math.Float64bits(of.Consts[in.A])
			case graph.RoutineInput:
				regs[in.D] = nodes[s.Globals[in.A]].V
			case graph.RoutineLoad:
				regs[in.D] = nodes[uint32(regs[in.A])].V
			case graph.RoutineGlobal:
				regs[in.D] = uint64(s.Globals[in.A])
			case graph.RoutineCapture:
				regs[in.D] = uint64(s.Words[4*regs[1]+graph.ValueWords+uint64(in.A)])
			case graph.RoutineSplit:
				v := nodes[uint32(regs[in.A])].V
				regs[in.D], regs[in.D+1] = uint64(uint32(v)), v>>32
			case graph.RoutineOpen:
				for i, r := range s.Words[4*regs[in.A]+graph.ValueWords:][:in.B] {
					regs[in.D+uint32(i)] = uint64(r)
				}
			case graph.RoutinePayload:
				regs[in.D] = uint64(uint32(nodes[uint32(regs[in.A])].V))
			case graph.RoutineNumber:
				nodes[s.Top] = graph.Node{Head: uint32(graph.Num), V: regs[in.A]}
				regs[in.D] = uint64(s.Top)
				s.Top++
			case graph.RoutinePair:
				nodes[s.Top] = graph.Node{Head: uint32(graph.Pair), V: uint64(uint32(regs[in.A])) | regs[in.B]<<32}
				regs[in.D] = uint64(s.Top)
				s.Top++
			case graph.RoutineCon:
				nodes[s.Top] = graph.Node{Head: uint32(graph.Con) | in.B<<graph.KindShift, V: regs[in.A]}
				regs[in.D] = uint64(s.Top)
				s.Top++
			case graph.RoutineMember:
				regs[in.D] = uint64(s.member(in.A, graph.Ref(regs[1]), in.B))
			case graph.RoutineMake:
				o := of.Objects[in.A]
				s.object(o, regs)
				regs[in.D] = uint64(s.Top)
				s.Top += o.Units
			case graph.RoutineEnter:
				if s.Steps >= s.Most {
					return s.leave(Look, frame{of, pc - 1, base, of.Live})
				}
				if uint64(s.Top)+uint64(of.Units) > uint64(s.Limit) {
					return s.leave(Room, frame{of, pc - 1, base, of.Live})
				}
				if !s.fits(base, of) {
					return s.leave(Grow, frame{of, pc - 1, base, of.Live})
				}
				fallthrough
			case graph.RoutineCount:
				s.Steps += uint64(int64(int32(in.B)))
				s.counts[in.A]++
			case graph.RoutineTest:
				if !in.Cmp.Holds(math.Float64frombits(regs[in.A]), math.Float64frombits(regs[in.B])) {
					pc = in.D
				}
			case graph.RoutineMatch:
				pc = of.Targets[in.D+nodes[uint32(regs[in.A])].Head>>graph.KindShift]
			case graph.RoutineInvoke:
				c := of.Calls[in.A]
				to := base + of.Size
				of, pc = c.Callee, 0
				callee := s.memory[to : to+of.Size]
				callee[0] = uint64(c.Number) | uint64(base)<<32
				for i, a := range c.Args {
					callee[1+i] = regs[a]
				}
				base = to
				continue frame
			case graph.RoutineTail:
				c := of.Calls[in.A]
				s.take(c.Args, regs)
				of, pc = c.Callee, 0
				copy(s.memory[base+1:], s.Result)
				continue frame
			case graph.RoutineApply:
				o := of.Objects[in.A]
				s.object(o, regs)
				nodes[s.Top].V = uint64(o.Site) << 32
				regs[in.D] = uint64(s.Top)
				return s.leave(Apply, frame{of, pc, base, o.Live})
			case graph.RoutineReturn:
				r := of.Returns[in.A]
				c := s.Table.Calls[uint32(regs[0])]
				if c == nil {
					s.take(r, regs)
					return s.leave(Done, frame{of, pc, base, nil})
				}
				base = uint32(regs[0] >> 32)
				of, pc = c.Caller, c.At
				caller := s.memory[base : base+of.Size]
				for i, a := range r {
					caller[c.Result+uint32(i)] = regs[a]
				}
				if uint64(s.Top)+uint64(of.Units) > uint64(s.Limit) {
					return s.leave(Room, frame{of, pc, base, c.After})
				}
				continue frame
			}
		}
	}
}

// leave stops in the frame f, before the instruction at f.pc.
func (s *Stack) leave(e Event, f frame) Event {
	s.top = f
	return e
}

// take copies registers to s.Result.
func (s *Stack) take(of []uint32, regs []uint64) {
	s.Result = s.Result[:0]
	for _, a := range of {
		s.Result = append(s.Result, regs[a])
	}
}

// object makes an object at the first free node, without taking its nodes.
func (s *Stack) object(o *graph.RoutineObject, regs []uint64) {
	s.Nodes[s.Top] = graph.Node{Head: o.Head}
	w := 4*uint64(s.Top) + uint64(o.Header)
	words := s.Words[w : w+uint64(len(o.Refs))]
	for i, a := range o.Refs {
		words[i] = uint32(regs[a])
	}
}

// member returns the function of a template that is defined together with the closure f: f itself, or a copy with another head.
func (s *Stack) member(id uint32, f graph.Ref, caps uint32) graph.Ref {
	head := uint32(graph.Closure) | id<<graph.KindShift
	if s.Nodes[f].Head == head {
		return f
	}
	g := s.Top
	s.Top += graph.Units(graph.ValueWords, int(caps))
	copy(s.Nodes[g:s.Top], s.Nodes[f:])
	s.Nodes[g].Head = head
	return g
}
