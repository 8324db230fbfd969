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
	Lower []Term // what was taken off; empty if nothing was
	// Exact says that with them the fit leaves nothing but rounding.
	Exact bool
}

// Term is c·x^Power.
type Term struct{ C, Power float64 }

// LowerAt is what was taken off at x.
func (c *Corrected) LowerAt(x float64) float64 {
	y := 0.0
	for _, t := range c.Lower {
		y += t.C * math.Pow(x, t.Power)
	}
	return y
}

// Correct takes off the terms of lower order, where data have them: of
// y = c·x^p + … + c1·x + c0 it leaves y − (… + c0), of y = c·x·ln x + c1·x + c0 it leaves
// c·x·ln x, and of y = c + c1/x it leaves c. It does so only if that fit is exact, or far better than the power
// law y = a·x^b, and if the leading term is most of y where x is largest; otherwise it returns the data as they
// are. Terms of half the order are taken off only if the fit is exact: where x is the square of a size, the size is
// √x. All x and y must be positive, x more than 1 if the model has a logarithm.
func (m Model) Correct(d Data) Corrected {
	if out, ok := m.correct(d, m.lowerPowers(1)); ok {
		return out
	}
	if out, ok := m.correct(d, m.lowerPowers(0.5)); ok && out.Exact {
		return out
	}
	return Corrected{Data: d}
}

// correct takes off terms of the powers, if that is far better.
func (m Model) correct(d Data, powers []float64) (out Corrected, ok bool) {
	free := len(powers) + 1
	if free == 1 || d.Len() <= free || d.Distinct() <= free {
		return out, false
	}
	c, residual, ok := m.polynomial(d, powers)
	last := d.Len() - 1
	if !ok || c[len(powers)]*m.at(d.X[last]) < d.Y[last]/2 {
		return out, false
	}
	u, v := d.logs()
	power := akaike(NewLine(u, v).Residual, d.Len(), 2)
	if residual > rounding && akaike(residual, d.Len(), free) > power-decisive {
		return out, false
	}
	out.Exact = residual <= rounding
	for j, p := range powers {
		out.Lower = append(out.Lower, Term{c[j], p})
	}
	out.Data = Data{X: d.X, Y: make([]float64, d.Len())}
	for i, x := range d.X {
		out.Y[i] = d.Y[i] - out.LowerAt(x)
		if out.Y[i] <= 0 {
			return out, false
		}
	}
	return out, true
}

// lowerPowers are the powers of the terms below the leading one, at most so far from
// each other; nil if the model has none to take off.
func (m Model) lowerPowers(step float64) []float64 {
	if m.Exponential || m.Power != math.Trunc(m.Power) || m.Power > 3 {
		return nil
	}
	if m.Power == 0 && m.Logs == 0 {
		return []float64{-step}
	}
	from := m.Power - step
	if m.Logs > 0 {
		from = m.Power
	}
	var out []float64
	for p := 0.0; p <= from; p += step {
		out = append(out, p)
	}
	return out
}

// polynomial fits y = Σ c[j]·x^powers[j] + c[last]·m(x) by least squares of the relative
// residuals and returns the root of their mean square.
func (m Model) polynomial(d Data, powers []float64) (c []float64, residual float64, ok bool) {
	n, last, scale := d.Len(), len(powers), d.X[d.Len()-1]
	a, b := mat.NewDense(n, last+1, nil), mat.NewVecDense(n, nil)
	for i, x := range d.X {
		for j, p := range powers {
			a.Set(i, j, math.Pow(x/scale, p)/d.Y[i])
		}
		a.Set(i, last, m.at(x)/m.at(scale)/d.Y[i])
		b.SetVec(i, 1)
	}
	c, residual, ok = leastSquares(a, b)
	if !ok {
		return nil, 0, false
	}
	for j, p := range powers {
		c[j] /= math.Pow(scale, p)
	}
	c[last] /= m.at(scale)
	return c, residual, true
}

// leastSquares solves a·c = b and returns the root mean square of what is left. It scales
// the columns of a to one length: else their units decide what is singular.
func leastSquares(a *mat.Dense, b *mat.VecDense) (c []float64, residual float64, ok bool) {
	n, width := a.Dims()
	norms := make([]float64, width)
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
	c = make([]float64, width)
	for j := range c {
		c[j] = solution.AtVec(j) / norms[j]
	}
	return c, mat.Norm(&left, 2) / math.Sqrt(float64(n)), true
}
