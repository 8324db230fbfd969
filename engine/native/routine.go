package native

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"unsafe"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"github.com/gram-machine/gram/graph"
)

// Where things lie in the window of an arena: what loops have, the leaves of a result, the counts of the entries, and the frames.
const (
	resultsAt  = loopFront
	maxResults = 64
	countsAt   = resultsAt + 8*maxResults
	framesAt   = resultsAt + tableBytes
	maxCounts  = (framesAt - countsAt) / 8

	maxRoutineCode = 1 << 12
)

// RoutineEvent is why machine code of routines stops.
type RoutineEvent uint8

// The events. The frame stops before the instruction at PC of the routine.
const (
	RoutineDone      RoutineEvent = iota // the first frame has returned
	RoutineLook                          // there are as many steps as may be
	RoutineRoom                          // too few nodes are free
	RoutineGrow                          // there is no room for a frame
	RoutineInterpret                     // the instruction is not translated
)

// Point is a place in the code of a routine.
type Point struct {
	Of *graph.Routine
	PC uint32
}

// Routines is the machine code of all routines of a program.
type Routines struct {
	table    graph.RoutineTable
	compiled wazero.CompiledModule
	points   []Point // by states
	states   map[Point]uint32
}

// CompileRoutines makes machine code of the routines of a table. It returns nil where there is no compiler, and for code that is not
// translated. The references to globals have to be the same in all arenas that the code uses.
func CompileRoutines(t graph.RoutineTable, globals []uint32) *Routines {
	r := compiler()
	size := 0
	for _, routine := range t.Routines {
		size += len(routine.Code)
	}
	if r == nil || size > maxRoutineCode || len(t.Entries) > maxCounts || !supportedRoutines(t) {
		return nil
	}
	w := lowerRoutines(t, globals)
	code := machineCode(r, module(w.linker.types, w.linker.bodies, 1, math.MaxUint16+1))
	if code == nil {
		return nil
	}
	c := &Routines{t, code, w.points, w.states}
	runtime.AddCleanup(c, func(m wazero.CompiledModule) { _ = m.Close(context.Background()) }, code)
	return c
}

// supportedRoutines reports whether all of the routines can be translated.
func supportedRoutines(t graph.RoutineTable) bool {
	for _, r := range t.Routines {
		for i := range r.Code {
			switch in := &r.Code[i]; in.Op {
			case graph.RoutineFun1, graph.RoutineFun2:
				if _, ok := symbolFunctions[in.Sym]; !ok {
					return false
				}
			case graph.RoutineMember:
				if in.B > maxCaptured {
					return false
				}
			}
		}
	}
	return true
}

// maxCaptured bounds the captured references of a closure that is copied by straight-line code.
const maxCaptured = 32

// RoutineRun is machine code of routines with the memory of an arena.
type RoutineRun struct {
	Code   *Routines
	window []byte
	run    api.Function
	stack  [7]uint64
}

// RoutineState is what machine code takes over and leaves.
type RoutineState struct {
	At          Point
	Base        uint32 // the number of words before the frame
	Top, Limit  uint32
	Steps, Most uint64
}

// PrepareRoutines writes what machine code reads to the window of an arena.
func PrepareRoutines(window []byte) { putTables(window) }

// RoutineFront is how many bytes before the frames are to be usable in the window of an arena.
const RoutineFront = framesAt

// RoutineMemory returns the counts of n entries, nil if there are too many, and the words of the frames in the window of an arena.
func RoutineMemory(window []byte, n int) (counts, frames []uint64) {
	words := unsafe.Slice((*uint64)(unsafe.Pointer(&window[0])), graph.FrontBytes/8)
	if n <= maxCounts {
		counts = words[countsAt/8:][:n]
	}
	return counts, words[framesAt/8:]
}

// In returns the code with the window of an arena.
func (c *Routines) In(window []byte) *RoutineRun {
	r := &RoutineRun{Code: c, window: window}
	r.run = instantiate(r, c.compiled, window)
	return r
}

// Knows reports whether a run can begin at the point.
func (c *Routines) Knows(p Point) bool {
	_, ok := c.states[p]
	return ok
}

// Run runs a frame that begins, or that has got the value for which it has stopped, and the frames below it. There are so many words of
// frames.
func (r *RoutineRun) Run(s *RoutineState, words int) RoutineEvent {
	r.stack = [7]uint64{uint64(r.Code.states[s.At]), 8 * uint64(s.Base), uint64(s.Top), uint64(s.Limit), 8 * uint64(words), s.Steps, s.Most}
	if err := r.run.CallWithStack(context.Background(), r.stack[:]); err != nil {
		panic(fmt.Sprintf("native: %v", err))
	}
	s.At = r.Code.points[uint32(r.stack[1])]
	s.Base, s.Top, s.Steps = uint32(r.stack[2])/8, uint32(r.stack[3]), r.stack[4]
	return RoutineEvent(r.stack[0])
}

// Result returns the leaves of the result when a run is done.
func (r *RoutineRun) Result(leaves int) []uint64 {
	return unsafe.Slice((*uint64)(unsafe.Pointer(&r.window[resultsAt])), leaves)
}
