// Package elementary evaluates exp, log, sin, cos, tanh, sigmoid, softplus, sinh, cosh, asin, erf, lgamma and digamma.
// Each rounds every product by itself, so the results have the same bits on every platform. The error bounds are in
// units in the last place; tests measure them.
package elementary

import "math"

// double is the number hi + lo, where hi is what rounding it to a float64 gives.
type double struct{ hi, lo float64 }

// fastTwoSum is hi + lo, where |hi| ≥ |lo| or hi is 0.
func fastTwoSum(hi, lo float64) double {
	near := hi + lo
	return double{near, lo - (near - hi)}
}

// plus is x + y, to some 2⁻¹⁰⁴ of the larger.
func (x double) plus(y double) double {
	if math.Abs(x.hi) < math.Abs(y.hi) {
		x, y = y, x
	}
	s := fastTwoSum(x.hi, y.hi)
	return fastTwoSum(s.hi, s.lo+(x.lo+y.lo))
}

// minus is x − y, as accurate as plus.
func (x double) minus(y double) double { return x.plus(double{-y.hi, -y.lo}) }

// times is x·y, to some 2⁻¹⁰⁴ of it.
func (x double) times(y double) double {
	hi := float64(x.hi * y.hi)
	return fastTwoSum(hi, math.FMA(x.hi, y.hi, -hi)+(float64(x.hi*y.lo)+float64(x.lo*y.hi)))
}

// over is x/y, to some 2⁻¹⁰⁴ of it.
func (x double) over(y double) double {
	q := x.hi / y.hi
	return fastTwoSum(q, (math.FMA(-q, y.hi, x.hi)+(x.lo-float64(q*y.lo)))/y.hi)
}

// Tables are what the functions read, for code that evaluates them for many numbers at once,
// with the same bits. Each pointer is to the first word of the first entry. The tables are
// not to be modified.
type Tables struct {
	Exp     *uint64    // 128 entries: the bits of 2^(i/128), and what rounding it leaves, a float64
	Log     *float64   // 128 entries of three numbers
	Sine    *float64   // 128 entries of four numbers: hi, lo, unit, rest
	Tanh    *float64   // 641 entries: tanh(i/32) in two numbers
	Sigmoid *float64   // 1281 entries: sigmoid((i−640)/16) in two numbers
	Ln2     [2]float64 // log 2/128, in two numbers
	Angle   [3]float64 // π/64, in three numbers
}

// AllTables returns the tables.
func AllTables() Tables {
	return Tables{
		Exp: &expTable[0].bits, Log: &logTable[0].inverse, Sine: &sineTable[0].hi,
		Tanh: &tanhTable[0].hi, Sigmoid: &sigmoidTable[0].hi,
		Ln2: [2]float64{ln2Hi, ln2Lo}, Angle: [3]float64{angleHi, angleMid, angleLo},
	}
}
