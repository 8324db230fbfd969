package graph

// Backward is the code by which a block's cells fire as one, when the arrivals at some
// of its result's duals have come.
type Backward struct {
	Consts []Const
	Regs   uint32 // registers, those of the block included
	// Out are the registers of what has arrived at the result's duals, 0 where nothing
	// does.
	Out  []uint32
	Code []BlockInstr
	// Arrays is in place of Code, of a block with arrays. OutSpans and BeforeSpans are Out and Before.
	Arrays                []Array
	OutSpans, BeforeSpans []Span
	// Deferred, if not nil, is how Arrays is run for many runs of a loop.
	Deferred *Deferred
	// Zeroed are registers that are 0 before the first run: Pick of instructions of Arrays, and Reach of Partial.
	Zeroed []Span
	// Sums are the external duals of the first run with arrivals. Their registers hold
	// the sum of all arrivals so far.
	Sums []Sum
	// Log are the arrivals at these duals, in order, where the code does not add them up.
	Log []Sum
	// Partial are those of Sums at which something arrives in some runs only. The others of Sums that have Partial are Certain.
	Partial []PartialExts
	Certain []Sum
	// Before are the registers of what arrives at the duals of the result of the run before,
	// 0 where nothing does, and Next says where something does.
	Before []uint32
	Next   []bool
	// OutReach is not 0 of code that knows only at run time which duals of the result have arrivals: it is the first of the registers, one
	// for each of them, that say so by a number that is not 0. So does BeforeReach for Before, where it is not 0.
	OutReach, BeforeReach uint32
	// Elements are, of a [ListLoop], the registers of what arrives at the duals of the run's element, 0 where nothing does.
	Elements []uint32
	// Steps: Fired counts the firings of each body, Arrivals the applications of
	// duals in the bodies that fire, Cells those bodies, with a λa.0⃗ for each arrival there.
	Fired           []FiredBody
	Arrivals, Cells uint64
	Steps           uint64 // of the bodies
	// Decided says that the run decides which cells fire, beside those of masks.
	Decided bool
	// Masked are counts that depend on the run, beside these.
	Masked []MaskedCells
	// Saved are the registers of the block that the code reads.
	Saved []uint32
	// More says that Next has any.
	More bool

	Compiled [2]Compiled // the engine's, of a loop and of a chain
}

// Sum are N external duals, side by side, and registers for what arrives there.
type Sum struct {
	Ext, N int
	Reg    uint32
}

// PartialExts are external duals, one for each instance, at which something has arrived if the number at Reach is not 0.
type PartialExts struct {
	Dims      []Dim
	At, Reach Address
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
// reverse of the order in which it was written. It reports false, and pushes nothing, if that is far below the
// top: the cell belongs on a [Heap] then, so that pushing takes logarithmic time.
func PushCell[T int32 | Ref](stack []T, c T) (_ []T, near bool) {
	if n := len(stack); n >= nearCells && stack[n-nearCells] > c {
		return stack, false
	}
	stack = append(stack, c)
	for i := len(stack) - 1; i > 0 && stack[i-1] >= c; i-- {
		stack[i], stack[i-1] = stack[i-1], c
	}
	return stack, true
}

// nearCells is how far below the top a cell may be pushed.
const nearCells = 16

// Heap holds cells by numbers that are greater for those that were made later, and gives the greatest first.
type Heap []uint64

// Push adds a cell.
func (h *Heap) Push(cell uint64) {
	s := append(*h, cell)
	for i := len(s) - 1; i > 0 && s[(i-1)/2] < s[i]; i = (i - 1) / 2 {
		s[i], s[(i-1)/2] = s[(i-1)/2], s[i]
	}
	*h = s
}

// Pop takes the cell that was made last.
func (h *Heap) Pop() uint64 {
	s := *h
	top, last := s[0], len(s)-1
	s[0] = s[last]
	s = s[:last]
	*h = s
	for i := 0; ; {
		c := 2*i + 1
		if c >= len(s) {
			return top
		}
		if c+1 < len(s) && s[c+1] > s[c] {
			c++
		}
		if s[i] >= s[c] {
			return top
		}
		s[i], s[c] = s[c], s[i]
		i = c
	}
}

// countFired counts how often each body fires, and λa.0⃗ for each arrival there.
func (out *Backward) countFired(p *Program, times map[uint32]uint64, nulls uint64) {
	if nulls > 0 {
		times[p.NullBody()] += nulls
		out.Cells += nulls
	}
	for body, n := range times {
		out.Fired = append(out.Fired, FiredBody{body, n})
		out.Steps += n * p.Bodies[body].Steps
	}
}
