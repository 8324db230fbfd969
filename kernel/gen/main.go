// Command gen writes the assembly of package kernel, for AVX2 and AVX-512.
//
// Run it with go generate in the folder above.
package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// lanes is the number of lanes of a sum.
const lanes = 8

// tileVectors is how many registers a row of a tile has.
const tileVectors = 2

// set is an instruction set.
type set struct {
	name    string
	width   int // float64s in a register
	wide    func() reg.VecVirtual
	rows    []int // how many rows matVec takes at once, in descending order
	heights []int // of a tile, in rows
}

var sets = []set{
	{name: "AVX2", width: 4, wide: YMM, rows: []int{4, 1}, heights: []int{6, 4}},
	{name: "AVX512", width: 8, wide: ZMM, rows: []int{8, 4, 1}, heights: []int{8, 4}},
}

func main() {
	ConstraintExpr("amd64")
	for _, s := range sets {
		s.matVec()
		s.addRows()
		s.addTiles()
		s.lanesOf("sumLanes", "func(lanes *[8]float64, x []float64)", false)
		s.lanesOf("dotLanes", "func(lanes *[8]float64, x, y []float64)", true)
		s.joinLanes()
		s.elementwise()
		s.elementary()
	}
	Generate()
	writeDispatch()
}

// text starts a function; its name is followed by that of the instruction set.
func (s set) text(name, signature string) {
	TEXT(name+s.name, NOSPLIT, signature)
	if s.name == sets[0].name {
		functions = append(functions, function{name, signature})
	}
	Pragma("noescape")
}

// label returns a label that is unique in a function.
func label(name string, n int) string { return name + string(rune('0'+n)) }

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

// matVec sets y to the sums of the products of x and the rows of w, len(x) > 8.
func (s set) matVec() {
	s.text("matVec", "func(y, w []float64, ld int, x []float64)")
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
		Label(loop)
		CMPQ(rows, U32(count))
		JL(LabelRef(next))
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
		JZ(LabelRef(label("tail", g)))
		Label(label("blocks", g))
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
		JNZ(LabelRef(label("blocks", g)))
		Label(label("tail", g))
		TESTQ(rest, rest)
		JZ(LabelRef(label("fold", g)))
		for v := range xs {
			tail.load(Mem{Base: from, Disp: 8 * s.width * v}, v, xs[v])
			for r := range acc {
				p := s.wide()
				tail.load(row(r, v), v, p)
				VMULPD(p, xs[v], p)
				tail.add(p, v, acc[r][v])
			}
		}
		Label(label("fold", g))
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
		JMP(LabelRef(loop))
	}
	Label(label("rows", len(s.rows)))
	VZEROUPPER()
	RET()
}

// addRows adds multiples of rows of w to dst, one row after the other.
func (s set) addRows() {
	s.text("addRows", "func(dst, w []float64, wAt, ld int, s []float64, sAt, inc, rows int)")
	dst, n := pointer("dst", ""), length("dst")
	w, ld := pointer("w", "wAt"), byteSize("ld")
	first, inc := pointer("s", "sAt"), byteSize("inc")
	rows := GP64()
	Load(Param("rows"), rows)
	TESTQ(rows, rows)
	JLE(LabelRef("done"))

	// block does the columns of count registers.
	block := func(name string, count int, load, store func(m Mem, r reg.Register)) {
		acc := s.group(count)
		for v, r := range acc {
			load(Mem{Base: dst, Disp: 8 * s.width * v}, r)
		}
		wp, sp, left := copyOf(w), copyOf(first), copyOf(rows)
		Label(name)
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
		JNZ(LabelRef(name))
		for v, r := range acc {
			store(Mem{Base: dst, Disp: 8 * s.width * v}, r)
		}
	}
	plainLoad := func(m Mem, r reg.Register) { VMOVUPD(m, r) }
	plainStore := func(m Mem, r reg.Register) { VMOVUPD(r, m) }
	sizes := []int{8, 4, 2, 1}
	for i, count := range sizes {
		columns := count * s.width
		Label(label("columns", i))
		CMPQ(n, U32(columns))
		JL(LabelRef(label("columns", i+1)))
		block(label("rows", i), count, plainLoad, plainStore)
		ADDQ(U32(8*columns), dst)
		ADDQ(U32(8*columns), w)
		SUBQ(U32(columns), n)
		JMP(LabelRef(label("columns", i)))
	}
	Label(label("columns", len(sizes)))
	TESTQ(n, n)
	JZ(LabelRef("done"))
	tail := s.mask(n, 1)
	block("rowsOfTail", 1,
		func(m Mem, r reg.Register) { tail.load(m, 0, r) },
		func(m Mem, r reg.Register) { tail.store(r, 0, m) })
	Label("done")
	VZEROUPPER()
	RET()
}

// addTiles adds products to panels tiles of c that stand beside each other, one product
// of each step after the other. They begin at −0 if fresh, and else at what c has.
func (s set) addTiles() {
	s.text("addTiles", "func(rows int, c []float64, cAt, ldc int, a []float64, aAt, aStep int, b []float64, bAt, bStep, bPanel, panels, steps int, fresh bool)")
	c, ldc := pointer("c", "cAt"), byteSize("ldc")
	a, aStep := pointer("a", "aAt"), byteSize("aStep")
	b, bStep := pointer("b", "bAt"), byteSize("bStep")
	ldc3, aStep3, bStep3 := thrice(ldc), thrice(aStep), thrice(bStep)
	panels := GP64()
	Load(Param("panels"), panels)
	TESTQ(panels, panels)
	JLE(LabelRef("done"))
	rows := GP64()
	Load(Param("rows"), rows)
	for n, height := range s.heights {
		if n < len(s.heights)-1 {
			CMPQ(rows, U32(height))
			JNE(LabelRef(label("panels", n+1)))
		}
		Label(label("panels", n))
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
		JNZ(LabelRef(label("fresh", n)))
		tile(func(m Mem, r reg.Register) { VMOVUPD(m, r) })
		JMP(LabelRef(label("begin", n)))
		Label(label("fresh", n))
		for r := range acc {
			for _, x := range acc[r] {
				VBROADCASTSD(word(1<<63), x) // −0, to which the first product is added without a change
			}
		}
		Label(label("begin", n))
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
		JL(LabelRef(label("last", n)))
		Label(label("steps", n))
		for k := range 4 {
			step(k)
		}
		LEAQ(Mem{Base: ap, Index: aStep, Scale: 4}, ap)
		LEAQ(Mem{Base: bp, Index: bStep, Scale: 4}, bp)
		SUBQ(Imm(4), left)
		JGE(LabelRef(label("steps", n)))
		Label(label("last", n))
		ADDQ(Imm(4), left)
		JZ(LabelRef(label("store", n)))
		Label(label("single", n))
		step(0)
		ADDQ(aStep, ap)
		ADDQ(bStep, bp)
		DECQ(left)
		JNZ(LabelRef(label("single", n)))
		Label(label("store", n))
		tile(func(m Mem, r reg.Register) { VMOVUPD(r, m) })
		ADDQ(U32(8*s.width*tileVectors), c)
		bPanel := byteSize("bPanel")
		ADDQ(bPanel, b)
		DECQ(panels)
		JNZ(LabelRef(label("panels", n)))
		JMP(LabelRef("done"))
	}
	Label("done")
	VZEROUPPER()
	RET()
}

// lanesOf adds the elements of x, or their products with those of y, to eight lanes.
func (s set) lanesOf(name, signature string, dot bool) {
	s.text(name, signature)
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
	JL(LabelRef("tail"))
	Label("blocks")
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
	JGE(LabelRef("blocks"))
	Label("tail")
	ADDQ(Imm(lanes), n)
	JZ(LabelRef("done"))
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
	Label("done")
	for v, r := range acc {
		VMOVUPD(r, lane(at, v))
	}
	VZEROUPPER()
	RET()
}

// joinLanes sets dst to the sums of eight vectors of lanes.
func (s set) joinLanes() {
	s.text("joinLanes", "func(dst, lanes []float64, at, stride int)")
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
	s.stream(n, []reg.GPVirtual{dst, from}, 1, func(wide bool, _ int) {
		r := join(func(_ int, m Mem) reg.Register {
			r := s.reg(wide)
			move(wide, m, r)
			return r
		}, func(x, y reg.Register) {
			if wide {
				VADDPD(x, y, y)
			} else {
				VADDSD(x, y, y)
			}
		})
		move(wide, r, Mem{Base: dst})
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
