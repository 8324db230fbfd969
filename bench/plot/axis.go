package plot

import (
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
)

// decades marks a logarithmic axis: powers of ten with their exponents raised, and where the axis has
// few of them, 2 and 5 times them too.
type decades struct{}

// Ticks returns the marks from least to most.
func (decades) Ticks(least, most float64) []plot.Tick {
	if least <= 0 {
		least = most / 10
	}
	from, to := int(math.Floor(math.Log10(least))), int(math.Ceil(math.Log10(most)))
	span := math.Log10(most / least)
	every := 1 + int(span)/8 // at most eight labels
	var out []plot.Tick
	for e := from; e <= to; e++ {
		for m := 1; m <= 9; m++ {
			v := float64(m) * math.Pow10(e)
			if v < least*(1-1e-9) || v > most*(1+1e-9) {
				continue
			}
			label := ""
			switch {
			case m == 1 && (e-from)%every == 0, span < 2.2 && (m == 2 || m == 5), span < 0.5:
				label = number(m, e)
			}
			if m == 1 || span < 6 {
				out = append(out, plot.Tick{Value: v, Label: label})
			}
		}
	}
	return out
}

// number prints m·10^e.
func number(m, e int) string {
	if e >= -2 && e <= 3 {
		return strconv.FormatFloat(float64(m)*math.Pow10(e), 'f', max(0, -e), 64)
	}
	power := "10" + raised(e)
	if m == 1 {
		return power
	}
	return strconv.Itoa(m) + "·" + power
}

// raised prints an exponent in superscripts.
func raised(e int) string {
	return strings.Map(func(r rune) rune {
		if r == '-' {
			return '⁻'
		}
		return []rune("⁰¹²³⁴⁵⁶⁷⁸⁹")[r-'0']
	}, strconv.Itoa(e))
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
