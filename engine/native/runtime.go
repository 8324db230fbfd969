package native

import (
	"math"
	"unsafe"

	"github.com/gram-machine/gram/engine/wasm"
)

// Code is the machine code of a loop. Any number of goroutines may use it.
type Code struct {
	compiled *wasm.Code
	loop     *Loop
	in, out  []uint32
	frame    int       // numbers
	chunk    int       // runs of one call
	bytecode *bytecode // nil: it is machine code
	width    int       // of all streams
	bytes    uint64
}

// Runs of one call: compiled code is not preempted, so a call makes at most callInstructions instructions.
const (
	callRuns         = 1024
	callInstructions = 1 << 20
	streamNumbers    = 1 << 13 // of all streams in memory
	loopBytes        = 1 << 17 // in the window of an arena
	pageBytes        = 1 << 16
)

// Compile makes machine code of a loop. It returns nil where there is no compiler, and for code that is not translated. The loop is
// not to be modified afterwards.
func Compile(l *Loop) *Code {
	if !wasm.Supported() {
		return nil
	}
	expanded, _ := expand(l)
	if expanded == nil || !supported(expanded) {
		return nil
	}
	w := lower(expanded)
	c := &Code{loop: l, in: w.in, out: w.out, frame: len(w.slots)}
	beyond, instructions := 0, 1
	for _, n := range expanded.Nodes {
		instructions += len(n.Code)
	}
	for i := range l.Streams {
		c.width += l.Streams[i].Width
		beyond += l.Streams[i].beyond()
	}
	c.chunk = max(1, min(callRuns, callInstructions/instructions, streamNumbers/max(1, c.width)))
	c.bytes = (wasm.TableBytes + 8*uint64(c.frame+c.chunk*c.width+beyond) + pageBytes - 1) / pageBytes * pageBytes
	if c.bytes > math.MaxInt32 {
		return nil
	}
	c.compiled = w.Compile(int(c.bytes))
	if c.compiled == nil {
		return nil
	}
	return c
}

// Interpret makes code of a loop for the interpreter. It returns nil for one of too many registers.
func Interpret(l *Loop) *Code {
	var b *bytecode
	if expanded, registers := expand(l); expanded != nil {
		b = assemble(expanded, registers)
	}
	if b == nil {
		b = assemble(l, constant)
	}
	if b == nil {
		return nil
	}
	return &Code{loop: l, bytecode: b, chunk: math.MaxInt32}
}

// Memory is the memory in which code runs. It is of one goroutine.
type Memory struct {
	registers registers                 // of the interpreter
	front     func(bytes uint64) []byte // nil: there is no window, or it is known
	window    []byte
	bytes     []byte // of code that is not in the window
	instances map[*Code]*instance
	stack     [1 + maxStreams]uint64
}

// NewMemory returns a memory. front makes so many bytes usable at the beginning of the window of an arena, and returns the window, nil if
// there is none. In the window streams are read and written where they are; others are copied. front may be nil.
func NewMemory(front func(bytes uint64) []byte) *Memory {
	return &Memory{front: front, instances: map[*Code]*instance{}}
}

// instance is code with memory.
type instance struct {
	bytes  []byte
	memory []float64 // of these, behind the tables: the frame, and streams that are copied
	run    wasm.Instance
}

// place returns where the numbers are in the memory of the instance, if they are there.
func (in *instance) place(numbers []float64) (at uint64, ok bool) {
	at = uint64(uintptr(unsafe.Pointer(unsafe.SliceData(numbers))) - uintptr(unsafe.Pointer(unsafe.SliceData(in.bytes))))
	return at, at < uint64(len(in.bytes)) && uint64(len(in.bytes))-at >= 8*uint64(len(numbers))
}

// loopFront is how many bytes loops have in the window of an arena: tables, a frame, and streams that are copied.
const loopFront = wasm.TableBytes + loopBytes

// Ran reports whether machine code has run.
func (m *Memory) Ran() bool { return len(m.instances) > 0 }

// Needs returns how many bytes are to be allocated before the code can run in the memory.
func (m *Memory) Needs(c *Code) uint64 {
	switch {
	case m.front != nil && c.bytes > 0:
		return max(c.bytes, loopFront)
	case m.window != nil && c.bytes <= loopFront, c.bytes <= uint64(len(m.bytes)):
		return 0
	}
	return c.bytes
}

// instance returns the instance of the code.
func (m *Memory) instance(c *Code) *instance {
	if in, ok := m.instances[c]; ok {
		return in
	}
	if m.front != nil {
		if m.window = m.front(loopFront); m.window != nil {
			wasm.PutTables(m.window)
		}
		m.front = nil
	}
	bytes := m.window
	if bytes == nil || c.bytes > loopFront {
		if uint64(len(m.bytes)) < c.bytes {
			m.bytes = wasm.NewMemory(max(c.bytes, 4*wasm.TableBytes))
		}
		bytes = m.bytes
	}
	numbers := unsafe.Slice((*float64)(unsafe.Pointer(&bytes[wasm.TableBytes])), (c.bytes-wasm.TableBytes)/8)
	in := &instance{bytes: bytes, memory: numbers, run: wasm.Instantiate(m, c.compiled, bytes)}
	m.instances[c] = in
	return in
}

// Chunk is how many runs [Memory.Run] makes at most.
func (c *Code) Chunk() int { return c.chunk }

// Run makes n runs on the registers, at most [Code.Chunk]. The streams have the numbers of these runs, in the order of memory.
func (m *Memory) Run(c *Code, regs []float64, n int, streams ...[]float64) {
	if c.bytecode != nil {
		c.bytecode.interpret(&m.registers, c.loop, regs, n, streams)
		return
	}
	in := m.instance(c)
	for i, reg := range c.in {
		in.memory[i] = regs[reg]
	}
	at := c.frame
	m.stack[localRuns] = uint64(n)
	for i := range c.loop.Streams {
		s := &c.loop.Streams[i]
		numbers := streams[i][:n*s.Width+s.beyond()]
		first, ok := in.place(numbers)
		if !ok {
			if len(s.Store) < s.Width { // the others stay
				copy(in.memory[at:], numbers)
			}
			first = uint64(wasm.TableBytes + 8*at)
		}
		if s.Down {
			first += 8 * uint64((n-1)*s.Width)
		}
		m.stack[1+i] = first
		at += len(numbers)
	}
	in.run.Run(m.stack[:])
	at = c.frame
	for i := range c.loop.Streams {
		s := &c.loop.Streams[i]
		numbers := streams[i][:n*s.Width+s.beyond()]
		if _, ok := in.place(numbers); !ok && len(s.Store) > 0 {
			copy(numbers, in.memory[at:])
		}
		at += len(numbers)
	}
	for i, reg := range c.out { // the first of c.in
		regs[reg] = in.memory[i]
	}
}
