package family

import (
	"fmt"
	"strings"
)

// Family is a family of programs by size.
type Family struct {
	Name string // unique
	Text string // what the program of size n is, in one clause
	// Source is the program of size n ≥ 1, in the language of gram.
	Source func(n int) string
	// Ground says that the programs are computational graphs: ground terms of section
	// 5.1, or tuples of them.
	Ground bool
	// Doubles says that what a program costs doubles with n.
	Doubles bool
	// Quick and Full are the sizes at which it is measured, ascending; Full has those of
	// Quick.
	Quick, Full []int
}

// sized gives a family the sizes from least on, up to quick and to full: 1, 2 and 5 times
// the powers of ten.
func sized(least, quick, full int, f Family) Family {
	f.Quick, f.Full = Sizes(least, quick), Sizes(least, full)
	return f
}

// written is for programs with a line for each of n, which take longest to read; looped
// for those of which n is a number in the text.
func written(f Family) Family { return sized(50, 5000, 100_000, f) }
func looped(f Family) Family  { return sized(1000, 100_000, 1_000_000, f) }

// Sizes returns 1, 2 and 5 times the powers of ten, from least to most.
func Sizes(least, most int) []int {
	var out []int
	for p := 1; p <= most; p *= 10 {
		for _, k := range []int{1, 2, 5} {
			if n := k * p; least <= n && n <= most {
				out = append(out, n)
			}
		}
	}
	return out
}

// lets is a program of input x with n + 1 lets: z0 is first, zi is right(i), and zn the
// value.
func lets(first string, n int, right func(i int) string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "input x = 0.5\nlet z0 = %s in\n", first)
	for i := 1; i <= n; i++ {
		fmt.Fprintf(&b, "let z%d = %s in\n", i, right(i))
	}
	fmt.Fprintf(&b, "z%d\n", n)
	return b.String()
}

// behindInputs puts a definition behind the first line of a program, its input.
func behindInputs(source, def string) string {
	input, rest, _ := strings.Cut(source, "\n")
	return input + "\n" + def + rest
}

// vector declares an input x of n numbers, none of which is 0.
func vector(n int) string {
	return fmt.Sprintf("input x : R^%d = vec i < %d -> 1 / (1 + i)\n", n, n)
}

// cutLast cuts the last line off a program.
func cutLast(s string) (before, last string) {
	s = strings.TrimRight(s, "\n")
	at := strings.LastIndexByte(s, '\n') + 1
	return s[:at], s[at:]
}
