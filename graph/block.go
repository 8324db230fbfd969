package graph

import (
	"slices"
	"sync"
	"sync/atomic"

	"github.com/gram-machine/gram/term"
)

// Block is a λ whose body is straight-line arithmetic, as one instruction: numbers
// come in registers and go out in registers. In a reversed program the dual λs that
// the body makes are the block's cells: they fire as one, by code on registers that
// [Block.Backward] makes. A block stands for its templates, a λ and the λs that it
// returns in turn: it adds their steps for each run, and the steps of its cells' bodies
// for each firing.
//
// A dual is named by a wire: i ≥ 0 is cell i of the block, ^k the external dual k.
// External duals are, in this order, those of the captured variables, of the globals
// that the code uses, and of the parameters.
type Block struct {
	Templates []uint32
	Steps     uint64       // of the templates
	Caps      []Leaves     // of each captured variable
	Globals   []GlobalLeaf // numbers and inputs that the code uses
	Params    []Leaves     // of each parameter of the templates
	Consts    []Const
	Regs      uint32 // registers; 0 is unused
	Code      []BlockInstr
	Out       Leaves  // of the result: its layout and registers
	OutDuals  []int32 // wires of its duals
	Cells     []BlockCell
	Exts      int    // external duals
	ID        uint32 // its number: see [Program.Block]
	// A block with paths has conditionals. Each path is a block without: the code that runs under some outcomes of them. Its
	// registers, captured variables, globals, parameters and external duals are those of the block with paths, and of the same number.
	Paths []*Block
	Tree  []PathNode // the code of all paths; it begins with the first node
	State uint32     // the register of the number of a run's wiring
	// Applied counts the λ-bound variables of a path, but for those of the parameters.
	Applied uint64
	// Arrays are those of a λ with families, whose code and cells are all there; nil of any other.
	Arrays *Arrays

	Compiled [7]Compiled // the engine's, of loops

	mu      sync.Mutex
	plans   [ElementRuns + 1]*Plan
	wirings map[string]*Wiring
	// Memory that looking for a wiring uses again.
	scratch []int32
	first   map[Ref]int32
	key     []byte
	head    *Block // of a path: the block with paths
	path    int    // and its number there
	// Of a block with paths: the wirings, by their numbers.
	numbers sync.Mutex
	states  []*Wiring
}

// Compiled is what an engine keeps with code that it may compile.
type Compiled struct{ atomic.Value }

// PathNode is code of a block with paths, and the conditional behind it.
type PathNode struct {
	Code       []BlockInstr
	Test       *PathTest // nil where the path ends
	Then, Else int       // the next nodes
	Path       int       // that ends
}

// PathTest compares the numbers in two registers.
type PathTest struct {
	Cmp  term.Compare
	A, B uint32
}

// Sum returns the register in which the backward codes of a block with paths add up what arrives at an external dual. Those of the
// duals of the result are before them, and those of what arrives at the duals of an element behind them, see [Backward.Elements].
func (b *Block) Sum(ext int32) uint32 { return b.Regs + uint32(len(b.OutDuals)) + uint32(ext) }

// SetPaths makes b the block of the paths. A single path is a block without.
func (b *Block) SetPaths(paths []*Block) {
	b.Paths = paths
	for i, p := range paths {
		if len(paths) > 1 {
			p.head, p.path = b, i
		}
		p.Caps, p.Globals, p.Params, p.Consts, p.Regs, p.Exts = b.Caps, b.Globals, b.Params, b.Consts, b.Regs, b.Exts
	}
}

// LayoutKind is a node of a [Layout].
type LayoutKind uint8

// The kinds: a number, a dual, a pair, a vector.
const (
	NumLeaf LayoutKind = iota
	DualLeaf
	PairLayout
	VecLayout
	ClosureLayout // what a captured closure captures
)

// LayoutNode is a leaf, or a tuple of N components.
type LayoutNode struct {
	Kind LayoutKind
	N    uint32
}

// Layout is a value built of numbers, duals, pairs and vectors, in preorder.
type Layout []LayoutNode

// Leaves is a value of the layout whose numbers, from left to right, are in the
// registers Regs, and which has Duals duals.
type Leaves struct {
	Layout Layout
	Regs   []uint32
	Duals  int
}

// GlobalLeaf are N globals that are inputs, at the distance Stride of one another: numbers, in registers from Reg on, or duals.
type GlobalLeaf struct {
	Slot, N, Stride uint32
	Reg             uint32 // 0: duals
}

// Const is a register that holds a numeral.
type Const struct {
	Reg uint32
	Val float64
}

// BlockCell is a dual λ of the body: the code of its body, its heads as wires, and the
// registers of its numbers. Template is the number in Block.Templates of the one that makes
// it.
type BlockCell struct {
	Body     uint32
	Dual     uint32
	Template int
	Null     bool // it is λa.0⃗
	Heads    []int32
	Nums     []uint32
}

// BlockOp is the operation of an instruction on registers.
type BlockOp uint8

// The operations. BlockAddMul rounds the product: there is no fused multiply-add.
const (
	BlockMul    BlockOp = iota // D := A · B
	BlockAdd                   // D := A + B
	BlockSub                   // D := A − B
	BlockFun1                  // D := Sym(A)
	BlockFun2                  // D := Sym(A, B)
	BlockAddMul                // D := D + A · B
	BlockSlope                 // D := A · (1 − A): ∂1 sigmoid at z, where A = sigmoid z
	BlockSinCos                // D := sin A, and B := cos A, the slope of sin
	BlockTest                  // D := 1 if A Cmp B, and else 0, on arrays
	BlockWhere                 // D := A where B is not 0, and else −0, on arrays
)

// BlockInstr is an instruction on registers.
type BlockInstr struct {
	Op      BlockOp
	Sym     term.Symbol
	D, A, B uint32
}

// inPlace reports whether the instruction reads D.
func (in *BlockInstr) inPlace() bool { return in.Op == BlockAddMul }

// CodeFor returns the instructions of the block whose results are in the registers, and those that they need.
func (b *Block) CodeFor(regs []uint32) (code []BlockInstr) {
	needed := make([]bool, b.Regs)
	for _, r := range regs {
		needed[r] = true
	}
	for i := range slices.Backward(b.Code) {
		in := &b.Code[i]
		if both := in.Op == BlockSinCos && needed[in.B]; !needed[in.D] && !both {
			continue
		} else if both {
			needed[in.B] = false
		}
		needed[in.D] = in.inPlace()
		for _, r := range in.operands() {
			needed[r] = true
		}
		code = append(code, *in)
	}
	slices.Reverse(code)
	return code
}

// operands returns the registers that the instruction reads, without D.
func (in *BlockInstr) operands() []uint32 {
	switch in.Op {
	case BlockFun1, BlockSlope, BlockSinCos:
		return []uint32{in.A}
	}
	return []uint32{in.A, in.B}
}
