package graph

import (
	"sync"

	"github.com/gram-machine/gram/term"
)

// Routine is a λ as code that runs on a stack of frames: its calls are pushes, its conditionals and matches are jumps. A frame is Size
// words of 64 bits, the registers. Register 0 says to whom the frame returns; see package frames. Register 1 has the reference of the
// closure, and the arguments are behind it, in the order of the leaves of the parameters' layouts. A register holds a number or a
// reference. The code makes the objects that the template's instructions make, its dual λs in the same order, but no nodes that wait.
type Routine struct {
	Template  uint32
	Params    []Layout
	Result    Layout
	Size      uint32
	Live      []uint32 // the registers that have references when a run begins
	Units     uint32   // bounds the nodes that a run allocates, without those of its calls
	Code      []RoutineInstr
	Consts    []float64
	Entries   []RoutineEntry
	Targets   []uint32
	Calls     []*RoutineCall
	Returns   [][]uint32 // the registers of the leaves of the result
	Objects   []*RoutineObject
	Recursive bool
}

// RoutineInstr is an instruction of a routine. num and ref are registers of its frame.
type RoutineInstr struct {
	Op      RoutineOp
	Cmp     term.Compare
	Sym     term.Symbol
	D, A, B uint32
}

// RoutineOp is the operation of an instruction.
type RoutineOp uint8

// The operations.
const (
	RoutineMul     RoutineOp = iota // num D := num A · num B
	RoutineAdd                      // num D := num A + num B
	RoutineSub                      // num D := num A − num B
	RoutineFun1                     // num D := Sym(num A)
	RoutineFun2                     // num D := Sym(num A, num B)
	RoutineConst                    // num D := Consts[A]
	RoutineInput                    // num D := the number of the global A
	RoutineLoad                     // num D := the number at ref A
	RoutineGlobal                   // ref D := the global A
	RoutineCapture                  // ref D := the captured reference A
	RoutineMember                   // ref D := the function of template A, with B captured references, that is defined together with this one
	RoutineSplit                    // ref D, D+1 := the components of the pair at ref A
	RoutineOpen                     // ref D, …, D+B−1 := the components of the vector at ref A
	RoutinePayload                  // ref D := the argument of the constructor at ref A
	RoutineNumber                   // ref D := a node of num A
	RoutinePair                     // ref D := ⟨ref A, ref B⟩
	RoutineCon                      // ref D := constructor B of ref A
	RoutineMake                     // ref D := the object Objects[A]
	RoutineEnter                    // begins a run: looks at the limits, and counts as RoutineCount
	RoutineCount                    // counts the program's entry A, and its B steps
	RoutineTest                     // goes on at D unless num A Cmp num B
	RoutineMatch                    // goes on at Targets[D+k], k the constructor at ref A, of B
	RoutineInvoke                   // D, … := the leaves of the result of Calls[A]
	RoutineTail                     // returns the result of Calls[A]
	RoutineApply                    // ref D := the object Objects[A], an application, reduced by the machine
	RoutineReturn                   // returns Returns[A]
)

// RoutineEntry are the templates that begin where it stands, and the steps (1), (4) and (15) of the call that the code begins with, and
// of λs in line. What it has of partial applications may be negative, modulo 2⁶⁴. A program's entries are numbered.
type RoutineEntry struct {
	Templates []uint32
	Applied   uint64 // arguments that are bound: a (1) and a (4) each
	Unfolds   uint64 // (15)
	Names     uint64 // (4) of names of recursive functions
}

// RoutineCall is a call: the registers of the closure and of the leaves of the arguments. Live are the registers that have
// references while it runs, and After those when it has returned, of those that are read then. Keep are all registers that are read then,
// but for the result's. A program's calls are numbered from 1 on. At is the instruction
// behind the call, and the leaves of the result go to the registers from Result on.
type RoutineCall struct {
	Number uint32
	Args   []uint32
	Live   []uint32
	After  []uint32
	Keep   []uint32
	Caller *Routine
	Callee *Routine
	At     uint32
	Result uint32
}

// RoutineObject is an object of Units nodes with references in registers, behind a header of so many words. Of an application, Site is
// its place in Program.Code, Live are the registers that have references while it is reduced, and Keep those that are read afterwards.
type RoutineObject struct {
	Head, Header, Units uint32
	Refs                []uint32
	Site                uint32
	Live, Keep          []uint32
}

// RoutineTable has the entries and the calls of all routines of a program, by their numbers, and the size of the largest frame. Compiled
// is the engine's; another table has another.
type RoutineTable struct {
	Entries  []RoutineEntry
	Calls    []*RoutineCall
	Routines []*Routine
	Size     uint32
	Compiled *Compiled
}

// Reads returns the registers that an instruction reads.
func (r *Routine) Reads(in *RoutineInstr) []uint32 {
	switch in.Op {
	case RoutineMul, RoutineAdd, RoutineSub, RoutineFun2, RoutinePair, RoutineTest:
		return []uint32{in.A, in.B}
	case RoutineFun1, RoutineLoad, RoutineSplit, RoutineOpen, RoutinePayload, RoutineNumber, RoutineCon, RoutineMatch:
		return []uint32{in.A}
	case RoutineCapture, RoutineMember:
		return []uint32{1}
	case RoutineMake, RoutineApply:
		return r.Objects[in.A].Refs
	case RoutineInvoke, RoutineTail:
		return r.Calls[in.A].Args
	case RoutineReturn:
		return r.Returns[in.A]
	}
	return nil
}

// routines are the routines of a program, which are made when they are asked for.
type routines struct {
	mu    sync.Mutex
	build func(template uint32) (*Routine, RoutineTable)
}

// SetRoutines says how routines are made. build returns nil where there is none, and the table as it is then.
func (p *Program) SetRoutines(build func(template uint32) (*Routine, RoutineTable)) {
	p.routines = &routines{build: build}
}

// Routine returns the routine of a template, nil if there is none, and the table with its entries and calls. It is safe for concurrent
// use.
func (p *Program) Routine(template uint32) (*Routine, RoutineTable) {
	if p.routines == nil {
		return nil, RoutineTable{}
	}
	p.routines.mu.Lock()
	defer p.routines.mu.Unlock()
	return p.routines.build(template)
}
