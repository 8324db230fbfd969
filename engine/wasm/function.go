package wasm

import (
	"encoding/binary"
	"math"
	"slices"
	"unsafe"

	"github.com/gram-machine/gram/term"
	"github.com/gram-machine/gram/term/elementary"
)

// function is a function that the command generate has translated. Its operands that name locals and functions have one
// byte. Function 0 is the host's; any other is one more than its place in functions. Its results are left on the stack.
type function struct {
	name    string
	symbols symbols // that it is the function of
	typ     signature
	locals  string
	code    string
}

type symbols []term.Symbol

// symbolFunctions are the places of the symbols' functions.
var symbolFunctions = func() map[term.Symbol]int {
	at := map[term.Symbol]int{}
	for i := range functions {
		for _, s := range functions[i].symbols {
			at[s] = i
		}
	}
	return at
}()

const hostModule = "gram"

// The functions of the host. The first computes what is not translated: its operands are three numbers, and which
// function of package math it is. The second is that of the [Host] that runs the code.
var hosts = [...]struct {
	name string
	typ  signature
}{{"math", signature{"\x7c\x7c\x7c\x7f", "\x7c"}}, {"host", signature{"\x7f", "\x7f"}}}

// HostNumber is the number of the function of the [Host].
const HostNumber = 1

// FirstSymbol is the number, for the host, of the first of hostSymbols.
const FirstSymbol = 256

// HostFunction is a function that the host computes of its first operands.
type HostFunction struct {
	Name     string
	Operands int
	of       func(x, y, z float64) float64
}

// Hosted are those of package math, by their numbers, and the results of Sincos.
var Hosted = []HostFunction{
	{"Exp", 1, func(x, _, _ float64) float64 { return math.Exp(x) }},
	{"Log", 1, func(x, _, _ float64) float64 { return math.Log(x) }},
	{"sin", 1, func(x, _, _ float64) float64 { s, _ := math.Sincos(x); return s }},
	{"cos", 1, func(x, _, _ float64) float64 { _, c := math.Sincos(x); return c }},
	{"Tan", 1, func(x, _, _ float64) float64 { return math.Tan(x) }},
	{"Atan", 1, func(x, _, _ float64) float64 { return math.Atan(x) }},
	{"Pow", 2, func(x, y, _ float64) float64 { return math.Pow(x, y) }},
	{"Mod", 2, func(x, y, _ float64) float64 { return math.Mod(x, y) }},
	{"FMA", 3, math.FMA},
}

// host is the host's function.
func host(number uint32, x, y, z float64) float64 {
	if number < FirstSymbol {
		return Hosted[number].of(x, y, z)
	}
	f := hostSymbols[number-FirstSymbol].Info()
	if f.Arity == 1 {
		return f.Eval1(x)
	}
	return f.Eval2(x, y)
}

// instructions calls do for each instruction of translated code: its opcode and its operands.
func instructions(code string, do func(op byte, operands string)) {
	for i := 0; i < len(code); {
		n := 1
		switch code[i] {
		case Block, Loop, If, Br, BrIf, CallOp, LocalGet, LocalSet, LocalTee:
			n = 2
		case I64Load, F64Load:
			n = 3
		case f64Const:
			n = 9
		case i32Const, i64Const:
			for n = 2; code[i+n-1]&0x80 != 0; n++ {
			}
		}
		do(code[i], code[i+1:i+n])
		i += n
	}
}

// rewrite appends the code of a function whose first local is shift, and in which call gives the number of each
// function that is called.
func (e *Encoder) rewrite(code string, shift int, call func(number int) int) {
	instructions(code, func(op byte, operands string) {
		switch op {
		case LocalGet, LocalSet, LocalTee:
			e.Local(op, int(operands[0])+shift)
		case CallOp:
			e.Local(op, call(int(operands[0])))
		default:
			e.Op(op)
			e.Op([]byte(operands)...)
		}
	})
}

// has reports whether the code has one of these instructions.
func (f *function) has(ops ...byte) (found bool) {
	instructions(f.code, func(op byte, _ string) { found = found || slices.Contains(ops, op) })
	return found
}

// linker numbers the functions of a module.
type linker struct {
	types   []signature
	typed   []int // the type of each function
	bodies  [][]byte
	table   []int       // the numbers of those in the table
	numbers map[int]int // of those that are translated, by their places in functions
}

// typeOf is the number of a type.
func (l *linker) typeOf(t signature) int {
	i := slices.Index(l.types, t)
	if i < 0 {
		i, l.types = len(l.types), append(l.types, t)
	}
	return i
}

// add adds a function, whose body is to be set, and returns its number.
func (l *linker) add(t signature) int {
	l.typed, l.bodies = append(l.typed, l.typeOf(t)), append(l.bodies, nil)
	return len(hosts) + len(l.bodies) - 1
}

func (l *linker) set(number int, body []byte) { l.bodies[number-len(hosts)] = body }

// call returns the number, in the module, of a function that translated code names.
func (l *linker) call(number int) int {
	if number == 0 {
		return 0
	}
	if known, ok := l.numbers[number]; ok {
		return known
	}
	f := &functions[number-1]
	at := l.add(f.typ)
	l.numbers[number] = at
	var code Encoder
	code.rewrite(f.code, 0, l.call)
	l.set(at, body([]byte(f.locals), code))
	return at
}

// Function is a function in the making.
type Function struct {
	Encoder
	Index   int // its number in the module
	params  string
	locals  []byte // their types, without those of the parameters
	linker  *linker
	inlined map[int]int // the first local of each function that is copied
}

// NewFunction returns a function without results, of a module of its own. params are the types of its parameters.
func NewFunction(params string) *Function {
	return (&Function{linker: &linker{numbers: map[int]int{}}}).New(params, "")
}

// New returns another function of the module.
func (f *Function) New(params, results string) *Function {
	return &Function{Index: f.linker.add(signature{params, results}), params: params, linker: f.linker,
		inlined: map[int]int{}}
}

// Finish is called when the code of a function is made.
func (f *Function) Finish() { f.linker.set(f.Index, body(f.locals, f.Encoder)) }

// Table adds functions to the table of the module, and returns the place of the first.
func (f *Function) Table(numbers ...int) int {
	f.linker.table = append(f.linker.table, numbers...)
	return len(f.linker.table) - len(numbers)
}

// CallTable calls the function of the table with the number on the stack, in place of this one if last.
func (f *Function) CallTable(params, results string, last bool) {
	op := byte(CallTable)
	if last {
		op = TailTable
	}
	f.Local(op, f.linker.typeOf(signature{params, results}))
	f.Op(0)
}

// NewLocal makes a local of the type, and returns its number.
//
//go:noinline
func (f *Function) NewLocal(typ byte) int {
	f.locals = append(f.locals, typ)
	return len(f.params) + len(f.locals) - 1
}

// module is the module of the function and of those that it calls.
func (f *Function) module(pages int) []byte {
	f.Finish()
	return f.linker.module(f.Index, pages)
}

// Translated reports whether there is a function for the symbol.
func Translated(s term.Symbol) bool {
	_, ok := symbolFunctions[s]
	return ok
}

// Short reports whether the function of a symbol has at most so many bytes of code, and calls no other one.
func Short(s term.Symbol, bytes int) bool {
	at, ok := symbolFunctions[s]
	return ok && len(functions[at].code) <= bytes && !functions[at].has(CallOp)
}

// Symbol applies a symbol to the operands on the stack.
func (f *Function) Symbol(s term.Symbol) { f.call(symbolFunctions[s]) }

// SinCos leaves the sine of the operand on the stack there, and above it its cosine.
func (f *Function) SinCos() { f.call(sinCosFunction) }

// InlineBytes is the most that the code of a function has that is copied to where it is called. It has no branches:
// many make compiling slow.
const InlineBytes = 40

// call applies a function to the operands on the stack.
func (f *Function) call(at int) {
	g := &functions[at]
	if len(g.code) > InlineBytes || g.has(Block, Loop, If) {
		f.Local(CallOp, f.linker.call(at+1))
		return
	}
	first, ok := f.inlined[at]
	if !ok {
		first = len(f.params) + len(f.locals)
		f.locals = append(append(f.locals, g.typ.params...), g.locals...)
		f.inlined[at] = first
	}
	for i := len(g.typ.params) - 1; i >= 0; i-- {
		f.Local(LocalSet, first+i)
	}
	f.rewrite(g.code, first, f.linker.call)
}

// TableBytes is how many bytes tables and constants take, at the start of each memory.
const TableBytes = 1 << 16

// Tables are those of package elementary, in the order in which they lie in memory. An entry has Words words.
var Tables = []struct {
	Name           string
	Entries, Words int
}{{"expTable", 128, 2}, {"logTable", 128, 3}, {"sineTable", 128, 4}, {"tanhTable", 641, 2}, {"sigmoidTable", 1281, 2}}

// PutTables writes the tables of package elementary, and behind them the constants.
func PutTables(memory []byte) {
	t, at := elementary.AllTables(), 0
	first := [...]unsafe.Pointer{unsafe.Pointer(t.Exp), unsafe.Pointer(t.Log), unsafe.Pointer(t.Sine),
		unsafe.Pointer(t.Tanh), unsafe.Pointer(t.Sigmoid)}
	for i, table := range Tables {
		for _, v := range unsafe.Slice((*uint64)(first[i]), table.Entries*table.Words) {
			binary.LittleEndian.PutUint64(memory[at:], v)
			at += 8
		}
	}
	for i, v := range constants {
		binary.LittleEndian.PutUint64(memory[constsAt+8*i:], math.Float64bits(v))
	}
}
