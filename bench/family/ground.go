package family

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// Ground returns the families of computational graphs that are not adversarial.
func Ground() []Family {
	return []Family{Chain, Diamonds, FanOut, Fibonacci, SumLeft, SumRight, SumBalanced, LogSumExp, LeastSquares, RandomGraph}
}

// Chain is n lets, each the sine of the one before.
var Chain = sized(50, 5000, 500_000, "chain", lets("x", "sin z{i-1}")).ground()

// Diamonds is n times a node with two uses that come together again.
var Diamonds = written("diamonds", lets("x", "sin z{i-1} + cos z{i-1}")).ground()

// FanOut is one let that is used in n summands.
var FanOut = sized(50, 5000, 500_000, "fan-out", text("input x = 0.5\nlet z = sin x in\nsum i < {n} -> sin z\n")).ground()

// Fibonacci is n lets, each the product of the two before; unshared it has exponentially many uses.
var Fibonacci = written("fibonacci", letsBy("x", func(i int) string { return fmt.Sprintf("z%d * z%d", max(0, i-2), i-1) })).ground()

// SumLeft, SumRight and SumBalanced are x1 + … + xn for n inputs, bracketed in three ways.
var (
	SumLeft     = written("sum, nested left", func(n int) string { return vector(n) + "x.(0)" + repeat(n-1, line("\n  + x.({i})")) + "\n" }).ground()
	SumRight    = written("sum, nested right", func(n int) string { return vector(n) + nestedRight(n) }).ground()
	SumBalanced = written("sum, balanced", func(n int) string { return vector(n) + balanced(n, component("x.(%d)")) + "\n" }).ground()
)

// nestedRight is x.(0) + (x.(1) + …). It is written by definitions that use each other: parentheses may not nest so deep.
func nestedRight(n int) string {
	return fmt.Sprintf("def s1 _ = x.(%d)\n", n-1) +
		repeat(n-1, func(i int) string { return fmt.Sprintf("def s%d _ = x.(%d) + s%d 0\n", i+1, n-1-i, i) }) +
		fmt.Sprintf("s%d 0\n", n)
}

// component is a leaf of a sum with its number in it.
func component(form string) func(i int) string {
	return func(i int) string { return fmt.Sprintf(form, i) }
}

// LogSumExp is log (exp x1 + … + exp xn) for n inputs, and BalancedLogSumExp the same with a balanced sum.
var (
	LogSumExp         = written("log-sum-exp", func(n int) string { return vector(n) + fmt.Sprintf("log (sum i < %d -> exp x.(i))\n", n) }).ground()
	BalancedLogSumExp = written("log-sum-exp, balanced", func(n int) string {
		return vector(n) + "log (" + balanced(n, component("exp x.(%d)")) + ")\n"
	}).ground()
)

// LeastSquares is a sum of n squares of residuals, each linear in two of n inputs.
var LeastSquares = written("least squares", text(`param n = {n}
input x : R^n = vec i < n -> 1 / (1 + i)
input y = 1
sum i < n -> let r = (i + 1) * x.(i) - y in r * r
`)).ground()

// RandomGraph is n lets of random symbols of n/8 + 1 inputs. Each reads the one before it, so that all are
// live, and the binary ones a random earlier one or an input.
var RandomGraph = sized(50, 5000, 500_000, "random graph", func(n int) string {
	rng := rand.New(rand.NewPCG(uint64(n), 1))
	inputs := n/8 + 1
	forms := []string{"sin %s", "tanh %s", "0.5 * %s", "%s + %s", "%s - %s", "%s * %s", "min %s %s"}
	return vector(inputs) + "let z0 = x.(0) in\n" + repeat(n, func(i int) string {
		// Each form once in seven lets: then the costs of two sizes compare.
		if i%len(forms) == 1 {
			rng.Shuffle(len(forms), func(i, j int) { forms[i], forms[j] = forms[j], forms[i] })
		}
		form := forms[i%len(forms)]
		args := []any{i, fmt.Sprintf("z%d", i-1)}
		if strings.Count(form, "%s") == 2 {
			y := fmt.Sprintf("x.(%d)", rng.IntN(inputs))
			if rng.IntN(3) > 0 {
				y = fmt.Sprintf("z%d", rng.IntN(i))
			}
			args = append(args, y)
		}
		return fmt.Sprintf("let z%d = "+form+" in\n", args...)
	}) + fmt.Sprintf("z%d\n", n)
}).ground()

// wideTerms is the number of summands of [WideSum].
const wideTerms = 5000

// WideSum has a graph of one size, whatever n ≤ 5000 is: 5000 summands, of n inputs in turn.
var WideSum = sized(1, 500, wideTerms, "inputs in turn", func(n int) string {
	return vector(n) + balanced(wideTerms, func(i int) string { return fmt.Sprintf("sin x.(%d)", i%n) }) + "\n"
}).ground()

// Heads is a trunk of 2000 lets with n outputs, each of which depends on all of it.
var Heads = sized(10, 500, 2000, "heads", func(n int) string {
	s, z := cutLast(Chain.Source(2000))
	return s + fmt.Sprintf("vec i < %d -> sin ((i + 1) * %s)\n", n, z)
}).ground()

// Batch is a balanced sum of n networks of three neurons, which share their weights.
var Batch = written("batch", func(n int) string {
	network := func(i int) string { return fmt.Sprintf("tanh (w * sin (u * %d + v))", i+1) }
	return "input u = 0.5\ninput v = -0.25\ninput w = 0.75\n" + balanced(n, network) + "\n"
}).ground()
