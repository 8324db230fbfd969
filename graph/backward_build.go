package graph

import (
	"math"

	"github.com/gram-machine/gram/term"
)

// backwardBuilder makes a [Backward].
type backwardBuilder struct {
	b       *Block
	p       *Program
	out     *Backward
	live    []bool   // cells that fire
	due     []int    // arrivals due at each cell, from inside the block
	adj     []uint32 // what has arrived at each cell
	owned   []bool   // the register of a cell's argument is its own
	extOwn  []bool
	zero    []bool // external duals λa.0⃗
	consts  map[uint64]uint32
	sigmoid map[uint32]uint32 // of a register z: that of sigmoid z
	exp     map[uint32]uint32
	cos     map[uint32]uint32
	times   map[uint32]uint64
}

func newBackward(b *Block, p *Program, reached []bool, zeroFirst bool) *Backward {
	w := &backwardBuilder{b: b, p: p,
		out:  &Backward{Regs: b.Regs, Out: make([]uint32, len(b.OutDuals)), Ext: make([]uint32, b.Exts)},
		live: make([]bool, len(b.Cells)), due: make([]int, len(b.Cells)), adj: make([]uint32, len(b.Cells)), owned: make([]bool, len(b.Cells)),
		extOwn: make([]bool, b.Exts), zero: make([]bool, b.Exts), consts: map[uint64]uint32{}, times: map[uint32]uint64{},
		sigmoid: map[uint32]uint32{}, exp: map[uint32]uint32{}, cos: map[uint32]uint32{}}
	if zeroFirst {
		first := b.ParamExt(0)
		for k := range b.Params[0].Duals {
			w.zero[first+k] = true
		}
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
	w.fire(reached)
	w.finish()
	return w.out
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
			if h >= 0 {
				w.live[h] = true
				w.due[h]++
			}
		}
	}
}

// fire simulates the machine's firing of the cells, in its order.
func (w *backwardBuilder) fire(reached []bool) {
	var stack []int32
	for j, d := range w.b.OutDuals {
		if !reached[j] {
			continue
		}
		w.out.Out[j] = w.register()
		if d < 0 {
			w.arriveExternal(int(^d), w.out.Out[j])
			continue
		}
		first := w.adj[d] == 0
		w.arrive(d, w.out.Out[j])
		if first && w.due[d] == 0 {
			stack = PushCell(stack, d)
		}
	}
	for len(stack) > 0 {
		i := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		stack = w.cell(i, stack)
	}
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

// cell fires cell i: the code of its body.
func (w *backwardBuilder) cell(i int32, stack []int32) []int32 {
	c := &w.b.Cells[i]
	body := &w.p.Bodies[c.Body]
	w.times[c.Body]++
	w.out.Cells++
	w.out.Arrivals += uint64(len(c.Heads))
	regs := make([]uint32, body.Regs)
	regs[0] = w.adj[i]
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
			} else if h < 0 {
				w.arriveExternal(int(^h), regs[in.A])
			} else {
				w.arrive(h, regs[in.A])
			}
			if h >= 0 {
				if w.due[h]--; w.due[h] == 0 {
					stack = PushCell(stack, h)
				}
			}
		}
	}
	return stack
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

// arrive adds r to the argument of cell h.
func (w *backwardBuilder) arrive(h int32, r uint32) {
	w.adj[h], w.owned[h] = w.sum(w.adj[h], w.owned[h], r)
}

func (w *backwardBuilder) arriveExternal(k int, r uint32) {
	w.external(k)
	w.out.Ext[k], w.extOwn[k] = w.sum(w.out.Ext[k], w.extOwn[k], r)
}

// sum adds r to what the register to holds, if any. A register that is not its own is
// left as it is.
func (w *backwardBuilder) sum(to uint32, own bool, r uint32) (uint32, bool) {
	switch {
	case to == 0:
		return r, false
	case own:
		w.emit(BlockAdd, term.NoSymbol, to, to, r)
		return to, true
	}
	d := w.register()
	w.emit(BlockAdd, term.NoSymbol, d, to, r)
	return d, true
}

// external gives an external dual that is the same in every iteration its register.
func (w *backwardBuilder) external(k int) {
	if k < w.b.ParamExt(0) && w.out.Ext[k] == 0 {
		w.out.Ext[k], w.extOwn[k] = w.register(), true
		w.out.Sums = append(w.out.Sums, k)
	}
}

// scale adds the product of a and b to the argument of the dual h.
func (w *backwardBuilder) scale(h int32, a, b uint32) {
	to, own := &w.adj, &w.owned
	k := int(h)
	if h < 0 {
		w.external(int(^h))
		to, own, k = &w.out.Ext, &w.extOwn, int(^h)
	}
	switch {
	case (*to)[k] != 0 && (*own)[k]:
		w.emit(BlockAddMul, term.Mul, (*to)[k], a, b)
	case (*to)[k] == 0:
		(*to)[k], (*own)[k] = w.register(), true
		w.emit(BlockMul, term.Mul, (*to)[k], a, b)
	default:
		d := w.register()
		w.emit(BlockMul, term.Mul, d, a, b)
		w.emit(BlockAdd, term.NoSymbol, d, (*to)[k], d)
		(*to)[k], (*own)[k] = d, true
	}
}

// finish counts, and drops the code that only serves duals λa.0⃗.
func (w *backwardBuilder) finish() {
	out := w.out
	zero := w.p.ZeroDual
	for k, zeros := range w.zero {
		if zeros && out.Ext[k] != 0 {
			w.times[w.p.Duals[zero].Body]++
			out.Cells++
			out.Ext[k] = 0
		}
	}
	for body, n := range w.times {
		out.Fired = append(out.Fired, FiredBody{body, n})
		out.Steps += n * w.p.Bodies[body].Steps
	}
	w.sweep()
	last := len(w.b.Params) - 1
	if d := w.b.Params[last].Duals; d == len(w.b.OutDuals) {
		first := w.b.ParamExt(last)
		out.Next = make([]bool, d)
		for j := range d {
			out.Next[j] = out.Ext[first+j] != 0
		}
	}
}

// sweep drops the instructions whose results nothing reads, and finds the registers of
// the block that the others read.
func (w *backwardBuilder) sweep() {
	out := w.out
	needed := make([]bool, out.Regs)
	for _, r := range out.Ext {
		needed[r] = true
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
