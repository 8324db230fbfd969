package gram

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram/internal/denote"
	"github.com/gram-machine/gram/internal/property"
	"github.com/gram-machine/gram/internal/reference"
	"github.com/gram-machine/gram/revgrad"
	"github.com/gram-machine/gram/rule"
)

// steps are counts: those that are zero are left out.
type steps = rule.Counts

// handWorked are programs whose counts were worked out by hand from the rules of
// counting. In D(t) every argument of a symbol opens a pair: two binders, one (2).
// An input of a gradient is [x:=⟨x0,d⟩][d:=λa.x* a][x0:=r]: three (4), one (3n) of
// x0; z and z* make two (4), one (2) and the (3) of z*. A dual that fires takes one
// (3), (1) and (5). The λa.0 of a numeral has no name: each head that is opened from
// ⟨r,λa.0⟩ fires, with its own (3), one (1) and one (5).
var handWorked = []struct {
	name, src       string
	value, gradient steps
}{
	{
		name: "(1) and (6): an argument bound, its binder collected, two occurrences",
		src:  "(fun x -> x + x) 3",
		// x: one (1), one (4), two (3n); the sum (6).
		value: steps{rule.Lambda: 1, rule.GC: 1, rule.SubstNumeral: 2, rule.Plus: 1},
		// z z*: (4) 2, (2) 1, (3) 1. The argument is ⟨3,λa.0⟩, a value. (1) 1, (4) 1 of x;
		// x twice: (3) 2. The sum opens two pairs: (2) 2, (4) 4, its d: (4) 1; (3n) 2, (6) 1.
		// Backward: the d of the sum: (3) (1) (5), its two heads (3) 2; each is a λa.0 of its
		// own, which fires: (1) 2, (5) 2.
		gradient: steps{rule.Lambda: 4, rule.Pair: 3, rule.Subst: 6, rule.SubstNumeral: 2, rule.GC: 8, rule.Lin: 3,
			rule.Plus: 1},
	},
	{
		name:  "(2): a pair opened, its two components collected",
		src:   "let (a, b) = (1, 2) in a * b",
		value: steps{rule.Pair: 1, rule.GC: 2, rule.SubstNumeral: 2, rule.Times: 1},
		// z: (4) 2, (2) 1, (3) 1. a, b: (2) 1, (4) 2, (3) 2.
		// The product: (2) 2, (4) 4 + 1, (3n) 2, (8) 1. Backward: one dual fires: (3) 1,
		// (1) 1, (5) 1; heads (3) 2, of numerals: (1) 2, (5) 2; slopes (3n) 2, (8) 2.
		gradient: steps{rule.Lambda: 3, rule.Pair: 4, rule.Subst: 6, rule.SubstNumeral: 4, rule.GC: 9, rule.Lin: 3,
			rule.Times: 3},
	},
	{
		name: "(3): a function substituted at each of its occurrences",
		src:  "let f = fun y -> y + 1 in f (f 2)",
		// f: (4) 1, (3) 2. Each call: (1) 1, (4) 1, (3n) 1, (6) 1.
		value: steps{rule.Lambda: 2, rule.Subst: 2, rule.SubstNumeral: 2, rule.GC: 3, rule.Plus: 2},
		// z: (4) 2, (2) 1, (3) 1; f: (4) 1, (3) 2. Each call: (1) 1,
		// (4) 1, y (3) 1, the sum (2) 2, (4) 5, (3n) 2, (6) 1.
		// Backward: 2 sums fire: two (3) (1) (5); heads (3) 4, three of numerals: (1) 3, (5) 3.
		gradient: steps{rule.Lambda: 7, rule.Pair: 5, rule.Subst: 11, rule.SubstNumeral: 4, rule.GC: 15, rule.Lin: 5,
			rule.Plus: 2},
	},
	{
		name:  "(3n): a variable bound to a variable waits for its numeral",
		src:   "let y = 3 in let x = y in x + x",
		value: steps{rule.SubstNumeral: 3, rule.GC: 2, rule.Plus: 1},
		// z: (4) 2, (2) 1, (3) 1; y, x: (4) 2, (3) 1 + 2; the sum: (2) 2,
		// (4) 5, (3n) 2, (6) 1. Backward: the sum: (3) (1) (5); heads (3) 2, each of a
		// numeral: (1) 2, (5) 2.
		gradient: steps{rule.Lambda: 3, rule.Pair: 3, rule.Subst: 7, rule.SubstNumeral: 2, rule.GC: 9, rule.Lin: 3,
			rule.Plus: 1},
	},
	{
		name:  "(4): a binder without occurrences",
		src:   "let unused = 1 in 2",
		value: steps{rule.GC: 1},
		// z: (4) 2, (2) 1, (3) 1; unused (4) 1; the head z* is that of 2: (1) 1, (5) 1.
		gradient: steps{rule.Lambda: 1, rule.Pair: 1, rule.Subst: 1, rule.GC: 3, rule.Lin: 1},
	},
	{
		name:  "(5): the input's own dual",
		src:   "input x = 2\nx",
		value: steps{rule.SubstNumeral: 1, rule.GC: 1},
		// The input: (4) 3, (3n) 1; x: (3) 1; z: (4) 2, (2) 1, (3) 1; d fires.
		gradient: steps{rule.Lambda: 1, rule.Pair: 1, rule.Subst: 3, rule.SubstNumeral: 1, rule.GC: 5, rule.Lin: 1},
	},
	{
		name: "(5'): λa.0 drops its argument; at a point that is a number and counts (5)",
		src:  "input x = 2\nx * 3",
		// x: (4) 1, (3n) 1; the product (8).
		value: steps{rule.SubstNumeral: 1, rule.GC: 1, rule.Times: 1},
		// Input (4) 3, (3n) 1; z (4) 2, (2) 1, (3) 1; x (3) 1; the product
		// (2) 2, (4) 5, (3n) 2, (8) 1. Backward: the product and x fire: (3) 2,
		// (1) 2, (5) 2; heads (3) 2, one of 3: (1) 1, (5) 1; slopes (3n) 2, (8) 2.
		gradient: steps{rule.Lambda: 3, rule.Pair: 3, rule.Subst: 6, rule.SubstNumeral: 5, rule.GC: 10, rule.Lin: 3,
			rule.Times: 3},
	},
	{
		name:  "(8) and (11): both heads of z·z are one dual",
		src:   "input x = 3\nx * x",
		value: steps{rule.SubstNumeral: 2, rule.GC: 1, rule.Times: 1},
		// Input (4) 3, (3n) 1; z (4) 2, (2) 1, (3) 1; x (3) 2; the product (2) 2, (4) 5,
		// (3n) 2, (8) 1. Backward: two fire: (3) 2, (1) 2, (5) 2; heads (3) 2, slopes
		// (3n) 2, (8) 2; (11) 1 with its (6) 1.
		gradient: steps{rule.Lambda: 2, rule.Pair: 3, rule.Subst: 7, rule.SubstNumeral: 5, rule.GC: 10, rule.Lin: 2,
			rule.Plus: 1, rule.Times: 3, rule.Factor: 1},
	},
	{
		name:  "(12): a symbol and its derivative",
		src:   "input x = 3\nsin x",
		value: steps{rule.SubstNumeral: 1, rule.GC: 1, rule.Function: 1},
		// Input (4) 3, (3n) 1; z (4) 2, (2) 1, (3) 1; x (3) 1; sin (2) 1, (4) 3, (3n) 1, (12) 1.
		// Backward: two fire: (3) 2, (1) 2, (5) 2; head (3) 1; ∂sin (3n) 1, (12) 1, (8) 1.
		gradient: steps{rule.Lambda: 2, rule.Pair: 2, rule.Subst: 5, rule.SubstNumeral: 3, rule.GC: 8, rule.Lin: 2,
			rule.Times: 1, rule.Function: 2},
	},
	{
		name:  "(13): the branch taken, and only that",
		src:   "input x = 2\nif x > 1 then x * x else x",
		value: steps{rule.SubstNumeral: 3, rule.GC: 1, rule.Times: 1, rule.Branch: 1},
		// Input (4) 3, (3n) 1; z (4) 2, (2) 1, (3) 1. Condition: x (3) 1,
		// (2) 2, (4) 4, (3n) 2; (13) 1. Branch: x (3) 2, product (2) 2, (4) 5, (3n) 2, (8) 1.
		// Backward: two fire: (3) 2, (1) 2, (5) 2; heads (3) 2, (3n) 2, (8) 2, (11) 1, (6) 1.
		gradient: steps{rule.Lambda: 2, rule.Pair: 5, rule.Subst: 8, rule.SubstNumeral: 7, rule.GC: 14, rule.Lin: 2,
			rule.Plus: 1, rule.Times: 3, rule.Factor: 1, rule.Branch: 1},
	},
	{
		name: "a partial application counts its first argument once",
		src:  "let f = fun x y -> x * y in let g = f 2 in g 3 + g 4",
		// f, g: (4) 2, (3) 1 + 2. f 2: (1) 1, (4) 1. g 3, g 4: (1) 2, (4) 2. Two runs of
		// the body: (3n) 4, (8) 2. The sum (6) 1.
		value: steps{rule.Lambda: 3, rule.Subst: 3, rule.SubstNumeral: 4, rule.GC: 5, rule.Plus: 1, rule.Times: 2},
		// z (4) 2, (2) 1, (3) 1; f, g (4) 2, (3) 3; (1) 3, (4) 3.
		// Two runs: x, y (3) 4; products (2) 4, (4) 10, (3n) 4, (8) 2. Sum: (2) 2, (4) 5,
		// (3n) 2, (6) 1. Backward: the sum and two products fire: (3) 3, (1) 3, (5) 3;
		// heads (3) 2 + 4, four of numerals: (1) 4, (5) 4; slopes (3n) 4, (8) 4.
		gradient: steps{rule.Lambda: 10, rule.Pair: 7, rule.Subst: 17, rule.SubstNumeral: 10, rule.GC: 22, rule.Lin: 7,
			rule.Plus: 1, rule.Times: 6},
	},
	{
		name: "more arguments than the function takes at once: each counts when it is bound",
		src:  "let f = fun x -> let y = x in fun z -> y + z in f 1 2",
		// f: (4) 1, (3) 1. x: (1) 1, (4) 1; y: (4) 1, (3n) 1 of x. z: (1) 1, (4) 1. The sum:
		// (3n) 2, (6) 1.
		value: steps{rule.Lambda: 2, rule.Subst: 1, rule.SubstNumeral: 3, rule.GC: 4, rule.Plus: 1},
		// z: (4) 2, (2) 1, (3) 1; f (4) 1, (3) 1; x: (1) 1, (4) 1; y (4) 1, (3) 1;
		// z (1) 1, (4) 1; the sum: (3) 2, (2) 2, (4) 5, (3n) 2, (6) 1. Backward: one fires:
		// (3) 1, (1) 1, (5) 1; heads (3) 2, of numerals: (1) 2, (5) 2.
		gradient: steps{rule.Lambda: 5, rule.Pair: 3, rule.Subst: 8, rule.SubstNumeral: 2, rule.GC: 11, rule.Lin: 3,
			rule.Plus: 1},
	},
	{
		name: "a vector is opened once, where its variable is bound",
		src:  "input v : R^2 = [| 1, 2 |]\nlet w = v in w.(0) * w.(1)",
		// Inputs (4) 2. v is the tuple of its scalars: (3n) 2. w: (4) 1, (3) 1, opened: (2) 1,
		// (4) 2, (3n) 2. (8) 1.
		value: steps{rule.Pair: 1, rule.Subst: 1, rule.SubstNumeral: 4, rule.GC: 5, rule.Times: 1},
		// Inputs (4) 6, (3n) 2; z (4) 2, (2) 1, (3) 1; v (3) 2; w (4) 1, (3) 1, (2) 1, (4) 2;
		// w0, w1 (3) 2; product (2) 2, (4) 5, (3n) 2, (8) 1. Backward: three fire: (3) 3,
		// (1) 3, (5) 3; heads (3) 2, slopes (3n) 2, (8) 2.
		gradient: steps{rule.Lambda: 3, rule.Pair: 4, rule.Subst: 11, rule.SubstNumeral: 6, rule.GC: 16, rule.Lin: 3,
			rule.Times: 3},
	},
	{
		name: "a vector of one component is its component: a variable bound to it counts (3n)",
		src:  "let v = [| 2 |] in let w = v in w.(0)",
		// v, w, w0: (4) 3, (3n) 3; opening one component is no (2).
		value: steps{rule.SubstNumeral: 3, rule.GC: 3},
		// z (4) 2, (2) 1, (3) 1; v, w, w0: (4) 3, (3) 3; z* is that of 2: (1) 1, (5) 1.
		gradient: steps{rule.Lambda: 1, rule.Pair: 1, rule.Subst: 4, rule.GC: 5, rule.Lin: 1},
	},
	{
		name:     "an application of what an application gives",
		src:      "(fun x -> x) (fun y -> y) 3",
		value:    steps{rule.Lambda: 2, rule.Subst: 1, rule.SubstNumeral: 1, rule.GC: 2},
		gradient: steps{rule.Lambda: 3, rule.Pair: 1, rule.Subst: 3, rule.GC: 4, rule.Lin: 1},
	},
	// The programs of docs/paper-notes.md with inductive types.
	{
		name: "(14), (15): the sum of a stream",
		src: "type stream = Nil | Cons of R * stream\ninput x = 2\ninput y = 3\n" +
			"let rec total (s : stream) : R = match s with Nil -> 0 | Cons (a, r) -> a + total r in total (Cons (x, Cons (y, " +
			"Nil)))",
		value: steps{rule.Lambda: 3, rule.Pair: 2, rule.Subst: 8, rule.SubstNumeral: 4, rule.GC: 13, rule.Plus: 2,
			rule.Case: 3, rule.Unfold: 3},
		gradient: steps{rule.Lambda: 8, rule.Pair: 7, rule.Subst: 21, rule.SubstNumeral: 6, rule.GC: 29, rule.Lin: 5,
			rule.Plus: 2, rule.Case: 3,
			rule.Unfold: 3},
	},
	{
		name: "(14), (15): the product of a tree",
		src: "type tree = Leaf of R | Node of tree * tree\ninput x = 3\n" +
			"let rec f (t : tree) (p : R) : R = match t with Leaf y -> y * p | Node (l, r) -> f l (f r p) in f (Node (Leaf x, " +
			"Leaf 2)) 1",
		value: steps{rule.Lambda: 6, rule.Pair: 1, rule.Subst: 8, rule.SubstNumeral: 6, rule.GC: 15, rule.Times: 2,
			rule.Case: 3, rule.Unfold: 3},
		gradient: steps{rule.Lambda: 11, rule.Pair: 6, rule.Subst: 22, rule.SubstNumeral: 9, rule.GC: 29, rule.Lin: 5,
			rule.Times: 6, rule.Case: 3,
			rule.Unfold: 3},
	},
	// The three programs of the calculus notes.
	{
		name:  "Figure 1",
		src:   "input x1 = 5\ninput x2 = 2\nlet z1 = x1 - x2 in let z2 = z1 * z1 in sin z2",
		value: steps{rule.SubstNumeral: 5, rule.GC: 4, rule.Times: 1, rule.Function: 2},
		// Inputs (4) 6, (3n) 2; z (4) 2, (2) 1, (3) 1; z1, z2 (4) 2. sub: x1, x2 (3) 2,
		// (2) 2, (4) 5, (3n) 2, (12) 1. mul: z1 twice (3) 2, (2) 2, (4) 5, (3n) 2, (8) 1.
		// sin: z2 (3) 1, (2) 1, (4) 3, (3n) 1, (12) 1. Backward: sin, mul, sub, x1, x2 fire:
		// (3) 5, (1) 5, (5) 5. sin: (3) 1, (3n) 1, (12) 1, (8) 1. mul: (3) 2, (3n) 2, (8) 2.
		// sub: (3) 2, (8) 2. The arrivals of mul meet in sub: (11) 1, (6) 1.
		gradient: steps{rule.Lambda: 5, rule.Pair: 6, rule.Subst: 16, rule.SubstNumeral: 10, rule.GC: 23, rule.Lin: 5,
			rule.Plus: 1, rule.Times: 6, rule.Factor: 1, rule.Function: 3},
	},
	{
		name: "the recurrent network with three elements",
		src:  "input e = 0.7\ninput r = 0.9\nfold (fun x h -> sigmoid (e * x + r * h)) 0 [1; 2; 3]",
		// Inputs (4) 2. The list: (1) 2, (4) 2, its x (3n) 1, f (3) 3. Each of three cells:
		// (1) 2, (4) 2, e x r h (3n) 4, (8) 2, (6) 1, (12) 1.
		value: steps{rule.Lambda: 8, rule.Subst: 3, rule.SubstNumeral: 13, rule.GC: 10, rule.Plus: 3, rule.Times: 6,
			rule.Function: 3},
		// Inputs (4) 6, (3n) 2; z (4) 2, (2) 1, (3) 1; the list (1) 2, (4) 2, its x (3) 1.
		// Each cell: f (3) 1, (1) 2, (4) 2; e x r h
		// (3) 4; two products (2) 4, (4) 10, (3n) 4, (8) 2; the sum (2) 2, (4) 5, (3n) 2,
		// (6) 1; sigmoid (2) 1, (4) 3, (3n) 1, (12) 1. Backward, each cell: four duals
		// fire: (3) 4, (1) 4, (5) 4; heads (3) 7, one of its element: (1) 1, (5) 1; sigmoid
		// (3n) 1, (12) 1, (8) 1; products (3n) 4, (8) 4. One head is of the 0: (1) 1, (5) 1;
		// e and r fire: (3) 2, (1) 2, (5) 2; three arrivals at e and at r: (11) 4, (6) 4.
		// With n elements that is 81·n + 21.
		gradient: steps{rule.Lambda: 26, rule.Pair: 22, rule.Subst: 52, rule.SubstNumeral: 38, rule.GC: 70, rule.Lin: 18,
			rule.Plus: 7, rule.Times: 21, rule.Factor: 4, rule.Function: 6},
	},
	{
		name: "the recurrent network with one element",
		src:  "input e = 0.7\ninput r = 0.9\nfold (fun x h -> sigmoid (e * x + r * h)) 0 [1]",
		value: steps{rule.Lambda: 4, rule.Subst: 1, rule.SubstNumeral: 5, rule.GC: 6, rule.Plus: 1, rule.Times: 2,
			rule.Function: 1},
		// The table of docs/counts.md.
		gradient: steps{rule.Lambda: 12, rule.Pair: 8, rule.Subst: 20, rule.SubstNumeral: 14, rule.GC: 30, rule.Lin: 8,
			rule.Plus: 1, rule.Times: 7, rule.Function: 2},
	},
	{
		name:  "a function applied to a function",
		src:   "input w = 2\ninput x = 3\n(fun f -> f (f x)) (fun y -> w * y + x)",
		value: steps{rule.Lambda: 3, rule.Subst: 2, rule.SubstNumeral: 7, rule.GC: 5, rule.Plus: 2, rule.Times: 2},
		// As above: (1) 3 + 6 fired; cells for two products, two sums, w and x.
		gradient: steps{rule.Lambda: 9, rule.Pair: 9, rule.Subst: 24, rule.SubstNumeral: 14, rule.GC: 31, rule.Lin: 6,
			rule.Plus: 5, rule.Times: 6, rule.Factor: 3},
	},
}

// onRewriter are the steps of the rewriter on terms.
func onRewriter(t *testing.T, p *Program, gradient bool) steps {
	start := reference.Convert(p.src.Term(), denote.Floats{}).ValueStart(p.inputs, p.Point())
	if gradient {
		d, err := revgrad.Reverse(p.src.Term(), nil)
		require.NoError(t, err)
		start = reference.Convert(d, denote.Floats{}).GradientStart(p.inputs, p.Point(), p.outputs())
	}
	res, err := start.Named().Run(reference.Machine(nil), 10_000, nil)
	require.NoError(t, err)
	return res.Counts
}

// TestCountsWorkedOutByHand asserts them, in all forms and on terms, also of the formatted program. The notes have
// those with inductive types.
func TestCountsWorkedOutByHand(t *testing.T) {
	notes, err := os.ReadFile("docs/paper-notes.md")
	require.NoError(t, err)
	row := func(c steps) (text string) {
		for _, r := range []rule.Rule{rule.Lambda, rule.Pair, rule.Subst, rule.SubstNumeral, rule.GC, rule.Lin, rule.Plus,
			rule.Times, rule.Factor,
			rule.Function, rule.Case, rule.Unfold} {
			text += strings.ReplaceAll(fmt.Sprintf(" %d |", c[r]), " 0 |", " |")
		}
		return text + fmt.Sprintf(" %d |\n", c.Total())
	}
	for _, c := range handWorked {
		t.Run(c.name, func(t *testing.T) {
			formatted, err := Format(t.Context(), "test.gram", []byte(strings.ReplaceAll(c.src, "+", " +  ")))
			require.NoError(t, err)
			again, err := Format(t.Context(), "test.gram", formatted)
			require.NoError(t, err)
			require.Equal(t, string(formatted), string(again))
			for _, src := range []string{c.src, string(formatted)} {
				p := mustLoad(t, src)
				value, gradient := checkForms(t, p, 0, allForms...)
				require.Equal(t, c.value, value.Cost.Steps, "value")
				require.Equal(t, c.gradient, gradient.Cost.Steps, "gradient")
				require.Equal(t, c.value, onRewriter(t, p, false), "value")
				require.Equal(t, c.gradient, onRewriter(t, p, true), "gradient")
			}
			if strings.HasPrefix(c.name, "(14)") {
				require.Contains(t, string(notes), "| value |"+row(c.value))
				require.Contains(t, string(notes), "| gradient |"+row(c.gradient))
			}
		})
	}
}

// TestNetworkCounts: the steps of the network over n elements, by rule, are those of docs/counts.md in every form.
func TestNetworkCounts(t *testing.T) {
	page, err := os.ReadFile("docs/counts.md")
	require.NoError(t, err)
	require.Contains(t, string(page), "20n + 10 of (4), 5n + 3 of (5), 3n − 2 of (6), 7n of (8), 2n − 2 of (11) and 2n "+
		"of (12): 81·n + 21")
	for _, n := range []uint64{1, 2, 3, 10, 100} {
		want := steps{rule.Lambda: 7*n + 5, rule.Pair: 7*n + 1, rule.Subst: 16*n + 4, rule.SubstNumeral: 12*n + 2,
			rule.GC: 20*n + 10, rule.Lin: 5*n + 3,
			rule.Plus: 3*n - 2, rule.Times: 7 * n, rule.Factor: 2*n - 2, rule.Function: 2 * n}
		require.Equal(t, 81*n+21, want.Total())
		src := "input e = 0.7\ninput r = 0.9\nfold (fun x h -> sigmoid (e * x + r * h)) 0 [" +
			strings.TrimSuffix(strings.Repeat("1; ", int(n)), "; ") + "]"
		_, res := checkForms(t, mustLoad(t, src), 0, forms...)
		require.Equal(t, want, res.Cost.Steps, "n = %d", n)
	}
}

// TestTuplesAreDropped: what one step of t drops, as a tuple, takes a bounded number of steps of D(t) in every form:
// the steps are a + b·n, for a tuple of k components and n iterations.
func TestTuplesAreDropped(t *testing.T) {
	repeated := func(part string, k int) string { return strings.TrimSuffix(strings.Repeat(part+", ", k), ", ") }
	tuples := map[string]func(k int) string{
		"numerals of a family":     func(k int) string { return fmt.Sprintf("(vec i < %d -> i + 2)", k) },
		"numerals":                 func(k int) string { return "(" + repeated("3", k) + ")" },
		"a vector of numerals":     func(k int) string { return "[| " + repeated("3", k) + " |]" },
		"nested pairs of numerals": func(k int) string { return "(" + repeated("(1, (2, 3))", k) + ")" },
		"data":                     func(int) string { return "v" },
		"closed functions":         func(k int) string { return "(" + repeated("(fun z -> z + 1)", k) + ")" },
		"functions and numerals":   func(k int) string { return "(" + repeated("(2, fun z -> z * 3)", k) + ")" },
		"an alias of a tuple": func(k int) string {
			return "(let q = (vec i < " + strconv.Itoa(k) +
				" -> i + 2) in let r = q in r)"
		},
		"a list of numerals":      func(k int) string { return "[" + strings.ReplaceAll(repeated("3", k), ",", ";") + "]" },
		"tuples of a constructor": func(k int) string { return "(C (" + repeated("3", k) + "))" },
	}
	for name, tuple := range tuples {
		t.Run(name, func(t *testing.T) {
			var want [2]rule.Counts
			for _, k := range []int{2, 10, 40} {
				head := "type c = C of (" + strings.TrimSuffix(strings.Repeat("R * ", k),
					" * ") + ")\ninput x = 0.5\ndata v : R^" + strconv.Itoa(k) +
					" = vec i < " + strconv.Itoa(k) + " -> i\n"
				for i, body := range []string{"(fun p -> x) " + tuple(k), "iter #7 (fun y -> (fun p -> y) " + tuple(k) + ") x"} {
					_, res := checkForms(t, mustLoad(t, head+body), 1e-10, forms...)
					if k == 2 {
						want[i] = res.Cost.Steps
					}
					require.Equal(t, want[i], res.Cost.Steps, "k = %d\n%s", k, body)
				}
			}
		})
	}
}

// TestBoundOfDropped: programs that drop, in each of n iterations, what takes n steps of D(t) to make, or make a chain
// of n names. The steps of the gradient for each of m + |G| do not grow from n = 50 to 200, with FULL_SIZE to 400, by
// each strategy and in random order. All forms take as many as direct.
func TestBoundOfDropped(t *testing.T) {
	repeated := func(n int, part string) string { return strings.TrimSuffix(strings.Repeat(part+", ", n), ", ") }
	dropped := func(what string) string { return "input x = 0.5\niter #N (fun y -> (fun p -> y) (" + what + ")) x" }
	chain := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "let y%d = y%d in ", i+1, i)
		}
		return b.String() + "y" + strconv.Itoa(n)
	}
	for name, program := range map[string]func(n int) string{
		"numerals":      func(int) string { return dropped("vec i < N -> i + 1") },
		"inputs":        func(int) string { return dropped("vec i < N -> x") },
		"pairs":         func(int) string { return dropped("vec i < N -> (x, y)") },
		"names":         func(int) string { return dropped("let z = y in vec i < N -> z") },
		"sums":          func(int) string { return dropped("let z = x + y in vec i < N -> z") },
		"a constructor": func(n int) string { return "type c = C of R^N\n" + dropped("C (vec i < N -> x)") },
		"a list of pairs": func(n int) string {
			return "type l = E | Cons of R * l\n" + dropped(strings.Repeat("Cons (x, ", n)+"E"+strings.Repeat(")", n))
		},
		"components": func(n int) string {
			return "input v : R^N = vec i < N -> 1\n" + dropped("("+repeated(n,
				"v.(0)")+")")
		},
		"aliases":           func(n int) string { return "input x = 0.5\nlet y0 = x in " + chain(n) },
		"aliases in a loop": func(n int) string { return "input x = 0.5\niter #N (fun y0 -> " + chain(n) + ") x" },
	} {
		t.Run(name, func(t *testing.T) {
			last := map[string]float64{}
			sizes := []int{50, 100, 200}
			if property.Full() {
				sizes = append(sizes, 400)
			}
			for _, n := range sizes {
				p := mustLoad(t, strings.ReplaceAll(program(n), "N", strconv.Itoa(n)))
				checkForms(t, p, 1e-10, forms...)
				b, err := p.Bound(t.Context(), EvalOptions{})
				require.NoError(t, err)
				for way, opt := range map[string]EvalOptions{"direct": {}, "random": {Schedule: Random},
					"modular": {Strategy: Modular}, "unfold": {Strategy: Unfold}} {
					again, err := p.Gradient(t.Context(), opt)
					require.NoError(t, err)
					ratio := float64(again.Cost.Steps.Total()) / float64(b.M+b.Graph)
					if before, ok := last[way]; ok {
						require.LessOrEqual(t, ratio, before, "%s, n = %d", way, n)
					}
					last[way] = ratio
				}
			}
			t.Logf("%v at n = %d", last, sizes[len(sizes)-1])
		})
	}
}

// TestCountsGrowLinearly: on W1 and W4 equal increments of n make equal differences
// in steps, overhead, m and |G|.
func TestCountsGrowLinearly(t *testing.T) {
	ctx := context.Background()
	type figures struct{ steps, instantiate, search, m, graph int64 }
	for _, w := range []string{"w1", "w4"} {
		var all []figures
		for _, n := range []string{"n=1000", "n=2000", "n=3000", "n=4000"} {
			p, err := LoadFile(ctx, "examples/"+w+".gram", Options{Params: []string{n}})
			require.NoError(t, err)
			res, err := p.Gradient(ctx, EvalOptions{})
			require.NoError(t, err)
			b, err := p.Bound(ctx, EvalOptions{})
			require.NoError(t, err)
			c := res.Cost
			all = append(all, figures{int64(c.Steps.Total()), int64(c.Overhead.Instantiate), int64(c.Overhead.Search),
				int64(b.M), int64(b.Graph)})
		}
		difference := func(i int) figures {
			a, b := all[i], all[i+1]
			return figures{b.steps - a.steps, b.instantiate - a.instantiate, b.search - a.search, b.m - a.m, b.graph - a.graph}
		}
		require.Equal(t, difference(0), difference(1), w)
		require.Equal(t, difference(1), difference(2), w)
		require.Positive(t, difference(0).m)
	}
}
