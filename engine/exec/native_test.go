package exec_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram/engine/exec"
	"github.com/gram-machine/gram/lang"
	shape "github.com/gram-machine/gram/lang/load"
	"github.com/gram-machine/gram/limits"
)

// loops are programs with loops of numbers.
var loops = map[string]string{
	"saturated":       "fold (fun x s -> tanh (s * e + x * r)) 0 (list i < 9 -> -73 * (i + 1))",
	"saturated pairs": "fold (fun p s -> let (a, b) = p in tanh (s * e + a * b)) 0 (list i < 9 -> (-73 * r, (sum k < 3 -> e * r / (k + 1 + i))))",
	"w1":              "data a : List R = list i < 1000 -> sin (999 - i)\nfold (fun x h -> sigmoid (e * x + r * h)) 0 a",
	"w3":              "iter #1000 (fun z -> sin (z * z) + z) e",
	"w4":              "iter #1000 (fun y -> e * y + r) r",
	"if":              "fold (fun x s -> if s > x then s * e + x else sin (s + r)) e (list i < 500 -> 1 / (i + 1))",
	"reset":           "fold (fun x s -> if s > 3 then 0 else s + e * x) 0 (list i < 500 -> 1 / (i + 1))",
	"pair":            "(fun p -> let (a, b) = p in a * b) (fold (fun x p -> let (a, b) = p in (b * e + x, sin a + b / 2)) (e, r) (list i < 500 -> 1 / (i + 1)))",
	"half":            "(fun p -> let (a, b) = p in b) (fold (fun x p -> let (a, b) = p in (a * e + x, sin b)) (e, r) (list i < 500 -> 1 / (i + 1)))",
	"lstm":            "(fun p -> let (h, c) = p in h) (fold (fun x p -> let (h, c) = p in let d = sigmoid (e * x + h) * c + r in (tanh d * h, d)) (e, r) (list i < 500 -> 1 / (i + 1)))",
	"fib":             "(fun p -> let (a, b) = p in a) (iter #500 (fun p -> let (a, b) = p in (b, a * e + b / 3)) (e, r))",
	"relu":            "iter #500 (fun y -> relu (y * e - 0.1) + min y r + max (y * y) 0.2 + exp (0 - y)) r",
	"pairs":           "data xs : List (R * R) = list i < 400 -> (1 / (i + 1), i / 400)\nfold (fun p s -> let (x, y) = p in s * x + y * e) r xs",
	"copies":          "(fun p -> let (a, b) = p in a + b) (iter #300 (fun p -> let (a, b) = p in let v = a * e + b in (v, v)) (e, r))",
	"dead":            "fold (fun x s -> if s > 0.3 then x else s * e + x) 0 (list i < 500 -> sin i)",
	"invariant":       "fold (fun x s -> if s > 0.3 then r else s * e + x) 0 (list i < 500 -> sin i)",
	"shared at first": "data l : List R = [1; 2; 3; 0.1; 5]\nlet (a, b) = fold (fun u (a, b) -> if u > 1.5 then (a, b) else (u, 2 * u)) (e, e) l in a + 10 * b",
	"none":            "fold (fun x s -> 0 * 2 + x) 0 (list i < 500 -> sin i) + e + r",
}

// vectors are programs with loops that read vectors.
var vectors = map[string]string{
	"inputs":         "input v : R^50 = vec i < 50 -> sin i\nfold (fun x s -> tanh (s * e + x * r)) 0 (list i < 50 -> v.(i))",
	"reversed":       "input v : R^50 = vec i < 50 -> sin i\nfold (fun x s -> s * e + x * x) 0 (list i < 50 -> v.(49 - i))",
	"twice":          "input v : R^50 = vec i < 50 -> sin i\nfold (fun p s -> let (x, y) = p in s * e + x * y) 0 (list i < 49 -> (v.(i), v.(i + 1) * v.(3)))",
	"both ways":      "input v : R^50 = vec i < 50 -> sin i\nfold (fun p s -> let (x, y) = p in s * e + x * y) 0 (list i < 50 -> (v.(i), v.(49 - i)))",
	"a column":       "input m : R^40^50 = vec i < 50 -> vec j < 40 -> sin (i * j)\nfold (fun x s -> s * e + x) 0 (list i < 50 -> m.(i).(7) * m.(i).(9))",
	"a column, down": "input m : R^40^50 = vec i < 50 -> vec j < 40 -> sin (i * j)\nfold (fun x s -> s * e + x) 0 (list i < 50 -> m.(49 - i).(7))",
	"rows":           "data l : List R^3 = list i < 50 -> vec j < 3 -> cos (i + j)\nfold (fun (v : R^3) s -> s * e + v.(0) * v.(2)) r l",
	"made":           "let v = vec i < 50 -> sin (i * e) in fold (fun x s -> s * r + x) 0 (list i < 50 -> v.(i))",
	"a branch":       "input v : R^50 = vec i < 50 -> sin i\nfold (fun x s -> if s > r then s * e + x else s + x * x) 0 (list i < 50 -> v.(i))",
	"rarely":         "input v : R^50 = vec i < 50 -> sin i\nfold (fun p s -> let (x, i) = p in if i > 40 then s + x else s * e) 0 (list i < 50 -> (v.(i), i))",
	"many outputs":   "input v : R^50 = vec i < 50 -> sin i\nlet p = fold (fun x p -> let (a, b) = p in (a * e + x, sin b + r * a)) (0, 0) (list i < 50 -> v.(i)) in let (a, b) = p in [| a, b, a * b, 3 |]",
	"symbols":        "symbol swish a = a * sigmoid a with sigmoid a * (1 + a * (1 - sigmoid a))\nsymbol three a b c = a * b + c with b, a, 1\nfold (fun x s -> swish (s * e) + three x s r + sqrt (1 + s * s) + cos (sin s) + sin s / (2 + cos s) - pow (1 + s * s) 0.3) 0 (list i < 50 -> i / 50)",
	"index":          "fold (fun x s -> s * e + x) r (list i < 60 -> (i + 1) * (i + 1) / 7)",
}

// scans are programs with loops that make vectors.
var scans = map[string]string{
	"powers":       "let s = scan i < 40 with p = e -> p * r + 0.1 in s.(39) * s.(7)",
	"all":          "let s = scan i < 40 with p = e -> sin (p + r) in sum i < 40 -> s.(i) * s.(i)",
	"every second": "let s = scan i < 40 with p = e -> sin (p + r) in fold (fun x t -> t + x * x) 0 (list i < 20 -> s.(2 * i))",
	"numerals":     "let s = scan i < 40 with (q, p) = (0, 1) -> (p, q + p * e) in sum i < 40 -> fst s.(i) * snd s.(i)",
	"an element":   "input v : R^50 = vec i < 50 -> sin i\nlet s = scan i < 50 with (a, b) = (e, r) -> (a * b + v.(i), v.(49 - i)) in sum i < 50 -> fst s.(i) + snd s.(i) * i",
	"an if":        "input v : R^50 = vec i < 50 -> sin i\nlet s = scan i < 50 with a = 0 -> if a > 0.5 then v.(i) else if a < 0 - 0.5 then 0.1 else a * e + v.(i) in sum i < 50 -> s.(i) * s.(49 - i)",
	"many outputs": "let s = scan i < 30 with p = e -> p * r + 0.1 in vec i < 4 -> s.(7 * i) * s.(3)",
	"many numbers": "let s = scan i < 9000 with p = e -> sin (p + r) in sum i < 9000 -> s.(i) * s.(i)",
	"rows":         "let s = foldl (fun v x -> let t = scan j < 30 with p = x -> p * e + v.(j) in vec j < 30 -> t.(j) * r) (vec j < 30 -> j / 30) (list i < 20 -> sin i) in sum j < 30 -> s.(j)",
	"in a vector":  "let v = vec i < 5 -> (let s = scan j < 9000 with p = e * (i + 1) -> sin (p + r) in s.(8999) * s.(3)) in sum v * v.(1) * v.(4)", // vectors are collected meanwhile
	"of another":   "let s = scan i < 40 with p = e -> sin (p + r) in let t = scan i < 40 with q = s.(39) -> q * s.(i) + s.(39 - i) in t.(39) + t.(0)",
}

// carried are programs with loops that carry small vectors.
var carried = map[string]string{
	"vector":        "sum (iter #50 (fun (v : R^3) -> vec i < 3 -> sin (v.(i) * e + v.(2 - i) * r)) [| e, r, 1 |])",
	"states":        "let s = scan k < 50 with (v, m) = ([| e, r, 1, 0 |], e) -> (vec i < 4 -> sin (v.(i) * m + v.(3 - i)), m * r) in let (v, m) = s.(49) in let (w, k) = s.(7) in sum (v * w) * (fst s.(30)).(2) + m * k",
	"matrix":        "let m = iter #40 (fun (m : R^2^2) -> vec i < 2 -> vec j < 2 -> sum k < 2 -> m.(i).(k) * [| [| e, r |], [| 1, e |] |].(k).(j)) [| [| 1, 0 |], [| 0, e |] |] in m.(0).(1) * m.(1).(0)",
	"matvec":        "input m : R^3^3 = vec i < 3 -> vec j < 3 -> sin (i + 2 * j)\nsum (iter #40 (fun v -> matvec m v / 2) [| e, r, e |])",
	"bodies":        "let (x, v) = iter #40 (fun ((x : R^3^3), (v : R^3^3)) -> let w = vec i < 3 -> vec j < 3 -> let d = x.(j) - x.(i) in e / (dot d d + 1) in (x + 0.1 * v, v + (vec i < 3 -> vec c < 3 -> sum j < 3 -> w.(i).(j) * (x.(j).(c) - x.(i).(c))))) (vec i < 3 -> vec c < 3 -> sin (i + c + r), vec i < 3 -> vec c < 3 -> e) in sum i < 3 -> sum x.(i)",
	"ten":           "input m : R^10^10 = vec i < 10 -> vec j < 10 -> sin (i + 2 * j) / 4\nsum (iter #20 (fun (v : R^10) -> vec i < 10 -> (sum j < 10 -> m.(i).(j) * v.(9 - j)) * r) (vec i < 10 -> e * i))",
	"two":           "let (x, v) = iter #60 (fun ((x : R^2), (v : R^2)) -> let v = v - 0.1 * x in (x + 0.1 * v * e, v)) ([| e, 1 |], [| r, 0 |]) in x.(0) * v.(1) + x.(1)",
	"turns":         "let (x, (y, z)) = iter #41 (fun ((x : R^3), ((y : R^3), (z : R^3))) -> (y, (z, x * e + r))) ([| e, 1, 2 |], ([| r, 3, e |], [| 0, 0, 1 |])) in dot x y + z.(1)",
	"shift":         "let v = iter #50 (fun (v : R^4) -> vec i < 4 -> if i < 3 then v.(i + 1) else e * v.(0) + r * v.(2)) [| 1, e, 0, r |] in v.(0) * v.(3)",
	"an if":         "let v = iter #50 (fun (v : R^2) -> if v.(0) > v.(1) then v * e else [| v.(1) + 0.5, sin (v.(0) * r) |]) [| e, r |] in v.(0) - v.(1)",
	"an if inside":  "sum (iter #50 (fun (v : R^3) -> vec i < 3 -> if v.(i) > 0.3 then v.(i) * e else v.(2 - i) + 0.2 * e) [| e, r, 1 |])",
	"numerals":      "let v = iter #30 (fun (v : R^3) -> [| 1, v.(0) * e + v.(1), v.(2) * r + v.(1) |]) [| 0, 0, 0 |] in v.(1) + v.(2)",
	"rows":          "data l : List R^3 = list i < 50 -> vec j < 3 -> cos (i + j)\nsum (foldl (fun (h : R^2) x -> vec i < 2 -> tanh (dot x [| e, r, 1 |] + h.(1 - i))) [| 0, 0 |] l)",
	"shared slots":  "data l : List R^3 = list i < 9 -> vec j < 3 -> cos (i + j)\nlet (u, v) = fold (fun (x : R^3) ((u : R^3), (v : R^3)) -> if x.(0) > 0.2 then (u, v) else (x + 0.1, 2 * x)) ([| e, e, e |], [| e, e, r |]) l in u.(0) + 10 * v.(0)",
	"nested ifs":    "input a = 0.7\ninput b = 0.4\ninput U : R^3 = vec i < 3 -> 0.3 * sin (i + 1)\ndata l : List R^3 = list i < 7 -> vec j < 3 -> sin (i * i * 1 + j * 2)\nlet ((s0 : R^3), (s1 : R^3)) = iter #40 (fun ((s0 : R^3), (s1 : R^3)) -> fold (fun (x : R^3) ((s0 : R^3), (s1 : R^3)) -> (if x.(2) <= 0 then (if x.(0) >= 0.999 then (if s0.(0) <= 0 then (0.5 * s1, [| s1.(1), b, s0.(1) |]) else (s0, s1)) else (if x.(1) >= 0.9 then (s0, s1) else (if s0.(1) <= 0.3 then ((if s1.(1) < 0 - 0.3 then [| sin (s0.(0) * b), x.(1), a |] else s0), s0) else ([| sin (s0.(2) + s1.(2)), s0.(2), 0.5 |], (vec i < 3 -> 0.5 * s1.(i)))))) else ([| s0.(2), a, a |], [| s1.(0), s0.(0), s0.(0) |]))) (s0, s1) l) (U, U) in\n3 * s0.(0) + 3 * s1.(2)",
	"a number too":  "let (n, v) = iter #50 (fun (n, (v : R^3)) -> (n + v.(0) * e, vec i < 3 -> sin (n * r + v.(i)))) (e, [| 0, e, r |]) in n + v.(2)",
	"a part":        "let v = iter #20 (fun (v : R^2) -> let m = vec i < 3 -> vec j < 2 -> v.(j) * e + i in m.(0)) [| e, r |] in v.(0) * v.(1)",
	"many outputs":  "iter #30 (fun (v : R^3) -> vec i < 3 -> sin (v.(i) * e + v.(2 - i) * r)) [| e, r, 1 |]",
	"loop in loop":  "sum (iter #9 (fun (v : R^3) -> iter #30 (fun (w : R^3) -> vec i < 3 -> w.(i) * v.(2 - i) + r) (vec i < 3 -> v.(i) * e)) [| 0.1, 0.2, e |])",
	"largest":       "let v = iter #30 (fun (v : R^3) -> softmax (v * e + [| r, 1, 2 |])) [| e, r, 1 |] in maximum v",
	"by the index":  "let v = fold (fun i (v : R^2) -> [| v.(1) * e + i, v.(0) * r |]) [| e, r |] (list i < 40 -> i / 40) in v.(0) * v.(1)",
	"a vector made": "let u = vec i < 9 -> sin (i * e) in let v = iter #40 (fun (v : R^3) -> vec i < 3 -> v.(i) * u.(i + 1) + u.(2 * i)) [| e, r, 1 |] in dot v v",
}

// ragged is a list of lists of different lengths, some of which are empty.
var ragged = "data l : List (R * List R) = [" + lists(40, func(i int) string {
	return fmt.Sprintf("(%g, [%s])", 0.3+0.1*float64(i%9), lists(i*i%7, func(k int) string { return fmt.Sprint(0.1 * float64(k+i%5)) }))
}) + "]\n"

// lists are n elements of a list.
func lists(n int, element func(i int) string) string {
	s := make([]string, n)
	for i := range s {
		s[i] = element(i)
	}
	return strings.Join(s, "; ")
}

// insides are programs with loops that have loops inside, which are not unrolled.
var insides = map[string]string{
	"sums":         ragged + "fold (fun (w, xs) s -> s + w * fold (fun x t -> t + sin (x * e)) 0 xs) 0 l",
	"carried":      ragged + "fold (fun (w, xs) s -> fold (fun x t -> t * r + x * w) (s * e) xs) r l",
	"two states":   ragged + "let (a, b) = fold (fun (w, xs) (a, b) -> let (p, q) = fold (fun x (p, q) -> (q + x * e, p * w)) (a, 0.5) xs in (b + p, q * r)) (e, r) l in a * b + a",
	"swapped":      ragged + "let (a, b) = fold (fun (w, xs) (a, b) -> fold (fun x (p, q) -> (q, p + x * e)) (a, b) xs) (e, r) l in a - 2 * b",
	"newton":       ragged + "fold (fun (w, xs) s -> s + iter #6 (fun y -> let (p, q) = fold (fun x (p, q) -> let v = w * exp (-y * x) in (p + v, q + x * v)) (0, 0.1) xs in y + (p - e) / q) r) 0 l",
	"in a branch":  ragged + "fold (fun (w, xs) s -> if w > 0.8 then fold (fun x t -> t + x * s) e xs else s * r) r l",
	"branches":     ragged + "fold (fun (w, xs) s -> fold (fun x t -> if x > 0.25 then t * e + x else if t > s then t - s * r else x) s xs) r l",
	"two loops":    ragged + "fold (fun (w, xs) s -> let a = fold (fun x t -> t + x * s) 0 xs in let b = fold (fun x t -> t * e + a * x) w xs in tanh (a * b)) r l",
	"last only":    ragged + "let (a, b) = fold (fun (w, xs) (a, b) -> let (p, q) = fold (fun x (p, q) -> (p + x, x * e + p)) (a, r) xs in (p / 3, q)) (0, 0) l in a + b",
	"not reached":  ragged + "let (a, b) = fold (fun (w, xs) (a, b) -> let (p, q) = fold (fun x (p, q) -> (p * e + x, q * x + r)) (a, b) xs in (p, 0 * 2 + 1)) (e, r) l in a + b",
	"unread":       ragged + "fold (fun (w, xs) s -> let (p, q) = fold (fun x (p, q) -> (p * e + x, q + p * r)) (s, 0) xs in p) e l",
	"numerals":     ragged + "fold (fun (w, xs) s -> let n = fold (fun x t -> t + x) 0 xs in s + n * e) 0 l",
	"dead in some": ragged + "fold (fun (w, xs) s -> fold (fun x t -> if x > 0.4 then x else t * e + s) 1 xs + s * r) 0 l",
	"elements":     "input v : R^6 = vec i < 6 -> sin (i + 1)\n" + ragged + "fold (fun (w, xs) s -> fold (fun x t -> t * e + x * v.(2)) s xs + v.(1)) r l",
	"three deep": "data l : List (R * List (R * List R)) = [" + lists(30, func(int) string {
		return "(1, [(2, [0.5; 0.1]); (0.5, [0.2])]); (0.5, []); (0.4, [(0.3, []); (1, [0.7; 0.8; 0.9])])"
	}) + "]\nfold (fun (w, ys) s -> fold (fun (u, xs) t -> t + u * fold (fun x a -> a * e + x * t) s xs) (w * r) ys) e l",
	"pairs":      ragged + "let (a, b) = fold (fun (w, xs) (a, b) -> (fold (fun x t -> t + a * x) b xs, fold (fun x t -> t * x + b) a xs)) (e, r) l in a * b",
	"same twice": ragged + "let (a, b) = fold (fun (w, xs) (a, b) -> fold (fun x (p, q) -> let y = p * e + q * x in (y, y)) (a, b) xs) (e, r) l in a + 3 * b",
	"sum": "input v : R^40 = vec i < 40 -> sin (i + 1)\ndata l : (List R)^40 = [|" + strings.ReplaceAll(lists(40, func(i int) string {
		return "[" + lists(i%5, func(k int) string { return fmt.Sprint(0.3 * float64(k+i%3)) }) + "]"
	}), "]; ", "], ") + "|]\n" + "sum i < 40 -> fold (fun x t -> t * e + x * v.(i)) r l.(i)",
	"vector": "input v : R^40 = vec i < 40 -> sin (i + 1)\ndata l : (List R)^40 = [|" + strings.ReplaceAll(lists(40, func(i int) string {
		return "[" + lists(i%5, func(k int) string { return fmt.Sprint(0.3 * float64(k+i%3)) }) + "]"
	}), "]; ", "], ") + "|]\n" + "let u = vec i < 40 -> fold (fun x t -> t * e + x * v.(i)) r l.(i) in u.(3) + 2 * u.(39)",
	"sum inside": ragged + "fold (fun (w, xs) s -> tanh (sum i < 11 -> fold (fun x t -> t * e + x * s) (i * w) xs)) r l",
	"rows":       ragged + "input m : R^6^40 = vec i < 40 -> vec j < 6 -> sin (i + 2 * j + 1)\nsum i < 40 -> let u = vec j < 6 -> m.(i).(j) * e in fold (fun (w, xs) s -> sin (s + fold (fun x t -> t * r + x * w) s xs)) u.(3) l",
	"from rows":  "data m : List R^3 = list i < 40 -> vec j < 3 -> 0.2 * cos (i + j)\nlet h = foldl (fun (h : R^3) row -> fold (fun a (u : R^3) -> vec i < 3 -> sin (u.(i) * e + a * r)) row [0.1; 0.4; 0.7]) [| e, r, e |] m in h.(0) * h.(2)",
	"triangle":   "input v : R^40 = vec i < 40 -> sin (i + 1)\nsum i < 40 -> sum j < i -> if v.(i) > v.(j) then sin (v.(i) - v.(j) * e) else r",
	"part":       "let m = vec i < 9 -> vec j < 60 -> sin (i + j * e) in sum i < 9 -> let u = m.(8 - i) in let w = vec k < 70 -> sin (k * u.(3)) in (sum j < 60 -> sum k < j -> sin (u.(k) * u.(j - k))) + sum k < 70 -> w.(k)",
	"update": "data v : R^20 = vec i < 20 -> 1 + 0.1 * i\nlet (q, s) = (scan j < 19 with (q, s) = (v, r) -> let a = q.(j) in " +
		"let q = vec i < 20 -> if i = j + 1 then a * q.(i) * e + s else if i = 3 then q.(j) else q.(i) in " +
		"(q, (sum i < 20 -> q.(i) * a) * 0.01)).(18) in q.(19) + s * q.(4)",
	"matrix": "data v : R^20^20 = vec i < 20 -> vec j < 20 -> 0.1 * (i - j)\nlet q = (scan k < 30 with q = v -> " +
		"if q.(3, 4) > -5 then (scan j < 19 with q = q -> let a = (sum i < 20 -> q.(i, j) * q.(j, i)) * e + r in " +
		"vec i < 20 -> vec l < 20 -> if i = j and l = j + 1 then a * 0.01 + q.(j, j) else q.(i, l)).(18) else q).(29) in q.(3, 4) + q.(18, 19)",
	"constant": ragged + "fold (fun (w, xs) s -> s + fold (fun x t -> e * r) 0 xs) 0 l",
}

// attempt is a machine with machine code at once, or none, and what it has computed.
type attempt struct {
	m             *exec.Machine
	point         []float64
	gradient      bool
	values, slope []float64
}

func newAttempt(t *testing.T, src string, gradient, native bool, bounds limits.Bounds) *attempt {
	t.Helper()
	l, err := lang.Load("t.gram", []byte("input e = 0.75\ninput r = -0.5\n"+src), lang.Options{})
	require.NoError(t, err)
	return attemptOf(t, l, gradient, native, bounds)
}

func attemptOf(t *testing.T, l *lang.Program, gradient, native bool, bounds limits.Bounds) *attempt {
	t.Helper()
	m := compiled(t, l, gradient).NewMachine(bounds)
	m.NoNative, m.NativeWork = !native, 1
	k := 1
	if l.Shape.Kind == shape.Vector {
		k = l.Shape.Width()
	}
	return &attempt{m: m, point: l.Point, gradient: gradient, values: make([]float64, k), slope: make([]float64, k*len(l.Point))}
}

func (r *attempt) run() (err error) {
	if r.gradient {
		return r.m.Gradient(r.point, r.values, r.slope)
	}
	if err = r.m.Value(r.point); err == nil {
		r.values, _, err = r.m.Read(r.values[:0], nil)
	}
	return err
}

// same compares two runs.
func (r *attempt) same(t *testing.T, want *attempt, rounding float64) {
	t.Helper()
	require.Len(t, r.values, len(want.values))
	for i, x := range want.values {
		require.InDelta(t, x, r.values[i], rounding*math.Abs(x), "number %d", i)
	}
	require.Equal(t, want.m.Stats().Counts, r.m.Stats().Counts)
	for i, x := range want.slope {
		if !math.IsNaN(x) || !math.IsNaN(r.slope[i]) {
			require.InDelta(t, x, r.slope[i], rounding*math.Abs(x), "number %d", i)
		}
	}
}

// TestNative: machine code of loops has the values, gradients and steps of the interpreter, and, where adjoints don't meet
// behind a conditional or in a vector, the same bits.
func TestNative(t *testing.T) {
	inexact := map[string]bool{"if": true, "invariant": true}
	for _, set := range []map[string]string{loops, vectors, scans, carried, insides} {
		for name, src := range set {
			t.Run(name, func(t *testing.T) {
				for _, gradient := range []bool{false, true} {
					want := newAttempt(t, src, gradient, false, limits.Bounds{})
					got := newAttempt(t, src, gradient, true, limits.Bounds{})
					for range 2 {
						require.NoError(t, want.run())
						require.NoError(t, got.run())
						rounding := 0.0
						if _, alone := loops[name]; !alone || inexact[name] {
							rounding = 1e-12
						}
						got.same(t, want, rounding)
						require.Positive(t, got.m.Native())
						require.Zero(t, want.m.Native())
						if insides[name] == src && !gradient {
							require.Equal(t, 1, got.m.Native(), "the outer loop is none for machine code")
						}
					}
				}
			})
		}
	}
}

// TestRuns: machine code of a loop that carries small vectors is made where it pays in as many runs as there will be.
func TestRuns(t *testing.T) {
	src := "sum (iter #2000 (fun (v : R^3) -> vec i < 3 -> sin (v.(i) * e + v.(2 - i) * r)) [| e, r, 1 |])"
	for runs, made := range map[int]bool{0: true, 1: false, 1000: true} {
		r := newAttempt(t, src, true, true, limits.Bounds{})
		r.m.NativeWork, r.m.Runs = exec.NativeWork, runs
		require.NoError(t, r.run())
		require.Equal(t, made, r.m.Native() > 0, "%d runs", runs)
	}
}

// TestNativeRows: a loop whose rows are more than they may be has the same bits from states and rows that are made again.
func TestNativeRows(t *testing.T) {
	for name, src := range map[string]string{
		"w1":   "data a : List R = list i < 200000 -> sin i\nfold (fun x h -> sigmoid (e * x + r * h)) 0 a",
		"pair": "(fun p -> let (a, b) = p in a + b) (fold (fun x p -> let (a, b) = p in (sin b * e + x, if a > b then sin a * r else b * e + x)) (e, r) (list i < 200000 -> i / 1000))",
		"w4":   "iter #200000 (fun y -> e * y + r) r",
	} {
		t.Run(name, func(t *testing.T) {
			want := newAttempt(t, src, true, true, limits.Bounds{})
			require.NoError(t, want.run())
			require.Zero(t, want.m.Stats().Recompute)
			for _, most := range []uint64{1 << 20, 1 << 17, 1 << 10} {
				got := newAttempt(t, src, true, true, limits.Bounds{RowsMemory: most})
				for range 2 {
					require.NoError(t, got.run())
					got.same(t, want, 0)
					s := got.m.Stats()
					require.Positive(t, s.Recompute)
					require.Less(t, s.Bytes, want.m.Stats().Bytes)
				}
			}
		})
	}
}

// TestNativeTables: a loop that reads a vector at computed places has the same bits where its rows are made again behind the
// adjoints of the vector.
func TestNativeTables(t *testing.T) {
	src := "input v : R^5551 = vec i < 5551 -> sin i\nfold (fun x s -> sin (s * e + x * x)) r (list i < 150 -> v.(i * (149 - i)))"
	want := newAttempt(t, src, true, true, limits.Bounds{})
	require.NoError(t, want.run())
	require.Positive(t, want.m.Native())
	interpreted := newAttempt(t, src, true, false, limits.Bounds{})
	require.NoError(t, interpreted.run())
	want.same(t, interpreted, 1e-12)
	got := newAttempt(t, src, true, true, limits.Bounds{RowsMemory: 8*5551 + 512})
	require.NoError(t, got.run())
	require.Positive(t, got.m.Stats().Recompute)
	got.same(t, want, 0)
}

// TestNativeLimits: limits end machine code of loops, in both phases, and a run of exactly as many steps as it may make is
// not ended.
func TestNativeLimits(t *testing.T) {
	src := "fold (fun x s -> if s > 0.3 then s * e else s + x) r (list i < 3000 -> i / 1000)"
	const body = 1000 // more than the steps of an iteration
	for _, gradient := range []bool{false, true} {
		all := newAttempt(t, src, gradient, true, limits.Bounds{})
		require.NoError(t, all.run())
		counts := all.m.Stats().Counts
		n := counts.Total()
		exact := newAttempt(t, src, gradient, true, limits.Bounds{MaxSteps: n})
		require.NoError(t, exact.run())
		exact.same(t, all, 0)
		for _, most := range []uint64{1, n / 7, n / 2, n * 6 / 7, n - 1} {
			r := newAttempt(t, src, gradient, true, limits.Bounds{MaxSteps: most})
			for range 2 {
				var reached *limits.ReachedError
				require.ErrorAs(t, r.run(), &reached)
				require.Equal(t, "steps", reached.Limit)
				require.Greater(t, reached.Steps, most)
				require.Less(t, reached.Steps, most+body)
			}
		}
	}
}

// TestNativeEnds: a look that ends a long run in machine code leaves a machine that runs again.
func TestNativeEnds(t *testing.T) {
	for _, rows := range []uint64{0, 1 << 16} {
		looks, most := 0, math.MaxInt
		bounds := limits.Bounds{RowsMemory: rows, Look: func() error {
			if looks++; looks > most {
				return context.Canceled
			}
			return nil
		}}
		r := newAttempt(t, "iter #200000 (fun z -> sin (z * z) + z * e) r", true, true, bounds)
		require.NoError(t, r.run())
		want := newAttempt(t, "iter #200000 (fun z -> sin (z * z) + z * e) r", true, true, limits.Bounds{})
		require.NoError(t, want.run())
		all := looks
		require.Greater(t, all, 10)
		for most = 1; most < all; most += all / 8 {
			looks = 0
			require.ErrorIs(t, r.run(), context.Canceled)
		}
		most = math.MaxInt
		require.NoError(t, r.run())
		r.same(t, want, 0)
	}
}

// TestNativeMemory: rows for which there is no memory are made again, and where there is none for machine code at all, the
// run ends.
func TestNativeMemory(t *testing.T) {
	src := "iter #300000 (fun z -> sin (z * z) + z * e) r"
	want := newAttempt(t, src, true, true, limits.Bounds{})
	require.NoError(t, want.run())
	full := errors.New("full")
	bound := func(most int64) limits.Bounds {
		return limits.Bounds{Reserve: func(bytes int64) error {
			if bytes > most {
				return full
			}
			return nil
		}}
	}
	r := newAttempt(t, src, true, true, bound(3<<20))
	require.NoError(t, r.run())
	r.same(t, want, 0)
	require.Positive(t, r.m.Stats().Recompute)
	require.ErrorIs(t, newAttempt(t, src, true, true, bound(1<<20)).run(), full)
}

// TestManyBranches: a loop is left to the interpreter if its machine code would have very many branches and numbers: the
// time that it takes to make it is their product.
func TestManyBranches(t *testing.T) {
	for branches, native := range map[int]bool{20: true, 300: false} {
		src := "fold (fun y a -> "
		for k := range branches {
			src += fmt.Sprintf("let a = if a > %d * y then sin (a * e) + y else exp (r * a) * %d in ", k%3-1, k)
		}
		src += "a) e (list i < 30 -> cos i)"
		got, want := newAttempt(t, src, true, true, limits.Bounds{}), newAttempt(t, src, true, false, limits.Bounds{})
		require.NoError(t, got.run())
		require.NoError(t, want.run())
		got.same(t, want, 1e-9)
		require.Equal(t, native, got.m.Native() > 0, "%d branches", branches)
	}
}
