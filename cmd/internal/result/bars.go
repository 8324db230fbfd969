package result

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

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
	shown := foremost(len(values), mostBars, func(i int) float64 {
		if x := values[i]; x == x {
			return math.Abs(x)
		}
		return math.Inf(1)
	})
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

// foremost returns which of n things are shown where that is most of them at the most: those of highest rank, in their
// order.
func foremost(n, most int, rank func(i int) float64) []int {
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	if n > most {
		slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(rank(j), rank(i)) })
		order = order[:most]
		slices.Sort(order)
	}
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

// number is a number as the page shows it.
type number struct {
	Text  string // six digits
	Exact string // reads back to the same float64
	Class string // positive, negative, zero or none
}

func newNumber(x float64) number {
	n := number{short(x), exact(x), "zero"}
	switch {
	case x > 0:
		n.Class = "positive"
	case x < 0:
		n.Class = "negative"
	case x != x:
		n.Class = "none"
	}
	return n
}

func exact(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

// short is a number with six digits, and a minus sign for a hyphen.
func short(x float64) string {
	return strings.ReplaceAll(strconv.FormatFloat(x, 'g', 6, 64), "-", "−")
}

// align pads texts of numbers, for a column that is set flush right in a font of fixed
// width, such that their points stand below each other. What is no number stays as it is.
func align(texts []string) []string {
	behind := make([]int, len(texts))
	most := 0
	for i, s := range texts {
		if point := strings.IndexByte(s, '.'); point >= 0 {
			behind[i] = utf8.RuneCountInString(s[point:])
		}
		most = max(most, behind[i])
	}
	out := make([]string, len(texts))
	for i, s := range texts {
		out[i] = s
		if !strings.HasSuffix(s, "Inf") && s != "NaN" {
			out[i] += strings.Repeat(" ", most-behind[i])
		}
	}
	return out
}

// percent is a part of a whole as a length in CSS.
func percent(part, whole float64) string {
	if whole == 0 {
		return "0%"
	}
	return strconv.FormatFloat(100*part/whole, 'f', 2, 64) + "%"
}

// largest is the largest finite magnitude.
func largest(values []float64) float64 {
	m := 0.0
	for _, x := range values {
		if x == x && !math.IsInf(x, 0) {
			m = max(m, math.Abs(x))
		}
	}
	return m
}

// Norm is the Euclidean norm. It does not overflow where the squares would.
func Norm(values []float64) float64 {
	sum := 0.0
	for _, x := range values {
		sum = math.Hypot(sum, x)
	}
	return sum
}
