package graph

import (
	"sync"

	"github.com/gram-machine/gram/rule"
	"github.com/gram-machine/gram/term"
)

// Op is the operation of an instruction.
type Op uint8

// The operations. A, B and D are slots, Args an operand list.
const (
	OpMul     Op = iota // D := A · B                         (8)
	OpAdd               // D := A + B                         (6)
	OpSub               // D := A − B                         (12)
	OpFun1              // D := Sym(A)                        (12)
	OpFun2              // D := Sym(A, B)                     (12)
	OpFunN              // D := Sym(Args), in an open program (12)
	OpPair              // D := ⟨A, B⟩
	OpUnpair            // ⟨D, D+1⟩ := A                      (2)
	OpUntuple           // ⟨D, …, D+N⟩ := A, N pairs opened   (2)
	OpUnvec             // ⟦D, …, D+N−1⟧ := A                 (2)
	OpVec               // D := ⟦Args⟧
	OpClosure           // D := the closure of Tmpl over Args
	OpList              // D := the list of Tmpl over Args
	OpDual              // D := the dual of Tmpl over Args
	OpLin               // D := the dual of the template Tmpl over Args, a hand-written one
	OpArrive            // D := the dual A applied to B, in a sum
	OpSum               // D := A + B, where an application of a dual may stand
	OpJob               // D := the value of the sum A               (3) (1) (5) (11) (6) (7)
	OpApply             // D := Args[0] Args[1] …             (1)
	OpTally             // counts the binders and occurrences of what Args turn out to be
	OpIf                // D := if Args[0] Cmp Args[1] then Tmpl else Else (13)
	OpCon               // D := C A, Tmpl the number of C
	OpCase              // D := match Args[0] with the branches Program.Cases[Tmpl] (14)
	OpRun               // D := the result of the block of the closure A, which has no parameter; it counts nothing
	OpSelect            // D := number B of N slots, A, A+Split, …, where B is an index; it counts nothing

	// In a λ with families, which only blocks run:
	OpLoop      // what follows, up to the end of the loop Tmpl, is there for each value of its index
	OpFamily    // D := ⟦A⟧, and ends the loop
	OpTotal     // D := Σ A, and D+1 := the dual of the sum by the dual Else of +, of the duals B; ends the loop
	OpComponent // D := one of N slots, A, A+Split, …: the number of the expression Tmpl of the loops
	OpIndexNum  // D := the value of the expression Tmpl of the loops
	OpTest      // what follows, up to OpElse, is there where A Cmp B, with the counts of the template Tmpl; with Split, all up to OpJoin is
	OpElse      // up to OpJoin, with the counts of the template Tmpl; with Split, what follows runs behind what is before it
	OpJoin      // D := A or B, the results of what is there where a test holds and where not
)

// Weight says how many binders and occurrences of variables of a template stand
// for an operand of its OpTally.
type Weight struct{ Binders, Occurrences uint64 }

// Flags of an instruction.
const (
	// Ready says that all operands are values whenever the instruction is
	// reached: none of them depends on an application of the same body.
	Ready = 1 << iota
	// Root says that the result is the result of the template.
	Root
	// Late says that a component of an OpVec may be a sum that no job has run yet, or that the result of an OpRun whose operand is ready is
	// there when the redexes behind it have fired.
	Late
	// One says that the result of an OpApply or OpJob is a vector of one component.
	One
	// Tail says of the root that no other instruction mentions its result.
	Tail
	// Inner says that the instruction is one of those that a declared symbol stands for, and not the last one.
	Inner
)

// Instr is an instruction of a template.
type Instr struct {
	Op     Op
	Flags  uint8
	Sym    term.Symbol // of an operation on numbers; NoSymbol is +
	Cmp    term.Compare
	D      uint32
	A, B   uint32
	Off, N uint32 // Args: Program.Args[Off:Off+N]
	Tmpl   uint32 // of an operation on numbers, if not 0: the symbol whose value it gives
	Else   uint32 // OpRun: Units of the template that the instruction is in
	Split  uint32 // OpIf: Args[2:Split] are captured by Tmpl, Args[Split:] by Else
	Pos    term.Pos
}

// Template is the compiled body of a λ, a branch, the elements of a list or the
// program.
type Template struct {
	Name   string // of the λ's first variable's binder, for people
	Pos    term.Pos
	Params uint32 // number of curried parameters; 0 for code that is not a λ's
	Caps   uint32 // number of captured references
	// Extra is how many slots behind the parameters are set when the template runs: of a branch, 1 for the argument of its
	// constructor; of a recursive function, one for each of Group.
	Extra uint32
	// Group are the templates of the functions that are defined together with a recursive function, in their order, itself
	// among them. All of them capture the same.
	Group []uint32
	// Code is Program.Code[Start:End].
	Start, End uint32
	// Cap0 and Param0 are the slots of the first captured variable and parameter.
	Cap0, Param0 uint32
	// Result is the slot of the result; RootAt the instruction that makes it, or
	// NoRoot where the result is a variable or a global.
	Result uint32
	RootAt uint32
	// Units bounds the nodes that one instance allocates at once.
	Units uint32
	// Counts are the steps, by rule, of the code outside inner λs and branches;
	// those of (1) and (4) for the parameters are not among them. Of a dual they are
	// the steps of one firing, with its (3), (1) and (5).
	Counts rule.Counts
	Steps  uint64 // the sum of Counts
	// Places are Counts by place in the source, if they were asked for.
	Places []PlaceCount
	// Vars are the variables of the parameters, of an open program only; Type is the type of the list or
	// of the conditional that the template belongs to, or of a λ's result.
	Vars []term.Var
	Type term.Type
	// Block is the number of the template's block, 0 if it has none.
	Block uint32
	// Instantiate is the overhead of one instance: an instruction copied or a
	// reference captured.
	Instantiate uint64
	// Families says that the code has loops, which only a block runs. Inline says that an OpRun of another template runs it.
	Families, Inline bool
	// Elements is how many elements a list has whose element the template makes of its index, its parameter; 0: it makes none, or
	// all. Only a block runs such code.
	Elements uint64
}

// PlaceCount is how many steps by a rule one run of a template takes at a place. Generated
// says that no code of the source takes them: D has put them there.
type PlaceCount struct {
	Pos       term.Pos
	Inlined   uint32 // as [Dual] has it
	Rule      rule.Rule
	Generated bool
	N         uint64
}

// Branch is what an OpCase does with a constructor: it runs a template with the captured references Args[From:To] of the
// instruction and, if the template has an Extra, the constructor's argument.
type Branch struct{ Template, From, To uint32 }

// NoRoot is RootAt of a template whose result is no instruction's.
const NoRoot = ^uint32(0)

// LinOp is the operation of an instruction of a dual's body, on registers.
type LinOp uint8

// The operations.
const (
	LinConst  LinOp = iota // D := Val
	LinMul                 // D := A · B            (8)
	LinAdd                 // D := A + B            (6)
	LinFun1                // D := Sym(A)           (12)
	LinFun2                // D := Sym(A, B)        (12)
	LinFunN                // D := Sym(Args)        (12), in an open program
	LinArrive              // A arrives at head D
	LinScale               // A · B arrives at head D   (8)
)

// LinInstr is an instruction of a dual's body.
type LinInstr struct {
	Op      LinOp
	Sym     term.Symbol
	D, A, B uint32
	Val     float64
	Args    []uint32
}

// Coefficient computes an instruction that does not arrive.
func (in *LinInstr) Coefficient(regs []float64) float64 {
	switch in.Op {
	case LinConst:
		return in.Val
	case LinAdd:
		return regs[in.A] + regs[in.B]
	case LinMul:
		return regs[in.A] * regs[in.B]
	case LinFun1:
		return in.Sym.Info().Eval1(regs[in.A])
	}
	return in.Sym.Info().Eval2(regs[in.A], regs[in.B])
}

// Fire applies a dual of the body to a, in the registers. words are the dual's references, its heads and then its numbers. It calls arrive on
// each head at which something arrives.
func (b *DualBody) Fire(words []uint32, nodes []Node, regs []float64, a float64, arrive func(head Ref, v float64)) {
	regs[0] = a
	for i, r := range words[b.Heads:][:b.Nums] {
		regs[1+i] = nodes[r].Number()
	}
	for i := range b.Code {
		in := &b.Code[i]
		switch in.Op {
		case LinScale:
			arrive(words[in.D], float64(regs[in.A]*regs[in.B])) // rounded: no fused multiply-add
		case LinArrive:
			arrive(words[in.D], regs[in.A])
		default:
			regs[in.D] = in.Coefficient(regs)
		}
	}
}

// DualBody is the compiled body of a dual λa.Σ xi*(ti). Its captured references
// are first the Heads duals xi*, one for each summand, then the Nums numbers.
// Register 0 is a, registers 1…Nums the numbers.
type DualBody struct {
	Heads, Nums uint32
	Regs        uint32
	Code        []LinInstr
	// Counts are the steps of one firing: (3), (1) and (5) of the dual itself, and
	// what its body does. Those of (11), and the (6) that it makes, are not here.
	Counts      rule.Counts
	Steps       uint64
	Instantiate uint64
}

// Dual is a dual λ of the program: a body, which others may share, at a place.
type Dual struct {
	Pos     term.Pos
	Body    uint32
	Inlined uint32 // the number in Program.Inlined of the call around, 0 if there is none
}

// InlinedCall is a call at a place of the λ at Func, whose code stands in the template of the caller. Parent is the number of the call
// around, 0 if there is none.
type InlinedCall struct {
	Func, At term.Pos
	Parent   uint32
}

// Global is a constant of the program: a node that is made before it runs.
type Global struct {
	Kind  Kind
	Val   float64   // Num
	Count uint64    // Nat
	Index uint32    // Closure, List: the template; DataList: the data; Input: the input; DualCell: the dual λa.0⃗
	Comps []uint32  // Vec: the globals that are its components
	Elem  DataShape // DataList
	Type  term.Type // Nat, DataList, Con
}

// InputSlot returns the slot of input i's number. In a reversed program, that of its dual is the next. stride is the distance
// from an input's slot to that of the next input.
func (p *Program) InputSlot(i int) (slot, stride uint32) {
	stride = 1
	if p.Reversed {
		stride = 2
	}
	return 1 + uint32(i)*stride, stride
}

// IsNull reports whether the dual is λa.0⃗.
func (p *Program) IsNull(dual uint32) bool {
	return p.Reversed && p.Duals[dual].Body == p.Duals[p.ZeroDual].Body
}

// NullBody is the body of λa.0⃗.
func (p *Program) NullBody() uint32 { return p.Duals[p.ZeroDual].Body }

// InputAt returns the input whose number or dual is in a slot, if there is one.
func (p *Program) InputAt(slot uint32) (i int, ok bool) {
	_, stride := p.InputSlot(0)
	i = int((slot - 1) / stride)
	return i, slot > 0 && i < p.Inputs
}

// NumGlobals returns how many slots globals have; slot 0 is unused.
func (p *Program) NumGlobals() int {
	first, _ := p.InputSlot(p.Inputs)
	return int(first) + len(p.Globals)
}

// Global returns the global of a slot.
func (p *Program) Global(slot uint32) Global {
	first, stride := p.InputSlot(p.Inputs)
	if slot >= first {
		return p.Globals[slot-first]
	}
	g := Global{Kind: Num, Index: (slot - 1) / stride}
	switch {
	case p.Reversed && slot%2 == 0:
		g.Kind = Input
	case p.Open:
		g.Kind = SymInput
	}
	return g
}

// DataShape is how the elements of a data list are made.
type DataShape struct {
	Width    int  // numbers in an element
	Vector   bool // the element is R^Width, and not R
	Reversed bool // the element is of type D(R) or D(R)^Width
}

// Shape is the type of a program's result as the machine reads it back.
type Shape uint8

// The results that a gradient has.
const (
	OtherShape  Shape = iota
	ScalarShape       // R, or D(R)
	VectorShape       // R^k, or D(R)^k
)

// Program is a compiled term. It is not modified by running it: any number of
// machines may run it at once.
type Program struct {
	Templates []Template
	Duals     []Dual
	Inlined   []InlinedCall // Inlined[0] is unused
	Bodies    []DualBody
	Code      []Instr
	Args      []uint32
	Cases     [][]Branch // of each OpCase, by constructor
	Blocks    []*Block   // Blocks[0] is unused
	// Inputs is how many scalar inputs there are. Their globals come first, see [Program.InputSlot]; Globals are the others.
	Inputs  int
	Globals []Global
	Data    []term.Data
	// ZeroDual is the dual λa.0⃗ that [NullDual] has, and Null the global, if Reversed.
	ZeroDual, Null uint32
	// Cons and Nil are the globals λa.λr.⟨a,r⟩ and an end mark, to which a list is
	// applied to read it, unless Reversed.
	Cons, Nil uint32
	Main      uint32
	Frame     uint32 // slots of the largest frame, globals included
	LinRegs   uint32 // registers of the largest dual body
	// Open says that the inputs are symbolic: the rules that depend on what is a
	// value are counted when the program runs. Weights are those of the OpTally
	// instructions, at Tmpl, as many as there are operands.
	Open bool
	// Late says that the program has dual λs of its own, whose sums wait for a job.
	Late    bool
	Weights []Weight
	// Reversed says that the program is D(t): its inputs have type D(R) and its
	// result D(R) or D(R)^k, and it has a backward phase.
	Reversed bool
	Result   Shape
	Outputs  int // k of R^k, 1 for R
	Types    *term.Types
	Type     term.Type

	Loops *sync.Map // the engine's: what it keeps of loops with equal code

	special *special
}
