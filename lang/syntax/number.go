package syntax

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// ErrNotNumber is wrapped by the errors of [ParseNumber] for text that is no number.
var ErrNotNumber = errors.New("not a number")

// ErrNotFinite is wrapped by the errors of [ParseNumber] for a number that no float64 holds.
var ErrNotFinite = errors.New("too large for a float64")

// ParseNumber reads a decimal number with an optional sign and an optional
// exponent, as data files and the command line give it. Hexadecimal numbers,
// underscores, NaN and infinities are not numbers.
func ParseNumber(text string) (float64, error) {
	v, err := strconv.ParseFloat(text, 64)
	switch decimal := strings.Trim(text, "0123456789+-.eE") == ""; {
	case decimal && errors.Is(err, strconv.ErrRange):
		return 0, fmt.Errorf("%s is %w", clip(text), ErrNotFinite)
	case !decimal || err != nil:
		return 0, fmt.Errorf("%q is %w", clip(text), ErrNotNumber)
	}
	return v, nil
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
