package elementary

import (
	"math"
	"math/big"
)

// Sines and cosines are evaluated for arguments from 2⁻²⁷ to maxAngle. Below, sin x is x
// and cos x is 1, rounded; above, they are left to the standard library.
const (
	minAngle   = 0x1p-27
	smallAngle = 0x1.9p-6 // less than π/128, half of the distance of the table's angles
	maxAngle   = 25600    // so that the multiple of π/64 is below 2^19
)

// sineEntry is sin(i·π/64) = hi + lo = unit + rest, where unit is the integer nearest to
// it: what is multiplied by it is exact.
type sineEntry struct{ hi, lo, unit, rest float64 }

// sineSteps is the size of sineTable, one period. The cosine is a quarter of it ahead.
const sineSteps = 128

var sineTable = makeSineTable()

// angleHi + angleMid + angleLo is π/64. The first two have 33 bits: their products with
// an integer below 2^20 are exact.
var angleHi, angleMid, angleLo = splitAngle()

const piDigits = "3.14159265358979323846264338327950288419716939937510582097" +
	"494459230781640628620899862803482534211706798"

func splitAngle() (hi, mid, lo float64) {
	x, _, err := big.ParseFloat(piDigits, 10, 300, big.ToNearestEven)
	if err != nil {
		panic(err)
	}
	x.SetMantExp(x, -6)
	leading := func() float64 {
		part, _ := x.Float64()
		part = math.Float64frombits(math.Float64bits(part) &^ (1<<20 - 1))
		x.Sub(x, big.NewFloat(part))
		return part
	}
	hi, mid = leading(), leading()
	lo, _ = x.Float64()
	return hi, mid, lo
}

// makeSineTable finds cos(π/64) from cos(π/2) by halving the angle, the sines of the first
// quarter by the addition theorems, and the others by symmetry.
func makeSineTable() (t [sineSteps]sineEntry) {
	number := func(x int64) *big.Float { return new(big.Float).SetPrec(192).SetInt64(x) }
	product := func(a, b *big.Float) *big.Float { return number(0).Mul(a, b) }
	one, c1 := number(1), number(0)
	for range 5 {
		c1.Add(c1, one)
		c1.Sqrt(c1.SetMantExp(c1, -1))
	}
	s1 := number(0).Sub(one, product(c1, c1))
	s1.Sqrt(s1)
	s, c := number(0), number(1)
	for i := 0; i <= sineSteps/4; i++ {
		hi, lo := split(s)
		unit := math.RoundToEven(hi)
		e := sineEntry{hi: hi, lo: lo, unit: unit, rest: hi - unit + lo}
		minus := sineEntry{hi: -e.hi, lo: -e.lo, unit: -e.unit, rest: -e.rest}
		t[i], t[sineSteps/2-i] = e, e
		t[sineSteps/2+i], t[(sineSteps-i)%sineSteps] = minus, minus
		s, c = number(0).Add(product(s, c1), product(c, s1)), number(0).Sub(product(c, c1), product(s, s1))
	}
	return t
}

// Sin is sin x, within 0.56 units in the last place for |x| < 25600, where the
// standard library's is within 1.6, and off by 10⁵ next to some multiples of π. It takes
// 0.65 of the time. Beyond 25600 it is the standard library's.
//
// x is n·π/64 + r + rest, |r| < 0.0246, and sin x = sin(n·π/64)·cos r + cos(n·π/64)·sin r.
// Below smallAngle n and rest are 0.
func Sin(x float64) float64 {
	if a := math.Abs(x); a < smallAngle {
		if a < minAngle {
			return x
		}
		s, _ := sinCosSeries(x)
		return x + s
	}
	return sinLarge(x)
}

// Cos is cos x, as accurate as [Sin] is.
func Cos(x float64) float64 {
	if math.Abs(x) < smallAngle {
		_, c := sinCosSeries(x)
		return 1 + c
	}
	return cosLarge(x)
}

// SinCos is sin x and cos x, the same numbers as those of [Sin] and [Cos].
func SinCos(x float64) (sin, cos float64) {
	if a := math.Abs(x); a < smallAngle {
		if a < minAngle {
			return x, 1
		}
		s, c := sinCosSeries(x)
		return x + s, 1 + c
	}
	return sinCosLarge(x)
}

//go:noinline
func sinLarge(x float64) float64 {
	if !(math.Abs(x) < maxAngle) {
		s, _ := math.Sincos(x)
		return s
	}
	n, r, rest := reduceAngle(x)
	s, c := sinCosSeries(r)
	return addSines(&sineTable[n%sineSteps], &sineTable[(n+sineSteps/4)%sineSteps], r, rest, s, c)
}

//go:noinline
func cosLarge(x float64) float64 {
	if !(math.Abs(x) < maxAngle) {
		_, c := math.Sincos(x)
		return c
	}
	n, r, rest := reduceAngle(x)
	s, c := sinCosSeries(r)
	return addCosines(&sineTable[n%sineSteps], &sineTable[(n+sineSteps/4)%sineSteps], r, rest, s, c)
}

//go:noinline
func sinCosLarge(x float64) (sin, cos float64) {
	if !(math.Abs(x) < maxAngle) {
		return math.Sincos(x)
	}
	n, r, rest := reduceAngle(x)
	s, c := sinCosSeries(r)
	a, b := &sineTable[n%sineSteps], &sineTable[(n+sineSteps/4)%sineSteps]
	return addSines(a, b, r, rest, s, c), addCosines(a, b, r, rest, s, c)
}

// reduceAngle returns n, in its low bits, and r and rest, |rest| < 2⁻⁵¹. Both differences
// that make r are exact but for what rest holds.
func reduceAngle(x float64) (n uint64, r, rest float64) {
	const round = 3 << 51 // adding it rounds to an integer, in the low bits
	k := float64(x*(sineSteps/2/math.Pi)) + round
	n = math.Float64bits(k)
	k -= round
	y := x - float64(k*angleHi)
	mid := float64(k * angleMid)
	r = y - mid
	return n, r, (y - r - mid) - float64(k*angleLo)
}

// sinCosSeries is sin r − r and cos r − 1, each three terms of its series.
func sinCosSeries(r float64) (s, c float64) {
	u := float64(r * r)
	s = float64(u*r) * (-1.0/6 + float64(u*(1.0/120+float64(u*(-1.0/5040)))))
	c = u * (-1.0/2 + float64(u*(1.0/24+float64(u*(-1.0/720)))))
	return s, c
}

// addSines is sin(n·π/64 + r + rest), where sin and cos are those of n·π/64, s = sin r − r
// and c = cos r − 1. The sum of the two largest terms, a sine of the table and ±r or 0, is
// kept with its rounding error.
func addSines(sin, cos *sineEntry, r, rest, s, c float64) float64 {
	a := float64(cos.unit * r)
	sum := sin.hi + a
	low := sin.hi - sum + a + sin.lo + float64(cos.rest*r) + float64(cos.hi*rest)
	return sum + (low + (float64(cos.hi*s) + float64(sin.hi*c)))
}

// addCosines is cos(n·π/64 + r + rest), like addSines.
func addCosines(sin, cos *sineEntry, r, rest, s, c float64) float64 {
	a := float64(sin.unit * r)
	sum := cos.hi - a
	low := cos.hi - sum - a + cos.lo - float64(sin.rest*r) - float64(sin.hi*rest)
	return sum + (low + (float64(cos.hi*c) - float64(sin.hi*s)))
}
