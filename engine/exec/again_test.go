package exec_test

import (
	"maps"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram/limits"
)

// TestAgain: where iterations are made again for the backward phase, a program has the values, gradients and steps that it
// has with all of its tape.
func TestAgain(t *testing.T) {
	all := maps.Clone(streams)
	maps.Copy(all, loops)
	maps.Copy(all, vectors)
	maps.Copy(all, states)
	for name, src := range all {
		t.Run(name, func(t *testing.T) {
			made := 0
			for _, native := range []bool{false, true} {
				l := withData(t, src, false)
				want := attemptOf(t, l, true, native, limits.Bounds{})
				require.NoError(t, want.run())
				for _, least := range []uint64{1, 100, 1000, 5000} {
					got := attemptOf(t, l, true, native, limits.Bounds{RowsMemory: 1})
					got.m.SetLeastAgain(least)
					for range 2 {
						require.NoError(t, got.run())
						require.Equal(t, want.values, got.values)
						require.Equal(t, want.m.Stats().Counts, got.m.Stats().Counts)
						scale := 1e-300
						for _, x := range want.slope {
							scale = max(scale, math.Abs(x))
						}
						require.InDeltaSlice(t, want.slope, got.slope, 1e-13*scale)
						made += got.m.Checkpoints()
					}
				}
			}
			require.Equal(t, !untaped[name], made > 0)
		})
	}
}

// untaped are programs without loops that leave something on the tape, but for one record.
var untaped = map[string]bool{"entropy": true, "the last": true, "copied": true, "closures": true}

// states are programs with loops whose state is not numbers only.
var states = map[string]string{
	"a vector":  "input x : R^12 = vec i < 12 -> sin i\nlet h = fold (fun y (h : R^12) -> vec i < 12 -> tanh (h.(i) * e + h.(11 - i) * y + x.(i))) x (list i < 60 -> cos i) in sum i < 12 -> h.(i) * x.(i)",
	"a matrix":  "input x : R^9^9 = vec i < 9 -> vec j < 9 -> sin (i * j)\nlet h = fold (fun y (h : R^9^9) -> vec i < 9 -> vec j < 9 -> tanh (h.(j).(i) * e + y)) x (list i < 30 -> cos i) in [| h.(3).(2), (sum i < 9 -> h.(i).(i)) |]",
	"updates":   "input x : R^20 = vec i < 20 -> sin i\nlet (h, s) = fold (fun y (h, s) -> let a = h.(3) * y in let h = vec i < 20 -> if i = 3 then a + s * e else h.(i) in (vec i < 20 -> if i = 5 then h.(3) * r else if i = 7 then 2 else h.(i), h.(9) * s + 0.1)) (x, e) (list i < 60 -> cos i) in h.(5) * s + h.(3) * h.(7)",
	"a tuple":   "input x : R^3 = vec i < 3 -> sin i\nlet (h, c, k) = fold (fun y (h, c, k) -> (vec i < 3 -> tanh (h.(i) * e + c.(i)), vec i < 3 -> c.(2 - i) * y + h.(i), sin (k + h.(1) * r))) (x, x, e) (list i < 60 -> cos i) in h.(0) * k + c.(1)",
	"a spine":   "type nums = Nil | Cons of R * nums\nlet rec f (l : nums) : R = match l with Nil -> e | Cons (v, k) -> v * r + sin (f k) in f (fold (fun y l -> Cons (sin (y * e), l)) Nil (list i < 60 -> cos i))",
	"recursion": "type tree = Leaf of R | Node of tree * tree\nlet rec make (k : R) (x : R) : tree = if k < 1 then Leaf x else Node (make (k - 1) (x * e), make (k - 1) (sin x)) in let rec total (t : tree) : R = match t with Leaf x -> fold (fun y s -> sin (s + y * x)) r (list i < 5 -> i + 1) | Node (a, b) -> total a + cos (total b) in fold (fun y s -> s * r + total (make y s)) e (list i < 5 -> 4 - i)",
	"swaps":     "(fun p -> let (a, b) = p in a * b * b) (fold (fun x p -> let (a, b) = p in if x > 0 then (b, a) else (sin b, a * e)) (e, r) (list i < 90 -> cos i))",
	"same":      "(fun p -> let (a, b) = p in a * b + a) (fold (fun x p -> let (a, b) = p in let c = sin (a * x + b) in (c, c)) (e, r) (list i < 90 -> cos i))",
	"numerals":  "(fun p -> let (a, b) = p in a * b) (fold (fun x p -> let (a, b) = p in if x > 0.9 then (1, b * e) else (a * r + x, b + 0.1)) (0, r) (list i < 90 -> cos i))",
	"inner":     "fold (fun x s -> s + fold (fun y z -> sin (z * e + (fold (fun w q -> tanh (q + w * r)) z [x; y; 0.2]))) s (list j < 20 -> sin j)) 0 (list i < 12 -> cos i)",
	"entropy":   "input b : R^12^12 = vec i < 12 -> vec j < 12 -> sin (i * j)\ndata a : List R^13 = list i < 30 -> vec j < 13 -> cos (i + j)\nfold (fun (v : R^13) s -> s + sum k < 12 -> (let z = vec j < 12 -> b.(k).(j) * v.(j) in log (sum j < 12 -> exp (z.(j) - maximum z)) - z.(3) * v.(k + 1))) 0 a",
	"jacobian":  "let (a, b) = fold (fun x p -> let (a, b) = p in (sin (a * e + x), b * r + a)) (e, r) (list i < 90 -> cos i) in [| a, b, a * b |]",
	"rows":      "vec i < 5 -> fold (fun x s -> sin (s * e + x * r + i)) e (list j < 40 -> cos j)",
	"functions": "let f = fold (fun x (g : R -> R) -> fun y -> g (sin (y * e + x))) (fun y -> y * r) (list i < 600 -> cos i) in f e + f r",
}
