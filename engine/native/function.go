package native

import (
	"maps"
	"math"
	"slices"
	"sort"

	"github.com/gram-machine/gram/engine/ir"
	"github.com/gram-machine/gram/engine/wasm"
	"github.com/gram-machine/gram/term"
)

// Where the locals of a function are: those of the parameters stand behind them.
const (
	self local = iota
	stack
	firstParameter
)

// touched is how many statements the tape gets in straight code, about: checks of bounds for these are left out.
const touched = 64

// emitter makes the code of a function.
type emitter struct {
	*wasm.Function
	u      *linkage
	f      *ir.Func
	number int
	v, a   map[ir.Reg]local
	facts  []fact
	// What is known in straight code: the registers whose numbers have an adjoint, and whether the ends of the tape are in
	// locals, and whether these have changed.
	alive         map[ir.Reg]bool
	taped, pushed bool
	// How far the ends of the tape are behind what is in the locals: statements, addresses and slopes.
	beyond  [3]int
	blocks  []blockOf
	open    []blockOf // that code is in, the innermost last
	scratch map[string]local
	uses    bool           // the closure that runs
	above   int            // how far above the top of the stack the frame for the host is
	drop    []bool         // instructions that are left out
	zero    local          // it is 0: words are at an offset from it
	chains  map[int]*chain // by their first instruction
}

// chain is what is run if its first block is.
type chain struct {
	blocks    []uint32
	steps     uint64
	addresses uint64 // that it puts on the tape at most
}

// fact is what is known of a register in all code.
type fact struct {
	plain  bool // a number without an adjoint
	number bool // a number
}

// blockOf is code out of which a jump leads to its end, of a loop to its start. They are places of instructions.
type blockOf struct {
	start, end int
	loop       bool
}

// function makes the code of function n.
func (u *linkage) function(n int) {
	g := &emitter{Function: u.functions[n], u: u, f: u.Funcs[n], number: n, v: map[ir.Reg]local{},
		a: map[ir.Reg]local{}, alive: map[ir.Reg]bool{}, scratch: map[string]local{}}
	for k := range g.f.Params() {
		g.v[ir.Reg(k)], g.a[ir.Reg(k)] = firstParameter+local(2*k), firstParameter+local(2*k+1)
	}
	g.drop, g.zero = u.Dropped(g.f), local(g.NewLocal(wasm.I32))
	g.findChains()
	g.findFacts()
	g.findBlocks()
	g.enter()
	for i := range g.f.Code {
		for len(g.open) > 0 && g.open[len(g.open)-1].end == i && !g.open[len(g.open)-1].loop {
			g.flush()
			g.Code(wasm.End)
			g.open = g.open[:len(g.open)-1]
		}
		for _, b := range g.blocks {
			if b.start != i {
				continue
			}
			if !b.loop {
				g.Code(wasm.Block, wasm.None)
			} else {
				if g.flush(); g.f.Code[i+1].Op == ir.Enter { // in front of the loop, in which registers do not change then
					g.loopByHost(i + 1)
				}
				g.Code(wasm.Loop, wasm.None)
			}
			g.open = append(g.open, b)
		}
		if !g.drop[i] {
			g.instruction(i, &g.f.Code[i])
		}
	}
	for range g.open { // the loop of tail calls
		g.Code(wasm.End)
	}
	g.Code(wasm.Unreachable)
	g.Finish()
}

// findFacts finds what is known of registers.
func (g *emitter) findFacts() {
	g.facts = make([]fact, g.f.Regs)
	for r := g.f.Params(); r < len(g.facts); r++ {
		g.facts[r] = fact{true, true}
	}
	for again := true; again; {
		again = false
		for i := range g.f.Code {
			in := &g.f.Code[i]
			var is fact
			switch in.Op {
			case ir.Const, ir.IndexAdd, ir.IndexSub, ir.IndexMul, ir.IndexDiv, ir.IndexNeg, ir.Next, ir.Prev:
				is = fact{true, true}
			case ir.Add, ir.Mul, ir.Fun1, ir.Fun2, ir.FunK:
				is = fact{!in.Taped, true}
			case ir.Static, ir.StaticX:
				vector, _ := g.u.Vector(in.N)
				is = fact{vector > 0 || !g.u.Taped, true}
			case ir.SumAdd:
				is = fact{!in.Taped && g.facts[in.A].plain, g.facts[in.A].number}
			case ir.Move:
				is = g.facts[in.A]
			}
			for k := range in.Sets() {
				r := &g.facts[int(in.D)+k]
				if old := *r; true {
					r.plain, r.number = r.plain && is.plain, r.number && is.number
					again = again || *r != old
				}
			}
			g.uses = g.uses || in.Op == ir.Member || in.Op == ir.Capture
		}
	}
}

// findChains finds the blocks that are all run if the first is.
func (g *emitter) findChains() {
	g.chains = map[int]*chain{}
	var c *chain // the last one
	open := false
	for i := range g.f.Code {
		switch in := &g.f.Code[i]; {
		case g.drop[i]:
		case in.Op == ir.Count:
			if !open {
				c, open = &chain{}, true
				g.chains[i] = c
			}
			c.blocks, c.steps = append(c.blocks, in.N), c.steps+g.u.Blocks[in.N].Total+1
		case in.Op == ir.Label || in.Op == ir.Enter || len(in.Targets()) > 0 || in.Op.Ends():
			open = false
		case in.Taped:
			c.addresses += max(2, uint64(len(in.Args)))
			g.u.made.Ahead = max(g.u.made.Ahead, int(c.addresses))
		}
	}
}

// findBlocks finds the blocks to whose ends jumps lead, and the loops. They nest.
func (g *emitter) findBlocks() {
	labels := ir.Labels(g.f.Code)
	first := map[int]int{} // the first jump to a place
	note := func(from, to int) {
		if old, ok := first[to]; !ok || from < old {
			first[to] = from
		}
	}
	for i := range g.f.Code {
		in := &g.f.Code[i]
		switch in.Op {
		case ir.Next, ir.Prev:
			g.blocks = append(g.blocks, blockOf{labels[in.N], i, true})
		case ir.Enter:
			note(labels[in.N], g.behind(in.N))
		default:
			for _, l := range in.Targets() {
				note(i, labels[l])
			}
		}
	}
	loops := len(g.blocks)
	for _, to := range slices.Sorted(maps.Keys(first)) {
		g.blocks = append(g.blocks, blockOf{first[to], to, false})
	}
	for again := true; again; {
		again = false
		for k := loops; k < len(g.blocks); k++ {
			b := &g.blocks[k]
			for _, o := range g.blocks {
				// A block that begins in another and ends behind it begins where that does.
				if o.start < b.start && (b.start < o.end || o.loop && b.start == o.end) && b.end > o.end {
					b.start, again = o.start, true
				}
			}
		}
	}
	sort.SliceStable(g.blocks, func(i, j int) bool { return g.blocks[i].end > g.blocks[j].end })
}

// behind is the place behind the loop with the label.
func (g *emitter) behind(label uint32) int {
	return 1 + slices.IndexFunc(g.f.Code, func(in ir.Instr) bool {
		return (in.Op == ir.Next || in.Op == ir.Prev) && in.N == label
	})
}

// jump is a jump to a place, with an opcode, out of so many blocks that are not in open.
func (g *emitter) jump(op byte, to int, more int) {
	g.Op(op)
	g.depth(to, more)
}

func (g *emitter) depth(to int, more int) {
	for k := range slices.Backward(g.open) {
		if b := &g.open[k]; b.loop && b.start == to || !b.loop && b.end == to {
			g.Unsigned(uint64(len(g.open) - 1 - k + more))
			return
		}
	}
	panic("native: there is no block to jump out of")
}

// local is a local for a use.
func (g *emitter) local(use string, typ byte) local { return localFor(g, g.scratch, use, typ) }

// localFor is the local of a key, made where it is asked for first.
func localFor[K comparable](g *emitter, of map[K]local, key K, typ byte) local {
	x, ok := of[key]
	if !ok {
		x = local(g.NewLocal(typ))
		of[key] = x
	}
	return x
}

// value and adjoint are the locals of a register.
func (g *emitter) value(r ir.Reg) local   { return localFor(g, g.v, r, wasm.F64) }
func (g *emitter) adjoint(r ir.Reg) local { return localFor(g, g.a, r, wasm.I64) }

// pushAdjoint leaves the adjoint's address, or the reference, of a register on the stack.
func (g *emitter) pushAdjoint(r ir.Reg) {
	if g.facts[r].plain {
		g.Code(i64(0))
		return
	}
	g.Code(g.adjoint(r))
}

// setNumber sets a register to the number on the stack, which has no adjoint.
func (g *emitter) setNumber(r ir.Reg) {
	g.Code(setTo(g.value(r)))
	if delete(g.alive, r); !g.facts[r].plain {
		g.Code(i64(0), setTo(g.adjoint(r)))
	}
}

// setSlot sets a register to the number on the stack, and the address or reference above it.
func (g *emitter) setSlot(r ir.Reg) {
	delete(g.alive, r)
	g.Code(setTo(g.adjoint(r)), setTo(g.value(r)))
}

// slot sets a register to the slot so far behind the address on the stack.
func (g *emitter) slot(r ir.Reg, at int) {
	delete(g.alive, r)
	address := g.local("address", wasm.I32)
	g.Code(tee(address), memory(wasm.I64Load, at+8), setTo(g.adjoint(r)),
		address, memory(wasm.F64Load, at), setTo(g.value(r)))
}

// setRef sets a register to the reference on the stack.
func (g *emitter) setRef(r ir.Reg) {
	delete(g.alive, r)
	g.Code(setTo(g.adjoint(r)))
}

// operand leaves an operand on the stack.
func (g *emitter) operand(in *ir.Instr, number uint8, r ir.Reg) func() {
	return func() {
		if in.Number == number {
			g.Code(f64(in.Val))
			return
		}
		g.Code(g.value(r))
	}
}

func (g *emitter) left(in *ir.Instr) func()  { return g.operand(in, ir.NumberA, in.A) }
func (g *emitter) right(in *ir.Instr) func() { return g.operand(in, ir.NumberB, in.B) }

func (g *emitter) get(n int) func() { return func() { g.Code(g.zero, word(wasm.I32Load, n)) } }

// touch reads a word that is so far behind an address: the checks of bounds for what is before it are left out then.
func (g *emitter) touch(address local, at int) {
	g.Code(address, memory(wasm.I32Load, at), wasm.Drop)
}

// set sets a word of 32 bits.
func (g *emitter) set(n int, to any) { g.Code(g.zero, to, word(wasm.I32Store, n)) }

// enter makes the beginning of the function: where the stack has no room for frames, the host makes some, or runs the
// function.
func (g *emitter) enter() {
	g.touch(g.zero, g.u.Dense)
	g.touch(stack, 16*(g.f.Regs+1))
	g.Code(stack, g.get(StackEnd), wasm.I32Gt, wasm.If, wasm.None)
	for k := range g.f.Params() {
		g.keep(k, ir.Reg(k))
	}
	g.toHost(int32(-1 - g.number))
	g.Code(wasm.If, wasm.None)
	g.returnKept()
	g.Code(wasm.End, wasm.End)
	if slices.ContainsFunc(g.f.Code, g.again) {
		g.open = append(g.open, blockOf{-1, len(g.f.Code), true})
		g.Code(wasm.Loop, wasm.None)
	}
}

// again reports whether an instruction is a tail call of the function that runs.
func (g *emitter) again(in ir.Instr) bool { return in.Op == ir.TailCall && int(in.N) == g.number }

// keep puts a register in a slot of the frame for the host.
func (g *emitter) keep(slot int, r ir.Reg) {
	at := g.above + 16*slot
	g.Code(stack, func() { g.pushAdjoint(r) }, memory(wasm.I64Store, at+8),
		stack, g.value(r), memory(wasm.F64Store, at))
}

// kept leaves a slot of the frame on the stack.
func (g *emitter) kept(slot int) {
	at := g.above + 16*slot
	g.Code(stack, memory(wasm.F64Load, at), stack, memory(wasm.I64Load, at+8))
}

// returnKept returns the results that the host has left.
func (g *emitter) returnKept() {
	for k := range g.f.Results {
		g.kept(k)
	}
	g.Code(wasm.Return)
}

// toHost calls the host, and leaves what it returns. Its frame is above the top of the stack.
func (g *emitter) toHost(place int32) {
	g.set(Stack, func() {
		if g.Code(stack); g.above > 0 {
			g.Code(i32(g.above), wasm.I32Add)
		}
	})
	g.Code(g.zero, self, word(wasm.I64Store, Self), i32(place))
	g.Local(wasm.CallOp, wasm.HostNumber)
}

// host leaves an instruction to the interpreter, which gets in its frame what put puts there. If it may begin a
// collection, references that are read behind the instruction are in memory in between. then takes the results from the
// frame; a local has what the host returns.
func (g *emitter) host(i int, collects bool, put func(), then func(result local)) {
	var refs []ir.Reg
	if collects {
		refs = g.liveRefs(i)
		g.save(refs)
		g.above = 16 * (len(refs) + 1)
	}
	put()
	g.toHost(g.u.Place(g.number, i))
	result := g.local("result", wasm.I32)
	if g.Code(setTo(result)); collects {
		g.restore(refs)
	}
	then(result)
	g.above = 0
}

// operands puts the registers that an instruction reads in its frame.
func (g *emitter) operands(in *ir.Instr) func() {
	return func() {
		kept := map[ir.Reg]bool{}
		in.Reads(func(r ir.Reg) {
			if !kept[r] {
				g.keep(int(r), r)
			}
			kept[r] = true
		})
	}
}

// liveRefs are the registers that may be references, and are set before an instruction and read behind it.
func (g *emitter) liveRefs(i int) (refs []ir.Reg) {
	in := &g.f.Code[i]
	for r := range g.f.ReadFrom(i + 1) {
		if !g.facts[r].number && (r < in.D || r >= in.D+ir.Reg(in.Sets())) {
			refs = append(refs, r)
		}
	}
	slices.Sort(refs)
	return refs
}

// results takes registers from the frame.
func (g *emitter) results(regs ...ir.Reg) {
	for _, r := range regs {
		if g.kept(int(r)); g.facts[r].plain {
			g.Code(wasm.Drop, setTo(g.value(r)))
			continue
		}
		g.setSlot(r)
	}
}

// byHost leaves an instruction to the interpreter, which sets its registers.
func (g *emitter) byHost(i int, collects bool) {
	g.flush()
	g.leave(i, collects)
}

// leave is byHost where the interpreter does not change the tape.
func (g *emitter) leave(i int, collects bool) {
	in := &g.f.Code[i]
	g.host(i, collects, g.operands(in), func(local) {
		for k := range in.Sets() {
			g.results(in.D + ir.Reg(k))
		}
	})
}

// applied leaves a call to the interpreter: its frame gets the closure and the arguments, and has the results.
func (g *emitter) applied(i int, args []ir.Reg) {
	in := &g.f.Code[i]
	last := in.Op == ir.TailCall || in.Op == ir.TailApply
	g.host(i, true, func() {
		g.keep(0, in.A)
		for k, r := range args {
			g.keep(1+k, r)
		}
	}, func(local) {
		if last {
			g.returnKept()
			return
		}
		for k := range int(in.M) {
			g.kept(k)
		}
		g.setResults(in)()
	})
}

// tape loads the ends of the tape.
func (g *emitter) tape() (n, at, slope local) {
	n, at, slope = g.local("n", wasm.I32), g.local("at", wasm.I32), g.local("slope", wasm.I32)
	if !g.taped {
		g.Code(g.get(Statements), setTo(n), g.get(Addresses), setTo(at), g.get(Slopes), setTo(slope))
		g.Code(n, i32(1), wasm.I32ShiftL, setTo(g.local("kind", wasm.I32)))
		g.touch(g.local("kind", wasm.I32), g.u.Kinds+2*touched)
		g.touch(at, 4*2*touched)
		g.touch(slope, 8*2*touched)
		g.taped = true
	}
	return n, at, slope
}

// flush stores the ends of the tape, where code goes on that does not know of the locals.
func (g *emitter) flush() {
	g.store()
	g.taped, g.pushed, g.beyond = false, false, [3]int{}
}

// settle is flush where code goes on that does.
func (g *emitter) settle() {
	g.store()
	g.pushed = false
}

func (g *emitter) store() {
	if !g.pushed {
		return
	}
	n, at, slope := g.tape()
	for k, end := range [...]struct {
		word int
		at   local
		size int
	}{{Statements, n, 1}, {Addresses, at, 4}, {Slopes, slope, 8}} {
		g.set(end.word, func() {
			if g.Code(end.at); g.beyond[k] > 0 {
				g.Code(i32(end.size*g.beyond[k]), wasm.I32Add)
			}
		})
	}
}

// argument is an operand of a statement that may have an adjoint, with its partial derivative.
type argument struct {
	bit   int
	reg   ir.Reg
	slope func() // nil: 1
	short bool   // it takes no time
}

// statement appends a statement to the tape, and leaves its address, the number of the statement, on the stack.
func (g *emitter) statement(kind uint32, args []argument) {
	n, at, slope := g.tape()
	g.pushed = true
	for _, a := range args {
		if g.alive[a.reg] {
			kind += 1 << a.bit
		}
	}
	some := g.local("some", wasm.I32)
	g.Code(g.local("kind", wasm.I32), i32(int32(kind)))
	for _, a := range args {
		if !g.alive[a.reg] {
			g.Code(g.adjoint(a.reg), i64(0), wasm.I64Ne)
			if a.bit > 0 {
				g.Code(i32(int32(a.bit)), wasm.I32ShiftL)
			}
			g.Code(wasm.I32Add)
		}
	}
	g.Code(memory(wasm.I32Store16, g.u.Kinds+2*g.beyond[0]))
	for _, a := range args {
		put := func() {
			g.Code(at, g.adjoint(a.reg), wasm.Wrap, memory(wasm.I32Store, 4*g.beyond[1]))
			if a.slope != nil {
				g.Code(slope, a.slope, memory(wasm.F64Store, 8*g.beyond[2]))
			}
		}
		on := func(x local, by ...any) { g.Code(append(append([]any{x}, by...), wasm.I32Add, setTo(x))...) }
		switch {
		case g.alive[a.reg]:
			put()
			if g.beyond[1]++; a.slope != nil {
				g.beyond[2]++
			}
		case a.slope != nil && !a.short:
			g.Code(g.adjoint(a.reg), i64(0), wasm.I64Ne, wasm.If, wasm.None)
			put()
			on(at, i32(4))
			on(slope, i32(8))
			g.Code(wasm.End)
		default: // what is put there is behind the end of the tape if there is no adjoint
			put()
			g.Code(g.adjoint(a.reg), i64(0), wasm.I64Ne, setTo(some))
			if on(at, some, i32(2), wasm.I32ShiftL); a.slope != nil {
				on(slope, some, i32(3), wasm.I32ShiftL)
			}
		}
	}
	g.Code(n)
	if g.beyond[0] > 0 {
		g.Code(i32(g.beyond[0]), wasm.I32Add)
	}
	g.beyond[0]++
	g.Code(wasm.Extend)
}

// operation makes the code of arithmetic.
func (g *emitter) operation(i int, in *ir.Instr) {
	s := in.Sym
	if in.Op == ir.Mul {
		s = term.Mul
	}
	ops, regs := []func(){g.left(in)}, []ir.Reg{in.A}
	if in.Op != ir.Fun1 {
		ops, regs = append(ops, g.right(in)), append(regs, in.B)
	}
	if !g.possible(in, s, ops) {
		g.byHost(i, false)
		return
	}
	g.arithmetic(in, s, in.D, ops, regs)
}

// possible reports whether there is code for a symbol, and for its partial derivatives if they are asked for.
func (g *emitter) possible(in *ir.Instr, s term.Symbol, ops []func()) bool {
	ok := g.apply(s, ops...) != nil
	for i := range ops {
		if in.Taped && s != term.NoSymbol {
			slope, _ := g.slope(s, i, ops)
			ok = ok && slope != nil
		}
	}
	return ok
}

// arithmetic sets register d to a symbol applied to operands.
func (g *emitter) arithmetic(in *ir.Instr, s term.Symbol, d ir.Reg, ops []func(), regs []ir.Reg) {
	var args []argument
	for i, r := range regs {
		if in.Number == uint8(ir.NumberA+i) || g.facts[r].plain {
			continue
		}
		a := argument{bit: i, reg: r}
		if in.Taped && s != term.NoSymbol {
			a.slope, a.short = g.slope(s, i, ops)
		}
		args = append(args, a)
	}
	x := g.local("x", wasm.F64)
	if g.Code(g.apply(s, ops...)); !in.Taped {
		g.setNumber(d)
		return
	}
	g.Code(setTo(x), func() { g.statement(g.u.Kind(s), args) }, setTo(g.adjoint(d)), x, setTo(g.value(d)))
	g.alive[d] = true
}

// slope is the partial derivative of a symbol by operand i, as the interpreter computes it, nil if there is no code for
// it. short says that it takes little time.
func (g *emitter) slope(s term.Symbol, i int, ops []func()) (slope func(), short bool) {
	p := &s.Info().Slopes[i]
	of := append(ops[:len(ops):len(ops)], func() { g.Code(g.local("x", wasm.F64)) })
	return term.Interpret(p, len(ops), func(x float64) func() { return func() { g.Code(f64(x)) } },
		func(k int) func() { return of[k] }, g.apply), p.Kind != term.PartialFun || p.Fun == term.Div
}

// apply is a symbol applied to operands, nil if there is no code for it, or for one of these.
func (g *emitter) apply(s term.Symbol, ops ...func()) func() {
	op, ok := instructions[s]
	if slices.ContainsFunc(ops, func(f func()) bool { return f == nil }) || !ok && !wasm.Translated(s) {
		return nil
	}
	return func() {
		for _, push := range ops {
			push()
		}
		if ok {
			g.Op(opcodes[op])
			return
		}
		g.Symbol(s)
	}
}

// object leaves the address of an object's header on the stack, less what is behind a reference to it.
func (g *emitter) object(r ir.Reg, offset bool) {
	g.Code(g.adjoint(r), wasm.Wrap)
	if offset {
		g.Code(g.adjoint(r), i64(32), wasm.I64ShiftR, wasm.Wrap, wasm.I32Add)
	}
	g.Code(i32(4), wasm.I32ShiftL, g.get(Heap), wasm.I32Add)
}

// index leaves the number of a slot, B · M + N or N, on the stack.
func (g *emitter) index(in *ir.Instr) {
	switch in.Op {
	case ir.LoadX, ir.StaticX, ir.ViewX, ir.ObjectX, ir.StoreX, ir.CopyX:
		g.Code(g.right(in), wasm.Truncate)
		if in.M != 1 {
			g.Code(i32(int32(in.M)), wasm.I32Mul)
		}
		if in.N != 0 {
			g.Code(i32(int32(in.N)), wasm.I32Add)
		}
	default:
		g.Code(i32(int32(in.N)))
	}
}

// slotAddress leaves the address of a slot of the heap on the stack, and returns how far behind it the slot is.
func (g *emitter) slotAddress(in *ir.Instr, r ir.Reg) (at int) {
	g.object(r, true)
	if in.Op == ir.Load || in.Op == ir.Store {
		return 16 * (1 + int(in.N))
	}
	g.index(in)
	g.Code(i32(4), wasm.I32ShiftL, wasm.I32Add)
	return 16
}

// dense makes code that sets register D to the number at the index in a local, of the dense vector whose entry has the
// address in another one, or leaves the instruction to the host.
func (g *emitter) dense(i int, entry, index local) {
	in := &g.f.Code[i]
	part := func(n int) any { return memory(wasm.I32Load, g.u.Dense+4*n) }
	g.Code(index, entry, part(1), wasm.I32Less, wasm.If, wasm.None)
	g.Code(index, i32(3), wasm.I32ShiftL, entry, part(0), wasm.I32Add, memory(wasm.F64Load, 0),
		setTo(g.value(in.D)))
	if base := g.local("base", wasm.I32); !g.facts[in.D].plain {
		g.Code(entry, part(2), tee(base), index, wasm.I32Add, i32(0), base, wasm.Select, wasm.Extend,
			setTo(g.adjoint(in.D)))
	}
	g.Code(wasm.Else)
	g.store()
	g.leave(i, false)
	g.Code(wasm.End)
	delete(g.alive, in.D)
}

// load makes the code of Load and LoadX.
func (g *emitter) load(i int) {
	in := &g.f.Code[i]
	vector := !g.inHeap(i, in.A)
	if vector && g.changes() {
		g.byHost(i, false)
		return
	}
	if vector {
		g.Code(g.adjoint(in.A), i64(isDense), wasm.I64And, wasm.I64Zero, wasm.If, wasm.None)
	}
	g.slot(in.D, g.slotAddress(in, in.A))
	if !vector {
		return
	}
	g.Code(wasm.Else)
	entry, index := g.local("entry", wasm.I32), g.local("index", wasm.I32)
	g.index(in)
	g.Code(g.adjoint(in.A), i64(32), wasm.I64ShiftR, wasm.Wrap, i32(1<<30-1), wasm.I32And, wasm.I32Add,
		setTo(index))
	// The last entry is of no vector.
	number := g.local("number", wasm.I32)
	g.Code(g.adjoint(in.A), wasm.Wrap, tee(number), i32(MostDense-1), number, i32(MostDense-1),
		wasm.I32Less, wasm.Select, i32(4), wasm.I32ShiftL, setTo(entry))
	g.dense(i, entry, index)
	g.Code(wasm.End)
}

// inHeap reports whether a register refers to an object of the heap in front of an instruction, by the code that leads
// there: it has been made there, or is a constructor by which code has been chosen.
func (g *emitter) inHeap(i int, r ir.Reg) bool {
	for i--; i >= 0; i-- {
		in := &g.f.Code[i]
		if in.Op == ir.Label {
			if i == 0 || !g.f.Code[i-1].Op.Ends() {
				return false
			}
			return !slices.ContainsFunc(g.f.Code, func(o ir.Instr) bool {
				return slices.Contains(o.Targets(), in.N) && !(o.Op == ir.Switch && o.A == r)
			})
		}
		if n := ir.Reg(in.Sets()); r >= in.D && r < in.D+n {
			return in.Op == ir.Alloc || in.Op == ir.MakeCon
		}
	}
	return false
}

// changes reports whether the function changes vectors, of which the interpreter knows where they are.
func (g *emitter) changes() bool {
	return slices.ContainsFunc(g.f.Code, func(in ir.Instr) bool { return in.Op == ir.Own })
}

// alloc leaves the reference to a new object of n slots in register d, and its address in a local.
func (g *emitter) alloc(i, n int, header int64) (address local) {
	in := &g.f.Code[i]
	top, bytes := g.local("top", wasm.I32), i32(16*(n+1))
	g.Code(g.get(Top), tee(top), bytes, wasm.I32Add, g.get(Limit), wasm.I32Gt, wasm.If, wasm.None)
	refs := g.liveRefs(i)
	in.Uses(func(r *ir.Reg) {
		if !g.facts[*r].number && !slices.Contains(refs, *r) {
			refs = append(refs, *r)
		}
	})
	g.store()
	g.save(refs)
	g.above = 16 * (len(refs) + 1)
	g.toHost(g.u.Place(g.number, i))
	g.above = 0
	g.Code(wasm.Drop)
	g.restore(refs)
	g.Code(g.get(Top), setTo(top), wasm.End)
	g.touch(top, 16*n+8)
	g.Code(top, i64(n), memory(wasm.I64Store, 0), top, i64(header), memory(wasm.I64Store, 8))
	g.set(Top, func() { g.Code(top, bytes, wasm.I32Add) })
	return top
}

// made sets register d to a reference to the object at an address.
func (g *emitter) made(d ir.Reg, address local) {
	g.Code(address, g.get(Heap), wasm.I32Sub, i32(4), wasm.I32ShiftR, wasm.Extend, i64(isRef), wasm.I64Or)
	g.setRef(d)
}

// member leaves the closure of function n, defined together with that whose reference push leaves, on the stack.
func (g *emitter) member(n uint32, push func(), object func()) {
	g.Code(i64(n), object, memory(wasm.I64Load, 8), wasm.I64Sub, i64(32), wasm.I64ShiftL,
		push, i64(math.MaxUint32), wasm.I64And, wasm.I64Or, i64(isRef), wasm.I64Or)
}

// ofSelf leaves the address of the closure that runs on the stack.
func (g *emitter) ofSelf() {
	g.Code(self, wasm.Wrap, i32(4), wasm.I32ShiftL, g.get(Heap), wasm.I32Add)
}

// call calls a function with a closure and arguments: results is called where its results are on the stack. References
// that are read behind it are in memory in between.
func (g *emitter) call(refs []ir.Reg, closure ir.Reg, args []ir.Reg, target, results func()) {
	g.save(refs)
	g.Code(func() { g.pushAdjoint(closure) }, stack, i32(16*(len(refs)+1)), wasm.I32Add)
	g.arguments(args)
	target()
	results()
	g.restore(refs)
}

// setResults sets the registers of a call.
func (g *emitter) setResults(in *ir.Instr) func() {
	return func() {
		for k := range slices.Backward(make([]bool, in.M)) {
			g.setSlot(in.D + ir.Reg(k))
		}
	}
}

// save puts the closure that runs and references on the stack, where collections find them. Each call needs some of
// the stack, which is not endless.
func (g *emitter) save(refs []ir.Reg) {
	g.Code(stack, self, memory(wasm.I64Store, 8))
	for k, r := range refs {
		g.Code(stack, g.adjoint(r), memory(wasm.I64Store, 16*(k+1)+8))
	}
}

// restore takes them from there.
func (g *emitter) restore(refs []ir.Reg) {
	if g.uses {
		g.Code(stack, memory(wasm.I64Load, 8), setTo(self))
	}
	for k, r := range refs {
		g.Code(stack, memory(wasm.I64Load, 16*(k+1)+8), setTo(g.adjoint(r)))
	}
}

func (g *emitter) arguments(args []ir.Reg) {
	for _, r := range args {
		g.Code(g.value(r), func() { g.pushAdjoint(r) })
	}
}

// direct makes Call and TailCall.
func (g *emitter) direct(i int) {
	in := &g.f.Code[i]
	g.flush()
	f := g.u.functions[in.N]
	switch {
	case f == nil:
		g.applied(i, in.Args)
	case in.Op == ir.Call:
		g.call(g.liveRefs(i), in.A, in.Args, func() { g.Local(wasm.CallOp, f.Index) }, g.setResults(in))
	case int(in.N) == g.number:
		g.pushAdjoint(in.A)
		g.arguments(in.Args)
		for k := range slices.Backward(in.Args) {
			g.setSlot(ir.Reg(k))
		}
		g.Code(setTo(self))
		g.jump(wasm.Br, -1, 0)
	default:
		g.pushAdjoint(in.A)
		g.Code(stack)
		g.arguments(in.Args)
		g.Local(wasm.TailCallOp, f.Index)
	}
}

// closure makes Apply and TailApply, of which so many arguments have been passed. If the function of the closure has
// code and takes just those that are left, it is called; if it takes some of them, its result is applied to the others.
func (g *emitter) closure(i, passed int) {
	in := &g.f.Code[i]
	last, results, widths := in.Op == ir.TailApply, int(in.M), g.u.Widths[in.K][passed:]
	first := 0 // of the registers that are left
	for _, w := range g.u.Widths[in.K][:passed] {
		first += w
	}
	var live []ir.Reg
	if last {
		results = g.f.Results
	} else {
		live = g.liveRefs(i)
	}
	header, number, key := g.local("header", wasm.I64), g.local("function", wasm.I32), g.local("key", wasm.I32)
	g.object(in.A, false)
	g.Code(memory(wasm.I64Load, 8), tee(header), wasm.Wrap,
		g.adjoint(in.A), i64(32), wasm.I64ShiftR, wasm.Wrap, i32(1<<30-1), wasm.I32And, wasm.I32Add,
		setTo(number), header, i64(32), wasm.I64ShiftR, wasm.I64Zero, wasm.If, wasm.I32,
		number, i32(3), wasm.I32ShiftL, memory(wasm.I32Load, g.u.Layout.Keys),
		wasm.Else, i32(0), wasm.End, setTo(key))
	target := func(args, results int, last bool) func() {
		return func() {
			g.Code(number)
			if g.u.table > 0 {
				g.Code(i32(g.u.table), wasm.I32Add)
			}
			g.CallTable(paramTypes(args), registerTypes(results), last)
		}
	}
	g.Code(key, i32(g.u.key(widths, results)), wasm.I32Equal, wasm.If, wasm.None)
	if args := in.Args[first:]; last {
		g.Code(g.adjoint(in.A), stack)
		g.arguments(args)
		target(len(args), results, true)()
	} else {
		g.call(live, in.A, args, target(len(args), results, false), g.setResults(in))
	}
	ends := 1
	more := first
	for n := 1; n < len(widths) && !slices.Contains(live, in.A); n++ {
		more += widths[n-1]
		if k := g.u.key(widths[:n], 1); slices.Contains(g.u.made.Keys, k) {
			ends++
			g.Code(wasm.Else, key, i32(k), wasm.I32Equal, wasm.If, wasm.None)
			refs := slices.Clone(live)
			for _, r := range in.Args[more:] {
				if !g.facts[r].number && !slices.Contains(refs, r) {
					refs = append(refs, r)
				}
			}
			g.call(refs, in.A, in.Args[first:more], target(more-first, 1, false),
				func() { g.Code(setTo(g.adjoint(in.A)), wasm.Drop) })
			g.closure(i, passed+n)
		}
	}
	g.Code(wasm.Else)
	g.set(Passed, i32(passed))
	g.applied(i, in.Args[first:])
	for range ends {
		g.Code(wasm.End)
	}
}

// least is how many operations a loop has left that is worth asking the host for.
const least = 400

// loopByHost asks the host to run what is left of a loop.
func (g *emitter) loopByHost(i int) {
	in := &g.f.Code[i]
	to := g.behind(in.N)
	end := &g.f.Code[to-1]
	g.flush()
	if end.Op == ir.Next {
		g.Code(g.value(end.A), g.value(end.D), wasm.F64Sub)
	} else {
		g.Code(g.value(end.D))
	}
	size := max(1, g.u.Operations(g.f, in.N))
	g.Code(f64(least/size), wasm.F64Gt, wasm.If, wasm.None)
	reads, behind := g.f.ReadFrom(i), g.f.ReadFrom(to)
	g.host(i, false, func() {
		for _, r := range slices.Sorted(maps.Keys(reads)) {
			g.keep(int(r), r)
		}
	}, func(result local) {
		for r := range ir.Reg(g.f.Regs) {
			if reads[r] || behind[r] {
				g.results(r)
			}
		}
		if g.uses {
			g.Code(g.zero, word(wasm.I64Load, Self), setTo(self))
		}
		g.Code(result)
		g.jump(wasm.BrIf, to, 1)
	})
	g.Code(wasm.End)
}

// vector asks the host to run a vector statement, if it is not short.
func (g *emitter) vector(i int) {
	in := &g.f.Code[i]
	to := ir.Labels(g.f.Code)[in.N]
	if !g.u.byHost(in) {
		return
	}
	g.flush()
	g.host(i, true, g.operands(in), func(result local) {
		g.Code(result, wasm.If, wasm.None)
		for k := range in.K {
			g.results(in.D + ir.Reg(k))
		}
		g.jump(wasm.Br, to, 1)
		g.Code(wasm.End)
	})
}

// sum makes the code of SumAdd.
func (g *emitter) sum(in *ir.Instr) {
	at, turn := g.local("sumAt", wasm.I32), g.local("turn", wasm.I32)
	g.Code(g.value(in.B), wasm.Truncate, setTo(at))
	if in.M > 1 {
		g.Code(at, i32(int32(in.M)), wasm.I32Rem, setTo(turn))
	}
	g.flush()
	x := func() { g.Code(g.value(in.A)) }
	for k := range in.M {
		d := in.D + ir.Reg(k)
		old := func() { g.Code(g.value(d)) }
		ops, regs := []func(){old, x}, []ir.Reg{d, in.A}
		if in.M == 1 {
			slices.Reverse(ops)
			slices.Reverse(regs)
		} else {
			g.Code(turn, i32(int32(k)), wasm.I32Equal, wasm.If, wasm.None)
		}
		g.Code(at, i32(int32(in.M)), wasm.I32Less, wasm.If, wasm.None)
		g.Code(g.value(in.A), setTo(g.value(d)))
		if !g.facts[d].plain {
			g.Code(func() { g.pushAdjoint(in.A) }, setTo(g.adjoint(d)))
		}
		g.Code(wasm.Else)
		g.arithmetic(in, in.Sym, d, ops, regs)
		g.flush()
		delete(g.alive, d)
		if g.Code(wasm.End); in.M > 1 {
			g.Code(wasm.End)
		}
	}
}

// instruction makes the code of an instruction.
func (g *emitter) instruction(i int, in *ir.Instr) {
	labels := func(l uint32) int { return ir.Labels(g.f.Code)[l] }
	switch in.Op {
	case ir.Nop, ir.Hot, ir.Enter:
	case ir.Count:
		chain := g.chains[i]
		if chain == nil {
			return
		}
		steps := max(chain.steps, chain.addresses) // there is room on the tape for as many statements
		at := g.u.Counters + 8*len(g.u.made.Chains)
		g.u.made.Chains = append(g.u.made.Chains, chain.blocks)
		g.Code(g.zero, g.zero, memory(wasm.I64Load, at), i64(1), wasm.I64Add,
			memory(wasm.I64Store, at))
		fuel := g.local("fuel", wasm.I64)
		g.Code(g.zero, g.zero, word(wasm.I64Load, Fuel), i64(steps), wasm.I64Sub, tee(fuel),
			word(wasm.I64Store, Fuel), fuel, i64(0), wasm.I64LessSigned, wasm.If, wasm.None)
		g.store()
		g.toHost(g.u.Place(g.number, i))
		g.Code(wasm.Drop, wasm.End)
	case ir.Const:
		g.Code(f64(in.Val))
		g.setNumber(in.D)
	case ir.Move:
		g.Code(g.value(in.A), setTo(g.value(in.D)))
		if alive := g.alive[in.A]; g.facts[in.D].plain {
			delete(g.alive, in.D)
		} else {
			g.pushAdjoint(in.A)
			g.Code(setTo(g.adjoint(in.D)))
			g.alive[in.D] = alive
		}
	case ir.IndexAdd, ir.IndexSub, ir.IndexMul, ir.IndexDiv:
		op := [...]byte{wasm.F64Add, wasm.F64Sub, wasm.F64Mul, wasm.F64Div}[in.Op-ir.IndexAdd]
		g.Code(g.left(in), g.right(in), op)
		g.setNumber(in.D)
	case ir.IndexNeg:
		g.Code(g.value(in.A), wasm.F64Neg)
		g.setNumber(in.D)
	case ir.Add, ir.Mul, ir.Fun1, ir.Fun2:
		g.operation(i, in)
	case ir.SumAdd:
		if nothing := func() {}; in.M > mostPartial || !g.possible(in, in.Sym, []func(){nothing, nothing}) {
			g.byHost(i, false)
			return
		}
		g.sum(in)
	case ir.Load, ir.LoadX:
		g.load(i)
	case ir.Static, ir.StaticX:
		entry, index := g.local("entry", wasm.I32), g.local("index", wasm.I32)
		vector, at := g.u.Vector(in.N)
		switch {
		case vector == 0 && in.Op == ir.Static && g.u.Inputs <= MostInputs:
			if g.Code(g.zero, memory(wasm.F64Load, g.u.Point+8*int(at))); !g.u.Taped {
				g.setNumber(in.D)
				return
			}
			g.Code(i64(1+int64(at)), setTo(g.adjoint(in.D)), setTo(g.value(in.D)))
			g.alive[in.D] = true
			return
		case vector >= MostDense-1:
			g.byHost(i, false)
			return
		}
		static := *in
		static.N = at
		g.index(&static)
		g.Code(setTo(index), i32(int32(16*vector)), setTo(entry))
		g.dense(i, entry, index)
	case ir.View, ir.ViewX:
		g.Code(func() { g.pushAdjoint(in.A) }, func() { g.index(in) }, wasm.Extend, i64(32), wasm.I64ShiftL, wasm.I64Add)
		g.setRef(in.D)
	case ir.Object:
		vector, at := g.u.Vector(in.N)
		g.Code(i64(isRef | isDense | int64(at)<<32 | int64(vector)))
		g.setRef(in.D)
	case ir.Alloc:
		address := g.alloc(i, int(in.N), 0)
		g.Code(address, i32(16), wasm.I32Add, i32(0), i32(int32(16*in.N)), func() { g.Op(wasm.FillOp...) })
		g.made(in.D, address)
	case ir.MakeCon, ir.MakeClosure:
		if in.Op == ir.MakeClosure && len(in.Args) == 0 {
			g.Code(i64(isRef | int64(in.N)))
			g.setRef(in.D)
			return
		}
		address := g.alloc(i, len(in.Args), int64(in.N))
		for k, r := range in.Args {
			g.Code(address, g.value(r), memory(wasm.F64Store, 16*(k+1)),
				address, func() { g.pushAdjoint(r) }, memory(wasm.I64Store, 16*(k+1)+8))
		}
		g.made(in.D, address)
	case ir.Store, ir.StoreX:
		if !g.inHeap(i, in.D) && g.changes() {
			g.byHost(i, false)
			return
		}
		address := g.local("address", wasm.I32)
		at := g.slotAddress(in, in.D)
		g.Code(tee(address), g.value(in.A), memory(wasm.F64Store, at), address,
			func() { g.pushAdjoint(in.A) }, memory(wasm.I64Store, at+8))
	case ir.Member:
		g.member(in.N, func() { g.Code(self) }, g.ofSelf)
		g.setRef(in.D)
	case ir.Sibling:
		g.member(in.N, func() { g.Code(g.adjoint(in.A)) }, func() { g.object(in.A, false) })
		g.setRef(in.D)
	case ir.Capture:
		g.ofSelf()
		g.slot(in.D, 16*(1+int(in.N)))
	case ir.Call, ir.TailCall:
		g.direct(i)
	case ir.Apply, ir.TailApply:
		g.flush()
		g.closure(i, 0)
	case ir.Return:
		g.flush()
		for _, r := range in.Args {
			g.Code(g.value(r), func() { g.pushAdjoint(r) })
		}
		g.Code(wasm.Return)
	case ir.Label:
		g.flush()
		clear(g.alive)
	case ir.Jump:
		g.flush()
		g.jump(wasm.Br, labels(in.N), 0)
	case ir.Branch:
		g.settle()
		g.Code(g.left(in), g.right(in), compares[in.Cmp], wasm.I32Zero)
		g.jump(wasm.BrIf, labels(in.N), 0)
	case ir.Empty:
		g.settle()
		g.Code(g.left(in), g.right(in), wasm.F64GtEq)
		g.jump(wasm.BrIf, labels(in.N), 0)
	case ir.Switch:
		g.flush()
		g.object(in.A, false)
		g.Code(memory(wasm.I64Load, 8), wasm.Wrap, wasm.BrTable)
		g.Unsigned(uint64(len(in.Labels) - 1))
		for _, l := range in.Labels {
			g.depth(labels(l), 0)
		}
	case ir.Next:
		g.flush()
		g.Code(g.value(in.D), f64(1), wasm.F64Add, tee(g.value(in.D)), g.value(in.A), wasm.F64Less)
		g.jump(wasm.BrIf, labels(in.N), 0)
		g.close()
	case ir.Prev:
		g.flush()
		g.Code(g.value(in.D), f64(0), wasm.F64Gt, wasm.If, wasm.None, g.value(in.D), f64(1), wasm.F64Sub,
			setTo(g.value(in.D)))
		g.jump(wasm.Br, labels(in.N), 1)
		g.Code(wasm.End)
		g.close()
	case ir.VectorLoop:
		g.vector(i)
	default: // what is rare
		g.byHost(i, in.Op == ir.ObjectX || in.Op == ir.Own)
	}
}

// close ends a loop.
func (g *emitter) close() {
	g.Code(wasm.End)
	g.open = g.open[:len(g.open)-1]
	clear(g.alive)
}
