package elementary

import "math"

// mostInteger is the largest exponent that is left to the standard library: such powers of whole numbers are exact.
const mostInteger = 64

// Pow is x to the power y, within 1.1 units in the last place where y is no small whole number: e^(y·log x), with the
// logarithm and its product in two parts. It takes a third of the standard library's time.
func Pow(x, y float64) float64 {
	if math.Float64bits(x)-1<<52 >= 0x7fe<<52 || math.Abs(y) <= mostInteger && y == math.Floor(y) {
		return math.Pow(x, y)
	}
	sum, low := logParts(x)
	hi := sum + low
	lo := sum - hi + low
	t := float64(y * hi)
	if !(math.Abs(t) < 700) {
		return math.Pow(x, y)
	}
	// What rounding t leaves: the products of halves are exact.
	a := math.Float64frombits(math.Float64bits(hi) &^ (1<<27 - 1))
	b := math.Float64frombits(math.Float64bits(y) &^ (1<<27 - 1))
	rest := float64(a*b) - t + float64(a*(y-b)) + float64((hi-a)*b) + float64((hi-a)*(y-b))
	e := Exp(t)
	return e + float64(e*(rest+float64(y*lo)))
}
