package main

import (
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// The functions of this file follow package elementary operation by operation, for as many
// numbers as a register has. Its comments explain the formulas.

// vec is a register with one number, or one word, of each of several evaluations.
type vec = reg.VecVirtual

// constants are the words that functions read with a broadcast.
var constants = map[uint64]Mem{}

func word(x uint64) Mem {
	if m, ok := constants[x]; ok {
		return m
	}
	m := GLOBL("word"+string(rune('A'+len(constants)/26))+string(rune('A'+len(constants)%26)), RODATA|NOPTR)
	DATA(0, U64(x))
	constants[x] = m
	return m
}

// c is a constant number, and bits a constant word.
func (s set) c(x float64) vec { return s.bits(math.Float64bits(x)) }

func (s set) bits(x uint64) vec { return s.broadcast(word(x)) }

func (s set) broadcast(m Mem) vec {
	r := s.wide()
	VBROADCASTSD(m, r)
	return r
}

// op returns what an instruction makes of x and y, in this order.
func (s set) op(f func(ops ...Op), x, y Op) vec {
	r := s.wide()
	f(y, x, r)
	return r
}

func (s set) add(x, y Op) vec { return s.op(VADDPD, x, y) }
func (s set) sub(x, y Op) vec { return s.op(VSUBPD, x, y) }
func (s set) mul(x, y Op) vec { return s.op(VMULPD, x, y) }
func (s set) div(x, y Op) vec { return s.op(VDIVPD, x, y) }
func (s set) and(x, y Op) vec { return s.op(VANDPD, x, y) }
func (s set) or(x, y Op) vec  { return s.op(VORPD, x, y) }

// addWords returns the sums of words.
func (s set) addWords(x, y Op) vec { return s.op(VPADDQ, x, y) }

func (s set) shiftRight(x vec, n uint64) vec { return s.op(VPSRLQ, x, Imm(n)) }
func (s set) shiftLeft(x vec, n uint64) vec  { return s.op(VPSLLQ, x, Imm(n)) }

func (s set) abs(x vec) vec { return s.and(x, s.bits(1<<63-1)) }

// The predicates of comparisons: less, and at least; no NaN is either.
const (
	isLess    = 0x11
	isAtLeast = 0x1d
)

// unless jumps if x p y does not hold for one of the numbers.
func (s set) unless(predicate uint64, x, y vec, target string) {
	holds := GP32()
	if s.width == 8 {
		k := K()
		VCMPPD(Imm(predicate), y, x, k)
		KMOVW(k, holds)
		CMPL(holds, U32(0xff))
	} else {
		r := s.wide()
		VCMPPD(Imm(predicate), y, x, r)
		VMOVMSKPD(r, holds)
		CMPL(holds, U32(0xf))
	}
	JNE(s.to(target))
}

// entries reads fields of the entries of a table, which have size words: one vector for each field, whose number of
// words from the beginning of an entry is given, in ascending order.
func (s set) entries(table reg.GPVirtual, index vec, size int, fields ...int) []vec {
	if s.width == 8 {
		at := index
		switch size {
		case 2:
			at = s.shiftLeft(index, 1)
		case 3:
			at = s.addWords(s.shiftLeft(index, 1), index)
		case 4:
			at = s.shiftLeft(index, 2)
		}
		out := make([]vec, len(fields))
		for i, f := range fields {
			k := K()
			KXNORW(k, k, k)
			out[i] = s.wide()
			VGATHERQPD(Mem{Base: table, Index: at, Scale: 8, Disp: 8 * f}, k, out[i])
		}
		return out
	}
	at := s.indices(index, size)
	var out []vec
	for len(fields) > 0 {
		n := 1
		if len(fields) > 1 && fields[1] == fields[0]+1 { // two side by side are read at once
			n = 2
		}
		out = append(out, s.gather(table, at, fields[:n])...)
		fields = fields[n:]
	}
	return out
}

// indices returns the words of index, times size, in general registers.
func (s set) indices(index vec, size int) [4]reg.GPVirtual {
	high := XMM()
	VEXTRACTI128(Imm(1), index, high)
	var at [4]reg.GPVirtual
	for i := range at {
		at[i] = GP64()
		half := index.AsX()
		if i >= 2 {
			half = high
		}
		if i%2 == 0 {
			VMOVQ(half, at[i])
		} else {
			VPEXTRQ(Imm(1), half, at[i])
		}
		switch size {
		case 2:
			SHLQ(Imm(1), at[i])
		case 3:
			LEAQ(Mem{Base: at[i], Index: at[i], Scale: 2}, at[i])
		case 4:
			SHLQ(Imm(2), at[i])
		}
	}
	return at
}

// gather reads one field, or two side by side, of four entries.
func (s set) gather(table reg.GPVirtual, at [4]reg.GPVirtual, fields []int) []vec {
	field := func(i int) Mem { return Mem{Base: table, Index: at[i], Scale: 8, Disp: 8 * fields[0]} }
	if len(fields) == 1 {
		low, high := XMM(), XMM()
		VMOVSD(field(0), low)
		VMOVHPD(field(1), low, low)
		VMOVSD(field(2), high)
		VMOVHPD(field(3), high, high)
		r := YMM()
		VINSERTF128(Imm(1), high, low.AsY(), r)
		return []vec{r}
	}
	even, odd := YMM(), YMM() // of entries 0 and 2, and of 1 and 3
	VMOVUPD(field(0), even.AsX())
	VINSERTF128(Imm(1), field(2), even, even)
	VMOVUPD(field(1), odd.AsX())
	VINSERTF128(Imm(1), field(3), odd, odd)
	first, second := YMM(), YMM()
	VUNPCKLPD(odd, even, first)
	VUNPCKHPD(odd, even, second)
	return []vec{first, second}
}

// function makes the function that sets dst[i] to what evaluate makes of x[i], one register after the other, until
// too few numbers are left, or evaluate jumps to "done". It returns the number of elements that are set.
func (s set) function(evaluate func(s set, x vec, table, numbers reg.GPVirtual) vec) {
	dst, n, x := pointer("dst", ""), length("dst"), pointer("x", "")
	table, numbers := GP64(), GP64()
	Load(Param("table"), table)
	Load(Param("numbers"), numbers)
	left := copyOf(n)
	s.mark("loop")
	CMPQ(left, U32(s.width))
	JL(s.to("done"))
	argument := s.wide()
	VMOVUPD(Mem{Base: x}, argument)
	VMOVUPD(evaluate(s, argument, table, numbers), Mem{Base: dst})
	ADDQ(U32(8*s.width), x)
	ADDQ(U32(8*s.width), dst)
	SUBQ(U32(s.width), left)
	JMP(s.to("loop"))
	s.mark("done")
	SUBQ(left, n)
	Store(n, ReturnIndex(0))
}

// elementary makes the elementary functions.
func elementary() {
	for _, f := range []struct {
		name     string
		evaluate func(s set, x vec, table, numbers reg.GPVirtual) vec
	}{
		{"exp", set.exp},
		{"log", set.log},
		{"sin", func(s set, x vec, table, numbers reg.GPVirtual) vec { return s.sine(x, table, numbers, 0) }},
		{"cos", func(s set, x vec, table, numbers reg.GPVirtual) vec { return s.sine(x, table, numbers, sineSteps/4) }},
		{"tanh", set.tanh},
		{"sigmoid", set.sigmoid},
		{"tanhSlope", set.tanhSlope},
	} {
		define(f.name, "func(dst, x []float64, table, numbers *float64) int", func(s set) { s.function(f.evaluate) })
	}
	define("pow", "func(dst, x, y []float64, table, numbers, exps *float64) int", func(s set) {
		at, exps := pointer("y", ""), GP64()
		Load(Param("exps"), exps)
		s.function(func(s set, x vec, table, numbers reg.GPVirtual) vec {
			y := s.wide()
			VMOVUPD(Mem{Base: at}, y)
			ADDQ(U32(8*s.width), at)
			return s.pow(x, y, table, numbers, exps)
		})
	})
}

func (s set) pow(x, y vec, table, numbers, exps reg.GPVirtual) vec {
	round := s.c(3 << 51)
	whole := s.sub(s.add(y, round), round)
	apart := s.op(VMAXPD, s.abs(s.sub(y, whole)), s.sub(s.abs(y), s.c(64)))
	s.unless(isLess, s.c(0), apart, "done")
	sum, low := s.logParts(x, table, numbers)
	hi := s.add(sum, low)
	lo := s.add(s.sub(sum, hi), low)
	t := s.mul(y, hi)
	s.unless(isLess, s.abs(t), s.c(700), "done")
	head := s.bits(^uint64(1<<27 - 1))
	a, b := s.and(hi, head), s.and(y, head)
	rest := s.add(s.sub(s.mul(a, b), t), s.mul(a, s.sub(y, b)))
	rest = s.add(rest, s.mul(s.sub(hi, a), b))
	rest = s.add(rest, s.mul(s.sub(hi, a), s.sub(y, b)))
	rest = s.add(rest, s.mul(y, lo))
	e := s.exp(t, exps, numbers)
	return s.add(e, s.mul(e, rest))
}

func (s set) tanhSlope(x vec, table, numbers reg.GPVirtual) vec {
	e := s.exp(s.mul(s.abs(x), s.c(-2)), table, numbers)
	sum := s.add(s.c(1), e)
	return s.div(s.mul(s.c(4), e), s.mul(sum, sum))
}

// number i is one that package elementary computes when it starts.
func (s set) number(numbers reg.GPVirtual, i int) vec {
	return s.broadcast(Mem{Base: numbers, Disp: 8 * i})
}

func (s set) exp(x vec, table, numbers reg.GPVirtual) vec {
	const expBits = 7
	s.unless(isLess, s.abs(x), s.c(708), "done")
	round := s.c(3 << 51)
	n := s.add(s.mul(x, s.c(math.Log2E*(1<<expBits))), round)
	k := s.sub(n, round)
	r := s.sub(s.sub(x, s.mul(k, s.number(numbers, 0))), s.mul(k, s.number(numbers, 1)))
	e := s.entries(table, s.and(n, s.bits(1<<expBits-1)), 2, 0, 1)
	scale := s.addWords(e[0], s.shiftLeft(s.shiftRight(n, expBits), 52))
	r2 := s.mul(r, r)
	p := s.add(e[1], r)
	p = s.add(p, s.mul(r2, s.add(s.c(0.5), s.mul(r, s.c(1.0/6)))))
	p = s.add(p, s.mul(s.mul(r2, r2), s.add(s.c(1.0/24), s.mul(r, s.c(1.0/120)))))
	return s.add(scale, s.mul(scale, p))
}

func (s set) log(x vec, table, numbers reg.GPVirtual) vec {
	hi, lo := s.logParts(x, table, numbers)
	return s.add(hi, lo)
}

func (s set) logParts(x vec, table, numbers reg.GPVirtual) (hi, lo vec) {
	const (
		logBits  = 7
		expBits  = 7
		logFirst = 0x3fe6900000000000
	)
	s.unless(isAtLeast, x, s.c(0x1p-1022), "done")
	s.unless(isLess, x, s.c(math.Inf(1)), "done")
	d := s.op(VPSUBQ, x, s.bits(logFirst))
	n := s.mul(s.exponent(d), s.c(1<<expBits))
	index := s.and(s.shiftRight(d, 52-logBits), s.bits(1<<logBits-1))
	e := s.entries(table, index, 3, 0, 1, 2)
	inverse := e[0]
	z := s.op(VPSUBQ, x, s.and(d, s.bits(^uint64(1<<52-1))))
	head := s.and(z, s.bits(^uint64(1<<27-1)))
	a := s.sub(s.mul(head, inverse), s.c(1))
	b := s.mul(s.sub(z, head), inverse)
	r := s.add(a, b)
	w := s.add(s.mul(n, s.number(numbers, 0)), e[1])
	sum := s.add(w, r)
	low := s.add(s.sub(w, sum), r)
	low = s.add(low, s.add(s.sub(a, r), b))
	low = s.add(low, s.add(e[2], s.mul(n, s.number(numbers, 1))))
	u := s.mul(r, r)
	inner := s.add(s.c(-1.0/6), s.mul(r, s.c(1.0/7)))
	p := s.add(s.c(-1.0/4), s.mul(r, s.c(1.0/5)))
	p = s.add(p, s.mul(u, inner))
	p = s.add(s.add(s.c(-1.0/2), s.mul(r, s.c(1.0/3))), s.mul(u, p))
	return sum, s.add(low, s.mul(u, p))
}

// exponent is the number int64(d)>>52.
func (s set) exponent(d vec) vec {
	r := s.wide()
	if s.width == 8 {
		VPSRAQ(Imm(52), d, r)
		VCVTQQ2PD(r, r)
		return r
	}
	VPSRAD(Imm(20), d, r) // what is wanted stands in the high halves of words
	high := XMM()
	VEXTRACTI128(Imm(1), r, high)
	VSHUFPS(Imm(0xdd), high, r.AsX(), high)
	VCVTDQ2PD(high, r)
	return r
}

const sineSteps = 128

// sine is the sine of x and quarter, in steps of its table.
func (s set) sine(x vec, table, numbers reg.GPVirtual, quarter uint64) vec {
	s.unless(isAtLeast, s.abs(x), s.c(0x1p-27), "done")
	s.unless(isLess, s.abs(x), s.c(25600), "done")
	round := s.c(3 << 51)
	n := s.add(s.mul(x, s.c(sineSteps/2/math.Pi)), round)
	k := s.sub(n, round)
	y := s.sub(x, s.mul(k, s.number(numbers, 0)))
	mid := s.mul(k, s.number(numbers, 1))
	r := s.sub(y, mid)
	rest := s.sub(s.sub(s.sub(y, r), mid), s.mul(k, s.number(numbers, 2)))
	if quarter > 0 {
		n = s.addWords(n, s.bits(quarter))
	}
	index := s.bits(sineSteps - 1)
	sin := s.entries(table, s.and(n, index), 4, 0, 1)
	next := s.and(s.addWords(n, s.bits(sineSteps/4)), s.bits(sineSteps-1))
	cos := s.entries(table, next, 4, 0, 2, 3)
	cosHi, cosUnit, cosRest := cos[0], cos[1], cos[2]
	a := s.mul(cosUnit, r)
	sum := s.add(sin[0], a)
	low := s.add(s.add(s.sub(sin[0], sum), a), sin[1])
	low = s.add(low, s.mul(cosRest, r))
	low = s.add(low, s.mul(cosHi, rest))
	u := s.mul(r, r)
	sr := s.add(s.c(1.0/120), s.mul(u, s.c(-1.0/5040)))
	sr = s.mul(s.mul(u, r), s.add(s.c(-1.0/6), s.mul(u, sr)))
	cr := s.add(s.c(1.0/24), s.mul(u, s.c(-1.0/720)))
	cr = s.mul(u, s.add(s.c(-1.0/2), s.mul(u, cr)))
	return s.add(sum, s.add(low, s.add(s.mul(cosHi, sr), s.mul(sin[0], cr))))
}

const (
	tanhSteps    = 32
	sigmoidSteps = tanhSteps / 2
	maxTanh      = 20
	curveSteps   = maxTanh * tanhSteps
	curveMask    = 1<<10 - 1
)

func (s set) tanh(x vec, table, _ reg.GPVirtual) vec {
	a := s.abs(x)
	s.unless(isLess, a, s.c(maxTanh), "done")
	round := s.c(3 << 51 / tanhSteps)
	k := s.add(a, round)
	e := s.entries(table, s.and(k, s.bits(curveMask)), 2, 0, 1)
	r := s.sub(a, s.sub(k, round))
	u := s.mul(r, r)
	sum := s.add(e[0], r)
	m := s.add(s.c(1), s.mul(u, s.c(2.0/21)))
	tr := s.mul(e[0], r)
	den := s.add(s.c(1), s.mul(u, s.add(s.c(3.0/7), s.mul(u, s.c(1.0/105)))))
	den = s.add(den, s.mul(tr, m))
	num := s.mul(s.mul(r, u), s.add(s.c(1.0/3), s.mul(u, s.c(1.0/105))))
	num = s.add(num, s.mul(s.mul(tr, sum), m))
	low := s.add(s.add(s.sub(e[0], sum), r), e[1])
	y := s.add(sum, s.sub(low, s.div(num, den)))
	return s.or(s.abs(y), s.and(x, s.bits(1<<63)))
}

func (s set) sigmoid(x vec, table, _ reg.GPVirtual) vec {
	s.unless(isLess, s.abs(x), s.c(2*maxTanh), "done")
	round := s.c(3 << 51 / sigmoidSteps)
	k := s.add(x, round)
	e := s.entries(table, s.and(s.addWords(k, s.bits(curveSteps)), s.bits(2*curveMask+1)), 2, 0, 1)
	r := s.sub(x, s.sub(k, round))
	u := s.mul(r, r)
	m := s.add(s.c(1), s.mul(u, s.c(1.0/42)))
	den := s.add(s.c(1), s.mul(u, s.add(s.c(3.0/28), s.mul(u, s.c(1.0/1680)))))
	den = s.add(den, s.mul(s.mul(s.sub(e[0], s.c(0.5)), r), m))
	num := s.mul(s.mul(s.mul(e[0], s.sub(s.c(1), e[0])), r), m)
	return s.add(e[0], s.add(s.div(num, den), e[1]))
}
