package gram

import (
	"testing"
)

// foldsHead declares what the programs with folds in families read.
const foldsHead = `param n = 5
param k = 12
input W : R^k^k = vec i < k -> vec j < k -> 0.1 * sin (1 + i*k + j)
input x : R^k = vec i < k -> sin i
input h : R^k = vec i < k -> cos i
input s = 0.3
data  l : List R = list t < n -> 0.4 * t - 0.3
data  a : List R^2 = list t < n -> [| 0.3 * t, 0.5 |]
`

// TestFoldsInFamilies: folds over data in families, whose functions have names in profiles, as those of the expansion have.
func TestFoldsInFamilies(t *testing.T) {
	for _, q := range []struct {
		body   string
		arrays bool
	}{
		{"sum i < k -> fold (fun e r -> tanh (r * x.(i) + e.(0) * e.(1))) (h.(i) * s) a", true},
		{"sum i < k -> fold (fun e r -> r * x.(i) + e.(0)) 0 a", true},
		{"sum i < k -> let z = x.(i) in if z < 0 then fold (fun e r -> sin (r + e.(0))) z a else fold (fun e r -> cos (r * e)) z l", true},
		{"sum i < k -> let (u, v) = fold (fun e (u, v) -> (u * e.(0), v + x.(i))) (s, h.(i)) a in u * v", true},
		{"def cell e g = vec i < k -> fold (fun d r -> tanh (r + d * e)) g.(i) l\nlet r = fold cell x l in sum i < k -> r.(i)", true},
		{"def cell e g = vec i < k -> fold (fun d r -> tanh (r + d.(0) * d.(1) * e.(1))) g.(i) a\nlet r = fold cell x a in sum i < k -> r.(i)", true},
		{"def f e r = r * e + 1\nsum i < k -> fold f x.(i) l + fold f h.(i) l", true},
		{"sum i < k -> fold (fun e r -> fold (fun d q -> q * r + d * e.(1)) r [0.5; 0.25]) x.(i) a", true},
		// Of this, only the value runs as arrays.
		{"sum i < k -> let z = x.(i) in if z < 0 then fold (fun e r -> if r < e.(0) then sin (r * fold (fun u v -> v * z + u.(1)) z a) else r) z a else z", false},
	} {
		for _, params := range [][]string{{"k=3"}, {"k=11", "n=2"}} {
			compareForms(t, foldsHead+q.body+"\n", EvalOptions{}, params...)
		}
	}
}

// pair writes an expression of type R * R.
func (w *cellWriter) pair(depth int) string {
	if depth == 0 {
		return "(" + w.number(0) + ", " + []string{"0.5", w.number(0)}[w.r.IntN(2)] + ")"
	}
	switch w.r.IntN(5) {
	case 0, 1:
		return "(if " + w.number(0) + " < " + w.number(0) + " then " + w.pair(depth-1) + " else " + w.pair(depth-1) + ")"
	case 2:
		p := w.name("p")
		return "(let " + p + " = " + w.pair(depth-1) + " in " + p + ")"
	case 3:
		e, u, v := w.name("e"), w.name("u"), w.name("v")
		return "(fold (fun " + e + " (" + u + ", " + v + ") -> (" + v + ", " + e + " * " + u + ")) " + w.pair(depth-1) + " l)"
	}
	return "(" + w.number(depth-1) + ", " + []string{"0.5", w.number(0)}[w.r.IntN(2)] + ")"
}
