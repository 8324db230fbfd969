package bench

import (
	_ "embed"
	"fmt"
	"math/big"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"
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

// familiesText has the families whose programs are written there.
//
//go:embed families.txt
var familiesText string

// family has the families of [familiesText] by their names.
var family = readFamilies(familiesText)

func readFamilies(text string) map[string]Family {
	out := map[string]Family{}
	for _, section := range strings.Split(text, "\n\n# ")[1:] {
		head, program, _ := strings.Cut(section, "\n")
		for strings.HasPrefix(program, "# ") {
			_, program, _ = strings.Cut(program, "\n")
		}
		fields := strings.Split(head, " | ")
		write := sync.OnceValue(func() pattern {
			wholeLine := regexp.MustCompile(`(?m)^«([^«»]*)»\n`) // is repeated with its end
			write, _ := parsePattern(wholeLine.ReplaceAllString(strings.TrimRight(program, "\n")+"\n", "«$1\n»"))
			return write
		})
		out[fields[0]] = Family{Name: fields[0], Quick: parseSizes(fields[1]), Full: parseSizes(fields[2]),
			Ground: strings.Contains(head, "| graphs"), Doubles: strings.Contains(head, "| doubles"),
			Source: func(n int) string {
				var b strings.Builder
				write()(&b, n, 0)
				return b.String()
			}}
	}
	return out
}

// parseSizes reads sizes: all numbers of a range 2-16, those of [Sizes] of a range 50..5000, or a list.
func parseSizes(text string) (out []int) {
	if from, to, ok := strings.Cut(text, ".."); ok {
		return Sizes(natural(from), natural(to))
	}
	if from, to, ok := strings.Cut(text, "-"); ok {
		return counting(natural(from), natural(to))
	}
	for _, n := range strings.Fields(text) {
		out = append(out, natural(n))
	}
	return out
}

func natural(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil {
		panic(err)
	}
	return n
}

// pattern writes a program of size n, or the i-th time a part that is repeated.
type pattern func(b *strings.Builder, n, i int)

// parsePattern reads the text of a program, or of a part of one with the bracket behind it. It returns what follows.
func parsePattern(text string) (write pattern, rest string) {
	var parts []pattern
	write = func(b *strings.Builder, n, i int) {
		for _, part := range parts {
			part(b, n, i)
		}
	}
	for {
		before, bracket, after := text, "", ""
		if at := strings.IndexAny(text, "{«»‹›"); at >= 0 { // the brackets of the parts
			_, width := utf8.DecodeRuneInString(text[at:])
			before, bracket, after = text[:at], text[at:at+width], text[at+width:]
		}
		parts = append(parts, func(b *strings.Builder, _, _ int) { b.WriteString(before) })
		switch bracket {
		case "{":
			number, behind, _ := strings.Cut(after, "}")
			parts = append(parts, func(b *strings.Builder, n, i int) { b.WriteString(strconv.Itoa(evaluate(number, n, i))) })
			text = behind
		case "«", "‹":
			times := "n" // how often it is repeated or summed, if no number in brackets says that
			if strings.HasPrefix(after, "[") {
				times, after, _ = strings.Cut(after[1:], "]")
			}
			body, behind := parsePattern(after)
			parts = append(parts, func(b *strings.Builder, n, _ int) {
				if bracket == "‹" {
					body.balanced(b, n, 0, evaluate(times, n, 0))
					return
				}
				for i := range evaluate(times, n, 0) {
					body(b, n, i+1)
				}
			})
			text = behind
		default:
			return write, after
		}
	}
}

// balanced writes the summands from + 1 to to of a balanced sum.
func (p pattern) balanced(b *strings.Builder, n, from, to int) {
	if to-from == 1 {
		p(b, n, to)
		return
	}
	mid := (from + to) / 2
	b.WriteString("(")
	p.balanced(b, n, from, mid)
	b.WriteString("\n  + ")
	p.balanced(b, n, mid, to)
	b.WriteString(")")
}

// evaluate is n, i or a numeral, or such with +, -, *, / or % between them, from left to right: what is less than 0
// is 0.
func evaluate(number string, n, i int) int {
	at := strings.LastIndexAny(number, "+-*/%")
	switch {
	case at >= 0:
	case number == "n":
		return n
	case number == "i":
		return i
	default:
		return natural(number)
	}
	left, right := evaluate(number[:at], n, i), evaluate(number[at+1:], n, i)
	switch number[at] {
	case '+':
		return left + right
	case '-':
		return max(0, left-right)
	case '*':
		return left * right
	case '/':
		return left / right
	}
	return left % right
}

// The families that the claims and their tests name.
var (
	Chain             = family["chain"]
	Diamonds          = family["diamonds"]
	FanOut            = family["fan-out"]
	Fibonacci         = family["fibonacci"]
	SumRight          = family["sum, nested right"]
	SumBalanced       = family["sum, balanced"]
	LogSumExp         = family["log-sum-exp"]
	BalancedLogSumExp = family["log-sum-exp, balanced"]
	LeastSquares      = family["least squares"]
	Heads             = family["heads"]
	EveryRule         = family["every rule"]
	DualChain         = family["duals in a chain"]
	Redexes           = family["redexes in a loop"]
	WideSum           = family["inputs in turn"]
	Batch             = family["batch"]
	Calls             = family["calls"]
	Network           = family["recurrent network"]
	StateTwice        = family["recurrent network, the state twice"]
	Continuations     = family["continuations"]
	Composed          = family["composed functions"]
	ComposedSquares   = family["composed squares"]
	Edited            = family["an edit"]
	Sequences         = family["sequences"]

	Squares         = family["squares"]
	DeadLets        = family["dead lets"]
	Horner          = family["horner"]
	Constants       = family["constants"]
	ConstantSquares = family["constants squared"]
	TwoOutputs      = family["two outputs"]
	Shadowed        = family["shadowed names"]
	Church          = family["numerals on numerals"]
	Untaken         = family["a branch not taken"]
	Unused          = family["unused inputs"]
	WaitingCalls    = family["calls in a row"]
	Captures        = family["captures"]
	LargeBodies     = family["large bodies"]
)

// Ground returns the families of computational graphs that are not adversarial.
func Ground() []Family {
	return append(Named("chain", "diamonds", "fan-out", "fibonacci", "sum, nested left", "sum, nested right",
		"sum, balanced", "log-sum-exp", "least squares"), RandomGraph)
}

// HigherOrder returns the families with functions, lists and numerals that are not
// adversarial.
func HigherOrder() []Family {
	return append(Named("polynomial", "recurrent network", "recurrent network, width 4", "map and fold", "perceptron",
		"continuations", "compositions", "branches"), RandomProgram)
}

// Adversarial returns the programs that are made to be hard for a machine, computational
// graphs first.
func Adversarial() []Family {
	return Named("squares", "dead lets", "horner", "two outputs", "shadowed names", "deep sum", "size explosion",
		"size explosion, unfolded", "long list")
}

// Handwritten returns families of programs that write backpropagators out by hand, with
// lin. Their gradients are their values.
func Handwritten() []Family { return []Family{DualChain, DualSum} }

// Constructors returns a family for each constructor of the calculus: n of it.
func Constructors() []Family {
	return Named("unary symbols", "binary symbols", "products", "sums", "numerals", "λ and application", "pairs",
		"conditionals", "a vector", "a list", "a numeral")
}

// Named returns the families of families.txt with the names.
func Named(names ...string) (out []Family) {
	for _, name := range names {
		f, ok := family[name]
		if !ok {
			panic("bench: there is no family " + name)
		}
		out = append(out, f)
	}
	return out
}

// Sizes returns 1, 2 and 5 times the powers of ten, from least to most.
func Sizes(least, most int) []int {
	var out []int
	for p := 1; p <= most; p *= 10 {
		out = append(out, p, 2*p, 5*p)
	}
	return slices.DeleteFunc(out, func(n int) bool { return n < least || n > most })
}

// written is a family of programs with a line for each of n, which take longest to read.
func written(name string, source func(n int) string) Family {
	return Family{Name: name, Source: source, Quick: Sizes(50, 5000), Full: Sizes(50, 100_000)}
}

// repeat is what is written for each of 1 to n.
func repeat(n int, written func(i int) string) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(written(i + 1))
	}
	return b.String()
}

// RandomGraph is n lets of random symbols of n/8 + 1 inputs. Each reads the one before it, so that all are
// live, and the binary ones a random earlier one or an input.
var RandomGraph = Family{Name: "random graph", Ground: true, Quick: Sizes(50, 5000), Full: Sizes(50, 500_000),
	Source: func(n int) string {
		rng := rand.New(rand.NewPCG(uint64(n), 1))
		inputs := n/8 + 1
		forms := []string{"sin %s", "tanh %s", "0.5 * %s", "%s + %s", "%s - %s", "%s * %s", "min %s %s"}
		head := fmt.Sprintf("input x : R^%d = vec i < %[1]d -> 1 / (1 + i)\nlet z0 = x.(0) in\n", inputs)
		return head + repeat(n, func(i int) string {
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
	}}

// DualSum is one sum of n duals: they all wait at once for their turn to fire. Their order is mixed: neither the oldest
// first nor the youngest.
var DualSum = written("duals side by side", func(n int) string {
	return "input x = 0.5\nlet d0 = lin a -> a in\n" +
		repeat(n, func(i int) string { return fmt.Sprintf("let d%d = lin a -> d0 (x * a) in\n", i) }) +
		repeat(n, func(i int) string { return fmt.Sprintf("d%d 1 + ", 1+((i-1)*step(n))%n) }) + "d0 1\n"
})

// step is a number without a common divisor with n, near n/φ.
func step(n int) int {
	common := new(big.Int)
	for s := max(1, n*618/1000); ; s++ {
		if common.GCD(nil, nil, big.NewInt(int64(s)), big.NewInt(int64(n))).Int64() == 1 {
			return s
		}
	}
}

// Recurrent is the network of section 6.2: n vectors of R^d in, states of R^m. Its value
// is the sum of the last state.
func Recurrent(d, m, n int) string {
	return strings.Replace(family["recurrent network, width 4"].Source(n), "param d = 4\nparam m = 4\n",
		fmt.Sprintf("param d = %d\nparam m = %d\n", d, m), 1)
}

// Injected is the program D(t) of the text of a stage reverse, whose inputs carry
// injections into R^n, with its backpropagator applied to 1: the first way to read the
// gradient (after Cor. gradient).
func Injected(reverse string) string {
	lines := strings.SplitAfter(reverse, "\n")
	at := slices.IndexFunc(lines, startsBody)
	return strings.Join(lines[:at], "") + "let (y, y') =\n  " + strings.Join(lines[at:], "  ") + " in (y, y' 1)\n"
}

// startsBody tells the line with which the body of a program starts.
func startsBody(line string) bool {
	starts := func(no string) bool { return strings.HasPrefix(line, no) }
	return line != "" && !slices.ContainsFunc([]string{" ", "\n", "input ", "data ", "param ", "def "}, starts)
}
