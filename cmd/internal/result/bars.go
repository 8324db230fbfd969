package result

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/gram-machine/gram/lang/load"
)

// bars are numbers with bars from zero.
type bars struct {
	Rows []bar
	Note string // what is left out
}

// bar is one of them. Left and Width are parts of the width for all.
type bar struct {
	Name string
	number
	Infinite          bool
	Left, Width, Zero string
}

// mostBars is how many bars a figure has.
const mostBars = 32

// newBars makes bars of values, of which name gives the names, at a scale of their own.
func newBars(values []float64, name func(i int) string) *bars {
	return newBarsAt(values, name, scaleOf(values))
}

// newBarsAt makes bars at a scale. Of too many, those of largest magnitude are shown, in
// their order; NaN goes first.
func newBarsAt(values []float64, name func(i int) string, s scale) *bars {
	var b bars
	shown := cut(values)
	if left := len(values) - len(shown); left > 0 {
		b.Note = fmt.Sprintf("The %d of largest magnitude are shown; %s smaller ones are left out.", mostBars,
			load.Grouped(uint64(left)))
	}
	texts := make([]string, len(shown))
	for k, i := range shown {
		texts[k] = short(values[i])
	}
	for k, text := range align(texts) {
		row := s.bar(values[shown[k]])
		row.Name, row.Text = name(shown[k]), text
		b.Rows = append(b.Rows, row)
	}
	return &b
}

// cut returns which values are shown.
func cut(values []float64) []int {
	order := make([]int, len(values))
	for i := range order {
		order[i] = i
	}
	if len(order) <= mostBars {
		return order
	}
	rank := func(i int) float64 {
		if x := values[i]; x == x {
			return math.Abs(x)
		}
		return math.Inf(1)
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(rank(j), rank(i)) })
	order = order[:mostBars]
	slices.Sort(order)
	return order
}

// scale maps numbers to a line. Numbers are divided by most first, as their differences may
// overflow; low ≤ 0 ≤ high are such quotients.
type scale struct{ most, low, high float64 }

// scaleOf returns the scale on which all values and zero have a place. An infinite one goes
// to the end of the line, which is beyond all finite ones.
func scaleOf(values []float64) scale {
	s := scale{most: largest(values)}
	if s.most == 0 {
		s.most = 1
	}
	for _, x := range values {
		switch {
		case x != x:
		case math.IsInf(x, 0):
			s.low, s.high = min(s.low, math.Copysign(1.2, x)), max(s.high, math.Copysign(1.2, x))
		default:
			s.low, s.high = min(s.low, x/s.most), max(s.high, x/s.most)
		}
	}
	if s.low == s.high {
		s.high = 1
	}
	return s
}

func (s scale) bar(x float64) bar {
	whole := s.high - s.low
	b := bar{number: newNumber(x), Infinite: math.IsInf(x, 0), Zero: percent(0-s.low, whole)}
	part := 0.0
	switch {
	case x != x:
	case b.Infinite:
		part = math.Copysign(1.2, x)
	default:
		part = x / s.most
	}
	b.Left, b.Width = percent(min(part, 0)-s.low, whole), percent(math.Abs(part), whole)
	return b
}
