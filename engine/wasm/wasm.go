// Package wasm makes WebAssembly modules, and runs their machine code, which wazero makes.
//
// The functions of package elementary, and those of the table of symbols of package term, are translated from their Go
// sources by the command generate. What it does not translate, such as the atan of package math, compiled code calls.
// Operations are rounded as in Go, so results have the same bits; only which NaN an operation makes may differ.
package wasm

import (
	"encoding/binary"
	"fmt"
	"math"
)

//go:generate go run ./generate ../../term functions.go

// Types of values and of blocks.
const (
	F64  = 0x7c
	I64  = 0x7e
	I32  = 0x7f
	None = 0x40

	funcRef = 0x70
)

// The opcodes of WebAssembly that are in use.
const (
	Unreachable   = 0x00
	Block         = 0x02
	Loop          = 0x03
	If            = 0x04
	Else          = 0x05
	End           = 0x0b
	Br            = 0x0c
	BrIf          = 0x0d
	Return        = 0x0f
	BrTable       = 0x0e
	CallOp        = 0x10
	CallTable     = 0x11
	TailCallOp    = 0x12
	TailTable     = 0x13
	Drop          = 0x1a
	Select        = 0x1b
	LocalGet      = 0x20
	LocalSet      = 0x21
	LocalTee      = 0x22
	I32Load       = 0x28
	I64Load       = 0x29
	F64Load       = 0x2b
	I32Store      = 0x36
	I64Store      = 0x37
	F64Store      = 0x39
	I32Store16    = 0x3b
	i32Const      = 0x41
	i64Const      = 0x42
	f64Const      = 0x44
	I32Zero       = 0x45 // whether it is 0
	I32Equal      = 0x46
	I32Less       = 0x49 // without a sign
	I32GtSigned   = 0x4a
	I32Gt         = 0x4b // without a sign
	I64Zero       = 0x50 // whether it is 0
	I64Ne         = 0x52
	I64LessSigned = 0x53
	F64Ne         = 0x62
	F64Less       = 0x63
	F64Gt         = 0x64
	F64LessEq     = 0x65
	F64GtEq       = 0x66
	I32Add        = 0x6a
	I32Or         = 0x72
	I32Sub        = 0x6b
	I32Mul        = 0x6c
	I32Rem        = 0x70 // without a sign
	I32And        = 0x71
	I32ShiftL     = 0x74
	I32ShiftR     = 0x76 // without a sign
	I64Clz        = 0x79
	I64Ctz        = 0x7a
	I64Ones       = 0x7b
	I64Add        = 0x7c
	I64Sub        = 0x7d
	I64And        = 0x83
	I64Or         = 0x84
	I64Xor        = 0x85
	I64ShiftL     = 0x86
	I64ShiftR     = 0x88 // without a sign
	F64Neg        = 0x9a
	F64Add        = 0xa0
	F64Sub        = 0xa1
	F64Mul        = 0xa2
	F64Div        = 0xa3
	Wrap          = 0xa7 // of an i64 to an i32
	Truncate      = 0xaa // of an f64 to an i32
	Extend        = 0xad // of an i32 without a sign to an i64
	Truncate64    = 0xb0 // of an f64 to an i64
	Convert       = 0xb8 // of an i32 without a sign to an f64
)

// CopyOp copies to an address, from another, so many bytes. It has two bytes, and the numbers of memories.
var CopyOp = []byte{0xfc, 0x0a, 0, 0}

// FillOp fills memory from an address on with a byte, so many times. It has two bytes, and the number of the memory.
var FillOp = []byte{0xfc, 0x0b, 0}

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

// Memory appends an operation on memory, at so many bytes behind the address; numbers are aligned.
func (e *Encoder) Memory(op byte, at int) {
	aligned := byte(3)
	switch op {
	case I32Load, I32Store:
		aligned = 2
	case I32Store16:
		aligned = 1
	}
	e.Op(op, aligned)
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

// What instructions are made of for [Encoder.Code], beside opcodes: the number of a local, what sets one or also leaves
// its value, constants, and operations on memory, at so many bytes behind the address.
type (
	Local  int
	SetTo  int
	Tee    int
	Int    int32
	Long   int64
	Number float64
	Memory struct {
		Op byte
		At int
	}
)

// Code appends instructions. A function makes its own.
func (e *Encoder) Code(parts ...any) {
	for _, p := range parts {
		switch p := p.(type) {
		case int:
			e.Op(byte(p))
		case byte:
			e.Op(p)
		case Local:
			e.Local(LocalGet, int(p))
		case SetTo:
			e.Local(LocalSet, int(p))
		case Tee:
			e.Local(LocalTee, int(p))
		case Int:
			e.I32(int32(p))
		case Long:
			e.I64(int64(p))
		case Number:
			e.F64(float64(p))
		case Memory:
			e.Memory(p.Op, p.At)
		case func():
			p()
		default:
			panic(fmt.Sprintf("wasm: code of %T", p))
		}
	}
}

// module returns a module whose functions are first those of the host, then those of the linker. The function with the
// number run is exported. The memory has so many pages of 64 KiB at least. Its table has the functions of the linker
// that are in it.
func (l *linker) module(run, pages int) []byte {
	m := Encoder("\x00asm\x01\x00\x00\x00")
	section := func(id byte, items int, content func(e *Encoder)) {
		var e Encoder
		content(&e)
		m.section(id, items, e)
	}
	imported := make([]int, len(hosts))
	for i, h := range hosts {
		imported[i] = l.typeOf(h.typ)
	}
	section(1, len(l.types), func(e *Encoder) {
		for _, t := range l.types {
			e.Op(0x60)
			e.bytes([]byte(t.params))
			e.bytes([]byte(t.results))
		}
	})
	section(2, len(hosts), func(e *Encoder) {
		for i, h := range hosts {
			e.bytes([]byte(hostModule))
			e.bytes([]byte(h.name))
			e.Local(0, imported[i])
		}
	})
	section(3, len(l.bodies), func(e *Encoder) {
		for _, typ := range l.typed {
			e.Unsigned(uint64(typ))
		}
	})
	if len(l.table) > 0 {
		section(4, 1, func(e *Encoder) {
			e.Op(funcRef, 0)
			e.Unsigned(uint64(len(l.table)))
		})
	}
	section(5, 1, func(e *Encoder) {
		e.Op(1)
		e.Unsigned(uint64(pages))
		e.Unsigned(uint64(pages))
	})
	section(7, 1, func(e *Encoder) {
		e.bytes([]byte(runName))
		e.Local(0, run)
	})
	if len(l.table) > 0 {
		section(9, 1, func(e *Encoder) {
			e.Op(0)
			e.I32(0)
			e.Op(End)
			e.Unsigned(uint64(len(l.table)))
			for _, number := range l.table {
				e.Unsigned(uint64(number))
			}
		})
	}
	section(10, len(l.bodies), func(e *Encoder) {
		for _, b := range l.bodies {
			e.bytes(b)
		}
	})
	return m
}
