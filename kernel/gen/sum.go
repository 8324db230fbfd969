package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// fold adds the lanes in acc as far as there are four numbers in a YMM register, those of
// lanes 0 and 4, 1 and 5, 2 and 6, 3 and 7.
func (s set) fold(acc []reg.VecVirtual) reg.VecVirtual {
	if s.width == 8 {
		high := YMM()
		VEXTRACTF64X4(Imm(1), acc[0], high)
		VADDPD(high, acc[0].AsY(), high)
		return high
	}
	VADDPD(acc[1], acc[0], acc[0])
	return acc[0]
}

// foldOne returns an XMM register with the sum of the lanes in acc.
func (s set) foldOne(acc []reg.VecVirtual) reg.Register {
	four, high := s.fold(acc), XMM()
	VEXTRACTF128(Imm(1), four, high)
	VADDPD(high, four.AsX(), high)
	VHADDPD(high, high, high)
	return high
}

// foldFour returns a YMM register with the sums of four sets of lanes.
func (s set) foldFour(acc [][]reg.VecVirtual) reg.VecVirtual {
	var four [4]reg.VecVirtual
	for r := range four {
		four[r] = s.fold(acc[r])
	}
	pair := func(a, b reg.VecVirtual) reg.VecVirtual {
		low := YMM()
		VPERM2F128(Imm(0x20), b, a, low)
		VPERM2F128(Imm(0x31), b, a, b)
		VADDPD(b, low, low)
		return low
	}
	even, odd := pair(four[0], four[2]), pair(four[1], four[3])
	VHADDPD(odd, even, even)
	return even
}

// lanesOf adds the elements of x, or their products with those of y, to eight lanes.
func (s set) lanesOf(dot bool) {
	at := GP64()
	Load(Param("lanes"), at)
	x, n := pointer("x", ""), length("x")
	var y reg.GPVirtual
	if dot {
		y = pointer("y", "")
	}
	acc := s.group(s.per())
	lane := func(base reg.GPVirtual, v int) Mem { return Mem{Base: base, Disp: 8 * s.width * v} }
	for v, r := range acc {
		VMOVUPD(lane(at, v), r)
	}
	SUBQ(Imm(lanes), n)
	JL(s.to("tail"))
	s.mark("blocks")
	for v, r := range acc {
		if dot {
			p := s.wide()
			VMOVUPD(lane(x, v), p)
			VMULPD(lane(y, v), p, p)
			VADDPD(p, r, r)
		} else {
			VADDPD(lane(x, v), r, r)
		}
	}
	ADDQ(U32(8*lanes), x)
	if dot {
		ADDQ(U32(8*lanes), y)
	}
	SUBQ(Imm(lanes), n)
	JGE(s.to("blocks"))
	s.mark("tail")
	ADDQ(Imm(lanes), n)
	JZ(s.to("done"))
	tail := s.mask(n, s.per())
	for v, r := range acc {
		p := s.wide()
		tail.load(lane(x, v), v, p)
		if dot {
			q := s.wide()
			tail.load(lane(y, v), v, q)
			VMULPD(q, p, p)
		}
		tail.add(p, v, r)
	}
	s.mark("done")
	for v, r := range acc {
		VMOVUPD(r, lane(at, v))
	}
}

// joinLanes sets dst to the sums of eight vectors of lanes.
func (s set) joinLanes() {
	dst, n := pointer("dst", ""), length("dst")
	from, stride := pointer("lanes", "at"), byteSize("stride")
	stride3, half := thrice(stride), GP64()
	join := func(load func(lane int, m Mem) reg.Register, add func(x, y reg.Register)) reg.Register {
		LEAQ(Mem{Base: from, Index: stride, Scale: 4}, half)
		lane := func(l int) reg.Register {
			base := from
			if l >= 4 {
				base = half
			}
			return load(l, strided(base, stride, stride3, l%4, 0))
		}
		var sum [4]reg.Register
		for l := range sum {
			sum[l] = lane(l)
			add(lane(l+4), sum[l])
		}
		add(sum[2], sum[0])
		add(sum[3], sum[1])
		add(sum[1], sum[0])
		return sum[0]
	}
	s.stream(n, []reg.GPVirtual{dst, from}, 1, func(width, _ int) {
		r := join(func(_ int, m Mem) reg.Register {
			r := vector(width)
			move(width, m, r)
			return r
		}, func(x, y reg.Register) { add.on(width, y, x, y) })
		move(width, r, Mem{Base: dst})
	})
}
