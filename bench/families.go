package bench

import (
	_ "embed"
	"fmt"
	"math/rand/v2"
	"regexp"
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
		write := parsePattern(wholeLine.ReplaceAllString(strings.TrimRight(program, "\n")+"\n", "«$1\n»"))
		out[fields[0]] = Family{Name: fields[0], Quick: parseSizes(fields[1]), Full: parseSizes(fields[2]),
			Ground: strings.Contains(head, "| graphs"), Doubles: strings.Contains(head, "| doubles"),
			Source: func(n int) string {
				var b strings.Builder
				write(&b, n, 0)
				return b.String()
			}}
	}
	return out
}

// wholeLine matches lines that are repeated with their end.
var wholeLine = regexp.MustCompile(`(?m)^«([^«»]*)»\n`)

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

// parsePattern reads the text of a program.
func parsePattern(text string) pattern {
	at := strings.IndexAny(text, "{«")
	if at < 0 {
		return func(b *strings.Builder, _, _ int) { b.WriteString(text) }
	}
	before := text[:at]
	var part pattern
	var rest string
	if text[at] == '{' {
		inner, after, _ := strings.Cut(text[at+1:], "}")
		number := parseNumber(inner)
		part = func(b *strings.Builder, n, i int) { b.WriteString(strconv.Itoa(number(n, i))) }
		rest = after
	} else {
		inner, after, _ := strings.Cut(text[at+len("«"):], "»")
		part, rest = parseRepeated(inner), after
	}
	then := parsePattern(rest)
	return func(b *strings.Builder, n, i int) {
		b.WriteString(before)
		part(b, n, i)
		then(b, n, i)
	}
}

// parseRepeated reads a part that is repeated, n times if no number in brackets is before it.
func parseRepeated(text string) pattern {
	times := "n"
	if strings.HasPrefix(text, "[") {
		times, text, _ = strings.Cut(text[1:], "]")
	}
	number, body := parseNumber(times), parsePattern(text)
	return func(b *strings.Builder, n, _ int) {
		for i := range number(n, 0) {
			body(b, n, i+1)
		}
	}
}

// parseNumber reads n, i or a numeral, or such with +, - or % between them, from left to right. What is less than 0 is
// 0.
func parseNumber(text string) func(n, i int) int {
	if at := strings.LastIndexAny(text, "+-%"); at >= 0 {
		left, right := parseNumber(text[:at]), parseNumber(text[at+1:])
		switch text[at] {
		case '+':
			return func(n, i int) int { return left(n, i) + right(n, i) }
		case '-':
			return func(n, i int) int { return max(0, left(n, i)-right(n, i)) }
		}
		return func(n, i int) int { return left(n, i) % right(n, i) }
	}
	switch text {
	case "n":
		return func(n, _ int) int { return n }
	case "i":
		return func(_, i int) int { return i }
	}
	value := natural(text)
	return func(_, _ int) int { return value }
}

// The families that the claims and their tests name.
var (
	Chain           = family["chain"]
	Diamonds        = family["diamonds"]
	FanOut          = family["fan-out"]
	Fibonacci       = family["fibonacci"]
	SumLeft         = family["sum, nested left"]
	SumRight        = family["sum, nested right"]
	LogSumExp       = family["log-sum-exp"]
	LeastSquares    = family["least squares"]
	Heads           = family["heads"]
	EveryRule       = family["every rule"]
	DualChain       = family["duals in a chain"]
	Doubled         = family["doubled"]
	Projections     = family["projections"]
	Polynomial      = family["polynomial"]
	Redexes         = family["redexes in a loop"]
	Network         = family["recurrent network"]
	StateTwice      = family["recurrent network, the state twice"]
	WideNetwork     = family["recurrent network, width 4"]
	Loss            = family["map and fold"]
	Perceptron      = family["perceptron"]
	Continuations   = family["continuations"]
	Compositions    = family["compositions"]
	Branches        = family["branches"]
	ChurchSums      = family["church sums"]
	ChurchProducts  = family["church products"]
	PureFold        = family["pure fold"]
	PureMap         = family["pure map"]
	Composed        = family["composed functions"]
	ComposedSquares = family["composed squares"]
	Edited          = family["an edit"]
	Sequences       = family["sequences"]

	Squares           = family["squares"]
	DeadLets          = family["dead lets"]
	Horner            = family["horner"]
	Constants         = family["constants"]
	ConstantSquares   = family["constants squared"]
	TwoOutputs        = family["two outputs"]
	Shadowed          = family["shadowed names"]
	DeepSum           = family["deep sum"]
	Explosion         = family["size explosion"]
	ExplosionUnfolded = family["size explosion, unfolded"]
	LongList          = family["long list"]
	Church            = family["numerals on numerals"]
	Tower             = family["a tower of numerals"]
	Untaken           = family["a branch not taken"]
	ClosedLambdas     = family["closed λs"]
	DroppedNumerals   = family["numerals that are dropped"]
	DroppedInputs     = family["inputs that are dropped"]
	DroppedValues     = family["values that are dropped"]
	Aliases           = family["aliases"]
	AliasesInLoop     = family["aliases in a loop"]
	Powers            = family["powers"]
	PowersInLoop      = family["powers in a loop"]
	NestedDeclared    = family["a declared symbol of numerals"]
	Declared          = family["a declared symbol"]
	Unused            = family["unused inputs"]
	WaitingCalls      = family["calls in a row"]
	LargeBodies       = family["large bodies"]
)

// Ground returns the families of computational graphs that are not adversarial.
func Ground() []Family {
	return []Family{Chain, Diamonds, FanOut, Fibonacci, SumLeft, SumRight, SumBalanced, LogSumExp, LeastSquares,
		RandomGraph}
}

// HigherOrder returns the families with functions, lists and numerals that are not
// adversarial.
func HigherOrder() []Family {
	return []Family{Polynomial, Network, WideNetwork, Loss, Perceptron, Continuations, Compositions, Branches,
		RandomProgram}
}

// Adversarial returns the programs that are made to be hard for a machine, computational
// graphs first.
func Adversarial() []Family {
	return []Family{Squares, DeadLets, Horner, TwoOutputs, Shadowed, DeepSum, Explosion, ExplosionUnfolded, LongList}
}

// Handwritten returns families of programs that write backpropagators out by hand, with
// lin. Their gradients are their values.
func Handwritten() []Family { return []Family{DualChain, DualSum} }

// Constructors returns a family for each constructor of the calculus: n of it.
func Constructors() (out []Family) {
	for _, name := range []string{"unary symbols", "binary symbols", "products", "sums", "numerals", "λ and application",
		"pairs", "conditionals", "a vector", "a list", "a numeral"} {
		out = append(out, family[name])
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

// ground says that the programs are computational graphs.
func (f Family) ground() Family {
	f.Ground = true
	return f
}

// vectorInput declares an input x of n numbers, none of which is 0.
func vectorInput(n int) string {
	return fmt.Sprintf("input x : R^%d = vec i < %d -> 1 / (1 + i)\n", n, n)
}

// repeat is what is written for each of 1 to n.
func repeat(n int, written func(i int) string) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(written(i + 1))
	}
	return b.String()
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

// SumBalanced is x1 + … + xn for n inputs, and BalancedLogSumExp the logarithm of the sum of their exponentials, both
// with balanced sums.
var (
	SumBalanced       = balancedInputs("sum, balanced", "%s", "x.(%d)")
	BalancedLogSumExp = balancedInputs("log-sum-exp, balanced", "log (%s)", "exp x.(%d)")
)

func balancedInputs(name, of, leaf string) Family {
	return written(name, func(n int) string {
		return vectorInput(n) + fmt.Sprintf(of, balanced(n, func(i int) string { return fmt.Sprintf(leaf, i) })) + "\n"
	}).ground()
}

// RandomGraph is n lets of random symbols of n/8 + 1 inputs. Each reads the one before it, so that all are
// live, and the binary ones a random earlier one or an input.
var RandomGraph = Family{Name: "random graph", Ground: true, Quick: Sizes(50, 5000), Full: Sizes(50, 500_000),
	Source: func(n int) string {
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
	}}

// wideTerms is the number of summands of [WideSum].
const wideTerms = 5000

// WideSum has a graph of one size, whatever n ≤ 5000 is: 5000 summands, of n inputs in turn.
var WideSum = Family{Name: "inputs in turn", Ground: true, Quick: Sizes(1, 500), Full: Sizes(1, wideTerms),
	Source: func(n int) string {
		return vectorInput(n) + balanced(wideTerms, func(i int) string { return fmt.Sprintf("sin x.(%d)", i%n) }) + "\n"
	}}

// Batch is a balanced sum of n networks of three neurons, which share their weights.
var Batch = written("batch", func(n int) string {
	network := func(i int) string { return fmt.Sprintf("tanh (w * sin (u * %d + v))", i+1) }
	return "input u = 0.5\ninput v = -0.25\ninput w = 0.75\n" + balanced(n, network) + "\n"
}).ground()

// Calls is a balanced sum of n calls of one function of 20 inputs in turn, which may be made in any order.
var Calls = Family{Name: "calls", Quick: Sizes(50, 5000), Full: Sizes(50, 100_000),
	Source: func(n int) string {
		call := func(i int) string { return fmt.Sprintf("f (x.(%d) + %d)", i%20, i) }
		return vectorInput(20) + "let f = fun y -> y * y * x.(0) in\n" + balanced(n, call) + "\n"
	}}

// Captures has 4n λs that nobody calls, each of which captures n values that come late:
// no step depends on a λ's body until it is called, but the machine captures what
// it mentions when the λ is made.
var Captures = Family{Name: "captures", Quick: parseSizes("10 14 20 30 40 60"),
	Full: parseSizes("10 14 20 30 40 60 80 120 160"),
	Source: func(n int) string {
		calls, value, _ := strings.Cut(WaitingCalls.Source(n), "\nz")
		mention := repeat(n, func(i int) string { return fmt.Sprintf(" + z%d", i) })
		return calls + "\n" + repeat(4*n, func(i int) string {
			return fmt.Sprintf("let g%d = fun y -> y%s in\n", i-1, mention)
		}) + "z" + value
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

// Recurrent is the network of section 6.2: n vectors of R^d in, states of R^m. Its value
// is the sum of the last state.
func Recurrent(d, m, n int) string {
	return strings.Replace(WideNetwork.Source(n), "param d = 4\nparam m = 4\n",
		fmt.Sprintf("param d = %d\nparam m = %d\n", d, m), 1)
}

// Edit is a program of a size, as it is before an edit or after it.
type Edit func(n int, edited bool) string

// EditArgument edits u of [Edited].
func EditArgument(n int, edited bool) string {
	if edited {
		return strings.Replace(Edited.Source(n), "(x * x)", "(sin x + 2 * x)", 1)
	}
	return Edited.Source(n)
}

// EditInside edits one of n functions.
func EditInside(n int, edited bool) string {
	source := family["edits inside"].Source(n)
	if !edited {
		return source
	}
	before, after, _ := strings.Cut(source, fmt.Sprintf("let z%d = ", (n+1)/2))
	return before + fmt.Sprintf("let z%d = ", (n+1)/2) + strings.Replace(after, "sin v * cos v", "cos v", 1)
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
