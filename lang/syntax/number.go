package syntax

import (
	"errors"
	"fmt"
	"math"
	"strconv"
)

// ErrNotNumber is wrapped by the errors of [ParseNumber] for text that is no number.
var ErrNotNumber = errors.New("not a number")

// ErrNotFinite is wrapped by the errors of [ParseNumber] for a number that no float64 holds.
var ErrNotFinite = errors.New("too large for a float64")

// ParseNumber reads a decimal number with an optional sign and an optional
// exponent, as data files and the command line give it. Hexadecimal numbers,
// underscores, NaN and infinities are not numbers.
func ParseNumber(text string) (float64, error) {
	if !isDecimal(text) {
		return 0, fmt.Errorf("%q is %w", clip(text), ErrNotNumber)
	}
	v, err := strconv.ParseFloat(text, 64)
	if math.IsInf(v, 0) {
		return 0, fmt.Errorf("%s is %w", clip(text), ErrNotFinite)
	}
	if err != nil {
		return 0, fmt.Errorf("%q is %w", clip(text), ErrNotNumber)
	}
	return v, nil
}

// isDecimal matches [+-]? (d+ (. d*)? | . d+) ([eE] [+-]? d+)?.
func isDecimal(s string) bool {
	i := sign(s, 0)
	j := digits(s, i)
	n := j - i
	if j < len(s) && s[j] == '.' {
		k := digits(s, j+1)
		n += k - (j + 1)
		j = k
	}
	if n == 0 {
		return false
	}
	if j < len(s) && (s[j] == 'e' || s[j] == 'E') {
		i = sign(s, j+1)
		if j = digits(s, i); i == j {
			return false
		}
	}
	return j == len(s)
}

func sign(s string, i int) int {
	if i < len(s) && (s[i] == '+' || s[i] == '-') {
		i++
	}
	return i
}

func digits(s string, i int) int {
	for i < len(s) && isDigit(s[i]) {
		i++
	}
	return i
}

// clip shortens text that an error message quotes.
func clip(s string) string { return Clip(s, 40) }

// Clip cuts text that has more runes than most, and marks the place.
func Clip(s string, most int) string {
	n := 0
	for i := range s {
		if n++; n > most {
			return s[:i] + "…"
		}
	}
	return s
}
