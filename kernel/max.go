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

func larger(x, y float64) float64 {
	switch {
	case x > y:
		return x
	case y > x:
		return y
	}
	return math.Max(x, y) // of zeros the positive one; NaN
}

// MaxBack puts into dst[i] what arrives at x[i] if a arrives at [Max] of x: at each comparison, products with 1 and 0.
// dst and x don't overlap.
func MaxBack(dst, x []float64, a float64) {
	if len(x) <= lanes {
		var most [lanes]float64 // of x[i:]
		last := len(x) - 1
		most[last] = x[last]
		for i := last - 1; i >= 0; i-- {
			most[i] = larger(x[i], most[i+1])
		}
		for i := range last {
			dst[i], a = share(x[i], most[i+1], a)
		}
		dst[last] = a
		return
	}
	var lane [lanes]float64
	copy(lane[:], x)
	for from := lanes; from < len(x); from += lanes { // dst holds the largest number before
		row := x[from:min(from+lanes, len(x))]
		before := dst[from:][:len(row)]
		for l, v := range row {
			before[l] = lane[l]
			lane[l] = larger(lane[l], v)
		}
	}
	var at [lanes]float64 // what arrives at the lanes
	four := func(i, j, k, l int, a float64) {
		left, right := share(larger(lane[i], lane[j]), larger(lane[k], lane[l]), a)
		at[i], at[j] = share(lane[i], lane[j], left)
		at[k], at[l] = share(lane[k], lane[l], right)
	}
	even, odd := share(larger(larger(lane[0], lane[4]), larger(lane[2], lane[6])),
		larger(larger(lane[1], lane[5]), larger(lane[3], lane[7])), a)
	four(0, 4, 2, 6, even)
	four(1, 5, 3, 7, odd)
	for from := (len(x) - 1) / lanes * lanes; from >= lanes; from -= lanes {
		row := x[from:min(from+lanes, len(x))]
		before := dst[from:][:len(row)]
		for l, v := range row {
			at[l], before[l] = share(before[l], v, at[l])
		}
	}
	copy(dst, at[:])
}

// share returns what arrives at x and at y if a arrives at max x y: its products with the slopes.
func share(x, y, a float64) (atX, atY float64) {
	switch {
	case x >= y:
		return a, a * 0
	case y > x:
		return a * 0, a
	}
	return a * 0, a * 0
}
