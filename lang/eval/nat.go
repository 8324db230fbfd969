package eval

import (
	"fmt"

	"github.com/gram-machine/gram/lang/load"
	"github.com/gram-machine/gram/lang/syntax"
)

// Nat is a natural number that may depend on indices.
type Nat struct {
	c uint64
	f func(fr []value) uint64 // nil for the constant c
}

// Natural is the number n.
func Natural(n uint64) Nat { return Nat{c: n} }

func (n Nat) at(fr []value) uint64 {
	if n.f == nil {
		return n.c
	}
	return n.f(fr)
}

// Index is the index in a slot.
func Index(slot int) Nat { return Nat{f: func(fr []value) uint64 { return uint64(fr[slot].num) }} }

// Arithmetic is a op b.
func Arithmetic(at *At, op syntax.Token, a, b Nat) Nat {
	return Nat{f: func(fr []value) uint64 {
		c, problem := NatOp(op, a.at(fr), b.at(fr))
		if problem != "" {
			fail(at, "not a natural number", problem)
		}
		return c
	}}
}

// NatOp computes a op b on the natural numbers up to 2^53, exactly, or says why
// there is no result.
func NatOp(op syntax.Token, a, b uint64) (c uint64, problem string) {
	switch op {
	case syntax.PlusTok:
		if c = a + b; c <= load.MaxNat {
			return c, ""
		}
		return 0, fmt.Sprintf("%d + %d is larger than 2^53", a, b)
	case syntax.MinusTok:
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
