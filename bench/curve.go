package bench

import "math"

// Curve is the fitted curve at x, with the 95 % interval of its mean; ok is false if the
// finding has none there. The fit holds in the window, where it was made.
func (f *Finding) Curve(x float64) (y, low, high float64, ok bool) {
	law := f.Series.Law
	if law.exact() {
		return x, x, x, true
	}
	if !f.Fitted || x <= 0 {
		return 0, 0, 0, false
	}
	at, factor, lower := math.Log(x), 1.0, f.Window.LowerAt(x)
	base := math.E
	if law.Kind == Exponential {
		at, base = x, 2
	}
	for range law.Logs {
		factor *= math.Log(x)
	}
	grown := func(v float64) float64 { return factor*math.Pow(base, v) + lower }
	v, band := f.Line.At(at), f.Line.Band(at)
	return grown(v), grown(v - band), grown(v + band), true
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
	return f.Window.X[0], f.Window.X[f.Window.Len()-1], true
}
