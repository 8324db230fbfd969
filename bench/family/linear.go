package family

import (
	"fmt"
	"strings"
)

// Handwritten returns families of programs that write backpropagators out by hand, with
// lin. Their gradients are their values.
func Handwritten() []Family { return []Family{DualChain, DualSum} }

// DualChain is the chain of sines with a dual for each, written by hand, which the next applies.
var DualChain = written("duals in a chain", program("input x = 0.5\nlet z0 = x in\nlet d0 = lin a -> a in\n",
	"let z{i} = sin z{i-1} in\nlet d{i} = lin a -> d{i-1} (cos z{i-1} * a) in\n", "(z{n}, d{n} 1)\n"))

// DualSum is one sum of n duals: they all wait at once for their turn to fire. Their order is mixed: neither the oldest
// first nor the youngest.
var DualSum = written("duals side by side", func(n int) string {
	head := program("input x = 0.5\nlet d0 = lin a -> a in\n", "let d{i} = lin a -> d0 (x * a) in\n", "")
	return head(n) + repeat(n, func(i int) string { return fmt.Sprintf("d%d 1 + ", 1+((i-1)*step(n))%n) }) + "d0 1\n"
})

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
