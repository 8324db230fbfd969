package main

import (
	"go/ast"
	"go/constant"
	"math"
)

// instructions are the functions of package math that are instructions.
var instructions = map[string][]byte{
	"Abs": {0x99}, "Floor": {0x9c}, "RoundToEven": {0x9e}, "Sqrt": {0x9f}, "Copysign": {0xa6},
	"Float64bits": {bitsOf}, "Float64frombits": {ofBits},
}

// hosted are the functions of package math that the host computes, and how many operands they have: their place is that
// in the package wasm. Sincos has two results.
var hosted = map[string]struct{ number, operands int }{
	"Exp": {0, 1}, "Log": {1, 1}, "Tan": {4, 1}, "Atan": {5, 1}, "Pow": {6, 2}, "Mod": {7, 2}, "FMA": {8, 3},
}

// math applies a function of package math to the operands on the stack.
func (f *function) math(name string) {
	if code, ok := instructions[name]; ok {
		f.op(code...)
		return
	}
	if h, ok := hosted[name]; ok {
		f.host(h.number, h.operands)
		return
	}
	switch name {
	case "IsNaN":
		x := byte(f.local(f64))
		f.op(localSet, x, localGet, x, localGet, x, 0x62) // f64.ne
	case "NaN":
		f.number(math.NaN())
	case "Max":
		f.extreme(0xa5, math.Inf(1))
	case "Min":
		f.extreme(0xa4, math.Inf(-1))
	case "Sincos":
		x := byte(f.local(f64))
		f.op(localSet, x, localGet, x)
		f.host(2, 1)
		f.op(localGet, x)
		f.host(3, 1)
	default:
		panic(unsupported{"math." + name})
	}
}

// host calls the host's function.
func (f *function) host(number, operands int) {
	for range 3 - operands {
		f.number(0)
	}
	f.address(number)
	f.op(call, 0)
}

// extreme is math.Max or math.Min, for which an infinity prevails over NaN.
func (f *function) extreme(code byte, infinity float64) {
	x, y := byte(f.local(f64)), byte(f.local(f64))
	f.op(localSet, y, localSet, x, localGet, x)
	f.number(infinity)
	f.op(0x61, localGet, y) // f64.eq
	f.number(infinity)
	f.op(0x61, i32Or, ifThen, f64[0])
	f.number(infinity)
	f.op(orElse, localGet, x, localGet, y, code, end)
}

// infinite is math.IsInf or math.Inf, whose sign is a constant.
func (f *function) infinite(name string, e *ast.CallExpr) {
	arg := e.Args[len(e.Args)-1]
	sign, ok := constant.Int64Val(f.t.info.Types[arg].Value)
	if !ok {
		f.fail(e)
	}
	if name == "Inf" {
		f.number(math.Inf(int(sign)))
		return
	}
	f.expr(e.Args[0])
	if sign == 0 {
		f.op(0x99) // f64.abs
		sign = 1
	}
	f.number(math.Inf(int(sign)))
	f.op(0x61)
}
