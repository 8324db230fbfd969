package graph

import (
	"math"
	"slices"

	"github.com/gram-machine/gram/term"
)

// backwardBuilder makes a [Backward].
type backwardBuilder struct {
	w       *Wiring
	b       *Block
	p       *Program
	logged  bool
	look    func() error
	out     *Backward
	live    []bool // cells that fire
	due     []int  // arrivals due at each cell, from inside the block
	cells   []adjoint
	before  []adjoint // of the duals of the result of the run before
	element []adjoint // of the duals that are Listed
	sum     []uint32  // of the external duals of the first run: the register
	nulls   uint64    // arrivals at duals λa.0⃗
	consts  map[uint64]uint32
	sigmoid map[uint32]uint32 // of a register z: that of sigmoid z
	exp     map[uint32]uint32
	cos     map[uint32]uint32
	times   map[uint32]uint64
}

// adjoint is a register that holds what has arrived at a dual, 0 if nothing has. It may be
// added to if it is the dual's own.
type adjoint struct {
	reg uint32
	own bool
}

// lookEvery is how many cells fire between two looks.
const lookEvery = 1 << 14

func newBackward(of *Wiring, p *Program, reached []bool, logged bool, look func() error) (*Backward, error) {
	b := of.b
	outs := len(b.OutDuals)
	w := &backwardBuilder{w: of, b: b, p: p, logged: logged, look: look,
		out:  &Backward{Regs: b.Regs, Out: make([]uint32, outs), Before: make([]uint32, outs), Next: make([]bool, outs)},
		live: make([]bool, len(b.Cells)), due: make([]int, len(b.Cells)), cells: make([]adjoint, len(b.Cells)), before: make([]adjoint, outs),
		sum: make([]uint32, b.Exts), consts: map[uint64]uint32{}, times: map[uint32]uint64{},
		sigmoid: map[uint32]uint32{}, exp: map[uint32]uint32{}, cos: map[uint32]uint32{}}
	if slices.Contains(of.Exts, Listed) {
		w.element = make([]adjoint, b.Params[0].Duals)
	}
	if b.head != nil {
		w.out.Regs = b.Sum(int32(b.Exts + len(w.element)))
	}
	for _, in := range b.Code {
		if in.Op == BlockFun1 && in.Sym == term.Sigmoid {
			w.sigmoid[in.A] = in.D
		}
		if in.Op == BlockFun1 && in.Sym == term.Exp {
			w.exp[in.A] = in.D
		}
		if in.Op == BlockSinCos {
			w.cos[in.A] = in.B
		}
	}
	w.reach(reached)
	if err := w.fire(reached); err != nil {
		return nil, err
	}
	w.finish()
	return w.out, nil
}

// reach marks the cells that fire, and counts the arrivals due at them: a cell's
// heads are cells that were made before it.
func (w *backwardBuilder) reach(reached []bool) {
	for j, d := range w.b.OutDuals {
		if reached[j] && d >= 0 {
			w.live[d] = true
		}
	}
	for i := len(w.live) - 1; i >= 0; i-- {
		if !w.live[i] {
			continue
		}
		for _, h := range w.b.Cells[i].Heads {
			if h >= 0 && !w.b.Cells[h].Null {
				w.live[h] = true
				w.due[h]++
			}
		}
	}
}

// fire simulates the machine's firing of the cells, in its order. The error is that of a look.
func (w *backwardBuilder) fire(reached []bool) error {
	var stack []int32
	var far Heap // cells far below the top of the stack
	push := func(c int32) {
		var near bool
		if stack, near = PushCell(stack, c); !near {
			far.Push(uint64(c))
		}
	}
	for j, d := range w.b.OutDuals {
		if !reached[j] {
			continue
		}
		if w.b.head != nil {
			w.out.Out[j] = w.b.Regs + uint32(j)
		} else {
			w.out.Out[j] = w.register()
		}
		if d < 0 {
			w.arrive(d, w.out.Out[j])
			continue
		}
		w.arrive(d, w.out.Out[j])
		if w.due[d] == 0 {
			push(d)
		}
	}
	for n := 0; len(stack) > 0 || len(far) > 0; n++ {
		if n%lookEvery == 0 && w.look != nil {
			if err := w.look(); err != nil {
				return err
			}
		}
		if last := len(stack) - 1; len(far) > 0 && (last < 0 || far[0] > uint64(stack[last])) {
			w.cell(int32(far.Pop()), push)
		} else {
			c := stack[last]
			stack = stack[:last]
			w.cell(c, push)
		}
	}
	return nil
}

func (w *backwardBuilder) register() uint32 {
	w.out.Regs++
	return w.out.Regs - 1
}

func (w *backwardBuilder) constant(v float64) uint32 {
	bits := math.Float64bits(v)
	r, ok := w.consts[bits]
	if !ok {
		r = w.register()
		w.consts[bits] = r
		w.out.Consts = append(w.out.Consts, Const{Reg: r, Val: v})
	}
	return r
}

func (w *backwardBuilder) emit(op BlockOp, sym term.Symbol, d, a, b uint32) {
	w.out.Code = append(w.out.Code, BlockInstr{Op: op, Sym: sym, D: d, A: a, B: b})
}

// cell fires cell i: the code of its body. It pushes the cells that have all their arrivals then.
func (w *backwardBuilder) cell(i int32, push func(c int32)) {
	c := &w.b.Cells[i]
	body := &w.p.Bodies[c.Body]
	w.times[c.Body]++
	w.out.Cells++
	w.out.Arrivals += uint64(len(c.Heads))
	regs := make([]uint32, body.Regs)
	regs[0] = w.cells[i].reg
	copy(regs[1:], c.Nums)
	for k := range body.Code {
		in := &body.Code[k]
		switch in.Op {
		case LinConst:
			regs[in.D] = w.constant(in.Val)
		case LinMul:
			regs[in.D] = w.register()
			w.emit(BlockMul, term.Mul, regs[in.D], regs[in.A], regs[in.B])
		case LinAdd:
			regs[in.D] = w.register()
			w.emit(BlockAdd, term.NoSymbol, regs[in.D], regs[in.A], regs[in.B])
		case LinFun1:
			regs[in.D] = w.slope(in.Sym, regs[in.A])
		case LinFun2:
			regs[in.D] = w.register()
			w.emit(BlockFun2, in.Sym, regs[in.D], regs[in.A], regs[in.B])
		case LinArrive, LinScale:
			h := c.Heads[in.D]
			if in.Op == LinScale {
				w.scale(h, regs[in.A], regs[in.B])
			} else {
				w.arrive(h, regs[in.A])
			}
			if h >= 0 && !w.b.Cells[h].Null {
				if w.due[h]--; w.due[h] == 0 {
					push(h)
				}
			}
		}
	}
}

// slope computes a unary symbol, by what the block has computed already where it can.
func (w *backwardBuilder) slope(sym term.Symbol, a uint32) uint32 {
	if y, ok := w.exp[a]; ok && (sym == term.DExp || sym == term.Exp) {
		return y
	}
	if y, ok := w.cos[a]; ok && sym == term.DSin {
		return y
	}
	d := w.register()
	if y, ok := w.sigmoid[a]; ok && sym == term.DSigmoid {
		w.emit(BlockSlope, sym, d, y, y)
	} else {
		w.emit(BlockFun1, sym, d, a, a)
	}
	return d
}

// target returns the adjoint of a cell, of a dual of the run before or of a dual of an element of a list, nil for any other
// external dual, and which that is. It counts an arrival at λa.0⃗.
func (w *backwardBuilder) target(h int32) (to *adjoint, ext int32) {
	if h >= 0 && !w.b.Cells[h].Null {
		return &w.cells[h], 0
	}
	ext = Ignored
	if h < 0 {
		ext = w.w.Exts[^h]
	}
	switch {
	case ext < 0:
		return &w.before[^ext], 0
	case ext == Listed:
		return &w.element[int(^h)-w.b.ParamExt(0)], 0
	case ext == Ignored:
		w.nulls++
	}
	return nil, ext
}

// arrive adds r to what has arrived at the dual h.
func (w *backwardBuilder) arrive(h int32, r uint32) {
	to, ext := w.target(h)
	switch {
	case to != nil && to.own:
		w.emit(BlockAdd, term.NoSymbol, to.reg, to.reg, r)
	case to != nil && to.reg == 0:
		to.reg = r
	case to != nil:
		d := w.register()
		w.emit(BlockAdd, term.NoSymbol, d, to.reg, r)
		*to = adjoint{d, true}
	case ext == Ignored:
	case w.logged:
		w.log(ext, r)
	default:
		sum := w.sumOf(ext)
		w.emit(BlockAdd, term.NoSymbol, sum, sum, r)
	}
}

// scale adds the product of a and b to what has arrived at the dual h.
func (w *backwardBuilder) scale(h int32, a, b uint32) {
	to, ext := w.target(h)
	switch {
	case to != nil && to.own:
		w.emit(BlockAddMul, term.Mul, to.reg, a, b)
	case to != nil:
		d := w.register()
		w.emit(BlockMul, term.Mul, d, a, b)
		if to.reg != 0 {
			w.emit(BlockAdd, term.NoSymbol, d, to.reg, d)
		}
		*to = adjoint{d, true}
	case ext == Ignored:
	case w.logged:
		d := w.register()
		w.emit(BlockMul, term.Mul, d, a, b)
		w.log(ext, d)
	default:
		w.emit(BlockAddMul, term.Mul, w.sumOf(ext), a, b)
	}
}

// sumOf returns the register of the sum of an external dual of the first run.
func (w *backwardBuilder) sumOf(ext int32) uint32 {
	if w.sum[ext] == 0 {
		if w.b.head != nil {
			w.sum[ext] = w.b.Sum(ext)
		} else {
			w.sum[ext] = w.register()
		}
		w.out.Sums = append(w.out.Sums, Sum{int(ext), 1, w.sum[ext]})
	}
	return w.sum[ext]
}

func (w *backwardBuilder) log(ext int32, r uint32) {
	w.sumOf(ext)
	w.out.Log = append(w.out.Log, Sum{int(ext), 1, r})
}

// finish counts, and drops the code that only serves duals λa.0⃗.
func (w *backwardBuilder) finish() {
	out := w.out
	out.countFired(w.p, w.times, w.nulls)
	for j, a := range w.before {
		out.Before[j], out.Next[j] = a.reg, a.reg != 0
	}
	for k, a := range w.element {
		if reg := w.b.Sum(int32(w.b.Exts + k)); a.reg != 0 && w.b.head != nil { // one register for all paths
			w.emit(BlockAdd, term.NoSymbol, reg, a.reg, w.constant(math.Copysign(0, -1)))
			a.reg = reg
		}
		out.Elements = append(out.Elements, a.reg)
	}
	w.sweep()
}

// sweep drops the instructions whose results nothing reads, and finds the registers of
// the block that the others read.
func (w *backwardBuilder) sweep() {
	out := w.out
	needed := make([]bool, out.Regs)
	for _, r := range slices.Concat(out.Before, out.Elements) {
		needed[r] = true
	}
	for _, sums := range [][]Sum{out.Sums, out.Log} {
		for _, s := range sums {
			needed[s.Reg] = true
		}
	}
	kept := out.Code[:0:0]
	for i := len(out.Code) - 1; i >= 0; i-- {
		in := out.Code[i]
		if !needed[in.D] {
			continue
		}
		needed[in.D] = in.inPlace()
		for _, r := range in.operands() {
			needed[r] = true
		}
		kept = append(kept, in)
	}
	for i, j := 0, len(kept)-1; i < j; i, j = i+1, j-1 {
		kept[i], kept[j] = kept[j], kept[i]
	}
	out.Code = kept
	for r := uint32(1); r < w.b.Regs; r++ {
		if needed[r] {
			out.Saved = append(out.Saved, r)
		}
	}
	for j, r := range out.Out {
		if !needed[r] {
			out.Out[j] = 0
		}
	}
}
