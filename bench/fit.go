package bench

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/optimize/convex/lp"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// The forms of growth that data are compared with, up to a constant.
var (
	ConstantGrowth    = Law{Kind: Power}
	LinearGrowth      = Law{Kind: Power, Power: 1}
	NLogN             = Law{Kind: Power, Power: 1, Logs: 1}
	QuadraticGrowth   = Law{Kind: Power, Power: 2}
	CubicGrowth       = Law{Kind: Power, Power: 3}
	ExponentialGrowth = Law{Kind: Exponential}
)

// growths are those forms.
var growths = []Law{ConstantGrowth, LinearGrowth, NLogN, QuadraticGrowth, CubicGrowth, ExponentialGrowth}

// form is the law's form of growth.
func (l Law) form() Law {
	if l.Kind == Exponential {
		return ExponentialGrowth
	}
	return Law{Kind: Power, Power: l.Power, Logs: l.Logs}
}

// Form is the name of the law's form of growth.
func (l Law) Form() string {
	if at := slices.Index(growths, l.form()); at >= 0 {
		return []string{"constant", "linear", "n·log n", "quadratic", "cubic", "exponential"}[at]
	}
	return "n^" + strconv.FormatFloat(l.Power, 'g', 4, 64)
}

// at is the growth x^Power·(ln x)^Logs at x > 0.
func (l Law) at(x float64) float64 {
	y := math.Pow(x, l.Power)
	for range l.Logs {
		y *= math.Log(x)
	}
	return y
}

// Exponent returns the line of ln(y / (ln x)^Logs) on ln x, whose slope is the exponent of a power law.
// All y must be positive, and all x > 1 if the law has a logarithm.
func (l Law) Exponent(d Data) Line {
	_, u, v := d.columns()
	for range l.Logs {
		for i := range v {
			v[i] -= math.Log(u[i])
		}
	}
	return NewLine(u, v)
}

// Rate returns the line of log2 y on x, whose slope is the r of an exponential law 2^(r·x).
func Rate(d Data) Line {
	x, _, v := d.columns()
	for i := range v {
		v[i] /= math.Ln2
	}
	return NewLine(x, v)
}

// residual is the root mean square of the deviations of ln y from the law with its best
// constant; for an exponential, with its best rate too.
func (l Law) residual(d Data) float64 {
	x, _, v := d.columns()
	if l.Kind == Exponential {
		return NewLine(x, v).Residual
	}
	for i := range v {
		v[i] -= math.Log(l.at(x[i]))
	}
	return math.Sqrt(stat.PopVariance(v, nil))
}

// Ranked is a form of growth with what it leaves of some data.
type Ranked struct {
	Law Law
	// Residual is the root mean square of the deviations of ln y: about the relative error.
	Residual float64
	aic      float64
}

// Rank ranks forms of growth on the data, the best first: by residuals, with Akaike's
// penalty for the rate of the exponential. All y must be positive.
func Rank(d Data, forms ...Law) []Ranked {
	var out []Ranked
	for _, l := range forms {
		if l.Logs > 0 && d[0].X <= 1 {
			continue // ln 1 is 0, and no constant makes that y
		}
		free := 1
		if l.Kind == Exponential {
			free = 2
		}
		r := l.residual(d)
		out = append(out, Ranked{l, r, akaike(r, len(d), free)})
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

// Data are points by ascending x.
type Data []Point

// NewData sorts points by x. Points with x ≤ 0, or one of x and y no number, are dropped:
// they have no place on logarithmic axes.
func NewData(points []Point) Data {
	d := slices.DeleteFunc(slices.Clone(points), func(p Point) bool {
		return !(p.X > 0) || math.IsInf(p.X, 0) || math.IsNaN(p.Y) || math.IsInf(p.Y, 0)
	})
	slices.SortStableFunc(d, func(a, b Point) int { return cmp.Compare(a.X, b.X) })
	return d
}

// Distinct is the number of different x.
func (d Data) Distinct() int {
	return len(slices.CompactFunc(slices.Clone(d), func(a, b Point) bool { return a.X == b.X }))
}

// Span is the largest x over the least; 1 if there are no points.
func (d Data) Span() float64 {
	if len(d) == 0 {
		return 1
	}
	return d[len(d)-1].X / d[0].X
}

// Positive returns the points with y > 0.
func (d Data) Positive() Data {
	return slices.DeleteFunc(slices.Clone(d), func(p Point) bool { return p.Y <= 0 })
}

// windowPoints is how many points a window has at least, if there are so many.
const windowPoints = 5

// Upper returns the points from which an exponent is taken: those of the upper two decades
// of x, without those below 10³ if enough others remain, and at least five.
func (d Data) Upper() Data {
	if len(d) == 0 {
		return d
	}
	least := d[len(d)-1].X / 100
	if enough := len(d) - windowPoints; enough >= 0 && d[enough].X >= 1000 {
		least = max(least, 1000)
	}
	return d.from(least * (1 - 1e-9))
}

// UpperHalf returns the points in the upper half of the range of x, at least five: the
// window of an exponential law.
func (d Data) UpperHalf() Data {
	if len(d) == 0 {
		return d
	}
	return d.from((d[0].X + d[len(d)-1].X) / 2)
}

// from returns the points with x ≥ least, at least five.
func (d Data) from(least float64) Data {
	at, _ := slices.BinarySearchFunc(d, least, func(p Point, least float64) int { return cmp.Compare(p.X, least) })
	return d[max(0, min(at, len(d)-windowPoints)):]
}

// columns returns x, and the logarithms of x and y.
func (d Data) columns() (x, u, v []float64) {
	for _, p := range d {
		x, u, v = append(x, p.X), append(u, math.Log(p.X)), append(v, math.Log(p.Y))
	}
	return x, u, v
}

// decisive is the difference of Akaike's criterion from which a fit is far better.
const decisive = 10

// Corrected are data less the terms of lower order.
type Corrected struct {
	Data
	Lower []LowerTerm // what was taken off; empty if nothing was
	// Exact says that with them the fit leaves nothing but rounding.
	Exact bool
}

// LowerTerm is c·x^Power.
type LowerTerm struct{ C, Power float64 }

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
// √x. All x and y must be positive, x more than 1 if the law has a logarithm.
func (l Law) Correct(d Data) Corrected {
	for _, step := range []float64{1, 0.5} {
		if out, ok := l.correct(d, l.lowerPowers(step)); ok && (step == 1 || out.Exact) {
			return out
		}
	}
	return Corrected{Data: d}
}

// correct takes off terms of the powers, if that is far better.
func (l Law) correct(d Data, powers []float64) (out Corrected, ok bool) {
	free := len(powers) + 1
	if free == 1 || len(d) <= free || d.Distinct() <= free {
		return out, false
	}
	c, residual, ok := l.polynomial(d, powers)
	if last := d[len(d)-1]; !ok || c[len(powers)]*l.at(last.X) < last.Y/2 {
		return out, false
	}
	_, u, v := d.columns()
	power := akaike(NewLine(u, v).Residual, len(d), 2)
	if residual > rounding && akaike(residual, len(d), free) > power-decisive {
		return out, false
	}
	out.Exact = residual <= rounding
	for j, p := range powers {
		out.Lower = append(out.Lower, LowerTerm{c[j], p})
	}
	out.Data = slices.Clone(d)
	for i := range out.Data {
		p := &out.Data[i]
		if p.Y -= out.LowerAt(p.X); p.Y <= 0 {
			return out, false
		}
	}
	return out, true
}

// lowerPowers are the powers of the terms below the leading one, at most so far from
// each other; nil if the law has none to take off.
func (l Law) lowerPowers(step float64) []float64 {
	if l.Kind == Exponential || l.Power != math.Trunc(l.Power) || l.Power > 3 {
		return nil
	}
	if l.Power == 0 && l.Logs == 0 {
		return []float64{-step}
	}
	from := l.Power - step
	if l.Logs > 0 {
		from = l.Power
	}
	var out []float64
	for p := 0.0; p <= from; p += step {
		out = append(out, p)
	}
	return out
}

// polynomial fits y = Σ c[j]·x^powers[j] + c[last]·l(x) by least squares of the relative
// residuals and returns the root of their mean square.
func (l Law) polynomial(d Data, powers []float64) (c []float64, residual float64, ok bool) {
	rows, scale, last := make([][]float64, len(d)), d[len(d)-1].X, len(powers)
	for i, at := range d {
		for _, p := range powers {
			rows[i] = append(rows[i], math.Pow(at.X/scale, p)/at.Y)
		}
		rows[i] = append(rows[i], l.at(at.X)/l.at(scale)/at.Y)
	}
	if c, residual, ok = leastSquares(rows); !ok {
		return nil, 0, false
	}
	for j, p := range powers {
		c[j] /= math.Pow(scale, p)
	}
	c[last] /= l.at(scale)
	return c, residual, true
}

// leastSquares solves row·c = 1 for all rows and returns the root mean square of what is left. It scales the columns to
// one length: else their units decide what is singular.
func leastSquares(rows [][]float64) (c []float64, residual float64, ok bool) {
	n, width := len(rows), len(rows[0])
	if n < width {
		return nil, 0, false
	}
	a, ones := mat.NewDense(n, width, slices.Concat(rows...)), mat.NewVecDense(n, slices.Repeat([]float64{1}, n))
	norms := make([]float64, width)
	for j := range norms {
		column := a.ColView(j).(*mat.VecDense)
		norms[j] = mat.Norm(column, 2)
		column.ScaleVec(1/norms[j], column)
	}
	var solution, left mat.VecDense
	if err := solution.SolveVec(a, ones); err != nil {
		return nil, 0, false
	}
	left.MulVec(a, &solution)
	left.SubVec(&left, ones)
	c = floats.DivTo(make([]float64, width), solution.RawVector().Data, norms)
	return c, mat.Norm(&left, 2) / math.Sqrt(float64(n)), true
}

// Sample is one point of a bound in several variables: Y is to be at most Σ c_j·X[j].
// All numbers are natural, Y and the sum of X positive.
type Sample struct {
	X []float64
	Y float64
}

// LeastSquaresFit returns the c ≥ 0 whose Σ c_j·X[j] is nearest to Y, by least squares of the
// relative residuals: a coefficient that would be negative is 0, and the others are fitted
// without it. Residual is the root mean square.
func LeastSquaresFit(samples []Sample) (c []float64, residual float64, err error) {
	if len(samples) == 0 {
		return nil, 0, errNoSamples
	}
	c = make([]float64, len(samples[0].X))
	active := counting(0, len(c)-1)
	for len(active) > 0 {
		solution, _, ok := leastSquares(relative(samples, active))
		least := len(active) - 1 // of columns that depend on each other, the last goes
		if ok {
			least = floats.MinIdx(solution)
		}
		if ok && solution[least] >= 0 {
			for k, j := range active {
				c[j] = solution[k]
			}
			break
		}
		active = slices.Delete(active, least, least+1)
	}
	for _, s := range samples {
		d := floats.Dot(c, s.X)/s.Y - 1
		residual += d * d
	}
	return c, math.Sqrt(residual / float64(len(samples))), nil
}

var errNoSamples = errors.New("fit: a bound needs samples")

// relative are the active columns of the samples, relative to Y.
func relative(samples []Sample, active []int) [][]float64 {
	rows := make([][]float64, len(samples))
	for i, s := range samples {
		for _, j := range active {
			rows[i] = append(rows[i], s.X[j]/s.Y)
		}
	}
	return rows
}

// LeastBound returns constants c ≥ 0 with Y ≤ Σ c_j·X[j] for every sample: of all that are so,
// those for which the bound is least in the mean, relative to Y. It is the linear program
//
//	minimise  Σ_i (Σ_j c_j·X_ij / Y_i)   such that   Σ_j c_j·X_ij / Y_i ≥ 1 for each i,  c ≥ 0
//
// which is solved for the few samples that matter: each round adds the one that the last
// solution violates most.
func LeastBound(samples []Sample) ([]float64, error) {
	if len(samples) == 0 {
		return nil, errNoSamples
	}
	width := len(samples[0].X)
	rows, cost, c := relative(samples, counting(0, width-1)), make([]float64, width), make([]float64, width)
	for _, row := range rows {
		floats.AddScaled(cost, 1/float64(len(rows)), row)
	}
	var chosen [][]float64
	for range samples {
		worst, least := -1, 1-1e-9
		for i, row := range rows {
			if at := floats.Dot(c, row); at < least {
				worst, least = i, at
			}
		}
		if worst < 0 {
			return c, nil
		}
		chosen = append(chosen, rows[worst])
		var err error
		if c, err = cover(cost, chosen); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// cover minimises cost·c such that row·c ≥ 1 for each row, and c ≥ 0.
func cover(cost []float64, rows [][]float64) ([]float64, error) {
	width := len(cost)
	constraints := mat.NewDense(len(rows)+width, width, nil) // constraints·c ≤ most
	most := make([]float64, len(rows)+width)
	for i, row := range rows {
		for j, x := range row {
			constraints.Set(i, j, -x)
		}
		most[i] = -1
	}
	for j := range width {
		constraints.Set(len(rows)+j, j, -1)
	}
	objective, a, b := lp.Convert(cost, constraints, most, nil, nil)
	_, z, err := lp.Simplex(objective, a, b, 1e-12, nil)
	if err != nil {
		return nil, fmt.Errorf("fit: bound: %w", err)
	}
	floats.Sub(z[:width], z[width:2*width]) // of a variable that may be negative there are two parts
	return z[:width], nil
}
