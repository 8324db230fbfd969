package kernel

import "math"

// lanes is how many partial sums [Sum] has.
const lanes = 8

// Max returns the largest of numbers by [math.Max], which are compared in the order in which [Sum] adds.
func Max(x []float64) float64 {
	if len(x) <= lanes {
		most := x[len(x)-1]
		for i := len(x) - 2; i >= 0; i-- {
			most = larger(x[i], most)
		}
		return most
	}
	var lane [lanes]float64
	copy(lane[:], x)
	rest := x[lanes:]
	for ; len(rest) >= lanes; rest = rest[lanes:] {
		for l, v := range rest[:lanes] {
			lane[l] = larger(lane[l], v)
		}
	}
	for l, v := range rest {
		lane[l] = larger(lane[l], v)
	}
	return larger(larger(larger(lane[0], lane[4]), larger(lane[2], lane[6])),
		larger(larger(lane[1], lane[5]), larger(lane[3], lane[7])))
}

// Larger sets dst to the larger ones of x and y, by [math.Max].
func Larger(dst, x, y []float64) {
	x, y = x[:len(dst)], y[:len(dst)]
	for i := range dst {
		dst[i] = larger(x[i], y[i])
	}
}

func larger(x, y float64) float64 {
	switch {
	case x > y:
		return x
	case y > x:
		return y
	}
	return math.Max(x, y) // of zeros the positive one; NaN
}
