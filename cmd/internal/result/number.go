package result

import (
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

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

// magnitude is |x|, 0 for NaN.
func magnitude(x float64) float64 {
	if x != x {
		return 0
	}
	return math.Abs(x)
}

// largest is the largest finite magnitude.
func largest(values []float64) float64 {
	m := 0.0
	for _, x := range values {
		if !math.IsInf(x, 0) {
			m = max(m, magnitude(x))
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
