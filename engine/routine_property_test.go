package engine_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/gram-machine/gram/compile"
	"github.com/gram-machine/gram/engine"
	"github.com/gram-machine/gram/internal/property"
	"github.com/gram-machine/gram/internal/testprogram"
	"github.com/gram-machine/gram/limits"
)

// recursive draws the source of a program with two functions that call each other, on numbers, pairs, trees and closures.
type recursive struct {
	t     *rapid.T
	names int
	calls int // that may still be drawn
}

func (g *recursive) pick(of ...string) string { return rapid.SampledFrom(of).Draw(g.t, "choice") }

// number draws an expression of type R in which the variables have type R, and p is a pair, s a tree, h a function.
func (g *recursive) number(vars []string, size int) string {
	if size <= 0 {
		return g.pick(append([]string{"e", "r", "0.5", "(h e)"}, vars...)...)
	}
	sub := func() string { return g.number(vars, size/2) }
	if g.calls > 0 && rapid.IntRange(0, 3).Draw(g.t, "call") == 0 {
		g.calls--
		if rapid.Bool().Draw(g.t, "first") {
			return fmt.Sprintf("(f (k - 1) %s (%s, %s) %s h)", sub(), sub(), sub(), g.pick("s", "(Node (s, Leaf x))"))
		}
		return fmt.Sprintf("(let (a, b) = g (k - 1) (%s, %s) %s h in a * b + %s)", sub(), sub(), g.pick("s", "(Leaf (x * r))"), sub())
	}
	switch g.pick("op", "op", "op", "fun", "if", "let", "pair", "match", "closure") {
	case "op":
		return fmt.Sprintf("(%s %s %s)", sub(), g.pick("+", "-", "*"), sub())
	case "fun":
		return fmt.Sprintf("(%s %s)", g.pick("sin", "tanh", "exp", "abs"), sub())
	case "if":
		return fmt.Sprintf("(if %s %s %s then %s else %s)", sub(), g.pick("<", "<=", ">", ">="), sub(), sub(), sub())
	case "let":
		g.names++
		x := fmt.Sprintf("x%d", g.names)
		return fmt.Sprintf("(let %s = %s in %s)", x, sub(), g.number(append(vars[:len(vars):len(vars)], x), size/2))
	case "pair":
		return fmt.Sprintf("(let (a, b) = p in a * %s + b)", sub())
	case "match":
		return fmt.Sprintf("(match s with Leaf y -> y * %s | Node (l, m) -> (match l with Leaf y -> y | Node (n, q) -> %s | Empty -> x) | Empty -> %s)",
			sub(), sub(), sub())
	default:
		return fmt.Sprintf("(let h = fun z -> z * %s + h z in h %s)", sub(), sub())
	}
}

func (g *recursive) program() string {
	const params = "(s : tree) (h : R -> R)"
	var b strings.Builder
	b.WriteString("type tree = Leaf of R | Node of tree * tree | Empty\ninput e = 0.75\ninput r = -0.5\n")
	g.calls = 2
	fmt.Fprintf(&b, "let rec f (k : R) (x : R) (p : R * R) %s : R = if k < 1 then x * r else %s\n", params, g.number([]string{"x"}, 12))
	g.calls = 2
	fmt.Fprintf(&b, "and g (k : R) (p : R * R) %s : R * R = let (x, y) = p in if k < 1 then (x, y * e) else (%s, %s) in\n", params,
		g.number([]string{"x", "y"}, 6), g.number([]string{"x", "y"}, 6))
	fmt.Fprintf(&b, "f %d e (e, r) (Node (Leaf e, %s)) (fun x -> x * e) + f 3 r (r, 2) Empty sin", rapid.IntRange(1, 5).Draw(g.t, "depth"),
		g.pick("Empty", "Leaf r"))
	return b.String()
}

// TestPropertyRoutines: random recursive programs have the same bits and counts on frames, interpreted and as machine code, as without.
func TestPropertyRoutines(t *testing.T) {
	defer engine.NativeWork(0)()
	property.Check(t, func(t *rapid.T) {
		src := (&recursive{t: t}).program()
		s := testprogram.FromSource(t, src)
		for _, reversed := range []bool{false, true} {
			prog := s.Compiled(t, compile.Options{Reversed: reversed})
			bounds := limits.Bounds{MaxSteps: 20 * maxSteps}
			want, m := runAs(t, prog, s.Point, engine.Options{NoFuse: true, Limits: bounds}, func(*engine.Machine) {})
			require.NoError(t, m.Close())
			if want.limit != "" {
				return
			}
			every := rapid.SampledFrom([]uint32{1, 100, 1 << 20}).Draw(t, "every")
			for _, interpreted := range []bool{false, true} {
				got, m := runAs(t, prog, s.Point, engine.Options{NoNative: interpreted, Limits: bounds}, func(m *engine.Machine) {
					engine.RoutinesAfter(m, 0)
					engine.CollectEvery(m, every)
				})
				got.nodes = want.nodes
				sameBits(t, want, got)
				require.NoError(t, m.Close())
			}
		}
	})
}
