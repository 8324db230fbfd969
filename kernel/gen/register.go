package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

func (s set) group(n int) []reg.VecVirtual {
	out := make([]reg.VecVirtual, n)
	for i := range out {
		out[i] = s.wide()
	}
	return out
}

// per is how many registers hold the lanes of a sum.
func (s set) per() int { return lanes / s.width }

// byteSize returns a register with 8 times a parameter.
func byteSize(name string) reg.GPVirtual {
	r := GP64()
	Load(Param(name), r)
	SHLQ(Imm(3), r)
	return r
}

// pointer returns a register with the address of element at of slice, or of the first.
func pointer(slice, at string) reg.GPVirtual {
	r := GP64()
	Load(Param(slice).Base(), r)
	if at != "" {
		i := GP64()
		Load(Param(at), i)
		LEAQ(Mem{Base: r, Index: i, Scale: 8}, r)
	}
	return r
}

func length(slice string) reg.GPVirtual {
	r := GP64()
	Load(Param(slice).Len(), r)
	return r
}

// thrice returns a register with three times r.
func thrice(r reg.GPVirtual) reg.GPVirtual {
	t := GP64()
	LEAQ(Mem{Base: r, Index: r, Scale: 2}, t)
	return t
}

// strided is the memory k strides and disp bytes behind base, k < 4.
func strided(base, stride, stride3 reg.GPVirtual, k, disp int) Mem {
	m := Mem{Base: base, Disp: disp}
	switch k {
	case 1, 2:
		m.Index, m.Scale = stride, uint8(k)
	case 3:
		m.Index, m.Scale = stride3, 1
	}
	return m
}

func copyOf(r reg.GPVirtual) reg.GPVirtual {
	c := GP64()
	MOVQ(r, c)
	return c
}

// masks is which elements of the last registers of a row are there.
type masks struct {
	s    set
	bits []reg.Register // YMM for AVX2, K for AVX-512
}

// mask makes the masks of the first n elements of count registers, n < count·width.
func (s set) mask(n reg.GPVirtual, count int) masks {
	m := masks{s: s}
	if s.width == 8 {
		bits, shift := GP64(), copyOf(n)
		MOVQ(U32(1), bits)
		SHLXQ(shift, bits, bits)
		DECQ(bits)
		k := K()
		KMOVW(bits.As32(), k)
		m.bits = append(m.bits, k)
		return m
	}
	table, back := GP64(), GP64()
	LEAQ(tailMasks(), table)
	XORQ(back, back)
	SUBQ(n, back)
	for i := range count {
		v := YMM()
		VMOVDQU(Mem{Base: table, Index: back, Scale: 8, Disp: 64 + 32*i}, v)
		m.bits = append(m.bits, v)
	}
	return m
}

var tailTable *Mem

// tailMasks is eight words of ones, and eight words of zeros.
func tailMasks() Mem {
	if tailTable == nil {
		t := GLOBL("tailMasks", RODATA|NOPTR)
		for i := range 16 {
			ones := ^uint64(0)
			if i >= 8 {
				ones = 0
			}
			DATA(8*i, U64(ones))
		}
		tailTable = &t
	}
	return *tailTable
}

// load loads what is there into register i of a row, and 0 elsewhere.
func (m masks) load(from Mem, i int, to reg.Register) {
	if m.s.width == 8 {
		VMOVUPD_Z(from, m.bits[i], to)
		return
	}
	VMASKMOVPD(from, m.bits[i], to)
}

func (m masks) store(from reg.Register, i int, to Mem) {
	if m.s.width == 8 {
		VMOVUPD(from, m.bits[i], to)
		return
	}
	VMASKMOVPD(from, m.bits[i], to)
}

// add adds what is there of p to sum.
func (m masks) add(p reg.Register, i int, sum reg.Register) {
	if m.s.width == 8 {
		VADDPD(p, sum, m.bits[i], sum)
		return
	}
	t := YMM()
	VADDPD(p, sum, t)
	VBLENDVPD(m.bits[i], t, sum, sum)
}
