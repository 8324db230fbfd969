package load

import (
	"math"
	"strconv"
	"strings"
)

func formatNumber(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

// parseNumber reads a decimal number with an optional sign and exponent; spaces
// around it are allowed. Otherwise it says what is wrong with the text.
func parseNumber(text string) (x float64, why string) {
	text = strings.TrimSpace(text)
	if text == "" {
		return 0, "is empty"
	}
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case '0' <= c && c <= '9', c == '.', c == '+', c == '-', c == 'e', c == 'E':
		default:
			// NaN, Inf, hexadecimal and underscores, which strconv knows.
			return 0, "is not a number"
		}
	}
	x, err := strconv.ParseFloat(text, 64)
	switch {
	case err == nil:
		return x, ""
	case math.IsInf(x, 0):
		return 0, "is too large for a number"
	}
	return 0, "is not a number"
}

// parseNatural reads a numeral with a natural value, 1e6 too.
func parseNatural(text string) (n uint64, why string) {
	x, why := parseNumber(text)
	switch {
	case why != "":
		return 0, why
	case x < 0 || x != math.Trunc(x):
		return 0, "is not a natural number"
	case x > MaxNat:
		return 0, "is larger than 2^53"
	}
	return uint64(x), ""
}
