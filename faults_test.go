package gram

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram/rule"
)

// TestFaults: programs that gave a wrong result, or ended in a crash, have the right one in all forms.
func TestFaults(t *testing.T) {
	const vector = "input x : R^2 = [| 1, 2 |]\n"
	for _, tt := range []struct {
		src             string
		value, gradient []float64
	}{
		{vector + "fold (fun (a, b) s -> s + a * b) 0 (list i < 2 -> (x.(i) * x.(i), sum z < 2 -> x.(1 - z) * (1 + z))) + " +
			"0 * (sum i < 5000 -> sin (x.(0) * i))", []float64{20}, []float64{18, 21}},
		{vector + "input y = 1\nfold (fun (a, v) s -> s + a * v.(0)) 0 (list i < 2 -> (x.(i), vec z < 2 -> y))", []float64{3}, []float64{1, 1, 3}},
		{"param n = 300\ninput x = 0.5\niter #n (fun y -> (fun p -> y) (vec i < n -> i + 1)) x", []float64{0.5}, []float64{1}},
		{vector + "vec i < 2 -> jvp (fun b -> if x.(i) > 3 / 2 then b else b * x.(1 - i)) 1 3", []float64{6, 3}, []float64{0, 3, 0, 0}},
		{vector + "vec i < 2 -> jvp (fun b -> if x.(i) < 3 / 2 then b * b else x.(1 - i)) 1 3", []float64{6, 0}, []float64{0, 0, 0, 0}},
		{"param k = 2\n" + vector + "type stream = Nil | Cons of R^k * stream\nmatch Cons (x, Nil) with | Nil -> 0 | Cons (v, r) -> v.(0) * v.(1)",
			[]float64{2}, []float64{2, 1}},
		// A list of numerals has the index of the list around it.
		{"input s = 2\ninput t = 1\nfold (fun r u -> r + u) t (list i < 2 -> s * fold (fun a r -> r + a) 0 (list j < 2 -> i))", []float64{5}, []float64{2, 1}},
		// Each match binds a copy of the pair in the constructor, whose components (10) names.
		{vector + "type t = C of R * R\nlet v = C (x.(0) * x.(0), x.(1)) in (match v with | C s -> fst s) + (match v with | C s -> snd s)", []float64{3}, []float64{2, 1}},
		// Of a vector in an expanded comprehension, the first component is not opened, and two others are.
		{vector + "input A : R^(3, 2) = vec i < 3 -> vec j < 2 -> i + j\n(fun v -> vec j < 2 -> (let a = A in fold (fun (s, t) r -> s * r) 1 (list i < 2 -> (a.(2 - i).(1), v.(0))))) x",
			[]float64{6, 6}, []float64{0, 0, 0, 0, 0, 3, 0, 2, 0, 0, 0, 0, 0, 3, 0, 2}},
		// A loop whose state is a constructor is none for machine code of numbers.
		{"type option = None | Some of R\ninput x = 2\nmatch fold (fun a (r : option) -> if 1 < x then r else r) (Some x) (list i < 18 -> i * x) with | None -> 1 | Some u -> u",
			[]float64{2}, []float64{1}},
		// m: what counts the uses of z waits for u first, while a branch of a branch gives z.
		{"input x : R^3 = [| 1, 2, 3 |]\ninput y : R^3 = [| 4, 5, 6 |]\ninput t = -1\ndata q : R^3 = [| 7, 8, 9 |]\n" +
			"let u = (if t < 1 then x else y) in let z = (if t > 0 then [| q.(0), q.(1), t |] else if t < 1 then y else [| q.(2), t, t |]) in z",
			[]float64{4, 5, 6}, []float64{0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0}},
	} {
		{
			p, err := Load(t.Context(), "t.gram", []byte(tt.src), Options{})
			require.NoError(t, err, tt.src)
			var steps rule.Counts
			for i, form := range allForms {
				p.eager = form.eager
				res, err := p.Gradient(t.Context(), form.opt)
				require.NoError(t, err, "%s: %s", form.name, tt.src)
				require.InDeltaSlice(t, tt.value, res.Values, 1e-12, "%s: %s", form.name, tt.src)
				require.InDeltaSlice(t, tt.gradient, res.Jacobian, 1e-12, "%s: %s", form.name, tt.src)
				if i == 0 {
					steps = res.Cost.Steps
				}
				require.Equal(t, steps, res.Cost.Steps, "%s: %s", form.name, tt.src)
			}
			require.NoError(t, (&surface{ctx: t.Context(), p: p}).graph(), tt.src)
		}
	}
}
