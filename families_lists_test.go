package gram

import (
	"testing"
)

const familyListHead = `param n = 5
input x : R^n = vec i < n -> sin i
input A : R^n^n = vec i < n -> vec j < n -> sin (i*n + j)
input B : R^n^n = vec i < n -> vec j < n -> cos (i + j*n)
input s = 0.7
data  d : List R = list i < 4 -> 0.3 * i - 0.5
data  r : List R^2 = list i < 3 -> [| 0.3 * i, cos i |]
`

// TestFamilyLists: lists that stand in a family, iterations by numerals, and functions that are applied there, are code of the family.
func TestFamilyLists(t *testing.T) {
	for _, q := range []struct {
		body   string
		arrays bool
	}{
		{"sum i < n -> let l = [x.(i); s] in fold (fun e r -> e * r) 1 l", true},
		{"sum i < n -> fold (fun e r -> e * r) 1 [x.(i); x.(i) * x.(i); sin x.(i)]", true},
		{"sum i < n -> let y = sin x.(i) in let z = cos A.(i).(0) in fold (fun e r -> tanh (e + y * r)) z [y; z * y; 3 * i; exp z]", true},
		{"sum i < n -> fold (fun e r -> tanh (e + r)) 0.5 (list j < n -> x.(i) * A.(i).(j))", true},
		{"sum i < n -> fold (fun e r -> r + e) 0 (list j < n -> x.(j) * A.(j).(i))", true},
		{"sum i < n -> fold (fun e r -> e * r + x.(i)) 1 (list j < 6 -> j + i)", true},
		{"sum i < n -> let (u, v) = fold (fun (a, b) (u, v) -> (a * u, b + v)) (1, x.(i)) [(x.(i), A.(i).(1)); (A.(i).(0), 3)] in u * v", true},
		{"sum i < n -> iter #4 (fun r -> sin (r * x.(i)) + r) A.(i).(0)", true},
		{"sum i < n -> iter #0 (fun r -> sin (r * x.(i)) + r) A.(i).(0)", false},
		{"sum i < n -> foldl (fun r e -> tanh (r * x.(i) + e)) s [x.(i); sin x.(i); 2]", true},
		{"sum i < n -> foldl (fun r e -> tanh (r * x.(i) + e)) s d", true},
		{"sum i < n -> length (filter (fun e -> e - 0.1) (map (fun e -> e * 2) d)) * x.(i)", true},
		{"sum i < n -> let f = fun u v -> u * sin v in f (f x.(i) A.(i).(0)) A.(i).(1)", true},
		{"sum i < n -> let f = fun u -> fun v -> u * sin v in let g = f x.(i) in g A.(i).(0) * g A.(i).(1)", false},
		{"sum i < n -> fold (fun v r -> v.(0) * r + v.(1) * x.(i)) 1 r", true},
		{"sum i < n -> fold (fun v r -> sum v * r) x.(i) [vec l < n -> A.(i).(l) * i; vec l < n -> sin B.(i).(l)]", true},
		{"sum i < n -> fold (fun e r -> if r < e then sin r * e else e * r) x.(i) [A.(i).(0); A.(i).(1); A.(i).(0) * A.(i).(1)]", true},
		{"sum i < n -> fold (fun e r -> fold (fun f q -> f * q + e) r [x.(i); e]) x.(i) [A.(i).(0); A.(i).(1)]", true},
		{"sum i < n -> (sum j < n -> fold (fun e r -> tanh (e + r)) 0.5 [x.(i); A.(i).(j); A.(i).(j) * B.(j).(i)])", true},
		{"let y = matvec A x in logsumexp (matvec B (vec i < n -> foldl (fun r e -> tanh (r * y.(i) + e)) s (list j < 3 -> y.(i) * j)))", true},
		{"let y = vec i < n -> foldl (fun r e -> tanh (r * x.(i) + e)) 0.1 (list j < 3 -> A.(i).(j)) in sum i < n -> y.(i) * y.(i)", true},
		{"sum i < n -> fold (fun e r -> e * r) 1 (list j < i + 1 -> x.(j))", false}, // its length depends on an index
	} {
		for _, n := range []string{"n=3", "n=5", "n=13"} {
			compareForms(t, familyListHead+q.body+"\n", EvalOptions{}, []string{n}...)
		}
	}
}
