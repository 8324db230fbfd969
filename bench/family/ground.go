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

// Chain is n unary symbols, one after the other.
var Chain = sized(50, 5000, 500_000, Family{Name: "chain", Text: "n lets, each the sine of the one before", Ground: true,
	Source: func(n int) string {
		return lets("x", n, func(i int) string { return fmt.Sprintf("sin z%d", i-1) })
	}})

// Diamonds is n times a node with two uses that come together again.
var Diamonds = written(Family{Name: "diamonds", Text: "n lets, each the sum of sine and cosine of the one before", Ground: true,
	Source: func(n int) string {
		return lets("x", n, func(i int) string { return fmt.Sprintf("sin z%d + cos z%d", i-1, i-1) })
	}})

// FanOut is one node with n uses.
var FanOut = sized(50, 5000, 500_000, Family{Name: "fan-out", Text: "one let that is used in n summands", Ground: true,
	Source: func(n int) string {
		return fmt.Sprintf("input x = 0.5\nlet z = sin x in\nsum i < %d -> sin z\n", n)
	}})

// Fibonacci is n lets of which each uses the two before it; unshared it has
// exponentially many uses.
var Fibonacci = written(Family{Name: "fibonacci", Text: "n lets, each the product of the two before", Ground: true,
	Source: func(n int) string {
		return lets("x", n, func(i int) string { return fmt.Sprintf("z%d * z%d", max(0, i-2), i-1) })
	}})

// SumLeft, SumRight and SumBalanced are x1 + … + xn, bracketed in three ways.
var (
	SumLeft = written(Family{Name: "sum, nested left", Text: "(…(x1 + x2) + …) + xn, n inputs", Ground: true,
		Source: func(n int) string {
			var b strings.Builder
			b.WriteString(vector(n) + "x.(0)")
			for i := 1; i < n; i++ {
				fmt.Fprintf(&b, "\n  + x.(%d)", i)
			}
			return b.String() + "\n"
		}})
	SumRight = written(Family{Name: "sum, nested right", Text: "x1 + (x2 + (… + xn)), n inputs", Ground: true,
		Source: func(n int) string { return vector(n) + fmt.Sprintf("sum i < %d -> x.(i)\n", n) }})
	SumBalanced = written(Family{Name: "sum, balanced", Text: "a balanced tree of + over n inputs", Ground: true,
		Source: func(n int) string {
			var b strings.Builder
			b.WriteString(vector(n))
			balanced(&b, 0, n, func(i int) string { return fmt.Sprintf("x.(%d)", i) })
			return b.String() + "\n"
		}})
)

// balanced writes a balanced sum of leaves from to to − 1.
func balanced(b *strings.Builder, from, to int, leaf func(i int) string) {
	if to-from == 1 {
		b.WriteString(leaf(from))
		return
	}
	mid := (from + to) / 2
	b.WriteString("(")
	balanced(b, from, mid, leaf)
	b.WriteString("\n  + ")
	balanced(b, mid, to, leaf)
	b.WriteString(")")
}

// LogSumExp is the logarithm of a sum of n exponentials.
var LogSumExp = written(Family{Name: "log-sum-exp", Text: "log (exp x1 + … + exp xn), n inputs", Ground: true,
	Source: func(n int) string { return vector(n) + fmt.Sprintf("log (sum i < %d -> exp x.(i))\n", n) }})

// LeastSquares is a sum of n squares of residuals, each linear in two of n inputs.
var LeastSquares = written(Family{Name: "least squares", Text: "n squared residuals, each linear in two of n inputs", Ground: true,
	Source: func(n int) string {
		return fmt.Sprintf("param n = %d\ninput x : R^n = vec i < n -> 1 / (1 + i)\n"+
			"input y = 1\nsum i < n -> let r = (i + 1) * x.(i) - y in r * r\n", n)
	}})

// RandomGraph is n lets of random symbols. Each reads the one before it, so that all are
// live, and the binary ones a random earlier one or an input.
var RandomGraph = sized(50, 5000, 500_000, Family{Name: "random graph", Text: "n lets of random symbols of the let before and of random earlier ones, n/8 + 1 inputs", Ground: true,
	Source: func(n int) string {
		rng := rand.New(rand.NewPCG(uint64(n), 1))
		inputs := n/8 + 1
		var b strings.Builder
		b.WriteString(vector(inputs) + "let z0 = x.(0) in\n")
		forms := []string{"sin %s", "tanh %s", "0.5 * %s", "%s + %s", "%s - %s", "%s * %s", "min %s %s"}
		for i := 1; i <= n; i++ {
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
			fmt.Fprintf(&b, "let z%d = "+form+" in\n", args...)
		}
		fmt.Fprintf(&b, "z%d\n", n)
		return b.String()
	}})

// wideTerms is the number of summands of [WideSum].
const wideTerms = 5000

// WideSum has a graph of one size, whatever n ≤ 5000 is: 5000 summands, of n inputs in turn.
var WideSum = Family{Name: "inputs in turn", Text: "a sum of 5000 sines of n inputs in turn", Ground: true,
	Quick: Sizes(1, 500), Full: Sizes(1, wideTerms),
	Source: func(n int) string {
		var b strings.Builder
		b.WriteString(vector(n))
		balanced(&b, 0, wideTerms, func(i int) string { return fmt.Sprintf("sin x.(%d)", i%n) })
		return b.String() + "\n"
	}}

// Heads is a trunk of 2000 lets with n outputs, each of which depends on all of it.
var Heads = sized(10, 500, 2000, Family{Name: "heads", Text: "a trunk of 2000 lets under n outputs", Ground: true,
	Source: func(n int) string {
		s, z := cutLast(Chain.Source(2000))
		return s + fmt.Sprintf("vec i < %d -> sin ((i + 1) * %s)\n", n, z)
	}})

// BalancedLogSumExp is [LogSumExp] with a balanced sum.
var BalancedLogSumExp = written(Family{Name: "log-sum-exp, balanced", Text: "log of a balanced sum of n exponentials of inputs", Ground: true,
	Source: func(n int) string {
		var b strings.Builder
		b.WriteString(vector(n) + "log (")
		balanced(&b, 0, n, func(i int) string { return fmt.Sprintf("exp x.(%d)", i) })
		return b.String() + ")\n"
	}})

// Batch is the sum of a small network over n elements: they share their weights.
var Batch = written(Family{Name: "batch", Text: "a balanced sum of n networks of three neurons, which share their weights", Ground: true,
	Source: func(n int) string {
		var b strings.Builder
		b.WriteString("input u = 0.5\ninput v = -0.25\ninput w = 0.75\n")
		balanced(&b, 0, n, func(i int) string { return fmt.Sprintf("tanh (w * sin (u * %d + v))", i+1) })
		return b.String() + "\n"
	}})
