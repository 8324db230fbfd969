package bench

import (
	"fmt"
	"strings"
)

// Adversarial returns the programs that are made to be hard for a machine, computational
// graphs first.
func Adversarial() []Family {
	return []Family{Squares, DeadLets, Horner, TwoOutputs, Shadowed, DeepSum, Explosion, ExplosionUnfolded, LongList}
}

// Squares is n lets, each the square of the one before: its gradient is exponential without sharing, and without (11).
var Squares = written("squares", lets("x", "z{i-1} * z{i-1}")).ground()

// DeadLets has n lets on the way to the result, and n that nobody uses.
var DeadLets = written("dead lets", lets("x", "sin z{i-1} in\nlet d{i} = z{i-1} * z{i-1}")).ground()

// Horner is Horner's rule on numerals: half of the operands have a dual that is 0.
var Horner = written("horner", letsBy("1", func(i int) string {
	return fmt.Sprintf("z%d * x + %d", i-1,
		i%7)
})).ground()

// Constants and ConstantSquares are programs on numerals alone. Each operation leaves a dual of the numeral
// 0⃗ that has an argument: garbage, which in the squares is copied with the dual.
var (
	Constants       = upTo(5, 50, 100, "constants", lets("1", "neg z{i-1}")).ground()
	ConstantSquares = Family{Name: "constants squared", Ground: true, Source: lets("1", "z{i-1} * z{i-1}"),
		Quick: []int{1, 2, 3, 4, 5, 6, 7, 8}, Full: []int{1, 2, 3, 4, 5, 6, 7, 8, 9}}
)

// TwoOutputs has one z in two outputs: a Jacobian of two rows.
var TwoOutputs = written("two outputs", func(n int) string {
	s, z := cutLast(Chain.Source(n))
	return s + fmt.Sprintf("[| %s * x, %s + %s |]\n", z, z, z)
}).ground()

// Shadowed has one name for everything: n lets, each the sine of the one before.
var Shadowed = written("shadowed names", program("input x = 0.5\n", "let x = sin x in\n", "x\n")).ground()

// DeepSum is a sum of n summands of one input, in eight lanes nested to the left.
var DeepSum = upTo(50, 5000, 1_000_000, "deep sum", text("input x = 0.5\nsum i < {n} -> x\n")).ground()

// Explosion is u(i+1) = (λx.λf. f x x) ui, n times, of which one path is read: unfolded
// it has 2ⁿ symbols. ExplosionUnfolded is the same, read as a whole: m is exponential in n.
var (
	Explosion         = upTo(10, 200, 1000, "size explosion", explosion("p c{i-1}"))
	ExplosionUnfolded = doublingFamily("size explosion, unfolded", explosion("p c{i-1} + q c{i-1}"))
)

// explosion writes out n levels; read is how a level reads its two halves by c(i−1).
func explosion(read string) func(n int) string {
	level := line("let u{i} = double u{i-1} in\nlet c{i} = fun p q -> " + read + " in\n")
	first := "let u1 = double x in\nlet c1 = fun p q -> p * q in\n"
	return func(n int) string {
		levels := repeat(n, func(i int) string {
			if i == 1 {
				return first
			}
			return level(i)
		})
		return "input x = 0.5\ndef double x = fun f -> f x x\n" + levels + fmt.Sprintf("u%d c%d\n", n, n)
	}
}

// LongList is one fold over n numbers.
var LongList = upTo(1000, 100_000, 10_000_000, "long list",
	text("input w = 0.5\ndata xs : List R = list i < {n} -> 1 / (1 + i)\nfold (fun a s -> w * a + s) 0 xs\n"))

// Church is the Church numeral n applied to the numeral 2, and that to a function: m is exponential in n.
var Church = doublingFamily("numerals on numerals",
	text("input w = 0.5\ninput x = 1.1\niter #{n} #2 (fun y -> w * y + x) x\n"))

// Tower is k Church numerals 2, each applied to the next, and that to a function: a tower of k twos of applications.
var Tower = Family{Name: "a tower of numerals", Quick: []int{1, 2, 3}, Full: []int{1, 2, 3, 4},
	Source: func(n int) string {
		return "input w = 0.5\ninput x = 1.1\n(#2" + strings.Repeat(" #2", n-1) + ") (fun y -> w * y + x) x\n"
	}}

// Captures has 4n λs that nobody calls, each of which captures n values that come late:
// no step depends on a λ's body until it is called, but the machine captures what
// it mentions when the λ is made.
var Captures = Family{Name: "captures", Quick: []int{10, 14, 20, 30, 40, 60},
	Full: []int{10, 14, 20, 30, 40, 60, 80, 120, 160},
	Source: func(n int) string {
		mention := "let g%d = fun y -> y" + repeat(n, line(" + z{i}")) + " in\n"
		s, z := cutLast(withDefinition(lets("x", "f z{i-1}")(n), "let f = fun y -> sin y in\n"))
		return s + repeat(4*n, func(i int) string { return fmt.Sprintf(mention, i-1) }) + z + "\n"
	}}

// Untaken is n iterations of a function with a branch that is never taken and mentions n variables from
// outside: no step depends on the branch, but the machine captures what it mentions
// in each iteration.
var Untaken = upTo(50, 2000, 5000, "a branch not taken", func(n int) string {
	s, _ := cutLast(Chain.Source(n))
	return s + fmt.Sprintf("iter #%d (fun s -> if s < 0 then s%s else s + x) 1\n", n, repeat(n, line(" + z{i}")))
})

// ClosedLambdas binds and drops a tuple of n closed λs in each of n iterations: three steps, and copies of the n λs.
var ClosedLambdas = Family{Name: "closed λs", Quick: []int{10, 14, 20, 30, 40, 60},
	Full:   []int{10, 14, 20, 30, 40, 60, 80, 120, 160},
	Source: text("input x = 0.5\niter #{n} (fun y -> (fun p -> y) (vec i < {n} -> fun (z : R) -> z)) x\n")}

// Dropped bind and drop, in each of n iterations, a tuple of n numerals, one of n inputs, and a value of an inductive
// type with it.
var (
	DroppedNumerals = dropped("numerals that are dropped", "", "vec i < {n} -> i + 1")
	DroppedInputs   = dropped("inputs that are dropped", "", "vec i < {n} -> x")
	DroppedValues   = dropped("values that are dropped", "type t = C of R^{n}\n", "C (vec i < {n} -> x)")
)

func dropped(name, types, what string) Family {
	return upTo(50, 500, 1000, name, text(types+"input x = 0.5\niter #{n} (fun y -> (fun p -> y) ("+what+")) x\n"))
}

// Aliases gives a variable n names, AliasesInLoop in each of n iterations.
var (
	Aliases       = written("aliases", lets("x", "z{i-1}"))
	AliasesInLoop = upTo(50, 500, 500, "aliases in a loop", func(n int) string {
		return fmt.Sprintf("input x = 0.5\niter #%d (fun z0 -> %sz%d) x\n", n, repeat(n, line("let z{i} = z{i-1} in ")), n)
	})
)

// Powers has a binary symbol of numerals n times, one in the other, PowersInLoop one in each of n iterations: what
// takes most steps for each node of G.
var (
	Powers = upTo(50, 2000, 5000, "powers", func(n int) string {
		return "input x = 0.5\nx + " + strings.Repeat("pow (", n) + "1" + strings.Repeat(") 1", n) + "\n"
	})
	PowersInLoop = looped("powers in a loop", text("input x = 0.5\niter #{n} (fun y -> y + pow 1 1) x\n"))
)

// NestedDeclared has a declared symbol of three numerals n times, one in the other. The search of `gram bench
// --adversary` has found programs of this kind.
var NestedDeclared = upTo(50, 1000, 2000, "a declared symbol of numerals", func(n int) string {
	return declared + "input x = 0.5\nx + " + strings.Repeat("scale (", n) + "1" + strings.Repeat(") 2 3", n) + "\n"
})

const declared = "symbol blend x y = x * y + y with y, x + 1\nsymbol scale x y z = blend x y * z with y * z, (x + " +
	"1) * z, blend x y\n"

// Declared is n lets of a declared symbol of three parameters, whose partial derivatives are symbols of symbols.
var Declared = written("a declared symbol", func(n int) string {
	return declared + lets("x", "scale z{i-1} 2 3")(n)
})

// Unused has n inputs, none of which its graph uses.
var Unused = upTo(10, 1000, 5000, "unused inputs", func(n int) string { return vectorInput(n) + "1\n" })

// WaitingCalls are n calls of one function, each of which waits for the one before.
var WaitingCalls = upTo(50, 1000, 5000, "calls in a row", func(n int) string {
	return withDefinition(lets("x", "f z{i-1}")(n), "let f = fun z -> sin z in\n")
})

// LargeBodies are 200 calls of a function with n sines in a branch that is never
// taken.
var LargeBodies = upTo(50, 5000, 10_000, "large bodies", func(n int) string {
	f := "let f = fun z -> if z < -2 then z" + strings.Repeat(" + sin z", n) + " else sin z in\n"
	return withDefinition(lets("x", "f z{i-1}")(200), f)
})
