package report

import (
	"fmt"
	"math"
	"strconv"

	"github.com/gram-machine/gram/bench"
	"github.com/gram-machine/gram/lang/load"
)

// figure prints a quantity: integers in groups of three digits, other numbers with four digits.
func figure(x float64) string {
	if x == math.Trunc(x) && math.Abs(x) < 1<<53 {
		return grouped(int64(x))
	}
	if math.Abs(x) >= 1000 {
		return grouped(int64(math.Round(x)))
	}
	return strconv.FormatFloat(x, 'g', 4, 64)
}

// grouped prints 1234567 as 1 234 567.
func grouped(n int64) string {
	if n < 0 {
		return "−" + load.Grouped(uint64(-n))
	}
	return load.Grouped(uint64(n))
}

// constant prints a constant, rounded up to three digits.
func constant(c float64) string {
	if c == 0 {
		return "0"
	}
	unit := math.Pow(10, math.Floor(math.Log10(c))-2)
	return figure(math.Ceil(c/unit*(1-1e-9)) * unit)
}

// exponent prints the exponent of a finding with its interval.
func exponent(f *bench.Finding) string {
	law := f.Series.Law
	switch {
	case law.Kind == bench.Equal:
		return "equal"
	case law.Kind == bench.Below:
		return "–"
	case !f.Fitted:
		return "–"
	case law.Kind == bench.Exponential:
		return fmt.Sprintf("2^(%s·x)", spread(f.Exponent, f.Half, 2))
	}
	return spread(f.Exponent, f.Half, 3)
}

// spread prints x ± half, half rounded up.
func spread(x, half float64, digits int) string {
	unit := math.Pow(10, float64(-digits))
	value := signed(x, digits)
	switch {
	case half < unit*1e-3:
		return value
	case math.IsInf(half, 0) || math.IsNaN(half):
		return value + " ± ?"
	}
	return fmt.Sprintf("%s ± %.*f", value, digits, math.Ceil(half/unit)*unit)
}

// signed prints x with so many decimals; never −0.
func signed(x float64, digits int) string {
	text := strconv.FormatFloat(math.Abs(x), 'f', digits, 64)
	if x < 0 && math.Abs(x) >= math.Pow(10, float64(-digits))/2 {
		return "−" + text
	}
	return text
}

// percent prints a relative residual.
func percent(r float64) string {
	switch {
	case r < 1e-8:
		return "0 %"
	case r < 0.0001:
		return "< 0.01 %"
	case r >= 10:
		return "> 1000 %"
	}
	digits := max(0, 1-int(math.Floor(math.Log10(100*r))))
	return strconv.FormatFloat(100*r, 'f', digits, 64) + " %"
}

// law is the law of a series with its quantities and its condition: "steps = Θ(|G|)".
func law(s *bench.Series) string {
	text := s.Y + " = " + s.Law.Of(s.X)
	if s.Law.Kind == bench.Below {
		text = s.Y + " ≤ " + s.X
	}
	if s.If != "" {
		text += ", if " + s.If
	}
	return text
}
