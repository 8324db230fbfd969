// Package frames runs routines on a stack of frames. It allocates in the machine's arena, and leaves to the machine what is no
// straight-line code, call or jump.
package frames

import (
	"math"

	"github.com/gram-machine/gram/graph"
)

// Stack is a stack of frames. Its zero value is empty. The fields that are exported are the machine's: it sets them before [Stack.Run], and
// takes them over afterwards.
type Stack struct {
	Words   []uint32 // of the arena
	Nodes   []graph.Node
	Globals []uint32 // the references to globals
	Runs    []uint64 // of each template
	Top     uint32   // the first free node
	Limit   uint32   // Top may go so far
	Steps   uint64
	Most    uint64 // Run returns [Look] when there are so many steps
	Applied uint64 // arguments bound: a (1) and a (4) each
	Unfolds uint64 // (15)
	Names   uint64 // (4) of names of recursive functions
	Clear   bool   // registers that have no reference have 0, for collections

	// Numbers and Refs are the result, when Run has returned [Done].
	Numbers []float64
	Refs    []graph.Ref

	numbers []float64
	refs    []graph.Ref
	calls   []call // the frames below
	top     call   // the frame that runs
}

// call is a frame that waits for a result.
type call struct {
	of      *graph.Routine // nil: there is none
	pc      uint32         // of the instruction that runs next
	numbers uint32         // where its registers begin
	refs    uint32
	first   bool // of a run
}

// Event is why [Stack.Run] returns.
type Event uint8

// The events.
const (
	Done  Event = iota // the first routine has returned: its result is in Numbers and Refs, see [Stack.Leave]
	Look               // it is time to look at the limits
	Room               // Top may pass Limit: see [Stack.Needs]
	Grow               // there is no room for a frame: see [Stack.Grow]
	Apply              // the application that was made last is the machine's: see [Stack.Continue]
)

// Reset drops all frames.
func (s *Stack) Reset() { s.calls, s.top = s.calls[:0], call{} }

// Bytes returns how much memory the frames take.
func (s *Stack) Bytes() int64 { return int64(8*cap(s.numbers) + 4*cap(s.refs) + 24*cap(s.calls)) }

// Routine returns the routine that runs, nil if there is none.
func (s *Stack) Routine() *graph.Routine { return s.top.of }

// Roots replaces each reference by what f makes of it.
func (s *Stack) Roots(f func(graph.Ref) graph.Ref) {
	if s.top.of == nil {
		return
	}
	for i, r := range s.refs[:s.top.refs+s.top.of.Refs] {
		s.refs[i] = f(r)
	}
}

// Needs returns how many nodes the frame that runs may allocate before its next call.
func (s *Stack) Needs() uint32 { return s.top.of.Units }

// end returns where the registers of the frame that runs end.
func (s *Stack) end() (numbers, refs uint32) {
	if s.top.of == nil {
		return 0, 0
	}
	return s.top.numbers + s.top.of.Numbers, s.top.refs + s.top.of.Refs
}

// fits reports whether there is room for registers up to the numbers.
func (s *Stack) fits(numbers, refs uint32) bool {
	return int(numbers) <= len(s.numbers) && int(refs) <= len(s.refs)
}

// Growth returns how many bytes [Stack.Grow] is going to allocate.
func (s *Stack) Growth() int64 { return int64(8*more(len(s.numbers)) + 4*more(len(s.refs))) }

// Grow makes room for more frames.
func (s *Stack) Grow() {
	s.numbers = append(s.numbers, make([]float64, more(len(s.numbers)))...)
	s.refs = append(s.refs, make([]graph.Ref, more(len(s.refs)))...)
}

// more returns how many registers are added to n.
func more(n int) int { return max(1<<10, n/2) }

// Fits reports whether there is room for a frame of r behind the one that runs.
func (s *Stack) Fits(r *graph.Routine) bool {
	n, k := s.end()
	return s.fits(n+r.Numbers, k+r.Refs)
}

// Enter pushes the first frame of a run, which fits. The caller writes the arguments to the registers that it returns.
func (s *Stack) Enter(r *graph.Routine, closure graph.Ref) (numbers []float64, refs []graph.Ref) {
	n, k := s.end()
	s.calls = append(s.calls, s.top)
	s.top = call{of: r, numbers: n, refs: k, first: true}
	numbers, refs = s.frame()
	clear(refs)
	refs[0] = closure
	return numbers, refs[1:]
}

// frame returns the registers of the frame that runs.
func (s *Stack) frame() (numbers []float64, refs []graph.Ref) {
	t := &s.top
	return s.numbers[t.numbers : t.numbers+t.of.Numbers], s.refs[t.refs : t.refs+t.of.Refs]
}

// Leave drops the first frame of a run, which has returned.
func (s *Stack) Leave() {
	last := len(s.calls) - 1
	s.top, s.calls = s.calls[last], s.calls[:last]
}

// Continue gives the frame that runs the value of its application.
func (s *Stack) Continue(v graph.Ref) { s.refs[s.top.refs+s.top.of.Code[s.top.pc-1].D] = v }

// Run runs the frame on top, until it returns or something is left to the machine.
func (s *Stack) Run() Event {
	of, pc, top := s.top.of, s.top.pc, s.Top
	nums, refs := s.frame()
	nodes, words := s.Nodes, s.Words
	for {
		in := &of.Code[pc]
		pc++
		switch in.Op {
		case graph.RoutineMul:
			nums[in.D] = nums[in.A] * nums[in.B]
		case graph.RoutineAdd:
			nums[in.D] = nums[in.A] + nums[in.B]
		case graph.RoutineSub:
			nums[in.D] = nums[in.A] - nums[in.B]
		case graph.RoutineFun1:
			nums[in.D] = in.Sym.Info().Eval1(nums[in.A])
		case graph.RoutineFun2:
			nums[in.D] = in.Sym.Info().Eval2(nums[in.A], nums[in.B])
		case graph.RoutineConst:
			nums[in.D] = of.Consts[in.A]
		case graph.RoutineInput:
			nums[in.D] = nodes[s.Globals[in.A]].Number()
		case graph.RoutineLoad:
			nums[in.D] = nodes[refs[in.A]].Number()
		case graph.RoutineGlobal:
			refs[in.D] = s.Globals[in.A]
		case graph.RoutineCapture:
			refs[in.D] = words[4*uint64(refs[0])+graph.ValueWords+uint64(in.A)]
		case graph.RoutineSplit:
			v := nodes[refs[in.A]].V
			refs[in.D], refs[in.D+1] = graph.Ref(v), graph.Ref(v>>32)
		case graph.RoutineOpen:
			w := 4*uint64(refs[in.A]) + graph.ValueWords
			copy(refs[in.D:in.D+in.B], words[w:w+uint64(in.B)])
		case graph.RoutinePayload:
			refs[in.D] = graph.Ref(nodes[refs[in.A]].V)
		case graph.RoutineNumber:
			nodes[top] = graph.Node{Head: uint32(graph.Num), V: math.Float64bits(nums[in.A])}
			refs[in.D] = top
			top++
		case graph.RoutinePair:
			nodes[top] = graph.Node{Head: uint32(graph.Pair), V: uint64(refs[in.A]) | uint64(refs[in.B])<<32}
			refs[in.D] = top
			top++
		case graph.RoutineCon:
			nodes[top] = graph.Node{Head: uint32(graph.Con) | in.B<<graph.KindShift, V: uint64(refs[in.A])}
			refs[in.D] = top
			top++
		case graph.RoutineMember:
			refs[in.D], top = s.member(in.A, refs[0], in.B, top)
		case graph.RoutineMake:
			o := &of.Objects[in.A]
			s.object(o, refs, top)
			refs[in.D] = top
			top += graph.Units(int(o.Header), len(o.Refs))
		case graph.RoutineEnter:
			if s.Steps >= s.Most {
				return s.leave(Look, pc-1, top)
			}
			if uint64(top)+uint64(of.Units) > uint64(s.Limit) {
				return s.leave(Room, pc-1, top)
			}
			e := &of.Entries[in.A]
			s.Steps += e.Steps
			s.Applied += e.Applied
			s.Unfolds += e.Unfolds
			s.Names += e.Names
			for _, id := range e.Templates {
				s.Runs[id]++
			}
		case graph.RoutineTest:
			if !in.Cmp.Holds(nums[in.A], nums[in.B]) {
				pc = in.D
			}
		case graph.RoutineMatch:
			pc = of.Targets[in.D+nodes[refs[in.A]].Head>>graph.KindShift]
		case graph.RoutineInvoke:
			c := &of.Calls[in.A]
			n, k := s.top.numbers+of.Numbers, s.top.refs+of.Refs
			if !s.fits(n+c.Callee.Numbers, k+c.Callee.Refs) {
				return s.leave(Grow, pc-1, top)
			}
			s.top.pc = pc
			s.calls = append(s.calls, s.top)
			s.top = call{of: c.Callee, numbers: n, refs: k}
			numbers, references := s.frame()
			for i, a := range c.Numbers {
				numbers[i] = nums[a]
			}
			if s.Clear {
				clear(references[len(c.Refs):])
			}
			for i, a := range c.Refs {
				references[i] = refs[a]
			}
			of, pc, nums, refs = c.Callee, 0, numbers, references
		case graph.RoutineTail:
			c := &of.Calls[in.A]
			if !s.fits(s.top.numbers+c.Callee.Numbers, s.top.refs+c.Callee.Refs) {
				return s.leave(Grow, pc-1, top)
			}
			s.Numbers, s.Refs = s.take(&c.RoutineLeaves, nums, refs)
			of, pc = c.Callee, 0
			s.top.of = of
			nums, refs = s.frame()
			copy(nums, s.Numbers)
			clear(refs[copy(refs, s.Refs):])
		case graph.RoutineApply:
			o := &of.Objects[in.A]
			s.object(o, refs, top)
			nodes[top].V = uint64(o.Site) << 32
			return s.leave(Apply, pc, top)
		case graph.RoutineReturn:
			r := &of.Returns[in.A]
			last := len(s.calls) - 1
			if s.top.first {
				s.Numbers, s.Refs = s.take(r, nums, refs)
				return s.leave(Done, pc, top)
			}
			s.top, s.calls = s.calls[last], s.calls[:last]
			of, pc = s.top.of, s.top.pc
			n, k := s.frame()
			to := &of.Code[pc-1]
			for i, a := range r.Numbers {
				n[to.D+uint32(i)] = nums[a]
			}
			for i, a := range r.Refs {
				k[to.B+uint32(i)] = refs[a]
			}
			nums, refs = n, k
			if uint64(top)+uint64(of.Units) > uint64(s.Limit) {
				return s.leave(Room, pc, top)
			}
		}
	}
}

// leave stops before the instruction at pc.
func (s *Stack) leave(e Event, pc, top uint32) Event {
	s.top.pc, s.Top = pc, top
	return e
}

// take copies registers.
func (s *Stack) take(l *graph.RoutineLeaves, nums []float64, refs []graph.Ref) ([]float64, []graph.Ref) {
	numbers, references := s.Numbers[:0], s.Refs[:0]
	for _, a := range l.Numbers {
		numbers = append(numbers, nums[a])
	}
	for _, a := range l.Refs {
		references = append(references, refs[a])
	}
	return numbers, references
}

// object makes an object at the node top.
func (s *Stack) object(o *graph.RoutineObject, refs []graph.Ref, top uint32) {
	s.Nodes[top] = graph.Node{Head: o.Head}
	w := 4*uint64(top) + uint64(o.Header)
	words := s.Words[w : w+uint64(len(o.Refs))]
	for i, a := range o.Refs {
		words[i] = refs[a]
	}
}

// member returns the function of a template that is defined together with the closure f: f itself, or a copy with another head.
func (s *Stack) member(id uint32, f graph.Ref, caps, top uint32) (graph.Ref, uint32) {
	head := uint32(graph.Closure) | id<<graph.KindShift
	if s.Nodes[f].Head == head {
		return f, top
	}
	units := graph.Units(graph.ValueWords, int(caps))
	copy(s.Nodes[top:top+units], s.Nodes[f:f+units])
	s.Nodes[top].Head = head
	return top, top + units
}
