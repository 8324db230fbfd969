package fit

import (
	"math"
	"slices"
)

// Range bounds a number of the point: it stays between Low and High, which may be infinite. By rounding it may come to
// them.
type Range struct{ Low, High float64 }

// Everywhere is the range that bounds nothing.
var Everywhere = Range{math.Inf(-1), math.Inf(1)}

// Free reports whether the range bounds nothing.
func (r Range) Free() bool { return r == Everywhere }

// at returns the number for u, and the first and the second derivative by u. These are the transformations of James and
// Roos, "Minuit: a system for function minimization and analysis of the parameter errors and correlations", 1975.
func (r Range) at(u float64) (x, first, second float64) {
	root := math.Sqrt(u*u + 1)
	switch {
	case r.Free():
		return u, 1, 0
	case math.IsInf(r.High, 1):
		return r.Low - 1 + root, u / root, 1 / (root * root * root)
	case math.IsInf(r.Low, -1):
		return r.High + 1 - root, -u / root, -1 / (root * root * root)
	}
	half := (r.High - r.Low) / 2
	sin, cos := math.Sincos(u)
	return r.Low + half*(1+sin), half * cos, -half * sin
}

// of returns the u at which x is the number, which lies in the range, and not at its ends.
func (r Range) of(x float64) float64 {
	switch {
	case r.Free():
		return x
	case math.IsInf(r.High, 1):
		return math.Sqrt((x-r.Low)*(x-r.Low) + 2*(x-r.Low))
	case math.IsInf(r.Low, -1):
		return math.Sqrt((r.High-x)*(r.High-x) + 2*(r.High-x))
	}
	return math.Asin(2*(x-r.Low)/(r.High-r.Low) - 1)
}

// Within returns the problem of minimising p with each number of its point in a range, and the function that makes a
// point of p from one of that problem, which is not bounded. The numbers of p's first point lie in the ranges, and not
// at their ends.
func (p *Problem) Within(ranges []Range) (q *Problem, point func(u []float64) []float64) {
	point = func(u []float64) []float64 {
		x := make([]float64, len(u))
		for i, r := range ranges {
			x[i], _, _ = r.at(u[i])
		}
		return x
	}
	// byU multiplies vectors, one behind the other, by the first derivatives.
	byU := func(u, vectors []float64) []float64 {
		out := slices.Clone(vectors)
		for i := range out {
			_, first, _ := ranges[i%len(u)].at(u[i%len(u)])
			out[i] *= first
		}
		return out
	}
	q = &Problem{Rows: p.Rows, Size: p.Size, Report: p.Report}
	for i, x := range p.Point {
		q.Point = append(q.Point, ranges[i].of(x))
	}
	var at, slopes []float64 // the last point, and the gradient of p there
	q.Loss = func(u []float64) (float64, []float64, error) {
		loss, gradient, err := p.Loss(point(u))
		if err != nil || gradient == nil {
			return loss, nil, err
		}
		at, slopes = append(at[:0], u...), append(slopes[:0], gradient...)
		return loss, byU(u, gradient), nil
	}
	// H' = J·H·J + diag(g·x″), where J = diag(x′).
	q.Products = func(u, vectors []float64) ([]float64, error) {
		if !slices.Equal(at, u) {
			if _, _, err := q.Loss(u); err != nil {
				return nil, err
			}
		}
		h, err := p.Products(point(u), byU(u, vectors))
		if err != nil {
			return nil, err
		}
		h = byU(u, h)
		for i, x := range vectors {
			k := i % len(u)
			_, _, second := ranges[k].at(u[k])
			h[i] += slopes[k] * second * x
		}
		return h, nil
	}
	if p.Batch != nil {
		q.Batch = func(u []float64, rows []int) ([]float64, error) {
			gradient, err := p.Batch(point(u), rows)
			if err != nil {
				return nil, err
			}
			return byU(u, gradient), nil
		}
	}
	if p.HeldOut != nil {
		q.HeldOut = func(u []float64) (float64, error) { return p.HeldOut(point(u)) }
	}
	return q, point
}
