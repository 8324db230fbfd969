package main

import (
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// pair is an instruction for vectors, and that for one number.
type pair struct{ wide, one func(ops ...Op) }

// on applies the instruction: it sets dst to x op y.
func (p pair) on(wide bool, x, y, dst Op) {
	if wide {
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

// elementwise makes the loops over the elements of slices.
func (s set) elementwise() {
	for _, op := range []struct {
		name string
		pair
	}{{"add", add}, {"sub", sub}, {"mul", mul}, {"div", div}} {
		s.loop(op.name, "func(dst, x, y []float64)", func(wide bool, x, y, _ reg.Register) { op.on(wide, x, y, x) })
	}
	s.loop("addScalar", "func(dst, x []float64, a float64)",
		func(wide bool, x, a, _ reg.Register) { add.on(wide, x, a, x) })
	s.loop("mulScalar", "func(dst, x []float64, a float64)",
		func(wide bool, x, a, _ reg.Register) { mul.on(wide, x, a, x) })
	s.loop("divScalar", "func(dst, x []float64, a float64)",
		func(wide bool, x, a, _ reg.Register) { div.on(wide, x, a, x) })
	s.loop("scalarSub", "func(dst, x []float64, a float64)",
		func(wide bool, x, a, _ reg.Register) { sub.on(wide, a, x, x) })
	s.loop("scalarDiv", "func(dst, x []float64, a float64)",
		func(wide bool, x, a, _ reg.Register) { div.on(wide, a, x, x) })
	s.loop("addMul", "func(dst, x, y []float64)", func(wide bool, x, y, dst reg.Register) {
		mul.on(wide, x, y, x)
		add.on(wide, dst, x, x)
	})
	s.loop("addMulScalar", "func(dst, x []float64, a float64)", func(wide bool, x, a, dst reg.Register) {
		mul.on(wide, x, a, x)
		add.on(wide, dst, x, x)
	})
	s.loop("slope", "func(dst, x []float64)", func(wide bool, x, _, _ reg.Register) {
		left := s.reg(wide)
		if wide {
			VBROADCASTSD(word(math.Float64bits(1)), left)
		} else {
			VMOVSD(word(math.Float64bits(1)), left)
		}
		sub.on(wide, left, x, left)
		mul.on(wide, x, left, x)
	})
	s.loop("sqrt", "func(dst, x []float64)", func(wide bool, x, _, _ reg.Register) {
		if wide {
			VSQRTPD(x, x)
		} else {
			VSQRTSD(x, x, x)
		}
	})
}

// loop makes a loop that sets each element of dst to what body leaves in x. The second
// register has the element of y, or a.
func (s set) loop(name, signature string, body func(wide bool, x, y, dst reg.Register)) {
	s.text(name, signature)
	dst, n, x := pointer("dst", ""), length("dst"), pointer("x", "")
	pointers := []reg.GPVirtual{dst, x}
	var y reg.GPVirtual
	var a reg.VecVirtual
	switch signature {
	case "func(dst, x, y []float64)":
		y = pointer("y", "")
		pointers = append(pointers, y)
	case "func(dst, x []float64, a float64)":
		at, err := Param("a").Resolve()
		if err != nil {
			panic(err)
		}
		a = s.wide()
		VBROADCASTSD(at.Addr, a)
	}
	readsDst := name == "addMul" || name == "addMulScalar"
	s.stream(n, pointers, 4, func(wide bool, v int) {
		here := func(base reg.GPVirtual) Mem { return Mem{Base: base, Disp: 8 * s.width * v} }
		fetch := func(base reg.GPVirtual) reg.Register {
			r := s.reg(wide)
			move(wide, here(base), r)
			return r
		}
		xr := fetch(x)
		var yr, dr reg.Register
		switch {
		case y != nil:
			yr = fetch(y)
		case a != nil && wide:
			yr = a
		case a != nil:
			yr = a.AsX()
		}
		if readsDst {
			dr = fetch(dst)
		}
		body(wide, xr, yr, dr)
		move(wide, xr, here(dst))
	})
	VZEROUPPER()
	RET()
}

// reg returns a register for a vector or for one number.
func (s set) reg(wide bool) reg.VecVirtual {
	if wide {
		return s.wide()
	}
	return XMM()
}

func move(wide bool, from, to Op) {
	if wide {
		VMOVUPD(from, to)
	} else {
		VMOVSD(from, to)
	}
}

// stream goes through n elements, unroll vectors at a time, then one vector, then one
// element, and moves the pointers. What body does is for vector v behind the pointers.
func (s set) stream(n reg.GPVirtual, pointers []reg.GPVirtual, unroll int, body func(wide bool, v int)) {
	stage := 0
	for _, size := range []struct {
		wide  bool
		count int
	}{{true, unroll}, {true, 1}, {false, 1}} {
		if stage > 0 && size.wide && unroll == 1 {
			continue
		}
		elements := size.count
		if size.wide {
			elements *= s.width
		}
		loop, next := label("loop", stage), label("next", stage)
		SUBQ(U32(elements), n)
		JL(LabelRef(next))
		Label(loop)
		for v := range size.count {
			body(size.wide, v)
		}
		for _, p := range pointers {
			ADDQ(U32(8*elements), p)
		}
		SUBQ(U32(elements), n)
		JGE(LabelRef(loop))
		Label(next)
		if size.wide {
			ADDQ(U32(elements), n)
		}
		stage++
	}
}
