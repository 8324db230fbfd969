package bench

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
)

// Verdict is what measurements say of a claim or of a law. It is computed from them
// alone.
type Verdict string

// The verdicts.
const (
	Holds          Verdict = "holds"
	HoldsCorrected Verdict = "holds after correction"
	Fails          Verdict = "fails"
	Open           Verdict = "open"         // the data are too few, or too noisy
	Missing        Verdict = "not measured" // there are none
)

// Measurement is a point that has been taken.
type Measurement struct {
	Size int `json:"size"`
	Point
	// Low and High are the 95 % interval of the median of a time, Samples all that were
	// taken. A count has none of them.
	Low     float64   `json:"low,omitempty"`
	High    float64   `json:"high,omitempty"`
	Samples []float64 `json:"samples,omitempty"`
}

// Finding is what the measurements of one series say.
type Finding struct {
	*Series
	Points  []Measurement
	Verdict Verdict // of the series' law
	Why     string  // what decided, in one sentence

	// Exponent is that of the power law through the points of Window, Half half the width
	// of its 95 % interval. For an exponential law they are the r of 2^(r·x).
	Exponent, Half float64
	// Constant is the largest ratio of y to the law's own growth, over all points; for the
	// law Equal, of y to x. 0 for an exponential law.
	Constant float64
	// Fitted tells that there is an exponent: Window has points enough.
	Fitted bool
	Window Corrected // the points that the exponent is taken from
	Line   Line      // through their logarithms
	Forms  []Ranked  // forms of growth on Window, the best first
}

// Outcome is what the measurements of a claim say.
type Outcome struct {
	Claim    *Claim
	Verdict  Verdict
	Findings []*Finding // in the order of the series
}

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
func (s *Series) Judge(points []Measurement) *Finding {
	f := &Finding{Series: s, Points: points}
	if len(points) == 0 {
		f.decide(Missing, "there are no measurements")
		return f
	}
	var all Data
	for _, p := range points {
		all = append(all, p.Point)
	}
	f.Constant = s.Law.constant(all)
	if s.Law.exact() {
		f.compare()
		return f
	}
	all = NewData(all)
	positive := all.Positive()
	if len(positive) < len(all) && s.Law.Kind != AtMost {
		f.decide(Fails, "%s is 0 at %d of %d points", s.Y, len(all)-len(positive), len(all))
		return f
	}
	if len(positive) == 0 && all.Distinct() >= leastPoints {
		f.Verdict, f.Why = Holds, s.Y+" is 0 at every point"
		return f
	}
	if !f.fit(positive) {
		f.decide(Open, "too few points")
		return f
	}
	switch s.Law.Kind {
	case Exponential:
		f.exponential()
	default:
		f.polynomial(positive)
	}
	return f
}

// constant is the largest ratio of y to the law's growth.
func (l Law) constant(d Data) (most float64) {
	for _, p := range d {
		if grown := l.growth(p.X); grown > 0 {
			most = max(most, p.Y/grown)
		}
	}
	return most
}

// growth is the law's growth at x, its logarithms to base 2; 0 where it has none.
func (l Law) growth(x float64) float64 {
	switch {
	case l.Kind == Exponential || x <= 0:
		return 0
	case l.exact():
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
	if l.Power != 0 {
		raised, short := map[float64]string{1: "", 2: "²", 3: "³"}[l.Power]
		if !short {
			raised = fmt.Sprintf("^%g", l.Power)
		}
		factors = append(factors, factor+raised)
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
	law := f.Series.Law.form()
	if law.Logs > 0 {
		d = slices.DeleteFunc(slices.Clone(d), func(p Point) bool { return p.X <= 1 }) // where the law has no growth
	}
	exponent := law.Exponent
	if law.Kind == Exponential {
		f.Window, exponent = Corrected{Data: d.UpperHalf()}, Rate
	} else {
		f.Window = law.Correct(d.Upper())
	}
	if f.Window.Distinct() < 3 {
		return false
	}
	f.Line = exponent(f.Window.Data)
	f.Exponent, f.Half, f.Fitted = f.Line.Slope, f.Line.Half, true
	f.Forms = Rank(f.Window.Data, growths...)
	return true
}

// enough reports whether the window is wide enough to decide by. Data that are the law exactly, with
// terms of lower order, need no width.
func (f *Finding) enough() bool {
	w := f.Window
	span := w.Span()
	if f.Series.Law.Kind == Exponential {
		span = w.Data[len(w.Data)-1].Y / w.Data[0].Y
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
	d := f.Exponent - f.Series.Law.Power
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
	at := slices.IndexFunc(f.Forms, func(r Ranked) bool { return r.Law == f.Series.Law.form() })
	return at <= 0
}

// decide sets the verdict and its reason.
func (f *Finding) decide(v Verdict, why string, args ...any) {
	f.Verdict, f.Why = v, fmt.Sprintf(why, args...)
}

const tooFew = "too few points, or too near to each other"

// polynomial decides y = Θ(x^p) and y = O(x^p).
func (f *Finding) polynomial(all Data) {
	near, half := f.Series.tolerance()
	distance, wide := f.distance(), f.Half > half
	beyond, bound := "not", ""
	if f.Law.Kind == AtMost {
		wide = wide && distance+f.Half > near && f.ratioGrows(all)
		beyond, bound = "more than", fmt.Sprintf(", at most %g", f.Law.Power)
	}
	switch {
	case !f.enough():
		f.decide(Open, tooFew)
	case distance-f.Half > near:
		f.decide(Fails, "the exponent is %s, %s %g", f.interval(), beyond, f.Law.Power)
	case distance > near || wide:
		f.decide(Open, "the exponent is known only to be %s", f.interval())
	case f.Law.Kind == Power && !f.best():
		f.decide(Open, "the exponent is %s, but %s leaves less residuals", f.interval(), f.Forms[0].Law.Form())
	default:
		f.decide(Holds, "the exponent is %s%s", f.interval(), bound)
	}
}

// ratioGrows reports whether the largest ratio of y to the law's growth is in the upper half of the points, or those
// are too few to tell.
func (f *Finding) ratioGrows(all Data) bool {
	if len(all) < 2*leastPoints {
		return true
	}
	half := len(all) / 2
	return f.Law.constant(all[half:]) > f.Law.constant(all[:half])
}

// exponential decides y = 2^Θ(x): the line of log y on x is to leave less than that of log y on log x, the power laws.
func (f *Finding) exponential() {
	w := f.Window.Data
	power := LinearGrowth.Exponent(w)
	residual := f.Line.Residual * math.Ln2
	switch {
	case f.Exponent+f.Half <= 1e-9:
		f.Verdict, f.Why = Fails, f.Series.Y+" does not grow"
	case FarBetter(power.Residual, residual, len(w)):
		f.decide(Fails, "the power law x^%.2f leaves far less residuals than an exponential", power.Slope)
	case !f.enough():
		f.decide(Open, tooFew)
	case f.Exponent-f.Half <= 0 || power.Residual < residual:
		f.decide(Open, "the rate is known only to be %s", f.interval())
	default:
		f.decide(Holds, "it doubles with each %.3g of x", 1/f.Exponent)
	}
}

// compare decides y = x and y ≤ x.
func (f *Finding) compare() {
	s := f.Series
	f.decide(Holds, "equal at all %d points", len(f.Points))
	if s.Law.Kind == Below {
		f.Why = fmt.Sprintf("at all %d points at most %.3g of that", len(f.Points), f.Constant)
	}
	for _, p := range f.Points {
		if p.Y > p.X || s.Law.Kind == Equal && p.Y < p.X {
			f.decide(Fails, "at size %d %s is %v and %s %v", p.Size, s.X, p.X, s.Y, p.Y)
			return
		}
	}
}

// interval prints the exponent with its interval.
func (f *Finding) interval() string {
	return strings.ReplaceAll(fmt.Sprintf("%.3f ± %.3f", f.Exponent, f.Half), "-", "−")
}

// Judge decides the claim from the measurements of its series: it fails if the law of one series of evidence does, and
// holds if all of them hold. It holds after a correction only if the sentence as printed fails.
func (c *Claim) Judge(points func(*Series) []Measurement) *Outcome {
	out := &Outcome{Claim: c}
	for i := range c.Series {
		s := &c.Series[i]
		out.Findings = append(out.Findings, s.Judge(points(s)))
	}
	has := func(role Role, v Verdict) bool {
		return slices.ContainsFunc(out.Findings, func(f *Finding) bool { return f.Role == role && f.Verdict == v })
	}
	switch holds := has(Evidence, Holds); {
	case has(Evidence, Fails):
		out.Verdict = Fails
	case has(Evidence, Open), holds && has(Evidence, Missing):
		out.Verdict = Open
	case !holds:
		out.Verdict = Missing
	case c.Correction != "" && !has(Printed, Fails):
		out.Verdict = Open
	case c.Correction != "":
		out.Verdict = HoldsCorrected
	default:
		out.Verdict = Holds
	}
	return out
}

// Worst returns, for each law and pair of quantities of the evidence, the finding that speaks most
// against it: by its verdict, and then by how far its exponent is beyond the law. They are in the order of the
// series, those without an exponent left out.
func (o *Outcome) Worst() (worst []*Finding) {
	fitted := slices.DeleteFunc(slices.Clone(o.Findings), func(f *Finding) bool {
		return f.Role != Evidence || !f.Fitted && !f.Law.exact() || f.Verdict == Missing
	})
	for _, all := range Groups(fitted, (*Finding).curve) {
		worst = append(worst, slices.MaxFunc(all, (*Finding).Compare))
	}
	return worst
}

// Groups are the elements of a list with equal keys, in the order of the first of each.
func Groups[T any, K comparable](list []T, key func(T) K) (groups [][]T) {
	at := map[K]int{}
	for _, x := range list {
		k := key(x)
		if _, ok := at[k]; !ok {
			at[k] = len(groups)
			groups = append(groups, nil)
		}
		groups[at[k]] = append(groups[at[k]], x)
	}
	return groups
}

// Constant is the largest constant of the evidence that has the finding's law and quantities.
func (o *Outcome) Constant(of *Finding) float64 {
	most := 0.0
	for _, f := range o.Findings {
		if f.Role == Evidence && f.curve() == of.curve() {
			most = max(most, f.Constant)
		}
	}
	return most
}

// curve is the law with its quantities.
type curve struct {
	law  Law
	x, y string
}

func (f *Finding) curve() curve { return curve{f.Law, f.X, f.Y} }

// Compare orders findings by how much they speak against their laws: by the verdict, and then
// by how far the exponent is beyond the law's.
func (f *Finding) Compare(g *Finding) int {
	severity := map[Verdict]int{Fails: 2, Open: 1}
	return cmp.Or(cmp.Compare(severity[f.Verdict], severity[g.Verdict]), cmp.Compare(f.distance(), g.distance()))
}

// Curve is the fitted curve at x; ok is false if the finding has none there. The fit holds in the window, where it was
// made.
func (f *Finding) Curve(x float64) (y float64, ok bool) {
	law := f.Series.Law
	if law.exact() {
		return x, true
	}
	if !f.Fitted || x <= 0 {
		return 0, false
	}
	at, base := math.Log(x), math.E
	if law.Kind == Exponential {
		at, base = x, 2
	}
	return math.Pow(math.Log(x), float64(law.Logs))*math.Pow(base, f.Line.At(at)) + f.Window.LowerAt(x), true
}

// Range is the x over which the finding's curve is drawn: the window, or for the law Equal
// all points. ok is false if there is no curve.
func (f *Finding) Range() (from, to float64, ok bool) {
	if f.Series.Law.exact() {
		for _, p := range f.Points {
			if p.X > 0 && (from == 0 || p.X < from) {
				from = p.X
			}
			to = max(to, p.X)
		}
		return from, to, from > 0
	}
	if !f.Fitted {
		return 0, 0, false
	}
	return f.Window.Data[0].X, f.Window.Data[len(f.Window.Data)-1].X, true
}
