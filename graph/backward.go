package graph

import "slices"

// Backward is the code by which a block's cells fire as one, when the arrivals at some
// of its result's duals have come.
type Backward struct {
	Consts []Const
	Regs   uint32 // registers, those of the block included
	// Out are the registers of what has arrived at the result's duals, 0 where nothing
	// does.
	Out  []uint32
	Code []BlockInstr
	// Arrays are the instructions on arrays. Unsupported says that a block with arrays has no code for the set of duals.
	Arrays      []Array
	Unsupported bool
	// Sums are the external duals of the first run with arrivals. Their registers hold
	// the sum of all arrivals so far.
	Sums []Sum
	// Log are the arrivals at these duals, in order, where the code does not add them up.
	Log []Sum
	// Before are the registers of what arrives at the duals of the result of the run before,
	// 0 where nothing does, and Next says where something does.
	Before []uint32
	Next   []bool
	// Steps: Fired counts the firings of each body, Arrivals the applications of
	// duals in the bodies that fire, Cells those bodies, with the external duals λa.0⃗.
	Fired           []FiredBody
	Arrivals, Cells uint64
	Steps           uint64 // of the bodies, those of λa.0⃗ included
	// Saved are the registers of the block that the code reads.
	Saved []uint32
}

// Sum is an external dual and a register for what arrives there.
type Sum struct {
	Ext int
	Reg uint32
}

// FiredBody is how often a dual's body fires.
type FiredBody struct {
	Body  uint32
	Times uint64
}

// ParamExt returns the number of the first external dual of parameter i.
func (b *Block) ParamExt(i int) int {
	k := b.Exts
	for _, l := range b.Params[i:] {
		k -= l.Duals
	}
	return k
}

// PushCell pushes a cell below all that were allocated after it: cells fire in the reverse of the order in
// which they were made, and so arrivals at one cell are added in that order. Memory is then visited in the
// reverse of the order in which it was written.
func PushCell[T int32 | Ref](stack []T, c T) []T {
	stack = append(stack, c)
	last := len(stack) - 1
	for i := last; ; i-- {
		if i == 0 || stack[i-1] < c {
			return stack
		}
		if last-i == nearCells {
			j, _ := slices.BinarySearch(stack[:i], c)
			copy(stack[j+1:i+1], stack[j:i])
			stack[j] = c
			return stack
		}
		stack[i], stack[i-1] = stack[i-1], c
	}
}

// nearCells is how far PushCell looks for a cell's place one by one.
const nearCells = 8
