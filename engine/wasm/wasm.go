// Package wasm makes WebAssembly modules of loops, and runs their machine code, which wazero makes.
//
// The functions of package elementary, and those of the table of symbols of package term, are translated from their Go
// sources by the command generate. What it does not translate, such as the atan of package math, compiled code calls.
// Operations are rounded as in Go, so results have the same bits; only which NaN an operation makes may differ.
package wasm

import (
	"encoding/binary"
	"math"
)

//go:generate go run ./generate ../../term functions.go

// Types of values and of blocks.
const (
	F64  = 0x7c
	I64  = 0x7e
	I32  = 0x7f
	None = 0x40
)

// The opcodes of WebAssembly that loops use.
const (
	Block       = 0x02
	Loop        = 0x03
	If          = 0x04
	Else        = 0x05
	End         = 0x0b
	Br          = 0x0c
	BrIf        = 0x0d
	Return      = 0x0f
	CallOp      = 0x10
	Drop        = 0x1a
	Select      = 0x1b
	LocalGet    = 0x20
	LocalSet    = 0x21
	LocalTee    = 0x22
	I64Load     = 0x29
	F64Load     = 0x2b
	I64Store    = 0x37
	F64Store    = 0x39
	i32Const    = 0x41
	i64Const    = 0x42
	f64Const    = 0x44
	I32Equal    = 0x46
	I32Less     = 0x49 // without a sign
	I32GtSigned = 0x4a
	I32Gt       = 0x4b // without a sign
	I64Ne       = 0x52
	F64Ne       = 0x62
	F64Less     = 0x63
	F64Gt       = 0x64
	F64LessEq   = 0x65
	F64GtEq     = 0x66
	I32Add      = 0x6a
	I32Or       = 0x72
	I32Sub      = 0x6b
	I32Mul      = 0x6c
	I32And      = 0x71
	I32ShiftL   = 0x74
	I32ShiftR   = 0x76 // without a sign
	I64Clz      = 0x79
	I64Ctz      = 0x7a
	I64Ones     = 0x7b
	I64Add      = 0x7c
	I64Sub      = 0x7d
	I64And      = 0x83
	I64Or       = 0x84
	I64Xor      = 0x85
	I64ShiftL   = 0x86
	I64ShiftR   = 0x88 // without a sign
	F64Neg      = 0x9a
	F64Add      = 0xa0
	F64Sub      = 0xa1
	F64Mul      = 0xa2
	F64Div      = 0xa3
	Wrap        = 0xa7 // of an i64 to an i32
	Truncate    = 0xaa // of an f64 to an i32
	Extend      = 0xad // of an i32 without a sign to an i64
	Truncate64  = 0xb0 // of an f64 to an i64
	Convert     = 0xb8 // of an i32 without a sign to an f64
)

// CopyOp copies to an address, from another, so many bytes. It has two bytes, and the numbers of memories.
var CopyOp = []byte{0xfc, 0x0a, 0, 0}

// Encoder appends to WebAssembly code.
type Encoder []byte

// Op appends opcodes, or other bytes. Many calls of it are not worth the code of as many copies.
//
//go:noinline
func (e *Encoder) Op(ops ...byte) { *e = append(*e, ops...) }

// Unsigned appends v, LEB128.
func (e *Encoder) Unsigned(v uint64) { *e = binary.AppendUvarint(*e, v) }

func (e *Encoder) bytes(b []byte) { e.Unsigned(uint64(len(b))); e.Op(b...) }

// Local appends an operation on a local, or on what else has a number.
//
//go:noinline
func (e *Encoder) Local(op byte, i int) { e.Op(op); e.Unsigned(uint64(i)) }

// Memory appends an operation on memory, at so many bytes behind the address; numbers are aligned to 8 bytes.
func (e *Encoder) Memory(op byte, at int) {
	e.Op(op, 3)
	e.Unsigned(uint64(at))
}

// signed appends v in the signed form, LEB128.
func (e *Encoder) signed(v int64) {
	for {
		b := byte(v & 0x7f)
		v >>= 7
		if v == 0 && b&0x40 == 0 || v == -1 && b&0x40 != 0 {
			e.Op(b)
			return
		}
		e.Op(b | 0x80)
	}
}

// F64 appends a constant.
func (e *Encoder) F64(v float64) {
	e.Op(f64Const)
	*e = binary.LittleEndian.AppendUint64(*e, math.Float64bits(v))
}

// I32 appends a constant.
func (e *Encoder) I32(v int32) {
	e.Op(i32Const)
	e.signed(int64(v))
}

// I64 appends a constant.
func (e *Encoder) I64(v int64) {
	e.Op(i64Const)
	e.signed(v)
}

// section appends a section of so many items.
func (e *Encoder) section(id byte, items int, content Encoder) {
	var all Encoder
	all.Unsigned(uint64(items))
	all.Op(content...)
	e.Op(id)
	e.bytes(all)
}

// body returns a function: its code after the types of its locals, those without parameters.
func body(locals []byte, code []byte) []byte {
	var e Encoder
	e.Unsigned(uint64(len(locals)))
	for _, typ := range locals {
		e.Op(1, typ) // one local of the type
	}
	e.Op(code...)
	e.Op(End)
	return e
}

// signature is the type of a function: its parameters and results.
type signature struct{ params, results string }

// module returns a module whose functions are first that of the host, then these. The last is exported. The memory has
// so many pages of 64 KiB at least.
func module(types []signature, bodies [][]byte, pages int) []byte {
	m := Encoder("\x00asm\x01\x00\x00\x00")
	var content Encoder
	types = append([]signature{hostSignature}, types...)
	for _, t := range types {
		content.Op(0x60)
		content.bytes([]byte(t.params))
		content.bytes([]byte(t.results))
	}
	m.section(1, len(types), content)
	content = nil
	content.bytes([]byte(hostModule))
	content.bytes([]byte(hostName))
	content.Op(0, 0)
	m.section(2, 1, content)
	content = nil
	for i := range bodies {
		content.Unsigned(uint64(i + 1))
	}
	m.section(3, len(bodies), content)
	content = nil
	content.Op(1)
	content.Unsigned(uint64(pages))
	content.Unsigned(uint64(pages))
	m.section(5, 1, content)
	content = nil
	content.bytes([]byte(runName))
	content.Op(0)
	content.Unsigned(uint64(len(bodies)))
	m.section(7, 1, content)
	content = nil
	for _, b := range bodies {
		content.bytes(b)
	}
	m.section(10, len(bodies), content)
	return m
}
