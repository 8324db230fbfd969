package plot

import (
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
)

// decades marks a logarithmic axis: powers of ten with their exponents raised, and where the axis has few of them, 2
// and 5 times them too.
type decades struct{}

// Ticks returns the marks from least to most.
func (decades) Ticks(least, most float64) []plot.Tick {
	span := math.Log10(most / least)
	every := 1 + int(span)/8 // at most eight labels
	var out []plot.Tick
	for _, t := range (plot.LogTicks{}).Ticks(least, most) {
		e := int(math.Floor(math.Log10(t.Value) + 1e-9))
		m := int(math.Round(t.Value / math.Pow10(e)))
		t.Label = ""
		switch {
		case t.Value < least*(1-1e-9) || t.Value > most*(1+1e-9), m != 1 && span >= 6:
			continue
		case m == 1 && e%every == 0, span < 2.2 && (m == 2 || m == 5), span < 0.5:
			t.Label = number(m, e)
		}
		out = append(out, t)
	}
	return out
}

// number prints m·10^e.
func number(m, e int) string {
	if e >= -2 && e <= 3 {
		return strconv.FormatFloat(float64(m)*math.Pow10(e), 'f', max(0, -e), 64)
	}
	raised := strings.Map(func(r rune) rune {
		if r == '-' {
			return '⁻'
		}
		return []rune("⁰¹²³⁴⁵⁶⁷⁸⁹")[r-'0']
	}, strconv.Itoa(e))
	if m == 1 {
		return "10" + raised
	}
	return strconv.Itoa(m) + "·10" + raised
}

// widen gives the axes at least a decade, and a little room around the data.
func widen(pl *plot.Plot) {
	for _, a := range []*plot.Axis{&pl.X, &pl.Y} {
		low, high := math.Log10(a.Min), math.Log10(a.Max)
		if short := 1 - (high - low); short > 0 && a == &pl.Y {
			low, high = low-short/2, high+short/2
		}
		if high-low < 0.3 {
			low, high = low-0.15, high+0.15
		}
		room := 0.03 * (high - low)
		a.Min, a.Max = math.Pow(10, low-room), math.Pow(10, high+room)
	}
}
