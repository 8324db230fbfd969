package bench

import (
	"fmt"
	"math/rand/v2"
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

// upTo is a family with the sizes from least on, up to quick and to full: 1, 2 and 5 times the powers of ten.
func upTo(least, quick, full int, name string, source func(int) string) Family {
	return Family{Name: name, Source: source, Quick: Sizes(least, quick), Full: Sizes(least, full)}
}

// written is for programs with a line for each of n, which take longest to read; looped for those of which n is a
// number in the text; doublingFamily for those whose cost doubles with n.
func written(name string, source func(int) string) Family {
	return upTo(50, 5000, 100_000, name, source)
}

func looped(name string, source func(int) string) Family {
	return upTo(1000, 100_000, 1_000_000, name, source)
}

func doublingFamily(name string, source func(int) string) Family {
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

// vectorInput declares an input x of n numbers, none of which is 0.
func vectorInput(n int) string {
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

// Ground returns the families of computational graphs that are not adversarial.
func Ground() []Family {
	return []Family{Chain, Diamonds, FanOut, Fibonacci, SumLeft, SumRight, SumBalanced, LogSumExp, LeastSquares,
		RandomGraph}
}

// Chain is n lets, each the sine of the one before.
var Chain = upTo(50, 5000, 500_000, "chain", lets("x", "sin z{i-1}")).ground()

// Diamonds is n times a node with two uses that come together again.
var Diamonds = written("diamonds", lets("x", "sin z{i-1} + cos z{i-1}")).ground()

// FanOut is one let that is used in n summands.
var FanOut = upTo(50, 5000, 500_000, "fan-out",
	text("input x = 0.5\nlet z = sin x in\nsum i < {n} -> sin z\n")).ground()

// Fibonacci is n lets, each the product of the two before; unshared it has exponentially many uses.
var Fibonacci = written("fibonacci", letsBy("x", func(i int) string {
	return fmt.Sprintf("z%d * z%d", max(0, i-2),
		i-1)
})).ground()

// SumLeft, SumRight and SumBalanced are x1 + … + xn for n inputs, bracketed in three ways.
var (
	SumLeft = written("sum, nested left", func(n int) string {
		return vectorInput(n) + "x.(0)" +
			repeat(n-1, line("\n  + x.({i})")) + "\n"
	}).ground()
	SumRight    = written("sum, nested right", func(n int) string { return vectorInput(n) + nestedRight(n) }).ground()
	SumBalanced = written("sum, balanced", func(n int) string {
		return vectorInput(n) + balanced(n, component("x.(%d)")) +
			"\n"
	}).ground()
)

// nestedRight is x.(0) + (x.(1) + …). It is written by definitions that use each other: parentheses may not nest so
// deep.
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
	LogSumExp = written("log-sum-exp", func(n int) string {
		return vectorInput(n) +
			fmt.Sprintf("log (sum i < %d -> exp x.(i))\n", n)
	}).ground()
	BalancedLogSumExp = written("log-sum-exp, balanced", func(n int) string {
		return vectorInput(n) + "log (" + balanced(n, component("exp x.(%d)")) + ")\n"
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
var RandomGraph = upTo(50, 5000, 500_000, "random graph", func(n int) string {
	rng := rand.New(rand.NewPCG(uint64(n), 1))
	inputs := n/8 + 1
	forms := []string{"sin %s", "tanh %s", "0.5 * %s", "%s + %s", "%s - %s", "%s * %s", "min %s %s"}
	return vectorInput(inputs) + "let z0 = x.(0) in\n" + repeat(n, func(i int) string {
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
var WideSum = upTo(1, 500, wideTerms, "inputs in turn", func(n int) string {
	return vectorInput(n) + balanced(wideTerms, func(i int) string { return fmt.Sprintf("sin x.(%d)", i%n) }) + "\n"
}).ground()

// Heads is a trunk of 2000 lets with n outputs, each of which depends on all of it.
var Heads = upTo(10, 500, 2000, "heads", func(n int) string {
	s, z := cutLast(Chain.Source(2000))
	return s + fmt.Sprintf("vec i < %d -> sin ((i + 1) * %s)\n", n, z)
}).ground()

// Batch is a balanced sum of n networks of three neurons, which share their weights.
var Batch = written("batch", func(n int) string {
	network := func(i int) string { return fmt.Sprintf("tanh (w * sin (u * %d + v))", i+1) }
	return "input u = 0.5\ninput v = -0.25\ninput w = 0.75\n" + balanced(n, network) + "\n"
}).ground()

// Constructors returns a family for each constructor of the calculus: n of it. Most are n lets of one form of the one
// before.
func Constructors() []Family {
	return []Family{
		written("unary symbols", lets("x", "sin z{i-1}")),
		written("binary symbols", lets("x", "max z{i-1} x")),
		written("products", lets("x", "z{i-1} * x")),
		written("sums", lets("x", "z{i-1} + x")),
		written("numerals", lets("x", "z{i-1} + 2")),
		written("λ and application", lets("x", "(fun y -> y) z{i-1}")),
		written("pairs", lets("x", "(let (a, b) = (z{i-1}, x) in a + b)")),
		written("conditionals", lets("x", "(if z{i-1} < x then z{i-1} else x)")),
		written("a vector", text("input x = 0.5\nlet v = vec i < {n} -> x in\nsum i < {n} -> v.(i)\n")),
		written("a list", text("input x = 0.5\nfold (fun a s -> s + a) 0 (list i < {n} -> x)\n")),
		looped("a numeral", text("input x = 0.5\niter #{n} (fun s -> s + x) 0\n")),
	}
}

// EveryRule is n rounds of lets in which each rule of β fires.
var EveryRule = upTo(1, 10, 50, "every rule", program("input x = 0.5\nlet z = x in\n",
	"let a = z + 3 in let b = a * 4 in let c = max (b - 1) 2 in let (p, q) = (c, a) in\n"+
		"let f = fun y -> y in let e = f p in let z = (if e < q then e else q) in\n", "z\n"))

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

// The examples by which papers on other methods show what these cost.
var (
	// Doubled has 2ⁿ paths to its input: Smeding and Vákár, and Krawiec et al., on dual numbers.
	Doubled = written("doubled", lets("x", "z{i-1} + z{i-1}")).ground()
	// Projections reads each component of a tuple of n numbers: Vákár and Smeding, on CHAD.
	Projections = written("projections", text("input x = 0.5\nlet v = vec i < {n} -> sin x in\nsum i < {n} -> v.(i)\n"))
)
