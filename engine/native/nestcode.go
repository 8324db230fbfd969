package native

import (
	"fmt"
	"maps"
	"math"
	"math/bits"
	"slices"

	"github.com/gram-machine/gram/engine/ir"
	"github.com/gram-machine/gram/engine/wasm"
	"github.com/gram-machine/gram/term"
)

// The parameters of the code of a nest: the iterations of the outermost loop, times 8, if it has no tests, where what
// is pushed begins or ends, and where memory ends for it.
const (
	nestFrom local = iota
	nestTo
	nestStack
	nestLimit
)

const (
	mostUnrolled = 16           // iterations of a loop that has code for each
	block        = 8 * mostBits // of the iterations that run as one block, times 8
)

// nestGen makes the code of a nest.
type nestGen struct {
	coder
	n       *Nest
	back    bool
	zero    local // it is 0
	index   []nestIndex
	bases   map[string]local // of sums of indices
	known   []map[int]bool   // the numbers in locals, scope by scope
	based   []map[local]bool // the sums of indices: those of straight code have no scope of their own
	begun   []map[int]bool   // the adjoints in locals
	current []local          // with the iterations that are left, of each loop
}

// nestIndex is the index of a loop: a number, or a local that has it times 8. Of a loop that runs in blocks, first is
// that of the first iteration of the block, and all has those that there are.
type nestIndex struct {
	fixed      bool
	n          int
	local      local
	first, all local
}

func (g *nestGen) value(i int) local   { return g.in(useNumber, i) }
func (g *nestGen) adjoint(i int) local { return g.in(useAdjoint, i) }
func (g *nestGen) test(i int) local    { return g.in(useTest, i) }
func (g *nestGen) take(i int) local    { return g.in(useTake, i) }

func (n *Nest) newGen(back bool) *nestGen {
	g := &nestGen{coder: newCoder(4), n: n, back: back, bases: map[string]local{}}
	g.zero = g.newLocal(wasm.I32)
	for k := range n.v.Loops {
		x := nestIndex{local: g.newLocal(wasm.I32)}
		if n.loop(k).blocks {
			x.first, x.all = g.newLocal(wasm.I32), g.newLocal(wasm.I64)
		}
		g.index = append(g.index, x)
		g.current = append(g.current, g.newLocal(wasm.I64))
	}
	return g
}

// scope runs do in a scope of its own.
func (g *nestGen) scope(do func()) {
	g.known, g.begun = append(g.known, map[int]bool{}), append(g.begun, map[int]bool{})
	do()
	g.known, g.begun = g.known[:len(g.known)-1], g.begun[:len(g.begun)-1]
}

// keep puts the number on the stack in the local of an instruction.
func (g *nestGen) keep(i int) {
	g.code(setTo(g.value(i)))
	g.known[len(g.known)-1][i] = true
}

// address leaves the address of a word that depends on indices, without what it returns. The sum of what depends on
// indices is kept in a local, for other addresses.
func (g *nestGen) address(at int, by func(k int) int) (offset int) {
	offset = wasm.TableBytes + 8*at
	key, negative := "", false
	var sum []any
	for k, x := range g.index {
		d := by(k)
		if x.fixed {
			offset += 8 * d * x.n
			continue
		}
		if d == 0 {
			continue
		}
		if sum = append(sum, x.local); d != 1 {
			sum = append(sum, i32(d), wasm.I32Mul)
		}
		if key != "" {
			sum = append(sum, wasm.I32Add)
		}
		key += fmt.Sprint(k, "*", d, ";")
		negative = negative || d < 0
	}
	if key == "" {
		g.code(g.zero)
		return offset
	}
	if negative {
		key += fmt.Sprint(offset)
		sum = append(sum, i32(offset), wasm.I32Add)
		offset = 0
	}
	base, ok := g.bases[key]
	if !ok {
		base = g.newLocal(wasm.I32)
		g.bases[key] = base
	}
	if !isIn(g.based, base) {
		g.code(append(sum, setTo(base))...)
		g.based[len(g.based)-1][base] = true
	}
	g.code(base)
	return offset
}

// element leaves a number of memory.
func (g *nestGen) element(at int, by func(k int) int) {
	offset := g.address(at, by)
	g.code(memory(wasm.F64Load, offset))
}

// strides is how far apart the numbers of loops are, the innermost first.
func (n *Nest) strides(loops []int) func(k int) int {
	return func(k int) int {
		apart := 1
		for _, l := range loops {
			if l == k {
				return apart
			}
			apart *= n.loop(l).Size
		}
		return 0
	}
}

// get leaves the number of an instruction.
func (g *nestGen) get(i int) {
	n, l, s := g.n, &g.n.lanes[i], &g.n.v.Lanes[i]
	switch {
	case s.Op == ir.LaneConst:
		g.code(f64(s.Val))
		return
	case s.Op == ir.LaneExpand:
		g.get(s.A)
		return
	case isIn(g.known, i):
		g.code(g.value(i))
		return
	case l.table >= 0:
		t := &n.tables[l.table]
		g.element(t.at, n.strides(t.loops))
	case s.Op == ir.LaneScalar:
		g.code(g.zero, word(wasm.F64Load, n.data[i]))
	case s.Op == ir.LaneLoad:
		lo, _ := n.span(i)
		g.element(n.data[i]-lo, func(k int) int { return s.At.By[k] })
	case s.Op == ir.LaneTake && !g.back:
		a := &n.lanes[s.A]
		first, by := n.taken(i)
		stride := n.strides(a.dims)
		g.element(a.array+first, func(k int) int {
			if by[k] == 0 && n.around(k, s.B) {
				return stride(k)
			}
			return by[k]
		})
	case g.back:
		g.compute(i)
	default:
		n.fail(l.array < 0)
		g.element(l.array, n.strides(l.dims))
	}
	g.keep(i)
	g.code(g.value(i))
}

// around reports whether loop k is loop, or around it.
func (n *Nest) around(k, loop int) bool {
	for ; loop >= 0; loop = n.loop(loop).Parent {
		if loop == k {
			return true
		}
	}
	return false
}

// compute leaves the number of an operation.
func (g *nestGen) compute(i int) {
	s := &g.n.v.Lanes[i]
	if g.n.fail(!operation(s.Op)) {
		return
	}
	for _, k := range operands(s) {
		g.get(k)
	}
	g.apply(s.Sym)
}

// Short reports whether a symbol takes a few instructions.
func Short(s term.Symbol) bool {
	_, ok := instructions[s]
	return ok || wasm.Short(s, 2*wasm.InlineBytes)
}

// apply applies a symbol to the operands on the stack.
func (g *nestGen) apply(s term.Symbol) {
	if op, ok := instructions[s]; ok {
		g.code(opcodes[op])
	} else if !g.n.fail(!wasm.Translated(s)) {
		g.Symbol(s)
	}
}

// slope leaves the partial derivative of operation x for operand k.
func (g *nestGen) slope(x, k int) {
	s := &g.n.v.Lanes[x]
	of := append(operands(s), x)
	term.Interpret(&s.Sym.Info().Slopes[k], len(of)-1, func(r float64) func() { return func() { g.code(f64(r)) } },
		func(i int) func() { return func() { g.get(of[i]) } },
		func(f term.Symbol, args ...func()) func() {
			args = slices.Clone(args)
			return func() {
				for _, arg := range args {
					arg()
				}
				g.apply(f)
			}
		})()
}

// hasLoops reports whether a phase has loops in it.
func (p *phase) hasLoops() bool {
	return slices.ContainsFunc(p.units, func(u unit) bool { return u.loop >= 0 })
}

// adds reports whether a phase without loops adds to sums.
func (g *nestGen) adds(p *phase) bool {
	return slices.ContainsFunc(p.units, func(u unit) bool { return g.n.v.Lanes[u.lane].Op == ir.LaneSum })
}

// iterate makes the code of body for the iterations of a phase.
func (g *nestGen) iterate(k int, p *phase, body func()) {
	unrolled := k >= 0 && p.guard < 0 && !p.hasLoops() && g.n.loop(k).Size <= mostUnrolled
	if !unrolled {
		g.based = append(g.based, map[local]bool{})
		defer func() { g.based = g.based[:len(g.based)-1] }()
	}
	switch {
	case k < 0:
		g.scope(body)
	case p.guard >= 0:
		g.bits(k, p.guard, body)
	case unrolled: // from the last on where that may be, so that bounds are checked once
		x, size := &g.index[k], g.n.loop(k).Size
		ahead := !g.back && (len(p.pushed) > 0 || g.adds(p))
		for j := range size {
			if x.fixed, x.n = true, size-1-j; ahead {
				x.n = j
			}
			g.scope(body)
		}
		x.fixed = false
	case g.n.loop(k).blocks:
		x := &g.index[k]
		end := func() { g.code(x.first, x.all, wasm.I64Ones, wasm.Wrap, i32(3), wasm.I32ShiftL, wasm.I32Add) }
		g.counting(x.local, x.first, end, 8, body)
	default:
		from, to := g.range8(k, p.hasLoops())
		g.counting(g.index[k].local, from, to, 8, body)
	}
}

// range8 is from which iteration of a loop to which code runs, times 8: of the outermost loop, those of a part.
func (g *nestGen) range8(k int, part bool) (from, to any) {
	if k == g.n.outer && part {
		return nestFrom, nestTo
	}
	return i32(0), i32(8 * g.n.loop(k).Size)
}

// inBlocks makes the code of a loop: body, for each block if it runs in blocks.
func (g *nestGen) inBlocks(k int, body func()) {
	loop := g.n.loop(k)
	if !loop.blocks {
		body()
		return
	}
	x := &g.index[k]
	from, to := g.range8(k, true)
	g.based = append(g.based, map[local]bool{})
	defer func() { g.based = g.based[:len(g.based)-1] }()
	last := (loop.Size - 1) / mostBits * mostBits
	g.counting(x.first, from, to, block, func() {
		g.code(i64(^uint64(0)>>(mostBits-loop.Size+last)), i64(-1), x.first, i32(8*last), wasm.I32Equal, wasm.Select,
			setTo(x.all))
		body()
	})
}

// counting makes the code of a loop in which a local goes from one number to another, which is larger, in steps, or, in
// backward code, the other way round.
func (g *nestGen) counting(x local, from, to any, step int, body func()) {
	if !g.back {
		g.code(from, setTo(x), wasm.Loop, wasm.None)
		g.scope(body)
		g.code(x, i32(step), wasm.I32Add, setTo(x), x, to, wasm.I32Less, wasm.BrIf, 0, wasm.End)
		return
	}
	shift := i32(bits.TrailingZeros(uint(step)))
	g.code(to, i32(step-1), wasm.I32Add, shift, wasm.I32ShiftR, shift, wasm.I32ShiftL, setTo(x), wasm.Loop, wasm.None,
		x, i32(step), wasm.I32Sub, setTo(x))
	g.scope(body)
	g.code(from, x, wasm.I32Less, wasm.BrIf, 0, wasm.End)
}

// bits makes the code of body for the iterations that take a branch.
func (g *nestGen) bits(k, test int, body func()) {
	left, x := g.current[k], g.index[k].local
	more := func() { g.code(left, i64(0), wasm.I64Ne) }
	g.code(g.test(test), setTo(left), more, wasm.If, wasm.None, wasm.Loop, wasm.None)
	if g.back {
		g.code(i64(63), left, wasm.I64Clz, wasm.I64Sub, wasm.Wrap, i32(3), wasm.I32ShiftL, setTo(x),
			left, i64(math.MinInt64), left, wasm.I64Clz, wasm.I64ShiftR, wasm.I64Xor, setTo(left))
	} else {
		g.code(left, wasm.I64Ctz, wasm.Wrap, i32(3), wasm.I32ShiftL, setTo(x),
			left, left, i64(1), wasm.I64Sub, wasm.I64And, setTo(left))
	}
	if g.n.loop(k).blocks {
		g.code(x, g.index[k].first, wasm.I32Add, setTo(x))
	}
	g.scope(body)
	g.code(more, wasm.BrIf, 0, wasm.End, wasm.End)
}

// full is all iterations of a loop of at most mostBits.
func (n *Nest) full(k int) i64 { return i64(^uint64(0) >> (mostBits - n.loop(k).Size)) }

// all is the set of all iterations of a loop, or of a block.
func (g *nestGen) all(k int) any {
	if g.n.loop(k).blocks {
		return g.index[k].all
	}
	return g.n.full(k)
}

// or adds a set of iterations to those of a word.
func (g *nestGen) or(at int, set any) {
	x := g.in(useSet, at)
	g.code(x, set, wasm.I64Or, setTo(x))
}

// count adds how many iterations there are in a set to a word. That of the outermost loop, if that may run in parts,
// has the set.
func (g *nestGen) count(k, at int, set any) {
	if g.n.hasSet(k) {
		g.or(at, set)
		return
	}
	x := g.in(useCount, at)
	g.code(x, set, wasm.I64Ones, wasm.I64Add, setTo(x))
}

// finish ends a function: counters go to memory.
func (g *nestGen) finish() *wasm.Function {
	keys := slices.SortedFunc(maps.Keys(g.locals), func(a, b localKey) int { return int(g.locals[a] - g.locals[b]) })
	for _, l := range keys {
		if op, ok := map[int]byte{useCount: wasm.I64Add, useSet: wasm.I64Or}[l.use]; ok {
			g.code(g.zero, g.zero, word(wasm.I64Load, l.of), g.locals[l], op, word(wasm.I64Store, l.of))
		}
	}
	if !g.back { // the backward code may run again
		g.code(g.zero, nestStack, wasm.Extend, word(wasm.I64Store, nestTop))
	}
	return g.Function
}

// push moves the end of what is pushed by so many words.
func (g *nestGen) push(words int) {
	if words != 0 {
		g.code(nestStack, i32(8*words), wasm.I32Add, setTo(nestStack))
	}
}

// forward makes the code that computes the results.
func (n *Nest) forward() *wasm.Function {
	g := n.newGen(false)
	if n.outer >= 0 {
		g.code(g.zero, word(wasm.F64Load, nestResults), setTo(g.value(n.results[0])))
	}
	g.body(-1)
	for k, r := range n.results {
		g.code(g.zero, g.value(r), word(wasm.F64Store, nestResults+k))
	}
	return g.finish()
}

// body makes the forward code of a loop, or of a block of one.
func (g *nestGen) body(k int) {
	n, loop := g.n, g.n.loop(k)
	words, iterations := len(loop.pushed), loop.Size
	if loop.blocks {
		iterations = mostBits
	}
	for i := range loop.phases {
		words += iterations * len(loop.phases[i].pushed)
	}
	if words > 0 {
		g.code(nestStack, i32(8*words), wasm.I32Add, nestLimit, wasm.I32Gt, wasm.If, wasm.None,
			g.zero, i64(1), word(wasm.I64Store, nestFull), wasm.Return, wasm.End)
	}
	for _, t := range loop.tests {
		g.code(i64(0), setTo(g.test(t)))
	}
	for at := range loop.phases {
		p := &loop.phases[at]
		if k >= 0 && n.hasSet(k) && p.guard >= 0 && p.hasLoops() {
			g.code(g.test(p.guard), g.zero, word(wasm.I64Load, nestRange), wasm.I64And, setTo(g.test(p.guard)))
		}
		g.iterate(k, p, func() {
			for _, u := range p.units {
				if u.loop >= 0 {
					g.inner(k, u.loop)
				} else {
					g.unit(u.lane)
				}
			}
			for j, i := range slices.Backward(p.pushed) { // from the last on, so that bounds are checked once
				g.code(nestStack, func() { g.get(i) }, memory(wasm.F64Store, 8*j))
			}
			g.push(len(p.pushed))
		})
		for _, t := range loop.tests {
			if n.phaseOf(t) == at {
				g.settle(k, t)
			}
		}
	}
	for j, t := range loop.pushed {
		g.code(nestStack, g.test(t), memory(wasm.I64Store, 8*j))
	}
	g.push(len(loop.pushed))
	for _, i := range n.sumsOf(k) {
		s := &n.v.Lanes[n.v.Lanes[i].A]
		if !n.summand(n.v.Lanes[i].A) || n.hasSet(k) {
			continue
		}
		others := func() { g.code(g.test(s.C), g.all(k), wasm.I64Xor) } // in them, a summand is a numeral
		g.code(g.value(i), others, wasm.I64Ones, wasm.Wrap, wasm.Convert, f64(n.v.Lanes[s.B].Val), wasm.F64Mul,
			f64(math.Copysign(0, -1)), others, i64(0), wasm.I64Ne, wasm.Select, wasm.F64Add, setTo(g.value(i)))
	}
}

// settle makes the bits of a test those of the iterations in which it is 1.
func (g *nestGen) settle(k, t int) {
	s := &g.n.v.Lanes[t]
	within := g.all(k)
	if s.C >= 0 {
		within = g.test(s.C)
	}
	if s.Op == ir.LaneNot {
		g.code(within, g.test(s.A), i64(-1), wasm.I64Xor, wasm.I64And, setTo(g.test(t)))
		return
	}
	g.code(within, g.test(t), wasm.I64And, setTo(g.test(t)))
	g.count(k, g.n.lanes[t].counter, g.test(t))
}

// unit makes the forward code of an instruction.
func (g *nestGen) unit(i int) {
	n, s := g.n, &g.n.v.Lanes[i]
	a, b := func() { g.get(s.A) }, func() { g.get(s.B) }
	index := func() { g.indexBits(s.Loop) }
	switch {
	case s.Op == ir.LaneSum:
		g.code(g.value(i), a, wasm.F64Add, setTo(g.value(i)))
		return
	case s.Op == ir.LaneTest:
		g.code(g.test(i), a, b, compares[s.Cmp], wasm.Extend, index, wasm.I64ShiftL, wasm.I64Or, setTo(g.test(i)))
		return
	case s.Op == ir.LaneSelect && n.summand(i): // it is computed where it is A
		g.code(a)
	case s.Op == ir.LaneSelect:
		g.code(a, b, g.test(s.C), index, wasm.I64ShiftR, i64(1), wasm.I64And, wasm.Wrap, wasm.Select)
	case operation(s.Op) && !n.lanes[i].fixed:
		g.compute(i)
	default:
		g.get(i)
	}
	g.keep(i)
	g.store(i)
}

// store puts the number of an instruction in its array.
func (g *nestGen) store(i int) {
	if l := &g.n.lanes[i]; l.array >= 0 {
		offset := g.address(l.array, g.n.strides(l.dims))
		g.code(g.value(i), memory(wasm.F64Store, offset))
	}
}

// indexBits leaves the index of a loop.
func (g *nestGen) indexBits(k int) {
	if x := &g.index[k]; x.fixed {
		g.code(i64(x.n))
	} else {
		if g.code(x.local); g.n.loop(k).blocks {
			g.code(x.first, wasm.I32Sub)
		}
		g.code(i32(3), wasm.I32ShiftR, wasm.Extend)
	}
}

// sumsOf are the sums over the iterations of a loop.
func (n *Nest) sumsOf(c int) (sums []int) {
	for i := range n.lanes {
		if n.v.Lanes[i].Op == ir.LaneSum && n.loopOf(i) == c {
			sums = append(sums, i)
		}
	}
	return sums
}

// expanded calls f for what loop c, which is in loop k, reads of an iteration of that, with what reads it.
func (n *Nest) expanded(k, c int, f func(i, by int)) {
	for e := range n.lanes {
		s, used := &n.v.Lanes[e], len(n.lanes[e].uses) > 0
		if used && k >= 0 && s.Op == ir.LaneExpand && n.v.Lanes[s.A].Loop == k && n.under(k, s.Loop) == c {
			f(s.A, e)
		}
	}
}

// ready puts a number in its local, for the loops inside.
func (g *nestGen) ready(i int) { g.code(func() { g.get(i) }, wasm.Drop) }

// inner makes the forward code of loop c in loop k.
func (g *nestGen) inner(k, c int) {
	n := g.n
	n.expanded(k, c, func(i, _ int) { g.ready(i) })
	if c == n.outer { // the sum goes on from where it was
		g.inBlocks(c, func() { g.body(c) })
		return
	}
	for _, i := range n.sumsOf(c) {
		g.code(f64(math.Copysign(0, -1)), setTo(g.value(i)))
	}
	g.inBlocks(c, func() { g.body(c) })
	for _, i := range n.sumsOf(c) {
		g.known[len(g.known)-1][i] = true
		g.store(i)
	}
}

// backward makes the code that goes back.
func (n *Nest) backward() *wasm.Function {
	g := n.newGen(true)
	g.scope(func() {
		for k, r := range n.results {
			if l := &n.lanes[r]; l.grad && l.reach.all {
				g.code(g.zero, word(wasm.F64Load, nestResults+len(n.results)+k), setTo(g.adjoint(r)))
				g.begun[0][r] = true
			}
		}
		g.loopBack(-1)
	})
	return g.finish()
}

// reached leaves a set of iterations.
func (g *nestGen) reached(k int, r reachSet) func() {
	return func() {
		if r.all {
			g.code(g.all(k))
		}
		for j, t := range r.of {
			if t >= 0 {
				g.code(g.test(t))
			} else {
				g.code(g.take(^t))
			}
			if j > 0 {
				g.code(wasm.I64Or)
			}
		}
	}
}

// loopBack makes the backward code of a loop, or of a block of one.
func (g *nestGen) loopBack(k int) {
	n, loop := g.n, g.n.loop(k)
	g.push(-len(loop.pushed))
	for j, t := range loop.pushed {
		g.code(nestStack, memory(wasm.I64Load, 8*j), setTo(g.test(t)))
	}
	for e := range n.lanes {
		if a := n.v.Lanes[e].A; n.lanes[e].some && n.v.Lanes[a].Loop == k {
			g.code(i64(0), setTo(g.take(a)))
		}
	}
	for _, i := range n.sumsOf(k) {
		if !n.isMixed(i) {
			continue
		}
		t := g.test(n.lanes[n.v.Lanes[i].A].mixed)
		if n.hasSet(k) {
			g.or(nestTests, t)
			continue
		}
		if loop.Size >= longSum {
			g.longSum(k, n.lanes[i].heads, t)
			continue
		}
		at, first := []any{t, wasm.Wrap, i32(3), wasm.I32ShiftL}, wasm.TableBytes+8*n.lanes[i].heads
		g.code(append(at, at...)...)
		g.code(memory(wasm.I64Load, first), i64(1), wasm.I64Add, memory(wasm.I64Store, first))
	}
	for at := len(loop.phases) - 1; at >= 0; at-- {
		if p := &loop.phases[at]; p.back {
			g.iterate(k, p, func() { g.phaseBack(k, at, p) })
		}
	}
	for _, r := range loop.reach {
		switch {
		case k < 0 || r.all && k == n.outer:
		case r.all && !loop.blocks:
			x := g.in(useCount, r.counter)
			g.code(x, i64(loop.Size), wasm.I64Add, setTo(x))
		default:
			g.count(k, r.counter, g.reached(k, r.reachSet))
		}
	}
	for _, i := range loop.arrive {
		if r := n.lanes[i].reach; !r.none() {
			g.or(n.adj[i]+loop.Size, g.reached(k, r))
		}
	}
	for i := range n.lanes {
		if s, l := &n.v.Lanes[i], &n.lanes[i]; s.Op == ir.LaneTake && s.Loop == k && l.live && !l.reach.none() {
			x := g.take(s.A)
			g.code(x, g.reached(k, l.reach), i64(n.shift(i)), wasm.I64ShiftL, wasm.I64Or, setTo(x))
		} else if l.some && s.Loop == k {
			x, index := g.take(s.A), func() { g.indexBits(n.v.Lanes[s.A].Loop) }
			g.code(x, g.reached(k, l.reach), i64(0), wasm.I64Ne, wasm.Extend, index, wasm.I64ShiftL, wasm.I64Or, setTo(x))
		}
	}
}

// longSum counts the additions of a long sum by kind, from which of the summands have adjoints: those of the first 16,
// but for 7 that join partial sums, and those of the others, each to a partial sum that has an adjoint.
func (g *nestGen) longSum(k, first int, tests local) {
	add := func(left, right bool, set ...any) {
		x := g.in(useCount, first+ir.KindOf(left, right))
		g.code(append(append([]any{x}, set...), wasm.I64Ones, wasm.I64Add, setTo(x))...)
	}
	rest := func(from int) {
		add(true, true, tests, i64(from), wasm.I64ShiftR)
		add(true, false, tests, g.all(k), wasm.I64Xor, i64(from), wasm.I64ShiftR)
	}
	head := func() {
		next := func() { g.code(tests, i64(8), wasm.I64ShiftR) }
		add(true, true, tests, next, wasm.I64And, i64(0xff), wasm.I64And)
		add(true, false, tests, next, i64(-1), wasm.I64Xor, wasm.I64And, i64(0xff), wasm.I64And)
		add(false, true, next, tests, i64(-1), wasm.I64Xor, wasm.I64And, i64(0xff), wasm.I64And)
		rest(longSum)
	}
	if !g.n.loop(k).blocks {
		head()
		return
	}
	g.code(g.index[k].first, wasm.If, wasm.None)
	rest(0)
	g.code(wasm.Else)
	head()
	g.code(wasm.End)
}

// phaseBack makes the backward code of an iteration of a phase.
func (g *nestGen) phaseBack(k, at int, p *phase) {
	n := g.n
	g.push(-len(p.pushed))
	for j, i := range slices.Backward(p.pushed) {
		g.code(nestStack, memory(wasm.F64Load, 8*j))
		g.keep(i)
	}
	for i := range n.lanes { // nothing has been reached of the vectors that this iteration makes
		l := &n.lanes[i]
		made := func(u int) bool { return n.v.Lanes[u].Op == ir.LaneTake && n.v.Lanes[u].B == k }
		if of, _ := n.unitOf(i, k); l.live && slices.ContainsFunc(l.uses, made) && n.loop(k).units[of] == at {
			g.code(i64(0), setTo(g.take(i)))
		}
	}
	for _, u := range slices.Backward(p.units) {
		switch {
		case u.loop < 0:
			if l := &n.lanes[u.lane]; l.grad && !l.reach.none() {
				g.unitBack(u.lane)
			}
		case n.loop(u.loop).back:
			n.expanded(k, u.loop, func(i, by int) {
				if l := &n.lanes[by]; l.grad && !l.reach.none() {
					g.begin(i)
				}
				if n.v.Lanes[i].Op == ir.LaneLoad {
					g.ready(i)
				}
			})
			g.inBlocks(u.loop, func() { g.loopBack(u.loop) })
		}
	}
	for _, i := range slices.Sorted(maps.Keys(g.begun[len(g.begun)-1])) { // all that reads these has been gone through
		switch s := &n.v.Lanes[i]; {
		case s.Loop != k || k < 0:
		case s.Op == ir.LaneExpand:
			g.add(s.A, g.adjoint(i))
		case s.Op == ir.LaneLoad:
			g.arrive(i, g.adjoint(i))
		}
	}
}

// begin makes the adjoint of an instruction 0, if nothing has arrived there.
func (g *nestGen) begin(i int) {
	if !isIn(g.begun, i) {
		g.code(f64(0), setTo(g.adjoint(i)))
		g.begun[len(g.begun)-1][i] = true
	}
}

// add adds a number to the adjoint of an instruction.
func (g *nestGen) add(i int, number any) {
	switch s := &g.n.v.Lanes[i]; {
	case s.Op == ir.LaneScalar || s.Op == ir.LaneLoad && s.Loop < 0:
		g.arrive(i, number)
	case isIn(g.begun, i):
		g.code(g.adjoint(i), number, wasm.F64Add, setTo(g.adjoint(i)))
	default:
		g.code(number, setTo(g.adjoint(i)))
		g.begun[len(g.begun)-1][i] = true
	}
}

// arrive adds a number to the adjoint of an input in memory, and sets its flag.
func (g *nestGen) arrive(i int, number any) {
	n, s := g.n, &g.n.v.Lanes[i]
	lo, hi := n.span(i)
	by := func(k int) int { return s.At.By[k] }
	offset := g.address(n.adj[i]-lo, by)
	g.element(n.adj[i]-lo, by)
	g.code(number, wasm.F64Add, memory(wasm.F64Store, offset))
	if n.lanes[i].flagged {
		offset = g.address(n.adj[i]-lo+hi-lo+1, by)
		g.code(f64(1), memory(wasm.F64Store, offset))
	}
}

// unitBack makes the backward code of an instruction.
func (g *nestGen) unitBack(i int) {
	n, s, d := g.n, &g.n.v.Lanes[i], g.adjoint(i)
	switch {
	case n.fail(!isIn(g.begun, i)):
	case s.Op == ir.LaneSum || n.summand(i):
		if n.lanes[s.A].grad {
			g.add(s.A, d)
		}
	case n.fail(!operation(s.Op)):
	default:
		for k, o := range operands(s) {
			if !n.lanes[o].grad {
				continue
			}
			if s.Sym == term.NoSymbol {
				g.add(o, d)
			} else {
				g.add(o, func() { g.code(d, func() { g.slope(i, k) }, wasm.F64Mul) })
			}
		}
	}
}
