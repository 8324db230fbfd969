package loop

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
func (f *Form) FrameCounter(i int) int { return f.FrameAdjoint(len(f.states)) + i }

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

// gen makes a function.
type gen struct {
	*wasm.Function
	*Form
	code   int
	base   int           // the local that is 0: what is in the frame is at an offset from it
	home   map[id]int    // the local of a number
	known  []map[id]bool // what is in its local, scope by scope
	groups []Group
	counts []int // the local of each group

	adj      map[id]adjoint
	adjLocal map[id]int
	flagOf   map[id]int
	group    []int        // the group of each scope, −1: it has none yet
	counted  map[Kind]int // the groups of cells that flags say are reached
	sure     map[id]bool  // the elements at which something arrives in each iteration
	reached  []bool       // the streams that are whole
}

const localN, localRow, localStream = 0, 1, 2

func (f *Form) newGen(code int) *gen {
	params := make([]byte, localStream+len(f.Streams))
	for i := range params {
		params[i] = wasm.I32
	}
	g := &gen{Function: wasm.NewFunction(string(params)), Form: f, code: code, home: map[id]int{}}
	g.base = g.NewLocal(wasm.I32)
	return g
}

func (g *gen) compile() *Code {
	c := &Code{Form: g.Form, Groups: g.groups, Frame: g.FrameCounter(len(g.groups))}
	if c.Code = g.Compile(wasm.TableBytes + 8*c.Frame); c.Code == nil {
		return nil
	}
	return c
}

func (g *gen) load(at int) {
	g.Local(wasm.LocalGet, g.base)
	g.Memory(wasm.F64Load, wasm.TableBytes+8*at)
}

// store stores the number that push leaves in the frame.
func (g *gen) store(at int, push func()) {
	g.Local(wasm.LocalGet, g.base)
	push()
	g.Memory(wasm.F64Store, wasm.TableBytes+8*at)
}

func (g *gen) localOf(v id) int {
	at, ok := g.home[v]
	if !ok {
		at = g.NewLocal(wasm.F64)
		g.home[v] = at
	}
	return at
}

func (g *gen) isKnown(v id) bool {
	for _, s := range g.known {
		if s[v] {
			return true
		}
	}
	return false
}

// keepTop keeps the number on the stack in the local of v, and leaves it on the stack.
func (g *gen) keepTop(v id) {
	g.Local(wasm.LocalTee, g.localOf(v))
	g.known[len(g.known)-1][v] = true
}

// get leaves a number on the stack.
func (g *gen) get(v id) {
	e := &g.values[v]
	switch {
	case e.op == constant:
		g.F64(math.Float64frombits(e.num))
		return
	case e.op == state && g.code == forward, e.op == input, e.op == index, g.isKnown(v):
		g.Local(wasm.LocalGet, g.localOf(v))
		return
	case g.code == backward:
		if col, ok := g.column[v]; ok {
			g.Local(wasm.LocalGet, localRow)
			g.Memory(wasm.F64Load, 8*col)
			g.keepTop(v)
			return
		}
		if i, ok := g.next[v]; ok {
			g.Local(wasm.LocalGet, g.nextLocal(i))
			return
		}
	}
	if e.op == phi {
		g.branch(e.br)
		g.Local(wasm.LocalGet, g.localOf(v))
		return
	}
	g.compute(v)
	g.keepTop(v)
}

var opcodes = [...]byte{add: wasm.F64Add, sub: wasm.F64Sub, mul: wasm.F64Mul, div: wasm.F64Div, neg: wasm.F64Neg,
	fun: 0}

// compute leaves a number on the stack that is not known.
func (g *gen) compute(v id) {
	e := g.values[v]
	if e.op == element {
		s := &g.Streams[e.n]
		g.Local(wasm.LocalGet, localStream+e.n)
		g.Memory(wasm.F64Load, 8*(int(e.num)-s.At))
		return
	}
	g.get(e.a)
	if g.binary(v) {
		g.get(e.b)
	}
	if e.op != fun {
		g.Op(opcodes[e.op])
		return
	}
	if e.sym == term.Sin || e.sym == term.Cos { // both take as long as one
		sin, cos, other := v, v, expr{op: fun, sym: term.Sin + term.Cos - e.sym, a: e.a}
		o, ok := e.in.known[other]
		if ok && g.made[g.code][o] && !g.isKnown(o) {
			if e.sym == term.Sin {
				cos = o
			} else {
				sin = o
			}
			g.SinCos()
			g.keepTop(cos)
			g.Op(wasm.Drop)
			g.keepTop(sin)
			if e.sym == term.Cos {
				g.Op(wasm.Drop)
				g.Local(wasm.LocalGet, g.localOf(cos))
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
	g.known = append(g.known, map[id]bool{})
	g.group = append(g.group, -1)
	do()
	g.known, g.group = g.known[:len(g.known)-1], g.group[:len(g.group)-1]
}

// branch makes the numbers that a branch chooses.
func (g *gen) branch(br *branch) {
	g.get(br.a)
	g.get(br.b)
	g.Op(compares[br.cmp], wasm.If, wasm.None)
	side := func(r *region, of func(e *expr) id) {
		g.scope(func() {
			if g.code == forward {
				g.region(r)
			}
			for _, v := range br.phis {
				if g.made[g.code][v] {
					g.get(of(&g.values[v].expr))
					g.Local(wasm.LocalSet, g.localOf(v))
				}
			}
		})
	}
	side(br.then, func(e *expr) id { return e.a })
	g.Op(wasm.Else)
	side(br.els, func(e *expr) id { return e.b })
	g.Op(wasm.End)
	for _, v := range br.phis {
		if g.made[g.code][v] {
			g.known[len(g.known)-1][v] = true
		}
	}
}

// region makes the forward code of a region.
func (g *gen) region(r *region) {
	if r.parent != nil && len(r.Blocks) > 0 {
		g.count(len(g.groups), always)
		g.groups = append(g.groups, Group{Region: r.number})
	}
	for _, it := range r.items {
		switch {
		case it.br != nil:
			g.branch(it.br)
		case g.made[forward][it.cell.result] && !g.isKnown(it.cell.result):
			g.get(it.cell.result)
			g.Op(wasm.Drop)
		}
	}
	for v := range g.values {
		if col, ok := g.column[id(v)]; ok && g.values[v].in == r && g.values[v].op != state {
			g.Local(wasm.LocalGet, localRow)
			g.get(id(v))
			g.Memory(wasm.F64Store, 8*col)
		}
	}
}

// count makes the local of a group, and adds 1 to it, or the local when.
func (g *gen) count(n, when int) {
	if n == len(g.counts) {
		g.counts = append(g.counts, g.NewLocal(wasm.I32))
	}
	g.Local(wasm.LocalGet, g.counts[n])
	if when == always {
		g.I32(1)
	} else {
		g.Local(wasm.LocalGet, when)
	}
	g.Op(wasm.I32Add)
	g.Local(wasm.LocalSet, g.counts[n])
}

// enter loads what both codes read, and begins the loop.
func (g *gen) enter() {
	for i := range g.Inputs {
		g.load(i)
		g.Local(wasm.LocalSet, g.localOf(g.make(g.root, expr{op: input, n: i})))
	}
	g.load(g.FrameIndex())
	g.Local(wasm.LocalSet, g.localOf(g.make(g.root, expr{op: index})))
}

// touch reads the last number of a row: the checks of bounds for the others are left out then.
func (g *gen) touch() {
	if g.Row > 1 {
		g.Local(wasm.LocalGet, localRow)
		g.Memory(wasm.F64Load, 8*(g.Row-1))
		g.Op(wasm.Drop)
	}
}

// leave goes on to the next iteration, forward or backward by the sign, and ends the loop.
func (g *gen) leave(sign int) {
	step := func(local, bytes int) {
		if bytes != 0 {
			g.Local(wasm.LocalGet, local)
			g.I32(int32(bytes))
			g.Op(wasm.I32Add)
			g.Local(wasm.LocalSet, local)
		}
	}
	if v := g.make(g.root, expr{op: index}); g.made[g.code][v] {
		one := float64(sign)
		if g.Down {
			one = -one
		}
		g.get(v)
		g.F64(one)
		g.Op(wasm.F64Add)
		g.Local(wasm.LocalSet, g.localOf(v))
	}
	step(localRow, sign*8*g.Row)
	for k := range g.Streams {
		step(localStream+k, sign*8*g.Step(&g.Streams[k]))
	}
	g.Local(wasm.LocalGet, localN)
	g.I32(1)
	g.Op(wasm.I32Sub)
	g.Local(wasm.LocalTee, localN)
	g.Op(wasm.BrIf, 0, wasm.End)
	for n, local := range g.counts {
		g.store(g.FrameCounter(n), func() { g.Local(wasm.LocalGet, local); g.Op(wasm.Convert) })
	}
}

// Forward makes the code that runs iterations, nil where there is no compiler.
func (f *Form) Forward() *Code {
	g := f.newGen(forward)
	g.enter()
	for i := range f.states {
		g.load(f.FrameState(i))
		g.Local(wasm.LocalSet, g.localOf(f.states[i].in))
	}
	g.Op(wasm.Loop, wasm.None)
	g.scope(func() {
		g.touch()
		for i := range f.states {
			s := &f.states[i]
			if col, ok := f.column[s.in]; ok && s.instead == i {
				g.Local(wasm.LocalGet, localRow)
				g.get(s.in)
				g.Memory(wasm.F64Store, 8*col)
			}
		}
		g.region(f.root)
		for _, s := range f.stores {
			put := func(v id, at int) {
				g.Local(wasm.LocalGet, localStream+s.stream)
				g.get(v)
				g.Memory(wasm.F64Store, at+8*s.at)
			}
			put(s.value, 0)
			if s.flag > one {
				put(s.flag, StreamBytes)
			}
		}
		for i := range f.states {
			g.get(f.states[i].out)
		}
		for i := range slices.Backward(f.states) {
			g.Local(wasm.LocalSet, g.localOf(f.states[i].in))
		}
	})
	g.leave(1)
	for i := range f.states {
		g.store(f.FrameState(i), func() { g.get(f.states[i].in) })
	}
	return g.compile()
}
