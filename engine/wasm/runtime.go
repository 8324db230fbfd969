package wasm

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"strings"
	"sync"
	"unsafe"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
	"golang.org/x/sys/cpu"
)

const runName = "run"

// compiler returns the compiler, nil where there is none. wazero falls back to an interpreter where it has no compiler;
// asked for the compiler, it panics.
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
	r = wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfigCompiler().WithDebugInfoEnabled(false).
		WithCoreFeatures(api.CoreFeaturesV2|experimental.CoreFeaturesTailCall))
	module := r.NewHostModuleBuilder(hostModule)
	for i, f := range [...]api.GoFunc{func(_ context.Context, stack []uint64) {
		x, y, z := math.Float64frombits(stack[0]), math.Float64frombits(stack[1]), math.Float64frombits(stack[2])
		stack[0] = math.Float64bits(host(uint32(stack[3]), x, y, z))
	}, func(ctx context.Context, stack []uint64) {
		stack[0] = uint64(uint32(ctx.Value(hostKey{}).(Host).Call(int32(stack[0]))))
	}} {
		h := &hosts[i]
		module.NewFunctionBuilder().WithGoFunction(f, []api.ValueType(h.typ.params), []api.ValueType(h.typ.results)).
			Export(h.name)
	}
	_, err := module.Instantiate(ctx)
	if err != nil {
		return nil
	}
	return r
})

// Host is what code calls in Go: so it is told where the code is to go on. It may panic, which ends the run.
type Host interface{ Call(place int32) int32 }

type hostKey struct{}

// Supported reports whether there is a compiler for this platform.
func Supported() bool { return compiler() != nil }

// Code is machine code. Any number of goroutines may use it.
type Code struct{ module wazero.CompiledModule }

// Compile makes machine code of a function. It returns nil where there is no compiler, or the system gives it no memory
// for code. The memory of its instances has at least so many bytes.
func (f *Function) Compile(bytes int) (c *Code) {
	r := compiler()
	if r == nil {
		return nil
	}
	defer func() {
		if recover() != nil {
			c = nil
		}
	}()
	m, err := r.CompileModule(context.Background(), f.module((bytes+pageBytes-1)/pageBytes))
	if err != nil {
		return nil
	}
	c = &Code{m}
	runtime.AddCleanup(c, func(m wazero.CompiledModule) { _ = m.Close(context.Background()) }, m)
	return c
}

// pageBytes is the unit of memory. From manyBytes on it may be worth having in huge pages.
const (
	pageBytes = 1 << 16
	manyBytes = 1 << 24
)

// NewMemory returns memory of at least so many bytes, with the tables in it. Huge pages are faster to fill, but the
// system may take long to find the first of them: huge says that much of the memory will be filled.
func NewMemory(bytes uint64, huge bool) []byte {
	words := make([]float64, (bytes+pageBytes-1)/pageBytes*(pageBytes/8)) // numbers are aligned
	memory := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(words))), 8*len(words))
	if huge && len(memory) >= manyBytes {
		InHugePages(memory)
	}
	PutTables(memory)
	return memory
}

// Instance is code with a memory. It is of one goroutine.
type Instance struct {
	module  api.Module
	run     api.Function
	cleanup runtime.Cleanup
}

// Instantiate returns an instance of the code, which is there as long as its owner.
func Instantiate[T any](owner *T, code *Code, memory []byte) Instance {
	ctx := experimental.WithMemoryAllocator(context.Background(),
		experimental.MemoryAllocatorFunc(func(_, _ uint64) experimental.LinearMemory { return whole(memory) }))
	mod, err := compiler().InstantiateModule(ctx, code.module, wazero.NewModuleConfig().WithName(""))
	if err != nil {
		panic(fmt.Sprintf("wasm: %v", err))
	}
	cleanup := runtime.AddCleanup(owner, func(mod api.Module) { _ = mod.Close(context.Background()) }, mod)
	return Instance{mod, mod.ExportedFunction(runName), cleanup}
}

// Close lets go of the memory before its owner goes.
func (i Instance) Close() {
	i.cleanup.Stop()
	_ = i.module.Close(context.Background())
}

// Run calls the function. Its parameters are on the stack.
func (i Instance) Run(stack []uint64) {
	if err := i.run.CallWithStack(context.Background(), stack); err != nil {
		panic(fmt.Sprintf("wasm: %v", err))
	}
}

// RunWith is Run with a host. The error says that the stack is too deep, or that the host has ended the run.
func (i Instance) RunWith(host Host, stack []uint64) error {
	return i.run.CallWithStack(context.WithValue(context.Background(), hostKey{}, host), stack)
}

// TooDeep reports whether an error says that the stack is too deep.
func TooDeep(err error) bool { return strings.Contains(err.Error(), "stack overflow") }

// whole is a memory that is there from the beginning.
type whole []byte

func (l whole) Reallocate(uint64) []byte { return l }
func (l whole) Free()                    {}
