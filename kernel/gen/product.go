package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// matVec sets y to the sums of the products of x and the rows of w, len(x) > 8.
func (s set) matVec() {
	y, rows := pointer("y", ""), length("y")
	w, ld := pointer("w", ""), byteSize("ld")
	x, blocks := pointer("x", ""), length("x")
	rest := copyOf(blocks)
	ANDQ(Imm(lanes-1), rest)
	SHRQ(Imm(3), blocks)
	ld3 := thrice(ld)
	tail := s.mask(rest, s.per())

	for g, count := range s.rows {
		loop, next := label("rows", g), label("rows", g+1)
		s.mark(loop)
		CMPQ(rows, U32(count))
		JL(s.to(next))
		at := []reg.GPVirtual{copyOf(w)}
		if count > 4 {
			fifth := GP64()
			LEAQ(Mem{Base: w, Index: ld, Scale: 4}, fifth)
			at = append(at, fifth)
		}
		row := func(r, v int) Mem {
			return strided(at[r/4], ld, ld3, r%4, 8*s.width*v)
		}
		from, left := copyOf(x), copyOf(blocks)
		acc := make([][]reg.VecVirtual, count)
		for r := range acc {
			acc[r] = s.group(s.per())
		}
		xs := s.group(s.per())
		loadX := func() {
			for v, r := range xs {
				VMOVUPD(Mem{Base: from, Disp: 8 * s.width * v}, r)
			}
		}
		advance := func() {
			ADDQ(U32(8*lanes), from)
			for _, p := range at {
				ADDQ(U32(8*lanes), p)
			}
		}
		loadX()
		for r := range acc {
			for v := range xs {
				VMULPD(row(r, v), xs[v], acc[r][v])
			}
		}
		advance()
		DECQ(left)
		JZ(s.to(label("tail", g)))
		s.mark(label("blocks", g))
		loadX()
		for r := range acc {
			for v := range xs {
				p := s.wide()
				VMULPD(row(r, v), xs[v], p)
				VADDPD(p, acc[r][v], acc[r][v])
			}
		}
		advance()
		DECQ(left)
		JNZ(s.to(label("blocks", g)))
		s.mark(label("tail", g))
		TESTQ(rest, rest)
		JZ(s.to(label("fold", g)))
		for v := range xs {
			tail.load(Mem{Base: from, Disp: 8 * s.width * v}, v, xs[v])
			for r := range acc {
				p := s.wide()
				tail.load(row(r, v), v, p)
				VMULPD(p, xs[v], p)
				tail.add(p, v, acc[r][v])
			}
		}
		s.mark(label("fold", g))
		if count == 1 {
			VMOVSD(s.foldOne(acc[0]), Mem{Base: y})
			ADDQ(ld, w)
		} else {
			for q := 0; q < count; q += 4 {
				VMOVUPD(s.foldFour(acc[q:q+4]), Mem{Base: y, Disp: 8 * q})
			}
			LEAQ(Mem{Base: w, Index: ld, Scale: uint8(count)}, w)
		}
		ADDQ(U32(8*count), y)
		SUBQ(U32(count), rows)
		JMP(s.to(loop))
	}
	s.mark(label("rows", len(s.rows)))
}

// addRows adds multiples of rows of w to dst, one row after the other.
func (s set) addRows() {
	dst, n := pointer("dst", ""), length("dst")
	w, ld := pointer("w", "wAt"), byteSize("ld")
	first, inc := pointer("s", "sAt"), byteSize("inc")
	rows := GP64()
	Load(Param("rows"), rows)
	TESTQ(rows, rows)
	JLE(s.to("done"))

	// block does the columns of count registers.
	block := func(name string, count int, load, store func(m Mem, r reg.Register)) {
		acc := s.group(count)
		for v, r := range acc {
			load(Mem{Base: dst, Disp: 8 * s.width * v}, r)
		}
		wp, sp, left := copyOf(w), copyOf(first), copyOf(rows)
		s.mark(name)
		by := s.wide()
		VBROADCASTSD(Mem{Base: sp}, by)
		for v, r := range acc {
			p, at := s.wide(), Mem{Base: wp, Disp: 8 * s.width * v}
			if count == 1 {
				load(at, p)
				VMULPD(p, by, p)
			} else {
				VMULPD(at, by, p)
			}
			VADDPD(p, r, r)
		}
		ADDQ(inc, sp)
		ADDQ(ld, wp)
		DECQ(left)
		JNZ(s.to(name))
		for v, r := range acc {
			store(Mem{Base: dst, Disp: 8 * s.width * v}, r)
		}
	}
	plainLoad := func(m Mem, r reg.Register) { VMOVUPD(m, r) }
	plainStore := func(m Mem, r reg.Register) { VMOVUPD(r, m) }
	sizes := []int{8, 4, 2, 1}
	for i, count := range sizes {
		columns := count * s.width
		s.mark(label("columns", i))
		CMPQ(n, U32(columns))
		JL(s.to(label("columns", i+1)))
		block(label("rows", i), count, plainLoad, plainStore)
		ADDQ(U32(8*columns), dst)
		ADDQ(U32(8*columns), w)
		SUBQ(U32(columns), n)
		JMP(s.to(label("columns", i)))
	}
	s.mark(label("columns", len(sizes)))
	TESTQ(n, n)
	JZ(s.to("done"))
	tail := s.mask(n, 1)
	block("rowsOfTail", 1,
		func(m Mem, r reg.Register) { tail.load(m, 0, r) },
		func(m Mem, r reg.Register) { tail.store(r, 0, m) })
	s.mark("done")
}

// addTiles adds products to panels tiles of c that stand beside each other, one product
// of each step after the other. They begin at −0 if fresh, and else at what c has.
func (s set) addTiles() {
	c, ldc := pointer("c", "cAt"), byteSize("ldc")
	a, aStep := pointer("a", "aAt"), byteSize("aStep")
	b, bStep := pointer("b", "bAt"), byteSize("bStep")
	ldc3, aStep3, bStep3 := thrice(ldc), thrice(aStep), thrice(bStep)
	panels := GP64()
	Load(Param("panels"), panels)
	TESTQ(panels, panels)
	JLE(s.to("done"))
	rows := GP64()
	Load(Param("rows"), rows)
	for n, height := range s.heights {
		if n < len(s.heights)-1 {
			CMPQ(rows, U32(height))
			JNE(s.to(label("panels", n+1)))
		}
		s.mark(label("panels", n))
		acc := make([][]reg.VecVirtual, height)
		for r := range acc {
			acc[r] = s.group(tileVectors)
		}
		tile := func(do func(m Mem, r reg.Register)) {
			base := copyOf(c)
			for r := range acc {
				if r == 4 {
					LEAQ(Mem{Base: base, Index: ldc, Scale: 4}, base)
				}
				for v := range tileVectors {
					do(strided(base, ldc, ldc3, r%4, 8*s.width*v), acc[r][v])
				}
			}
		}
		fresh := GP64()
		Load(Param("fresh"), fresh.As8())
		TESTB(fresh.As8(), fresh.As8())
		JNZ(s.to(label("fresh", n)))
		tile(func(m Mem, r reg.Register) { VMOVUPD(m, r) })
		JMP(s.to(label("begin", n)))
		s.mark(label("fresh", n))
		for r := range acc {
			for _, x := range acc[r] {
				VBROADCASTSD(word(1<<63), x) // −0, to which the first product is added without a change
			}
		}
		s.mark(label("begin", n))
		ap, bp, left := copyOf(a), copyOf(b), GP64()
		Load(Param("steps"), left)
		// step makes step k behind the pointers.
		step := func(k int) {
			bs := s.group(tileVectors)
			for v, r := range bs {
				VMOVUPD(strided(bp, bStep, bStep3, k, 8*s.width*v), r)
			}
			for r := range acc {
				by := s.wide()
				VBROADCASTSD(strided(ap, aStep, aStep3, k, 8*r), by)
				for v := range bs {
					p := s.wide()
					VMULPD(bs[v], by, p)
					VADDPD(p, acc[r][v], acc[r][v])
				}
			}
		}
		SUBQ(Imm(4), left)
		JL(s.to(label("last", n)))
		s.mark(label("steps", n))
		for k := range 4 {
			step(k)
		}
		LEAQ(Mem{Base: ap, Index: aStep, Scale: 4}, ap)
		LEAQ(Mem{Base: bp, Index: bStep, Scale: 4}, bp)
		SUBQ(Imm(4), left)
		JGE(s.to(label("steps", n)))
		s.mark(label("last", n))
		ADDQ(Imm(4), left)
		JZ(s.to(label("store", n)))
		s.mark(label("single", n))
		step(0)
		ADDQ(aStep, ap)
		ADDQ(bStep, bp)
		DECQ(left)
		JNZ(s.to(label("single", n)))
		s.mark(label("store", n))
		tile(func(m Mem, r reg.Register) { VMOVUPD(r, m) })
		ADDQ(U32(8*s.width*tileVectors), c)
		bPanel := byteSize("bPanel")
		ADDQ(bPanel, b)
		DECQ(panels)
		JNZ(s.to(label("panels", n)))
		JMP(s.to("done"))
	}
	s.mark("done")
}
