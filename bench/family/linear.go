package family

import (
	"fmt"
	"strings"
)

// Handwritten returns families of programs that write backpropagators out by hand, with
// lin. Their gradients are their values.
func Handwritten() []Family { return []Family{DualChain, DualSum} }

// DualChain is the chain of sines with its duals, each of which mentions the one before.
var DualChain = written(Family{Name: "duals in a chain", Text: "n lets with a dual each, written by hand, each dual applied in the next",
	Source: func(n int) string {
		var b strings.Builder
		b.WriteString("input x = 0.5\nlet z0 = x in\nlet d0 = lin a -> a in\n")
		for i := 1; i <= n; i++ {
			fmt.Fprintf(&b, "let z%d = sin z%d in\nlet d%d = lin a -> d%d (cos z%d * a) in\n", i, i-1, i, i-1, i-1)
		}
		fmt.Fprintf(&b, "(z%d, d%d 1)\n", n, n)
		return b.String()
	}})

// DualSum is one sum of n duals: they all wait at once for their turn to fire.
var DualSum = written(Family{Name: "duals side by side", Text: "a sum of n duals, written by hand, which wait for their turn at the same time",
	Source: func(n int) string {
		var b strings.Builder
		b.WriteString("input x = 0.5\nlet d0 = lin a -> a in\n")
		for i := 1; i <= n; i++ {
			fmt.Fprintf(&b, "let d%d = lin a -> d0 (x * a) in\n", i)
		}
		// The order is mixed: neither the oldest first nor the youngest.
		for i := range n {
			fmt.Fprintf(&b, "d%d 1 + ", 1+(i*step(n))%n)
		}
		b.WriteString("d0 1\n")
		return b.String()
	}})

// step is a number without a common divisor with n, near n/φ.
func step(n int) int {
	for s := max(1, n*618/1000); ; s++ {
		a, b := s, n
		for b > 0 {
			a, b = b, a%b
		}
		if a == 1 {
			return s
		}
	}
}

// Injected is the program D(t) of the text of a stage reverse, whose inputs carry
// injections into R^n, with its backpropagator applied to 1: the first way to read the
// gradient (after Cor. gradient).
func Injected(reverse string) string {
	lines := strings.SplitAfter(reverse, "\n")
	at := 0
	for at < len(lines) && !startsBody(lines[at]) {
		at++
	}
	return strings.Join(lines[:at], "") + "let (y, y') =\n  " + strings.Join(lines[at:], "  ") + " in (y, y' 1)\n"
}

// startsBody tells the line with which the body of a program starts.
func startsBody(line string) bool {
	for _, no := range []string{" ", "\n", "input ", "data ", "param ", "def "} {
		if strings.HasPrefix(line, no) {
			return false
		}
	}
	return line != ""
}

// Composed composes functions that use their argument once.
var Composed = sized(10, 500, 1000, Family{Name: "composed functions", Text: "n functions t = sin ∘ t, each bound by a let",
	Source: func(n int) string {
		var b strings.Builder
		b.WriteString("input x = 0.5\nlet t0 = fun x -> x in\n")
		for i := 1; i <= n; i++ {
			fmt.Fprintf(&b, "let t%d = fun x -> sin (t%d x) in\n", i, i-1)
		}
		fmt.Fprintf(&b, "t%d x\n", n)
		return b.String()
	}})

// ComposedSquares composes functions that use their argument twice.
var ComposedSquares = sized(10, 500, 1000, Family{Name: "composed squares", Text: "n functions t = f ∘ t with f y = y·y, each bound by a let",
	Source: func(n int) string {
		var b strings.Builder
		b.WriteString("input x = 0.5\nlet t0 = fun x -> x in\n")
		for i := 1; i <= n; i++ {
			fmt.Fprintf(&b, "let t%d = fun x -> let y = t%d x in y * y in\n", i, i-1)
		}
		fmt.Fprintf(&b, "t%d x\n", n)
		return b.String()
	}})
