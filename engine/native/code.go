package native

import (
	"math"
	"slices"

	"github.com/gram-machine/gram/engine/wasm"
	"github.com/gram-machine/gram/term"
)

// Code is the machine code of a form. Its parameters are the number of iterations, the place of the first row that it
// goes through and, of each stream, that of the first numbers that it reads. In the frame, from the tables on, are
// numbers that it gets and leaves.
type Code struct {
	*wasm.Code
	Form   *Form
	Groups []Group
	Frame  int // numbers
	// Of backward code: which states are reached behind an iteration, if that is known; Flagged says that this is in the
	// frame. Something arrives at all numbers of the streams that are Reached.
	Flagged bool
	Reached []bool
}

// Group is what one counter counts: the cells that are reached, or iterations by the side of a branch that they take.
type Group struct {
	Kinds  []Kinds
	Region int // of forward code
}

// Kinds are N cells of a kind.
type Kinds struct {
	Kind
	N uint64
}

// add adds a cell.
func (g *Group) add(k Kind) {
	i := slices.IndexFunc(g.Kinds, func(o Kinds) bool { return o.Kind == k })
	if i < 0 {
		i, g.Kinds = len(g.Kinds), append(g.Kinds, Kinds{Kind: k})
	}
	g.Kinds[i].N++
}

// Kind is the kind of a cell: its symbol, NoSymbol for +, and the operands that have an adjoint, by bits.
type Kind struct {
	Sym  term.Symbol
	Live uint8
}

// Where the frame has what, in numbers.
func (f *Form) FrameState(i int) int   { return len(f.Inputs) + i }
func (f *Form) FrameIndex() int        { return len(f.Inputs) + len(f.states) }
func (f *Form) FrameInput(i int) int   { return f.FrameIndex() + 1 + 2*i } // its adjoint, and whether it is reached
func (f *Form) FrameAdjoint(i int) int { return f.FrameInput(len(f.Inputs)) + 2*i }
func (f *Form) FrameStack() int        { return f.FrameAdjoint(len(f.states)) }
func (f *Form) FrameTable(i int) int   { return f.FrameStack() + stackWords + 3*i } // its numbers, adjoints and flags
func (f *Form) FrameCounter(i int) int { return f.FrameTable(len(f.Tables)) + i }

// From [Form.FrameStack] on are whole numbers: the top of the stack, up to where it may go, how many iterations of
// loops inside may run until the code returns, and how many of its own it has left then. The stack has no room for more
// if these are StackFull: the code has changed nothing then but the stack and the rows.
const (
	StackTop = iota
	StackLimit
	StackFuel
	StackHome  // of code that is not taped: where the next states that are vectors go,
	StackOther // and where those after them do
	StackLeft
	stackWords

	StackFull = math.MaxUint32
)

// mostRow is how far above the place where an iteration of a loop inside begins the stack may go until the next one
// begins, in bytes.
func (f *Form) mostRow() (n int) {
	for _, lp := range f.loops {
		n = max(n, 8*lp.row)
	}
	return n + 8*len(f.loops)
}

// StreamBytes is how much memory a stream has. Behind its numbers as much is for their adjoints, and then for whether
// they are reached. Of what forward code makes, whether numbers have an adjoint is in place of these.
const StreamBytes = 1 << 15

// Step is by how many numbers a stream goes on in memory from an iteration to the next, in the order in which they run.
func (f *Form) Step(s *Stream) int {
	step := min(max(s.Stride, -s.Width), s.Width)
	if f.Down {
		return -step
	}
	return step
}

// coder makes a function.
type coder struct {
	*wasm.Function
	locals map[localKey]local
}

func newCoder(parameters int) coder {
	return coder{wasm.NewFunction(string(slices.Repeat([]byte{wasm.I32}, parameters))), map[localKey]local{}}
}

// localKey says what a local is for: a number, its adjoint, whether that is reached, the iterations in which it is 1,
// or is reached by what takes it, or a word of memory that counts, or is a set.
type localKey struct{ use, of int }

const (
	useNumber = iota
	useAdjoint
	useFlag
	useTest
	useTake
	useCount
	useSet
	useRow
	useTable
	useWhole // a number as an integer
	useTimes // the iterations of a loop inside
)

var typesOfUses = [...]byte{wasm.F64, wasm.F64, wasm.I32, wasm.I64, wasm.I64, wasm.I64, wasm.I64, wasm.I32, wasm.I32,
	wasm.I32, wasm.I32}

// in is the local for a use.
func (c coder) in(use, of int) local {
	at, ok := c.locals[localKey{use, of}]
	if !ok {
		at = c.newLocal(typesOfUses[use])
		c.locals[localKey{use, of}] = at
	}
	return at
}

// What code is made of.
type (
	local = wasm.Local
	setTo = wasm.SetTo
	tee   = wasm.Tee
	i32   = wasm.Int
	i64   = wasm.Long
	f64   = wasm.Number
)

// memory is an operation on memory, at so many bytes behind the address. Its many calls are not worth as many copies.
//
//go:noinline
func memory(op byte, at int) any { return wasm.Memory{Op: op, At: at} }

func (c coder) code(parts ...any) { c.Code(parts...) }

// newLocal is a local of a type.
func (c coder) newLocal(typ byte) local { return local(c.NewLocal(typ)) }

// word is an operation on a word of memory, which has the address 0 below it.
//
//go:noinline
func word(op byte, at int) any { return memory(op, wasm.TableBytes+8*at) }

// gen makes a function of a form.
type gen struct {
	coder
	*Form
	pass     int   // forward or backward
	base     local // it is 0: what is in the frame is at an offset from it
	stack    [stackWords]local
	known    []map[id]bool // what is in its local, scope by scope
	integers []map[id]bool // and what is there as an integer
	groups   []Group
	counts   []local // of each group
	many     bool    // there are many counters: they are in the frame. Locals would be moved wherever branches meet

	adj     map[id]adjoint
	group   []int        // the group of each scope, −1: it has none yet
	counted map[Kind]int // the groups of cells that flags say are reached
	sure    map[id]bool  // the elements at which something arrives in each iteration
	reached []bool       // the streams that are whole
}

const fewRegions = 8 // of which counters are in locals

// The parameters.
const (
	localN local = iota
	localRow
	localStream // the first
)

func (f *Form) newGen(pass int) *gen {
	g := &gen{coder: newCoder(int(localStream) + len(f.Streams)), Form: f, pass: pass, many: len(f.regions) > fewRegions}
	g.base = g.newLocal(wasm.I32)
	for i := range g.stack {
		g.stack[i] = g.newLocal(wasm.I32)
	}
	return g
}

func (g *gen) compile() *Code {
	c := &Code{Form: g.Form, Groups: g.groups, Frame: g.FrameCounter(len(g.groups))}
	if c.Frame > frameNumbers {
		return nil
	}
	if c.Code = g.Compile(wasm.TableBytes + 8*c.Frame); c.Code == nil {
		return nil
	}
	return c
}

func (g *gen) localOf(v id) local      { return g.in(useNumber, int(v)) }
func (g *gen) adjointLocal(v id) local { return g.in(useAdjoint, int(v)) }
func (g *gen) flagLocal(v id) local    { return g.in(useFlag, int(v)) }

func (g *gen) isKnown(v id) bool { return isIn(g.known, v) }

// isIn reports whether one of the scopes has a key.
func isIn[K comparable](scopes []map[K]bool, key K) bool {
	return slices.ContainsFunc(scopes, func(s map[K]bool) bool { return s[key] })
}

// keepTop keeps the number on the stack in the local of v, and leaves it on the stack.
func (g *gen) keepTop(v id) {
	g.code(tee(g.localOf(v)))
	g.known[len(g.known)-1][v] = true
}

// get leaves a number on the stack.
func (g *gen) get(v id) {
	e := &g.values[v]
	switch {
	case e.op == constant:
		g.code(f64(math.Float64frombits(e.num)))
		return
	case e.op == state && g.pass == forward, e.op == input, e.op == index, g.isKnown(v):
		g.code(g.localOf(v))
		return
	case (e.op == carry || e.op == last) && g.pass == forward:
		g.code(g.localOf(g.stateOf(v)))
		return
	case g.pass == backward:
		if col, ok := g.column[v]; ok {
			g.code(g.row(e.in), memory(wasm.F64Load, 8*col))
			g.keepTop(v)
			return
		}
		if i, ok := g.next[v]; ok {
			g.code(g.nextLocal(i))
			return
		}
	}
	if e.op == phi {
		g.branch(e.br)
		g.code(g.localOf(v))
		return
	}
	g.compute(v)
	g.keepTop(v)
}

// push is get, as a part of code.
func (g *gen) push(v id) func() { return func() { g.get(v) } }

// stateOf is the number that has the local for what a loop inside carries: that of a last, or v.
func (g *gen) stateOf(v id) id {
	if e := &g.values[v]; e.op == last {
		return e.of
	}
	return v
}

// scratch is one of three locals for addresses: that of a number, of its adjoint and of its flag.
func (g *gen) scratch(n int) local { return g.in(useTable, 3*len(g.Tables)+n) }

// row is the local with the place of the row in which numbers of a region are kept.
func (g *gen) row(r *region) local {
	if r.loop == nil {
		return localRow
	}
	return g.in(useRow, r.loop.number)
}

// putInRow puts a number in a column of the row.
func (g *gen) putInRow(v id, col int) {
	g.code(g.row(g.values[v].in), g.push(v), memory(wasm.F64Store, 8*col))
}

// isWhole reports whether a number is whole by what it is made of.
func (g *gen) isWhole(v id) bool {
	switch e := &g.values[v]; e.op {
	case index, made, begun, owned, refer:
		return true
	case constant:
		x := math.Float64frombits(e.num)
		return x == math.Trunc(x) && math.Abs(x) < 1<<30
	case add, sub, mul:
		return e.n == ofIndex && g.isWhole(e.a) && g.isWhole(e.b)
	}
	return false
}

var wholeOpcodes = [...]byte{add: wasm.I32Add, sub: wasm.I32Sub, mul: wasm.I32Mul}

// integer leaves a whole number on the stack as an integer.
func (g *gen) integer(v id) {
	to := g.in(useWhole, int(v))
	switch e := &g.values[v]; {
	case e.op == constant && g.isWhole(v):
		g.code(i32(math.Float64frombits(e.num)))
		return
	case isIn(g.integers, v):
		g.code(to)
		return
	case e.op == begun:
		g.code(g.in(useTable, 3*e.n))
		return
	case e.op == owned:
		g.integer(e.a)
		return
	case e.op == refer:
		at := g.address(v, 0)
		g.code(i32(at), wasm.I32Add)
	case (e.op == add || e.op == sub || e.op == mul) && g.isWhole(v):
		g.integer(e.a)
		g.integer(e.b)
		g.code(wholeOpcodes[e.op])
	default:
		g.code(g.push(v), wasm.Truncate64, wasm.Wrap) // addresses have 32 bits
	}
	g.code(tee(to))
	g.integers[len(g.integers)-1][v] = true
}

// address leaves the address of a number of a vector on the stack, of a table that of its adjoint for part 1 or its
// flag for part 2, and returns how far behind it the number is.
func (g *gen) address(v id, part int) (at int) {
	e := &g.values[v]
	if at = int(e.num); e.op == lookup {
		g.integer(e.a)
		g.code(i32(3), wasm.I32ShiftL, g.in(useTable, 3*e.n+part), wasm.I32Add)
		at *= 8
	} else {
		width := g.spaces[e.n].width()
		at *= width
		if g.integer(e.a); e.b != zero {
			g.integer(e.b)
			if width == aliveBytes {
				g.code(i32(4), wasm.I32ShiftL, wasm.I32Add)
			} else {
				g.code(i32(width), wasm.I32Mul, wasm.I32Add)
			}
		}
	}
	if at < 0 {
		g.code(i32(at), wasm.I32Add)
		at = 0
	}
	return at
}

// newVector leaves the address of a vector that is made on the stack.
func (g *gen) newVector(v id) {
	e, top, to := &g.values[v], g.stack[StackTop], g.in(useWhole, int(v))
	width := g.spaces[e.n].width()
	bytes := int(uint32(e.num)) * width
	g.room(bytes)
	g.code(top, tee(to), i32(bytes), wasm.I32Add, setTo(top), to, wasm.Convert)
	g.integers[len(g.integers)-1][v] = true
}

// room makes code that returns where the stack has no room for so many bytes, and for rows.
func (g *gen) room(bytes int) {
	g.code(g.stack[StackTop])
	if bytes > 0 {
		g.code(i32(bytes), wasm.I32Add)
	}
	g.code(g.stack[StackLimit], wasm.I32Gt)
	g.returnFull()
}

// returnFull makes code that returns, where the condition on the stack holds, since the stack has no room.
func (g *gen) returnFull() {
	left := word(wasm.I64Store, g.FrameStack()+StackLeft)
	g.code(wasm.If, wasm.None, g.base, i64(StackFull), left, wasm.Return, wasm.End)
}

// times sets a local to how many iterations a loop inside has.
func (g *gen) times(lp *inner) local {
	to := g.in(useTimes, lp.number)
	if lp.down {
		g.code(g.push(lp.start), wasm.Truncate, i32(1), wasm.I32Add, setTo(to))
	} else {
		g.code(g.push(lp.end), wasm.Truncate, g.push(lp.start), wasm.Truncate, wasm.I32Sub, setTo(to))
	}
	return to
}

// timesBeyond leaves how many iterations there are behind the first most.
func (g *gen) timesBeyond(lp *inner, most int) func() {
	return func() {
		n := g.in(useTimes, lp.number)
		g.code(n, i32(most), wasm.I32Sub, i32(0), n, i32(most), wasm.I32GtSigned, wasm.Select)
	}
}

var opcodes = [...]byte{add: wasm.F64Add, sub: wasm.F64Sub, mul: wasm.F64Mul, div: wasm.F64Div, neg: wasm.F64Neg}

// compute leaves a number on the stack that is not known.
func (g *gen) compute(v id) {
	e := g.values[v]
	if e.op == element {
		g.code(g.stream(e.n), memory(wasm.F64Load, g.placeOf(v)))
		return
	}
	switch e.op {
	case lookup, slot:
		at := g.address(v, 0)
		g.code(memory(wasm.F64Load, at))
		return
	case alive:
		at := g.address(v, 0)
		g.code(memory(wasm.F64Load, at+aliveBytes))
		return
	case before:
		at, _ := g.partial(e.a, e.b, int(e.num), e.n)
		g.code(at, memory(wasm.F64Load, aliveBytes))
		return
	case made:
		g.newVector(v)
		return
	case held:
		g.get(e.a)
		return
	case begun, owned, refer:
		g.integer(v)
		g.code(wasm.Convert)
		return
	}
	for _, a := range g.operands(v) {
		g.get(a)
	}
	if e.op != fun {
		g.code(opcodes[e.op])
		return
	}
	if e.sym == term.Sin || e.sym == term.Cos { // both take as long as one
		sin, cos, other := v, v, expr{op: fun, sym: term.Sin + term.Cos - e.sym, a: e.a}
		o, ok := e.in.known[other]
		if ok && g.made[g.pass][o] && !g.isKnown(o) {
			if e.sym == term.Sin {
				cos = o
			} else {
				sin = o
			}
			g.SinCos()
			g.keepTop(cos)
			g.code(wasm.Drop)
			g.keepTop(sin)
			if e.sym == term.Cos {
				g.code(wasm.Drop, g.localOf(cos))
			}
			return
		}
	}
	g.Symbol(e.sym)
}

var compares = [...]byte{term.Less: wasm.F64Less, term.LessEqual: wasm.F64LessEq, term.Greater: wasm.F64Gt,
	term.GreaterEqual: wasm.F64GtEq}

// scope runs do in a scope of its own.
func (g *gen) scope(do func()) {
	g.known, g.integers = append(g.known, map[id]bool{}), append(g.integers, map[id]bool{})
	g.group = append(g.group, -1)
	do()
	g.known, g.integers, g.group = g.known[:len(g.known)-1], g.integers[:len(g.integers)-1], g.group[:len(g.group)-1]
}

// branch makes the numbers that a branch chooses.
func (g *gen) branch(br *branch) {
	g.code(g.push(br.a), g.push(br.b), compares[br.cmp], wasm.If, wasm.None)
	side := func(r *region, of func(e *expr) id) {
		g.scope(func() {
			if g.pass == forward {
				g.region(r)
			}
			for _, v := range br.phis {
				if g.made[g.pass][v] {
					g.code(g.push(of(&g.values[v].expr)), setTo(g.localOf(v)))
				}
			}
		})
	}
	side(br.then, func(e *expr) id { return e.a })
	g.code(wasm.Else)
	side(br.els, func(e *expr) id { return e.b })
	g.code(wasm.End)
	for _, v := range br.phis {
		if g.made[g.pass][v] {
			g.known[len(g.known)-1][v] = true
		}
	}
}

// region makes the forward code of a region.
func (g *gen) region(r *region) {
	if r.parent != nil && (r.loop == nil || r.loop.body != r) {
		g.countRegion(r, i32(1))
	}
	for _, it := range r.items {
		g.unchanged(r, it)
		switch {
		case it.br != nil:
			g.branch(it.br)
		case it.loop != nil:
			g.inner(it.loop)
		case it.held != 0:
		case it.made != 0:
			if g.made[forward][it.made] {
				g.code(g.push(it.made), wasm.Drop)
			}
		case it.sum != nil:
			g.sum(it.sum)
		case it.store != nil:
			to := g.scratch(0)
			g.code(g.push(it.store.value), wasm.Drop)
			at, width := g.address(it.store.slot, 0), g.spaces[g.values[it.store.slot].n].width()
			g.code(tee(to), g.push(it.store.value), memory(wasm.F64Store, at))
			if width > 8 {
				g.code(to, i64(math.MinInt64), memory(wasm.I64Store, at+adjointBytes))
			}
			if width > aliveBytes {
				g.code(to, g.push(it.store.flag), memory(wasm.F64Store, at+aliveBytes))
			}
		case g.made[forward][it.cell.result] && !g.isKnown(it.cell.result):
			g.code(g.push(it.cell.result), wasm.Drop)
		}
	}
	for v := range g.values {
		if col, ok := g.column[id(v)]; ok && g.values[v].in == r && g.values[v].op != state {
			g.putInRow(id(v), col)
		}
	}
}

// unchanged reads what is read later, and may be changed by an item of a region.
func (g *gen) unchanged(r *region, it item) {
	var owns []int
	except := none
	switch {
	case it.br != nil:
		owns = slices.Concat(it.br.then.owns, it.br.els.owns)
	case it.loop != nil:
		owns = it.loop.body.owns
	case it.store != nil && it.store.old != none:
		owns, except = r.owns, g.values[it.store.slot].a
	}
	for v := id(0); len(owns) > 0 && v < it.first; v++ {
		if e := &g.values[v]; (e.op == slot || e.op == alive) && e.a != except && slices.Contains(owns, e.n) &&
			g.made[forward][v] && r.inside(e.in) && !g.isKnown(v) {
			g.code(g.push(v), wasm.Drop)
		}
	}
}

// partial leaves the address of the partial sum of number i in the local.
func (g *gen) partial(of, i id, m, space int) (at local, width int) {
	width = g.spaces[space].width()
	at = g.scratch(0)
	g.integer(i)
	g.code(i32(m-1), wasm.I32And, i32(width), wasm.I32Mul)
	g.integer(of)
	g.code(wasm.I32Add, setTo(at))
	return at, width
}

// sum makes the forward code of an addition of a sum.
func (g *gen) sum(s *sum) {
	g.code(g.push(s.x), wasm.Drop, g.push(s.flag), wasm.Drop)
	if s.cell.args[0] != s.x && g.made[forward][s.cell.args[0]] {
		g.code(g.push(s.cell.args[0]), wasm.Drop)
	}
	at, width := g.partial(s.of, s.i, s.m, g.values[s.of].n)
	number := memory(wasm.F64Load, 0)
	g.integer(s.i)
	g.code(i32(s.m), wasm.I32Less, wasm.If, wasm.None, at, g.push(s.x), memory(wasm.F64Store, 0))
	if width > 8 {
		g.code(at, i64(math.MinInt64), memory(wasm.I64Store, adjointBytes))
	}
	if width > aliveBytes {
		g.code(at, g.push(s.flag), memory(wasm.F64Store, aliveBytes))
	}
	g.code(wasm.Else)
	g.scope(func() {
		if width > aliveBytes {
			g.code(at, f64(1), memory(wasm.F64Store, aliveBytes))
		}
		g.code(at, at, number, g.push(s.x), wasm.F64Add, memory(wasm.F64Store, 0))
		g.region(s.more)
	})
	g.code(wasm.End)
}

// inner makes the forward code of a loop inside.
func (g *gen) inner(lp *inner) {
	var begun []setTo
	for _, c := range lp.carries {
		if c.init != none {
			g.get(c.init)
			begun = append(begun, setTo(g.localOf(c.in)))
		}
	}
	for _, to := range slices.Backward(begun) {
		g.code(to)
	}
	index, row, whole := g.localOf(lp.index), g.in(useRow, lp.number), g.in(useWhole, int(lp.index))
	g.addresses(lp)
	g.code(g.push(lp.start), tee(index), wasm.Truncate, setTo(whole))
	times, fuel := g.times(lp), g.stack[StackFuel]
	g.code(fuel, times, wasm.I32Sub, setTo(fuel))
	g.countRegion(lp.body, times)
	for _, s := range lp.sums {
		g.countRegion(s.more, g.timesBeyond(lp, s.most))
	}
	if len(lp.body.items) == 0 && len(lp.carries) == 0 {
		return // it only counts
	}
	if g.taped && !lp.within && lp.row > 0 {
		top := g.stack[StackTop]
		g.code(top, wasm.Convert, times, wasm.Convert, f64(8*lp.row), wasm.F64Mul, wasm.F64Add,
			g.stack[StackLimit], wasm.Convert, wasm.F64Gt)
		g.returnFull()
	}
	g.code(wasm.Loop, wasm.None)
	g.scope(func() {
		g.integers[len(g.integers)-1][lp.index] = true
		if g.taped {
			top := g.stack[StackTop]
			if lp.within {
				g.room(0)
			}
			g.code(top, tee(row), i32(8*lp.row), wasm.I32Add, setTo(top))
			g.touch(row, lp.row)
		}
		g.region(lp.body)
		if g.taped && lp.within {
			top := g.stack[StackTop]
			g.code(top, row, wasm.Extend, memory(wasm.I64Store, 0), top, i32(8), wasm.I32Add, setTo(top))
		}
		for _, c := range lp.carries {
			g.get(c.out)
		}
		for i := range slices.Backward(lp.carries) {
			g.code(setTo(g.localOf(lp.carries[i].in)))
		}
	})
	g.code(whole, i32(1))
	if lp.down {
		g.code(wasm.I32Sub, setTo(whole), index, f64(1), wasm.F64Sub, tee(index), f64(0), wasm.F64GtEq)
	} else {
		g.code(wasm.I32Add, setTo(whole), index, f64(1), wasm.F64Add, tee(index), g.push(lp.end), wasm.F64Less)
	}
	g.code(wasm.BrIf, 0, wasm.End)
	if g.taped {
		g.code(g.row(lp.body.parent), g.stack[StackTop], wasm.Extend, memory(wasm.I64Store, 8*lp.saved))
	}
}

// addresses makes integers of the addresses that the body of a loop inside reads.
func (g *gen) addresses(lp *inner) {
	for _, v := range lp.addresses {
		if g.made[g.pass][v] || g.pass == backward && g.kept(v) {
			g.integer(v)
			g.code(wasm.Drop)
		}
	}
}

// count makes the local of a group, and adds a number to it.
func (g *gen) count(n int, by any) {
	if n == len(g.counts) {
		at := local(0)
		if !g.many {
			at = g.newLocal(wasm.I32)
		}
		g.counts = append(g.counts, at)
	}
	if g.many {
		g.code(g.base, g.base, word(wasm.I32Load, g.FrameCounter(n)), by, wasm.I32Add, word(wasm.I32Store, g.FrameCounter(n)))
		return
	}
	g.code(g.counts[n], by, wasm.I32Add, setTo(g.counts[n]))
}

// countRegion counts a region.
func (g *gen) countRegion(r *region, by any) {
	if len(r.Blocks) > 0 || r.cells > 0 {
		g.count(len(g.groups), by)
		g.groups = append(g.groups, Group{Region: r.number})
	}
}

// enter loads what both codes read, and begins the loop.
func (g *gen) enter() {
	for i := range g.Inputs {
		g.fromFrame(i, g.localOf(g.make(g.root, expr{op: input, n: i})))
	}
	g.fromFrame(g.FrameIndex(), g.localOf(g.make(g.root, expr{op: index})))
	if !g.Stacked && len(g.Tables) == 0 {
		return
	}
	whole := func(at int, to local) { g.code(g.base, word(wasm.I64Load, at), wasm.Wrap, setTo(to)) }
	for i, to := range g.stack[:StackLeft] {
		whole(g.FrameStack()+i, to)
	}
	for i := range 3 * len(g.Tables) {
		whole(g.FrameTable(0)+i, g.in(useTable, i))
	}
}

// fromFrame sets a local to a number of the frame.
func (g *gen) fromFrame(at int, to local) { g.code(g.base, word(wasm.F64Load, at), setTo(to)) }

// touch reads the last of n numbers of a row: the checks of bounds for the others are left out then.
func (g *gen) touch(row local, n int) {
	if n > 1 {
		g.code(row, memory(wasm.F64Load, 8*(n-1)), wasm.Drop)
	}
}

// leave goes on to the next iteration, forward or backward by the sign, and ends the loop.
func (g *gen) leave(sign int) {
	step := func(x local, bytes int) {
		if bytes != 0 {
			g.code(x, i32(bytes), wasm.I32Add, setTo(x))
		}
	}
	if v := g.make(g.root, expr{op: index}); g.made[g.pass][v] {
		one := float64(sign)
		if g.Down {
			one = -one
		}
		g.code(g.localOf(v), f64(one), wasm.F64Add, setTo(g.localOf(v)))
	}
	step(localRow, sign*8*g.Row)
	for k := range g.Streams {
		step(g.stream(k), sign*8*g.Step(&g.Streams[k]))
	}
	g.code(localN, i32(1), wasm.I32Sub, tee(localN))
	if g.Stacked && sign > 0 {
		g.code(i32(0), wasm.I32Gt, g.stack[StackFuel], i32(0), wasm.I32GtSigned, wasm.I32And)
	}
	g.code(wasm.BrIf, 0, wasm.End)
	if g.Stacked && sign > 0 {
		g.code(g.base, g.stack[StackTop], wasm.Extend, word(wasm.I64Store, g.FrameStack()+StackTop))
		g.code(g.base, localN, wasm.Extend, word(wasm.I64Store, g.FrameStack()+StackLeft))
		for _, at := range [...]int{StackHome, StackOther} {
			g.code(g.base, g.stack[at], wasm.Extend, word(wasm.I64Store, g.FrameStack()+at))
		}
	}
	for n, x := range g.counts {
		at := g.FrameCounter(n)
		count := func() { g.code(x) }
		if g.many {
			count = func() { g.code(g.base, word(wasm.I32Load, at)) }
		}
		g.code(g.base, count, wasm.Convert, word(wasm.F64Store, at))
	}
}

// stream is the local with the place of a stream, and placeOf how far behind it an element stands.
func (g *gen) stream(k int) local { return localStream + local(k) }

func (g *gen) placeOf(v id) int {
	e := &g.values[v]
	return 8 * (int(e.num) - g.Streams[e.n].At)
}

// home moves the vectors that an iteration leaves to where the next one reads them, and frees the others.
func (g *gen) home() {
	home, other, at := g.stack[StackHome], g.stack[StackOther], 0
	for i := range g.states {
		if s := &g.states[i]; s.vector != nil && !g.stays(i) {
			bytes, x := 8*s.vector.find().slots, g.localOf(s.in)
			g.code(home, i32(at), wasm.I32Add, x, wasm.Truncate64, wasm.Wrap, i32(bytes), func() { g.Op(wasm.CopyOp...) },
				home, i32(at), wasm.I32Add, wasm.Convert, setTo(x))
			at += bytes
		}
	}
	g.code(home, other, setTo(home), setTo(other), g.base, word(wasm.I64Load, g.FrameStack()+StackTop), wasm.Wrap,
		setTo(g.stack[StackTop]))
}

// stays reports whether a state that is the address of a vector is the same behind each iteration.
func (f *Form) stays(i int) bool {
	seen := map[id]bool{f.states[i].in: true}
	var same func(v id) bool
	same = func(v id) bool {
		if seen[v] {
			return true
		}
		seen[v] = true
		e := &f.values[v]
		switch e.op {
		case owned:
			return same(e.a)
		case phi:
			return same(e.a) && same(e.b)
		case last, carry:
			if e.op == last {
				v = e.of
			}
			for _, lp := range f.loops {
				for _, c := range lp.carries {
					if c.in == v {
						return (c.init == none || same(c.init)) && same(c.out)
					}
				}
			}
		}
		return false
	}
	return same(f.states[i].out)
}

// HomeBytes is how many bytes the vectors of the states take, of a form that is not taped.
func (f *Form) HomeBytes() (n int) {
	for i := range f.states {
		if s := &f.states[i]; s.vector != nil && !f.stays(i) {
			n += 8 * s.vector.find().slots
		}
	}
	return n
}

// Forward makes the code that runs iterations, nil where there is no compiler.
func (f *Form) Forward() *Code {
	g := f.newGen(forward)
	g.enter()
	for i := range f.states {
		g.fromFrame(f.FrameState(i), g.localOf(f.states[i].in))
	}
	g.code(wasm.Loop, wasm.None)
	g.scope(func() {
		g.touch(localRow, g.Row)
		for i := range f.states {
			s := &f.states[i]
			if col, ok := f.column[s.in]; ok && s.instead == i {
				g.putInRow(s.in, col)
			}
		}
		g.region(f.root)
		for _, s := range f.stores {
			at := g.stream(s.stream)
			g.code(at, g.push(s.value), memory(wasm.F64Store, 8*s.at))
			if s.flag > one {
				g.code(at, g.push(s.flag), memory(wasm.F64Store, StreamBytes+8*s.at))
			}
		}
		for i := range f.states {
			g.get(f.states[i].out)
		}
		for i := range slices.Backward(f.states) {
			g.code(setTo(g.localOf(f.states[i].in)))
		}
		if f.allocs > 0 && !f.taped {
			g.home()
		}
	})
	g.leave(1)
	for i := range f.states {
		g.code(g.base, g.push(f.states[i].in), word(wasm.F64Store, f.FrameState(i)))
	}
	return g.compile()
}
