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
}

// NewLine fits a line to at least two points whose u are not all the same.
func NewLine(u, v []float64) Line {
	l := Line{Half: math.Inf(1)}
	l.Intercept, l.Slope = stat.LinearRegression(u, v, nil, false)
	squares, spread, mean := 0.0, 0.0, stat.Mean(u, nil)
	for i := range u {
		d := v[i] - l.At(u[i])
		squares += d * d
		spread += (u[i] - mean) * (u[i] - mean)
	}
	l.Residual = math.Sqrt(squares / float64(len(u)))
	if free := float64(len(u) - 2); free > 0 {
		student := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: free}.Quantile((1 + confidence) / 2)
		l.Half = student * math.Sqrt(squares/free/spread)
	}
	return l
}

// At is the line's v at u.
func (l Line) At(u float64) float64 { return l.Intercept + l.Slope*u }
