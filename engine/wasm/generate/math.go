package main

import (
	"go/ast"
	"go/constant"
	"math"
	"slices"

	"github.com/gram-machine/gram/engine/wasm"
)

// instructions are the functions of package math that are instructions.
var instructions = map[string][]byte{
	"Abs": {0x99}, "Floor": {0x9c}, "RoundToEven": {0x9e}, "Sqrt": {0x9f}, "Copysign": {0xa6},
	"Float64bits": {bitsOf}, "Float64frombits": {ofBits},
}

// math applies a function of package math to the operands on the stack.
func (f *function) math(name string) {
	if code, ok := instructions[name]; ok {
		f.Op(code...)
		return
	}
	if i := slices.IndexFunc(wasm.Hosted, func(h wasm.Host) bool { return h.Name == name }); i >= 0 {
		f.host(i, wasm.Hosted[i].Operands)
		return
	}
	switch name {
	case "IsNaN":
		x := byte(f.local(f64))
		f.Op(wasm.LocalSet, x, wasm.LocalGet, x, wasm.LocalGet, x, wasm.F64Ne)
	case "NaN":
		f.F64(math.NaN())
	case "Max":
		f.extreme(0xa5, math.Inf(1))
	case "Min":
		f.extreme(0xa4, math.Inf(-1))
	case "Sincos":
		x := byte(f.local(f64))
		f.Op(wasm.LocalSet, x, wasm.LocalGet, x)
		f.math("sin")
		f.Op(wasm.LocalGet, x)
		f.math("cos")
	default:
		panic(unsupported{"math." + name})
	}
}

// host calls the host's function.
func (f *function) host(number, operands int) {
	for range 3 - operands {
		f.F64(0)
	}
	f.I32(int32(number))
	f.Op(wasm.CallOp, 0)
}

// extreme is math.Max or math.Min, for which an infinity prevails over NaN.
func (f *function) extreme(code byte, infinity float64) {
	x, y := byte(f.local(f64)), byte(f.local(f64))
	f.Op(wasm.LocalSet, y, wasm.LocalSet, x, wasm.LocalGet, x)
	f.F64(infinity)
	f.Op(0x61, wasm.LocalGet, y) // f64.eq
	f.F64(infinity)
	f.Op(0x61, wasm.I32Or, wasm.If, f64[0])
	f.F64(infinity)
	f.Op(wasm.Else, wasm.LocalGet, x, wasm.LocalGet, y, code, wasm.End)
}

// infinite is math.IsInf or math.Inf, whose sign is a constant.
func (f *function) infinite(name string, e *ast.CallExpr) {
	arg := e.Args[len(e.Args)-1]
	sign, ok := constant.Int64Val(f.t.info.Types[arg].Value)
	if !ok {
		f.fail(e)
	}
	if name == "Inf" {
		f.F64(math.Inf(int(sign)))
		return
	}
	f.expr(e.Args[0])
	if sign == 0 {
		f.Op(0x99) // f64.abs
		sign = 1
	}
	f.F64(math.Inf(int(sign)))
	f.Op(0x61)
}
