package bench

import (
	"fmt"
	"math"
	"strings"
)

// How near to its law an exponent is to be, and how wide its 95 % interval may be on
// either side, for the law to be decided.
const (
	countTolerance, countHalf = 0.02, 0.05
	timeTolerance, timeHalf   = 0.15, 0.15
)

// The least data that decide: points in the window, and the largest x over the least
// there; for an exponential law the largest y over the least.
const (
	leastPoints = 4
	leastSpan   = 4
)

// Judge fits the measurements of the series and holds them against its law.
func (s *Series) Judge(points []Measurement) Finding {
	f := Finding{Series: s, Points: points}
	if len(points) == 0 {
		f.Verdict, f.Why = Missing, "there are no measurements"
		return f
	}
	x, y := make([]float64, len(points)), make([]float64, len(points))
	for i, p := range points {
		x[i], y[i] = p.X, p.Y
	}
	f.Constant = s.Law.constant(x, y)
	if s.Law.Kind == Equal || s.Law.Kind == Below {
		f.compare()
		return f
	}
	all := NewData(x, y)
	positive := all.Positive()
	if positive.Len() < all.Len() && s.Law.Kind != AtMost {
		f.Verdict, f.Why = Fails, fmt.Sprintf("%s is 0 at %d of %d points", s.Y, all.Len()-positive.Len(), all.Len())
		return f
	}
	if positive.Len() == 0 && all.Distinct() >= leastPoints {
		f.Verdict, f.Why = Holds, s.Y+" is 0 at every point"
		return f
	}
	if !f.fit(positive) {
		f.Verdict, f.Why = Open, "too few points"
		return f
	}
	switch s.Law.Kind {
	case Exponential:
		f.exponential()
	case AtMost:
		f.atMost(positive)
	default:
		f.power()
	}
	return f
}

// model is the law's form of growth.
func (l Law) model() Model {
	if l.Kind == Exponential {
		return ExponentialModel
	}
	return Model{Power: l.Power, Logs: l.Logs}
}

// target is the exponent that the law names.
func (l Law) target() float64 { return l.model().Power }

// constant is the largest ratio of y to the law's growth.
func (l Law) constant(x, y []float64) float64 {
	most := 0.0
	for i := range x {
		if grown := l.growth(x[i]); grown > 0 {
			most = max(most, y[i]/grown)
		}
	}
	return most
}

// growth is the law's growth at x, its logarithms to base 2; 0 where it has none.
func (l Law) growth(x float64) float64 {
	switch {
	case l.Kind == Exponential || x <= 0:
		return 0
	case l.Kind == Equal, l.Kind == Below:
		return x
	}
	return math.Pow(x, l.Power) * math.Pow(math.Log2(x), float64(l.Logs))
}

// String is the law as a formula in x.
func (l Law) String() string { return l.Of("x") }

// Of is the law as a formula in the quantity x: "Θ(n)", "O(n²)", "2^Θ(n)".
func (l Law) Of(x string) string {
	factor := x
	if (l.Power != 1 || l.Logs > 0) && strings.ContainsAny(x, " +-*/·") {
		factor = "(" + x + ")"
	}
	var factors []string
	switch l.Power {
	case 0:
	case 1:
		factors = []string{factor}
	case 2:
		factors = []string{factor + "²"}
	case 3:
		factors = []string{factor + "³"}
	default:
		factors = []string{fmt.Sprintf("%s^%g", factor, l.Power)}
	}
	for range l.Logs {
		factors = append(factors, "log "+factor)
	}
	if len(factors) == 0 {
		factors = []string{"1"}
	}
	growth := strings.Join(factors, " ")
	switch l.Kind {
	case Exponential:
		return "2^Θ(" + x + ")"
	case Equal, Below:
		return x
	case AtMost:
		return "O(" + growth + ")"
	}
	return "Θ(" + growth + ")"
}

// fit takes the exponent; it reports whether the points are enough for that.
func (f *Finding) fit(d Data) bool {
	law := f.Series.Law
	m := law.model()
	if m.Logs > 0 {
		d = d.Above(1) // log 1 is 0, and so would be the law's growth
	}
	if m.Exponential {
		f.Window = Corrected{Data: d.UpperHalf()}
	} else {
		f.Window = m.Correct(d.Upper())
	}
	w := f.Window
	if w.Distinct() < 3 {
		return false
	}
	if m.Exponential {
		f.Line = Rate(w.Data)
	} else {
		f.Line = m.Exponent(w.Data)
	}
	f.Exponent, f.Half, f.Fitted = f.Line.Slope, f.Line.Half, true
	models := []Model{ConstantModel, LinearModel, NLogN, QuadraticModel, CubicModel, ExponentialModel}
	f.Forms = Rank(w.Data, models...)
	return true
}

// enough reports whether the window is wide enough to decide by. Data that are the law exactly, with
// terms of lower order, need no width.
func (f *Finding) enough() bool {
	w := f.Window
	span := w.Span()
	if f.Series.Law.Kind == Exponential {
		span = w.Y[w.Len()-1] / w.Y[0]
	}
	return w.Distinct() >= leastPoints && (w.Exact || span >= leastSpan*(1-1e-9))
}

// tolerance is how near to the law the exponent is to be, and how narrow its interval.
func (s *Series) tolerance() (near, half float64) {
	if s.Timed {
		return timeTolerance, timeHalf
	}
	return countTolerance, countHalf
}

// distance is how far the exponent is beyond the law's; 0 if one of them has none.
func (f *Finding) distance() float64 {
	d := f.Exponent - f.Series.Law.target()
	switch {
	case !f.Fitted, f.Series.Law.Kind == Exponential:
		return 0
	case f.Series.Law.Kind == AtMost:
		return d
	}
	return math.Abs(d)
}

// best reports whether the form of growth that leaves the least residuals is the law's, or
// the law's is none of those compared.
func (f *Finding) best() bool {
	m := f.Series.Law.model()
	for i, r := range f.Forms {
		if r.Model == m {
			return i == 0
		}
	}
	return true
}

// power decides y = Θ(x^p).
func (f *Finding) power() {
	near, half := f.Series.tolerance()
	switch {
	case !f.enough():
		f.Verdict, f.Why = Open, "too few points, or too near to each other"
	case f.distance()-f.Half > near:
		f.Verdict, f.Why = Fails, fmt.Sprintf("the exponent is %s, not %g", f.interval(), f.Series.Law.target())
	case f.distance() > near || f.Half > half:
		f.Verdict, f.Why = Open, fmt.Sprintf("the exponent is known only to be %s", f.interval())
	case !f.best():
		f.Verdict, f.Why = Open, fmt.Sprintf("the exponent is %s, but %s leaves less residuals", f.interval(),
			f.Forms[0].Model)
	default:
		f.Verdict, f.Why = Holds, fmt.Sprintf("the exponent is %s", f.interval())
	}
}

// atMost decides y = O(x^p).
func (f *Finding) atMost(all Data) {
	near, half := f.Series.tolerance()
	over := f.Exponent - f.Series.Law.target()
	bounded := over+f.Half <= near || over <= near && (f.Half <= half || !f.ratioGrows(all))
	switch {
	case !f.enough():
		f.Verdict, f.Why = Open, "too few points, or too near to each other"
	case over-f.Half > near:
		f.Verdict, f.Why = Fails, fmt.Sprintf("the exponent is %s, more than %g", f.interval(), f.Series.Law.Power)
	case !bounded:
		f.Verdict, f.Why = Open, fmt.Sprintf("the exponent is known only to be %s", f.interval())
	default:
		f.Verdict, f.Why = Holds, fmt.Sprintf("the exponent is %s, at most %g", f.interval(), f.Series.Law.Power)
	}
}

// ratioGrows reports whether the largest ratio of y to the law's growth is in the upper half of the points, or those
// are too few to tell.
func (f *Finding) ratioGrows(all Data) bool {
	if all.Len() < 2*leastPoints {
		return true
	}
	lower, upper := 0.0, 0.0
	for i, x := range all.X {
		r := all.Y[i] / f.Series.Law.growth(x)
		if i < all.Len()/2 {
			lower = max(lower, r)
		} else {
			upper = max(upper, r)
		}
	}
	return upper > lower
}

// exponential decides y = 2^Θ(x): the line of log y on x is to leave less than that of log y on log x, the power laws.
func (f *Finding) exponential() {
	w := f.Window.Data
	power := LinearModel.Exponent(w)
	residual := f.Line.Residual * math.Ln2
	switch {
	case f.Exponent+f.Half <= 1e-9:
		f.Verdict, f.Why = Fails, f.Series.Y+" does not grow"
	case FarBetter(power.Residual, residual, w.Len()):
		f.Verdict, f.Why = Fails, fmt.Sprintf("the power law x^%.2f leaves far less residuals than an exponential",
			power.Slope)
	case !f.enough():
		f.Verdict, f.Why = Open, "too few points, or too near to each other"
	case f.Exponent-f.Half <= 0 || power.Residual < residual:
		f.Verdict, f.Why = Open, fmt.Sprintf("the rate is known only to be %s", f.interval())
	default:
		f.Verdict, f.Why = Holds, fmt.Sprintf("it doubles with each %.3g of x", 1/f.Exponent)
	}
}

// compare decides y = x and y ≤ x.
func (f *Finding) compare() {
	s := f.Series
	f.Verdict, f.Why = Holds, fmt.Sprintf("equal at all %d points", len(f.Points))
	if s.Law.Kind == Below {
		f.Why = fmt.Sprintf("at all %d points at most %.3g of that", len(f.Points), f.Constant)
	}
	for _, p := range f.Points {
		if p.Y > p.X || s.Law.Kind == Equal && p.Y < p.X {
			f.Verdict, f.Why = Fails, fmt.Sprintf("at size %d %s is %v and %s %v", p.Size, s.X, p.X, s.Y, p.Y)
			return
		}
	}
}

// interval prints the exponent with its interval.
func (f *Finding) interval() string {
	return strings.ReplaceAll(fmt.Sprintf("%.3f ± %.3f", f.Exponent, f.Half), "-", "−")
}
