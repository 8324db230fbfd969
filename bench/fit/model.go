package fit

import (
	"cmp"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/gonum/stat"
)

// Model is a form of growth, up to a constant: x^Power·(ln x)^Logs, or e^(rate·x).
type Model struct {
	Power       float64
	Logs        int
	Exponential bool
}

// The forms that data are compared with.
var (
	Constant    = Model{}
	Linear      = Model{Power: 1}
	NLogN       = Model{Power: 1, Logs: 1}
	Quadratic   = Model{Power: 2}
	Cubic       = Model{Power: 3}
	Exponential = Model{Exponential: true}
)

func (m Model) String() string {
	switch {
	case m.Exponential:
		return "exponential"
	case m == NLogN:
		return "n·log n"
	}
	switch m.Power {
	case 0:
		return "constant"
	case 1:
		return "linear"
	case 2:
		return "quadratic"
	case 3:
		return "cubic"
	}
	return "n^" + strconv.FormatFloat(m.Power, 'g', 4, 64)
}

// at is the model's growth at x > 0, its constant 1.
func (m Model) at(x float64) float64 {
	y := math.Pow(x, m.Power)
	for range m.Logs {
		y *= math.Log(x)
	}
	return y
}

// Exponent returns the line of ln(y / (ln x)^Logs) on ln x, whose slope is the exponent of a power law.
// All y must be positive, and all x > 1 if the model has a logarithm.
func (m Model) Exponent(d Data) Line {
	u, v := d.logs()
	for range m.Logs {
		for i := range v {
			v[i] -= math.Log(u[i])
		}
	}
	return NewLine(u, v)
}

// Rate returns the line of log2 y on x, whose slope is the r of an exponential law 2^(r·x).
func Rate(d Data) Line {
	_, v := d.logs()
	for i := range v {
		v[i] /= math.Ln2
	}
	return NewLine(d.X, v)
}

// residual is the root mean square of the deviations of ln y from the model with its best
// constant; for an exponential, with its best rate too.
func (m Model) residual(d Data) float64 {
	_, v := d.logs()
	if m.Exponential {
		return NewLine(d.X, v).Residual
	}
	for i, x := range d.X {
		v[i] -= math.Log(m.at(x))
	}
	return math.Sqrt(stat.PopVariance(v, nil))
}

// Ranked is a model with what it leaves of some data.
type Ranked struct {
	Model Model
	// Residual is the root mean square of the deviations of ln y: about the relative error.
	Residual float64
	aic      float64
}

// Compare ranks the models on the data, the best first: by residuals, with Akaike's
// penalty for the rate of the exponential. All y must be positive.
func Compare(d Data, models ...Model) []Ranked {
	var out []Ranked
	for _, m := range models {
		if m.Logs > 0 && d.X[0] <= 1 {
			continue // ln 1 is 0, and no constant makes that y
		}
		free := 1
		if m.Exponential {
			free = 2
		}
		r := m.residual(d)
		out = append(out, Ranked{m, r, akaike(r, d.Len(), free)})
	}
	slices.SortStableFunc(out, func(a, b Ranked) int {
		return cmp.Or(cmp.Compare(a.aic, b.aic), cmp.Compare(a.Residual, b.Residual))
	})
	return out
}

// rounding is the relative error below which a fit is exact.
const rounding = 1e-10

// akaike is Akaike's information criterion, corrected for few points, of a fit to n points
// with so many free constants that leaves a root mean square residual; +Inf for too few
// points. Less is better.
func akaike(residual float64, n, free int) float64 {
	k := float64(free + 1) // and the variance
	left := float64(n) - k - 1
	if left <= 0 {
		return math.Inf(1)
	}
	return 2*float64(n)*math.Log(max(residual, rounding)) + 2*k + 2*k*(k+1)/left
}

// FarBetter reports whether a line that leaves the first residual on n points is far better than one
// that leaves the second.
func FarBetter(residual, than float64, n int) bool {
	return akaike(residual, n, 2) < akaike(than, n, 2)-decisive
}
