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
