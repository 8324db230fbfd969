package exec_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram/lang"
	"github.com/gram-machine/gram/limits"
)

// expansion writes a random program that expands a sum row by row, as a determinant is: a row goes on, in some of its
// summands, with another vector.
func expansion(r *rand.Rand) string {
	pick := func(of ...string) string { return of[r.IntN(len(of))] }
	factor := func() string {
		return pick("s.(j)", "row.(j)", "row.(j) * s.(j)", "sin row.(j)", "x", "exp (row.(j) * 0.3)", "(row.(j) / (2 + x))",
			"(j + 1)", "0.5", "(s.(j) - row.(j))", "sqrt (1 + row.(j) * row.(j))", "row.(n - 1 - j)", "(max x s.(j))",
			"(if j > 0 then row.(j - 1) else s.(j))", "(if j + 2 < n and not j = 1 then s.(j + 2) * row.(j) else 0)")
	}
	test := func() string {
		return fmt.Sprintf("%s %s %s", pick("abs s.(j)", "s.(j)", "s.(j) * sin j", "row.(j)", "s.(j) + 0.1 * j"),
			pick("<", ">", "<=", ">="), pick("0", "0.2", "row.(j)", "-0.3", "x"))
	}
	vector := pick("s.(i) * sign (j - i)", "s.(i) * sign (i - j)", "s.(i) - 0.2 * j", "sin (s.(i) + i * j)", "s.(i) * s.(j)",
		"s.(n - 1 - i) * sign (j - i)", "if i < j then s.(i) else 0 - s.(i)", "s.(i) * row.(j)", "0.1 * i - s.(j)", "row.(i)")
	more := fmt.Sprintf("f (vec i < n -> %s)", vector)
	yes := pick(fmt.Sprintf("%s * %s * %s", factor(), factor(), more), fmt.Sprintf("%s * %s", factor(), more),
		fmt.Sprintf("%s + %s", factor(), more), more, fmt.Sprintf("sin (%s * %s)", factor(), more),
		fmt.Sprintf("(if %s then %s * %s else 0)", test(), factor(), more))
	no := pick("0", "0", "0", "x", factor(), fmt.Sprintf("(if %s then %s else 0)", test(), factor()),
		fmt.Sprintf("(sum k < n -> row.(k) * %s)", pick("0.1", "s.(j)", "k")))
	last := pick("1", "x", "sum i < n -> s.(i)", "s.(0) + x")
	first := pick("1 - 2 * sin (3 * j)^2", "sin (j + 1)", "0.3 * j - 0.4", "x * j", "j")
	n, rows := 2+r.IntN(9), 1+r.IntN(3)
	if r.IntN(6) == 0 {
		n, rows = 10+r.IntN(150), 1+r.IntN(2)
	}
	return fmt.Sprintf(`param n = %d
input A : R^n^%d = vec i < %d -> vec j < n -> sin (1 + i * n + j)
input x = 0.3
def expand row f s = sum j < n -> if %s then %s else %s
let r = fold expand (fun s -> %s) (list i < %d -> A.(i)) (vec j < n -> %s) in %s
`, n, rows, rows, test(), yes, no, last, rows, first, pick("r", "r", "r * x", "r + sin (A.(0)).(1)", "let rec f u = if u < 1 then r else x * f (u - 1) in [| f 1, f 2 |]"))
}

// TestNests: machine code of nests with branches has the steps of their loops, and values and gradients that differ by
// rounding, with memory that grows, in parts, and when it runs again. It draws 150 programs, see
// draws, from the environment's RANDOM_SEED on.
func TestNests(t *testing.T) {
	first := number("RANDOM_SEED", 0)
	nests, parts := 0, 0
	for seed := first; seed < first+draws(150); seed++ {
		r := rand.New(rand.NewPCG(uint64(seed), 6))
		src := expansion(r)
		l, err := lang.Load("t.gram", []byte(src), lang.Options{})
		require.NoError(t, err, src)
		for _, gradient := range []bool{false, true} {
			p := compiled(t, l, gradient)
			var want []float64
			var counts any
			for i := range 3 {
				m := p.NewMachine(limits.Bounds{})
				if m.Plain = i == 0; i > 0 {
					m.NativeWork = 1e-9
					m.SetNests([2]uint64{8, 1 << 24}[i-1], [2]uint64{1 << (4 + seed%12), 1 << 24}[i-1], [2]float64{100, 1e9}[i-1])
				}
				k := 1 // outputs
				if l.Shape.String() != "R" {
					k = l.Shape.Size
				}
				got := make([]float64, k*(1+len(l.Point)))
				for range 2 {
					if gradient {
						require.NoError(t, m.Gradient(l.Point, got[:k], got[k:]), src)
						continue
					}
					require.NoError(t, m.Value(l.Point), src)
					values, _, err := m.Read(nil, nil)
					require.NoError(t, err)
					copy(got, values)
				}
				if i == 0 {
					want, counts = got, m.Stats().Counts
					continue
				}
				require.Equal(t, counts, m.Stats().Counts, "seed %d, gradient %v\n%s", seed, gradient, src)
				scale := 1.0
				for _, x := range want {
					if !math.IsInf(x, 0) && !math.IsNaN(x) {
						scale = max(scale, math.Abs(x))
					}
				}
				for k, x := range want {
					if y := got[k]; !(math.Abs(x-y) <= 1e-11*scale) && !(math.IsNaN(x) && math.IsNaN(y)) && x != y {
						t.Fatalf("seed %d, gradient %v: number %d is %v, and %v in loops\n%s", seed, gradient, k, y, x, src)
					}
				}
				nests += m.Nests()
				parts += m.NestParts()
			}
		}
	}
	require.Greater(t, 10*nests, 2*draws(150))
	require.Greater(t, 10*parts, 3*draws(150))
}
