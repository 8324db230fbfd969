package exec

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"
	"unsafe"

	"github.com/gram-machine/gram/engine/ir"
	"github.com/gram-machine/gram/engine/native"
	"github.com/gram-machine/gram/engine/wasm"
	"github.com/gram-machine/gram/limits"
	"github.com/gram-machine/gram/term"
)

// This file runs recursive functions as machine code of package native. The heap, the stack, the tape and the counters
// are in its memory then, and the interpreter works there too.

// callsWork is how many calls of a function, in all runs together, make machine code of all recursive functions worth
// making, if there is only this one: to make that of an instruction takes as long as the interpreter takes for so many.
const callsWork = 20_000

// The parts of the memory of functions, in bytes. They are addresses: memory is what is used of them.
const (
	stackBytes     = 1 << 28
	heapBytes      = 3 << 28 // twice
	kindsBytes     = 1 << 27
	addressesBytes = 1 << 29
	slopesBytes    = 1 << 30
	mostDepth      = 1 << 24 // bytes of the stack that calls of machine code take
	mostLevels     = 3       // of machine code that runs in the interpreter that runs in machine code
	smallBytes     = 1 << 20 // at the beginning of each part that are not in huge pages: small runs take little memory
	leastTape      = 1 << 12 // statements for which there is room when machine code goes on
)

// functions is machine code of a program's functions, by those that were asked for. Any number of machines use it.
type functions struct {
	mu    sync.Mutex
	codes map[string]*native.Functions
}

// region is the memory of a machine with machine code of functions.
type region struct {
	layout native.Layout
	scarce int
	// Where it has the stack, both halves of the heap, and the addresses and slopes of the tape.
	stack, heaps, addresses, slopes int

	bytes   []byte
	code    *native.Functions
	levels  []wasm.Instance // of the code that runs in the interpreter that runs in it, and so on
	level   int
	roots   []int  // the functions that were asked for
	started uint64 // the run of which it has the data,
	active  []bool // and in which machine code of functions is in use
	deepest int    // how many slots of the stack may be in use where machine code calls a function
	slack   int    // slots that a call needs at most
	fuel    int64  // that machine code has got,
	slots   int    // and how many slots the heap had then
	err     error  // that has ended the code
}

var (
	errStopped = errors.New("exec: the host has ended the run")
	// errWithout says that the run needs more memory than machine code of functions has: it is made without.
	errWithout = errors.New("exec: run without machine code of functions")
)

// chains are the counters of machine code.
func (r *region) chains() []uint64 {
	if r == nil || r.code == nil {
		return nil
	}
	return numbersAt[uint64](r.bytes, r.layout.Counters, len(r.code.Chains))
}

// countChains adds the counters of machine code to those of blocks.
func (m *Machine) countChains() {
	chains := m.region.chains()
	for i, n := range chains {
		for _, b := range m.region.code.Chains[i] {
			m.counters[b] += n
		}
	}
	clear(chains)
}

// layout is where the memory has what.
func (p *Program) layout(scarce int) *region {
	r := &region{scarce: scarce}
	at := native.Words + 1<<12 // behind the words
	part := func(bytes int) (begin int) {
		begin = at
		at += (bytes + 1<<12 - 1) &^ (1<<12 - 1)
		return begin
	}
	r.layout.Counters = part(8 * len(p.src.Blocks))
	r.layout.Keys = part(8 * len(p.funs))
	r.layout.Dense = part(16 * native.MostDense)
	r.layout.Point = part(8 * native.MostInputs)
	r.stack = part(stackBytes >> scarce)
	r.heaps = part(2 * heapBytes >> scarce)
	r.layout.Kinds = part(kindsBytes >> scarce)
	r.addresses = part(addressesBytes >> scarce)
	r.slopes = part(slopesBytes >> scarce)
	r.layout.Bytes = (at + 1<<17 - 1) &^ (1<<16 - 1)
	for _, f := range p.src.Funcs {
		r.slack = max(r.slack, f.Regs)
	}
	r.slack = 2*r.slack + 16
	return r
}

// possibleFunctions prepares a run in which functions may be machine code.
func (m *Machine) possibleFunctions() {
	clear(m.region.chains())
	if m.calls = nil; m.NoNative || m.without || m.p.src.Placed || m.bounds.MaxSteps != 0 || !wasm.Supported() {
		return
	}
	recursive := 0
	for _, f := range m.p.src.Funcs {
		if f.Unfold {
			recursive++
		}
	}
	m.entries = m.entries[:0]
	for _, f := range m.p.src.Funcs {
		switch {
		case !f.Unfold:
			m.entries = append(m.entries, math.MaxUint64)
		case m.eager():
			m.entries = append(m.entries, 0)
		default:
			m.entries = append(m.entries, uint64(float64(callsWork*recursive)/m.manyRuns()))
		}
	}
	if recursive > 0 && m.region == nil {
		m.region = m.newRegion()
	}
	if m.calls = m.entries; m.region == nil {
		m.calls, m.without = nil, true
	}
}

// eager reports whether machine code is to be made at once, though it may not be worth it.
func (m *Machine) eager() bool { return m.NativeWork != 0 && m.NativeWork < NativeWork }

// codeOf is the machine code of functions, nil if there is none.
func (p *Program) codeOf(roots []int, always bool, layout native.Layout) *native.Functions {
	s, key := &p.native, fmt.Sprint(roots, always)
	s.mu.Lock()
	defer s.mu.Unlock()
	c, ok := s.codes[key]
	if !ok {
		c = native.Make(native.Source{Program: p.src, Layout: layout, Always: always,
			Kind:  func(f term.Symbol) uint32 { return p.kindOf[f] },
			Place: func(f, i int) int32 { return p.places[f][i] }}, roots)
		s.codes[key] = c
	}
	return c
}

// compiled reports whether there is machine code of a function that the interpreter is to call, and makes it. In a run,
// it begins with the function of which that is asked first, and those that this may run.
func (m *Machine) compiled(n uint32) bool {
	r := m.region
	switch {
	case m.again.back != nil || r.level >= mostLevels:
		return false
	case r.started == m.runs && r.active[n]:
		return true
	case r.level > 0: // it would have to be made again while it runs
		return false
	}
	root := int(n)
	if r.code == nil || r.code.Reached[root] == nil {
		roots := append(slices.Clone(r.roots), root)
		code := m.p.codeOf(roots, m.eager(), r.layout)
		if code == nil {
			m.calls[n] = math.MaxUint64
			return false
		}
		wasm.PutTables(r.bytes)
		m.countChains()
		for _, in := range r.levels {
			in.Close()
		}
		r.code, r.roots, r.levels = code, roots, nil
	}
	if r.started != m.runs {
		m.startRegion()
	}
	for _, f := range r.code.Reached[root] {
		r.active[f] = true
	}
	keys := numbersAt[uint64](r.bytes, r.layout.Keys, len(m.p.funs))
	for f, active := range r.active {
		if active {
			keys[f] = uint64(r.code.Keys[f])
		}
	}
	return true
}

func numbersAt[T any](bytes []byte, at, n int) []T {
	return unsafe.Slice((*T)(unsafe.Pointer(&bytes[at])), n)
}

func (r *region) words() []uint64 { return numbersAt[uint64](r.bytes, native.Words, native.NumWords) }

// inRegion is a part of the memory with n elements, with what is in old, nil if it has no room for so many.
func inRegion[T any](r *region, at, most int, old []T, n int) []T {
	var x T
	if n*int(unsafe.Sizeof(x)) > most>>r.scarce {
		return nil
	}
	to := numbersAt[T](r.bytes, at, n)
	if len(old) > 0 && unsafe.SliceData(old) != unsafe.SliceData(to) {
		copy(to, old)
	}
	return to
}

// places are where the memory of functions has what, if there is one.
func (m *Machine) places() *region {
	if m.region == nil {
		return &region{}
	}
	return m.region
}

// resized is old with room for n elements, of which some are used: in the part of the memory of functions from at on,
// if there is one and it has room.
func resized[T any](m *Machine, at, most int, old []T, used, n int) ([]T, error) {
	if m.region != nil && !m.without {
		if to := inRegion(m.region, at, most, old[:used], n); to != nil {
			return to, nil
		}
		if m.without, m.calls = true, nil; m.region.level > 0 { // it goes on without machine code of functions
			return nil, errWithout
		}
	}
	return append(make([]T, 0, n), old[:used]...)[:n], nil
}

// newHeap makes a heap of n slots: with what is in the heap and in its place, or beside it.
func (m *Machine) newHeap(n int, beside bool) ([]Slot, error) {
	at, used := 0, m.heap
	if r := m.region; r != nil {
		at = r.heaps
		first := unsafe.Pointer(unsafe.SliceData(m.heap)) == unsafe.Pointer(&r.bytes[at])
		if first == beside {
			at += heapBytes >> r.scarce
		}
	}
	if beside {
		used = nil
	}
	to, err := resized(m, at, heapBytes, used, len(used), n)
	return to[:len(used)], err
}

// newRegion makes the memory, with what the machine has, nil if there is none.
func (m *Machine) newRegion() *region {
	r := m.p.layout(m.scarce)
	if r.bytes = wasm.Map(r.layout.Bytes); r.bytes == nil {
		return nil
	}
	runtime.AddCleanup(r, wasm.Unmap, r.bytes)
	for _, at := range [...]int{r.stack, r.heaps, r.heaps + heapBytes>>r.scarce, r.layout.Kinds, r.addresses, r.slopes} {
		part := r.bytes[at : at+kindsBytes>>r.scarce]
		wasm.InHugePages(part[min(smallBytes, len(part)):])
	}
	t := m.tape
	heap := inRegion(r, r.heaps, heapBytes, m.heap, max(cap(m.heap), m.gcAt))
	stack := inRegion(r, r.stack, stackBytes, m.stack, len(m.stack)+r.slack)
	if heap == nil || stack == nil {
		return nil
	}
	if m.p.src.Taped {
		t.kinds = inRegion(r, r.layout.Kinds, kindsBytes, t.kinds[:t.n], len(t.kinds))
		t.adr = inRegion(r, r.addresses, addressesBytes, t.adr[:t.args], len(t.adr))
		if t.par = inRegion(r, r.slopes, slopesBytes, t.par[:t.slopes], len(t.par)); t.kinds == nil || t.adr == nil ||
			t.par == nil {
			return nil
		}
	}
	m.tape, m.stack, m.heap, m.spare = t, stack, heap[:len(m.heap)], nil
	return r
}

// startRegion puts the data of a run in the memory.
func (m *Machine) startRegion() {
	r := m.region
	r.started, r.active = m.runs, make([]bool, len(m.p.funs))
	clear(numbersAt[uint64](r.bytes, r.layout.Keys, len(m.p.funs)))
	entries := numbersAt[[4]uint32](r.bytes, r.layout.Dense, native.MostDense)
	clear(entries)
	at := 0
	for k := range min(1+len(m.p.src.Data), native.MostDense-1) {
		v := &m.dense[k]
		if n := len(v.data); m.windowOf(uint64(k)) == nil && v.live == nil && at+n <= native.MostInputs {
			copy(numbersAt[float64](r.bytes, r.layout.Point+8*at, n), v.data)
			entries[k] = [4]uint32{uint32(r.layout.Point + 8*at), uint32(n), v.base}
			at += n
		}
	}
}

// callNative runs the function of a call as machine code, and returns its results.
func (m *Machine) callNative(in *instr, pc int32) ([]Slot, error) {
	r := m.region
	for r.level >= len(r.levels) {
		r.levels = append(r.levels, wasm.Instantiate(r, r.code.Code, r.bytes))
	}
	m.pushArgs(in)
	top, outer := m.base+m.size, r.deepest
	if r.level == 0 {
		r.deepest = top + mostDepth/slotSize
	}
	m.ensure(top + r.slack)
	words := r.words()
	words[native.Self], words[native.Stack] = at(m.frame(), in.a).A, uint64(r.stack+slotSize*top)
	m.toNative()
	r.level++
	err := r.levels[r.level-1].RunWith(host{m}, []uint64{uint64(in.n)})
	r.level, r.deepest = r.level-1, outer
	if stopped := r.err; err != nil {
		switch r.err = nil; {
		case stopped != nil:
			return nil, stopped
		case wasm.TooDeep(err):
			return nil, errWithout
		}
		panic(err)
	}
	m.fromNative()
	return m.stack[top:][:m.p.src.Funcs[in.n].Results], nil
}

// ahead is how many statements the functions that run have room for, since their steps have been counted.
func (r *region) ahead() int {
	return r.code.Ahead * (1 + (int(r.words()[native.Stack])-r.stack)/slotSize)
}

// toNative gives machine code what it needs of the machine.
func (m *Machine) toNative() {
	r, t, words := m.region, &m.tape, m.region.words()
	r.fuel = m.fuel
	if ahead := r.ahead(); m.p.src.Taped {
		r.fuel = min(r.fuel, int64(len(t.kinds)-t.n-ahead), int64(len(t.adr)-t.args)/2-int64(ahead))
	}
	r.slots = len(m.heap)
	heap := int(uintptr(unsafe.Pointer(unsafe.SliceData(m.heap))) - uintptr(unsafe.Pointer(unsafe.SliceData(r.bytes))))
	words[native.Fuel] = uint64(r.fuel)
	words[native.Statements] = uint64(t.n)
	words[native.Addresses], words[native.Slopes] = uint64(r.addresses+4*t.args), uint64(r.slopes+8*t.slopes)
	words[native.Heap], words[native.Top] = uint64(heap), uint64(heap+slotSize*len(m.heap))
	words[native.Limit] = uint64(heap + slotSize*m.gcAt)
	words[native.StackEnd] = uint64(r.stack + slotSize*min(r.deepest, len(m.stack)-r.slack))
}

// fromNative takes from machine code what it has changed.
func (m *Machine) fromNative() {
	r, t, words := m.region, &m.tape, m.region.words()
	m.fuel -= r.fuel - int64(words[native.Fuel])
	t.n = int(words[native.Statements])
	t.args, t.slopes = (int(words[native.Addresses])-r.addresses)/4, (int(words[native.Slopes])-r.slopes)/8
	m.heap = m.heap[:(words[native.Top]-words[native.Heap])/slotSize]
	m.nodes += uint64(len(m.heap) - r.slots)
}

// host is what machine code of functions calls.
type host struct{ *Machine }

// Call runs the instruction at a place with the frame that machine code has filled. For −1 − n it is function n, for
// which the stack has no room: it makes some, or runs the function.
func (h host) Call(place int32) int32 {
	m := h.Machine
	r, words := m.region, m.region.words()
	m.fromNative()
	base, size, self := m.base, m.size, m.self
	m.collected = append(m.collected, Slot{A: self})
	m.self = words[native.Self]
	m.base, m.size = (int(words[native.Stack])-r.stack)/slotSize, 0
	result, err := m.instruction(place)
	words[native.Self] = m.self
	m.base, m.size, m.self = base, size, m.collected[len(m.collected)-1].A
	m.collected = m.collected[:len(m.collected)-1]
	if err == nil && m.short && m.hasLoops() {
		err = errWithout // loops are to have checkpoints
	}
	if err != nil {
		r.err = err
		panic(errStopped)
	}
	m.toNative()
	return int32(result)
}

// hasLoops reports whether the machine code has loops.
func (m *Machine) hasLoops() bool {
	for i, f := range m.p.src.Funcs {
		if m.region.code.Keys[i] != 0 && slices.ContainsFunc(f.Code, func(in ir.Instr) bool {
			return in.Op == ir.Next || in.Op == ir.Prev
		}) {
			return true
		}
	}
	return false
}

// overflow makes room on the stack, or runs a function whose arguments are there.
func (m *Machine) overflow(n int32) (int, error) {
	if r := m.region; m.base < r.deepest {
		m.ensure(m.base + 2*r.slack)
		if m.base+r.slack <= len(m.stack) {
			return native.Next, nil
		}
	}
	f := &m.p.funs[n]
	return native.Taken, m.nested(func() (int32, error) {
		m.size = int(f.regs)
		m.ensure(m.base + m.size)
		return f.entry, nil
	})
}

// nested runs what do begins. The frame gets the results.
func (m *Machine) nested(do func() (int32, error)) error {
	base, size := m.base, m.size
	m.collected = append(m.collected, Slot{A: m.self})
	m.frames = append(m.frames, frame{pc: -1})
	pc, err := do()
	if err == nil && pc >= 0 {
		_, err = m.run(pc)
	}
	m.base, m.size, m.self = base, size, m.collected[len(m.collected)-1].A
	m.collected = m.collected[:len(m.collected)-1]
	copy(m.stack[base:], m.returned)
	return err
}

func resultIf(taken bool) int {
	if taken {
		return native.Taken
	}
	return native.Next
}

// instruction runs the instruction at a place for machine code.
func (m *Machine) instruction(place int32) (int, error) {
	if place < 0 {
		return m.overflow(-1 - place)
	}
	in := &m.p.code[place]
	switch in.op {
	case ir.Count:
		if m.fuel < 0 {
			if err := m.look(place); err != nil {
				return 0, err
			}
		}
		if !m.p.src.Taped {
			return native.Next, nil
		}
		n := uint32(leastTape + int(m.fuel) + m.region.ahead())
		return native.Next, m.growTape(&block{statements: n, operands: 2 * n}, place)
	case ir.MakeCon, ir.MakeClosure, ir.Alloc:
		n := int(in.count)
		if in.op == ir.Alloc {
			n = int(in.n)
		}
		return native.Next, m.room(n+1, place)
	}
	// What is in the frame but has not been put there now is what else has been on the stack since the last collection.
	fp := m.frame()
	m.size = int(m.p.function(place).regs)
	switch in.op {
	case ir.VectorLoop:
		taken, err := m.runVector(in, fp, place)
		return resultIf(taken), err
	case ir.Enter:
		next, err := m.tryNative(in, fp, place)
		return resultIf(next >= 0), err
	case ir.Call, ir.TailCall, ir.Apply, ir.TailApply:
		return native.Next, m.nested(func() (int32, error) {
			closure, top := at(fp, 0).A, m.base+1
			if in.op == ir.Call || in.op == ir.TailCall {
				f := &m.p.funs[in.n]
				m.self, m.base, m.size = closure, top, int(f.regs)
				m.ensure(m.base + m.size)
				return f.entry, nil
			}
			return m.apply(closure, top, m.p.src.Widths[in.k][m.region.words()[native.Passed]:], place)
		})
	}
	// Only this one: the code behind it ends.
	single := [...]instr{*in, {op: halt}}
	if m.p.changes { // numbers that it reads may be statements
		if err := m.growTape(&block{statements: max(1, in.k), operands: max(1, in.k)}, place); err != nil {
			return native.Next, err
		}
	}
	_, err := m.interpret(single[:], 0)
	var reached *limits.ReachedError
	if errors.As(err, &reached) {
		reached.Pos = m.p.pos[place]
	}
	return native.Next, err
}
