package core

import (
	"fmt"

	"github.com/gram-machine/gram/lang/load"
	"github.com/gram-machine/gram/term"
)

// Arithmetic computes a op b on the natural numbers up to 2^53, exactly, or says why there is no result.
func Arithmetic(op term.StaticOp, a, b uint64) (c uint64, problem string) {
	switch op {
	case term.StaticAdd:
		if c = a + b; c <= load.MaxNat {
			return c, ""
		}
		return 0, fmt.Sprintf("%d + %d is larger than 2^53", a, b)
	case term.StaticSub:
		if a >= b {
			return a - b, ""
		}
		return 0, fmt.Sprintf("%d - %d is negative", a, b)
	default:
		if a == 0 || b <= load.MaxNat/a {
			return a * b, ""
		}
		return 0, fmt.Sprintf("%d * %d is larger than 2^53", a, b)
	}
}

// VectorSize says why a vector can't have n components, or is empty.
func VectorSize(n uint64) string {
	switch {
	case n == 0:
		return "this is 0, but a vector has at least one component"
	case n > load.MaxWidth:
		return fmt.Sprintf("a vector of %d components is too large", n)
	}
	return ""
}

// RangeLabel says that i is no index of a vector of n components, whose type is of.
func RangeLabel(i, n uint64, of string) string {
	if n == 1 {
		return fmt.Sprintf("%d is not an index of %s: its only one is 0", i, of)
	}
	return fmt.Sprintf("%d is not an index of %s: they go from 0 to %d", i, of, n-1)
}
