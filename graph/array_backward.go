package graph

import (
	"math"
	"slices"

	"github.com/gram-machine/gram/term"
)

// arrayBackward makes the [Backward] of a block with arrays. All cells of a family fire by the same instruction, and
// the families from the last to the first. So cells of different families of one loop fire in another order than
// strictly one after the other; that is allowed only where no sum depends on it. Where the order does matter, or where
// only some cells of a family are reached, there is no such code.
type arrayBackward struct {
	w       *Wiring
	b       *Block
	p       *Program
	out     *Backward
	cells   []familyAdjoint
	exts    arrivals // at external duals of the first run
	before  arrivals // at duals of the result of the run before
	nulls   uint64   // arrivals at duals λa.0⃗ in all runs
	sums    int      // the register of the sum of external dual 0, 0: there are none yet
	befores int      // the same for the duals of the result of the run before
	element arrivals // at the duals of the element that are Listed
	listed  int      // the same for them
	minus   int      // a register that holds −0
	source  int32
	consts  map[uint64]uint32
	times   map[uint32]uint64
	allocs  []int // the first registers of each allocation
	failed  bool
	apart   within   // of arriveApart
	masked  *masked  // of a block with conditionals
	firing  int      // the family
	reached *Address // of its cells, those at which something has arrived; nil if it has at all
	partial bool     // what the duals of the result get depends on the run
	read    []int    // registers that the engine reads
	turns   *turns
}

// familyAdjoint is what has arrived at the cells of a family.
type familyAdjoint struct {
	at      Address
	own     bool     // the registers are the family's own
	where   *Address // if not nil, the numbers are those of what has arrived only where these numbers are not 0
	touched arrivals
	any     bool
	heads   int // that have arrived, each once at each cell; more if there may be others
}

func newArrayBackward(of *Wiring, p *Program, reached []bool, logged, partial bool, look func() error) (*Backward, error) {
	if logged {
		return nil, ErrFamilies
	}
	t := &turns{at: map[int]bool{}}
	for {
		out, err := newBackwardInTurns(of, p, reached, partial, t, look)
		if !t.again {
			return out, err
		}
	}
}

// newBackwardInTurns makes the code where the arrivals at some targets run in turns. It may find that those at others are to.
func newBackwardInTurns(of *Wiring, p *Program, reached []bool, partial bool, t *turns, look func() error) (*Backward, error) {
	b := of.b
	outs := len(b.OutDuals)
	w := &arrayBackward{w: of, b: b, p: p, out: &Backward{Regs: b.Regs, Out: make([]uint32, outs), Before: make([]uint32, outs), Next: make([]bool, outs)},
		cells: make([]familyAdjoint, len(b.Arrays.Cells)), masked: newMasked(b.Arrays), partial: partial,
		consts: map[uint64]uint32{}, times: map[uint32]uint64{}, turns: t}
	t.pending, t.again = map[int][]Array{}, false
	w.exts, w.before = w.arrivals(b.Exts), w.arrivals(outs)
	if slices.Contains(of.Exts, Listed) {
		w.element = w.arrivals(b.Params[0].Duals)
	}
	w.minus = int(w.constant(math.Copysign(0, -1)))
	w.seed(reached)
	for _, q := range w.masked.order(len(b.Arrays.Cells)) {
		if w.failed {
			break
		}
		if look != nil {
			if err := look(); err != nil {
				t.again = false
				return nil, err
			}
		}
		w.fire(q)
	}
	if w.failed {
		t.again = false
	}
	if w.failed || t.again || !w.element.covered() {
		return nil, ErrFamilies
	}
	w.finish()
	return w.out, nil
}

func (w *arrayBackward) registers(n int) int {
	first := w.out.Regs
	w.out.Regs += uint32(n)
	w.allocs = append(w.allocs, int(first))
	return int(first)
}

// alloc is the number of the allocation of a register.
func (w *arrayBackward) alloc(reg int) int {
	i, found := slices.BinarySearch(w.allocs, reg)
	if !found {
		i--
	}
	return i
}

// alive drops the instructions whose results nothing reads.
func (w *arrayBackward) alive() {
	read := make([]bool, len(w.allocs))
	for _, r := range append(w.read, w.sums, w.befores, w.listed) {
		if i := w.alloc(r); i >= 0 {
			read[i] = true
		}
	}
	code := w.out.Arrays
	w.out.Arrays = nil
	for i := range slices.Backward(code) {
		in := &code[i]
		if !read[w.alloc(in.D.Base)] {
			continue
		}
		for _, p := range in.parts() {
			for _, a := range p.read() {
				if i := w.alloc(a.Base); i >= 0 {
					read[i] = true
				}
			}
		}
		w.out.Arrays = append(w.out.Arrays, *in)
	}
	slices.Reverse(w.out.Arrays)
}

func (w *arrayBackward) constant(v float64) uint32 {
	bits := math.Float64bits(v)
	r, ok := w.consts[bits]
	if !ok {
		r = uint32(w.registers(1))
		w.consts[bits] = r
		w.out.Consts = append(w.out.Consts, Const{Reg: r, Val: v})
	}
	return r
}

// read returns the addresses of the operands that the instruction reads.
func (in *Array) read() []Address {
	if in.Mask.Base != 0 {
		return []Address{in.A, in.B, in.Mask}
	}
	return []Address{in.A, in.B}
}

func (w *arrayBackward) emit(a Array) {
	a.SetLarge()
	w.out.Arrays = append(w.out.Arrays, a)
}

// fixed is the address of one register, for all instances.
func fixed(reg int, dims []Dim) Address { return Address{reg, make([]int, len(dims))} }

// size is the number of cells that others may name of a family.
func (c *ArrayCell) size() int { return Instances(c.Dims) }

// seed lets arrive what the duals of the result that are reached get.
func (w *arrayBackward) seed(reached []bool) {
	outs := w.b.OutDuals
	first := w.registers(len(outs))
	if w.partial {
		w.out.OutReach = uint32(w.registers(len(outs)))
	}
	for j, d := range outs {
		if !reached[j] {
			continue
		}
		w.out.Out[j] = uint32(first + j)
		if d < 0 {
			w.failed = true // an arrival that no cell gets
			return
		}
	}
	for q := range w.b.Arrays.Cells {
		c := &w.b.Arrays.Cells[q]
		within := func(d int32) bool { return int(d) >= c.First && int(d) < c.First+c.size() }
		if !slices.ContainsFunc(outs, within) {
			continue
		}
		of := make([]int, c.size()) // 1 + the dual of the result that a cell is
		for j, d := range outs {
			if reached[j] && within(d) {
				of[int(d)-c.First] = 1 + j
			}
		}
		side := true
		for k, j := range of {
			side = side && j == of[0]+k && j != 0
		}
		if slices.Max(of) == 0 {
			continue
		}
		if w.nullBehind(q) { // nobody tells how many applications have arrived there
			w.failed = true
			return
		}
		a := &w.cells[q]
		a.any, a.touched, a.heads = true, w.arrivals(len(of)), 2
		seed := touch{source: -1, loop: -1}
		if side {
			a.at = Dense(first+of[0]-1, c.Dims)
			var where *Address
			if w.partial {
				at := Dense(int(w.out.OutReach)+of[0]-1, c.Dims)
				where = &at
			}
			a.touched.note(c.Dims, Dense(0, c.Dims), seed, 0, where)
			continue
		}
		a.at, a.own = Dense(w.registers(len(of)), c.Dims), true
		w.fill(a.at.Base, len(of), w.minus)
		for k, j := range of {
			if j == 0 {
				continue
			}
			var where *Address
			if w.partial {
				where = &Address{Base: int(w.out.OutReach) + j - 1}
			}
			w.emit(w.adding(nil, Address{Base: a.at.Base + k}, Address{Base: first + j - 1}, nil, where))
			a.touched.note(nil, Address{Base: k}, seed, 0, where)
		}
	}
}

// fire fires a family.
func (w *arrayBackward) fire(q int) {
	a, c := &w.cells[q], &w.b.Arrays.Cells[q]
	if !a.any {
		return
	}
	w.flush(q)
	w.reached = w.reach(a, c)
	a.touched = arrivals{}
	w.firing = q
	loop := int32(-1)
	if len(c.Dims) > 0 {
		loop = int32(c.Dims[0].Loop)
	} else if c.Inner.Size > 0 {
		loop = int32(c.Inner.Loop)
	}
	if c.Inner.Size > 0 {
		w.count(c, uint64(c.Inner.Size-1), 2*uint64(c.Inner.Size-1))
		dims, arrived := c.Operands(), Address{a.at.Base, append(slices.Clone(a.at.Stride), 0)}
		if len(c.Nums) > 0 {
			in := Array{Kind: ArrayMaxBack, Dims: dims, D: Dense(w.registers(Instances(dims)), dims), A: c.Nums[0], B: arrived}
			w.emit(in)
			arrived = in.D
		}
		w.arrive(dims, loop, c.Heads[0], arrived, nil)
		return
	}
	if c.Either {
		for _, h := range c.Heads {
			if !w.isNull(&h, c.Dims) { // arriveBehind has counted that
				w.arrive(c.Dims, loop, h, a.at, nil)
			}
		}
		return
	}
	w.count(c, 1, uint64(len(c.Heads)))
	body := &w.p.Bodies[c.Body]
	regs := make([]Address, body.Regs)
	regs[0] = a.at
	copy(regs[1:], c.Nums)
	for k := range body.Code {
		in := &body.Code[k]
		switch in.Op {
		case LinConst:
			regs[in.D] = fixed(int(w.constant(in.Val)), c.Dims)
		case LinMul:
			regs[in.D] = w.each(BlockMul, term.Mul, c.Dims, regs[in.A], regs[in.B])
		case LinAdd:
			regs[in.D] = w.each(BlockAdd, term.NoSymbol, c.Dims, regs[in.A], regs[in.B])
		case LinFun1:
			regs[in.D] = w.slope(in.Sym, c.Dims, regs[in.A])
		case LinFun2:
			regs[in.D] = w.each(BlockFun2, in.Sym, c.Dims, regs[in.A], regs[in.B])
		case LinArrive:
			w.arrive(c.Dims, loop, c.Heads[in.D], regs[in.A], nil)
		case LinScale:
			w.arrive(c.Dims, loop, c.Heads[in.D], regs[in.A], &regs[in.B])
		}
	}
}

// count counts so many cells and arrivals for each instance of a family.
func (w *arrayBackward) count(c *ArrayCell, cells, arrivals uint64) {
	at := w.reached
	if at == nil {
		at = w.where(c.Mask, c.Dims)
	}
	if at != nil {
		w.countWhere(MaskedCells{At: *at, Dims: c.Dims, Body: c.Body, Cells: cells, Arrivals: arrivals})
		return
	}
	n := uint64(c.size())
	w.times[c.Body] += n * cells
	w.out.Cells += n * cells
	w.out.Arrivals += n * arrivals
}

// each makes a new array of an operation on all instances.
func (w *arrayBackward) each(op BlockOp, sym term.Symbol, dims []Dim, a, b Address) Address {
	d := Dense(w.registers(Instances(dims)), dims)
	w.emit(Array{Kind: ArrayEach, Op: op, Sym: sym, Dims: dims, D: d, A: a, B: b})
	return d
}

// slope computes a unary symbol, by what the block has computed already where it can.
func (w *arrayBackward) slope(sym term.Symbol, dims []Dim, a Address) Address {
	for i := range w.b.Arrays.Code {
		in := &w.b.Arrays.Code[i]
		if in.Kind != ArrayEach || in.Op != BlockFun1 || in.A.Base != a.Base || !slices.Equal(in.A.Stride, a.Stride) || !slices.Equal(in.Dims, dims) {
			continue
		}
		switch {
		case in.Sym == term.Exp && (sym == term.DExp || sym == term.Exp):
			return in.D
		case in.Sym == term.Sigmoid && sym == term.DSigmoid:
			return w.each(BlockSlope, sym, dims, in.D, in.D)
		}
	}
	return w.each(BlockFun1, sym, dims, a, a)
}

// arrive lets arrive a, or its product with b, at a head of each instance.
func (w *arrayBackward) arrive(dims []Dim, loop int32, h ArrayHead, a Address, b *Address) {
	w.source++
	from := &w.b.Arrays.Cells[w.firing]
	mask := h.Mask
	if mask == 0 {
		mask = from.Mask
	}
	var where *Address
	if w.reached != nil {
		where = &Address{w.reached.Base, slices.Clone(w.reached.Stride)}
		for len(where.Stride) < len(dims) {
			where.Stride = append(where.Stride, 0)
		}
		if h.Mask != 0 {
			both := w.each(BlockMul, term.Mul, dims, *where, *w.where(h.Mask, dims))
			where = &both
		}
	}
	w.arriveAt(dims, loop, h, a, b, mask, where)
}

// arriveAt is arrive under a mask, and where these numbers are not 0, if where is not nil.
func (w *arrayBackward) arriveAt(dims []Dim, loop int32, h ArrayHead, a Address, b *Address, mask int, where *Address) {
	if h.External {
		if w.mixed(h.At, dims) {
			w.arriveApart(dims, loop, h, a, b, mask, where)
			return
		}
		w.arriveOutside(dims, loop, h.At, a, b, mask, where)
		return
	}
	q := w.b.Arrays.FamilyOf(h.At.Base)
	to, c := &w.cells[q], &w.b.Arrays.Cells[q]
	if least, most := h.At.Range(dims); least < c.First || most >= c.First+c.size() {
		w.arriveApart(dims, loop, h, a, b, mask, where)
		return
	}
	at := Address{h.At.Base - c.First, h.At.Stride}
	switch {
	case c.Null:
		w.arriveNull(dims, mask, where)
		return
	case c.Either && !w.b.Arrays.Cells[w.firing].Either:
		w.arriveBehind(c, dims, at, mask, where)
	}
	if between := loopBetween(dims, at, c); w.apart.at == 0 {
		loop = between
	} else {
		w.apart.next = between
	}
	first := !to.any
	if first {
		to.touched, to.any = w.arrivals(c.size()), true
		to.touched.mask = c.Mask
	}
	if !w.touch(&to.touched, q, dims, loop, at, mask, where) {
		return
	}
	if to.heads++; Instances(dims) != c.size() || w.together() {
		to.heads++
	}
	if where == nil && mask != c.Mask {
		where = w.where(mask, dims)
	}
	onto := where == nil && Instances(dims) == c.size() && !w.inTurns(q) && to.touched.by(w.source)
	alike := first && sameSizes(dims, c.Dims) && at.Base == 0 && slices.Equal(at.Stride, Dense(0, c.Dims).Stride)
	switch {
	case alike && !w.inTurns(q) && (where != nil || onto && b == nil):
		if b != nil {
			a = w.each(BlockMul, term.Mul, dims, a, *b)
		}
		to.at, to.where = a, where
		return
	case first:
		to.at, to.own = Dense(w.registers(c.size()), c.Dims), true
		d := Address{to.at.Base + at.Base, at.Stride}
		if onto {
			in := Array{Kind: ArrayEach, Op: BlockMul, Sym: term.Mul, Dims: dims, D: d, A: a}
			if b != nil {
				in.B = *b
			} else {
				in.Op, in.Sym, in.B = BlockAdd, term.NoSymbol, fixed(w.minus, dims)
			}
			w.emit(in)
			return
		}
		w.fill(to.at.Base, c.size(), w.minus)
	case to.where != nil:
		to.at, to.own, to.where = w.each(BlockWhere, term.NoSymbol, c.Dims, to.at, *to.where), true, nil
	case !to.own:
		to.at, to.own = w.each(BlockAdd, term.NoSymbol, c.Dims, to.at, fixed(w.minus, c.Dims)), true
	}
	w.add(q, dims, Address{to.at.Base + at.Base, at.Stride}, a, b, where)
}

// together reports whether several arrivals at the family that fires are given on as their sum.
func (w *arrayBackward) together() bool {
	return w.b.Arrays.Cells[w.firing].Either && w.cells[w.firing].heads > 1
}

// loopBetween returns the outermost of the loops around a head in which instances arrive at other duals than those of their own
// iteration, -1 if there is none: in the loops around it each iteration is by itself, and so its order is that of straight-line code.
func loopBetween(dims []Dim, at Address, c *ArrayCell) int32 {
	dense := Dense(0, c.Dims)
	for k, d := range dims {
		if k == len(c.Dims) || d.Loop != c.Dims[k].Loop || at.Stride[k] != dense.Stride[k] {
			return int32(d.Loop)
		}
		rest := Address{at.Base, at.Stride[k+1:]}
		if first, last := rest.Range(dims[k+1:]); first < 0 || last >= dense.Stride[k] {
			return int32(d.Loop)
		}
	}
	return -1
}

// arriveApart lets arrive a, or its product with b, at a head whose instances name cells of several families, or external duals of which
// some are λa.0⃗: for one value of an index at a time, as the cells fire.
func (w *arrayBackward) arriveApart(dims []Dim, loop int32, h ArrayHead, a Address, b *Address, mask int, where *Address) {
	k := 0
	for d := range dims {
		if max(h.At.Stride[d], -h.At.Stride[d]) > max(h.At.Stride[k], -h.At.Stride[k]) {
			k = d
		}
	}
	at := func(from *Address, i int) *Address {
		if from == nil {
			return nil
		}
		return &Address{from.Base + i*from.Stride[k], slices.Delete(slices.Clone(from.Stride), k, k+1)}
	}
	rest := slices.Delete(slices.Clone(dims), k, k+1)
	before := w.apart
	defer func() { w.apart = before }()
	for _, i := range dims[k].FiringOrder() { // loop is the outermost one, also where it is not in rest
		if w.failed {
			return
		}
		w.apart = within{at: before.at*int32(dims[k].Size) + int32(i) + 1, outermost: k == 0 && before.at == 0, next: -1}
		w.source++
		w.arriveAt(rest, loop, ArrayHead{External: h.External, At: *at(&h.At, i)}, *at(&a, i), at(b, i), mask, at(where, i))
	}
}

func sameSizes(a, b []Dim) bool {
	return slices.EqualFunc(a, b, func(x, y Dim) bool { return x.Size == y.Size })
}

// fill sets registers to the sum of a register and itself: to −0, where sums begin, or to 0.
func (w *arrayBackward) fill(first, n, with int) {
	dims := []Dim{{Size: n}}
	w.emit(Array{Kind: ArrayEach, Op: BlockAdd, Dims: dims, D: Dense(first, dims), A: fixed(with, dims), B: fixed(with, dims)})
}

// add adds a, or its product with b, to d, which is of a target: where these numbers are not 0, if where is not nil.
func (w *arrayBackward) add(target int, dims []Dim, d, a Address, b, where *Address) {
	in := w.adding(dims, d, a, b, where)
	if w.inTurns(target) {
		w.later(target, in)
		return
	}
	outside := in.Kind == ArrayAddMul && in.Mask.Base == 0 && target == extTarget // they are never reset
	if outside && in.picks(w.b.Arrays.Code) && slices.Min(d.Stride) >= 0 {
		k := len(dims) - 1
		first, last := Address{d.Base, d.Stride[:k]}.Range(dims[:k])
		in.Pick = uint32(w.registers(last + 1 - first))
		w.out.Zeroed = append(w.out.Zeroed, Span{Reg: in.Pick, N: uint32(last + 1 - first)})
	}
	w.emit(in)
}

// adding returns the instruction that adds.
func (w *arrayBackward) adding(dims []Dim, d, a Address, b, where *Address) Array {
	masked := where != nil && len(dims) > 0 && where.Stride[len(dims)-1] == 0
	if where != nil && !masked {
		if b != nil {
			a, b = w.each(BlockMul, term.Mul, dims, a, *b), nil
		}
		a = w.each(BlockWhere, term.NoSymbol, dims, a, *where)
	}
	dims = w.masked.reversed(w.firing, dims)
	in := Array{Kind: ArrayAdd, Dims: dims, D: d, A: a, B: fixed(a.Base, dims)}
	if b != nil {
		in.Kind, in.B = ArrayAddMul, *b
	}
	if masked {
		in.Mask = *where
	}
	return in
}

// touch notes the arrivals of a head at duals. It fails if the order of several arrivals at one of them may be another
// than that in which the cells would fire one by one.
func (w *arrayBackward) touch(of *arrivals, target int, dims []Dim, loop int32, at Address, mask int, where *Address) bool {
	inTurns := w.inTurns(target)
	if inTurns {
		w.failed = w.failed || w.apart.at != 0 || w.b.Arrays.Cells[w.firing].Either
		loop = -1
	}
	t := touch{source: w.source, loop: loop, inner: -1, within: w.apart, from: int32(w.firing) + 1, mask: int32(mask)}
	t.together, t.unordered = w.together(), inTurns
	if len(dims) > 0 {
		t.inner = int32(dims[len(dims)-1].Loop)
	}
	w.failed = w.failed || t.together && of == &w.exts || !w.masked.ordered(t.from, dims, at, !t.together)
	if !w.failed && !of.note(dims, at, t, mask, where) {
		w.failed = !w.take(target)
	}
	return !w.failed
}

// arriveOutside lets arrive at external duals: those of the first run, of the run before or of the element of a list, or λa.0⃗.
func (w *arrayBackward) arriveOutside(dims []Dim, loop int32, at, a Address, b *Address, mask int, where *Address) {
	noted := where
	if where == nil {
		where = w.where(mask, dims)
	}
	to := w.w.Exts[at.Base]
	switch {
	case to == Ignored:
		w.arriveNull(dims, mask, noted)
	case to == Listed:
		at.Distinct(dims, func(k int) { w.failed = w.failed || w.w.Exts[k] != Listed })
		if w.listed == 0 {
			w.listed = w.registers(w.element.size)
			w.fill(w.listed, w.element.size, w.minus)
		}
		at.Base -= w.b.ParamExt(0)
		if !w.failed && w.touch(&w.element, elementTarget, dims, loop, at, mask, noted) {
			w.add(elementTarget, dims, Address{w.listed + at.Base, at.Stride}, a, b, where)
		}
	case to >= 0:
		shift := int(to) - at.Base
		at.Distinct(dims, func(k int) { w.failed = w.failed || w.w.Exts[k] != int32(k+shift) })
		if w.sums == 0 {
			w.sums = w.registers(w.b.Exts)
		}
		at.Base += shift
		if !w.failed && w.touch(&w.exts, extTarget, dims, loop, at, mask, noted) {
			w.add(extTarget, dims, Address{w.sums + at.Base, at.Stride}, a, b, where)
		}
	default:
		shift := int(^to) - at.Base
		at.Distinct(dims, func(k int) { w.failed = w.failed || w.w.Exts[k] != ^int32(k+shift) })
		if w.befores == 0 {
			w.befores = w.registers(w.before.size)
			w.fill(w.befores, w.before.size, w.minus)
		}
		at.Base += shift
		if !w.failed && w.touch(&w.before, beforeTarget, dims, loop, at, mask, noted) {
			w.add(beforeTarget, dims, Address{w.befores + at.Base, at.Stride}, a, b, where)
		}
	}
}

// finish counts, and finds the registers of the block that the code reads.
func (w *arrayBackward) finish() {
	out := w.out
	for _, target := range []int{extTarget, beforeTarget, elementTarget} {
		w.flush(target)
	}
	w.partialExts()
	if !w.before.covered() {
		out.BeforeReach = uint32(w.anyOf(&w.before, 0, w.before.size))
		w.read = append(w.read, int(out.BeforeReach))
	}
	out.countFired(w.p, w.times, w.nulls)
	w.exts.each(func(first, n int) { out.Sums = append(out.Sums, Sum{first, n, uint32(w.sums + first)}) })
	w.before.each(func(first, n int) {
		for j := first; j < first+n; j++ {
			out.Before[j], out.Next[j] = uint32(w.befores+j), true
		}
	})
	if w.element.size > 0 {
		out.Elements = make([]uint32, w.element.size)
	}
	w.element.each(func(first, n int) {
		for j := first; j < first+n; j++ {
			out.Elements[j] = uint32(w.listed + j)
		}
	})
	out.OutSpans, out.BeforeSpans = Spans(out.Out), Spans(out.Before)
	w.alive()
	out.Deferred = w.deferred()
	needed := make([]bool, w.b.Regs)
	for i := range out.Arrays {
		for _, in := range out.Arrays[i].parts() {
			for _, a := range in.read() {
				if a.Base < len(needed) && len(a.Stride) == len(in.Dims) {
					a.Distinct(in.Dims, func(r int) { needed[r] = true })
				}
			}
		}
	}
	for i := range out.Masked {
		m := &out.Masked[i]
		if m.At.Base < len(needed) {
			m.At.Distinct(m.Dims, func(r int) { needed[r] = true })
		}
	}
	for q := range w.cells {
		for _, h := range w.b.Arrays.Cells[q].Heads {
			if w.cells[q].any && h.Mask != 0 {
				m := &w.masked.masks[h.Mask-1]
				m.At.Distinct(m.Dims, func(r int) { needed[r] = true })
			}
		}
	}
	n := 0
	for _, is := range needed[1:] {
		if is {
			n++
		}
	}
	out.Saved = make([]uint32, 0, n)
	for r := uint32(1); r < w.b.Regs; r++ {
		if needed[r] {
			out.Saved = append(out.Saved, r)
		}
	}
}
