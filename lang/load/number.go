package load

import (
	"errors"
	"math"
	"strings"

	"github.com/gram-machine/gram/lang/syntax"
)

// parseNumber is [syntax.ParseNumber] with spaces around the number allowed. If
// the text is no number, why completes a sentence that starts with the text.
func parseNumber(text string) (x float64, why string) {
	text = strings.TrimSpace(text)
	if text == "" {
		return 0, "is empty"
	}
	x, err := syntax.ParseNumber(text)
	switch {
	case err == nil:
		return x, ""
	case errors.Is(err, syntax.ErrNotFinite):
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
