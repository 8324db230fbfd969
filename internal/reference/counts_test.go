package reference_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram/internal/denote"
	"github.com/gram-machine/gram/internal/reference"
	"github.com/gram-machine/gram/lang"
	"github.com/gram-machine/gram/rule"
)

// load is the term of a source with its inputs.
func load(t require.TestingT, src string) subject {
	p, err := lang.Load("test.gram", []byte(src), lang.Options{})
	require.NoError(t, err)
	q := subject{t: p.Term()}
	for _, in := range p.Inputs {
		q.inputs = append(q.inputs, in.Vars...)
		q.point = append(q.point, in.Values...)
	}
	return q
}

// by are counts in the columns 1 2 3 3n 4 5 6 8 11 12 13 14 15 of the calculus notes.
func by(n ...uint64) (c rule.Counts) {
	columns := []rule.Rule{
		rule.Lambda, rule.Pair, rule.Subst, rule.SubstNumeral, rule.GC, rule.Lin,
		rule.Plus, rule.Times, rule.Factor, rule.Function, rule.Branch, rule.Case, rule.Unfold,
	}
	for i, k := range n {
		c[columns[i]] = k
	}
	return c
}

// worked are programs whose counts were worked out by hand: the three of the calculus
// notes, and those for each rule.
var worked = []struct {
	name, src       string
	value, gradient rule.Counts
}{
	{
		"Figure 1", "input x1 = 5\ninput x2 = 2\nlet z1 = x1 - x2 in let z2 = z1 * z1 in sin z2",
		by(0, 0, 0, 5, 4, 0, 0, 1, 0, 2), by(5, 6, 16, 10, 23, 5, 1, 6, 1, 3),
	},
	{
		"recurrent network", "input e = 0.7\ninput r = 0.9\nfold (fun x h -> sigmoid (e * x + r * h)) 0 [1; 2; 3]",
		by(8, 0, 3, 13, 10, 0, 3, 6, 0, 3), by(26, 22, 52, 38, 70, 18, 7, 21, 4, 6),
	},
	{
		"function of a function", "input w = 2\ninput x = 3\n(fun f -> f (f x)) (fun y -> w * y + x)",
		by(3, 0, 2, 7, 5, 0, 2, 2), by(9, 9, 24, 14, 31, 6, 5, 6, 3),
	},
	{"(1), (6)", "(fun x -> x + x) 3", by(1, 0, 0, 2, 1, 0, 1), by(4, 3, 6, 2, 8, 3, 1)},
	{"(2)", "let (a, b) = (1, 2) in a * b", by(0, 1, 0, 2, 2, 0, 0, 1), by(3, 4, 6, 4, 9, 3, 0, 3)},
	{"(3)", "let f = fun y -> y + 1 in f (f 2)", by(2, 0, 2, 2, 3, 0, 2), by(7, 5, 11, 4, 15, 5, 2)},
	{"(3n)", "let y = 3 in let x = y in x + x", by(0, 0, 0, 3, 2, 0, 1), by(3, 3, 7, 2, 9, 3, 1)},
	{"(4)", "let unused = 1 in 2", by(0, 0, 0, 0, 1), by(1, 1, 1, 0, 3, 1)},
	{"(5)", "input x = 2\nx", by(0, 0, 0, 1, 1), by(1, 1, 3, 1, 5, 1)},
	{"a constant's dual", "input x = 2\nx * 3", by(0, 0, 0, 1, 1, 0, 0, 1), by(3, 3, 6, 5, 10, 3, 0, 3)},
	{"(8), (11)", "input x = 3\nx * x", by(0, 0, 0, 2, 1, 0, 0, 1), by(2, 3, 7, 5, 10, 2, 1, 3, 1)},
	{"(12)", "input x = 3\nsin x", by(0, 0, 0, 1, 1, 0, 0, 0, 0, 1), by(2, 2, 5, 3, 8, 2, 0, 1, 0, 2)},
	{
		"(13)", "input x = 2\nif x > 1 then x * x else x",
		by(0, 0, 0, 3, 1, 0, 0, 1, 0, 0, 1), by(2, 5, 8, 7, 14, 2, 1, 3, 1, 0, 1),
	},
	{
		"a partial application", "let f = fun x y -> x * y in let g = f 2 in g 3 + g 4",
		by(3, 0, 3, 4, 5, 0, 1, 2), by(10, 7, 17, 10, 22, 7, 1, 6),
	},
	{
		"an application of a result", "(fun x -> x) (fun y -> y) 3",
		by(2, 0, 1, 1, 2), by(3, 1, 3, 0, 4, 1),
	},
	{
		"a vector", "input v : R^2 = [| 1, 2 |]\nlet w = v in w.(0) * w.(1)",
		by(0, 1, 1, 4, 5, 0, 0, 1), by(3, 4, 11, 6, 16, 3, 0, 3),
	},
	{
		"(14), (15): the sum of a stream", "type stream = Nil | Cons of R * stream\ninput x = 2\ninput y = 3\n" +
			"let rec total (s : stream) : R = match s with Nil -> 0 | Cons (a, r) -> a + total r in total (Cons (x, Cons (y, Nil)))",
		by(3, 2, 8, 4, 13, 0, 2, 0, 0, 0, 0, 3, 3), by(8, 7, 21, 6, 29, 5, 2, 0, 0, 0, 0, 3, 3),
	},
	{
		"(14), (15): the product of a tree", "type tree = Leaf of R | Node of tree * tree\ninput x = 3\n" +
			"let rec f (t : tree) (p : R) : R = match t with Leaf y -> y * p | Node (l, r) -> f l (f r p) in f (Node (Leaf x, Leaf 2)) 1",
		by(6, 1, 8, 6, 15, 0, 0, 2, 0, 0, 0, 3, 3), by(11, 6, 22, 9, 29, 5, 0, 6, 0, 0, 0, 3, 3),
	},
}

// TestCountsWorkedOutByHand holds the reference against them.
func TestCountsWorkedOutByHand(t *testing.T) {
	for _, c := range worked {
		t.Run(c.name, func(t *testing.T) {
			p := load(t, c.src)
			require.Equal(t, c.value, onReference(t, p, false, nil).counts, "value")
			require.Equal(t, c.gradient, onReference(t, p, true, nil).counts, "gradient")
			requireAgreement(t, p, false)
			requireAgreement(t, p, true)
			requireLiteral(t, p, false, 1)
			requireLiteral(t, p, true, 1)
		})
	}
}

// TestSquaresShare: z' = z·z, n times, takes 14 + 24n steps (note C4).
func TestSquaresShare(t *testing.T) {
	src := "input x = 1.25\nlet z = x in\n"
	for n := range uint64(6) {
		counts := onReference(t, load(t, src+"z"), true, nil).counts
		require.Equal(t, 14+24*n, counts.Total())
		src += "let z = z * z in\n"
	}
}

// TestPaperPairsAreCopied: z' = z·z, n times. If (3) copies the pairs ⟨e,λa.u⟩ of D as they
// stand, each λ once for each use of z, then (11) never sees two equal heads, and the
// steps grow by a factor; so they do if a λ is substituted for a named dual as soon as can
// be. With each dual named and substituted last they are 14 + 24n (note C4).
func TestPaperPairsAreCopied(t *testing.T) {
	src := "input x = 1.25\nlet z = x in\n"
	var copied, early []float64
	for range 8 {
		p := load(t, src+"z")
		for _, c := range []struct {
			named  bool
			totals *[]float64
		}{{false, &copied}, {true, &early}} {
			s := p.start(t, denote.Floats{}, true)
			if c.named {
				s = s.Named()
			}
			res, err := s.Run(reference.ByValue, 20_000, nil)
			require.NoError(t, err)
			*c.totals = append(*c.totals, float64(res.Counts.Total()))
		}
		src += "let z = z * z in\n"
	}
	t.Log(copied, early)
	for i := 3; i < len(copied); i++ {
		require.Greater(t, copied[i]/copied[i-1], 1.7, "%v", copied)
		require.Greater(t, early[i]/early[i-1], 1.7, "%v", early)
	}
}
