package main

import (
	"math"
	"slices"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// pair is an instruction for vectors, and that for one number.
type pair struct{ wide, one func(ops ...Op) }

// on applies the instruction to width numbers: it sets dst to x op y.
func (p pair) on(width int, x, y, dst Op) {
	if width > 1 {
		p.wide(y, x, dst)
	} else {
		p.one(y, x, dst)
	}
}

var (
	add = pair{VADDPD, VADDSD}
	sub = pair{VSUBPD, VSUBSD}
	mul = pair{VMULPD, VMULSD}
	div = pair{VDIVPD, VDIVSD}
)

// The signatures of loops with a second operand.
const (
	ofVectors = "func(dst, x, y []float64)"
	ofScalar  = "func(dst, x []float64, a float64)"
)

// elementwise makes the loops over the elements of slices.
func elementwise() {
	for _, op := range []struct {
		name, signature string
		pair
		reversed bool
	}{{"add", ofVectors, add, false}, {"sub", ofVectors, sub, false}, {"mul", ofVectors, mul, false},
		{"div", ofVectors, div, false}, {"addScalar", ofScalar, add, false}, {"mulScalar", ofScalar, mul, false},
		{"divScalar", ofScalar, div, false}, {"scalarSub", ofScalar, sub, true}, {"scalarDiv", ofScalar, div, true}} {
		loop(op.name, op.signature, func(width int, x, y, _ reg.Register) {
			if op.reversed {
				op.on(width, y, x, x)
			} else {
				op.on(width, x, y, x)
			}
		})
	}
	addProduct := func(width int, x, y, dst reg.Register) {
		mul.on(width, x, y, x)
		add.on(width, dst, x, x)
	}
	loop("addMul", ofVectors, addProduct)
	loop("addMulScalar", ofScalar, addProduct)
	for _, op := range []struct {
		name      string
		predicate Constant
	}{{"less", Imm(0x11)}, {"lessEqual", Imm(0x12)}, {"equal", Imm(0x00)}} {
		loop(op.name, ofVectors, func(width int, x, y, _ reg.Register) {
			left := each(width, 1)
			if width == 8 {
				k := K()
				VCMPPD(op.predicate, y, x, k)
				VMOVAPD_Z(left, k, x)
				return
			}
			compare(op.predicate, width, y, x, x)
			VANDPD(left, x, x)
		})
	}
	loop("blend", ofVectors, func(width int, x, y, dst reg.Register) {
		where(width, y, func(k reg.Register) { VBLENDMPD(x, dst, k, x) }, func(m reg.Register) { VBLENDVPD(m, x, dst, x) })
	})
	loop("addWhere", ofVectors, func(width int, x, y, dst reg.Register) {
		where(width, y, func(k reg.Register) {
			VADDPD(x, dst, k, dst)
			VMOVAPD(dst, x)
		}, func(m reg.Register) {
			add.on(width, dst, x, x)
			VBLENDVPD(m, x, dst, x)
		})
	})
	loop("slope", "func(dst, x []float64)", func(width int, x, _, _ reg.Register) {
		left := each(width, 1)
		sub.on(width, left, x, left)
		mul.on(width, x, left, x)
	})
	loop("abs", "func(dst, x []float64)", func(width int, x, _, _ reg.Register) {
		bits(width, true, each(width, math.Copysign(0, -1)), x, x)
	})
	loop("sign", "func(dst, x []float64)", func(width int, x, _, _ reg.Register) {
		left, sign := each(width, 1), each(width, math.Copysign(0, -1))
		bits(width, false, sign, x, sign)
		if width == 8 {
			VPORQ(left, sign, sign)
			VPXORQ(left, left, left)
			k := K()
			VCMPPD(Imm(0x0c), left, x, k) // neither 0 nor NaN
			VMOVAPD(sign, k, x)
			return
		}
		VORPD(left, sign, sign)
		VXORPD(left, left, left)
		compare(Imm(0x0c), width, left, x, left)
		VBLENDVPD(left, sign, x, x)
	})
	loop("sqrt", "func(dst, x []float64)", func(width int, x, _, _ reg.Register) {
		if width > 1 {
			VSQRTPD(x, x)
		} else {
			VSQRTSD(x, x, x)
		}
	})
}

// each is a register whose numbers are x.
func each(width int, x float64) reg.VecVirtual {
	r := vector(width)
	switch x := word(math.Float64bits(x)); {
	case width > 2:
		VBROADCASTSD(x, r)
	case width == 2:
		VMOVDDUP(x, r)
	default:
		VMOVSD(x, r)
	}
	return r
}

// bits sets dst to the bits of x that y has, or to those that it does not have.
func bits(width int, not bool, y, x, dst reg.Register) {
	switch {
	case width == 8 && not:
		VPANDNQ(x, y, dst)
	case width == 8:
		VPANDQ(x, y, dst)
	case not:
		VANDNPD(x, y, dst)
	default:
		VANDPD(x, y, dst)
	}
}

// compare sets the bits of dst where x and y compare, of at most four numbers.
func compare(predicate Constant, width int, y, x, dst reg.Register) {
	if width > 1 {
		VCMPPD(predicate, y, x, dst)
	} else {
		VCMPSD(predicate, y, x, dst)
	}
}

// where calls wide or narrow with what says which elements of y are not 0: a mask of eight, or the bits of a register.
func where(width int, y reg.Register, wide, narrow func(m reg.Register)) {
	zero := vector(width)
	if width == 8 {
		k := K()
		VPXORQ(zero, zero, zero)
		VCMPPD(Imm(4), zero, y, k)
		wide(k)
		return
	}
	VXORPD(zero, zero, zero)
	compare(Imm(4), width, zero, y, zero)
	narrow(zero)
}

// loop makes a loop that sets each element of dst to what body leaves in x. The second
// register has the element of y, or a.
func loop(name, signature string, body func(width int, x, y, dst reg.Register)) {
	define(name, signature, func(s set) { s.loop(name, signature, body) })
}

func (s set) loop(name, signature string, body func(width int, x, y, dst reg.Register)) {
	dst, n, x := pointer("dst", ""), length("dst"), pointer("x", "")
	pointers := []reg.GPVirtual{dst, x}
	var y reg.GPVirtual
	var a reg.VecVirtual
	switch signature {
	case ofVectors:
		y = pointer("y", "")
		pointers = append(pointers, y)
	case ofScalar:
		at, err := Param("a").Resolve()
		if err != nil {
			panic(err)
		}
		a = s.wide()
		VBROADCASTSD(at.Addr, a)
	}
	readsDst := slices.Contains([]string{"addMul", "addMulScalar", "addWhere", "blend"}, name)
	s.stream(n, pointers, 4, func(width, v int) {
		here := func(base reg.GPVirtual) Mem { return Mem{Base: base, Disp: 8 * s.width * v} }
		fetch := func(base reg.GPVirtual) reg.Register {
			r := vector(width)
			move(width, here(base), r)
			return r
		}
		xr := fetch(x)
		var yr, dr reg.Register
		switch {
		case y != nil:
			yr = fetch(y)
		case a != nil:
			yr = part(a, width)
		}
		if readsDst {
			dr = fetch(dst)
		}
		body(width, xr, yr, dr)
		move(width, xr, here(dst))
	})
}

// vector returns a register for width numbers.
func vector(width int) reg.VecVirtual {
	switch width {
	case 8:
		return ZMM()
	case 4:
		return YMM()
	}
	return XMM()
}

// part is the part of a register with the first width numbers.
func part(r reg.VecVirtual, width int) reg.Register {
	switch width {
	case 8:
		return r.AsZ()
	case 4:
		return r.AsY()
	}
	return r.AsX()
}

func move(width int, from, to Op) {
	if width > 1 {
		VMOVUPD(from, to)
	} else {
		VMOVSD(from, to)
	}
}

// stream goes through n elements, unroll vectors at a time, then one vector, then what is left in vectors of half the
// width, and so on, and moves the pointers. What body does is for vector v behind the pointers, of width numbers.
func (s set) stream(n reg.GPVirtual, pointers []reg.GPVirtual, unroll int, body func(width, v int)) {
	stage := 0
	move := func(elements int) {
		for _, p := range pointers {
			ADDQ(U32(8*elements), p)
		}
	}
	for _, count := range slices.Compact([]int{unroll, 1}) {
		elements := count * s.width
		loop, next := label("loop", stage), label("next", stage)
		SUBQ(U32(elements), n)
		JL(s.to(next))
		s.mark(loop)
		for v := range count {
			body(s.width, v)
		}
		move(elements)
		SUBQ(U32(elements), n)
		JGE(s.to(loop))
		s.mark(next)
		ADDQ(U32(elements), n)
		stage++
	}
	for width := s.width / 2; width > 0; width /= 2 { // a bit of n says whether there is one
		next := label("next", stage)
		TESTQ(U32(width), n)
		JZ(s.to(next))
		body(width, 0)
		move(width)
		s.mark(next)
		stage++
	}
}
