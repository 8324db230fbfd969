package family

import (
	"fmt"
	"strings"
)

// Adversarial returns the programs that are made to be hard for a machine, computational
// graphs first.
func Adversarial() []Family {
	return []Family{Squares, DeadLets, Horner, TwoOutputs, Shadowed, DeepSum, Explosion, ExplosionUnfolded, LongList}
}

// Squares is z·z, n times: its gradient is exponential without sharing, and without (11).
var Squares = written(Family{Name: "squares", Text: "n lets, each the square of the one before", Ground: true,
	Source: func(n int) string {
		return lets("x", n, func(i int) string { return fmt.Sprintf("z%d * z%d", i-1, i-1) })
	}})

// DeadLets has n lets that nobody uses.
var DeadLets = written(Family{Name: "dead lets", Text: "n lets on the way to the result, and n that nobody uses", Ground: true,
	Source: func(n int) string {
		return lets("x", n, func(i int) string {
			return fmt.Sprintf("sin z%d in\nlet d%d = z%d * z%d", i-1, i, i-1, i-1)
		})
	}})

// Horner is Horner's rule on numerals: half of the operands have a dual that is 0.
var Horner = written(Family{Name: "horner", Text: "a polynomial of degree n by Horner's rule, with numerals for coefficients", Ground: true,
	Source: func(n int) string {
		return lets("1", n, func(i int) string { return fmt.Sprintf("z%d * x + %d", i-1, i%7) })
	}})

// Constants and ConstantSquares are programs on numerals alone. Each operation leaves a dual of the numeral
// 0⃗ that has an argument: garbage, which in the squares is copied with the dual.
var (
	Constants = sized(5, 50, 100, Family{Name: "constants", Text: "n lets, each the negative of the one before, the first a numeral", Ground: true,
		Source: func(n int) string { return lets("1", n, func(i int) string { return fmt.Sprintf("neg z%d", i-1) }) }})
	ConstantSquares = Family{Name: "constants squared", Text: "n lets, each the square of the one before, the first a numeral", Ground: true,
		Quick: []int{1, 2, 3, 4, 5, 6, 7, 8}, Full: []int{1, 2, 3, 4, 5, 6, 7, 8, 9},
		Source: func(n int) string {
			return lets("1", n, func(i int) string { return fmt.Sprintf("z%d * z%d", i-1, i-1) })
		}}
)

// TwoOutputs has one z in two outputs: a Jacobian of two rows.
var TwoOutputs = written(Family{Name: "two outputs", Text: "a chain of n lets whose end is in two outputs", Ground: true,
	Source: func(n int) string {
		s, z := cutLast(Chain.Source(n))
		return s + fmt.Sprintf("[| %s * x, %s + %s |]\n", z, z, z)
	}})

// Shadowed has one name for everything.
var Shadowed = written(Family{Name: "shadowed names", Text: "n lets of one name, each the sine of the one before", Ground: true,
	Source: func(n int) string {
		return "input x = 0.5\n" + strings.Repeat("let x = sin x in\n", n) + "x\n"
	}})

// DeepSum is a sum of n summands of one input, nested to the right.
var DeepSum = sized(50, 5000, 1_000_000, Family{Name: "deep sum", Text: "x + (x + (… + x)), n summands of one input", Ground: true,
	Source: func(n int) string { return fmt.Sprintf("input x = 0.5\nsum i < %d -> x\n", n) }})

// Explosion is u(i+1) = (λx.λf. f x x) ui, n times, of which one path is read: unfolded
// it has 2ⁿ symbols.
var Explosion = sized(10, 200, 1000, Family{Name: "size explosion", Text: "(λx.λf. f x x) applied n times, one path of whose 2ⁿ is read",
	Source: func(n int) string { return explosion(n, "p c%d") }})

// ExplosionUnfolded is the same, read as a whole: m is exponential in n.
var ExplosionUnfolded = doubling(Family{Name: "size explosion, unfolded", Text: "(λx.λf. f x x) applied n times, all of whose 2ⁿ leaves are read",
	Source: func(n int) string { return explosion(n, "p c%d + q c%d") }})

// doubling gives a family whose cost doubles with n its sizes.
func doubling(f Family) Family {
	for n := 2; n <= 16; n++ {
		f.Quick = append(f.Quick, n)
	}
	f.Full, f.Doubles = f.Quick, true
	return f
}

// explosion writes out n levels; read is how a level reads its two halves by c(i−1).
func explosion(n int, read string) string {
	var b strings.Builder
	b.WriteString("input x = 0.5\ndef double x = fun f -> f x x\nlet u1 = double x in\nlet c1 = fun p q -> p * q in\n")
	for i := 2; i <= n; i++ {
		args := make([]any, strings.Count(read, "%d"))
		for j := range args {
			args[j] = i - 1
		}
		fmt.Fprintf(&b, "let u%d = double u%d in\nlet c%d = fun p q -> "+read+" in\n", append([]any{i, i - 1, i}, args...)...)
	}
	fmt.Fprintf(&b, "u%d c%d\n", n, n)
	return b.String()
}

// LongList is one fold over n numbers.
var LongList = sized(1000, 100_000, 10_000_000, Family{Name: "long list", Text: "a fold over a list of n numbers",
	Source: func(n int) string {
		return fmt.Sprintf("input w = 0.5\ndata xs : List R = list i < %d -> 1 / (1 + i)\nfold (fun a s -> w * a + s) 0 xs\n", n)
	}})

// Church is the Church numeral n applied to the numeral 2: m is exponential in n.
var Church = doubling(Family{Name: "numerals on numerals", Text: "the Church numeral n applied to the numeral 2, and that to a function",
	Source: func(n int) string {
		return fmt.Sprintf("input w = 0.5\ninput x = 1.1\niter #%d #2 (fun y -> w * y + x) x\n", n)
	}})

// Tower is k Church numerals 2, each applied to the next: a tower of k twos of applications.
var Tower = Family{Name: "a tower of numerals", Text: "n numerals 2, each applied to the next, and that to a function", Quick: []int{1, 2, 3}, Full: []int{1, 2, 3, 4},
	Source: func(n int) string {
		return "input w = 0.5\ninput x = 1.1\n(#2" + strings.Repeat(" #2", n-1) + ") (fun y -> w * y + x) x\n"
	}}

// Captures has 4n λs that nobody calls, each of which captures n values that come late:
// steps take no notice of a λ's body until it is called, but the machine captures what
// it mentions when the λ is made.
var Captures = Family{Name: "captures", Text: "n late values, and 4n λs that mention all of them and that nobody calls",
	Quick: []int{10, 14, 20, 30, 40, 60}, Full: []int{10, 14, 20, 30, 40, 60, 80, 120, 160},
	Source: func(n int) string {
		var b, body strings.Builder
		b.WriteString("input x = 0.5\nlet f = fun y -> sin y in\nlet z0 = x in\n")
		for i := 1; i <= n; i++ {
			fmt.Fprintf(&b, "let z%d = f z%d in\n", i, i-1)
			fmt.Fprintf(&body, " + z%d", i)
		}
		for i := range 4 * n {
			fmt.Fprintf(&b, "let g%d = fun y -> y%s in\n", i, body.String())
		}
		fmt.Fprintf(&b, "z%d\n", n)
		return b.String()
	}}

// Untaken is a loop with a branch that is never taken and mentions n variables from
// outside: steps take no notice of the branch, but the machine captures what it mentions
// in each iteration.
var Untaken = sized(50, 2000, 5000, Family{Name: "a branch not taken", Text: "n iterations of a function with a branch that mentions n variables and is never taken",
	Source: func(n int) string {
		var b, branch strings.Builder
		b.WriteString("input x = 0.5\nlet z0 = x in\n")
		for i := 1; i <= n; i++ {
			fmt.Fprintf(&b, "let z%d = sin z%d in\n", i, i-1)
			fmt.Fprintf(&branch, " + z%d", i)
		}
		fmt.Fprintf(&b, "iter #%d (fun s -> if s < 0 then s%s else s + x) 1\n", n, branch.String())
		return b.String()
	}})

// WaitingCalls are n calls of one function, each of which waits for the one before.
var WaitingCalls = sized(50, 1000, 5000, Family{Name: "calls in a row", Text: "n calls of a function, each of which waits for the one before",
	Source: func(n int) string {
		return behindInputs(lets("x", n, func(i int) string { return fmt.Sprintf("f z%d", i-1) }), "let f = fun z -> sin z in\n")
	}})

// LargeBodies are 200 calls of a function with n sines in a branch that is never
// taken.
var LargeBodies = sized(50, 5000, 10_000, Family{Name: "large bodies", Text: "200 calls of a function with n sines in a branch that is never taken",
	Source: func(n int) string {
		f := "let f = fun z -> if z < -2 then z" + strings.Repeat(" + sin z", n) + " else sin z in\n"
		return behindInputs(lets("x", 200, func(i int) string { return fmt.Sprintf("f z%d", i-1) }), f)
	}})
