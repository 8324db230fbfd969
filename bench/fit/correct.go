package fit

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// decisive is the difference of Akaike's criterion from which a fit is far better.
const decisive = 10

// Corrected are data less the terms of lower order.
type Corrected struct {
	Data
	// Lower are the coefficients of x^0, x^1, … that were taken off; empty if none were.
	Lower []float64
	// Exact says that with them the fit leaves nothing but rounding.
	Exact bool
}

// Correct takes off the terms of lower order, where data are a polynomial: of
// y = c·x^p + … + c1·x + c0 it leaves y − (… + c0), and of y = c·x·ln x + c1·x + c0 it leaves
// c·x·ln x. It does so only if that fit is far better than the power law y = a·x^b, and if the leading term
// is most of y where x is largest; otherwise it returns the data as they are. All x and y must be
// positive, x more than 1 if the model has a logarithm.
func (m Model) Correct(d Data) Corrected {
	plain := Corrected{Data: d}
	lower := m.lowerTerms()
	if lower == 0 || d.Len() < lower+3 || d.Distinct() <= lower+1 {
		return plain
	}
	c, residual, ok := m.polynomial(d, lower)
	last := d.Len() - 1
	if !ok || c[lower]*m.at(d.X[last]) < d.Y[last]/2 {
		return plain
	}
	u, v := d.logs()
	power := akaike(NewLine(u, v).Residual, d.Len(), 2)
	if residual > rounding && akaike(residual, d.Len(), lower+1) > power-decisive {
		return plain
	}
	out := Corrected{Data: Data{X: d.X, Y: make([]float64, d.Len())}, Lower: c[:lower], Exact: residual <= rounding}
	for i, x := range d.X {
		out.Y[i] = d.Y[i] - polynomialAt(c[:lower], x)
		if out.Y[i] <= 0 {
			return plain
		}
	}
	return out
}

// LowerAt is what was taken off at x.
func (c *Corrected) LowerAt(x float64) float64 { return polynomialAt(c.Lower, x) }

// lowerTerms is the number of the terms below the leading one, 0 if the model has none to take off.
func (m Model) lowerTerms() int {
	p := int(m.Power)
	if m.Exponential || float64(p) != m.Power || p > 3 {
		return 0
	}
	return p + m.Logs
}

// polynomial fits y = c[lower]·m(x) + Σ c[j]·x^j by least squares of the relative residuals
// and returns the root of their mean square.
func (m Model) polynomial(d Data, lower int) (c []float64, residual float64, ok bool) {
	n, scale := d.Len(), d.X[d.Len()-1]
	a, b := mat.NewDense(n, lower+1, nil), mat.NewVecDense(n, nil)
	for i, x := range d.X {
		for j := range lower {
			a.Set(i, j, math.Pow(x/scale, float64(j))/d.Y[i])
		}
		a.Set(i, lower, m.at(x)/m.at(scale)/d.Y[i])
		b.SetVec(i, 1)
	}
	// Columns of one length: else their units decide what is singular.
	norms := make([]float64, lower+1)
	for j := range norms {
		column := a.ColView(j).(*mat.VecDense)
		norms[j] = mat.Norm(column, 2)
		column.ScaleVec(1/norms[j], column)
	}
	var solution, left mat.VecDense
	if err := solution.SolveVec(a, b); err != nil {
		return nil, 0, false
	}
	left.MulVec(a, &solution)
	left.SubVec(&left, b)
	c = make([]float64, lower+1)
	for j := range lower {
		c[j] = solution.AtVec(j) / norms[j] / math.Pow(scale, float64(j))
	}
	c[lower] = solution.AtVec(lower) / norms[lower] / m.at(scale)
	return c, mat.Norm(&left, 2) / math.Sqrt(float64(n)), true
}

func polynomialAt(c []float64, x float64) float64 {
	y := 0.0
	for j := len(c) - 1; j >= 0; j-- {
		y = y*x + c[j]
	}
	return y
}
