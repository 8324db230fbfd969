package compile

import (
	"sort"

	"github.com/gram-machine/gram/graph"
	"github.com/gram-machine/gram/rule"
	"github.com/gram-machine/gram/term"
)

// A slot says where the machine finds an operand. While a template is being built
// its class stands in the two high bits; linking replaces it by a frame index.
type slot uint32

const (
	globalClass  slot = 0 << 30
	paramClass   slot = 1 << 30
	captureClass slot = 2 << 30
	localClass   slot = 3 << 30
	classMask    slot = 3 << 30
	indexMask    slot = 1<<30 - 1
	// frameBit marks a frame-relative index between closing a template and
	// linking the program, when the number of globals is known.
	frameBit = 1 << 31
)

// operand is the result of compiling a term: a slot, or a pair that has not been
// built, the index of a virtual pair.
type operand struct {
	slot slot
	pair uint32    // 0: none
	late term.Type // the type of a sum that no job may have run yet; 0: it is a value
	// known is, in a family, 1 + the index of a function, list or numeral, which is no slot; 0: none.
	known uint32
	// also is the same of a slot that is bound outside of families, for an application in one; 0: none.
	also uint32
}

// virtualPair is ⟨a,b⟩ as long as nobody needs it as a node.
type virtualPair struct {
	a, b  operand
	built bool
	slot  slot // if built
	pos   term.Pos
}

// builder is a template in the making.
type builder struct {
	name     string
	pos      term.Pos
	params   uint32
	extra    uint32 // graph.Template.Extra
	captured []capture
	index    map[term.Var]uint32 // the captured variables, once there are any
	code     []graph.Instr
	args     []uint32
	locals   locals
	steps    placedCounts
	overhead uint64
	units    uint64
	open     bool       // of an open program
	vars     []term.Var // the parameters
	typ      term.Type  // graph.Template.Type
	node     term.Ref   // what the template is of
	inline   bool       // graph.Template.Inline
	element  term.Index // of a list whose element the template makes: its index, the parameter
	loops    loops
	tallies  tallies
}

// placedCounts are steps, and with Options.Places by place.
type placedCounts struct {
	counts rule.Counts
	places []graph.PlaceCount
	placed map[graph.PlaceCount]int // the index of each in places; N is not compared
}

// tallies are what an open program counts when it runs: weights of slots.
type tallies struct {
	at      map[slot]int
	slots   []slot
	weights []graph.Weight
}

type capture struct {
	x    term.Var
	from slot // in the enclosing builder
}

// local is a result of the template: whether it is a value as soon as its
// instruction has run, and which instruction makes it (for a root).
type local struct {
	ready  bool
	single bool
	at     uint32
}

// locals are those of a template in order. Those of one instruction that makes many are one entry.
type locals struct {
	all  []local
	many []manyLocals
}

// manyLocals are the locals from first on, before end, which are all[at].
type manyLocals struct{ first, end, at uint32 }

// size is how many locals there are.
func (l *locals) size() uint32 {
	if len(l.many) == 0 {
		return uint32(len(l.all))
	}
	m := l.many[len(l.many)-1]
	return m.end + uint32(len(l.all)) - m.at - 1
}

// add adds n locals that are alike, and returns the first.
func (l *locals) add(n int, x local) (first uint32) {
	first = l.size()
	if n >= term.Many {
		l.many = append(l.many, manyLocals{first: first, end: first + uint32(n), at: uint32(len(l.all))})
		n = 1
	}
	for range n {
		l.all = append(l.all, x)
	}
	return first
}

// of returns local i.
func (l *locals) of(i uint32) local {
	k := sort.Search(len(l.many), func(k int) bool { return i < l.many[k].first })
	if k == 0 {
		return l.all[i]
	}
	m := l.many[k-1]
	if i < m.end {
		return l.all[m.at]
	}
	return l.all[m.at+1+i-m.end]
}

// binding is what a variable stands for: an operand of the builder at a depth.
type binding struct {
	op    operand
	depth int32
	bound bool
	name  bool // x is the name of a dual λ
	again bool // it is bound in an application in a family, whose code may be compiled again
}

func (c *compiler) top() *builder { return c.stack[len(c.stack)-1] }

func (c *compiler) depth() int32 { return int32(len(c.stack) - 1) }

func (c *compiler) bind(x term.Var, op operand) {
	again := len(c.calls) > 0
	if again {
		c.undo = append(c.undo, saved{x, c.vars[x]})
	}
	c.vars[x] = binding{op: op, depth: c.depth(), bound: true, again: again}
}

// newLocals adds n results of the instruction that is emitted next, and returns the first.
func (b *builder) newLocals(n int, ready, single bool) slot {
	return localClass | slot(b.locals.add(n, local{ready: ready, single: single, at: uint32(len(b.code))}))
}

// ready reports whether the operand is a value whenever the code reaches it:
// parameters, captured references and globals always are.
func (b *builder) ready(s slot) bool {
	return s&classMask != localClass || b.locals.of(uint32(s&indexMask)).ready
}

// variable returns the operand of x in the builder on top: its binding, or a
// captured reference if an enclosing builder has it.
func (c *compiler) variable(x term.Var) operand {
	c.bound(x)
	b := &c.vars[x]
	if b.depth == c.depth() {
		return b.op
	}
	if v := b.op.pair; v != 0 && c.global(b.op) {
		return b.op
	}
	if b.op.pair == 0 && b.op.slot&classMask == globalClass {
		return b.op
	}
	from := c.slotAt(b.op, b.depth)
	if from&classMask == globalClass {
		return operand{slot: from, also: b.op.also}
	}
	// Each builder between the binding and the top captures x, unless it has it.
	d := c.depth()
	for d > b.depth+1 {
		if i, ok := c.stack[d-1].index[x]; ok {
			from = captureClass | slot(i)
			break
		}
		d--
	}
	if i, ok := c.top().index[x]; ok {
		return operand{slot: captureClass | slot(i), also: b.op.also}
	}
	for ; d <= c.depth(); d++ {
		from = c.stack[d].capture(x, from)
	}
	return operand{slot: from, also: b.op.also}
}

func (b *builder) capture(x term.Var, from slot) slot {
	if b.index == nil {
		b.index = map[term.Var]uint32{}
	}
	i := uint32(len(b.captured))
	b.index[x] = i
	b.captured = append(b.captured, capture{x: x, from: from})
	return captureClass | slot(i)
}

// global reports whether a virtual pair has only global components.
func (c *compiler) global(op operand) bool {
	p := &c.pairs[op.pair]
	return p.a.pair == 0 && p.b.pair == 0 && p.a.slot&classMask == globalClass && p.b.slot&classMask == globalClass
}

// slot returns op as a slot of the builder on top, building its pair if need be.
func (c *compiler) slot(op operand) slot { return c.slotAt(op, c.depth()) }

// slotAt builds the pair of op, if it is one, in the builder at the given depth.
// Pairs nest as deeply as the source has it: the work stack is explicit.
func (c *compiler) slotAt(op operand, depth int32) slot {
	if op.known != 0 {
		c.unheld()
		return 0
	}
	if op.pair == 0 {
		return op.slot
	}
	stack := []uint32{op.pair}
	for len(stack) > 0 {
		i := stack[len(stack)-1]
		p := &c.pairs[i]
		if p.built {
			stack = stack[:len(stack)-1]
			continue
		}
		if q := p.a.pair; q != 0 && !c.pairs[q].built {
			stack = append(stack, q)
			continue
		}
		if q := p.b.pair; q != 0 && !c.pairs[q].built {
			stack = append(stack, q)
			continue
		}
		stack = stack[:len(stack)-1]
		p.slot = c.buildPair(p, depth)
		p.built = true
	}
	return c.pairs[op.pair].slot
}

func (c *compiler) component(op operand) slot {
	if op.pair != 0 {
		return c.pairs[op.pair].slot
	}
	if op.known != 0 {
		c.unheld()
	}
	return op.slot
}

func (c *compiler) buildPair(p *virtualPair, depth int32) slot {
	a, b := c.component(p.a), c.component(p.b)
	if a&classMask == globalClass && b&classMask == globalClass {
		return c.addGlobal(graph.Global{Kind: graph.Pair, Comps: []uint32{uint32(a), uint32(b)}})
	}
	return c.emitAt(depth, graph.Instr{Op: graph.OpPair, A: uint32(a), B: uint32(b), Pos: p.pos}, nil)
}

// emit adds an instruction with one result to the builder on top.
func (c *compiler) emit(in graph.Instr, args []slot) slot { return c.emitAt(c.depth(), in, args) }

func (c *compiler) emitAt(depth int32, in graph.Instr, args []slot) slot {
	b := c.stack[depth]
	ready := b.operandsReady(&in, args)
	immediate := ready && in.Op != graph.OpApply && in.Op != graph.OpIf && in.Op != graph.OpCase && in.Op != graph.OpJob &&
		(in.Op != graph.OpRun || in.Flags&graph.Late == 0)
	d := b.newLocals(1, immediate, true)
	in.D = uint32(d)
	b.add(in, args, ready)
	return d
}

func (b *builder) operandsReady(in *graph.Instr, args []slot) bool {
	switch in.Op {
	case graph.OpMul, graph.OpAdd, graph.OpSub, graph.OpFun2, graph.OpPair, graph.OpArrive, graph.OpSum, graph.OpTotal, graph.OpTest, graph.OpJoin,
		graph.OpSelect:
		return b.ready(slot(in.A)) && b.ready(slot(in.B))
	case graph.OpFun1, graph.OpJob, graph.OpRun, graph.OpCon, graph.OpUnpair, graph.OpUntuple, graph.OpUnvec, graph.OpFamily, graph.OpComponent:
		return b.ready(slot(in.A))
	}
	for _, a := range args {
		if !b.ready(a) {
			return false
		}
	}
	return true
}

// add appends the instruction and books what an instance of it costs: one unit of
// overhead for itself and one for each reference that it captures, and the nodes
// that it may allocate.
func (b *builder) add(in graph.Instr, args []slot, ready bool) {
	if ready {
		in.Flags |= graph.Ready
	}
	if len(args) > 0 {
		in.Off, in.N = uint32(len(b.args)), uint32(len(args))
		for _, a := range args {
			b.args = append(b.args, uint32(a))
		}
	}
	b.overhead++
	switch in.Op {
	case graph.OpClosure, graph.OpDual, graph.OpLin, graph.OpList:
		b.overhead += uint64(in.N)
	case graph.OpIf:
		b.overhead += uint64(in.N - 2)
	case graph.OpCase:
		b.overhead += uint64(in.N - 1)
	}
	b.units += units(&in, b.open)
	b.code = append(b.code, in)
}

// units bounds the nodes that one instance of the instruction allocates. In an open
// program an operation may become an inert node, which takes two.
func units(in *graph.Instr, open bool) uint64 {
	n := int(in.N)
	switch in.Op {
	case graph.OpLoop, graph.OpFamily, graph.OpTotal, graph.OpComponent, graph.OpIndexNum, graph.OpTest, graph.OpElse, graph.OpJoin, graph.OpSelect:
		return 0 // only a block runs them, but for the last, which makes no node
	case graph.OpUnpair, graph.OpUntuple, graph.OpUnvec:
		if in.Flags&graph.Ready != 0 {
			return 0
		}
		if in.Op == graph.OpUnpair {
			n = 2
		}
		return uint64(n+1) * uint64(graph.Units(graph.WaitWords, 1))
	case graph.OpMul, graph.OpAdd, graph.OpSub, graph.OpFun1, graph.OpFun2, graph.OpPair, graph.OpCon:
		if in.Flags&graph.Ready != 0 && !open {
			return 1
		}
		return 2
	case graph.OpArrive, graph.OpSum, graph.OpJob, graph.OpRun:
		return 2
	case graph.OpFunN:
		return uint64(graph.Units(graph.WaitWords, n)) + uint64(graph.InertUnits(n))
	}
	// Room for the waiting node, and for the value beside it.
	return uint64(graph.Units(graph.WaitWords, n)) + uint64(graph.Units(graph.DualWords, n))
}
