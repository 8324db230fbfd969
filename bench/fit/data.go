package fit

import (
	"cmp"
	"math"
	"slices"
)

// Data are points (X[i], Y[i]), by ascending x.
type Data struct{ X, Y []float64 }

// NewData sorts points by x. Points with x ≤ 0, or one of x and y no number, are dropped:
// they have no place on logarithmic axes.
func NewData(x, y []float64) Data {
	var order []int
	for i := range x {
		if x[i] > 0 && !math.IsInf(x[i], 0) && !math.IsNaN(y[i]) && !math.IsInf(y[i], 0) {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(x[i], x[j]) })
	var d Data
	for _, i := range order {
		d.X, d.Y = append(d.X, x[i]), append(d.Y, y[i])
	}
	return d
}

// Len is the number of points.
func (d Data) Len() int { return len(d.X) }

// Distinct is the number of different x.
func (d Data) Distinct() int { return len(slices.Compact(slices.Clone(d.X))) }

// Span is the largest x over the least; 1 if there are no points.
func (d Data) Span() float64 {
	if d.Len() == 0 {
		return 1
	}
	return d.X[d.Len()-1] / d.X[0]
}

// Positive returns the points with y > 0.
func (d Data) Positive() Data {
	var out Data
	for i, y := range d.Y {
		if y > 0 {
			out.X, out.Y = append(out.X, d.X[i]), append(out.Y, y)
		}
	}
	return out
}

// Above returns the points with x > least.
func (d Data) Above(least float64) Data {
	at := 0
	for at < d.Len() && d.X[at] <= least {
		at++
	}
	return Data{d.X[at:], d.Y[at:]}
}

// windowPoints is how many points a window has at least, if there are so many.
const windowPoints = 5

// Upper returns the points from which an exponent is taken: those of the upper two decades
// of x, without those below 10³ if enough others remain, and at least five.
func (d Data) Upper() Data {
	if d.Len() == 0 {
		return d
	}
	least := d.X[d.Len()-1] / 100
	if enough := d.Len() - windowPoints; enough >= 0 && d.X[enough] >= 1000 {
		least = max(least, 1000)
	}
	return d.from(least * (1 - 1e-9))
}

// UpperHalf returns the points in the upper half of the range of x, at least five: the
// window of an exponential law.
func (d Data) UpperHalf() Data {
	if d.Len() == 0 {
		return d
	}
	return d.from((d.X[0] + d.X[d.Len()-1]) / 2)
}

// from returns the points with x ≥ least, at least five.
func (d Data) from(least float64) Data {
	at, _ := slices.BinarySearch(d.X, least)
	at = max(0, min(at, d.Len()-windowPoints))
	return Data{d.X[at:], d.Y[at:]}
}

// logs returns the logarithms of x and y.
func (d Data) logs() (u, v []float64) {
	u, v = make([]float64, d.Len()), make([]float64, d.Len())
	for i := range u {
		u[i], v[i] = math.Log(d.X[i]), math.Log(d.Y[i])
	}
	return u, v
}
