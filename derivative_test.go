package gram_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram"
)

// TestDerivatives: programs with jvp and grad, among them those in which derivatives in one another are easily confused (Siskind and
// Pearlmutter, "Perturbation confusion and referential transparency", 2005), have the values and the gradients by x = 2 that one
// computes by hand, in all forms.
func TestDerivatives(t *testing.T) {
	tree := "type tree = Leaf of R | Node of tree * tree\n" +
		"def rec product t = match t with | Leaf y -> y | Node (l, r) -> product l * product r\n" +
		"def rec scale x t = match t with | Leaf y -> Leaf (x * y) | Node (l, r) -> Node (scale x l, scale x r)\n"
	for _, c := range []struct {
		src             string
		value, gradient float64
	}{
		{"jvp (fun y -> y * jvp (fun z -> y + z) x 1) 1 1", 1, 0},
		{"jvp (fun y -> y * jvp (fun z -> x * y * z) 1 1) 1 1", 4, 2},
		{"def d f x = jvp f x 1\nd (fun y -> x * y * d (fun z -> y * z * z) x) x", 32, 48}, // ∂(2x²y²)
		{"def d f x = jvp f x 1\nd (d (d (fun y -> y ^ 4))) x", 48, 24},
		{"jvp (fun y -> jvp (fun y -> x * y) y y * y) x 3", 24, 24}, // 3 ∂(x·y²) = 6·x·y
		{"let f = fun y -> x * y * y in jvp f x 1", 8, 8},
		{"let f = fun y -> x * y in let g = fun y -> f (f y) * y in grad g 3", 24, 24},
		{"let s = sin 0 + x in grad (fun y -> s * y) 3", 2, 1},
		{"let (u, v) = grad (fun (y, z) -> x * y * y * z) (x, 3) in u * v", 192, 480}, // (2x·x·3)(x·x²)
		{"(grad (fun v -> x * sum i < 20 -> v.(i) ^ 3) (vec i < 20 -> x)).(7)", 24, 36},
		{"sum k < 3 -> jvp (fun y -> sum j < k -> exp 0 * j * x * y * y) k 1", 8, 4},
		{"sum (transpose (grad (fun M -> sum (matvec M [| x, x |])) (vec i < 3 -> vec j < 2 -> x))).(1)", 6, 3},
		{"jvp (fun y -> let a = vec b < 3 -> vec i < 3 -> vec j < 2 -> (x + j) * y ^ 2 * (b + i) in " + // 9·(2x + 1)·y²
			"sum b < 3 -> sum i < 2 -> sum j < 2 -> a.(b, i, j)) 1 1", 90, 36},
		{"jvp (fun y -> foldl (fun s a -> s * y + a * x) 0 [1; 2; 3]) 1 1", 8, 4}, // a·y² + b·y + c, times x
		{"jvp (fun y -> if y < 1 then y else x * y * y) 1.5 1", 6, 3},
		{"let rec f y = if y < 1 then x * y * y else f (y / 2) in jvp f x 1", 0.5, 0.5}, // x·y²/16
		{tree + "grad (fun y -> product (scale y (Node (Leaf 2, Node (Leaf x, Leaf 3))))) 1", 36, 18},
		{tree + "let t = Node (Leaf 5, Leaf x) in grad (fun y -> product (Node (t, Leaf (y * y)))) x", 40, 40},
		{"def newton f y = y - f y / jvp f y 1\niter #8 (newton (fun y -> y * y - x)) 1", 1.4142135623730951, 0.35355339059327376},
	} {
		p := load(t, "input x = 2\n"+c.src+"\n")
		res, err := p.Gradient(t.Context(), gram.EvalOptions{})
		require.NoError(t, err, c.src)
		require.InDelta(t, c.value, res.Values[0], 1e-12, c.src)
		require.InDelta(t, c.gradient, res.Jacobian[0], 1e-12, c.src)
		// An operation on what an application gives may come later in the literal machine, so last bits may differ.
		for _, opt := range append(forms[1:], gram.EvalOptions{Mode: gram.Forward}, gram.EvalOptions{Mode: gram.Tape}) {
			got, err := p.Gradient(t.Context(), opt)
			require.NoError(t, err)
			if opt.Mode == gram.Reverse {
				require.Equal(t, res.Cost.Steps, got.Cost.Steps, c.src)
			}
			require.InDelta(t, c.value, got.Values[0], 1e-12, c.src)
			require.InDelta(t, c.gradient, got.Jacobian[0], 1e-12, c.src)
		}
	}
}

// TestNewton: the distance of Newton's method from the minimum is squared in each step, in both machines, where curvatures differ
// by a factor of 10^6; and the derivative of the minimum by the input is exact.
func TestNewton(t *testing.T) {
	p := loadExample(t, "newton")
	res, err := p.Gradient(t.Context(), gram.EvalOptions{})
	require.NoError(t, err)
	last := len(res.Values) - 1
	for i, d := range res.Values[:last] {
		require.Less(t, res.Values[i+1], math.Max(d*d, 1e-15))
	}
	require.Less(t, res.Values[last], 1e-15)
	require.InDelta(t, 0, res.Jacobian[last], 1e-14)
	literal, err := p.Value(t.Context(), gram.EvalOptions{Literal: true})
	require.NoError(t, err)
	require.Equal(t, res.Values, literal.Values)
}
