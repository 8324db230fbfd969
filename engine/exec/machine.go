// Package exec runs programs of package ir: an interpreter with a heap, a tape and limits.
//
// # Gradients
//
// Each number that is the result of an operation of a taped program, and each input, has an address: that of its
// adjoint. A dual variable of D(t) is such an address, and an arrival at it adds to the adjoint. The adjoint of a
// numeral is the address 0, which nothing is added to. An operation appends a statement to the tape: its kind, the
// addresses of the operands that have an adjoint, and the partial derivatives. The backward phase of an output goes
// through the statements from the last to the first. A statement is reached if something has arrived at its address;
// it counts what a cell of its kind does, and (11) counts arrivals less reached cells (section 5.2).
package exec

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/gram-machine/gram/engine/ir"
	"github.com/gram-machine/gram/engine/native"
	"github.com/gram-machine/gram/engine/wasm"
	"github.com/gram-machine/gram/graph/calls"
	"github.com/gram-machine/gram/limits"
	"github.com/gram-machine/gram/rule"
	"github.com/gram-machine/gram/term"
)

// Slot is a number with the address of its adjoint, or a reference.
type Slot struct {
	V float64
	A uint64
}

// A reference has the slot of an object's header in its low half, and above it the slot of the object that is meant,
// from the first behind the header on; of a closure, which function of a fix is meant.
const (
	isRef      = 1 << 63
	isDense    = 1 << 62 // in a reference to a dense vector: its number is in the low half
	offset     = 32
	mostOffset = 1<<30 - 1
	partial    = 1 << 40 // in the header of a partial application
	moved      = 1 << 62 // in the header of an object that a collection has moved
	firstHeap  = 1 << 12 // slots
)

func ref(object, off uint64) uint64 { return isRef | off<<offset | object }

func object(r uint64) uint64 { return r & math.MaxUint32 }

func off(r uint64) uint64 { return r >> offset & mostOffset }

// frame is what a call returns to.
type frame struct {
	pc, base int32
	d        uint32
	// rest says that the result is applied to the arguments on the stack from at on, whose widths are these.
	rest []int
	at   int32
	self uint64
}

// Stats is what a run cost.
type Stats struct {
	Counts      rule.Counts
	Statements  uint64 // of the tape
	Instantiate uint64 // blocks that were entered
	Search      uint64 // statements that the backward phases went through
	Readback    uint64
	Recompute   uint64 // steps that were made again for the backward phase
	Nodes       uint64 // slots allocated, and statements
	Freed       uint64
	Peak        uint64 // slots and statements at once
	Bytes       uint64 // memory that the machine holds
}

// Machine runs a program, again and again.
type Machine struct {
	// Data replaces the numbers of some of the program's data, by their index.
	Data map[int][]float64
	// Plain says that each loop runs as it is written: no vectors.
	Plain bool
	// NativeWork is how many instructions make machine code of a loop worth making: [NativeWork] if it is 0. NoNative says
	// that there is to be none.
	NativeWork float64
	NoNative   bool
	Runs       int // about how many there will be; 0: many
	// Workers is how many goroutines share the products of matrices; none do if it is less than 2.
	Workers int
	// Of placed programs: Finite makes a result that is NaN or infinite an error, a [*limits.NotFiniteError], and Timed
	// adds times to profiles.
	Finite, Timed bool
	Phase         func(calls.Phase) // is called when a phase begins, if it is not nil

	p      *Program
	bounds limits.Bounds

	stack  []Slot
	frames []frame
	self   uint64 // the closure that runs
	heap   []Slot
	spare  []Slot // of the last collection
	gcAt   int
	base   int // of the frame that runs
	size   int // of this frame
	closed bool
	// The dense vectors: inputs, data, and those that statements have made.
	dense   []dense
	denser  store
	changes []Slot      // what an instruction puts in a dense vector
	windows []ir.Window // of data that is not stored, by the number of its dense vector
	window  int         // the numbers of one
	far     uint64      // the number of a dense vector from which on it has no references
	// leastAgain is how many bytes of the tape a checkpoint stands for at least.
	leastAgain uint64

	counters []uint64
	fuel     int64 // until the next look at the limits
	pc       int32

	lanes    []*laneState
	nests    map[*native.Nest]*nestState
	nesting  nesting
	runs     uint64 // how often the program has been started
	vectors  uint64 // that have run
	pendings []*pending
	// pendingTop is the highest address of what pendings are added to.
	pendingTop int

	tape    tape
	profile *profile // of a placed program
	// The adjoints, and which have an arrival.
	adjoint []float64
	reached []bool
	fired   []uint64 // of each kind
	factor  uint64

	loops  []loopState // nil: there is no machine code
	native nativeLoops
	// How often each function is entered until it is called as machine code, nil: none is; and the memory of these.
	calls   []uint64
	entries []uint64 // that slice, in runs in which there is none, too
	region  *region
	scarce  int  // by how many bits this memory is smaller than it may be
	without bool // the machine has no machine code of functions any more

	returned  []Slot // the results of the last run of code
	result    []Slot
	collected []Slot // elements of a list that is read
	nodes     uint64
	freed     uint64
	peak      uint64
	readback  uint64
	searched  uint64
	// The steps that loops have made again for their backward phase.
	recomputed uint64

	// The tape is to be short: marks of loops that run, what these and checkpoints keep, and loops that can't be made
	// again.
	short   bool
	least   uint64 // bytes that a checkpoint stands for
	marks   []mark
	kept    []Slot
	barred  map[*back]bool
	dropped uint64   // statements
	again   again    // the iterations that are made again
	counted []uint64 // what counters were before; nil: there are none
}

// NewMachine makes a machine for the program.
func (p *Program) NewMachine(bounds limits.Bounds) *Machine {
	return &Machine{p: p, bounds: bounds, counters: make([]uint64, len(p.src.Blocks)), fired: make([]uint64, len(p.kinds)),
		stack: make([]Slot, 1<<10), window: windowNumbers, far: farNumber, leastAgain: leastAgain,
		nesting: defaultNesting, scarce: wasm.Scarce}
}

// Close gives the memory back.
func (m *Machine) Close() error {
	*m = Machine{p: m.p, closed: true}
	return nil
}

// static is how many slots of the heap last as long as the program: the closures that capture nothing, one for each
// function.
func (m *Machine) static() int { return len(m.p.funs) }

// start prepares a run at a point.
func (m *Machine) start(point []float64) error {
	if m.closed {
		return fmt.Errorf("the machine is closed")
	}
	src := m.p.src
	static := m.static()
	if cap(m.heap) < static+firstHeap {
		m.heap = make([]Slot, static, static+firstHeap)
	}
	m.heap = m.heap[:static]
	m.startDense(point)
	for i := range m.p.funs {
		m.heap[i] = Slot{A: uint64(i)}
	}
	m.gcAt = static + firstHeap
	m.frames, m.base, m.size, m.self = m.frames[:0], 0, 0, 0
	m.result, m.collected = m.result[:0], m.collected[:0]
	clear(m.counters)
	clear(m.fired)
	m.factor, m.readback, m.searched, m.nodes, m.freed, m.peak, m.recomputed = 0, 0, 0, 0, 0, 0, 0
	if m.loops == nil && len(m.p.loops) > 0 && !m.NoNative && wasm.Supported() {
		m.loops = make([]loopState, len(m.p.loops))
		m.NativeWork = cmp.Or(m.NativeWork, NativeWork)
	}
	for i := range m.loops {
		m.loops[i].ran, m.loops[i].fails, m.loops[i].skip = 0, 0, 0
	}
	m.possibleFunctions()
	m.runs++
	m.native.Begin()
	m.native.made, m.native.again, m.native.full = 0, 0, false
	m.short, m.least, m.marks, m.kept, m.dropped, m.counted = false, m.leastAgain, m.marks[:0], m.kept[:0], 0, nil
	m.again, m.barred = again{}, nil
	m.tape.n, m.tape.args, m.tape.slopes = 0, 0, 0
	m.tape.records, m.tape.words = m.tape.records[:0], m.tape.words[:0]
	if src.Placed {
		m.profile = newProfile(m.p, m.Timed)
	}
	if src.Taped {
		if err := m.growTape(&block{statements: uint32(1 + len(point))}, 0); err != nil {
			return err
		}
		m.tape.kinds[0] = 0
		for i := range point {
			m.tape.kinds[1+i] = inputKind
			if src.Placed {
				m.tape.where[1+i] = uint32(1 + i)
			}
		}
		m.tape.n = 1 + len(point)
	}
	return m.look(0)
}

// every is how many steps may pass between two looks at the limits.
const every = 1 << 16

// ran is how often each block has run, but for iterations that are made again.
func (m *Machine) ran() []uint64 {
	if m.counted != nil {
		return m.counted
	}
	m.countChains()
	return m.counters
}

// steps is how many steps have been made.
func (m *Machine) steps() uint64 {
	n := m.p.src.Start.Total() + 2*m.factor
	for i, k := range m.ran() {
		n += k * m.p.src.Blocks[i].Total
	}
	for i, k := range m.fired {
		n += k * m.p.kinds[i].total
	}
	return n
}

// refuel checks the limit of steps, and gives fuel for those until the next look.
func (m *Machine) refuel(pc int32) error {
	m.fuel = every
	if most := m.bounds.MaxSteps; most != 0 {
		n := m.steps()
		if m.fuel = int64(min(every, most-min(n, most))); n > most {
			return m.limit("steps", most, pc, nil)
		}
	}
	return nil
}

// look checks the limits when the fuel is used up, and gives more. The error is a [*limits.ReachedError].
func (m *Machine) look(pc int32) error {
	if err := m.refuel(pc); err != nil {
		return err
	}
	if most := m.bounds.MaxNodes; most != 0 && m.live() > most {
		return m.limit("nodes", most, pc, nil)
	}
	if !m.short {
		m.shorten()
	}
	if m.bounds.Look != nil {
		if err := m.bounds.Look(); err != nil {
			return m.limit("", 0, pc, err)
		}
	}
	return nil
}

// live is how many slots of the heap are in use, with garbage, and how many statements the tape has.
func (m *Machine) live() uint64 {
	return uint64(max(0, len(m.heap)-m.static())) + m.denser.slots + m.statements()
}

// statements is how many the tape has, without those of inputs, and as many for rows as take their memory.
func (m *Machine) statements() uint64 {
	return uint64(max(0, m.tape.n-1-m.p.src.Inputs)) + m.native.made/2
}

func (m *Machine) limit(name string, most uint64, pc int32, err error) error {
	e := &limits.ReachedError{Limit: name, Max: most, Steps: m.steps(), Nodes: m.live(), Pos: m.p.pos[pc], Err: err}
	// The function that recurs: that which runs, or the innermost around it.
	for i := len(m.frames); e.Function == "" && i >= 0; i-- {
		if i < len(m.frames) {
			pc = m.frames[i].pc
		}
		if f := m.p.function(pc); f != nil && f.unfold {
			e.Function = f.name
		}
	}
	return e
}

// function is the function with the code at a place, nil if there is none.
func (p *Program) function(pc int32) *fun {
	i, found := slices.BinarySearchFunc(p.funs, pc, func(f fun, pc int32) int { return cmp.Compare(f.entry, pc) })
	if !found {
		i--
	}
	if i < 0 {
		return nil
	}
	return &p.funs[i]
}

// reserve checks the limit on memory before so many bytes are allocated.
func (m *Machine) reserve(bytes int, pc int32) error {
	if m.bounds.Reserve != nil && bytes > 1<<16 {
		if err := m.bounds.Reserve(int64(bytes)); err != nil {
			return m.limit("", 0, pc, err)
		}
	}
	return nil
}

// alloc makes an object of n slots with a header, and returns the header's slot. It may move all objects.
func (m *Machine) alloc(n int, header uint64, pc int32) (uint64, error) {
	at := len(m.heap)
	if at+n+1 > m.gcAt {
		if err := m.room(n+1, pc); err != nil {
			return 0, err
		}
		at = len(m.heap)
	}
	m.heap = m.heap[:at+n+1]
	m.heap[at] = Slot{math.Float64frombits(uint64(n)), header}
	m.nodes += uint64(n + 1)
	return uint64(at), nil
}

// room collects garbage, and makes room for n slots more.
func (m *Machine) room(n int, pc int32) error {
	before := len(m.heap)
	if err := m.collect(pc); err != nil {
		return err
	}
	if most := m.bounds.MaxNodes; most != 0 && m.live()+uint64(n) > most {
		return m.limit("nodes", most, pc, nil)
	}
	want := max(2*(len(m.heap)+n), firstHeap)
	if len(m.heap) > before/4*3 { // the program keeps what it makes
		want *= 2
	}
	if uint64(want) > math.MaxUint32 || n >= 1<<30 {
		return m.limit("memory", math.MaxUint32*16, pc, nil)
	}
	if want > cap(m.heap) {
		m.spare = nil
		if err := m.reserve(slotSize*want, pc); err != nil {
			return err
		}
		heap, err := m.newHeap(want, false)
		if err != nil {
			return err
		}
		m.heap = heap
	}
	m.gcAt = min(cap(m.heap), want)
	return nil
}

// collect moves what the stack refers to to the beginning of the other half of the heap.
func (m *Machine) collect(pc int32) error {
	m.peak = max(m.peak, m.live())
	static := m.static()
	from := m.heap
	if cap(m.spare) < len(from) {
		if err := m.reserve(slotSize*cap(from), pc); err != nil {
			return err
		}
		spare, err := m.newHeap(cap(from), true)
		if err != nil {
			return err
		}
		m.spare = spare
	}
	to := append(m.spare[:0], from[:static]...)
	move := func(r *uint64) {
		o := object(*r)
		if *r&isRef == 0 || *r&isDense == 0 && o < uint64(static) {
			return
		}
		if *r&isDense != 0 {
			m.dense[o].marked = true
			return
		}
		h := &from[o]
		if h.A&moved == 0 {
			at := uint64(len(to))
			n := math.Float64bits(h.V)
			to = append(to, from[o:o+1+n]...)
			h.A = moved | at
		}
		*r = ref(h.A&^moved, off(*r))
	}
	top := m.base + m.size
	clear(m.stack[top:])
	for _, slots := range [][]Slot{m.stack[:top], m.result, m.collected, m.kept} {
		for i := range slots {
			move(&slots[i].A)
		}
	}
	for i := range m.frames {
		move(&m.frames[i].self)
	}
	move(&m.self)
	for i := static; i < len(to); i++ {
		move(&to[i].A)
	}
	m.freed += uint64(len(from)-len(to)) + m.sweep()
	m.heap, m.spare = to, from[:0]
	m.gcAt = min(m.gcAt, cap(to))
	return nil
}

// Stats returns what the last run cost, or how far it got.
func (m *Machine) Stats() Stats {
	if m.heap == nil { // none
		return Stats{}
	}
	s := Stats{Counts: m.p.src.Start, Statements: uint64(m.tape.n), Readback: m.readback, Recompute: m.recomputed,
		Search: m.searched, Nodes: m.nodes + m.statements() + m.dropped + m.native.again/2, Freed: m.freed + m.dropped +
			m.native.again/2,
		Peak: max(m.peak, m.live()),
		Bytes: uint64(slotSize*(cap(m.heap)+cap(m.spare)+cap(m.stack))+2*cap(m.tape.kinds)+12*cap(m.tape.adr)+
			9*cap(m.adjoint)+8*cap(m.tape.words)) + m.denser.bytes + denseSize*uint64(cap(m.dense)) +
			recordSize*uint64(cap(m.tape.records)) + uint64(len(m.native.Bytes))}
	for _, st := range m.nests {
		s.Bytes += uint64(len(st.memory))
	}
	for i := range m.windows {
		s.Bytes += m.windows[i].Bytes()
	}
	for i, n := range m.ran() {
		s.Counts.AddTimes(&m.p.src.Blocks[i].Steps, n)
		s.Instantiate += n
	}
	for i, n := range m.fired {
		s.Counts.AddTimes(&m.p.kinds[i].steps, n)
	}
	s.Counts[rule.Factor] += m.factor
	s.Counts[rule.Plus] += m.factor
	return s
}

// Value reduces the program at the point, and leaves its value to be read.
func (m *Machine) Value(point []float64) error {
	if m.p.src.Taped {
		return fmt.Errorf("the value of a reversed program is that of its gradient")
	}
	return m.evaluate(point)
}

// evaluate runs the body, once more if it has begun with machine code that has not enough memory.
func (m *Machine) evaluate(point []float64) error {
	m.enterPhase(calls.Primal)
	err := m.evaluateOnce(point)
	if err == errWithout {
		m.without = true
		err = m.evaluateOnce(point)
	}
	m.countChains()
	return err
}

func (m *Machine) evaluateOnce(point []float64) error {
	if err := m.start(point); err != nil {
		return err
	}
	f := &m.p.funs[0]
	m.frames = append(m.frames[:0], frame{pc: -1})
	m.base, m.size, m.self = 0, int(f.regs), ref(0, 0)
	m.ensure(m.size)
	clear(m.stack)
	results, err := m.run(f.entry)
	if err != nil {
		return err
	}
	m.result = append(m.result[:0], results...)
	return m.refuel(m.pc)
}

func (m *Machine) enterPhase(phase calls.Phase) {
	if m.Phase != nil {
		m.Phase(phase)
	}
}

// ensure makes room for n slots on the stack, and one behind them.
func (m *Machine) ensure(n int) {
	if n++; n > len(m.stack) {
		stack, err := resized(m, m.places().stack, stackBytes, m.stack, len(m.stack), max(n, 2*len(m.stack)))
		if err != nil { // machine code runs, which ends then
			m.region.err = err
			panic(err)
		}
		m.stack = stack
	}
}

// Read appends the numbers of the value that the last run left to out, from left to right, and the length of each
// list in it and the number of each constructor to lengths, outer ones before inner ones. A list is read by applying
// it, which is not counted.
func (m *Machine) Read(out []float64, lengths []int) ([]float64, []int, error) {
	m.enterPhase(calls.ReadBack)
	r := reader{m: m, out: out, lengths: lengths}
	m.collected, m.calls = append(m.collected[:0], m.result...), nil
	var err error
	switch src := m.p.src; {
	case src.Points > 0:
		err = r.numbers(0, 0, src.Points*m.p.result.slots)
	case src.Elements == 0:
		err = r.slots(m.p.result, 0)
	default:
		r.lengths = append(r.lengths, src.Elements)
		err = r.numbers(0, 0, src.Elements*m.p.result.elem.slots)
	}
	m.collected = m.collected[:0]
	return r.out, r.lengths, err
}

// reader reads a value. What is still to be read is in collected, where collections find it.
type reader struct {
	m       *Machine
	out     []float64
	lengths []int
}

// slots reads a value of shape t in the registers from i on of collected.
func (r *reader) slots(t *shape, i int) error {
	switch m := r.m; t.kind {
	case term.RKind:
		r.number(m.collected[i].V)
	case term.ProdKind:
		if err := r.slots(t.left, i); err != nil {
			return err
		}
		return r.slots(t.right, i+t.left.registers)
	case term.VecKind:
		return r.vector(t, i, 0)
	case term.MuKind:
		return r.constructor(t, i)
	default:
		return r.list(t, i)
	}
	return nil
}

func (r *reader) number(x ...float64) {
	r.m.readback += uint64(len(x))
	r.out = append(r.out, x...)
}

// numbers reads those of a vector from slot n to below slot end.
func (r *reader) numbers(i, n, end int) error {
	ref := r.m.collected[i].A
	if k := object(ref); ref&isDense != 0 && r.m.windowOf(k) == nil {
		from := int(off(ref))
		r.number(r.m.dense[k].data[from+n : from+end]...)
		return nil
	}
	for ; n < end; n++ {
		s, err := r.m.load(ref, uint64(n), r.m.pc)
		if err != nil {
			return err
		}
		r.number(s.V)
	}
	return nil
}

// vector reads what a vector has from slot n on.
func (r *reader) vector(t *shape, i, n int) error {
	m := r.m
	switch t.kind {
	case term.VecKind:
		if t.elem.kind == term.RKind {
			return r.numbers(i, n, n+t.n)
		}
		for k := range t.n {
			if err := r.vector(t.elem, i, n+k*t.elem.slots); err != nil {
				return err
			}
		}
		return nil
	case term.ProdKind:
		if err := r.vector(t.left, i, n); err != nil {
			return err
		}
		return r.vector(t.right, i, n+t.left.slots)
	}
	s, err := m.load(m.collected[i].A, uint64(n), m.pc)
	if err != nil {
		return err
	}
	if t.kind == term.RKind {
		r.number(s.V)
		return nil
	}
	return r.pushed(t, s)
}

// pushed reads a value of one register.
func (r *reader) pushed(t *shape, s ...Slot) error {
	i := len(r.m.collected)
	r.m.collected = append(r.m.collected, s...)
	err := r.slots(t, i)
	r.m.collected = r.m.collected[:i]
	return err
}

// constructor reads a constructor and its argument. Along a spine, where the last component of an argument is of the
// same type, it takes no Go stack.
func (r *reader) constructor(t *shape, i int) error {
	m := r.m
	base := len(m.collected)
	for n := 1; ; n++ {
		if n%every == 0 {
			if err := m.look(m.pc); err != nil {
				return err
			}
		}
		o := object(m.collected[i].A)
		tag := m.heap[o].A
		r.lengths = append(r.lengths, int(tag))
		arg := t.arguments[tag]
		if arg == nil {
			return nil
		}
		at := base
		m.collected = append(m.collected, m.heap[o+1:o+1+uint64(arg.registers)]...)
		for arg.kind == term.ProdKind {
			if err := r.slots(arg.left, at); err != nil {
				return err
			}
			at += arg.left.registers
			arg = arg.right
		}
		if arg != t {
			err := r.slots(arg, at)
			m.collected = m.collected[:base]
			return err
		}
		m.collected[i] = m.collected[at]
		m.collected = m.collected[:base]
	}
}

// list reads a list: it is applied to a function that keeps its elements, from the last one on.
func (r *reader) list(t *shape, i int) error {
	m := r.m
	first := len(m.collected)
	m.ensure(1 + t.x)
	clear(m.stack[:1+t.x])
	m.stack[0].A = ref(uint64(t.collector), 0)
	counters, profile := slices.Clone(m.counters), m.profile
	if profile != nil {
		m.profile = newProfile(m.p, false)
	}
	err := m.applyAll(m.collected[i].A, []int{1, t.x})
	m.counters, m.profile = counters, profile
	if err != nil {
		return err
	}
	n := (len(m.collected) - first) / t.elem.registers
	r.lengths = append(r.lengths, n)
	for k := n - 1; k >= 0; k-- {
		if err := r.slots(t.elem, first+k*t.elem.registers); err != nil {
			return err
		}
	}
	m.collected = m.collected[:first]
	return nil
}

// applyAll applies a closure to the arguments at the bottom of the stack.
func (m *Machine) applyAll(closure uint64, widths []int) error {
	m.frames = append(m.frames[:0], frame{pc: -1})
	m.base, m.size, m.self = 0, 0, closure
	pc, err := m.apply(closure, 0, widths, 0)
	if err != nil || pc < 0 {
		return err
	}
	_, err = m.run(pc)
	return err
}
