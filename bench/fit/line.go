package fit

import (
	"math"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// confidence is that of all intervals.
const confidence = 0.95

// Line is the least-squares line v = Intercept + Slope·u through points (u, v).
type Line struct {
	Intercept, Slope float64
	// Half is half the width of the slope's interval: Student's t with n − 2 degrees of
	// freedom; +Inf for fewer than three points.
	Half float64
	// Residual is the root mean square of the deviations in v.
	Residual float64

	n       int
	mean    float64 // of u
	spread  float64 // Σ(u − mean)²
	sigma   float64 // of the deviations, by n − 2
	student float64 // the quantile
}

// NewLine fits a line to at least two points whose u are not all the same.
func NewLine(u, v []float64) Line {
	l := Line{n: len(u), mean: stat.Mean(u, nil), Half: math.Inf(1), sigma: math.Inf(1), student: 1}
	l.Intercept, l.Slope = stat.LinearRegression(u, v, nil, false)
	squares := 0.0
	for i := range u {
		d := v[i] - l.At(u[i])
		squares += d * d
		l.spread += (u[i] - l.mean) * (u[i] - l.mean)
	}
	l.Residual = math.Sqrt(squares / float64(l.n))
	if free := float64(l.n - 2); free > 0 {
		l.student = distuv.StudentsT{Mu: 0, Sigma: 1, Nu: free}.Quantile((1 + confidence) / 2)
		l.sigma = math.Sqrt(squares / free)
		l.Half = l.student * l.sigma / math.Sqrt(l.spread)
	}
	return l
}

// At is the line's v at u.
func (l Line) At(u float64) float64 { return l.Intercept + l.Slope*u }

// Band is half the width of the 95 % interval of the line's v at u.
func (l Line) Band(u float64) float64 {
	d := u - l.mean
	return l.student * l.sigma * math.Sqrt(1/float64(l.n)+d*d/l.spread)
}
