package native

import (
	"slices"
	"strconv"

	"github.com/gram-machine/gram/engine/ir"
	"github.com/gram-machine/gram/engine/wasm"
	"github.com/gram-machine/gram/term"
)

// Layout is where memory has what, in bytes.
type Layout struct {
	Counters int // of chains, 8 bytes each: at most as many as there are blocks
	Keys     int // of each function 8 bytes: its key, which tells who may call it, 0 for none
	Dense    int // of each of MostDense vectors 16 bytes: where its numbers are, how many, and the address of the first
	Point    int // the inputs, if they are at most MostInputs numbers
	Kinds    int // of the statements of the tape, 2 bytes each
	Bytes    int
}

// How much of dense vectors may be in memory.
const (
	MostDense  = 1 << 10
	MostInputs = 1 << 20 // numbers
)

// The words from [Words] on. Addresses are those of memory.
const (
	Fuel       = iota // steps that may be made until the host is to be called
	Statements        // of the tape
	Addresses         // where the next address of the tape comes,
	Slopes            // and the next slope
	Top               // of the heap
	Limit             // up to which it may go
	Heap              // where it begins
	Stack             // the frame for the host
	StackEnd          // from where on there may be no room for another
	Self              // the closure that runs
	Passed            // how many arguments of an application have been passed
	NumWords
)

// Words is where the words are.
const Words = wasm.TableBytes

// What the host returns.
const (
	Next  = iota // the code goes on behind the instruction
	Taken        // at the label of the instruction; a function whose stack has no room returns
)

// Source is a program with what the interpreter knows of it.
type Source struct {
	*ir.Program
	Layout
	// Kind is the first kind of the cells of a symbol; those of operands with adjoints are added as bits.
	Kind func(s term.Symbol) uint32
	// Always says that code is made where it is not worth it, too.
	Always bool
	// Place is the place of an instruction of a function.
	Place func(function, i int) int32
}

// References. They are those of package exec.
const (
	isRef   = -1 << 63
	isDense = 1 << 62
)

// Functions is machine code of functions.
type Functions struct {
	*wasm.Code
	// Reached are, for each of the functions that were asked for, those that it may run: itself first.
	Reached map[int][]int
	Keys    []int32 // of each function, 0: there is no code of it
	// Chains are blocks that are all run if the first is: they have one counter.
	Chains [][]uint32
	// Ahead is how many addresses a chain puts on the tape at most.
	Ahead int
}

// linkage is the module that is made.
type linkage struct {
	Source
	first     *wasm.Function
	functions []*wasm.Function // nil: there is no code
	keys      map[string]int32
	table     int // the place of function 0 in the table
	made      *Functions
}

const (
	mostInstructions = 1 << 12 // of a function
	mostFunctions    = 1 << 14 // instructions of all together
	// statementWork is how many instructions take as much longer in the interpreter as it takes longer from machine code
	// to a vector statement.
	statementWork = 100
)

// Make makes machine code of functions and of those that they may run, nil if there is none.
func Make(src Source, functions []int) *Functions {
	u := &linkage{Source: src, functions: make([]*wasm.Function, len(src.Funcs)), keys: map[string]int32{}}
	c := &Functions{Reached: map[int][]int{}, Keys: make([]int32, len(src.Funcs))}
	var all []int
	instructions, statements := 0, 0
	for _, n := range functions {
		of := u.reached(n)
		if len(of) == 0 || of[0] != n {
			return nil
		}
		c.Reached[n], all = of, append(all, of...)
	}
	slices.Sort(all)
	all = slices.Compact(all)
	for _, n := range all {
		instructions += len(src.Funcs[n].Code)
		for i := range src.Funcs[n].Code {
			if in := &src.Funcs[n].Code[i]; in.Op == ir.VectorLoop && u.byHost(in) {
				statements++
			}
		}
	}
	if instructions > mostFunctions || len(src.Funcs) > mostFunctions ||
		statements*statementWork > instructions && !src.Always {
		return nil
	}
	u.first = wasm.NewFunction("\x7f")
	for _, n := range all {
		params, results := u.types(n)
		u.functions[n] = u.first.New(params, results)
	}
	table := make([]int, 2*len(src.Funcs))
	for i := range table {
		table[i] = u.first.Index
	}
	for _, n := range all {
		c.Keys[n] = u.key(src.Funcs[n].Args, src.Funcs[n].Results)
		table[n] = u.functions[n].Index
		table[len(src.Funcs)+n] = u.entry(n)
	}
	u.table, u.made = u.first.Table(table...), c
	for _, n := range all {
		u.function(n)
	}
	u.first.Code(local(0), i32(len(src.Funcs)), wasm.I32Add)
	u.first.CallTable("", "", false)
	if c.Code = u.first.Compile(src.Bytes); c.Code == nil {
		return nil
	}
	return c
}

// reached are the functions for which there is code among those that a function may call, or make closures of.
func (u *linkage) reached(from int) (all []int) {
	seen := map[int]bool{}
	for todo := []int{from}; len(todo) > 0; {
		n := todo[0]
		if todo = todo[1:]; seen[n] {
			continue
		}
		seen[n] = true
		if f := u.Funcs[n]; u.possible(f) {
			all = append(all, n)
			for i := range f.Code {
				switch in := &f.Code[i]; in.Op {
				case ir.Call, ir.TailCall, ir.MakeClosure, ir.Member, ir.Sibling:
					todo = append(todo, int(in.N))
				}
			}
		}
	}
	return all
}

// leastLanes is how many lanes a vector statement has that the host runs: loops take the place of others.
const leastLanes = 8

// byHost reports whether the host runs a vector statement.
func (u *linkage) byHost(in *ir.Instr) bool {
	v, lanes := u.Vectors[in.M], 0
	for n := range v.Loops {
		lanes += v.Count(n)
	}
	return lanes >= leastLanes && !v.Region
}

// possible reports whether there is code of a function.
func (u *linkage) possible(f *ir.Func) bool {
	return len(f.Code) <= mostInstructions &&
		!slices.ContainsFunc(f.Code, func(in ir.Instr) bool { return in.Op == ir.Collect })
}

// mostPartial is how many partial sums code chooses from. Where there are more, vector statements make most sums.
const mostPartial = 16

// types are those of the parameters and results of a function: the closure and the top of the stack, and the two locals
// of each register.
func (u *linkage) types(n int) (params, results string) {
	f := u.Funcs[n]
	return paramTypes(f.Params()), registerTypes(f.Results)
}

func paramTypes(n int) string { return "\x7e\x7f" + registerTypes(n) }

func registerTypes(n int) string {
	return string(slices.Repeat([]byte{wasm.F64, wasm.I64}, n))
}

// key tells how a function is called: by the registers of its parameters, one by one, and of its results.
func (u *linkage) key(args []int, results int) int32 {
	name := strconv.Itoa(results)
	for _, n := range args {
		name += " " + strconv.Itoa(n)
	}
	if u.keys[name] == 0 {
		u.keys[name] = int32(len(u.keys) + 1)
	}
	return u.keys[name]
}

// entry makes the function that takes the arguments of function n from the frame for the host, where it leaves the
// results.
func (u *linkage) entry(n int) int {
	f := u.Funcs[n]
	e := u.first.New("", "")
	sp := local(e.NewLocal(wasm.I32))
	e.Code(i32(0), word(wasm.I64Load, Self), i32(0), word(wasm.I32Load, Stack), tee(sp))
	for k := range f.Params() {
		e.Code(sp, memory(wasm.F64Load, 16*k), sp, memory(wasm.I64Load, 16*k+8))
	}
	e.Local(wasm.CallOp, u.functions[n].Index)
	v, a := make([]local, f.Results), make([]local, f.Results)
	for k := range slices.Backward(v) {
		v[k], a[k] = local(e.NewLocal(wasm.F64)), local(e.NewLocal(wasm.I64))
		e.Code(setTo(a[k]), setTo(v[k]))
	}
	for k := range v {
		e.Code(sp, v[k], memory(wasm.F64Store, 16*k), sp, a[k], memory(wasm.I64Store, 16*k+8))
	}
	e.Finish()
	return e.Index
}
