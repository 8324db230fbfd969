package native

import (
	"encoding/binary"
	"math"
)

// Types of values and of blocks, and the opcodes of WebAssembly that the package uses.
const (
	typeF64  = 0x7c
	typeI32  = 0x7f
	typeNone = 0x40

	opBlock    = 0x02
	opLoop     = 0x03
	opIf       = 0x04
	opElse     = 0x05
	opEnd      = 0x0b
	opBr       = 0x0c
	opBrIf     = 0x0d
	opBrTable  = 0x0e
	opCall     = 0x10
	opDrop     = 0x1a
	opLocalGet = 0x20
	opLocalSet = 0x21
	opLocalTee = 0x22
	opI64Load  = 0x29
	opF64Load  = 0x2b
	opF64Store = 0x39
	opI32Const = 0x41
	opI64Const = 0x42
	opF64Const = 0x44
	opI32Add   = 0x6a
	opI32Sub   = 0x6b
	opF64Add   = 0xa0
	opF64Sub   = 0xa1
	opF64Mul   = 0xa2
	opTruncate = 0xaa // of an f64 to an i32
)

// encoder appends to WebAssembly code.
type encoder []byte

func (e *encoder) op(ops ...byte)         { *e = append(*e, ops...) }
func (e *encoder) unsigned(v uint64)      { *e = binary.AppendUvarint(*e, v) }
func (e *encoder) bytes(b []byte)         { e.unsigned(uint64(len(b))); e.op(b...) }
func (e *encoder) local(op byte, i int)   { e.op(op); e.unsigned(uint64(i)) }
func (e *encoder) memory(op byte, at int) { e.op(op, 3); e.unsigned(uint64(at)) } // aligned to 8 bytes

// signed appends v in the signed form, LEB128.
func (e *encoder) signed(v int64) {
	for {
		b := byte(v & 0x7f)
		v >>= 7
		if v == 0 && b&0x40 == 0 || v == -1 && b&0x40 != 0 {
			e.op(b)
			return
		}
		e.op(b | 0x80)
	}
}

func (e *encoder) f64(v float64) {
	e.op(opF64Const)
	*e = binary.LittleEndian.AppendUint64(*e, math.Float64bits(v))
}

func (e *encoder) i32(v int32) {
	e.op(opI32Const)
	e.signed(int64(v))
}

// section appends a section of so many items.
func (e *encoder) section(id byte, items int, content encoder) {
	var all encoder
	all.unsigned(uint64(items))
	all.op(content...)
	e.op(id)
	e.bytes(all)
}

// body returns a function: its code after the types of its locals, those without parameters.
func body(locals []byte, code []byte) []byte {
	var groups, e encoder
	n := 0
	for i := 0; i < len(locals); {
		j := i
		for j < len(locals) && locals[j] == locals[i] {
			j++
		}
		groups.unsigned(uint64(j - i))
		groups.op(locals[i])
		n++
		i = j
	}
	e.unsigned(uint64(n))
	e.op(groups...)
	e.op(code...)
	e.op(opEnd)
	return e
}

// signature is the type of a function: its parameters and results.
type signature struct{ params, results string }

// module returns a module whose functions are first that of the host, then these. The last is exported. The memory has so many pages of
// 64 KiB.
func module(types []signature, bodies [][]byte, pages int) []byte {
	m := encoder("\x00asm\x01\x00\x00\x00")
	var content encoder
	types = append([]signature{hostSignature}, types...)
	for _, t := range types {
		content.op(0x60)
		content.bytes([]byte(t.params))
		content.bytes([]byte(t.results))
	}
	m.section(1, len(types), content)
	content = nil
	content.bytes([]byte(hostModule))
	content.bytes([]byte(hostName))
	content.op(0, 0)
	m.section(2, 1, content)
	content = nil
	for i := range bodies {
		content.unsigned(uint64(i + 1))
	}
	m.section(3, len(bodies), content)
	content = nil
	content.op(1)
	content.unsigned(uint64(pages))
	content.unsigned(uint64(pages))
	m.section(5, 1, content)
	content = nil
	content.bytes([]byte(runName))
	content.op(0)
	content.unsigned(uint64(len(bodies)))
	m.section(7, 1, content)
	content = nil
	for _, b := range bodies {
		content.bytes(b)
	}
	m.section(10, len(bodies), content)
	return m
}
