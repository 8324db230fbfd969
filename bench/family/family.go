package family

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Family is a family of programs by size.
type Family struct {
	Name string // unique
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

// sized is a family with the sizes from least on, up to quick and to full: 1, 2 and 5 times the powers of ten.
func sized(least, quick, full int, name string, source func(int) string) Family {
	return Family{Name: name, Source: source, Quick: Sizes(least, quick), Full: Sizes(least, full)}
}

// written is for programs with a line for each of n, which take longest to read; looped for those of which n is a number
// in the text; doubling for those whose cost doubles with n.
func written(name string, source func(int) string) Family {
	return sized(50, 5000, 100_000, name, source)
}

func looped(name string, source func(int) string) Family {
	return sized(1000, 100_000, 1_000_000, name, source)
}

func doubling(name string, source func(int) string) Family {
	f := Family{Name: name, Source: source, Doubles: true}
	for n := 2; n <= 16; n++ {
		f.Quick = append(f.Quick, n)
	}
	f.Full = f.Quick
	return f
}

// ground says that the programs are computational graphs.
func (f Family) ground() Family {
	f.Ground = true
	return f
}

// Sizes returns 1, 2 and 5 times the powers of ten, from least to most.
func Sizes(least, most int) []int {
	var out []int
	for p := 1; p <= most; p *= 10 {
		out = append(out, p, 2*p, 5*p)
	}
	return slices.DeleteFunc(out, func(n int) bool { return n < least || n > most })
}

// Programs are written with {n} for their size, and lines that are repeated with {i} for their number and {i-1} for the
// number before it.

// text is a program with its size in it.
func text(program string) func(n int) string {
	return func(n int) string { return strings.ReplaceAll(program, "{n}", strconv.Itoa(n)) }
}

// line is a line with its number in it.
func line(form string) func(i int) string {
	return func(i int) string {
		return strings.ReplaceAll(strings.ReplaceAll(form, "{i}", strconv.Itoa(i)), "{i-1}", strconv.Itoa(i-1))
	}
}

// repeat is the lines 1 to n.
func repeat(n int, line func(i int) string) string {
	var b strings.Builder
	for i := 1; i <= n; i++ {
		b.WriteString(line(i))
	}
	return b.String()
}

// program is a head, n lines of a form, and a last line.
func program(head, form, last string) func(n int) string {
	return func(n int) string { return text(head)(n) + repeat(n, line(form)) + text(last)(n) }
}

// lets is a program of input x with n + 1 lets: z0 is first, zi is of the form right, and zn the value.
func lets(first, right string) func(n int) string { return letsBy(first, line(right)) }

func letsBy(first string, right func(i int) string) func(n int) string {
	return func(n int) string {
		body := repeat(n, func(i int) string { return fmt.Sprintf("let z%d = %s in\n", i, right(i)) })
		return fmt.Sprintf("input x = 0.5\nlet z0 = %s in\n%sz%d\n", first, body, n)
	}
}

// withDefinition puts a line after the first line of a program, its input.
func withDefinition(source, definition string) string {
	return strings.Replace(source, "\n", "\n"+definition, 1)
}

// vector declares an input x of n numbers, none of which is 0.
func vector(n int) string {
	return fmt.Sprintf("input x : R^%d = vec i < %d -> 1 / (1 + i)\n", n, n)
}

// balanced is a balanced sum of n leaves.
func balanced(n int, leaf func(i int) string) string {
	var b strings.Builder
	var write func(from, to int)
	write = func(from, to int) {
		if to-from == 1 {
			b.WriteString(leaf(from))
			return
		}
		mid := (from + to) / 2
		b.WriteString("(")
		write(from, mid)
		b.WriteString("\n  + ")
		write(mid, to)
		b.WriteString(")")
	}
	write(0, n)
	return b.String()
}

// cutLast cuts the last line off a program.
func cutLast(s string) (before, last string) {
	s = strings.TrimRight(s, "\n")
	at := strings.LastIndexByte(s, '\n') + 1
	return s[:at], s[at:]
}
