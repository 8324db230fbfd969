package bench

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// RandomProgram is n lets of random small terms with functions, pairs, lists, numerals
// and conditions.
var RandomProgram = written("random program", func(n int) string { return Random(n, uint64(n)) })

// kind is the type of a random term.
type kind int

const (
	real  kind = iota // R
	pair              // R * R
	fun               // R -> R
	fun2              // R -> R -> R
	kinds = iota
)

// Random is a random program of n lets, the same for the same seed. A function that a
// let binds uses no other such function: with functions of functions of functions, m
// would be exponential in n.
func Random(n int, seed uint64) string {
	g := &random{rng: rand.New(rand.NewPCG(seed, 2))}
	g.b.WriteString("input x = 0.5\ninput y = -1.25\ndata xs : List R = [0.5; -1; 2]\n")
	g.env[real] = []string{"x", "y"}
	last := "x"
	for i := range n {
		k := kind(g.rng.IntN(kinds))
		z := fmt.Sprintf("z%d", i)
		fmt.Fprintf(&g.b, "let %s = ", z)
		functions := [2][]string{g.env[fun], g.env[fun2]}
		if k == fun || k == fun2 {
			g.env[fun], g.env[fun2] = nil, nil
		}
		if k == real {
			// Each number reads the one before it, so that all are live.
			fmt.Fprintf(&g.b, "tanh %s + ", last)
			last = z
		}
		g.term(k, 4)
		g.env[fun], g.env[fun2] = functions[0], functions[1]
		g.b.WriteString(" in\n")
		g.env[k] = append(g.env[k], z)
	}
	g.b.WriteString(last + "\n")
	return g.b.String()
}

// random writes random terms.
type random struct {
	rng   *rand.Rand
	b     strings.Builder
	env   [kinds][]string // variables in scope
	names int
}

// write writes a format in which %R, %P, %F and %G are terms of the four kinds.
func (g *random) write(format string, depth int) {
	for i := 0; i < len(format); i++ {
		if format[i] != '%' {
			g.b.WriteByte(format[i])
			continue
		}
		i++
		g.term(kind(strings.IndexByte("RPFG", format[i])), depth)
	}
}

// forms are what a term of a kind may be.
var forms = [kinds][]string{
	real: {"(%R + %R)", "(%R * %R)", "(%R - %R)", "(sin %R)", "(tanh %R)", "(%F %R)", "(%G %R %R)", "(fst %P)", "(snd %P)",
		"(if %R < %R then %R else %R)", "(fold %G %R xs)", "(iter #3 %F %R)", "(max %R %R)", "((fun f -> f (f %R)) %F)"},
	pair: {"(%R, %R)", "(if %R < %R then %P else %P)", "((fun p -> (snd p, fst p)) %P)"},
	fun:  {"(%G %R)", "(compose %F %F)", "sin", "neg"},
	fun2: {"(+)", "( * )"},
}

func (g *random) term(k kind, depth int) {
	if n := len(g.env[k]); n > 0 && (depth == 0 || g.rng.IntN(3) == 0) {
		// Of the variables mostly late ones, so that what is bound is used.
		back := min(g.rng.IntN(4), n-1)
		if g.rng.IntN(4) == 0 {
			back = g.rng.IntN(n)
		}
		g.b.WriteString(g.env[k][n-1-back])
		return
	}
	switch {
	case k == real && (depth == 0 || g.rng.IntN(8) == 0):
		fmt.Fprintf(&g.b, "%v", float64(1+g.rng.IntN(8))/4)
	case k == real && g.rng.IntN(4) == 0:
		g.binding(depth)
	case k == fun && (depth == 0 || g.rng.IntN(2) == 0):
		g.abstraction(1, depth)
	case k == fun2 && (depth == 0 || g.rng.IntN(2) == 0):
		g.abstraction(2, depth)
	case depth == 0:
		g.b.WriteString("(0.5, 1.5)")
	default:
		g.write(forms[k][g.rng.IntN(len(forms[k]))], depth-1)
	}
}

// scoped runs f with new numbers in scope, whose names it gets.
func (g *random) scoped(n int, f func(names []string)) {
	old := len(g.env[real])
	for range n {
		g.names++
		g.env[real] = append(g.env[real], fmt.Sprintf("v%d", g.names))
	}
	f(g.env[real][old:])
	g.env[real] = g.env[real][:old]
}

// abstraction is fun v … -> e with n parameters.
func (g *random) abstraction(n, depth int) {
	g.scoped(n, func(names []string) {
		fmt.Fprintf(&g.b, "(fun %s -> ", strings.Join(names, " "))
		g.term(real, max(0, depth-1))
		g.b.WriteByte(')')
	})
}

// binding is a let, of a number or of a pair that is opened, as a term of type R.
func (g *random) binding(depth int) {
	k := kind(g.rng.IntN(2))
	right := random{rng: g.rng, env: g.env, names: g.names}
	right.term(k, max(0, depth-1))
	g.names = right.names
	g.scoped(1+int(k), func(names []string) {
		fmt.Fprintf(&g.b, "(let %s = %s in ", "("+strings.Join(names, ", ")+")", right.b.String())
		g.term(real, max(0, depth-1))
	})
	g.b.WriteByte(')')
}

// Rational is a random program as [Random] makes them, with symbols on rational numbers
// alone.
func Rational(n int, seed uint64) string {
	return strings.NewReplacer("sin", "neg", "tanh", "neg", "max", "(-)").Replace(Random(n, seed))
}

// Small are programs for which the reduction graph of D(t) can be explored as a whole; of the last one, which has an
// input, that of the gradient. SmallLin are such programs with linear λs of their own, in which (5), (7) and (11) fire.
func Small() []string    { return strings.Split(family["small terms"].Source(1), "\n\n") }
func SmallLin() []string { return strings.Split(family["small terms with lin"].Source(1), "\n\n") }
