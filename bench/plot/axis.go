package plot

import (
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/plot/vg"

	"github.com/gram-machine/gram/bench"
)

// axis is a logarithmic axis.
type axis struct{ least, most float64 } // the logarithms of its ends, to base 10

// axes are the axes of a page by the quantities that they show: a quantity has one scale on all pictures of a claim.
type axes map[string]axis

// include widens the axis of the quantity so that it shows v.
func (a axes) include(quantity string, v float64) {
	l := math.Log10(v)
	if old, ok := a[quantity]; ok {
		a[quantity] = axis{min(old.least, l), max(old.most, l)}
	} else {
		a[quantity] = axis{l, l}
	}
}

// axesOf returns the axes for what is drawn of the findings, each a decade long or longer, with a little room.
func axesOf(findings []bench.Finding) axes {
	all := axes{}
	for i := range findings {
		f := &findings[i]
		for _, p := range f.Points {
			if !drawable(p) {
				continue
			}
			all.include(f.X, p.X)
			all.include(f.Y, p.Y)
			if f.Timed && p.Low > 0 {
				all.include(f.Y, p.Low)
				all.include(f.Y, p.High)
			}
		}
		if from, to, ok := f.Range(); ok { // a bound lies beyond the data
			for _, x := range []float64{from, to} {
				if y, _, _, ok := f.Curve(x); ok && y > 0 && !math.IsInf(y, 0) {
					all.include(f.Y, y)
				}
			}
		}
	}
	for q, a := range all {
		room := max(0.04*(a.most-a.least), (1-(a.most-a.least))/2)
		all[q] = axis{a.least - room, a.most + room}
	}
	return all
}

// at returns the place of v on a line from low to high.
func (a axis) at(v float64, low, high vg.Length) vg.Length {
	return low + vg.Length((math.Log10(v)-a.least)/(a.most-a.least))*(high-low)
}

// marks returns what an axis with room for n numbers marks: powers of ten and, on a short axis, 2 and 5 times them.
func (a axis) marks(n int) []float64 {
	every := 1 + int(a.most-a.least)/n
	var out []float64
	for e := int(math.Floor(a.least)); e <= int(a.most); e++ {
		for _, m := range []float64{1, 2, 5} {
			v := m * math.Pow10(e)
			if l := math.Log10(v); l < a.least || l > a.most || m != 1 && (a.most-a.least)*3 > float64(n) || e%every != 0 {
				continue
			}
			out = append(out, v)
		}
	}
	return out
}

// markText prints a mark of an axis: 500, 2·10⁶.
func markText(v float64) string {
	e := int(math.Floor(math.Log10(v) + 1e-9))
	if e >= -2 && e <= 3 {
		return strconv.FormatFloat(v, 'f', max(0, -e), 64)
	}
	raised := strings.Map(func(r rune) rune {
		if r == '-' {
			return '⁻'
		}
		return []rune("⁰¹²³⁴⁵⁶⁷⁸⁹")[r-'0']
	}, strconv.Itoa(e))
	if m := math.Round(v / math.Pow10(e)); m != 1 {
		return strconv.Itoa(int(m)) + "·10" + raised
	}
	return "10" + raised
}
