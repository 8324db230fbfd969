package bench

import "math"

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
	return f.Window.X[0], f.Window.X[f.Window.Len()-1], true
}
