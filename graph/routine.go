package graph

import (
	"sync"

	"github.com/gram-machine/gram/term"
)

// Routine is a λ as code that runs on a stack of frames: its calls are pushes, its conditionals and matches are jumps. A frame has
// registers for numbers and registers for references; reference register 0 is the closure. The arguments are in the registers
// behind it: numbers from 0 on, references from 1 on, as the layouts of the parameters have them. The code makes the objects that the
// template's instructions make, its dual λs in the same order, but no nodes that wait.
type Routine struct {
	Template      uint32
	Params        []Layout
	Result        Layout
	Numbers, Refs uint32 // registers of a frame
	Units         uint32 // bounds the nodes that a run allocates, without those of its calls
	Code          []RoutineInstr
	Consts        []float64
	Entries       []RoutineEntry
	Targets       []uint32
	Calls         []RoutineCall
	Returns       []RoutineLeaves
	Objects       []RoutineObject
	Recursive     bool
}

// RoutineInstr is an instruction of a routine. num and ref are the registers of its frame.
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
	RoutineEnter                    // counts Entries[A]
	RoutineTest                     // goes on at D unless num A Cmp num B
	RoutineMatch                    // goes on at Targets[D+k], k the constructor at ref A
	RoutineInvoke                   // num D, … and ref B, … := the result of Calls[A]
	RoutineTail                     // returns the result of Calls[A]
	RoutineApply                    // ref D := the object Objects[A], an application, reduced by the machine
	RoutineReturn                   // returns Returns[A]
)

// RoutineEntry are the templates that begin where it stands, and the sum of their steps, with those of (1), (4) and (15) of the call
// that the code begins with, and of λs in line. What it has of partial applications may be negative, modulo 2⁶⁴.
type RoutineEntry struct {
	Templates []uint32
	Steps     uint64
	Applied   uint64 // arguments that are bound: a (1) and a (4) each
	Unfolds   uint64 // (15)
	Names     uint64 // (4) of names of recursive functions
}

// RoutineLeaves are registers of a frame.
type RoutineLeaves struct{ Numbers, Refs []uint32 }

// RoutineCall is a call: the registers of the arguments. The first of Refs is that of the closure.
type RoutineCall struct {
	RoutineLeaves
	Callee *Routine
}

// RoutineObject is an object with references in registers, behind a header of so many words; Site is the place of an application in
// Program.Code.
type RoutineObject struct {
	Head, Header uint32
	Refs         []uint32
	Site         uint32
}

// routines are the routines of a program, which are made when they are asked for.
type routines struct {
	mu    sync.Mutex
	build func(template uint32) *Routine
}

// SetRoutines says how routines are made. build returns nil where there is none.
func (p *Program) SetRoutines(build func(template uint32) *Routine) {
	p.routines = &routines{build: build}
}

// Routine returns the routine of a template, nil if there is none. It is safe for concurrent use.
func (p *Program) Routine(template uint32) *Routine {
	if p.routines == nil {
		return nil
	}
	p.routines.mu.Lock()
	defer p.routines.mu.Unlock()
	return p.routines.build(template)
}
