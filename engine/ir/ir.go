// Package ir is the intermediate representation of the compiler: functions of typed registers in blocks of
// straight-line code, with the steps of the calculus that each block stands for.
//
// A register holds a number with the address of its adjoint, or a reference to an object: a vector, a closure or a
// constructor. A product has a register for each component, so products take no memory. A value is passed and
// returned in as many registers as [github.com/gram-machine/gram/engine/lower] gives its type.
//
// # Steps
//
// A block begins with [Count], which names an entry of Program.Blocks: the steps of the block by rule. They are those
// of calculus for the source term of which the block is the image (sections 4 and 5.2): passes may move, join or drop
// instructions, but not counts. The steps of the backward phase are not here: they follow from the tape (package
// exec).
package ir

import (
	"github.com/gram-machine/gram/rule"
	"github.com/gram-machine/gram/term"
)

// Reg names a register of a function, from 0 on.
type Reg uint32

// Op is an operation.
type Op uint8

// The operations. D is set, unless the comment says otherwise. Static is the array of objects that last as long as
// the program: the inputs and the data. An index is a register with a whole number.
const (
	Nop Op = iota

	Count // the steps of block N

	Const // D ← the number Val, which has no adjoint
	Move  // D ← A

	// Expressions of indices make no steps and have no adjoint.
	IndexAdd // D ← A + B
	IndexSub // D ← A − B
	IndexMul // D ← A · B
	IndexDiv // D ← A / B
	IndexNeg // D ← −A

	// Arithmetic. With Taped, the statement goes on the tape, and D has an address.
	Add  // D ← A + B
	Mul  // D ← A · B
	Fun1 // D ← Sym(A)
	Fun2 // D ← Sym(A, B)
	FunK // D ← Sym(Args…)
	// SumAdd is an addition of a sum of the index B, or Sym: the register R = D + B mod M becomes R + A, or A + R where
	// M is 1. While B is below M, it becomes A.
	SumAdd

	// Memory. An address is that of the object that A refers to, and behind it slot N, or slot B · M + N.
	Load    // D ← the slot N of A
	LoadX   // D ← the slot B · M + N of A
	Static  // D ← the static slot N
	StaticX // D ← the static slot B · M + N
	View    // D ← a reference to the slot N of A
	ViewX   // D ← a reference to the slot B · M + N of A
	Object  // D ← a reference to the static slot N
	ObjectX // D ← a reference to the static slot B · M + N
	Alloc   // D ← a new vector of N slots
	Own     // D ← A, a vector of N slots to which nothing else refers: its slots may be set
	Store   // the slot N of A ← D
	StoreX  // the slot B · M + N of A ← D
	Copy    // the slots of A from N on ← K slots from the one that D refers to
	CopyX   // the slots of A from B · M + N on ← K slots from the one that D refers to
	MakeCon // D ← constructor N with the arguments Args

	// Functions. A call puts its results in the registers from D on.
	MakeClosure // D ← the closure of function N with the captured Args
	Member      // D ← the closure of function N, defined together with the one that runs
	Sibling     // D ← the closure of function N, defined together with that of the closure A
	Capture     // D ← captured slot N of the closure that runs
	Call        // D… ← function N, of the closure A, of Args
	Apply       // D… ← the closure A applied to Args, of which K gives the widths: [Program.Widths]
	TailCall    // as Call, in place of the function that runs
	TailApply   // as Apply, in place of the function that runs
	Return      // returns Args
	Collect     // keeps the first N registers: an element of a list that is read

	// Control. N is a label.
	Enter  // machine code may take what is left of the loop from the label in front, N: it pays for Val iterations
	Label  // the label N stands here
	Jump   // to N
	Branch // to N unless A Cmp B
	Switch // to the label Labels[i] where A has constructor i
	Empty  // to N where A ≥ B, both indices
	Next   // D ← D + 1, and to N where D < A then
	Prev   // to N with D ← D − 1 where D > 0
	// VectorLoop runs Vectors[M] in place of what is behind it, with the operands Args, and goes on at N: its K results go
	// to the registers from D on. Where it cannot, it does nothing, and may do so where Val is 1: machine code of the
	// loops is estimated to be faster.
	VectorLoop
	// Hot leads to N if machine code may take the loop from the label M on, and Val iterations, which pay for its making,
	// are to be run. The index is D: it goes up to A, or, where K is 1, down.
	Hot
	numOps
)

var opNames = [numOps]string{"nop", "count", "const", "move", "indexadd", "indexsub", "indexmul", "indexdiv",
	"indexneg", "add", "mul", "fun1", "fun2", "funk", "sumadd", "load", "loadx", "static", "staticx", "view", "viewx",
	"object", "objectx", "alloc", "own", "store", "storex", "copy", "copyx", "con", "closure", "member", "sibling",
	"capture", "call", "apply", "tailcall", "tailapply", "return", "collect", "enter", "label", "jump", "branch",
	"switch", "empty", "next", "prev", "vectorloop", "hot"}

// String returns the name of the operation.
func (op Op) String() string { return opNames[op] }

// Instr is an instruction.
type Instr struct {
	Op      Op
	Cmp     term.Compare
	Taped   bool
	Sym     term.Symbol
	Pos     term.Pos
	D, A, B Reg
	N, M, K uint32
	Val     float64 // Const, Enter, Hot, VectorLoop, and the operand that Number says
	Number  uint8   // NumberA or NumberB: this operand is Val in place of a register
	Args    []Reg
	Labels  []uint32
	Within  uint32 // of Program.Inlined: the call in whose code it stands, or 0
}

// Which operand of an instruction is a number in place of a register.
const (
	NumberA = 1 + iota
	NumberB
)

// indexed reports whether B selects the slot that the operation reads, sets or refers to.
func (op Op) indexed() bool {
	return op == LoadX || op == StaticX || op == ViewX || op == ObjectX || op == StoreX || op == CopyX
}

// static reports whether that is a static slot.
func (op Op) static() bool { return op == Static || op == StaticX || op == Object || op == ObjectX }

// Sets reports how many registers from D on the instruction sets.
func (in *Instr) Sets() int {
	switch in.Op {
	case Nop, Count, Store, StoreX, Copy, CopyX, TailCall, TailApply, Return, Collect, Enter, Label, Jump, Branch, Switch,
		Empty, Hot:
		return 0
	case SumAdd, Call, Apply:
		return int(in.M)
	case VectorLoop:
		return int(in.K)
	}
	return 1
}

// Uses calls f on a pointer to each register that the instruction reads.
func (in *Instr) Uses(f func(*Reg)) {
	switch in.Op {
	case Move, IndexNeg, Fun1, Load, View, Own, Sibling, Switch, Apply, TailApply, Call, TailCall:
		f(&in.A)
	case IndexAdd, IndexSub, IndexMul, IndexDiv, Add, Mul, Fun2, LoadX, ViewX, Branch, Empty:
		if in.Number != NumberA {
			f(&in.A)
		}
		if in.Number != NumberB {
			f(&in.B)
		}
	case StaticX, ObjectX:
		f(&in.B)
	case SumAdd, StoreX, CopyX:
		f(&in.D)
		f(&in.A)
		f(&in.B)
	case Store, Copy, Next:
		f(&in.D)
		f(&in.A)
	case Hot:
		f(&in.D)
		if in.K == 0 {
			f(&in.A)
		}
	case Prev:
		f(&in.D)
	}
	for i := range in.Args {
		f(&in.Args[i])
	}
}

// Func is a function. Its parameters are in its first registers.
type Func struct {
	Name    string
	Pos     term.Pos
	Args    []int // the registers of each parameter
	Results int   // how many registers it returns
	Regs    int
	Code    []Instr
	// Unfold says that the function is one of a fix: its first instruction counts what (15) does when the function gets
	// its first argument.
	Unfold bool
	Body   uint32 // of Program.Bodies: whose code it is
	AtCall bool   // it is a list: it runs in what applies it, at that place
}

// Params is how many registers hold parameters.
func (f *Func) Params() (n int) {
	for _, k := range f.Args {
		n += k
	}
	return n
}

// Block is what a [Count] adds.
type Block struct {
	Steps  rule.Counts
	Total  uint64
	Places []PlaceSteps // of a placed program: the same, but for (1) and (4) of what an Apply passes
}

// Place is a place in the source, within a call of Program.Inlined, or 0.
type Place struct {
	Pos    term.Pos // AtCall: where the function is called
	Within uint32
}

// AtCall is, without a call, the place where the function is called.
const AtCall = ^term.Pos(0)

// PlaceSteps are N steps by a rule at a place.
type PlaceSteps struct {
	Place
	Generated bool // D has put them there
	Rule      rule.Rule
	N         uint64
}

// Inlined is a call of code that stands in the function which calls it, from a place there.
type Inlined struct {
	From Place
	Body uint32
}

// Body is what is called: the code of a λ, or, where Inner, that of a branch or of the elements of a list.
type Body struct {
	Pos   term.Pos
	Inner bool
}

// Datum is data that fills static slots from At on: Term.Data[Index], or with Index -1 a literal.
type Datum struct {
	Index, At int
	Data      *term.Data
}

// Program is a compiled program. Function 0 is the body; its parameters are none and its results those of the value.
type Program struct {
	Funcs  []*Func
	Blocks []Block
	Widths [][]int // the registers of the arguments of applications
	// The lane programs of nests of loops.
	Vectors []*Vector
	Taped   bool // it makes a tape, for gradients
	// The static slots: slot 0 is unused, those from 1 on are the scalar inputs.
	Inputs, Static int
	Data           []Datum
	Term           *term.Term
	Type           term.Type // of the value
	Start          rule.Counts
	Points         int // of a batch: how many it is of; 0: it is none
	Elements       int // of the list that is the value, if the program returns a vector of them; 0: it does not
	// Of a placed program:
	Placed  bool
	Inlined []Inlined // from 1 on
	Bodies  []Body    // 0: the program
}

// appended is append. Inlined in each of its many calls it would make the binary larger.
//
//go:noinline
func appended(code []Instr, in Instr) []Instr { return append(code, in) }

// block begins a block without steps. It is not inlined, as [appended].
//
//go:noinline
func (p *Program) block(pos term.Pos) Instr {
	p.Blocks = append(p.Blocks, Block{})
	return Instr{Op: Count, N: uint32(len(p.Blocks) - 1), Pos: pos}
}

// Vector is the number of the vector that has a static slot, and the slot's place in it: the inputs are vector 0, and
// behind them comes that of each datum.
func (p *Program) Vector(slot uint32) (vector, at uint32) {
	if int(slot) <= p.Inputs {
		return 0, slot - 1
	}
	i := len(p.Data) - 1
	for p.Data[i].At > int(slot) {
		i--
	}
	return uint32(1 + i), slot - uint32(p.Data[i].At)
}

// Layout is how values lie in registers and in objects. The zero value is not usable: call [NewLayout].
type Layout struct {
	types *term.Types
	sizes [2]map[term.Type]int // of products, in registers and in slots, and of vectors, in slots
}

// NewLayout returns the layout of the types of a universe.
func NewLayout(types *term.Types) *Layout {
	return &Layout{types, [2]map[term.Type]int{{}, {}}}
}

// Registers is how many registers a value of type t takes: a product takes those of its components. It takes as many
// slots in a closure or a constructor.
func (w *Layout) Registers(t term.Type) int { return w.size(t, 0) }

// Slots is how many slots a value of type t takes in a vector: vectors of vectors lie row by row.
func (w *Layout) Slots(t term.Type) int { return w.size(t, 1) }

// size is Registers, or with 1 Slots.
func (w *Layout) size(t term.Type, slots int) int {
	kind := w.types.Kind(t)
	if kind != term.ProdKind && (kind != term.VecKind || slots == 0) {
		return 1
	}
	n, ok := w.sizes[slots][t]
	if !ok {
		if n = w.size(w.types.Left(t), slots); kind == term.VecKind {
			n *= w.types.Len(t)
		} else {
			n += w.size(w.types.Right(t), slots)
		}
		w.sizes[slots][t] = n
	}
	return n
}

// ListOf returns A and X of the type of lists (A → X → X) → X → X.
func ListOf(tt *term.Types, t term.Type) (elem, x term.Type, ok bool) {
	f, rest := tt.Left(t), tt.Right(t)
	if tt.Kind(f) != term.ArrowKind || tt.Kind(rest) != term.ArrowKind {
		return 0, 0, false
	}
	return tt.Left(f), tt.Left(rest), true
}
