package lower

import (
	"math"
	"slices"

	"github.com/gram-machine/gram/engine/ir"
	"github.com/gram-machine/gram/term"
)

// function is a function in the making.
type function struct {
	index  int
	out    *ir.Func
	caps   *captures
	before []ir.Instr // what stands behind the first count: captured values are loaded
	loaded map[int]ir.Reg
	block  int // of the program, of what is made now; -1: none
	loops  []*loop
	depth  map[ir.Reg]int // in how many loops a register is set, of those that are set once
	// branch is in how many loops the branch is that is being made, at least. stays says that what is made reads what may
	// not be there if the branch is not taken.
	branch int
	stays  bool
}

// loop is a loop in the making.
type loop struct {
	start   int        // where its code begins
	ahead   []ir.Instr // what is the same in all runs: it goes there
	made    map[key]ir.Reg
	vectors []madeVector
	empty   bool    // it may have no run
	lanes   float64 // of a comprehension: its runs in all those of the comprehensions around it; 1 of other loops
}

// madeVector is a vector that goes ahead of a loop, with the registers of its components.
type madeVector struct {
	typ   term.Type
	parts []ir.Reg
	reg   ir.Reg
}

// key is what an instruction without effects computes.
type key struct {
	op   ir.Op
	a, b ir.Reg
	n, m uint32
	val  uint64 // the bits of a number: 0 is not −0
}

// captures are the operands that the closures of a function, or of the functions of a fix, hold.
type captures struct {
	from  []operand
	index map[operand]int
}

// slot returns the number of a captured operand.
func (c *captures) slot(o operand) int {
	k, ok := c.index[o]
	if !ok {
		k = len(c.from)
		c.index[o] = k
		c.from = append(c.from, o)
	}
	return k
}

// newFunction adds a function.
func (c *compiler) newFunction(name string, pos term.Pos, body uint32, caps *captures) *function {
	if caps == nil {
		caps = &captures{index: map[operand]int{}}
	}
	f := &function{index: len(c.out.Funcs), out: &ir.Func{Name: name, Pos: pos, Body: body}, caps: caps,
		loaded: map[int]ir.Reg{}, block: -1, depth: map[ir.Reg]int{}}
	c.out.Funcs = append(c.out.Funcs, f.out)
	return f
}

// inside makes the code of a function: body emits it.
func (c *compiler) inside(f *function, body func()) {
	outer, spot, nested := c.f, c.spot, c.nested
	c.f, c.within, c.nested = f, 0, 0
	c.newBlock()
	body()
	c.f, c.spot, c.nested = outer, spot, nested
	at := 1
	if f.out.Unfold {
		at = 2
	}
	f.out.Code = slices.Insert(f.out.Code, at, f.before...)
}

// reg makes a new register, the first of n.
func (c *compiler) reg(n int) ir.Reg {
	r := ir.Reg(c.f.out.Regs)
	c.f.out.Regs += n
	return r
}

// emit adds an instruction.
func (c *compiler) emit(in ir.Instr) {
	in.Pos, in.Within = c.pos, c.within
	c.f.out.Code = append(c.f.out.Code, in)
	if c.made++; c.made%checkEvery == 0 && c.look != nil && c.err == nil {
		c.err = c.look()
	}
}

// set adds an instruction that sets a new register, and returns it.
func (c *compiler) set(in ir.Instr) ir.Reg {
	in.D = c.reg(1)
	c.f.depth[in.D] = len(c.f.loops)
	c.emit(in)
	return in.D
}

// loopsAround is in how many loops code stands that reads registers, where it goes ahead of those that do not change
// these. stays says that it is not to go ahead of a loop that may have no run.
func (f *function) loopsAround(regs []ir.Reg, stays bool) (n int) {
	for _, r := range regs {
		if d, ok := f.depth[r]; ok {
			n = max(n, d)
		} else {
			n = len(f.loops)
		}
	}
	for i := len(f.loops); stays && i > n; i-- {
		if f.loops[i-1].empty {
			n = i
		}
	}
	return n
}

// pure is set for an instruction without effects. What does not depend on the runs of a loop goes ahead of it. A
// load, which must not be made where its object has no such slot, stays in loops that may have no run, and in branches.
func (c *compiler) pure(in ir.Instr) ir.Reg {
	f := c.f
	var regs []ir.Reg
	in.Uses(func(r *ir.Reg) { regs = append(regs, *r) })
	at := f.loopsAround(regs, in.Op == ir.Load || in.Op == ir.LoadX || in.Op == ir.StaticX)
	if f.stays {
		at = max(at, f.branch)
	}
	if at >= len(f.loops) {
		return c.set(in)
	}
	l := f.loops[at]
	k := key{in.Op, in.A, in.B, in.N, in.M, math.Float64bits(in.Val)}
	r, ok := l.made[k]
	if !ok {
		r = c.reg(1)
		f.depth[r] = at
		in.D, in.Pos, in.Within = r, c.pos, c.within
		l.ahead = append(l.ahead, in)
		l.made[k] = r
	}
	return r
}

// inLoop makes the code of a loop that ends with an instruction, which sets its index: of a comprehension of some size,
// or 0. empty says that it may have no run.
func (c *compiler) inLoop(empty bool, size float64, end ir.Instr, body func()) {
	f := c.f
	l := &loop{start: len(f.out.Code), made: map[key]ir.Reg{}, empty: empty, lanes: max(1, c.lanes()*size)}
	f.loops = append(f.loops, l)
	f.depth[end.D], end.N = len(f.loops), c.label()
	c.place(end.N)
	body()
	c.emit(end)
	f.loops = f.loops[:len(f.loops)-1]
	f.out.Code = slices.Insert(f.out.Code, l.start, l.ahead...)
}

// lanes is how many runs the comprehensions around have.
func (c *compiler) lanes() float64 {
	if n := len(c.f.loops); n > 0 {
		return c.f.loops[n-1].lanes
	}
	return 1
}

// use returns the register of this function that has an operand: what is in another is captured.
func (c *compiler) use(o operand) ir.Reg {
	f := c.f
	if o.in == f {
		return o.reg
	}
	k := f.caps.slot(o)
	r, ok := f.loaded[k]
	if !ok {
		r = c.reg(1)
		f.loaded[k] = r
		f.depth[r] = 0
		f.before = append(f.before, ir.Instr{Op: ir.Capture, D: r, N: uint32(k), Pos: f.out.Pos})
	}
	return r
}

// here is a register of this function as an operand.
func (c *compiler) here(r ir.Reg) operand { return operand{c.f, r} }

// newBlock begins a block.
func (c *compiler) newBlock() {
	c.out.Blocks = append(c.out.Blocks, ir.Block{})
	c.f.block = len(c.out.Blocks) - 1
	c.emit(ir.Instr{Op: ir.Count, N: uint32(c.f.block)})
}

// label makes the name of a place.
func (c *compiler) label() uint32 {
	c.labels++
	return c.labels
}

// place puts a label here, and begins a block.
func (c *compiler) place(label uint32) {
	c.emit(ir.Instr{Op: ir.Label, N: label})
	c.newBlock()
}
