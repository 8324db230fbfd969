package native

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"sync"
	"unsafe"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
	"golang.org/x/sys/cpu"
)

const runName = "run"

// compiler returns the compiler, nil where there is none. wazero falls back to an interpreter where it has no compiler; asked for the
// compiler, it panics.
var compiler = sync.OnceValue(func() (r wazero.Runtime) {
	defer func() {
		if recover() != nil {
			r = nil
		}
	}()
	if runtime.GOARCH == "amd64" && !cpu.X86.HasSSE41 {
		return nil
	}
	ctx := context.Background()
	r = wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfigCompiler().WithDebugInfoEnabled(false))
	types := func(s string) []api.ValueType { return []api.ValueType(s) }
	_, err := r.NewHostModuleBuilder(hostModule).NewFunctionBuilder().WithGoFunction(api.GoFunc(func(_ context.Context, stack []uint64) {
		x, y, z := math.Float64frombits(stack[0]), math.Float64frombits(stack[1]), math.Float64frombits(stack[2])
		stack[0] = math.Float64bits(host(uint32(stack[3]), x, y, z))
	}), types(hostSignature.params), types(hostSignature.results)).Export(hostName).Instantiate(ctx)
	if err != nil {
		return nil
	}
	return r
})

// Supported reports whether there is a compiler for this platform.
func Supported() bool { return compiler() != nil }

// Code is the machine code of a loop. Any number of goroutines may use it.
type Code struct {
	compiled wazero.CompiledModule
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
	pageBytes        = 1 << 16
)

// Compile makes machine code of a loop. It returns nil where there is no compiler, and for code that is not translated. The loop is
// not to be modified afterwards.
func Compile(l *Loop) *Code {
	r := compiler()
	if r == nil || !supported(l) {
		return nil
	}
	w := lower(l)
	c := &Code{loop: l, in: w.in, out: w.out, frame: len(w.slots)}
	beyond, instructions := 0, 1
	for _, n := range l.Nodes {
		instructions += len(n.Code)
	}
	for i := range l.Streams {
		c.width += l.Streams[i].Width
		beyond += l.Streams[i].beyond()
	}
	c.chunk = max(1, min(callRuns, callInstructions/instructions, streamNumbers/max(1, c.width)))
	c.bytes = (tableBytes + 8*uint64(c.frame+c.chunk*c.width+beyond) + pageBytes - 1) / pageBytes * pageBytes
	if c.bytes > math.MaxInt32 {
		return nil
	}
	pages := int(c.bytes / pageBytes)
	c.compiled = machineCode(r, module(w.linker.types, w.linker.bodies, pages, pages))
	if c.compiled == nil {
		return nil
	}
	runtime.AddCleanup(c, func(m wazero.CompiledModule) { _ = m.Close(context.Background()) }, c.compiled)
	return c
}

// machineCode compiles a module. It returns nil where it can't: wazero panics where the system gives it no memory for code.
func machineCode(r wazero.Runtime, module []byte) (m wazero.CompiledModule) {
	defer func() {
		if recover() != nil {
			m = nil
		}
	}()
	m, err := r.CompileModule(context.Background(), module)
	if err != nil {
		return nil
	}
	return m
}

// Interpret makes code of a loop for the interpreter. It returns nil for one of too many registers.
func Interpret(l *Loop) *Code {
	b := assemble(l)
	if b == nil {
		return nil
	}
	return &Code{loop: l, bytecode: b, chunk: math.MaxInt32}
}

// Memory is the memory in which code runs. It is of one goroutine.
type Memory struct {
	registers registers // of the interpreter
	bytes     []byte
	instances map[*Code]instance
	stack     [1 + maxStreams]uint64
}

// NewMemory returns an empty memory.
func NewMemory() *Memory { return &Memory{instances: map[*Code]instance{}} }

// instance is code with memory.
type instance struct {
	memory []float64 // behind the tables
	run    api.Function
}

// linear is the memory of an instance: it does not grow.
type linear []byte

func (l linear) Reallocate(size uint64) []byte { return l[:size] }
func (l linear) Free()                         {}

// Bytes returns how many bytes machine code has run in, 0 where none has run.
func (m *Memory) Bytes() int { return len(m.bytes) }

// Needs returns how many bytes are to be allocated before the code can run in the memory.
func (m *Memory) Needs(c *Code) uint64 {
	if c.bytes <= uint64(len(m.bytes)) {
		return 0
	}
	return c.bytes
}

// instance returns the instance of the code.
func (m *Memory) instance(c *Code) instance {
	if in, ok := m.instances[c]; ok {
		return in
	}
	if uint64(len(m.bytes)) < c.bytes {
		// Numbers make it aligned.
		words := make([]float64, max(c.bytes, 4*tableBytes)/8)
		m.bytes = unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(words))), 8*len(words))
		putTables(m.bytes)
	}
	bytes := m.bytes[:c.bytes]
	ctx := experimental.WithMemoryAllocator(context.Background(),
		experimental.MemoryAllocatorFunc(func(_, _ uint64) experimental.LinearMemory { return linear(bytes) }))
	mod, err := compiler().InstantiateModule(ctx, c.compiled, wazero.NewModuleConfig().WithName(""))
	if err != nil {
		panic(fmt.Sprintf("native: %v", err))
	}
	numbers := unsafe.Slice((*float64)(unsafe.Pointer(&bytes[tableBytes])), (len(bytes)-tableBytes)/8)
	runtime.AddCleanup(m, func(mod api.Module) { _ = mod.Close(context.Background()) }, mod)
	in := instance{memory: numbers, run: mod.ExportedFunction(runName)}
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
		if len(s.Store) < s.Width { // the others stay
			copy(in.memory[at:], streams[i][:n*s.Width+s.beyond()])
		}
		first := at
		if s.Down {
			first += (n - 1) * s.Width
		}
		m.stack[1+i] = uint64(tableBytes + 8*first)
		at += n*s.Width + s.beyond()
	}
	if err := in.run.CallWithStack(context.Background(), m.stack[:]); err != nil {
		panic(fmt.Sprintf("native: %v", err))
	}
	at = c.frame
	for i := range c.loop.Streams {
		s := &c.loop.Streams[i]
		if len(s.Store) > 0 {
			copy(streams[i][:n*s.Width], in.memory[at:])
		}
		at += n*s.Width + s.beyond()
	}
	for i, reg := range c.out { // the first of c.in
		regs[reg] = in.memory[i]
	}
}
