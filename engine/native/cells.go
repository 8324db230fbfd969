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

// Cells is machine code of the bodies of a program's dual λs. Its memory, where the frames of routines are when these run, has a counter
// for each body, and behind them a set of nodes: first a bit for each node, and then a bit for each word of these bits that is not 0.
type Cells struct {
	compiled wazero.CompiledModule
	bodies   int
}

// maxCellRegs bounds the registers of a body.
const maxCellRegs = 256

// CompileCells makes machine code of the bodies of a program's dual λs. It returns nil where there is no compiler, and for code that is
// not translated.
func CompileCells(p *graph.Program) *Cells {
	r := compiler()
	size := len(p.Duals)
	for i := range p.Bodies {
		size += int(p.Bodies[i].Heads+p.Bodies[i].Nums) + len(p.Bodies[i].Code)
	}
	if r == nil || size > maxRoutineCode || p.LinRegs > maxCellRegs || !supportedBodies(p.Bodies) {
		return nil
	}
	l := lowerCells(p)
	code := machineCode(r, module(l.types, l.bodies, 1, math.MaxUint16+1))
	if code == nil {
		return nil
	}
	c := &Cells{code, len(p.Bodies)}
	runtime.AddCleanup(c, func(m wazero.CompiledModule) { _ = m.Close(context.Background()) }, code)
	return c
}

func supportedBodies(bodies []graph.DualBody) bool {
	for i := range bodies {
		for k := range bodies[i].Code {
			if in := &bodies[i].Code[k]; in.Op == graph.LinFun1 || in.Op == graph.LinFun2 {
				if _, ok := symbolFunctions[in.Sym]; !ok {
					return false
				}
			}
		}
	}
	return true
}

// CellRun is machine code of cells with the memory of an arena.
type CellRun struct {
	cells  *Cells
	window []byte
	run    api.Function
}

// In returns the code with the window of an arena.
func (c *Cells) In(window []byte) *CellRun {
	r := &CellRun{cells: c, window: window}
	r.run = instantiate(r, c.compiled, window)
	return r
}

// Run fires cells, the newest first, until the cells, their arrivals and their steps are as many as most, the newest is no dual λ of the
// program, or there is none. It returns such a cell, or 0. The set has the bits of so many words, and the words of bits from number at on
// are 0; next is such a number afterwards.
func (r *CellRun) Run(words, at int, most uint64) (other graph.Ref, next int, done bool) {
	some := framesAt + 8*(r.cells.bodies+words)
	stack := [3]uint64{uint64(some), uint64(some + 8*(at-1)), most}
	if err := r.run.CallWithStack(context.Background(), stack[:]); err != nil {
		panic(fmt.Sprintf("native: %v", err))
	}
	return graph.Ref(stack[1]), (int(stack[2])-some)/8 + 1, uint32(stack[0]) == cellsDone
}

// Counters returns how often each body has fired. The caller sets them to 0.
func (r *CellRun) Counters() []uint64 {
	return unsafe.Slice((*uint64)(unsafe.Pointer(&r.window[framesAt])), r.cells.bodies)
}

// Why machine code of cells stops.
const (
	cellsLook = iota
	cellsOther
	cellsDone
)

// Locals of the function of cells. The first are its parameters.
const (
	cellSome  = iota // the address of the words of the set that have a bit for each word of bits
	cellAt           // the address of the last of these that may not be 0
	cellLeft         // what may still be done
	cellEvent        // i32
	cellNode         // the address of the cell's node, but for what routineLowering.word adds
	cellWord         // the address of a word of bits, less that of the first
	cellHead
	cellTo
	cellBits // i64
	cellMask
	cellSum // f64
	cellReg // the registers of a body
)

// cellLowering makes the function of the bodies of a program: a loop that takes the newest cell.
type cellLowering struct {
	routineLowering
	p *graph.Program
}

func lowerCells(p *graph.Program) *linker {
	w := &cellLowering{p: p}
	w.linker = &linker{numbers: map[int]int{}}
	w.op(opBlock, typeNone, opLoop, typeNone)
	w.take()
	for range p.Bodies {
		w.op(opBlock, typeNone)
	}
	w.local(opLocalGet, cellHead)
	w.i32(graph.KindShift)
	w.op(opI32ShrU, opBrTable)
	w.unsigned(uint64(len(p.Duals)))
	for _, d := range append(p.Duals[:len(p.Duals):len(p.Duals)], graph.Dual{}) {
		w.unsigned(uint64(d.Body))
	}
	for i := range p.Bodies {
		w.op(opEnd)
		w.body(i)
		w.local(opBr, len(p.Bodies)-1-i)
	}
	w.op(opEnd, opUnreachable, opEnd)
	for _, l := range []int{cellEvent, cellTo, cellAt} {
		w.local(opLocalGet, l)
	}
	locals := []byte{typeI32, typeI32, typeI32, typeI32, typeI32, typeI64, typeI64, typeF64}
	for range p.LinRegs {
		locals = append(locals, typeF64)
	}
	w.linker.types = append(w.linker.types, signature{"\x7f\x7f\x7e", "\x7f\x7f\x7f"})
	w.linker.bodies = append(w.linker.bodies, body(locals, w.encoder))
	return w.linker
}

// stopIf emits the end of the function if there is no 0 on the stack, so many labels below its end.
func (w *cellLowering) stopIf(event int32, labels int) {
	w.op(opIf, typeNone)
	w.i32(event)
	w.local(opLocalSet, cellEvent)
	w.local(opBr, labels+1)
	w.op(opEnd)
}

// bits is where the set begins, behind the counters.
func (w *cellLowering) bits() uint64 { return framesAt + 8*uint64(len(w.p.Bodies)) }

// take emits the code that takes the newest cell out of the set, and stops if it is none of the program's dual λs.
func (w *cellLowering) take() {
	w.i32(0)
	w.local(opLocalSet, cellTo)
	w.local(opLocalGet, cellLeft)
	w.i64(0)
	w.op(opI64LeS)
	w.stopIf(cellsLook, 1)
	w.op(opLoop, typeNone)
	w.local(opLocalGet, cellAt)
	w.at(opI64Load, 0)
	w.local(opLocalTee, cellMask)
	w.op(opI64Eqz, opIf, typeNone)
	w.local(opLocalGet, cellAt)
	w.local(opLocalGet, cellSome)
	w.op(opI32Eq)
	w.stopIf(cellsDone, 3)
	w.local(opLocalGet, cellAt)
	w.i32(8)
	w.op(opI32Sub)
	w.local(opLocalSet, cellAt)
	w.local(opBr, 1)
	w.op(opEnd, opEnd)
	w.local(opLocalGet, cellAt) // the word
	w.local(opLocalGet, cellSome)
	w.op(opI32Sub)
	w.i32(6)
	w.op(opI32Shl)
	w.highest(cellMask)
	w.op(opI32Wrap)
	w.i32(3)
	w.op(opI32Shl, opI32Add)
	w.local(opLocalTee, cellWord)
	w.local(opLocalGet, cellWord) // without its highest bit
	w.at(opI64Load, w.bits())
	w.local(opLocalTee, cellBits)
	w.i64(1)
	w.highest(cellBits)
	w.op(opI64Shl, opI64Xor)
	w.at(opI64Store, w.bits())
	w.local(opLocalGet, cellWord)
	w.i32(3)
	w.op(opI32Shl)
	w.highest(cellBits)
	w.op(opI32Wrap, opI32Add)
	w.local(opLocalSet, cellTo)
	w.local(opLocalGet, cellWord)
	w.at(opI64Load, w.bits())
	w.op(opI64Eqz, opIf, typeNone)
	w.local(opLocalGet, cellAt)
	w.local(opLocalGet, cellMask)
	w.i64(1)
	w.highest(cellMask)
	w.op(opI64Shl, opI64Xor)
	w.at(opI64Store, 0)
	w.op(opEnd)
	w.local(opLocalGet, cellTo)
	w.shift()
	w.local(opLocalTee, cellNode)
	w.word(opI32Load, 0)
	w.local(opLocalTee, cellHead)
	w.i32(graph.KindMask)
	w.op(opI32And)
	w.i32(int32(graph.DualCell))
	w.op(opI32Ne)
	w.stopIf(cellsOther, 1)
}

// highest leaves the number of the highest bit of a local that is not 0.
func (w *cellLowering) highest(of int) {
	w.i64(63)
	w.local(opLocalGet, of)
	w.op(opI64Clz, opI64Sub)
}

// body emits the code of a body.
func (w *cellLowering) body(i int) {
	b := &w.p.Bodies[i]
	w.local(opLocalGet, cellNode)
	w.touch(graph.FrontBytes + graph.NodeBytes*uint64(graph.Units(graph.DualWords, int(b.Heads+b.Nums))) - 4)
	w.count(uint32(i))
	w.local(opLocalGet, cellNode)
	w.word(opF64Load, 2)
	w.local(opLocalSet, cellReg)
	for k := range int(b.Nums) {
		w.local(opLocalGet, cellNode)
		w.word(opI32Load, graph.DualWords+int(b.Heads)+k)
		w.shift()
		w.word(opF64Load, 2)
		w.local(opLocalSet, cellReg+1+k)
	}
	for k := range b.Code {
		w.instruction(&b.Code[k])
	}
}

// count emits the code that counts a firing of a body.
func (w *cellLowering) count(body uint32) {
	at, b := framesAt+8*uint64(body), &w.p.Bodies[body]
	w.i32(0)
	w.i32(0)
	w.at(opI64Load, at)
	w.i64(1)
	w.op(opI64Add)
	w.at(opI64Store, at)
	w.local(opLocalGet, cellLeft)
	w.i64(int64(1 + uint64(b.Heads) + b.Steps))
	w.op(opI64Sub)
	w.local(opLocalSet, cellLeft)
}

// instruction translates an instruction of a body.
func (w *cellLowering) instruction(in *graph.LinInstr) {
	a, b := cellReg+int(in.A), cellReg+int(in.B)
	if in.Op == graph.LinConst {
		w.f64(in.Val)
	} else {
		w.local(opLocalGet, a)
	}
	switch in.Op {
	case graph.LinMul, graph.LinScale:
		w.local(opLocalGet, b)
		w.op(opF64Mul)
	case graph.LinAdd:
		w.local(opLocalGet, b)
		w.op(opF64Add)
	case graph.LinFun2:
		w.local(opLocalGet, b)
		w.local(opCall, w.linker.call(symbolFunctions[in.Sym]+1))
	case graph.LinFun1:
		w.local(opCall, w.linker.call(symbolFunctions[in.Sym]+1))
	}
	if in.Op != graph.LinScale && in.Op != graph.LinArrive {
		w.local(opLocalSet, cellReg+int(in.D))
		return
	}
	w.local(opLocalSet, cellSum)
	w.arrive(in.D)
}

// arrive emits the arrival of cellSum at a head. The first adds the cell to the set. One at λa.0⃗ is counted.
func (w *cellLowering) arrive(head uint32) {
	w.local(opLocalGet, cellNode)
	w.word(opI32Load, graph.DualWords+int(head))
	w.local(opLocalTee, cellTo)
	w.i32(int32(graph.NullDual))
	w.op(opI32Eq, opIf, typeNone)
	w.count(w.p.NullBody())
	w.op(opElse)
	w.arriveAt()
	w.op(opEnd)
}

// arriveAt emits the arrival of cellSum at the cell cellTo.
func (w *cellLowering) arriveAt() {
	w.local(opLocalGet, cellTo)
	w.i32(6)
	w.op(opI32ShrU)
	w.i32(3)
	w.op(opI32Shl)
	w.local(opLocalTee, cellWord)
	w.at(opI64Load, w.bits())
	w.local(opLocalTee, cellBits)
	w.i64(1)
	w.local(opLocalGet, cellTo)
	w.op(opI64ExtendU, opI64Shl)
	w.local(opLocalTee, cellMask)
	w.op(opI64And, opI64Eqz, opIf, typeNone)
	w.local(opLocalGet, cellWord)
	w.local(opLocalGet, cellBits)
	w.local(opLocalGet, cellMask)
	w.op(opI64Or)
	w.at(opI64Store, w.bits())
	w.local(opLocalGet, cellTo)
	w.i32(12)
	w.op(opI32ShrU)
	w.i32(3)
	w.op(opI32Shl)
	w.local(opLocalGet, cellSome)
	w.op(opI32Add)
	w.local(opLocalTee, cellWord)
	w.local(opLocalGet, cellWord)
	w.at(opI64Load, 0)
	w.i64(1)
	w.local(opLocalGet, cellTo)
	w.i32(6)
	w.op(opI32ShrU, opI64ExtendU, opI64Shl, opI64Or)
	w.at(opI64Store, 0)
	w.local(opLocalGet, cellTo)
	w.shift()
	w.local(opLocalGet, cellSum)
	w.word(opF64Store, 2)
	w.op(opElse)
	w.local(opLocalGet, cellTo)
	w.shift()
	w.local(opLocalTee, cellHead)
	w.local(opLocalGet, cellHead)
	w.word(opF64Load, 2)
	w.local(opLocalGet, cellSum)
	w.op(opF64Add)
	w.word(opF64Store, 2)
	w.op(opEnd)
}
